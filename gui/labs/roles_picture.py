"""Picture of the lab `roles`: the tokens round a table and the worked sum of one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from core.base.arrays import Array
from core.labs.roles import RolesResult
from core.stages import spec_of
from core.stages.bias import Bias
from gui.labs.charts import (
    CENTRED,
    RIGHT_ALIGNED,
    TITLE_LINE,
    Names,
    legible_size,
    names_width,
    paint_grid,
    paint_plate,
    write,
)
from gui.labs.exhibit import LabView, Spot, split
from gui.labs.wording import leaders
from gui.painting.color_scale import Levels, levels_of
from gui.painting.shapes import faded, paint_arrow_head, paint_shape, pen_of, set_ink
from gui.painting.theme import BODY, TITLE, Colours, font
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

ASKS, SHARES, FLOWS = (
    1,
    2,
    3,
)  # first step of dot products, weights and output
MOST_UNITS = 6  # most columns that add width to a matrix
WIDEST, TALLEST = 84.0, 62.0  # largest width of a cell
LEAST = 22.0  # least width of a legible cell
GAP = 14.0
FRAME = 3.0  # frame width of a vector
LINES = 2 * 24.0 + 2 * 16.0 + FRAME  # heights of the titles and gaps


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """One matrix of the sum: its values, its step, its title, its colour and its preferred width."""

    values: Array
    levels: Levels
    step: int
    title: str
    colour: str
    scores: Array | None = None

    @property
    def units(self) -> int:
        """Return the number of full-width columns."""
        return min(int(self.values.shape[1]), MOST_UNITS)


def _blocks(view: LabView) -> list[_Block]:
    seats: RolesResult = view.result
    column = seats.scores[:, None], seats.logits[:, None], seats.weights[:, None]
    signed = levels_of(np.concatenate([seats.q[None, :], seats.K]), "K")
    return [
        _Block(seats.K, signed, 0, tr("key k"), view.theme.key),
        _Block(column[0], levels_of(column[0], "scores"), ASKS, "q·k", view.theme.text),
        _Block(column[1], levels_of(column[1], "scaled"), SHARES, _after(seats), view.theme.text),
        _Block(
            column[2], Levels(0.0, 1.0), SHARES, tr("weight"), view.theme.weights, scores=column[1]
        ),
        _Block(seats.V, levels_of(seats.V, "V"), 0, tr("value v"), view.theme.value),
    ]


def _after(seats: RolesResult) -> str:
    """Return the row after the dot products, before the softmax."""
    if not all(seats.allowed):
        return tr("masked")
    return tr("biased") if isinstance(spec_of(seats.last).kind, Bias) else tr("scaled")


def _fitting(blocks: list[_Block], area: float) -> tuple[list[_Block], list[float]]:
    """Return the matrices that fit and their widths: first scaled scores, then scores are omitted."""
    for kept in (blocks, [*blocks[:2], *blocks[3:]], [blocks[0], *blocks[3:]]):
        unit, widths = _widths(kept, area - GAP * (len(kept) - 1))
        if unit >= LEAST:
            break
    return kept, widths


def _widths(blocks: list[_Block], area: float) -> tuple[float, list[float]]:
    """Return the width of a cell and of each matrix: single columns are equal, titles always fit."""
    titles = [width_of(block.title, font(BODY, bold=True)) + 2.0 for block in blocks]
    alone = max(wide for block, wide in zip(blocks, titles, strict=True) if block.units == 1)
    least = [
        alone if block.units == 1 else wide for block, wide in zip(blocks, titles, strict=True)
    ]
    unit, narrow = WIDEST, set[int]()
    while free := [place for place in range(len(blocks)) if place not in narrow]:
        left = area - sum(least[place] for place in narrow)
        unit = min(WIDEST, left / sum(blocks[place].units for place in free))
        if not (tight := {place for place in free if unit * blocks[place].units < least[place]}):
            break
        narrow |= tight
    return unit, [max(unit * block.units, wide) for block, wide in zip(blocks, least, strict=True)]


def _digits(
    blocks: list[_Block], widths: list[float], high: float, decimals: int
) -> list[float | None]:
    """Return the largest font size that fits all numbers; None if a matrix fits none."""
    sizes = [
        legible_size(block.values, decimals, wide / block.values.shape[1], high)
        for block, wide in zip(blocks, widths, strict=True)
    ]
    smallest = min(filter(None, sizes), default=0.0)
    return [smallest if size else None for size in sizes]


def paint_sum(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the query above the keys, dot products, weights, and the output below the values."""
    seats: RolesResult = view.result
    tokens = tuple(map(visible_token, seats.document.tokens))
    names = min(names_width(tokens), area.width() * 0.2) + 8.0
    blocks, widths = _fitting(_blocks(view), area.width() - FRAME - names)
    high = min(TALLEST, (area.height() - LINES) / (len(tokens) + 2))
    digits = _digits(blocks, widths, high, view.decimals)
    top = (
        area.top() + max(0.0, (area.height() - LINES - high * (len(tokens) + 2)) / 2) + 24.0 + FRAME
    )
    spare = max(0.0, area.width() - FRAME - names - sum(widths) - GAP * (len(widths) - 1)) / 2
    left = area.left() + spare + names
    query = _Row(
        QRectF(left, top, widths[0], high),
        seats.q,
        blocks[0].levels,
        digits[0],
        view.theme.query,
    )
    _paint_row(painter, query, view, tr("query q"))
    below = query.rect.bottom() + 16.0 + 24.0
    for place, (block, wide) in enumerate(zip(blocks, widths, strict=True)):
        rect = QRectF(left, below, wide, high * len(tokens))
        _paint_block(painter, rect, block, digits[place], view, tokens if place == 0 else ())
        left = rect.right() + GAP
    under = QRectF(rect.left(), rect.bottom() + 16.0, rect.width(), high)
    _paint_output(
        painter, _Row(under, seats.y, block.levels, digits[-1], block.colour), area.left(), view
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A vector as one row: rectangle, values, font size, and role colour."""

    rect: QRectF
    values: Array
    levels: Levels
    digits: float | None
    colour: str


def _paint_output(painter: QPainter, row: _Row, left: float, view: LabView) -> None:
    """Paint the speaker's output after its formula."""
    theme, rect = view.theme, row.rect
    stands = view.result.step >= FLOWS
    _paint_row(painter, row, view, "", stands=stands)
    label = QRectF(left, rect.top(), rect.left() - left - 10.0, rect.height())
    colour = theme.text if stands else theme.muted
    write(painter, label, tr("y = Σ weight × value"), colour, font(BODY, bold=True), RIGHT_ALIGNED)


def _paint_block(
    painter: QPainter,
    rect: QRectF,
    block: _Block,
    digits: float | None,
    view: LabView,
    tokens: tuple[str, ...],
) -> None:
    stands = None if view.result.step >= block.step else (0, 0)
    paint_grid(
        painter,
        rect,
        view,
        block.values,
        block.levels,
        Names(block.title, tokens, colour=block.colour),
        shown=stands,
        scores=block.scores,
        digits=digits,
    )


def _paint_row(
    painter: QPainter, row: _Row, view: LabView, title: str, *, stands: bool = True
) -> None:
    """Paint a row, framed in its colour, its title above the frame."""
    frame = row.rect.adjusted(-FRAME, -FRAME, FRAME, FRAME)
    stand = None if stands else (0, 0)
    paint_grid(
        painter, row.rect, view, row.values[None, :], row.levels, shown=stand, digits=row.digits
    )
    if title:
        above = QRectF(row.rect.left(), frame.top() - TITLE_LINE, frame.width(), TITLE_LINE)
        write(painter, above, title, row.colour, font(BODY, bold=True))
    paint_shape(painter, frame, line=row.colour, width=2.0, radius=4)


WIDE = 1.2  # aspect ratio from which table and sum are side by side
NARROW = 800.0  # width below which the sum gets a larger part
CHIP, SMALL_CHIP = 34.0, 27.0
SMALL = 290.0  # size of a table with small chips
THICKEST = 16.0
LOOP = 14.0  # half width of a loop


def areas(area: QRectF) -> tuple[QRectF, QRectF]:
    """Return the rectangles of table and sum."""
    if area.width() >= WIDE * area.height():
        part = 0.48 if area.width() >= NARROW else 0.42
        table, worked = split(area, part, 24, across=True)
        return table, worked.adjusted(0, 12, -12, -12)
    table, worked = split(area, 0.52, 8, across=False)
    return table, worked.adjusted(12, 0, -12, -8)


@dataclass(frozen=True, slots=True)
class Seat:
    """Seat of a token: the middle of its chip, its size, and the outward direction."""

    chip: QRectF
    outward: QPointF


def seat_layout(area: QRectF, tokens: tuple[str, ...]) -> list[Seat]:
    """Return the seats around the table, clockwise from the top."""
    high = CHIP if min(area.width(), area.height()) >= SMALL else SMALL_CHIP
    face = _chip_font(high)
    widths = [
        max(high * 1.3, QFontMetricsF(face).horizontalAdvance(token) + high * 0.65)
        for token in tokens
    ]
    across = max(area.width() / 2 - max(widths) / 2 - 30.0, 20.0)
    down = max(area.height() / 2 - high / 2 - 40.0, 20.0)
    middle = QPointF(area.center().x(), area.center().y() + 8.0)
    seats = []
    for index, width in enumerate(widths):
        angle = -math.pi / 2 + 2 * math.pi * index / len(tokens)
        outward = QPointF(math.cos(angle), math.sin(angle))
        at = middle + QPointF(outward.x() * across, outward.y() * down)
        seats.append(Seat(QRectF(at.x() - width / 2, at.y() - high / 2, width, high), outward))
    return seats


def _chip_font(high: float, *, bold: bool = False) -> QFont:
    return font(TITLE * high / CHIP, bold=bold)


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    table, worked = areas(area)
    _paint_table(painter, table, view)
    paint_sum(painter, worked, view)


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return every seat as a spot that selects the speaker."""
    tokens = tuple(map(visible_token, view.result.document.tokens))
    return tuple(
        Spot(f"seat {index}", chair.chip, spoken_seat(view, index), "speaker", str(index))
        for index, chair in enumerate(seat_layout(areas(area)[0], tokens))
    )


def spoken_seat(view: LabView, index: int) -> str:
    """Describe a seat and the number of its line."""
    seats: RolesResult = view.result
    token = visible_token(seats.document.tokens[index])
    if not seats.allowed[index]:
        return tr("“{token}”, not allowed", token=token)
    if seats.step >= SHARES:
        return tr("“{token}”, weight {weight}", token=token, weight=view.show(seats.weights[index]))
    return tr("“{token}”, dot product {score}", token=token, score=view.show(seats.scores[index]))


def loudest(view: LabView) -> list[int]:
    """Return the seats with the largest displayed weight."""
    seats: RolesResult = view.result
    return [seats.free[place] for place in leaders(seats.weights[list(seats.free)], view.decimals)]


# The table


def _paint_table(painter: QPainter, area: QRectF, view: LabView) -> None:
    seats: RolesResult = view.result
    tokens = tuple(map(visible_token, seats.document.tokens))
    chairs = seat_layout(area, tokens)
    _paint_top(painter, chairs, view.theme)
    if seats.step >= ASKS:
        for index in sorted(range(len(chairs)), key=lambda seat: float(seats.weights[seat])):
            _paint_line(painter, chairs, index, view)
    for index, (chair, token) in enumerate(zip(chairs, tokens, strict=True)):
        _paint_chip(painter, chair.chip, token, view.theme, speaks=index == seats.speaker)
    if seats.step >= ASKS:
        for index in range(len(chairs)):
            _paint_label(painter, chairs, index, view)


def _paint_top(painter: QPainter, seats: list[Seat], theme: Colours) -> None:
    bounds = seats[0].chip
    for chair in seats:
        bounds = bounds.united(chair.chip)
    set_ink(painter, pen_of(theme.line, 1.5), theme.sunken)
    painter.drawEllipse(bounds.adjusted(8, 8, -8, -8))


def _paint_chip(
    painter: QPainter, chip: QRectF, token: str, theme: Colours, *, speaks: bool
) -> None:
    colour = QColor(theme.query if speaks else theme.key)
    paint_shape(
        painter,
        chip,
        line=colour,
        width=2.5 if speaks else 1.5,
        fill=theme.surface,
        radius=chip.height() / 2,
    )
    if speaks:
        soft = faded(theme.query, 0.18)
        paint_shape(painter, chip, line=colour, width=2.5, fill=soft, radius=chip.height() / 2)
    write(painter, chip, token, theme.text, _chip_font(chip.height(), bold=speaks), CENTRED)


def path_of(seats: list[Seat], speaker: int, index: int) -> QPainterPath:
    """Return the line from a seat to the speaker, bent inwards; the speaker's own is an outer loop."""
    start, end = seats[index].chip.center(), seats[speaker].chip.center()
    path = QPainterPath(start)
    if index == speaker:
        out = seats[index].outward
        side = QPointF(-out.y(), out.x())
        path.cubicTo(start + out * 74 + side * 46, end + out * 74 - side * 46, end)
        return path
    middle = QPointF()
    for chair in seats:
        middle += chair.chip.center() / len(seats)
    path.quadTo((start + end) / 2 * 0.72 + middle * 0.28, end)
    return path


def loop_label_place(chair: Seat, width: float, line: float) -> QPointF:
    """Return the middle of a number `width` wide beside a loop drawn with a `line` of this width."""
    side = QPointF(-chair.outward.y(), chair.outward.x())
    off = LOOP + line / 2 + 3.0 + abs(side.x()) * width / 2 + abs(side.y()) * 10.0
    return chair.chip.center() + chair.outward * 36.0 + side * off


def _width(seats: RolesResult, index: int) -> float:
    if seats.step < SHARES:
        return 1.5
    return 1.0 + (THICKEST - 1.0) * float(seats.weights[index])


def _paint_line(painter: QPainter, chairs: list[Seat], index: int, view: LabView) -> None:
    seats: RolesResult = view.result
    colour = QColor((view.theme.key, view.theme.weights, view.theme.value)[seats.step - 1])
    width = _width(seats, index)
    pen = QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    if not seats.allowed[index]:
        pen = QPen(QColor(view.theme.ghost), 1.0, Qt.PenStyle.DotLine)
    path = path_of(chairs, seats.speaker, index)
    paint_shape(painter, path, line=pen)
    if seats.step >= FLOWS and seats.allowed[index] and index != seats.speaker:
        _paint_arrow(painter, path, chairs[seats.speaker].chip, colour, width)


def _paint_arrow(
    painter: QPainter, path: QPainterPath, chip: QRectF, colour: QColor, width: float
) -> None:
    """Paint an arrowhead just before the speaker's chip."""
    around = chip.adjusted(-9, -9, 9, 9)
    part = next(
        (step / 100 for step in range(100) if around.contains(path.pointAtPercent(step / 100))), 0.9
    )
    tip, back = path.pointAtPercent(part), path.pointAtPercent(max(0.0, part - 0.05))
    line = QLineF(back, tip)
    if line.length() >= 1e-6:
        paint_arrow_head(painter, line, 9.0 + width / 2, 5.0 + width / 2, colour)


def _paint_label(painter: QPainter, chairs: list[Seat], index: int, view: LabView) -> None:
    """Paint the number of a line on a plate: the dot product or, once known, the weight."""
    seats: RolesResult = view.result
    if not seats.allowed[index]:
        return
    value = seats.weights[index] if seats.step >= SHARES else seats.scores[index]
    text = view.show(value)
    face = font(BODY, bold=seats.step >= SHARES and index in loudest(view))
    width = QFontMetricsF(face).horizontalAdvance(text) + 10.0
    at = path_of(chairs, seats.speaker, index).pointAtPercent(0.42)
    if index == seats.speaker:
        at = loop_label_place(chairs[index], width, _width(seats, index))
    plate = QRectF(at.x() - width / 2, at.y() - 10.0, width, 20.0)
    ink = view.theme.weights if seats.step >= SHARES else view.theme.text
    paint_plate(painter, plate, text, ink, face, fill=view.theme.surface, radius=5)
