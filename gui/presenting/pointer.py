"""What lies over the picture: ink, the spotlight and the laser's dot."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF, QRadialGradient
from PySide6.QtWidgets import QWidget

from gui.presenting.ink import INKS, Ink, Place, Point, Stroke
from gui.theme import Colours, colours

ARROW, LASER, SPOTLIGHT, PEN = "", "laser", "spotlight", "pen"
# Parts of the screen's height.
DOT, SPOT, NIB, RUBBER = 0.011, 0.17, 0.0055, 0.02
DIMMED = QColor(0, 0, 0, 165)
RED = QColor(255, 45, 45)


class Pointer(QWidget):
    """Follows the mouse. While the pen is taken up it keeps the mouse to itself: the left button draws, the right
    one rubs out. Otherwise clicks go through it to the panels. `taken()`: another tool, or none.
    """

    taken = Signal()

    def __init__(self, ink: Ink, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pointer")
        self._ink = ink
        self._place: Place = ()
        self._theme: Colours = colours(shade="light")
        self._drawn: list[Point] = []
        self.at: QPointF | None = None
        self.tool, self.colour = ARROW, INKS[0]
        self.setMouseTracking(True)
        self._take(ARROW)

    # Tools

    def toggle(self, tool: str) -> None:
        """Take up a tool, or put it down again."""
        self._take(ARROW if self.tool == tool else tool)

    def next_pen(self) -> None:
        """The pen; pressed again, the next colour; after the last, no pen."""
        if self.tool != PEN:
            self.colour = INKS[0]
            self._take(PEN)
        elif self.colour == INKS[-1]:
            self._take(ARROW)
        else:
            self.colour = INKS[INKS.index(self.colour) + 1]
            self.update()

    def put_down(self) -> bool:
        """No tool; whether there was one."""
        had = self.tool != ARROW
        self._take(ARROW)
        return had

    def _take(self, tool: str) -> None:
        self.tool = tool
        self._drawn = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, tool != PEN)
        self.setCursor(Qt.CursorShape.CrossCursor if tool == PEN else Qt.CursorShape.ArrowCursor)
        self.update()
        self.taken.emit()

    @property
    def shines(self) -> bool:
        """Whether a dot or a light shows where the mouse is."""
        return self.tool in (LASER, SPOTLIGHT)

    # Ink

    def show_place(self, place: Place, theme: Colours) -> None:
        """The step whose ink is seen."""
        if place != self._place:
            self._drawn = []
        self._place, self._theme = place, theme
        self.update()

    def wipe(self) -> None:
        """All ink of this step away."""
        self._ink.wipe(self._place)
        self.update()

    def take_back(self) -> None:
        """The last stroke away."""
        self._ink.take_back(self._place)
        self.update()

    def _point(self, at: QPointF) -> Point:
        high = max(1, self.height())
        return (at.x() - self.width() / 2) / high, (at.y() - high / 2) / high

    def _pixel(self, point: Point) -> QPointF:
        return QPointF(self.width() / 2 + point[0] * self.height(), self.height() / 2 + point[1] * self.height())

    # Mouse

    def follow(self, at: QPointF) -> None:
        """The mouse is here now."""
        self.at = at
        if self.shines:
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self.at = None
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A stroke begins, or the rubber comes down."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._drawn = [self._point(event.position())]
        elif event.button() is Qt.MouseButton.RightButton:
            self._rub(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The stroke goes on."""
        self.follow(event.position())
        if event.buttons() & Qt.MouseButton.RightButton:
            self._rub(event.position())
        elif self._drawn:
            self._drawn.append(self._point(event.position()))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The stroke stays."""
        if self._drawn and event.button() is Qt.MouseButton.LeftButton:
            self._ink.add(self._place, Stroke(self.colour, tuple(self._drawn)))
            self._drawn = []
            self.update()

    def _rub(self, at: QPointF) -> None:
        self._ink.rub(self._place, self._point(at), RUBBER)
        self.update()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ink, then the spotlight's dark or the laser's dot."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            for stroke in self._ink.at(self._place):
                self._paint_stroke(painter, stroke)
            if self._drawn:
                self._paint_stroke(painter, Stroke(self.colour, tuple(self._drawn)))
            if self.at is not None and self.tool == SPOTLIGHT:
                self._paint_spotlight(painter, self.at)
            elif self.at is not None and self.tool == LASER:
                self._paint_laser(painter, self.at)

    def _paint_stroke(self, painter: QPainter, stroke: Stroke) -> None:
        colour, width = QColor(getattr(self._theme, stroke.colour)), NIB * self.height()
        points = QPolygonF([self._pixel(point) for point in stroke.points])
        painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if len(stroke.points) == 1:
            painter.drawPoint(self._pixel(stroke.points[0]))
        else:
            painter.drawPolyline(points)

    def _paint_spotlight(self, painter: QPainter, at: QPointF) -> None:
        radius, shade = SPOT * self.height(), QPainterPath()
        shade.setFillRule(Qt.FillRule.OddEvenFill)
        shade.addRect(self.rect())
        shade.addEllipse(at, radius, radius)
        painter.fillPath(shade, DIMMED)

    def _paint_laser(self, painter: QPainter, at: QPointF) -> None:
        radius = DOT * self.height()
        glow = QRadialGradient(at, radius * 2.4)
        glow.setColorAt(0.0, QColor(255, 70, 70, 190))
        glow.setColorAt(1.0, QColor(255, 45, 45, 0))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(glow)
        painter.drawEllipse(at, radius * 2.4, radius * 2.4)
        painter.setPen(QPen(QColor("white"), radius * 0.22))
        painter.setBrush(RED)
        painter.drawEllipse(at, radius, radius)
