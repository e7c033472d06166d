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
from PySide6.QtCore import QObject

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.check.answers import NO_WORK, Answer, Index, LearnerWork, parse_answer
from core.check.given import EXACT, ROUNDED, Given
from core.document.document import Document
from core.document.parts import STAGE_AXES
from gui.session.preferences import home
from gui.session.session import Session
from gui.session.state import State
from gui.widgets.worker import BackgroundWriter

MOST = 500  # files; the oldest are deleted
UNSTATED = ("title", "notes", "filled")  # fields of a document that are not part of its key

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
    """The key of an experiment by its tokens and numbers."""
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
    found = {stage: _cells(stage, cells) for stage, cells in texts.items() if stage in STAGE_AXES}
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
        if len(parts) == len(STAGE_AXES[stage]) and all(part.isdecimal() for part in parts):
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


def write_answers(due: Mapping[str, LearnerWork]) -> bool:
    """Save answers by key. False where the disk refuses."""
    try:
        answers_folder().mkdir(parents=True, exist_ok=True)
        for name, work in due.items():
            write_bytes(_file(name), msgspec.json.encode(to_texts(work)))
        _drop_oldest()
    except (OSError, UserError):
        return False
    return True


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
            self._known[name] = found
        return self._known[name]

    def _own_name(self) -> str:
        if self._name is None:
            self._name = key_of_numbers(self._opened)
        return self._name

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
        names = [self._own_name(), *others]
        if state.path is not None:
            names.append(key_of_path(state.path))
        work = _work_of(state)
        fresh = {name: work for name in names if not _is_same(self._known.get(name), work)}
        self._known.update(fresh)
        self._due.update(fresh)
        if self._due:
            self._work.want()

    def _begin(self) -> None:
        self._work.forget()
        if self._due:
            self._writing, self._due = self._due, {}
            self._work.start(partial(write_answers, self._writing))

    def _on_written(self, whole: bool) -> None:
        """Schedule what the disk refused again."""
        if not whole:
            self._due = {**self._writing, **self._due}


def _work_of(state: State) -> LearnerWork:
    return LearnerWork(state.entries, state.given)


def _is_same(known: LearnerWork | None, work: LearnerWork) -> bool:
    return known is not None and known.entries is work.entries and known.given == work.given
