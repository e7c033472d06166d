"""A short walk through the real window; `make soak` walks a hundred thousand actions."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QDialog, QMenu
from pytestqt.qtbot import QtBot

from tests.soak.answering import Player
from tests.soak.window_walk import Walk


@pytest.fixture
def walk(qtbot: QtBot, tmp_path: Path) -> Walk:
    return Walk(5, tmp_path)


def test_nothing_breaks_on_a_walk(walk: Walk) -> None:
    walk.walk(120)
    walk.close()
    assert walk.faults == {}
    assert sum(walk.counts.values()) == 120


def test_what_is_closed_is_gone(walk: Walk) -> None:
    """Labs, dialogs and lessons leave no widget and no timer behind, once what is made only once is there."""
    visit(walk)
    before = walk.look()
    visit(walk)
    after = walk.look()
    walk.close()
    assert after.widgets == before.widgets
    assert after.timers == before.timers
    assert after.none >= before.none - 100


def visit(walk: Walk) -> None:
    """Open several things and come back to the beginning."""
    for action in (
        *("preferences", "about", "export_picture", "lesson_new", "present"),
        *("class_window", "qr_code"),
    ):
        walk.window.perform(action)
    for lab in ("softmax", "order"):
        walk.window.labs.open(lab)
        walk.rest()


class Always(Random):
    """Says yes to every question."""

    def random(self) -> float:
        return 0.0


def test_a_dialog_that_a_menu_opens_is_left(qtbot: QtBot) -> None:
    """It has an event loop of its own, which began while the player was answering the menu."""
    dialog, left = QDialog(), []
    qtbot.addWidget(dialog)
    menu = QMenu(dialog)
    menu.addAction("ask").triggered.connect(lambda: left.append(dialog.exec()))
    player = Player(Always(1))
    player.start()
    menu.popup(QPoint(1, 1))
    qtbot.waitUntil(lambda: bool(left))
    player.stop()
