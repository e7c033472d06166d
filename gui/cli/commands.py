"""The short commands: `examples`, `trace`, `render`, and the window."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from core.base.errors import UserError
from core.base.files import write_bytes
from core.classroom.answer_file import is_answer_file, read_answers
from core.compute.trace import Trace, run
from core.document.document import Document
from core.lesson.lesson import is_lesson, load, resolve
from core.storage.examples import EXAMPLES, load_example
from gui.cli.argparse_i18n import UsageError
from gui.cli.input_document import (
    chosen_document,
    chosen_ending,
    chosen_setting,
    require_lab,
    require_stage,
)
from gui.texts.translation import current_language, tr, tr_marked


def print_examples(options: Namespace) -> int:
    """Print id, tab and title of each example."""
    for example_id in EXAMPLES:
        print(f"{example_id}\t{tr_marked(load_example(example_id).title)}")
    return 0


def write_trace(options: Namespace) -> int:
    """Write `tokens` and every stage under its id; the same experiment gives the same bytes."""
    from core.exchange.traces import as_json, as_npz

    writers: dict[str, Callable[[Document, Trace], bytes]] = {".npz": as_npz, ".json": as_json}
    writer = writers[chosen_ending(options, tuple(writers))]
    document = chosen_document(options)
    trace = run(document)
    write_bytes(options.output, writer(document, trace))
    _tell_stopped(trace)
    _tell_uneven(document)
    return 0


def _tell_stopped(trace: Trace) -> None:
    """Print a note about stages whose sums went beyond the largest double."""
    from core.exchange.traces import saturated_stages

    stages = saturated_stages(trace)
    if stages:
        named = tr(", ").join(stages)
        print(
            tr("note: numbers in {stages} stop at ±1.8×10³⁰⁸, the largest possible", stages=named),
            file=sys.stderr,
        )


def _tell_uneven(document: Document) -> None:
    """Print a note about rows of given weights that do not add up to 1."""
    if document.uneven_rows:
        head, row, total = document.uneven_rows[0]
        text = tr(
            "note: row {row} of head {head} of the given weights adds up to {sum}, not 1; rows "
            "like this: {count}",
            count=len(document.uneven_rows),
            row=row + 1,
            head=head + 1,
            sum=f"{total:.6g}",
        )
        print(text, file=sys.stderr)


ENDINGS = (".png", ".svg", ".pdf")


def render(options: Namespace) -> int:
    """Draw the picture into OUT."""
    chosen_ending(options, ENDINGS)
    if options.outlines and Path(options.output).suffix.lower() != ".svg":
        raise UsageError(tr("--outlines is only for pictures that end in .svg"))
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # there may be no screen
    require_lab(options)
    return _render_lab(options) if options.lab else _render_stage(options)


def _render_lab(options: Namespace) -> int:
    if options.stage is not None or options.columns:
        raise UsageError(tr("--stage and --columns are for experiments; leave them out with --lab"))
    setting = chosen_setting(options)
    from gui.export.pictures import render_lab
    from gui.labs.exhibit import LabAppearance

    look = LabAppearance(options.theme or "light")
    render_lab(
        options.lab,
        setting,
        Path(options.output),
        options.size,
        current_language(),
        look,
        options.labels or "one",
        options.outlines,
    )
    return 0


def _render_stage(options: Namespace) -> int:
    if options.stage is None or (options.file is None and options.example is None):
        raise UsageError(tr("render needs an experiment and --stage, or --lab"))
    document = chosen_document(options)
    require_stage(document, options.stage)
    from gui.export.pictures import render_picture  # imports Qt

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
        outlines=options.outlines,
    )
    return 0


def open_window(options: Namespace) -> int:
    """Open the window and run until it is closed. Bad input is refused before anything is shown."""
    if options.file is not None or options.example is not None:
        document = _first_document(options)
        if options.stage is not None and document is not None:
            require_stage(document, options.stage)
    require_lab(options)
    setting = chosen_setting(options) if options.lab else None
    path = None if options.file is None else Path(options.file)
    from gui.app.application import run_window  # imports Qt

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
    """The first experiment of the window; None for answers, and for a lesson without scenes."""
    if options.file is not None and is_answer_file(options.file):
        read_answers(options.file)
        return None
    if options.file is None or not is_lesson(options.file):
        return chosen_document(options)
    try:
        lesson = load(options.file)
    except UserError as problem:
        raise UserError(problem.code, **{"path": options.file, **problem.data}) from problem
    return resolve(lesson, 0).document if lesson.scenes else None
