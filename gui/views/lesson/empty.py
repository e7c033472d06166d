"""What the panel shows while no lesson is open: how to begin one, and the lessons that ship."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from core.lesson.lesson import COURSE, shipped_title
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, TITLE, colours
from gui.session.state import State
from gui.texts.translation import tr


class NoLesson(QWidget):
    """`new`, `open` and `ship` are called when a button is pressed."""

    def __init__(
        self,
        new: Callable[[], object],
        open_: Callable[[], object],
        ship: Callable[[str], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._heading, self._text = QLabel(self), QLabel(self)
        self.new, self.open = QPushButton(self), QPushButton(self)
        self.shipped = {name: QPushButton(self) for name in COURSE}
        self._titles = {name: shipped_title(name) for name in COURSE}
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 10, 14, 10)
        column.setSpacing(8)
        column.addStretch(1)
        for label in (self._heading, self._text):
            label.setWordWrap(True)
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            column.addWidget(label)
        column.addSpacing(4)
        for button in self.shipped.values():
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        own = QHBoxLayout()
        own.addStretch(1)
        for button in (self.new, self.open):
            own.addWidget(button)
        own.addStretch(1)
        column.addLayout(own)
        for button in (*self.shipped.values(), self.new, self.open):
            set_font(button, BODY)
        column.addStretch(2)
        set_font(self._heading, TITLE, bold=True)
        set_font(self._text, BODY)
        self.new.clicked.connect(partial(_do, new))
        self.open.clicked.connect(
            partial(_do, open_)
        )  # not with what a button says: whether it is checked
        for name, button in self.shipped.items():
            button.clicked.connect(partial(_call, ship, name))

    def show_state(self, old: State | None, new: State) -> None:
        """Words and colours."""
        if old is None or old.language != new.language:
            self._heading.setText(tr("No lesson is open"))
            self._text.setText(
                tr(
                    "A lesson is a list of scenes. Step to what you want to show and add it as a scene; then play it."
                )
            )
            self.new.setText(tr("Begin a lesson"))
            self.open.setText(tr("Open a lesson…"))
            for name, button in self.shipped.items():
                button.setText(self._titles[name].of(new.language))
        if old is None or old.shade != new.shade:
            self._text.setStyleSheet(f"color: {colours(new.shade).muted};")


def _call(ship: Callable[[str], object], name: str) -> None:
    ship(name)


def _do(task: Callable[[], object]) -> None:
    task()
