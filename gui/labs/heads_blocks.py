"""The output as a sum written in lines: each head's A·V times its block of W_O, and below the line their sum."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.base.arrays import Array, frozen
from core.labs.heads import Split
from gui.labs.charts import write
from gui.labs.exhibit import Shown
from gui.labs.grids import LEAST_NAME, paint_legible
from gui.labs.measured import measured
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import MatrixSpec
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.names import head_name, subscript, visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

HEAD = 24.0
NAME = 18.0  # above each matrix
SIGN = 30.0
WIDEST, TALLEST = 78.0, 40.0
BETWEEN = 8.0

_CENTRE = Qt.AlignmentFlag.AlignCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the sum: A·V, the block of W_O, and the part that they make."""

    mixed: QRectF
    block: QRectF
    part: QRectF


@dataclass(frozen=True, slots=True)
class Places:
    """The lines of the heads, of the bias where there is one, and of the sum."""

    lines: tuple[Line, ...]
    bias: QRectF | None
    total: QRectF
    labels: float


def places(room: QRectF, split: Split) -> Places:
    """Lines of the same height; the matrices of all lines below each other."""
    inside = room.adjusted(16.0, 8.0, -16.0, -8.0)
    h, n, v = split.mixed.shape
    o = split.Y.shape[1]
    bias = split.document.b_O is not None
    labels = min(inside.width() * 0.16, 130.0)
    cell = min((inside.width() - labels - 2 * SIGN) / (v + 2 * o), WIDEST)
    spare = inside.height() - HEAD - (h + 1) * (NAME + BETWEEN) - (NAME + 16.0 if bias else 0.0)
    row = min(spare / ((h + 1) * n), TALLEST)
    left = (
        inside.left()
        + labels
        + max(0.0, inside.width() - labels - 2 * SIGN - cell * (v + 2 * o)) / 2
    )
    lines = []
    top = inside.top() + HEAD + NAME
    step = n * row + NAME + BETWEEN
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
    under = last.bottom() + BETWEEN + NAME
    extra = QRectF(last.left(), under - 2.0, last.width(), 16.0) if bias else None
    below = under + (NAME + 16.0 if bias else 0.0)
    return Places(tuple(lines), extra, QRectF(last.left(), below, last.width(), n * row), labels)


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """All lines, the rule, and the output below it."""
    split: Split = shown.result.split
    where = places(room, split)
    theme = shown.look.theme
    levels = max(
        (levels_of(array, "Y") for array in (split.parts, split.Y)), key=lambda found: found.high
    )
    for head, line in enumerate(where.lines):
        _paint_line(painter, room, line, split, shown, head, levels)
    if where.bias is not None and split.document.b_O is not None:
        bias = frozen(split.document.b_O[None])
        _paint_named(painter, where.bias, bias, levels, shown, "b_O", theme.text)
        _paint_sign(painter, where.bias, "+", theme)
    rule = where.total.top() - NAME - BETWEEN / 2
    painter.setPen(QPen(QColor(theme.text), 1.6))
    painter.drawLine(QLineF(where.total.left() - SIGN, rule, where.total.right(), rule))
    _paint_named(painter, where.total, split.total, levels, shown, "Σ = Y", theme.text)
    _paint_sign(painter, where.total, "Σ", theme)
    beside = where.total.translated(-SIGN, 0.0)
    _paint_tokens(painter, beside.left() - where.labels, beside, split, theme)
    _paint_check(painter, room, where, split, shown)


def _paint_line(
    painter: QPainter,
    room: QRectF,
    line: Line,
    split: Split,
    shown: Shown,
    head: int,
    levels: Levels,
) -> None:
    """A·V × block = part; pale where the head is off and adds nothing."""
    theme, index = shown.look.theme, subscript(head + 1)
    on = split.on[head]
    mixed_levels, block_levels = levels_of(split.mixed, "heads"), levels_of(split.blocks, "W_O")
    label = QRectF(
        room.left() + 16.0, line.mixed.top() - NAME, line.mixed.left() - room.left() - 24.0, NAME
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
        shown,
        f"A{index}V{index}",
        theme.value,
        off=not on,
    )
    _paint_named(
        painter,
        line.block,
        split.blocks[head],
        block_levels,
        shown,
        f"W_O[{head + 1}]",
        theme.text,
        off=not on,
    )
    part = f"A{index}V{index}·W_O[{head + 1}]"
    _paint_named(
        painter, line.part, split.parts[head], levels, shown, part, theme.value, off=not on
    )
    _paint_sign(painter, line.block, "·", theme)
    _paint_sign(painter, line.part, "=", theme)


def _paint_tokens(
    painter: QPainter, left: float, rect: QRectF, split: Split, theme: Colours
) -> None:
    """The names of the rows, where these are high enough."""
    row = rect.height() / len(split.document.tokens)
    for place, token in enumerate(split.document.tokens if row >= LEAST_NAME else ()):
        area = QRectF(left, rect.top() + place * row, rect.left() - left - 6.0, row)
        write(painter, area, visible_token(token), theme.muted, font(CAPTION), _RIGHT)


def _paint_named(
    painter: QPainter,
    rect: QRectF,
    values: Array,
    levels: Levels,
    shown: Shown,
    name: str,
    colour: str,
    *,
    off: bool = False,
) -> None:
    theme = shown.look.theme
    paint_legible(painter, rect, MatrixSpec(values, levels, shown.look.decimals, off=off), theme)
    area = QRectF(rect.left(), rect.top() - NAME, max(rect.width(), 60.0), NAME)
    write(painter, area, name, theme.muted if off else colour, font(CAPTION, bold=True))


def _paint_sign(painter: QPainter, rect: QRectF, sign: str, theme: Colours) -> None:
    area = QRectF(rect.left() - SIGN, rect.top(), SIGN, rect.height())
    write(painter, area, sign, theme.text, font(TITLE, bold=True), _CENTRE)


def _paint_check(
    painter: QPainter, room: QRectF, where: Places, split: Split, shown: Shown
) -> None:
    """Beside the sum: how far it is from the output that the experiment itself computes."""
    theme = shown.look.theme
    area = QRectF(room.left() + 16.0, room.top() + 8.0, room.width() - 32.0, HEAD)
    law = "Y = Σ AᵢVᵢ · W_O[i]" if split.document.b_O is None else "Y = Σ AᵢVᵢ · W_O[i] + b_O"
    write(painter, area, law, theme.text, font(BODY, bold=True))
    wide = width_of(law, font(BODY, bold=True)) + 20.0
    text = tr("measured: max |Σ − Y| = {error}", error=measured(split.error, shown.look.decimals))
    write(painter, area.adjusted(wide, 0.0, 0.0, 0.0), text, theme.value, font(BODY, bold=True))
