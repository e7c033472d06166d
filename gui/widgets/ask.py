"""All questions about files in one class, so that tests can answer instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from core.base.files import exists
from core.document.document import Document
from gui.texts.rich_text import short
from gui.texts.translation import tr

LONGEST_NAME = 60  # characters; a title may be a whole sentence


class Ask:
    """Ask by dialogs. Tests override single questions.

    The dialog for a new experiment lies in a higher package and is passed in.
    """

    def __init__(self, new_document: Callable[[QWidget], Document | None] = lambda _: None) -> None:
        self._new_document = new_document

    def new_document(self, parent: QWidget) -> Document | None:
        """Ask for a new experiment; None if the user cancels."""
        return self._new_document(parent)

    def open_path(self, parent: QWidget, folder: Path) -> Path | None:
        """Ask for a file to open."""
        known = " (*.attn.json *.lesson.json *.answers.json)"
        all_kinds = tr("Experiments, lessons and answers") + known
        return _to_open(parent, tr("Open experiment"), folder, all_kinds, _experiments())

    def save_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        """Ask for a file to save to."""
        return _to_save(parent, tr("Save experiment"), suggestion, _experiments())

    def model_path(self, parent: QWidget, problem: str, folder: Path) -> Path | None:
        """Ask where a model lies that an experiment points to; `problem` says what is wrong."""
        title = tr("Find the model?")
        buttons = (
            ("folder", tr("A &folder…"), DEFAULT),
            ("file", tr("A &GGUF file…"), ""),
            ("cancel", tr("&Cancel"), ""),
        )
        choice = _asked(parent, title, problem, *buttons)
        if choice == "folder":
            chosen = QFileDialog.getExistingDirectory(
                parent, tr("Folder of the model"), str(folder)
            )
            return Path(chosen) if chosen else None
        if choice == "file":
            return _to_open(parent, tr("File of the model"), folder, tr("Models") + " (*.gguf)")
        return None

    def lesson_path(self, parent: QWidget, folder: Path) -> Path | None:
        """Ask for a lesson to open."""
        return _to_open(parent, tr("Open lesson"), folder, _lessons())

    def save_lesson_path(self, parent: QWidget, suggestion: Path) -> Path | None:
        """Ask for a file to save a lesson to."""
        return _to_save(parent, tr("Save lesson"), suggestion, _lessons())

    def answers_folder(self, parent: QWidget) -> Path | None:
        """Ask for the folder with the answers of a class."""
        chosen = QFileDialog.getExistingDirectory(parent, tr("Folder with answers"))
        return Path(chosen) if chosen else None

    def class_report_path(self, parent: QWidget, name: str) -> Path | None:
        """Ask for the file of the report of a class."""
        kinds = (
            tr("Web page") + " (*.html)",
            tr("PDF document") + " (*.pdf)",
            tr("Table") + " (*.csv)",
        )
        filters, endings = ";;".join(kinds), (".html", ".pdf", ".csv")
        return self.path_with_ending(
            parent, tr("Save report"), Path(f"{name}.html"), filters, endings
        )

    def path_with_ending(
        self, parent: QWidget, title: str, suggestion: Path, filters: str, endings: tuple[str, ...]
    ) -> Path | None:
        """Ask for a file to write; one without a known ending gets that of the chosen filter."""
        chosen, kind = QFileDialog.getSaveFileName(parent, title, str(suggestion), filters)
        if not chosen:
            return None
        path = Path(chosen)
        if path.suffix.lower() in endings:
            return path
        ending = kind.rpartition("*")[2].rstrip(")") or suggestion.suffix
        return self.confirmed(parent, path, path.with_name(path.name + ending))

    def unsaved(self, parent: QWidget, name: str) -> str:
        """Ask about unsaved changes: "save", "discard" or "cancel"."""
        title = _of(name) if name else tr("Save the changes to this experiment?")
        return self._keep(parent, title)

    def unsaved_lesson(self, parent: QWidget, name: str, live: bool = False) -> str:
        """Ask about unsaved changes of a lesson; `live`: it has live edits."""
        title = _of(name) if name else tr("Save the changes to this lesson?")
        return self._keep(parent, title, live=live)

    @staticmethod
    def _keep(parent: QWidget, title: str, *, live: bool = False) -> str:
        detail = tr("Unsaved changes will be lost.")
        if live:
            detail = tr(
                "Unsaved changes will be lost. Live edits in its scenes are not saved in any "
                "file and will be lost either way; record the scenes again to keep them."
            )
        save, discard = ("save", tr("&Save"), DEFAULT), ("discard", tr("&Don’t save"), DESTRUCTIVE)
        return _asked(parent, title, detail, save, discard, ("cancel", tr("&Cancel"), ""))

    def lose_answers(self, parent: QWidget) -> bool:
        """Ask whether to quit although the answers cannot be saved."""
        title = tr("Your numbers in Check will be lost when the program closes")
        detail = tr(
            "The user folder cannot be written to. Use “Copy the marks” in the panel to keep "
            "them elsewhere."
        )
        return self._sure(parent, title, detail, ("leave", tr("&Quit anyway")))

    def overwrite_changed(self, parent: QWidget, name: str) -> bool:
        """Ask whether to overwrite a file that another program has changed."""
        title = tr("“{name}” was changed by another program", name=name)
        detail = tr(
            "The file has changed since you opened it. Saving now replaces those changes with "
            "yours."
        )
        return self._sure(parent, title, detail, ("replace", tr("&Replace")))

    def overwrite(self, parent: QWidget, name: str) -> bool:
        """Ask whether to overwrite an existing file."""
        title = tr("“{name}” already exists", name=name)
        return self._sure(parent, title, tr("Saving will replace it."), ("replace", tr("&Replace")))

    def confirmed(self, parent: QWidget, chosen: Path, completed: Path) -> Path | None:
        """The chosen path with its ending completed; None if the user keeps the file that is there.

        The file dialog has asked only about the name as it was typed.
        """
        if completed != chosen and exists(completed) and not self.overwrite(parent, completed.name):
            return None
        return completed

    def untitled(self) -> str:
        """The suggested name of an experiment without a title."""
        return tr("Experiment")

    def untitled_lesson(self) -> str:
        """The suggested name of a lesson without a title."""
        return tr("Lesson")

    @staticmethod
    def _sure(parent: QWidget, title: str, detail: str, choice: tuple[str, str]) -> bool:
        """Ask whether to go on; `choice` is the name and the text of the button that does."""
        go, cancel = (*choice, DESTRUCTIVE), ("cancel", tr("&Cancel"), DEFAULT)
        return _asked(parent, title, detail, go, cancel) == choice[0]


DEFAULT, DESTRUCTIVE = "default", "destructive"  # kinds of buttons


def _asked(parent: QWidget, title: str, detail: str, *buttons: tuple[str, str, str]) -> str:
    """The id of the button that the user chooses; each is an id, a text, and a kind or ""."""
    from gui.widgets.forms import Message, MessageButton

    choices = (
        MessageButton(id_, text, kind == DEFAULT, kind == DESTRUCTIVE)
        for id_, text, kind in buttons
    )
    return Message.ask(parent, title, detail, tuple(choices))


def _experiments() -> str:
    return tr("Experiments") + " (*.attn.json)"


def _lessons() -> str:
    return tr("Lessons") + " (*.lesson.json)"


def _to_open(parent: QWidget, title: str, folder: Path, *kinds: str) -> Path | None:
    filters = ";;".join((*kinds, tr("All files") + " (*)"))
    chosen, _ = QFileDialog.getOpenFileName(parent, title, str(folder), filters)
    return Path(chosen) if chosen else None


def _to_save(parent: QWidget, title: str, suggestion: Path, kind: str) -> Path | None:
    filters = ";;".join((kind, tr("All files") + " (*)"))
    chosen, _ = QFileDialog.getSaveFileName(parent, title, str(suggestion), filters)
    return Path(chosen) if chosen else None


def paste_place(parent: QWidget, size: tuple[int, int], room: tuple[int, int]) -> str:
    """Ask where a block as large as its table goes: "corner", "here" or "cancel".

    `room`: the rows and columns from the current cell on.
    """
    from gui.widgets.forms import Message, MessageButton

    choices = (
        MessageButton("corner", tr("From the &corner"), default=True),
        MessageButton("here", tr("From &here")),
        MessageButton("cancel", tr("&Cancel")),
    )
    height, width = size
    detail = tr(
        "The block is as large as the table, {height} × {width}. From the corner it replaces "
        "every number; from the current cell only its first {rows} × {columns} numbers fit.",
        height=height,
        width=width,
        rows=room[0],
        columns=room[1],
    )
    return Message.ask(parent, tr("Where should the block go?"), detail, choices)


def _of(name: str) -> str:
    return tr("Save the changes to “{name}”?", name=short(name, LONGEST_NAME))
