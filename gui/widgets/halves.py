"""Parts side by side where there is room for all of them, else one below the other."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget


class Halves(QWidget):
    """Holds layouts and widgets, each with its share of the width. Other than `Beside` all of them may grow."""

    def __init__(
        self, spacing: int, *parts: tuple[QLayout | QWidget, int], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(spacing)
        for part, share in parts:
            if isinstance(part, QLayout):
                self._box.addLayout(part, share)
            else:
                self._box.addWidget(part, share)

    def minimumSizeHint(self) -> QSize:
        """As narrow as the widest part."""
        return QSize(max(self._widths()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The direction that the width allows."""
        super().resizeEvent(event)
        needed = sum(self._widths()) + self._box.spacing() * (self._box.count() - 1)
        beside = self.width() >= needed
        way = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if way != self._box.direction():
            self._box.setDirection(way)
            self._box.activate()

    def _widths(self) -> list[int]:
        """The smallest width of each part."""
        items = (self._box.itemAt(index) for index in range(self._box.count()))
        return [item.minimumSize().width() for item in items if item is not None]
