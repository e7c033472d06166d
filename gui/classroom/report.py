"""The report of a class as a web page or PDF, and its table for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.base.text import guarded
from core.check.report import WRONG
from core.classroom.marking import BLANK, VERDICTS, ClassResult
from core.document.orientation import ROWS, Orientation
from core.document.parts import stage_axes
from gui.classroom.error_diagram import percent
from gui.classroom.mistake_list import mistake_rows
from gui.classroom.wording import WORDS, double_text, refused_lines, slip_names, student_labels
from gui.export.worksheets.blocks import (
    MatrixTable,
    Paper,
    PaperBlock,
    PaperTitle,
    SectionHeading,
    Sentence,
    TableGroup,
)
from gui.export.worksheets.markup import write_html
from gui.export.worksheets.printing import write_pdf
from gui.texts.names import head_label, stage_name, symbol_here, visible_tokens
from gui.texts.translation import tr, tr_marked

PAGE_ROWS = 40  # students in one table


def class_report(
    result: ClassResult,
    language: str,
    ending: str,
    *,
    hide: bool,
    orientation: Orientation = ROWS,
) -> bytes:
    """The report in the current language as .html, .pdf or .csv; only a page has colours."""
    if ending == ".csv":
        return class_table(result, hide=hide)
    title = tr_marked(result.document.title) if result.document.title else tr("Untitled")
    blocks = tuple(_blocks(result, title, hide, orientation))
    name = f"{title} · {tr('Class')}"
    if ending == ".html":
        return write_html(name, [Paper(name, blocks)], language)
    return write_pdf(name, [Paper(name, tuple(map(_printed, blocks)))], 0)


def _printed(block: PaperBlock) -> PaperBlock:
    """A block with tables of texts, since print writes values to the chosen decimals."""
    if not isinstance(block, TableGroup):
        return block
    plain = (replace(table, kind="given", values=None, scale_values=None) for table in block.tables)
    return TableGroup(tuple(plain))


def _blocks(
    result: ClassResult, title: str, hide: bool, orientation: Orientation
) -> Iterator[PaperBlock]:
    count = len(result.students)
    yield PaperTitle(title, tr("Class"))
    yield Sentence(tr("Answers read: {count}", count=count))
    yield SectionHeading(tr("Which mistake, how often"), tr("students"))
    for row in mistake_rows(result, orientation):
        yield Sentence(f"{len(row.students)} × {row.text}")
    yield SectionHeading(tr("How many got each number wrong"), tr("of {count}", count=count))
    for stage in result.counts:
        yield Sentence(
            tr(
                "{stage}: {share} of the numbers given are right",
                stage=stage_name(stage),
                share=percent(result.share(stage)),
            )
        )
        yield TableGroup(tuple(_tables(result, stage, orientation)))
    yield SectionHeading(tr("Students"))
    yield from _students(result, hide)
    if result.refused or result.doubles:
        yield SectionHeading(tr("Files that do not count"))
        for file, text in refused_lines(result.refused, hide=hide):
            yield Sentence(f"{file}: {text}")
        for double in result.doubles:
            yield Sentence(double_text(double.name, len(double.paths), hide=hide))


def _tables(result: ClassResult, stage: str, orientation: Orientation) -> Iterator[MatrixTable]:
    """The wrong answers of a stage, a table for each head."""
    document, counts = result.document, result.counts[stage][VERDICTS.index(WRONG)]
    heads = counts if counts.ndim == 3 else counts[None]
    most = np.array([[-float(max(1, counts.max())), 0.0]])
    symbol = symbol_here(document, stage, orientation)
    for number, head in enumerate(heads):
        rows = visible_tokens(document.row_tokens(stage))
        across = document.labels(stage_axes(stage)[-1])
        columns = (
            visible_tokens(across)
            if across is not None
            else tuple(str(place + 1) for place in range(head.shape[1]))
        )
        names = document.scope(stage).heads
        detail = head_label(number, names[number].name) if len(heads) > 1 else ""
        table = MatrixTable(
            symbol,
            rows,
            columns,
            tuple(tuple(map(str, row)) for row in head.tolist()),
            "colour",
            detail,
            values=-head.astype(float),
            scale_values=most,
        )
        yield table.oriented(orientation)


def _students(result: ClassResult, hide: bool) -> Iterator[PaperBlock]:
    labels = student_labels(result.students, hide=hide)
    words = tuple(tr_marked(WORDS[verdict]) for verdict in VERDICTS)
    all_cells = sum(int(np.prod(counts.shape[1:])) for counts in result.counts.values())
    most = np.array([[-float(max(1, all_cells)), 0.0]])
    for first in range(0, len(labels), PAGE_ROWS):
        part = result.students[first : first + PAGE_ROWS]
        given = [[one.count(verdict) for verdict in VERDICTS[:-1]] for one in part]
        numbers = np.array([[*line, all_cells - sum(line)] for line in given])
        shade = np.zeros(numbers.shape)
        shade[:, VERDICTS.index(WRONG)] = -numbers[:, VERDICTS.index(WRONG)]
        table = MatrixTable(
            tr("Students"),
            tuple(labels[first : first + PAGE_ROWS]),
            words,
            tuple(tuple(map(str, line)) for line in numbers.tolist()),
            "colour",
            values=shade,
            scale_values=most,
        )
        yield TableGroup((table,))


def class_table(result: ClassResult, *, hide: bool) -> bytes:
    """A CSV table: a line for each student with counts, mistakes, and the verdict of each cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([guarded(text) for text in row] for row in _table_rows(result, hide))
    return out.getvalue().encode("utf-8-sig")


def _table_rows(result: ClassResult, hide: bool) -> Iterator[list[str]]:
    cells = [
        (stage, index)
        for stage, counts in result.counts.items()
        for index in np.ndindex(*counts.shape[1:])
    ]
    counted = [tr_marked(WORDS[verdict]) for verdict in VERDICTS]
    places = [f"{stage}[{', '.join(str(i + 1) for i in index)}]" for stage, index in cells]
    yield [tr("Student"), *counted, tr("Mistakes"), *places]
    labels = student_labels(result.students, hide=hide)
    for label, student in zip(labels, result.students, strict=True):
        verdicts = {(one.stage, one.index): one.verdict for one in student.report.marks}
        found = [verdicts.get(cell, BLANK) for cell in cells]
        yield [
            label,
            *(str(found.count(verdict)) for verdict in VERDICTS),
            " ".join(slip_names(student.mistakes)),
            *(tr_marked(WORDS[verdict]) for verdict in found),
        ]
