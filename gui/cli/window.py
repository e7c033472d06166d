"""`main.py [FILE]`: the window."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from core.base.errors import UserError
from core.document.document import Document
from core.lesson.lesson import is_lesson, load, resolve
from gui.cli.input_document import chosen_document, require_stage
from gui.cli.labs import chosen_setting, require_lab


def open_window(options: Namespace) -> int:
    """Open the window and stay until it is closed. What cannot be opened is refused before anything is shown."""
    if options.file is not None or options.example is not None:
        document = _first_document(options)
        if options.stage is not None and document is not None:
            require_stage(document, options.stage)
    require_lab(options)
    setting = chosen_setting(options) if options.lab else None
    path = None if options.file is None else Path(options.file)
    from gui.app.startup import quick_start  # Qt, which no other command needs

    with quick_start():
        from gui.app.application import run_window

        return run_window(
            path,
            options.example,
            options.stage,
            options.language,
            options.theme,
            options.present,
            options.labels,
            (options.lab, setting) if setting is not None else None,
        )


def _first_document(options: Namespace) -> Document | None:
    """The experiment with which the window begins; None for a lesson without scenes."""
    if options.file is None or not is_lesson(options.file):
        return chosen_document(options)
    try:
        lesson = load(options.file)
    except UserError as problem:
        raise UserError(problem.code, **{"path": options.file, **problem.data}) from problem
    return resolve(lesson, 0).document if lesson.scenes else None
