"""The lab of heads: the output is the sum of what the heads bring, and one wide head has the same parameters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import run
from core.document.edits import with_pin
from core.labs.controls import ends
from core.labs.heads import LAB, counts, merged, output, single, split
from tests.core.documents import make

SIZES = {"n": 5, "d": 6, "h": 3, "k": 2, "v": 4}
KINDS = st.sampled_from(["none", "sinusoidal", "learned", "rotary", "alibi"])


@given(st.integers(0, 40), st.tuples(*[st.booleans()] * 3), KINDS, st.booleans(), st.booleans())
@settings(max_examples=40)
def test_the_output_is_the_sum_of_the_parts_that_are_on(
    seed: int, on: tuple[bool, ...], kind: str, biases: bool, projected: bool
) -> None:
    found = split(make(seed, positional=kind, biases=biases, output=projected), on)
    assert found.error < 1e-12
    for row in range(5):
        for column in range(found.Y.shape[1]):
            bias = found.document.b_O
            total = 0.0 if bias is None else float(bias[column])
            for head in range(3):
                for inner in range(4):
                    if on[head]:
                        total += float(
                            found.mixed[head, row, inner] * found.blocks[head, inner, column]
                        )
            assert found.Y[row, column] == pytest.approx(total, abs=1e-10)


def test_parts_are_attention_by_plain_loops() -> None:
    document = make(3, output=True)
    found = split(document, (True, True, True))
    X = document.X
    assert X is not None
    for index, head in enumerate(document.heads):
        assert head.W_Q is not None
        assert head.W_K is not None
        assert head.W_V is not None
        for i in range(5):
            scores = [float((X[i] @ head.W_Q) @ (X[j] @ head.W_K)) / np.sqrt(2) for j in range(5)]
            shares = np.exp(np.array(scores) - max(scores))
            shares /= shares.sum()
            np.testing.assert_allclose(found.A[index, i], shares, atol=1e-12)
            np.testing.assert_allclose(found.mixed[index, i], shares @ (X @ head.W_V), atol=1e-12)


def test_what_is_lost_without_a_head_is_what_it_brought() -> None:
    found = split(make(1, output=True), (True, False, True))
    np.testing.assert_allclose(found.without, np.linalg.norm(found.parts, axis=2), atol=1e-12)
    np.testing.assert_allclose(found.lost, found.without[1], atol=1e-12)
    assert split(make(1, output=True), (True, True, True)).lost.tolist() == [0.0] * 5


def test_without_any_head_nothing_but_the_bias_is_left() -> None:
    document = make(2, output=True, biases=True)
    assert document.b_O is not None
    np.testing.assert_allclose(output(document, (False,) * 3), np.tile(document.b_O, (5, 1)))


def test_heads_that_were_off_count_once_they_are_on() -> None:
    document = make(4, output=True, off=(1,))
    setting = LAB.start(document)
    assert setting["head-2"] is False
    np.testing.assert_array_equal(LAB.compute(setting).split.Y, run(document)["Y"])
    assert LAB.compute(LAB.with_value(setting, "head-2", True)).split.lost.max() == 0.0


@pytest.mark.parametrize("biases", [False, True])
def test_one_wide_head_has_as_many_parameters(biases: bool) -> None:
    document = make(5, output=True, biases=biases)
    many, one = counts(document), counts(merged(document))
    by_hand = 3 * (6 * 2 + 6 * 2 + 6 * 4) + 12 * 6 + biases * (3 * (2 + 2 + 4) + 6)
    assert sum(count.numbers for count in many) == sum(count.numbers for count in one) == by_hand
    assert [count.copies for count in one] == [1] * len(one)


def test_the_wide_head_scores_the_sum_of_all_heads_scores() -> None:
    """Its queries and keys are theirs side by side, so that dot products add up; it divides by √(h·k)."""
    document = make(6, output=True)
    trace, one = run(document), run(merged(document))
    np.testing.assert_allclose(one["scores"][0], trace["scores"].sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(one["scaled"][0], one["scores"][0] / np.sqrt(6), atol=1e-12)
    np.testing.assert_array_equal(single(document).A, one["weights"][0])
    assert single(document).largest == pytest.approx(np.abs(one["Y"] - trace["Y"]).max())


def test_heads_that_look_alike_are_no_worse_than_one() -> None:
    """Without scores every head is uniform, and so is the wide one: the same output."""
    document = make(7, output=True)
    flat = document.with_(
        heads=tuple(replace(head, W_Q=frozen(np.zeros((6, 2)))) for head in document.heads)
    )
    assert single(flat).largest < 1e-12


@pytest.mark.parametrize("source", ["embeddings", "qkv"])
@pytest.mark.parametrize("kind", ["rotary", "alibi"])
def test_any_experiment_with_several_heads_can_be_merged(source: str, kind: str) -> None:
    document = make(8, source=source, positional=kind, slopes=True, mask="causal", output=True)
    assert np.isfinite(single(document).Y).all()
    assert merged(document).h == 1


def test_what_if_values_are_left_out() -> None:
    document = with_pin(make(9, output=True), Cell("Y", 0, 0), 100.0)
    assert LAB.compute(LAB.start(document)).split.error < 1e-12


def test_the_experiment_handed_over_is_the_one_on_the_screen() -> None:
    setting = LAB.start(make(10, output=True), {"head-1": False})
    np.testing.assert_array_equal(run(LAB.document(setting))["Y"], LAB.compute(setting).split.Y)
    one = LAB.with_value(setting, "view", "one")
    np.testing.assert_array_equal(run(LAB.document(one))["Y"], LAB.compute(one).single.Y)


@pytest.mark.parametrize(
    ("sizes", "reason"),
    [({"h": 1}, "heads_2_8"), ({"h": 9}, "heads_2_8"), ({"n": 17}, "tokens_16"), ({"h": 8}, "")],
)
def test_from_two_to_eight_heads(sizes: dict[str, int], reason: str) -> None:
    document = make(0, sizes={**SIZES, **sizes})
    if not reason:
        assert LAB.compute(LAB.start(document)).split.error < 1e-12
        return
    with pytest.raises(UserError) as caught:
        LAB.start(document)
    assert caught.value.data["reason"] == reason


@pytest.mark.parametrize("view", ["off", "blocks", "one"])
def test_every_end_gives_finite_numbers(view: str) -> None:
    start = LAB.start(values={"view": view})
    for control in LAB.valued(start):
        for end in ends(control):
            result = LAB.compute(LAB.with_value(start, control.id, end))
            for array in (result.split.Y, result.split.total, result.split.lost, result.single.Y):
                assert np.isfinite(array).all()
