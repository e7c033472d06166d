"""Induction: the paths add up to the scores, and only both layers together continue every pattern."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.arrays import frozen
from core.compute.trace import run
from core.document.parts import Layer
from core.labs.induction import (
    LAB,
    LETTERS,
    InductionResult,
    accuracy,
    continuations,
    doubled,
    next_letters,
    score_paths,
    share_right,
    stack,
)

Rows = list[list[float]]


def at(**values: object) -> InductionResult:
    return LAB.compute(LAB.start(values=values))


def times(a: Rows, b: Rows) -> Rows:
    """A product of matrices by loops."""
    return [
        [math.fsum(row[i] * b[i][column] for i in range(len(b))) for column in range(len(b[0]))]
        for row in a
    ]


def turned(a: Rows) -> Rows:
    return [list(column) for column in zip(*a, strict=True)]


def plus(a: Rows, b: Rows) -> Rows:
    return [
        [x + y for x, y in zip(one, other, strict=True)] for one, other in zip(a, b, strict=True)
    ]


def shares(scores: list[float]) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def tensors(layer: Layer) -> tuple[Rows, Rows, Rows, Rows]:
    (head,) = layer.heads
    found = head.W_Q, head.W_K, head.W_V, layer.W_O
    W_Q, W_K, W_V, W_O = (tensor.tolist() for tensor in found if tensor is not None)
    return W_Q, W_K, W_V, W_O


def by_loops(letters: str, on: tuple[bool, bool], factor: float) -> tuple[Rows, Rows, list[float]]:
    """The vectors after layer 1, the scores of layer 2 without mask, and the last probabilities."""
    document = stack(letters, *on, factor)
    assert document.X is not None
    assert document.positional.P is not None
    assert document.output is not None
    z = plus(document.X.tolist(), document.positional.P.tolist())
    after_first, scores = z, []
    for layer, is_on in zip(document.layers, on, strict=True):
        W_Q, W_K, W_V, W_O = tensors(layer)
        raw = times(times(z, W_Q), turned(times(z, W_K)))
        scores = [[factor * score for score in row] for row in raw]
        if layer is document.layers[1]:
            after_first = z
        if is_on:
            V = times(z, W_V)
            read = [
                times([shares(row[: place + 1])], V[: place + 1])[0]
                for place, row in enumerate(scores)
            ]
            z = plus(z, times(read, W_O))
    return after_first, scores, shares(times(z[-1:], document.output.W_U.tolist())[0])


SWITCHES = list(product((True, False), repeat=2))
WORDS = st.text("ABCD", min_size=2, max_size=8)
FACTORS = st.floats(0.0, 40.0).map(lambda factor: round(factor, 1))


@given(WORDS, st.sampled_from(SWITCHES), FACTORS)
@settings(max_examples=40, deadline=None)
def test_the_whole_computation_agrees_with_loops(
    letters: str, on: tuple[bool, bool], factor: float
) -> None:
    trace = run(stack(letters, *on, factor))
    _, scores, probabilities = by_loops(letters, on, factor)
    np.testing.assert_allclose(trace["probabilities"][-1], probabilities, rtol=0, atol=1e-12)
    if on[1]:
        np.testing.assert_allclose(trace.matrix("L2.scaled"), scores, rtol=0, atol=1e-12)


@given(WORDS, st.booleans(), FACTORS)
@settings(max_examples=40, deadline=None)
def test_the_paths_add_up_to_the_scores(letters: str, first: bool, factor: float) -> None:
    document = stack(letters, first, True, factor)
    trace = run(document)
    weights = trace.matrix("L1.weights") if first else None
    paths = score_paths(trace["input"], weights, document)
    np.testing.assert_allclose(paths.total, trace.matrix("L2.scaled"), rtol=0, atol=1e-12)
    assert not paths.direct.any()
    assert bool(paths.keys.any()) is (first and factor > 0.0)


def test_each_path_of_other_numbers_is_a_product_of_its_own() -> None:
    """Random matrices use all four paths; each is computed by loops over letters and places."""
    random = np.random.default_rng(7)
    document = stack("ABCA", True, True, 1.5)
    d = document.d
    W_Q, W_K = random.standard_normal((2, d, 4)).round(1)
    V, W_O = random.standard_normal((d, 4)).round(1), random.standard_normal((4, d)).round(1)
    x, A = random.standard_normal((5, d)), random.random((5, 5))
    one, two = document.layers
    one = replace(one, heads=(replace(one.heads[0], W_V=frozen(V)),), W_O=frozen(W_O))
    two = replace(two, heads=(replace(two.heads[0], W_Q=frozen(W_Q), W_K=frozen(W_K)),))
    paths = score_paths(x, A, replace(document, layers=(one, two)))
    h = times(A.tolist(), times(times(x.tolist(), V.tolist()), W_O.tolist()))

    def score(queries: Rows, keys: Rows) -> Rows:
        raw = times(times(queries, W_Q.tolist()), turned(times(keys, W_K.tolist())))
        return [[1.5 * number for number in row] for row in raw]

    rows = x.tolist()
    for found, expected in (
        (paths.direct, score(rows, rows)),
        (paths.keys, score(rows, h)),
        (paths.queries, score(h, rows)),
        (paths.both, score(h, h)),
        (paths.total, score(plus(rows, h), plus(rows, h))),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@given(WORDS, FACTORS)
@settings(max_examples=30, deadline=None)
def test_a_score_through_layer_1_is_the_table_weighted_by_attention(
    letters: str, factor: float
) -> None:
    """Sum over places k of A[j, k] times the table entry of the query's letter and the letter at k."""
    result = LAB.compute(
        LAB.start(
            values={
                "pattern": "own",
                "length": len(letters),
                "sharpness": factor,
                **{f"letter{place}": letter for place, letter in enumerate(letters, 1)},
            }
        )
    )
    weights = result.weights(1)
    assert weights is not None
    for i, query in enumerate(letters, 1):
        for j in range(len(letters) + 1):
            expected = math.fsum(
                weights[j, k] * result.by_letter[LETTERS.index(query), LETTERS.index(key)]
                for k, key in enumerate(letters, 1)
            )
            assert result.paths.keys[i, j] == pytest.approx(expected, abs=1e-12)


