"""Where there is little room: names of columns that can be read, sums that are whole, and what is said of others."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QRect
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.storage.examples import load_example
from gui.painting.text_layout import width_of
from gui.painting.text_size import size_in_units
from gui.painting.theme import CAPTION, font
from gui.presentation.slide import panel_rects, unit_for
from gui.session.presented_views import DEFAULT_VIEWS, PresentedViews
from gui.session.state import State
from gui.views.stage.scene import StageScene, build_scene
from gui.views.tables.set_values import enter_text
from tests.gui.presenting_kit import svg_of
from tests.gui.stage_kit import session_at
from tests.gui.stage_kit import svg_of as stage_svg
from tests.gui.svg_kit import texts

HALL = (1280, 720)
LOWER = size_in_units(
    panel_rects(QRect(0, 0, *HALL), DEFAULT_VIEWS, HALL[1])[1], unit_for("stage", HALL[1])
)
WORDS = load_example("eight-heads").tokens


def at(stage: str) -> State:
    return session_at("eight-heads", stage, 0, 0).state


def lower(state: State) -> StageScene:
    return build_scene(state, LOWER, brief=True)


@pytest.mark.parametrize("stage", ["scaled", "exp", "weights", "heads"])
def test_in_the_hall_no_name_of_a_column_is_cut(qtbot: QtBot, stage: str) -> None:
    state = at(stage)
    written = texts(svg_of(state, DEFAULT_VIEWS, HALL))
    assert not [text for text in written if text.endswith("…")]
    keyed = [one for one in lower(state).placed if one.column_axis.tokens and one.names_columns]
    assert keyed
    for one in keyed:
        for word in WORDS[one.columns.start : one.columns.stop]:
            assert written.count(word) >= 1


def test_names_that_take_turns_stand_clear_of_each_other(qtbot: QtBot) -> None:
    """Three names on one line, in the width of the columns between their middles."""
    one = next(one for one in lower(at("weights")).placed if one.label_lines == 2)
    wide = one.rect.width() / one.columns.count
    face = font(CAPTION, bold=True)
    names = [width_of(word, face) for word in WORDS[one.columns.start : one.columns.stop]]
    assert max(names) > wide
    for line in (names[::2], names[1::2]):
        assert all((a + b) / 2 < 2 * wide for a, b in pairwise(line))
    assert one.column_labels.bottom() <= LOWER.bottom()


def test_short_names_stay_on_one_line(qtbot: QtBot) -> None:
    scene = build_scene(session_at("cat-eats-fish", "weights", 0, 0).state, LOWER, brief=True)
    assert {one.label_lines for one in scene.placed} == {1}


def test_a_click_on_either_line_means_its_column(qtbot: QtBot) -> None:
    scene = lower(at("weights"))
    one = scene.placed[-1]
    assert one.label_lines == 2
    area = one.column_labels
    wide = area.width() / one.columns.count
    for line in (0.25, 0.75):
        point = area.topLeft()
        point.setX(area.x() + 2.5 * wide)
        point.setY(area.y() + line * area.height())
        assert scene.label_at(point) == Cell("weights", 0, one.columns.start + 2)


def test_every_product_of_a_score_is_seen_in_the_hall(qtbot: QtBot) -> None:
    state = at("scores")
    q, k, scores = lower(state).placed
    assert (q.columns.count, k.rows.count) == (8, 8)
    assert q.matrix.digits is not None
    assert min(k.columns.count, scores.columns.count) >= 2
    written = texts(svg_of(state, DEFAULT_VIEWS, HALL))
    assert [sum(text.startswith(name) for text in written) for name in ("query", "key")] == [1, 1]
    assert q.matrix.values[0].tolist() == state.trace["Q"][0, 0].tolist()
    assert k.matrix.values[:, 0].tolist() == state.trace["K"][0, 0].tolist()


def test_a_what_if_score_hides_no_products(qtbot: QtBot) -> None:
    session = session_at("eight-heads", "scores", 1, 1)
    assert enter_text(session, Cell("scores", 1, 1), "3.5")
    q, k, _ = lower(session.state).placed
    assert (q.columns.count, k.rows.count) == (8, 8)


def test_a_sum_that_is_cut_says_which_products_are_seen(qtbot: QtBot) -> None:
    scene = lower(at("heads"))
    a, v, _ = scene.placed
    assert a.columns.count == v.rows.count < 16
    note = f"products 1 – {a.columns.count} of 16"
    assert any(text.endswith(note) for text in texts(svg_of(at("heads"), DEFAULT_VIEWS, HALL)))
    whole = texts(
        svg_of(at("heads"), PresentedViews(("stage",)), HALL)
    )  # the sum stands below and says it itself
    assert not any("products" in text for text in whole)
    assert not any("products" in text for text in texts(svg_of(at("scores"), DEFAULT_VIEWS, HALL)))


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("name", ["eight-heads", "cat-eats-fish"])
@pytest.mark.parametrize("width", [420, 560, 700, 780, 1100])
def test_no_title_of_the_stage_view_is_cut(name: str, width: int) -> None:
    """Smaller letters, or the symbol alone, where the whole title does not fit."""
    for stage in session_at(name, "Y", 0, 0).state.trace.plan:
        state = session_at(name, stage.id, 0, 0).state
        written = texts(stage_svg(state, width, 300))
        assert not [text for text in written if "…" in text and "—" in text]
