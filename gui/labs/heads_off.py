"""Heads switched off one by one: their weights above, and below what the output loses, token by token."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.base.arrays import frozen
from core.labs.heads import Split
from gui.labs.exhibit import Shown
from gui.labs.grids import GAP, TITLE_LINE, Names, grid_rect, names_width, paint_grid
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame, MatrixSpec, cell_rect
from gui.painting.theme import BODY, Colours, font
from gui.texts.names import head_name, subscript, visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

BETWEEN = 26.0
LARGEST = 84.0
INDENT = 26.0  # of a title, for the switch before it


@dataclass(frozen=True, slots=True)
class Places:
    """The panel of every head, and the matrices of the output and of its losses."""

    heads: tuple[QRectF, ...]
    maps: tuple[QRectF, ...]
    output: QRectF
    losses: QRectF


def names_of(split: Split, head: int, room: float, *, named: bool) -> Names:
    """What stands around the weights of a head; `named` if its rows are. Of its title as much stands as has room."""
    document = split.document
    rows = tuple(map(visible_token, document.tokens)) if named else ()
    titles = (head_name(head, document.heads[head].name), head_name(head, ""), str(head + 1))
    fitting = (title for title in titles if width_of(title, font(BODY, bold=True)) <= room)
    return Names(next(fitting, titles[-1]), rows, tuple(map(visible_token, document.key_tokens)))


def output_names(split: Split) -> Names:
    """Rows are tokens, columns those of Y."""
    columns = tuple(f"y{subscript(column + 1)}" for column in range(split.Y.shape[1]))
    return Names(
        tr("Y with the heads that are on"),
        tuple(map(visible_token, split.document.tokens)),
        columns,
    )


def loss_names(split: Split) -> Names:
    """A column for each head missing alone, the last for all that are off now."""
    columns = (*(str(head + 1) for head in range(len(split.on))), tr("now"))
    return Names(
        tr("Lost without head …, ‖ΔY‖"), tuple(map(visible_token, split.document.tokens)), columns
    )


def places(room: QRectF, split: Split) -> Places:
    """Two rows: all heads in the upper one, the output in the lower one."""
    inside = room.adjusted(16.0, 8.0, -16.0, -10.0)
    half = (inside.height() - BETWEEN) / 2
    upper = QRectF(inside.left(), inside.top(), inside.width(), half)
    lower = QRectF(inside.left(), inside.bottom() - half, inside.width(), half)
    maps = map_rects(upper, split, len(split.on))
    heads = tuple(
        QRectF(
            rect.left() - 4.0, upper.top(), rect.width() + 8.0, rect.bottom() - upper.top() + 4.0
        )
        for rect in maps
    )
    n = len(split.document.tokens)
    wide = (lower.width() - BETWEEN) / 2
    output, losses = (
        grid_rect(
            QRectF(left, lower.top(), wide, half),
            n,
            columns,
            names,
            widest=LARGEST,
            tallest=LARGEST,
        )
        for left, columns, names in (
            (lower.left(), split.Y.shape[1], output_names(split)),
            (lower.left() + wide + BETWEEN, len(split.on) + 1, loss_names(split)),
        )
    )
    return Places(heads, maps, output, losses)


def map_rects(
    area: QRectF, split: Split, count: int, tallest: float = LARGEST, lines: int = 1
) -> tuple[QRectF, ...]:
    """So many heatmaps of the same size beside each other, in so many lines, each after the names of its rows."""
    document = split.document
    left = min(names_width(tuple(map(visible_token, document.tokens))), area.width() * 0.12) + GAP
    along = -(-count // lines)
    step, down = (area.width() - left + BETWEEN) / along, (area.height() + BETWEEN) / lines
    plain = Names("A", (), tuple(document.key_tokens))
    room = QRectF(0.0, area.top(), step - BETWEEN, down - BETWEEN)
    wide = grid_rect(room, document.n, document.m, plain, widest=LARGEST * 1.4).width() / document.m
    size = grid_rect(
        room, document.n, document.m, plain, widest=wide, tallest=min(tallest, wide * 2.0)
    )
    return tuple(
        size.translated(area.left() + left + place % along * step, place // along * down)
        for place in range(count)
    )


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Weights, output, losses."""
    split: Split = shown.result.split
    theme, decimals = shown.look.theme, shown.look.decimals
    where = places(room, split)
    for head, rect in enumerate(where.maps):
        _paint_head(painter, rect, split, shown, head)
    picture = MatrixSpec(split.Y, levels_of(split.whole, "Y"), decimals)
    paint_grid(painter, where.output, picture, theme, output_names(split))
    losses = frozen(np.column_stack([*split.without, split.lost]))
    most = max(float(losses.max()), 1e-12)
    column = len(split.on)
    frames = (Frame((0, len(losses)), (column, column + 1), theme.accent),)
    picture = MatrixSpec(losses, Levels(0.0, most), decimals, frames=frames)
    paint_grid(painter, where.losses, picture, theme, loss_names(split))


def _paint_head(painter: QPainter, rect: QRectF, split: Split, shown: Shown, head: int) -> None:
    """The weights of a head, pale where it is off, with a switch beside its name."""
    theme, on = shown.look.theme, split.on[head]
    picture = MatrixSpec(split.A[head], Levels(0.0, 1.0), shown.look.decimals, off=not on)
    title = rect.width() - INDENT + (BETWEEN - 6.0 if head + 1 < len(split.on) else 10.0)
    names = names_of(split, head, title, named=head == 0)
    first = cell_rect(rect, picture.rows, picture.columns, 0, 0)
    middle = QPointF(rect.left() + 9.0, first.top() - TITLE_LINE / 2 - 18.0)
    _paint_switch(painter, middle, on, theme)
    colour = theme.weights if on else theme.muted
    paint_grid(
        painter,
        rect,
        picture,
        theme,
        Names(names.title, names.rows, names.columns, colour, indent=INDENT),
    )


def _paint_switch(painter: QPainter, middle: QPointF, on: bool, theme: Colours) -> None:
    """Filled with its knob at the right while on, hollow with it at the left while off."""
    area = QRectF(middle.x() - 9.0, middle.y() - 6.0, 20.0, 12.0)
    colour = QColor(theme.weights if on else theme.muted)
    painter.setPen(QPen(colour, 1.4))
    painter.setBrush(colour if on else Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(area, 6.0, 6.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.surface) if on else colour)
    knob = area.right() - 6.0 if on else area.left() + 6.0
    painter.drawEllipse(QPointF(knob, middle.y()), 3.6, 3.6)
