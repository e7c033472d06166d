"""Picture of the lab `positions`: the sinusoidal table as a heatmap and as waves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.labs.positions import Encoding
from gui.labs.charts import (
    CENTRED,
    RIGHT_ALIGNED,
    ChartStroke,
    grouped,
    legend_width,
    legible_size,
    number_step,
    paint_grid,
    paint_legend,
    paint_plate,
    versus,
    write,
)
from gui.labs.exhibit import LabView
from gui.painting.color_scale import Levels
from gui.painting.matrix import Frame
from gui.painting.shapes import paint_curve, paint_disc, paint_shape
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of


@dataclass(frozen=True, slots=True)
class DistanceMark:
    """A chosen position: its control, its name, its colour, and its chip."""

    control: str
    place: int
    name: str
    colour: str
    area: QRectF = field(default_factory=QRectF)

    def at(self, area: QRectF) -> DistanceMark:
        """Return the mark with its chip in an area."""
        return replace(self, area=area)


def marks(encoding: Encoding, theme: Colours) -> tuple[DistanceMark, DistanceMark]:
    """Return the marks of the query's position and of the shifted one."""
    i, j = encoding.position, encoding.target
    return (
        DistanceMark("position", i, f"i = {i}", theme.weights),
        DistanceMark("shift", j, f"i + k = {j}", theme.accent),
    )


def paint_mark(painter: QPainter, mark: DistanceMark, theme: Colours) -> None:
    """Paint a draggable chip."""
    paint_plate(
        painter,
        mark.area,
        mark.name,
        mark.colour,
        font(CAPTION, bold=True),
        line=mark.colour,
        width=1.6,
        fill=theme.surface,
        radius=6.0,
    )


def hand_stroke(mark: DistanceMark) -> ChartStroke:
    """Return the stroke of a mark: solid for the position, dashed for the shifted one."""
    return ChartStroke(mark.colour, "solid" if mark.control == "position" else "dashed", 3.0)


HEAD = 66.0  # height of titles, legend and column names
CHIP = 88.0  # width of the column of chips
NUMBERS = 24.0
LANE = 72.0  # least width of a wave
MOST_LANES = 7
LEAST_DIGITS = 11.0  # least font size of digits
LEAST_ROW = 13.0  # least row height with a number each


