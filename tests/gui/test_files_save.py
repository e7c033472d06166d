"""Saving: names and endings, other programs' changes, refusals of the disk, the question on closing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from core.document.edits import with_title
from core.storage.archive import dumps, load
from gui.session.preferences import load_preferences, save_preferences
from gui.storage.experiment_files import SUFFIX, file_name, with_suffix
from gui.storage.recovery import Recovery
from gui.storage.recovery_store import copy_names, read_entry
from tests.gui.files_helpers import Desk


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    window = QWidget()
    qtbot.addWidget(window)
    return Desk(window)


@pytest.fixture
def saved(desk: Desk, tmp_path: Path) -> Path:
    """The file to which the desk's document was saved."""
    desk.ask.saved = tmp_path / "a.attn.json"
    assert desk.files.save()
    desk.ask.asked.clear()
    return desk.ask.saved


def write_behind(path: Path, content: bytes) -> None:
    """Write as another program would, a second later."""
    path.write_bytes(content)
    later = path.stat().st_mtime_ns + 10**9
    os.utime(path, ns=(later, later))


def test_untitled_asks_for_a_place(desk: Desk, tmp_path: Path) -> None:
    document = desk.edit("Cats: who/eats?")
    desk.ask.saved = tmp_path / "cats"
    assert desk.files.save()
    path = tmp_path / "cats.attn.json"
    assert path.read_bytes() == dumps(document)
    assert desk.ask.suggested[0].name == "Cats who eats.attn.json"
    assert (desk.session.state.path, desk.session.state.dirty) == (path, False)
    assert desk.recent == (str(path),)


def test_thought_better_of(desk: Desk) -> None:
    desk.edit()
    assert not desk.files.save()
    assert desk.session.state.dirty


def test_save_again_asks_nothing(desk: Desk, saved: Path) -> None:
    for title in ("one", "two"):
        document = desk.edit(title)
        assert desk.session.state.dirty
        assert desk.files.save()
        assert saved.read_bytes() == dumps(document)
        assert not desk.session.state.dirty
    assert desk.ask.asked == []


def test_undo_back_to_what_is_saved_is_clean(desk: Desk, saved: Path) -> None:
    desk.edit()
    desk.session.undo_stack.undo()
    assert not desk.session.state.dirty
    desk.session.undo_stack.redo()
    assert desk.session.state.dirty


@pytest.mark.parametrize("agrees", [False, True])
def test_a_file_changed_by_another_program_is_asked_about(
    desk: Desk, saved: Path, agrees: bool
) -> None:
    mine = dumps(desk.edit("mine"))
    write_behind(saved, b"theirs")
    desk.ask.agrees = agrees
    assert desk.files.save() is agrees
    assert desk.ask.asked == ["changed a.attn.json"]
    assert saved.read_bytes() == (mine if agrees else b"theirs")
    assert desk.session.state.dirty is not agrees
    if agrees:
        desk.edit("again")
        assert desk.files.save()
        assert len(desk.ask.asked) == 1


def test_changed_since_it_was_opened_by_someone_else_than_files(desk: Desk, saved: Path) -> None:
    desk.session.open_document(load(saved), None)
    desk.session.open_document(load(saved), saved)
    desk.edit()
    write_behind(saved, b"theirs")
    assert not desk.files.save()
    assert desk.ask.asked == ["changed a.attn.json"]


def test_a_file_that_vanished_is_written_anew(desk: Desk, saved: Path) -> None:
    document = desk.edit()
    saved.unlink()
    assert desk.files.save()
    assert saved.read_bytes() == dumps(document)
    assert desk.ask.asked == []


def test_save_as_leaves_the_old_file(desk: Desk, saved: Path, tmp_path: Path) -> None:
    before = saved.read_bytes()
    document = desk.edit()
    desk.ask.saved = tmp_path / "b.attn.json"
    assert desk.files.save_as()
    assert desk.ask.suggested[-1] == saved
    assert (saved.read_bytes(), desk.ask.saved.read_bytes()) == (before, dumps(document))
    assert desk.session.state.path == desk.ask.saved
    assert desk.recent == (str(desk.ask.saved), str(saved))


@pytest.mark.parametrize("agrees", [False, True])
def test_an_ending_that_was_added_may_hit_another_file(
    desk: Desk, tmp_path: Path, agrees: bool
) -> None:
    other = tmp_path / "b.attn.json"
    other.write_text("other")
    desk.ask.saved, desk.ask.agrees = tmp_path / "b", agrees
    assert desk.files.save_as() is agrees
    assert desk.ask.asked == ["save", "overwrite b.attn.json"]
    assert (other.read_text(encoding="utf-8") == "other") is not agrees


def test_the_disk_refuses(desk: Desk, tmp_path: Path) -> None:
    document = desk.edit()
    desk.ask.saved = tmp_path / "nowhere" / "a.attn.json"
    assert not desk.files.save()
    assert [problem.code for problem in desk.problems] == ["file.unwritable"]
    state = desk.session.state
    assert (state.document, state.path, state.dirty) == (document, None, True)


