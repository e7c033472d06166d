"""Exact fractions: what a pencil finds, and never anything else than the trace."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from core.base.arrays import frozen, frozen_bool
from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document, Head, Mask, Pin, Scale, Softmax
from core.explain import derivation as rational
from core.explain.derivation import ExactTrace
from core.stages import Stage, StageKind, exact, plan
from core.storage.archive import load
from core.storage.examples import load_example
from tests.core.documents import documents, make

POWERS = load(Path(__file__).parents[1] / "golden" / "format-1-softmax.attn.json")


def exactly(document: Document) -> Any:
    """The stages as plain tuples of anything, to be compared."""
    return rational.exact_trace(document)


def fractions(*texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))


def known(found: ExactTrace, stage: str) -> float:
    """The part of a stage's numbers that are fractions or −∞."""
    numbers = [number for matrix in found.stack(stage) for row in matrix for number in row]
    return sum(number is not None for number in numbers) / len(numbers)


def agree(document: Document) -> int:
    """Compare every number that there is with the trace; how many there are."""
    trace, found, seen = run(document), rational.exact_trace(document), 0
    assert list(found) == list(trace)
    for stage in found:
        array = trace[stage] if trace[stage].ndim == 3 else trace[stage][None]
        stack = found.stack(stage)
        assert np.array(stack, dtype=object).shape == array.shape
        for index, value in np.ndenumerate(array):
            number = stack[index[0]][index[1]][index[2]]
            if number is not None:
                seen += 1
                assert float(number) == pytest.approx(value, rel=1e-9, abs=1e-9), (stage, index)
    return seen


@given(documents(any_size=True))
@settings(max_examples=60)
def test_every_fraction_is_the_number_of_the_trace(document: Document) -> None:
    assert agree(document) > 0


@pytest.mark.parametrize("shift", [True, False])
@pytest.mark.parametrize("base", ["2", "3", "10"])
def test_whole_scores_make_every_stage_rational(base: str, shift: bool) -> None:
    rng = np.random.default_rng(1)
    heads = []
    for _ in range(2):
        Q, K, V = (frozen(rng.integers(-1, 2, size=(5, width))) for width in (4, 4, 3))
        heads.append(Head(Q=Q, K=K, V=V))
    document = Document(
        tuple("abcde"),
        tuple(heads),
        source="qkv",
        mask=Mask("causal"),
        W_O=frozen(rng.normal(size=(6, 7)).round(2)),
        scale=Scale("none"),
        softmax=Softmax(base, shift),
    )
    found = rational.exact_trace(document)
    assert [known(found, stage) for stage in found] == [1.0] * len(found)
    trace = run(document)
    assert agree(document) == sum(trace[stage].size for stage in trace)
    for matrix in found.stack("weights"):
        assert [exact.add(row) for row in matrix] == [1] * 5  # exactly


def test_powers_of_two_by_hand() -> None:
    found = exactly(POWERS)
    assert found["scores"] == (((0, 1, 2), (0, 0, 1), (0, 1, 3)),)
    assert found["exp"] == (((1, 2, 4), (1, 1, 2), (1, 2, 8)),)
    assert found["weights"] == (
        (
            fractions("1/7", "2/7", "4/7"),
            fractions("1/4", "1/4", "1/2"),
            fractions("1/11", "2/11", "8/11"),
        ),
    )
    # 1/7·7 + 2/7·0 + 4/7·7, then 2/7·7 + 4/7·7, 1/7 + 2/7 + 12/7, and 2
    assert found["heads"][0][0] == fractions("5", "6", "15/7", "2")
    assert found["Y"][0] == fractions("5", "6", "15/7", "2")
    assert found.value(Cell("weights", 2, 2)) == Fraction(8, 11)


def test_the_shift_divides_a_row_by_its_largest_power() -> None:
    found = exactly(POWERS.with_(softmax=Softmax("2")))
    assert found["exp"] == (
        (fractions("1/4", "1/2", "1"), fractions("1/2", "1/2", "1"), fractions("1/8", "1/4", "1")),
    )
    assert found["weights"] == exactly(POWERS)["weights"]


def test_base_e_has_only_the_powers_of_nought() -> None:
    found = exactly(POWERS.with_(softmax=Softmax("e", False)))
    assert found["exp"] == (((1, None, None), (1, 1, None), (1, None, None)),)
    assert found["weights"] is None
    assert found["heads"] is None
    shifted = exactly(POWERS.with_(softmax=Softmax()))
    assert shifted["exp"] == (((None, None, 1), (None, None, 1), (None, None, 1)),)


def test_numbers_count_as_they_were_entered() -> None:
    found = exactly(load_example("cat-eats-fish"))
    assert found["Q"][0][0] == fractions("1/5", "4/5")
    assert found.value(Cell("scores", 0, 0)) == Fraction("0.2") * Fraction("0.1") + Fraction(
        "0.8"
    ) * Fraction("0.9")
    assert found["scaled"] is None  # √2


