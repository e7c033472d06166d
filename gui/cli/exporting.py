"""`main.py export`: data, worksheets and reports, pictures and slides. Qt is imported when needed."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from core.base.errors import UserError
from core.base.files import write_bytes
from core.compute.trace import run
from core.document.document import Document
from core.document.orientation import Orientation
from core.exchange.exporters import EXPORTERS, write_export
from core.explain.exercise import require_size
from core.explain.timeline import Cursor, Grain, at_stage, start
from core.lesson.lesson import Lesson, is_lesson
from gui.cli.argparse_i18n import UsageError
from gui.cli.arguments import BOTH
from gui.cli.input_document import (
    chosen_document,
    chosen_ending,
    chosen_lesson,
    require_other_file,
    require_stage,
)
from gui.export.options import PARTS, ExportOptions, Subject, film_size
from gui.export.registry import EXPORTERS as VISUAL_EXPORTERS
from gui.export.registry import export_shown
from gui.export.worksheets.blocks import KEYS, POINTS_PER, SUMS, WorksheetOptions
from gui.session.state import Preferences
from gui.texts.exchange import FORMATS, file_labels, translated_document
from gui.texts.translation import current_language, languages, mark, tr, tr_marked

SHOWN_PARTS = {"both": PARTS, "diagram": PARTS[:1], "stage": PARTS[1:]}  # by --show


def export_run(options: Namespace) -> int:
    """Write OUT in the format NAME, or list the formats with names and descriptions."""
    if options.list:
        for name, what in (FORMATS | PAPER_FORMATS | VISUAL_FORMATS).items():
            print(f"{name}\t{tr_marked(what)}")
        return 0
    _require_all(options)
    require_paper_options(options, tuple(VISUAL_FORMATS))
    require_visual_options(options)
    _require_experiment(options)
    if options.format in PAPER_FORMATS:
        write_paper(options)
        return 0
    if options.format in VISUAL_FORMATS:
        write_visual(options)
        return 0
    if options.format not in EXPORTERS:
        raise UserError(
            "export.unknown",
            format=options.format,
            known=(*EXPORTERS, *PAPER_FORMATS, *VISUAL_FORMATS),
        )
    _require_ending(options)
    write_export(
        translated_document(chosen_document(options)), options.format, options.output, file_labels()
    )
    return 0


def _require_ending(options: Namespace) -> None:
    """Require the ending of the format; a folder may have any name."""
    ending = EXPORTERS[options.format].ending
    if ending:
        chosen_ending(options, (ending,))
    else:
        require_other_file(options)


def _require_all(options: Namespace) -> None:
    """Require what argparse cannot, since --list needs none of it."""
    if options.file is None and options.example is None and options.lesson is None:
        raise UsageError(tr("an experiment is missing: FILE or --example ID (main.py export -h)"))
    if options.format is None:
        raise UsageError(tr("the format is missing: --format NAME (main.py export --list)"))
    if options.output is None:
        raise UsageError(tr("the file to write is missing: -o OUT (main.py export -h)"))


def _require_experiment(options: Namespace) -> None:
    """Refuse data and papers of a lesson: it has many runs."""
    given = options.lesson or (
        options.file if options.file is not None and is_lesson(options.file) else None
    )
    if given is not None and (options.format in EXPORTERS or options.format in PAPER_FORMATS):
        known = ", ".join(VISUAL_FORMATS)
        raise UsageError(
            tr(
                "a lesson cannot be written with --format {format}; it can be written as {known}",
                format=options.format,
                known=known,
            )
        )


PAPER_FORMATS: dict[str, str] = {
    "worksheet": mark("Worksheets to fill in, with answer keys: PDF or LaTeX"),
    "report": mark("Report with every stage, formula and sum: PDF or HTML"),
}


def require_paper_options(options: Namespace, shown: tuple[str, ...] = ()) -> None:
    """Raise UsageError for an option that the format does not use; `shown` are other formats with
    decimals.
    """
    if options.format == "worksheet":
        return
    for name in ("seed", "sheets", "key", "stages", "points", "points-per", "sums"):
        if getattr(options, name.replace("-", "_")) is not None:
            raise UsageError(tr("--{name} is only for --format worksheet", name=name))
    if options.language == BOTH:
        raise UsageError(tr("--language both is only for --format worksheet"))
    if options.format not in ("report", *shown) and (
        options.columns or options.decimals is not None
    ):
        raise UsageError(
            tr(
                "--decimals and --columns are only for --format {known}",
                known=", ".join((*PAPER_FORMATS, *shown)),
            )
        )


def write_paper(options: Namespace) -> None:
    """Write OUT, and the keys beside it if they are a file of their own."""
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # there may be no screen
    files = (_worksheet_files if options.format == "worksheet" else _report_files)(options)
    for path, data in files.items():
        write_bytes(path, data)


def _worksheet_files(options: Namespace) -> dict[Path, bytes]:
    from gui.export.worksheets.files import WORKSHEET_ENDINGS, worksheet_files

    chosen_ending(options, WORKSHEET_ENDINGS)
    document = chosen_document(options)
    for stage_id in options.stages or ():
        require_stage(document, stage_id)
    asked = WorksheetOptions(
        decimals=_or_default(options.decimals, 2),
        sheets=_or_default(options.sheets, 1),
        seed=_or_default(options.seed, 0),
        key=options.key or KEYS[0],
        languages=languages() if options.language == BOTH else (current_language(),),
        orientation=Orientation(options.columns),
        labels=options.labels or "one",
        stages=options.stages or (),
        points=_or_default(options.points, 0),
        points_per=options.points_per or POINTS_PER[0],
        sums=options.sums or SUMS[0],
    )
    with PageCount(_note_length(document, asked)) as pages:
        return worksheet_files(document, asked, Path(options.output), on_page=pages.more)


class PageCount:
    """Show the progress of a long paper on the terminal; delete the line at the end."""

    def __init__(self, total: int) -> None:
        self._done, self._total, self._line = 0, total, ""
        self._seen = total > 0 and sys.stderr.isatty()

    def __enter__(self) -> PageCount:
        self._say()
        return self

    def more(self) -> None:
        """Count another page."""
        self._done += 1
        self._say()

    def _say(self) -> None:
        if self._seen:
            total = f"{max(self._total, self._done):,}"
            self._line = tr("page {n} of about {total}", n=f"{self._done:,}", total=total)
            print(f"\r{self._line}", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_why: object) -> None:
        if self._seen:
            print("\r" + "  " * len(self._line) + "\r", end="", file=sys.stderr, flush=True)


def _note_length(document: Document, asked: WorksheetOptions) -> int:
    """Print a note about a very long paper; return its pages, 0 if it is short."""
    from gui.export.worksheets.files import MANY, page_count

    require_size(document)
    count = page_count(document, asked)
    if count >= MANY:
        keys = tr("; --key none leaves out the answer keys") if asked.key != "none" else ""
        print(tr("note: about {n} pages", n=f"{count:,}") + keys, file=sys.stderr)
    return count if count >= MANY else 0


def _report_files(options: Namespace) -> dict[Path, bytes]:
    from gui.export.worksheets.files import REPORT_ENDINGS, ReportOptions, report_bytes

    ending = chosen_ending(options, REPORT_ENDINGS)
    asked = ReportOptions(
        decimals=_or_default(options.decimals, 2),
        language=current_language(),
        orientation=Orientation(options.columns),
    )
    return {Path(options.output): report_bytes(chosen_document(options), asked, ending)}


def _or_default(value: int | None, default: int) -> int:
    return default if value is None else value


VISUAL_FORMATS: dict[str, str] = {
    exporter.name: exporter.description for exporter in VISUAL_EXPORTERS.values()
}
# Options of the command line and the wish of an exporter that each answers.
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
    "outlines": "outlines",
}


def require_visual_options(options: Namespace) -> None:
    """Raise UsageError for an option that the format does not use."""
    if options.format in VISUAL_FORMATS:
        _require_own(options)
        return
    for name in (*_OWN, *(() if options.format == "worksheet" else ("labels",))):
        if _given(options, name):
            raise UsageError(
                tr(
                    "--{name} cannot be used with --format {format}",
                    name=name,
                    format=options.format,
                )
            )


def _require_own(options: Namespace) -> None:
    """Refuse options that this kind of picture does not use or a lesson decides."""
    exporter = VISUAL_EXPORTERS[options.format]
    lesson = options.lesson is not None or (options.file is not None and is_lesson(options.file))
    for name, ask in _OWN.items():
        if not _given(options, name):
            continue
        if ask not in (*exporter.choices, *exporter.lesson_choices):
            raise UsageError(
                tr(
                    "--{name} cannot be used with --format {format}",
                    name=name,
                    format=options.format,
                )
            )
        if lesson and ask not in exporter.lesson_choices:
            raise UsageError(
                tr(
                    "--{name} cannot be used for lessons: their scenes decide what is shown",
                    name=name,
                )
            )
        if not lesson and ask not in exporter.choices:
            raise UsageError(
                tr(
                    "--{name} with --format {format} is only for lessons",
                    name=name,
                    format=options.format,
                )
            )
    if options.fps is not None and not options.motion:
        raise UsageError(tr("--fps is only for animations with --motion"))


def _given(options: Namespace, name: str) -> bool:
    return getattr(options, name) not in (None, False)


def write_visual(options: Namespace) -> None:
    """Write OUT."""
    exporter = VISUAL_EXPORTERS[options.format]
    chosen_ending(options, (exporter.ending,))
    subject = chosen_lesson(options) or chosen_document(options)
    if exporter.is_single_picture and isinstance(subject, Lesson):
        _require_one_scene(options, subject)
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # there may be no screen
    export_shown(subject, options.format, Path(options.output), _visual_options(options, subject))


def _require_one_scene(options: Namespace, lesson: Lesson) -> None:
    """Raise UsageError where a file for one picture would show several scenes."""
    count = len(lesson.scenes)
    first, last = options.steps or (1, count)
    if first < (last or count) <= count:
        raise UsageError(
            tr(
                "--format {format} holds one picture, and this lesson has {count} scenes: "
                "choose one, such as --steps 2, or use --format pdf, which has pages",
                format=options.format,
                count=count,
            )
        )


def _visual_options(given: Namespace, subject: Subject) -> ExportOptions:
    decimals = Preferences().decimals if given.decimals is None else given.decimals
    first, last = given.steps or (1, None)
    size, scale = given.size or ExportOptions().size, given.scale or 1.0
    if "speed" in VISUAL_EXPORTERS[given.format].choices:
        size, scale = film_size(size)
    return ExportOptions(
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
        frames=given.fps or ExportOptions().frames,
        parts=SHOWN_PARTS[given.show or "both"],
        heads=given.heads,
        outlines=given.outlines,
        cursor=_cursor(given, subject) if isinstance(subject, Document) else None,
    )


def _cursor(given: Namespace, document: Document) -> Cursor | None:
    """The cursor at the stage of --stage."""
    if given.stage is None:
        return None
    require_stage(document, given.stage)
    trace = run(document)
    return at_stage(trace, start(trace, document), given.stage)
