"""What of the picture is in view, and what it would be after zooming and panning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF

from gui.session.state import State
from gui.views.diagram.geometry import layout, strip
from gui.views.diagram.scene import layout_of, visible_crop
from gui.views.diagram.shapes import Layout, Rect
from gui.views.diagram.viewport_crop import Crop

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


def crop_camera(seen: Crop, rect: QRectF, stage_id: str) -> Camera:
    """The camera that shows what is seen of a picture; one too high for its rectangle, as far as a stage needs it."""
    where = seen.where
    if not seen.partial:
        return fitting(where, rect)
    middle = where.box(stage_id).outer.centre[1] * seen.scale
    dy = _kept(rect.center().y() - middle, where.height * seen.scale, rect.y(), rect.height())
    return Camera(seen.scale, rect.x(), dy)


def camera_moved(camera: Camera, old: Rect, new: Rect) -> Camera:
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
    larger = clamp_camera(Camera(scale, at.x() - x * scale, at.y() - y * scale), where, rect)
    if shows_something(larger, where, rect):
        return larger
    return camera_showing(
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
    moved = clamp_camera(Camera(camera.scale, camera.dx + by.x(), camera.dy + by.y()), where, rect)
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


def clamp_camera(camera: Camera, where: Layout, rect: QRectF) -> Camera:
    """A picture larger than its room covers it; a smaller one stands in the middle."""
    dx = _kept(camera.dx, where.width * camera.scale, rect.x(), rect.width())
    return Camera(
        camera.scale, dx, _kept(camera.dy, where.height * camera.scale, rect.y(), rect.height())
    )


def _kept(offset: float, size: float, start: float, room: float) -> float:
    if size <= room:
        return start + (room - size) / 2
    return min(max(offset, start + room - size - EDGE), start + EDGE)


def camera_showing(camera: Camera, where: Layout, rect: QRectF, wanted: Rect) -> Camera:
    """Moved just so far that a rectangle of the layout comes into view (its start, if it is larger than the room)."""
    seen = camera.to_screen(wanted)
    dx = max(min(0.0, rect.right() - EDGE - seen.right()), rect.left() + EDGE - seen.left())
    dy = max(min(0.0, rect.bottom() - EDGE - seen.bottom()), rect.top() + EDGE - seen.top())
    inside = QPointF(
        dx if not _spans(rect.left(), rect.right(), seen.left(), seen.right()) else 0.0, 0.0
    )
    inside.setY(dy if not _spans(rect.top(), rect.bottom(), seen.top(), seen.bottom()) else 0.0)
    return clamp_camera(
        Camera(camera.scale, camera.dx + inside.x(), camera.dy + inside.y()), where, rect
    )


def _spans(start: float, end: float, first: float, last: float) -> bool:
    """Whether the wanted stretch lies inside the room already, or covers all of it."""
    return (start <= first and last <= end) or (first <= start and end <= last)


LARGER = 1.001  # what counts as larger


@dataclass(frozen=True)
class Viewport:
    """A state in a room of so many units. By itself the picture is seen whole, `large` the part that can be read;
    `own` is the camera of someone who has zoomed."""

    state: State
    room: QRectF
    large: bool
    user_camera: Camera | None = None

    @cached_property
    def crop(self) -> Crop:
        """What is seen as long as nobody zooms."""
        size = self.room.width(), self.room.height()
        return (
            visible_crop(self.state, size) if self.large else Crop(layout_of(self.state, size), 1.0)
        )

    @cached_property
    def picture(self) -> Layout:
        """The whole picture, in which a camera of one's own moves about."""
        return layout_of(
            self.state, (self.room.width(), self.room.height()), strip if self.large else layout
        )

    @property
    def where(self) -> Layout:
        """Boxes and arrows as they are in view now."""
        return self.crop.where if self.user_camera is None else self.picture

    @property
    def camera(self) -> Camera:
        """Where layout units lie in the room."""
        return self.user_camera or self.default_camera

    @cached_property
    def default_camera(self) -> Camera:
        """Where they lie as long as nobody zooms."""
        return crop_camera(self.crop, self.room, self.state.cursor.stage)

    @property
    def enlarged(self) -> bool:
        """Whether more is there than can be seen: by hand, or for the sake of what is to be read."""
        return self.user_camera is not None or self.crop.partial

    def zoomed(self, factor: float, at: QPointF) -> Camera | None:
        """Larger or smaller around a point; None where it is seen by itself again."""
        camera = zoomed(self._start(), self.picture, self.room, factor, at)
        return None if camera.scale <= self.default_camera.scale * LARGER else camera

    def middle_of_stage(self) -> QPointF | None:
        """The middle of what is in view of the current stage's card; None where it is not."""
        card = (
            self._start()
            .to_screen(self.picture.box(self.state.cursor.stage).outer)
            .intersected(self.room)
        )
        return None if card.isEmpty() else card.center()

    def panned(self, by: QPointF) -> Camera | None:
        """Moved, if there is anything to move."""
        return panned(self._start(), self.picture, self.room, by) if self.enlarged else None

    def followed(self) -> Camera | None:
        """An enlarged picture moved to the current stage."""
        if self.user_camera is None:
            return None
        return camera_showing(
            self.user_camera,
            self.picture,
            self.room,
            self.picture.box(self.state.cursor.stage).outer,
        )

    def clamped(self) -> Camera | None:
        """In a room that shows everything as large as it was enlarged by hand, nothing is enlarged any more."""
        if (
            self.user_camera is None
            or self.user_camera.scale <= fitting(self.picture, self.room).scale * LARGER
        ):
            return None
        return clamp_camera(self.user_camera, self.picture, self.room)

    def _start(self) -> Camera:
        """From where zooming and panning go on; where only a part was seen, its current card stays in its place."""
        if self.user_camera is not None:
            return self.user_camera
        here = self.state.cursor.stage
        return camera_moved(
            self.default_camera, self.crop.where.box(here).rect, self.picture.box(here).rect
        )
