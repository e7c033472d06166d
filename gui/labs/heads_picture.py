"""Pictures of the lab `heads`: heads switched off one by one, and the output as a sum of blocks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from core.base.arrays import Array, frozen
from core.labs.heads import Split
from gui.labs.charts import (
    CENTRED,
    LEAST_NAME,
    NAME_GAP,
    RIGHT_ALIGNED,
    TITLE_LINE,
    Names,
    grid_rect,
    names_width,
    paint_grid,
    write,
)
from gui.labs.exhibit import LabView
from gui.labs.wording import measured
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame
from gui.painting.shapes import paint_shape
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.names import head_name, subscript, visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

BETWEEN = 26.0
LARGEST = 84.0
INDENT = 26.0  # indent of a title, for the switch before it


@dataclass(frozen=True, slots=True)
class SwitchLayout:
    """The rectangle of every head, and the matrices of the output and of its losses."""

    heads: tuple[QRectF, ...]
    maps: tuple[QRectF, ...]
    output: QRectF
    losses: QRectF


def names_of(split: Split, head: int, area: float, *, named: bool) -> Names:
    """Return the names around the weights of a head, the title cut to fit; `named` shows row names."""
    document = split.document
    rows = tuple(map(visible_token, document.tokens)) if named else ()
    titles = (head_name(head, document.heads[head].name), head_name(head, ""), str(head + 1))
    fitting = (title for title in titles if width_of(title, font(BODY, bold=True)) <= area)
    return Names(next(fitting, titles[-1]), rows, tuple(map(visible_token, document.key_tokens)))


def output_names(split: Split) -> Names:
    """Return tokens as rows and the columns of Y."""
    columns = tuple(f"y{subscript(column + 1)}" for column in range(split.Y.shape[1]))
    return Names(
        tr("Y with the heads that are on"),
        tuple(map(visible_token, split.document.tokens)),
        columns,
    )


def loss_names(split: Split) -> Names:
    """Return one column per missing head, and the last for all that are off."""
    columns = (*(str(head + 1) for head in range(len(split.on))), tr("now"))
    return Names(
        tr("Change of Y without head …, ‖ΔY‖"),
        tuple(map(visible_token, split.document.tokens)),
        columns,
    )


def switch_layout(area: QRectF, split: Split) -> SwitchLayout:
    """Lay out all heads in the upper row, the output in the lower one."""
    inside = area.adjusted(16.0, 8.0, -16.0, -10.0)
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
    return SwitchLayout(heads, maps, output, losses)


def map_rects(
    area: QRectF, split: Split, count: int, tallest: float = LARGEST, lines: int = 1
) -> tuple[QRectF, ...]:
    """Return heatmaps of equal size in the given number of lines, each after its row names."""
    document = split.document
    left = (
        min(names_width(tuple(map(visible_token, document.tokens))), area.width() * 0.12) + NAME_GAP
    )
    along = -(-count // lines)
    step, down = (area.width() - left + BETWEEN) / along, (area.height() + BETWEEN) / lines
    plain = Names("A", (), tuple(document.key_tokens))
    rect = QRectF(0.0, area.top(), step - BETWEEN, down - BETWEEN)
    wide = grid_rect(rect, document.n, document.m, plain, widest=LARGEST * 1.4).width() / document.m
    size = grid_rect(
        rect, document.n, document.m, plain, widest=wide, tallest=min(tallest, wide * 2.0)
    )
    return tuple(
        size.translated(area.left() + left + place % along * step, place // along * down)
        for place in range(count)
    )


def paint_switches(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint weights, output and losses."""
    split: Split = view.result.split
    where = switch_layout(area, split)
    for head, rect in enumerate(where.maps):
        _paint_head(painter, rect, split, view, head)
    paint_grid(
        painter, where.output, view, split.Y, levels_of(split.whole, "Y"), output_names(split)
    )
    losses = frozen(np.column_stack([*split.without, split.lost]))
    most = max(float(losses.max()), 1e-12)
    column = len(split.on)
    frames = (Frame((0, len(losses)), (column, column + 1), view.theme.accent),)
    names = loss_names(split)
    free = area.right() - 2.0 - where.losses.left()
    title = width_of(names.title, font(BODY, bold=True)) + 2.0
    names = replace(names, indent=min(free - title, 0.0))  # a long title begins above the rows
    paint_grid(painter, where.losses, view, losses, Levels(0.0, most), names, frames=frames)


