"""Exhibit of the lab `sampling`: a column per word, from its logit to the times it was drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF
from PySide6.QtGui import QPainter, QPolygonF

from core.arithmetic.sampling import ranked
from core.labs.controls import Clock
from core.labs.lab import Setting
from core.labs.sampling import REACH, SamplingResult, SamplingStep
from gui.labs.charts import (
    CENTRED,
    FACTS_HEIGHT,
    NAME_GAP,
    NAME_LINE,
    RIGHT_ALIGNED,
    TITLE_LINE,
    BarChart,
    Chart,
    ChartAxis,
    ChartStroke,
    Fact,
    Names,
    bar_rect,
    legible_size,
    names_width,
    paint_bars,
    paint_facts,
    paint_frame,
    paint_grid,
    paint_points,
    paint_title_legend,
    write,
)
from gui.labs.draggable_bars import bar_spots, paint_draggable_bars
from gui.labs.exhibit import BY_HAND, ROOMY_HEIGHT, Exhibit, LabView, Spot
from gui.labs.wording import counted, measured, quoted
from gui.painting.color_scale import Levels, levels_of
from gui.painting.shapes import faded, paint_shape
from gui.painting.theme import BODY, CAPTION, font
from gui.texts.names import visible_token
from gui.texts.translation import mark, tr
from gui.widgets.subscripts import width_of

MARGIN = 12.0
APART = 12.0
ROW = 0.052  # height of a row of numbers, relative to the picture
LEAST_ROW, MOST_ROW = 17.0, 34.0
LEAST_CHART, LEAST_BOTH = 74.0, 205.0  # heights from which there is one chart, and both
STRIP, STRIP_BAR = 40.0, 18.0  # heights of the strip of shares, and of the strip alone
MARK = 5.0  # half the width of the mark of a draw


@dataclass(frozen=True, slots=True)
class SamplingLayout:
    """Rectangles from top to bottom; what does not fit is empty, the charts are None.

    `table` holds one column per word; to its left are the names of the rows, to its right, up to
    `end`, the entropy of each.
    """

    logits: Chart | None
    table: QRectF
    row: float
    end: float
    shares: Chart | None
    strip: QRectF
    facts: QRectF


def sampling_layout(area: QRectF, view: LabView) -> SamplingLayout:
    """Lay out an area: if it is low, first the facts, then the logits, then the shares go."""
    result: SamplingResult = view.result
    inner = area.adjusted(MARGIN, 4.0, -MARGIN, -6.0)
    names = min(names_width([name for name, _ in _rows(view)]) + 8.0, inner.width() * 0.24)
    side = min(names_width([tr("entropy")]) + 12.0, inner.width() * 0.16)
    left, right = inner.left() + names, inner.right() - side
    row = min(max(inner.height() * ROW, LEAST_ROW), MOST_ROW)
    high = NAME_LINE + len(_rows(view)) * row
    facts = QRectF()
    if area.height() >= ROOMY_HEIGHT:
        top = inner.bottom() - FACTS_HEIGHT
        facts = QRectF(inner.left(), top, inner.width(), FACTS_HEIGHT)
    bottom = facts.top() - APART if facts.height() else inner.bottom()
    free = bottom - inner.top() - high
    strip = QRectF()
    if free >= STRIP + APART:
        strip = QRectF(left, bottom - STRIP, inner.right() - left, STRIP)
        bottom, free = strip.top() - APART, free - STRIP - APART
    both = free >= LEAST_BOTH
    above = free * 0.48 if both else 0.0
    words = ChartAxis.named(map(visible_token, result.words))
    blank = ChartAxis.named([""] * len(result.words))
    table = QRectF(left, inner.top() + above + NAME_LINE, right - left, high - NAME_LINE)
    logits = None
    if both:
        top = inner.top() + TITLE_LINE
        plot = QRectF(left, top, right - left, table.top() - NAME_LINE - NAME_GAP - top)
        logits = Chart(plot, words, ChartAxis(-REACH * 1.3, REACH * 1.3), title=_logits_title(view))
    shares = None
    if free - above >= LEAST_CHART:
        top = table.bottom() + APART + TITLE_LINE
        plot = QRectF(left, top, right - left, bottom - top - 4.0)
        shares = Chart(plot, blank, ChartAxis(0.0, _highest(result)), title=tr("Shares and draws"))
    return SamplingLayout(logits, table, row, inner.right(), shares, strip, facts)


def _highest(result: SamplingResult) -> float:
    """Return the end of the axis of shares."""
    over = [result.steps[0].shares, result.shares + 2.0 * result.errors, result.frequencies]
    return min(max(float(values.max()) for values in over) * 1.06, 1.0)


def _logits_title(view: LabView) -> str:
    return tr("Logits z: drag them") if view.appearance.live else tr("Logits z")


def _rows(view: LabView) -> tuple[tuple[str, SamplingStep | None], ...]:
    """Return the names of the rows, with the step of each, None for logits and counts."""
    setting = view.setting
    names = {
        "softmax": "softmax(z)",
        "temperature": f"÷ T = {view.show(setting['temperature'])}",
        "top_k": f"top-k = {setting['top_k']}",
        "top_p": f"top-p = {view.show(setting['top_p'])}",
    }
    steps = ((names[step.operation], step) for step in view.result.steps)
    drawn = tr("drawn {count}×", count=counted(view.result.draws))
    return (tr("logit z"), None), *steps, (drawn, None)


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    where, theme = sampling_layout(area, view), view.theme
    if where.logits is not None:
        paint_frame(painter, where.logits, theme)
        paint_draggable_bars(painter, where.logits, view, view.result.logits)
    _paint_table(painter, where, view)
    if where.shares is not None:
        _paint_shares(painter, where.shares, where.end, view)
    if where.strip.height():
        _paint_strip(painter, where.strip, view)
    if where.facts.height():
        paint_facts(painter, where.facts, theme, _facts(view))


def _paint_table(painter: QPainter, where: SamplingLayout, view: LabView) -> None:
    """Paint a row per operation; words that are cut are hatched, the entropy is at the right."""
    result, theme = view.result, view.theme
    rows, u = _rows(view), len(result.words)
    width = where.table.width() / u
    arrays = [result.logits, *(step.shares for step in result.steps)]
    sizes = [legible_size(values[None], view.decimals, width, where.row) for values in arrays]
    digits = min(filter(None, sizes), default=0.0) or None
    side = QRectF(where.table.right(), 0.0, where.end - where.table.right(), where.row)
    head = QRectF(side.left(), where.table.top() - NAME_LINE, side.width(), NAME_LINE)
    write(painter, head, tr("entropy"), theme.muted, font(CAPTION), RIGHT_ALIGNED)
    for place, (name, step) in enumerate(rows):
        top = where.table.top() + place * where.row
        line = QRectF(where.table.left(), top, where.table.width(), where.row)
        heading = tuple(map(visible_token, result.words)) if place == 0 else ()
        names = Names(columns=heading if where.logits is None else ())
        if step is not None:
            cut = np.where(step.kept, 0.0, -np.inf)[None]
            scale = Levels(0.0, 1.0)
            paint_grid(
                painter, line, view, step.shares[None], scale, names, digits=digits, scores=cut
            )
            text = view.show(step.entropy)
            write(painter, side.translated(0, top), text, theme.text, font(CAPTION), RIGHT_ALIGNED)
        elif place == 0:
            levels = levels_of(result.logits, "scores")
            paint_grid(painter, line, view, result.logits[None], levels, names, digits=digits)
        else:
            most = max(float(result.draws), 1.0)
            paint_grid(painter, line, view, result.counts[None], Levels(0.0, most), decimals=0)
        left = QRectF(0.0, top, where.table.left() - 8.0, where.row)
        bold = step is not None and step.operation != "softmax"
        write(painter, left, name, theme.text, font(CAPTION, bold=bold), RIGHT_ALIGNED)


def _paint_shares(painter: QPainter, chart: Chart, end: float, view: LabView) -> None:
    """Paint the shares as bars, softmax(z) as outlines, and frequencies with ± 2σ."""
    result, theme = view.result, view.theme
    paint_frame(painter, chart, theme)
    bars = BarChart(result.shares, theme.weights)
    paint_bars(painter, chart, theme, [bars])
    outlines = BarChart(result.steps[0].shares, theme.muted, hollow=True)
    paint_bars(painter, chart, theme, [outlines])
    if result.draws:
        for place in np.flatnonzero(result.shares):
            ends = result.shares[place] + 2.0 * result.errors[place] * np.array([-1.0, 1.0])
            low, high = (chart.at_y(min(max(float(value), 0.0), 1.0)) for value in ends)
            x = bar_rect(chart, int(place), 0.5).center().x()
            paint_shape(painter, QLineF(x, low, x, high), line=theme.text, width=1.6)
            for y in (low, high):
                paint_shape(painter, QLineF(x - 5, y, x + 5, y), line=theme.text, width=1.6)
        places = np.arange(len(result.words))[result.shares > 0.0]
        paint_points(
            painter,
            chart,
            places,
            result.frequencies[places],
            theme.accent,
            radius=4.5,
            ground=theme.surface,
        )
    top = chart.rect.top() - TITLE_LINE - 8.0
    title = QRectF(chart.rect.left(), top, end - chart.rect.left(), TITLE_LINE)
    entries = [
        (tr("share"), ChartStroke(theme.weights, width=7.0)),
        ("softmax(z)", ChartStroke(theme.muted, width=1.6)),
        (tr("drawn"), ChartStroke(theme.accent, width=4.0)),
        (tr("share ± 2σ"), ChartStroke(theme.text, width=1.6)),
    ]
    paint_title_legend(painter, title, theme, chart.title, entries)


def _paint_strip(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the shares end to end from 0 to 1, and the last random number at its place."""
    result, theme = view.result, view.theme
    bar = QRectF(area.left(), area.top(), area.width(), STRIP_BAR)
    place = result.places[-1] if result.draws else -1
    start = 0.0
    for index, word in enumerate(ranked(result.shares).tolist()):
        share = float(result.shares[word])
        if share <= 0.0:
            continue
        piece = QRectF(bar.left() + start * bar.width(), bar.top(), share * bar.width(), STRIP_BAR)
        chosen = word == place
        fill = theme.accent if chosen else faded(theme.weights, 0.32 if index % 2 else 0.18)
        paint_shape(painter, piece.adjusted(0.5, 0, -0.5, 0), fill=fill, radius=2.0)
        name, face = visible_token(result.words[word]), font(CAPTION, bold=chosen)
        if width_of(name, face) + 6.0 <= piece.width():
            write(painter, piece, name, theme.on_accent if chosen else theme.text, face, CENTRED)
        start += share
    before = QRectF(area.left() - 200.0, bar.top(), 192.0, STRIP_BAR)
    write(painter, before, "0 ≤ u < 1", theme.muted, font(CAPTION), RIGHT_ALIGNED)
    if not result.draws:
        return
    number = float(result.numbers[-1])
    x = bar.left() + number * bar.width()
    tip = QPointF(x, bar.bottom() + 1.0)
    arrow = [tip, tip + QPointF(-MARK, MARK + 2.0), tip + QPointF(MARK, MARK + 2.0)]
    paint_shape(painter, QPolygonF(arrow), fill=theme.text)
    text = tr(
        "draw {number}: u = {u} falls on {word}",
        number=counted(result.draws),
        u=view.show(number),
        word=quoted(result.words[place]),
    )
    wide = width_of(text, font(BODY)) + 2.0
    left = x + MARK + 6.0 if x + MARK + 6.0 + wide <= area.right() else x - MARK - 6.0 - wide
    line = QRectF(
        max(left, area.left()), bar.bottom() + 2.0, wide, area.bottom() - bar.bottom() - 2.0
    )
    write(painter, line, text, theme.text, font(BODY))


