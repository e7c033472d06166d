"""The position and the shifted one: the same colours, names and chips in every view of the lab."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.labs.positions import Encoding
from gui.labs.charts import write
from gui.labs.charts.strokes import Stroke
from gui.painting.theme import CAPTION, Colours, font

_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class Mark:
    """A chosen place: the control that sets it, its name, its colour, and where its chip lies."""

    control: str
    place: int
    name: str
    colour: str
    area: QRectF = field(default_factory=QRectF)

    def at(self, area: QRectF) -> Mark:
        """The mark with its chip there."""
        return replace(self, area=area)


def marks(encoding: Encoding, theme: Colours) -> tuple[Mark, Mark]:
    """Where the query stands, and the place a shift further."""
    i, j = encoding.position, encoding.target
    return (
        Mark("position", i, f"i = {i}", theme.weights),
        Mark("shift", j, f"i + k = {j}", theme.accent),
    )


def paint_mark(painter: QPainter, mark: Mark, theme: Colours) -> None:
    """A chip that can be held."""
    painter.setPen(QPen(QColor(mark.colour), 1.6))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(mark.area, 6.0, 6.0)
    write(painter, mark.area, mark.name, mark.colour, font(CAPTION, bold=True), _CENTRE)


def hand_stroke(mark: Mark) -> Stroke:
    """The line of a mark: solid for the position, dashed for the shifted one."""
    return Stroke(mark.colour, "solid" if mark.control == "position" else "dashed", 3.0)
