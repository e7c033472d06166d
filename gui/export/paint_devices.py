"""PNG, SVG and PDF of painted pictures, without a screen; the same picture gives the same bytes."""

from __future__ import annotations

import base64
import os
import re
import sys
from collections.abc import Callable
from functools import cache, partial
from html import unescape
from pathlib import Path

from PySide6.QtCore import (
    QBuffer,
    QByteArray,
    QHashSeed,
    QIODevice,
    QMarginsF,
    QRectF,
    QSize,
    QSizeF,
    QUuid,
)
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QFontMetricsF,
    QImage,
    QImageWriter,
    QPageSize,
    QPainter,
    QPainterPath,
    QPdfWriter,
    QRawFont,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication

from core.base.errors import UserError
from gui.painting.fonts import MONO, SANS, make_font
from gui.painting.theme import BODY, font
from gui.widgets.font_coverage import ask_fonts

POINTS = 0.75  # a pixel is 1/96 inch, a point 1/72
SUBPIXELS = 12  # steps of a PDF's coordinates within one pixel

# A fixed date as long as a real one: the file holds the offsets of everything that follows.
_DATE = re.compile(rb"(/(?:Creation|Mod)Date \(D:)\d{14}")
_XMP_DATE = re.compile(rb'(xmp:\w+Date=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d')

# The tables of a PDF that map glyphs to text, and a Chinese radical in them.
_GLYPH_TEXTS = re.compile(rb"beginbfrange[^a-z]*endbfrange")
_RADICAL = re.compile(rb"<(2[EF][0-9A-F]{2})>")

# Qt's SVG writer outlines typeset formulas in black, a colour that no theme uses.
_OUTLINE = b'stroke="#000000" stroke-opacity="1"'
# Browsers blur an image in Qt's words for sharp pixels.
_SHARP = b'image-rendering="optimizeSpeed"', b'image-rendering="pixelated"'

_TEXT = re.compile(r"<text ([^>]*)>(.*?)</text>", re.DOTALL)
_ATTRIBUTE = re.compile(r'([\w:-]+)="([^"]*)"')
# Readers have the originals of the shipped fonts, or fonts like them.
_CHINESE = "Noto Sans SC,Noto Sans CJK SC,Microsoft YaHei,PingFang SC"
_READERS_FONTS = {
    SANS: f"Noto Sans,Segoe UI,SF Pro Text,DejaVu Sans,{_CHINESE},sans-serif",
    MONO: f"Noto Sans Mono,Consolas,Menlo,DejaVu Sans Mono,{_CHINESE},monospace",
}


Paint = Callable[[QPainter], None]
NewPage = Callable[[], object]


def need_application() -> None:
    """Create an application without a screen unless there is one; Qt needs it for fonts."""
    global _own
    if QApplication.instance() is None:
        if sys.platform == "linux":
            os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        _own = QApplication(["attention-stepper"])
    ask_fonts()


_own: QApplication | None = None


