"""The base of the softmax, and whether the row's maximum is subtracted."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QCheckBox, QWidget

from core.document.document import SOFTMAX_BASES
from core.document.edits import with_softmax
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.stage_texts import softmax_note
from gui.texts.translation import mark, tr
from gui.views.tables.rows import Choice, Section


class SoftmaxSection(Section):
    """e, 2, 3 or 10; minus the maximum or not."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.base = Choice(SOFTMAX_BASES, self)
        self.shift = QCheckBox(self)
        set_font(self.shift, BODY)
        self.add_row(self.base)
        self.add_wide(self.shift)
        self.base.activated.connect(self._choose)
        self.shift.clicked.connect(self._choose_shift)

    def show_state(self, old: State | None, new: State) -> None:
        """The softmax in force."""
        if old is None or old.shade != new.shade:
            self.paint_in(colours(new.shade))
        if old is None or (old.language, old.orientation) != (new.language, new.orientation):
            self.name("Softmax", "", tr("Base"))
            columns = new.orientation.columns
            text = tr("Subtract the column maximum") if columns else tr("Subtract the row maximum")
            self.shift.setText(text)
            self.shift.setAccessibleName(text)
        softmax = new.document.softmax
        self.base.show_kind(softmax.base)
        self.shift.setChecked(softmax.shift)
        self.explain(softmax_note(softmax))

    def _choose(self, index: int) -> None:
        base = SOFTMAX_BASES[index]
        softmax = replace(self._session.state.document.softmax, base=base)
        self._session.change(
            with_softmax, softmax, text=mark("Softmax with base {base}"), base=base
        )

    def _choose_shift(self, checked: bool) -> None:
        softmax = replace(self._session.state.document.softmax, shift=checked)
        text = mark("Subtract the maximum") if checked else mark("Do not subtract the maximum")
        self._session.change(with_softmax, softmax, text=text)
