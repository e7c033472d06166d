"""Charts: ticks of 1, 2 and 5 that agree with their texts, places checked by hand, numbers that never touch."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from gui.labs.charts import (
    BarChart,
    Chart,
    ChartAxis,
    bar_rect,
    chart_in,
    paint_bars,
    paint_curves,
    paint_frame,
    paint_histogram,
    paint_line,
    paint_points,
    stroke,
    versus,
)
from gui.labs.charts.axis import ticks
from gui.labs.charts.frame import _columns, _rows
from gui.labs.charts.marks import _thinned
from gui.painting.color_scale import contrast
from gui.painting.theme import CAPTION, LIGHT, THEMES, font

pytestmark = pytest.mark.usefixtures("qapp")

_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def read(text: str) -> Fraction:
    """What the text of a tick says, read by a rule of its own."""
    plain = text.replace("\N{NARROW NO-BREAK SPACE}", "").replace("\N{MINUS SIGN}", "-")
    if "10" in plain and any(sign in plain for sign in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"):
        mantissa, _, exponent = plain.rpartition("10")
        factor = {"": Fraction(1), "-": Fraction(-1)}.get(mantissa) or Fraction(
            mantissa.rstrip("×")
        )
        return factor * Fraction(10) ** int(exponent.translate(_SUPERSCRIPTS))
    return Fraction(plain)


@given(st.floats(-1e9, 1e9), st.floats(1e-7, 1e9), st.integers(2, 12))
def test_even_ticks_are_multiples_of_one_two_or_five(low: float, length: float, most: int) -> None:
    assume(length > abs(low) * 1e-6)
    axis = ChartAxis(low, low + length)
    chosen = ticks(axis, most)
    assert 1 <= len(chosen) <= most
    slack = length * 1e-6
    assert all(axis.low - slack <= tick.value <= axis.high + slack for tick in chosen)
    steps = {round((b.value - a.value) / length, 9) for a, b in pairwise(chosen)}
    assert len(steps) <= 1
    if len(chosen) > 1:
        assert f"{chosen[1].value - chosen[0].value:.2e}"[:4] in ("1.00", "2.00", "5.00")
        assert len(chosen) >= math.floor(
            most / 2.5
        )  # the next finer step has at most 2.5 times as many


@given(st.floats(-1e12, 1e12), st.floats(1e-9, 1e12), st.integers(1, 12))
def test_a_text_says_its_value(low: float, length: float, most: int) -> None:
    assume(length > abs(low) * 1e-3)
    for tick in ticks(ChartAxis(low, low + length), most):
        assert float(read(tick.text)) == pytest.approx(
            tick.value, rel=1e-9, abs=length if most == 1 else length * 1e-9
        )


@given(st.integers(-12, 12), st.integers(1, 14), st.integers(2, 14))
def test_decades_are_powers_of_ten(low: int, decades: int, most: int) -> None:
    chosen = ticks(ChartAxis(10.0**low, 10.0 ** (low + decades), log=True), most)
    assert 1 < len(chosen) <= most
    for tick in chosen:
        mantissa = tick.value / 10 ** math.floor(math.log10(tick.value * 1.000001))
        assert min(abs(mantissa - good) for good in (1, 2, 5)) < 1e-6
        assert float(read(tick.text)) == pytest.approx(tick.value)


def test_texts_of_known_axes() -> None:
    assert [t.text for t in ticks(ChartAxis(-1, 1), 5)] == ["−1.0", "−0.5", "0.0", "0.5", "1.0"]
    thousands = [
        t.text.replace("\N{NARROW NO-BREAK SPACE}", " ") for t in ticks(ChartAxis(0, 20000), 5)
    ]
    assert thousands == ["0", "5 000", "10 000", "15 000", "20 000"]
    assert [t.text for t in ticks(ChartAxis(1, 1000, log=True), 4)][:3] == ["1", "10", "100"]
    assert [t.text for t in ticks(ChartAxis(1, 1e5, log=True), 6)] == [
        "1",
        "10",
        "10²",
        "10³",
        "10⁴",
        "10⁵",
    ]
    assert [t.text for t in ticks(ChartAxis(1, 300, log=True, base=2), 5)] == [
        "1",
        "4",
        "16",
        "64",
        "256",
    ]
    assert [t.text for t in ticks(ChartAxis(0, 3e7), 4)] == ["0", "10⁷", "2×10⁷", "3×10⁷"]
    assert [t.value for t in ticks(ChartAxis(0, 0.5), 6)] == [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    assert [t.text for t in ticks(ChartAxis.named(("我", "吃", "鱼")), 5)] == ["我", "吃", "鱼"]
    assert [t.text for t in ticks(ChartAxis.named("abcde"), 3)] == ["a", "c", "e"]


@pytest.mark.parametrize(
    ("low", "high", "log"), [(1, 1, False), (2, 1, False), (0, 1, True), (math.nan, 1, False)]
)
def test_what_is_no_axis_is_refused(low: float, high: float, log: bool) -> None:
    with pytest.raises(ValueError, match="axis"):
        ChartAxis(low, high, log=log)


def test_axes_over_values() -> None:
    assert ChartAxis.over([2.0, 7.0], zero=True, margin=0.1) == ChartAxis(0.0, 7.7)
    assert ChartAxis.over([-1.0, math.nan, 3.0], margin=0.0) == ChartAxis(-1.0, 3.0)
    assert ChartAxis.over([5.0, 5.0]).low < 5.0 < ChartAxis.over([5.0, 5.0]).high
    assert ChartAxis.over([0.0], zero=True).low == 0.0
    assert ChartAxis.over([]).low < ChartAxis.over([]).high
    assert ChartAxis.decades([3.0, 0.0, 4000.0]) == ChartAxis(1.0, 10000.0, log=True)
    assert ChartAxis.decades([8.0], base=2) == ChartAxis(8.0, 16.0, log=True, base=2)


@given(st.floats(0, 1), st.booleans())
def test_a_place_leads_back_to_its_value(part: float, log: bool) -> None:
    axis = ChartAxis(0.5, 2000.0, log=log)
    assert axis.part(axis.value(part)) == pytest.approx(part, abs=1e-9)


def test_places_by_hand() -> None:
    chart = Chart(QRectF(100, 50, 300, 200), ChartAxis(1, 1000, log=True), ChartAxis(-2, 8))
    assert (chart.at_x(1), chart.at_x(10), chart.at_x(1000)) == pytest.approx((100, 200, 400))
    assert (chart.at_y(-2), chart.at_y(0), chart.at_y(8)) == pytest.approx((250, 210, 50))
    assert chart.value_y(QPointF(0, 210)) == pytest.approx(0.0)
    assert chart.value_x(QPointF(300, 0)) == pytest.approx(100.0)
    assert chart.value_y(QPointF(0, -500)) == 8
    polygon = chart.polygon(np.array([1.0, 100.0]), np.array([3.0, -2.0]))
    assert [(p.x(), p.y()) for p in polygon.toList()] == [
        pytest.approx(p) for p in ((100, 150), (300, 250))
    ]


@given(st.floats(40, 1500), st.floats(-1e7, 1e7), st.floats(1e-3, 1e7))
def test_numbers_of_an_axis_never_touch(width: float, low: float, length: float) -> None:
    assume(length > abs(low) * 1e-3)
    axis = ChartAxis(low, low + length)
    wide = QFontMetricsF(font(CAPTION)).horizontalAdvance
    for a, b in pairwise(_columns(axis, width)):
        between = (axis.part(b.value) - axis.part(a.value)) * width
        assert between >= (wide(a.text) + wide(b.text)) / 2 + 6


@pytest.mark.parametrize("size", [(560, 360), (2000, 1200), (180, 120)])
def test_a_chart_stays_in_its_room(size: tuple[int, int]) -> None:
    room = QRectF(10, 20, *size)
    chart = chart_in(
        room, ChartAxis(0, 1), ChartAxis(0, 3e7), x_label="x", y_label="y", title="t", right=30
    )
    assert room.contains(chart.rect)
    assert chart.rect.right() == pytest.approx(room.right() - 30)


def test_bars_stand_side_by_side_on_the_zero_line() -> None:
    chart = Chart(QRectF(0, 0, 300, 100), ChartAxis.named("abc"), ChartAxis(-1, 3))
    first, second = bar_rect(chart, 1, 2.0, 0, 2), bar_rect(chart, 1, -1.0, 1, 2)
    assert (first.top(), first.bottom()) == pytest.approx((25, 75))
    assert (second.top(), second.bottom()) == pytest.approx((75, 100))
    assert first.right() <= 150 <= second.left()
    assert first.left() - 100 == pytest.approx(200 - second.right())


def test_a_crowded_line_keeps_its_extremes() -> None:
    chart = Chart(QRectF(0, 0, 50, 50), ChartAxis(0, 1), ChartAxis(-9, 9))
    xs = np.linspace(0, 1, 5000)
    ys = np.sin(xs * 40)
    ys[1234], ys[4321] = 8.0, -7.5
    few_x, few_y = _thinned(xs, ys, chart)
    assert len(few_x) <= 4 * 50
    assert (np.diff(few_x) > 0).all()
    assert {8.0, -7.5} <= set(few_y.tolist())


def painted(draw: object) -> QImage:
    image = QImage(300, 200, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.surface))
    painter = QPainter(image)
    draw(painter)  # type: ignore[operator]
    painter.end()
    return image


def test_a_line_with_a_gap_leaves_it_open() -> None:
    chart = Chart(QRectF(0, 0, 300, 200), ChartAxis(0, 3), ChartAxis(0, 2))
    line = stroke(LIGHT, 0, 6.0)

    def draw(painter: QPainter) -> None:
        paint_line(painter, chart, [0.0, 1.0, 1.5, 2.0, 3.0], [1.0, 1.0, math.nan, 1.0, 1.0], line)

    image = painted(draw)
    assert image.pixelColor(50, 100) == image.pixelColor(250, 100) == QColor(LIGHT.query)
    assert image.pixelColor(150, 100) == QColor(LIGHT.surface)


@pytest.mark.parametrize("shade", THEMES)
def test_two_series_without_a_role_wear_none_of_the_roles_colours_and_stay_apart(
    shade: str,
) -> None:
    theme = THEMES[shade]
    first, second = versus(theme)
    assert first.dash != second.dash
    assert not {first.colour, second.colour} & {
        theme.query,
        theme.key,
        theme.value,
        theme.weights,
        theme.accent,
    }
    assert contrast(QColor(first.colour), QColor(second.colour)) >= 2.0
    assert (
        min(contrast(QColor(line.colour), QColor(theme.surface)) for line in (first, second)) >= 4.5
    )


def test_six_strokes_differ_by_more_than_colour() -> None:
    for theme in THEMES.values():
        strokes = [stroke(theme, index) for index in range(6)]
        assert len({(s.colour, s.dash) for s in strokes}) == 6
        assert len({s.colour for s in strokes}) == 6
        assert len({s.dash for s in strokes[:4]}) == 4


def test_everything_paints_without_a_warning_in_a_tiny_and_a_large_room() -> None:
    for size in (60.0, 900.0):

        def draw(painter: QPainter, size: float = size) -> None:
            room = QRectF(0, 0, size, size)
            chart = paint_frame(
                painter,
                chart_in(room, ChartAxis.named("abc"), ChartAxis(-1, 3), y_label="y", title="t"),
                LIGHT,
            )
            paint_bars(
                painter,
                chart,
                LIGHT,
                [BarChart(np.array([1.0, -9.0, 30.0]), LIGHT.key, ("1", "−9", "30"))],
            )
            chart = paint_frame(
                painter, chart_in(room, ChartAxis(0, 1), ChartAxis(0, 3), x_label="x"), LIGHT
            )
            paint_histogram(painter, chart, LIGHT, [0.0, 0.5, 2.0], [1.0, 9.0], LIGHT.query)
            paint_points(painter, chart, [0.0, 0.5, 7.0], [0.0, math.nan, 1.0], LIGHT.query)
            curves = [(n, [0.0, 1.0], stroke(LIGHT, i)) for i, n in enumerate("pqrs")]
            paint_curves(painter, chart, [0.0, 1.0], curves)

        painted(draw)


@pytest.mark.parametrize(
    ("low", "high", "most"), [(1.0, 3.0, 9), (0.0, 1.0, 9), (1.0, 64.0, 7), (1.0, 2.0, 1)]
)
def test_what_is_counted_has_whole_ticks(low: float, high: float, most: int) -> None:
    found = ticks(ChartAxis(low, high, whole=True), most)
    assert 1 <= len(found) <= most
    assert all(
        tick.value == int(tick.value) and tick.text == str(int(tick.value)) for tick in found
    )
    assert [tick.text for tick in ticks(ChartAxis(1.0, 3.0), 9)] == [
        "1.0",
        "1.5",
        "2.0",
        "2.5",
        "3.0",
    ]


@pytest.mark.parametrize("high", [56.0, 80.0])
def test_a_low_axis_has_two_numbers_rather_than_one(high: float) -> None:
    for axis in (ChartAxis(0.0, 453.6), ChartAxis(0.0, 0.07), ChartAxis(0.0, 1.08)):
        found = _rows(axis, high)
        assert len(found) >= 2, (axis, high)
        assert all(
            high * (axis.part(b.value) - axis.part(a.value)) >= 18.0 for a, b in pairwise(found)
        )
