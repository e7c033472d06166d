"""Sinks: softmax1 against its formula, a null key against attention, windows against plain loops."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic.attention import attend
from core.base.errors import UserError
from core.compute.trace import run
from core.labs.sinks import (
    KEPT,
    LAB,
    MATCH,
    MATCHED,
    SENTENCE_VALUES,
    VALUES,
    RowResult,
    WindowResult,
    allowed,
    row_result,
)
from tests.core.documents import make

SCORES = st.lists(st.integers(-40, 40).map(lambda tenth: tenth / 10), min_size=4, max_size=4)


def row(**values: object) -> RowResult:
    found = LAB.compute(LAB.start(values={"view": "query", **values}))
    assert isinstance(found, RowResult)
    return found


def sentence(**values: object) -> WindowResult:
    found = LAB.compute(LAB.start(values=values))
    assert isinstance(found, WindowResult)
    return found


@given(SCORES, st.integers(-80, 80))
def test_beside_a_null_key_weights_are_softmax1(scores: list[float], tenth: int) -> None:
    result = row_result(np.array(scores), tenth / 10)
    powers = [math.exp(score + tenth / 10) for score in scores]
    whole = 1.0 + math.fsum(powers)
    assert result.shared.tolist() == pytest.approx([power / whole for power in powers], rel=1e-12)
    assert result.null == pytest.approx(1.0 / whole, rel=1e-12)
    assert result.plain.tolist() == pytest.approx(
        [power / math.fsum(powers) for power in powers], rel=1e-12
    )
    for column in (0, 1):
        wanted = math.fsum(p * v[column] for p, v in zip(powers, VALUES, strict=True)) / whole
        assert result.y_null[column] == pytest.approx(wanted, abs=1e-12)


def test_the_softmax_does_not_see_a_shift_and_a_null_key_does() -> None:
    here, low, high = row(), row(shift=-6.0), row(shift=6.0)
    np.testing.assert_allclose(low.plain, here.plain, rtol=0, atol=1e-15)
    np.testing.assert_allclose(high.y_plain, here.y_plain, rtol=0, atol=1e-15)
    assert low.total < 0.02 < 0.88 < here.total < high.total < 1.0
    assert np.abs(low.y_null).max() < 0.03


def test_the_curve_is_the_logistic_function_of_the_log_of_the_sum() -> None:
    result = row()
    log = math.log(math.fsum(math.exp(score) for score in result.scores))
    for shift, total in zip(result.shifts, result.totals, strict=True):
        assert total == pytest.approx(1.0 / (1.0 + math.exp(-(shift + log))), abs=1e-12)
    assert (np.diff(result.totals) > 0).all()


def test_a_row_by_hand() -> None:
    """Scores ln 1, ln 2, ln 3, ln 1: powers 1, 2, 3, 1 and a null key of 1."""
    result = row_result(np.log([1.0, 2.0, 3.0, 1.0]), 0.0)
    parts = [Fraction(power, 8) for power in (1, 2, 3, 1)]
    assert result.shared.tolist() == pytest.approx(list(map(float, parts)), abs=1e-15)
    assert (result.null, result.total) == (pytest.approx(1 / 8), pytest.approx(7 / 8))


def test_the_row_handed_over_has_the_same_weights_and_output() -> None:
    setting = LAB.start(values={"view": "query", "shift": -2.0})
    trace, result = run(LAB.document(setting)), LAB.compute(setting)
    assert trace["weights"][0, 0].tolist() == pytest.approx([*result.shared, result.null])
    assert trace["Y"][0].tolist() == pytest.approx(result.y_null.tolist())


def seen(kept: str, query: int, window: int) -> list[int]:
    """The keys that a query finds in a cache that was filled and emptied token by token."""
    cache: list[int] = []
    for token in range(query + 1):
        cache.append(token)
        while kept != "all" and len(cache) > window + (kept == "first" and cache[0] == 0):
            cache.pop(1 if kept == "first" else 0)
    return cache


@pytest.mark.parametrize("window", [2, 4, 12])
@pytest.mark.parametrize("kept", KEPT)
def test_a_cache_holds_what_is_kept_token_by_token(kept: str, window: int) -> None:
    grid = allowed(kept, 12, window)
    for query in range(12):
        assert np.flatnonzero(grid[query]).tolist() == seen(kept, query, window)


def output(query: int, keys: list[int], height: float, *, null: bool) -> list[float]:
    """Attention of one token in plain loops."""
    scores = {
        key: MATCH[query] * (MATCHED[key] if key else 0.0)
        + (-height if null else height if key == 0 else 0.0)
        for key in keys
    }
    whole = math.fsum(map(math.exp, scores.values())) + (1.0 if null else 0.0)
    return [
        math.fsum(math.exp(score) * SENTENCE_VALUES[key][column] for key, score in scores.items())
        / whole
        for column in (0, 1)
    ]


@pytest.mark.parametrize("rest", ["token", "null"])
@pytest.mark.parametrize("kept", KEPT)
def test_outputs_and_errors_are_those_of_plain_loops(kept: str, rest: str) -> None:
    result = sentence(kept=kept, rest=rest, window=3, height=2.5)
    for query in range(12):
        found = [
            output(
                query, np.flatnonzero(allowed(one, 12, 3)[query]).tolist(), 2.5, null=rest == "null"
            )
            for one in (kept, "all")
        ]
        assert result.runs[kept]["Y"][query].tolist() == pytest.approx(found[0], abs=1e-12)
        assert result.errors[kept][query] == pytest.approx(math.dist(*found), abs=1e-12)


def test_losing_the_first_token_costs_far_more_than_losing_others() -> None:
    result = sentence()
    assert not result.errors["window"][:4].any()
    assert (result.errors["window"][4:] > 0.3).all()
    assert (result.errors["first"] < 0.1).all()
    assert (result.rest > 0.77).all()


def test_a_null_key_survives_every_window() -> None:
    result = sentence(rest="null")
    assert (result.errors["window"] < 0.1).all()
    assert (result.rest > 0.76).all()


def test_without_a_sink_the_first_token_is_one_among_others() -> None:
    result = sentence(height=0.0)
    assert result.rest[11] < 0.1
    assert result.errors["window"][11] < 0.5


def test_a_null_key_is_attention_with_zeros_appended() -> None:
    result = sentence(rest="null", kept="all")
    trace = result.runs["all"]
    (head,) = trace.document.heads
    zeros = np.zeros((1, 2))
    np.testing.assert_array_equal(head.K[0], zeros[0])
    np.testing.assert_array_equal(head.V[0], zeros[0])
    mask = np.hstack([np.tril(np.ones((12, 12), dtype=bool)), np.ones((12, 1), dtype=bool)])
    found = attend(
        head.Q[None],
        np.vstack([head.K[1:], zeros])[None],
        np.vstack([head.V[1:], zeros])[None],
        scale=1.0,
        mask=mask,
    )
    np.testing.assert_allclose(found.output[0], trace["Y"], rtol=0, atol=1e-15)


def test_the_cache_grows_or_not() -> None:
    sizes = {kept: [sentence(token=token).cached(kept) for token in (0, 3, 11)] for kept in KEPT}
    assert sizes == {"all": [1, 4, 12], "window": [1, 4, 4], "first": [1, 4, 5]}


def test_it_takes_no_experiment() -> None:
    with pytest.raises(UserError) as caught:
        LAB.start(make(3))
    assert caught.value.data["reason"] == "lab.own"
