"""What a learner wrote is there again: after another experiment, after a restart, after a crash."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.check.answers import Index, LearnerWork, parse_answer
from core.check.given import NOT_IMPORTED, Given, rounded_tensors
from core.document.document import Document
from core.document.edits import with_cell, with_title
from core.storage.archive import save
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.session.preferences import load_preferences, save_preferences
from gui.session.session import Session
from gui.session.state import Preferences
from gui.storage import answers as store
from gui.storage import recovery_store
from gui.storage.answers import AnswerAutosave
from gui.storage.experiment_files import SUFFIX
from gui.storage.recovery import Recovery
from tests.gui.check_kit import texts
from tests.gui.files_helpers import Answers as Told

FIRST, OTHER = "who-ate-whom", "cat-eats-fish"
Q: dict[Index, str] = {(0, 0, 0): "1/3", (0, 1, 1): "-0.50"}

pytestmark = pytest.mark.usefixtures("qapp")


def start(document: Document | None = None) -> tuple[Session, AnswerAutosave]:
    session = Session(document or load_example(FIRST), Preferences())
    answers = AnswerAutosave(session)
    answers.restore()
    return session, answers


def write(session: Session, stage: str = "Q", numbers: dict[Index, str] = Q) -> None:
    session.answers.write(stage, {index: parse_answer(text) for index, text in numbers.items()})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "exercise.attn.json"
    save(load_example(FIRST), path)
    return path


def test_another_file_and_back(file: Path) -> None:
    session, _answers = start(load_example(OTHER))
    session.open_document(load_example(FIRST), file)
    write(session)
    session.open_document(load_example(OTHER))
    assert not session.state.entries
    session.open_document(load_example(FIRST), file)
    assert texts(session, "Q") == Q


def test_a_restart_and_the_notation_stays() -> None:
    session, answers = start()
    write(session)
    assert answers.save_now()
    again, _answers = start()
    assert texts(again, "Q") == Q
    assert again.state.entries == session.state.entries
    assert not again.state.dirty


def test_they_reach_the_disk_by_themselves(qtbot: QtBot) -> None:
    session, _answers = start()
    write(session)
    name = store.key_of_numbers(session.state.document)
    qtbot.waitUntil(
        lambda: (
            (kept := store.read_answers(name)) is not None and kept.entries == session.state.entries
        )
    )


def test_a_file_that_has_changed_since_is_the_same_experiment(file: Path) -> None:
    session, answers = start()
    session.open_document(load_example(FIRST), file)
    session.change(with_cell, Cell("X", 0, 0), 7.0, text="Edit")
    write(session)
    session.mark_saved(file)
    assert answers.save_now()
    again, _answers = start(load_example(OTHER))
    again.open_document(session.state.document, file)
    assert texts(again, "Q") == Q


def test_edits_given_up_leave_the_answers_to_an_example() -> None:
    session, answers = start()
    write(session)
    session.change(with_cell, Cell("X", 0, 0), 7.0, text="Edit")
    write(session, "K", {(0, 0, 0): "2"})
    session.open_document(load_example(FIRST))
    assert texts(session, "Q") == Q
    assert texts(session, "K") == {(0, 0, 0): "2"}
    assert answers.save_now()


def test_saved_elsewhere_and_found_by_its_numbers(tmp_path: Path) -> None:
    session, answers = start()
    session.change(with_cell, Cell("X", 0, 0), 7.0, text="Edit")
    write(session)
    session.mark_saved(tmp_path / "mine.attn.json")
    assert answers.save_now()
    again, _answers = start(load_example(OTHER))
    again.open_document(with_title(session.state.document, "renamed"), tmp_path / "moved.attn.json")
    assert texts(again, "Q") == Q


def test_what_was_cleared_stays_away() -> None:
    session, answers = start()
    write(session)
    session.answers.clear("Q")
    assert answers.save_now()
    assert not start()[0].state.entries


def test_other_numbers_are_another_experiment() -> None:
    session, answers = start()
    write(session)
    assert answers.save_now()
    document = load_example(FIRST)
    assert document.X is not None
    assert not start(with_cell(document, Cell("X", 0, 0), float(document.X[0, 0]) + 1))[
        0
    ].state.entries


def test_damaged_and_foreign_files_are_no_answers() -> None:
    session, answers = start()
    write(session)
    assert answers.save_now()
    for file in store.answers_folder().iterdir():
        file.write_text(
            '{"Q": {"0,0,0": "1/3", "0,0": "1", "-1,0,0": "1", "0,1,1": "?"}, "nowhere": {"0": "1"}}'
        )
    assert texts(start()[0], "Q") == {(0, 0, 0): "1/3"}
    for file in store.answers_folder().iterdir():
        file.write_text('{"Q": 3')
    assert not start()[0].state.entries


def test_the_oldest_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST", 3)
    session, _answers = start()
    write(session)
    for number in range(5):
        assert store.write_answers({str(number): LearnerWork(session.state.entries)}, {})
    assert sorted(file.stem for file in store.answers_folder().iterdir()) == ["2", "3", "4"]


def test_a_crash_leaves_them_with_the_changes(file: Path) -> None:
    """They come back with what was not saved, although nothing was written beside it."""
    session = Session(load_example(FIRST), Preferences())
    recovery = Recovery(session)
    session.open_document(load_example(FIRST), file)
    session.change(with_cell, Cell("X", 0, 0), 7.0, text="Edit")
    write(session)
    assert recovery.write()
    assert recovery._lock is not None
    recovery._lock.unlock()  # as the system does for the dead
    next_session, _answers = start(load_example(OTHER))
    (entry,) = Recovery(next_session).find_recovered()
    next_recovery = Recovery(next_session)
    assert next_recovery.restore(entry)
    assert texts(next_session, "Q") == Q
    recovery.finish()


def test_a_number_alone_never_takes_the_changes_away(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy of the experiment stays on the disk while a newer one with other answers is written."""
    session = Session(load_example(FIRST), Preferences())
    recovery = Recovery(session)
    session.change(with_title, "first", text="Edit")
    assert recovery.write()
    session.change(with_title, "second", text="Edit")
    write(session)

    def refuse(*_arguments: object) -> None:
        raise OSError

    monkeypatch.setattr(recovery_store, "write_bytes", refuse)
    assert not recovery.write()
    assert recovery_store.file_of(recovery._name, SUFFIX).exists()
    recovery.finish()


