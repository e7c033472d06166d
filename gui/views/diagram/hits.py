"""What lies under a point of the diagram, in layout units."""

from __future__ import annotations

from msgspec import Struct

from core.base.cell import Cell
from core.explain.timeline import reveals
from gui.session.session import Session
from gui.session.state import State
from gui.views.diagram.picture import label_fits, label_rect
from gui.views.diagram.shapes import WORDS, Box, Layout


class Hit(Struct, frozen=True):
    """A standing cell (`cell`), a card or a ghost (`stage_id` alone), or the edge of a head behind (`head`)."""

    stage_id: str = ""
    cell: Cell | None = None
    head: int | None = None

    def given(self, state: State) -> bool:
        """Whether it is a number that was entered."""
        return (
            self.cell is not None
            and self.cell.tensor == self.stage_id
            and self.stage_id in state.document.inputs
        )

    def act(self, session: Session) -> None:
        """What a click does: focus the cell, choose the head, or jump to the stage."""
        if self.cell is not None:
            session.set_focus(self.cell)
        elif self.head is not None:
            session.select_head(self.head)
        else:
            session.go_to_stage(self.stage_id)


def hit(state: State, where: Layout, x: float, y: float, scale: float) -> Hit | None:
    """What a click at a point would meet, None where there is nothing."""
    for box in where.boxes:
        if box.rect.holds(x, y):
            return None if box.stage_id in WORDS else _on_card(state, box, x, y)
    for box in where.boxes:
        for level in range(1, box.depth + 1):
            if box.edge(level).holds(x, y):
                return Hit(box.stage_id, head=(state.cursor.head + level) % state.document.h)
    for arrow in where.arrows:
        rect = label_rect(state, arrow, scale)
        if arrow.inputs and label_fits(state, arrow, rect) and rect.contains(x, y):
            return Hit(arrow.target, cell=Cell(arrow.inputs[0], 0, 0, state.cursor.head))
    return None


def _on_card(state: State, box: Box, x: float, y: float) -> Hit:
    place = box.place_at(x, y)
    if place is None:
        return Hit(box.stage_id)
    row, column = place
    if not reveals(state.trace.plan, state.cursor, box.stage_id, row, column):
        return Hit(box.stage_id)
    head = state.cursor.head if state.trace.plan[box.stage_id].headwise else 0
    return Hit(box.stage_id, cell=Cell(box.stage_id, row, column, head))
