"""Predict, then reveal: what a step hides, what reveals it, and how predictions count."""

from __future__ import annotations

import pytest

from core.base.cell import Cell
from core.check.answers import parse_answer
from core.document.document import Positional
from core.document.edits import with_cell, with_positional
from core.explain.timeline import Grain, Reach, exists, step, timeline
from gui.session.session import Session
from gui.session.state import Score, State
from tests.gui.tables_kit import N, make_session

SHAPE = (N, N)

pytestmark = pytest.mark.usefixtures("qapp")


def asked_cells(state: State, stage: str) -> set[tuple[int, int]]:
    rows, columns = state.trace[stage].shape[-2:]
    return {(i, j) for i in range(rows) for j in range(columns) if state.is_predicted(stage, i, j)}


def predicting(stage: str, grain: Grain = Grain.STAGE) -> Session:
    session = make_session()
    session.set_preferences(grain=grain)
    session.go_to_stage(stage)
    session.answers.set_predicting(True)
    return session


def test_nothing_is_hidden_without_the_switch() -> None:
    session = make_session()
    session.go_to_stage("V")
    session.step(1)
    assert session.state.hidden is None
    assert session.state.visible_extent("weights", SHAPE) is None


def test_a_step_asks_and_the_next_reveals() -> None:
    session = predicting("V")
    session.step(1)
    assert session.state.cursor.stage == "scores"
    assert asked_cells(session.state, "scores") == {(i, j) for i in range(N) for j in range(N)}
    assert session.state.revealed("scores", SHAPE) == (0, 0)
    assert session.state.focus == Cell("scores", 0, 0, 0)
    session.step(1)
    assert session.state.cursor.stage == "scores"
    assert not asked_cells(session.state, "scores")
    assert session.state.revealed("scores", SHAPE) == (N, 0)
    session.step(1)
    assert session.state.cursor.stage == "scaled"


def test_rows_ask_for_a_row() -> None:
    session = predicting("V", Grain.ROW)
    session.step(1)
    assert asked_cells(session.state, "scores") == {(0, j) for j in range(N)}
    session.step(1)
    session.step(1)
    assert asked_cells(session.state, "scores") == {(1, j) for j in range(N)}
    assert session.state.revealed("scores", SHAPE) == (1, 0)
    assert session.state.focus == Cell("scores", 1, 0, 0)


def test_cells_ask_for_a_cell() -> None:
    session = predicting("V", Grain.CELL)
    for _ in range(
        2 * N + 3
    ):  # a row of questions and answers, then one more of both, then a question
        session.step(1)
    assert asked_cells(session.state, "scores") == {(1, 1)}
    assert session.state.focus == Cell("scores", 1, 1, 0)


def test_the_sub_step_of_the_softmax_asks_nothing() -> None:
    session = predicting("scaled", Grain.ROW)
    session.step(1)
    assert session.state.cursor.reach is Reach.LEAD
    assert session.state.hidden is None
    session.step(1)
    assert asked_cells(session.state, "exp") == {(0, j) for j in range(N)}


def test_what_was_entered_is_never_asked() -> None:
    session = make_session()
    session.change(with_positional, Positional("sinusoidal"), text="Positions")
    session.answers.set_predicting(True)
    session.go_first()
    assert session.state.cursor.stage == "X"
    session.step(1)
    assert session.state.cursor.stage == "P"
    assert session.state.hidden is not None


@pytest.mark.parametrize("way", ["back", "jump", "first", "last", "off", "reveal"])
def test_every_other_way_shows_what_was_hidden(way: str) -> None:
    session = predicting("V")
    session.step(1)
    {
        "back": lambda: session.step(-1),
        "jump": lambda: session.go_to_stage("weights"),
        "first": session.go_first,
        "last": session.go_last,
        "off": lambda: session.answers.set_predicting(False),
        "reveal": session.answers.reveal,
    }[way]()
    assert session.state.hidden is None


def test_looking_round_keeps_it_hidden() -> None:
    session = predicting("V")
    session.step(1)
    session.set_focus(Cell("scores", 3, 2, 1))
    session.select_head(2)
    session.move_focus(1, 1)
    session.set_preferences(decimals=4)
    assert len(asked_cells(session.state, "scores")) == N * N


