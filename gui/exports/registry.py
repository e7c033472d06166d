"""Every form in which what is seen leaves the program, by name. Qt is imported when one is written."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from core.document import Document
from core.problems import Problem
from gui.exports.options import Cancelled, Options, Progress, silent
from gui.language import mark

Write = Callable[[Document, Path, Options, Progress], None]


@dataclass(frozen=True, slots=True)
class Exporter:
    """One format: the room and the function that write it, and what can be chosen about it.

    `asks` are names of Options: "place" (one step is shown), "steps" (a range of them), "size", "scale", "speed",
    "parts", "shade".
    """

    name: str
    module: str
    what: str
    asks: tuple[str, ...]

    @property
    def ending(self) -> str:
        """How its files end."""
        return f".{self.name}"

    def write(self, document: Document, out_path: Path, options: Options, progress: Progress) -> None:
        """Write a file, wholly or not at all. Raises Problem, and Cancelled where `progress` answers False."""
        write: Write = getattr(importlib.import_module(f"gui.exports.{self.module}"), f"write_{self.name}")
        write(document, out_path, options, progress)


_PICTURE = ("place", "size", "parts", "shade")
_FILM = ("steps", "size", "speed", "parts", "shade")
_SLIDES = mark("PowerPoint slides, one a step, with editable tables and notes")

EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter
    for exporter in (
        Exporter("pptx", "slides", _SLIDES, ("steps", "shade")),
        Exporter("html", "page", mark("Web page that plays the steps, in one file"), ()),
        Exporter("gif", "animation", mark("Animated GIF of the steps"), _FILM),
        Exporter("webp", "animation", mark("Animated WebP of the steps"), _FILM),
        Exporter("mp4", "animation", mark("MP4 video of the steps"), _FILM),
        Exporter("png", "pictures", mark("PNG picture of diagram and stage"), (*_PICTURE, "scale")),
        Exporter("svg", "pictures", mark("SVG drawing of diagram and stage"), _PICTURE),
        Exporter("pdf", "pictures", mark("PDF page of diagram and stage"), _PICTURE),
    )
}


def export_shown(document: Document, name: str, out_path: Path, options: Options, progress: Progress = silent) -> bool:
    """Write a file in a format by its name; False where `progress` has stopped it and no file was touched.

    Raises Problem "export.unknown" (format, known), "export.steps" (text, limit), "export.too_many" (actual, limit),
    "export.no_video" (name), "file.unwritable" (path, reason, detail).
    """
    if name not in EXPORTERS:
        raise Problem("export.unknown", format=name, known=tuple(EXPORTERS))
    try:
        EXPORTERS[name].write(document, out_path, options, progress)
    except Cancelled:
        return False
    return True
