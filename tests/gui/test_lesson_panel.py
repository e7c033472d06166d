"""The panel “Lesson” in the window, by mouse and keys: recorded, edited, played."""

from __future__ import annotations

import gc
import weakref
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QModelIndex, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.edits import with_cell
from core.lesson.lesson import (
    COURSE,
    LESSONS,
    SUFFIX,
    Lesson,
    LessonSteps,
    lesson_path,
    load,
    resolve_all,
    save,
)
from core.storage import archive
from gui.app.main_window import MainWindow
from gui.texts.translation import language_folder
from gui.views.lesson.scene_list import CACHED_TRACES, SceneModel
from gui.widgets.ask import Ask
from gui.widgets.forms import Message
from tests.gui.lesson_kit import LessonAnswers, add_first_scene, click, lesson, shown

Key, Modifier, Left = Qt.Key, Qt.KeyboardModifier, Qt.MouseButton.LeftButton


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    return shown(qtbot, language="en")


def press(
    qtbot: QtBot,
    window: MainWindow,
    key: Qt.Key,
    modifier: Qt.KeyboardModifier = Modifier.NoModifier,
) -> None:
    qtbot.keyClick(QApplication.focusWidget() or window, key, modifier)


def open_shipped(window: MainWindow, name: str = "first-steps") -> Lesson:
    assert window.lesson_files.open_shipped(name)
    return lesson(window)


def stages(window: MainWindow) -> list[str]:
    return [scene.stage for scene in lesson(window).scenes]


def click_scene(qtbot: QtBot, window: MainWindow, row: int) -> None:
    scenes = window.lessons.scenes
    index = scenes.model().index(row, 0)
    scenes.scrollTo(index)
    qtbot.mouseClick(scenes.viewport(), Left, pos=scenes.visualRect(index).center())


@pytest.mark.parametrize(
    ("language", "says"), [("en", "Add scene (Ctrl+L)"), ("zh_CN", "添加场景”（Ctrl+L）")]
)
def test_a_lesson_without_scenes_says_how_to_begin_and_offers_nothing_dead(
    qtbot: QtBot, language: str, says: str
) -> None:
    window = shown(qtbot, language=language)
    panel = window.lessons
    window.show_lesson()
    click(qtbot, panel.empty.new)
    QApplication.processEvents()
    assert panel.hint.isVisible()
    assert says in panel.hint.text()
    assert panel.tools.add.isVisible()
    assert not any(
        part.isVisible()
        for part in (panel.bar, panel.parts, panel.scenes, panel.reader, panel.editor)
    )
    click(qtbot, panel.tools.add)
    assert panel.scenes.isVisible()
    assert panel.bar.isVisible()
    assert not panel.hint.isVisible()
    window.session.lesson_player.remove_scene(0)
    assert panel.hint.isVisible()
    assert not panel.scenes.isVisible()


# Playing


@pytest.mark.realwindow
@pytest.mark.parametrize("name", LESSONS)
def test_a_whole_lesson_by_the_keys_of_a_clicker_alone(
    qtbot: QtBot, window: MainWindow, name: str
) -> None:
    course = open_shipped(window, name)
    expected = [
        (archive.dumps(scene.document), *scene.at_step(number), scene.view)
        for scene in resolve_all(course, language_folder())
        for number in range(scene.steps + 1)
    ]
    seen = []
    for _ in expected:
        state = window.session.state
        seen.append((archive.dumps(state.document), state.cursor, state.focus, state.view))
        press(qtbot, window, Key.Key_PageDown)
    assert seen == expected
    assert window.session.state.scene_index == len(course.scenes) - 1
    documents = {window.session.state.document}
    for place in reversed(expected[:-1]):
        press(qtbot, window, Key.Key_PageUp)
        state = window.session.state
        assert (archive.dumps(state.document), state.cursor, state.focus, state.view) == place
        documents.add(state.document)
    press(qtbot, window, Key.Key_PageUp)
    assert (window.session.state.scene_index, window.session.state.steps_taken) == (0, 0)
    assert len(documents) == len({text for text, *_ in expected}), (
        "coming back brings the very same documents"
    )


