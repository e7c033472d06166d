"""The sum of the round table: the query above the keys, dot products, weights, and what flows back below the values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.base.arrays import Array
from core.labs.roles import Seats
from gui.labs.charts import write
from gui.labs.exhibit import Shown
from gui.labs.grids import TITLE_LINE, Names, legible_size, names_width, paint_grid, paint_legible
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import MatrixSpec
from gui.painting.theme import BODY, font
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

ASKS, SHARES, FLOWS = (
    1,
    2,
    3,
)  # from which step on dot products, weights and what flows back stand there
MOST_UNITS = 6  # a matrix of more columns gets no more room than one of so many
WIDEST, TALLEST = 84.0, 62.0  # a cell
LEAST = 22.0  # the width of a cell whose digits can be read
GAP = 14.0
FRAME = 3.0  # around a vector
LINES = (
    2 * 24.0 + 2 * 16.0 + FRAME
)  # titles of the query and of the matrices, and the air around them


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """One matrix of the sum: its values, which step brings it, its title, its colour and the width that it wants."""

    values: Array
    levels: Levels
    step: int
    title: str
    colour: str
    scores: Array | None = None

    @property
    def units(self) -> int:
        """Columns that get a whole cell."""
        return min(int(self.values.shape[1]), MOST_UNITS)


def _blocks(shown: Shown) -> list[_Block]:
    seats: Seats = shown.result
    theme = shown.look.theme
    column = seats.scores[:, None], seats.logits[:, None], seats.weights[:, None]
    signed = levels_of(np.concatenate([seats.q[None, :], seats.K]), "K")
    return [
        _Block(seats.K, signed, 0, tr("key k"), theme.key),
        _Block(column[0], levels_of(column[0], "scores"), ASKS, "q·k", theme.text),
        _Block(column[1], levels_of(column[1], "scaled"), SHARES, _after(seats), theme.text),
        _Block(column[2], Levels(0.0, 1.0), SHARES, tr("weight"), theme.weights, scores=column[1]),
        _Block(seats.V, levels_of(seats.V, "V"), 0, tr("value v"), theme.value),
    ]


def _after(seats: Seats) -> str:
    """What has become of the dot products before the softmax."""
    if not all(seats.allowed):
        return tr("masked")
    return tr("biased") if seats.last == "biased" else tr("scaled")


def _fitting(blocks: list[_Block], room: float) -> tuple[list[_Block], list[float]]:
    """The matrices that have room, and how wide each is: without scaled scores, and then without scores, if need be."""
    for kept in (blocks, [*blocks[:2], *blocks[3:]], [blocks[0], *blocks[3:]]):
        unit, widths = _widths(kept, room - GAP * (len(kept) - 1))
        if unit >= LEAST:
            break
    return kept, widths


def _widths(blocks: list[_Block], room: float) -> tuple[float, list[float]]:
    """The width of a cell, and of each matrix: columns alone are alike, and none is narrower than its title."""
    titles = [width_of(block.title, font(BODY, bold=True)) + 2.0 for block in blocks]
    alone = max(wide for block, wide in zip(blocks, titles, strict=True) if block.units == 1)
    least = [
        alone if block.units == 1 else wide for block, wide in zip(blocks, titles, strict=True)
    ]
    unit, narrow = WIDEST, set[int]()
    while free := [place for place in range(len(blocks)) if place not in narrow]:
        left = room - sum(least[place] for place in narrow)
        unit = min(WIDEST, left / sum(blocks[place].units for place in free))
        if not (tight := {place for place in free if unit * blocks[place].units < least[place]}):
            break
        narrow |= tight
    return unit, [max(unit * block.units, wide) for block, wide in zip(blocks, least, strict=True)]


def _digits(
    blocks: list[_Block], widths: list[float], high: float, decimals: int
) -> list[float | None]:
    """One size for all numbers, the largest at which they fit; None where a matrix has no room for any."""
    sizes = [
        legible_size(block.values, decimals, wide / block.values.shape[1], high)
        for block, wide in zip(blocks, widths, strict=True)
    ]
    smallest = min(filter(None, sizes), default=0.0)
    return [smallest if size else None for size in sizes]


def paint_sum(painter: QPainter, area: QRectF, shown: Shown) -> None:
    """The query above the keys, dot products, weights, and what flows back below the values."""
    seats: Seats = shown.result
    tokens = tuple(map(visible_token, seats.document.tokens))
    names = min(names_width(tokens), area.width() * 0.2) + 8.0
    blocks, widths = _fitting(_blocks(shown), area.width() - FRAME - names)
    high = min(TALLEST, (area.height() - LINES) / (len(tokens) + 2))
    digits = _digits(blocks, widths, high, shown.look.decimals)
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
        shown.look.theme.query,
    )
    _paint_row(painter, query, shown, tr("query q"))
    below = query.rect.bottom() + 16.0 + 24.0
    for place, (block, wide) in enumerate(zip(blocks, widths, strict=True)):
        rect = QRectF(left, below, wide, high * len(tokens))
        _paint_block(painter, rect, block, digits[place], shown, tokens if place == 0 else ())
        left = rect.right() + GAP
    under = QRectF(rect.left(), rect.bottom() + 16.0, rect.width(), high)
    _paint_output(
        painter, _Row(under, seats.y, block.levels, digits[-1], block.colour), area.left(), shown
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Row:
    """A vector as one row: where, its values, the size of its digits, and the colour of its role."""

    rect: QRectF
    values: Array
    levels: Levels
    digits: float | None
    colour: str


def _paint_output(painter: QPainter, row: _Row, left: float, shown: Shown) -> None:
    """What the speaker hears, after its formula."""
    theme, rect = shown.look.theme, row.rect
    stands = shown.result.step >= FLOWS
    _paint_row(painter, row, shown, "", stands=stands)
    label = QRectF(left, rect.top(), rect.left() - left - 10.0, rect.height())
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    colour = theme.text if stands else theme.muted
    write(painter, label, tr("y = Σ weight × value"), colour, font(BODY, bold=True), right)


def _paint_block(
    painter: QPainter,
    rect: QRectF,
    block: _Block,
    digits: float | None,
    shown: Shown,
    tokens: tuple[str, ...],
) -> None:
    stands = None if shown.result.step >= block.step else (0, 0)
    picture = MatrixSpec(
        block.values,
        block.levels,
        shown.look.decimals,
        shown=stands,
        scores=block.scores,
        digits=digits,
    )
    paint_grid(
        painter, rect, picture, shown.look.theme, Names(block.title, tokens, colour=block.colour)
    )


def _paint_row(
    painter: QPainter, row: _Row, shown: Shown, title: str, *, stands: bool = True
) -> None:
    """Framed in its colour, its title above the frame."""
    theme, frame = shown.look.theme, row.rect.adjusted(-FRAME, -FRAME, FRAME, FRAME)
    stand = None if stands else (0, 0)
    picture = MatrixSpec(
        row.values[None, :], row.levels, shown.look.decimals, shown=stand, digits=row.digits
    )
    paint_legible(painter, row.rect, picture, theme)
    if title:
        above = QRectF(row.rect.left(), frame.top() - TITLE_LINE, frame.width(), TITLE_LINE)
        write(painter, above, title, row.colour, font(BODY, bold=True))
    painter.setPen(QPen(QColor(row.colour), 2.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(frame, 4, 4)
