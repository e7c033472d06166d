"""The picture of a lab as a file, with no screen: PNG, SVG or PDF by the file's ending."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QPainter

from core.base.errors import UserError
from core.base.files import write_bytes
from core.labs.lab import Setting
from gui.export.pdf import need_application
from gui.export.render import WRITERS
from gui.labs.exhibit import Look, Shown
from gui.labs.frame import paint_sheet, show_lab
from gui.painting.scaling import in_units
from gui.texts.labs import lab_title
from gui.texts.translation import spoken

MARGIN = 20.0
LARGEST = (1600, 900)  # units: a larger picture is not wider in them but magnified


def render_lab(
    lab_id: str,
    setting: Setting,
    out_path: Path,
    size: tuple[int, int],
    language: str,
    look: Look,
    labels: str = "one",
) -> None:
    """Draw title, claim, picture and what to notice into a file; `size` is width and height in pixels, `labels` "both"
    for a title in both languages.

    Raises UserError "output.ending" (path, known), "file.unwritable" (path, reason).
    """
    draw = WRITERS.get(out_path.suffix.lower())
    if draw is None:
        raise UserError("output.ending", path=str(out_path), known=tuple(WRITERS))
    need_application()
    with spoken(language, labels):
        shown, title = show_lab(lab_id, setting, replace(look, live=False)), lab_title(lab_id)
        data = draw(lambda painter: _paint(painter, size, lab_id, shown), size, title)
    write_bytes(out_path, data)


def unit_of(size: tuple[int, int]) -> float:
    """Pixels a unit of a picture: one, and more for one that is larger both ways than its words need."""
    return max(1.0, min(side / most for side, most in zip(size, LARGEST, strict=True)))


def _paint(painter: QPainter, size: tuple[int, int], lab_id: str, shown: Shown) -> None:
    page = QRect(0, 0, *size)
    painter.fillRect(page, QColor(shown.look.theme.surface))
    with in_units(painter, page, unit_of(size)) as room:
        paint_sheet(painter, room.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN), lab_id, shown)
