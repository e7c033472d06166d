"""The shipped examples in the stage view: small ones are never cut, in the window nor in the hall."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.stages import plan
from core.storage.examples import load_example
from gui.painting.text_layout import width_of
from gui.painting.theme import BODY, CAPTION, font
from gui.presentation.slide import unit_for
from gui.views.stage.scene import build_scene
from tests.gui.presenting_kit import text_sizes
from tests.gui.stage_kit import image_of, operand, session_at, svg_of

SMALL = (
    "apple-released-iphone",
    "cat-eats-fish",
    "four-words-causal",
    "i-love-this-apple",
    "translation",
    "who-ate-whom",
)
UNIT = unit_for("stage", 720)
LARGE = QRectF(0, 0, 1212, 600)
WINDOW, HALL = QRectF(0, 0, 780, 368), QRectF(0, 0, 1246 / UNIT, 380 / UNIT)


@pytest.mark.parametrize("example", SMALL)
@pytest.mark.parametrize(
    ("room", "brief"),
    [(WINDOW, False), (LARGE, False), (HALL, True)],
    ids=["window", "large window", "hall"],
)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_small_examples_are_shown_whole(
    qtbot: QtBot, example: str, room: QRectF, brief: bool, language: str
) -> None:
    document = load_example(example)
    for stage in plan(document).ids:
        state = session_at(document, stage, 0, 0, language=language).state
        scene = build_scene(state, room, brief=brief)
        for placed in scene.placed:
            assert not placed.rows.cut, (stage, placed.operand.tensor)
            assert not placed.columns.cut, (stage, placed.operand.tensor)
            assert placed.matrix.digits is not None, (stage, placed.operand.tensor)
            assert placed.matrix.digits >= CAPTION - 0.1
            assert placed.matrix.squeeze > 0.8
            assert room.left() <= placed.row_labels.left()
            assert placed.rect.right() <= room.right()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_long_sum_has_all_its_factors_beside_it(qtbot: QtBot, language: str) -> None:
    scene = build_scene(session_at("eight-heads", "scores", language=language).state, LARGE)
    for tensor in ("Q", "K"):
        placed = operand(scene, tensor)
        summed = placed.columns if tensor == "Q" else placed.rows
        assert (summed.count, summed.total) == (8, 8)
    assert operand(scene, "scores").rows.count == 16


def test_the_result_s_rows_are_named_again_only_where_there_is_room(qtbot: QtBot) -> None:
    state = session_at("apple-released-iphone", "Y", 0, 0).state
    for room, again in ((WINDOW, False), (LARGE, True)):
        scene = build_scene(state, room)
        assert operand(scene, "concat").names_rows
        assert operand(scene, "Y").names_rows is again
        assert operand(scene, "concat").rect.y() == operand(scene, "Y").rect.y()


def test_the_dot_of_a_product_is_no_speck(qtbot: QtBot) -> None:
    state = session_at("cat-eats-fish", "scores").state
    image, scene = image_of(state, 780, 330), build_scene(state, QRectF(0, 0, 780, 330))
    found = {}
    for sign, rect in scene.operators:
        where = [
            (x, y)
            for x in range(round(rect.left()), round(rect.right()))
            for y in range(round(rect.y()) - 14, round(rect.y()) + 14)
            if image.pixelColor(x, y).lightness() < 200
        ]
        xs, ys = zip(*where, strict=True)
        found[sign.text] = max(xs) - min(xs) + 1, max(ys) - min(ys) + 1
        assert abs((max(ys) + min(ys)) / 2 - rect.y()) < 4
    assert found["·"][0] >= 5
    assert found["·"][1] >= 5
    assert found["="][0] > found["·"][0]


@pytest.mark.parametrize("example", ["cat-eats-fish", "translation"])
def test_digits_leave_air_in_their_cells(qtbot: QtBot, example: str) -> None:
    scene = build_scene(session_at(example, "scores").state, HALL, brief=True)
    for placed in scene.placed:
        digits = placed.matrix.digits
        assert digits is not None
        longest = max((show(float(value), 2) for value in placed.operand.values.ravel()), key=len)
        assert (
            width_of(longest, font(100)) * digits / 100
            <= 0.81 * placed.rect.width() / placed.columns.count
        )


def test_small_examples_and_their_names_grow_with_the_room(qtbot: QtBot) -> None:
    state = session_at("cat-eats-fish", "weights").state
    small, large = (operand(build_scene(state, room), "weights") for room in (WINDOW, LARGE))
    assert small.text == 1.0
    assert large.text > 1.2
    assert large.size(BODY) >= 16
    assert small.matrix.digits is not None
    assert large.matrix.digits is not None
    assert large.matrix.digits > 1.2 * small.matrix.digits
    assert large.rect.height() > 1.2 * small.rect.height()
    assert text_sizes(svg_of(state, 1212, 600))["小猫"] >= 16
    assert (
        operand(build_scene(session_at("eight-heads", "weights").state, LARGE), "weights").text
        == 1.0
    )


def test_a_road_of_two_lines_costs_a_small_matrix_no_row(qtbot: QtBot) -> None:
    session = session_at("four-words-causal", "weights", 3, 0)
    session.set_preferences(columns=True)
    low, high = (build_scene(session.state, QRectF(0, 0, 780, height)) for height in (310, 420))
    for scene in (low, high):
        assert not any(placed.rows.cut for placed in scene.placed)
    assert len(low.card.rows) < len(high.card.rows)
