"""The lecture: scenes come back exactly, live edits stay apart, recording and editing can be undone."""

from __future__ import annotations

import pytest

from core.base.cell import Cell
from core.base.errors import UserError
from core.document.document import Document, Mask, Scale
from core.document.edits import with_cell, with_mask, with_scale
from core.explain.timeline import Cursor, Grain, Reach
from core.lesson.lesson import (
    LESSONS,
    Change,
    ExampleSource,
    Lesson,
    LessonScene,
    LessonSteps,
    LocalizedText,
    lesson_path,
    load,
    resolve_all,
)
from core.storage import archive
from core.storage.examples import load_example
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.texts.translation import language_folder

CAT = ExampleSource("cat-eats-fish")
LESSON = Lesson(
    (
        LessonScene(CAT, stage="Q"),
        LessonScene(
            stage="scores",
            reach=Reach.ROW,
            row=0,
            steps=LessonSteps(Grain.ROW, 2),
            focus=Cell("K", 2, 1),
        ),
        LessonScene(
            changes=(Change("heads[0].Q[1][0]", "0.75"),),
            stage="weights",
            breakpoint=True,
            view=("heatmap",),
        ),
        LessonScene(
            changes=(Change("mask", '{"kind": "causal"}'),), stage="masked", row=2, column=1
        ),
        LessonScene(
            ExampleSource("apple-released-iphone"),
            stage="heads",
            head=2,
            focus=Cell("W_V", 1, 1, 2),
            breakpoint=True,
        ),
    )
)


@pytest.fixture
def session(qapp: object) -> Session:
    return Session(load_example("who-ate-whom"), Preferences())


def is_live(session: Session) -> bool:
    return session.state.live


Look = tuple[Document, Cursor, Cell, tuple[str, ...], int]


def look(state: State) -> Look:
    return state.document, state.cursor, state.focus, state.view, state.steps_taken


def walk(session: Session) -> list[Look]:
    """The whole lesson forward."""
    looks = [look(session.state)]
    while session.lesson_player.forward():
        looks.append(look(session.state))
    return looks


def test_scenes_and_their_steps_one_after_the_other(session: Session) -> None:
    session.lesson_player.open(LESSON)
    looks = walk(session)
    expected = [
        (shown.document.tokens, *shown.at_step(walked))
        for shown in resolve_all(LESSON, language_folder())
        for walked in range(shown.steps + 1)
    ]
    assert [(document.tokens, cursor, focus) for document, cursor, focus, _, _ in looks] == expected
    assert len(looks) == 7
    assert not session.lesson_player.forward()
    assert session.state.scene_index == 4


def test_going_back_restores_each_scene_exactly(session: Session) -> None:
    session.lesson_player.open(LESSON)
    looks = walk(session)
    for expected in reversed(looks[:-1]):
        live_edits(session)
        assert session.lesson_player.back()
        assert look(session.state) == expected
        assert session.state.document is expected[0]
        assert not is_live(session)
        assert not session.undo_stack.canUndo()
    assert not session.lesson_player.back()


def live_edits(session: Session) -> None:
    """What a lecturer does meanwhile. Inside a scene's own steps nothing is edited: those keep live edits."""
    if session.state.steps_taken == 0:
        session.change(with_scale, Scale("factor", 0.125), text="x")
        session.step(1)
        session.select_head(session.state.document.h - 1)
        session.undo_stack.undo()
        session.change(with_mask, Mask("window", 1, 1), text="x")
        assert session.state.live


def test_live_edits_are_dropped_with_one_wish_and_undo_brings_them_back(session: Session) -> None:
    session.lesson_player.open(LESSON)
    session.lesson_player.go_to(2)
    before = look(session.state)
    session.change(with_cell, Cell("V", 0, 0), 9.0, text="x")
    session.go_last()
    live = session.state.document
    assert (session.state.live, session.state.dirty) == (True, True)
    session.lesson_player.discard_live_edits()
    assert look(session.state) == before
    assert not session.state.dirty
    session.undo_stack.undo()
    assert session.state.document is live
    assert session.state.live


