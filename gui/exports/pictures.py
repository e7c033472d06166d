"""One picture of the diagram and the stage: PNG at one to four times its size, SVG and PDF with their texts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from core.archive_disk import write_bytes
from core.document import Document
from gui.exports.options import Options, Progress, report
from gui.exports.steps import run_state
from gui.language import spoken
from gui.printing import need_application
from gui.render import WRITERS, paint_picture
from gui.state import State


def write_png(document: Document, out_path: Path, options: Options, progress: Progress) -> None:
    """A bitmap of `size` × `scale` pixels."""
    _write(document, out_path, options, progress, ".png")


def write_svg(document: Document, out_path: Path, options: Options, progress: Progress) -> None:
    """A drawing in which digits stay text."""
    _write(document, out_path, replace(options, scale=1.0), progress, ".svg")


def write_pdf(document: Document, out_path: Path, options: Options, progress: Progress) -> None:
    """A page as large as the picture, in which digits stay text."""
    _write(document, out_path, replace(options, scale=1.0), progress, ".pdf")


def _write(document: Document, out_path: Path, options: Options, progress: Progress, ending: str) -> None:
    need_application()
    report(progress, 0.0)
    state = run_state(document, options)
    with spoken(options.language, options.preferences.labels):
        data = WRITERS[ending](painting(state, options), pixels(options), state)
    report(progress, 1.0)
    write_bytes(out_path, data)


def pixels(options: Options) -> tuple[int, int]:
    """The size of a bitmap."""
    return round(options.size[0] * options.scale), round(options.size[1] * options.scale)


def painting(state: State, options: Options) -> Callable[[QPainter], None]:
    """Draws a state in the size of the options, `scale` times as large."""

    def paint(painter: QPainter) -> None:
        painter.scale(options.scale, options.scale)
        paint_picture(painter, QRectF(0, 0, *options.size), state, options.parts)

    return paint


def image(state: State, options: Options) -> QImage:
    """A state as an image. The language must be in force."""
    picture = QImage(*pixels(options), QImage.Format.Format_RGB888)  # three bytes a pixel, as Pillow reads them
    painter = QPainter(picture)
    try:
        painting(state, options)(painter)
    finally:
        painter.end()
    return picture