def _paint_head(painter: QPainter, rect: QRectF, split: Split, view: LabView, head: int) -> None:
    """Paint the weights of a head, pale if off, with a switch beside its name."""
    theme, on = view.theme, split.on[head]
    title = rect.width() - INDENT + (BETWEEN - 6.0 if head + 1 < len(split.on) else 10.0)
    names = names_of(split, head, title, named=head == 0)
    middle = QPointF(rect.left() + 9.0, rect.top() - TITLE_LINE / 2 - 18.0)
    _paint_switch(painter, middle, on, theme)
    colour = theme.weights if on else theme.muted
    paint_grid(
        painter,
        rect,
        view,
        split.A[head],
        Levels(0.0, 1.0),
        Names(names.title, names.rows, names.columns, colour, indent=INDENT),
        off=not on,
    )


def _paint_switch(painter: QPainter, middle: QPointF, on: bool, theme: Colours) -> None:
    """Paint a switch: filled with the knob at the right if on, hollow with it at the left if off."""
    area = QRectF(middle.x() - 9.0, middle.y() - 6.0, 20.0, 12.0)
    colour = QColor(theme.weights if on else theme.muted)
    paint_shape(painter, area, line=colour, width=1.4, fill=colour if on else "", radius=6.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.surface) if on else colour)
    knob = area.right() - 6.0 if on else area.left() + 6.0
    painter.drawEllipse(QPointF(knob, middle.y()), 3.6, 3.6)


HEAD = 24.0
NAME = 18.0  # height of the title above each matrix
SIGN = 30.0
WIDEST, TALLEST = 78.0, 40.0
BLOCK_SPACING = 8.0


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the sum: A·V, the block of W_O, and their product."""

    mixed: QRectF
    block: QRectF
    part: QRectF


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """The lines of the heads, of the bias if any, and of the sum."""

    lines: tuple[Line, ...]
    bias: QRectF | None
    total: QRectF
    labels: float


def block_layout(area: QRectF, split: Split) -> BlockLayout:
    """Lay out lines of equal height with aligned matrices."""
    inside = area.adjusted(16.0, 8.0, -16.0, -8.0)
    h, n, v = split.mixed.shape
    o = split.Y.shape[1]
    bias = split.document.b_O is not None
    labels = min(inside.width() * 0.16, 130.0)
    cell = min((inside.width() - labels - 2 * SIGN) / (v + 2 * o), WIDEST)
    spare = (
        inside.height() - HEAD - (h + 1) * (NAME + BLOCK_SPACING) - (NAME + 16.0 if bias else 0.0)
    )
    row = min(spare / ((h + 1) * n), TALLEST)
    left = (
        inside.left()
        + labels
        + max(0.0, inside.width() - labels - 2 * SIGN - cell * (v + 2 * o)) / 2
    )
    lines = []
    top = inside.top() + HEAD + NAME
    step = n * row + NAME + BLOCK_SPACING
    for index in range(h):
        mixed = QRectF(left, top + index * step, v * cell, n * row)
        high = min(v * row, n * row)
        block = QRectF(
            mixed.right() + SIGN, mixed.top() + (mixed.height() - high) / 2, o * cell, high
        )
        lines.append(
            Line(mixed, block, QRectF(block.right() + SIGN, mixed.top(), o * cell, n * row))
        )
    last = lines[-1].part
    under = last.bottom() + BLOCK_SPACING + NAME
    extra = QRectF(last.left(), under - 2.0, last.width(), 16.0) if bias else None
    below = under + (NAME + 16.0 if bias else 0.0)
    return BlockLayout(
        tuple(lines), extra, QRectF(last.left(), below, last.width(), n * row), labels
    )


def paint_blocks(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint all lines, the rule, and the output below it."""
    split: Split = view.result.split
    where = block_layout(area, split)
    levels = max(
        (levels_of(array, "Y") for array in (split.parts, split.Y)), key=lambda found: found.high
    )
    for head, line in enumerate(where.lines):
        _paint_line(painter, area, line, split, view, head, levels)
    if where.bias is not None and split.document.b_O is not None:
        bias = frozen(split.document.b_O[None])
        _paint_named(painter, where.bias, bias, levels, view, "b_O", view.theme.text)
        _paint_sign(painter, where.bias, "+", view.theme)
    rule = where.total.top() - NAME - BLOCK_SPACING / 2
    paint_shape(
        painter,
        QLineF(where.total.left() - SIGN, rule, where.total.right(), rule),
        line=view.theme.text,
        width=1.6,
    )
    _paint_named(painter, where.total, split.total, levels, view, "Σ = Y", view.theme.text)
    _paint_sign(painter, where.total, "Σ", view.theme)
    beside = where.total.translated(-SIGN, 0.0)
    _paint_tokens(painter, beside.left() - where.labels, beside, split, view.theme)
    _paint_check(painter, area, where, split, view)


