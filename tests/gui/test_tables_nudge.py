"""How far a nudge goes, and what it says it did."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.cell import Cell
from core.document.document import Positional
from core.document.edits import with_biases, with_positional, with_tensor
from gui.views.tables.set_values import Drag, nudge, nudged, unit_power
from tests.gui.tables_kit import make_document, make_session, undo_name


@pytest.mark.parametrize(
    ("values", "decimals", "power"),
    [
        ([0.2, 0.8], 2, -1),
        ([1.0, -3.0], 1, -1),
        ([3.0, -25.0], 2, -1),
        ([0.03, 0.01], 4, -2),
        ([0.003], 2, -2),
        ([5.0], 0, 0),
        ([5000.0], 2, 1),
        ([0.0], 2, -1),
        ([-np.inf, 0.5], 2, -1),
    ],
)
def test_the_unit_fits_the_numbers_and_what_is_shown(
    values: list[float], decimals: int, power: int
) -> None:
    assert unit_power(np.array(values), decimals) == power


def test_tenths_add_up_to_what_a_person_expects() -> None:
    assert nudged(0.2, 1, -1) == 0.3
    assert nudged(0.7, 1, -1) == 0.8
    assert nudged(-0.05, 10, -1) == 0.95
    assert nudged(1.5, -0.1, -1) == 1.49


@given(st.decimals(-1000, 1000, places=4), st.integers(-50, 50), st.integers(-4, 2))
def test_back_is_where_it_came_from(value: object, steps: int, power: int) -> None:
    start = float(value)  # type: ignore[arg-type]
    assert nudged(nudged(start, steps, power), -steps, power) == start


def test_a_computed_number_is_pinned_one_step_for_all_presses(qapp: object) -> None:
    session = make_session()
    session.set_focus(Cell("scores", 1, 3, 0))
    value = float(session.state.trace["scores"][0, 1, 3])
    for _ in range(4):
        nudge(session, 1)
    assert session.state.trace["scores"][0, 1, 3] == pytest.approx(value + 0.4, abs=1e-9)
    assert len(session.state.document.pins) == 1
    assert session.undo_stack.count() == 1
    assert undo_name(session) == "Pin QKᵀ(cat, a)"


def test_another_cell_is_another_step(qapp: object) -> None:
    session = make_session()
    for column in (0, 1):
        session.set_focus(Cell("X", 2, column))
        nudge(session, 1)
    assert session.undo_stack.count() == 2
    assert undo_name(session) == "Nudge X(eats, x₂)"


def test_a_vector_and_a_learned_table_are_nudged_too(qapp: object) -> None:
    session = make_session(with_positional(make_document(), Positional("learned")))
    session.set_focus(Cell("P", 4, 5))
    nudge(session, 3)
    P = session.state.document.positional.P
    assert P is not None
    assert P[4, 5] == 0.3
    session.set_focus(Cell("b_O", 0, 2))
    before = session.state.document.b_O
    assert before is not None
    nudge(session, -1)
    assert session.state.document.b_O is not None
    assert session.state.document.b_O[2] == pytest.approx(before[2] - 0.1, abs=1e-12)


def test_a_bias_that_this_head_lacks_is_left_alone(qapp: object) -> None:
    document = with_tensor(with_biases(make_document(), True), "b_Q", None, 1)
    session = make_session(document)
    session.set_focus(Cell("b_Q", 0, 0, 1))
    nudge(session, 1)
    assert session.state.document is document


def test_a_drag_counts_from_where_it_began(qapp: object) -> None:
    session = make_session()
    X = session.state.document.X
    assert X is not None
    drag = Drag(session, Cell("X", 3, 1))
    for pixels in (13, 60, 29, -6):
        drag.move_to(pixels)
    assert session.state.trace["X"][3, 1] == pytest.approx(X[3, 1] - 0.1, abs=1e-12)
    drag.move_to(0)
    assert session.state.trace["X"][3, 1] == X[3, 1]
    assert session.undo_stack.count() == 1
