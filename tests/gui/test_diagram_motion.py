"""Motion is decoration: the same end with and without, cut short by the next step, none on the way back."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.edits import with_cell, with_head_enabled
from core.explain.timeline import Grain
from core.storage.examples import load_example
from gui.session.playback import MOTION_MS
from gui.session.session import Session
from gui.views.diagram.animator import FLASH_MILLISECONDS
from gui.views.diagram.motion import StepMotion, changed_cells, motion_between
from gui.views.diagram.scene import layout_of
from gui.views.diagram.stage_animations import Bars, Sweep
from gui.views.diagram.view import DiagramView
from tests.gui.diagram_kit import diagram, session_of

ROOM = (1240.0, 260.0)


def step(session: Session, grain: Grain, by: int = 1) -> StepMotion | None:
    old = session.state
    session.step(by, grain)
    return motion_between(old, session.state, layout_of(session.state, ROOM))


def flown(motion: StepMotion | None) -> dict[str, tuple[int, int]]:
    """What flies, by stage, as numbers of rows and columns."""
    assert motion is not None
    return {flight.stage_id: flight.values.shape for flight in motion.blocks}


def at(example: str, stage: str) -> Session:
    session = session_of(load_example(example))
    session.go_to_stage(stage)
    return session


@pytest.mark.parametrize(
    ("example", "before", "grain", "expected"),
    [
        ("cat-eats-fish", "V", Grain.CELL, {"Q": (1, 2), "K": (1, 2)}),
        ("cat-eats-fish", "V", Grain.ROW, {"Q": (1, 2), "K": (3, 2)}),
        ("cat-eats-fish", "V", Grain.STAGE, {"Q": (3, 2), "K": (3, 2)}),
        ("cat-eats-fish", "scores", Grain.CELL, {"scores": (1, 1)}),
        ("cat-eats-fish", "scaled", Grain.ROW, {"scaled": (1, 3)}),
        ("cat-eats-fish", "weights", Grain.CELL, {"weights": (1, 3), "V": (3, 1)}),
        ("cat-eats-fish", "weights", Grain.STAGE, {"weights": (3, 3), "V": (3, 2)}),
        ("i-love-this-apple", "X", Grain.ROW, {"X": (1, 8)}),
        ("who-ate-whom", "P", Grain.ROW, {"X": (1, 4), "P": (1, 4)}),
        ("cat-eats-fish", "Q", Grain.STAGE, {}),
    ],
)
def test_what_a_step_is_made_of_flies(
    example: str, before: str, grain: Grain, expected: dict[str, tuple[int, int]]
) -> None:
    motion = step(at(example, before), grain)
    assert (flown(motion) if expected else {}) == expected
    if not expected:
        assert motion is None


def test_a_row_and_a_column_meet_in_their_cell() -> None:
    session = at("cat-eats-fish", "V")
    session.step(5, Grain.CELL)
    motion = step(session, Grain.CELL)
    assert motion is not None
    assert (session.state.cursor.row, session.state.cursor.column) == (1, 2)
    trace = session.state.trace
    query, key = motion.blocks
    assert (query.values == trace["Q"][0, 1:2]).all()
    assert (key.values == trace["K"][0, 2:3]).all()
    box = layout_of(session.state, ROOM).box("scores")
    assert motion.result == box.matrix.block_rect(3, 3, (1, 2), (2, 3))
    assert query.end == box.matrix.block_rect(3, 3, (1, 2), (0, 3))  # the query along its row,
    assert key.end == box.matrix.block_rect(
        3, 3, (0, 3), (2, 3)
    )  # the key, turned, along its column
    assert (query.turned, key.turned) == (False, True)
    assert motion.old_extent == (1, 2)


def test_a_row_continues_where_cells_have_begun_it() -> None:
    session = at("cat-eats-fish", "V")
    session.step(4, Grain.CELL)
    motion = step(session, Grain.ROW)
    assert motion is not None
    box = layout_of(session.state, ROOM).box("scores")
    assert motion.result == box.matrix.block_rect(3, 3, (1, 2), (1, 3))


def test_what_is_done_on_the_way_flies_along() -> None:
    motion = step(at("cat-eats-fish", "scores"), Grain.STAGE)
    assert motion is not None
    assert [chip.text for chip in motion.labels] == ["÷ √2"]
    motion = step(at("i-love-this-apple", "X"), Grain.STAGE)
    assert motion is not None
    assert [chip.text for chip in motion.labels] == ["× W_Q"]


def test_a_mask_falls_like_a_curtain() -> None:
    motion = step(at("four-words-causal", "scaled"), Grain.STAGE)
    assert motion is not None
    assert motion.animation == Sweep(down=True)
    motion = step(at("four-words-causal", "masked"), Grain.STAGE)
    assert motion is not None
    assert isinstance(motion.animation, Bars)


def test_heads_slide_side_by_side_but_not_those_that_are_off() -> None:
    document = with_head_enabled(load_example("apple-released-iphone"), 1, False)
    session = session_of(document)
    session.go_to_stage("heads")
    motion = step(session, Grain.STAGE)
    assert motion is not None
    box = layout_of(session.state, ROOM).box("concat")
    ends = [flight.end for flight in motion.blocks]
    assert ends == [box.matrix.block_rect(5, 6, (0, 5), span) for span in ((0, 2), (4, 6))]
    assert (motion.blocks[1].values == session.state.trace["heads"][2]).all()


def test_nothing_moves_backwards_far_away_or_in_another_run() -> None:
    session = at("cat-eats-fish", "weights")
    where = layout_of(session.state, ROOM)
    assert step(session, Grain.CELL, -1) is None
    old = session.state
    session.go_to_stage("Y")
    assert motion_between(old, session.state, where) is None
    old = session.state
    session.edit(with_cell(old.document, Cell("V", 0, 0), 0.9))
    assert motion_between(old, session.state, where) is None


@pytest.mark.parametrize("example", ["cat-eats-fish", "four-words-causal", "apple-released-iphone"])
@pytest.mark.parametrize("grain", list(Grain))
def test_every_step_forward_can_be_moved_and_ends_inside_its_card(
    example: str, grain: Grain
) -> None:
    session = session_of(load_example(example))
    moved, before = 0, None
    while session.state.cursor != before:
        before = session.state.cursor
        motion = step(session, grain)
        if motion is not None:
            moved += 1
            rect = layout_of(session.state, ROOM).box(session.state.cursor.stage).rect
            assert rect.x <= motion.result.x
            assert motion.result.right <= rect.right
    assert moved >= 5


def still(view: DiagramView) -> QImage:
    return view.grab().toImage()


@pytest.fixture
def views(qtbot: QtBot) -> tuple[DiagramView, DiagramView]:
    """The same experiment twice: one that moves, one that does not."""
    pair = tuple(
        diagram(qtbot, session_of(load_example("cat-eats-fish"), motion=motion))
        for motion in (True, False)
    )
    for view in pair:
        view.clearFocus()
    return pair[0], pair[1]


@pytest.mark.parametrize("grain", list(Grain))
def test_the_end_is_the_same_to_the_pixel_with_and_without(
    views: tuple[DiagramView, DiagramView], qtbot: QtBot, grain: Grain
) -> None:
    moving, quiet = views
    for view in views:
        view._session.go_to_stage("V")
        view._player.cut()
        view._session.step(1, grain)
    assert moving.moving
    assert not quiet.moving
    assert still(moving) != still(quiet)  # the result is not there before the operands have met
    qtbot.waitUntil(lambda: not moving.moving)
    assert still(moving) == still(quiet)


def test_the_state_is_there_at_once_and_the_next_step_cuts_the_motion(
    views: tuple[DiagramView, DiagramView],
) -> None:
    moving, quiet = views
    for view in views:
        session = view._session
        session.go_to_stage("V")
        for by in (1, 1, 1, -1):
            session.step(by, Grain.CELL)
        assert (session.state.cursor.row, session.state.cursor.column) == (0, 1)
    assert not moving.moving  # the last step led back
    assert still(moving) == still(quiet)


def test_the_environment_switches_motion_off(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    view = diagram(qtbot, session_of(load_example("cat-eats-fish")))
    view._session.step(3, Grain.STAGE)
    view._session.edit(with_cell(view._session.state.document, Cell("Q", 0, 0), 3.0))
    assert not view.moving


def test_speed_shortens_the_motion(qtbot: QtBot) -> None:
    view = diagram(qtbot, session_of(load_example("cat-eats-fish"), speed=2.0))
    view._session.go_to_stage("V")
    view._session.step(1, Grain.CELL)
    assert view._player._steps.duration() == MOTION_MS[Grain.CELL] / 2
    view._session.edit(with_cell(view._session.state.document, Cell("Q", 0, 0), 3.0))
    assert view._player._flashes.duration() == FLASH_MILLISECONDS / 2
    view._player.cut()


def test_what_is_hidden_does_not_move(qtbot: QtBot) -> None:
    view = diagram(qtbot, session_of(load_example("cat-eats-fish")))
    view._session.go_to_stage("V")
    view._session.step(1, Grain.CELL)
    seen = [view.moving]
    view.hide()
    seen.append(view.moving)
    view._session.step(1, Grain.CELL)
    seen.append(view.moving)
    assert seen == [True, False, False]


def test_an_edit_flashes_what_it_changes() -> None:
    session = at("cat-eats-fish", "Y")
    old = session.state
    session.edit(with_cell(old.document, Cell("Q", 1, 0), 2.0))
    changed = changed_cells(old, session.state)
    assert set(changed) == {"Q", "scores", "scaled", "exp", "weights", "heads", "Y"}
    assert changed["Q"].nonzero()[0].tolist() == [1]
    assert changed["scores"].any(axis=1).tolist() == [False, True, False]
    assert changed_cells(session.state, session.state) == {}


def test_the_flash_fades_and_leaves_nothing(
    views: tuple[DiagramView, DiagramView], qtbot: QtBot
) -> None:
    moving, quiet = views
    for view in views:
        view._session.go_to_stage("Y")
        view._player.cut()
        view._session.edit(with_cell(view._session.state.document, Cell("V", 2, 1), 2.0))
    assert moving.moving
    assert still(moving) != still(quiet)
    qtbot.waitUntil(lambda: not moving.moving)
    assert still(moving) == still(quiet)
