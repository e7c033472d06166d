"""Recovery: changes survive a crash, nobody's living copy is touched, damaged files do no harm."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.document.document import Document
from core.document.edits import with_title
from core.lesson import lesson as lessons
from core.lesson.lesson import Change, ExampleSource, FileSource, Lesson, LessonScene, LocalizedText
from core.storage.archive import dumps, load
from core.storage.archive import save as save_document
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.storage import recovery as module
from gui.storage import recovery_store as store
from gui.storage.recovery import Recovery
from gui.storage.recovery import title_of as recovered_title
from gui.storage.recovery_store import Entry, copy_names, read_entry
from tests.gui.files_helpers import Answers, Desk

ROOT = Path(__file__).resolve().parents[2]

# Another program that changes a document, keeps its copy, says so, and dies or waits to be killed.
OTHER = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from core.document.edits import with_title
from core.storage.examples import load_example
from gui.storage.recovery import Recovery
from gui.session.session import Session
from gui.session.state import Preferences

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


# The same with a lesson: opened from a file or begun, changed, and at a scene of it the experiment is edited live, and
# the scene perhaps left for another one.
LESSON = """
import os, sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from core.document.edits import with_cell
from core.base.cell import Cell
from core.storage.examples import load_example
from core.lesson.lesson import LocalizedText, load
from gui.storage.recovery import Recovery
from gui.session.session import Session
from gui.session.state import Preferences

app = QCoreApplication([])
session = Session(load_example("who-ate-whom"), Preferences())
recovery = Recovery(session)
if sys.argv[2]:
    session.lesson_player.open(load(sys.argv[2]), Path(sys.argv[2]))
else:
    session.lesson_player.add_scene()
session.lesson_player.go_to(int(sys.argv[4]))
if sys.argv[1]:
    session.lesson_player.edit_lesson(title=LocalizedText({"en": sys.argv[1], "zh_CN": sys.argv[1]}))
if sys.argv[5]:
    session.change(with_cell, Cell("V", 0, 0, 0), float(sys.argv[5]), text="Edit")
if sys.argv[6]:
    session.lesson_player.go_to(int(sys.argv[6]))
assert recovery.write()
print("written", flush=True)
if sys.argv[3] == "wait":
    sys.stdin.read()
