"""A session with files, and questions that answer themselves."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QWidget

from core.base.errors import UserError
from core.document.document import Document
from core.document.edits import with_title
from core.storage.examples import load_example
from gui.session.session import Session
from gui.session.state import Preferences
from gui.storage.experiment_files import ExperimentFiles
from gui.widgets.ask import Ask


class Answers(Ask):
    """Answers as told beforehand, and remembers what was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.suggested: list[Path] = []
        self.new: Document | None = None
        self.opened: Path | None = None
        self.saved: Path | None = None
        self.model: Path | None = None
        self.answer = "cancel"
        self.agrees = False

    def new_document(self, parent: QWidget) -> Document | None:
        self.asked.append("new")
        return self.new

    def open_path(self, parent: QWidget, folder: Path) -> Path | None:
        self.asked.append("open")
        self.suggested.append(folder)
        return self.opened

    def model_path(self, parent: QWidget, problem: str, folder: Path) -> Path | None:
        self.asked.append(problem)
        return self.model

    def save_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        self.asked.append("save")
        self.suggested.append(suggestion)
        return self.saved

    def unsaved(self, parent: QWidget, name: str) -> str:
        self.asked.append(f"unsaved {name}")
        return self.answer

    def overwrite_changed(self, parent: QWidget, name: str) -> bool:
        self.asked.append(f"changed {name}")
        return self.agrees

    def overwrite(self, parent: QWidget, name: str) -> bool:
        self.asked.append(f"overwrite {name}")
        return self.agrees


class Desk:
    """The session, its files and what was refused."""

    def __init__(self, window: QWidget) -> None:
        self.session = Session(load_example("cat-eats-fish"), Preferences())
        self.ask = Answers()
        self.window = window
        self.files = ExperimentFiles(self.session, window, self.ask)
        self.problems: list[UserError] = []
        self.session.failed.connect(self.problems.append)

    def edit(self, title: str = "changed") -> Document:
        """An edit; the document after it."""
        self.session.change(with_title, title, text="Edit")
        return self.session.state.document

    @property
    def recent(self) -> tuple[str, ...]:
        return self.session.state.preferences.recent
