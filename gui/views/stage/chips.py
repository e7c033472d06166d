"""Small round buttons that stand on the picture of a stage: where they stand, and how they look."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from gui.painting.text_size import set_font
from gui.painting.theme import CAPTION, Colours
from gui.views.stage.card import PADDING
from gui.views.stage.scene import MARGIN, Scene

BESIDE = 12.0  # between a chip and what stands at its left


def make_chip(parent: QWidget, name: str, action: Callable[[], None]) -> QPushButton:
    """A chip that does something; hidden at first."""
    chip = QPushButton(parent)
    chip.setObjectName(name)
    chip.setCursor(Qt.CursorShape.PointingHandCursor)
    set_font(chip, CAPTION)
    chip.clicked.connect(action)
    chip.hide()
    return chip


def say(chip: QPushButton, text: str, shown: bool) -> None:
    """The words of a chip, and whether it is there."""
    chip.setText(text)
    chip.setAccessibleName(text)
    chip.setVisible(shown)


def width_of(*chips: QPushButton) -> float:
    """The room that those of the chips need which are there, at the end of the title's line."""
    return max(
        (chip.sizeHint().width() + BESIDE for chip in chips if not chip.isHidden()), default=0.0
    )


def place_in_header(chip: QPushButton, scene: Scene, unit: float) -> None:
    """At the end of the title's line, of a scene that is drawn so many pixels a unit."""
    size = chip.sizeHint()
    left = (scene.header.rect.x() + scene.header.title_width + BESIDE) * unit
    chip.setGeometry(int(left), int((MARGIN - 4) * unit), size.width(), size.height())


def place_in_card(scene: Scene, unit: float, *chips: QPushButton) -> None:
    """In the upper right corner of the worked sum, those that are there side by side, the first one outermost."""
    right, top = (scene.card_rect.right() - PADDING) * unit, (scene.card_rect.y() + 6) * unit
    for chip in chips:
        if not chip.isHidden():
            size = chip.sizeHint()
            chip.setGeometry(int(right - size.width()), int(top), size.width(), size.height())
            right -= size.width() + BESIDE / 2 * unit


def chip_style(theme: Colours) -> str:
    """How chips look."""
    return f"""
        QPushButton {{ color: {theme.accent}; background: {theme.accent_soft}; border: 1px solid transparent;
                       border-radius: 9px; padding: 2px 9px; }}
        QPushButton:hover {{ border-color: {theme.accent}; }}
        QPushButton:focus {{ border: 2px solid {theme.accent}; padding: 1px 8px; }}
    """
