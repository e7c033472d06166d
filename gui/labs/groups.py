"""Exhibit of the lab `groups`: a column per query head above the keys and values that it reads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QRectF
from PySide6.QtGui import QPainter

from core.base.arrays import Array
from core.compute.trace import Trace
from core.labs.groups import HALF, HEADS, GroupsResult
from core.labs.lab import Lab, Setting
from gui.labs.charts import (
    CENTRED,
    LEFT_ALIGNED,
    BarChart,
    Chart,
    ChartAxis,
    Fact,
    chart_in,
    legible_size,
    paint_bars,
    paint_facts,
    paint_frame,
    paint_grid,
    split_facts,
    write,
)
from gui.labs.exhibit import Exhibit, LabView, Spot, split
from gui.labs.wording import bytes_text, counted, measured
from gui.painting.color_scale import stage_levels
from gui.painting.shapes import paint_shape
from gui.painting.theme import CAPTION, TITLE, font, role_colour
from gui.texts.names import head_name
from gui.texts.translation import mark, tr

GAP = 12.0
LABEL = 92.0  # width of the names of the rows
ROWS = ("Q", "K", "V", "heads")
LINK = 16.0  # height of the lines between rows of matrices
HEAD_LINE, CHANGE_LINE = 20.0, 20.0
TALLEST_ROW, WIDEST_MATRIX = 26.0, 150.0
PLATE = 5.0  # margin of a group's plate
LEAST_BODY, LEAST_CHARTS, MOST_CHARTS = 250.0, 112.0, 190.0
NONE = 1e-9  # smaller changes are rounding errors


@dataclass(frozen=True, slots=True)
class GroupsLayout:
    """Rectangles of facts, of each row of matrices over all columns, and of the two charts.

    Facts and charts are empty, or None, if they do not fit. `columns` are the heads.
    """

    facts: QRectF
    rows: dict[str, QRectF]
    columns: tuple[QRectF, ...]
    cache: Chart | None
    change: Chart | None

    def matrix(self, row: str, first: int, last: int) -> QRectF:
        """Return the matrix of a row in the middle of some columns."""
        whole = self.columns[first].united(self.columns[last])
        width = min(self.columns[0].width() - 2 * PLATE - 2.0, WIDEST_MATRIX)
        left = whole.center().x() - width / 2
        return QRectF(left, self.rows[row].top(), width, self.rows[row].height())


def groups_layout(area: QRectF, view: LabView) -> GroupsLayout:
    """Lay out an area: first the charts, then the facts are omitted if it is low."""
    result: GroupsResult = view.result
    facts, body = split_facts(area, GAP)
    charts = min(body.height() - LEAST_BODY - GAP, body.height() * 0.31, MOST_CHARTS)
    cache, change = None, None
    if charts >= LEAST_CHARTS:
        foot = QRectF(body.left(), body.bottom() - charts, body.width(), charts)
        body.setBottom(foot.top() - GAP)
        cache, change = _charts(foot, result)
    label = min(LABEL, body.width() * 0.14)
    document = result.document
    wide = (body.width() - label) / document.h
    columns = tuple(
        QRectF(body.left() + label + place * wide, body.top(), wide, body.height())
        for place in range(document.h)
    )
    sizes = {"Q": document.n, "K": document.m, "V": document.m, "heads": document.n}
    free = body.height() - HEAD_LINE - CHANGE_LINE - LINK * (len(ROWS) - 1)
    row = max(min(free / sum(sizes.values()), TALLEST_ROW), 0.1)
    top, rows = body.top() + HEAD_LINE, {}
    for name in ROWS:
        rows[name] = QRectF(body.left(), top, body.width(), row * sizes[name])
        top += rows[name].height() + LINK
    return GroupsLayout(facts, rows, columns, cache, change)


def _charts(area: QRectF, result: GroupsResult) -> tuple[Chart, Chart]:
    left, right = split(area, 0.5, 2 * GAP, across=True)
    names = ChartAxis.named(
        group_name(result.document.h, option.groups) for option in result.options
    )
    most = max(option.change for option in result.options)
    return (
        chart_in(
            left,
            names,
            ChartAxis(0.0, result.options[0].cached * 1.25),
            title=tr("Numbers in the cache per token"),
        ),
        chart_in(
            right,
            names,
            ChartAxis(0.0, max(most * 1.25, 0.1)),
            title=tr("Change of the output, ‖ΔY‖ ÷ ‖Y‖"),
        ),
    )


def group_name(heads: int, groups: int) -> str:
    """Name a number of groups: 8 · MHA, 4 · GQA, 1 · MQA."""
    kind = "MHA" if groups == heads else "MQA" if groups == 1 else "GQA"
    return f"{groups} · {kind}"


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint everything."""
    where = groups_layout(area, view)
    if where.facts.height():
        paint_facts(painter, where.facts, view.theme, _facts(view))
    _paint_plates(painter, where, view)
    _paint_names(painter, where, view)
    _paint_matrices(painter, where, view)
    if where.cache is not None and where.change is not None:
        _paint_charts(painter, where.cache, where.change, view)


