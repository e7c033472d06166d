"""How lines differ: by colour and by dashes, so that nobody has to tell colours apart."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from gui.painting.theme import Colours

_DASHES = {"solid": (), "dashed": (6.0, 3.5), "dotted": (1.2, 2.8), "dashdot": (7.0, 3.0, 1.2, 3.0)}
# Orange and blue first: they stay apart for every kind of colour vision.
_SERIES = (
    ("query", "solid"),
    ("key", "dashed"),
    ("value", "dashdot"),
    ("weights", "dotted"),
    ("text", "solid"),
    ("muted", "dashed"),
)


@dataclass(frozen=True, slots=True)
class ChartStroke:
    """The colour, dashes ("solid", "dashed", "dotted", "dashdot") and width in units of a line."""

    colour: str
    dash: str = "solid"
    width: float = 2.0

    def pen(self) -> QPen:
        """The pen that draws it."""
        pen = QPen(QColor(self.colour), self.width)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if self.dash != "solid":
            pen.setDashPattern(_DASHES[self.dash])
        return pen


def versus(theme: Colours, width: float = 2.0) -> tuple[ChartStroke, ChartStroke]:
    """What it is about and what that is compared with, where neither has a role whose colour it could wear."""
    return ChartStroke(theme.text, "solid", width), ChartStroke(theme.disabled, "dashed", width)


def stroke(theme: Colours, index: int, width: float = 2.0) -> ChartStroke:
    """The stroke of the first, second … series of a chart; six differ."""
    role, dash = _SERIES[index % len(_SERIES)]
    return ChartStroke(getattr(theme, role), dash, width)
