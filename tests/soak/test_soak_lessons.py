"""Walks through lessons: the focused cell, the cursor and the numbers belong to the experiment that is shown."""

from __future__ import annotations

import pytest

from core.base.cell import Cell
from tests.soak.lesson_walk import LessonWalk


@pytest.mark.parametrize("seed", range(8))
def test_every_state_of_a_lesson_holds_together(seed: int) -> None:
    walk = LessonWalk(seed)
    walk.walk(120)
    assert walk.view.faults == []


def test_a_late_wish_for_a_cell_that_is_gone_is_passed_over() -> None:
    """What the walk would tell: a focus that stands nowhere."""
    walk = LessonWalk(1)
    before = walk.session.state
    walk.session.set_focus(Cell("masked" if "masked" not in before.trace else "Q_rot", 0, 0))
    assert walk.session.state is before
