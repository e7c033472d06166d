"""Several heads beside a single one that is as wide as all of them: the patterns, and the parameters counted."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.labs.heads import Count, Single, Split, Views
from gui.labs.charts import write
from gui.labs.exhibit import Shown
from gui.labs.grids import Names, paint_grid
from gui.labs.heads_off import map_rects, names_of
from gui.labs.measured import measured
from gui.painting.color_scale import Levels
from gui.painting.matrix import Frame, MatrixSpec
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.translation import tr

ROW = 22.0
BETWEEN = 22.0
TALLEST = 118.0
MOST_ALONG = 5  # heatmaps in one line
LEAST = 300.0  # units of height of a room in which the table has more lines than the sum
GUTTER = 20.0  # beside a heatmap, into which its title may reach

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def rects(room: QRectF, split: Split, single: Single) -> tuple[QRectF, ...]:
    """The heatmaps of all heads, and that of the single one last, above the table."""
    inside = room.adjusted(16.0, 8.0, -16.0, -8.0)
    count = len(split.on) + 1
    high = inside.height() - table_height(room, single) - BETWEEN
    return map_rects(
        QRectF(inside.left(), inside.top(), inside.width(), high),
        split,
        count,
        TALLEST,
        2 if count > MOST_ALONG else 1,
    )


def table_height(room: QRectF, single: Single) -> float:
    """Head line, one line for each kind of tensor unless the room is low, the sum."""
    return ROW * ((len(single.many_counts) if room.height() >= LEAST else 0) + 2) + 10.0


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Heatmaps with the chosen row framed, the table below."""
    views: Views = shown.result
    split, single, theme = views.split, views.single, shown.look.theme
    frames = (Frame((views.token, views.token + 1), (0, split.A.shape[2]), theme.query),)
    many = rects(room, split, single)
    for head, rect in enumerate(many[:-1]):
        picture = MatrixSpec(split.A[head], Levels(0.0, 1.0), shown.look.decimals, frames=frames)
        names = names_of(split, head, rect.width() + GUTTER, named=rect.left() == many[0].left())
        paint_grid(
            painter,
            rect,
            picture,
            theme,
            Names(names.title, names.rows, names.columns, theme.weights),
        )
    last = many[-1]
    x = (many[-2].right() + last.left()) / 2
    painter.setPen(QPen(QColor(theme.line), 2.0))
    painter.drawLine(QLineF(x, last.top() - 38.0, x, last.bottom()))
    picture = MatrixSpec(single.A, Levels(0.0, 1.0), shown.look.decimals, frames=frames)
    title = tr("One wide head") if last.width() > 90.0 else "1"
    names = Names(title, (), names_of(split, 0, 0.0, named=False).columns, theme.key)
    paint_grid(painter, last, picture, theme, names)
    _paint_table(painter, room, split, single, shown)


def _paint_table(
    painter: QPainter, room: QRectF, split: Split, single: Single, shown: Shown
) -> None:
    """Which tensors there are, how many numbers each holds, and the sums."""
    theme = shown.look.theme
    wide = min(room.width() - 32.0, 620.0)
    area = QRectF(room.left() + 16.0, room.bottom() - 8.0 - table_height(room, single), wide, ROW)
    heads = tr("{count} heads", count=len(split.on)), tr("one head")
    _paint_row(
        painter,
        area,
        (tr("Parameters"), *heads),
        theme,
        (theme.muted, theme.weights, theme.key),
        bold=True,
    )
    kinds = zip(single.many_counts, single.one_counts, strict=True)
    for many, one in kinds if room.height() >= LEAST else ():
        area.translate(0.0, ROW)
        _paint_row(
            painter, area, (many.name, _counted(many), _counted(one)), theme, (theme.text,) * 3
        )
    area.translate(0.0, ROW + 6.0)
    painter.setPen(QPen(QColor(theme.text), 1.2))
    painter.drawLine(QLineF(area.left(), area.top() - 2.0, area.right(), area.top() - 2.0))
    sums = (_total(single.many_counts), _total(single.one_counts))
    _paint_row(
        painter, area, (tr("together"), *map(str, sums)), theme, (theme.text,) * 3, bold=True
    )
    beside = QRectF(
        area.right() + 40.0, room.bottom() - 60.0, room.right() - area.right() - 56.0, 20.0
    )
    if beside.width() > 220.0:
        write(
            painter,
            beside,
            tr("largest difference of the two outputs Y"),
            theme.muted,
            font(CAPTION),
        )
        number = measured(single.largest, shown.look.decimals)
        write(painter, beside.translated(0.0, 22.0), number, theme.text, font(TITLE, bold=True))


def _paint_row(
    painter: QPainter,
    area: QRectF,
    texts: Sequence[str],
    theme: Colours,
    inks: Sequence[str],
    *,
    bold: bool = False,
) -> None:
    edges = (0.0, 0.22, 0.61, 1.0)
    for column, text in enumerate(texts):
        left = area.left() + edges[column] * area.width()
        cell = QRectF(
            left,
            area.top(),
            (edges[column + 1] - edges[column]) * area.width() - 8.0,
            area.height(),
        )
        if column == 0:
            write(painter, cell, text, inks[column], font(BODY, bold=bold))
        else:
            write(painter, cell, text, inks[column], font(BODY, bold=bold), _RIGHT)


def _counted(count: Count) -> str:
    """3 × 6 × 2 = 36"""
    factors = (count.copies, *count.shape) if count.copies > 1 else count.shape
    return f"{' × '.join(map(str, factors))} = {count.numbers}"


def _total(counts: Sequence[Count]) -> int:
    return sum(count.numbers for count in counts)
