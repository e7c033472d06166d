"""Widgets over the presented picture: pointer, message, key help, blank screen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.painting.theme import Colours, colours
from gui.presentation.keys import KEY_HELP
from gui.presentation.overlay import (
    ARROW,
    LASER,
    PEN,
    PEN_COLOURS,
    SPOTLIGHT,
    OverlayMessage,
    PenStroke,
    Place,
    Point,
    PointerMarks,
    StrokeStore,
    paint_key_help,
    paint_marks,
    paint_message,
    pixel_of,
    point_of,
)
from gui.texts.translation import tr, tr_marked

NONE, BLACK, WHITE = "", "black", "white"
MOMENT = 1200  # milliseconds


class BlankScreen(QWidget):
    """Covers everything in one colour until it is lifted by a key or a click. `changed()`: drawn or lifted."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("curtain")
        self.colour = NONE
        self.hide()

    def toggle(self, colour: str) -> None:
        """Black or white; the same colour again lifts it."""
        self.colour = NONE if self.colour == colour else colour
        self.setVisible(self.colour != NONE)
        self.raise_()
        self.update()
        self.changed.emit()

    def uncover(self) -> bool:
        """Away with it; whether it was there."""
        was = self.colour != NONE
        self.toggle(self.colour)
        return was

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click lifts it, and means nothing else."""
        self.uncover()

    def paintEvent(self, event: QPaintEvent) -> None:
        """One colour."""
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.colour or BLACK))


class MessageLayer(QWidget):
    """A few large words in the middle, such as the number that is being typed, and smaller ones below.

    `changed()`: others, or none any more; `gone()`: none any more.
    """

    changed = Signal()
    gone = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._said, self._shade = OverlayMessage(), "light"
        self._moment = QTimer(self, singleShot=True, interval=MOMENT)
        self._moment.timeout.connect(self.dismiss)
        self.hide()

    @property
    def large(self) -> str:
        """The large words that were said last."""
        return self._said.large

    @property
    def small(self) -> str:
        """The small ones."""
        return self._said.small

    @property
    def message(self) -> OverlayMessage:
        """What is seen of them."""
        return OverlayMessage() if self.isHidden() else self._said

    def show_message(
        self, large: str, small: str, shade: str, moment: int = MOMENT, *, aside: bool = False
    ) -> None:
        """Show words for a moment, in milliseconds; `aside` in the upper right corner, where they hide less."""
        self._said, self._shade = OverlayMessage(large, small, aside), shade
        self.setAccessibleName(f"{large} {small}".strip())
        self._moment.start(moment)
        self.show()
        self.raise_()
        self.update()
        self.changed.emit()

    def dismiss(self) -> None:
        """Take them away."""
        self._moment.stop()
        if not self.isHidden():
            self.hide()
            self.gone.emit()
            self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """On a patch in the middle."""
        with QPainter(self) as painter:
            paint_message(painter, QRectF(self.rect()), self._said, self._shade)


RUBBER = 0.02  # a part of the screen's height


class PointerLayer(QWidget):
    """Follows the mouse. While the pen is taken up it keeps the mouse to itself: the left button draws, the right
    one rubs out. Otherwise clicks go through it to the panels. `taken()`: another tool, or none; `changed()`: it draws
    something else.
    """

    tool_changed = Signal()
    changed = Signal()

    def __init__(self, ink: StrokeStore, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pointer")
        self._ink = ink
        self._place: Place = ()
        self._theme: Colours = colours(shade="light")
        self._drawn: list[Point] = []
        self.at: QPointF | None = None
        self.tool, self.colour = ARROW, PEN_COLOURS[0]
        self.setMouseTracking(True)
        self._take(ARROW)

    # Tools

    def toggle(self, tool: str) -> None:
        """Take up a tool, or put it down again."""
        self._take(ARROW if self.tool == tool else tool)

    def next_pen(self) -> None:
        """The pen; pressed again, the next colour; after the last, no pen."""
        if self.tool != PEN:
            self.colour = PEN_COLOURS[0]
            self._take(PEN)
        elif self.colour == PEN_COLOURS[-1]:
            self._take(ARROW)
        else:
            self.colour = PEN_COLOURS[PEN_COLOURS.index(self.colour) + 1]
            self._redraw()

    def drop_tool(self) -> bool:
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
        self.tool_changed.emit()

    @property
    def has_light(self) -> bool:
        """Whether a dot or a light shows where the mouse is."""
        return self.tool in (LASER, SPOTLIGHT)

    # Ink

    def show_place(self, place: Place, theme: Colours) -> None:
        """The step whose ink is seen."""
        if place != self._place:
            self._drawn = []
        self._place, self._theme = place, theme
        self._redraw()

    def clear_strokes(self) -> None:
        """All ink of this step away."""
        self._ink.clear(self._place)
        self._redraw()

    def undo_stroke(self) -> None:
        """The last stroke away."""
        self._ink.undo(self._place)
        self._redraw()

    def _point(self, at: QPointF) -> Point:
        return point_of(at, QRectF(self.rect()))

    # Mouse

    def follow(self, at: QPointF) -> None:
        """The mouse is here now."""
        self.at = at
        if self.has_light:
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
            self._ink.add(self._place, PenStroke(self.colour, tuple(self._drawn)))
            self._drawn = []
            self._redraw()

    def leave(self) -> None:
        """Nothing is pointed at any more."""
        self.at = None
        self._redraw()

    def _rub(self, at: Point) -> None:
        self._ink.erase(self._place, at, RUBBER)
        self._redraw()

    # Painting

    @property
    def marks(self) -> PointerMarks:
        """What it draws now."""
        drawn = (PenStroke(self.colour, tuple(self._drawn)),) if self._drawn else ()
        at = None if self.at is None else self._point(self.at)
        return PointerMarks((*self._ink.at(self._place), *drawn), self.tool, at)

    def _redraw(self) -> None:
        self.update()
        self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Ink, then the spotlight's dark or the laser's dot."""
        with QPainter(self) as painter:
            paint_marks(painter, QRectF(self.rect()), self.marks, self._theme)


class KeyHelpLayer(QWidget):
    """Hidden until it is asked for; the same key, Esc or a click takes it away. `changed()`: it came or went."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("keys_page")
        self._shade = "light"
        self.hide()

    def toggle(self, shade: str) -> None:
        """There, or away again."""
        if not self.hide_page():
            self._shade = shade
            self.setAccessibleName(tr(", ").join(tr_marked(text) for _, text in KEY_HELP))
            self.show()
            self.raise_()
            self.changed.emit()

    def hide_page(self) -> bool:
        """Take it away; whether it was there."""
        was = not self.isHidden()
        if was:
            self.hide()
            self.changed.emit()
        return was

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click takes it away, and means nothing else."""
        self.hide_page()

    def paintEvent(self, event: QPaintEvent) -> None:
        """All of it."""
        with QPainter(self) as painter:
            paint_key_help(painter, QRectF(self.rect()), self._shade)
