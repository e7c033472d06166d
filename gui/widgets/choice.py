"""A list to choose from that says where its text is cut."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter, QToolTip


class ChoiceBox(QComboBox):
    """Ends what has no room with “…”, which Qt's own does not, and tells the whole text in its tip and its list."""

    def show_options(self, names: Sequence[str], chosen: int) -> None:
        """These options, one of them chosen; made anew only where they are others."""
        if [*names] != [self.itemText(index) for index in range(self.count())]:
            self.clear()
            self.addItems([*names])
        self.setCurrentIndex(chosen)

    def said(self) -> str:
        """What can be read in the closed box."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return self._cut(option)

    def _cut(self, option: QStyleOptionComboBox) -> str:
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self)
        return option.fontMetrics.elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, room.width() - 2
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """As the style paints it, with the text cut to its room."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._cut(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """The tip is the whole text where it is cut."""
        if (
            event.type() == QEvent.Type.ToolTip
            and isinstance(event, QHelpEvent)
            and self.said() != self.currentText()
        ):
            QToolTip.showText(event.globalPos(), self.currentText(), self)
            return True
        return super().event(event)

    def showPopup(self) -> None:
        """The list is as wide as its longest text."""
        wanted = (
            self.view().sizeHintForColumn(0) + self.view().verticalScrollBar().sizeHint().width()
        )
        self.view().setMinimumWidth(max(wanted, self.width()))
        super().showPopup()
