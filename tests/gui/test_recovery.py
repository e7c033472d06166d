"""Recovery: changes survive a crash, nobody's living copy is touched, damaged files do no harm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.archive import dumps, load
from core.edits import with_title
from gui import recovery as module
from gui.recovery import Recovery
from tests.gui.files_helpers import Desk

ROOT = Path(__file__).resolve().parents[2]

# Another program that changes a document, keeps its copy, says so, and dies or waits to be killed.
OTHER = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from core.edits import with_title
from core.examples import load_example
from gui.recovery import Recovery
from gui.session import Session
from gui.state import Preferences

app = QCoreApplication([])
session = Session(load_example("who-ate-whom"), Preferences())
recovery = Recovery(session)
session.open_document(session.state.document, Path(sys.argv[2]) if sys.argv[2] else None)
session.change(with_title, sys.argv[1], text="Edit")
assert recovery.write()
print("written", flush=True)
if sys.argv[3] == "wait":
    sys.stdin.read()
os._exit(1)
"""


def other(title: str, path: str = "", then: str = "die") -> subprocess.Popen[str]:
    """Start another program and wait until its copy is written."""
    command = [sys.executable, "-c", OTHER, title, path, then]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "written"
    if then == "die":
        process.communicate()
    return process


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    window = QWidget()
    qtbot.addWidget(window)
    return Desk(window)


