"""Sums that do not come out as they are printed, once more with as many digits as they need; and what "=" may say."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document, Positional
from core.explain.derivation import Factor, Step, Term, derive
from core.storage.examples import load_example
from gui.texts.rich_text import Line
from gui.texts.sum_style import SumStyle
from gui.texts.sums import MORE, finer_sum, noted_sum, worked_lines, worked_sum
from tests.core.documents import make

NUMBER = r"−?\d+\.\d+"


def flat(line: Line) -> str:
    return "".join(f"**({span.text})" if span.level > 0 else span.text for span in line)


def read(text: str) -> Fraction:
    return Fraction(text.strip().strip("()").replace("−", "-"))


def printed(text: str) -> Fraction:
    """What a line of additions, one product or one quotient comes to, as a reader works it out."""
    if "÷" in text or "×" in text:
        a, sign, b = re.fullmatch(rf"({NUMBER}) ([÷×]) \(?({NUMBER})\)?", text.strip()).groups()
        return read(a) / read(b) if sign == "÷" else read(a) * read(b)
    terms = re.findall(r"([+−]?) ?(\d+\.\d+)", text.replace("(", "").replace(")", ""))
    return sum(
        (-Fraction(number) if sign == "−" else Fraction(number) for sign, number in terms),
        Fraction(0),
    )


def documents() -> list[Document]:
    examples = [
        load_example(name) for name in ("i-love-this-apple", "four-words-causal", "cat-eats-fish")
    ]
    return [
        *examples,
        make(positional="rotary", output=True, seed=3),
        make(positional="alibi", mask="causal", seed=4),
    ]


@pytest.mark.parametrize("decimals", [1, 2, 3])
def test_what_does_not_come_out_comes_out_with_more_digits(decimals: int) -> None:
    found = 0
    for document in documents():
        trace, sheet = run(document), SumStyle(document, decimals)
        for stage in trace.plan:
            rows, columns = document.stage_shape(stage.id)[-2:]
            for i in range(rows):
                for j in range(columns):
                    step = derive(document, trace, Cell(stage.id, i, j))
                    line = flat(finer_sum(sheet, step))
                    if line:
                        found += 1
                        check(line, step, decimals)
    assert found > 40


def check(line: str, step: Step, decimals: int) -> None:
    """Said of the trace's own number, and by sums that a reader's pencil confirms."""
    assert line.startswith("With more digits: ")
    made, sign, more, last, result = re.split(r" ([=≈]) ", line.removeprefix("With more digits: "))
    digits = len(more.partition(".")[2])
    assert decimals < digits <= decimals + MORE
    assert read(more) == Fraction(f"{step.value:.{digits}f}"), line
    assert read(result) == Fraction(f"{step.value:.{decimals}f}"), line
    assert (sign == "=") == (printed(made) == read(more)), line
    assert (last == "=") == (read(more) == read(result)), line
    assert abs(printed(made) - read(result)) <= Fraction(1, 2 * 10**decimals), line


def test_the_sum_of_the_picture() -> None:
    """0.10 − 0.01 + 0.04 − 0.08 is 0.05, and yet it says 0.06; a number that is halved looks as if it were not."""
    values = np.array([0.0986, -0.0093, 0.0433, -0.0761])
    step = replace(
        a_score(), terms=tuple(term(value) for value in values), value=float(values.sum())
    )
    line = flat(worked_sum(SumStyle(load_example("cat-eats-fish"), 2), step))
    assert line.endswith("= 0.10 − 0.01 + 0.04 − 0.08 ≈ 0.06")
    closer = flat(finer_sum(SumStyle(load_example("cat-eats-fish"), 2), step))
    assert closer == "With more digits: 0.0986 − 0.0093 + 0.0433 − 0.0761 = 0.0565 ≈ 0.06"


def a_score() -> Step:
    document = load_example("cat-eats-fish")
    return derive(document, run(document), Cell("scores", 0, 1))


def term(value: float) -> Term:
    return Term((Factor(value, Cell("Q", 0, 0)), Factor(1.0, Cell("K", 0, 0))))


def test_what_comes_out_is_said_once() -> None:
    document = load_example("cat-eats-fish")
    step = derive(document, run(document), Cell("scores", 0, 1))
    assert flat(worked_sum(SumStyle(document, 2), step)).endswith("= 0.12 + 0.32 = 0.44")
    assert finer_sum(SumStyle(document, 2), step) == ()
    assert worked_lines(SumStyle(document, 2), step) == (
        worked_sum(SumStyle(document, 2), step),
        (),
    )


def test_a_quotient_of_numbers_printed_as_zero_is_tried_with_more_digits() -> None:
    """Two small exponentials: with three digits both are 0.000, which nobody can divide."""
    exps, cell = (0.0000252, 0.0000885), Cell("weights", 0, 0)
    term, total = Term((Factor(exps[0], Cell("exp", 0, 0)),)), sum(exps)
    step = Step("quotient", cell, (term,), exps[0] / total, {"total": total})
    assert (
        flat(finer_sum(SumStyle(make(), 2), step))
        == "With more digits: 0.000025 ÷ 0.000114 ≈ 0.221636 ≈ 0.22"
    )


def test_a_hidden_result_stays_hidden_and_a_shortened_sum_stays_short() -> None:
    document = load_example("eight-heads")
    trace = run(document)
    steps = [derive(document, trace, Cell("heads", i, j)) for i in range(6) for j in range(6)]
    short = next(step for step in steps if finer_sum(SumStyle(document, 2), step))
    assert finer_sum(SumStyle(document, 2, hidden=True), short) == ()
    assert finer_sum(SumStyle(document, 2, most=3), short) == ()


def test_a_shortened_sum_says_that_its_terms_are_the_largest() -> None:
    document = load_example("eight-heads")
    step = derive(document, run(document), Cell("Y", 0, 0))
    assert flat(noted_sum(SumStyle(document, 2, most=4), step)).endswith(
        " 0.26   the 4 largest of 64 terms"
    )
    assert "largest" not in flat(noted_sum(SumStyle(document, 2), step))


def test_no_weight_is_called_zero_that_is_not() -> None:
    """e to the −107 and its share are no rounding of a sum."""
    document = load_example("cat-eats-fish")
    weight = derive(document, run(document), Cell("weights", 0, 1))
    source = replace_factor(weight, 3e-47)
    step = replace(weight, terms=(source,), value=3e-47 / 1.07, data={"total": 1.07})
    line = flat(worked_sum(SumStyle(document, 2), step))
    assert line.endswith(" = 3×10⁻⁴⁷ ÷ 1.07 ≈ 2.8×10⁻⁴⁷ ≈ 0.00")
    nothing = replace(weight, terms=(replace_factor(weight, 0.0),), value=0.0, data={"total": 1.07})
    assert flat(worked_sum(SumStyle(document, 2), nothing)).endswith(" = 0.00 ÷ 1.07 = 0.00")


def replace_factor(step: Step, value: float) -> Term:
    return Term((Factor(value, step.terms[0].factors[0].cell),))


def test_the_angle_of_a_position_is_equal_only_where_it_is() -> None:
    document = replace(load_example("i-love-this-apple"), positional=Positional("sinusoidal"))
    trace = run(document)
    for i in range(4):
        for j in range(8):
            line = flat(worked_sum(SumStyle(document, 2), derive(document, trace, Cell("P", i, j))))
            sign, shown = re.search(r"\) ([=≈]) (?:sin|cos)\(([^)]*)\)", line).groups()
            angle = i / 10000 ** (2 * (j // 2) / 8)
            even = math.isclose(
                angle, float(Fraction(shown.replace("×10⁻", "e-").translate(SMALL))), abs_tol=1e-15
            )
            assert (sign == "=") == even, line


SMALL = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
