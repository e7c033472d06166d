"""What lies over the picture: ink, the spotlight and the laser's dot."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.painting.theme import Colours, colours
from gui.presentation.ink import INKS, Ink, Place, Point, Stroke
from gui.presentation.overlay import (
    ARROW,
    LASER,
    PEN,
    SPOTLIGHT,
    Marks,
    paint_marks,
    pixel_of,
    point_of,
)

RUBBER = 0.02  # a part of the screen's height


class Pointer(QWidget):
    """Follows the mouse. While the pen is taken up it keeps the mouse to itself: the left button draws, the right
    one rubs out. Otherwise clicks go through it to the panels. `taken()`: another tool, or none; `changed()`: it draws
    something else.
    """

    taken = Signal()
    changed = Signal()

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
            self._redraw()

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
        self._redraw()
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
        self._redraw()

    def wipe(self) -> None:
        """All ink of this step away."""
        self._ink.wipe(self._place)
        self._redraw()

    def take_back(self) -> None:
        """The last stroke away."""
        self._ink.take_back(self._place)
        self._redraw()

    def _point(self, at: QPointF) -> Point:
        return point_of(at, QRectF(self.rect()))

    # Mouse

    def follow(self, at: QPointF) -> None:
        """The mouse is here now."""
        self.at = at
        if self.shines:
            self._redraw()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self.leave()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A stroke begins, or the rubber comes down."""
        self.press(event.button(), self._point(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The stroke goes on."""
        self.move_to(event.buttons(), self._point(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The stroke stays."""
        self.release(event.button())

    # The same from afar, where the lecturer has a small picture of this screen

    def press(self, button: Qt.MouseButton, at: Point) -> None:
        """A button goes down there."""
        if self.tool != PEN:
            return
        if button is Qt.MouseButton.LeftButton:
            self._drawn = [at]
        elif button is Qt.MouseButton.RightButton:
            self._rub(at)

    def move_to(self, buttons: Qt.MouseButton, at: Point) -> None:
        """The mouse is there now, with these buttons down."""
        self.follow(pixel_of(at, QRectF(self.rect())))
        if self.tool == PEN and buttons & Qt.MouseButton.RightButton:
            self._rub(at)
        elif self._drawn:
            self._drawn.append(at)
            self._redraw()

    def release(self, button: Qt.MouseButton) -> None:
        """The button comes up."""
        if self._drawn and button is Qt.MouseButton.LeftButton:
            self._ink.add(self._place, Stroke(self.colour, tuple(self._drawn)))
            self._drawn = []
            self._redraw()

    def leave(self) -> None:
        """Nothing is pointed at any more."""
        self.at = None
        self._redraw()

    def _rub(self, at: Point) -> None:
        self._ink.rub(self._place, at, RUBBER)
        self._redraw()

    # Painting

    @property
    def marks(self) -> Marks:
        """What it draws now."""
        drawn = (Stroke(self.colour, tuple(self._drawn)),) if self._drawn else ()
        at = None if self.at is None else self._point(self.at)
        return Marks((*self._ink.at(self._place), *drawn), self.tool, at)

    def _redraw(self) -> None:
        self.update()
        self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ink, then the spotlight's dark or the laser's dot."""
        with QPainter(self) as painter:
            paint_marks(painter, QRectF(self.rect()), self.marks, self._theme)
