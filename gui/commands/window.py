"""`main.py [FILE]`: the window."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from gui.commands.source import chosen_document, require_stage


def open_window(options: Namespace) -> int:
    """Open the window and stay until it is closed. What cannot be opened is refused before anything is shown."""
    if options.file is not None or options.example is not None:
        document = chosen_document(options)
        if options.stage is not None:
            require_stage(document, options.stage)
    from gui.app import run_window  # Qt, which no other command needs

    path = None if options.file is None else Path(options.file)
    return run_window(path, options.example, options.stage, options.language, options.theme, options.present)
