"""The start page: when it is shown, its doors, keyboard, recent files and progress."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.document.create import Sizes, create
from core.lesson.lesson import LESSONS
from core.storage.examples import EXAMPLES, example_path
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.session.preferences import load_preferences
from gui.views.start.page import StartPage
from tests.gui.window_kit import bring_forward

Key = Qt.Key
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window()
    window.resize(1280, 720)
    bring_forward(qtbot, window)
    window.start_page.show()
    return window


def page_of(window: MainWindow) -> StartPage:
    page = window.start_page.page
    assert page is not None
    return page


def child(window: MainWindow, name: str, kind: type[Any] = QPushButton) -> Any:
    found = page_of(window).findChild(kind, name)
    assert found is not None, name
    return found


def press(qtbot: QtBot, window: MainWindow, key: Key, **more: Any) -> None:
    """Press a key where the keyboard is."""
    qtbot.keyClick(window.focusWidget() or window, key, **more)


# When it is shown

SHOWN = """
import sys
from PySide6.QtWidgets import QApplication, QWidget
from main import main

def look(*_):
    pages = [w for w in QApplication.allWidgets() if w.objectName() == "start_page"]
    print("page", any(w.isVisible() for w in pages))
    return 0

QApplication.exec = look
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ((), True),
        (("--language", "zh_CN"), True),
        (("--example", "cat-eats-fish"), False),
        (("--stage", "scores"), False),
        (("--lab", "softmax"), False),
        (("--present",), False),
        ((str(example_path("cat-eats-fish")),), False),
    ],
)
def test_a_start_with_a_wish_skips_it(arguments: tuple[str, ...], shown: bool) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SHOWN, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"page {shown}" in done.stdout, done.stdout + done.stderr


def test_a_window_of_a_script_has_none(qtbot: QtBot) -> None:
    window = build_window()
    bring_forward(qtbot, window)
    assert window.start_page.page is None
    window.actions_["start_page"].trigger()
    assert page_of(window).isVisible()


# Doors and keyboard


def test_enter_begins_the_lesson(window: MainWindow, qtbot: QtBot) -> None:
    press(qtbot, window, Key.Key_Return)
    lesson = window.session.state.lesson
    assert lesson is not None
    assert lesson.title.of("en").startswith("First steps")
    assert window.start_page.page is None


def test_the_field_is_real(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def answer(_parent: QWidget, sentence: str) -> object:
        asked.append(sentence)
        return create(tuple(sentence.split()), "embeddings", Sizes(), "graded", 1)

    monkeypatch.setattr("gui.dialogs.new.ask_new_document", answer)
    field = child(window, "start_sentence", QLineEdit)
    field.setFocus()
    qtbot.keyClicks(field, "we like tea 2")
    qtbot.keyClick(field, Key.Key_Return)
    assert asked == ["we like tea 2"]
    assert window.session.state.document.tokens == ("we", "like", "tea", "2")
    assert window.start_page.page is None, "to be seen at once"


def test_an_empty_field_takes_its_placeholder(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr("gui.dialogs.new.ask_new_document", lambda _w, text: asked.append(text))
    qtbot.mouseClick(child(window, "start_make"), Qt.MouseButton.LeftButton)
    assert asked == ["the cat sat on the mat"]
    assert window.start_page.page is not None, "cancelled: the page stays"


def test_plain_keys_move_nothing_behind_it(window: MainWindow, qtbot: QtBot) -> None:
    before = window.session.state
    for key in (Key.Key_Right, Key.Key_End, Key.Key_PageDown, Key.Key_2):
        press(qtbot, window, key)
    assert window.session.state.cursor == before.cursor
    assert page_of(window).isVisible()


def test_esc_leaves_to_the_experiment_and_the_arrow_steps(window: MainWindow, qtbot: QtBot) -> None:
    before = window.session.state.cursor
    press(qtbot, window, Key.Key_Escape)
    assert window.start_page.page is None
    assert window.diagram.isEnabled()
    press(qtbot, window, Key.Key_Right)
    assert window.session.state.cursor != before


def test_an_action_on_the_experiment_leaves_it(window: MainWindow) -> None:
    window.actions_["theme_dark"].trigger()
    assert page_of(window).isVisible(), "not an action on the experiment"
    window.actions_["check"].trigger()
    assert window.start_page.page is None
    window.start_page.show()
    window.session.go_last()
    assert window.start_page.page is None


def test_tab_reaches_the_page_and_nothing_behind_it(window: MainWindow, qtbot: QtBot) -> None:
    page, names = page_of(window), []
    for _ in range(40):
        widget = window.focusWidget()
        assert widget is not None
        assert widget is page or page.isAncestorOf(widget), widget
        names.append(widget.objectName())
        press(qtbot, window, Key.Key_Tab)
    wanted = {"start_lesson", "start_sentence", "start_make", "start_labs", "start_quiz"}
    wanted |= {"start_example_cat-eats-fish", "start_open", "start_from_text", "start_at_start"}
    wanted |= {"start_close", "start_menu_examples"}
    assert wanted <= set(names)
    assert names.index("start_lesson") < names.index("start_sentence") < names.index("start_labs")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_everything_has_a_name(window: MainWindow, language: str) -> None:
    window.session.set_preferences(language=language)
    for widget in page_of(window).findChildren(QWidget):
        if widget.focusPolicy() != Qt.FocusPolicy.NoFocus:
            text = widget.text() if isinstance(widget, QAbstractButton) else ""
            assert widget.accessibleName() or text, widget.objectName()
        if isinstance(widget, QProgressBar):
            assert any(sign.isdigit() for sign in widget.accessibleName())
    doors = [w for w in page_of(window).findChildren(QWidget, "card") if w.accessibleName()]
    assert len(doors) == 3
    assert all(door.accessibleDescription() for door in doors)


def test_another_language_keeps_text_and_focus(window: MainWindow, qtbot: QtBot) -> None:
    field = child(window, "start_sentence", QLineEdit)
    field.setFocus()
    qtbot.keyClicks(field, "we like")
    window.session.set_preferences(language="zh_CN")
    assert window.session.state.document.tokens == ("小猫", "吃", "鱼"), "the example behind it"
    again = child(window, "start_sentence", QLineEdit)
    assert again.text() == "we like"
    assert window.focusWidget() is again
    assert child(window, "start_make").text() == "生成数值"


@pytest.mark.parametrize("size", [(1280, 720), (1366, 768), (1920, 1080), (900, 600)])
@pytest.mark.parametrize("percent", [100, 150])
def test_it_covers_what_lies_behind_and_nothing_is_cut(
    window: MainWindow, qapp: QApplication, size: tuple[int, int], percent: int
) -> None:
    window.session.set_preferences(text_size=percent)
    window.resize(*size)
    for _ in range(10):
        qapp.processEvents()
    page = page_of(window)
    assert page.geometry().bottom() == window.rect().bottom()
    assert page.width() == window.width()
    for dock in window.docks.values():
        assert dock.visibleRegion().isEmpty(), "covered"
    for button in page.findChildren(QAbstractButton):
        assert button.width() >= button.minimumSizeHint().width(), button.objectName()


def test_an_example_is_one_click(window: MainWindow, qtbot: QtBot) -> None:
    for example in ("cat-eats-fish", "who-ate-whom"):  # the first lies behind the page already
        window.start_page.show()
        button = child(window, f"start_example_{example}")
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        assert window.start_page.page is None
    assert window.session.state.document.tokens == ("Ming", "eats", "apple")


def test_messages_stay_above_it(window: MainWindow, qapp: QApplication) -> None:
    window.message_bar.warn("Something was not saved.", ("Restore", lambda: None))
    for _ in range(10):
        qapp.processEvents()
    assert page_of(window).geometry().top() > window.message_bar.geometry().bottom()


# Start again


def start_again(qtbot: QtBot, window: MainWindow, language: str | None = None) -> MainWindow:
    window.close()
    again = build_window(language=language)
    bring_forward(qtbot, again)
    return again


def test_the_page_can_be_ticked_off(window: MainWindow, qtbot: QtBot) -> None:
    child(window, "start_at_start", QWidget).click()
    assert load_preferences().at_start == "page", "saved a little later"
    again = start_again(qtbot, window)
    assert again.session.state.preferences.at_start == "last"


def test_the_last_experiment_is_one_click_where_it_stood(window: MainWindow, qtbot: QtBot) -> None:
    document = create(("we", "like", "tea"), "embeddings", Sizes(), "graded", 4, "we like tea")
    window.session.open_document(document)
    window.session.go_to_stage("weights")
    again = start_again(qtbot, window)
    again.start_page.show()
    child(again, "start_recent_0").click()
    state = again.session.state
    assert state.document.tokens == ("we", "like", "tea")
    assert state.cursor.stage == "weights"
    assert again.start_page.page is None


def test_the_last_example_has_the_words_of_the_language(window: MainWindow, qtbot: QtBot) -> None:
    window.files.open_example("who-ate-whom")
    again = start_again(qtbot, window, "zh_CN")
    again.start_page.show()
    child(again, "start_recent_0").click()
    assert again.session.state.document.tokens == ("小明", "吃", "苹果")


def test_a_file_is_reopened_and_a_missing_one_can_be_looked_for(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    kept, lost = tmp_path / "kept.attn.json", tmp_path / "lost.attn.json"
    for path in (kept, lost):
        shutil.copy(example_path("four-words-causal"), path)
    assert window.files.open(kept)
    assert window.files.open(lost)
    window.session.go_last()
    lost.unlink()
    again = start_again(qtbot, window)
    again.start_page.show()
    rows = [child(again, f"start_recent_{number}") for number in range(2)]
    assert "not found" in rows[0].accessibleName()
    rows[1].click()
    assert again.session.state.path == kept


def test_an_experiment_behind_the_page_is_not_the_last_one(
    window: MainWindow, qtbot: QtBot
) -> None:
    again = start_again(qtbot, window)
    assert again.progress.progress.last is None


# Progress


def test_a_lesson_counts_when_its_end_was_seen(window: MainWindow, qtbot: QtBot) -> None:
    press(qtbot, window, Key.Key_Return)
    player = window.session.lesson_player
    for _ in range(4):
        player.next_group() or player.forward()
    stands = window.progress.progress.scenes["first-steps"]
    assert stands > 0
    assert not window.progress.progress.lessons
    again = start_again(qtbot, window)
    again.start_page.show()
    assert str(stands + 1) in child(again, "start_lesson").text()
    child(again, "start_lesson").click()
    assert again.session.state.scene_index == stands
    while again.session.lesson_player.forward():
        pass
    assert again.progress.progress.lessons == {"first-steps"}
    assert "first-steps" not in again.progress.progress.scenes


def test_labs_and_quiz_count_what_was_tried(window: MainWindow) -> None:
    window.labs.open("softmax")
    assert window.labs.window is not None
    assert not window.progress.progress.labs, "looked at only"
    session = window.labs.window.session
    session.set_value("temperature", 0.5)
    assert window.progress.progress.labs == {"softmax"}
    session.open("quiz")
    session.set_value("answer", "1")
    session.undo_stack.undo()
    session.set_value("answer", "2")
    assert len(window.progress.progress.quiz) == 1
    assert "quiz" not in window.progress.progress.labs


def test_progress_of_two_programs_is_united(qtbot: QtBot) -> None:
    one, two = build_window(), build_window()
    for window, lab in ((one, "softmax"), (two, "heads")):
        qtbot.addWidget(window)
        window.progress.note_lab(lab, None)  # type: ignore[arg-type]
    one.progress.save()
    two.progress.save()
    third = build_window()
    qtbot.addWidget(third)
    assert third.progress.progress.labs == {"softmax", "heads"}


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"labs": 3, "lessons": ["first-steps"]}', "\x00", "[" * 9999]
)
def test_progress_that_cannot_be_read_begins_anew(qtbot: QtBot, home: Path, text: str) -> None:
    home.mkdir(exist_ok=True)
    (home / "progress.json").write_text(text)
    window = build_window()
    qtbot.addWidget(window)
    window.start_page.show()
    progress = window.progress.progress
    assert progress.labs == frozenset()
    assert progress.lessons <= set(LESSONS)


def test_names_of_examples_exist() -> None:
    from gui.views.start.texts import OFFERED

    assert {example for example, _, _ in OFFERED} <= set(EXAMPLES)
