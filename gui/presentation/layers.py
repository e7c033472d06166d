"""Widgets over the presented picture: pointer, message, key help, blank screen."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gui.painting.theme import Colours, colours
from gui.presentation.keys import KEY_HELP, KeyRows
from gui.presentation.overlay import (
    ARROW,
    LASER,
    PEN,
    PEN_COLOURS,
    SPOTLIGHT,
    OverlayMessage,
    PenStroke,
    PointerMarks,
    ScreenPoint,
    StrokeKey,
    Strokes,
    paint_countdown,
    paint_key_help,
    paint_marks,
    paint_message,
    pixel_of,
    point_of,
)
from gui.texts.translation import tr, tr_marked

NONE, BLACK, WHITE = "", "black", "white"
MESSAGE_TIME = 1200  # milliseconds


class BlankScreen(QWidget):
    """Covers everything in one colour until a key or click. Signal: `changed()`."""

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("curtain")
        self.colour = NONE
        self.hide()

    def toggle(self, colour: str) -> None:
        """Cover in a colour; the same colour again uncovers."""
        self.colour = NONE if self.colour == colour else colour
        self.setVisible(self.colour != NONE)
        self.raise_()
        self.update()
        self.changed.emit()

    def uncover(self) -> bool:
        """Remove the cover; return whether there was one."""
        was = self.colour != NONE
        self.toggle(self.colour)
        return was

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Uncover."""
        self.uncover()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill with the colour."""
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(self.colour or BLACK))


class MessageLayer(QWidget):
    """Shows a short message for a moment, such as the number that is typed.

    Signal: `changed()`. `message` is the last one.
    """

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("words")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.message, self._shade = OverlayMessage(), "light"
        self._timer = QTimer(self, singleShot=True, interval=MESSAGE_TIME)
        self._timer.timeout.connect(self.dismiss)
        self.hide()

    @property
    def visible_message(self) -> OverlayMessage:
        """The message that is visible now, else an empty one."""
        return OverlayMessage() if self.isHidden() else self.message

    def show_message(
        self,
        large: str,
        small: str,
        shade: str,
        milliseconds: int = MESSAGE_TIME,
        *,
        aside: bool = False,
    ) -> None:
        """Show texts for some milliseconds, in the middle or in the corner (`aside`)."""
        self.message, self._shade = OverlayMessage(large, small, aside), shade
        self.setAccessibleName(f"{large} {small}".strip())
        self._timer.start(milliseconds)
        self.show()
        self.raise_()
        self.update()
        self.changed.emit()

    def dismiss(self) -> None:
        """Hide the message."""
        self._timer.stop()
        if not self.isHidden():
            self.hide()
            self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the message."""
        with QPainter(self) as painter:
            paint_message(painter, QRectF(self.rect()), self.message, self._shade)


