"""The stage's panel as it is painted on a screen: its ground, and over it what changes with the numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

from core.document.document import Document
from gui.painting.background_cache import Background, BackgroundCache, Size
from gui.painting.matrix import MatrixSpec
from gui.painting.matrix_cache import MatrixCache
from gui.painting.pixmap_cache import Hashed, Key, PixmapCache, Sources
from gui.painting.scaling import in_units
from gui.painting.theme import colours
from gui.views.stage.background_key import ground_key
from gui.views.stage.picture import paint_cells, paint_ground, paint_numbers, paint_sum
from gui.views.stage.scene import Scene

ROUND = 10.0  # radius of the panel's corners
ROOMY = QSize(900, 440)  # a panel that has all the room it needs at 100 %
PENCIL = 8  # an experiment with more rows or columns than this needs a larger panel for more of its numbers
LARGEST = 2.5

Pictures = tuple[MatrixSpec, ...]
Shown = tuple[str, Key, Sources, Size]


def growth(size: QSize, document: Document) -> float:
    """How much larger than usual everything is in a panel of this size, in pixels at 100 %; the same at every step.

    In eighths, so that a window whose edge is dragged is not laid out anew at every pixel.
    """
    if max(document.sizes.values()) > PENCIL:
        return 1.0
    room = min(size.width() / ROOMY.width(), size.height() / ROOMY.height(), LARGEST)
    return max(1.0, math.floor(room * 8) / 8)


@dataclass(frozen=True, slots=True)
class Panel:
    """How large the view is, how many pixels a unit has, and whether it goes without its frame."""

    rect: QRect
    unit: float
    bare: bool

    def paint_ground(self, painter: QPainter, scene: Scene) -> None:
        """All that does not change with the numbers."""
        theme = colours(scene.state.shade)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.bare:
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.setBrush(QColor(theme.surface))
            painter.drawRoundedRect(QRectF(self.rect).adjusted(0.5, 0.5, -0.5, -0.5), ROUND, ROUND)
        with in_units(painter, self.rect, self.unit):
            paint_ground(painter, scene)

    def paint_numbers(
        self,
        painter: QPainter,
        scene: Scene,
        pictures: Pictures = (),
        kept: MatrixCache | None = None,
    ) -> None:
        """What changes with them."""
        with in_units(painter, self.rect, self.unit):
            paint_numbers(painter, scene, pictures, kept)

    def paint_cells(self, painter: QPainter, scene: Scene, kept: MatrixCache) -> None:
        """Of what changes with them all but the sum."""
        with in_units(painter, self.rect, self.unit):
            paint_cells(painter, scene, kept=kept)

    def paint_sum(self, painter: QPainter, scene: Scene) -> None:
        """The sum and what follows it."""
        with in_units(painter, self.rect, self.unit):
            paint_sum(painter, scene)


class KeptPanels:
    """Panels that were painted: one is found again as long as its run is shown, its ground in other runs as well."""

    def __init__(self) -> None:
        self._pixmaps, self._grounds, self._matrices = (
            PixmapCache(),
            BackgroundCache(),
            MatrixCache(),
        )
        self._summed = KeptSum(self._grounds)

    @property
    def painted(self) -> tuple[list[str], list[str]]:
        """The names of what was painted to be kept: panels, and grounds."""
        return self._pixmaps.painted, self._grounds.painted

    def forget(self) -> None:
        """Let go of the run; grounds have no numbers."""
        self._pixmaps = PixmapCache()

    def paint(self, painter: QPainter, panel: Panel, number: int, scene: Scene) -> None:
        """A scene at rest, by the number that it has among scenes."""
        size, area = (1.0, painter.combinedTransform().m11()), QRectF(panel.rect)
        shown = "stage", (number, panel.rect.width(), panel.rect.height()), (), size
        pixmap = self._pixmaps.find(*shown)
        if pixmap is None:
            pixmap = self._made(panel, scene, shown, area)
        painter.drawPixmap(0, 0, pixmap)

    def _made(self, panel: Panel, scene: Scene, shown: Shown, area: QRectF) -> QPixmap:
        """Only the cells, where the sum is the one of the panel before."""
        ground = _ground(panel, scene)
        summed = self._summed.under(ground, panel, scene, shown[-1], area)
        if summed is not None:
            cells = partial(panel.paint_cells, scene=scene, kept=self._matrices)
            return self._pixmaps.make(*shown, area, cells, summed)
        over = partial(panel.paint_numbers, scene=scene, kept=self._matrices)
        return self._grounds.make_over(ground, self._pixmaps, *shown, area, over)

    def paint_shining(
        self, painter: QPainter, panel: Panel, scene: Scene, pictures: Pictures
    ) -> None:
        """A scene of which cells shine, which no other frame will show so."""
        under: QPixmap | None = None
        if not panel.bare:
            size, area = (1.0, painter.combinedTransform().m11()), QRectF(panel.rect)
            under = self._grounds.find(_ground(panel, scene), "stage", size, area)
        if under is not None:
            painter.drawPixmap(0, 0, under)
        else:
            if not panel.bare:
                painter.fillRect(panel.rect, QColor(colours(scene.state.shade).window))
            panel.paint_ground(painter, scene)
        panel.paint_numbers(painter, scene, pictures, self._matrices)


class KeptSum:
    """The ground with the sum on it, from the second panel in a row on that has both: a number that is edited far from
    the marked cell leaves its sum as it was."""

    def __init__(self, grounds: BackgroundCache) -> None:
        self._grounds = grounds
        self._pixmaps = PixmapCache(1)  # keeps one, however large
        self._last: Key = None

    @property
    def painted(self) -> list[str]:
        """The names of what was painted to be kept."""
        return self._pixmaps.painted

    def under(
        self, ground: Background, panel: Panel, scene: Scene, size: Size, area: QRectF
    ) -> QPixmap | None:
        """What the cells of a scene can be painted on."""
        key = Hashed(ground.key, scene.card.rows, scene.card.sums, size)
        again, self._last = key == self._last, key
        plain = self._grounds.find(ground, "stage", size, area) if again else None
        if plain is None:
            return None
        return self._pixmaps.make(
            "sum", key, (), size, area, partial(panel.paint_sum, scene=scene), plain
        )


def _ground(panel: Panel, scene: Scene) -> Background:
    key = ground_key(scene), panel.rect.width(), panel.rect.height(), panel.unit
    return Background(
        key, partial(panel.paint_ground, scene=scene), QColor(colours(scene.state.shade).window)
    )
