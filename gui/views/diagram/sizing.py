"""The measures of one picture, kept while the best way to draw it is sought. Free of Qt."""

from __future__ import annotations

from core.document.document import Document
from core.document.orientation import Orientation
from core.stages import Plan
from gui.views.diagram.arrows import gap_widths
from gui.views.diagram.card_sizes import LEAST_ROW, MOST_COLUMNS, Card, Sizer, Style
from gui.views.diagram.column_layout import MARGIN, room_of
from gui.views.diagram.columns import column_ids
from gui.views.diagram.shapes import WORDS

Groups = tuple[tuple[str, tuple[str, ...]], ...]


class Sizes(Sizer):
    """Those of an experiment in one convention: every way to draw it asks for the same columns, gaps and cards."""

    def __init__(self, document: Document, plan: Plan) -> None:
        super().__init__(document)
        self.plan = plan
        self._groups: dict[int, Groups] = {}
        self._gaps: dict[tuple[int, bool], list[float]] = {}

    def groups(self, fold: int) -> Groups:
        """The kind and the stages of every column."""
        if fold not in self._groups:
            self._groups[fold] = tuple(column_ids(self.document, self.plan, fold))
        return self._groups[fold]

    def gaps(self, style: Style) -> list[float]:
        """The least gap after each column but the last."""
        key = style.fold, style.arrows
        if key not in self._gaps:
            ids = [ids for _, ids in self.groups(style.fold)]
            self._gaps[key] = gap_widths(self.document, self.plan, ids, style)
        return self._gaps[key]

    def rooms(self, height: float, style: Style) -> list[float]:
        """How high the matrices of each column may be in a picture so high."""
        inner = height - 2 * MARGIN
        return [
            room_of(self.document, kind, ids, inner, style) for kind, ids in self.groups(style.fold)
        ]

    def cards(self, rooms: list[float], style: Style) -> list[list[Card]]:
        """Those of every column."""
        groups = self.groups(style.fold)
        return [
            [self.card(name, room, style) for name in ids]
            for room, (_, ids) in zip(rooms, groups, strict=True)
        ]

    def readable(self, height: float, orientation: Orientation) -> bool:
        """Whether half of the cards could have digits if each had all of a height in pixels. Without, as with hundreds
        of tokens, no way to draw them is worth being tried."""
        stages = [name for _, ids in self.groups(0) for name in ids if name not in WORDS]
        shapes = [orientation.pair(*self.document.stage_shape(name)[-2:]) for name in stages]
        able = [rows * LEAST_ROW <= height and columns <= MOST_COLUMNS for rows, columns in shapes]
        return 2 * sum(able) >= len(stages)
