"""A row of flat buttons of which one is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from gui.painting.text_size import set_font
from gui.painting.theme import BODY, Colours


@dataclass(frozen=True, slots=True)
class Segment:
    """One choice: what it stands for, its text, and how a screen reader says it."""

    id: str
    text: str
    spoken: str = ""
    tip: str = ""


class Segments(QWidget):
    """`chosen(id)`: the user's choice; silent when the program sets it."""

    chosen = Signal(str)

    def __init__(self, ids: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self.buttons = {name: QToolButton(self) for name in ids}
        for name, button in self.buttons.items():
            set_font(button, BODY)
            button.setCheckable(True)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(partial(self._choose, name))
            row.addWidget(button)
        row.addStretch(1)

    def _choose(self, name: str) -> None:
        for other, button in self.buttons.items():
            button.setChecked(other == name)
        self.chosen.emit(name)

    def show_segments(self, segments: tuple[Segment, ...], current: str) -> None:
        """Their texts, and which one is in front."""
        for segment in segments:
            button = self.buttons[segment.id]
            button.setText(segment.text)
            button.setAccessibleName(segment.spoken or segment.text)
            button.setToolTip(segment.tip)
            button.setChecked(segment.id == current)

    def paint_in(self, theme: Colours) -> None:
        """The theme's colours."""
        self.setStyleSheet(
            f"QToolButton {{ color: {theme.muted}; border: 1px solid transparent; border-radius: 6px;"
            f" padding: 3px 9px; }} QToolButton:checked {{ color: {theme.accent}; background: {theme.accent_soft}; }}"
            f"QToolButton:focus {{ border-color: {theme.accent}; }}"
        )
