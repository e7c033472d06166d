"""Save the numbers of Check as an answer file, and open one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.base.errors import UserError
from core.check.answers import Entries
from core.classroom.answer_file import (
    ENDING,
    AnswerFile,
    entries_from,
    read_answers,
    write_answers,
)
from core.classroom.experiment_id import experiment_id
from core.storage.examples import EXAMPLES, load_example
from gui.app.export_actions import ask_path
from gui.session.session import Session
from gui.storage.experiment_files import ExperimentFiles, file_name, of_file, with_suffix
from gui.texts.translation import language_folder, tr, tr_marked


def _ask_name(parent: QWidget, entries: Entries) -> str | None:
    from gui.dialogs.answers import ask_name  # loaded when first used

    return ask_name(parent, entries)


class AnswerActions(QObject):
    """Answer files of the open experiment. `ask_name` and `ask_path` are replaced in tests.

    `written` is called with the path of a file, `show` with the first stage of answers to be seen.
    """

    def __init__(
        self,
        session: Session,
        window: QWidget,
        files: ExperimentFiles,
        written: Callable[[Path], None],
        show: Callable[[str], None],
    ) -> None:
        super().__init__(window)
        self._session, self._window, self._files = session, window, files
        self._written, self._show = written, show
        self.ask_name: Callable[[QWidget, Entries], str | None] = _ask_name
        self.ask_path: Callable[[QWidget, Path, str], Path | None] = ask_path
        files.open_answers = self.open

    def save(self) -> bool:
        """Ask for a name and a file, and write the answers. False where nothing was written."""
        state = self._session.state
        name = self.ask_name(self._window, state.entries)
        if name is None:
            return False
        stem = file_name(f"{tr_marked(state.document.title)} {name}") or tr("Answers")
        suggestion = self._files.folder() / f"{stem}{ENDING}"
        chosen = self.ask_path(self._window, suggestion, f"{tr('Answers')} (*{ENDING})")
        if chosen is None:
            return False
        chosen = chosen.absolute()
        path = self._files.ask.confirmed(self._window, chosen, with_suffix(chosen, ENDING))
        if path is None or not self._session.attempt(
            partial(write_answers, path, state.document, state.entries, name)
        ):
            return False
        self._written(path)
        return True

    def open(self, path: Path) -> bool:
        """Show the answers in a file in Check. False where they do not fit."""
        return bool(self._session.attempt(partial(self._open, path)))

    def _open(self, path: Path) -> None:
        try:
            file = read_answers(path)
            self._find_experiment(file)
            entries = entries_from(self._session.state.document, file)
        except UserError as problem:
            raise of_file(problem, path) from problem
        self._session.answers.enter_all(entries)
        self._show(next(iter(entries), ""))
        count = sum(map(len, entries.values()))
        who = file.name or path.name
        self._session.told.emit(tr("Answers of {name}: {count}", name=who, count=count))

    def _find_experiment(self, file: AnswerFile) -> None:
        """Open the example that answers belong to, where the open experiment is another one."""
        if file.experiment == experiment_id(self._session.state.document):
            return
        for example in EXAMPLES:
            document = load_example(example, language_folder())
            if file.experiment == experiment_id(document):
                if self._files.maybe_save():
                    self._session.open_document(document, None)
                return
