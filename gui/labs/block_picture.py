"""Picture of the lab `block`: the stream of each token from X down through the layers."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from core.labs.block import BlockResult
from core.labs.block_stream import Sublayer, cosine, length
from gui.labs.block_charts import paint_contributions, paint_depth
from gui.labs.block_layout import (
    CELLS,
    CURVES,
    DIAL,
    HEADER,
    LEAST_LENGTHS,
    LEGEND,
    NUMBER_GAP,
    BlockLayout,
    Row,
    block_layout,
    row_name,
    stages,
)
from gui.labs.charts import CENTRED, RIGHT_ALIGNED, legible_size, paint_grid, write
from gui.labs.exhibit import LabView, Spot
from gui.painting.color_scale import Levels, levels_of
from gui.painting.shapes import faded, paint_disc, paint_shape
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.names import layers_title, visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

DIAL_RADIUS = 8.0
THICKEST, THINNEST = 10.0, 1.5  # of a trunk


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    where = block_layout(area, view)
    for plate, layer in zip(where.plates, _layers(view.result), strict=True):
        paint_shape(painter, plate, fill=view.theme.sunken, radius=6.0)
        _paint_layer_name(painter, plate, where, layer, view.theme)
    _paint_header(painter, where, view)
    _paint_trunks(painter, where, view)
    _paint_weights(painter, where, view)
    _paint_rows(painter, where, view)
    _paint_legend(painter, where, view)
    if where.parts.height():
        paint_contributions(painter, where.parts, view)
    paint_depth(painter, where.depth, view)


def _layers(result: BlockResult) -> list[int]:
    return sorted({sub.layer for sub in result.sublayers})


def _paint_layer_name(
    painter: QPainter, plate: QRectF, where: BlockLayout, layer: int, theme: Colours
) -> None:
    width = where.columns[0].left() - plate.left() - 10.0
    place = QRectF(plate.left() + 8.0, plate.top() + 2.0, width, min(20.0, CURVES * where.row))
    if place.height() >= LEAST_LENGTHS:
        title = layers_title((layer,))
        write(painter, place, title, theme.text, font(CAPTION, bold=True))


def _paint_header(painter: QPainter, where: BlockLayout, view: LabView) -> None:
    result, theme = view.result, view.theme
    for token, column in enumerate(where.columns):
        cells = where.cells(where.rows[0], token)
        place = QRectF(cells.left(), column.top(), cells.width(), HEADER)
        colour = theme.accent if token == result.token else theme.text
        name = visible_token(result.document.tokens[token])
        write(painter, place, name, colour, font(BODY, bold=True), CENTRED)


# Trunks and weights


def _most(result: BlockResult) -> float:
    """Return the length of the longest row of the stream, before norms too."""
    names = [result.entrance]
    for sub in result.sublayers:
        names += [sub.total, sub.after]
    return max((length(row) for name in names for row in result.trace[name]), default=0.0) or 1.0


def _paint_trunks(painter: QPainter, where: BlockLayout, view: LabView) -> None:
    """Paint lanes as wide as the stream is long; without a residual connection they are cut."""
    result, theme = view.result, view.theme
    most, half = _most(result), where.row * CELLS / 2
    for token in range(result.document.n):
        own = token == result.token
        colour = faded(theme.accent, 0.55) if own else faded(theme.muted, 0.3)
        x = where.lane(token)
        for upper, lower in zip(where.rows, where.rows[1:], strict=False):
            sub = lower.sublayer
            if sub is not None and lower.adds and not sub.residual:
                continue
            kept = upper.stage if not upper.adds else sub.total if sub is not None else ""
            wide = THICKEST * length(result.trace[kept][token]) / most
            start = upper.middle + (0.0 if upper.adds else half)
            end = lower.middle - (0.0 if lower.adds else half)
            pen = QPen(colour, max(wide, THINNEST))
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            paint_shape(painter, QLineF(x, start, x, end), line=pen)


def _paint_weights(painter: QPainter, where: BlockLayout, view: LabView) -> None:
    """Paint a curve from every token that the followed one reads, as wide as the weight.

    Weights that round to 0 are left out.
    """
    result, theme = view.result, view.theme
    half = where.row * CELLS / 2
    for upper, lower in zip(where.rows, where.rows[1:], strict=False):
        sub = lower.sublayer
        if sub is None or not lower.adds or sub.part != "attention":
            continue
        top, end = upper.middle + half, lower.middle
        for key, weight in enumerate(result.weights(sub.layer)):
            if round(float(weight), view.decimals) == 0.0:
                continue
            x, goal = where.lane(key), where.lane(result.token)
            path = QPainterPath(QPointF(x, top))
            path.cubicTo(x, top + (end - top) * 0.75, goal, top + (end - top) * 0.35, goal, end)
            pen = QPen(faded(theme.weights, 0.85), 0.8 + 5.0 * float(weight))
            paint_shape(painter, path, line=pen)
            if CURVES * where.row >= 18.0:
                column = where.columns[key]
                place = QRectF(x + 8.0, top + 1.0, max(column.right() - x - 6.0, 1.0), 15.0)
                text = view.show(float(weight))
                write(painter, place, text, theme.weights, font(CAPTION, bold=True))


# Rows


def _levels(result: BlockResult) -> Levels:
    return levels_of(np.vstack([values for _, values in stages(result)]), "X")


def _paint_rows(painter: QPainter, where: BlockLayout, view: LabView) -> None:
    """Paint cells, the sign of adding, length and dial of every row of every token."""
    result, theme = view.result, view.theme
    levels = _levels(result)
    digits = _digits(where, view)
    for row in where.rows:
        name = row_name(result, row)
        place = QRectF(
            where.stream.left(),
            row.middle - 9.0,
            where.columns[0].left() - where.stream.left() - 6.0,
            18.0,
        )
        attention = row.adds and row.sublayer is not None and row.sublayer.part == "attention"
        colour = theme.value if attention else theme.text
        if where.row >= LEAST_LENGTHS:
            write(painter, place, name, colour, font(CAPTION, bold=True), RIGHT_ALIGNED)
        for token in range(result.document.n):
            rect = where.cells(row, token)
            values = result.trace[row.stage][token : token + 1]
            paint_grid(painter, rect, view, values, levels, digits=digits[token])
            if not row.adds:
                line = theme.accent if token == result.token else theme.text
                frame = rect.adjusted(-1.5, -1.5, 1.5, 1.5)
                paint_shape(painter, frame, line=line, width=1.4, radius=3.0)
            elif row.sublayer is not None:
                centre = QPointF(where.lane(token), row.middle)
                _paint_sign(painter, centre, where, row.sublayer, colour, theme)
            _paint_side(painter, rect, where, view, row, token, colour)


def _size(where: BlockLayout, view: LabView, token: int) -> float:
    """Return the font size of a token's numbers, 0 if they do not fit."""
    values = np.vstack([rows[token] for _, rows in stages(view.result)])
    added = where.rows[1] if len(where.rows) > 1 else where.rows[0]
    cells = where.cells(added, token)
    return legible_size(values, view.decimals, cells.width() / values.shape[1], cells.height())