def test_the_window_keeps_and_brings_back(qtbot: QtBot, file: Path) -> None:
    window = build_window(file)
    qtbot.addWidget(window)
    write(window.session)
    assert window.close()
    again = build_window(file)
    qtbot.addWidget(again)
    assert texts(again.session, "Q") == Q
    assert not again.session.state.dirty


class Asked(Told):
    def lose_answers(self, parent: object) -> bool:
        self.asked.append("lose")
        return self.agrees


def test_a_disk_that_refuses_is_asked_about(qtbot: QtBot, home: Path) -> None:
    window = build_window()
    qtbot.addWidget(window)
    window.files.ask = asked = Asked()
    (home / "answers").write_text("in the way")
    write(window.session)
    assert not window.close()
    assert asked.asked == ["lose"]
    asked.agrees = True
    assert window.close()


def test_what_was_imported_or_chosen_comes_back_with_them(file: Path) -> None:
    session, answers = start(load_example(OTHER))
    session.open_document(load_example(FIRST), file)
    session.answers.note_imported([("X", 0), ("W_Q", 0)])
    session.open_document(load_example(OTHER))
    assert session.state.given == NOT_IMPORTED
    session.answers.set_given("rounded")
    assert answers.save_now()
    again, _answers = start(load_example(OTHER))
    assert again.state.given == Given("rounded")
    again.open_document(load_example(FIRST), file)
    assert again.state.given == Given("", frozenset({("X", 0), ("W_Q", 0)}))


def test_numbers_pasted_count_as_rounded_and_typed_ones_do_not(file: Path) -> None:
    document = load_example(FIRST)
    session, _answers = start(document)
    assert rounded_tensors(session.state.document, session.state.given) == {}
    session.change(with_cell, Cell("X", 0, 0), 0.1234, text="Edit")
    session.answers.note_imported([("X", 0)])
    session.answers.note_imported([("W_Q", 0)])  # whole numbers are never rounded ones
    assert rounded_tensors(session.state.document, session.state.given) == {("X", 0): 4}
    session.answers.set_given("exact")
    assert rounded_tensors(session.state.document, session.state.given) == {}


def test_two_windows_keep_each_others_answers_and_show_them(qtbot: QtBot) -> None:
    first, first_saves = start()
    second, second_saves = start()
    write(first, numbers={(0, 0, 0): "1", (0, 0, 1): "2"})
    assert first_saves.save_now()
    write(second, numbers={(0, 1, 0): "3"})
    assert second_saves.save_now()
    whole = {(0, 0, 0): "1", (0, 0, 1): "2", (0, 1, 0): "3"}
    assert texts(second, "Q") == whole
    qtbot.waitUntil(lambda: texts(first, "Q") == whole)
    first.answers.write("Q", {(0, 0, 0): None, (0, 0, 1): parse_answer("5")})
    write(second, "K", {(0, 0, 0): "7"})
    assert second_saves.save_now()
    assert first_saves.save_now()
    again, _saves = start()
    assert texts(again, "Q") == {(0, 0, 1): "5", (0, 1, 0): "3"}
    assert texts(again, "K") == {(0, 0, 0): "7"}


def test_two_windows_keep_each_others_preferences_and_recent_files() -> None:
    known = save_preferences(Preferences(recent=("old", "removed")))
    assert known is not None
    first = replace(known, theme="dark", recent=("a", "old"))
    second = replace(known, decimals=4, recent=("b", "old", "removed"))
    assert save_preferences(first, known) == load_preferences()
    saved = save_preferences(second, known)
    assert saved is not None
    assert (saved.theme, saved.decimals) == ("dark", 4)
    assert saved.recent == ("b", "old", "removed", "a")
    assert load_preferences() == saved
