"""Decoding: the rows are those of the full causal run, and the counts are those of loops that really multiply."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings

from core.base.errors import UserError
from core.compute.decode import largest_difference, multiply_adds
from core.compute.trace import run
from core.document.document import Document, Mask
from core.document.edits import with_mask, without_pins
from core.document.stack_edits import with_layer
from core.labs.decode import BYTES, LAB, DecodeResult, decode
from core.storage.examples import load_example
from tests.core.documents import documents, make
from tests.core.stacks import make_stack

CAUSAL = Mask("causal")


def at(document: Document | None = None, **values: object) -> DecodeResult:
    return LAB.compute(LAB.start(document, values))


@given(documents(max_pins=0))
@settings(max_examples=60)
def test_every_token_gets_the_rows_of_the_full_causal_run(document: Document) -> None:
    assume(document.context is None)
    causal = with_mask(document, Mask("causal"))
    full, rows = run(causal), decode(causal)
    for t, row in enumerate(rows):
        assert row.stages["weights"].shape == (causal.h, 1, t + 1)
        scale = max(1.0, float(np.abs(full["Y"]).max()), float(np.abs(full["V"]).max()))
        assert largest_difference(full, row, t) <= 1e-13 * scale, t


def test_the_example_differs_by_rounding_at_most() -> None:
    worst = max(at(step=step).difference for step in range(7))
    assert worst <= 2.3e-16


def test_the_cache_only_grows() -> None:
    rows = decode(with_mask(make(70, positional="rotary", biases=True), Mask("causal")))
    for before, after in pairwise(rows):
        for name in ("K_rot", "V"):
            np.testing.assert_array_equal(after.kept[name][:, :-1], before.kept[name])


class Counter:
    """Multiply-adds of the plainest loops there are."""

    def __init__(self) -> None:
        self.done = 0

    def product(self, rows: int, inner: int, columns: int) -> None:
        for _ in range(rows):
            for _ in range(columns):
                for _ in range(inner):
                    self.done += 1


def counted(document: Document, m: int, rows: int) -> int:
    counter = Counter()
    for _ in document.heads:
        if document.source == "embeddings":
            for width in (document.k, document.k, document.v):
                counter.product(rows, document.d, width)
        counter.product(rows, document.k, m)
        counter.product(rows, m, document.v)
    if document.W_O is not None:
        counter.product(rows, document.c, document.o)
    return counter.done


@pytest.mark.parametrize(
    "document",
    [make(71), make(72, output=True), make(73, source="qkv"), load_example("who-ate-whom")],
)
def test_counts_are_those_of_loops(document: Document) -> None:
    for m in range(1, document.n + 1):
        assert multiply_adds(document, m, cache=True) == counted(document, m, 1)
        assert multiply_adds(document, m, cache=False) == counted(document, m, m)


def test_without_a_cache_the_last_step_costs_n_times_as_much() -> None:
    result = at(load_example("eight-heads"))
    assert result.again[-1] == 16 * result.cached[-1]
    assert result.again[0] == result.cached[0]


def test_the_memory_of_the_cache() -> None:
    result = at(make(74), step=3)
    assert result.numbers == 4 * 3 * (2 + 4)  # tokens, heads, k + v
    assert result.bytes == result.numbers * BYTES


def test_pins_are_taken_out_and_the_mask_is_causal() -> None:
    document = make(75, pins=6, mask="window")
    handed = LAB.document(LAB.start(document))
    assert handed is not None
    assert (handed.pins, handed.mask.kind) == ((), "causal")
    assert at(document, step=4).difference <= 1e-13
    assert (
        run(without_pins(with_mask(document, Mask("causal"))))["Y"].tolist()
        == run(handed)["Y"].tolist()
    )


def test_what_it_cannot_work_on() -> None:
    for n in (1, 65):
        with pytest.raises(UserError) as caught:
            LAB.start(make(76, sizes={"n": n, "d": 3, "h": 1, "k": 2, "v": 1}))
        assert caught.value.data["reason"] == "tokens_2_64"


def test_a_translation_is_refused() -> None:
    with pytest.raises(UserError) as caught:
        LAB.start(load_example("translation"))
    assert caught.value.data["reason"] == "context"


@pytest.mark.parametrize("layer", ["1", "2"])
def test_each_layer_has_rows_and_a_cache_of_its_own(layer: str) -> None:
    document = with_mask(make_stack(12, layers=2, borrowed=True, positional="rotary"), CAUSAL)
    result, full = at(document, step=2, layer=layer), run(document)
    assert result.scope.k == document.scopes[int(layer) - 1].k
    np.testing.assert_array_equal(result.kept("K"), full[f"L{layer}.K_rot"][:, :3])
    np.testing.assert_array_equal(result.kept("V"), full[f"L{layer}.V"][:, :3])
    np.testing.assert_array_equal(result.row("weights"), full[f"L{layer}.weights"][:, 2:3, :3])
    np.testing.assert_array_equal(result.row("Y"), full[f"L{layer}.Y"][2:3])
    assert result.difference == 0.0
    heads = [len(scope.heads) - 1 for scope in document.scopes]  # one borrows
    widths = [scope.k + scope.v for scope in document.scopes]
    assert result.numbers == sum(3 * h * width for h, width in zip(heads, widths, strict=True))


def test_layers_that_are_off_have_no_cache() -> None:
    document = with_layer(with_mask(make_stack(12, layers=2), CAUSAL), 1, enabled=False)
    (step, cache, head) = LAB.controls(LAB.start(document))
    assert (step.id, cache.id, head.id) == ("step", "cache", "head")
    assert at(document, step=2).layer == 2
    bare = with_layer(document, 2, enabled=False)
    with pytest.raises(UserError) as caught:
        LAB.start(bare)
    assert caught.value.data["reason"] == "no_stack"
