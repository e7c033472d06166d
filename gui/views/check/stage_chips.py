"""A chip for each stage that has entries: how many of them are right, and the way to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from gui.painting.text_size import set_font
from gui.painting.theme import CAPTION, Colours
from gui.widgets.flow import FlowLayout


@dataclass(frozen=True, slots=True)
class Chip:
    """A stage, its symbol with counts, and the same in full."""

    stage: str
    text: str
    name: str


class Chips(QWidget):
    """`chosen(stage)`: a chip was clicked."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: tuple[Chip, ...] = ()
        self.buttons: list[QToolButton] = []
        self._flow = FlowLayout(6, self)

    def show_chips(self, chips: tuple[Chip, ...], current: str, theme: Colours) -> None:
        """These chips; the current stage's is marked."""
        self._chips = chips
        while len(self.buttons) < len(chips):
            self._add()
        while len(self.buttons) > len(chips):
            button = self.buttons.pop()
            self._flow.removeWidget(button)
            button.hide()
            button.deleteLater()
        for button, chip in zip(self.buttons, chips, strict=True):
            here = chip.stage == current
            button.setText(chip.text)
            button.setChecked(here)
            set_font(button, CAPTION, bold=here)
            button.setToolTip(chip.name)
            button.setAccessibleName(chip.name)
        self.setStyleSheet(_style(theme))
        self.setVisible(len(chips) > 1 or any(chip.stage != current for chip in chips))
        self.updateGeometry()

    def _add(self) -> None:
        button = QToolButton(self)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(partial(self._choose, len(self.buttons)))
        self._flow.addWidget(button)
        self.buttons.append(button)
        button.show()

    def _choose(self, number: int, _checked: bool = False) -> None:
        self.chosen.emit(self._chips[number].stage)


def _style(theme: Colours) -> str:
    return f"""
        QToolButton {{ color: {theme.text}; background: {theme.sunken}; border: 1px solid {theme.line};
            border-radius: 10px; padding: 1px 9px; }}
        QToolButton:checked {{ color: {theme.accent}; background: {theme.accent_soft}; border-color: {theme.accent}; }}
        QToolButton:hover, QToolButton:focus {{ border-color: {theme.accent}; }}
    """
