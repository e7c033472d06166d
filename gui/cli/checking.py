"""`main.py check`: mark hand-computed numbers."""

from __future__ import annotations

import csv
import io
import json
import math
from argparse import Namespace
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from core.base.errors import UserError
from core.base.files import read_bytes
from core.base.number_format import MINUS
from core.check.answers import (
    NO_ENTRIES,
    Answer,
    Entries,
    parse_answer,
    stated_arrays,
    with_answers,
    without_labels,
)
from core.check.given import EXACT, ROUNDED, Given, rounded_tensors
from core.check.marking import check
from core.check.report import FOLLOWS, NEARLY, RIGHT, WRONG, CheckReport, MarkedNumber, Mistake
from core.classroom.answer_file import ENDING, write_answers
from core.document.document import Document
from core.document.parts import is_headwise
from core.exchange.paste import parse_cells
from core.exchange.readers.cells import separator, split_at_spaces
from gui.cli.argparse_i18n import UsageError
from gui.cli.input_document import chosen_document, require_stage
from gui.texts.errors import error_message
from gui.texts.mistakes import mistake_text
from gui.texts.names import stage_name
from gui.texts.translation import mark, tr, tr_marked

Row = list[Answer | None]

VERDICTS = {
    RIGHT: mark("right"),
    NEARLY: mark("right, given the digits entered"),
    FOLLOWS: mark("consistent with your own numbers"),
    WRONG: mark("wrong"),
}
# Errors of a paste that say less than those of a table, which name file, row and column.
OF_TABLES = ("paste.empty", "paste.ragged")
LINE = mark("{place} {entered}: {verdict}; the right value is {expected}")


def check_values(options: Namespace) -> int:
    """Mark the numbers in the CSV files and print verdicts and mistakes."""
    if options.output and not options.output.lower().endswith(ENDING):
        raise UserError("output.ending", path=options.output, known=(ENDING,))
    document = chosen_document(options)
    values = {}
    for given in options.values:
        stage, sign, path = given.partition("=")
        if not sign or not stage or not path:
            raise UsageError(
                tr("--values {given}: it must be STAGE=FILE, such as weights=mine.csv", given=given)
            )
        require_stage(document, stage)
        if stage in values:
            raise UsageError(
                tr("--values gives the stage {stage} twice; keep one of the two", stage=stage)
            )
        values[stage] = read_values(document, stage, path)
    given = chosen_given(options)
    entries = _entries(document, values)
    report = check(document, stated_arrays(document, entries), given)
    if options.output:
        write_answers(options.output, document, entries, options.name)
    print(as_json(report) if options.json else as_text(report, given_text(document, given)))
    return 0


def chosen_given(options: Namespace) -> Given:
    """How the experiment's own numbers count: by default those of a file are roundings, those of an
    example are not.
    """
    return Given(options.given or (EXACT if options.file is None else ROUNDED))


def _entries(document: Document, values: Mapping[str, Sequence[Any]]) -> Entries:
    """The numbers by stage and index."""
    entries = NO_ENTRIES
    for stage, rows in values.items():
        cells = np.array(rows, dtype=object).reshape(document.stage_shape(stage))
        entries = with_answers(entries, stage, dict(np.ndenumerate(cells)))
    return entries


def given_text(document: Document, given: Given) -> str:
    """Whether the given numbers count as rounded."""
    counts = rounded_tensors(document, given).values()
    if not counts:
        return tr("The given numbers are treated as exact.")
    least, most = min(counts), max(counts)
    return tr(
        "The given numbers are treated as rounded to {decimals} decimals.",
        decimals=most if least == most else f"{least}–{most}",
    )


