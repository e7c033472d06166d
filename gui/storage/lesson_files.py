"""Lesson files: new, open, save, and the question about unsaved changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from core.base.errors import UserError
from core.lesson import lesson as lessons
from core.lesson.edit import moved_to_folder
from core.lesson.lesson import Lesson
from core.lesson.resolve import Resolver
from gui.session.session import Session
from gui.session.state import State
from gui.storage.experiment_files import ExperimentFiles, SavedFile, of_file, stamp
from gui.texts.translation import mark
from gui.widgets.ask import Ask


class LessonFiles(SavedFile):
    """File ▸ Lessons. Shares questions, folder and recent files with ExperimentFiles."""

    ending = lessons.SUFFIX

    def __init__(self, session: Session, window: QWidget, files: ExperimentFiles) -> None:
        super().__init__(session, window)
        self._files = files
        self.shipped = ""  # id of the shipped lesson that is open
        files.open_lesson = self.load
        session.lesson_player.confirm_leave = files.maybe_save

    @property
    def _questions(self) -> Ask:
        return self._files.ask

    def remember(self, path: Path) -> None:
        """Put a file first in the list of recent files."""
        self._files.remember(path)

    # Opening

    def new(self) -> bool:
        """Start a lesson without scenes; the experiment stays open."""
        if not self.maybe_save():
            return False
        self.shipped = ""
        self._session.lesson_player.new()
        return True

    def open(self, path: str | os.PathLike[str] | None = None) -> bool:
        """Open the given lesson or one that the user chooses. False where nothing was opened."""
        if not self._files.maybe_save():
            return False
        chosen = (
            Path(path)
            if path is not None
            else self._questions.lesson_path(self._window, self._files.folder())
        )
        return chosen is not None and self.load(chosen.absolute())

    def load(self, path: Path) -> bool:
        """Open a lesson file, after asking about unsaved changes of the lesson."""
        load = partial(self._files.beside, partial(lessons.load, path), mark("Opening…"))
        if not self.maybe_save() or not self._shown(load, path):
            return False
        self._files.remember(path)
        return True

    def adopt(self, lesson: Lesson, path: Path) -> None:
        """Take over a lesson that was read before the window was built."""
        self.shipped = ""
        self._session.lesson_player.open(lesson, path)
        self.stamp = stamp(path)
        self._files.remember(path)

    def open_shipped(self, lesson_id: str, scene: int = 0) -> bool:
        """Open a shipped lesson without a file name, at a scene."""
        if not self._files.maybe_save() or not self.maybe_save():
            return False
        return self._shown(partial(_shipped, lesson_id), None, lesson_id, scene)

    def close(self) -> bool:
        """Close the lesson; the experiment stays open."""
        if self._session.state.lesson is None or not self.maybe_save():
            return False
        self._session.lesson_player.close()
        return True

    # Saving

    def save_changed(self) -> bool:
        """Save the lesson if it has changes, else the experiment."""
        self._commit_editor()
        return self.save() if self._dirty(self._session.state) else self._files.save()

    def name(self) -> str:
        """The file's name, or the lesson's title."""
        state = self._session.state
        if state.lesson_path is not None:
            return state.lesson_path.name
        return state.lesson.title.of(state.language) if state.lesson else ""

    def _path(self, state: State) -> Path | None:
        return state.lesson_path

    def _dirty(self, state: State) -> bool:
        return state.lesson is not None and state.lesson_dirty

    def _ask_where(self) -> Path | None:
        if self._session.state.lesson is None:
            return None
        title = self._session.state.lesson.title.of(self._session.state.language)
        suggestion = self._suggestion(
            title, self._questions.untitled_lesson(), self._files.folder()
        )
        return self._questions.save_lesson_path(self._window, suggestion)

    def _ask_whether(self) -> str:
        state = self._session.state
        return self._questions.unsaved_lesson(
            self._window, self.name(), live=state.live or bool(state.live_edits)
        )

    def _written(self, path: Path) -> Callable[[], None] | None:
        lesson = self._session.state.lesson
        assert lesson is not None, "only an open lesson is saved"
        try:
            carried = moved_to_folder(lesson, path.parent, Resolver())
            lessons.save(carried, path)
        except UserError as problem:
            self._session.failed.emit(problem)
            return None
        return partial(self._session.lesson_player.mark_saved, carried, path)

    # Inside

    def _shown(
        self, load: Callable[[], Lesson], path: Path | None, shipped: str = "", scene: int = 0
    ) -> bool:
        try:
            lesson = load()
            self.shipped = shipped
            self._session.lesson_player.open(lesson, path, min(scene, len(lesson.scenes) - 1))
        except UserError as problem:
            self._session.failed.emit(problem if path is None else of_file(problem, path))
            return False
        self.stamp = stamp(path)
        return True

    def _commit_editor(self) -> None:
        self._session.lesson_player.commit_requested.emit()


def _shipped(lesson_id: str) -> Lesson:
    return replace(lessons.load(lessons.lesson_path(lesson_id)), folder=None)
