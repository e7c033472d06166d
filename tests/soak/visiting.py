"""Everything that the walk can come to, seen once: what is made, loaded or measured only once is there afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from core.check.answers import parse_answer
from core.labs.lab import LABS
from core.lesson.lesson import LESSONS
from core.storage.examples import EXAMPLES, load_example
from gui.painting import formulas
from tests.gui.window_kit import all_actions
from tests.soak.window_walk import NOT_BY_ID, SIZES

if TYPE_CHECKING:
    from tests.soak.window_walk import Walk

LOOKS = ("theme_", "language_", "text_", "grain_", "toggle_labels", "toggle_columns")


def visit_all(walk: Walk) -> None:
    """Every action, example, lesson and lab, the looks at every size of the window; then back to the beginning."""
    walk.player.start()
    for _ in _visits(walk):
        QApplication.processEvents()
    walk.rest()


def _visits(walk: Walk) -> Iterator[object]:
    window = walk.window
    looks = [spec.id for spec in all_actions() if spec.id.startswith(LOOKS)]
    for action in (
        spec.id
        for spec in all_actions()
        if spec.menu != "labs" and spec.id not in NOT_BY_ID and spec.id not in looks
    ):
        yield window.actions_[action].trigger()
    walk.rest()
    for example in EXAMPLES:
        yield window.session.open_document(load_example(example))
        yield window.perform("go_last")
    for lesson in LESSONS:
        yield window.lesson_files.open_shipped(lesson)
        yield from _scenes(walk)
    walk.rest()
    yield formulas.typeset("x^2", "#000000", 20.0)
    yield from _wrong_numbers(walk)
    for lab in LABS:
        yield window.labs.open(lab)
    for look in looks:
        yield window.perform(look)
        yield window.resize(*SIZES[looks.index(look) % len(SIZES)])


def _wrong_numbers(walk: Walk) -> Iterator[object]:
    """The check, with the slips that it finds: scores without their sign."""
    window, session = walk.window, walk.window.session
    yield window.perform("check")
    yield session.go_to_stage("scores")
    scores = session.state.trace["scores"]
    numbers = {
        index: parse_answer(f"{abs(scores[index]) + 1:.4f}")
        for index in ((0, 0, 0), (0, 0, 1), (0, 1, 0))
    }
    yield session.answers.write("scores", numbers)


def _scenes(walk: Walk) -> Iterator[object]:
    """The lesson on the screen, scene by scene, the presentation over the first."""
    window, lecture = walk.window, walk.window.session.lesson_player
    window.presentation.start()
    yield None
    window.presentation.stop()
    while lecture.forward():
        yield None
    yield lecture.close()
