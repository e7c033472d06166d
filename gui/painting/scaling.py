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
def in_units(painter: QPainter, place: QRect, unit: float) -> Iterator[QRectF]:
    """Paint into a rectangle of pixels in logical units; gives the room there is, from 0, 0. Nothing leaves it."""
    room = room_in_units(place, unit)
    painter.save()
    if unit != 1.0 or place.topLeft() != room.topLeft().toPoint():
        painter.setViewport(
            place.x(), place.y(), round(room.width() * unit), round(room.height() * unit)
        )
        painter.setWindow(room.toRect())
        painter.setClipRect(room)
    try:
        yield room
    finally:
        painter.restore()