@pytest.fixture
def recovery(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Recovery:
    monkeypatch.setattr(module, "DELAY", 20)
    return Recovery(desk.session, desk.files.maybe_save)


def copies(home: Path) -> list[Path]:
    return sorted((home / "recovery").glob("*.attn.json"))


def test_a_change_is_copied_soon(desk: Desk, recovery: Recovery, home: Path, qtbot: QtBot) -> None:
    document = desk.edit()
    qtbot.waitUntil(lambda: len(copies(home)) == 1)
    assert copies(home)[0].read_bytes() == dumps(document)
    latest = desk.edit("later")
    qtbot.waitUntil(lambda: copies(home)[0].read_bytes() == dumps(latest))
    recovery.finish()


def test_nothing_is_copied_without_changes(desk: Desk, recovery: Recovery, home: Path, qtbot: QtBot) -> None:
    desk.session.step(1)
    desk.session.prefer(decimals=4)
    qtbot.wait(60)
    assert not recovery.write()
    assert not (home / "recovery").exists()


def test_several_changes_wait_for_one_copy(desk: Desk, home: Path) -> None:
    recovery = Recovery(desk.session)
    for number in range(5):
        desk.edit(str(number))
    assert copies(home) == []
    assert recovery.write()
    assert [load(copy).title for copy in copies(home)] == ["4"]
    recovery.finish()


def test_saving_undoing_or_opening_removes_the_copy(desk: Desk, home: Path, tmp_path: Path) -> None:
    recovery = Recovery(desk.session)
    desk.ask.saved, desk.ask.answer = tmp_path / "a.attn.json", "discard"
    leave = (desk.files.save, desk.session.undo_stack.undo, lambda: desk.files.open_example("who-ate-whom"))
    for number, action in enumerate(leave):
        desk.edit(str(number))
        assert recovery.write()
        assert len(copies(home)) == 1
        action()
        assert list((home / "recovery").iterdir()) == []


def test_a_clean_end_leaves_nothing(desk: Desk, recovery: Recovery, home: Path, qtbot: QtBot) -> None:
    desk.edit()
    assert recovery.write()
    recovery.finish()
    desk.edit("after the end")
    qtbot.wait(60)
    assert list((home / "recovery").iterdir()) == []


def test_a_disk_that_refuses_is_no_error(desk: Desk, home: Path) -> None:
    recovery = Recovery(desk.session)
    (home / "recovery").write_text("a file where the folder should be")
    desk.edit()
    assert not recovery.write()
    assert recovery.find_recovered() == []
    recovery.finish()


def test_nothing_to_recover(recovery: Recovery) -> None:
    assert recovery.find_recovered() == []


def test_restore_after_a_crash(desk: Desk, recovery: Recovery, home: Path, tmp_path: Path) -> None:
    path = tmp_path / "小明.attn.json"
    other("lost", str(path))
    (entry,) = recovery.find_recovered()
    assert (entry.document.title, entry.path) == ("lost", path)
    assert recovery.restore(entry)
    state = desk.session.state
    assert (state.document.title, state.path, state.dirty) == ("lost", path, True)
    assert [load(copy).title for copy in copies(home)] == ["lost"]  # now kept by this program
    assert desk.files.save()
    assert load(path).title == "lost"
    assert list((home / "recovery").iterdir()) == []


def test_restoring_asks_about_changes_first(desk: Desk, recovery: Recovery, home: Path) -> None:
    other("lost")
    (entry,) = recovery.find_recovered()
    mine = desk.edit("mine")
    assert not recovery.restore(entry)
    assert desk.session.state.document is mine
    assert [load(copy).title for copy in copies(home)] == ["lost"]
    recovery.finish()


def test_discard(recovery: Recovery, home: Path) -> None:
    other("lost")
    (entry,) = recovery.find_recovered()
    recovery.discard(entry)
    assert recovery.find_recovered() == []
    assert list((home / "recovery").iterdir()) == []


def test_neither_restored_nor_discarded_is_offered_again(desk: Desk, recovery: Recovery) -> None:
    other("lost")
    assert len(recovery.find_recovered()) == 1
    recovery.finish()
    assert [entry.document.title for entry in Recovery(desk.session).find_recovered()] == ["lost"]


def test_each_is_offered_by_one_program(desk: Desk, recovery: Recovery) -> None:
    other("lost")
    assert len(recovery.find_recovered()) == 1
    assert len(recovery.find_recovered()) == 1
    assert Recovery(desk.session).find_recovered() == []


def test_a_living_program_is_left_alone_until_it_is_killed(recovery: Recovery, home: Path) -> None:
    process = other("living", then="wait")
    try:
        assert recovery.find_recovered() == []
        assert [load(copy).title for copy in copies(home)] == ["living"]
    finally:
        process.kill()
        process.communicate()
    assert [entry.document.title for entry in recovery.find_recovered()] == ["living"]


def test_the_latest_first(recovery: Recovery, home: Path) -> None:
    other("older")
    other("newer")
    assert [entry.document.title for entry in recovery.find_recovered()] == ["newer", "older"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]"])
def test_damaged_copies_do_no_harm_and_stay(recovery: Recovery, home: Path, content: bytes) -> None:
    other("whole")
    (home / "recovery" / "0damaged.attn.json").write_bytes(content)
    (home / "recovery" / "folder.attn.json").mkdir()
    assert [entry.document.title for entry in recovery.find_recovered()] == ["whole"]
    assert (home / "recovery" / "0damaged.attn.json").read_bytes() == content


@pytest.mark.parametrize("content", [None, b"", b"[1]", b'{"path": 3}'])
def test_a_damaged_origin_gives_an_untitled_document(recovery: Recovery, home: Path, content: bytes | None) -> None:
    other("lost", "/somewhere/a.attn.json")
    (origin,) = (home / "recovery").glob("*.origin.json")
    origin.unlink() if content is None else origin.write_bytes(content)
    (entry,) = recovery.find_recovered()
    assert (entry.document.title, entry.path) == ("lost", None)


def test_a_second_change_in_the_same_program_keeps_the_copy_fresh(desk: Desk, home: Path) -> None:
    recovery = Recovery(desk.session)
    desk.edit("one")
    assert recovery.write()
    assert not recovery.write()
    desk.session.change(with_title, "two", text="Edit")
    assert recovery.write()
    assert [load(copy).title for copy in copies(home)] == ["two"]
    recovery.finish()
