"""Numbers put into cells: the one way in, for what is typed, nudged, dragged or pasted."""

from __future__ import annotations

from collections.abc import Mapping

from core.base.cell import Cell
from core.base.errors import UserError
from gui.session.session import Session
from gui.session.state import State
from gui.views.tables.contents import Contents
from gui.views.tables.editing import with_values


def require_uncovered(state: State, cell: Cell) -> None:
    """Raise UserError "cell.covered" for a number that is not to be seen yet: nobody would see what is put there."""
    if state.hides(cell):
        raise UserError("cell.covered")


def require_open(shown: Contents) -> None:
    """The same for a whole table, any number of which is not to be seen yet."""
    if shown.open_part is not None:
        raise UserError("cell.covered")


def set_numbers(
    session: Session, cells: Mapping[Cell, float], *, text: str, merge: str = "", **values: object
) -> bool:
    """Numbers of one tensor (and head) replaced as one undo step named by a marked text; False where the session
    refuses it. Raises UserError "cell.covered"."""
    if session.state.hides_ahead:
        for cell in cells:
            require_uncovered(session.state, cell)
    return session.change(with_values, cells, text=text, merge=merge, **values)
