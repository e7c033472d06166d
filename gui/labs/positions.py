"""Exhibit of the lab `positions`: texts of its three views."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QPointF, QRectF

from core.base.number_format import show_significant
from core.labs.controls import Value
from core.labs.positions import Encoding, published_slopes
from gui.labs import positions_relative, positions_table
from gui.labs.charts import Chart, grouped
from gui.labs.exhibit import ExhibitView, LabView, Spot, Viewed
from gui.labs.positions_table import DistanceMark, marks
from gui.labs.wording import measured
from gui.texts.translation import mark, tr


class PositionsExhibit(Viewed):
    """The table, the clocks, or the scores against distance."""

    labels = {
        "view": mark("Picture"),
        "n": mark("Positions n"),
        "d": mark("Width d"),
        "base": mark("Base"),
        "position": mark("Position i"),
        "shift": mark("Shift k"),
        "projection": mark("Projections W_Q, W_K"),
        "heads": mark("Heads (slopes of ALiBi)"),
        "seed": mark("Seed"),
    }
    helps = {
        "base": mark("The larger it is, the slower the last columns turn."),
        "shift": mark("How many positions farther the second mark is; it may be beyond the table."),
        "d": mark(
            "Each pair of columns is one wave; if d is odd, the last column is a sine "
            "without its cosine."
        ),
        "projection": mark(
            "Sinusoidal positions are added before the projections; rotary and ALiBi act "
            "after them."
        ),
        "heads": mark(
            "The published models with ALiBi are causal: only keys at or before the query count."
        ),
        "seed": mark("q and k of the rotary curve, and the drawn projections."),
    }

    def spots(self, area: QRectF, lab_view: LabView) -> tuple[Spot, ...]:
        """Return the two positions, draggable along the table or the ruler."""
        view, encoding = lab_view.setting["view"], lab_view.result.encoding
        if view == "table":
            where = positions_table.positions_layout(area, encoding)
            return tuple(
                _spot(chip, encoding, partial(_by_height, where, chip, encoding), where.row)
                for chip in positions_table.chips(area, lab_view)
            )
        if view == "shift":
            line = positions_relative.ruler(area)
            step = line.width() / (2 * encoding.n - 2)
            return tuple(
                _spot(chip, encoding, partial(_by_width, line, chip, encoding), step)
                for chip in positions_relative.chips(area, lab_view)
            )
        return tuple(
            _rule_spot(chart, which, rule, encoding)
            for which, chart in enumerate(positions_relative.charts(area, lab_view))
            for rule in marks(encoding, lab_view.theme)
            if rule.place < encoding.n
        )

    def spoken(self, view: LabView) -> str:
        """Describe both rows in numbers, and the notice."""
        encoding: Encoding = view.result.encoding
        rows = [tr(", ").join(view.show(x) for x in row) for row in (encoding.here, encoding.there)]
        return tr(
            "Row {i} of the table: {here}. Row {j}: {there}. {notice}",
            i=encoding.position,
            here=rows[0],
            j=encoding.target,
            there=rows[1],
            notice=self.notice(view),
        )


def _spot(chip: DistanceMark, encoding: Encoding, drag: partial[Value], nudge: float) -> Spot:
    if chip.control == "position":
        name = tr("Position i = {i}", i=encoding.position)
    else:
        name = tr("Shifted position i + k = {j}, shift {k}", j=encoding.target, k=encoding.shift)
    return Spot(chip.control, chip.area, name, chip.control, drag=drag, nudge=nudge)


def _rule_spot(chart: Chart, which: int, rule: DistanceMark, encoding: Encoding) -> Spot:
    """Return a draggable line of a chart."""
    x = chart.at_x(rule.place)
    strip = rule.at(QRectF(x - 3.0, chart.rect.top(), 6.0, chart.rect.height()))
    step = chart.rect.width() / (encoding.n - 1)
    found = _spot(strip, encoding, partial(_by_chart, chart, rule, encoding), step)
    return replace(found, id=f"{rule.control}-{which}")


def _by_chart(chart: Chart, rule: DistanceMark, encoding: Encoding, point: QPointF) -> Value:
    return _value(rule, encoding, round(chart.value_x(point)))


def _by_height(
    where: positions_table.PositionsLayout, chip: DistanceMark, encoding: Encoding, point: QPointF
) -> Value:
    """Convert a point to a chip's value, relative to where the chip is painted."""
    offset = chip.area.center().y() - where.middle(chip.place)
    return _value(chip, encoding, where.place_at(point.y() - offset))


