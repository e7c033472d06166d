"""The terms of a long sum are made one by one, and are those of the matrices."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from core.base.cell import Cell
from core.compute.trace import run
from core.explain.derivation import derive, derive_lead
from core.stages import terms as room
from core.stages.terms import Factor, Term, TermRun, Terms, cells_of, values_of
from tests.core.documents import make

FIRST, SECOND = [0.5, -1.25, 3.0, 0.1], [2.0, 0.3, -1e-9, 7.0]
BIAS = Term((Factor(0.75, Cell("b_Q", 0, 2, 1)),))


def example() -> Terms:
    row, column = (
        TermRun(np.array(FIRST), Cell("X", 3, 0)),
        TermRun(np.array(SECOND), Cell("W_Q", 0, 2, 1), down=True),
    )
    return Terms((row, column), (BIAS,))


def test_each_term_is_a_number_of_the_row_times_one_of_the_column() -> None:
    terms = example()
    products = [a * b for a, b in zip(FIRST, SECOND, strict=True)]
    assert len(terms) == 5
    assert values_of(terms).tolist() == [*products, 0.75] == [term.value for term in terms]
    assert terms[1] == Term((Factor(-1.25, Cell("X", 3, 1)), Factor(0.3, Cell("W_Q", 1, 2, 1))))
    assert terms[-1] == terms[4] == BIAS
    assert terms[3:] == (terms[3], BIAS)
    with pytest.raises(IndexError):
        terms[5]
    assert terms == example()
    assert terms != Terms((TermRun(np.array(FIRST), Cell("X", 3, 0)),))


def test_the_cells_of_one_tensor_are_those_of_its_run() -> None:
    terms = example()
    assert list(cells_of(terms, "W_Q")) == [Cell("W_Q", i, 2, 1) for i in range(4)]
    assert list(cells_of(terms, "X")) == [Cell("X", 3, i) for i in range(4)]
    assert list(cells_of(terms, "b_Q")) == [Cell("b_Q", 0, 2, 1)] == list(cells_of((BIAS,), "b_Q"))
    assert list(cells_of(terms, "b_K")) == []


def test_products_beyond_all_doubles_say_so_without_a_warning() -> None:
    terms = Terms(
        (
            TermRun(np.array([1e300, 2.0]), Cell("Q", 0, 0)),
            TermRun(np.array([-1e300, 3.0]), Cell("K", 1, 0)),
        )
    )
    assert values_of(terms).tolist() == [-math.inf, 6.0] == [term.value for term in terms]


def test_a_step_does_not_keep_the_matrices_of_its_run() -> None:
    trace = run(make(2))
    for step in (
        derive(make(2), trace, Cell("heads", 4, 1, 2)),
        derive_lead(make(2), trace, "exp", 1),
    ):
        assert isinstance(step.terms, Terms)
        assert not any(
            np.shares_memory(values, array)
            for array in map(trace.__getitem__, trace)
            for values in runs_of(step.terms)
        )


def runs_of(terms: Terms) -> list[np.ndarray]:
    found: list[np.ndarray] = []
    terms.products(lambda values: found.append(values) or values)  # type: ignore[func-returns-value]
    return found


def test_of_thousands_of_terms_none_is_made_until_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = make(3, sizes={"n": 700, "d": 6, "h": 1, "k": 2, "v": 4})
    trace = run(document)
    made: list[object] = []

    def counted(*given: object) -> Cell:
        made.append(given)
        return Cell(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(room, "Cell", counted)
    step = derive(document, trace, Cell("heads", 650, 3))
    assert len(step.terms) == 700
    assert made == []
    plain = sum(
        Fraction(a) * Fraction(b)
        for a, b in zip(
            trace["weights"][0, 650].tolist(), trace["V"][0, :, 3].tolist(), strict=True
        )
    )
    assert math.fsum(step.values) == pytest.approx(float(plain), rel=1e-12)
    assert step.value == pytest.approx(float(plain), rel=1e-12)
    assert step.terms[699].factors[1].cell == Cell("V", 699, 3)
    assert len(made) == 2
