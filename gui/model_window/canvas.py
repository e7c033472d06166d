"""A painted widget in logical units, which follows the text size."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.model_window.state import ModelState
from gui.painting.shapes import paint_shape
from gui.painting.text_size import factor, in_units, size_in_units
from gui.painting.theme import Colours, colours


class Canvas(QWidget):
    """A widget that paints a state. Subclasses define `paint`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = ModelState()
        self._times = 1.0

    @property
    def unit(self) -> float:
        """The pixels of a logical unit."""
        return factor() * self._times

    def magnify(self, times: float) -> None:
        """Paint larger than the text size, on a full screen."""
        if times != self._times:
            self._times = times
            self.updateGeometry()
            self.update()

    def room(self) -> QRectF:
        """The widget in logical units."""
        return size_in_units(self.rect(), self.unit)

    def point(self, event: QMouseEvent) -> QPointF:
        """Where the mouse is, in logical units."""
        return event.position() / self.unit

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Repaint."""
        self.state = new
        self.update()

    def paint(self, painter: QPainter, area: QRectF, theme: Colours) -> None:
        """Paint the state into an area."""
        raise NotImplementedError

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint, with a ring where the keyboard is."""
        theme = colours(self.state.shade)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(theme.surface))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), self.unit) as area:
                self.paint(painter, area, theme)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
            self.update()


def ring(
    painter: QPainter, rect: QRectF, colour: str, width: float = 2.4, out: float = 1.5
) -> None:
    """Draw a frame around something."""
    paint_shape(painter, rect.adjusted(-out, -out, out, out), line=colour, width=width, radius=4.0)