def _by_width(line: QRectF, chip: DistanceMark, encoding: Encoding, point: QPointF) -> Value:
    offset = chip.area.center().x() - positions_relative.at_place(line, encoding, chip.place)
    return _value(chip, encoding, positions_relative.place_at(line, encoding, point.x() - offset))


def _value(chip: DistanceMark, encoding: Encoding, place: int) -> Value:
    """Return the value of the chip's control at a position."""
    moved = place - (encoding.position if chip.control == "shift" else 0)
    return min(max(moved, 0), encoding.n - 1)


def _notice_table(view: LabView) -> str:
    lengths = 2.0 * np.pi / view.result.encoding.rates
    if len(lengths) == 1:
        return tr(
            "Two columns, one wave: it repeats every {length} positions.",
            length=_length(view, float(lengths[0])),
        )
    return tr(
        "Row {i} has its own pattern: the first wave repeats every {first} positions, the last "
        "every {last}.",
        i=view.result.encoding.position,
        first=_length(view, float(lengths[0])),
        last=_length(view, float(lengths[-1])),
    )


def _length(view: LabView, length: float) -> str:
    return grouped(length, min(view.decimals, 1))


def _notice_shift(view: LabView) -> str:
    encoding: Encoding = view.result.encoding
    if len(encoding.turns) == 1:
        return tr(
            "A shift by {k}, from any position, turns the hand by {turn} rad; error {error}.",
            k=encoding.shift,
            turn=show_significant(float(encoding.turns[0]), view.decimals),
            error=measured(encoding.error, view.decimals),
        )
    return tr(
        "A shift by {k}, from any position, turns the first hand by {first} rad, the last by "
        "{last}; error {error}.",
        k=encoding.shift,
        first=show_significant(float(encoding.turns[0]), view.decimals),
        last=show_significant(float(encoding.turns[-1]), view.decimals),
        error=measured(encoding.error, view.decimals),
    )


def _notice_distance(view: LabView) -> str:
    said, more = _said_of_distance(view), _said_of_slopes(view)
    return tr("{said} {more}", said=said, more=more) if more else said


def _said_of_distance(view: LabView) -> str:
    encoding, distances = view.result.encoding, view.result.distances
    spread = measured(distances.spread_dots, view.decimals)
    if distances.drawn:
        return tr(
            "With other projections sinusoidal scores at the same i − j differ by up to "
            "{spread}. The rotary score and the bias of ALiBi still depend on i − j alone.",
            spread=spread,
        )
    if encoding.table.shape[1] % 2:
        return tr(
            "One column has no partner, so sinusoidal products at the same distance differ "
            "by up to {spread}.",
            spread=spread,
        )
    return tr(
        "If W_Q = W_K = I, P[i] · P[j] depends on the distance alone; it is largest, {own}, "
        "at j = i. Of the three only rotary tells before from after: it depends on the "
        "signed distance i − j.",
        own=view.show(distances.dots[encoding.position]),
    )


def _said_of_slopes(view: LabView) -> str:
    """Name the single slope, or those of the published code where they differ."""
    slopes = view.result.distances.slopes
    if len(slopes) == 1:
        return tr(
            "With one head the default slope is 2⁻⁸ = 1/256: over the whole table it takes "
            "off {most} at most.",
            most=show_significant(float(slopes[0]) * (view.result.encoding.n - 1), view.decimals),
        )
    published = published_slopes(len(slopes))
    if np.array_equal(published, slopes):
        return ""
    return tr(
        "ALiBi’s formula is meant for powers of two; for {heads} heads the authors’ code "
        "takes {slopes}.",
        heads=len(slopes),
        slopes=tr(", ").join(f"{float(slope):.3g}" for slope in published),
    )


VIEWS = {
    "table": ExhibitView(
        mark("Heatmap and waves"),
        mark("Make the base 2, then 100000: how many columns still change from row to row?"),
        _notice_table,
        positions_table.paint,
    ),
    "shift": ExhibitView(
        mark("A shift rotates"),
        mark(
            "Drag i along the ruler without changing the shift: the hands move, the angle "
            "between them stays the same."
        ),
        _notice_shift,
        positions_relative.paint_shift,
    ),
    "distance": ExhibitView(
        mark("Score against distance"),
        mark(
            "Drag i from one end to the other: which curves keep their shape? Then draw the "
            "projections."
        ),
        _notice_distance,
        positions_relative.paint_distance,
    ),
}

EXHIBIT = PositionsExhibit(VIEWS)
EXHIBIT.options = {
    **EXHIBIT.options,
    "identity": mark("W_Q = W_K = I"),
    "drawn": mark("Drawn at random"),
}