@pytest.mark.parametrize(
    ("answer", "place", "leaves"),
    [
        ("cancel", "a", False),
        ("discard", "a", True),
        ("save", "a", True),
        ("save", None, False),
        ("save", "no/a", False),
    ],
)
def test_closing(desk: Desk, tmp_path: Path, answer: str, place: str | None, leaves: bool) -> None:
    assert desk.files.maybe_save()
    assert desk.ask.asked == []
    desk.edit()
    desk.ask.answer, desk.ask.saved = answer, tmp_path / place if place else None
    assert desk.files.maybe_save() is leaves
    assert desk.ask.asked[0] == "unsaved changed"


def test_closing_names_the_file(desk: Desk, saved: Path) -> None:
    desk.edit()
    assert not desk.files.maybe_save()
    assert desk.ask.asked == ["unsaved a.attn.json"]


def test_what_is_being_typed_is_saved(desk: Desk, saved: Path, qtbot: QtBot) -> None:
    field = QLineEdit(desk.window)
    field.editingFinished.connect(
        lambda: desk.session.change(with_title, field.text(), text="Edit")
    )
    desk.window.show()
    desk.window.activateWindow()
    qtbot.waitUntil(desk.window.isActiveWindow)
    field.setFocus()
    qtbot.keyClicks(field, "typed")
    qtbot.keyClick(field, Qt.Key.Key_X)
    assert desk.files.save()
    assert load(saved).title == "typedx"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a", "a.attn.json"),
        ("a.b", "a.b.attn.json"),
        ("a.json", "a.attn.json"),
        ("a.JSON", "a.attn.json"),
        ("a.attn.json", "a.attn.json"),
        ("A.Attn.Json", "A.Attn.Json"),
        ("小猫", "小猫.attn.json"),
    ],
)
def test_endings(name: str, expected: str) -> None:
    assert with_suffix(Path("folder") / name, SUFFIX) == Path("folder") / expected


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("小猫 吃 鱼", "小猫 吃 鱼"),
        ('a/b\\c:d*e?f"g<h>i|j', "a b c d e f g h i j"),
        ("  two\n lines\t", "two lines"),
        ("..", ""),
        ("", ""),
        ("x" * 100, "x" * 60),
    ],
)
def test_file_names(title: str, expected: str) -> None:
    assert file_name(title) == expected


def test_an_example_is_called_by_its_name_in_the_language_in_force(desk: Desk) -> None:
    desk.session.set_language("zh_CN")
    desk.files.open_example("who-ate-whom")
    assert desk.files.name().startswith("谁吃了谁")
    desk.files.save()
    assert desk.ask.suggested[-1].name.startswith("谁吃了谁")


@pytest.mark.parametrize("agrees", [True, False])
def test_a_completed_name_asks_before_it_replaces(desk: Desk, tmp_path: Path, agrees: bool) -> None:
    other = tmp_path / "cats.attn.json"
    other.write_text("other")
    desk.edit("new")
    desk.ask.saved, desk.ask.agrees = tmp_path / "cats", agrees
    assert desk.files.save_as() is agrees
    assert desk.ask.asked[-1] == "overwrite cats.attn.json"
    assert (other.read_text() == "other") is not agrees


def test_a_name_that_is_too_long_is_refused_and_nothing_is_lost(desk: Desk, tmp_path: Path) -> None:
    desk.edit("new")
    desk.ask.saved, desk.ask.answer = tmp_path / ("a" * 250), "save"
    assert not desk.files.maybe_save()
    assert [problem.data["reason"] for problem in desk.problems] == ["name"]
    assert desk.session.state.dirty


def test_a_recent_file_whose_folder_cannot_be_read_does_no_harm(desk: Desk, tmp_path: Path) -> None:
    """A part of a path that is too long raises OSError as a folder without permissions does."""
    bad = tmp_path / ("d" * 300) / "a.attn.json"
    desk.session.set_preferences(recent=(str(bad),))
    assert desk.files.folder().is_dir()
    assert not desk.files.open_recent(str(bad))
    assert [problem.code for problem in desk.problems] == ["recent.missing"]


@pytest.mark.skipif(os.name != "posix" or os.uname().sysname == "Darwin", reason="names are UTF-8")
def test_a_file_name_that_is_not_utf_8_is_saved_and_remembered(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode("猫.attn.json".encode("gbk"))
    desk.ask.saved = path
    document = desk.edit("cats")
    assert desk.files.save()
    assert path.read_bytes() == dumps(document)
    assert save_preferences(desk.session.state.preferences)
    assert load_preferences().recent == (str(path),)
    recovery = Recovery(desk.session, files=desk.files)
    changed = desk.edit("more cats")
    assert recovery.write()
    (name,) = copy_names()
    entry = read_entry(name)
    assert entry is not None
    assert entry.path == path
    assert entry.document is not None
    assert dumps(entry.document) == dumps(changed)


def test_two_dropped_files_open_the_first_and_say_so(
    desk: Desk, tmp_path: Path, qtbot: QtBot
) -> None:
    files = [tmp_path / "a.attn.json", tmp_path / "b.attn.json"]
    for file in files:
        file.write_bytes(dumps(desk.session.state.document))
    assert desk.files.dropped([QUrl.fromLocalFile(str(file)) for file in files])
    qtbot.waitUntil(lambda: bool(desk.problems))
    assert desk.session.state.path == files[0]
    assert [problem.code for problem in desk.problems] == ["drop.several"]