def test_dropping_also_brings_back_a_place_that_was_left(session: Session) -> None:
    session.lesson_player.open(LESSON)
    session.lesson_player.go_to(1)
    before = look(session.state)
    session.go_last()
    session.set_focus(Cell("V", 1, 1))
    session.lesson_player.discard_live_edits()
    assert look(session.state) == before


def test_live_edits_stay_through_a_scenes_own_steps_and_are_put_aside_after(
    session: Session,
) -> None:
    session.lesson_player.open(LESSON)
    session.lesson_player.go_to(1)
    session.change(with_cell, Cell("Q", 0, 0), 5.0, text="x")
    live = session.state.document
    session.lesson_player.forward()
    assert session.state.document is live
    assert (session.state.cursor.row, session.state.steps_taken) == (1, 1)
    session.lesson_player.forward()
    session.lesson_player.forward()
    assert (session.state.scene_index, session.state.live, set(session.state.live_edits)) == (
        2,
        False,
        {1},
    )
    session.lesson_player.restore_live_edits()
    assert not session.state.live
    session.lesson_player.back()
    assert not session.state.live
    session.lesson_player.restore_live_edits()
    assert session.state.document is live
    session.undo_stack.undo()
    assert not session.state.live
    session.undo_stack.redo()
    session.lesson_player.discard_live_edits()
    assert session.state.live_edits == {}


def test_a_live_edit_may_take_the_scenes_stage_away(session: Session) -> None:
    session.lesson_player.open(
        Lesson(
            (
                LessonScene(
                    CAT, stage="scaled", reach=Reach.ROW, row=1, steps=LessonSteps(Grain.CELL, 2)
                ),
            )
        )
    )
    session.change(with_scale, Scale("none"), text="x")
    session.lesson_player.forward()
    assert session.state.cursor.stage in session.state.trace
    session.lesson_player.discard_live_edits()
    assert session.state.cursor.stage == "scaled"


def test_groups(session: Session) -> None:
    session.lesson_player.open(LESSON)
    places = []
    while session.lesson_player.next_group():
        places.append(session.state.scene_index)
    assert places == [2, 4]
    session.lesson_player.go_to(3)
    while session.lesson_player.previous_group() and session.state.scene_index:
        places.append(session.state.scene_index)
    assert places == [2, 4, 2]
    assert session.state.scene_index == 0


def test_an_experiment_that_is_not_saved_is_asked_about_first(session: Session) -> None:
    session.lesson_player.open(Lesson((LessonScene(CAT),)))
    session.open_document(load_example("who-ate-whom"))
    assert session.state.scene_index is None
    asked: list[bool] = []

    def refuse() -> bool:
        asked.append(True)
        return False

    session.lesson_player.confirm_leave = refuse
    assert not session.lesson_player.go_to(0)
    assert (asked, session.state.document.tokens) == ([True], ("小明", "吃", "苹果"))


def test_a_scene_whose_file_is_gone_is_told(session: Session, tmp_path: object) -> None:
    problems: list[UserError] = []
    session.failed.connect(problems.append)
    session.lesson_player.open(Lesson((LessonScene(CAT), LessonScene(ExampleSource("nobody")))))
    assert not session.lesson_player.forward()
    assert [problem.code for problem in problems] == ["example.unknown"]
    assert session.state.scene_index == 0


# Recording


def test_recording_by_stepping_and_editing(session: Session) -> None:
    session.undo_stack.clear()
    session.step(2)
    session.lesson_player.add_scene()
    assert (session.state.scene_index, session.state.lesson_dirty) == (0, True)
    session.change(with_mask, Mask("causal"), text="x")
    assert is_live(session)
    session.go_to_stage("masked")
    session.set_focus(Cell("W_K", 1, 0))
    session.lesson_player.add_scene()
    assert not is_live(session)
    assert session.undo_stack.canUndo(), "recording is no reason to lose undo steps"
    document = session.state.document
    session.step(1)
    session.lesson_player.add_scene()
    assert session.state.document is document
    lesson = session.state.lesson
    assert lesson is not None
    assert [scene.stage for scene in lesson.scenes] == ["input", "masked", "exp"]
    assert [change.place for change in lesson.scenes[1].changes] == ["mask"]
    assert lesson.scenes[0].source == ExampleSource("who-ate-whom")
    assert lesson.scenes[1].focus == Cell("W_K", 1, 0)
    assert lesson.scenes[2].changes == ()


