"""The section of the setup for the mask: its kind, the reach of a window, the grid of a custom one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from core.document.document import MASK_KINDS, Document
from core.document.edits import allowed, with_mask, with_mask_kind
from core.document.orientation import Orientation
from gui.painting.text_size import factor, px
from gui.session.session import Session
from gui.session.state import State
from gui.texts.kinds import MASK_CHOICES, MASK_NAMES
from gui.texts.translation import mark, tr, tr_marked
from gui.views.tables.mask_grid import LARGEST_GRID, MaskGrid
from gui.views.tables.sections import KindBox, Section
from gui.widgets.fields import RealField
from gui.widgets.layouts import ResponsiveRow

GAP = 20  # pixels
LEAST_WIDTH = 240  # pixels at a text size of 100 %: the choice beside the grid


def whole_number_error(value: float) -> str:
    """What is wrong with a reach: it must be a whole number from 0 on."""
    if value >= 0 and value == int(value):
        return ""
    return tr("Enter a whole number, 0 or more; leave it empty for no limit.")


class MaskChoice(Section):
    """None, causal, window or custom, and the reach of a window."""

    before_weights = True
    term = "mask"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.kind = KindBox(MASK_KINDS, self)
        self.left = RealField(whole_number_error, self, may_be_empty=True)
        self.right = RealField(whole_number_error, self, may_be_empty=True)
        for widget in (self.kind, self.left, self.right):
            self.add_row(widget)
        self.kind.activated.connect(self._choose)
        self.left.entered.connect(partial(self._set_reach, "left"))
        self.right.entered.connect(partial(self._set_reach, "right"))

    def show_texts(self, state: State) -> None:
        """Name the rows and kinds."""
        self.set_texts("", "", tr("Type"), tr("Keys before"), tr("Keys after"))
        for field in (self.left, self.right):
            field.line.setPlaceholderText(tr("no limit"))
        self.kind.show_names({kind: tr_marked(name) for kind, name in MASK_NAMES.items()})

    def show_settings(self, old: State | None, new: State) -> None:
        """Show the mask."""
        mask = new.document.mask
        self.kind.show_kind(mask.kind)
        self.left.show_value(mask.left)
        self.right.show_value(mask.right)
        for field in (self.left, self.right):
            self.show_row(field, mask.kind == "window")
        self.set_note(_meaning(new.document, new.orientation))

    def _choose(self, index: int) -> None:
        kind = MASK_KINDS[index]
        self._session.change(with_mask_kind, kind, text=MASK_CHOICES[kind])

    def _set_reach(self, side: str, value: float | None) -> None:
        reach: dict[str, Any] = {side: None if value is None else int(value)}
        mask = replace(self._session.state.document.mask, **reach)
        self._session.change(with_mask, mask, text=mark("Window size"))


class MaskSection(ResponsiveRow):
    """The choice of the mask, and the grid beside or below it."""

    def __init__(self, session: Session) -> None:
        self._page_height = 0
        self.choice, self.grid = MaskChoice(session), MaskGrid(session)
        super().__init__(GAP, (self.choice, 1), (self.grid, 0))
        self.align_tops()

    def show_state(self, old: State | None, new: State) -> None:
        """The mask in another state."""
        self.choice.show_state(old, new)
        if old is None or old.language != new.language:
            self.grid.describe()
        self.grid.setVisible(new.document.mask.kind != "none")
        self.grid.show_state(old, new)
        self.arrange()

    def fit(self, height: int) -> None:
        """Keep the grid as low as the page, as far as its cells can be hit."""
        self._page_height = height
        self.arrange()

    def arrange(self) -> None:
        """Put the grid where its cells are larger: beside the choice, or below it."""
        least = max(px(LEAST_WIDTH), self.choice.sizeHint().width())  # no kind is cut
        beside = QSize(self.width() - least - GAP, self._page_height) / factor()
        rest = self._page_height - self.choice.sizeHint().height() - GAP
        below = QSize(self.width(), rest) / factor()
        larger = self.grid.size_in(beside) >= self.grid.size_in(below)
        is_beside = larger and self.grid.fits_width(beside)
        self.put(beside=is_beside)
        self.grid.fit(beside if is_beside else below)


def _meaning(document: Document, orientation: Orientation) -> str:
    """What the mask does, and whether it leaves a query without any key."""
    kind = document.mask.kind
    text = {
        "none": tr("Every query may attend to every key."),
        "causal": tr("A query may attend to itself and to earlier tokens.")
        if document.context is None
        else tr(
            "A query may attend to keys up to its own position; both sentences count from their "
            "first token."
        ),
        "window": tr("A query may attend only to nearby keys."),
        "custom": tr("Click a cell, or move there with the arrow keys and press Space."),
    }[kind]
    longest = max(document.n, document.m)
    if kind != "none" and longest > LARGEST_GRID:
        text += " " + tr(
            "With {n} tokens the grid is drawn as a picture: point at it to read a pair.", n=longest
        )
    may_block = kind == "custom" or (kind == "window" and document.context is not None)
    return f"{text} {_blocked_queries(document, orientation)}".strip() if may_block else text


def _blocked_queries(document: Document, orientation: Orientation) -> str:
    """The queries that may attend to nothing at all."""
    blocked = np.flatnonzero(~allowed(document).any(axis=1))
    if not blocked.size:
        return ""
    rows = tr(", ").join(str(row + 1) for row in blocked[:5]) + ("…" if blocked.size > 5 else "")
    if orientation.columns:
        return tr(
            "Column {columns} is fully masked: its weights and its output are 0.", columns=rows
        )
    return tr("Row {rows} is fully masked: its weights and its output are 0.", rows=rows)
