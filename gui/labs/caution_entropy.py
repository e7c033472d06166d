"""How each head spreads its attention: the entropy of its rows, and the weights of one of them."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from core.base.number_format import show
from core.labs.caution import Cautioned
from gui.labs.caution_panels import MARGIN, names_of, paint_weights, panels, row_spots
from gui.labs.charts import (
    Axis,
    Bars,
    Chart,
    Stroke,
    bar_rect,
    chart_in,
    paint_bars,
    paint_frame,
    paint_points,
    paint_rule,
    paint_title_legend,
    write,
)
from gui.labs.exhibit import Shown, Spot
from gui.painting.theme import CAPTION, font
from gui.texts.names import head_name
from gui.texts.translation import tr

SIDE_BY_SIDE = 1.25  # width to height from which chart and weights stand beside each other
TALLEST = 520.0
SPREAD = 0.34  # of the place of a head, to either side, over which its rows stand

CENTRE = Qt.AlignmentFlag.AlignCenter


def areas(room: QRectF) -> tuple[QRectF, QRectF]:
    """The chart, and the weights of the head."""
    inside = room.adjusted(MARGIN, 8.0, -MARGIN, -10.0)
    inside.setHeight(min(inside.height(), TALLEST))
    if room.width() >= SIDE_BY_SIDE * room.height():
        wide = inside.width() * 0.48
        right = QRectF(
            inside.left() + wide + 24.0, inside.top(), inside.width() - wide - 24.0, inside.height()
        )
        return QRectF(inside.left(), inside.top(), wide, inside.height()), right
    high = inside.height() * 0.46
    lower = QRectF(
        inside.left(), inside.top() + high + 16.0, inside.width(), inside.height() - high - 16.0
    )
    return QRectF(inside.left(), inside.top(), inside.width(), high), lower


def chart_of(area: QRectF, cautioned: Cautioned) -> Chart:
    """Heads along, nats upwards, to beyond the most that is possible."""
    spread = cautioned.entropies
    assert spread is not None
    names = Axis.named(short_names(cautioned))
    top = max(float(spread.most.max()), 0.1) * 1.18
    return chart_in(
        area, names, Axis(0.0, top), y_label=tr("entropy in nats"), title=tr("Entropy by head")
    )


def short_names(cautioned: Cautioned) -> tuple[str, ...]:
    """Heads by their names, or by their numbers where they are many."""
    heads = cautioned.document.heads
    if len(heads) > 4:
        return tuple(str(head + 1) for head in range(len(heads)))
    return tuple(head_name(index, head.name) for index, head in enumerate(heads))


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """The whole picture."""
    cautioned: Cautioned = shown.result
    spread, theme, document = cautioned.entropies, shown.look.theme, cautioned.document
    assert spread is not None
    left, right = areas(room)
    chart = chart_of(left, cautioned)
    paint_frame(painter, chart, theme, "", tr("entropy in nats"), tr("Entropy by head"))
    paint_bars(painter, chart, theme, [Bars(spread.means, theme.weights)])
    for head, mean in enumerate(spread.means):
        bar = bar_rect(chart, head, float(mean))
        foot = QRectF(bar.left(), bar.bottom() - 22.0, bar.width(), 18.0)
        write(
            painter,
            foot,
            show(float(mean), shown.look.decimals),
            theme.surface,
            font(CAPTION, bold=True),
            CENTRE,
        )
    for head, rows in enumerate(spread.rows):
        at = head + np.linspace(-SPREAD, SPREAD, len(rows))
        paint_points(painter, chart, at, rows, theme.text, radius=2.6, ground=theme.surface)
    most = float(spread.most.max())
    name = tr(
        "ln {count} = {most}: equal shares",
        count=round(math.exp(most)),
        most=show(most, shown.look.decimals),
    )
    paint_rule(painter, chart, theme, most, name)
    legend = [(tr("mean"), Stroke(theme.weights)), (tr("rows"), Stroke(theme.text))]
    paint_title_legend(painter, left, theme, tr("Entropy by head"), legend, block=True)
    rect = panels(right, document, (document.n,))[0]
    title = tr(
        "Weights of {head}", head=head_name(cautioned.head, document.heads[cautioned.head].name)
    )
    paint_weights(
        painter,
        rect,
        shown,
        spread.A[cautioned.head],
        names_of(document, title, theme.weights, rows=True),
    )


def spots(room: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """Bars choose a head, rows a token."""
    cautioned: Cautioned = shown.result
    left, right = areas(room)
    chart = chart_of(left, cautioned)
    wide = chart.rect.width() / cautioned.document.h
    heads: tuple[Spot, ...] = ()
    if cautioned.document.h > 1:
        heads = tuple(
            Spot(
                f"head {head}",
                QRectF(
                    chart.rect.left() + head * wide, chart.rect.top(), wide, chart.rect.height()
                ),
                head_name(head, cautioned.document.heads[head].name),
                "head",
                str(head),
            )
            for head in range(cautioned.document.h)
        )
    return (
        *heads,
        *row_spots(panels(right, cautioned.document, (cautioned.document.n,))[0], shown),
    )
