"""The bar below the grid: the switch of predicting, hint, reveal and the score."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from gui.language import tr
from gui.session import Session
from gui.state import State
from gui.theme import BODY, CAPTION, Colours, colours, font
from gui.widgets.styles import link_style


class PredictBar(QWidget):
    """Switch on the left, what can be done now on the right; the hint itself is the panel's."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.switch, self.reset = QToolButton(self), QToolButton(self)
        self.switch.setCheckable(True)
        self.score = QLabel(self)
        self.hint, self.reveal = QPushButton(self), QPushButton(self)
        self.reveal.setObjectName("reveal")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.switch)
        row.addWidget(self.score)
        row.addWidget(self.reset)
        row.addStretch(1)
        row.addWidget(self.hint)
        row.addWidget(self.reveal)
        for widget in (self.switch, self.hint, self.reveal):
            widget.setFont(font(BODY))
        self.score.setFont(font(CAPTION))
        self.reset.setFont(font(CAPTION))
        for button in (self.switch, self.reset, self.hint, self.reveal):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.switch.clicked.connect(session.predict)
        self.reset.clicked.connect(session.reset_score)
        self.reveal.clicked.connect(session.reveal)

    def show_state(self, old: State | None, new: State) -> None:
        """Names, checks and colours."""
        if old is None or old.dark != new.dark:
            self.setStyleSheet(_style(colours(new.dark)))
            self.reset.setStyleSheet(link_style(colours(new.dark)))
        if old is None or old.language != new.language:
            self._name()
        self.switch.setChecked(new.predict)
        hidden = new.hidden is not None
        self.hint.setVisible(hidden)
        self.reveal.setVisible(hidden)
        score = new.score
        self.score.setText(f"{score.right} / {score.predicted}")
        words = tr("Right at the first try: {right} of {all}", right=score.right, all=score.predicted)
        self.score.setToolTip(words)
        self.score.setAccessibleName(words)
        self.score.setVisible(score.predicted > 0)
        self.reset.setVisible(score.predicted > 0)

    def _name(self) -> None:
        self.switch.setText(tr("Predict first"))
        self.switch.setToolTip(tr("A step first asks what comes, and the next one shows it (Ctrl+R)"))
        self.reset.setText(tr("reset"))
        self.reset.setAccessibleName(tr("Count from 0 again"))
        self.reset.setToolTip(tr("Count from 0 again"))
        self.hint.setText(tr("Hint"))
        self.hint.setToolTip(tr("What to look at for the focused number"))
        self.reveal.setText(tr("Reveal"))
        self.reveal.setToolTip(tr("Show the numbers; a step forward does the same"))
        for button in (self.switch, self.hint, self.reveal):
            button.setAccessibleName(button.text())


def _style(theme: Colours) -> str:
    return f"""
        QLabel {{ color: {theme.muted}; }}
        QToolButton, QPushButton {{ color: {theme.text}; background: {theme.sunken}; border: 1px solid {theme.line};
            border-radius: 7px; padding: 3px 10px; }}
        QToolButton:hover, QToolButton:focus, QPushButton:hover, QPushButton:focus {{ border-color: {theme.accent}; }}
        QToolButton:checked {{ color: {theme.accent}; background: {theme.accent_soft}; border-color: {theme.accent}; }}
        QPushButton#reveal {{ color: {theme.on_accent}; background: {theme.accent}; border-color: {theme.accent}; }}
        QPushButton#reveal:focus {{ border: 2px solid {theme.text}; padding: 2px 9px; }}
    """
