"""Sums that are written once as long as they say the same, and never another's."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from core.base.cell import Cell
from core.document.edits import with_cell
from gui.session.session import Session
from gui.session.state import State
from gui.texts.rich_text import Line
from gui.views.stage import sum_cache as room
from gui.views.stage.card import Telling
from gui.views.stage.shown_cell import target
from tests.gui.stage_kit import session_at


def said(state: State) -> tuple[Line, ...]:
    """A sum, the same with one term, and with more digits."""
    telling = Telling(state, target(state))
    assert telling.step is not None
    ways = telling.sum(telling.step, None), telling.sum(telling.step, 1), telling.closer
    rows = (pieces.rows(16, 1e6) if pieces else () for pieces in ways)
    return tuple(tuple(span for row in found for span in row.spans) for found in rows)


def states(session: Session) -> Iterator[State]:
    """Before and after edits near and far, in other words, with other digits, with another scale."""
    yield session.state
    for cell, value in (
        (Cell("X", 0, 0), 0.3),
        (Cell("X", 1, 1), 0.7),
        (Cell("W_Q", 0, 1), 0.4),
        (Cell("X", 1, 1), -0.0),
    ):
        session.edit(with_cell(session.state.document, cell, value))
        yield session.state
    for wish in ({"decimals": 3}, {"labels": "both"}, {"fractions": True}, {"columns": True}):
        session.prefer(**wish)
        yield session.state
    session.show_language("zh_CN")
    yield session.state
    tokens = ("a", *session.state.document.tokens[1:])
    session.edit(session.state.document.with_(tokens=tokens))
    yield session.state


@pytest.mark.parametrize("stage", ["scores", "scaled", "exp", "weights", "heads", "Y"])
def test_what_is_found_is_what_would_be_written(qapp: object, stage: str) -> None:
    session = session_at("i-love-this-apple", stage, 0, 1)
    for state in states(session):
        found, kept = said(state), room._last[:]
        room._last.clear()
        assert said(state) == found
        room._last[:] = kept


def test_an_edit_that_leaves_a_sum_as_it_was_writes_nothing(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = session_at("i-love-this-apple", "scores", 0, 1)
    told: list[float] = []
    write = room.worked_sum
    monkeypatch.setattr(
        room, "worked_sum", lambda sheet, step: (told.append(step.value), write(sheet, step))[1]
    )
    room._last.clear()
    for row, more in ((2, 2), (2, 0), (0, 2), (2, 0), (1, 2)):  # the sum and the same with one term
        told.clear()
        session.edit(
            with_cell(
                session.state.document, Cell("X", row, 0), 0.1 + session.state.document.X[row, 0]
            )
        )
        before = said(session.state)
        assert len(told) == more
        assert said(session.state) == before
    assert len(room._last) == room.KEPT
