"""Icons from resources/icons, drawn in a theme's colour."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from core.resources import resource

SIZES = (16, 20, 24, 32, 48, 64)


def icon(name: str, colour: str, disabled: str | None = None) -> QIcon:
    """An icon by its file's name, its strokes in a colour (and in another one while it is disabled)."""
    result = QIcon()
    svg = resource("icons", f"{name}.svg").read_bytes()
    for mode, shade in ((QIcon.Mode.Normal, colour), (QIcon.Mode.Disabled, disabled or colour)):
        renderer = QSvgRenderer(QByteArray(svg.replace(b"currentColor", shade.encode())))
        for size in SIZES:
            result.addPixmap(_pixmap(renderer, size), mode)
    return result


def app_icon() -> QIcon:
    """The application's own icon, in its own colours."""
    return icon("app", "#000000")


def _pixmap(renderer: QSvgRenderer, size: int) -> QPixmap:
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
