"""What pictures and papers share: an application that needs no screen, and PDF files that are the same each time."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from PySide6.QtCore import QBuffer, QByteArray, QHashSeed, QIODevice, QMarginsF, QSizeF, QUuid
from PySide6.QtGui import QFontDatabase, QPageSize, QPainter, QPdfWriter, QRawFont
from PySide6.QtWidgets import QApplication

from gui.painting.theme import BODY, font
from gui.widgets.font_coverage import ask_fonts

POINTS = 0.75  # a pixel is 1/96 inch, a point 1/72
FINE = 12  # steps of a PDF's coordinates within one pixel

# A made-up moment as long as a real one: the places of everything that follows are written down in the file.
_DATE = re.compile(rb"(/(?:Creation|Mod)Date \(D:)\d{14}")
_XMP_DATE = re.compile(rb'(xmp:\w+Date=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d')

# Where a PDF says which text its glyphs stand for, and a Chinese radical in it.
_LETTERS = re.compile(rb"beginbfrange[^a-z]*endbfrange")
_RADICAL = re.compile(rb"<(2[EF][0-9A-F]{2})>")

NewPage = Callable[[], object]


def need_application() -> None:
    """Qt needs an application for its fonts; one of our own needs no screen."""
    global _own
    if QApplication.instance() is None:
        if sys.platform == "linux":
            os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        _own = QApplication(["attention-stepper"])
    ask_fonts()


_own: QApplication | None = None


def open_buffer() -> QBuffer:
    """A buffer that Qt writes a file into."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    return buffer


def closed(buffer: QBuffer) -> bytes:
    """What was written."""
    buffer.close()
    return bytes(buffer.data().data())


def pdf(title: str, size: tuple[float, float], paint: Callable[[QPainter, NewPage], None]) -> bytes:
    """A PDF of pages of a size in pixels (1/96 inch), without dates; `paint` may call for a new page."""
    with _same_order():
        written = _written(title, size, paint)
    undated = _DATE.sub(rb"\g<1>20000101000000", written)
    return _LETTERS.sub(_with_letters, _XMP_DATE.sub(rb"\g<1>2000-01-01T00:00:00", undated))


@contextmanager
def _same_order() -> Iterator[None]:
    """Qt writes the fonts of a PDF in the order of a hash, which differs from run to run unless it is told not to.

    What was hashed before keeps its own order.
    """
    QHashSeed.setDeterministicGlobalSeed()
    try:
        yield
    finally:
        QHashSeed.resetRandomGlobalSeed()


def _written(
    title: str, size: tuple[float, float], paint: Callable[[QPainter, NewPage], None]
) -> bytes:
    """The PDF as Qt writes it, dated now."""
    buffer = open_buffer()
    writer = QPdfWriter(buffer)
    page = QSizeF(size[0] * POINTS, size[1] * POINTS)
    writer.setPageSize(
        QPageSize(page, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch)
    )
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(96 * FINE)
    writer.setTitle(title)
    writer.setDocumentId(QUuid.createUuidV5(QUuid(), QByteArray(title.encode("utf-8", "replace"))))
    with QPainter(writer) as painter:
        painter.scale(FINE, FINE)
        paint(painter, writer.newPage)
    return closed(buffer)


def _with_letters(block: re.Match[bytes]) -> bytes:
    """Qt takes the first sign that a glyph of the font has. In Chinese fonts that may be a radical that looks like a
    letter; the letter stands in its place here, so that text can be searched for and copied."""
    return _RADICAL.sub(lambda code: b"<" + _letter_codes().get(code[1], code[1]) + b">", block[0])


@cache
def _letter_codes() -> dict[bytes, bytes]:
    """The letter that shares its glyph with a radical, both as four hexadecimal digits."""
    raw = QRawFont.fromFont(font(BODY), QFontDatabase.WritingSystem.SimplifiedChinese)
    radicals, letters = range(0x2E80, 0x2FD6), range(0x4E00, 0xA000)
    glyphs = raw.glyphIndexesForString("".join(map(chr, letters)))
    by_glyph = {glyph: code for glyph, code in zip(glyphs, letters, strict=True) if glyph}
    shared = zip(raw.glyphIndexesForString("".join(map(chr, radicals))), radicals, strict=True)
    return {
        b"%04X" % code: b"%04X" % by_glyph[glyph] for glyph, code in shared if glyph in by_glyph
    }