def _digits(where: BlockLayout, view: LabView) -> list[float | None]:
    """Return the font size of every token's numbers; all but the followed one have the same."""
    sizes = [_size(where, view, token) for token in range(view.result.document.n)]
    own = view.result.token
    least = min((size for token, size in enumerate(sizes) if size and token != own), default=0.0)
    return [
        (size if token == own else min(size, least)) or None for token, size in enumerate(sizes)
    ]


def _paint_sign(
    painter: QPainter,
    centre: QPointF,
    where: BlockLayout,
    sub: Sublayer,
    colour: str,
    theme: Colours,
) -> None:
    """Paint ⊕; without a residual connection a ring without plus."""
    radius = min(7.0, where.row * 0.36)
    paint_disc(painter, centre, radius, line=colour, width=1.4, fill=theme.surface)
    if sub.residual:
        arm = radius * 0.62
        for dx, dy in ((arm, 0.0), (0.0, arm)):
            line = QLineF(centre.x() - dx, centre.y() - dy, centre.x() + dx, centre.y() + dy)
            paint_shape(painter, line, line=colour, width=1.4)


def _paint_side(
    painter: QPainter,
    cells: QRectF,
    where: BlockLayout,
    view: LabView,
    row: Row,
    token: int,
    colour: str,
) -> None:
    """Paint the length of a row, and for what is added the dial of its direction."""
    if not where.side:
        return
    result, theme = view.result, view.theme
    values = result.trace[row.stage][token]
    sub = row.sublayer
    left = cells.right() + NUMBER_GAP
    if where.dials and row.adds and sub is not None and sub.residual and values.any():
        turn = cosine(values, result.trace[sub.before][token])
        paint_dial(painter, QPointF(left + DIAL / 2, row.middle + 3.5), turn, colour, theme)
    left += DIAL if where.dials else 0.0
    place = QRectF(left, row.middle - 9.0, cells.right() + where.side - left + 1.0, 18.0)
    ink = colour if row.adds else theme.muted
    write(painter, place, view.show(length(values)), ink, font(CAPTION))


