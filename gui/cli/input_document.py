"""Resolve the options of a command: experiment, lesson, lab setting, output file."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.errors import UserError
from core.document.document import Document
from core.labs.lab import find_lab
from core.lesson.lesson import Lesson, is_lesson, lesson_path
from core.lesson.lesson import load as load_lesson
from core.stages import plan
from core.storage.archive import load
from core.storage.examples import load_example
from gui.cli.argparse_i18n import UsageError
from gui.texts.translation import language_folder, tr

if TYPE_CHECKING:
    from core.labs.lab import Setting


def chosen_document(options: Namespace) -> Document:
    """Load FILE or the example. Errors name FILE, or the file of a model that it points to."""
    if options.file is None:
        return load_example(options.example, language_folder())
    if is_lesson(options.file):
        raise UsageError(
            tr("{file} is a lesson; an experiment is needed here, *.attn.json", file=options.file)
        )
    try:
        return load(options.file)
    except UserError as problem:
        raise UserError(problem.code, **{"path": options.file, **problem.data}) from problem


def chosen_lesson(options: Namespace) -> Lesson | None:
    """Load the lesson in FILE or a shipped one; None for an experiment."""
    if options.lesson is not None:
        return load_lesson(lesson_path(options.lesson))
    if options.file is None or not is_lesson(options.file):
        return None
    try:
        return load_lesson(options.file)
    except UserError as problem:
        raise UserError(problem.code, **{"path": options.file, **problem.data}) from problem


def require_stage(document: Document, stage_id: str) -> None:
    """Raise UserError "stage.absent" (stage, known) unless the experiment has the stage."""
    known = plan(document).ids
    if stage_id not in known:
        raise UserError("stage.absent", stage=stage_id, known=known)


def chosen_ending(options: Namespace, known: tuple[str, ...]) -> str:
    """The suffix of OUT in lower case.

    Raises UserError "output.ending" (path, known) unless it is known, and as require_other_file
    does.
    """
    ending = Path(options.output).suffix.lower()
    if ending not in known:
        raise UserError("output.ending", path=options.output, known=known)
    require_other_file(options)
    return ending


def require_other_file(options: Namespace) -> None:
    """Raise UserError "output.input" (path) if OUT is FILE."""
    # Path.resolve raises for a loop of links.
    if options.file is not None and os.path.realpath(options.output) == os.path.realpath(
        options.file
    ):
        raise UserError("output.input", path=options.output)


def chosen_setting(options: Namespace) -> Setting:
    """The lab's setting, on the experiment in FILE or the example if one is given.

    Raises UsageError, and UserError "lab.absent", "lab.unfit", "lab.control" or "lab.value.…".
    """
    found = find_lab(options.lab)
    named = options.example is not None or (
        options.file is not None and not is_lesson(options.file)
    )
    document = chosen_document(options) if named else None
    return found.start(document, dict(_value(text) for text in options.values))


def require_lab(options: Namespace) -> None:
    """Raise UsageError for settings without a lab."""
    if options.values and not options.lab:
        raise UsageError(tr("--set is for labs: name one with --lab"))


def _value(text: str) -> tuple[str, object]:
    """Parse control=value; a value is JSON, else a word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(
            tr("--set {text}: write CONTROL=VALUE, such as temperature=0.5", text=text)
        )
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value
