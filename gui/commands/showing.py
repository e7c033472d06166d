"""`main.py export --format pptx|html|gif|webp|mp4|png|svg|pdf`: what is seen. Qt is imported when it is drawn."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from core.cursor import Grain, at_stage, start
from core.document import Document
from core.trace import run
from gui.commands.arguments import UsageError
from gui.commands.showing_options import SHOWS
from gui.commands.source import chosen_document, chosen_ending, require_stage
from gui.exports.options import Options, film_size
from gui.exports.registry import EXPORTERS, export_shown
from gui.language import current_language, tr
from gui.state import Preferences

FORMATS: dict[str, str] = {exporter.name: exporter.what for exporter in EXPORTERS.values()}
# Options of the command line, and what an exporter asks about that they answer.
_OWN = {
    "steps": "steps", "grain": "steps", "speed": "speed", "scale": "scale", "show": "parts", "stage": "place",
    "size": "size", "theme": "shade",
}  # fmt: skip


def require_fitting(options: Namespace) -> None:
    """Raise UsageError for an option that the chosen format has no use for."""
    if options.format in FORMATS:
        _require_own(options)
        return
    for name in (*_OWN, "labels"):
        if getattr(options, name) is not None:
            raise UsageError(tr("--{name} is not for --format {format}", name=name, format=options.format))


def _require_own(options: Namespace) -> None:
    """What one kind of picture has no use for."""
    asks = EXPORTERS[options.format].asks
    unused = [name for name, ask in _OWN.items() if getattr(options, name) is not None and ask not in asks]
    if unused:
        raise UsageError(tr("--{name} is not for --format {format}", name=unused[0], format=options.format))


def write_shown(options: Namespace) -> None:
    """Write OUT."""
    exporter = EXPORTERS[options.format]
    chosen_ending(options, (exporter.ending,))
    document = chosen_document(options)
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # whatever windows use: there may be no screen
    export_shown(document, options.format, Path(options.output), _options(options, document))


def _options(given: Namespace, document: Document) -> Options:
    decimals = Preferences().decimals if given.decimals is None else given.decimals
    first, last = given.steps or (1, None)
    cursor = None
    if given.stage is not None:
        require_stage(document, given.stage)
        trace = run(document)
        cursor = at_stage(trace, start(trace, document), given.stage)
    size, scale = given.size or Options().size, given.scale or 1.0
    if "speed" in EXPORTERS[given.format].asks:
        size, scale = film_size(size)
    return Options(
        language=current_language(),
        shade=given.theme or "light",
        preferences=Preferences(decimals=decimals, columns=given.columns, labels=given.labels or "one"),
        grain=Grain(given.grain or Grain.STAGE),
        first=first,
        last=last,
        size=size,
        scale=scale,
        speed=given.speed or 1.0,
        parts=SHOWS[given.show or "both"],
        cursor=cursor,
    )