def _facts(view: LabView) -> list[Fact]:
    result, theme = view.result, view.theme
    first, last = result.steps[0], result.steps[-1]
    facts = [
        Fact(
            tr("Words that can be drawn"),
            counted(len(result.words)),
            "",
            counted(int(last.kept.sum())),
            theme.accent,
        ),
        Fact(
            tr("Entropy in nats"),
            view.show(first.entropy),
            "",
            view.show(last.entropy),
            theme.accent,
        ),
    ]
    if result.draws:
        gap = float(np.abs(result.frequencies - result.shares).max())
        within = tr("{seen} of {n}", seen=result.within, n=int(last.kept.sum()))
        facts += [
            Fact(tr("Largest |frequency − share|"), measured(gap, view.decimals)),
            Fact(tr("Words within ± 2σ"), within),
        ]
    return facts


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the end of each logit's bar, vertically draggable."""
    chart, result = sampling_layout(area, view).logits, view.result
    if chart is None:
        return ()
    names = [
        tr("Logit of {word}: {logit}", word=quoted(word), logit=view.show(logit))
        for word, logit in zip(result.words, result.logits, strict=True)
    ]
    return bar_spots(chart, result.logits, "logits", REACH, names)


class SamplingExhibit(Exhibit):
    """Columns of words through all operations, and the draws."""

    made = BY_HAND
    labels = {
        "draws": mark("Draws"),
        "temperature": mark("Temperature T"),
        "top_k": mark("Top-k: most words"),
        "top_p": mark("Top-p: least share together"),
        "order": mark("Order"),
        "seed": mark("Seed"),
        "logits": mark("Logits z"),
    }
    helps = {
        "draws": mark("Each takes one random number; the same seed gives the same numbers."),
        "temperature": mark("The logits are divided by T: below 1 the most probable word gains."),
        "top_k": mark("Keeps the k most probable words."),
        "top_p": mark("Keeps the fewest words whose shares together reach p; 1 keeps all."),
        "order": mark(
            "Hugging Face Transformers cuts after the temperature, llama.cpp by default before it."
        ),
        "logits": mark("Drag the bars, or select one with Tab and move it with the arrow keys."),
    }
    options = {
        "t-k-p": mark("T, top-k, top-p"),
        "t-p-k": mark("T, top-p, top-k"),
        "k-p-t": mark("Top-k, top-p, T"),
    }

    def clock_text(self, control: Clock, value: int) -> str:
        """Return the number of draws."""
        return counted(value)

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Name the word of a logit."""
        return visible_token(setting.experiment.key_tokens[index])

    def notice(self, view: LabView) -> str:
        """Report what is left, whether another order would leave other words, and the draws."""
        result: SamplingResult = view.result
        said = _left(view)
        other = self._other_order(view)
        if other:
            said = tr("{said} {more}", said=said, more=other)
        if result.draws:
            said = tr("{said} {more}", said=said, more=_drawn(view))
        return said

    def _other_order(self, view: LabView) -> str:
        """Say how many words another order leaves, the one that differs most."""
        result, order = view.result, view.setting["order"]
        now = result.left[order]
        most = max(result.left, key=lambda name: abs(result.left[name] - now))
        if result.left[most] == now:
            return ""
        return tr(
            "In the order “{order}” it would be {count}.",
            order=self.option("order", most, view.setting),
            count=result.left[most],
        )

    def attempt(self, view: LabView) -> str:
        """Suggest the order, the temperature, and more draws."""
        result, setting = view.result, view.setting
        if len(set(result.left.values())) > 1 and setting["order"] == "t-k-p":
            return tr("Put the temperature last: does it still decide which words are left?")
        if result.left[setting["order"]] == 1:
            return tr("Raise T to 10: does a second word come in? Does the order decide that?")
        if setting["temperature"] == 1.0:
            return tr("Lower T to 0.1, then raise it to 10: how many words does top-p keep?")
        if result.draws < 1000:
            return tr("Play to 1000 draws: do the points come closer to the shares?")
        return tr("Change the seed: how often is a point outside ± 2σ?")

    paint = staticmethod(paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe the share and the count of each word, and the notice."""
        result: SamplingResult = view.result
        pairs = tr("; ").join(
            tr(
                "{word}: share {share}, drawn {count} times",
                word=visible_token(word),
                share=view.show(share),
                count=counted(int(count)),
            )
            for word, share, count in zip(result.words, result.shares, result.counts, strict=True)
        )
        return tr("{pairs}. {notice}", pairs=pairs, notice=self.notice(view))


def _left(view: LabView) -> str:
    result: SamplingResult = view.result
    first, last = result.steps[0], result.steps[-1]
    left = int(last.kept.sum())
    if left == 1:
        return tr(
            "Only {word} is left: every draw gives it, as greedy decoding does.",
            word=quoted(result.words[int(last.shares.argmax())]),
        )
    entropies = {"before": view.show(first.entropy), "after": view.show(last.entropy)}
    if left == len(result.words):
        return tr(
            "No word is cut; the entropy goes from {before} to {after} nats.",
            before=entropies["before"],
            after=entropies["after"],
        )
    return tr(
        "{left} of {all} words are left; the entropy goes from {before} to {after} nats.",
        left=left,
        all=len(result.words),
        before=entropies["before"],
        after=entropies["after"],
    )


def _drawn(view: LabView) -> str:
    result: SamplingResult = view.result
    most = int(result.shares.argmax())
    return tr(
        "{word} (share {share}) came in {count} of {draws} draws.",
        word=quoted(result.words[most]),
        share=view.show(result.shares[most]),
        count=counted(int(result.counts[most])),
        draws=counted(result.draws),
    )


EXHIBIT = SamplingExhibit()
