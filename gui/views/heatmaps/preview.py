"""The heatmap of the first picture, painted without pyqtgraph, which takes long to load."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.painting.scaling import in_units
from gui.painting.text_size import factor, px, set_least
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.painting import smallest_digits
from gui.views.heatmaps.picture import MARGIN, paint_sheet


class Preview(QWidget):
    """Looks as the canvas will. `touched`: somebody wants to do something with it."""

    touched = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._sheet: HeatmapSpec | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_least(self, 160, 90)

    def sizeHint(self) -> QSize:
        """Room for a few dozen cells, as the canvas."""
        return QSize(px(420), px(240))

    def show_sheet(self, sheet: HeatmapSpec) -> None:
        """Show a sheet."""
        self._sheet = sheet
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The sheet, for the size that there is."""
        if self._sheet is None:
            return
        least = smallest_digits(factor())
        with QPainter(self) as painter, in_units(painter, self.rect(), factor()) as room:
            paint_sheet(
                painter, room, room.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), self._sheet, least
            )

    def enterEvent(self, event: QEnterEvent) -> None:
        """The pointer."""
        super().enterEvent(event)
        self.touched.emit()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """The keyboard."""
        super().focusInEvent(event)
        self.touched.emit()
