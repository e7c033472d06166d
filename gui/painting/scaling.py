"""Everything larger at once: what is laid out in logical units, painted so many pixels a unit.

Units are the painter's view, so that what paints in pixels of its own (digits, pixmaps) keeps to them too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QPainter


def room_in_units(size: QRect, unit: float) -> QRectF:
    """The room that a rectangle of pixels has for logical units, from 0, 0."""
    return QRectF(0.0, 0.0, max(1, round(size.width() / unit)), max(1, round(size.height() / unit)))


@contextmanager
def saved(painter: QPainter) -> Iterator[None]:
    """Restore the painter's state at the end, also after an error."""
    painter.save()
    try:
        yield
    finally:
        painter.restore()


@contextmanager
def in_units(painter: QPainter, place: QRect, unit: float) -> Iterator[QRectF]:
    """Paint into a rectangle of pixels in logical units; gives the rectangle in units, from 0, 0. Clips to it."""
    room = room_in_units(place, unit)
    with saved(painter):
        if unit != 1.0 or place.topLeft() != room.topLeft().toPoint():
            width, height = round(room.width() * unit), round(room.height() * unit)
            painter.setViewport(place.x(), place.y(), width, height)
            painter.setWindow(room.toRect())
            painter.setClipRect(room)
        yield room
