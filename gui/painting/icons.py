"""Icons from resources/icons, drawn in a colour of the theme at the requested size."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from shiboken6 import isValid

from core.base.files import resource

SIZES = (16, 20, 24, 32, 48, 64)


def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """Return an icon by file name, in a colour and optionally another colour while disabled."""
    return QIcon(_Drawn(name, colour, disabled or colour))


def app_icon() -> QIcon:
    """Return the application's icon in its own colours, as pixmaps for window managers."""
    result = QIcon()
    for size in SIZES:
        result.addPixmap(_pixmap("app", "#000000", size))
    return result


_twins: list[QIconEngine] = []


class _Drawn(QIconEngine):
    """Icon engine that renders on demand: a start shows a dozen of a hundred icons."""

    def __init__(self, name: str, colour: str, disabled: str) -> None:
        super().__init__()
        self._name, self._colour, self._disabled = name, colour, disabled

    def clone(self) -> QIconEngine:
        """Return a copy."""
        twin = _Drawn(self._name, self._colour, self._disabled)
        _twins[:] = [known for known in _twins if isValid(known)]
        _twins.append(
            twin
        )  # Qt owns and deletes the copy; without this reference PySide would delete it first
        return twin

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        """Draw the icon directly onto a painter."""
        _renderer(self._name, self._shade(mode)).render(painter, QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        """Return a cached pixmap of the icon."""
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