def test_the_end_of_a_lesson_says_what_comes_next(qtbot: QtBot, window: MainWindow) -> None:
    course = open_shipped(window)
    panel = window.lessons
    presses = sum(scene.steps + 1 for scene in resolve_all(course, language_folder())) - 1
    assert presses > len(course.scenes)

    def texts() -> list[str]:
        return [label.text() for label in panel.reader.findChildren(QLabel) if label.isVisible()]

    for _ in range(presses):
        assert not any("End of the lesson" in text for text in texts())
        click(qtbot, panel.bar.next)
    assert any("End of the lesson" in text and "Start page" in text for text in texts())
    assert not panel.bar.next.isEnabled()
    click(qtbot, panel.bar.back)
    assert not any("End of the lesson" in text for text in texts())


def test_page_keys_step_again_when_no_lesson_is_played(qtbot: QtBot, window: MainWindow) -> None:
    press(qtbot, window, Key.Key_PageDown)
    assert window.session.state.cursor.stage == "K"
    open_shipped(window)
    press(qtbot, window, Key.Key_PageDown)
    assert window.session.state.steps_taken == 1
    window.lesson_files.close()
    press(qtbot, window, Key.Key_PageDown)
    assert window.session.state.cursor.stage == "V"
    press(qtbot, window, Key.Key_PageUp)
    assert window.session.state.cursor.stage == "K"


def test_page_keys_also_play_from_the_list_and_from_the_diagram(
    qtbot: QtBot, window: MainWindow
) -> None:
    open_shipped(window)
    click_scene(qtbot, window, 3)
    assert window.lessons.scenes.hasFocus()
    press(qtbot, window, Key.Key_PageDown)
    assert window.session.state.scene_index == 4
    window.diagram.setFocus()
    press(qtbot, window, Key.Key_PageUp)
    assert window.session.state.scene_index == 3


def test_groups_by_keys(qtbot: QtBot, window: MainWindow) -> None:
    course = open_shipped(window)
    places = []
    for _ in range(3):
        press(qtbot, window, Key.Key_PageDown, Modifier.ControlModifier)
        places.append(window.session.state.scene_index)
    assert places == [i for i, scene in enumerate(course.scenes) if scene.breakpoint][1:4]
    press(qtbot, window, Key.Key_PageUp, Modifier.ControlModifier)
    assert window.session.state.scene_index == places[1]


@pytest.mark.realwindow
def test_backspace_drops_live_edits_and_the_badge_says_so(qtbot: QtBot, window: MainWindow) -> None:
    open_shipped(window)
    click_scene(qtbot, window, 2)
    before = window.session.state
    assert not window.lessons.badge.isVisible()
    window.session.change(with_cell, Cell("V", 0, 0), 9.0, text="x")
    press(qtbot, window, Key.Key_Right)
    assert window.lessons.badge.isVisible()
    window.diagram.setFocus()
    press(qtbot, window, Key.Key_Backspace)
    state = window.session.state
    assert (state.document, state.cursor, state.focus) == (
        before.document,
        before.cursor,
        before.focus,
    )
    assert not window.lessons.badge.isVisible()
    press(qtbot, window, Key.Key_Z, Modifier.ControlModifier)
    assert window.session.state.live


def test_the_badge_brings_edits_back_that_were_put_aside(qtbot: QtBot, window: MainWindow) -> None:
    open_shipped(window)
    window.session.change(with_cell, Cell("V", 0, 0), 9.0, text="x")
    live = window.session.state.document
    click_scene(qtbot, window, 5)
    assert not window.lessons.badge.isVisible()
    click_scene(qtbot, window, 0)
    assert window.session.state.document is not live
    click(qtbot, window.lessons.badge.again)
    assert window.session.state.document is live
    click(qtbot, window.lessons.badge.drop)
    assert window.session.state.live is False
    assert not window.lessons.badge.isVisible()


