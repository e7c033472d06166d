"""A short walk through the real window; `make soak` walks a hundred thousand actions."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

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
    for action in ("preferences", "about", "export_picture", "lesson_new", "present"):
        walk.window.perform(action)
    for lab in ("softmax", "order"):
        walk.window.labs.open(lab)
        walk.rest()
