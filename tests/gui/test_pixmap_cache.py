"""What is drawn from a cached pixmap has the pixels of what is drawn directly."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from gui.painting.pixmap_cache import CACHE, LARGEST, PixmapCache, draw_cached
from tests.gui.svg_kit import svg_of, texts

AREA = QRectF(20.4, 13.7, 141.5, 63.2)


def shapes(painter: QPainter, text: str = "0.25") -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(QColor("#AABBCC"))
    painter.drawRoundedRect(AREA.adjusted(3, 3, -3, -3), 6, 6)
    painter.setFont(QFont("", 9))
    painter.drawText(AREA, Qt.AlignmentFlag.AlignCenter, text)


def drawn(cached: bool, ratio: float, zoom: float, text: str = "0.25") -> QImage:
    image = QImage(round(400 * ratio), round(300 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    with QPainter(image) as painter:
        painter.translate(7.3, 2.8)
        painter.scale(zoom, zoom)
        if cached:
            draw_cached(painter, AREA, ("shapes", text), lambda own: shapes(own, text))
        else:
            shapes(painter, text)
    return image


def difference(a: QImage, b: QImage) -> int:
    """The largest difference of any channel of any pixel."""
    pairs = zip(bytes(a.constBits()), bytes(b.constBits()), strict=True)
    return max(abs(x - y) for x, y in pairs)


@pytest.mark.parametrize(("ratio", "zoom"), [(1.0, 1.0), (1.0, 1.37), (2.0, 0.8), (1.5, 1.1)])
def test_pixels_are_those_of_direct_drawing(qapp: object, ratio: float, zoom: float) -> None:
    direct = drawn(False, ratio, zoom)
    assert difference(direct, drawn(False, ratio, zoom, "7")) > 100  # it would be noticed
    for _ in range(2):
        assert difference(direct, drawn(True, ratio, zoom)) <= 3
    assert difference(drawn(False, ratio, zoom, "7"), drawn(True, ratio, zoom, "7")) <= 3


def test_it_paints_once_for_each_key(qapp: object) -> None:
    CACHE.clear()
    painted: list[str] = []
    image = QImage(300, 300, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        for key in ("a", "b", "a"):
            draw_cached(painter, AREA, key, lambda _own, key=key: painted.append(key))
        large = QRectF(0, 0, LARGEST, 2)  # painted directly
        draw_cached(painter, large, "large", lambda own: painted.append(str(own is painter)))
    assert painted == ["a", "b", "True"]


def test_vector_formats_keep_texts(qapp: object) -> None:
    svg = svg_of(lambda painter, _room: draw_cached(painter, AREA, "svg", shapes), (300, 200))
    assert "0.25" in texts(svg)


def test_the_least_recently_used_are_dropped(qapp: object) -> None:
    from PySide6.QtGui import QPixmap

    cache, made = PixmapCache(most=250), list[str]()

    def find(key: str) -> None:
        def make() -> QPixmap:
            made.append(key)
            return QPixmap(10, 10)

        cache.find(key, make)

    for key in "abacab":
        find(key)
    assert made == ["a", "b", "c", "b"]
