"""Stops of the timeline: room for every name where there is any, and which names go where there is none."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.document.document import Document
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.timeline import AIR, EDGE, LEAST, TimelineBar, place_stops, spread_stops, stops_of
from gui.widgets.layouts import FlowLayout
from tests.core.documents import make

SIZES = st.lists(st.floats(1.0, 60.0), min_size=2, max_size=14)


@given(SIZES, st.floats(1.0, 3.0))
def test_distances_make_up_the_length_and_are_as_equal_as_can_be(
    needs: list[float], more: float
) -> None:
    length = sum(needs) * more
    gaps = spread_stops(needs, length)
    assert sum(gaps) == pytest.approx(length)
    assert all(gap >= need - 1e-9 for gap, need in zip(gaps, needs, strict=True))
    free = [gap for gap, need in zip(gaps, needs, strict=True) if gap > need + 1e-6]
    assert max(free, default=0.0) == pytest.approx(min(free, default=0.0))
    assert min(free, default=0.0) <= min(gaps) + 1e-6, "who needs more has as little as it needs"


def test_with_too_little_all_are_shortened_alike() -> None:
    assert spread_stops([10.0, 30.0, 20.0], 30.0) == [5.0, 15.0, 10.0]


@given(SIZES, st.floats(40.0, 900.0), st.data())
def test_no_two_names_touch_and_stops_stay_inside(
    widths: list[float], wide: float, data: st.DataObject
) -> None:
    spare = tuple(data.draw(st.permutations(range(len(widths)))))
    stops, named = place_stops(tuple(widths), spare, wide)
    assert (stops[0], stops[-1]) == (EDGE, pytest.approx(wide - EDGE))
    assert list(stops) == sorted(stops)
    gone = [index for index in spare if index not in named]
    assert gone == list(spare[: len(gone)]), "in their order"
    if named or LEAST * (len(widths) - 1) <= wide - 2 * EDGE:
        ends = [
            (stops[index] - widths[index] / 2, stops[index] + widths[index] / 2)
            for index in sorted(named)
        ]
        assert all(end + AIR <= start + 1e-6 for (_, end), (start, _) in pairwise(ends))


def test_stops_are_even_where_all_have_room() -> None:
    stops, named = place_stops((8.0, 40.0, 20.0, 7.0), (1, 2), 400.0)
    assert {round(right - left, 6) for left, right in pairwise(stops)} == {
        round((400 - 2 * EDGE) / 3, 6)
    }
    assert named == {0, 1, 2, 3}


FULL = make(5, positional="rotary", mask="causal", output=True)


@pytest.mark.parametrize(
    ("document", "width", "missing"),
    [
        (make(5, output=False), 290, set()),
        (FULL, 560, set()),
        (FULL, 310, set()),
        (FULL, 250, {"C", "exp", "K′"}),
        (FULL, 240, {"C", "exp", "K′", "Q′", "+M"}),
    ],
)
def test_which_names_a_narrow_timeline_leaves_out(
    qtbot: QtBot, document: Document, width: int, missing: set[str]
) -> None:
    session = Session(document, Preferences())
    line = TimelineBar(session)
    qtbot.addWidget(line)
    line.resize(width, 36)
    texts = [stop.name for stop in stops_of(session.state)]
    stops, named = line._placed()
    assert {texts[index] for index in range(len(texts)) if index not in named} == missing
    for index in range(len(texts)):
        shown = line._labels(texts, stops, (index, *sorted(named)))
        assert index in shown, "the current one is always named"
        assert index not in named or set(shown) == named
    session.go_to_stage("scaled")
    assert line._placed() == (stops, named), "a step moves no stop"


@pytest.mark.parametrize(
    ("width", "lines", "rest"),
    [
        (500, ["abRcd"], 220),
        (420, ["abRcd"], 140),
        (399, ["abR", "cd"], 259),
        (250, ["ab", "R", "cd"], 250),
    ],
)
def test_lines_break_so_that_the_greedy_widget_has_the_most(
    qtbot: QtBot, width: int, lines: list[str], rest: int
) -> None:
    """a, b, c and d are 60 wide, R wants 300 and needs 120; 10 between them."""
    owner = QWidget()
    qtbot.addWidget(owner)
    flow = FlowLayout(10, owner)
    widgets = {name: QWidget(owner) for name in "abRcd"}
    for name, widget in widgets.items():
        widget.setFixedHeight(20)
        if name == "R":
            widget.setMinimumWidth(120)
            widget.sizeHint = lambda: QSize(300, 20)  # type: ignore[method-assign]
        else:
            widget.setFixedWidth(60)
        flow.addWidget(widget)
    flow.set_stretching(widgets["R"])
    flow.setGeometry(QRect(0, 0, width, 200))
    rows = sorted({widget.y() for widget in widgets.values()})
    assert ["".join(name for name in widgets if widgets[name].y() == row) for row in rows] == lines
    assert widgets["R"].width() == rest
