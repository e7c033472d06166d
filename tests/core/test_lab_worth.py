"""Worth: every test of a head against a forward pass in plain NumPy that replaces its output."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from core.base.arrays import frozen
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document
from core.labs.worth import LAB, WorthResult, own, places, without_heads
from core.storage.examples import load_example
from tests.core.documents import make
from tests.core.stacks import SIZES, make_stack, plain_stack

Outputs = dict[tuple[int, int], np.ndarray]


def at(document: Document | None = None, **values: object) -> WorthResult:
    return LAB.compute(LAB.start(document, values))


def forward(document: Document, X: np.ndarray, replaced: Outputs) -> tuple[np.ndarray, Outputs]:
    """Attention-only layers with positions added and a causal mask, row by row; W_U at the end.

    `replaced` gives outputs (n, v) of some heads. Returns logits of the last token and all outputs.
    """
    z = X if document.positional.P is None else X + document.positional.P
    found: Outputs = {}
    for number, layer in enumerate(document.layers, 1):
        added = np.zeros_like(z)
        for index, head in enumerate(layer.heads):
            q, k, v = z @ head.W_Q, z @ head.W_K, z @ head.W_V
            output = np.zeros_like(v)
            for i in range(len(z)):
                scores = [document.scale.value * float(q[i] @ k[j]) for j in range(i + 1)]
                powers = [math.exp(score - max(scores)) for score in scores]
                output[i] = sum(p * v[j] for j, p in enumerate(powers)) / sum(powers)
            output = replaced.get((number, index), output)
            found[number, index] = output
            width = output.shape[1]
            added += output @ layer.W_O[index * width : (index + 1) * width]
        z = z + added
    return z[-1] @ document.output.W_U, found


@pytest.mark.parametrize(("place", "source"), [(2, 3), (1, 2), (4, 3)])
def test_both_tests_are_a_forward_pass_with_a_replaced_output(place: int, source: int) -> None:
    document = own()
    result = at(place=str(place), source=str(source), word="1", rival="2")
    X = np.array(document.X)
    logits, outputs = forward(document, X, {})
    X[place] = X[source]
    other, others = forward(document, X, {})

    def answer(row: np.ndarray) -> float:
        return float(row[1] - row[2])

    assert result.whole == pytest.approx(answer(logits), abs=1e-10)
    assert result.others == pytest.approx(answer(other), abs=1e-10)
    for one in result.heads:
        key = one.layer, one.head
        off = forward(document, document.X, {key: np.zeros_like(outputs[key])})[0]
        assert one.off == pytest.approx(answer(off) - answer(logits), abs=1e-10)
        patch = forward(document, document.X, {key: others[key]})[0]
        assert one.patched == pytest.approx(answer(patch) - answer(logits), abs=1e-10)


def test_pruning_switches_off_the_least_needed_first() -> None:
    document = own()
    result = at(word="1", rival="2")
    outputs = forward(document, document.X, {})[1]
    changes = [abs(result.heads[place].off) for place in result.order]
    assert all(one >= other for one, other in pairwise(changes))
    assert sorted(result.order) == [0, 1, 2, 3]
    for kept, value in enumerate(result.curve):
        off = [result.heads[place] for place in result.order[kept:]]
        zeros = {(one.layer, one.head): np.zeros_like(outputs[one.layer, one.head]) for one in off}
        logits = forward(document, document.X, zeros)[0]
        assert value == pytest.approx(float(logits[1] - logits[2]), abs=1e-10)


def test_nothing_reads_what_the_last_head_writes() -> None:
    result = at()
    assert result.heads[3].off == result.heads[3].patched == 0.0
    assert result.weights(3)[-1].max() > 0.8


def test_in_a_stack_with_norms_and_mlp_an_off_head_is_one_whose_values_are_zero() -> None:
    document = make_stack(7, layers=2)
    result = at(document)
    for one in result.heads:
        layers = list(document.layers)
        heads = list(layers[one.layer - 1].heads)
        head = heads[one.head]
        zeros = {name: frozen(np.zeros_like(getattr(head, name))) for name in ("W_V", "b_V")}
        heads[one.head] = replace(head, **zeros)
        layers[one.layer - 1] = replace(layers[one.layer - 1], heads=tuple(heads))
        logits = np.array(plain_stack(document.with_(layers=tuple(layers)))["logits"])[-1]
        difference = logits[result.answer.word] - logits[result.answer.rival]
        assert one.off == pytest.approx(difference - result.whole, abs=1e-9)


def test_a_patched_run_keeps_the_other_heads_of_its_layer() -> None:
    result = at(chosen="2")
    assert result.one.layer == 2
    np.testing.assert_array_equal(result.patch["L2.heads"][0], result.other["L2.heads"][0])
    np.testing.assert_array_equal(result.patch["L2.heads"][1], result.trace["L2.heads"][1])
    np.testing.assert_array_equal(result.patch["L1.heads"], result.trace["L1.heads"])


def test_equal_sentences_change_nothing() -> None:
    result = at(place="1", source="4")  # both are A
    assert not result.differs
    assert [one.patched for one in result.heads] == [0.0] * 4
    np.testing.assert_array_equal(result.other["logits"], result.trace["logits"])


def test_a_word_is_never_its_own_rival() -> None:
    for document in (None, load_example("not-bad"), load_example("block-by-hand")):
        setting = LAB.start(document)
        for word in LAB.control(setting, "word").options:
            chosen = LAB.with_value(setting, "word", word)
            assert chosen["rival"] != word
            assert word not in LAB.control(chosen, "rival").options


def test_the_answer_is_at_first_the_likeliest_word_against_that_of_the_other_sentence() -> None:
    result = at()
    words = result.document.output.vocabulary
    assert (words[result.answer.word], words[result.answer.rival]) == ("B", "C")
    assert result.other["logits"][-1].argmax() == result.answer.rival


def test_only_heads_that_are_on_are_tested_and_pruned_ones_are_handed_over() -> None:
    document = without_heads(own(), ((1, 1),))
    assert places(document) == ((1, 0), (2, 0), (2, 1))
    setting = LAB.start(document, {"kept": 1})
    result = LAB.compute(setting)
    handed = LAB.document(setting)
    on = places(handed)
    best = result.heads[result.order[0]]
    assert on == ((best.layer, best.head),)
    logits = run(handed)["logits"][-1]
    difference = logits[result.answer.word] - logits[result.answer.rival]
    assert result.curve[1] == pytest.approx(difference)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (make(1), "no_stack"),
        (make_stack(2, sizes={**SIZES, "n": 9}), "tokens_2_8"),
        (make_stack(2, sizes={**SIZES, "u": 33}), "words_2_32"),
        (make_stack(2, layers=5), "layers_4_heads_8"),
        (make_stack(2, output=False), "words_2_32"),
        (make_stack(2, off=(0, 1, 2)), "words_2_32"),
    ],
)
def test_what_it_cannot_work_on(document: Document, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        LAB.start(document)
    assert caught.value.data["reason"] == reason


def test_the_span_holds_every_change_and_zero() -> None:
    result = at()
    changes = [0.0]
    for one in result.heads:
        changes += [one.off, one.patched]
    assert result.span == (sorted(changes)[0], sorted(changes)[-1])
    assert result.span[0] < 0 < result.span[1]