def paint_dial(
    painter: QPainter, centre: QPointF, turn: float, colour: str, theme: Colours
) -> None:
    """Paint a half circle with a needle: cosine 1 to the right, 0 up, −1 to the left."""
    box = QRectF(
        centre.x() - DIAL_RADIUS, centre.y() - DIAL_RADIUS, 2 * DIAL_RADIUS, 2 * DIAL_RADIUS
    )
    arc = QPainterPath(QPointF(box.right(), centre.y()))
    arc.arcTo(box, 0.0, 180.0)
    arc.closeSubpath()
    paint_shape(painter, arc, line=theme.ghost, width=1.0, fill=theme.surface)
    angle = math.acos(turn)
    tip = centre + QPointF(math.cos(angle), -math.sin(angle)) * (DIAL_RADIUS - 0.5)
    paint_shape(painter, QLineF(centre, tip), line=colour, width=1.8)


def _paint_legend(painter: QPainter, where: BlockLayout, view: LabView) -> None:
    """Explain numbers, curves and dials in one line, as far as they are shown and fit."""
    theme = view.theme
    entries = [(tr("curves: weights, mean of the heads"), theme.weights)]
    if where.side:
        entries.insert(0, (tr("at the right: length"), theme.muted))
    if where.dials:
        entries.append((tr("dial: → along, ↑ across, ← against"), theme.muted))
    x, y = where.stream.left(), where.stream.bottom() - LEGEND
    for text, colour in entries:
        wide = width_of(text, font(CAPTION)) + 2.0
        if x + wide > where.stream.right():
            break
        write(painter, QRectF(x, y, wide, LEGEND), text, colour, font(CAPTION))
        x += wide + 16.0


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the columns of the tokens, which choose the followed one."""
    where, result = block_layout(area, view), view.result
    return tuple(
        Spot(
            f"token {token}",
            QRectF(column.left(), column.top(), column.width() - 1.0, column.height() - LEGEND),
            _column_name(view, where, token),
            "token",
            str(token),
        )
        for token, column in enumerate(where.columns)
        if token < result.document.n
    )


def _column_name(view: LabView, where: BlockLayout, token: int) -> str:
    """Say the length of every row of a token."""
    result: BlockResult = view.result
    lengths = [
        f"{row_name(result, row)} {view.show(length(result.trace[row.stage][token]))}"
        for row in where.rows
    ]
    return tr(
        "{token}: lengths {lengths}",
        token=visible_token(result.document.tokens[token]),
        lengths=tr(", ").join(lengths),
    )
