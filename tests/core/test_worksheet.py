"""Numbers for exercise sheets: the same kind, friendly to a pencil, a seed for each sheet."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.errors import UserError
from core.document.create import Sizes, create
from core.document.document import Document
from core.explain.exercise import LARGEST_SEED, MOST_NUMBERS, MOST_SHEETS, require_size, variant
from core.storage.archive import dumps
from core.storage.examples import load_example
from tests.core import oracle
from tests.core.documents import documents, make

SMALL = ("cat-eats-fish", "i-love-this-apple", "four-words-causal", "who-ate-whom")


def numbers(document: Document) -> list[float]:
    """Every entered number."""
    heads = range(document.h)
    arrays = [document.tensor(name, head) for name in document.inputs for head in heads]
    return [float(value) for array in arrays if array is not None for value in array.flat]


def test_seed_0_is_the_very_experiment() -> None:
    document = make(pins=2)
    assert variant(document, 0) is document


@settings(max_examples=25)
@given(documents(any_size=True), st.integers(1, LARGEST_SEED))
def test_a_sheet_is_of_the_same_kind(document: Document, seed: int) -> None:
    sheet = variant(document, seed)
    assert sheet.sizes == document.sizes
    assert sheet.inputs == document.inputs
    for name in ("tokens", "title", "source", "mask", "scale", "softmax"):
        assert getattr(sheet, name) is getattr(document, name), name
    assert (sheet.positional.kind, sheet.positional.base) == (
        document.positional.kind,
        document.positional.base,
    )
    assert sheet.positional.slopes is document.positional.slopes
    assert [head.enabled for head in sheet.heads] == [head.enabled for head in document.heads]
    assert sheet.pins == ()
    assert sheet.filled == frozenset()


@settings(max_examples=25)
@given(documents(), st.integers(1, LARGEST_SEED))
def test_numbers_have_one_digit_and_at_most_one_decimal(document: Document, seed: int) -> None:
    for value in numbers(variant(document, seed)):
        assert -2 <= value <= 3
        assert value == float(f"{value:.1f}")


@pytest.mark.parametrize("example", SMALL)
def test_every_key_of_every_row_still_counts(example: str) -> None:
    """Counted by plain loops: scores stay small, and no score is more than e⁴ behind the best of its row."""
    for seed in range(1, MOST_SHEETS + 1):
        stages = oracle.run(json.loads(dumps(variant(load_example(example), seed))))
        scores = stages["masked"] if "masked" in stages else stages["scaled"]
        for row in (row for head in scores for row in head):
            seen = [score for score in row if score != -math.inf]
            assert max(seen) - min(seen) <= 4.5
        assert max(abs(score) for head in stages["scores"] for row in head for score in row) <= 12.5


def test_rows_of_scores_differ() -> None:
    """A sheet on which all weights are the same would show nothing."""
    sheets = [variant(load_example("cat-eats-fish"), seed) for seed in range(1, MOST_SHEETS + 1)]
    for sheet in sheets:
        weights = oracle.run(json.loads(dumps(sheet)))["weights"][0]
        assert all(max(row) - min(row) > 0.05 for row in weights)


SMALLEST = [create(("a",), source, Sizes(1, 1, 1, 1)) for source in ("embeddings", "qkv")]


@pytest.mark.parametrize("first", [1, 960, LARGEST_SEED - MOST_SHEETS])
@pytest.mark.parametrize("document", [load_example("cat-eats-fish"), *SMALLEST])
def test_thirty_seeds_give_thirty_different_sheets(document: Document, first: int) -> None:
    sheets = {tuple(numbers(variant(document, seed))) for seed in range(first, first + MOST_SHEETS)}
    assert len(sheets) == MOST_SHEETS


def test_the_same_seed_gives_the_same_sheet() -> None:
    document = make(output=True, biases=True)
    assert dumps(variant(document, 17)) == dumps(variant(make(output=True, biases=True), 17))
    assert dumps(variant(document, 17)) != dumps(variant(document, 18))


def test_old_numbers_do_not_matter() -> None:
    assert numbers(variant(make(1), 5)) == numbers(variant(make(2), 5))


def test_what_nobody_works_out_by_hand_is_refused() -> None:
    tokens = tuple(f"t{i}" for i in range(70))
    with pytest.raises(UserError) as caught:
        variant(create(tokens, "qkv", Sizes()), 1)
    assert caught.value.code == "worksheet.too_large"
    assert caught.value.data["limit"] == MOST_NUMBERS < caught.value.data["size"]
    require_size(load_example("eight-heads"))
    require_size(create(tokens[:60], "qkv", Sizes()))


def test_numbers_of_a_mask_and_slopes_stay() -> None:
    document = make(positional="alibi", slopes=True, mask="custom")
    sheet = variant(document, 3)
    assert sheet.mask.allow is not None
    assert document.mask.allow is not None
    assert np.array_equal(sheet.mask.allow, document.mask.allow)


def test_given_weights_stay_and_the_values_are_drawn() -> None:
    document = make(5, source="weights", output=True)
    drawn = variant(document, 3)
    for before, after in zip(document.heads, drawn.heads, strict=True):
        assert before.weights is not None
        assert after.weights is not None
        assert after.weights.tobytes() == before.weights.tobytes()
        assert before.V is not None
        assert after.V is not None
        assert after.V.shape == before.V.shape
        assert after.V.tobytes() != before.V.tobytes()
    alone = make(6, source="weights", values=False)
    given = [head.weights for head in variant(alone, 3).heads]
    assert [array.tolist() for array in given if array is not None] == [
        head.weights.tolist() for head in alone.heads if head.weights is not None
    ]
