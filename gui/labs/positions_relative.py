"""Pictures of the lab `positions`: a shift as a rotation of clock hands, scores by distance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.base.arrays import Array
from core.base.number_format import show_significant
from core.labs.positions import Distances, Encoding
from gui.labs.charts import (
    CENTRED,
    Chart,
    ChartAxis,
    ChartStroke,
    chart_in,
    ends_width,
    paint_curves,
    paint_frame,
    paint_legend,
    paint_line,
    paint_plate,
    paint_points,
    paint_rule,
    write,
)
from gui.labs.exhibit import LabView
from gui.labs.positions_table import DistanceMark, hand_stroke, marks, paint_mark
from gui.labs.wording import measured
from gui.painting.shapes import paint_curve, paint_disc, paint_shape
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

HEAD = 58.0
RULER = 74.0
WORDS = 38.0  # height of two lines below a clock
WORTH = 8.0
LEAST_WORDS = 86.0  # least cell width with these lines
LARGEST = 150.0  # largest radius of a clock


@dataclass(frozen=True, slots=True)
class ShiftGrid:
    """Cells of the clocks and the height of their texts."""

    cells: tuple[QRectF, ...]
    words: float

    @property
    def radius(self) -> float:
        """Return the radius of every clock."""
        cell = self.cells[0]
        return max(
            6.0, min(cell.width() / 2 - 6.0, (cell.height() - self.words) / 2 - 5.0, LARGEST)
        )


def grid(rect: QRectF, pairs: int) -> ShiftGrid:
    """Choose the number of columns with the largest clocks; texts below count for a little size."""
    area = QRectF(
        rect.left() + 16.0, rect.top() + HEAD, rect.width() - 32.0, rect.height() - HEAD - RULER
    )
    layouts = [_cells(area, pairs, columns) for columns in range(1, pairs + 1)]
    return max(layouts, key=lambda found: found.radius + (WORTH if found.words else 0.0))


def _cells(area: QRectF, pairs: int, columns: int) -> ShiftGrid:
    rows = -(-pairs // columns)
    wide, high = area.width() / columns, area.height() / rows
    words = WORDS if wide >= LEAST_WORDS and high > 2 * WORDS else 0.0
    cells = [
        QRectF(area.left() + pair % columns * wide, area.top() + pair // columns * high, wide, high)
        for pair in range(pairs)
    ]
    return ShiftGrid(tuple(cells), words)


def ruler(area: QRectF) -> QRectF:
    """Return the line of positions below the clocks."""
    return QRectF(area.left() + 60.0, area.bottom() - 34.0, area.width() - 120.0, 1.0)


def at_place(line: QRectF, encoding: Encoding, place: float) -> float:
    """Return the x of a position on a ruler of twice the table's length."""
    return line.left() + line.width() * place / (2 * encoding.n - 2)


def place_at(line: QRectF, encoding: Encoding, x: float) -> int:
    """Return the position nearest to an x."""
    return round((x - line.left()) / line.width() * (2 * encoding.n - 2))


def chips(area: QRectF, view: LabView) -> tuple[DistanceMark, ...]:
    """Return the chip of the position above the ruler and of the shifted one below it."""
    line = ruler(area)
    found = []
    for mark, down in zip(marks(view.result.encoding, view.theme), (-32.0, 10.0), strict=True):
        width = width_of(mark.name, font(CAPTION, bold=True)) + 14.0
        x = at_place(line, view.result.encoding, mark.place)
        left = min(max(x - width / 2, area.left() + 4.0), area.right() - width - 4.0)
        found.append(mark.at(QRectF(left, line.top() + down, width, 20.0)))
    return tuple(found)