class CountdownLayer(QWidget):
    """The time that is left for a question, in the upper right corner. Signal: `changed()`.

    At the end it shows zero until it is stopped.
    """

    changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("countdown")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._shade, self._seconds = "light", 0
        self._now: Callable[[], datetime] = datetime.now
        self._began = datetime.now()
        self.timer = QTimer(self, interval=200)
        self.timer.timeout.connect(self.show_time)
        self.left = 0
        self.hide()

    @property
    def is_running(self) -> bool:
        """Whether it is shown."""
        return not self.isHidden()

    @property
    def text(self) -> str:
        """The time that is shown, such as 1:05; "" while it is hidden."""
        return f"{self.left // 60}:{self.left % 60:02d}" if self.is_running else ""

    def start(self, seconds: int, now: Callable[[], datetime], shade: str) -> None:
        """Count down from some seconds by a clock."""
        self._seconds, self._now, self._began, self._shade = seconds, now, now(), shade
        self.left = -1
        self.show()
        self.raise_()
        self.timer.start()
        self.show_time()

    def stop(self) -> None:
        """Hide it."""
        self.timer.stop()
        self.hide()
        self.changed.emit()

    def show_time(self) -> None:
        """Update the time that is left."""
        passed = (self._now() - self._began).total_seconds()
        left = max(0, math.ceil(self._seconds - passed))
        if left != self.left:
            self.left = left
            self.setAccessibleName(tr("Time left: {time}", time=self.text))
            self.update()
            self.changed.emit()
        if left == 0:
            self.timer.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the time."""
        with QPainter(self) as painter:
            paint_countdown(painter, QRectF(self.rect()), self.text, self._shade)


ERASER = 0.02  # a part of the screen's height


class PointerLayer(QWidget):
    """Pointer, spotlight and pen over the picture.

    With the pen the left button draws and the right one erases; else clicks go to the panels.
    Signals: `tool_changed()`; `changed()` when its picture changes.
    """

    tool_changed = Signal()
    changed = Signal()

    def __init__(self, strokes: Strokes, edits: Callable[[], int], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("pointer")
        self._edits = edits
        self._all_strokes = strokes
        self._place: StrokeKey = ()
        self._theme: Colours = colours(shade="light")
        self._points: list[ScreenPoint] = []
        self.at: QPointF | None = None
        self.tool, self.colour = ARROW, PEN_COLOURS[0]
        self.setMouseTracking(True)
        self._take(ARROW)

    # Tools

    def toggle(self, tool: str) -> None:
        """Take a tool, or put it down."""
        self._take(ARROW if self.tool == tool else tool)

    def next_pen(self) -> None:
        """Take the pen, then its next colour, then put it down."""
        if self.tool != PEN:
            self.colour = PEN_COLOURS[0]
            self._take(PEN)
        elif self.colour == PEN_COLOURS[-1]:
            self._take(ARROW)
        else:
            self.colour = PEN_COLOURS[PEN_COLOURS.index(self.colour) + 1]
            self._redraw()

    def drop_tool(self) -> bool:
        """Put the tool down; return whether there was one."""
        had = self.tool != ARROW
        self._take(ARROW)
        return had

    def _take(self, tool: str) -> None:
        self.tool = tool
        self._points = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, tool != PEN)
        self.setCursor(Qt.CursorShape.CrossCursor if tool == PEN else Qt.CursorShape.ArrowCursor)
        self._redraw()
        self.tool_changed.emit()

    @property
    def has_light(self) -> bool:
        """Whether laser or spotlight shows the mouse."""
        return self.tool in (LASER, SPOTLIGHT)

    # Strokes

    def show_place(self, place: StrokeKey, theme: Colours) -> None:
        """Show the strokes of a step."""
        if place != self._place:
            self._points = []
        self._place, self._theme = place, theme
        self._redraw()

    @property
    def strokes(self) -> tuple[PenStroke, ...]:
        """The strokes of the current step."""
        return self._all_strokes.get(self._place, ())

    @strokes.setter
    def strokes(self, strokes: tuple[PenStroke, ...]) -> None:
        self._all_strokes[self._place] = strokes
        self._redraw()

    def clear_strokes(self) -> None:
        """Remove all strokes of this step."""
        self.strokes = ()

    def undo_stroke(self) -> bool:
        """Remove the last stroke if it is newer than the last edit; return whether it was."""
        if self.tool != PEN or not self.strokes or self.strokes[-1].edits < self._edits():
            return False
        self.strokes = self.strokes[:-1]
        return True

    def _point(self, at: QPointF) -> ScreenPoint:
        return point_of(at, QRectF(self.rect()))

    # Mouse

    def follow(self, at: QPointF) -> None:
        """Move the pointer."""
        self.at = at
        if self.has_light:
            self._redraw()

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the pointer."""
        self.leave()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a stroke or erase."""
        self.press(event.button(), self._point(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue the stroke."""
        self.move_to(event.buttons(), self._point(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Finish the stroke."""
        self.release(event.button())

    # The same from the speaker's preview

    def press(self, button: Qt.MouseButton, at: ScreenPoint) -> None:
        """Press a button at a screen point; also called by the speaker's preview."""
        if self.tool != PEN:
            return
        if button is Qt.MouseButton.LeftButton:
            self._points = [at]
        elif button is Qt.MouseButton.RightButton:
            self._erase(at)

    def move_to(self, buttons: Qt.MouseButton, at: ScreenPoint) -> None:
        """Move the mouse to a screen point with some buttons down."""
        self.follow(pixel_of(at, QRectF(self.rect())))
        if self.tool == PEN and buttons & Qt.MouseButton.RightButton:
            self._erase(at)
        elif self._points:
            self._points.append(at)
            self._redraw()

    def release(self, button: Qt.MouseButton) -> None:
        """Release a button."""
        if self._points and button is Qt.MouseButton.LeftButton:
            stroke = PenStroke(self.colour, tuple(self._points), self._edits())
            self._points = []
            self.strokes = (*self.strokes, stroke)

    def leave(self) -> None:
        """Hide the pointer."""
        self.at = None
        self._redraw()

    def _erase(self, at: ScreenPoint) -> None:
        self.strokes = tuple(one for one in self.strokes if not one.near(at, ERASER))

    # Painting

    @property
    def marks(self) -> PointerMarks:
        """Its current picture."""
        drawn = (PenStroke(self.colour, tuple(self._points)),) if self._points else ()
        at = None if self.at is None else self._point(self.at)
        return PointerMarks((*self.strokes, *drawn), self.tool, at)

    def _redraw(self) -> None:
        self.update()
        self.changed.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint strokes and light."""
        with QPainter(self) as painter:
            paint_marks(painter, QRectF(self.rect()), self.marks, self._theme)


class KeyHelpLayer(QWidget):
    """The key help over the picture; its key, Esc or a click hides it. Signal: `changed()`."""

    changed = Signal()

    def __init__(self, parent: QWidget, rows: KeyRows = KEY_HELP) -> None:
        super().__init__(parent)
        self._rows = rows
        self.setObjectName("keys_page")
        self._shade = "light"
        self.hide()

    def toggle(self, shade: str) -> None:
        """Show or hide it."""
        if not self.hide_page():
            self._shade = shade
            self.setAccessibleName(tr(", ").join(tr_marked(text) for _, text in self._rows))
            self.show()
            self.raise_()
            self.changed.emit()

    def hide_page(self) -> bool:
        """Hide it; return whether it was visible."""
        was = not self.isHidden()
        if was:
            self.hide()
            self.changed.emit()
        return was

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Hide it."""
        self.hide_page()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the key help."""
        with QPainter(self) as painter:
            paint_key_help(painter, QRectF(self.rect()), self._shade, self._rows)