def test_a_square_of_a_width_is_rational_and_so_is_a_factor() -> None:
    four = make(source="qkv", sizes={"n": 5, "d": 6, "h": 3, "k": 4, "v": 2})
    scores, scaled = (exactly(four).value(Cell(name, 3, 1, 2)) for name in ("scores", "scaled"))
    assert isinstance(scores, Fraction)
    assert scaled == scores / 2
    third = exactly(four.with_(scale=Scale("factor", -0.75)))
    assert third.value(Cell("scaled", 3, 1, 2)) == scores * Fraction(-3, 4)


def test_masked_keys_count_nothing_and_a_lonely_key_takes_all() -> None:
    allow = np.tril(np.ones((5, 5), dtype=bool))
    allow[3] = False
    document = make(source="qkv").with_(mask=Mask("custom", allow=frozen_bool(allow)))
    found = exactly(document)
    assert found.row("masked", 0)[1:] == (-math.inf,) * 4
    assert found.row("exp", 0) == found.row("weights", 0) == (1, 0, 0, 0, 0)
    assert found.row("weights", 3, 2) == (0,) * 5
    assert found.row("heads", 3) == (0,) * 4
    assert found.row("heads", 0, 1) == found.row("V", 0, 1)
    assert found.row("weights", 1) == (None, None, 0, 0, 0)


def test_positions() -> None:
    sines = exactly(make(positional="sinusoidal"))
    assert sines["P"] == ((0, 1, 0, 1, 0, 1), *((None,) * 6,) * 4)
    turned = exactly(
        make(source="qkv", positional="rotary", sizes={"n": 4, "d": 5, "h": 2, "k": 3, "v": 1})
    )
    assert turned.row("Q_rot", 0) == turned.row("Q", 0)
    assert turned.row("Q_rot", 2, 1) == (None, None, turned.row("Q", 2, 1)[2])
    eight = make(
        source="qkv",
        positional="alibi",
        scale="none",
        sizes={"n": 4, "d": 5, "h": 2, "k": 3, "v": 1},
    )
    found = exactly(eight)
    before = found.value(Cell("scores", 3, 1, 1))
    assert isinstance(before, Fraction)
    assert found.value(Cell("biased", 3, 1, 1)) == before - Fraction(2, 256)
    assert exactly(make(positional="alibi", scale="none"))["biased"][0][1][0] is None


def test_heads_that_are_off_leave_noughts_and_biases_count() -> None:
    document = make(
        source="embeddings", biases=True, output=True, off=(1,), scale="none", mask="causal"
    ).with_(
        softmax=Softmax("2"),
        pins=tuple(
            Pin("masked", (h, i, j), float(i - j))
            for h in range(3)
            for i in range(5)
            for j in range(i + 1)
        ),
    )
    found = exactly(document)
    assert found.row("concat", 2)[4:8] == (0,) * 4
    assert known(found, "Y") == 1.0
    assert agree(document) > 500
    single = make(source="qkv", sizes={"n": 4, "d": 5, "h": 1, "k": 3, "v": 2}, off=(0,))
    assert exactly(single)["Y"] == ((0, 0),) * 4


def test_a_pin_holds_and_what_follows_obeys() -> None:
    found = exactly(POWERS.with_(pins=(Pin("exp", (0, 0, 2), 0.5), Pin("weights", (0, 1, 0), 0.1))))
    assert found.row("exp", 0) == fractions("1", "2", "1/2")
    assert found.row("weights", 0) == fractions("2/7", "4/7", "1/7")
    assert found.row("weights", 1) == fractions("1/10", "1/4", "1/2")
    assert found.row("heads", 1)[0] == Fraction(1, 10) * 7 + Fraction(1, 2) * 7


def test_powers_out_of_all_proportion_are_left_alone() -> None:
    far = Fraction(exact.LARGEST_EXPONENT)
    assert exact.power(10, far, Fraction(0)) == 10**exact.LARGEST_EXPONENT
    assert exact.power(10, far + 1, Fraction(0)) is None
    assert exact.power(10, Fraction(0), far) == Fraction(1, 10**exact.LARGEST_EXPONENT)
    assert exact.power(2, Fraction(1, 2), Fraction(0)) is None


def test_arithmetic_with_what_is_not_known() -> None:
    assert exact.add((Fraction(1, 3), None)) is None
    assert exact.add((Fraction(1, 3), Fraction(1, 6))) == Fraction(1, 2)
    assert exact.multiply(None, Fraction(0)) == 0
    assert exact.multiply(None, Fraction(2)) is None
    assert exact.maximum([Fraction(1), None]) is None
    assert exact.maximum([]) is None


def test_large_experiments_have_none_and_each_stage_is_computed_when_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = rational.exact_trace(load_example("eight-heads"))
    assert all(found[stage] is None for stage in found)
    asked: list[str] = []
    for kind in {type(stage.kind) for stage in plan(POWERS)}:

        def told(
            own: StageKind, source: Any, stage: Stage, compute: Callable[..., Any] = kind.exact
        ) -> Any:
            asked.append(stage.id)
            return compute(own, source, stage)

        monkeypatch.setattr(kind, "exact", told)
    lazy = rational.exact_trace(replace(POWERS, title="again"))
    assert asked == []
    assert lazy["V"] is not None
    assert lazy["V"] is not None
    assert asked == ["V"]
