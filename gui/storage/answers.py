"""Keep the learner's answers on the disk, outside of the experiment file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np
from PySide6.QtCore import QFileSystemWatcher, QObject

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.check.answers import NO_WORK, Answer, Index, LearnerWork, parse_answer
from core.check.given import EXACT, ROUNDED, Given
from core.document.document import Document
from core.document.parts import is_stage, stage_axes
from gui.session.preferences import home, locked
from gui.session.session import Session
from gui.session.state import State
from gui.widgets.worker import BackgroundWriter

MOST = 500  # files; the oldest are deleted
UNSTATED = (
    "title",
    "notes",
    "tokens",
    "filled",
)  # fields of a document that are not part of its key

# By stage, then by index as text; under GIVEN the mode, and the imported tensors with their heads.
Texts = dict[str, dict[str, str]]
GIVEN = "given"
_packed: list[tuple[LearnerWork, Texts]] = []


def answers_folder() -> Path:
    """The folder of all answer files."""
    return home() / "answers"


def key_of_path(path: Path) -> str:
    """The key of an experiment by its file."""
    return _digest(os.path.normcase(path))


def key_of_numbers(document: Document) -> str:
    """The key of an experiment by its numbers, whatever the language of its tokens."""
    return _digest(document)


def _digest(value: object) -> str:
    digest = blake2b(digest_size=16)
    _feed(digest, value)
    return digest.hexdigest()


def _feed(digest: Any, value: object) -> None:
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value))
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in UNSTATED:
                _feed(digest, getattr(value, field.name))
    elif isinstance(value, tuple):
        digest.update(f"({len(value)}".encode())
        for part in value:
            _feed(digest, part)
    else:
        digest.update(f"{value!r};".encode(errors="backslashreplace"))


def to_texts(work: LearnerWork) -> Texts:
    """Answers as texts for JSON; cached by identity of the entries."""
    for known, texts in _packed:
        if known.entries is work.entries and known.given == work.given:
            return texts
    texts = {
        stage: {",".join(map(str, index)): number.text for index, number in cells.items()}
        for stage, cells in work.entries.items()
    }
    if work.given != NO_WORK.given:
        imported = {f"{name},{head}": "" for name, head in sorted(work.given.imported)}
        texts[GIVEN] = {"mode": work.given.mode, **imported}
    _packed[:] = [(work, texts)]
    return texts


def from_texts(texts: Mapping[str, Mapping[str, str]]) -> LearnerWork:
    """Answers from texts; unreadable ones are left out."""
    found = {stage: _cells(stage, cells) for stage, cells in texts.items() if is_stage(stage)}
    entries = MappingProxyType({stage: cells for stage, cells in found.items() if cells})
    notes = dict(texts.get(GIVEN, {}))
    mode = notes.pop("mode", "")
    mode = mode if mode in (EXACT, ROUNDED) else ""
    places = (place.rpartition(",") for place in notes)
    imported = frozenset((name, int(head)) for name, _, head in places if head.isdecimal())
    return LearnerWork(entries, Given(mode, imported))


def _cells(stage: str, texts: Mapping[str, str]) -> Mapping[Index, Answer]:
    cells: dict[Index, Answer] = {}
    for place, text in texts.items():
        parts = place.split(",")
        if len(parts) == len(stage_axes(stage)) and all(part.isdecimal() for part in parts):
            with suppress(UserError):
                number = parse_answer(text)
                if number is not None:
                    cells[tuple(map(int, parts))] = number
    return MappingProxyType(cells)


def read_answers(name: str) -> LearnerWork | None:
    """The saved answers of a key; None where there are none or they are unreadable."""
    try:
        return from_texts(msgspec.json.decode(read_bytes(_file(name)), type=Texts))
    except (UserError, msgspec.DecodeError, RecursionError, ValueError):
        return None


def write_answers(
    due: Mapping[str, LearnerWork], known: Mapping[str, LearnerWork]
) -> dict[str, LearnerWork] | None:
    """Save answers by key, united with those of other programs; None where the disk refuses.

    `known` is what this program has last read or written. Returns what the files then hold.
    """
    saved = {}
    try:
        answers_folder().mkdir(parents=True, exist_ok=True)
        with locked("answers"):
            for name, work in due.items():
                saved[name] = united(known.get(name, NO_WORK), work, read_answers(name))
                write_bytes(_file(name), msgspec.json.encode(to_texts(saved[name])))
            _drop_oldest()
    except (OSError, UserError):
        return None
    return saved


def united(known: LearnerWork, mine: LearnerWork, theirs: LearnerWork | None) -> LearnerWork:
    """Two works that grew out of a known one: my changes, and theirs elsewhere."""
    if theirs is None or to_texts(theirs) == to_texts(known):
        return mine
    before, own, other = to_texts(known), to_texts(mine), to_texts(theirs)
    texts: Texts = {}
    for stage in {**other, **own}:
        old, new, there = before.get(stage, {}), own.get(stage, {}), other.get(stage, {})
        changed = {p: new.get(p) for p in {**old, **new} if new.get(p) != old.get(p)}
        cells = {**there, **changed}
        texts[stage] = {place: text for place, text in cells.items() if text is not None}
    return from_texts(texts)


def _file(name: str) -> Path:
    return answers_folder() / f"{name}.json"


def _drop_oldest() -> None:
    files = [*answers_folder().glob("*.json")]
    if len(files) > MOST:
        for file in sorted(files, key=lambda file: file.stat().st_mtime_ns)[:-MOST]:
            file.unlink(missing_ok=True)


DELAY = 500  # milliseconds from an answer to the disk


class AnswerAutosave(QObject):
    """Save entries, and how given numbers count, under the keys of the open experiment."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._opened = session.state.document  # as opened or last saved
        self._name: str | None = None  # its key by numbers, computed when needed
        self._known: dict[str, LearnerWork] = {}
        self._due: dict[str, LearnerWork] = {}
        self._writing: dict[str, LearnerWork] = {}
        self._saved: dict[str, LearnerWork] = {}  # as last read from or written to the disk
        self._folder = QFileSystemWatcher(self)
        self._folder.directoryChanged.connect(self._on_folder_changed)
        self._work = BackgroundWriter(self, DELAY)
        self._work.due.connect(self._begin)
        self._work.done.connect(self._on_written)
        session.answers.load_work = self._remembered
        session.changed.connect(self._on_changed)

    def restore(self) -> None:
        """Load the answers to the experiment that the program started with."""
        state = self._session.state
        self._session.answers.restore(self._remembered(state.document, state.path))

    def save_now(self) -> bool:
        """Save what is not on the disk yet. False where the disk refuses."""
        state = self._session.state
        if _work_of(state):
            self._note(state, key_of_numbers(state.document))
        self._work.finish()
        for _ in range(2):  # numbers of another program that were just read are written again
            self._begin()
            self._work.finish()
        return not self._due

    # Inside

    def _remembered(self, document: Document, path: Path | None) -> LearnerWork:
        """Return the answers to an experiment that is about to be opened; save those to the current
        one.
        """
        state = self._session.state
        if _work_of(state):
            self._note(state, key_of_numbers(state.document))
        self._opened, self._name = document, None
        found = self._look_up(key_of_path(path)) if path is not None else None
        if found is None:
            found = self._look_up(self._own_name())
        return found or NO_WORK

    def _look_up(self, name: str) -> LearnerWork | None:
        if name not in self._known:
            found = read_answers(name)
            if found is None:
                return None
            self._known[name] = self._saved[name] = found
        return self._known[name]

    def _own_name(self) -> str:
        if self._name is None:
            self._name = key_of_numbers(self._opened)
        return self._name

    def _names(self) -> list[str]:
        """The keys of the open experiment."""
        path = self._session.state.path
        return [self._own_name(), *([key_of_path(path)] if path is not None else [])]

    def _on_changed(self, old: State, new: State) -> None:
        changed = new.entries is not old.entries or new.given != old.given
        if new.document is not old.document:
            return  # edits do not change answers; what is opened was looked up before
        saved = new.path is not None and not new.dirty and (old.dirty or old.path != new.path)
        if saved:
            self._opened, self._name = new.document, None
        if changed or (saved and _work_of(new)):
            self._note(new)

    def _note(self, state: State, *others: str) -> None:
        """Schedule the entries of a state for saving under every key of its experiment."""
        names, work = [*self._names(), *others], _work_of(state)
        fresh = {name: work for name in names if not _is_same(self._known.get(name), work)}
        self._known.update(fresh)
        self._due.update(fresh)
        if self._due:
            self._work.want()

    def _begin(self) -> None:
        self._work.forget()
        if self._due:
            self._writing, self._due = self._due, {}
            self._work.start(partial(write_answers, self._writing, dict(self._saved)))

    def _on_written(self, saved: dict[str, LearnerWork] | None) -> None:
        """Take over what other programs have saved; schedule what the disk refused again."""
        if saved is None:
            self._due = {**self._writing, **self._due}
            return
        if not self._folder.directories():
            self._folder.addPath(str(answers_folder()))
        for name, work in saved.items():
            self._take(name, work, self._writing[name])

    def _on_folder_changed(self) -> None:
        """Show what another program has saved for the open experiment."""
        for name in [name for name in self._names() if name in self._saved]:
            found = read_answers(name)
            if found is not None and to_texts(found) != to_texts(self._saved[name]):
                self._take(name, found, self._saved[name])

    def _take(self, name: str, saved: LearnerWork, known: LearnerWork) -> None:
        """Note what the disk holds, and show what in it is not from here."""
        self._saved[name] = saved
        if name not in self._names() or to_texts(saved) == to_texts(known):
            return
        mine = _work_of(self._session.state)
        work = united(known, mine, saved)
        if to_texts(work) != to_texts(mine):
            self._session.answers.replace(work)


def _work_of(state: State) -> LearnerWork:
    return LearnerWork(state.entries, state.given)


def _is_same(known: LearnerWork | None, work: LearnerWork) -> bool:
    return known is not None and known.entries is work.entries and known.given == work.given
