"""Lessons and files: new, open, save, and the question about a lesson that is not saved."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core import lesson as lessons
from core.lesson import Lesson
from core.lesson_edit import carried_to
from core.lesson_resolve import Resolver
from core.problems import Problem
from gui.dialogs.ask import Ask
from gui.files import Files, file_name, stamp, with_suffix
from gui.session import Session
from gui.state import State


class LessonFiles(QObject):
    """What File ▸ Lessons does. It shares the questions, the folder and the list of recent files with the files."""

    def __init__(self, session: Session, window: QWidget, files: Files) -> None:
        super().__init__(window)
        self._session, self._window, self._files = session, window, files
        self._stamp = stamp(None)
        files.open_lesson = self.load
        session.lecture.may_leave = files.maybe_save
        session.changed.connect(self._on_changed)

    # Opening

    def new(self) -> bool:
        """A lesson without scenes beside the experiment that is open."""
        if not self.maybe_save():
            return False
        self._session.lecture.new()
        return True

    def open(self, path: str | os.PathLike[str] | None = None) -> bool:
        """Open a lesson, the one given or one that the user chooses. False where nothing was opened."""
        if not self._files.maybe_save():
            return False
        chosen = Path(path) if path is not None else self._ask.lesson_path(self._window, self._files.folder())
        return chosen is not None and self.load(chosen.absolute())

    def load(self, path: Path) -> bool:
        """Open a lesson once the experiment may be left."""
        if not self.maybe_save() or not self._shown(partial(lessons.load, path), path):
            return False
        self._files.remember(path)
        return True

    def adopt(self, lesson: Lesson, path: Path) -> None:
        """This lesson was read from this file before there was a window."""
        self._session.lecture.open(lesson, path)
        self._stamp = stamp(path)
        self._files.remember(path)

    def open_shipped(self, lesson_id: str) -> bool:
        """Open a lesson that ships, untitled: saving it asks for a place."""
        if not self._files.maybe_save() or not self.maybe_save():
            return False
        return self._shown(partial(_shipped, lesson_id), None)

    def close(self) -> bool:
        """Put the lesson away; the experiment stays."""
        if self._session.state.lesson is None or not self.maybe_save():
            return False
        self._session.lecture.close()
        return True

    # Saving

    def save(self) -> bool:
        """Save to the file that is open; a new lesson asks for one. False where nothing was saved."""
        path = self._session.state.lesson_path
        if path is None:
            return self.save_as()
        self._commit_editor()
        now = stamp(path)
        if now is not None and now != self._stamp and not self._ask.overwrite_changed(self._window, path.name):
            return False
        return self._write(path)

    def save_as(self) -> bool:
        """Ask for a file and save to it."""
        self._commit_editor()
        path = self._chosen()
        return path is not None and self._write(path)

    def save_copy(self) -> bool:
        """Ask for a file and write the lesson there; what is open, and whether it is saved, stays as it is."""
        path = self._chosen()
        return path is not None and self._written(path) is not None

    def _chosen(self) -> Path | None:
        """The file to write to, chosen by the user; None without a lesson or if they thought better of it."""
        if self._session.state.lesson is None:
            return None
        chosen = self._ask.save_lesson_path(self._window, self._suggestion())
        if chosen is None:
            return None
        path = with_suffix(chosen.absolute(), lessons.SUFFIX)
        if path != chosen.absolute() and path.exists() and not self._ask.overwrite(self._window, path.name):
            return None
        return path

    def maybe_save(self) -> bool:
        """Whether the lesson may be left: it is saved, or was saved now, or its changes were given up."""
        self._commit_editor()
        state = self._session.state
        if state.lesson is None or not state.lesson_dirty:
            return True
        name = state.lesson_path.name if state.lesson_path else state.lesson.title.of(state.language)
        answer = self._ask.unsaved_lesson(self._window, name)
        return answer == "discard" or (answer == "save" and self.save())

    # Inside

    @property
    def _ask(self) -> Ask:
        return self._files.ask

    def _shown(self, load: Callable[[], Lesson], path: Path | None) -> bool:
        try:
            self._session.lecture.open(load(), path)
        except Problem as problem:
            self._session.failed.emit(problem if path is None else _of_file(problem, path))
            return False
        self._stamp = stamp(path)
        return True

    def _written(self, path: Path) -> Lesson | None:
        """The lesson as it stands in the file now; None where that was refused."""
        lesson = self._session.state.lesson
        assert lesson is not None, "only an open lesson is saved"
        try:
            carried = carried_to(lesson, path.parent, Resolver())
            lessons.save(carried, path)
        except Problem as problem:
            self._session.failed.emit(problem)
            return None
        return carried

    def _write(self, path: Path) -> bool:
        carried = self._written(path)
        if carried is None:
            return False
        self._stamp = stamp(path)
        self._session.lecture.mark_saved(carried, path)
        self._files.remember(path)
        return True

    def _on_changed(self, old: State, new: State) -> None:
        if old.lesson_path != new.lesson_path:
            self._stamp = stamp(new.lesson_path)

    def _commit_editor(self) -> None:
        """What is being typed belongs to the lesson: a field that loses the keyboard hands it over."""
        field = self._window.focusWidget()
        if field is not None and field.property("hands_over"):
            field.clearFocus()

    def _suggestion(self) -> Path:
        state = self._session.state
        if state.lesson_path is not None:
            return state.lesson_path
        title = state.lesson.title.of(state.language) if state.lesson else ""
        return self._files.folder() / f"{file_name(title) or self._ask.untitled_lesson()}{lessons.SUFFIX}"


def _shipped(lesson_id: str) -> Lesson:
    return replace(lessons.load(lessons.lesson_path(lesson_id)), folder=None)


def _of_file(problem: Problem, path: Path) -> Problem:
    return problem if "path" in problem.data else Problem(problem.code, **problem.data, path=path.name)
