"""A sum of many terms: the few that are written are worked out, and whether it comes out even is still told truly."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from core.base.cell import Cell
from core.compute.trace import run
from core.document.edits import with_cell
from core.explain.derivation import Step, derive, derive_lead
from core.stages.terms import TermRun, Terms
from gui.texts import sum_style
from gui.texts.rich_text import rounded, rounded_all
from gui.texts.sum_style import SumStyle, total_seen
from gui.texts.sums import worked_sum
from tests.core.documents import make

N = 300
ODD = [
    0.125,
    2.675,
    -0.005,
    0.0049,
    3e-8,
    -7.5e-13,
    1e-300,
    0.0,
    -0.0,
    9999999.995,
    1e7,
    -1.23e300,
    0.995,
    1.0,
]


@pytest.mark.parametrize("decimals", range(9))
def test_numbers_are_rounded_all_at_once_as_one_by_one(decimals: int) -> None:
    dice = Random(decimals)
    values = ODD + [dice.choice((-1, 1)) * 10 ** dice.uniform(-14, 9) for _ in range(200)]
    expected = [float(rounded(value, decimals)) for value in values]
    assert rounded_all(np.array(values), decimals).tolist() == expected
    assert rounded_all(np.array([-np.inf]), decimals).tolist() == [-np.inf]


def steps() -> Iterator[Step]:
    """Sums that come out even, that do not, and that miss it by the last digit."""
    dice = Random(5)
    for spread in (0, 1, 2, 4):
        for value in (None, 0.01, 1e-9):
            row = np.array([round(dice.uniform(-3, 3), spread) for _ in range(N)])
            column = np.array([round(dice.uniform(-3, 3), spread) for _ in range(N)])
            true = float(
                sum(
                    Fraction(a) * Fraction(b)
                    for a, b in zip(row.tolist(), column.tolist(), strict=True)
                )
            )
            terms = Terms(
                (TermRun(row, Cell("weights", 2, 0)), TermRun(column, Cell("V", 0, 1), down=True))
            )
            yield Step("dot", Cell("heads", 2, 1), terms, true + (value or 0.0))


def exact_total(step: Step, decimals: int) -> Fraction:
    """The numbers as they are shown, multiplied and added up as fractions."""
    total = Fraction(0)
    for term in step.terms:
        product = Fraction(1)
        for factor in term.factors:
            product *= Fraction(rounded(factor.value, decimals))
        total += product
    return total


@pytest.mark.parametrize("decimals", [0, 1, 2, 4])
def test_a_long_sum_is_told_to_come_out_even_just_where_it_does(decimals: int) -> None:
    document = make(1)
    even = 0
    for step in steps():
        seen, exact = (
            total_seen(SumStyle(document, decimals, most=4), step),
            exact_total(step, decimals),
        )
        shown = rounded(step.value, decimals)
        assert (seen == shown) == (exact == Fraction(shown))
        assert seen.is_nan() or Fraction(seen) == exact
        even += seen == shown
    assert 0 < even < 12


def test_of_a_long_sum_only_what_is_written_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    document = make(3, sizes={"n": N, "d": 6, "h": 1, "k": 2, "v": 4}, mask="causal")
    trace = run(document)
    made: list[float] = []

    def counted(value: float, decimals: int, noise: float) -> Decimal:
        made.append(value)
        return rounded(value, decimals, noise)

    monkeypatch.setattr(sum_style, "rounded", counted)
    sums = (
        derive(document, trace, Cell("heads", 250, 3)),
        derive_lead(document, trace, "exp", 250),
        derive_lead(document, trace, "weights", 250),
    )
    for step in sums:
        made.clear()
        line = worked_sum(SumStyle(document, 2, most=4), step)
        assert f"{N - 4} more terms" in "".join(span.text for span in line)
        assert len(made) < 12
        assert line[
            -1
        ].text == f"{trace.value(step.cell) if step.kind == 'dot' else step.value:.2f}".replace(
            "-", "−"
        )


def test_a_long_sum_that_comes_out_even_says_so() -> None:
    document = make(2, sizes={"n": 3, "d": 40, "h": 1, "k": 2, "v": 4})
    for i in range(40):
        document = with_cell(document, Cell("X", 1, i), 0.25 if i % 3 else -1.5)
        document = with_cell(document, Cell("W_V", i, 2), 2.0)
    for value, sign, result in (
        (2.0, "=", "−29.00"),
        (2.004, "≈", "−29.01"),
    ):  # 2.004 is written as 2.00, too
        edited = with_cell(document, Cell("W_V", 0, 2), value)
        line = worked_sum(SumStyle(edited, 2, most=3), derive(edited, run(edited), Cell("V", 1, 2)))
        assert [span.text.strip() for span in line[-2:]] == [sign, result]
