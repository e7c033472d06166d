"""Groups: means against plain loops, the cache against a count, and what sharing leaves as it was."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document
from core.labs.groups import LAB, GroupsResult, drawn, group_counts, grouped, relative_change
from tests.core.documents import documents, make
from tests.core.stacks import make_stack


def at(document: Document | None = None, **values: object) -> GroupsResult:
    return LAB.compute(LAB.start(document, values))


def attended(q: list[float], K: list[list[float]], V: list[list[float]]) -> list[float]:
    """One query's attention in plain loops, scaled by √d_k."""
    scores = [sum(a * b for a, b in zip(q, k, strict=True)) / math.sqrt(len(q)) for k in K]
    powers = [math.exp(score - max(scores)) for score in scores]
    return [
        sum(p * v[column] for p, v in zip(powers, V, strict=True)) / sum(powers)
        for column in range(len(V[0]))
    ]


@pytest.mark.parametrize("groups", [8, 4, 2, 1])
def test_every_head_attends_to_the_mean_keys_and_values_of_its_group(groups: int) -> None:
    result = at(groups=str(groups))
    own, size = result.own, 8 // groups
    for head in range(8):
        members = range(head // size * size, head // size * size + size)
        K, V = (
            [
                [sum(own[name][i, row, column] for i in members) / size for column in range(2)]
                for row in range(4)
            ]
            for name in ("K", "V")
        )
        for row in range(4):
            expected = attended(own["Q"][head, row].tolist(), K, V)
            assert result.shared["heads"][head, row].tolist() == pytest.approx(expected, abs=1e-12)


def test_with_the_first_head_each_group_has_the_keys_of_its_first_head() -> None:
    result = at(groups="2", how="first")
    for head in range(8):
        np.testing.assert_array_equal(result.shared["K"][head], result.own["K"][head // 4 * 4])
    assert result.changes[[0, 4]].tolist() == [0.0, 0.0]
    assert (result.changes[[1, 2, 3, 5, 6, 7]] > 0.0).all()


@given(documents(max_pins=0), st.sampled_from(["mean", "first"]))
@settings(max_examples=30)
def test_heads_that_are_equal_lose_nothing(document: Document, how: str) -> None:
    if document.h < 2 or document.source == "weights":
        return
    one = document.heads[0]
    names = ("W_K", "W_V", "b_K", "b_V", "K", "V")
    shared = {name: getattr(one, name) for name in names}
    equal = replace(document, heads=tuple(replace(head, **shared) for head in document.heads))
    before, after = run(equal)["Y"], run(grouped(equal, 1, how))["Y"]
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-10 * max(1.0, np.abs(before).max()))


@pytest.mark.parametrize("how", ["mean", "first"])
def test_a_missing_bias_counts_as_zero(how: str) -> None:
    document = make(3, sizes={"n": 3, "d": 4, "h": 2, "k": 2, "v": 3}, biases=True)
    bias = document.heads[1].b_K
    assert bias is not None
    bare = replace(document, heads=(replace(document.heads[0], b_K=None), document.heads[1]))
    found = grouped(bare, 1, how).heads[0].b_K
    assert (None if found is None else found.tolist()) == (
        None if how == "first" else (bias / 2).tolist()
    )


def test_the_cache_is_counted_number_by_number() -> None:
    document = make(9, sizes={"n": 3, "d": 4, "h": 6, "k": 2, "v": 5}, output=True)
    result = at(document)
    assert [option.groups for option in result.options] == [6, 3, 2, 1]
    for option in result.options:
        shared = grouped(document, option.groups, "mean")
        trace = run(shared)
        rows = {name: {row.tobytes() for row in trace[name][:, 0]} for name in ("K", "V")}
        assert option.cached == len(rows["K"]) * 2 + len(rows["V"]) * 5
        kinds = {id(head.W_K) for head in shared.heads}
        assert option.parameters == len(kinds) * 4 * (2 + 5)


def test_changes_are_relative_norms_of_the_output() -> None:
    result = at(groups="4", alike=0.5)
    gap = math.sqrt(float(((result.shared["Y"] - result.own["Y"]) ** 2).sum()))
    assert result.now.change == pytest.approx(gap / math.sqrt(float((result.own["Y"] ** 2).sum())))
    assert result.options[0].change == 0.0
    assert relative_change(np.zeros(3), np.zeros(3)) == 0.0
    assert relative_change(np.full(2, 1e300), np.full(2, -1e300)) == pytest.approx(2.0)


def test_alike_heads_change_nothing_and_the_spread_stays_the_same() -> None:
    assert all(option.change < 1e-12 for option in at(alike=1.0).options)
    spreads = [np.std([head.W_K for head in drawn(alike).heads]) for alike in (0.0, 0.3, 0.6)]
    assert max(spreads) / min(spreads) < 1.25
    for one, other in zip(drawn(1.0).heads, drawn(1.0).heads[1:], strict=False):
        np.testing.assert_array_equal(one.W_K, other.W_K)
        assert (one.W_Q != other.W_Q).any()


def test_numbers_of_groups_divide_the_heads() -> None:
    assert group_counts(8) == (8, 4, 2, 1)
    assert group_counts(7) == (7, 1)
    assert group_counts(6) == (6, 3, 2, 1)


def test_an_experiment_keeps_everything_else_and_loses_its_what_if_values() -> None:
    document = make(5, sizes={"n": 3, "d": 4, "h": 4, "k": 2, "v": 2}, pins=4, output=True)
    shared = LAB.document(LAB.start(document, {"groups": "1"}))
    assert shared.pins == ()
    for head, own in zip(shared.heads, document.heads, strict=True):
        assert head.W_Q is own.W_Q
        assert head.enabled == own.enabled
    assert shared.W_O is document.W_O


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        (make(1, sizes={"n": 3, "d": 4, "h": 1, "k": 2, "v": 2}), "heads_2_8"),
        (make(2, sizes={"n": 65, "d": 3, "h": 2, "k": 2, "v": 1}), "tokens_2_64"),
        (make_stack(1), "stack"),
    ],
)
def test_what_it_cannot_work_on(document: Document, reason: str) -> None:
    with pytest.raises(UserError) as caught:
        LAB.start(document)
    assert caught.value.data["reason"] == reason


def test_entered_keys_and_values_are_shared_as_well() -> None:
    document = make(6, source="qkv", sizes={"n": 3, "d": 4, "h": 2, "k": 2, "v": 2})
    shared = grouped(document, 1, "mean")
    expected = (document.heads[0].K + document.heads[1].K) / 2
    np.testing.assert_allclose(shared.heads[1].K, expected, rtol=0, atol=1e-15)
    assert at(document).options[-1].parameters == 0
