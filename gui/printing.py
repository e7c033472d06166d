"""What pictures and papers share: an application that needs no screen, and PDF files that are the same each time."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QSizeF, QUuid
from PySide6.QtGui import QPageSize, QPainter, QPdfWriter
from PySide6.QtWidgets import QApplication

POINTS = 0.75  # a pixel is 1/96 inch, a point 1/72
FINE = 12  # steps of a PDF's coordinates within one pixel

# A made-up moment as long as a real one: the places of everything that follows are written down in the file.
_DATE = re.compile(rb"(/(?:Creation|Mod)Date \(D:)\d{14}")
_XMP_DATE = re.compile(rb'(xmp:\w+Date=")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d')

NewPage = Callable[[], object]


def need_application() -> None:
    """Qt needs an application for its fonts; one of our own needs no screen."""
    global _own
    if QApplication.instance() is None:
        if sys.platform == "linux":
            os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
        _own = QApplication(["attention-stepper"])


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
    buffer = open_buffer()
    writer = QPdfWriter(buffer)
    page = QSizeF(size[0] * POINTS, size[1] * POINTS)
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "", QPageSize.SizeMatchPolicy.ExactMatch))
    writer.setPageMargins(QMarginsF(0, 0, 0, 0))
    writer.setResolution(96 * FINE)
    writer.setTitle(title)
    writer.setDocumentId(QUuid.createUuidV5(QUuid(), QByteArray(title.encode("utf-8", "replace"))))
    painter = QPainter(writer)
    painter.scale(FINE, FINE)
    try:
        paint(painter, writer.newPage)
    finally:
        painter.end()
    undated = _DATE.sub(rb"\g<1>20000101000000", closed(buffer))
    return _XMP_DATE.sub(rb"\g<1>2000-01-01T00:00:00", undated)
