"""A small picture of what the hall sees, in which the lecturer can point and write as on the hall's screen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from gui.painting.theme import colours
from gui.presentation.headline import headline_of
from gui.presentation.ink import Point
from gui.presentation.overlay import Overlay, paint_over, point_of
from gui.presentation.slide import paint_slide
from gui.session.presented import PresentedViews
from gui.session.state import State


class Preview(QWidget):
    """Empty after the last step. The mouse as places of the hall's screen: `pointed(buttons, point)`,
    `pressed(button, point)`, `released(button)`, `left()`.
    """

    pointed = Signal(object, object)
    pressed = Signal(object, object)
    released = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: tuple[State, PresentedViews, bool] | None = None
        self._over = Overlay()
        self.aspect = 16 / 9

    @property
    def state(self) -> State | None:
        """The state that is shown."""
        return None if self._shown is None else self._shown[0]

    @property
    def over(self) -> Overlay:
        """What lies over it."""
        return self._over

    def show_step(self, shown: tuple[State, PresentedViews, bool] | None) -> None:
        """Another state, what is shown of it, and whether its answer is."""
        self._shown = shown
        self.update()

    def show_over(self, over: Overlay) -> None:
        """Something else lies over it."""
        if over != self._over:
            self._over = over
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """As the hall sees it, in a frame."""
        if self._shown is None:
            return
        state, choice, answered = self._shown
        with QPainter(self) as painter:
            place = self.place()
            painter.setClipRect(place)
            if not self._over.curtain:
                paint_slide(painter, place, state, choice, headline_of(state, answered))
            paint_over(painter, QRectF(place), self._over, state.shade)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            painter.setPen(QPen(QColor(colours(state.shade).line), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(place.adjusted(0, 0, -1, -1))

    def place(self) -> QRect:
        """The largest rectangle of the hall's proportions, at the top."""
        width = min(self.width(), round(self.height() * self.aspect))
        return QRect(0, 0, width, round(width / self.aspect))

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """As on the hall's screen."""
        self.pressed.emit(event.button(), self._point(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """As on the hall's screen, while the mouse is on its picture."""
        if self.place().contains(event.position().toPoint()):
            self.pointed.emit(event.buttons(), self._point(event.position()))
        else:
            self.left.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """As on the hall's screen."""
        self.released.emit(event.button())

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is pointed at any more."""
        self.left.emit()

    def _point(self, at: QPointF) -> Point:
        return point_of(at, QRectF(self.place()))
