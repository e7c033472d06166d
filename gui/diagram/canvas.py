"""Cards and arrows kept as pixmaps: a step paints anew only what it changes."""

from __future__ import annotations

import math
import time
import weakref
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPixmap

from core.arrays import Array
from gui.diagram.camera import Camera
from gui.diagram.cards import card_bounds, paint_card
from gui.diagram.picture import paint_ground
from gui.diagram.scene import Look
from gui.diagram.shapes import Layout
from gui.state import State
from gui.theme import colours

# A card that would take more pixels than this is painted directly, only what is visible of it.
LARGEST_PIXMAP = 1_500_000
# After so long a frame no longer makes cards anew that are there at another scale; the next frame does.
FRAME_SECONDS = 0.06


@dataclass(slots=True)
class _Kept:
    """A pixmap and what it shows; the array is held weakly, so that no old trace lives on here."""

    key: tuple[object, ...]
    source: weakref.ref[Array] | None
    pixmap: QPixmap
    scale: tuple[float, float]

    def shows(self, look: Look) -> bool:
        """Whether it shows what the look says, at whatever scale."""
        return self.key == look.key and (self.source is None or self.source() is look.source)


class Canvas:
    """Paints looks and arrows through a camera, from pixmaps as far as nothing has changed."""

    def __init__(self) -> None:
        self._cards: dict[tuple[str, bool], _Kept] = {}
        self._ground: tuple[tuple[object, ...], QPixmap] | None = None
        self.painted: list[str] = []
        self.unfinished = False
        self._since = 0.0

    def begin(self) -> None:
        """A new frame."""
        self.painted.clear()
        self.unfinished = False
        self._since = time.perf_counter()

    def _late(self) -> bool:
        return time.perf_counter() - self._since > FRAME_SECONDS

    def _at_another_scale(self, look: Look, held: bool) -> QPixmap | None:
        """What the card shows, at the scale before: a moment of blur is better than a stuttering zoom."""
        kept = self._cards.get((look.box.stage_id, held))
        return kept.pixmap if kept is not None and kept.shows(look) else None

    def paint_ground(self, painter: QPainter, state: State, where: Layout, camera: Camera, size: QRectF) -> None:
        """The frame of the softmax, the arrows and their labels."""
        ratio = painter.device().devicePixelRatioF()
        key = (
            where, camera, size.width(), size.height(), ratio,
            state.cursor.stage, state.focus.tensor, state.dark, state.language,
        )  # fmt: skip
        if self._ground is None or self._ground[0] != key:
            pixmap = _blank(size.width(), size.height(), ratio)
            inner = QPainter(pixmap)
            inner.translate(camera.dx, camera.dy)
            inner.scale(camera.scale, camera.scale)
            paint_ground(inner, state, where, colours(state.dark), camera.scale)
            inner.end()
            self._ground = key, pixmap
            self.painted.append("ground")
        painter.drawPixmap(size.topLeft(), self._ground[1])

    def paint_card(self, painter: QPainter, look: Look, camera: Camera, dark: bool, held: bool = False) -> None:
        """One card, from its pixmap if it shows the same. `held` is the picture while operands are on their way."""
        ratio = painter.device().devicePixelRatioF()
        bounds = card_bounds(look)
        area = camera.to_screen(bounds)
        if not area.intersects(QRectF(painter.window())):
            return
        if area.width() * area.height() * ratio * ratio > LARGEST_PIXMAP:
            self._paint_directly(painter, look, camera, dark)
            return
        if self._late() and (stale := self._at_another_scale(look, held)) is not None:
            painter.drawPixmap(area, stale, QRectF(stale.rect()))
            self.unfinished = True
            return
        # Whole pixels keep pixmaps sharp.
        at = QPointF(math.floor(area.x() * ratio) / ratio, math.floor(area.y() * ratio) / ratio)
        painter.drawPixmap(at, self._card(look, camera, dark, ratio, held))

    def _paint_directly(self, painter: QPainter, look: Look, camera: Camera, dark: bool) -> None:
        painter.save()
        painter.setClipRect(painter.window())
        painter.translate(camera.dx, camera.dy)
        painter.scale(camera.scale, camera.scale)
        paint_card(painter, look, colours(dark), camera.scale)
        painter.restore()

    def _card(self, look: Look, camera: Camera, dark: bool, ratio: float, held: bool) -> QPixmap:
        scale, place = (camera.scale, ratio), (look.box.stage_id, held)
        kept = self._cards.get(place)
        if kept is not None and kept.scale == scale and kept.shows(look):
            return kept.pixmap
        bounds = card_bounds(look)
        pixmap = _blank(bounds.w * camera.scale + 1, bounds.h * camera.scale + 1, ratio)
        painter = QPainter(pixmap)
        painter.scale(camera.scale, camera.scale)
        painter.translate(-bounds.x, -bounds.y)
        paint_card(painter, look, colours(dark), camera.scale)
        painter.end()
        source = None if look.source is None else weakref.ref(look.source)
        self._cards[place] = _Kept(look.key, source, pixmap, scale)
        self.painted.append(look.box.stage_id)
        return pixmap


def _blank(width: float, height: float, ratio: float) -> QPixmap:
    pixmap = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap
