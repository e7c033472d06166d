"""Files of stacks that are wrong: opened or dropped they give a sentence; nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.base.errors import UserError
from core.storage.archive import dumps
from gui.app.main_window import MainWindow
from gui.texts.errors import error_message
from gui.texts.translation import use_language
from tests.core.stacks import make_stack
from tests.core.test_stack_files import stack
from tests.gui.files_helpers import Answers
from tests.gui.window_kit import open_window

Changes = dict[tuple[str | int, ...], Any]
FIRST = ("layers", 0)
# What is put at a place of a valid file, and what the sentence must name.
BAD: dict[str, tuple[Changes, tuple[str, ...]]] = {
    "shape of W_1": ({(*FIRST, "mlp", "W_1"): [[1, 2, 3]] * 3}, ("W_1", "3 × 3", "2 × 3")),
    "shape of gamma": ({(*FIRST, "norm", "mlp", "gamma"): [1, 2, 3]}, ("gamma",)),
    "shape of W_U": ({("output", "W_U"): [[1, 2, 3]]}, ("W_U",)),
    "d of the second layer": (
        {("layers", 1, "heads", 0, "W_Q"): [[1], [2], [3]]},
        ("W_Q", "3 × 1", "2 × 1"),
    ),
    "an unknown activation": ({(*FIRST, "mlp", "activation"): "tanh"}, ("tanh",)),
    "an unknown norm": ({(*FIRST, "norm", "kind"): "batch"}, ("batch",)),
    "a vocabulary of another size": ({("output", "vocabulary"): ["x"]}, ("1", "3")),
    "a head that borrows from one that borrows": (
        {(*FIRST, "heads", 0): {"W_Q": [[1], [2]], "kv_from": 1}},
        ("1",),
    ),
    "a head that borrows from itself": ({(*FIRST, "heads", 1, "kv_from"): 1}, ("1",)),
    "a head that borrows from none": ({(*FIRST, "heads", 1, "kv_from"): 7}, ("7",)),
    "version 3": ({("version",): 3}, ("3",)),
    "version 1": ({("version",): 1}, ("layers",)),
    "no layers": ({("layers",): []}, ("layers",)),
    "a context": ({("context",): {"tokens": ["y"], "X": [[1, 2]]}}, ("context",)),
    "a norm of no MLP": ({(*FIRST, "mlp"): None}, ("mlp",)),
    "temperature 0": ({("sampling",): {"temperature": 0}}, ("temperature",)),
    "not a number": ({(*FIRST, "mlp", "W_2", 0, 0): "x"}, ("W_2",)),
    "a pin of no stage": (
        {("pins",): [{"stage": "L9.Q", "index": [0, 0, 0], "value": 1}]},
        ("L9.Q",),
    ),
}


def bad_file(changes: Changes) -> str:
    file: Any = stack()
    for place, value in changes.items():
        owner = file
        for key in place[:-1]:
            owner = owner[key]
        owner[place[-1]] = value
    return json.dumps(file)


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    found = open_window(qtbot, "cat-eats-fish")
    found.session.edit(make_stack(1))
    found.files.ask = Answers()
    found.files.ask.answer = "discard"
    return found


@pytest.fixture
def problems(window: MainWindow) -> list[UserError]:
    found: list[UserError] = []
    window.session.failed.connect(found.append)
    return found


def drop(window: MainWindow, mime: QMimeData) -> None:
    event = QDropEvent(
        QPointF(300, 300),
        Qt.DropAction.CopyAction,
        mime,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    window.dropEvent(event)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused_with_a_sentence_and_nothing_is_lost(
    qtbot: QtBot, window: MainWindow, problems: list[UserError], tmp_path: Path, name: str
) -> None:
    changes, words = BAD[name]
    path = tmp_path / "bad.attn.json"
    path.write_text(bad_file(changes), encoding="utf-8")
    before, undo = window.session.state, window.session.undo_stack.count()
    assert not window.files.open(path)
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    drop(window, mime)
    qtbot.waitUntil(lambda: len(problems) == 2)
    assert window.session.state.document is before.document
    assert window.session.undo_stack.count() == undo
    assert dumps(window.session.state.document) == dumps(make_stack(1))
    for language in ("en", "zh_CN"):
        use_language(language)
        for problem in problems:
            said = error_message(problem)
            assert "Traceback" not in said
            assert "bad.attn.json" in said
            assert [word for word in words if word not in said] == [], said


@pytest.mark.parametrize("name", ["shape of W_1", "version 3", "an unknown activation"])
def test_a_bad_file_that_is_pasted_changes_nothing(
    qtbot: QtBot, window: MainWindow, name: str
) -> None:
    QApplication.clipboard().setText(bad_file(BAD[name][0]))
    window.session.go_to_stage("L1.mlp_hidden")
    window.diagram.setFocus()
    before = window.session.state.document
    qtbot.keyClick(window.diagram, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert window.session.state.document is before