def read_values(document: Document, stage: str, path: str) -> list[list[Row]] | list[Row]:
    """The numbers in a text file, in the shape of the stage; blank cells are None.

    A table of cells, parted by tabs, else semicolons, else commas, else spaces, with a blank line
    between heads; or whatever else a paste into the window reads. Raises UserError
    "file.unreadable", "file.too_large" and those of `parse_cells`; UsageError with file, row and
    column (row = line of the file) for what is not a number or not of the stage's shape.
    """
    text = _text(path)
    try:
        numbers = _read_table(document, stage, path, text)
    except UsageError:
        pasted = _read_pasted(document, stage, path, text)
        if pasted is None:
            raise
        numbers = pasted
    return numbers if is_headwise(stage) else numbers[0]


def _read_pasted(document: Document, stage: str, path: str, text: str) -> list[list[Row]] | None:
    """The numbers of printed arrays, lists, LaTeX … by head; None unless their shape is right."""
    shape = document.stage_shape(stage)
    heads, (rows, columns) = (shape[0] if len(shape) == 3 else 1), shape[-2:]
    try:
        matrices = [without_labels(grid, rows, columns) for grid in parse_cells(text)]
    except UserError as problem:
        if not problem.code.startswith("paste.") or problem.code in OF_TABLES:
            return None
        raise UserError(problem.code, **{**problem.data, "path": path}) from problem
    if len(matrices) == 1 and len(matrices[0]) == heads * rows:
        matrices = [matrices[0][head * rows : (head + 1) * rows] for head in range(heads)]
    fits = len(matrices) == heads and all(
        len(matrix) == rows and all(len(line) == columns for line in matrix) for matrix in matrices
    )
    if not fits:
        return None
    return [[_numbers(path, i, line) for i, line in enumerate(each, 1)] for each in matrices]


def _read_table(document: Document, stage: str, path: str, text: str) -> list[list[Row]]:
    shape = document.stage_shape(stage)
    heads, (rows, columns) = (shape[0] if len(shape) == 3 else 1), shape[-2:]
    blocks = _blocks(_lines(path, text), heads, rows, columns)
    for block in blocks:
        _require_shape(path, stage, block, rows, columns)
    if len(blocks) != heads:
        raise UsageError(
            tr(
                "{path}: {actual} blocks separated by blank lines; the stage {stage} needs "
                "{expected}, one per head",
                path=path,
                actual=len(blocks),
                stage=stage,
                expected=heads,
            )
        )
    return [[_numbers(path, line, cells) for line, cells in block] for block in blocks]


Line = tuple[int, list[str]]


def _text(path: str) -> str:
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(
            tr("{path}: row {row} is not UTF-8 text; save it as UTF-8", path=path, row=line)
        ) from error


