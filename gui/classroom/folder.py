"""Answer files and folders of a class: read in a worker thread, and again when they change."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

from core.base.files import is_folder
from core.check.given import Given
from core.classroom.marking import ClassResult, Known, answer_paths, mark_class
from core.document.document import Document
from gui.widgets.worker import Worker

PAUSE = 300  # milliseconds after a change before the files are read
MOST_WATCHED = 500  # folders and files


class ClassFolder(QObject):
    """What was chosen, read and watched. `read(result)` after each reading, `failed(problem)`."""

    read = Signal(object)
    failed = Signal(object)

    def __init__(self, document: Document, given: Given, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document, self._given = document, given
        self._known: Known = {}
        self._chosen: tuple[Path, ...] = ()
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._wait)
        self._watcher.fileChanged.connect(self._wait)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE)
        self._pause.timeout.connect(self.reread)
        self._work = Worker(self)
        self._work.done.connect(self._on_read)
        self._work.failed.connect(self.failed)

    @property
    def chosen(self) -> tuple[Path, ...]:
        """The folders and files that the user chose."""
        return self._chosen

    @property
    def watched(self) -> frozenset[str]:
        """The folders and files that are watched."""
        return frozenset({*self._watcher.directories(), *self._watcher.files()})

    def choose(self, paths: Sequence[Path]) -> None:
        """Read other folders and files."""
        self._chosen = tuple(path.absolute() for path in paths)
        self.reread()

    def show_experiment(self, document: Document, given: Given) -> None:
        """Mark the answers to another experiment."""
        if document is self._document and given == self._given:
            return
        self._document, self._given, self._known = document, given, {}
        if self._chosen:
            self._pause.start()

    def reread(self) -> None:
        """Read what has changed."""
        if self._work.busy:
            self._pause.start()
            return
        known = dict(self._known)
        task = partial(_marked, self._document, self._chosen, self._given, known)
        self._work.start(task)

    def finish(self) -> None:
        """Wait for the reading that goes on."""
        self._work.finish()

    def _wait(self) -> None:
        self._pause.start()

    def _on_read(self, found: tuple[ClassResult, Known]) -> None:
        result, self._known = found
        self._watch()
        if result.document is self._document:
            self.read.emit(result)

    def _watch(self) -> None:
        """Watch the folders with their subfolders, and the files: some programs write in place."""
        wanted = [
            place
            for path in self._chosen
            for place in ([one[0] for one in os.walk(path)] if is_folder(path) else [str(path)])
        ]
        wanted = [*wanted, *map(str, self._known)][:MOST_WATCHED]
        watched = self.watched
        gone, new = watched.difference(wanted), [one for one in wanted if one not in watched]
        if gone:
            self._watcher.removePaths(sorted(gone))
        if new:
            self._watcher.addPaths(new)


def _marked(
    document: Document, chosen: Sequence[Path], given: Given, known: Known
) -> tuple[ClassResult, Known]:
    result = mark_class(document, chosen, given, known)
    present = set(answer_paths(chosen))
    return result, {path: file for path, file in known.items() if path in present}
