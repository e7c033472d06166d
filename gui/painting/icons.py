"""Icons from resources/icons, drawn in a theme's colour at the size that is asked for."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from shiboken6 import isValid

from core.base.files import resource

SIZES = (16, 20, 24, 32, 48, 64)


def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """An icon by its file's name, its strokes in a colour (and in another one while it is disabled)."""
    return QIcon(_Drawn(name, colour, disabled or colour))


def app_icon() -> QIcon:
    """The application's own icon, in its own colours; as pictures, which window managers ask for."""
    result = QIcon()
    for size in SIZES:
        result.addPixmap(_pixmap("app", "#000000", size))
    return result


_twins: list[QIconEngine] = []


class _Drawn(QIconEngine):
    """Draws when it is asked to: of a hundred icons in menus a start shows a dozen, at one size each."""

    def __init__(self, name: str, colour: str, disabled: str) -> None:
        super().__init__()
        self._name, self._colour, self._disabled = name, colour, disabled

    def clone(self) -> QIconEngine:
        """The same icon once more."""
        twin = _Drawn(self._name, self._colour, self._disabled)
        _twins[:] = [known for known in _twins if isValid(known)]
        _twins.append(
            twin
        )  # PySide would delete it on return, under Qt's hands; it is Qt's, until Qt deletes it
        return twin

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Straight onto a painter, as sharp as it can be."""
        _renderer(self._name, self._shade(mode)).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """A picture of it, kept for the next time."""
        return _pixmap(self._name, self._shade(mode), min(size.width(), size.height()))

    def _shade(self, mode: QIcon.Mode) -> str:
        return self._disabled if mode is QIcon.Mode.Disabled else self._colour


@lru_cache(maxsize=256)
def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        _renderer(name, colour).render(painter, QRectF(QPoint(0, 0), QSize(size, size)))
    return pixmap


@lru_cache(maxsize=64)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    svg = resource("icons", f"{name}.svg").read_bytes()
    return QSvgRenderer(QByteArray(svg.replace(b"currentColor", colour.encode())))
