"""Decoding from kept keys and values: rows against plain loops and the whole run, counts against loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.compute.decode import (
    DecodedRow,
    cached_numbers,
    decode_row,
    is_causal,
    kept_before,
    kept_stages,
    largest_difference,
    multiply_adds,
)
from core.compute.trace import run
from core.document.document import Document, Mask, Pin
from core.document.resize import with_tokens_removed, with_word_appended
from core.storage.examples import load_example
from tests.core.documents import make
from tests.core.stacks import make_stack, plain_stack

PLAIN = [  # what the plain loops can do: no rotary positions, no ALiBi
    make_stack(6, layers=2, place="post", gate=True, norm="rms"),
    make_stack(7, layers=2, borrowed=True, activation="gelu"),
    make_stack(8, layers=1, positional="learned", residual=False),
]
STACKS = [
    *PLAIN,
    make_stack(1, layers=2),
    make_stack(2, layers=2, place="post", positional="rotary", gate=True),
    make_stack(3, layers=3, norm="rms", positional="alibi", borrowed=True),
    make_stack(4, layers=1, positional="learned", mlp=False, residual=False),
    make_stack(5, layers=2, positional="sinusoidal", off=(1,)),
]


def decoded(document: Document) -> DecodedRow:
    """The last row from keys and values of a run that never saw the last token."""
    before = run(with_tokens_removed(document, [document.n - 1]))
    return decode_row(document, {name: before[name] for name in kept_stages(before.plan)})


@pytest.mark.parametrize("document", PLAIN)
def test_the_row_is_that_of_plain_loops_over_the_whole_sentence(document: Document) -> None:
    expected, row = plain_stack(document), decoded(document)
    assert set(row.stages) == set(run(document).arrays)
    assert {"L1.weights", "logits", "probabilities"} <= set(expected) & set(row.stages)
    for name in expected.keys() & row.stages.keys():
        mine = row.stages[name]
        theirs = np.array(expected[name], dtype=np.float64)[..., -1:, :]
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("document", [*STACKS, make(3, mask="causal", biases=True, output=True)])
def test_the_row_is_that_of_the_whole_run_to_the_bit(document: Document) -> None:
    full = run(document)
    assert largest_difference(full, decoded(document), document.n - 1) == 0.0
    kept = decoded(document).kept
    for name in kept_stages(full.plan):
        np.testing.assert_array_equal(kept[name], full[name])


def test_a_word_that_is_appended_is_one_row_and_the_keys_before_stay() -> None:
    document = load_example("block-by-hand")
    before = run(document)
    longer = with_word_appended(document, 3)
    row = decode_row(longer, kept_before(before, document.n))
    full = run(longer)
    assert largest_difference(full, row, longer.n - 1) == 0.0
    for name in kept_stages(full.plan):
        np.testing.assert_array_equal(full[name][:, :-1], before[name])
        np.testing.assert_array_equal(row.kept[name][:, :-1], before[name])


def test_a_difference_is_found_wherever_it_is() -> None:
    document = make_stack(1, layers=2)
    row = decoded(document)
    pinned = replace(document, pins=(Pin("L2.mlp_active", (document.n - 1, 2), 40.0),))
    expected = abs(40.0 - float(row.stages["L2.mlp_active"][0, 2]))
    assert largest_difference(run(pinned), row, document.n - 1) >= expected


def loops(document: Document, m: int, rows: int) -> int:
    """Multiply-adds of all products of a stack, layer by layer."""
    d, count = document.d, 0
    for layer, scope in zip(document.layers, document.scopes, strict=True):
        own = len([head for head in layer.heads if head.kv_from is None])
        count += rows * d * (scope.h * scope.k + own * scope.k + own * scope.v)
        count += scope.h * rows * m * (scope.k + scope.v)
        if layer.W_O is not None:
            count += rows * layer.W_O.size
        if layer.mlp is not None:
            mats = (layer.mlp.W_1, layer.mlp.W_2, layer.mlp.W_gate)
            count += rows * sum(matrix.size for matrix in mats if matrix is not None)
    return count + (rows * document.output.W_U.size if document.output is not None else 0)


@pytest.mark.parametrize("document", STACKS)
def test_multiply_adds_are_those_of_every_layer(document: Document) -> None:
    for m in range(1, document.n + 1):
        assert multiply_adds(document, m, cache=True) == loops(document, m, 1)
        assert multiply_adds(document, m, cache=False) == loops(document, m, m)


def test_heads_that_borrow_keys_keep_none() -> None:
    own, borrowed = (make_stack(3, layers=2, borrowed=value) for value in (False, True))
    for document, less in ((own, 0), (borrowed, 1)):
        expected = sum(5 * (scope.h - less) * (scope.k + scope.v) for scope in document.scopes)
        assert cached_numbers(document, 5) == expected


def test_only_causal_masks_keep_keys() -> None:
    document = make_stack(1)
    for mask, causal in (
        (Mask("causal"), True),
        (Mask("window", left=2, right=0), True),
        (Mask("window", left=2, right=1), False),
        (Mask("window", left=2), False),
        (Mask("none"), False),
    ):
        assert is_causal(replace(document, mask=mask)) is causal
    assert not is_causal(load_example("translation"))
