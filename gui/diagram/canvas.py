"""The diagram through a camera, from kept pixmaps: a step paints anew only what it changes."""

from __future__ import annotations

import math
import time
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter

from gui.diagram.brush import qrect
from gui.diagram.camera import Camera
from gui.diagram.cards import card_bounds, paint_card
from gui.diagram.picture import arrow_bounds, off_the_ring, paint_arrow, paint_softmax
from gui.diagram.scene import Look, status_of
from gui.diagram.shapes import Arrow, Layout
from gui.pixmaps import Pixmaps, Sources
from gui.state import State
from gui.theme import colours

# A part that would take more pixels than this is painted directly, only what is visible of it.
LARGEST_PIXMAP = 1_500_000
# After so long a frame no longer makes cards anew that are there at another scale; the next frame does.
FRAME_SECONDS = 0.06


class Canvas:
    """Paints arrows and cards of states; `painted` tells what the last frame had to paint anew."""

    def __init__(self) -> None:
        self._pixmaps = Pixmaps()
        self.unfinished = False
        self._since = 0.0

    @property
    def painted(self) -> list[str]:
        """The names of the parts that were painted anew since begin()."""
        return self._pixmaps.painted

    def begin(self) -> None:
        """A new frame."""
        self._pixmaps.painted.clear()
        self.unfinished = False
        self._since = time.perf_counter()

    def paint_ground(self, painter: QPainter, state: State, where: Layout, camera: Camera) -> None:
        """The frame of the softmax, the arrows and their labels."""
        painter.save()
        painter.translate(camera.dx, camera.dy)
        painter.scale(camera.scale, camera.scale)
        paint_softmax(painter, state, where, colours(state.shade), camera.scale)
        painter.restore()
        for arrow in where.arrows:
            self._paint_arrow(painter, state, arrow, camera)

    def _paint_arrow(self, painter: QPainter, state: State, arrow: Arrow, camera: Camera) -> None:
        focused = state.focus.tensor in arrow.inputs
        name = f"{arrow.source}→{arrow.target}"
        moved = off_the_ring(state, arrow)
        key = (arrow, status_of(state, arrow.target), moved, focused, state.shade, _shape(state, arrow))
        size = (camera.scale, painter.combinedTransform().m11())
        bounds = arrow_bounds(state, arrow, camera.scale)
        area = camera.to_screen(bounds)
        if not area.intersects(QRectF(painter.window())):
            return
        paint = partial(paint_arrow, state=state, arrow=arrow, theme=colours(state.shade), scale=camera.scale)
        if _pixels(area, size[1]) > LARGEST_PIXMAP:
            _paint_directly(painter, camera, paint)
        else:
            painter.drawPixmap(_sharp(area, size[1]), self._pixmaps.make(name, key, (), size, qrect(bounds), paint))

    def paint_card(self, painter: QPainter, look: Look, camera: Camera, shade: str) -> None:
        """One card, from its pixmap if it shows the same."""
        size = (camera.scale, painter.combinedTransform().m11())
        bounds, name = card_bounds(look), look.box.stage_id
        area = camera.to_screen(bounds)
        if not area.intersects(QRectF(painter.window())):
            return
        paint = partial(paint_card, look=look, theme=colours(shade), scale=camera.scale)
        if _pixels(area, size[1]) > LARGEST_PIXMAP:
            _paint_directly(painter, camera, paint)
        elif not self._blurred(painter, look, area, size):
            pixmap = self._pixmaps.make(name, look.key, _sources(look), size, qrect(bounds), paint)
            painter.drawPixmap(_sharp(area, size[1]), pixmap)

    def _blurred(self, painter: QPainter, look: Look, area: QRectF, size: tuple[float, float]) -> bool:
        """A frame that is late shows the card as it was at another scale: better than a zoom that stutters."""
        late, name = time.perf_counter() - self._since > FRAME_SECONDS, look.box.stage_id
        if not late or self._pixmaps.find(name, look.key, _sources(look), size) is not None:
            return False
        stale = self._pixmaps.at_last_size(name, look.key, _sources(look))
        if stale is None:
            return False
        painter.drawPixmap(area, stale, QRectF(stale.rect()))
        self.unfinished = True
        return True


def _sources(look: Look) -> Sources:
    return () if look.source is None else (look.source,)


def _shape(state: State, arrow: Arrow) -> tuple[object, ...]:
    shape = state.document.stage_shape(arrow.source) if arrow.source in state.trace else ()
    return shape, state.orientation


def _pixels(area: QRectF, ratio: float) -> float:
    return area.width() * area.height() * ratio * ratio


def _sharp(area: QRectF, ratio: float) -> QPointF:
    """Whole pixels keep pixmaps sharp."""
    return QPointF(math.floor(area.x() * ratio) / ratio, math.floor(area.y() * ratio) / ratio)


def _paint_directly(painter: QPainter, camera: Camera, paint: partial[None]) -> None:
    painter.save()
    painter.setClipRect(painter.window())
    painter.translate(camera.dx, camera.dy)
    painter.scale(camera.scale, camera.scale)
    paint(painter)
    painter.restore()
