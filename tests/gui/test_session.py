"""The session: every wish becomes one new state, told once."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Mask, Positional, Scale
from core.document.edits import with_cell, with_mask, with_pin, with_positional, with_scale
from core.document.resize import with_head_added, with_size, with_token_added
from core.explain.timeline import Grain, Reach, timeline
from core.storage.examples import load_example
from gui.session.presented_views import DEFAULT_VIEWS, PresentedViews, presented_views
from gui.session.session import Session
from gui.session.state import Preferences, State


@pytest.fixture
def session(qapp: object) -> Session:
    return Session(load_example("cat-eats-fish"), Preferences())


def listen(session: Session) -> list[tuple[State, State]]:
    heard: list[tuple[State, State]] = []
    session.changed.connect(lambda old, new: heard.append((old, new)))
    return heard


def test_it_starts_at_the_first_stage_with_everything_of_it_there(session: Session) -> None:
    assert session.state.cursor.stage == "Q"
    assert session.state.cursor.reach is Reach.WHOLE
    assert session.state.focus == Cell("Q", 0, 0, 0)


def test_three_steps_on_and_one_back_are_two_steps_on(session: Session) -> None:
    for grain in Grain:
        session.set_preferences(grain=grain)
        session.go_first()
        places = [session.state.cursor]
        for _ in range(3):
            session.step()
            places.append(session.state.cursor)
        session.step(-1)
        assert session.state.cursor == places[2]
        assert len(set(places)) == 4


def test_back_gives_the_very_same_numbers(session: Session) -> None:
    before = session.state.trace
    session.go_last()
    session.step(-2)
    assert session.state.trace is before


def test_the_ends_of_the_line_are_stops(session: Session) -> None:
    session.go_last()
    end = session.state
    session.step()
    assert session.state is end
    session.go_first()
    start = session.state
    session.step(-1)
    assert session.state is start


def test_an_edit_reaches_the_trace_at_the_step_where_we_are(session: Session) -> None:
    session.go_to_stage("weights")
    heard = listen(session)
    assert session.change(with_cell, Cell("Q", 0, 0), 5.0, text="Edit")
    assert session.state.cursor.stage == "weights"
    assert session.state.trace["Q"][0, 0, 0] == 5.0
    assert session.state.trace["scores"][0, 0, 1] == pytest.approx(5.0 * 0.6 + 0.8 * 0.4)
    documents = [new.document for old, new in heard if old.document is not new.document]
    assert len(documents) == 1


def test_an_edit_that_changes_nothing_is_no_step(session: Session) -> None:
    heard = listen(session)
    assert session.change(with_cell, Cell("Q", 0, 0), 0.2, text="Edit")
    assert heard == []
    assert session.undo_stack.count() == 0


def test_what_is_refused_changes_nothing_and_is_told(session: Session) -> None:
    told: list[UserError] = []
    session.failed.connect(told.append)
    before = session.state
    assert not session.change(with_size, "k", 0, text="Edit")
    assert session.state is before
    assert [problem.code for problem in told] == ["size.too_small"]


def test_undo_gives_the_very_same_document_and_redo_the_edited_one(session: Session) -> None:
    first = session.state.document
    session.change(with_cell, Cell("Q", 0, 0), 5.0, text="Edit")
    second = session.state.document
    session.undo_stack.undo()
    assert session.state.document is first
    assert not session.state.dirty
    session.undo_stack.redo()
    assert session.state.document is second
    assert session.state.dirty


def test_steps_that_belong_together_are_undone_together(session: Session) -> None:
    first = session.state.document
    for value in (1.0, 2.0, 3.0):
        session.change(with_cell, Cell("Q", 0, 0), value, text="Edit", merge="drag 1")
    session.change(with_cell, Cell("Q", 0, 0), 4.0, text="Edit", merge="drag 2")
    assert session.undo_stack.count() == 2
    session.undo_stack.undo()
    assert session.state.trace["Q"][0, 0, 0] == 3.0
    session.undo_stack.undo()
    assert session.state.document is first


def test_an_edit_pauses_playback(session: Session) -> None:
    session.play(True)
    session.change(with_cell, Cell("Q", 0, 0), 5.0, text="Edit")
    assert not session.state.playing


def test_playback_stops_at_the_end_and_starts_again_from_the_first(session: Session) -> None:
    session.go_last()
    session.play(True)
    assert session.state.cursor.stage == "Q"
    for _ in range(len(session.state.trace)):
        session.playback.step()
    assert session.state.cursor.stage == "Y"
    assert not session.state.playing


def test_a_focused_cell_of_the_whole_current_stage_takes_the_cursor_along(session: Session) -> None:
    session.go_to_stage("scores")
    session.set_focus(Cell("scores", 1, 2))
    assert (session.state.cursor.row, session.state.cursor.column) == (1, 2)
    session.step()
    assert session.state.focus == Cell("scaled", 1, 2)


def test_a_focused_cell_elsewhere_leaves_the_cursor_where_it_is(session: Session) -> None:
    session.go_to_stage("weights")
    before = session.state.cursor
    session.set_focus(Cell("K", 2, 1))
    assert session.state.focus == Cell("K", 2, 1)
    assert session.state.cursor == before


def test_the_focus_stops_at_the_edges(session: Session) -> None:
    session.go_to_stage("scores")
    session.move_focus(-5, 1)
    assert session.state.focus == Cell("scores", 0, 1)
    session.move_focus(9, 9)
    assert session.state.focus == Cell("scores", 2, 2)


def test_choosing_a_head_takes_the_focus_along(qapp: object) -> None:
    session = Session(load_example("apple-released-iphone"), Preferences())
    session.go_to_stage("weights")
    session.select_head(2)
    assert session.state.cursor.head == 2
    assert session.state.focus.head == 2
    session.select_head(7)
    assert session.state.cursor.head == 2


@pytest.mark.parametrize(
    ("stage", "edit", "after"),
    [
        ("scaled", lambda d: with_scale(d, Scale("none")), "scores"),
        ("weights", lambda d: with_scale(d, Scale("none")), "weights"),
        ("scores", lambda d: with_mask(d, Mask("causal")), "scores"),
        ("scores", lambda d: with_positional(d, Positional("rotary")), "scores"),
    ],
)
def test_a_switch_keeps_the_cursor_where_it_stood(
    session: Session, stage: str, edit: object, after: str
) -> None:
    session.go_to_stage(stage)
    session.change(edit, text="Edit")  # type: ignore[arg-type]
    assert session.state.cursor.stage == after
    assert session.state.focus.tensor in session.state.trace


def test_opening_forgets_undo_and_comparison(session: Session) -> None:
    session.change(with_cell, Cell("Q", 0, 0), 5.0, text="Edit")
    session.compare_with_current()
    session.open_document(load_example("who-ate-whom"))
    assert session.undo_stack.count() == 0
    assert session.state.compared is None
    assert not session.state.dirty
    assert session.state.cursor.stage == "X"


def test_what_was_chosen_for_the_stages_of_an_experiment_ends_with_it(
    session: Session, tmp_path: Path
) -> None:
    """The heatmap's stage and the hall's views; the same file again keeps both."""
    chosen = {"heatmap_stage": "positions", "presented": (("scores", "diagram"),)}
    here = tmp_path / "a.attn.json"
    session.open_document(load_example("who-ate-whom"), here)
    session.set_preferences(**chosen)
    session.open_document(load_example("who-ate-whom"), here)
    assert (session.state.preferences.heatmap_stage, session.state.preferences.presented) == tuple(
        chosen.values()
    )
    for path in (tmp_path / "b.attn.json", None):
        session.set_preferences(**chosen)
        session.open_document(load_example("cat-eats-fish"), path)
        assert (session.state.preferences.heatmap_stage, session.state.preferences.presented) == (
            "",
            (),
        )


def test_what_the_hall_was_shown_comes_back_with_its_file_after_a_start(
    session: Session, tmp_path: Path
) -> None:
    here, views = tmp_path / "a.attn.json", (("scores", "diagram"),)
    session.set_preferences(presented=views, presented_for=str(here))  # as the last program left it
    session.go_to_stage("scores")
    assert presented_views(session.state, {}) == DEFAULT_VIEWS
    session.open_document(load_example("who-ate-whom"), here)
    session.go_to_stage("scores")
    assert session.state.preferences.presented == views
    assert presented_views(session.state, {}) == PresentedViews(("diagram",))
    session.open_document(load_example("who-ate-whom"), tmp_path / "b.attn.json")
    assert not session.state.preferences.presented


def test_what_the_hall_is_shown_goes_with_the_file_that_it_is_saved_in(
    session: Session, tmp_path: Path
) -> None:
    session.set_preferences(presented=(("scores", "diagram"),))
    session.go_to_stage("scores")
    for name in ("a.attn.json", "b.attn.json"):
        session.mark_saved(tmp_path / name)
        assert session.state.preferences.presented_for == str(tmp_path / name)
        assert presented_views(session.state, {}) == PresentedViews(("diagram",))


EDITS = [
    lambda d: with_token_added(d, 1, "x"),
    lambda d: with_size(d, "k", 3),
    lambda d: with_head_added(d),
    lambda d: with_mask(d, Mask("causal")),
    lambda d: with_mask(d, Mask()),
    lambda d: with_scale(d, Scale("none")),
    lambda d: with_positional(d, Positional("alibi")),
    lambda d: with_positional(d, Positional("rotary")),
    lambda d: with_pin(d, Cell("weights", 0, 1), 0.5),
]


@given(st.lists(st.integers(-6, len(EDITS) - 1), max_size=12))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_whatever_happens_the_laws_hold(qapp: object, wishes: list[int]) -> None:
    session = Session(load_example("cat-eats-fish"), Preferences())
    first = session.state.document
    for wish in wishes:
        if wish >= 0:
            session.change(EDITS[wish], text="Edit")
        else:
            session.step(-wish - 3, [Grain.CELL, Grain.ROW, Grain.STAGE][wish % 3])
        state = session.state
        fresh = run(state.document)
        assert fresh.plan.ids == state.trace.plan.ids
        assert all(np.array_equal(fresh[name], state.trace[name]) for name in fresh)
        line = timeline(state.trace)
        assert 0 <= line.position(state.cursor) < line.length
        rows, columns = session.shape_of(state.focus.tensor)
        assert state.focus.row < rows
        assert state.focus.column < columns
    while session.undo_stack.canUndo():
        session.undo_stack.undo()
    assert session.state.document is first


def test_a_wish_made_while_being_told_is_told_to_everybody_in_order(session: Session) -> None:
    def impatient(old: State, new: State) -> None:
        if new.preferences.decimals == 3:
            session.set_preferences(decimals=4)

    session.changed.connect(impatient)
    heard = listen(session)
    session.set_preferences(decimals=3)
    assert [new.preferences.decimals for _, new in heard] == [3, 4]
    assert all(later is earlier for (_, earlier), (later, _) in pairwise(heard))
