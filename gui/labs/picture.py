"""The widget that shows a lab's picture: clicks, drags, keyboard focus and tooltips of its spots."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QWidget

from gui.labs.exhibit import Spot, find_exhibit
from gui.labs.frame import paint_picture
from gui.labs.session import LabSession, LabState
from gui.painting.shapes import paint_shape
from gui.painting.text_size import in_units, size_in_units
from gui.widgets.shortcut_filter import COMMANDS

ARROWS = {
    Qt.Key.Key_Left: QPointF(-1, 0),
    Qt.Key.Key_Right: QPointF(1, 0),
    Qt.Key.Key_Up: QPointF(0, -1),
    Qt.Key.Key_Down: QPointF(0, 1),
}
LEAST = QSize(560, 300)  # least logical size, for every text size
ROOMY = QSize(1200, 700)  # largest logical size; beyond it the picture is magnified
NEAR = 6.0  # hit tolerance around a small spot in units


class LabPicture(QWidget):
    """A picture laid out in logical units of `magnify` pixels.

    `spoke(text)` announces a focused spot.
    """

    spoke = Signal(str)

    def __init__(self, session: LabSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._asked, self._unit = session, 1.0, 1.0
        self._spots: tuple[Spot, ...] | None = None
        self._dragged: Spot | None = None
        self._drags = 0
        self._by_key = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(320, 240)

    def sizeHint(self) -> QSize:
        """Return the largest size."""
        return QSize(900, 620)

    def magnify(self, unit: float) -> None:
        """Set the pixels per unit, more if the picture is very large."""
        self._asked = unit
        self._unit = self._fitting(unit)
        self._spots = None
        self.update()

    def _fitting(self, unit: float) -> float:
        """Limit the unit so that the picture is neither too small nor too large in units.

        The height is preserved if letters would be too small otherwise; the surroundings scroll.
        """
        wide, high = self.width(), self.height()
        self.setMinimumHeight(max(240, round(LEAST.height() * math.sqrt(unit))))
        small = max(1.0, min(math.sqrt(unit), wide / LEAST.width()))
        fewer = max(small, min(unit, wide / LEAST.width(), high / LEAST.height()))
        return max(min(unit, fewer), min(wide / ROOMY.width(), high / ROOMY.height()))

    def show_state(self, old: LabState | None, new: LabState) -> None:
        """Repaint."""
        self._spots = None
        self.setAccessibleName(find_exhibit(new.lab).spoken(new.shown))
        self.update()

    @property
    def spots(self) -> tuple[Spot, ...]:
        """Return the interactive spots."""
        if self._spots is None:
            state = self._session.state
            self._spots = find_exhibit(state.lab).spots(self._room(), state.shown)
        return self._spots

    def _room(self) -> QRectF:
        return size_in_units(self.rect(), self._unit)

    def resizeEvent(self, event: QEvent) -> None:
        """Update the spots."""
        self.magnify(self._asked)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the exhibit and a ring around the focused spot."""
        state = self._session.state
        theme = state.shown.appearance.theme
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(theme.surface))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), self._unit) as area:
                paint_picture(painter, area, state.lab, state.shown)
                spot = self._current()
                if self.hasFocus() and spot is not None:
                    paint_shape(
                        painter,
                        spot.area.adjusted(-3, -3, 3, 3),
                        line=theme.accent,
                        width=2.0,
                        radius=5,
                    )
            if self.hasFocus() and self._by_key and spot is None:
                paint_shape(painter, QRectF(self.rect().adjusted(0, 0, -1, -1)), line=theme.accent)

    # Keyboard

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus ring only for keyboard focus."""
        self._by_key = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        )
        super().focusInEvent(event)

    def _current(self) -> Spot | None:
        name = self._session.state.shown.appearance.focus
        return next((spot for spot in self.spots if spot.id == name), None)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move from spot to spot, then to the next widget."""
        reached = [spot for spot in self.spots if spot.tab]
        places = [spot.id for spot in reached]
        current = self._current()
        index = (
            places.index(current.id)
            if current and current.tab
            else (-1 if forward else len(places))
        ) + (1 if forward else -1)
        if 0 <= index < len(places):
            self._point_at(reached[index])
            return True
        self._session.point_at("")
        return super().focusNextPrevChild(forward)

    def _point_at(self, spot: Spot) -> None:
        self._session.point_at(spot.id)
        self.spoke.emit(spot.name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose the spot by Enter or Space, drag it by arrows, or press another spot's key."""
        spot = self._current()
        key = Qt.Key(event.key())
        called = self._called(event)
        if called is not None:
            self._choose(called)
        elif spot is not None and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(spot)
        elif spot is not None and spot.drag is not None and key in ARROWS:
            far = 5.0 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1.0
            to = spot.area.center() + ARROWS[key] * spot.nudge * far
            self._session.set_value(spot.control, spot.drag(to), f"keys {spot.id}")
        else:
            super().keyPressEvent(event)

    def needs(self, event: QKeyEvent) -> bool:
        """Whether a key drags, chooses or calls a spot."""
        spot, key = self._current(), Qt.Key(event.key())
        if self._called(event) is not None:
            return True
        chooses = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
        return spot is not None and (chooses or (spot.drag is not None and key in ARROWS))

    def _called(self, event: QKeyEvent) -> Spot | None:
        """Return the spot with this shortcut, number pad included."""
        if event.modifiers() & COMMANDS:
            return None
        name = QKeySequence(event.key()).toString()
        return next((spot for spot in self.spots if spot.key and spot.key == name), None)

    def _choose(self, spot: Spot) -> None:
        if spot.press:
            self._session.press(spot.control)
        elif spot.value is not None:
            self._session.set_value(spot.control, spot.value)

    # Mouse

    def _spot_at(self, point: QPointF) -> Spot | None:
        """Return the smallest spot under a point, else the nearest draggable one close by."""
        under = [spot for spot in self.spots if spot.area.contains(point)]
        if not under:
            near = (-NEAR, -NEAR, NEAR, NEAR)
            under = [
                spot
                for spot in self.spots
                if spot.drag and spot.area.adjusted(*near).contains(point)
            ]
        return min(under, key=lambda spot: spot.area.width() * spot.area.height(), default=None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a spot or start a drag."""
        spot = self._spot_at(event.position() / self._unit)
        if spot is None or event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        self._drags += 1
        self._dragged = spot if spot.drag else None
        self._session.point_at(spot.id)
        self._choose(spot)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue a drag, or show a hand over spots."""
        point = event.position() / self._unit
        if self._dragged is not None and self._dragged.drag is not None:
            self._session.set_value(
                self._dragged.control, self._dragged.drag(point), f"drag {self._drags}"
            )
            return
        spot = self._spot_at(point)
        shape = Qt.CursorShape.ArrowCursor
        if spot is not None:
            shape = (
                Qt.CursorShape.OpenHandCursor if spot.drag else Qt.CursorShape.PointingHandCursor
            )
        self.setCursor(shape)
        self.setToolTip(spot.name if spot else "")

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        self._dragged = None
