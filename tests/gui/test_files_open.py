"""Opening: files, examples, recent and dropped ones; unsaved changes are asked about first."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.document.create import Sizes, create
from core.models import open_model
from core.storage.archive import dumps, save
from core.storage.examples import load_example
from core.storage.model_file import linked_layer
from gui.texts.errors import error_message
from tests.core.model_kit import write_checkpoint
from tests.gui.files_helpers import Desk


@pytest.fixture
def desk(qtbot: QtBot) -> Desk:
    window = QWidget()
    qtbot.addWidget(window)
    return Desk(window)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "小明 吃.attn.json"
    save(load_example("who-ate-whom"), path)
    return path


def test_open_a_given_file(desk: Desk, file: Path) -> None:
    assert desk.files.open(file)
    state = desk.session.state
    assert dumps(state.document) == file.read_bytes()
    assert (state.path, state.dirty) == (file, False)
    assert desk.recent == (str(file),)
    assert desk.ask.asked == []


def test_open_asks_for_a_file(desk: Desk, file: Path) -> None:
    desk.ask.opened = file
    assert desk.files.open()
    assert desk.session.state.path == file
    assert desk.files.open()
    assert desk.ask.suggested[-1] == file.parent


def test_no_file_chosen_changes_nothing(desk: Desk) -> None:
    before = desk.session.state
    assert not desk.files.open()
    assert desk.session.state is before


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "file.unreadable"),
        (b"", "file.empty"),
        (b"{", "file.syntax"),
        (b'{"format": "self-attention-experiment", "version": 3}', "file.newer"),
    ],
)
def test_a_bad_file_is_told_and_changes_nothing(
    desk: Desk, tmp_path: Path, content: bytes | None, code: str
) -> None:
    path = tmp_path / "bad.attn.json"
    if content is not None:
        path.write_bytes(content)
    before = desk.session.state
    assert not desk.files.open(path)
    assert [problem.code for problem in desk.problems] == [code]
    assert "bad.attn.json" in error_message(desk.problems[0])
    assert desk.session.state is before


def test_examples_open_untitled(desk: Desk, file: Path) -> None:
    desk.files.open(file)
    assert desk.files.open_example("four-words-causal")
    state = desk.session.state
    assert dumps(state.document) == dumps(load_example("four-words-causal"))
    assert (state.path, state.dirty) == (None, False)
    assert desk.recent == (str(file),)


def test_an_unknown_example_is_told(desk: Desk) -> None:
    assert not desk.files.open_example("nope")
    assert [problem.code for problem in desk.problems] == ["example.unknown"]


@pytest.mark.parametrize("way", ["open", "example", "recent", "new"])
@pytest.mark.parametrize(
    ("answer", "goes_on"), [("cancel", False), ("discard", True), ("save", True)]
)
def test_unsaved_changes_are_asked_about(
    desk: Desk, file: Path, tmp_path: Path, way: str, answer: str, goes_on: bool
) -> None:
    changed = desk.edit()
    desk.ask.answer, desk.ask.saved = answer, tmp_path / "mine.attn.json"
    desk.ask.new = create(("a", "b"), "qkv", Sizes())
    done = {
        "open": lambda: desk.files.open(file),
        "example": lambda: desk.files.open_example("who-ate-whom"),
        "recent": lambda: desk.files.open_recent(str(file)),
        "new": desk.files.new,
    }[way]()
    assert done is goes_on
    assert "unsaved changed" in desk.ask.asked
    assert (desk.session.state.document is changed) is not goes_on
    assert desk.session.state.dirty is not goes_on
    assert desk.ask.saved.exists() is (answer == "save")


def test_new_is_untitled(desk: Desk, file: Path) -> None:
    desk.files.open(file)
    desk.ask.new = create(("a", "b"), "qkv", Sizes())
    assert desk.files.new()
    assert desk.session.state.document is desk.ask.new
    assert (desk.session.state.path, desk.session.state.dirty) == (None, False)


def test_new_thought_better_of(desk: Desk) -> None:
    before = desk.session.state
    assert not desk.files.new()
    assert desk.session.state is before


def test_what_is_open_is_asked_about_before_a_new_one_is_filled_in(desk: Desk) -> None:
    desk.edit()
    desk.ask.answer = "cancel"
    assert not desk.files.new()
    assert "new" not in desk.ask.asked
    desk.ask.answer = "discard"
    desk.files.new()
    assert [word.split()[0] for word in desk.ask.asked] == ["unsaved", "unsaved", "new"]


def test_recent_holds_ten_the_latest_first_each_once(desk: Desk, tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.attn.json" for number in range(12)]
    for path in paths:
        save(load_example("cat-eats-fish"), path)
        assert desk.files.open(path)
    assert desk.files.open_recent(str(paths[5]))
    order = [5, 11, 10, 9, 8, 7, 6, 4, 3, 2]
    assert desk.recent == tuple(str(paths[number]) for number in order)


def test_a_recent_file_that_is_gone_leaves_the_list_with_a_sentence(desk: Desk, file: Path) -> None:
    desk.files.open(file)
    file.unlink()
    desk.files.open_example("cat-eats-fish")
    changed = desk.edit()
    assert not desk.files.open_recent(str(file))
    assert desk.recent == ()
    assert [(problem.code, problem.data) for problem in desk.problems] == [
        ("recent.missing", {"path": str(file)})
    ]
    assert desk.session.state.document is changed
    assert desk.ask.asked == []


def test_drop(desk: Desk, file: Path, qtbot: QtBot) -> None:
    urls = [QUrl("https://example.org/a.attn.json"), QUrl.fromLocalFile(str(file))]
    assert desk.files.accepts(urls)
    assert desk.files.dropped(urls)
    qtbot.waitUntil(lambda: desk.session.state.path == file)


@pytest.mark.parametrize("url", ["https://example.org/a.attn.json", "file:///nowhere/a.attn.json"])
def test_what_is_no_file_is_not_taken(desk: Desk, url: str, tmp_path: Path) -> None:
    for urls in ([QUrl(url)], [QUrl.fromLocalFile(str(tmp_path))], []):
        assert not desk.files.accepts(urls)
        assert not desk.files.dropped(urls)


def test_a_file_read_before_there_was_a_window(
    desk: Desk, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    desk.session.open_document(load_example("who-ate-whom"))
    desk.files.adopt(file.name)
    assert (desk.session.state.path, desk.session.state.dirty) == (file, False)
    assert desk.recent == (str(file),)


def test_a_model_that_was_moved_is_found(desk: Desk, tmp_path: Path) -> None:
    folder, path = write_checkpoint(tmp_path / "tiny", "gpt2"), tmp_path / "layer.attn.json"
    document = linked_layer(open_model(folder), 2, ids=(3, 1, 4))
    save(document, path)
    moved = folder.rename(tmp_path / "moved")
    assert not desk.files.open(path)
    assert desk.ask.asked == ["The model tiny that this experiment points to is not there."]
    assert [problem.code for problem in desk.problems] == ["model.lost"]
    desk.ask.model = write_checkpoint(tmp_path / "other", "llama")
    assert not desk.files.open(path)
    assert desk.problems[-1].code == "model.changed"
    desk.ask.model = moved
    assert desk.files.open(path)
    opened = desk.session.state.document
    assert (opened.X == document.X).all()
    assert opened.link is not None
    assert opened.link.path == str(moved)
    save(opened, path)
    assert desk.files.open(path)
    assert len(desk.ask.asked) == 3
