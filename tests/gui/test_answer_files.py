"""Answer files in the window: saved from Check, opened by Open, drop and start."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from core.check.answers import parse_answer
from core.classroom.answer_file import read_answers
from core.classroom.experiment_id import experiment_id
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.dialogs.answers import AnswersDialog
from tests.core.class_kit import answer_text
from tests.gui.window_kit import forget_changes, open_window

CAT = "cat-eats-fish"
ROWS = [[["0.74", "0.44", "0.32"], ["1/2", None, "0.50"], ["0.18", "0.58", "0.90"]]]


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    return open_window(qtbot, CAT)


def said(window: MainWindow) -> list[str]:
    """The codes of the problems that the window is told from now on."""
    found: list[str] = []
    window.session.failed.connect(lambda problem: found.append(problem.code))
    return found


def save(path: Path, example: str = CAT, **other: Any) -> Path:
    values = other.pop("values", {"scores": ROWS})
    path.write_text(answer_text(load_example(example), "Ada", values, **other), encoding="utf-8")
    return path


def texts(window: MainWindow, stage: str = "scores") -> dict[tuple[int, ...], str]:
    return {index: one.text for index, one in window.session.state.entries[stage].items()}


def test_answers_are_saved_as_typed_with_the_name(window: MainWindow, tmp_path: Path) -> None:
    window.session.answers.write("scores", {(0, 0, 0): parse_answer("0.740")})
    window.session.answers.write("weights", {(0, 2, 1): parse_answer("1/3")})
    window.answer_actions.ask_name = lambda *_: "Ada"
    asked: list[Path] = []

    def path(_parent: object, suggestion: Path, _filter: str) -> Path:
        asked.append(suggestion)
        return tmp_path / "mine.json"

    window.answer_actions.ask_path = path
    window.perform("save_answers")
    assert asked[0].name.endswith(" Ada.answers.json")
    file = json.loads((tmp_path / "mine.answers.json").read_text(encoding="utf-8"))
    assert file["name"] == "Ada"
    assert file["experiment"] == experiment_id(window.session.state.document)
    assert file["values"]["scores"][0] == [["0.740", None, None], [None] * 3, [None] * 3]
    assert file["values"]["weights"][0][2] == [None, "1/3", None]


def test_nothing_is_written_where_the_question_is_cancelled(window: MainWindow) -> None:
    window.session.answers.write("scores", {(0, 0, 0): parse_answer("1")})
    window.answer_actions.ask_name = lambda *_: None
    window.answer_actions.ask_path = lambda *_: pytest.fail("asked for a file")
    assert not window.answer_actions.save()
    window.answer_actions.ask_name = lambda *_: ""
    window.answer_actions.ask_path = lambda *_: None
    assert not window.answer_actions.save()


def test_there_is_nothing_to_save_without_numbers(qtbot: QtBot, window: MainWindow) -> None:
    window.show_check()
    assert not window.actions_["save_answers"].isEnabled()
    assert not window.check.save.isEnabled()
    window.session.answers.write("scores", {(0, 0, 0): parse_answer("1")})
    assert window.actions_["save_answers"].isEnabled()
    asked: list[int] = []
    window.answer_actions.ask_name = lambda _parent, entries: asked.append(len(entries))
    qtbot.mouseClick(window.check.save, Qt.MouseButton.LeftButton)
    assert asked == [1]


def test_the_question_for_the_name(qtbot: QtBot) -> None:
    dialog = AnswersDialog({"scores": {(0, 0, 0): parse_answer("1")}})
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.field.hasFocus() or dialog.focusWidget() is dialog.field
    qtbot.keyClicks(dialog.field, " 0042 ")
    assert dialog.name() == "0042"
    assert dialog.findChild(QDialogButtonBox) is not None
    assert dialog.field.accessibleName()


@pytest.mark.parametrize("way", ["open", "drop", "check"])
def test_answers_are_shown_in_check(
    way: str, qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    path = save(tmp_path / "ada.answers.json")
    if way == "drop":
        window.files.dropped([QUrl.fromLocalFile(str(path))])
    elif way == "open":
        window.files.open(path)
    else:
        window.show_check()
        window.check.ask_path = lambda _parent: path
        window.check.load.click()
    qtbot.waitUntil(lambda: "scores" in window.session.state.entries)
    assert texts(window)[0, 1, 0] == "1/2"
    assert (0, 1, 1) not in texts(window)
    qtbot.waitUntil(window.check.view.isVisible)
    assert window.check.stage == "scores"
    assert window.session.state.document.title == load_example(CAT).title


def test_one_undo_gives_back_the_own_numbers(window: MainWindow, tmp_path: Path) -> None:
    window.session.answers.write("weights", {(0, 0, 0): parse_answer("0.1")})
    window.files.open(save(tmp_path / "ada.answers.json"))
    assert set(window.session.state.entries) == {"scores"}
    window.session.answers.undo()
    assert set(window.session.state.entries) == {"weights"}


def test_answers_to_an_example_open_that_example(window: MainWindow, tmp_path: Path) -> None:
    other = load_example("four-words-causal")
    values = {"scores": [[[None] * other.n] * other.n] * other.h}
    values["scores"] = [[["0.5"] + [None] * (other.n - 1)] * other.n] * other.h
    window.files.open(save(tmp_path / "a.answers.json", "four-words-causal", values=values))
    assert window.session.state.document.n == other.n
    assert len(texts(window)) == other.n * other.h


def test_answers_to_another_experiment_are_refused(window: MainWindow, tmp_path: Path) -> None:
    problems = said(window)
    before = window.session.state.entries
    assert not window.files.open(save(tmp_path / "a.answers.json", experiment="0" * 64))
    (tmp_path / "b.answers.json").write_text("{", encoding="utf-8")
    assert not window.files.open(tmp_path / "b.answers.json")
    assert problems == ["answers.foreign", "file.syntax"]
    assert window.session.state.entries is before


def test_unsaved_changes_are_not_asked_about_for_fitting_answers(
    window: MainWindow, tmp_path: Path
) -> None:
    window.perform("toggle_columns")
    window.files.ask.unsaved = lambda *_: pytest.fail("asked")  # type: ignore[method-assign]
    assert window.files.open(save(tmp_path / "ada.answers.json"))


def test_what_was_saved_comes_back(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = save(tmp_path / "ada.answers.json")
    window.files.open(path)
    window.answer_actions.ask_name = lambda *_: "Ada"
    window.answer_actions.ask_path = lambda *_: tmp_path / "again.answers.json"
    assert window.answer_actions.save()
    assert read_answers(tmp_path / "again.answers.json") == read_answers(path)
    again = build_window(example=CAT, language="en")
    qtbot.addWidget(again, before_close_func=forget_changes)
    again.files.open(tmp_path / "again.answers.json")
    assert texts(again) == texts(window)
