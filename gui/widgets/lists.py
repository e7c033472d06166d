"""A list of options in little room: what is cut short says itself in full."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QWidget

BESIDE = 2  # pixels that a style keeps free beside the text


class OptionList(QComboBox):
    """A combo box as narrow as it must be, whose tool tip is the chosen option where it is cut, and whose list is as
    wide as its options."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def show_options(self, names: Sequence[str], chosen: int) -> None:
        """These options, one of them chosen."""
        if [*names] != [self.itemText(index) for index in range(self.count())]:
            self.clear()
            self.addItems([*names])
        self.setCurrentIndex(chosen)

    def cut(self) -> bool:
        """Whether the chosen option does not fit."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        parts = QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        room = self.style().subControlRect(*parts).width() - BESIDE
        return self.fontMetrics().horizontalAdvance(self.currentText()) > room

    def showPopup(self) -> None:
        """Wide enough for the longest option, as far as the screen reaches."""
        bar = self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)
        wanted = self.view().sizeHintForColumn(0) + bar + 2 * self.view().frameWidth()
        self.view().setMinimumWidth(min(wanted, self.screen().availableGeometry().width() // 2))
        super().showPopup()

    def event(self, event: QEvent) -> bool:
        """Without a tool tip of its own it has the one of what it stands in."""
        if event.type() == QEvent.Type.ToolTip:
            self.setToolTip(self.currentText() if self.cut() else "")
        return super().event(event)
