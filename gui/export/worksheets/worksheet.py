"""The content of a worksheet and of its answer key. Free of Qt except for formulas."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import run
from core.document.document import Document
from core.explain.derivation import derive, derive_lead
from core.explain.exercise import variant
from core.stages import Stage
from gui.export.worksheets.blocks import (
    KEY_SCALE,
    MatrixTable,
    NameLines,
    Paper,
    PaperBlock,
    PaperTitle,
    SectionHeading,
    Sentence,
    SideBySide,
    StageFormula,
    TableGroup,
    WorkedSums,
    WorksheetOptions,
)
from gui.export.worksheets.tables import TableBuilder
from gui.painting.formulas import formula
from gui.texts.names import first_tokens, head_name, stage_label, visible_token
from gui.texts.rich_text import Line
from gui.texts.stage_texts import meaning
from gui.texts.sum_style import SumStyle
from gui.texts.sums import worked_lines
from gui.texts.translation import label, mark, tr, tr_marked

LONG = 60  # characters of a worked sum that has a line of its own
NARROW = 5  # columns of all tables of a section that may share a line with another


class Worksheet:
    """A worksheet of an experiment in the current language: questions and key.

    Raises UserError "worksheet.too_large" (size, limit).
    """

    def __init__(self, document: Document, options: WorksheetOptions, seed: int) -> None:
        self._options, self._seed = options, seed
        self._document = variant(document, seed)
        self._trace = run(self._document)
        self._tables = TableBuilder(
            self._document, self._trace, options.decimals, options.orientation
        )
        self._sheet = SumStyle(self._document, options.decimals, orientation=options.orientation)
        self._stages = tuple(
            stage
            for stage in self._trace.plan
            if not stage.entered and stage.id in (options.stages or self._trace.plan.ids)
        )

    def questions(self) -> Paper:
        """Given numbers, and a table to fill in for each stage."""
        return Paper(f"{self._title()} · {self._which()}", tuple(self.question_blocks()))

    def question_blocks(self) -> Iterator[PaperBlock]:
        """The blocks of `questions`, made lazily."""
        yield PaperTitle(self._title(), self._which())
        yield NameLines((tr("Your name"), tr("Student number"), tr("Class"), tr("Date")))
        if self._options.points:
            total = sum(self._points(stage) for stage in self._stages)
            yield Sentence(tr("Total points: ____ / {n}", n=total))
        yield Sentence(self._task())
        yield from (Sentence(note) for note in self._notes())
        yield self._given()
        yield TableGroup(self._tables.given(self._stages))
        narrow: tuple[PaperBlock, ...] = ()
        for number, stage in enumerate(self._stages, 1):
            section = self._question(number, stage)
            if not self._is_narrow(stage):
                yield from (*narrow, *section)
                narrow = ()
            elif narrow:
                yield SideBySide(narrow, section)
                narrow = ()
            else:
                narrow = section
        yield from narrow

    def key(self) -> Paper:
        """All stages filled in, with worked sums."""
        name = f"{tr('Answer key')} · {self._title()} · {self._which()}"
        return Paper(name, tuple(self.key_blocks()), KEY_SCALE)

    def key_blocks(self) -> Iterator[PaperBlock]:
        """The blocks of `key`, made lazily."""
        yield PaperTitle(label(mark("Answer key")), f"{self._title()} · {self._which()}")
        yield Sentence(
            tr(
                "Computed with all digits and rounded only here. A last digit that differs "
                "by one or two is right."
            )
        )
        if self._options.sums != "none":
            yield Sentence(
                tr(
                    "The factors, products and results of a sum are rounded too: after ≈, the "
                    "numbers as printed do not give the result exactly."
                )
            )
        yield from self._stage_by_stage() if self._options.sums == "all" else self._short_key()

    def _stage_by_stage(self) -> Iterator[PaperBlock]:
        """Each stage with its tables and the worked sums of all cells."""
        for number, stage in enumerate(self._stages, 1):
            yield from self._answer(number, stage)

    def _short_key(self) -> Iterator[PaperBlock]:
        """The tables of all stages, and one worked sum of each stage if they are wanted."""
        yield TableGroup(
            tuple(
                self._tables.key(stage, head)
                for stage in self._stages
                for head in self._tables.heads(stage)
            )
        )
        if self._options.sums == "one":
            yield SectionHeading(tr("One cell of each stage"))
            sums = (pair for stage in self._stages for pair in self._one(stage))
            for _, pairs in groupby(sums, key=_is_long):
                yield WorkedSums(tuple(pairs))

    def _one(self, stage: Stage) -> Iterator[tuple[Line, Line]]:
        """The sums of the first cell of the last row, which a causal mask leaves whole; none of a
        copy.
        """
        row = self._document.stage_shape(stage.id)[-2] - 1
        if derive(self._document, self._trace, Cell(stage.id, row, 0, 0)).kind != "copy":
            yield from self._row(stage, 0, row, columns=1)

    def key_sample(self) -> Iterator[tuple[list[PaperBlock], list[PaperBlock], int] | None]:
        """For each stage of the key its tables, the sums of one row, and the number of such rows.

        Yields None after each head; enough to estimate the length of a key.
        """
        for number, stage in enumerate(self._stages, 1):
            heads = self._tables.heads(stage)
            grids: list[MatrixTable] = []
            for head in heads:
                grids.append(self._tables.key(stage, head))
                yield None
            tables: list[PaperBlock] = [self._heading(number, stage), TableGroup(tuple(grids))]
            title = self._tables.head_detail(stage.id, 0) or " " if stage.lead else ""
            rows = self._document.stage_shape(stage.id)[-2]
            sums: list[PaperBlock] = [WorkedSums(tuple(self._row(stage, 0, rows // 2)), title)]
            yield tables, sums, len(heads) * rows

    # Words

    def _title(self) -> str:
        return tr_marked(self._document.title) if self._document.title else tr("Self-attention")

    def _which(self) -> str:
        """The name of the sheet with its number and seed, from which its key can be printed."""
        options = self._options
        if options.sheets > 1:
            number = self._seed - options.seed + 1
            return tr("Worksheet {number} · seed {seed}", number=number, seed=self._seed)
        return tr("Worksheet · seed {seed}", seed=self._seed) if self._seed else tr("Worksheet")

    def _task(self) -> str:
        decimals = self._options.decimals
        if decimals == 0:
            return tr(
                "Fill in each table. Work with more digits than you write down, and round to "
                "whole numbers."
            )
        if decimals == 1:
            return tr(
                "Fill in each table. Work with more digits than you write down, and round to 1 "
                "decimal."
            )
        return tr(
            "Fill in each table. Work with more digits than you write down, and round to {n} "
            "decimals.",
            n=decimals,
        )

    def _notes(self) -> Iterator[str]:
        """Remarks about this experiment."""
        scopes = self._document.scopes or (self._document,)
        for index, head in (each for scope in scopes for each in enumerate(scope.heads)):
            if not head.enabled:
                name = head_name(index, head.name)
                yield tr("{head} is off: in the concatenation it counts as 0.", head=name)
        if self._document.pins:
            yield tr("A number printed in a table replaces the one you would work out.")
        if self._tables.is_rounded(self._stages):
            yield tr("The given numbers have more digits than are printed.")

    def _hint(self, stage: Stage) -> str:
        """Numbers that the formula needs but no table shows."""
        document = self._document
        constants = stage.kind.constants(document)
        if constants:
            most = max(2, self._options.decimals)
            return tr(", ").join(
                f"{name} ≈ {show(value, most)}" if "√" in name else f"{name} = {value:.10g}"
                for name, value in constants
            )
        if stage.kind.uses_angles:
            return tr("Positions t count from 0; angles are in radians.")
        return ""

    # Stages

    def _given(self) -> SectionHeading:
        return SectionHeading(
            label(mark("What is given")),
            first_tokens(self._document, self._document.n + self._document.m, " · "),
        )

    def _heading(self, number: int, stage: Stage, detail: str = "") -> SectionHeading:
        details = filter(None, (self._tables.shape(stage), detail))
        return SectionHeading(f"{number}  {stage_label(stage.id)}", " · ".join(details))

    def _is_narrow(self, stage: Stage) -> bool:
        """Whether the tables of a stage may share a line with those of another."""
        table = self._tables.blank(stage, 0)
        return len(table.columns) * len(self._tables.heads(stage)) <= NARROW

    def _points(self, stage: Stage) -> int:
        """The points of a stage."""
        if self._options.points_per == "stage":
            return self._options.points
        tables = (self._tables.blank(stage, head) for head in self._tables.heads(stage))
        blank = sum(not text for table in tables for row in table.cells for text in row)
        return self._options.points * blank

    def _question(self, number: int, stage: Stage) -> tuple[PaperBlock, ...]:
        turned = self._options.orientation
        sentences = (meaning(self._document, stage.id, turned).sentence, self._hint(stage))
        points = tr("Points: ____ / {n}", n=self._points(stage)) if self._options.points else ""
        return (
            self._heading(number, stage, points),
            StageFormula(
                formula(self._document, stage.id, orientation=turned),
                tuple(filter(None, sentences)),
            ),
            TableGroup(
                tuple(self._tables.blank(stage, head) for head in self._tables.heads(stage)),
                work_space=True,
            ),
        )

    def _answer(self, number: int, stage: Stage) -> list[PaperBlock]:
        heads = self._tables.heads(stage)
        return [
            self._heading(number, stage),
            TableGroup(tuple(self._tables.key(stage, head) for head in heads)),
            *(sums for head in heads for sums in self._sums(stage, head)),
        ]

    def _sums(self, stage: Stage, head: int) -> Iterator[WorkedSums]:
        """All worked sums of a stage, row by row if rows open with a maximum or sum."""
        title = self._tables.head_detail(stage.id, head) if stage.headwise else ""
        rows = range(self._document.stage_shape(stage.id)[-2])
        if not stage.lead:
            yield WorkedSums(
                tuple(pair for row in rows for pair in self._row(stage, head, row)), title
            )
            return
        for row in rows:
            names = (title, visible_token(self._document.tokens[row]))
            yield WorkedSums(tuple(self._row(stage, head, row)), " · ".join(filter(None, names)))

    def _row(
        self, stage: Stage, head: int, row: int, columns: int | None = None
    ) -> Iterator[tuple[Line, Line]]:
        """The worked sums of a row, or of its first columns."""
        if stage.lead:
            yield worked_lines(
                self._sheet, derive_lead(self._document, self._trace, stage.id, row, head)
            )
        for column in range(columns or self._document.stage_shape(stage.id)[-1]):
            step = derive(self._document, self._trace, Cell(stage.id, row, column, head))
            yield worked_lines(self._sheet, step)


def _is_long(pair: tuple[Line, Line]) -> bool:
    return sum(len(span.text) for span in pair[0]) > LONG