def paint_shift(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint headline, clocks and ruler."""
    encoding: Encoding = view.result.encoding
    _paint_head(painter, area, encoding, view)
    layout = grid(area, len(encoding.frequencies))
    for pair, cell in enumerate(layout.cells):
        middle = QPointF(cell.center().x(), cell.top() + (cell.height() - layout.words) / 2)
        _paint_clock(painter, middle, layout.radius, encoding, view.theme, pair)
        if layout.words:
            _paint_words(
                painter,
                QRectF(cell.left(), middle.y() + layout.radius + 4.0, cell.width(), WORDS),
                view,
                pair,
            )
    _paint_ruler(painter, area, encoding, view.theme)
    for mark in chips(area, view):
        paint_mark(painter, mark, view.theme)


def _paint_head(painter: QPainter, rect: QRectF, encoding: Encoding, view: LabView) -> None:
    area = QRectF(rect.left() + 16.0, rect.top() + 8.0, rect.width() - 32.0, 24.0)
    law = "P[i + k] = R(k) · P[i]"
    write(painter, area, law, view.theme.text, font(TITLE, bold=True))
    wide = width_of(law, font(TITLE, bold=True)) + 24.0
    text = tr(
        "largest error over all i: {error}",
        error=measured(encoding.error, view.decimals),
    )
    write(
        painter, area.adjusted(wide, 0.0, 0.0, 0.0), text, view.theme.value, font(BODY, bold=True)
    )
    entries = [(_hand_name(mark), hand_stroke(mark)) for mark in marks(encoding, view.theme)]
    entries.append((tr("turned by k·ω"), ChartStroke(view.theme.flash, "solid", 7.0)))
    paint_legend(
        painter, QRectF(area.left(), area.bottom() + 3.0, area.width(), 20.0), view.theme, entries
    )


def _hand_name(mark: DistanceMark) -> str:
    if mark.control == "position":
        return tr("hand (sin, cos) of a pair at i")
    return tr("the same at i + k")


def _paint_clock(
    painter: QPainter, middle: QPointF, radius: float, encoding: Encoding, theme: Colours, pair: int
) -> None:
    """Paint a clock: sine to the right, cosine upwards, so that the hand turns clockwise."""
    paint_disc(painter, middle, radius, line=theme.ghost, width=1.2, fill=theme.sunken)
    top = middle - QPointF(0.0, radius)
    noon = QLineF(top, top + QPointF(0.0, radius * 0.1))
    paint_shape(painter, noon, line=theme.ghost, width=1.2)
    _paint_turn(painter, middle, radius, encoding, theme, pair)
    for mark, row in zip(marks(encoding, theme), (encoding.here, encoding.there), strict=True):
        tip = middle + QPointF(float(row[2 * pair]), -float(row[2 * pair + 1])) * radius * 0.92
        paint_shape(painter, QLineF(middle, tip), line=hand_stroke(mark).pen())
        paint_disc(painter, tip, 4.0, line=theme.sunken, fill=mark.colour)
    paint_disc(painter, middle, 2.5, fill=theme.text)


def _paint_turn(
    painter: QPainter, middle: QPointF, radius: float, encoding: Encoding, theme: Colours, pair: int
) -> None:
    """Paint the angle between the hands as a ring, with a spiral for whole turns."""
    start = math.atan2(float(encoding.here[2 * pair]), float(encoding.here[2 * pair + 1]))
    turn = float(encoding.turns[pair])
    steps = max(2, math.ceil(min(turn, 14 * math.pi) / 0.12))
    whole = min(turn, 14 * math.pi)
    points = []
    for step in range(steps + 1):
        part = step / steps
        angle = start + turn - whole * (1.0 - part)
        away = radius * (0.34 + 0.3 * part * whole / (14 * math.pi))
        points.append(middle + QPointF(math.sin(angle), -math.cos(angle)) * away)
    pen = QPen(QColor(theme.flash), max(2.0, min(radius * 0.09, 6.0)))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    paint_curve(painter, points, pen)


def _paint_words(painter: QPainter, area: QRectF, view: LabView, pair: int) -> None:
    """Paint the columns and the angle."""
    columns = tr("columns {first}, {second}", first=2 * pair, second=2 * pair + 1)
    upper = QRectF(area.left(), area.top(), area.width(), 17.0)
    write(painter, upper, columns, view.theme.muted, font(CAPTION), CENTRED)
    turn = tr(
        "{turn} rad", turn=show_significant(float(view.result.encoding.turns[pair]), view.decimals)
    )
    write(
        painter,
        upper.translated(0.0, 17.0),
        turn,
        view.theme.text,
        font(CAPTION, bold=True),
        CENTRED,
    )


def _paint_ruler(painter: QPainter, area: QRectF, encoding: Encoding, theme: Colours) -> None:
    """Paint the table's positions as a thick line, those beyond as a thin one, and the shift."""
    line = ruler(area)
    y = line.top()
    start, end = (at_place(line, encoding, mark.place) for mark in marks(encoding, theme))
    paint_shape(painter, QLineF(line.left(), y, line.right(), y), line=theme.line, width=2.0)
    paint_shape(
        painter,
        QLineF(line.left(), y, at_place(line, encoding, encoding.n - 1), y),
        line=theme.muted,
        width=3.0,
    )
    if end > start:
        paint_shape(painter, QLineF(start, y, end, y), line=theme.flash, width=6.0)
    for place in {0, encoding.n - 1, 2 * encoding.n - 2}:
        x = at_place(line, encoding, place)
        paint_shape(painter, QLineF(x, y - 4.0, x, y + 4.0), line=theme.muted)
    write(
        painter,
        QRectF(line.left() - 22.0, y - 9.0, 16.0, 18.0),
        "0",
        theme.muted,
        font(CAPTION),
        CENTRED,
    )
    last = QRectF(line.right() + 6.0, y - 9.0, 34.0, 18.0)
    write(painter, last, str(2 * encoding.n - 2), theme.muted, font(CAPTION))


BELOW = 44.0  # height of the measured numbers below each chart
BETWEEN = 22.0
TALLEST = 700.0
FEW = 40  # most keys with a point each
DASHES = ("solid", "dashed", "dashdot", "dotted")


@dataclass(frozen=True, slots=True, eq=False)
class DistancePanel:
    """One kind of positions: name, formula, score lines (lines, n), and measured spread."""

    title: str
    formula: str
    lines: Array
    names: tuple[str, ...]
    spread: float


def panels(view: LabView) -> tuple[DistancePanel, ...]:
    """Return the panels of sinusoidal, rotary and ALiBi positions."""
    distances: Distances = view.result.distances
    slopes = tuple(
        f"m = {show_significant(float(slope), view.decimals)}" for slope in distances.slopes
    )
    return (
        DistancePanel(
            tr("Sinusoidal"),
            "P[i]W_Q · P[j]W_K" if distances.drawn else "P[i] · P[j]",
            distances.dots[None],
            (),
            distances.spread_dots,
        ),
        DistancePanel(
            tr("Rotary (RoPE)"),
            "(R(i) q) · (R(j) k) / √d",
            distances.turned[None],
            (),
            distances.spread_turned,
        ),
        DistancePanel(
            tr("ALiBi"), "−m · |i − j|", distances.biases, slopes, distances.spread_biases
        ),
    )


def chart_areas(area: QRectF) -> tuple[QRectF, ...]:
    """Return the rectangles of three charts side by side, with space for the numbers below."""
    wide = (area.width() - 32.0 - 2 * BETWEEN) / 3
    high = min(area.height() - 20.0 - BELOW, TALLEST)
    top = area.top() + 8.0 + max(0.0, (area.height() - 20.0 - BELOW - high) / 2)
    return tuple(
        QRectF(area.left() + 16.0 + at * (wide + BETWEEN), top, wide, high) for at in range(3)
    )


def charts(rect: QRectF, view: LabView) -> tuple[Chart, ...]:
    """Build the charts."""
    return tuple(
        _chart(area, view, panel)
        for area, panel in zip(chart_areas(rect), panels(view), strict=True)
    )


def _chart(area: QRectF, view: LabView, panel: DistancePanel) -> Chart:
    x = ChartAxis(0.0, float(view.result.encoding.n - 1), whole=True)
    y = ChartAxis.over(panel.lines, zero=True)
    right = ends_width(panel.names) if _named(panel, area) else 12.0
    name = tr("position j of the key")
    return chart_in(area, x, y, x_label=name, y_label=panel.formula, title=panel.title, right=right)


def paint_distance(painter: QPainter, rect: QRectF, view: LabView) -> None:
    """Paint the three charts and their measured spreads."""
    for area, panel in zip(chart_areas(rect), panels(view), strict=True):
        _paint_panel(painter, area, view, panel)
        below = QRectF(area.left(), area.bottom() + 6.0, area.width(), 18.0)
        write(
            painter,
            below,
            tr("largest difference at the same i − j"),
            view.theme.muted,
            font(CAPTION),
        )
        number = measured(panel.spread, view.decimals)
        write(painter, below.translated(0.0, 18.0), number, view.theme.text, font(BODY, bold=True))


def _paint_panel(painter: QPainter, area: QRectF, view: LabView, panel: DistancePanel) -> None:
    encoding: Encoding = view.result.encoding
    colour = view.theme.text
    chart = paint_frame(painter, _chart(area, view, panel), view.theme)
    for mark in marks(encoding, view.theme):
        if mark.place < encoding.n:
            line = ChartStroke(
                mark.colour, "solid" if mark.control == "position" else "dashed", 1.4
            )
            paint_rule(painter, chart, view.theme, float(mark.place), vertical=True, stroke=line)
    places = np.arange(encoding.n, dtype=np.float64)
    strokes = [
        ChartStroke(colour, DASHES[place % len(DASHES)]) for place in range(len(panel.lines))
    ]
    if _named(panel, area):
        curves = list(zip(panel.names, panel.lines, strokes, strict=True))
        paint_curves(painter, chart, places, curves)
    else:
        for values, stroke in zip(panel.lines, strokes, strict=True):
            paint_line(painter, chart, places, values, stroke)
    if encoding.n <= FEW and len(panel.lines) == 1:
        paint_points(
            painter, chart, places, panel.lines[0], colour, radius=2.6, ground=view.theme.surface
        )
    _paint_value(painter, chart, view, panel)


def _named(panel: DistancePanel, area: QRectF) -> bool:
    return bool(panel.names) and area.width() >= 260.0


def _paint_value(painter: QPainter, chart: Chart, view: LabView, panel: DistancePanel) -> None:
    """Paint the score at the shift beside its point; for ALiBi that of the first head."""
    mark = marks(view.result.encoding, view.theme)[1]
    if mark.place >= view.result.encoding.n:
        return
    value = float(panel.lines[0][mark.place])
    paint_points(
        painter, chart, [mark.place], [value], mark.colour, radius=5.0, ground=view.theme.surface
    )
    text = show_significant(value, view.decimals)
    wide = width_of(text, font(CAPTION, bold=True)) + 8.0
    point = chart.point(mark.place, value)
    left = (
        point.x() + 8.0 if point.x() + 8.0 + wide <= chart.rect.right() else point.x() - 8.0 - wide
    )
    area = QRectF(left, max(point.y() - 22.0, chart.rect.top()), wide, 18.0)
    paint_plate(
        painter,
        area,
        text,
        mark.colour,
        font(CAPTION, bold=True),
        fill=view.theme.surface,
        radius=4.0,
    )
