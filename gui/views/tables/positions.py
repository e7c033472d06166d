"""The section of the setup for the positional encoding and its numbers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from core.base.arrays import frozen
from core.document.document import POSITIONAL_KINDS, Document
from core.document.edits import with_positional, with_positional_kind
from core.document.orientation import Orientation
from core.stages.bias import slopes
from core.stages.plan import ENCODINGS
from gui.painting.theme import colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import head_name
from gui.texts.stage_sentences import POSITIONAL_NAMES, POSITIONAL_TEXTS
from gui.texts.translation import mark, tr, tr_marked
from gui.views.tables.sections import KindBox, Section
from gui.widgets.fields import RealField

DEFAULT, OWN = "default", "own"


def positive(value: float) -> str:
    """What is wrong with a base: it must be above 0."""
    return "" if value > 0 else tr("It must be greater than 0.")


def with_slope(document: Document, head: int, slope: float) -> Document:
    """Change the ALiBi slope of one head; the others stay as they are used now."""
    changed = np.array(slopes(document))
    changed[head] = slope
    return with_positional(document, replace(document.positional, slopes=frozen(changed)))


class PositionalSection(Section):
    """None, sinusoidal, learned, rotary or ALiBi."""

    before_weights = True
    term = "position"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.kind = KindBox(POSITIONAL_KINDS, self)
        self.base = RealField(positive, self)
        self.slope_kind = KindBox((DEFAULT, OWN), self)
        self.slopes = SlopeFields(session, self)
        for widget in (self.kind, self.base, self.slope_kind, self.slopes):
            self.add_row(widget)
        self.kind.activated.connect(self._choose)
        self.base.entered.connect(self._choose_base)
        self.slope_kind.activated.connect(self._choose_slopes)

    def show_settings(self, old: State | None, new: State) -> None:
        """Show the encoding and the numbers that it uses."""
        positional = new.document.positional
        self.kind.show_kind(positional.kind)
        self.base.show_value(positional.base)
        self.slope_kind.show_kind(OWN if positional.slopes is not None else DEFAULT)
        self.show_row(self.base, ENCODINGS[positional.kind].uses_base)
        self.show_row(self.slope_kind, positional.kind == "alibi")
        self.show_row(self.slopes, positional.kind == "alibi" and positional.slopes is not None)
        self.slopes.show_state(new)
        note = _meaning(positional.kind, new.orientation)
        if positional.kind == "rotary" and any(
            scope.k % 2 for scope in new.document.scopes or (new.document,)
        ):
            note = f"{note} {tr('d_k is odd: the last number has no partner and stays as it is.')}"
        if new.document.context is not None and positional.kind != "none":
            note = f"{note} {_context_note(new.document)}"
        self.set_note(note)

    def text_state(self, state: State) -> object:
        """Kinds that are added to X are disabled where Q, K and V are entered."""
        return state.language, state.document.source

    def show_texts(self, state: State) -> None:
        """Name the rows and kinds."""
        self.set_texts("", "", tr("Encoding"), tr("Base"), tr("Slopes"), tr("Per head"))
        self.kind.show_names({kind: tr_marked(name) for kind, name in POSITIONAL_NAMES.items()})
        self.slope_kind.show_names({DEFAULT: tr("2^(−8i/h)"), OWN: tr("Custom")})
        reason = tr("It is added to X, but here Q, K and V are entered directly.")
        for kind, encoding in ENCODINGS.items():
            if encoding.added is not None:
                self.kind.disable_kind(kind, reason if state.document.source == "qkv" else "")

    def _choose(self, index: int) -> None:
        kind = POSITIONAL_KINDS[index]
        self._session.change(with_positional_kind, kind, text=POSITIONAL_TEXTS[kind]["undo"])

    def _choose_base(self, base: float) -> None:
        now = self._session.state.document.positional
        self._session.change(
            with_positional, replace(now, base=base), text=mark("Base of the positions")
        )

    def _choose_slopes(self, index: int) -> None:
        document = self._session.state.document
        own = slopes(document) if index else None
        if (own is None) != (document.positional.slopes is None):
            changed = replace(document.positional, slopes=own)
            self._session.change(with_positional, changed, text=mark("Slopes of ALiBi"))


def _meaning(kind: str, orientation: Orientation) -> str:
    texts = POSITIONAL_TEXTS[kind]
    seen = (
        texts.get("column meaning", texts["meaning"]) if orientation.columns else texts["meaning"]
    )
    return tr_marked(seen)


def _context_note(document: Document) -> str:
    """Where the context has its positions from."""
    if document.positional.kind == "learned" and document.tensor("P_context") is None:
        return tr("The context has no positions.")
    if document.positional.kind == "learned":
        return tr("The context has its own table, P_C.")
    return tr("The context counts its own positions.")


class SlopeFields(QWidget):
    """A number for each head."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)
        self.fields: list[RealField] = []
        self._labels: list[QLabel] = []

    def show_state(self, new: State) -> None:
        """Show a field for each head."""
        own = new.document.positional.slopes
        if own is None or new.document.positional.kind != "alibi":
            return
        while len(self.fields) < len(own):
            self._add(len(self.fields))
        for index, field in enumerate(self.fields):
            used = index < len(own)
            field.setVisible(used)
            self._labels[index].setVisible(used)
            if used:
                field.paint_in(colours(new.shade))
                field.show_value(float(own[index]))
                name = head_name(index, new.scope.heads[index].name if index < new.scope.h else "")
                self._labels[index].setText(name)
                field.line.setAccessibleName(tr("Slope of {head}", head=name))

    def _add(self, head: int) -> None:
        label, field = QLabel(self), RealField(parent=self)
        field.entered.connect(partial(self._enter, head))
        self._grid.addWidget(label, head, 0)
        self._grid.addWidget(field, head, 1)
        self.fields.append(field)
        self._labels.append(label)

    def _enter(self, head: int, slope: float) -> None:
        self._session.change(with_slope, head, slope, text=mark("Slopes of ALiBi"))
