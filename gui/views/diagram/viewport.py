"""What of the picture is in view, and what it would be after zooming and panning."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QPointF, QRectF

from gui.session.state import State
from gui.views.diagram.camera import (
    Camera,
    fitting,
    kept_inside,
    moved_to,
    panned,
    seeing,
    showing,
    zoomed,
)
from gui.views.diagram.geometry import layout
from gui.views.diagram.scene import layout_of, seen_in_hall
from gui.views.diagram.shapes import Layout
from gui.views.diagram.strip import strip
from gui.views.diagram.viewport_crop import Excerpt

LARGER = 1.001  # what counts as larger


@dataclass(frozen=True)
class Sight:
    """A state in a room of so many units. By itself the picture is seen whole, `large` the part that can be read;
    `own` is the camera of someone who has zoomed."""

    state: State
    room: QRectF
    large: bool
    own: Camera | None = None

    @cached_property
    def seen(self) -> Excerpt:
        """What is seen as long as nobody zooms."""
        size = self.room.width(), self.room.height()
        return (
            seen_in_hall(self.state, size)
            if self.large
            else Excerpt(layout_of(self.state, size), 1.0)
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
        return self.seen.where if self.own is None else self.picture

    @property
    def camera(self) -> Camera:
        """Where layout units lie in the room."""
        return self.own or self.by_itself

    @cached_property
    def by_itself(self) -> Camera:
        """Where they lie as long as nobody zooms."""
        return seeing(self.seen, self.room, self.state.cursor.stage)

    @property
    def enlarged(self) -> bool:
        """Whether more is there than can be seen: by hand, or for the sake of what is to be read."""
        return self.own is not None or self.seen.partial

    def zoomed(self, factor: float, at: QPointF) -> Camera | None:
        """Larger or smaller around a point; None where it is seen by itself again."""
        camera = zoomed(self._start(), self.picture, self.room, factor, at)
        return None if camera.scale <= self.by_itself.scale * LARGER else camera

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
        if self.own is None:
            return None
        return showing(
            self.own, self.picture, self.room, self.picture.box(self.state.cursor.stage).outer
        )

    def kept(self) -> Camera | None:
        """In a room that shows everything as large as it was enlarged by hand, nothing is enlarged any more."""
        if self.own is None or self.own.scale <= fitting(self.picture, self.room).scale * LARGER:
            return None
        return kept_inside(self.own, self.picture, self.room)

    def _start(self) -> Camera:
        """From where zooming and panning go on; where only a part was seen, its current card stays in its place."""
        if self.own is not None:
            return self.own
        here = self.state.cursor.stage
        return moved_to(self.by_itself, self.seen.where.box(here).rect, self.picture.box(here).rect)
