"""What lies under numbers, kept from one run to the next: where only numbers change, only they are painted anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

from gui.painting.pixmap_cache import Key, Paint, PixmapCache, Sources

# Of all grounds together, in pixels of 4 bytes.
MOST_PIXELS = 2_000_000
MOST_WANTED = 1000

Size = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Background:
    """All of a picture that does not change with its numbers, and the colour under it."""

    key: Key
    paint: Paint
    colour: QColor | Qt.GlobalColor = Qt.GlobalColor.transparent


class BackgroundCache:
    """Grounds by what they show. One is kept from the second time that it is wanted: many are never wanted again."""

    def __init__(self) -> None:
        self._pixmaps = PixmapCache(MOST_PIXELS)
        self._wanted: set[Key] = set()

    @property
    def painted(self) -> list[str]:
        """The names of the grounds that were painted to be kept."""
        return self._pixmaps.painted

    def find(self, ground: Background, name: str, size: Size, bounds: QRectF) -> QPixmap | None:
        """What is kept of it, None the first time."""
        if self._first(ground, size):
            return None
        return self._pixmaps.make(name, ground.key, (), size, bounds, ground.paint, ground.colour)

    def make_over(
        self,
        ground: Background,
        pixmaps: PixmapCache,
        name: str,
        key: Key,
        sources: Sources,
        size: Size,
        bounds: QRectF,
        paint: Paint,
    ) -> QPixmap:
        """A picture as `Pixmaps.make` gives it, painted over a ground."""
        kept = self.find(ground, name, size, bounds)
        if kept is not None:
            return pixmaps.make(name, key, sources, size, bounds, paint, kept)
        whole = partial(_both, ground.paint, paint)
        return pixmaps.make(name, key, sources, size, bounds, whole, ground.colour)

    def _first(self, ground: Background, size: Size) -> bool:
        """Whether nobody has wanted it yet."""
        if (ground.key, size) in self._wanted:
            return False
        if len(self._wanted) >= MOST_WANTED:
            self._wanted.clear()
        self._wanted.add((ground.key, size))
        return True


def _both(under: Paint, over: Paint, painter: QPainter) -> None:
    under(painter)
    over(painter)