def test_tables_are_those_of_the_letters() -> None:
    result = at()
    assert result.by_letter.tolist() == (20.0 * np.eye(4)).tolist()
    assert not result.direct_by_letter.any()
    assert not at(first=False).by_letter.any()


def test_patterns_are_all_pairings_of_eight_places() -> None:
    rows = {tuple(row) for row in doubled().tolist()}
    assert len(rows) == len(doubled()) == 7 * 5 * 3  # ways to pair eight places
    assert all(set(Counter(row).values()) == {2} for row in rows)


@pytest.mark.parametrize("on", SWITCHES)
def test_only_both_layers_continue_every_pattern(on: tuple[bool, bool]) -> None:
    """Counted over all 2,520 sequences of four letters twice each, and not only up to their names."""
    sequences = np.array(sorted(set(permutations((0, 1, 2, 3) * 2))))
    assert len(sequences) == math.factorial(8) // 2**4
    probabilities = next_letters(sequences, *on, 20.0)
    right = 0.0
    for row, chances in zip(sequences.tolist(), probabilities.tolist(), strict=True):
        wanted = row[row.index(row[-1]) + 1]
        best = [word for word, chance in enumerate(chances) if chance > max(chances) - 1e-9]
        right += (wanted in best) / len(best)
    share = right / len(sequences)
    assert share == pytest.approx(1.0 if all(on) else 0.25, abs=1e-12)
    assert accuracy(*on, 20.0) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("on", SWITCHES)
def test_many_sequences_at_once_are_as_in_an_experiment(on: tuple[bool, bool]) -> None:
    rows = doubled()[::13]
    for row, found in zip(rows, next_letters(rows, *on, 7.5), strict=True):
        letters = "".join(LETTERS[word] for word in row)
        expected = run(stack(letters, *on, 7.5))["probabilities"][-1]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_letters_that_are_equally_likely_share_one_sequence() -> None:
    sequences = np.array([[0, 1, 0], [0, 1, 0], [0, 2, 0]])
    probabilities = np.array([[0.1, 0.9, 0.0], [0.5, 0.5, 0.0], [0.0, 1.0, 0.0]])
    assert share_right(sequences, probabilities) == pytest.approx((1.0 + 0.5 + 0.0) / 3)


def test_every_pattern_with_one_continuation_is_continued() -> None:
    """Of all sequences of up to five letters whose last letter came once before."""
    for length in range(2, 6):
        for letters in product(LETTERS, repeat=length):
            if letters[:-1].count(letters[-1]) == 1:
                trace = run(stack("".join(letters), True, True, 20.0))
                wanted = letters[letters.index(letters[-1]) + 1]
                assert LETTERS[int(trace["probabilities"][-1].argmax())] == wanted


def test_what_came_after_the_last_letter_before() -> None:
    assert continuations(tuple("ABACA")) == ("B", "C")
    assert continuations(tuple("ABCD")) == ()
    assert continuations(tuple("AAA")) == ("A",)
    assert continuations(("A", "B")) == ()


def test_letters_of_ones_own_are_those_of_the_controls() -> None:
    result = at(pattern="own", length=3, letter1="D", letter3="D")
    assert result.tokens == ("<s>", "D", "B", "D")
    assert result.continuations == ("B",)
    assert int(result.probabilities.argmax()) == 1
    assert {control.id for control in LAB.controls(LAB.start())} == {
        "pattern",
        "first",
        "second",
        "sharpness",
    }
