"""The diagram through a camera, from kept pixmaps: a step paints anew only what it changes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPixmap

from gui.painting.background_cache import Background, BackgroundCache
from gui.painting.pixmap_cache import Hashed, Paint, PixmapCache, Sources
from gui.painting.theme import Colours, colours
from gui.session.state import State
from gui.views.diagram.camera import Camera
from gui.views.diagram.card_cache import KeptLooks
from gui.views.diagram.cards import card_bounds, paint_card, paint_case, paint_values
from gui.views.diagram.paint_utils import qrect
from gui.views.diagram.picture import arrow_bounds, paint_arrow, paint_softmax
from gui.views.diagram.scene import Look, Status, status_of
from gui.views.diagram.shapes import Arrow, Layout

# A part that would take more pixels than this is painted directly, only what is visible of it.
LARGEST_PIXMAP = 1_500_000
# After so long a frame no longer makes cards anew that are there at another scale; the next frame does.
FRAME_SECONDS = 0.06


Part = Callable[[QPainter, Look, Colours, float], None]  # of a card
_Placed = tuple[QPointF, QPixmap]
MOST_KEPT = 64  # pictures of all arrows together, which share most of their pixmaps


class _Arrows:
    """Where the arrows' pixmaps lie, by what is marked, as long as the layout and the camera are the same."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._kept: dict[tuple[str, str], list[_Placed]] = {}
        self._asked = ("", "")

    def find(
        self, where: Layout, dress: tuple[object, ...], marked: tuple[str, str]
    ) -> list[_Placed] | None:
        """What was kept for a stage and a tensor in focus."""
        if (
            not self._of
            or self._of[0] is not where
            or self._of[1] != dress
            or len(self._kept) > MOST_KEPT
        ):
            self._of = where, dress
            self._kept.clear()
        self._asked = marked
        return self._kept.get(marked)

    def keep(self, placed: list[_Placed | None]) -> None:
        """What was asked for last, if all of it is pixmaps and they are not large."""
        whole = [one for one in placed if one is not None]
        pixels = sum(pixmap.width() * pixmap.height() for _, pixmap in whole)
        if len(whole) == len(placed) and pixels < LARGEST_PIXMAP:
            self._kept[self._asked] = whole


class Canvas:
    """Paints arrows and cards of states; `painted` tells what the last frame had to paint anew."""

    def __init__(self) -> None:
        self._pixmaps, self._cases = PixmapCache(), BackgroundCache()
        self._looks = KeptLooks()
        self._arrows = _Arrows()
        self.unfinished = False
        self._since = 0.0

    @property
    def painted(self) -> list[str]:
        """The names of the parts that were painted anew since begin()."""
        return self._pixmaps.painted

    def begin(self) -> None:
        """A new frame."""
        self._pixmaps.tell_anew()
        self.unfinished = False
        self._since = time.perf_counter()

    def looks(
        self, state: State, where: Layout, shown: tuple[int, int] | None = None
    ) -> list[Look]:
        """Every card, as `gui.views.diagram.scene.looks` gives them."""
        return self._looks.of(state, where, shown)

    def forget(self) -> None:
        """Let go of the run whose cards were painted last."""
        self._looks.forget()

    def paint_ground(self, painter: QPainter, state: State, where: Layout, camera: Camera) -> None:
        """The frame of the softmax, the arrows and their labels."""
        self._paint_softmax(painter, state, where, camera)
        self._paint_arrows(painter, state, where, camera)

    def _paint_softmax(
        self, painter: QPainter, state: State, where: Layout, camera: Camera
    ) -> None:
        size, area = (
            (camera.scale, painter.combinedTransform().m11()),
            camera.to_screen(where.softmax),
        )
        paint = partial(
            paint_softmax, state=state, where=where, theme=colours(state.shade), scale=camera.scale
        )
        if not area.intersects(QRectF(painter.window())):
            return
        if _pixels(area, size[1]) > LARGEST_PIXMAP:
            _paint_directly(painter, camera, paint)
            return
        key = Hashed(where.softmax, status_of(state, "exp") is Status.AHEAD, state.shade)
        frame = self._pixmaps.make("softmax", key, (), size, qrect(where.softmax), paint)
        painter.drawPixmap(_sharp(area, size[1]), frame)

    def _paint_arrows(self, painter: QPainter, state: State, where: Layout, camera: Camera) -> None:
        """As a step back and forth finds them again, without asking where each of them lies."""
        dress = state.shade, camera, painter.combinedTransform().m11(), painter.window()
        known = self._arrows.find(where, dress, (state.cursor.stage, state.focus.tensor))
        if known is not None:
            for at, pixmap in known:
                painter.drawPixmap(at, pixmap)
            return
        placed = [self._paint_arrow(painter, state, arrow, camera) for arrow in where.arrows]
        self._arrows.keep(placed)

    def _paint_arrow(
        self, painter: QPainter, state: State, arrow: Arrow, camera: Camera
    ) -> _Placed | None:
        """Gives where its pixmap lies, None where it has none or is not seen."""
        focused = state.focus.tensor in arrow.inputs
        name = f"{arrow.source}→{arrow.target}"
        ringed = (
            status_of(state, arrow.source) is Status.HERE
        )  # the label gives way to the ring at either end
        key = Hashed(
            arrow,
            status_of(state, arrow.target),
            ringed,
            focused,
            state.shade,
            _shape(state, arrow),
        )
        size = (camera.scale, painter.combinedTransform().m11())
        bounds = arrow_bounds(state, arrow, camera.scale)
        area = camera.to_screen(bounds)
        if not area.intersects(QRectF(painter.window())):
            return None
        paint = partial(
            paint_arrow, state=state, arrow=arrow, theme=colours(state.shade), scale=camera.scale
        )
        if _pixels(area, size[1]) > LARGEST_PIXMAP:
            _paint_directly(painter, camera, paint)
            return None
        placed = (
            _sharp(area, size[1]),
            self._pixmaps.make(name, key, (), size, qrect(bounds), paint),
        )
        painter.drawPixmap(*placed)
        return placed

    def paint_card(self, painter: QPainter, look: Look, camera: Camera, shade: str) -> None:
        """One card, from its pixmap if it shows the same."""
        size = (camera.scale, painter.combinedTransform().m11())
        bounds, name = card_bounds(look), look.box.stage_id
        area = camera.to_screen(bounds)
        if not area.intersects(QRectF(painter.window())):
            return

        def part(paint: Part) -> Paint:
            return lambda painter: paint(painter, look, colours(shade), camera.scale)

        if _pixels(area, size[1]) > LARGEST_PIXMAP:
            _paint_directly(painter, camera, part(paint_card))
        elif not self._blurred(painter, look, area, size):
            shown = name, look.key, _sources(look), size
            pixmap = self._pixmaps.find(*shown)
            if pixmap is None:
                case = Background(look.case, part(paint_case))
                pixmap = self._cases.make_over(
                    case, self._pixmaps, *shown, qrect(bounds), part(paint_values)
                )
            painter.drawPixmap(_sharp(area, size[1]), pixmap)

    def _blurred(
        self, painter: QPainter, look: Look, area: QRectF, size: tuple[float, float]
    ) -> bool:
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


def _paint_directly(painter: QPainter, camera: Camera, paint: Paint) -> None:
    painter.save()
    painter.setClipRect(painter.window())
    painter.translate(camera.dx, camera.dy)
    painter.scale(camera.scale, camera.scale)
    paint(painter)
    painter.restore()