os._exit(1)
"""


def other(title: str, path: str = "", then: str = "die") -> subprocess.Popen[str]:
    """Start another program and wait until its copy is written."""
    return started([sys.executable, "-c", OTHER, title, path, then], then)


def teaching(
    title: str, path: str = "", scene: int = 0, value: str = "", leave: str = "", then: str = "die"
) -> subprocess.Popen[str]:
    """The same with a lesson."""
    return started(
        [sys.executable, "-c", LESSON, title, path, then, str(scene), value, leave], then
    )


def started(command: list[str], then: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
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


def until(left: Iterator[int], deed: Callable[..., object], *args: object) -> object:
    """Do it while some of the deeds are left, then no more: the power has gone."""
    if next(left, None) is None:
        raise OSError
    return deed(*args)


def copies(home: Path) -> list[Path]:
    return sorted((home / "recovery").glob("*.attn.json"))


def lost(entry: Entry) -> str:
    """The title of the experiment that a program left."""
    assert entry.document is not None
    return entry.document.title


def first_value(document: Document) -> float:
    """The first number of V."""
    values = document.tensor("V", 0)
    assert values is not None
    return float(values[0, 0])


def test_a_change_is_copied_soon(desk: Desk, recovery: Recovery, home: Path, qtbot: QtBot) -> None:
    document = desk.edit()
    qtbot.waitUntil(lambda: len(copies(home)) == 1)
    assert copies(home)[0].read_bytes() == dumps(document)
    latest = desk.edit("later")
    qtbot.waitUntil(lambda: copies(home)[0].read_bytes() == dumps(latest))
    recovery.finish()


def test_nothing_is_copied_without_changes(
    desk: Desk, recovery: Recovery, home: Path, qtbot: QtBot
) -> None:
    desk.session.step(1)
    desk.session.set_preferences(decimals=4)
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
    leave = (
        desk.files.save,
        desk.session.undo_stack.undo,
        lambda: desk.files.open_example("who-ate-whom"),
    )
    for number, action in enumerate(leave):
        desk.edit(str(number))
        assert recovery.write()
        assert len(copies(home)) == 1
        action()
        assert list((home / "recovery").iterdir()) == []


def test_a_clean_end_leaves_nothing(
    desk: Desk, recovery: Recovery, home: Path, qtbot: QtBot
) -> None:
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
    assert (lost(entry), entry.path) == ("lost", path)
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
    assert [lost(entry) for entry in Recovery(desk.session).find_recovered()] == ["lost"]


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
    assert [lost(entry) for entry in recovery.find_recovered()] == ["living"]


def test_the_latest_first(recovery: Recovery, home: Path) -> None:
    other("older")
    other("newer")
    assert [lost(entry) for entry in recovery.find_recovered()] == ["newer", "older"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]"])
def test_damaged_copies_do_no_harm_and_stay(recovery: Recovery, home: Path, content: bytes) -> None:
    other("whole")
    (home / "recovery" / "0damaged.attn.json").write_bytes(content)
    (home / "recovery" / "folder.attn.json").mkdir()
    assert [lost(entry) for entry in recovery.find_recovered()] == ["whole"]
    assert (home / "recovery" / "0damaged.attn.json").read_bytes() == content


@pytest.mark.parametrize("content", [None, b"", b"[1]", b'{"path": 3}'])
def test_a_damaged_origin_gives_an_untitled_document(
    recovery: Recovery, home: Path, content: bytes | None
) -> None:
    other("lost", "/somewhere/a.attn.json")
    (origin,) = (home / "recovery").glob("*.origin.json")
    origin.unlink() if content is None else origin.write_bytes(content)
    (entry,) = recovery.find_recovered()
    assert (lost(entry), entry.path) == ("lost", None)


def test_a_second_change_in_the_same_program_keeps_the_copy_fresh(desk: Desk, home: Path) -> None:
    recovery = Recovery(desk.session)
    desk.edit("one")
    assert recovery.write()
    assert not recovery.write()
    desk.session.change(with_title, "two", text="Edit")
    assert recovery.write()
    assert [load(copy).title for copy in copies(home)] == ["two"]
    recovery.finish()


# Lessons


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A lesson of three scenes in a file, the last one with an experiment of a file beside it."""
    save_document(load_example("i-love-this-apple"), tmp_path / "apple.attn.json")
    scenes = (
        LessonScene(ExampleSource("cat-eats-fish"), stage="Q"),
        LessonScene(changes=(Change("mask", '{"kind": "causal"}'),), stage="weights", row=1),
        LessonScene(FileSource("apple.attn.json"), stage="Y"),
    )
    lessons.save(Lesson(scenes, LocalizedText({"en": "As saved"})), tmp_path / "course.lesson.json")
    return tmp_path / "course.lesson.json"


def titles(home: Path) -> list[str]:
    """The titles of the lessons that are kept."""
    return [
        lessons.loads(file.read_bytes()).title.get("en")
        for file in sorted((home / "recovery").glob("*.lesson.json"))
    ]


def test_a_changed_lesson_is_copied_soon_and_dropped_when_it_is_saved(
    desk: Desk, recovery: Recovery, home: Path, qtbot: QtBot, course: Path
) -> None:
    lecture = desk.session.lesson_player
    lecture.open(lessons.load(course), course)
    qtbot.wait(60)
    assert not (home / "recovery").exists(), "nothing has changed yet"
    lecture.edit_lesson(title=LocalizedText({"en": "One"}))
    qtbot.waitUntil(lambda: titles(home) == ["One"])
    assert copies(home) == [], "the experiment has no changes"
    lecture.edit_lesson(title=LocalizedText({"en": "Two"}))
    qtbot.waitUntil(lambda: titles(home) == ["Two"])
    lesson = desk.session.state.lesson
    assert lesson is not None
    lecture.mark_saved(lesson, course)
    assert list((home / "recovery").iterdir()) == []


def test_undoing_every_change_of_a_lesson_drops_its_copy(
    desk: Desk, home: Path, course: Path
) -> None:
    recovery = Recovery(desk.session)
    desk.session.lesson_player.open(lessons.load(course), course)
    desk.session.lesson_player.remove_scene(0)
    assert recovery.write()
    assert len(titles(home)) == 1
    desk.session.lesson_player.undo_stack.undo()
    assert list((home / "recovery").iterdir()) == []


def test_only_what_has_changes_is_kept(desk: Desk, home: Path, course: Path) -> None:
    recovery = Recovery(desk.session)
    desk.session.lesson_player.open(lessons.load(course), course)
    desk.session.lesson_player.edit_lesson(title=LocalizedText({"en": "Changed"}))
    desk.edit("live")
    assert recovery.write()
    assert (titles(home), [load(copy).title for copy in copies(home)]) == (["Changed"], ["live"])
    desk.session.undo_stack.undo()
    assert (titles(home), copies(home)) == (["Changed"], [])
    assert recovery.write() is False, "the rest is there already"
    recovery.finish()
    assert list((home / "recovery").iterdir()) == []


