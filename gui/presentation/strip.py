"""The timeline at the lower edge: it comes when the mouse does, and goes with it or when it rests."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QPropertyAnimation, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGraphicsOpacityEffect, QWidget

from gui.painting.theme import colours
from gui.presentation.sizes import unit_for
from gui.session.session import Session
from gui.session.state import State
from gui.views.timeline import TimelineBar

RESTS, FADES = 2500, 220  # milliseconds
LINE, AIR = 36, 8  # units
EDGE = 0.3  # the part of its height, at the edge of the screen, from which it comes


class Strip(QWidget):
    """Comes when it is woken and fades away by itself."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("strip")
        self._session = session
        self.timeline = TimelineBar(session, self)
        self.timeline.setMouseTracking(True)
        self.setMouseTracking(True)
        self._effect = QGraphicsOpacityEffect(self, opacity=0.0)
        self.setGraphicsEffect(self._effect)
        self._fade = QPropertyAnimation(self._effect, b"opacity", self)
        self._fade.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._fade.finished.connect(self._faded)
        self._rest = QTimer(self, singleShot=True, interval=RESTS)
        self._rest.timeout.connect(self.sleep)
        self.hide()

    def place(self, width: int, height: int) -> None:
        """At the lower edge of a screen of this size."""
        unit = unit_for("words", height)
        line, air = round(LINE * unit), round(AIR * unit)
        self.setGeometry(0, height - line - air, width, line + air)
        self.timeline.magnify(unit)
        self.timeline.setGeometry(2 * air, air, width - 4 * air, line)

    def show_state(self, old: State | None, new: State) -> None:
        """The timeline follows, seen or not."""
        self.timeline.show_state(old, new)
        self.update()

    @property
    def awake(self) -> bool:
        """Whether it is there or comes."""
        return not self.isHidden() and self._fade.endValue() != 0.0

    def follow(self, y: float) -> None:
        """The mouse moved to this height of the screen: at the very edge the strip comes, above it the strip goes."""
        if y >= self.geometry().bottom() + 1 - self.height() * EDGE:
            self.wake()
        elif self.awake and y >= self.y():
            self._rest.start()
        elif self.awake:
            self._rest.stop()
            self.sleep()

    def wake(self) -> None:
        """Come, for a while."""
        self._rest.start()
        if not self.awake:
            self.show()
            self._to(1.0)

    def sleep(self) -> None:
        """Fade away."""
        self._to(0.0)

    def end(self) -> None:
        """Gone at once."""
        self._rest.stop()
        self._fade.stop()
        self.hide()

    def _to(self, opacity: float) -> None:
        self._fade.stop()
        self._fade.setStartValue(self._effect.opacity())
        self._fade.setEndValue(opacity)
        self._fade.setDuration(FADES if self._session.state.moves else 0)
        self._fade.start()

    def _faded(self) -> None:
        self.setVisible(self._effect.opacity() > 0.0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A quiet ground with an edge."""
        theme = colours(self._session.state.shade)
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(theme.surface))
            painter.fillRect(0, 0, self.width(), 1, QColor(theme.line))
