"""The learner's numbers outlive the experiment that they were written for.

They are there again when it is opened again, in this program or in the next. The experiment's file does not hold them:
see gui.storage.answer_store.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from core.check.answers import NO_ENTRIES, Entries
from core.document.document import Document
from gui.session.session import Session
from gui.session.state import State
from gui.storage.answer_store import name_of_numbers, name_of_path, read_answers, write_answers
from gui.storage.background_writer import BackgroundWriter

DELAY = 500  # milliseconds from a number to the disk


class AnswerAutosave(QObject):
    """Keeps what `state.entries` holds, under the names of the experiment that is open."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._opened = session.state.document  # as it was when it was opened, or saved last
        self._name: str | None = None  # by its numbers, once it is needed
        self._known: dict[str, Entries] = {}
        self._due: dict[str, Entries] = {}
        self._writing: dict[str, Entries] = {}
        self._work = BackgroundWriter(self, DELAY)
        self._work.due.connect(self._begin)
        self._work.done.connect(self._on_written)
        session.answers.remembered = self._remembered
        session.changed.connect(self._on_changed)

    def bring_back(self) -> None:
        """What was written for the experiment that the program started with."""
        state = self._session.state
        self._session.answers.bring_back(self._remembered(state.document, state.path))

    def keep(self) -> bool:
        """Write down what is not on the disk yet; whether all of it is there now."""
        state = self._session.state
        if state.entries:
            self._note(state, name_of_numbers(state.document))
        self._work.finish()
        self._begin()
        self._work.finish()
        return not self._due

    # Inside

    def _remembered(self, document: Document, path: Path | None) -> Entries:
        """What was written for an experiment that is about to be opened. That for the one before is noted once more,
        also under its numbers as they are now.
        """
        state = self._session.state
        if state.entries:
            self._note(state, name_of_numbers(state.document))
        self._opened, self._name = document, None
        found = self._look_up(name_of_path(path)) if path is not None else None
        if found is None:
            found = self._look_up(self._own_name())
        return found or NO_ENTRIES

    def _look_up(self, name: str) -> Entries | None:
        if name not in self._known:
            found = read_answers(name)
            if found is None:
                return None
            self._known[name] = found
        return self._known[name]

    def _own_name(self) -> str:
        if self._name is None:
            self._name = name_of_numbers(self._opened)
        return self._name

    def _on_changed(self, old: State, new: State) -> None:
        if new.document is not old.document:
            return  # an edit changes no answer, and what is opened is looked up before
        saved = new.path is not None and not new.dirty and (old.dirty or old.path != new.path)
        if saved:
            self._opened, self._name = new.document, None
        if new.entries is not old.entries or (saved and new.entries):
            self._note(new)

    def _note(self, state: State, *others: str) -> None:
        """The entries of a state belong to its experiment, by each of its names."""
        names = [self._own_name(), *others]
        if state.path is not None:
            names.append(name_of_path(state.path))
        fresh = {
            name: state.entries for name in names if self._known.get(name) is not state.entries
        }
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
        """What the disk refused is tried again with the next number, and at the end."""
        if not whole:
            self._due = {**self._writing, **self._due}