def test_a_lesson_comes_back_after_a_crash_where_it_was(
    desk: Desk, recovery: Recovery, home: Path, course: Path
) -> None:
    teaching("Changed", str(course), scene=1)
    (entry,) = recovery.find_recovered()
    assert (entry.document, entry.lesson_path, entry.scene) == (None, course, 1)
    assert recovered_title(entry, "en") == "course.lesson.json"
    assert recovery.restore(entry)
    state = desk.session.state
    assert state.lesson is not None
    assert (state.lesson.title.get("en"), state.lesson_path, state.lesson_dirty) == (
        "Changed",
        course,
        True,
    )
    assert (state.scene_index, state.cursor.stage, state.cursor.row, state.live) == (
        1,
        "weights",
        1,
        False,
    )
    assert not state.dirty
    assert titles(home) == ["Changed"], "now kept by this program"
    assert desk.session.lesson_player.go_to(2), "the file beside the lesson is still found"
    assert desk.session.state.document.title == load_example("i-love-this-apple").title
    recovery.finish()


def test_live_edits_come_back_with_their_scene(
    desk: Desk, recovery: Recovery, home: Path, course: Path
) -> None:
    teaching("Changed", str(course), scene=1, value="0.25")
    (entry,) = recovery.find_recovered()
    assert recovery.restore(entry)
    state = desk.session.state
    assert (state.scene_index, state.live, state.dirty, state.lesson_dirty) == (1, True, True, True)
    assert first_value(state.document) == 0.25
    desk.session.lesson_player.discard_live_edits()
    assert first_value(desk.session.state.document) == 0.3, "the scene as the lesson tells it"
    recovery.finish()


@pytest.mark.parametrize("title", ["", "Changed"])
def test_live_edits_that_were_put_aside_come_back(
    desk: Desk, recovery: Recovery, home: Path, course: Path, title: str
) -> None:
    teaching(title, str(course), scene=1, value="0.25", leave="2")
    (entry,) = recovery.find_recovered()
    assert (entry.document, entry.scene, set(entry.aside)) == (None, 2, {1})
    assert recovered_title(entry, "en") == "course.lesson.json"
    assert recovery.restore(entry)
    session = desk.session
    assert (session.state.scene_index, session.state.live, session.state.dirty) == (2, False, False)
    assert (session.state.lesson_path, session.state.lesson_dirty) == (course, bool(title))
    assert [len(copies(home)), len(titles(home))] == [1, 1], "now kept by this program"
    session.lesson_player.go_to(1)
    assert first_value(session.state.document) == 0.3
    session.lesson_player.restore_live_edits()
    assert first_value(session.state.document) == 0.25
    recovery.finish()
    assert list((home / "recovery").iterdir()) == []


def test_live_edits_come_back_at_their_scene_though_the_lesson_is_as_it_was_saved(
    desk: Desk, recovery: Recovery, home: Path, course: Path
) -> None:
    teaching("", str(course), scene=1, value="0.25")
    (entry,) = recovery.find_recovered()
    assert recovery.restore(entry)
    state = desk.session.state
    assert (state.scene_index, state.live, state.dirty, state.lesson_dirty) == (
        1,
        True,
        True,
        False,
    )
    assert first_value(state.document) == 0.25
    recovery.finish()


def test_a_copy_of_live_edits_is_there_while_they_are_put_aside(
    desk: Desk, home: Path, course: Path
) -> None:
    recovery, lecture = Recovery(desk.session), desk.session.lesson_player
    lecture.open(lessons.load(course), course)
    desk.edit("live")
    assert recovery.write()
    seen: list[list[str]] = []
    desk.session.changed.connect(
        lambda _old, _new: seen.append([load(copy).title for copy in copies(home)])
    )
    lecture.go_to(1)
    assert seen
    assert all(found == ["live"] for found in seen)
    assert recovery.write()
    assert [copy.name.split(".")[1] for copy in copies(home)] == ["0"], "at its new place alone"
    lecture.close()
    assert list((home / "recovery").iterdir()) == []
    recovery.finish()


