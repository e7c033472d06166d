"""The report of a class, as PDF or HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.check.report import WRONG
from core.classroom.marking import VERDICTS, ClassResult
from core.document.orientation import ROWS, Orientation
from core.document.parts import stage_axes
from gui.classroom.error_diagram import percent
from gui.classroom.mistake_list import mistake_rows
from gui.classroom.table import WORDS, double_text, refused_lines, student_labels
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

ENDINGS = (".pdf", ".html", ".csv")
PAGE_ROWS = 40  # students in one table


def class_report(
    result: ClassResult,
    language: str,
    ending: str,
    *,
    hide: bool,
    orientation: Orientation = ROWS,
) -> bytes:
    """The report in the current language; a page has the counts in colours, print has none."""
    title = tr_marked(result.document.title) if result.document.title else tr("Untitled")
    blocks = tuple(_blocks(result, title, hide, orientation))
    name = f"{title} · {tr('Class')}"
    if ending.lower() == ".html":
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
