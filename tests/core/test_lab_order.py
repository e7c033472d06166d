"""The lab of order: without positions a permuted sentence gives permuted rows, to the last bit."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arithmetic.positional_encoding import alibi_bias, alibi_slopes
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document, Positional
from core.document.edits import with_positional
from core.labs.order import LAB, kinds, placed, reordered, shuffled, swapped
from tests.core.documents import make

SIZES = {"n": 5, "d": 6, "h": 3, "k": 2, "v": 4}


def plain_attention(X: np.ndarray, document: Document) -> np.ndarray:
    """One head of an experiment without positions, by plain loops."""
    head = document.heads[0]
    assert head.W_Q is not None
    assert head.W_K is not None
    assert head.W_V is not None
    rows = []
    for x in X:
        scores = [float((x @ head.W_Q) @ (other @ head.W_K)) / np.sqrt(document.k) for other in X]
        shares = [np.exp(score - max(scores)) for score in scores]
        rows.append(
            sum(
                share / sum(shares) * (other @ head.W_V)
                for share, other in zip(shares, X, strict=True)
            )
        )
    return np.array(rows)


@given(st.integers(0, 50), st.permutations(range(5)))
@settings(max_examples=40)
def test_without_positions_the_rows_of_y_change_places_and_nothing_else(
    seed: int, order: list[int]
) -> None:
    result = reordered(make(seed, output=True, biases=True), tuple(order))
    assert result.largest == 0.0
    assert result.largest_A == 0.0
    assert result.changed == ()
    np.testing.assert_array_equal(result.permuted_Y, result.Y[order])
    for row in range(5):
        for column in range(5):
            there = result.permuted_A[:, row, column]
            np.testing.assert_array_equal(there, result.A[:, order[row], order[column]])


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_both_outputs_are_those_of_plain_loops(order: tuple[int, ...]) -> None:
    setting = LAB.with_value(LAB.start(), "order", order)
    document = setting.document
    assert document is not None
    assert document.X is not None
    result = LAB.compute(setting)
    np.testing.assert_allclose(result.Y, plain_attention(document.X, document), atol=1e-12)
    np.testing.assert_allclose(
        result.permuted_Y, plain_attention(document.X[list(order)], document), atol=1e-12
    )


@pytest.mark.parametrize("kind", ["sinusoidal", "learned", "rotary", "alibi"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_kind_of_positions_makes_the_order_count(kind: str, seed: int) -> None:
    order = (2, 0, 4, 1, 3)
    result = reordered(placed(make(seed), kind), order)
    assert result.changed == (0, 1, 2, 3, 4)
    loops = max(
        abs(result.permuted_Y[place, column] - result.Y[old, column])
        for place, old in enumerate(order)
        for column in range(result.Y.shape[1])
    )
    assert result.largest == loops
    assert result.largest > 1e-6


def test_alibi_cannot_tell_a_sentence_from_its_reverse() -> None:
    """Its bias depends on |i − j| alone, and these distances are the same backwards."""
    backwards = (4, 3, 2, 1, 0)
    bias = alibi_bias(5, alibi_slopes(3))
    np.testing.assert_array_equal(bias[:, backwards][:, :, backwards], bias)
    result = reordered(placed(make(4), "alibi"), backwards)
    assert result.largest == 0.0
    assert reordered(placed(make(4), "rotary"), backwards).largest > 0.0


def test_a_causal_mask_tells_places_apart_without_any_positions() -> None:
    document = make(5, mask="causal")
    order = (1, 0, 2, 3, 4)
    result = reordered(document, order)
    assert 0 in result.changed
    assert reordered(make(5), order).largest == 0.0


def test_the_original_order_changes_nothing_with_any_positions() -> None:
    for kind in kinds(make(0)):
        result = reordered(placed(make(0), kind), (0, 1, 2, 3, 4))
        assert result.largest == 0.0
        assert result.moved == ()


def test_learned_positions_stay_at_their_places() -> None:
    setting = LAB.start(values={"positions": "learned", "order": (2, 1, 0)})
    document = LAB.document(setting)
    original = placed(LAB.experiment(), "learned")
    assert document.positional.P is not None
    assert original.positional.P is not None
    np.testing.assert_array_equal(document.positional.P, original.positional.P)
    assert document.tokens == ("苹果", "吃", "小明")


def test_an_experiment_that_brings_learned_positions_keeps_them() -> None:
    table = np.arange(30.0).reshape(5, 6)
    document = with_positional(make(0), Positional("learned", P=table))
    assert placed(document, "learned").positional.P is document.positional.P


def test_with_entered_projections_only_positions_that_act_on_them() -> None:
    assert kinds(make(0, source="qkv")) == ("none", "rotary", "alibi")
    setting = LAB.start(make(0, source="qkv"))
    assert LAB.compute(setting).largest == 0.0
    assert LAB.compute(LAB.with_value(setting, "positions", "rotary")).largest > 0.0


def test_the_experiment_handed_over_is_the_one_on_the_screen() -> None:
    for kind in ("none", "sinusoidal", "learned", "rotary", "alibi"):
        setting = LAB.start(make(3), {"order": (3, 1, 4, 0, 2), "positions": kind})
        np.testing.assert_array_equal(
            run(LAB.document(setting))["Y"], LAB.compute(setting).permuted_Y
        )


def test_it_begins_with_the_ends_swapped_unless_told_otherwise() -> None:
    assert LAB.start()["order"] == (2, 1, 0)
    assert LAB.start(make(0))["order"] == (4, 1, 2, 3, 0)
    assert LAB.start(values={"order": [1, 0, 2]})["order"] == (1, 0, 2)


def test_buttons() -> None:
    setting = LAB.start(make(0))
    assert LAB.press(setting, "restore")["order"] == (0, 1, 2, 3, 4)
    assert LAB.press(LAB.press(setting, "swap"), "swap")["order"] == setting["order"]
    seen = set()
    for _ in range(12):
        again = LAB.press(setting, "shuffle")
        assert again["order"] != setting["order"]
        setting = again
        seen.add(setting["order"])
    assert len(seen) > 8


@given(st.integers(2, 12), st.integers(0, 500))
def test_a_shuffle_is_another_order(n: int, times: int) -> None:
    order = tuple(np.random.default_rng(times).permutation(n).tolist())
    found = shuffled(order, times)
    assert found != order
    assert sorted(found) == list(range(n))


def test_swapping_twice_is_nothing() -> None:
    assert swapped(swapped((3, 1, 0, 2), 0, 2), 2, 0) == (3, 1, 0, 2)


@pytest.mark.parametrize(("n", "fits"), [(1, False), (2, True), (16, True), (17, False)])
def test_from_two_to_sixteen_tokens(n: int, fits: bool) -> None:
    document = make(0, sizes={**SIZES, "n": n})
    if fits:
        assert LAB.compute(LAB.start(document)).largest == 0.0
        return
    with pytest.raises(UserError) as caught:
        LAB.start(document)
    assert caught.value.data["reason"] == "tokens_2_16"