def _facts(view: LabView) -> list[Fact]:
    result, theme = view.result, view.theme
    first, now, accent = result.options[0], result.now, theme.accent
    facts = [
        Fact(
            tr("Cache per token and layer"),
            counted(first.cached),
            "",
            tr("{count} numbers", count=counted(now.cached)),
            accent,
        ),
        Fact(
            tr("in half precision"),
            bytes_text(first.cached * HALF),
            "",
            bytes_text(now.cached * HALF),
            accent,
        ),
        Fact("‖ΔY‖ ÷ ‖Y‖", measured(now.change, view.decimals)),
    ]
    if first.parameters:
        numbers = counted(first.parameters), counted(now.parameters)
        facts.append(Fact(tr("Parameters of K and V"), numbers[0], "", numbers[1], accent))
    return facts


def _members(result: GroupsResult, group: int) -> tuple[int, int]:
    """Return the first and the last head of a group."""
    return group * result.size, (group + 1) * result.size - 1


def _paint_plates(painter: QPainter, where: GroupsLayout, view: LabView) -> None:
    """Paint a plate behind the heads of each group, and lines from their queries to its keys."""
    result, theme = view.result, view.theme
    for group in range(result.now.groups):
        first, last = _members(result, group)
        whole = where.columns[first].united(where.columns[last])
        bottom = where.rows["heads"].bottom() + CHANGE_LINE
        plate = QRectF(whole.left() + 2, whole.top(), whole.width() - 4, bottom - whole.top())
        paint_shape(painter, plate, fill=theme.sunken, radius=6.0)
        for upper, lower in (("Q", "K"), ("V", "heads")):
            start, end = where.rows[upper].bottom() + 2.0, where.rows[lower].top() - 2.0
            for head in range(first, last + 1):
                x, middle = where.columns[head].center().x(), whole.center().x()
                ends = (x, middle) if upper == "Q" else (middle, x)
                line = QLineF(ends[0], start, ends[1], end)
                paint_shape(painter, line, line=theme.muted, width=1.2)


def _paint_names(painter: QPainter, where: GroupsLayout, view: LabView) -> None:
    """Paint the symbol of each row and how many matrices it has, and the number of each head."""
    result, theme = view.result, view.theme
    left = where.rows["Q"].left()
    width = where.columns[0].left() - left
    for name in ROWS:
        symbol = {"heads": "O"}.get(name, name)
        row = where.rows[name]
        count = result.now.groups if name in ("K", "V") else result.document.h
        text = tr("1 head") if count == 1 else tr("{count} heads", count=count)
        middle = row.center().y()
        upper = QRectF(left, middle - 19.0, width, 20.0)
        write(painter, upper, symbol, role_colour(theme, name).name(), font(TITLE, bold=True))
        lower = QRectF(left, middle + 2.0, width, 16.0)
        write(painter, lower, text, theme.muted, font(CAPTION), LEFT_ALIGNED)
    for head, column in enumerate(where.columns):
        place = QRectF(column.left() + 3, column.top(), column.width() - 6, HEAD_LINE)
        write(painter, place, str(head + 1), theme.muted, font(CAPTION), CENTRED)
    change = QRectF(left, where.rows["heads"].bottom(), width, CHANGE_LINE)
    write(painter, change, tr("change"), theme.muted, font(CAPTION), LEFT_ALIGNED)


def _shown(result: GroupsResult, name: str) -> tuple[Trace, str, range]:
    """Return the run, the stage and the heads that a row shows: of each group its first one."""
    step = result.size if name in ("K", "V") else 1
    stage = f"{name}_rot" if f"{name}_rot" in result.shared else name
    return result.shared, stage, range(0, result.document.h, step)


def _paint_matrices(painter: QPainter, where: GroupsLayout, view: LabView) -> None:
    """Paint all matrices with one size of numbers, none if they do not fit."""
    result, theme = view.result, view.theme
    parts: list[tuple[QRectF, Array, Trace, str]] = []
    for name in ROWS:
        trace, stage, heads = _shown(result, name)
        step = heads.step
        for head in heads:
            rect = where.matrix(name, head, head + step - 1)
            parts.append((rect, trace.matrix(stage, head), trace, stage))
    sizes = [
        legible_size(
            values, view.decimals, rect.width() / values.shape[1], rect.height() / values.shape[0]
        )
        for rect, values, _, _ in parts
    ]
    digits = min(sizes) or None
    for rect, values, trace, stage in parts:
        paint_grid(painter, rect, view, values, stage_levels(trace, stage), digits=digits)
    for head, change in enumerate(result.changes):
        column = where.columns[head]
        place = QRectF(
            column.left() + 3, where.rows["heads"].bottom(), column.width() - 6, CHANGE_LINE
        )
        text = view.show(change)
        write(painter, place, text, theme.text, font(CAPTION, bold=True), CENTRED)


