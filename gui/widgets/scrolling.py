"""A frame in which a panel scrolls where there is less room than it needs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class Scrolling(QScrollArea):
    """Holds one panel, as large as the frame or, where that is too small, as small as the panel can be.

    `least` is how low the frame itself can be, and how wide it has to be at the most.
    """

    def __init__(self, panel: QWidget, least: QSize, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._panel, self._least = panel, least
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(panel.sizePolicy())
        self.setWidget(panel)
        self.viewport().setAutoFillBackground(False)
        panel.setAutoFillBackground(False)
        panel.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """As the panel."""
        return self._panel.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """As narrow as the panel, unless that is wide. The height keeps still whatever the panel comes to say."""
        return QSize(
            min(self._panel.minimumSizeHint().width(), self._least.width()), self._least.height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The panel follows."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The panel needs more or less than before."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def viewportEvent(self, event: QEvent) -> bool:
        """So does a panel without a layout, which tells its parent."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
            self.updateGeometry()
        return super().viewportEvent(event)

    def _fit(self) -> None:
        """Give the panel its size; a bar on one side takes room on the other."""
        room, bars = self.maximumViewportSize(), self.verticalScrollBar().sizeHint().width()
        size = self._size_in(room)
        if size.height() > room.height():
            room.setWidth(room.width() - bars)
            size = self._size_in(room)
        if size.width() > room.width():
            room.setHeight(room.height() - bars)
            size = self._size_in(room)
        self._panel.resize(size)

    def _size_in(self, room: QSize) -> QSize:
        panel = self._panel
        width = max(room.width(), panel.minimumSizeHint().width(), panel.minimumWidth())
        layout = panel.layout()
        height = panel.minimumSizeHint().height()
        if layout is not None and layout.hasHeightForWidth():
            height = layout.totalMinimumHeightForWidth(width)
        return QSize(width, max(room.height(), height, panel.minimumHeight()))
