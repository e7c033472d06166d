"""Two matrices of weights with the same output: both, their difference, and what each makes of V."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from core.labs.caution import Cautioned
from core.labs.caution_views import Twin
from gui.labs.caution_panels import (
    BETWEEN,
    LEAST,
    MARGIN,
    names_of,
    paint_weights,
    panels,
    row_spots,
)
from gui.labs.exhibit import Shown, Spot
from gui.labs.facts import HEIGHT, Fact, paint_facts
from gui.labs.grids import Names, paint_grid
from gui.labs.measured import measured
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import MatrixSpec
from gui.texts.names import subscript
from gui.texts.translation import tr


def places(room: QRectF, shown: Shown) -> tuple[tuple[QRectF, ...], tuple[QRectF, ...], QRectF]:
    """Above the weights and their difference; below V and the outputs; at the foot what is measured, if not low."""
    cautioned: Cautioned = shown.result
    document = cautioned.document
    inside = room.adjusted(MARGIN, 8.0, -MARGIN, -6.0)
    high = HEIGHT if room.height() >= LEAST else 0.0
    facts = QRectF(inside.left(), inside.bottom() - high, inside.width(), high)
    half = (inside.height() - (high + 14.0 if high else 0.0) - BETWEEN * 0.5) / 2
    upper = QRectF(inside.left(), inside.top(), inside.width(), half)
    n, v = document.n, document.v
    above = panels(upper, document, (n, n, n))
    lower = QRectF(inside.left(), above[0].bottom() + BETWEEN * 0.5, inside.width(), half)
    below = panels(lower, document, (n, n, n))
    wide = min(below[0].width() / v, 74.0)
    outputs = tuple(QRectF(rect.left(), rect.top(), wide * v, rect.height()) for rect in below)
    facts.moveTop(min(facts.top(), outputs[0].bottom() + 18.0))
    return above, outputs, facts


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The whole picture."""
    cautioned: Cautioned = shown.result
    pair, theme, document = cautioned.twin, shown.look.theme, cautioned.document
    assert pair is not None
    above, below, facts = places(room, shown)
    most = max(float(abs(pair.D).max()), 1e-12)
    for rect, values, name, levels, first in (
        (above[0], pair.A, tr("Weights A"), Levels(0.0, 1.0), True),
        (above[1], pair.B, tr("Other weights B"), Levels(0.0, 1.0), False),
        (above[2], pair.D, tr("Difference B − A"), Levels(-most, most), False),
    ):
        colour = theme.weights if levels.sequential else ""
        paint_weights(
            painter, rect, shown, values, names_of(document, name, colour, rows=first), levels
        )
    _paint_outputs(painter, below, shown, pair)
    if facts.height():
        paint_facts(painter, facts, theme, _facts(pair, shown.look.decimals))


def _paint_outputs(painter: QPainter, below: tuple[QRectF, ...], shown: Shown, pair: Twin) -> None:
    """A·V under A, B·V under B, and V itself under the difference that it does not see."""
    theme, decimals = shown.look.theme, shown.look.decimals
    columns = tuple(f"v{subscript(column + 1)}" for column in range(pair.V.shape[1]))
    rows = names_of(shown.result.document, "", rows=True).rows
    for rect, values, name, first in (
        (below[0], pair.outputs, "A·V", True),
        (below[1], pair.twins, "B·V", False),
        (below[2], pair.V, "V", False),
    ):
        levels = levels_of(pair.V if name == "V" else pair.outputs, "V")
        names = Names(name, rows if first else (), columns, theme.value)
        paint_grid(painter, rect, MatrixSpec(values, levels, decimals), theme, names)


def _facts(pair: Twin, decimals: int) -> list[Fact]:
    free = sorted({int(count) for count in pair.free})
    dimensions = str(free[0]) if len(free) == 1 else f"{free[0]} – {free[-1]}"
    return [
        Fact(tr("largest |B − A|"), measured(pair.moved, decimals)),
        Fact(tr("largest |B·V − A·V|"), measured(pair.gap, decimals)),
        Fact(tr("free directions a row"), dimensions),
    ]


def spots(room: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """The rows of A."""
    return row_spots(places(room, shown)[0][0], shown)
