"""An answer that is shown in a lecture changes nothing but the answer, and costs no number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect, QRectF, QSize
from pytestqt.qtbot import QtBot

from core.lesson.lesson import (
    ExampleSource,
    Lesson,
    LessonScene,
    LocalizedText,
    lesson_path,
    load,
)
from core.storage.examples import load_example
from gui.painting.text_size import size_in_units
from gui.presentation.slide import (
    headline_height,
    headline_of,
    slide_areas,
    stage_texts,
    text_height,
    unit_for,
)
from gui.session.presented_views import DEFAULT_VIEWS, presented_views
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.views.stage.scene import StageScene, build_scene, is_low
from tests.gui.presenting_kit import svg_of, text_sizes
from tests.gui.stage_kit import session_at

SIZES = ((1280, 720), (1920, 1080), (1024, 768), (960, 1080))
LESSONS = ("first-steps", "who-ate-whom")


def scenes(lesson: str, language: str) -> Iterator[State]:
    """The first step of each scene."""
    session = Session(load_example("cat-eats-fish"), Preferences(), language, "light")
    session.lesson_player.confirm_leave = lambda: True
    session.lesson_player.open(load(lesson_path(lesson)))
    for index in range(len(session.state.lesson.scenes if session.state.lesson else ())):
        session.lesson_player.go_to(index)
        yield session.state


def stage_in_hall(state: State, size: tuple[int, int]) -> StageScene | None:
    """The operation as the hall sees it, None where the scene shows another panel."""
    choice = presented_views(state, {})
    if "stage" not in choice.panels:
        return None
    place = slide_areas(QRect(0, 0, *size), choice, headline_of(state, answered=True))[1][
        choice.panels.index("stage")
    ]
    room = size_in_units(place, unit_for("stage", text_height(QSize(*size))))
    brief, card = stage_texts(choice, headline_of(state, answered=True))
    return build_scene(state, room, brief=brief or is_low(room), card=card)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("lesson", LESSONS)
def test_an_answer_moves_nothing_and_costs_no_row(
    qtbot: QtBot, lesson: str, language: str, size: tuple[int, int]
) -> None:
    screen, asked, seen = QRect(0, 0, *size), 0, 0
    for state in scenes(lesson, language):
        choice = presented_views(state, {})
        waiting, told = (headline_of(state, answered) for answered in (False, True))
        assert not waiting.answer
        assert slide_areas(screen, choice, waiting) == slide_areas(screen, choice, told)
        asked += bool(told.answer)
        scene = stage_in_hall(state, size)
        for placed in scene.placed if scene else ():
            assert not placed.rows.cut, (state.scene_index, placed.operand.tensor)
            assert placed.matrix.digits is not None, (state.scene_index, placed.operand.tensor)
            seen += 1
    assert asked >= 3
    assert seen > 10


def test_an_answer_that_waits_is_not_seen_and_a_slide_without_one_keeps_no_room(
    qtbot: QtBot,
) -> None:
    state = next(scenes("first-steps", "en"))
    waiting, told = (headline_of(state, answered) for answered in (False, True))
    assert told.answer in svg_of(state, DEFAULT_VIEWS, SIZES[0], told)
    assert told.answer not in svg_of(state, DEFAULT_VIEWS, SIZES[0], waiting)
    still = headline_of(state, answered=False, comes=False)
    assert headline_height(still, *SIZES[0]) < headline_height(waiting, *SIZES[0])


def test_where_words_take_nearly_all_a_formula_gives_way_to_rows(qtbot: QtBot) -> None:
    state = session_at("cat-eats-fish", "scores").state
    heights = {high: build_scene(state, QRectF(0, 0, 760, high), brief=True) for high in (156, 200)}
    assert heights[200].header.latex
    assert not heights[156].header.latex
    for scene in heights.values():
        assert all(
            not placed.rows.cut and placed.matrix.digits is not None for placed in scene.placed
        )


def test_a_scene_is_a_title_a_text_or_both_beside_the_matrices(qtbot: QtBot) -> None:
    session = Session(load_example("cat-eats-fish"), Preferences(), "en", "light")
    title, text = LocalizedText({"en": "Attention"}), LocalizedText({"en": "First\nSecond"})
    page = LessonScene(view=("page",), title=title)
    beside = LessonScene(ExampleSource("cat-eats-fish"), view=("page", "stage"), text=text)
    session.lesson_player.confirm_leave = lambda: True
    session.lesson_player.open(Lesson((page, replace(page, text=text), beside)))
    wanted = ({"Attention"}, {"Attention", "First", "Second"}, {"First", "Second", "0.74"})
    for index, texts in enumerate(wanted):
        session.lesson_player.go_to(index)
        state = session.state
        choice = presented_views(state, {})
        svg = svg_of(state, choice, SIZES[0], headline_of(state, answered=False))
        assert texts <= text_sizes(svg).keys()
        assert min(text_sizes(svg).values()) >= SIZES[0][1] / 36
