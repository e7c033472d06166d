"""`main.py export --format pptx|html|gif|webp|mp4|png|svg|pdf`: what is seen. Qt is imported when it is drawn."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from core.compute.trace import run
from core.document.document import Document
from core.explain.timeline import Cursor, Grain, at_stage, start
from core.lesson.lesson import Lesson, is_lesson
from gui.cli.argparse_i18n import UsageError
from gui.cli.input_document import chosen_document, chosen_ending, chosen_lesson, require_stage
from gui.cli.showing_options import SHOWS
from gui.export.export_source import Subject
from gui.export.options import Options, film_size
from gui.export.registry import EXPORTERS, export_shown
from gui.session.state import Preferences
from gui.texts.translation import current_language, tr

FORMATS: dict[str, str] = {exporter.name: exporter.what for exporter in EXPORTERS.values()}
# Options of the command line, and what an exporter asks about that they answer.
_OWN = {
    "steps": "steps",
    "grain": "grain",
    "speed": "speed",
    "motion": "motion",
    "fps": "motion",
    "scale": "scale",
    "show": "parts",
    "stage": "place",
    "size": "size",
    "theme": "shade",
    "heads": "heads",
}


def require_fitting(options: Namespace) -> None:
    """Raise UsageError for an option that the chosen format has no use for."""
    if options.format in FORMATS:
        _require_own(options)
        return
    for name in (*_OWN, *(() if options.format == "worksheet" else ("labels",))):
        if _given(options, name):
            raise UsageError(
                tr("--{name} is not for --format {format}", name=name, format=options.format)
            )


def _require_own(options: Namespace) -> None:
    """What one kind of picture has no use for, and what a lesson decides itself."""
    exporter = EXPORTERS[options.format]
    lesson = options.lesson is not None or (options.file is not None and is_lesson(options.file))
    for name, ask in _OWN.items():
        if not _given(options, name):
            continue
        if ask not in (*exporter.asks, *exporter.asks_lesson):
            raise UsageError(
                tr("--{name} is not for --format {format}", name=name, format=options.format)
            )
        if lesson and ask not in exporter.asks_lesson:
            raise UsageError(
                tr("--{name} is not for lessons: their scenes say what is shown", name=name)
            )
        if not lesson and ask not in exporter.asks:
            raise UsageError(
                tr(
                    "--{name} with --format {format} is for lessons",
                    name=name,
                    format=options.format,
                )
            )
    if options.fps is not None and not options.motion:
        raise UsageError(tr("--fps is for films with --motion"))


def _given(options: Namespace, name: str) -> bool:
    return getattr(options, name) not in (None, False)


def write_shown(options: Namespace) -> None:
    """Write OUT."""
    exporter = EXPORTERS[options.format]
    chosen_ending(options, (exporter.ending,))
    subject = chosen_lesson(options) or chosen_document(options)
    if exporter.single and isinstance(subject, Lesson):
        _require_one_scene(options, subject)
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # whatever windows use: there may be no screen
    export_shown(subject, options.format, Path(options.output), _options(options, subject))


def _require_one_scene(options: Namespace, lesson: Lesson) -> None:
    """Raise UsageError, which names the option, where a file of one picture is to show several scenes."""
    count = len(lesson.scenes)
    first, last = options.steps or (1, count)
    if first < (last or count) <= count:
        raise UsageError(
            tr(
                "--format {format} holds one picture, and this lesson has {count} scenes: choose one, such as "
                "--steps 2, or --format pdf, which has pages",
                format=options.format,
                count=count,
            )
        )


def _options(given: Namespace, subject: Subject) -> Options:
    decimals = Preferences().decimals if given.decimals is None else given.decimals
    first, last = given.steps or (1, None)
    size, scale = given.size or Options().size, given.scale or 1.0
    if "speed" in EXPORTERS[given.format].asks:
        size, scale = film_size(size)
    return Options(
        language=current_language(),
        shade=given.theme or "light",
        preferences=Preferences(
            decimals=decimals, columns=given.columns, labels=given.labels or "one"
        ),
        grain=Grain(given.grain or Grain.STAGE),
        first=first,
        last=last,
        size=size,
        scale=scale,
        speed=given.speed or 1.0,
        motion=given.motion,
        frames=given.fps or Options().frames,
        parts=SHOWS[given.show or "both"],
        heads=given.heads,
        cursor=_cursor(given, subject) if isinstance(subject, Document) else None,
    )


def _cursor(given: Namespace, document: Document) -> Cursor | None:
    """The whole stage that a picture is to show."""
    if given.stage is None:
        return None
    require_stage(document, given.stage)
    trace = run(document)
    return at_stage(trace, start(trace, document), given.stage)