def test_an_edit_keeps_it_hidden_and_another_experiment_does_not() -> None:
    session = predicting("V")
    session.step(1)
    session.change(with_cell, Cell("X", 0, 0), 5.0, text="Set")
    assert len(asked_cells(session.state, "scores")) == N * N
    session.open_document(session.state.document)
    assert session.state.hidden is None


def test_instruments_show_only_what_stands() -> None:
    session = predicting("scores")
    assert session.state.visible_extent("scores", SHAPE) is None
    assert session.state.visible_extent("weights", SHAPE) == (0, 0)
    assert session.state.hides(Cell("weights", 0, 0))
    assert not session.state.hides(Cell("scores", 4, 4))
    assert not session.state.hides(Cell("W_Q", 0, 0))


def test_the_first_try_counts() -> None:
    session = predicting("V")
    session.answers.write("scores", {(0, 4, 4): parse_answer("9")})  # not asked yet
    session.step(1)
    truth = session.state.trace["scores"]
    session.answers.write("scores", {(0, 0, 0): parse_answer(f"{truth[0, 0, 0]:.2f}")})
    session.answers.write("scores", {(0, 0, 1): parse_answer("99")})
    assert session.state.score == Score(1, 2)
    session.answers.write(
        "scores", {(0, 0, 1): parse_answer(f"{truth[0, 0, 1]:.2f}")}
    )  # the second try
    session.answers.write("scores", {(0, 0, 0): None})
    session.answers.write("scores", {(0, 0, 0): parse_answer("99")})
    assert session.state.score == Score(1, 2)
    session.answers.write(
        "scores", {(1, i, 0): parse_answer(f"{truth[1, i, 0]:.3f}") for i in range(N)}
    )
    assert session.state.score == Score(1 + N, 2 + N)
    session.answers.reveal()
    session.answers.write("scores", {(2, 0, 0): parse_answer("1")})
    assert session.state.score == Score(1 + N, 2 + N)
    session.answers.reset_score()
    assert session.state.score == Score()


def test_playing_asks_and_reveals_by_turns_to_the_end() -> None:
    session = predicting("concat")
    session.play(True)
    seen = []
    for _ in range(3):
        session.playback.step()
        seen.append(
            (session.state.cursor.stage, session.state.hidden is not None, session.state.playing)
        )
    assert seen == [("Y", True, True), ("Y", False, False), ("Y", False, False)]


@pytest.mark.parametrize("grain", list(Grain))
def test_from_every_cell_a_step_asks_for_a_cell_that_there_is(grain: Grain) -> None:
    """Also from the last cell of a row, taken cell by cell, on to another grain: the first one asked is then of the
    next row."""
    session = predicting("Q", Grain.CELL)
    trace, start = session.state.trace, session.state.cursor
    session.set_preferences(grain=grain)
    for steps in range(timeline(trace).length):
        here = step(trace, start, Grain.CELL, steps)
        session.go_to(here)
        session.step(1)
        state = session.state
        assert exists(state.document, state.focus), (grain, here, state.focus)
        if state.hidden is not None:
            asked = asked_cells(state, state.cursor.stage)
            assert (state.focus.row, state.focus.column) == min(asked)


def test_what_was_written_before_is_no_first_try() -> None:
    """Wrong in Check, then asked for: the right number comes second, also after the experiment has changed."""
    session = predicting("V")
    right = parse_answer(f"{session.state.trace['scores'][0, 1, 2]:.5f}")
    session.answers.write("scores", {(0, 1, 2): parse_answer("99")})
    session.step(1)
    session.answers.write("scores", {(0, 1, 2): right})
    assert session.state.score == Score(0, 0)
    session.answers.write(
        "scores", {(0, 1, 3): parse_answer(f"{session.state.trace['scores'][0, 1, 3]:.5f}")}
    )
    assert session.state.score == Score(1, 1)
    session.change(with_cell, Cell("W_V", 0, 0, 0), 3.0, text="Edit")
    session.answers.write("scores", {(0, 1, 3): right})
    assert session.state.score == Score(1, 1)
    session.answers.reveal()
    session.step(-1)
    session.step(1)
    session.answers.write("scores", {(0, 1, 2): parse_answer("7")})
    assert session.state.score == Score(1, 1)