@pytest.mark.parametrize("stop", range(4))
def test_a_copy_that_is_cut_short_gives_no_scene_the_edits_of_another_and_loses_none(
    desk: Desk, home: Path, course: Path, monkeypatch: pytest.MonkeyPatch, stop: int
) -> None:
    """Edited live at scene 0 and copied; then left for scene 1 and edited live there too, before the next copy."""
    recovery, lecture = Recovery(desk.session), desk.session.lesson_player
    lecture.open(lessons.load(course), course)
    desk.edit("at 0")
    assert recovery.write()
    lecture.go_to(1)
    desk.edit("at 1")
    left = iter(range(stop))
    with monkeypatch.context() as power:
        for place, name in ((store, "write_bytes"), (store.archive, "save"), (store, "remove")):
            power.setattr(place, name, partial(until, left, getattr(place, name)))
        assert not recovery.write()
    entry = read_entry(copy_names()[0])
    assert entry is not None
    found = {scene: document.title for scene, document in entry.aside.items()}
    if entry.document is not None:
        assert entry.scene is not None
        found[entry.scene] = entry.document.title
    assert found == {0: "at 0"}, "what was copied before"
    assert recovery.write(), "the next time all of it is copied"
    entry = read_entry(copy_names()[0])
    assert entry is not None
    assert (entry.scene, [*entry.aside]) == (1, [0])
    assert lost(entry) == "at 1"
    recovery.finish()


def test_a_lesson_without_a_file_comes_back_untitled(
    desk: Desk, recovery: Recovery, home: Path
) -> None:
    teaching("Mine")
    (entry,) = recovery.find_recovered()
    assert recovered_title(entry, "zh_CN") == "Mine"
    assert recovery.restore(entry)
    state = desk.session.state
    assert (state.lesson_path, state.lesson_dirty) == (None, True)
    assert state.document.tokens == ("Ming", "eats", "apple")
    recovery.finish()


def test_a_lesson_of_a_living_program_is_left_alone_until_it_is_killed(
    recovery: Recovery, home: Path
) -> None:
    process = teaching("living", then="wait")
    try:
        assert recovery.find_recovered() == []
        assert titles(home) == ["living"]
    finally:
        process.kill()
        process.communicate()
    (entry,) = recovery.find_recovered()
    assert entry.lesson is not None
    assert entry.lesson.title.get("en") == "living"
    recovery.discard(entry)
    assert list((home / "recovery").iterdir()) == []


def test_a_damaged_lesson_stays_and_leaves_the_experiment(
    recovery: Recovery, home: Path, course: Path
) -> None:
    teaching("Changed", str(course), scene=1, value="0.25")
    (file,) = (home / "recovery").glob("*.lesson.json")
    file.write_bytes(b"{")
    (entry,) = recovery.find_recovered()
    assert (entry.lesson, entry.scene) == (None, None)
    assert entry.document is not None
    recovery.discard(entry)
    assert file.read_bytes() == b"{"
    assert copies(home) == []
    assert recovery.find_recovered() == []


def test_a_lesson_whose_experiment_is_gone_is_not_offered_but_stays(
    recovery: Recovery, home: Path, course: Path
) -> None:
    teaching("Changed", str(course))
    (course.parent / "apple.attn.json").unlink()
    assert recovery.find_recovered() == []
    assert titles(home) == ["Changed"]


def test_the_window_offers_the_lesson_and_saves_it_without_a_question(
    qtbot: QtBot, home: Path, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    teaching("Changed", str(course), value="0.25")
    window = build_window(example="cat-eats-fish", language="en")
    qtbot.addWidget(window)
    window.show()
    window.offer_recovery()
    assert window.message_bar._text.text().startswith(
        "“course.lesson.json + Cat eats fish” was not saved when"
    )
    (entry,) = window.recovery.find_recovered()
    assert window.recovery.restore(entry)
    window.files.ask = Answers()
    assert window.lesson_files.save()
    assert window.files.ask.asked == []
    assert lessons.load(course).title.get("en") == "Changed"
    window.session.undo_stack.undo()
    window.close()
    assert list((home / "recovery").iterdir()) == []


@pytest.mark.parametrize("newer", [True, False])
def test_saving_restored_changes_asks_where_the_file_is_newer(
    desk: Desk, tmp_path: Path, newer: bool
) -> None:
    path = tmp_path / "a.attn.json"
    desk.ask.saved = path
    desk.edit("saved")
    assert desk.files.save()
    recovery = Recovery(desk.session, desk.files.maybe_save, desk.files)
    desk.edit("lost in a crash")
    assert recovery.write()
    (name,) = copy_names()
    entry = read_entry(name)
    assert entry is not None
    if newer:
        path.write_bytes(dumps(with_title(load(path), "written since")))
    desk.ask.answer, desk.ask.agrees = "discard", False
    desk.files.open_example("who-ate-whom")
    assert recovery.restore(entry)
    desk.ask.asked.clear()
    assert desk.files.save() is not newer
    assert desk.ask.asked == (["changed a.attn.json"] if newer else [])
    assert load(path).title == ("written since" if newer else "lost in a crash")
