"""Picture of the lab `positions`: the sinusoidal table as a heatmap and as waves."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.labs.positions import Encoding
from gui.labs.charts import ChartStroke, legend_width, paint_legend, versus, write
from gui.labs.charts.axis import grouped
from gui.labs.exhibit import LabView
from gui.labs.grids import legible_size, number_step
from gui.painting.color_scale import Levels
from gui.painting.matrix import Frame, MatrixSpec, paint_matrix
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

_CENTRE = Qt.AlignmentFlag.AlignCenter


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
    painter.setPen(QPen(QColor(mark.colour), 1.6))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(mark.area, 6.0, 6.0)
    write(painter, mark.area, mark.name, mark.colour, font(CAPTION, bold=True), _CENTRE)


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

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


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
    encoding: Encoding = view.result.encoding
    where = positions_layout(area, encoding)
    left = area.left() + 16.0
    found = []
    for mark in marks(encoding, view.appearance.theme):
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
    theme = view.appearance.theme
    where = positions_layout(area, encoding)
    frames = tuple(
        Frame((mark.place, mark.place + 1), (0, encoding.table.shape[1]), mark.colour, 2.0)
        for mark in reversed(marks(encoding, theme))
        if mark.place < encoding.n
    )
    size = legible_size(
        encoding.table,
        view.appearance.decimals,
        where.table.width() / encoding.table.shape[1],
        where.row,
    )
    digits = size if size >= LEAST_DIGITS else None
    picture = MatrixSpec(
        encoding.table, Levels(-1.0, 1.0), view.appearance.decimals, frames=frames, digits=digits
    )
    paint_matrix(painter, where.table, picture, theme)
    _paint_heads(painter, area, where, encoding, theme)
    _paint_numbers(painter, where, encoding, theme)
    before = -1
    for pair, lane in where.lanes:
        _paint_lane(painter, where, lane, encoding, view, pair)
        _paint_lane_names(painter, lane, encoding, theme, pair, skipped=pair > before + 1)
        before = pair
    for mark in chips(area, view):
        paint_mark(painter, mark, theme)
        if mark.place >= encoding.n:
            beside = QRectF(
                mark.area.right() + 6.0, where.table.bottom() + 4.0, where.table.width(), 18.0
            )
            write(painter, beside, tr("beyond the table"), theme.muted, font(CAPTION))


def _paint_heads(
    painter: QPainter, rect: QRectF, where: PositionsLayout, encoding: Encoding, theme: Colours
) -> None:
    n, d = encoding.table.shape
    top = rect.top() + 8.0
    lanes, face = where.lanes[0][1], font(BODY, bold=True)
    title = tr("Table P, {n} places × {d} columns", n=n, d=d)
    left = max(
        rect.left() + 16.0, min(where.table.left(), lanes.left() - 12.0 - width_of(title, face))
    )
    write(painter, QRectF(left, top, lanes.left() - 8.0 - left, 22.0), title, theme.text, face)
    area = QRectF(lanes.left(), top, rect.right() - lanes.left() - 8.0, 22.0)
    title = tr("Its columns as waves, each with its length")
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
    write(painter, below, tr("column →"), theme.muted, font(CAPTION), _RIGHT)
    wide = where.table.width() / d
    for column in range(d):
        if wide >= width_of("00", font(CAPTION)) + 3.0:
            area = QRectF(where.table.left() + column * wide, where.table.top() - 20.0, wide, 18.0)
            write(painter, area, str(column), theme.muted, font(CAPTION), _CENTRE)


def _paint_numbers(
    painter: QPainter, where: PositionsLayout, encoding: Encoding, theme: Colours
) -> None:
    """Paint the numbers of the positions, skipping some if they do not fit."""
    every = number_step(LEAST_ROW, where.row, encoding.n)
    for place in range(0, encoding.n, every):
        area = QRectF(where.table.left() - NUMBERS - 5.0, where.middle(place) - 9.0, NUMBERS, 18.0)
        write(painter, area, str(place), theme.muted, font(CAPTION), _RIGHT)


def _paint_lane(
    painter: QPainter,
    where: PositionsLayout,
    lane: QRectF,
    encoding: Encoding,
    view: LabView,
    pair: int,
) -> None:
    """Paint one pair of columns as waves around a vertical middle line."""
    theme = view.appearance.theme
    middle = lane.center().x()
    painter.setPen(QPen(QColor(theme.line), 1.0))
    for x in (lane.left(), middle, lane.right()):
        painter.drawLine(QLineF(x, lane.top(), x, lane.bottom()))
    for mark in marks(encoding, theme):
        if mark.place < encoding.n:
            painter.setPen(QPen(QColor(mark.colour), 1.2, Qt.PenStyle.DotLine))
            painter.drawLine(
                QLineF(
                    lane.left(), where.middle(mark.place), lane.right(), where.middle(mark.place)
                )
            )
    for side in (1, 0) if columns_of(encoding, pair)[1:] else (0,):
        _paint_wave(painter, where, lane, encoding, 2 * pair + side, versus(theme)[side])
        _paint_dots(painter, where, lane, encoding, 2 * pair + side, theme)


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
        _CENTRE,
    )
    length = float(2.0 * np.pi / encoding.rates[pair])
    number = grouped(length, 1 if length < 100.0 else 0)
    text = tr("{length} places", length=number)
    below = QRectF(lane.left() - 4.0, lane.bottom() + 4.0, lane.width() + 8.0, 18.0)
    if width_of(text, font(CAPTION)) > below.width():
        text = number  # the title names the unit
    write(painter, below, text, theme.muted, font(CAPTION), _CENTRE)


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
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(line.pen())
    painter.drawPolyline(
        QPolygonF([QPointF(x, y) for x, y in zip(across.tolist(), down.tolist(), strict=True)])
    )


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
            painter.setPen(QPen(QColor(theme.surface), 1.5))
            painter.setBrush(QColor(mark.colour))
            painter.drawEllipse(QPointF(x, where.middle(mark.place)), 4.5, 4.5)