def png_bytes(image: QImage) -> bytes:
    """An image as PNG."""
    buffer = _open_buffer()
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def data_url(png: bytes) -> str:
    """A PNG as the address of a picture in HTML."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def painted_png(paint: Paint, size: tuple[int, int], title: str) -> bytes:
    """A painted picture of a size in pixels as PNG."""
    image = QImage(*size, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        paint(painter)
    return png_bytes(image)


def painted_svg(
    paint: Paint, size: tuple[int, int], title: str, *, outlines: bool = False
) -> bytes:
    """A painted picture as SVG. With `outlines` it needs no fonts, but its texts are no text."""
    buffer = _open_buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(QSize(*size))
    generator.setViewBox(QRectF(0, 0, *size))
    generator.setTitle(title)
    with QPainter(generator) as painter:
        paint(painter)
    data = bytes(buffer.data().data()).replace(_OUTLINE, b'stroke="none"').replace(*_SHARP)
    written = data.decode("utf-8")
    if outlines:
        found = _TEXT.sub(lambda text: _path(dict(_ATTRIBUTE.findall(text[1])), text[2]), written)
        return found.encode("utf-8")
    return _with_common_fonts(written).encode("utf-8")


def _with_common_fonts(text: str) -> str:
    """Name fonts that readers may have instead of the shipped ones; every text keeps its width."""
    text = _TEXT.sub(lambda found: _with_width(found[1], found[2]), text)
    for family, names in _READERS_FONTS.items():
        text = re.sub(f'{family},[^"]*"', f'{names}"', text)
    return text


def _with_width(attributes: str, text: str) -> str:
    """Return a text element that another font fills as exactly as the own one."""
    face = _face(dict(_ATTRIBUTE.findall(attributes)))
    width = QFontMetricsF(face).horizontalAdvance(unescape(text).strip("\n"))
    length = f'textLength="{width:.2f}" lengthAdjust="spacingAndGlyphs" ' if width else ""
    return f"<text {length}{attributes}>{text}</text>"


def _face(style: dict[str, str]) -> QFont:
    """Return the font of a text element."""
    family, pixels = style["font-family"].split(",")[0], round(float(style["font-size"]))
    face = make_font(family, pixels, bold=int(style["font-weight"]) >= QFont.Weight.DemiBold)
    face.setItalic(style["font-style"] == "italic")
    face.setFeature(QFont.Tag("tnum"), 1)
    face.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return face


def _path(style: dict[str, str], text: str) -> str:
    path = QPainterPath()
    face = _face(style)
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


def painted_pdf(paint: Paint, size: tuple[int, int], title: str) -> bytes:
    """A painted picture as a PDF of one page."""
    return pdf_bytes(title, size, lambda painter, _new_page: paint(painter))


PictureWriter = Callable[[Paint, tuple[int, int], str], bytes]  # paint, size in pixels, title
PICTURE_WRITERS: dict[str, PictureWriter] = {
    ".png": painted_png,
    ".svg": painted_svg,
    ".pdf": painted_pdf,
}


def picture_writer(path: Path, *, outlines: bool = False) -> PictureWriter:
    """The writer for the ending of a file name. Raises UserError "output.ending" (path, known)."""
    ending = path.suffix.lower()
    if ending not in PICTURE_WRITERS:
        raise UserError("output.ending", path=str(path), known=tuple(PICTURE_WRITERS))
    if outlines and ending == ".svg":
        return partial(painted_svg, outlines=True)
    return PICTURE_WRITERS[ending]


def _open_buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def pdf_bytes(
    title: str, size: tuple[float, float], paint: Callable[[QPainter, NewPage], None]
) -> bytes:
    """A PDF of pages of a size in pixels (1/96 inch), without dates; `paint` may ask for pages."""
    # Qt writes the fonts of a PDF in the order of a hash that changes from run to run.
    QHashSeed.setDeterministicGlobalSeed()
    try:
        written = _dated_pdf(title, size, paint)
    finally:
        QHashSeed.resetRandomGlobalSeed()
    undated = _DATE.sub(rb"\g<1>20000101000000", written)
    return _GLYPH_TEXTS.sub(_without_radicals, _XMP_DATE.sub(rb"\g<1>2000-01-01T00:00:00", undated))


def _dated_pdf(
    title: str, size: tuple[float, float], paint: Callable[[QPainter, NewPage], None]
) -> bytes:
    buffer = _open_buffer()
    writer = QPdfWriter(buffer)
    page = QSizeF(size[0] * POINTS, size[1] * POINTS)
    writer.setPageSize(
        QPageSize(page, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    )
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(96 * SUBPIXELS)
    writer.setTitle(title)
    writer.setDocumentId(QUuid.createUuidV5(QUuid(), QByteArray(title.encode("utf-8", "replace"))))
    with QPainter(writer) as painter:
        painter.scale(SUBPIXELS, SUBPIXELS)
        paint(painter, writer.newPage)
    return bytes(buffer.data().data())


def _without_radicals(block: re.Match[bytes]) -> bytes:
    """Replace radicals by the characters that look like them, so that text can be searched for.

    Qt takes the first code of a glyph, which in Chinese fonts may be that of a radical.
    """
    return _RADICAL.sub(
        lambda code: b"<" + _characters_of_radicals().get(code[1], code[1]) + b">", block[0]
    )


@cache
def _characters_of_radicals() -> dict[bytes, bytes]:
    """The characters that share their glyph with a radical; both as four hexadecimal digits."""
    raw = QRawFont.fromFont(font(BODY), QFontDatabase.WritingSystem.SimplifiedChinese)
    radicals, characters = range(0x2E80, 0x2FD6), range(0x4E00, 0xA000)
    glyphs = raw.glyphIndexesForString("".join(map(chr, characters)))
    by_glyph = {glyph: code for glyph, code in zip(glyphs, characters, strict=True) if glyph}
    shared = zip(raw.glyphIndexesForString("".join(map(chr, radicals))), radicals, strict=True)
    return {
        b"%04X" % code: b"%04X" % by_glyph[glyph] for glyph, code in shared if glyph in by_glyph
    }
