"""The lab that a command opens or draws, and what its controls are set to."""

from __future__ import annotations

import json
from argparse import Namespace
from typing import TYPE_CHECKING

from core.labs import catalogue
from core.lesson.lesson import is_lesson
from gui.cli.argparse_i18n import UsageError
from gui.cli.input_document import chosen_document
from gui.texts.translation import tr

if TYPE_CHECKING:
    from core.labs.lab import Setting


def chosen_setting(options: Namespace) -> Setting:
    """The lab's setting, on the experiment in FILE or the example where one is named.

    Raises UsageError, and UserError "lab.absent", "lab.unfit", "lab.control" or "lab.value.…".
    """
    found = catalogue.lab(options.lab)
    named = options.example is not None or (
        options.file is not None and not is_lesson(options.file)
    )
    document = chosen_document(options) if named else None
    return found.start(document, dict(_value(text) for text in options.values))


def require_lab(options: Namespace) -> None:
    """Raise UsageError for settings of a lab where none is named."""
    if options.values and not options.lab:
        raise UsageError(tr("--set belongs to a lab: name one with --lab"))


def _value(text: str) -> tuple[str, object]:
    """control=value: a value in JSON, or a word as it stands."""
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(
            tr("--set {text}: write CONTROL=VALUE, such as temperature=0.5", text=text)
        )
    try:
        return name, json.loads(value)
    except (ValueError, RecursionError):
        return name, value
