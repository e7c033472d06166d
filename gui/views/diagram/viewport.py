"""Viewport of the diagram: camera, zoom and pan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF

from gui.session.state import State
from gui.views.diagram.geometry import layout, strip
from gui.views.diagram.scene import layout_of, visible_crop
from gui.views.diagram.shapes import DiagramLayout, Rect
from gui.views.diagram.viewport_crop import Crop

# Maximum scale of the picture to fill its area.
LARGEST_FIT = 2.2
# Maximum size in pixels of the smallest cells when zoomed manually, for readable numbers.
LARGEST_CELL = 56.0
ZOOM_STEP = 1.25
EDGE = 24.0
LEAST_SEEN = 1 / 3


class Camera(Struct, frozen=True):
    """Transform: pixel = offset + scale · unit."""

    scale: float
    dx: float
    dy: float

    def to_layout(self, point: QPointF) -> tuple[float, float]:
        """Convert a point from pixels to layout units."""
        return (point.x() - self.dx) / self.scale, (point.y() - self.dy) / self.scale

    def to_screen(self, rect: Rect) -> QRectF:
        """Convert a rectangle from layout units to pixels."""
        x, y = self.dx + rect.x * self.scale, self.dy + rect.y * self.scale
        return QRectF(x, y, rect.w * self.scale, rect.h * self.scale)


def fitting(diagram: DiagramLayout, rect: QRectF) -> Camera:
    """Return the camera that centres the whole picture in a rectangle."""
    scale = min(rect.width() / diagram.width, rect.height() / diagram.height, LARGEST_FIT)
    dx = rect.x() + (rect.width() - diagram.width * scale) / 2
    return Camera(scale, dx, rect.y() + (rect.height() - diagram.height * scale) / 2)


def crop_camera(crop: Crop, rect: QRectF, stage_id: str) -> Camera:
    """Return the camera of a crop; one too high for its rectangle is aligned to the stage."""
    diagram = crop.layout
    if not crop.partial:
        return fitting(diagram, rect)
    middle = diagram.box(stage_id).outer.centre[1] * crop.scale
    dy = _clamped_offset(
        rect.center().y() - middle, diagram.height * crop.scale, rect.y(), rect.height()
    )
    return Camera(crop.scale, rect.x(), dy)


def zoomed(
    camera: Camera, diagram: DiagramLayout, rect: QRectF, factor: float, at: QPointF
) -> Camera:
    """Zoom by a factor around the fixed point `at`; never smaller than the whole picture."""
    least = fitting(diagram, rect).scale
    most = max(LARGEST_FIT, LARGEST_CELL / min(box.cell_size[0] for box in diagram.boxes))
    scale = min(max(camera.scale * factor, least), most)
    x, y = camera.to_layout(at)
    larger = clamp_camera(Camera(scale, at.x() - x * scale, at.y() - y * scale), diagram, rect)
    if shows_something(larger, diagram, rect):
        return larger
    return camera_showing(
        larger,
        diagram,
        rect,
        min((box.outer for box in diagram.boxes), key=lambda box: _distance(box, x, y)),
    )


def _distance(box: Rect, x: float, y: float) -> float:
    """Return the distance of a point from a card."""
    return max(box.x - x, x - box.right, 0.0) + max(box.y - y, y - box.bottom, 0.0)


def shows_something(camera: Camera, diagram: DiagramLayout, rect: QRectF) -> bool:
    """Return whether a third of a card is visible, or fills a third of the rectangle."""
    return any(_part(camera.to_screen(box.outer), rect) >= LEAST_SEEN for box in diagram.boxes)


def _part(crop: QRectF, rect: QRectF) -> float:
    """Return the visible fraction of a card relative to its maximum."""
    both = crop.intersected(rect)
    return min(
        both.width() / min(crop.width(), rect.width()),
        both.height() / min(crop.height(), rect.height()),
    )


def clamp_camera(camera: Camera, diagram: DiagramLayout, rect: QRectF) -> Camera:
    """Limit a camera: a larger picture covers its area, a smaller one is centred."""
    dx = _clamped_offset(camera.dx, diagram.width * camera.scale, rect.x(), rect.width())
    return Camera(
        camera.scale,
        dx,
        _clamped_offset(camera.dy, diagram.height * camera.scale, rect.y(), rect.height()),
    )


def _clamped_offset(offset: float, size: float, start: float, area: float) -> float:
    if size <= area:
        return start + (area - size) / 2
    return min(max(offset, start + area - size - EDGE), start + EDGE)


def camera_showing(camera: Camera, diagram: DiagramLayout, rect: QRectF, wanted: Rect) -> Camera:
    """Pan minimally to show a rectangle of the layout (its start, if it is too large)."""
    crop = camera.to_screen(wanted)
    dx = max(min(0.0, rect.right() - EDGE - crop.right()), rect.left() + EDGE - crop.left())
    dy = max(min(0.0, rect.bottom() - EDGE - crop.bottom()), rect.top() + EDGE - crop.top())
    inside = QPointF(
        dx if not _is_in_view(rect.left(), rect.right(), crop.left(), crop.right()) else 0.0, 0.0
    )
    inside.setY(
        dy if not _is_in_view(rect.top(), rect.bottom(), crop.top(), crop.bottom()) else 0.0
    )
    return clamp_camera(
        Camera(camera.scale, camera.dx + inside.x(), camera.dy + inside.y()), diagram, rect
    )


def _is_in_view(start: float, end: float, first: float, last: float) -> bool:
    """Return whether the wanted interval is inside the visible one, or covers it."""
    return (start <= first and last <= end) or (first <= start and end <= last)


LARGER = 1.001  # scale factor that counts as enlarged


@dataclass(frozen=True)
class Viewport:
    """Immutable view of a state in an area in units.

    Without `user_camera` the whole picture is shown, or its readable part if `large`.
    """

    state: State
    area: QRectF
    large: bool
    user_camera: Camera | None = None

    @cached_property
    def crop(self) -> Crop:
        """Return the visible part without manual zoom."""
        size = self.area.width(), self.area.height()
        return (
            visible_crop(self.state, size) if self.large else Crop(layout_of(self.state, size), 1.0)
        )

    @cached_property
    def picture(self) -> DiagramLayout:
        """Return the whole picture, in which a manual camera moves."""
        return layout_of(
            self.state, (self.area.width(), self.area.height()), strip if self.large else layout
        )

    @property
    def layout(self) -> DiagramLayout:
        """Return the layout as currently visible."""
        return self.crop.layout if self.user_camera is None else self.picture

    @property
    def camera(self) -> Camera:
        """Return the current camera."""
        return self.user_camera or self.default_camera

    @cached_property
    def default_camera(self) -> Camera:
        """Return the camera without manual zoom."""
        return crop_camera(self.crop, self.area, self.state.cursor.stage)

    @property
    def enlarged(self) -> bool:
        """Return whether a part is hidden, by manual zoom or for readability."""
        return self.user_camera is not None or self.crop.partial

    def zoomed(self, factor: float, at: QPointF) -> Camera | None:
        """Zoom around a point; None returns to the default view."""
        camera = zoomed(self._start(), self.picture, self.area, factor, at)
        return None if camera.scale <= self.default_camera.scale * LARGER else camera

    def middle_of_stage(self) -> QPointF | None:
        """Return the centre of the visible part of the current card; None if it is hidden."""
        card = (
            self._start()
            .to_screen(self.picture.box(self.state.cursor.stage).outer)
            .intersected(self.area)
        )
        return None if card.isEmpty() else card.center()

    def panned(self, by: QPointF) -> Camera | None:
        """Pan a picture that is larger than its area, so that a card remains visible."""
        if not self.enlarged:
            return None
        start = self._start()
        wanted = Camera(start.scale, start.dx + by.x(), start.dy + by.y())
        moved = clamp_camera(wanted, self.picture, self.area)
        return moved if shows_something(moved, self.picture, self.area) else start

    def followed(self) -> Camera | None:
        """Pan an enlarged picture to the current stage."""
        if self.user_camera is None:
            return None
        return camera_showing(
            self.user_camera,
            self.picture,
            self.area,
            self.picture.box(self.state.cursor.stage).outer,
        )

    def clamped(self) -> Camera | None:
        """Drop the manual zoom if the area already shows everything at that scale."""
        if (
            self.user_camera is None
            or self.user_camera.scale <= fitting(self.picture, self.area).scale * LARGER
        ):
            return None
        return clamp_camera(self.user_camera, self.picture, self.area)

    def _start(self) -> Camera:
        """Return the start camera of zoom and pan, which leaves the current card in its place."""
        if self.user_camera is not None:
            return self.user_camera
        here, camera = self.state.cursor.stage, self.default_camera
        old, new = self.crop.layout.box(here).rect, self.picture.box(here).rect
        dx, dy = (old.x - new.x) * camera.scale, (old.y - new.y) * camera.scale
        return Camera(camera.scale, camera.dx + dx, camera.dy + dy)
