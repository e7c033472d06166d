"""`main.py render`: the diagram and one stage as a picture."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from gui.cli.argparse_i18n import UsageError
from gui.cli.input_document import chosen_document, chosen_ending, require_stage
from gui.cli.labs import chosen_setting, require_lab
from gui.texts.translation import current_language, tr

ENDINGS = (".png", ".svg", ".pdf")


def render(options: Namespace) -> int:
    """Draw the picture into OUT."""
    chosen_ending(options, ENDINGS)
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # whatever windows use: there may be no screen
    require_lab(options)
    return _render_lab(options) if options.lab else _render_stage(options)


def _render_lab(options: Namespace) -> int:
    if options.stage is not None or options.columns:
        raise UsageError(
            tr("--stage and --columns belong to an experiment; leave them out with --lab")
        )
    setting = chosen_setting(options)
    from gui.export.lab_render import render_lab
    from gui.labs.exhibit import Look

    look = Look(options.theme or "light")
    render_lab(
        options.lab,
        setting,
        Path(options.output),
        options.size,
        current_language(),
        look,
        options.labels or "one",
    )
    return 0


def _render_stage(options: Namespace) -> int:
    if options.stage is None or (options.file is None and options.example is None):
        raise UsageError(tr("render needs an experiment and --stage, or --lab"))
    document = chosen_document(options)
    require_stage(document, options.stage)
    from gui.export.render import render_picture  # Qt, which no other command needs

    language, theme = current_language(), options.theme or "light"
    out = Path(options.output)
    render_picture(
        document,
        options.stage,
        out,
        options.size,
        language,
        theme,
        columns=options.columns,
        labels=options.labels or "one",
    )
    return 0
