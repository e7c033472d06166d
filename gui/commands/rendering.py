"""`main.py render`: the diagram and one stage as a picture."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from gui.commands.source import chosen_document, chosen_ending, require_stage
from gui.language import current_language

ENDINGS = (".png", ".svg", ".pdf")


def render(options: Namespace) -> int:
    """Draw the picture into OUT."""
    chosen_ending(options, ENDINGS)
    document = chosen_document(options)
    require_stage(document, options.stage)
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # whatever windows use: there may be no screen
    from gui.render import render_picture  # Qt, which no other command needs

    language, theme = current_language(), options.theme or "light"
    out = Path(options.output)
    render_picture(
        document, options.stage, out, options.size, language, theme, columns=options.columns,
        labels=options.labels or "one",
    )  # fmt: skip
    return 0
