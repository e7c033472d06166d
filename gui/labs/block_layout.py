"""Layout of the picture of the lab `block`: columns of tokens, rows of the stream, and two charts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF

from core.base.arrays import Array
from core.labs.block import BlockResult
from core.labs.block_stream import Sublayer, length
from gui.labs.block_charts import contributions_height
from gui.labs.exhibit import LabView, split
from gui.painting.matrix import longest_text
from gui.painting.theme import CAPTION, font
from gui.texts.names import layers_title
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

WIDE = 1.1  # aspect ratio from which the charts are beside the stream
STREAM_PART, NARROW_PART, MOST_PARTS = 0.62, 0.58, 0.5
NARROW = 640.0  # width below which the stream gets its narrow part
HEADER, LEGEND = 20.0, 18.0
CURVES = 1.5  # height of a layer's curves, in rows
TALLEST_ROW, CELLS = 60.0, 0.74  # CELLS is the part of a row that cells take
LANE = 24.0  # from the left of a column to the numbers that are added
CENTRE = 11.0  # of a lane, from the left of its column
DIAL = 22.0  # width of a dial
NUMBER_GAP, BETWEEN = 4.0, 6.0
LEAST_DIALS, LEAST_LENGTHS = 15.0, 12.0  # least row height of dials and of lengths
LEAST_CELLS = 24.0  # least width of a row of cells
LEAST_COLUMN = 42.0  # of a token that is not followed
SMALLER = 0.75  # size of readable numbers, relative to names
FILLED = 0.8  # part of a cell that its number takes


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the picture: the stream after a sub-layer, or what a sub-layer adds.

    `stage` is its id; `sublayer` is None for the first row.
    """

    stage: str
    sublayer: Sublayer | None
    adds: bool
    middle: float


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """Rectangles of the stream and of both charts, the rows, and the columns of the tokens.

    `side` is the width right of the cells for dial and length, 0 if they do not fit; `row` is the
    height of a row. `parts` is empty without an output.
    """

    stream: QRectF
    parts: QRectF
    depth: QRectF
    columns: tuple[QRectF, ...]
    rows: tuple[Row, ...]
    row: float
    side: float
    dials: bool
    plates: tuple[QRectF, ...]

    def lane(self, token: int) -> float:
        """Return the x of a token's lane."""
        return self.columns[token].left() + CENTRE

    def cells(self, row: Row, token: int) -> QRectF:
        """Return the cells of a row of a token."""
        column, high = self.columns[token], self.row * CELLS
        left = column.left() + (LANE if row.adds else 1.0)
        right = max(column.right() - self.side - BETWEEN, left + 1.0)
        return QRectF(left, row.middle - high / 2, right - left, high)


def block_layout(area: QRectF, view: LabView) -> BlockLayout:
    """Lay out an area; lengths and then dials are omitted if columns are narrow or rows low."""
    result: BlockResult = view.result
    inner = area.adjusted(12, 6, -12, -6)
    wide = area.width() >= WIDE * area.height()
    own = STREAM_PART if wide and area.width() >= NARROW else NARROW_PART
    stream, right = split(inner, own, 18, across=wide)
    parts, depth = QRectF(), right
    if result.contributions:
        part = min(MOST_PARTS, contributions_height(result) / max(right.height(), 1.0))
        parts, depth = split(right, part if wide else MOST_PARTS, 12, across=not wide)
    labels = min(label_width(view), stream.width() * 0.24)
    rows, row, plates = _rows(stream, result)
    whole = QRectF(stream.left() + labels, stream.top(), stream.width() - labels, stream.height())
    columns, side, dials = _columns(whole, row, view)
    return BlockLayout(stream, parts, depth, columns, rows, row, side, dials, plates)


