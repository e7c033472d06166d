"""Zoom and pan as numbers: where layout units lie on the screen."""

from __future__ import annotations

from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF

from gui.views.diagram.shapes import Layout, Rect
from gui.views.diagram.viewport_crop import Excerpt

# The picture is never drawn larger than this of itself to fill its room.
LARGEST_FIT = 2.2
# By hand the smallest cells may become this many pixels large, so that their numbers can be read.
LARGEST_CELL = 56.0
ZOOM_STEP = 1.25
EDGE = 24.0
LEAST_SEEN = 1 / 3


class Camera(Struct, frozen=True):
    """pixel = offset + scale · unit."""

    scale: float
    dx: float
    dy: float

    def to_layout(self, point: QPointF) -> tuple[float, float]:
        """The place in layout units under a pixel."""
        return (point.x() - self.dx) / self.scale, (point.y() - self.dy) / self.scale

    def to_screen(self, rect: Rect) -> QRectF:
        """A rectangle of the layout in pixels."""
        x, y = self.dx + rect.x * self.scale, self.dy + rect.y * self.scale
        return QRectF(x, y, rect.w * self.scale, rect.h * self.scale)


def fitting(where: Layout, rect: QRectF) -> Camera:
    """The camera that shows the whole picture in the middle of a rectangle."""
    scale = min(rect.width() / where.width, rect.height() / where.height, LARGEST_FIT)
    dx = rect.x() + (rect.width() - where.width * scale) / 2
    return Camera(scale, dx, rect.y() + (rect.height() - where.height * scale) / 2)


def seeing(seen: Excerpt, rect: QRectF, stage_id: str) -> Camera:
    """The camera that shows what is seen of a picture; one too high for its rectangle, as far as a stage needs it."""
    where = seen.where
    if not seen.partial:
        return fitting(where, rect)
    middle = where.box(stage_id).outer.centre[1] * seen.scale
    dy = _kept(rect.center().y() - middle, where.height * seen.scale, rect.y(), rect.height())
    return Camera(seen.scale, rect.x(), dy)


def moved_to(camera: Camera, old: Rect, new: Rect) -> Camera:
    """The camera under which a rectangle stays where it is though it lies elsewhere in the layout now."""
    return Camera(
        camera.scale,
        camera.dx + (old.x - new.x) * camera.scale,
        camera.dy + (old.y - new.y) * camera.scale,
    )


def zoomed(camera: Camera, where: Layout, rect: QRectF, factor: float, at: QPointF) -> Camera:
    """Larger or smaller, the point under `at` staying where it is; never smaller than fitting."""
    least = fitting(where, rect).scale
    most = max(LARGEST_FIT, LARGEST_CELL / min(box.cell[0] for box in where.boxes))
    scale = min(max(camera.scale * factor, least), most)
    x, y = camera.to_layout(at)
    larger = kept_inside(Camera(scale, at.x() - x * scale, at.y() - y * scale), where, rect)
    if shows_something(larger, where, rect):
        return larger
    return showing(
        larger,
        where,
        rect,
        min((box.outer for box in where.boxes), key=lambda box: _away(box, x, y)),
    )


def _away(box: Rect, x: float, y: float) -> float:
    """How far a point lies outside of a card."""
    return max(box.x - x, x - box.right, 0.0) + max(box.y - y, y - box.bottom, 0.0)


def panned(camera: Camera, where: Layout, rect: QRectF, by: QPointF) -> Camera:
    """Moved by pixels, as far as there is something to see: it stops before the last card has gone."""
    moved = kept_inside(Camera(camera.scale, camera.dx + by.x(), camera.dy + by.y()), where, rect)
    return moved if shows_something(moved, where, rect) else camera


def shows_something(camera: Camera, where: Layout, rect: QRectF) -> bool:
    """Whether a third of a card, or a third of the room full of one, can be seen."""
    return any(_part(camera.to_screen(box.outer), rect) >= LEAST_SEEN for box in where.boxes)


def _part(seen: QRectF, rect: QRectF) -> float:
    """How much of a card is in view, as a part of what could be."""
    both = seen.intersected(rect)
    return min(
        both.width() / min(seen.width(), rect.width()),
        both.height() / min(seen.height(), rect.height()),
    )


def kept_inside(camera: Camera, where: Layout, rect: QRectF) -> Camera:
    """A picture larger than its room covers it; a smaller one stands in the middle."""
    dx = _kept(camera.dx, where.width * camera.scale, rect.x(), rect.width())
    return Camera(
        camera.scale, dx, _kept(camera.dy, where.height * camera.scale, rect.y(), rect.height())
    )


def _kept(offset: float, size: float, start: float, room: float) -> float:
    if size <= room:
        return start + (room - size) / 2
    return min(max(offset, start + room - size - EDGE), start + EDGE)


def showing(camera: Camera, where: Layout, rect: QRectF, wanted: Rect) -> Camera:
    """Moved just so far that a rectangle of the layout comes into view (its start, if it is larger than the room)."""
    seen = camera.to_screen(wanted)
    dx = max(min(0.0, rect.right() - EDGE - seen.right()), rect.left() + EDGE - seen.left())
    dy = max(min(0.0, rect.bottom() - EDGE - seen.bottom()), rect.top() + EDGE - seen.top())
    inside = QPointF(
        dx if not _spans(rect.left(), rect.right(), seen.left(), seen.right()) else 0.0, 0.0
    )
    inside.setY(dy if not _spans(rect.top(), rect.bottom(), seen.top(), seen.bottom()) else 0.0)
    return kept_inside(
        Camera(camera.scale, camera.dx + inside.x(), camera.dy + inside.y()), where, rect
    )


def _spans(start: float, end: float, first: float, last: float) -> bool:
    """Whether the wanted stretch lies inside the room already, or covers all of it."""
    return (start <= first and last <= end) or (first <= start and end <= last)
