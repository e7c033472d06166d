"""Two widgets side by side where there is room, else one under the other."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QWidget

from gui.painting.text_size import px

GAP = 20


class SideBySide(QWidget):
    """The first widget takes what room is left; `least` is how wide it has to be beside the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._both: tuple[QWidget, QWidget] | None = None
        self._least = 0
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(GAP)

    def hold(self, first: QWidget, second: QWidget, least: int, stretch: int = 0) -> None:
        """Take in both widgets."""
        self._both, self._least = (first, second), least
        self._box.addWidget(first, 1, Qt.AlignmentFlag.AlignTop)
        self._box.addWidget(second, stretch, Qt.AlignmentFlag.AlignTop)

    def minimumSizeHint(self) -> QSize:
        """Either of them alone: side by side is no need."""
        hint = super().minimumSizeHint()
        if self._both is None:
            return hint
        widest = max(widget.minimumSizeHint().width() for widget in self._shown())
        return QSize(widest, hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The direction that the width allows."""
        super().resizeEvent(event)
        self.arrange()

    def arrange(self) -> None:
        """The direction that the width allows, after one of them has changed."""
        if self._both is None:
            return
        self.put(
            beside=self.width() >= px(self._least) + GAP + self._both[1].minimumSizeHint().width()
        )

    def put(self, *, beside: bool) -> None:
        """The second widget beside the first one, or below it."""
        way = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if way != self._box.direction():
            self._box.setDirection(way)
            self.updateGeometry()

    def _shown(self) -> list[QWidget]:
        assert self._both is not None
        return [widget for widget in self._both if not widget.isHidden()] or [self._both[0]]
