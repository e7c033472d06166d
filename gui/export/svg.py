"""SVG files: what is painted as a drawing, its texts as text or as outlines."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFont, QPainter, QPainterPath
from PySide6.QtSvg import QSvgGenerator

from gui.export.pdf import closed, open_buffer
from gui.painting.fonts import MONO, SANS

# Qt's SVG writer outlines what Qt's SVG reader fills (the typeset formulas) in black, a colour no theme of ours has.
_OUTLINE = b'stroke="#000000" stroke-opacity="1"'
_TEXT = re.compile(r"<text ([^>]*)>(.*?)</text>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
# Readers have the originals of the shipped fonts, or fonts like them.
_CHINESE = "Noto Sans SC,Noto Sans CJK SC,Microsoft YaHei,PingFang SC"
_READERS_FONTS = {
    SANS: f"Noto Sans,Segoe UI,SF Pro Text,DejaVu Sans,{_CHINESE},sans-serif",
    MONO: f"Noto Sans Mono,Consolas,Menlo,DejaVu Sans Mono,{_CHINESE},monospace",
}


def svg(
    paint: Callable[[QPainter], None],
    size: tuple[int, int],
    title: str,
    *,
    outlines: bool = False,
) -> bytes:
    """An SVG of a size in pixels. With `outlines` it needs no fonts, and its texts cannot be searched."""
    buffer = open_buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(QSize(*size))
    generator.setViewBox(QRectF(0, 0, *size))
    generator.setTitle(title)
    with QPainter(generator) as painter:
        paint(painter)
    written = closed(buffer).replace(_OUTLINE, b'stroke="none"').decode("utf-8")
    return (_outlined(written) if outlines else _with_common_fonts(written)).encode("utf-8")


def _with_common_fonts(text: str) -> str:
    """Name fonts that readers may have in place of the shipped ones."""
    for family, names in _READERS_FONTS.items():
        text = re.sub(f'{family},[^"]*"', f'{names}"', text)
    return text


def _outlined(text: str) -> str:
    """Every text as a path."""
    return _TEXT.sub(lambda found: _path(dict(_ATTRIBUTE.findall(found[1])), found[2]), text)


def _path(style: dict[str, str], text: str) -> str:
    face = QFont(style["font-family"].split(","))
    face.setPixelSize(round(float(style["font-size"])))
    face.setWeight(QFont.Weight(int(style["font-weight"])))
    face.setItalic(style["font-style"] == "italic")
    face.setFeature(QFont.Tag("tnum"), 1)
    face.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    path = QPainterPath()
    path.addText(float(style["x"]), float(style["y"]), face, unescape(text).strip("\n"))
    fill = f'fill="{style["fill"]}" fill-opacity="{style["fill-opacity"]}" stroke="none"'
    return f'<path {fill} fill-rule="nonzero" d="{_commands(path)}"/>'


def _commands(path: QPainterPath) -> str:
    """A path as SVG writes it, to hundredths of a pixel."""
    kinds = QPainterPath.ElementType
    letters = {kinds.MoveToElement: "M", kinds.LineToElement: "L", kinds.CurveToElement: "C"}
    parts: list[str] = []
    for index in range(path.elementCount()):
        element = path.elementAt(index)
        parts.append(f"{letters.get(element.type, ' ')}{element.x:.2f} {element.y:.2f}")
    return "".join(parts)
