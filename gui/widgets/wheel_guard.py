"""The wheel scrolls a page; a choice or a number under the pointer stays as it is."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget


class WheelGuard(QObject):
    """Makes every combo box and number field that a panel has by now leave the wheel to the page.

    One that has the keyboard focus turns with the wheel; the wheel itself does not give it the focus.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        for kind in (QComboBox, QAbstractSpinBox):
            for widget in panel.findChildren(kind):
                widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
                widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """An event that is held back unaccepted goes on to the parents."""
        if (
            event.type() == QEvent.Type.Wheel
            and isinstance(watched, QWidget)
            and not watched.hasFocus()
        ):
            event.ignore()
            return True
        return False
