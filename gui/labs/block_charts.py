"""Charts of the lab `block`: the parts of a logit as a strip, and how alike the rows become."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QColor, QFont, QPainter, QPen

from core.base.arrays import Array
from core.labs.block import BlockResult, Curve
from core.labs.block_stream import Contribution
from gui.labs.charts import (
    RIGHT_ALIGNED,
    TITLE_LINE,
    ChartAxis,
    ChartStroke,
    chart_in,
    ends_width,
    paint_curves,
    paint_frame,
    write,
)
from gui.labs.exhibit import LabView
from gui.labs.wording import quoted
from gui.painting.color_scale import Levels, value_colour
from gui.painting.shapes import paint_shape
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

LINE = 17.0  # height of the sentence below a title
LEAST_BAR, MOST_BAR = 14.0, 30.0
GAP = 8.0
STRONG = 0.72  # of the colour scale, for bars
REST = "rest"  # of the smallest parts together


def part_name(part: Contribution) -> str:
    """Name a part of the stream."""
    match part.part:
        case "X":
            return tr("X, the word itself")
        case "P":
            return tr("P, its position")
        case "attention":
            return tr("Layer {layer} attention", layer=part.layer)
        case "mlp":
            return tr("Layer {layer} MLP", layer=part.layer)
        case "constant":
            return tr("β and b_U")
        case _:
            return tr("all other parts")


def shown_parts(parts: Sequence[Contribution], room: int) -> list[Contribution]:
    """Return the parts in their order, at most `room`: the smallest ones are added up at the end."""
    if len(parts) <= room:
        return list(parts)
    largest = sorted(parts, key=lambda part: abs(part.value), reverse=True)[: max(room - 1, 0)]
    rest = sum(part.value for part in parts if part not in largest)
    return [part for part in parts if part in largest] + [Contribution(None, REST, rest)]


def contributions_height(result: BlockResult) -> float:
    """Return the height that the parts fill with the highest bars."""
    return TITLE_LINE + LINE + 2.0 + (len(result.contributions) + 1) * MOST_BAR


def paint_contributions(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the parts end to end, what is below zero turning back, and below them the logit."""
    result, theme = view.result, view.theme
    output = result.document.output
    word = quoted(output.vocabulary[result.word])
    title = QRectF(area.left(), area.top(), area.width(), TITLE_LINE)
    write(painter, title, tr("Who speaks for {word}?", word=word), theme.text, _bold(BODY))
    top = title.bottom() + _paint_under(painter, title, _explained(result), theme)
    body = QRectF(area.left(), top + 2, area.width(), max(area.bottom() - top - 2, 1.0))
    parts = shown_parts(result.contributions, max(int(body.height() / LEAST_BAR) - 1, 1))
    rows = len(parts) + 1
    high = min(body.height() / rows, MOST_BAR)
    if high < LEAST_BAR * 0.9:
        return
    names = [*map(part_name, parts), tr("logit of {word}", word=word)]
    numbers = [_signed(view, part.value) for part in parts] + [view.show(result.logit)]
    left = min(max(width_of(name, _bold(CAPTION)) for name in names) + 2, area.width() * 0.5)
    right = max(width_of(text, _bold(CAPTION)) for text in numbers) + 2
    plot = QRectF(body.left() + left + GAP, body.top(), 0, high * rows)
    plot.setRight(body.right() - right - GAP)
    for place, (name, text) in enumerate(zip(names, numbers, strict=True)):
        y = body.top() + place * high
        last = place == len(parts)
        colour = theme.accent if last else _part_colour(parts[place], theme)
        face = _bold(CAPTION) if last or parts[place].part == "attention" else font(CAPTION)
        line = QRectF(body.left(), y, left, high)
        write(painter, line, name, theme.text if last else colour, face)
        number = QRectF(plot.right() + GAP, y, right, high)
        write(painter, number, text, colour if last else theme.text, face, RIGHT_ALIGNED)
    if plot.width() > 8:
        _paint_strip(painter, plot, parts, result.logit, theme)


def _explained(result: BlockResult) -> str:
    token = quoted(result.document.tokens[-1])
    if "final_norm" in result.trace.arrays or any(sub.norm for sub in result.sublayers):
        return tr("Parts of the stream of {token} × W_U, its μ and σ held", token=token)
    return tr("Parts of the stream of {token} × W_U", token=token)


def _paint_under(painter: QPainter, title: QRectF, text: str, theme: Colours) -> float:
    """Write a sentence below a title if it fits; return the height it took."""
    if width_of(text, font(CAPTION)) > title.width():
        return 0.0
    place = QRectF(title.left(), title.bottom() - 2, title.width(), LINE)
    write(painter, place, text, theme.muted, font(CAPTION))
    return LINE