@dataclass(frozen=True, slots=True)
class PositionsLayout:
    """The table, the lanes of its waves (one per pair of columns or odd last column), and one row."""

    table: QRectF
    lanes: tuple[tuple[int, QRectF], ...]
    row: float

    def middle(self, place: float) -> float:
        """Return the y of a position, also beyond the table."""
        return self.table.top() + (place + 0.5) * self.row

    def place_at(self, y: float) -> int:
        """Return the position at a height, not limited to the table."""
        return int((y - self.table.top()) // self.row)


def positions_layout(area: QRectF, encoding: Encoding) -> PositionsLayout:
    """Lay out the table at the left and as many waves as fit at the right."""
    n, d = encoding.table.shape
    inside = area.adjusted(16.0, 8.0, -16.0, -26.0)
    left = inside.left() + CHIP + NUMBERS + 6.0
    wide = inside.right() - left
    table = QRectF(left, inside.top() + HEAD, min(wide * 0.44, d * 64.0), inside.height() - HEAD)
    rest = QRectF(
        table.right() + 28.0, table.top(), inside.right() - table.right() - 28.0, table.height()
    )
    waves = len(encoding.rates)
    count = max(1, min(waves, int(rest.width() / LANE), MOST_LANES))
    pairs = sorted({*range(count - 1), waves - 1})  # the fastest ones and the slowest
    step = rest.width() / len(pairs)
    lanes = tuple(
        (
            pair,
            QRectF(
                rest.left() + at * step + 5.0, rest.top(), min(step - 10.0, 220.0), rest.height()
            ),
        )
        for at, pair in enumerate(pairs)
    )
    return PositionsLayout(table, lanes, table.height() / n)


def chips(area: QRectF, view: LabView) -> tuple[DistanceMark, ...]:
    """Return both chips beside their rows; a position beyond the table gets its chip below it."""
    where = positions_layout(area, view.result.encoding)
    left = area.left() + 16.0
    found = []
    for mark in marks(view.result.encoding, view.theme):
        y = min(where.middle(mark.place), where.table.bottom() + 8.0)
        found.append(mark.at(QRectF(left, y - 10.0, CHIP - 8.0, 20.0)))
    return _apart(found[0], found[1], area.bottom() - 4.0)


def _apart(
    first: DistanceMark, second: DistanceMark, bottom: float
) -> tuple[DistanceMark, DistanceMark]:
    """Separate both chips vertically, above the bottom."""
    lower = min(max(second.area.top(), first.area.bottom() + 2.0), bottom - second.area.height())
    upper = min(first.area.top(), lower - 2.0 - first.area.height())
    return first.at(_moved(first.area, upper)), second.at(_moved(second.area, lower))


def _moved(area: QRectF, top: float) -> QRectF:
    return QRectF(area.left(), top, area.width(), area.height())


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the heatmap, the waves, and the two chosen rows."""
    encoding: Encoding = view.result.encoding
    where = positions_layout(area, encoding)
    frames = tuple(
        Frame((mark.place, mark.place + 1), (0, encoding.table.shape[1]), mark.colour, 2.0)
        for mark in reversed(marks(encoding, view.theme))
        if mark.place < encoding.n
    )
    size = legible_size(
        encoding.table,
        view.decimals,
        where.table.width() / encoding.table.shape[1],
        where.row,
    )
    digits = size if size >= LEAST_DIGITS else None
    paint_grid(
        painter, where.table, view, encoding.table, Levels(-1.0, 1.0), frames=frames, digits=digits
    )
    _paint_heads(painter, area, where, encoding, view.theme)
    _paint_numbers(painter, where, encoding, view.theme)
    before = -1
    for pair, lane in where.lanes:
        _paint_lane(painter, where, lane, encoding, view, pair)
        _paint_lane_names(painter, lane, encoding, view.theme, pair, skipped=pair > before + 1)
        before = pair
    for mark in chips(area, view):
        paint_mark(painter, mark, view.theme)
        if mark.place >= encoding.n:
            beside = QRectF(
                mark.area.right() + 6.0, where.table.bottom() + 4.0, where.table.width(), 18.0
            )
            write(painter, beside, tr("beyond the table"), view.theme.muted, font(CAPTION))


def _paint_heads(
    painter: QPainter, rect: QRectF, where: PositionsLayout, encoding: Encoding, theme: Colours
) -> None:
    n, d = encoding.table.shape
    top = rect.top() + 8.0
    lanes, face = where.lanes[0][1], font(BODY, bold=True)
    title = tr("Table P, {n} positions × {d} columns", n=n, d=d)
    left = max(
        rect.left() + 16.0, min(where.table.left(), lanes.left() - 12.0 - width_of(title, face))
    )
    write(painter, QRectF(left, top, lanes.left() - 8.0 - left, 22.0), title, theme.text, face)
    area = QRectF(lanes.left(), top, rect.right() - lanes.left() - 8.0, 22.0)
    title = tr("Its columns as waves, each with its wavelength")
    if width_of(title, face) > area.width():
        title = tr("Its columns as waves")
    write(painter, area, title, theme.text, face)
    entries = tuple(
        zip((tr("sin, even column"), tr("cos, odd column")), versus(theme), strict=True)
    )
    left = min(
        lanes.left(), rect.right() - 8.0 - legend_width(entries)
    )  # extends over the table if lanes are narrow
    paint_legend(painter, QRectF(left, top + 22.0, rect.right() - left, 20.0), theme, entries)
    below = QRectF(where.table.left(), where.table.bottom() + 4.0, where.table.width(), 18.0)
    write(painter, below, tr("column →"), theme.muted, font(CAPTION), RIGHT_ALIGNED)
    wide = where.table.width() / d
    for column in range(d):
        if wide >= width_of("00", font(CAPTION)) + 3.0:
            area = QRectF(where.table.left() + column * wide, where.table.top() - 20.0, wide, 18.0)
            write(painter, area, str(column), theme.muted, font(CAPTION), CENTRED)


def _paint_numbers(
    painter: QPainter, where: PositionsLayout, encoding: Encoding, theme: Colours
) -> None:
    """Paint the numbers of the positions, skipping some if they do not fit."""
    every = number_step(LEAST_ROW, where.row, encoding.n)
    for place in range(0, encoding.n, every):
        area = QRectF(where.table.left() - NUMBERS - 5.0, where.middle(place) - 9.0, NUMBERS, 18.0)
        write(painter, area, str(place), theme.muted, font(CAPTION), RIGHT_ALIGNED)


def _paint_lane(
    painter: QPainter,
    where: PositionsLayout,
    lane: QRectF,
    encoding: Encoding,
    view: LabView,
    pair: int,
) -> None:
    """Paint one pair of columns as waves around a vertical middle line."""
    for x in (lane.left(), lane.center().x(), lane.right()):
        paint_shape(painter, QLineF(x, lane.top(), x, lane.bottom()), line=view.theme.line)
    for mark in marks(encoding, view.theme):
        if mark.place < encoding.n:
            paint_shape(
                painter,
                QLineF(
                    lane.left(), where.middle(mark.place), lane.right(), where.middle(mark.place)
                ),
                line=QPen(QColor(mark.colour), 1.2, Qt.PenStyle.DotLine),
            )
    for side in (1, 0) if columns_of(encoding, pair)[1:] else (0,):
        _paint_wave(painter, where, lane, encoding, 2 * pair + side, versus(view.theme)[side])
        _paint_dots(painter, where, lane, encoding, 2 * pair + side, view.theme)


def columns_of(encoding: Encoding, pair: int) -> tuple[int, ...]:
    """Return the columns of a wave: sine and cosine, or the last sine of an odd width."""
    return tuple(range(encoding.table.shape[1]))[2 * pair : 2 * pair + 2]


def _paint_lane_names(
    painter: QPainter, lane: QRectF, encoding: Encoding, theme: Colours, pair: int, *, skipped: bool
) -> None:
    """Paint the column names above, after "…" if waves are omitted, and the wavelength below."""
    columns = ("… " if skipped else "") + ", ".join(map(str, columns_of(encoding, pair)))
    write(
        painter,
        QRectF(lane.left(), lane.top() - 20.0, lane.width(), 18.0),
        columns,
        theme.text,
        font(CAPTION),
        CENTRED,
    )
    length = float(2.0 * np.pi / encoding.rates[pair])
    number = grouped(length, 1 if length < 100.0 else 0)
    text = tr("{length} positions", length=number)
    below = QRectF(lane.left() - 4.0, lane.bottom() + 4.0, lane.width() + 8.0, 18.0)
    if width_of(text, font(CAPTION)) > below.width():
        text = number  # the title names the unit
    write(painter, below, text, theme.muted, font(CAPTION), CENTRED)


def _paint_wave(
    painter: QPainter,
    where: PositionsLayout,
    lane: QRectF,
    encoding: Encoding,
    column: int,
    line: ChartStroke,
) -> None:
    half = lane.width() / 2
    across = lane.center().x() + encoding.waves[:, column] * half
    down = where.table.top() + (encoding.times + 0.5) * where.row
    points = [QPointF(x, y) for x, y in zip(across.tolist(), down.tolist(), strict=True)]
    paint_curve(painter, points, line.pen())


def _paint_dots(
    painter: QPainter,
    where: PositionsLayout,
    lane: QRectF,
    encoding: Encoding,
    column: int,
    theme: Colours,
) -> None:
    """Paint the numbers of this column in the chosen rows."""
    for mark, row in zip(marks(encoding, theme), (encoding.here, encoding.there), strict=True):
        if mark.place < encoding.n:
            x = lane.center().x() + float(row[column]) * lane.width() / 2
            paint_disc(
                painter,
                QPointF(x, where.middle(mark.place)),
                4.5,
                line=theme.surface,
                width=1.5,
                fill=mark.colour,
            )