def test_a_scene_is_recorded_after_the_one_at_which_we_stand(session: Session) -> None:
    session.lesson_player.open(LESSON)
    session.lesson_player.go_to(1)
    session.go_to_stage("Y")
    session.lesson_player.add_scene()
    assert session.state.lesson is not None
    assert [scene.stage for scene in session.state.lesson.scenes] == [
        "Q",
        "scores",
        "Y",
        "weights",
        "masked",
        "heads",
    ]
    assert session.state.scene_index == 2
    session.lesson_player.undo_stack.undo()
    assert session.state.lesson == LESSON
    assert session.state.scene_index == 1
    session.lesson_player.undo_stack.redo()
    assert session.state.cursor.stage == "Y"


def test_every_edit_of_a_lesson_can_be_undone_and_none_touches_the_experiments_undo(
    session: Session,
) -> None:
    session.lesson_player.open(LESSON)
    session.lesson_player.go_to(2)
    session.change(with_cell, Cell("V", 0, 0), 9.0, text="x")
    live, lecture = session.state.document, session.lesson_player
    lecture.edit_scene(2, title=LocalizedText({"en": "Look", "zh_CN": "看"}))
    lecture.move_scene(2, 0)
    lecture.duplicate_scene(0)
    lecture.remove_scene(4)
    lecture.edit_lesson(title=LocalizedText({"en": "Mine"}))
    lecture.edit_scene(0, view=("code",))
    assert session.state.document is live
    assert session.undo_stack.count() == 1
    assert lecture.undo_stack.count() == 6
    while lecture.undo_stack.canUndo():
        lecture.undo_stack.undo()
    assert session.state.lesson == LESSON
    assert not session.state.lesson_dirty
    assert session.state.document is live
    session.undo_stack.undo()
    assert not session.state.live


def test_writing_texts_keeps_the_place_and_merges(session: Session) -> None:
    session.lesson_player.open(LESSON)
    session.lesson_player.go_to(1)
    session.lesson_player.forward()
    before = look(session.state)
    session.lesson_player.edit_scene(1, "say", say=LocalizedText({"en": "a"}))
    session.lesson_player.edit_scene(1, "say", say=LocalizedText({"en": "ab"}))
    assert look(session.state) == before
    assert session.lesson_player.undo_stack.count() == 1
    session.lesson_player.undo_stack.undo()
    assert session.state.lesson == LESSON


def test_recording_a_scene_again(session: Session) -> None:
    session.lesson_player.open(LESSON)
    session.lesson_player.go_to(2)
    session.change(with_cell, Cell("V", 0, 0), 9.0, text="x")
    session.go_to_stage("Y")
    session.lesson_player.rerecord_scene()
    assert not session.state.live
    lesson = session.state.lesson
    assert lesson is not None
    assert lesson.scenes[2].stage == "Y"
    after = resolve_all(lesson)[3].document.heads[0].V
    assert after is not None
    assert after[0, 0] == 9.0


def test_removing_the_last_scene_leaves_the_experiment(session: Session) -> None:
    session.lesson_player.open(Lesson((LessonScene(CAT, stage="Y"),)))
    document = session.state.document
    session.lesson_player.remove_scene(0)
    assert (session.state.scene_index, session.state.document) == (None, document)
    session.lesson_player.undo_stack.undo()
    assert session.state.scene_index == 0


@pytest.mark.parametrize("name", LESSONS)
def test_the_lessons_that_ship_play_there_and_back(session: Session, name: str) -> None:
    session.lesson_player.open(load(lesson_path(name)), lesson_path(name))
    looks = walk(session)
    for expected in reversed(looks[:-1]):
        session.lesson_player.back()
        assert look(session.state) == expected
    assert archive.dumps(session.state.document) == archive.dumps(looks[0][0])
