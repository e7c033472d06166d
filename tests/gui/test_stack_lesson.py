"""Scenes of stacks: recorded in the window, saved, read and played, in the window and on the screen."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.stack_edits import with_layer
from core.lesson.lesson_file import dumps, loads
from core.lesson.resolve import resolve
from gui.texts.translation import language_folder
from tests.core.stacks import make_stack
from tests.core.test_archive import same
from tests.gui.lesson_kit import lesson, shown

STAGES = ("L2.weights", "L1.mlp_norm", "probabilities")


@pytest.mark.parametrize("example", [None, "block-by-hand"])
def test_scenes_of_a_stack_are_recorded_and_played(qtbot: QtBot, example: str | None) -> None:
    window = shown(qtbot, example=example or "cat-eats-fish", language="en")
    session = window.session
    if example is None:
        session.edit(make_stack(2))
    stages = STAGES if example is None else ("L1.weights", "L1.mlp_norm", "L1.mlp_active")
    session.lesson_player.new()
    seen = []
    for number, stage in enumerate(stages):
        session.edit(with_layer(session.state.document, 1, residual=number != 1))
        session.go_to_stage(stage)
        session.set_focus(Cell(stage, 1, 0))
        session.lesson_player.add_scene()
        seen.append((session.state.document, session.state.cursor, session.state.focus))
    again = loads(dumps(lesson(window)))
    for index, (document, cursor, focus) in enumerate(seen):
        scene = resolve(again, index, language_folder())
        assert same(scene.document, document)
        assert (scene.cursor, scene.focus) == (cursor, focus)
        assert session.lesson_player.go_to(index)
        assert (session.state.cursor, session.state.focus) == (cursor, focus)
        assert not window.grab().isNull()
    session.lesson_player.undo_stack.setClean()