def _lines(path: str, text: str) -> list[Line]:
    """The rows of a table with their line numbers."""
    sign = separator(text.splitlines())
    spaced = [] if sign else [split_at_spaces(line) for line in text.splitlines()]
    if any(len(cells) > 1 for cells in spaced):
        return list(enumerate(spaced, start=1))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign or ",")
    try:
        return [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        raise UsageError(
            tr("{path}: row {row} is not CSV", path=path, row=reader.line_num)
        ) from error


def _blocks(lines: list[Line], heads: int, rows: int, columns: int) -> list[list[Line]]:
    """Split the lines at blank ones.

    In a stage of one column a blank line may also be a blank cell; there a file of the right length
    is split by counting.
    """
    length = heads * (rows + 1) - 1
    if columns == 1:
        kept = lines[:length] if all(_is_blank(line) for line in lines[length:]) else lines
        if len(kept) == length and all(_is_blank(kept[i]) for i in range(rows, length, rows + 1)):
            blocks = [kept[i : i + rows] for i in range(0, length, rows + 1)]
            return [[(line, cells or [""]) for line, cells in block] for block in blocks]
    parted: list[list[Line]] = [[]]
    for line in lines:
        if not _is_blank(line):
            parted[-1].append(line)
        elif parted[-1]:
            parted.append([])
    return [block for block in parted if block]


def _is_blank(line: Line) -> bool:
    return not line[1] or (len(line[1]) == 1 and not line[1][0].strip())


def _require_shape(path: str, stage: str, block: list[Line], rows: int, columns: int) -> None:
    for line, cells in block:
        if len(cells) != columns:
            raise UsageError(_wrong_width(path, line, len(cells), stage, columns))
    if len(block) != rows:
        raise UsageError(_wrong_height(path, block[-1][0], len(block), stage, rows))


def _wrong_width(path: str, row: int, actual: int, stage: str, expected: int) -> str:
    if actual == 1:
        text = mark("{path}: row {row} has 1 column; the stage {stage} needs {expected}")
    else:
        text = mark("{path}: row {row} has {actual} columns; the stage {stage} needs {expected}")
    return tr_marked(text, path=path, row=row, actual=actual, stage=stage, expected=expected)


def _wrong_height(path: str, row: int, actual: int, stage: str, expected: int) -> str:
    if actual == 1:
        return tr(
            "{path}: only 1 row; the stage {stage} needs {expected}",
            path=path,
            stage=stage,
            expected=expected,
        )
    text = mark("{path}: {actual} rows up to row {row}; the stage {stage} needs {expected}")
    return tr_marked(text, path=path, row=row, actual=actual, stage=stage, expected=expected)


def _numbers(path: str, line: int, cells: Sequence[str]) -> Row:
    return [_number(path, line, column, text) for column, text in enumerate(cells, start=1)]


def _number(path: str, line: int, column: int, text: str) -> Answer | None:
    try:
        return parse_answer(text)
    except UserError as problem:
        place = tr("{path}: row {row}, column {column}", path=path, row=line, column=column)
        raise UsageError(
            tr("{where}: {sentence}", where=place, sentence=error_message(problem))
        ) from problem


def as_json(report: CheckReport) -> str:
    """Marks and mistakes as JSON; −∞ is null."""
    cells = [
        {
            "stage": number.stage,
            "index": list(number.index),
            "entered": _finite(number.entered.value),
            "expected": _finite(number.expected),
            "verdict": number.verdict,
        }
        for number in report.marks
    ]
    slips = [
        {
            "id": slip.id,
            "text": mistake_text(slip),
            "stage": slip.stage,
            "cells": [list(index) for index in slip.cells],
        }
        for slip in report.mistakes
    ]
    return json.dumps({"cells": cells, "slips": slips}, ensure_ascii=False, indent=1)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def as_text(report: CheckReport, given: str) -> str:
    """How the given numbers count; verdicts by stage, numbers that are not right, and mistakes."""
    lines: list[str] = []
    for stage in dict.fromkeys(number.stage for number in report.marks):
        counts = {verdict: report.count(verdict, stage) for verdict in VERDICTS}
        counts[RIGHT] -= counts[NEARLY]
        counted = [
            f"{count} {tr_marked(VERDICTS[verdict])}" for verdict, count in counts.items() if count
        ]
        lines.append(f"{stage_name(stage)} ({stage}): {tr(', ').join(counted)}")
        lines += [
            _line(number)
            for number in report.marks
            if number.stage == stage and number.verdict != RIGHT
        ]
        lines += [_slip_line(slip) for slip in report.mistakes if slip.stage == stage]
    if not lines:
        return tr("Nothing to mark: every cell is blank.")
    return "\n".join([given, *lines])


def _line(number: MarkedNumber) -> str:
    wrote, expected = (
        f"{value:.8g}".replace("-", MINUS) for value in (number.entered.value, number.expected)
    )
    values = {"place": _place(number.stage, number.index), "entered": wrote, "expected": expected}
    return "  " + tr_marked(LINE, verdict=tr_marked(VERDICTS[number.verdict]), **values)


def _slip_line(slip: Mistake) -> str:
    return f"  • {mistake_text(slip)} {' '.join(_place(slip.stage, index) for index in slip.cells)}"


def _place(stage: str, index: tuple[int, ...]) -> str:
    """A cell as in the sentences about mistakes, counted from 1: scores[head, row, column]."""
    return f"{stage}[{', '.join(str(number + 1) for number in index)}]"
