"""Through several layers: the weights of the last one, and what the rollout says of the input."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.caution import Cautioned
from gui.labs.caution_panels import halves, names_of, paint_pairs, paint_weights, row_spots
from gui.labs.exhibit import Shown, Spot
from gui.texts.names import visible_token
from gui.texts.translation import tr


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The whole picture."""
    cautioned: Cautioned = shown.result
    rolled, theme, document = cautioned.rollout, shown.look.theme, cautioned.document
    assert rolled is not None
    count, row = len(rolled.layers), cautioned.token
    maps, area = halves(room, document)
    last = tr("Weights of layer {count}, heads averaged", count=count)
    flow = tr("Rollout up to layer {count}", count=count)
    paint_weights(
        painter,
        maps[0],
        shown,
        rolled.layers[-1],
        names_of(document, last, theme.weights, rows=True),
    )
    paint_weights(painter, maps[1], shown, rolled.flow[-1], names_of(document, flow, theme.value))
    title = tr("Row of {token}", token=visible_token(document.tokens[row]))
    series = (
        (tr("weight, layer {count}", count=count), rolled.layers[-1][row], theme.weights),
        (tr("rollout"), rolled.flow[-1][row], theme.value),
    )
    paint_pairs(painter, area, shown, title, series)


def spots(room: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """The rows of the weights."""
    return row_spots(halves(room, shown.result.document)[0][0], shown)
