"""`main.py class`: count the answers of a class, and which mistake how often."""

from __future__ import annotations

import json
import os
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

import numpy as np

from core.base.errors import UserError
from core.base.files import write_bytes
from core.classroom.experiment_id import experiment_id
from core.classroom.marking import VERDICTS, ClassResult, is_fault, mark_class
from gui.classroom.wording import (
    WORDS,
    counted_text,
    double_text,
    refused_lines,
    student_labels,
)
from gui.cli.argparse_i18n import UsageError
from gui.cli.checking import chosen_given
from gui.cli.input_document import chosen_document
from gui.texts.names import stage_name
from gui.texts.translation import tr, tr_marked

ENDING = ".csv"


def count_class(options: Namespace) -> int:
    """Print the counts of a class, or the id of the experiment."""
    answers = list(options.paths)
    options.file = None
    if options.example is None:
        if not answers:
            raise UsageError(tr("class needs an experiment: a file, *.attn.json, or --example"))
        options.file = answers.pop(0)
    if not options.id and not answers:
        raise UsageError(tr("class needs answers: files, *.answers.json, or folders of them"))
    _require_output(options, answers)
    document = chosen_document(options)
    if options.id:
        print(experiment_id(document))
        return 0
    result = mark_class(document, answers, chosen_given(options))
    if not result.students:
        raise UsageError(_nothing(result, options))
    if options.output:
        from gui.classroom.report import class_table  # loaded when first used

        write_bytes(options.output, class_table(result, hide=options.hide_names))
    print(as_json(result, options.hide_names) if options.json else as_text(result, options))
    return 0


def _require_output(options: Namespace, answers: list[str]) -> None:
    """Refuse an OUT that is no table, or one of the files that are read."""
    if not options.output:
        return
    if not options.output.lower().endswith(ENDING):
        raise UserError("output.ending", path=options.output, known=(ENDING,))
    if os.path.realpath(options.output) in map(os.path.realpath, [*answers, options.file or ""]):
        raise UserError("output.input", path=options.output)


def _nothing(result: ClassResult, options: Namespace) -> str:
    if not result.refused:
        return tr("there are no answers in these folders; their files end in .answers.json")
    file, text = refused_lines(result.refused, hide=options.hide_names)[0]
    if len(result.refused) == 1:
        return tr("{file}: {sentence}", file=file, sentence=text)
    return tr(
        "none of {count} files could be read; {file}: {sentence}",
        count=len(result.refused),
        file=file,
        sentence=text,
    )


def as_json(result: ClassResult, hide: bool) -> str:
    """Counts, mistakes, refused files and doubles as JSON."""
    labels = student_labels(result.students, hide=hide)
    students = [
        {
            "name": label,
            **{verdict: student.count(verdict) for verdict in VERDICTS[:-1]},
            "slips": list(dict.fromkeys(mistake.id for mistake in student.report.mistakes)),
        }
        for label, student in zip(labels, result.students, strict=True)
    ]
    found: dict[str, Any] = {
        "files": len(result.students),
        "refused": [
            {"file": file, "text": text} for file, text in refused_lines(result.refused, hide=hide)
        ],
        "doubles": [
            {
                "name": "" if hide else double.name,
                "files": [] if hide else [path.name for path in double.paths],
                "count": len(double.paths),
            }
            for double in result.doubles
        ],
        "cells": list(_cells(result)),
        "slips": [
            {
                "id": one.id,
                "text": counted_text(one),
                "stage": one.example.stage,
                "mistake": is_fault(one.example),
                "files": len(one.students),
            }
            for one in result.findings
        ],
        "students": students,
    }
    return json.dumps(found, ensure_ascii=False, indent=1)


def _cells(result: ClassResult) -> Iterator[dict[str, Any]]:
    for stage, counts in result.counts.items():
        for index in np.ndindex(*counts.shape[1:]):
            numbers = counts[(slice(None), *index)].tolist()
            yield {"stage": stage, "index": index, **dict(zip(VERDICTS, numbers, strict=True))}


def as_text(result: ClassResult, options: Namespace) -> str:
    """The counts for people: stages, mistakes, files that do not count."""
    lines = [_students(len(result.students))]
    for stage, counts in result.counts.items():
        totals = counts.reshape(len(VERDICTS), -1).sum(axis=1).tolist()
        said = [
            f"{total} {tr_marked(WORDS[verdict])}"
            for verdict, total in zip(VERDICTS, totals, strict=True)
            if total
        ]
        lines.append(f"{stage_name(stage)} ({stage}): {tr(', ').join(said)}")
    lines += [f"  • {len(one.students)} × {counted_text(one)}" for one in result.mistakes]
    if result.unexplained:
        text = tr("Wrong numbers without a known mistake.")
        lines.append(f"  • {len(result.unexplained)} × {text}")
    lines.append(tr("No mistakes: {count}", count=len(result.without_mistake)))
    for file, text in refused_lines(result.refused, hide=options.hide_names):
        lines.append(tr("Refused: {file}: {sentence}", file=file, sentence=text))
    for double in result.doubles:
        lines.append(double_text(double.name, len(double.paths), hide=options.hide_names))
    return "\n".join(lines)


def _students(count: int) -> str:
    return tr("1 student") if count == 1 else tr("{count} students", count=count)
