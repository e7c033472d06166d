"""Weights against what flows: the lengths of what each key has to give stand under the weights that they multiply."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from core.base.arrays import frozen
from core.labs.caution import Cautioned
from gui.labs.caution_panels import MARGIN, halves, names_of, paint_pairs, paint_weights, row_spots
from gui.labs.charts import write
from gui.labs.exhibit import Shown, Spot
from gui.labs.grids import GAP, paint_legible
from gui.painting.color_scale import Levels
from gui.painting.matrix import MatrixSpec
from gui.painting.theme import CAPTION, font
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

STRIP = 26.0
AIR = 10.0

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The whole picture."""
    cautioned: Cautioned = shown.result
    flows, theme, document = cautioned.contributions, shown.look.theme, cautioned.document
    assert flows is not None
    maps, area = halves(room, document, STRIP + AIR)
    paint_weights(
        painter,
        maps[0],
        shown,
        flows.A,
        names_of(document, tr("Weights A"), theme.weights, rows=True),
    )
    paint_weights(
        painter,
        maps[1],
        shown,
        flows.share,
        names_of(document, tr("Share of what flows"), theme.value),
    )
    strip = QRectF(maps[0].left(), maps[0].bottom() + AIR, maps[0].width(), STRIP)
    most = max(float(flows.lengths.max()), 1e-12)
    paint_legible(
        painter,
        strip,
        MatrixSpec(frozen(flows.lengths[None]), Levels(0.0, most), shown.look.decimals),
        theme,
    )
    name = QRectF(room.left() + 2.0, strip.top(), maps[0].left() - GAP - room.left() - 2.0, STRIP)
    write(painter, name, tr("length"), theme.muted, font(CAPTION), _RIGHT)
    said = QRectF(maps[1].left(), strip.top(), room.right() - MARGIN - maps[1].left(), STRIP)
    told = tr("← of what each key has to give, ‖v·W_O‖")
    short = "← ‖v·W_O‖"
    fits = width_of(told, font(CAPTION)) <= said.width()
    write(painter, said, told if fits else short, theme.muted, font(CAPTION))
    row = cautioned.token
    title = tr("Row of {token}", token=visible_token(document.tokens[row]))
    series = (
        (tr("weight"), flows.A[row], theme.weights),
        (tr("share of what flows"), flows.share[row], theme.value),
    )
    paint_pairs(painter, area, shown, title, series)


def spots(room: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """The rows of A."""
    return row_spots(halves(room, shown.result.document, STRIP + AIR)[0][0], shown)
