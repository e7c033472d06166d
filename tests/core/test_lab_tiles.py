"""Tiles: every state is softmax attention over the keys so far, computed term by term; only rescaling makes it so."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document, Softmax
from core.labs.tiles import LAB, MOST_BLOCK, TilesResult, run_blocks, skipped_tiles
from core.storage.examples import load_example
from tests.core.documents import documents, make

SCORES = st.floats(-30, 30).map(lambda number: round(number, 2))


def at(document: Document | None = None, **values: object) -> TilesResult:
    return LAB.compute(LAB.start(document, values))


def attended(scores: list[float], values: list[list[float]], base: float = math.e) -> list[float]:
    """Softmax attention over some keys, term by term; −∞ is masked."""
    highest = max(scores)
    if highest == -math.inf:
        return [0.0] * len(values[0])
    powers = [base ** (score - highest) for score in scores]
    total = math.fsum(powers)
    return [
        math.fsum(p * row[column] for p, row in zip(powers, values, strict=True)) / total
        for column in range(len(values[0]))
    ]


@given(
    st.lists(SCORES, min_size=1, max_size=20),
    st.integers(1, MOST_BLOCK),
    st.sampled_from([math.e, 2.0, 10.0]),
    st.data(),
)
@settings(max_examples=80)
def test_after_every_block_it_is_attention_over_the_keys_so_far(
    scores: list[float], block: int, base: float, data: st.DataObject
) -> None:
    values = data.draw(
        st.lists(
            st.lists(SCORES, min_size=2, max_size=2), min_size=len(scores), max_size=len(scores)
        )
    )
    running = run_blocks(np.array([scores]), np.array(values), block, base=base)
    for step, start in enumerate(range(0, len(scores), block)):
        seen = slice(0, start + block)
        assert running.maxima[step, 0] == max(scores[seen])
        expected = attended(scores[seen], values[seen], base)
        np.testing.assert_allclose(running.means[step, 0], expected, rtol=0, atol=1e-12)


def test_a_pass_by_hand_in_fractions() -> None:
    """Scores 1, 3, 2, 5 to base 2 in blocks of two: m 3, 5; ρ = 1/4; every number is exact."""
    running = run_blocks(
        np.array([[1.0, 3.0, 2.0, 5.0]]), np.array([[4.0], [1.0], [8.0], [-1.0]]), 2, base=2.0
    )
    assert running.maxima[:, 0].tolist() == [3.0, 5.0]
    assert running.factors[:, 0].tolist() == [0.0, 0.25]
    first = Fraction(1, 4) + 1
    assert running.sums[:, 0].tolist() == [float(first), float(first / 4 + Fraction(1, 8) + 1)]
    output = Fraction(1, 4) * 4 + 1
    assert running.outputs[:, 0, 0].tolist() == [
        float(output),
        float(output / 4 + Fraction(8, 8) - 1),
    ]
    assert running.numerators.tolist() == [[0.25, 1.0, 0.125, 1.0]]


@given(documents(max_pins=2), st.integers(1, MOST_BLOCK))
@settings(max_examples=40)
def test_it_agrees_with_every_experiment_that_it_takes(document: Document, block: int) -> None:
    try:
        setting = LAB.start(document, {"block": block})
    except UserError:
        return
    result = LAB.compute(setting)
    trace = run(LAB.document(setting))
    scale = max(1.0, float(np.abs(trace["V"]).max()))
    expected = trace.matrix("heads", setting.head)
    np.testing.assert_allclose(result.running.means[-1], expected, rtol=0, atol=1e-12 * scale)
    assert result.difference <= 1e-12 * scale


def test_without_rescaling_only_queries_whose_maximum_comes_first_are_right() -> None:
    result = at(rescale=False)
    whole = run(result.document).matrix("heads")
    scores = result.scores
    for query in range(12):
        gap = np.abs(result.running.means[-1, query] - whole[query]).max()
        assert (gap < 1e-12) == (scores[query, :3].max() == scores[query].max())
    assert result.difference > 0.4


def test_one_block_for_all_keys_is_the_usual_softmax() -> None:
    result = at(n=8, block=8)
    assert result.steps == 1
    weights = run(result.document).matrix("weights")
    np.testing.assert_allclose(
        result.running.numerators / result.running.sums[0][:, None], weights, rtol=0, atol=1e-15
    )


@pytest.mark.parametrize(("n", "block"), [(12, 3), (13, 4), (48, 6), (2, 8)])
def test_tiles_above_the_diagonal_are_skipped(n: int, block: int) -> None:
    result = at(n=n, block=block, causal=True)
    blocks = range(-(-n // block))
    assert result.skipped.tolist() == [[column > row for column in blocks] for row in blocks]
    assert not at(n=n, block=block).skipped.any()


def test_a_tile_is_skipped_only_if_every_pair_is_masked() -> None:
    scores = np.full((4, 5), -np.inf)
    scores[3, 4] = 0.0
    assert skipped_tiles(scores, 2).tolist() == [[True, True, True], [True, True, False]]


def test_first_blocks_that_are_masked_leave_no_trace() -> None:
    scores = np.array([[-np.inf, -np.inf, 1.0, 0.5], [-np.inf] * 4])
    running = run_blocks(scores, np.array([[9.0], [9.0], [2.0], [4.0]]), 2)
    assert running.outputs[0].tolist() == [[0.0], [0.0]]
    assert running.means[-1, 0, 0] == pytest.approx(attended([1.0, 0.5], [[2.0], [4.0]])[0])
    assert running.means[-1, 1, 0] == 0.0
    assert np.isfinite(running.sums).all()


def test_memory_is_that_of_a_tile() -> None:
    result = at(n=48, block=6)
    assert (result.table_size, result.tile_size) == (48 * 48, 36)
    small = at(n=2, block=8)
    assert (small.table_size, small.tile_size) == (4, 4)


def test_scores_of_any_size_are_told_finitely() -> None:
    scores = np.array([[1e308, -1e308, 700.0, 1e308]])
    running = run_blocks(scores, np.array([[1e308], [1.0], [1.0], [1e308]]), 1)
    for array in (running.maxima, running.factors, running.sums, running.outputs, running.means):
        assert np.isfinite(array).all()


def test_experiments_with_two_sentences_and_another_base() -> None:
    result = at(load_example("translation"), block=2)
    assert result.steps == -(-result.document.m // 2)
    assert result.difference <= 1e-12
    base = make(5, mask="causal")
    other = replace(base, softmax=Softmax("2"))
    assert at(other, block=2).difference <= 1e-12


def test_what_it_cannot_work_on() -> None:
    with pytest.raises(UserError) as caught:
        LAB.start(make(76, sizes={"n": 65, "d": 3, "h": 1, "k": 2, "v": 1}))
    assert caught.value.data["reason"] == "tokens_2_64"
