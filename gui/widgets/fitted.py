"""For places that give a widget its width alone, such as tool bars."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget


class Fitted(QFrame):
    """As high as its layout needs to be for the width that it was given."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """The least, until it is known how wide it is; Qt would ask for what the smallest width needs."""
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may need another height."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Only now has it the width that it keeps."""
        super().showEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """So may other contents."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def _fit(self) -> None:
        layout = self.layout()
        if layout is None or not self.isVisible():
            return
        needed = layout.totalHeightForWidth(self.width())
        if (
            needed != self.height()
        ):  # setting the same height again would lay out the whole window anew
            self.setFixedHeight(needed)
