"""The card of the sentences: one or two rows, what is shown, and how the words were cut."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gui.model_window.sentences import SentenceRow
from gui.model_window.session import ModelSession
from gui.model_window.state import SHOWN, A, B, ModelState
from gui.model_window.wording import shown_name
from gui.painting.theme import CAPTION, colours
from gui.texts.translation import tr
from gui.widgets.buttons import Segment, Segments, flat_button
from gui.widgets.layouts import fill
from gui.widgets.styles import link_style


class SentencePanel(QFrame):
    """`chosen(place)`: a token was clicked; `cut_wanted()`: show how the words were cut;
    `swap_wanted()`: replace the token that is followed."""

    chosen = Signal(int)
    cut_wanted = Signal()
    swap_wanted = Signal()

    def __init__(self, session: ModelSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._session = session
        self.first, self.second = SentenceRow(A, self), SentenceRow(B, self)
        self.shown = Segments(SHOWN, self)
        self.cut, self.swap, self.add = (flat_button(self, CAPTION) for _ in range(3))
        rows = fill(QVBoxLayout(), self.first, self.second, spacing=4)
        links = fill(QHBoxLayout(), 1, self.cut, self.swap, self.add, spacing=2)
        side = fill(QVBoxLayout(), self._show_row(), links, 1, spacing=2)
        fill(QHBoxLayout(self), (rows, 1), side, spacing=8, margins=(10, 5, 10, 5))
        self.first.entered.connect(session.set_text)
        self.second.entered.connect(session.set_other)
        for row in (self.first, self.second):
            row.chosen.connect(self.chosen)
        self.shown.chosen.connect(lambda name: session.look(show=name))
        self.cut.clicked.connect(self.cut_wanted)
        self.swap.clicked.connect(self.swap_wanted)
        self.add.clicked.connect(self._toggle)
        self._adding = False

    def _show_row(self) -> QHBoxLayout:
        return fill(QHBoxLayout(), 1, self.shown, spacing=4)

    def _toggle(self) -> None:
        """Offer a second sentence, or remove it."""
        if self._session.state.setting.other:
            self._adding = False
            self._session.set_other("")
        else:
            self._adding = not self._adding
            if self._adding:
                self.second.line.setText(self._session.state.setting.text)
        self.show_state(None, self._session.state)
        if self._adding:
            self.second.line.setFocus()
            self.second.line.selectAll()

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show sentences and what can be shown of them."""
        theme = colours(new.shade)
        if new.setting.other:
            self._adding = False
        self.second.setVisible(bool(new.setting.other) or self._adding)
        self.first.show_state(old, new)
        if new.setting.other or not self._adding:
            self.second.show_state(old, new)
        rows = [row for row in (self.first, self.second) if not row.isHidden()]
        field, tokens = map(max, zip(*(row.wanted() for row in rows), strict=True))
        for row in rows:  # so that the tokens of both lie below each other
            row.give(field, tokens)
        possible = [name for name in SHOWN if new.can_show(name)]
        segments = tuple(Segment(name, shown_name(name), tip=_tip(name)) for name in SHOWN)
        self.shown.show_segments(segments, new.look.show)
        for name, button in self.shown.buttons.items():
            button.setVisible(name in possible)
        several = len(possible) > 1
        self.shown.setVisible(several)
        self.shown.setAccessibleName(tr("Show"))
        self.cut.setText(tr("How was it cut?"))
        self.cut.setToolTip(tr("How the tokenizer cut the words into tokens"))
        self.swap.setText(tr("Swap a word…"))
        self.swap.setToolTip(tr("Click a token of sentence A, then replace it by another one"))
        self.swap.setEnabled(new.look.query is not None and bool(new.runs))
        removes = bool(new.setting.other) or self._adding
        self.add.setText(tr("− sentence") if removes else tr("+ sentence"))
        for row in (self.first, self.second):
            row.setEnabled(new.model is not None)
        self.cut.setEnabled(bool(new.runs))
        self.add.setEnabled(bool(new.runs))
        if old is None or old.shade != new.shade:
            self.shown.paint_in(theme)
            for link in (self.cut, self.swap, self.add):
                link.setStyleSheet(link_style(theme).replace("QToolButton", "KeyButton"))

    def restore(self) -> None:
        """Discard what is being typed."""
        for row in (self.first, self.second):
            row.restore()


def _tip(name: str) -> str:
    tips = {
        "A": tr("The attention of sentence A"),
        "B": tr("The attention of sentence B"),
        "A-B": tr("The difference of both, where they have the same number of tokens"),
        "edited": tr("Sentence A with the edits"),
        "edited-A": tr("What the edits changed"),
    }
    return tips[name]
