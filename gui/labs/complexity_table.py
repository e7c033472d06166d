"""The bill as a table: a line for each stage with its formula, a bar of its operations, memory and time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.labs.complexity import Bill, Cost
from gui.labs.charts import Stroke, versus, write
from gui.labs.measured import counted
from gui.labs.memory import bytes_text, seconds_text
from gui.painting.theme import CAPTION, Colours, font
from gui.texts.names import symbol_here
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

GROUPS = (
    ("Q", "K", "V"),
    ("scores", "heads"),
    ("Y",),
)  # stages of products, as the curves of the chart group them
HEAD = 22.0  # the names of the columns
TALLEST, LEAST = 40.0, 15.0  # a line
LARGEST, SMALLEST = 16.0, 9.0  # its letters
PART = 0.6  # of a line's height, for its letters
SOFT = 0.72  # how opaque bars are: in a row below each other they would outshine all else
LEAST_BAR = 48.0  # units of width for the longest bar

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def formula_text(cost: Cost, crossed: bool) -> str:
    """n·d·h·d_k, and nothing for what was entered; `crossed` where keys come from another sentence of m tokens."""
    names = {"k": "d_k", "v": "d_v", "o": "d_model", "m": "m" if crossed else "n"}
    text = "·".join(names.get(letter, letter) for letter in cost.letters)
    return text.replace("n·n", "n²")


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of texts: its heading, and on which side it ends."""

    heading: str
    texts: tuple[str, ...]
    right: bool = True

    def width(self, size: float) -> float:
        """As wide as its widest text with letters of a size."""
        return (
            max(
                width_of(self.heading, font(CAPTION)),
                *(width_of(text, font(size)) for text in self.texts),
            )
            + 14.0
        )


def paint_table(painter: QPainter, area: QRectF, bill: Bill, theme: Colours) -> None:
    """As many stages as lines that can be read have room, the dearest; formulas where the width is enough for them."""
    costs = _dearest(bill.costs, int((area.height() - HEAD) / LEAST))
    high = min(TALLEST, (area.height() - HEAD) / max(1, len(costs)))
    for size in range(int(max(SMALLEST, min(LARGEST, high * PART))), int(SMALLEST) - 1, -1):
        left, right = _columns(bill, costs)
        if area.width() - _wide((*left, *right), size) < LEAST_BAR:
            left, right = _columns(bill, costs, formulas=False)
        if area.width() - _wide((*left, *right), size) >= LEAST_BAR:
            break
    x = area.left()
    for column in left:
        _paint_column(painter, QRectF(x, area.top(), column.width(size), high), column, theme, size)
        x += column.width(size)
    bar = area.right() - _wide(right, size) - x
    _paint_bars(
        painter, QRectF(x + 4.0, area.top() + HEAD, max(bar, 4.0) - 4.0, high), costs, theme
    )
    x = area.right() - _wide(right, size)
    for column in right:
        _paint_column(painter, QRectF(x, area.top(), column.width(size), high), column, theme, size)
        x += column.width(size)


def _dearest(costs: Sequence[Cost], most: int) -> list[Cost]:
    """So many of them, those with most operations, in their order."""
    kept = sorted(range(len(costs)), key=lambda place: -costs[place].count)[: max(1, most)]
    return [costs[place] for place in sorted(kept)]


def _wide(columns: Sequence[_Column], size: float) -> float:
    return sum(column.width(size) for column in columns)


def _columns(
    bill: Bill, costs: Sequence[Cost], *, formulas: bool = True
) -> tuple[list[_Column], list[_Column]]:
    """What stands at the left of the bars, and what at the right."""
    some = (
        tr("{seen} of {n}", seen=len(costs), n=len(bill.costs))
        if len(costs) < len(bill.costs)
        else ""
    )
    left = [
        _Column(some, tuple(symbol_here(bill.document, cost.stage) for cost in costs), right=False)
    ]
    if formulas:
        crossed = bill.document.context is not None
        left.append(
            _Column(
                tr("operations"), tuple(formula_text(cost, crossed) for cost in costs), right=False
            )
        )
    counts = tuple(counted(cost.count) if cost.count else tr("entered") for cost in costs)
    right = [
        _Column("" if formulas else tr("operations"), counts),
        _Column(tr("memory"), tuple(bytes_text(cost.size) for cost in costs)),
    ]
    if any(cost.seconds is not None for cost in costs):
        texts = tuple("" if cost.seconds is None else seconds_text(cost.seconds) for cost in costs)
        right.append(_Column(tr("time"), texts))
    return left, right


def _paint_column(
    painter: QPainter, first: QRectF, column: _Column, theme: Colours, size: float
) -> None:
    """`first` is as wide as the column and as high as a line."""
    align = _RIGHT if column.right else _LEFT
    start = first.left() + (10.0 if column.right else 0.0)
    wide = first.width() - (10.0 if column.right else 4.0)
    write(
        painter,
        QRectF(start, first.top(), wide, 20.0),
        column.heading,
        theme.muted,
        font(CAPTION),
        align,
    )
    for row, text in enumerate(column.texts):
        cell = QRectF(start, first.top() + HEAD + row * first.height(), wide, first.height())
        write(painter, cell, text, theme.text if column.right else theme.muted, font(size), align)


def strokes(theme: Colours) -> tuple[Stroke, Stroke, Stroke]:
    """Of Q, K and V, of the pairs, and of the output, in the chart as in the table."""
    first, last = versus(theme)
    return first, Stroke(theme.weights, "dashed"), Stroke(last.colour, "dashdot")


def _paint_bars(painter: QPainter, first: QRectF, costs: Sequence[Cost], theme: Colours) -> None:
    """As long as the operations are many: products as coloured as their curves, what acts on each number pale."""
    groups = dict(zip(GROUPS, strokes(theme), strict=True))
    colours = {stage: line.colour for stages, line in groups.items() for stage in stages}
    most = max(cost.count for cost in costs) or 1
    painter.setPen(Qt.PenStyle.NoPen)
    for row, cost in enumerate(costs):
        colour = QColor(colours.get(cost.stage, theme.ghost))
        colour.setAlphaF(SOFT)
        painter.setBrush(colour)
        length = max(1.5, first.width() * cost.count / most) if cost.count else 0.0
        high = min(20.0, first.height() * 0.62)
        top = first.top() + row * first.height() + (first.height() - high) / 2
        painter.drawRoundedRect(QRectF(first.left(), top, length, high), 3, 3)