def test_a_scene_brings_its_heatmap_to_the_front(qtbot: QtBot, window: MainWindow) -> None:
    course = open_shipped(window)
    number = next(i for i, scene in enumerate(course.scenes) if "heatmap" in scene.view)
    window.docks["heatmap"].hide()
    click_scene(qtbot, window, number - 1)
    assert not window.docks["heatmap"].isVisible()
    click_scene(qtbot, window, number)
    assert window.docks["heatmap"].isVisible()


# Recording and editing


def test_the_empty_panel_opens_a_lesson_that_is_chosen(qtbot: QtBot, window: MainWindow) -> None:
    answers = window.files.ask
    assert isinstance(answers, LessonAnswers)
    answers.lesson = lesson_path("first-steps")
    window.show_lesson()
    click(qtbot, window.lessons.empty.open)
    assert window.session.state.lesson_path == answers.lesson


@pytest.mark.realwindow
def test_recording_by_keys_and_mouse(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.show_lesson()
    click(qtbot, window.lessons.empty.new)
    assert lesson(window).scenes == ()
    window.diagram.setFocus()
    press(qtbot, window, Key.Key_Right)
    press(qtbot, window, Key.Key_L, Modifier.ControlModifier)
    press(qtbot, window, Key.Key_Right)
    window.actions_["toggle_mask"].trigger()
    click(qtbot, window.lessons.tools.add)
    assert stages(window) == ["K", "V"]
    assert [change.place for change in lesson(window).scenes[1].changes] == ["mask"]
    ask = window.files.ask
    assert isinstance(ask, LessonAnswers)
    ask.saved = tmp_path / "mine"
    window.actions_["lesson_save"].trigger()
    path = tmp_path / f"mine{SUFFIX}"
    assert window.session.state.lesson_path == path
    assert not window.session.state.lesson_dirty
    assert load(path) == lesson(window)
    assert str(path) in window.session.state.preferences.recent


def test_keys_of_the_list(qtbot: QtBot, window: MainWindow) -> None:
    course = open_shipped(window, "who-ate-whom")
    before = stages(window)
    click_scene(qtbot, window, 1)
    press(qtbot, window, Key.Key_Down)
    assert window.session.state.scene_index == 2
    press(qtbot, window, Key.Key_Up)
    press(qtbot, window, Key.Key_Down, Modifier.AltModifier)
    assert window.session.state.scene_index == 2
    assert stages(window) == [before[0], before[2], before[1], *before[3:]]
    press(qtbot, window, Key.Key_Up, Modifier.AltModifier)
    assert stages(window) == before
    press(qtbot, window, Key.Key_D, Modifier.ControlModifier)
    assert len(stages(window)) == 9
    press(qtbot, window, Key.Key_Delete)
    press(qtbot, window, Key.Key_Delete)
    assert len(stages(window)) == 7
    for _ in range(5):
        press(qtbot, window, Key.Key_Z, Modifier.ControlModifier)
    assert lesson(window) == course
    press(qtbot, window, Key.Key_Z, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert stages(window) == [before[0], before[2], before[1], *before[3:]]


def test_dragging_a_scene(qtbot: QtBot, window: MainWindow) -> None:
    open_shipped(window, "who-ate-whom")
    before = [scene.title.get("en") for scene in lesson(window).scenes]
    scenes = window.lessons.scenes
    model = scenes.model()
    assert isinstance(model, SceneModel)
    data = model.mimeData([model.index(0, 0)])
    model.dropMimeData(data, Qt.DropAction.MoveAction, 2, 0, QModelIndex())
    qtbot.waitUntil(lambda: window.session.state.scene_index == 1)
    assert [scene.title.get("en") for scene in lesson(window).scenes] == [
        before[1],
        before[0],
        *before[2:],
    ]
    assert resolve_all(lesson(window))[0].document.positional.kind == "none"


def test_words_are_written_in_both_languages(qtbot: QtBot, window: MainWindow) -> None:
    add_first_scene(qtbot, window)
    click(qtbot, window.lessons.parts.buttons["words"])
    editor = window.lessons.editor
    title = editor.texts["title"].field
    title.setFocus()
    qtbot.keyClicks(title, "Look: b 1")
    editor.texts["question"].field.setFocus()
    qtbot.keyClicks(editor.texts["question"].field, "Why?")
    qtbot.keyClick(editor.texts["question"].field, Key.Key_Return, Modifier.ControlModifier)
    click(qtbot, editor.language_buttons.buttons["zh_CN"])
    title.setFocus()
    title.insertPlainText("看")
    window.diagram.setFocus()
    scene = lesson(window).scenes[0]
    assert (scene.title.get("en"), scene.title.get("zh_CN")) == ("Look: b 1", "看")
    assert (scene.question.get("en"), scene.question.get("zh_CN")) == ("Why?", "")
    assert editor.language_buttons.buttons["zh_CN"].text().endswith("•")
    window.session.set_language("zh_CN")
    assert window.lessons.model.data(window.lessons.model.index(0)) == "看"


def test_what_a_scene_shows_and_how_it_goes_on(qtbot: QtBot, window: MainWindow) -> None:
    add_first_scene(qtbot, window)
    click(qtbot, window.lessons.parts.buttons["words"])
    editor = window.lessons.editor
    for box, text in (
        (editor.first, "Heatmap"),
        (editor.second, "Code"),
        (editor.grain, "then row by row"),
    ):
        box.setFocus()
        box.setCurrentIndex(box.findText(text))
        box.activated.emit(box.currentIndex())
    editor.count.setFocus()
    qtbot.keyClick(editor.count, Key.Key_Up)
    editor.ensureWidgetVisible(editor.breaks)
    qtbot.mouseClick(editor.breaks, Left, pos=QPoint(8, editor.breaks.height() // 2))
    scene = lesson(window).scenes[0]
    assert scene.view == ("heatmap", "code")
    assert scene.steps == LessonSteps(scene.steps.grain, 2) if scene.steps else False
    assert scene.breakpoint
    assert window.session.state.view == ("heatmap", "code")


def test_a_lesson_that_is_opened_is_there_to_be_read(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1280, 720)
    course = open_shipped(window)
    panel, reader = window.lessons, window.lessons.reader
    assert reader.isVisible()
    assert not panel.editor.isVisible()
    assert not panel.tools.isVisible()
    scene = course.scenes[0]
    assert (reader.title.text(), reader.text.text()) == (scene.title.get("en"), scene.say.get("en"))
    assert reader.question.isVisible()
    assert not reader.answer.isVisible()
    click(qtbot, reader.reveal)
    assert reader.answer.isVisible()
    assert not reader.reveal.isVisible()
    assert reader.answer.text() == scene.answer.get("en")
    while window.session.state.scene_index == 0:
        click(qtbot, panel.bar.next)
    assert reader.title.text() == course.scenes[1].title.get("en")
    assert not reader.answer.isVisible(), "another scene, another answer to think about"
    window.session.set_language("zh_CN")
    assert reader.text.text() == course.scenes[1].say.get("zh_CN")


def test_scenes_and_words_are_edited_on_request(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1280, 720)
    open_shipped(window)
    panel = window.lessons
    for part, seen in (("scenes", panel.tools), ("words", panel.editor), ("read", panel.reader)):
        click(qtbot, panel.parts.buttons[part])
        assert seen.isVisible()
        assert [other.isVisible() for other in (panel.reader, panel.editor)] == [
            part == "read",
            part == "words",
        ]
    window.lesson_files.close()
    window.lesson_files.new()
    assert panel.tools.isVisible(), "a lesson without scenes begins with its list"


def test_the_invitation_does_not_ask_for_room_while_a_lesson_is_open(window: MainWindow) -> None:
    window.show_lesson()
    invited = window.lessons.layout().totalMinimumSize().height()
    open_shipped(window)
    window.lessons.layout().activate()
    read = window.lessons.layout().totalMinimumSize().height()
    assert read < invited
    assert read < 240


def test_a_list_that_is_yet_to_hear_of_another_lesson_can_be_painted(window: MainWindow) -> None:
    session, model = window.session, SceneModel(window.session, window)
    long = open_shipped(window)
    model.show_state(None, session.state)
    last = len(long.scenes) - 1
    assert model.resolved(last) is not None
    session.lesson_player.open(replace(long, scenes=long.scenes[:1]), None)
    assert model.resolved(last) is None
    assert model.caption(last)
    session.lesson_player.close()
    assert model.resolved(0) is None
    assert model.caption(0)
    model.deleteLater()


def test_computed_scenes_go_with_their_lesson_and_the_oldest_before(window: MainWindow) -> None:
    open_shipped(window)
    model = window.lessons.model
    documents = [
        replace(window.session.state.document, title=f"{number}")
        for number in range(CACHED_TRACES + 3)
    ]
    first = model.trace(documents[0])
    assert first is not None
    assert model.trace(documents[0]) is first  # not computed again
    del first
    seen = [weakref.ref(trace["Y"]) for trace in map(model.trace, documents) if trace is not None]
    gc.collect()
    assert [one() is not None for one in seen] == [False] * 3 + [True] * CACHED_TRACES
    window.session.lesson_player.close()
    gc.collect()
    assert not any(one() for one in seen)


def test_the_lessons_title(qtbot: QtBot, window: MainWindow) -> None:
    open_shipped(window)
    window.lessons.title.setFocus()
    window.lessons.title.selectAll()
    qtbot.keyClicks(window.lessons.title, "Monday")
    qtbot.keyClick(window.lessons.title, Key.Key_Return)
    assert lesson(window).title.get("en") == "Monday"
    assert lesson(window).title.get("zh_CN") == load(lesson_path("first-steps")).title.get("zh_CN")


# Files


def test_a_lesson_on_the_command_line_and_dropped_on_the_window(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = tmp_path / f"a{SUFFIX}"
    save(load(lesson_path("who-ate-whom")), path)
    other = shown(qtbot, path=str(path))
    assert (other.session.state.lesson_path, other.session.state.scene_index) == (path, 0)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    event = QDropEvent(
        QPointF(300, 300),
        Qt.DropAction.CopyAction,
        data,
        Left,
        Modifier.NoModifier,
        QDropEvent.Type.Drop,
    )
    window.dropEvent(event)
    qtbot.waitUntil(lambda: window.session.state.lesson_path == path)
    assert window.docks["lesson"].isVisible()
    assert window.session.state.document.tokens == ("Ming", "eats", "apple")


def test_a_broken_lesson_is_refused_and_changes_nothing(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / f"bad{SUFFIX}"
    path.write_text(
        '{"format": "self-attention-lesson", "version": 1, "scenes": [{"at": {"stage": "Q"}}]}'
    )
    before = window.session.state
    assert not window.files.open(path)
    assert window.session.state is before
    assert "scene 1" in window.message_bar.accessibleName()
    assert "bad" in window.message_bar.accessibleName()


def test_a_lesson_that_is_not_saved_is_asked_about(qtbot: QtBot, window: MainWindow) -> None:
    ask = window.files.ask
    assert isinstance(ask, LessonAnswers)
    open_shipped(window)
    window.session.lesson_player.duplicate_scene(0)
    ask.answer = "cancel"
    assert not window.lesson_files.open_shipped("who-ate-whom")
    assert not window.close()
    assert ask.asked[-1] == "lesson First steps: cat eats fish"
    ask.answer = "discard"
    assert window.lesson_files.open_shipped("who-ate-whom")


def test_the_key_of_saving_saves_the_lesson_where_it_has_changed(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    ask = window.files.ask
    assert isinstance(ask, LessonAnswers)
    open_shipped(window)
    window.session.lesson_player.duplicate_scene(0)
    scenes = lesson(window).scenes
    ask.saved = tmp_path / f"mine{SUFFIX}"
    qtbot.keyClick(window.diagram, Key.Key_S, Modifier.ControlModifier)
    assert not window.session.state.lesson_dirty
    assert len(load(ask.saved).scenes) == len(scenes)
    ask.saved = (
        tmp_path / "mine.attn.json"
    )  # nothing of the lesson has changed since: now it is the experiment
    qtbot.keyClick(window.diagram, Key.Key_S, Modifier.ControlModifier)
    assert archive.load(ask.saved).tokens == window.session.state.document.tokens


def test_lessons_stand_in_the_file_menu(qtbot: QtBot, window: MainWindow) -> None:
    window.menus["lessons"].aboutToShow.emit()
    titles = [action.text() for action in window.menus["lessons"].actions()]
    assert titles[:2] == ["First steps: cat eats fish", "Who ate whom? Order and positions"]
    window.menus["lessons"].actions()[1].trigger()
    assert len(lesson(window).scenes) == 8


def test_the_panel_is_closed_until_it_is_asked_for(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.docks["lesson"].isVisible()
    window.actions_["lesson_panel"].trigger()
    assert window.docks["lesson"].isVisible()
    buttons = [button.text() for button in window.lessons.empty.findChildren(QPushButton)]
    assert len(buttons) == len(COURSE) + 2


def test_a_list_of_scenes_speaks(window: MainWindow) -> None:
    open_shipped(window)
    model = window.lessons.model
    said = model.data(model.index(1), Qt.ItemDataRole.AccessibleTextRole)
    assert (
        said == "Scene 2: One score by hand, QKᵀ cell 1, 1 · 2 more, with a question, a new group"
    )


def in_front(dock: QWidget) -> bool:
    """Whether a panel can be seen, not only the tab that it stands behind."""
    return dock.isVisible() and not dock.visibleRegion().isEmpty()


def test_a_scene_brings_forward_what_it_names(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1300, 920)  # heatmap above the tables
    open_shipped(window)
    diagram, heatmap, words, code = (
        window.docks[name] for name in ("diagram", "heatmap", "lesson", "code")
    )
    diagram.close()
    for view, seen in (
        (("diagram", "heatmap"), (diagram, heatmap)),
        (("code", "heatmap"), (code,)),
        (("heatmap", "code"), (heatmap,)),
        (("stage",), (heatmap,)),
    ):
        window.session.lesson_player.edit_scene(1, view=view)
        window.session.lesson_player.go_to(0)
        window.session.lesson_player.go_to(1)
        qtbot.waitUntil(lambda seen=seen: all(in_front(dock) for dock in (*seen, words)))  # type: ignore[misc]
        assert in_front(window.stage)


def test_the_words_of_a_scene_are_not_covered(qtbot: QtBot, window: MainWindow) -> None:
    open_shipped(window)
    words, code = window.docks["lesson"], window.docks["code"]
    qtbot.waitUntil(lambda: in_front(words))
    window.tabifyDockWidget(words, code)
    window.session.lesson_player.edit_scene(1, view=("code",))
    window.session.lesson_player.go_to(1)
    assert words in window.tabifiedDockWidgets(code)
    assert in_front(words)


def test_the_question_about_an_unsaved_lesson_knows_of_live_edits_that_go_with_it(
    qtbot: QtBot, window: MainWindow
) -> None:
    add_first_scene(qtbot, window)
    window.session.lesson_player.add_scene()
    answers = window.files.ask
    answers.answer = "cancel"
    assert not window.lesson_files.maybe_save()
    assert answers.asked == ["lesson "]
    assert not answers.live
    window.session.change(with_cell, Cell("V", 0, 0), 9.0, text="x")
    window.session.lesson_player.go_to(0)
    assert window.session.state.live_edits
    assert not window.lesson_files.maybe_save()
    assert answers.live
    answers.answer = "discard"


def test_what_is_lost_either_way_is_said(monkeypatch: pytest.MonkeyPatch, qapp: object) -> None:
    said = []
    monkeypatch.setattr(
        Message, "ask", lambda parent, title, detail, choices: said.append(detail) or "cancel"
    )
    for live in (False, True):
        Ask().unsaved_lesson(QWidget(), "a.lesson.json", live=live)
    assert "Live edits" not in said[0]
    assert "Live edits" in said[1]
    assert said[1].startswith(said[0])
