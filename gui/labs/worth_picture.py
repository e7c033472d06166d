"""Picture of the lab `worth`: a card per head with weights and tests, pruning, and both sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import Array
from core.compute.trace import Trace
from core.labs.worth import HeadWorth, WorthResult
from gui.labs.charts import (
    CENTRED,
    LEFT_ALIGNED,
    TITLE_LINE,
    Chart,
    ChartAxis,
    Fact,
    Names,
    chart_in,
    grid_rect,
    paint_facts,
    paint_frame,
    paint_grid,
    paint_line,
    paint_plate,
    paint_points,
    split_facts,
    versus,
    write,
)
from gui.labs.exhibit import LabView, Spot, split
from gui.labs.wording import quoted
from gui.painting.color_scale import Levels
from gui.painting.shapes import paint_shape
from gui.painting.theme import BODY, CAPTION, font
from gui.texts.names import head_name, layers_title, visible_token
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

GAP = 12.0
CARD_LINE, CARD_MARGIN = 22.0, 8.0
WIDEST_CARD, LEAST_CARD = 640.0, 84.0
MAP_PART = 0.46  # of a card's width, for the weights
TEST_LINE, BAR = 18.0, 9.0
MOST_TEST = 80.0  # height of a test
LEAST_NUMBERS = 64.0  # width of the tests
LEAST_FOOT, MOST_FOOT = 112.0, 200.0
CHIP, CHIP_GAP = 26.0, 4.0
MOST_CHIP = 104.0


@dataclass(frozen=True, slots=True)
class WorthLayout:
    """The facts, a card per head, the chart of pruning, and the sentences; empty if they do not fit."""

    facts: QRectF
    cards: tuple[QRectF, ...]
    prune: Chart | None
    sentences: QRectF


def worth_layout(area: QRectF, view: LabView) -> WorthLayout:
    """Lay out an area: a row of cards per layer, pruning and sentences below if they fit."""
    result: WorthResult = view.result
    facts, body = split_facts(area, GAP)
    layers = sorted({one.layer for one in result.heads})
    foot = min(body.height() * 0.4, MOST_FOOT)
    prune, sentences = None, QRectF()
    if foot >= LEAST_FOOT and body.height() - foot - GAP >= len(layers) * LEAST_CARD:
        below = QRectF(body.left(), body.bottom() - foot, body.width(), foot)
        body.setBottom(below.top() - GAP)
        left, sentences = split(below, 0.46, 2 * GAP, across=True)
        prune = _prune_chart(left, result)
    return WorthLayout(facts, _cards(body, result, layers), prune, sentences)


def _cards(body: QRectF, result: WorthResult, layers: list[int]) -> tuple[QRectF, ...]:
    columns = max(sum(one.layer == layer for one in result.heads) for layer in layers)
    wide = min((body.width() - (columns - 1) * GAP) / columns, WIDEST_CARD)
    high = (body.height() - (len(layers) - 1) * GAP) / len(layers)
    found = []
    for layer in layers:
        top = body.top() + layers.index(layer) * (high + GAP)
        row = [one for one in result.heads if one.layer == layer]
        found += [
            QRectF(body.left() + place * (wide + GAP), top, wide, high) for place in range(len(row))
        ]
    return tuple(found)


def _prune_chart(area: QRectF, result: WorthResult) -> Chart:
    count = len(result.heads)
    x = ChartAxis(-0.2, count + 0.2, whole=True)
    y = ChartAxis.over(result.curve, zero=True, margin=0.12)
    title = tr("The answer with this many heads; those that matter least go first")
    if width_of(title, font(BODY, bold=True)) > area.width():
        title = tr("The answer with this many heads")
    return chart_in(area, x, y, title=title, x_label=tr("heads that are on"))


def word_name(result: WorthResult, word: int) -> str:
    """Quote a word of the vocabulary."""
    output = result.document.output
    assert output is not None
    return quoted(output.vocabulary[word])


def place_name(one: HeadWorth, view: LabView) -> str:
    """Name a head with its layer."""
    layer = view.result.document.layers[one.layer - 1]
    head = head_name(one.head, layer.heads[one.head].name)
    return tr("{layer} · {head}", layer=layers_title((one.layer,)), head=head)


def signed(value: float, view: LabView) -> str:
    """Write a change with its sign."""
    text = view.show(value)
    return f"+{text}" if value > 0 and float(text.replace("−", "-")) > 0 else text


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    result: WorthResult = view.result
    where = worth_layout(area, view)
    if where.facts.height():
        paint_facts(painter, where.facts, view.theme, _facts(view))
    for place, (card, one) in enumerate(zip(where.cards, result.heads, strict=True)):
        _paint_card(painter, card, place, one, view)
    if where.prune is not None:
        _paint_prune(painter, where.prune, view)
        _paint_sentences(painter, where.sentences, view)


def answer_name(result: WorthResult) -> str:
    """Name the answer: a difference of two logits."""
    return tr(
        "logit of {word} − logit of {rival}",
        word=word_name(result, result.answer.word),
        rival=word_name(result, result.answer.rival),
    )


def _facts(view: LabView) -> list[Fact]:
    result, accent = view.result, view.theme.accent
    facts = [
        Fact(answer_name(result), view.show(result.whole), accent),
        Fact(tr("in the other sentence"), view.show(result.others)),
    ]
    if result.kept < len(result.heads):
        text = tr("with {kept} of {count} heads", kept=result.kept, count=len(result.heads))
        facts.append(Fact(text, view.show(result.curve[result.kept]), accent))
    return facts


# Cards


def names_of_tests(width: float) -> tuple[str, str]:
    """Name the two tests of a head, in short words where the others are wider."""
    names = tr("switched off"), tr("from the other sentence")
    if all(width_of(name, font(CAPTION)) <= width for name in names):
        return names
    return tr("switched off"), tr("patched")


def _paint_card(painter: QPainter, card: QRectF, place: int, one: HeadWorth, view: LabView) -> None:
    """Paint the weights of a head at the left, and what each test changes at the right."""
    result, theme = view.result, view.theme
    chosen, kept = place == result.chosen, place in result.order[: result.kept]
    line = theme.accent if chosen else theme.line
    paint_shape(
        painter, card, line=line, width=2.0 if chosen else 1.0, fill=theme.sunken, radius=6.0
    )
    inner = card.adjusted(CARD_MARGIN, 4, -CARD_MARGIN, -CARD_MARGIN)
    title = QRectF(inner.left(), inner.top(), inner.width(), CARD_LINE)
    name = place_name(one, view)
    face = font(BODY, bold=True)
    if width_of(name, face) > title.width():
        name = tr("L{layer} · {head}", layer=one.layer, head=one.head + 1)
    if not kept:
        name = tr("{head} · off", head=name)
    write(painter, title, name, theme.text if kept else theme.disabled, face, LEFT_ALIGNED)
    body = QRectF(inner.left(), title.bottom() + 2, inner.width(), inner.bottom() - title.bottom())
    tests = QRectF(body)
    if body.width() * (1 - MAP_PART) >= LEAST_NUMBERS:
        maps, tests = split(body, MAP_PART, GAP, across=True)
        _paint_weights(painter, maps, place, view)
    _paint_tests(painter, tests, one, view)


def _paint_weights(painter: QPainter, room: QRectF, place: int, view: LabView) -> None:
    result = view.result
    weights: Array = result.weights(place)
    tokens = tuple(visible_token(token) for token in result.document.tokens)
    roomy = room.height() >= 18.0 * len(tokens)
    names = Names(rows=tokens) if roomy else Names()
    rect = grid_rect(room, len(weights), weights.shape[1], names)
    options = {"scores": result.scores(place)}
    paint_grid(painter, rect, view, weights, Levels(0.0, 1.0), names, **options)


def _paint_tests(painter: QPainter, room: QRectF, one: HeadWorth, view: LabView) -> None:
    """Paint a name, a number, and a bar from zero for each test."""
    theme = view.theme
    strokes, faces = versus(theme), (font(CAPTION), font(BODY, bold=True))
    step = min(room.height() / 2, MOST_TEST)
    for place, (name, value) in enumerate(
        zip(names_of_tests(room.width()), (one.off, one.patched), strict=True)
    ):
        top = room.top() + place * step
        number = signed(value, view)
        wide = width_of(number, faces[1]) + 4.0
        line = QRectF(room.left(), top, room.width(), TEST_LINE)
        if step >= 2 * TEST_LINE:
            write(painter, line, name, theme.muted, faces[0], LEFT_ALIGNED)
            line.translate(0.0, TEST_LINE)
        if step < TEST_LINE:
            return
        changes = view.result.changes(value)
        colour = theme.text if changes else theme.muted
        write(painter, line, number, colour, faces[1], LEFT_ALIGNED)
        bar = QRectF(line.left(), line.bottom() + 1.0, line.width(), BAR)
        if step < 2 * TEST_LINE + BAR:
            bar = QRectF(line.left() + wide, line.center().y() - BAR / 2, line.width() - wide, BAR)
        if bar.width() > 16.0:
            _paint_bar(painter, bar, value, strokes[place].colour, view)


def _paint_bar(painter: QPainter, bar: QRectF, value: float, colour: str, view: LabView) -> None:
    """Paint a change to the left or right of zero, on one scale for all heads."""
    low, high = view.result.span
    scale = bar.width() / (high - low) if high > low else 0.0
    zero = bar.left() - low * scale
    end = zero + value * scale
    paint_shape(
        painter, QRectF(min(zero, end), bar.top() + 1, abs(end - zero), BAR - 2), fill=colour
    )
    paint_shape(painter, QLineF(zero, bar.top(), zero, bar.bottom()), line=view.theme.muted)


# Below the cards


def _paint_prune(painter: QPainter, chart: Chart, view: LabView) -> None:
    """Paint the answer by the number of heads, the chosen number as a disc with its text."""
    result, theme = view.result, view.theme
    paint_frame(painter, chart, theme)
    counts = np.arange(len(result.curve), dtype=np.float64)
    drawn = versus(theme)[0]
    paint_line(painter, chart, counts, result.curve, drawn)
    paint_points(painter, chart, counts, result.curve, theme.muted, radius=3.0)
    kept = result.kept
    point = chart.point(float(kept), float(result.curve[kept]))
    paint_points(
        painter, chart, [float(kept)], [float(result.curve[kept])], drawn.colour, radius=5.5
    )
    text = view.show(result.curve[kept])
    wide = width_of(text, font(CAPTION, bold=True)) + 4.0
    x = min(max(point.x() - wide / 2, chart.rect.left()), chart.rect.right() - wide)
    y = point.y() - 24.0 if point.y() - 24.0 > chart.rect.top() else point.y() + 8.0
    place = QRectF(x, y, wide, 16.0)
    paint_shape(painter, place, fill=theme.surface, radius=3.0)
    write(painter, place, text, theme.text, font(CAPTION, bold=True), CENTRED)


def _paint_sentences(painter: QPainter, room: QRectF, view: LabView) -> None:
    """Paint this sentence, the other one, and this one with the chosen head of the other."""
    result, theme = view.result, view.theme
    head = place_name(result.one, view)
    rows = (
        (tr("this sentence"), result.trace, theme.line),
        (tr("the other sentence"), result.other, theme.query),
        (tr("this one, with {head} from the other", head=head), result.patch, theme.accent),
    )
    step = min(room.height() / len(rows), TITLE_LINE + CHIP + 12.0)
    for place, (name, trace, colour) in enumerate(rows):
        top = room.top() + place * step
        line = QRectF(room.left(), top, room.width(), TITLE_LINE - 4.0)
        write(painter, line, name, theme.muted, font(CAPTION), LEFT_ALIGNED)
        high = min(step - line.height() - 4.0, CHIP)
        chips = QRectF(room.left(), line.bottom(), room.width(), high)
        _paint_chips(painter, chips, trace, colour, view)


def _paint_chips(painter: QPainter, room: QRectF, trace: Trace, colour: str, view: LabView) -> None:
    """Paint the tokens, the replaced one framed, and the likeliest next word with its share."""
    result, theme = view.result, view.theme
    tokens, output = trace.document.tokens, result.document.output
    assert output is not None
    likely = trace["probabilities"][-1]
    best = int(likely.argmax())
    text = f"{visible_token(output.vocabulary[best])}  {view.show(likely[best])}"
    last = min(max(width_of(text, font(BODY, bold=True)) + 16.0, MOST_CHIP), room.width() * 0.34)
    wide = min((room.width() - last - 2 * CHIP_GAP) / len(tokens), MOST_CHIP)
    for place, token in enumerate(tokens):
        chip = QRectF(room.left() + place * wide, room.top(), wide - CHIP_GAP, room.height())
        framed = trace is result.other and place == result.place
        line, width = (theme.query, 2.0) if framed else (theme.line, 1.0)
        shape = {"line": line, "width": width, "fill": theme.sunken, "radius": 5.0}
        paint_plate(painter, chip, visible_token(token), theme.text, font(BODY), **shape)
    end = room.left() + wide * len(tokens) + CHIP_GAP
    goal = QRectF(end, room.top(), last, room.height())
    paint_plate(
        painter, goal, text, theme.text, font(BODY, bold=True), line=colour, width=2.0, radius=5.0
    )


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the cards; a click chooses the head."""
    where, result = worth_layout(area, view), view.result
    return tuple(
        Spot(
            f"head {place}",
            card,
            tr(
                "{head}: {off} when it is off, {patched} with its output from the other sentence",
                head=place_name(one, view),
                off=signed(one.off, view),
                patched=signed(one.patched, view),
            ),
            "chosen",
            str(place),
        )
        for place, (card, one) in enumerate(zip(where.cards, result.heads, strict=True))
    )
