"""Pictures of cards and matrices, kept as long as there is room: stepping back and forth paints nothing anew."""

from __future__ import annotations

import math
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap

# All that is kept, in pixels of 4 bytes.
MOST_PIXELS = 4_000_000
MOST_TOLD = 64  # of what was painted last

Key = Hashable
AnyArray = npt.NDArray[Any]
Sources = tuple[AnyArray, ...]
Paint = Callable[[QPainter], None]


def place(array: AnyArray) -> Key:
    """Where numbers lie in memory: as long as their owner lives, no others lie there."""
    return array.__array_interface__["data"][0], array.shape, array.strides


def owner(array: AnyArray) -> AnyArray:
    """The array in whose memory the numbers lie."""
    return array if array.base is None else array.base


class Hashed:
    """Many parts of a key, whose hash is worked out once."""

    __slots__ = ("_hash", "parts")

    def __init__(self, *parts: object) -> None:
        self.parts = parts
        self._hash = hash(parts)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Hashed) and self.parts == other.parts)


@dataclass(slots=True)
class _Kept:
    """A picture; the arrays that it shows are held weakly, so that no old trace lives on here."""

    pixmap: QPixmap
    sources: tuple[weakref.ref[AnyArray], ...]

    def of(self, sources: Sources) -> bool:
        return all(kept() is source for kept, source in zip(self.sources, sources, strict=True))

    @property
    def pixels(self) -> int:
        return self.pixmap.width() * self.pixmap.height()


class PixmapCache:
    """Pixmaps by what they show and how large they are; the longest unused ones go first."""

    def __init__(self, most: int = MOST_PIXELS) -> None:
        self._most = most
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()
        self._pixels = 0
        self._sizes: dict[str, tuple[float, float]] = {}
        self._painted: deque[str] = deque(maxlen=MOST_TOLD)
        self._gone: list[
            weakref.ref[Any]
        ] = []  # arrays that nobody has any more, told by themselves

    @property
    def painted(self) -> list[str]:
        """The names of what was painted last."""
        return list(self._painted)

    def tell_anew(self) -> None:
        """From now on `painted` is what comes."""
        self._painted.clear()

    def find(
        self, name: str, key: Key, sources: Sources, size: tuple[float, float]
    ) -> QPixmap | None:
        """What was painted for this name and key at a size (scale, device pixel ratio)."""
        whole = name, key, size
        kept = self._kept.get(whole)
        if kept is None or not kept.of(sources):
            return None
        self._kept.move_to_end(whole)
        return kept.pixmap

    def at_last_size(self, name: str, key: Key, sources: Sources) -> QPixmap | None:
        """The same at the size at which the name was painted last."""
        size = self._sizes.get(name)
        return None if size is None else self.find(name, key, sources, size)

    def make(
        self,
        name: str,
        key: Key,
        sources: Sources,
        size: tuple[float, float],
        bounds: QRectF,
        paint: Paint,
        ground: QColor | Qt.GlobalColor | QPixmap = Qt.GlobalColor.transparent,
    ) -> QPixmap:
        """The picture of an area of the layout, painted now unless it is there, over a colour or over another picture
        of the same area; on an opaque colour letters are as sharp as the screen can draw them."""
        found = self.find(name, key, sources, size)
        if found is not None:
            return found
        scale = size[0]
        pixmap = QPixmap(ground) if isinstance(ground, QPixmap) else _blank(bounds, size, ground)
        with QPainter(pixmap) as painter:
            painter.scale(scale, scale)
            painter.translate(-bounds.topLeft())
            paint(painter)
        self._painted.append(name)
        self._sizes[name] = size
        self._keep(
            (name, key, size),
            _Kept(pixmap, tuple(weakref.ref(source, self._gone.append) for source in sources)),
        )
        return pixmap

    def _keep(self, key: Key, kept: _Kept) -> None:
        if self._gone:
            self._drop_dead()
        old = self._kept.pop(key, None)
        self._pixels += kept.pixels - (old.pixels if old else 0)
        self._kept[key] = kept
        while self._pixels > self._most and len(self._kept) > 1:
            _, gone = self._kept.popitem(last=False)
            self._pixels -= gone.pixels

    def _drop_dead(self) -> None:
        """Pictures of arrays that are gone are never found again, whatever room there is."""
        self._gone.clear()
        for key in [
            key
            for key, kept in self._kept.items()
            if any(source() is None for source in kept.sources)
        ]:
            self._pixels -= self._kept.pop(key).pixels


def _blank(bounds: QRectF, size: tuple[float, float], colour: QColor | Qt.GlobalColor) -> QPixmap:
    scale, ratio = size
    width, height = (
        math.ceil((side * scale + 1) * ratio) for side in (bounds.width(), bounds.height())
    )
    pixmap = QPixmap(width, height)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(colour)
    return pixmap
