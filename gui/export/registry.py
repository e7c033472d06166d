"""The visual export formats by name. Qt is imported only when a file is written."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from core.base.errors import UserError
from core.base.files import write_bytes
from core.exchange.linked import require_small
from core.lesson.lesson import Lesson
from gui.export.options import Cancelled, ExportOptions, Progress, Subject, ignore_progress
from gui.texts.translation import mark

Write = Callable[[Subject, Path, ExportOptions, Progress], None]


class VisualExporter(Struct, frozen=True):
    """One format: the module that writes it, and the options a user can choose.

    `choices` are names of options for experiments: "place" (a single step), "steps" (a range),
    "grain", "size", "scale", "speed", "motion", "parts", "heads", "shade", "outlines".
    `lesson_choices` are those for lessons, whose steps are scenes.
    """

    name: str
    module: str
    description: str
    choices: tuple[str, ...]
    lesson_choices: tuple[str, ...]

    @property
    def ending(self) -> str:
        """The ending of its file names."""
        return f".{self.name}"

    @property
    def is_single_picture(self) -> bool:
        """Whether a file holds one picture, so that a lesson needs a single scene."""
        return self.name in ("png", "svg")

    def choices_for(self, subject: Subject) -> tuple[str, ...]:
        """The options to choose for a subject."""
        return self.lesson_choices if isinstance(subject, Lesson) else self.choices

    def write(
        self, subject: Subject, out_path: Path, options: ExportOptions, progress: Progress
    ) -> None:
        """Write a file completely or not at all. Raises UserError; Cancelled if `progress` stops
        it. That of a model's layer is measured before anything is touched.
        """
        write: Write = getattr(
            importlib.import_module(f"gui.export.{self.module}"), f"write_{self.name}"
        )
        if isinstance(subject, Lesson) or subject.link is None:
            write(subject, out_path, options, progress)
            return
        with TemporaryDirectory() as folder:
            made = Path(folder) / f"export{self.ending}"
            write(subject, made, options, progress)
            require_small(subject, self.name.upper(), made.stat().st_size)
            write_bytes(out_path, made.read_bytes())


_PICTURE = ("place", "size", "parts", "shade")
_FILM = ("steps", "grain", "size", "speed", "motion", "parts", "shade")
_SCENES = ("steps", "size", "shade")
_SCENE_FILM = (*_SCENES, "speed", "motion")
_SLIDES = mark("PowerPoint slides with editable tables and notes")

EXPORTERS: dict[str, VisualExporter] = {
    exporter.name: exporter
    for exporter in (
        VisualExporter(
            "pptx",
            "slides",
            _SLIDES,
            ("steps", "grain", "heads", "shade"),
            ("steps", "heads", "shade"),
        ),
        VisualExporter(
            "html",
            "page",
            mark("Web page in one file, to step through and to compute with"),
            (),
            (),
        ),
        VisualExporter("gif", "animation", mark("Animated GIF of the steps"), _FILM, _SCENE_FILM),
        VisualExporter("webp", "animation", mark("Animated WebP of the steps"), _FILM, _SCENE_FILM),
        VisualExporter("mp4", "animation", mark("MP4 video of the steps"), _FILM, _SCENE_FILM),
        VisualExporter(
            "png",
            "pictures",
            mark("PNG picture of the diagram and the stage view"),
            (*_PICTURE, "scale"),
            (*_SCENES, "scale"),
        ),
        VisualExporter(
            "svg",
            "pictures",
            mark("SVG drawing of the diagram and the stage view"),
            (*_PICTURE, "outlines"),
            (*_SCENES, "outlines"),
        ),
        VisualExporter("pdf", "pictures", mark("PDF of the view"), _PICTURE, _SCENES),
    )
}


def export_shown(
    subject: Subject,
    name: str,
    out_path: Path,
    options: ExportOptions,
    progress: Progress = ignore_progress,
) -> bool:
    """Write a file in a format; False if `progress` stopped it and no file was touched.

    Raises UserError "export.unknown" (format, known), "export.steps" and "export.scenes" (text,
    limit), "export.model_size" (format, size, limit), "export.no_scenes", "export.one_picture" (format, count), "export.too_many" and
    "export.too_many_frames" (actual, limit), "export.no_video" (name), "file.unwritable" (path,
    reason, detail), and errors about files beside a lesson.
    """
    if name not in EXPORTERS:
        raise UserError("export.unknown", format=name, known=tuple(EXPORTERS))
    try:
        EXPORTERS[name].write(subject, out_path, options, progress)
    except Cancelled:
        return False
    return True