def _paint_line(
    painter: QPainter,
    area: QRectF,
    line: Line,
    split: Split,
    view: LabView,
    head: int,
    levels: Levels,
) -> None:
    """Paint A·V × block = part; pale if the head is off."""
    theme, index = view.theme, subscript(head + 1)
    on = split.on[head]
    mixed_levels, block_levels = levels_of(split.mixed, "heads"), levels_of(split.blocks, "W_O")
    label = QRectF(
        area.left() + 16.0, line.mixed.top() - NAME, line.mixed.left() - area.left() - 24.0, NAME
    )
    name = head_name(head, split.document.heads[head].name)
    if width_of(name, font(BODY, bold=on)) > label.width():
        name = head_name(head, "")
    write(painter, label, name, theme.weights if on else theme.muted, font(BODY, bold=on))
    _paint_tokens(painter, label.left(), line.mixed, split, theme)
    _paint_named(
        painter,
        line.mixed,
        split.mixed[head],
        mixed_levels,
        view,
        f"A{index}V{index}",
        theme.value,
        off=not on,
    )
    _paint_named(
        painter,
        line.block,
        split.blocks[head],
        block_levels,
        view,
        f"W_O[{head + 1}]",
        theme.text,
        off=not on,
    )
    part = f"A{index}V{index}·W_O[{head + 1}]"
    _paint_named(painter, line.part, split.parts[head], levels, view, part, theme.value, off=not on)
    _paint_sign(painter, line.block, "·", theme)
    _paint_sign(painter, line.part, "=", theme)


def _paint_tokens(
    painter: QPainter, left: float, rect: QRectF, split: Split, theme: Colours
) -> None:
    """Paint the row names if the rows are high enough."""
    row = rect.height() / len(split.document.tokens)
    for place, token in enumerate(split.document.tokens if row >= LEAST_NAME else ()):
        area = QRectF(left, rect.top() + place * row, rect.left() - left - 6.0, row)
        write(painter, area, visible_token(token), theme.muted, font(CAPTION), RIGHT_ALIGNED)


def _paint_named(
    painter: QPainter,
    rect: QRectF,
    values: Array,
    levels: Levels,
    view: LabView,
    name: str,
    colour: str,
    *,
    off: bool = False,
) -> None:
    paint_grid(painter, rect, view, values, levels, off=off)
    area = QRectF(rect.left(), rect.top() - NAME, max(rect.width(), 60.0), NAME)
    write(painter, area, name, view.theme.muted if off else colour, font(CAPTION, bold=True))


def _paint_sign(painter: QPainter, rect: QRectF, sign: str, theme: Colours) -> None:
    area = QRectF(rect.left() - SIGN, rect.top(), SIGN, rect.height())
    write(painter, area, sign, theme.text, font(TITLE, bold=True), CENTRED)


def _paint_check(
    painter: QPainter, rect: QRectF, where: BlockLayout, split: Split, view: LabView
) -> None:
    """Paint the distance between the sum and the experiment's own output beside the sum."""
    area = QRectF(rect.left() + 16.0, rect.top() + 8.0, rect.width() - 32.0, HEAD)
    law = "Y = Σ AᵢVᵢ · W_O[i]" if split.document.b_O is None else "Y = Σ AᵢVᵢ · W_O[i] + b_O"
    write(painter, area, law, view.theme.text, font(BODY, bold=True))
    wide = width_of(law, font(BODY, bold=True)) + 20.0
    text = tr("measured: max |Σ − Y| = {error}", error=measured(split.error, view.decimals))
    write(
        painter, area.adjusted(wide, 0.0, 0.0, 0.0), text, view.theme.value, font(BODY, bold=True)
    )
