"""Which mask, how far a window reaches, and the cells of a mask of one's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from core.document.document import MASK_KINDS, Document, Mask
from core.document.edits import allowed, with_mask
from core.document.orientation import Orientation
from gui.painting.text_size import factor, px
from gui.painting.theme import Colours, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import mark, tr
from gui.views.tables.mask_grid import LARGEST_GRID, MaskGrid
from gui.views.tables.sections import KindBox, Section
from gui.widgets.fields import RealField
from gui.widgets.layouts import GAP, SideBySide

LEAST = 240  # pixels that the choice needs beside the grid


def count_of_tokens(value: float) -> str:
    """A reach is a whole number from 0 on."""
    return (
        ""
        if value >= 0 and value == int(value)
        else tr("It must be a whole number, 0 or more; empty is no limit.")
    )


class MaskSection(SideBySide):
    """None, causal, window or custom: the choice, and the grid beside or below it."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._room = 0
        self.rows = Section(self)
        self.kind = KindBox(MASK_KINDS, self.rows)
        self.left = RealField(count_of_tokens, self.rows, may_be_empty=True)
        self.right = RealField(count_of_tokens, self.rows, may_be_empty=True)
        self.grid = MaskGrid(session, self)
        for widget in (self.kind, self.left, self.right):
            self.rows.add_row(widget)
        self.hold(self.rows, self.grid, LEAST)
        self.kind.activated.connect(self._choose)
        self.left.entered.connect(self._reach_left)
        self.right.entered.connect(self._reach_right)

    def show_state(self, old: State | None, new: State) -> None:
        """The mask in force."""
        if old is None or old.shade != new.shade:
            self._paint(colours(new.shade))
        if old is None or old.language != new.language:
            self._name()
        mask = new.document.mask
        self.kind.show_kind(mask.kind)
        self.left.show_value(mask.left)
        self.right.show_value(mask.right)
        for field in (self.left, self.right):
            self.rows.show_row(field, mask.kind == "window")
        self.grid.setVisible(mask.kind != "none")
        self.grid.show_state(old, new)
        self.rows.set_note(_meaning(new.document, new.orientation))
        self.arrange()

    def fit(self, height: int) -> None:
        """The grid no higher than the room, as far as its cells can be hit."""
        self._room = height
        self.arrange()

    def arrange(self) -> None:
        """The grid where its cells are larger: beside the choice, or below it."""
        beside = QSize(self.width() - px(LEAST) - GAP, self._room) / factor()
        below = QSize(self.width(), self._room - self.rows.sizeHint().height() - GAP) / factor()
        is_beside = self.grid.size_in(beside) >= self.grid.size_in(below) and self.grid.goes_in(
            beside
        )
        self.put(beside=is_beside)
        self.grid.fit(beside if is_beside else below)

    def _paint(self, theme: Colours) -> None:
        self.rows.paint_in(theme)
        for widget in (self.left, self.right):
            widget.paint_in(theme)

    def _name(self) -> None:
        self.rows.set_texts("", "", tr("Kind"), tr("Looks back"), tr("Looks ahead"))
        self.grid.describe()
        for field in (self.left, self.right):
            field.line.setPlaceholderText(tr("no limit"))
        self.kind.show_names(
            {
                "none": tr("None"),
                "causal": tr("Causal: backwards"),
                "window": tr("Window"),
                "custom": tr("Custom: click cells"),
            }
        )

    def _choose(self, index: int) -> None:
        kind = MASK_KINDS[index]
        now = self._session.state.document.mask
        if kind == now.kind:
            return
        starts = (
            Mask("window", 1, 1)
            if (now.left, now.right) == (None, None)
            else replace(now, kind="window")
        )
        wanted = starts if kind == "window" else Mask(kind)
        self._session.change(with_mask, wanted, text=_STEPS[kind])

    def _reach_left(self, value: float | None) -> None:
        self._reach(left=None if value is None else int(value))

    def _reach_right(self, value: float | None) -> None:
        self._reach(right=None if value is None else int(value))

    def _reach(self, **reach: int | None) -> None:
        now = self._session.state.document.mask
        self._session.change(with_mask, replace(now, **reach), text=mark("Reach of the window"))  # type: ignore[arg-type]


_STEPS = {
    "none": mark("No mask"),
    "causal": mark("Causal mask"),
    "window": mark("Window mask"),
    "custom": mark("Custom mask"),
}


def _meaning(document: Document, orientation: Orientation) -> str:
    """What the mask does, and whether it leaves a query with nothing."""
    kind = document.mask.kind
    said = {
        "none": tr("Every query may attend to every key."),
        "causal": tr("A query may attend to itself and to what came before.")
        if document.context is None
        else tr(
            "A query may attend to the keys up to its own position: both sentences count from their first token."
        ),
        "window": tr("A query may attend to keys that are near enough."),
        "custom": tr("Click a cell, or go there by arrow keys and press Space."),
    }[kind]
    longest = max(document.n, document.m)
    if kind != "none" and longest > LARGEST_GRID:
        said += " " + tr(
            "With {n} tokens the grid is a picture: point at it to read a pair.", n=longest
        )
    alone = kind == "custom" or (kind == "window" and document.context is not None)
    return f"{said} {_left_with_nothing(document, orientation)}".strip() if alone else said


def _left_with_nothing(document: Document, orientation: Orientation) -> str:
    """The queries that may attend to nothing at all."""
    alone = np.flatnonzero(~allowed(document).any(axis=1))
    if not alone.size:
        return ""
    rows = tr(", ").join(str(row + 1) for row in alone[:5]) + ("…" if alone.size > 5 else "")
    if orientation.columns:
        return tr(
            "Nothing is allowed in column {columns}: its weights and output are 0.", columns=rows
        )
    return tr("Nothing is allowed in row {rows}: its weights and output are 0.", rows=rows)
