"""The lab of positions in the window: numbers of the core, hands where they belong, places that can be dragged."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPointF, QRectF

from core.arithmetic.positional_encoding import sinusoidal
from core.base.number_format import show, show_significant
from core.labs.positions import LAB, compare, published_slopes
from core.lesson.lesson import lesson_path, load
from gui.labs.exhibit import LabAppearance, Spot
from gui.labs.positions import EXHIBIT
from gui.labs.positions_relative import grid
from gui.labs.positions_table import columns_of, positions_layout
from gui.labs.wording import measured
from tests.gui.lab_pictures import (
    SIZES,
    holds_in_order,
    image_of,
    lesson_results,
    shown_of,
    texts_of,
)

pytestmark = pytest.mark.usefixtures("qapp")
ROOM = QRectF(0, 0, 1400, 900)
VIEWS = ["table", "shift", "distance"]


def spot(setting: object, spot_id: str) -> Spot:
    return next(
        found for found in EXHIBIT.spots(ROOM, shown_of(LAB, setting)) if found.id == spot_id
    )  # type: ignore[arg-type]


@pytest.mark.parametrize("decimals", [1, 3])
def test_the_heatmap_is_the_table(decimals: int) -> None:
    shown = shown_of(LAB, LAB.start(values={"n": 9, "d": 7}), LabAppearance(decimals=decimals))
    table = shown.result.encoding.table
    assert holds_in_order(
        texts_of(EXHIBIT, shown), [show(float(value), decimals) for value in table.flat]
    )


def test_lengths_of_the_waves_are_written_below_them() -> None:
    texts = texts_of(EXHIBIT, shown_of(LAB, LAB.start(values={"d": 4, "base": 100.0})))
    assert {"6.3 positions", "62.8 positions"} <= set(texts)  # 2π and 2π·√100


def test_an_odd_last_column_has_its_wave() -> None:
    shown = shown_of(LAB, LAB.start(values={"n": 5, "d": 3, "base": 100.0}))
    encoding = shown.result.encoding
    lanes = positions_layout(ROOM, encoding).lanes
    assert [columns_of(encoding, pair) for pair, _ in lanes] == [(0, 1), (2,)]
    texts = texts_of(EXHIBIT, shown)
    assert f"{2 * math.pi * 100 ** (2 / 3):.0f} positions" in texts
    image = image_of(EXHIBIT, shown, (1400, 900))
    for place in (1, 3):
        x = lanes[1][1].center().x() + math.sin(place * 100 ** (-2 / 3)) * lanes[1][1].width() / 2
        y = positions_layout(ROOM, encoding).middle(place)
        assert image.pixelColor(int(x), int(y)) != image.pixelColor(int(x) + 30, int(y))


def test_a_place_beyond_the_table_is_said_to_lie_there() -> None:
    def texts(shift: int) -> list[str]:
        return texts_of(
            EXHIBIT, shown_of(LAB, LAB.start(values={"n": 5, "position": 4, "shift": shift}))
        )

    assert "beyond the table" in texts(1)
    assert "beyond the table" not in texts(0)


def test_angles_and_the_measured_error_are_written() -> None:
    shown = shown_of(LAB, LAB.start(values={"view": "shift", "d": 6, "shift": 5}))
    texts = texts_of(EXHIBIT, shown)
    assert measured(shown.result.encoding.error, 2) in " ".join(texts)
    for pair in range(3):
        assert f"{show_significant(5 * 10000 ** (-2 * pair / 6), 2)} rad" in texts


def test_every_clock_keeps_within_the_room() -> None:
    for size in SIZES:
        room = QRectF(0, 0, *size)
        for pairs in range(1, 33):
            layout = grid(room, pairs)
            assert len(layout.cells) == pairs
            assert layout.radius >= 12.0
            assert all(room.contains(cell) for cell in layout.cells)


def test_scores_and_spreads_are_written() -> None:
    shown = shown_of(
        LAB,
        LAB.start(values={"view": "distance", "position": 3, "shift": 4}),
        LabAppearance(decimals=3),
    )
    distances = shown.result.distances
    texts = texts_of(EXHIBIT, shown)
    for value in (distances.dots[7], distances.turned[7], distances.biases[0][7]):
        assert holds_in_order(texts, [show_significant(float(value), 3)])
    for spread in (distances.spread_dots, distances.spread_turned, distances.spread_biases):
        assert holds_in_order(texts, [measured(spread, 3)])


@pytest.mark.parametrize("n", [2, 24, 64])
def test_rows_of_the_table_are_chosen_by_dragging(n: int) -> None:
    setting = LAB.start(values={"n": n, "position": 1, "shift": 0})
    where = positions_layout(ROOM, shown_of(LAB, setting).result.encoding)
    held = spot(setting, "position")
    assert held.drag is not None
    off = held.area.center().y() - where.middle(1)  # the chip may stand off its row
    for target in (0, n // 2, n - 1):
        assert held.drag(QPointF(0, where.middle(target) + off)) == target
    assert held.drag(QPointF(0, -900)) == 0
    assert held.drag(QPointF(0, 9000)) == n - 1
    assert held.drag(held.area.center()) == 1


@pytest.mark.parametrize("view", VIEWS)
def test_arrow_keys_go_place_by_place(view: str) -> None:
    """Seven times on, twice back, with the position and then with the shift."""
    step = QPointF(0, 1) if view == "table" else QPointF(1, 0)
    setting = LAB.start(values={"view": view, "n": 30, "position": 4, "shift": 3})
    suffix = "-1" if view == "distance" else ""
    for control, start in (("position", 4), ("shift", 3)):
        for by, expected in [(1, start + 1 + done) for done in range(7)] + [
            (-1, start + 6),
            (-1, start + 5),
        ]:
            held = spot(setting, control + suffix)
            assert held.drag is not None
            value = held.drag(held.area.center() + step * by * held.nudge)
            setting = LAB.with_value(setting, held.control, value)
            assert setting[control] == expected


def test_a_place_beyond_the_table_has_no_line_in_a_chart() -> None:
    setting = LAB.start(values={"view": "distance", "n": 10, "position": 9, "shift": 3})
    assert {found.control for found in EXHIBIT.spots(ROOM, shown_of(LAB, setting))} == {"position"}


def test_notices_tell_the_numbers() -> None:
    def notice(**values: object) -> str:
        return EXHIBIT.notice(shown_of(LAB, LAB.start(values=values)))

    assert notice(d=2) == f"Two columns, one wave: it repeats every {2 * math.pi:.1f} positions."
    assert "every 6.3 positions" in notice()
    assert notice(d=3).endswith(
        "every 6.3 positions, the last every 2\N{NARROW NO-BREAK SPACE}916.4."
    )
    assert notice(view="shift", d=3, shift=2).startswith(
        "A shift by 2, from any position, turns the hand by 2.00 rad;"
    )
    assert "turns the first hand by 7.00 rad" in notice(view="shift", shift=7)
    assert "largest, 8.00, at j = i" in notice(view="distance")
    assert "code takes" not in notice(view="distance", heads=4)
    assert "takes 0.25, 0.0625, 0.0156, 0.00391, 0.5, 0.125." in notice(view="distance", heads=6)
    assert notice(view="distance", heads=1).endswith("it takes off 0.09 at most.")
    spread = compare(sinusoidal(24, 16), 10000.0, 6, 4, 2, drawn=True).spread_dots
    assert f"up to {spread:.2f}" in notice(view="distance", projection="drawn")
    assert "no partner" in notice(view="distance", d=7)


def test_the_lesson_says_what_the_lab_measures() -> None:
    results = lesson_results(LAB)
    lengths = [2 * math.pi / result.encoding.frequencies for result in results]
    assert [show(float(found), 1) for found in (lengths[0][0], lengths[1][-1])] == ["6.3", "11.5"]
    assert [show(float(turn), 2) for turn in results[2].encoding.turns[:2]] == ["4.00", "1.26"]
    assert results[3].encoding.turns.tolist() == results[2].encoding.turns.tolist()
    assert results[4].distances.dots[6] == pytest.approx(8.0)
    assert results[5].distances.spread_turned < 1e-12
    assert 15_000 < lengths[0][-1] < 20_000  # "nearly 20,000" positions
    assert results[6].distances.spread_dots > 0.1
    assert results[6].distances.turned.tolist() == results[5].distances.turned.tolist()
    said = load(lesson_path("lab-positions")).scenes[7].say
    slopes = ", ".join(f"{round(float(slope), 4):g}" for slope in published_slopes(6))
    assert slopes in said.get("en")
    assert slopes.replace(", ", "、") in said.get("zh_CN")