def _paint_charts(painter: QPainter, cache: Chart, change: Chart, view: LabView) -> None:
    result: GroupsResult = view.result
    numbers = [float(option.cached) for option in result.options]
    texts = tuple(counted(option.cached) for option in result.options)
    _paint_options(painter, cache, view, numbers, texts)
    changes = [option.change for option in result.options]
    shown = tuple(view.show(value) for value in changes)
    _paint_options(painter, change, view, changes, shown)


def _paint_options(
    painter: QPainter, chart: Chart, view: LabView, values: list[float], texts: tuple[str, ...]
) -> None:
    """Paint a bar for each number of groups, the chosen one in the accent colour."""
    theme, result = view.theme, view.result
    paint_frame(painter, chart, theme)
    chosen = np.array([option.groups == result.now.groups for option in result.options])
    numbers = np.array(values)
    for those, colour in ((chosen, theme.accent), (~chosen, theme.disabled)):
        bars = np.where(those, numbers, 0.0)
        words = tuple(text if own else "" for text, own in zip(texts, those, strict=True))
        paint_bars(painter, chart, theme, [BarChart(bars, colour, words)])


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the bars of the cache, which choose the number of groups."""
    where, result = groups_layout(area, view), view.result
    if where.cache is None:
        return ()
    plot, count = where.cache.rect, len(result.options)
    wide = plot.width() / count
    return tuple(
        Spot(
            f"groups {option.groups}",
            QRectF(plot.left() + place * wide, plot.top(), wide, plot.height()),
            tr(
                "{name}: {count} numbers per token, change {change}",
                name=group_name(result.document.h, option.groups),
                count=counted(option.cached),
                change=measured(option.change, view.decimals),
            ),
            "groups",
            str(option.groups),
        )
        for place, option in enumerate(result.options)
    )


class GroupsExhibit(Exhibit):
    """Columns of heads, and what each number of groups costs and changes."""

    made = mark("These numbers were drawn at random and rounded; no model learned them.")
    labels = {
        "groups": mark("Heads of keys and values"),
        "how": mark("Their keys and values are"),
        "alike": mark("How alike the heads are"),
    }
    helps = {
        "groups": mark(
            "MHA: one for each query head; GQA: one for each group; MQA: one for all of them."
        ),
        "how": mark(
            "Of W_K and W_V of the heads of a group. A model that is converted is trained further "
            "after that; here it is not."
        ),
        "alike": mark(
            "The part of the variance of W_K and W_V that all heads have in common; 1 makes them equal."
        ),
    }
    options = {"mean": mark("the mean of the group"), "first": mark("those of its first head")}

    def option(self, control_id: str, option: str, setting: Setting) -> str:
        """Name the numbers of groups."""
        if control_id != "groups":
            return super().option(control_id, option, setting)
        heads = HEADS if setting.document is None else setting.document.h
        return group_name(heads, int(option))

    def origin(self, lab: Lab, setting: Setting) -> str:
        """Say who made the numbers, unless they are those of an experiment."""
        return super().origin(lab, setting) if setting.document is None else ""

    def notice(self, view: LabView) -> str:
        """Report the cache and the change of the output."""
        result: GroupsResult = view.result
        now, all_heads = result.now, result.options[0]
        if result.size == 1:
            return tr(
                "Each of {heads} heads has keys and values of its own: {count} numbers per token "
                "in the cache of this layer.",
                heads=result.document.h,
                count=counted(now.cached),
            )
        saved = tr(
            "{size} query heads share each head of keys and values: {now} instead of {all} numbers "
            "per token.",
            size=result.size,
            now=counted(now.cached),
            all=counted(all_heads.cached),
        )
        if now.change <= NONE:
            same = tr("The heads of a group had the same ones before, so the output stays.")
            return tr("{said} {more}", said=saved, more=same)
        changed = tr("The output changes by {change} of its norm.", change=_percent(now.change))
        return tr("{said} {more}", said=saved, more=changed)

    def attempt(self, view: LabView) -> str:
        """Suggest fewer groups, likeness, and the first head."""
        result, setting = view.result, view.setting
        if result.size == 1:
            return tr("Choose fewer heads of keys and values: what shrinks, and what changes?")
        if "alike" in setting.values and setting["alike"] < 1.0:
            return tr("Make the heads more alike: at which value does sharing change nothing?")
        if setting["how"] == "mean":
            return tr("Take the first head in every group: which heads keep their output?")
        return tr("Take the mean of the group: is the change smaller for every number of groups?")

    paint = staticmethod(paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe the change of each head, and the notice."""
        names = [head_name(head, "") for head in range(view.result.document.h)]
        pairs = tr("; ").join(
            tr("{head}: change {change}", head=name, change=view.show(change))
            for name, change in zip(names, view.result.changes, strict=True)
        )
        return tr("{pairs}. {notice}", pairs=pairs, notice=self.notice(view))


def _percent(part: float) -> str:
    return f"{part:.0%}"


EXHIBIT = GroupsExhibit()
