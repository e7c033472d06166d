"""Combo box that elides its text, and a filter that leaves the wheel to the page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QHelpEvent, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)


class ChoiceBox(QComboBox):
    """A combo box that elides its text and shows the whole in its tool tip and list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # the mouse leaves the keys where they are

    def show_options(self, names: Sequence[str], chosen: int) -> None:
        """Set the options, if they changed, and the current one."""
        if [*names] != [self.itemText(index) for index in range(self.count())]:
            self.clear()
            self.addItems([*names])
        self.setCurrentIndex(chosen)

    def said(self) -> str:
        """The visible, elided text."""
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
        """Paint with elided text."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        option.currentText = self._cut(option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Show the whole text as a tool tip if it is elided."""
        if (
            event.type() == QEvent.Type.ToolTip
            and isinstance(event, QHelpEvent)
            and self.said() != self.currentText()
        ):
            QToolTip.showText(event.globalPos(), self.currentText(), self)
            return True
        return super().event(event)

    def showPopup(self) -> None:
        """Make the list as wide as its longest text."""
        wanted = (
            self.view().sizeHintForColumn(0) + self.view().verticalScrollBar().sizeHint().width()
        )
        self.view().setMinimumWidth(max(wanted, self.width()))
        super().showPopup()


class WheelGuard(QObject):
    """Let combo boxes and number fields without focus ignore the wheel, so that the page scrolls.

    A combo box takes the focus only by Tab: after a choice with the mouse, keys go where they went.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        for box in panel.findChildren(QComboBox):
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            box.installEventFilter(self)
        for field in panel.findChildren(QAbstractSpinBox):
            field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            field.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass a wheel event on to the parents."""
        if (
            event.type() == QEvent.Type.Wheel
            and isinstance(watched, QWidget)
            and not watched.hasFocus()
        ):
            event.ignore()
            return True
        return False


def fill_choices(box: QComboBox, items: list[tuple[str, str]], current: str) -> None:
    """Set the items (text and data) of a combo box, unless it has them, and select one by its data."""
    if items != [(box.itemText(index), box.itemData(index)) for index in range(box.count())]:
        box.clear()
        for text, data in items:
            box.addItem(text, data)
    box.setCurrentIndex(box.findData(current))
