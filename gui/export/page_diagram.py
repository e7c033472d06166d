"""The diagram of the page: the boxes and arrows of the window's own geometry, for a strip as wide as the page."""

from __future__ import annotations

from typing import Any

from gui.painting.theme import CAPTION
from gui.session.state import State
from gui.texts.names import ROLES
from gui.views.diagram.labels import heading
from gui.views.diagram.paint_utils import formula_width, text_font
from gui.views.diagram.picture import label_fits, label_rect, label_text
from gui.views.diagram.scene import layout_of
from gui.views.diagram.shapes import CONTEXT_TOKENS, Arrow, Box, Rect

ROOM = (1148.0, 220.0)


def diagram(state: State) -> dict[str, Any]:
    """Boxes in the order of the plan, arrows, and the frame of the softmax, in the language in force."""
    where = layout_of(state, ROOM)
    order = state.trace.plan.ids
    return {
        "size": [_short(where.width), _short(where.height)],
        "softmax": _numbers(where.softmax),
        "boxes": [_box(state, box, order) for box in where.boxes],
        "arrows": [_arrow(state, arrow, order) for arrow in where.arrows],
    }


def _box(state: State, box: Box, order: tuple[str, ...]) -> dict[str, Any]:
    words = heading(state.document, box.stage_id, state.orientation)
    return {
        "stage": _index(box.stage_id, order),
        "words": int(box.stage_id == CONTEXT_TOKENS),
        "rect": _numbers(box.rect),
        "matrix": _numbers(box.matrix),
        "seen": list(box.seen),
        "side": box.side,
        "heading": _short(box.heading),
        "depth": box.depth,
        "labels": [_short(box.label_width), _short(box.label_height)],
        "symbol": words.symbol,
        "name": words.names[0],
        "shape": words.shape,
    }


def _arrow(state: State, arrow: Arrow, order: tuple[str, ...]) -> dict[str, Any]:
    rect = label_rect(state, arrow, 1.0)
    shown = bool(arrow.label) and label_fits(state, arrow, rect)
    width = formula_width(arrow.label, text_font(CAPTION, 1.0, bold=True))
    return {
        "points": [_short(number) for point in arrow.points for number in point],
        "from": _index(arrow.source, order),
        "to": _index(arrow.target, order),
        "role": ROLES.get(arrow.source, "plain"),
        "inked": ROLES.get(arrow.inputs[0] if arrow.inputs else arrow.source, "plain"),
        "label": label_text(state, arrow, arrow.room, width) if shown else "",
        "at": [_short(rect.center().x()), _short(rect.center().y())],
        "patch": 0 if arrow.above else _short(rect.width()),
    }


def _index(stage_id: str, order: tuple[str, ...]) -> int:
    """The number of a stage; −1 for the words themselves."""
    return order.index(stage_id) if stage_id in order else -1


def _numbers(rect: Rect) -> list[float]:
    return [_short(number) for number in (rect.x, rect.y, rect.w, rect.h)]


def _short(number: float) -> float:
    return round(number, 2)