def _rows(stream: QRectF, result: BlockResult) -> tuple[tuple[Row, ...], float, tuple[QRectF, ...]]:
    """Return the rows, their height, and a plate behind those of each layer."""
    subs = result.sublayers
    count = 1 + 2 * len(subs) + CURVES * len({sub.layer for sub in subs})
    high = max(min((stream.height() - HEADER - LEGEND) / count, TALLEST_ROW), 0.1)
    y = stream.top() + HEADER
    rows = [Row(result.entrance, None, False, y + high / 2)]
    y += high
    plates: list[QRectF] = []
    for sub in subs:
        top = y
        if sub.part == "attention":
            y += CURVES * high
        rows.append(Row(sub.added, sub, True, y + high / 2))
        y += high
        plate = QRectF(stream.left(), top, stream.width(), y - top)
        if sub.part == "attention":
            plates.append(plate)
        else:
            plates[-1] = plates[-1].united(plate)
        rows.append(Row(sub.after, sub, False, y + high / 2))
        y += high
    return tuple(rows), high, tuple(plates)


def _columns(area: QRectF, row: float, view: LabView) -> tuple[tuple[QRectF, ...], float, bool]:
    """Return the columns, the width beside the cells, and whether dials fit.

    Lengths and then dials are omitted where they leave too little for the cells.
    """
    result: BlockResult = view.result
    n, d = result.document.n, result.document.d
    lengths = [view.show(length(line)) for _, values in stages(result) for line in values]
    number = max(width_of(text, font(CAPTION)) for text in lengths) + NUMBER_GAP
    number = number if row >= LEAST_LENGTHS else 0.0
    text = longest_text(np.vstack([values for _, values in stages(result)]), view.decimals)
    cells = d * width_of(text, font(CAPTION)) / FILLED
    dial = DIAL if row >= LEAST_DIALS else 0.0
    need = LANE + cells + dial + number + BETWEEN
    bare = LANE + cells * SMALLER + BETWEEN
    small = bare + dial + number
    widths = _widths(area.width(), n, result.token, (need, small, bare))
    least = min(widths) - LANE - BETWEEN - LEAST_CELLS
    dial = dial if least >= dial + number else 0.0
    number = number if least >= number else 0.0
    columns, x = [], area.left()
    for width in widths:
        columns.append(QRectF(x, area.top(), width, area.height()))
        x += width
    return tuple(columns), dial + number, dial > 0.0


def _widths(width: float, n: int, followed: int, wanted: tuple[float, float, float]) -> list[float]:
    """Divide a width among columns.

    `wanted` are what a column of numbers as large as names needs, one of smaller numbers, and one
    of those without dial and length. If not all have the first, the followed token gets it as far
    as the others keep the second; if not all have that, up to half of the width, where there are no
    dials, or else the third, where the others keep LEAST_COLUMN.
    """
    need, small, bare = wanted
    own = equal = width / n
    if small <= equal < need:
        own = min(need, width - (n - 1) * small)
    elif equal < small <= width / 2 + DIAL:
        own = min(need, width / 2)
    elif equal < bare <= width - (n - 1) * LEAST_COLUMN:
        own = bare
    others = (width - own) / max(n - 1, 1)
    return [own if token == followed else others for token in range(n)]


def stages(result: BlockResult) -> list[tuple[str, Array]]:
    """List the rows of the picture: id and array of the entrance, additions and sums.  # (n, d)"""
    ids = [result.entrance]
    for sub in result.sublayers:
        ids += [sub.added, sub.after]
    return [(name, result.trace[name]) for name in ids]


def label_width(view: LabView) -> float:
    """Return the width of the names of the rows."""
    result: BlockResult = view.result
    names = [row_name(result, Row(sub.added, sub, True, 0.0)) for sub in result.sublayers]
    names += [layers_title((sub.layer,)) for sub in result.sublayers]
    return max((width_of(name, font(CAPTION, bold=True)) for name in names), default=20.0) + 12.0


def row_name(result: BlockResult, row: Row) -> str:
    """Name a row: + attention, + MLP, or the symbol of the stream; without + if nothing is kept."""
    sub = row.sublayer
    if sub is None or not row.adds:
        return result.trace.plan[row.stage].symbol
    if sub.residual:
        return tr("+ attention") if sub.part == "attention" else tr("+ MLP")
    return tr("attention") if sub.part == "attention" else tr("MLP")
