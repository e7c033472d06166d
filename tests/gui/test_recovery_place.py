"""After a crash one stands where one stood, with what the hall was shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from core.explain.timeline import Cursor, Reach
from core.storage.examples import load_example
from gui.session.session import Session
from gui.session.state import Preferences
from gui.storage.recovery import Recovery
from gui.storage.recovery_store import Origin, RecoveredState

ROOT = Path(__file__).resolve().parents[2]

DIES = """
import os, sys
from PySide6.QtCore import QCoreApplication
from core.base.cell import Cell
from core.explain.timeline import Cursor, Reach
from core.document.edits import with_cell
from core.storage.examples import load_example
from core.lesson.lesson import lesson_path, load
from gui.storage.recovery import Recovery
from gui.session.session import Session
from gui.session.state import Preferences

app = QCoreApplication([])
session = Session(load_example("cat-eats-fish"), Preferences())
recovery = Recovery(session)
if sys.argv[1] == "lesson":
    session.lesson_player.open(load(lesson_path("first-steps")))
    while session.state.steps_taken < 2:
        session.lesson_player.forward()
session.change(with_cell, Cell("V", 1, 0, 0), 0.625, text="Edit")
session.set_preferences(presented=(("weights", "diagram"),), decimals=3)
assert recovery.write()
if sys.argv[1] != "lesson":
    session.go_to(Cursor("weights", 0, 1, 1, Reach.CELL))
    assert recovery.write()
print(session.state.scene_index, session.state.steps_taken, session.state.cursor, flush=True)
os._exit(1)
"""


def died(what: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", DIES, what], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return done.stdout.strip()


@pytest.fixture
def session(qapp: object) -> Session:
    return Session(load_example("who-ate-whom"), Preferences())


def restored(session: Session) -> Recovery:
    recovery = Recovery(session)
    (entry,) = recovery.find_recovered()
    assert recovery.restore(entry)
    return recovery


def test_the_step_comes_back_with_the_experiment(session: Session) -> None:
    died("experiment")
    recovery = restored(session)
    state = session.state
    assert state.document.title == load_example("cat-eats-fish").title
    assert float(state.trace["V"][0, 1, 0]) == 0.625
    assert state.cursor == Cursor("weights", 0, 1, 1, Reach.CELL)
    assert state.preferences.presented == (("weights", "diagram"),)
    recovery.finish()


def test_the_scene_s_own_step_comes_back_with_its_live_edits(session: Session) -> None:
    said = died("lesson")
    recovery = restored(session)
    state = session.state
    assert state.live
    assert state.steps_taken == 2
    assert f"{state.scene_index} {state.steps_taken} {state.cursor}" == said
    recovery.finish()


def test_a_step_alone_is_nothing_to_lose(session: Session, home: Path) -> None:
    recovery = Recovery(session)
    session.go_to_stage("weights")
    assert not recovery.write()
    recovery.finish()


@pytest.mark.parametrize(
    "stand",
    [RecoveredState("nowhere"), RecoveredState("weights", -1), RecoveredState("weights", 0, 0, -3)],
)
def test_a_place_that_is_none_is_left_out(stand: RecoveredState) -> None:
    assert stand.cursor is None


def test_a_place_is_no_other_place_for_the_copy() -> None:
    told = Origin("a.attn.json", stand=RecoveredState("weights", 0, 1, 2, Reach.CELL, 3))
    assert told.place == Origin("a.attn.json")
    assert msgspec.json.decode(msgspec.json.encode(told), type=Origin) == told
