"""Square heatmaps over each other's tokens, side by side, with the row that is looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import Array
from core.base.number_format import show
from core.document.document import Document
from core.labs.caution import Cautioned
from gui.labs.charts import Axis, Bars, Stroke, paint_bars, paint_chart, paint_title_legend
from gui.labs.exhibit import Shown, Spot
from gui.labs.grids import GAP, NAME_LINE, TITLE_LINE, Names, names_width, paint_grid
from gui.painting.color_scale import Levels
from gui.painting.matrix import Frame, MatrixSpec, cell_rect
from gui.texts.names import visible_token
from gui.texts.translation import tr

MARGIN = 16.0
BETWEEN = 26.0
LARGEST = 74.0
LEAST = 300.0  # units of height of a room in which there is more than the heatmaps
ABOVE = TITLE_LINE + NAME_LINE
WEIGHTS = Levels(0.0, 1.0)


def names_of(document: Document, title: str, colour: str = "", *, rows: bool = False) -> Names:
    """Tokens as columns, and as rows where wanted."""
    tokens = tuple(map(visible_token, document.tokens))
    return Names(title, tokens if rows else (), tokens, colour)


def panels(area: QRectF, document: Document, columns: tuple[int, ...]) -> tuple[QRectF, ...]:
    """Matrices of n rows and so many columns beside each other, below their names, with cells of one size."""
    n = document.n
    left = min(names_width(tuple(map(visible_token, document.tokens))), area.width() * 0.14) + GAP
    wide = (area.width() - left - BETWEEN * (len(columns) - 1)) / sum(columns)
    high = (area.height() - ABOVE) / n
    wide, high = min(wide, LARGEST * 1.5), min(high, LARGEST)
    x, found = area.left() + left, []
    for count in columns:
        found.append(QRectF(x, area.top() + ABOVE, wide * count, high * n))
        x += wide * count + BETWEEN
    return tuple(found)


def paint_weights(
    painter: QPainter,
    rect: QRectF,
    shown: Shown,
    values: Array,
    names: Names,
    levels: Levels = WEIGHTS,
) -> None:
    """A matrix with the row that is looked at in a frame."""
    cautioned: Cautioned = shown.result
    row = cautioned.token
    frames = (Frame((row, row + 1), (0, values.shape[1]), shown.look.theme.accent, 2.0),)
    picture = MatrixSpec(values, levels, shown.look.decimals, frames=frames)
    paint_grid(painter, rect, picture, shown.look.theme, names)


def row_spots(rect: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """A click on a row looks at it."""
    document: Document = shown.result.document
    return tuple(
        Spot(
            f"row {row}",
            cell_rect(rect, document.n, 1, row, 0),
            tr("Row of {token}", token=visible_token(token)),
            "token",
            str(row),
        )
        for row, token in enumerate(document.tokens)
    )


def halves(
    room: QRectF, document: Document, below: float = 0.0
) -> tuple[tuple[QRectF, ...], QRectF]:
    """Two heatmaps beside each other in the upper part, `below` units free under them, and the room for a chart.

    In a low room they have all of it.
    """
    inside = room.adjusted(MARGIN, 8.0, -MARGIN, -8.0)
    part = 0.56 if room.height() >= LEAST else 1.0
    upper = QRectF(inside.left(), inside.top(), inside.width(), inside.height() * part - below)
    maps = panels(upper, document, (document.n, document.n))
    if part == 1.0:
        return maps, QRectF()
    top = maps[0].bottom() + below + 18.0
    high = min(inside.bottom() - top, 300.0)
    return maps, QRectF(
        inside.left(), top, min(inside.width(), maps[1].right() - inside.left() + 60.0), high
    )


def paint_pairs(
    painter: QPainter,
    area: QRectF,
    shown: Shown,
    title: str,
    series: Sequence[tuple[str, Array, str]],
) -> None:
    """Bars beside each other for every token: each series with its name and its colour; none without an area."""
    if area.isEmpty():
        return
    theme, decimals = shown.look.theme, shown.look.decimals
    tokens = tuple(map(visible_token, shown.result.document.tokens))
    most = max(float(np.max(values)) for _, values, _ in series)
    chart = paint_chart(
        painter, area, Axis.named(tokens), Axis(0.0, max(most, 0.1) * 1.2), theme, title=title
    )
    bars = [
        Bars(np.asarray(values), colour, tuple(show(float(value), decimals) for value in values))
        for _, values, colour in series
    ]
    paint_bars(painter, chart, theme, bars)
    legend = [(name, Stroke(colour)) for name, _, colour in series]
    paint_title_legend(painter, area, theme, title, legend, block=True)
