"""Stepping by row or cell, views show only what has been reached; a preference shows all."""

from __future__ import annotations

import pytest

from core.base.cell import Cell
from core.base.number_format import show
from core.explain.timeline import Cursor, Grain, Reach
from gui.session.session import Session
from gui.session.spoken_cell import spoken_cell
from tests.gui.tables_kit import N, make_session

pytestmark = pytest.mark.usefixtures("qapp")

ROW = 2
AHEAD = [
    (Cursor("scores", row=ROW, reach=Reach.ROW), Cell("scores", ROW + 1, 0)),
    (Cursor("scores", row=ROW, reach=Reach.ROW), Cell("weights", 0, 0)),
    (Cursor("scores", row=ROW, column=1, reach=Reach.CELL), Cell("scores", ROW, 2)),
    (Cursor("weights", row=ROW, reach=Reach.LEAD), Cell("weights", ROW, 0)),
    (Cursor("Q"), Cell("scores", 0, 0)),
]


def at(cursor: Cursor, grain: Grain) -> Session:
    session = make_session()
    session.set_preferences(grain=grain)
    session.go_to(cursor)
    return session


@pytest.mark.parametrize("grain", [Grain.ROW, Grain.CELL])
@pytest.mark.parametrize(("cursor", "cell"), AHEAD)
def test_what_is_not_reached_is_covered_and_not_spoken(
    grain: Grain, cursor: Cursor, cell: Cell
) -> None:
    session = at(cursor, grain)
    assert session.state.is_covered(cell)
    assert spoken_cell(session.state, cell, only_visible=False).endswith("not reached yet")
    session.set_preferences(show_ahead=True)
    assert not session.state.is_covered(cell)
    number = show(session.state.trace.value(cell), session.state.decimals)
    assert number in spoken_cell(session.state, cell, only_visible=False)


def test_what_is_reached_or_entered_is_not_covered() -> None:
    session = at(Cursor("scores", row=ROW, reach=Reach.ROW), Grain.ROW)
    for cell in (Cell("scores", ROW, N - 1), Cell("Q", N - 1, 0), Cell("W_V", 0, 0)):
        assert not session.state.is_covered(cell)
    assert session.state.reached_extent("scores", (N, N)) == (ROW + 1, 0)
    assert session.state.reached_extent("weights", (N, N)) == (0, 0)
    assert session.state.reached_extent("Q", (N, 3)) is None


def test_whole_stages_cover_nothing() -> None:
    session = at(Cursor("Q"), Grain.STAGE)
    assert not session.state.is_covered(Cell("weights", 0, 0))
    assert session.state.reached_extent("weights", (N, N)) is None
    session.answers.set_predicting(True)
    assert session.state.is_covered(Cell("weights", 0, 0))
