"""Picture of the lab `induction`: letters with the attention of both layers, scores, next letter."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from core.base.arrays import Array
from core.labs.induction import LETTERS, InductionResult
from gui.labs.charts import (
    NAME_GAP,
    NAME_LINE,
    RIGHT_ALIGNED,
    TITLE_LINE,
    BarChart,
    ChartAxis,
    Fact,
    Names,
    chart_in,
    grid_rect,
    legible_size,
    names_width,
    paint_bars,
    paint_facts,
    paint_frame,
    paint_grid,
    paint_plate,
    split_facts,
    write,
)
from gui.labs.exhibit import LabView, Spot, split
from gui.labs.wording import leaders
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame
from gui.painting.shapes import faded, paint_shape
from gui.painting.theme import BODY, CAPTION, TITLE, font
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

GAP = 24.0
CHIP, CHIP_GAP = 28.0, 4.0
WIDEST_CELL, TALLEST_ROW = 116.0, 38.0
ROWS_PART = 0.6  # of the free height, for the rows of numbers
HIGHEST = (150.0, 100.0)  # arcs of layer 2, above the letters, and of layer 1
THICKEST, LEAST_WEIGHT = 8.0, 0.02  # of an arc; lighter weights have none
FOOT, LOOP = 6.0, 12.0  # distance of an arc's ends from the middle of a letter; of a loop's ends
TABLES_GAP, LEAST_CHART = 14.0, 90.0
# Less width leaves a larger part for the letters; a right part that is narrow but so tall has one
# table below the other.
NARROW, BESIDE, TALL = 700.0, 320.0, 380.0
MOST_BEST = 2  # more letters with the highest probability are a "?"
# The tables as products of the matrices of layers 1 and 2, with the factor c.
PRODUCTS = "c W_Q^([2]) (W_V^([1]) W_O^([1]) W_K^([2]))ᵀ", "c W_Q^([2]) W_K^([2])ᵀ"


@dataclass(frozen=True, slots=True)
class InductionLayout:
    """Rectangles; `facts` is empty in a low area.

    `chips` are the tokens and, last, the next letter. `arcs` lie above and below them. `noted` has
    a row for each letter, `scores` a row for each of `row_names`; their columns are the tokens.
    """

    facts: QRectF
    chips: tuple[QRectF, ...]
    arcs: tuple[QRectF, QRectF]
    noted: QRectF
    scores: QRectF
    tables: tuple[QRectF, QRectF]
    chart: QRectF


def row_names() -> tuple[str, ...]:
    """Name the rows of scores: the parts, their sum, and the weights."""
    return tr("direct"), tr("via layer 1"), tr("score"), tr("weight")


def _layer_names(result: InductionResult) -> tuple[str, ...]:
    """Name layer 2 and layer 1, and say which is off."""
    names = tr("layer 2"), tr("layer 1")
    on = reversed(result.layers)
    return tuple(
        name if is_on else tr("{layer}: off", layer=name)
        for name, is_on in zip(names, on, strict=True)
    )


def induction_layout(area: QRectF, view: LabView) -> InductionLayout:
    """Lay out an area: the letters and their rows at the left, tables and chart at the right."""
    result: InductionResult = view.result
    facts, body = split_facts(area, 10.0)
    roomy = body.width() >= NARROW
    left, right = split(body, 0.6 if roomy else 0.64, GAP if roomy else GAP / 2, across=True)
    n = len(result.tokens)
    side = min(names_width((*row_names(), *_layer_names(result))), left.width() * 0.34) + NAME_GAP
    cell = min((left.width() - side) / (n + 1), WIDEST_CELL)
    start = left.left() + side
    rows = len(LETTERS) + len(row_names())
    free = left.height() - CHIP - 2 * CHIP_GAP - 2 * TITLE_LINE
    row = max(min(free * ROWS_PART / rows, TALLEST_ROW), 1.0)
    arcs = max(free - rows * row, 1.0)
    upper, lower = (min(arcs * part, most) for part, most in zip((0.6, 0.4), HIGHEST, strict=True))
    top = left.top() + upper + CHIP_GAP
    chips = tuple(QRectF(start + place * cell, top, cell, CHIP) for place in range(n + 1))
    above = QRectF(start, left.top(), cell * n, upper)
    under = QRectF(start, top + CHIP + CHIP_GAP, cell * n, lower)
    noted = QRectF(start, under.bottom() + TITLE_LINE, cell * n, len(LETTERS) * row)
    scores = QRectF(start, noted.bottom() + TITLE_LINE, cell * n, len(row_names()) * row)
    below = right.width() < BESIDE and right.height() >= TALL
    tables, chart = split(right, 0.72 if below else 0.5, 8.0, across=False)
    one, other = split(tables, 0.5, 0.0 if below else TABLES_GAP, across=not below)
    if not below:
        one.setWidth(other.width())
    return InductionLayout(facts, chips, (above, under), noted, scores, (one, other), chart)


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    where = induction_layout(area, view)
    if where.facts.height():
        paint_facts(painter, where.facts, view.theme, _facts(view))
    _paint_attention(painter, where, view)
    _paint_chips(painter, where, view)
    _paint_noted(painter, where, view)
    _paint_scores(painter, where, view)
    _paint_tables(painter, where, view)
    _paint_next(painter, where, view)


def _facts(view: LabView) -> list[Fact]:
    result: InductionResult = view.result
    accent, last = view.theme.accent, result.tokens[-1]
    seen = result.continuations
    facts = [Fact(tr("After {letter} came", letter=last), tr(", ").join(seen) or "—")]
    if seen:
        share = sum(result.probabilities[LETTERS.index(letter)] for letter in seen)
        facts.append(Fact(tr("Probability of that"), view.show(share), accent))
    right = tr("{share} of {count}", share=f"{result.accuracy:.0%}", count=result.count)
    facts.append(Fact(tr("Patterns continued correctly"), right, accent))
    facts.append(Fact(tr("By guessing"), f"{1 / len(LETTERS):.0%}"))
    return facts


# The letters and what attends to what


def _arc(chips: tuple[QRectF, ...], query: int, key: int, room: QRectF) -> QPainterPath:
    """Return the arc from a key to a query in the room above or below the letters."""
    up = room.top() < chips[0].top()
    foot = room.bottom() if up else room.top()
    start, end = chips[key].center().x() + FOOT, chips[query].center().x() - FOOT
    away = abs(query - key) / max(len(chips) - 2, 1)
    high = room.height() * (0.35 + 0.65 * away) * (-1.0 if up else 1.0) / 0.75
    if query == key:
        start, end, high = end - LOOP, start + LOOP, high * 0.8
    path = QPainterPath(QPointF(start, foot))
    path.cubicTo(QPointF(start, foot + high), QPointF(end, foot + high), QPointF(end, foot))
    return path


def _paint_attention(painter: QPainter, where: InductionLayout, view: LabView) -> None:
    """Paint the attention of the last letter in layer 2 above, of every letter in layer 1 below."""
    result, theme = view.result, view.theme
    n = len(result.tokens)
    names = _layer_names(result)
    for layer, room, name in zip((2, 1), where.arcs, names, strict=True):
        weights = result.weights(layer)
        colour = theme.muted if weights is None else theme.weights
        label = QRectF(0.0, room.center().y() - 9.0, room.left() - NAME_GAP, 18.0)
        write(painter, label, name, colour, font(CAPTION, bold=True), RIGHT_ALIGNED)
        if weights is None:
            continue
        for query in range(n - 1, n) if layer == 2 else range(1, n):
            for key, weight in enumerate(weights[query, : query + 1].tolist()):
                if weight >= LEAST_WEIGHT:
                    pen = QPen(faded(theme.weights, 0.35 + 0.65 * weight), 1 + weight * THICKEST)
                    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
                    paint_shape(painter, _arc(where.chips, query, key, room), line=pen)


def _paint_chips(painter: QPainter, where: InductionLayout, view: LabView) -> None:
    """Paint the letters, the last one framed, and the most probable next one after them."""
    result, theme = view.result, view.theme
    *chips, coming = (chip.adjusted(2, 0, -2, 0) for chip in where.chips)
    for place, (chip, token) in enumerate(zip(chips, result.tokens, strict=True)):
        last = place == len(chips) - 1
        line = theme.query if last else theme.line
        face = font(BODY, bold=True) if place else font(CAPTION)
        shape = {"line": line, "width": 2.0 if last else 1.0, "fill": theme.sunken, "radius": 6.0}
        paint_plate(painter, chip, visible_token(token), theme.text, face, **shape)
    best = leaders(result.probabilities, view.decimals)
    text = "/".join(LETTERS[word] for word in best) if len(best) <= MOST_BEST else "?"
    pen = QPen(faded(theme.accent, 1.0), 1.6, Qt.PenStyle.DashLine)
    paint_plate(painter, coming, text, theme.accent, font(TITLE, bold=True), line=pen, radius=6.0)


def _titled(painter: QPainter, rect: QRectF, text: str, view: LabView) -> None:
    """Write a title above rows of numbers, as wide as rows and the column of the next letter."""
    area = QRectF(rect.left(), rect.top() - TITLE_LINE, rect.width() * 1.1 + 40.0, TITLE_LINE)
    write(painter, area, text, view.theme.text, font(BODY, bold=True))


def _paint_noted(painter: QPainter, where: InductionLayout, view: LabView) -> None:
    """Paint what layer 1 adds to every place, the row of the last letter framed."""
    result, theme = view.result, view.theme
    row = LETTERS.index(result.tokens[-1])
    frame = Frame((row, row + 1), (0, len(result.tokens)), theme.query, 2.0)
    values = result.noted.T
    _titled(painter, where.noted, tr("Noted by layer 1: the letter before"), view)
    names = Names(rows=LETTERS)
    off = not result.layers[0]
    paint_grid(
        painter, where.noted, view, values, Levels(0.0, 1.0), names, frames=(frame,), off=off
    )


def _paint_scores(painter: QPainter, where: InductionLayout, view: LabView) -> None:
    """Paint the parts of the scores of the last letter, their sum, and the weights of layer 2."""
    result, theme = view.result, view.theme
    weights, total = result.weights(2), result.paths.total[-1]
    direct = result.paths.direct[-1]
    rows: list[tuple[Array, Levels]] = [
        (values, levels_of(total, "scores")) for values in (direct, total - direct, total)
    ]
    if weights is not None:
        rows.append((weights[-1], Levels(0.0, 1.0)))
    title = tr("Layer 2: scores of the last {letter}", letter=result.tokens[-1])
    _titled(painter, where.scores, title, view)
    high = where.scores.height() / len(row_names())
    wide = where.scores.width() / len(total)
    sizes = [legible_size(values[None], view.decimals, wide, high) for values, _ in rows]
    least = min(filter(None, sizes), default=0.0)
    for place, ((values, levels), name) in enumerate(zip(rows, row_names(), strict=False)):
        digits = min(sizes[place], least) or None
        line = QRectF(
            where.scores.left(), where.scores.top() + place * high, where.scores.width(), high
        )
        paint_grid(painter, line, view, values[None], levels, digits=digits, off=weights is None)
        label = QRectF(0.0, line.top(), line.left() - NAME_GAP, high)
        bold = place >= 2
        write(painter, label, name, theme.text, font(CAPTION, bold=bold), RIGHT_ALIGNED)


# Tables and the next letter


def _paint_tables(painter: QPainter, where: InductionLayout, view: LabView) -> None:
    """Paint the scores of letter by letter, through layer 1 and directly, with one scale."""
    result, theme = view.result, view.theme
    words = len(LETTERS)
    both = np.stack([result.by_letter, result.direct_by_letter])
    titles = tr("Via layer 1"), tr("Direct")
    columns = tr("previous letter"), tr("own letter")
    names = Names(rows=LETTERS, columns=LETTERS)
    rects = [
        grid_rect(room.adjusted(0, TITLE_LINE, 0, -2 * NAME_LINE - 3.0), words, words, names)
        for room in where.tables
    ]
    wide, high = rects[0].width() / words, rects[0].height() / words
    last = LETTERS.index(result.tokens[-1])
    options = {
        "digits": min(legible_size(values, view.decimals, wide, high) for values in both) or None,
        "frames": (Frame((last, last + 1), (0, words), theme.query, 2.0),),
    }
    levels = levels_of(both, "scores")
    widest = max(width_of(text, font(CAPTION)) for text in PRODUCTS)
    for place, (values, rect) in enumerate(zip(both, rects, strict=True)):
        paint_grid(painter, rect, view, values, levels, names, **options)
        room = where.tables[place]
        line = QRectF(room.left(), room.top(), room.width() + TABLES_GAP, TITLE_LINE)
        face = font(BODY, bold=True)
        if width_of(titles[place], face) > line.width():
            face = font(CAPTION, bold=True)
        write(painter, line, titles[place], theme.text, face)
        foot = QRectF(room.left(), rect.bottom() + 3.0, room.width() + TABLES_GAP, NAME_LINE)
        if widest <= foot.width():
            write(painter, foot, PRODUCTS[place], theme.text, font(CAPTION))
        foot.translate(0.0, NAME_LINE)
        write(painter, foot, columns[place], theme.muted, font(CAPTION))


def _paint_next(painter: QPainter, where: InductionLayout, view: LabView) -> None:
    """Paint the probabilities of the next letter; what came before in the accent colour."""
    result, theme = view.result, view.theme
    if where.chart.height() < LEAST_CHART:
        return
    names, axis = ChartAxis.named(LETTERS), ChartAxis(0.0, 1.15)
    chart = chart_in(where.chart, names, axis, title=tr("Next letter"))
    paint_frame(painter, chart, theme)
    seen = np.array([letter in result.continuations for letter in LETTERS])
    texts = [view.show(value) for value in result.probabilities]
    for those, colour in ((seen, theme.accent), (~seen, theme.disabled)):
        bars = np.where(those, result.probabilities, 0.0)
        words = tuple(text if own else "" for text, own in zip(texts, those, strict=True))
        paint_bars(painter, chart, theme, [BarChart(bars, colour, words)])


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the letters of one's own pattern; a click takes the next letter of the alphabet."""
    if view.setting["pattern"] != "own":
        return ()
    where = induction_layout(area, view)
    after = {**dict(pairwise(LETTERS)), LETTERS[-1]: LETTERS[0]}
    return tuple(
        Spot(
            f"letter {place}",
            where.chips[place].adjusted(2, 0, -2, 0),
            tr(
                "Letter {number} is {letter}; a click makes it {next}",
                number=place,
                letter=letter,
                next=after[letter],
            ),
            f"letter{place}",
            after[letter],
        )
        for place, letter in enumerate(view.result.tokens[1:], 1)
    )
