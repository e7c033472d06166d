"""What can be done while steps are to be predicted: hint, reveal, the next question; and the score."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours, edge
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import tr
from gui.widgets.styles import link_style


class PredictBar(QWidget):
    """The score on the left, what can be done now on the right; the hint itself is the panel's."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.score, self.reset = QLabel(self), QToolButton(self)
        self.hint, self.onward = QPushButton(self), QPushButton(self)
        self.onward.setObjectName("onward")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.score)
        row.addWidget(self.reset)
        row.addStretch(1)
        row.addWidget(self.hint)
        row.addWidget(self.onward)
        set_font(self.score, CAPTION)
        set_font(self.reset, CAPTION)
        for button in (self.hint, self.onward):
            set_font(button, BODY)
        self.reset.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.reset.clicked.connect(session.answers.reset_score)
        self.onward.clicked.connect(self.go_on)

    def go_on(self) -> None:
        """A step forward: it reveals what is hidden, or asks the next question."""
        self._session.step(1)

    def show_state(self, old: State | None, new: State) -> None:
        """Names and colours; nothing at all while nothing is to be predicted."""
        if old is None or old.shade != new.shade:
            self.setStyleSheet(_style(colours(new.shade)))
            self.reset.setStyleSheet(link_style(colours(new.shade)))
        self.setVisible(new.predict)
        self.hint.setVisible(new.hidden is not None)
        self._name(new)
        self.reset.setVisible(new.score.predicted > 0)

    def _name(self, state: State) -> None:
        score = state.score
        text = tr(
            "Right at the first try: {right} of {all}", right=score.right, all=score.predicted
        )
        self.score.setText(text if score.predicted else "")
        self.reset.setText(tr("reset"))
        self.reset.setAccessibleName(tr("Count from 0 again"))
        self.reset.setToolTip(tr("Count from 0 again"))
        self.hint.setToolTip(tr("Hint: the rule first, then the numbers"))
        self.onward.setText(tr("Reveal") if state.hidden is not None else tr("Next question"))
        self.onward.setToolTip(tr("The same as a step forward"))
        self.onward.setAccessibleName(self.onward.text())

    def show_hint(self, number: int, count: int) -> None:
        """Which hint of how many is shown; 0 while none is."""
        text = tr("Hint {number} / {count}", number=number, count=count) if number else tr("Hint")
        self.hint.setText(text)
        self.hint.setAccessibleName(text)


def _style(theme: Colours) -> str:
    return f"""
        QLabel {{ color: {theme.muted}; }}
        QPushButton {{ color: {theme.text}; background: {theme.surface}; border: 1px solid {edge(theme)};
            border-radius: 7px; padding: 3px 12px; }}
        QPushButton:hover, QPushButton:focus {{ border-color: {theme.accent}; }}
        QPushButton#onward {{ color: {theme.on_accent}; background: {theme.accent}; border-color: {theme.accent}; }}
        QPushButton#onward:focus {{ border: 2px solid {theme.text}; padding: 2px 11px; }}
    """