def _bold(size: int) -> QFont:
    return font(size, bold=True)


def _signed(view: LabView, value: float) -> str:
    text = view.show(value)
    return f"+{text}" if round(value, view.decimals) > 0 else text


def _part_colour(part: Contribution, theme: Colours) -> str:
    return theme.value if part.part == "attention" else theme.text


def _paint_strip(
    painter: QPainter,
    plot: QRectF,
    parts: Sequence[Contribution],
    total: float,
    theme: Colours,
) -> None:
    """Paint the bars of the parts, each from where the one above ends, and the total from zero."""
    ends = np.concatenate([[0.0], np.cumsum([part.value for part in parts])])
    low, high = float(min(ends.min(), 0.0)), float(max(ends.max(), 0.0))
    reach = (high - low) or 1.0

    def at(value: float) -> float:
        return plot.left() + (value - low) / reach * plot.width()

    row = plot.height() / (len(parts) + 1)
    marks = QPen(QColor(theme.accent), 1.2)
    marks.setDashPattern([2.0, 3.0])
    paint_shape(painter, QLineF(at(total), plot.top(), at(total), plot.bottom()), line=marks)
    zero = QLineF(at(0.0), plot.top(), at(0.0), plot.bottom())
    paint_shape(painter, zero, line=theme.muted, width=1.0)
    scale = Levels(-1.0, 1.0)
    for place, part in enumerate(parts):
        start, end = at(float(ends[place])), at(float(ends[place + 1]))
        y = plot.top() + place * row
        bar = QRectF(min(start, end), y + row * 0.16, max(abs(end - start), 1.0), row * 0.68)
        colour = value_colour(theme, scale, STRONG if part.value >= 0 else -STRONG)
        paint_shape(painter, bar, fill=colour, radius=2.0)
        link = QLineF(end, bar.bottom(), end, y + row * 1.16)
        paint_shape(painter, link, line=theme.ghost, width=1.0)
    y = plot.top() + len(parts) * row
    ends_of_total = sorted((at(0.0), at(total)))
    bar = QRectF(ends_of_total[0], y + row * 0.16, 0, row * 0.68)
    bar.setRight(max(ends_of_total[1], ends_of_total[0] + 1.0))
    paint_shape(painter, bar, fill=theme.accent, radius=2.0)


# How alike the rows become


def curve_name(curve: Curve, *, whole: bool = False) -> str:
    """Name a curve by what is off; the other place of the norms by that place."""
    if whole:
        return tr("post-norm") if curve.place == "post" else tr("pre-norm")
    names = {
        (True, True): tr("as it is"),
        (True, False): tr("no MLP"),
        (False, True): tr("no residual"),
        (False, False): tr("neither"),
    }
    return names[curve.residual, curve.mlp]


def _curves(result: BlockResult, theme: Colours) -> list[tuple[str, Array, ChartStroke]]:
    """Return names, values and lines: what is chosen is wide, what lacks the MLP dashed."""
    found = []
    for curve in result.curves:
        colour = theme.accent if curve.residual else theme.text
        dash = "solid" if curve.mlp else "dashed"
        wide = 3.2 if curve is result.curve else 1.6
        found.append((curve_name(curve), curve.values, ChartStroke(colour, dash, wide)))
    if result.other is not None:
        line = ChartStroke(theme.disabled, "dotted", 2.0)
        found.append((curve_name(result.other, whole=True), result.other.values, line))
    return found


def paint_depth(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the mean cosine of two centred rows by depth, a line for each choice of parts."""
    result, theme = view.result, view.theme
    title = QRectF(area.left(), area.top(), area.width(), TITLE_LINE)
    write(painter, title, tr("How alike do the rows become?"), theme.text, _bold(BODY))
    said = tr("mean cosine of two centred rows, by layers")
    top = title.bottom() + _paint_under(painter, title, said, theme)
    curves = _curves(result, theme)
    count = len(result.curve.values) - 1
    lowest = min(float(np.min(values)) for _, values, _ in curves)
    room = QRectF(area.left(), top, area.width(), max(area.bottom() - top, 1.0))
    chart = chart_in(
        room,
        ChartAxis(0.0, float(count), whole=True),
        ChartAxis(-0.5 if lowest >= -0.5 else -1.0, 1.0),
        right=ends_width([name for name, _, _ in curves]),
    )
    paint_frame(painter, chart, theme)
    paint_curves(painter, chart, np.arange(count + 1.0), curves)
