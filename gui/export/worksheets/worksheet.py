"""The content of a worksheet and of its answer key. Free of Qt except for formulas."""

from __future__ import annotations

from collections.abc import Iterator

from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import run
from core.document.document import Document
from core.explain.derivation import derive, derive_lead
from core.explain.exercise import variant
from core.stages import Stage
from gui.export.worksheets.blocks import (
    MatrixTable,
    NameLines,
    Paper,
    PaperBlock,
    PaperTitle,
    SectionHeading,
    Sentence,
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
        self._stages = tuple(stage for stage in self._trace.plan if not stage.entered)

    def questions(self) -> Paper:
        """Given numbers, and a table to fill in for each stage."""
        return Paper(f"{self._title()} · {self._which()}", tuple(self.question_blocks()))

    def question_blocks(self) -> Iterator[PaperBlock]:
        """The blocks of `questions`, made lazily."""
        yield PaperTitle(self._title(), self._which())
        yield NameLines((tr("Your name"), tr("Class"), tr("Date")))
        yield Sentence(self._task())
        yield from (Sentence(note) for note in self._notes())
        yield self._given()
        yield TableGroup(self._tables.given())
        for number, stage in enumerate(self._stages, 1):
            yield from self._question(number, stage)

    def key(self) -> Paper:
        """All stages filled in, with the worked sum of every cell."""
        blocks: list[PaperBlock] = [
            PaperTitle(label(mark("Answer key")), f"{self._title()} · {self._which()}"),
            Sentence(
                tr(
                    "Computed with all digits and rounded only here. A last digit that differs "
                    "by one or two is right."
                )
            ),
        ]
        for number, stage in enumerate(self._stages, 1):
            blocks += self._answer(number, stage)
        return Paper(f"{tr('Answer key')} · {self._title()} · {self._which()}", tuple(blocks))

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
            title = self._tables.head_detail(0) or " " if stage.lead else ""
            rows = self._document.stage_shape(stage.id)[-2]
            sums: list[PaperBlock] = [WorkedSums(tuple(self._row(stage, 0, rows // 2)), title)]
            yield tables, sums, len(heads) * rows

    # Words

    def _title(self) -> str:
        return tr_marked(self._document.title) if self._document.title else tr("Self-attention")

    def _which(self) -> str:
        """The name of the sheet with its seed, from which its key can be printed."""
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
        for index, head in enumerate(self._document.heads):
            if not head.enabled:
                name = head_name(index, head.name)
                yield tr("{head} is off: in the concatenation it counts as 0.", head=name)
        if self._document.pins:
            yield tr("A number printed in a table replaces the one you would work out.")
        if self._tables.is_rounded():
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

    def _heading(self, number: int, stage: Stage) -> SectionHeading:
        return SectionHeading(f"{number}  {stage_label(stage.id)}", self._tables.shape(stage))

    def _question(self, number: int, stage: Stage) -> list[PaperBlock]:
        turned = self._options.orientation
        sentences = (meaning(self._document, stage.id, turned).sentence, self._hint(stage))
        return [
            self._heading(number, stage),
            StageFormula(
                formula(self._document, stage.id, orientation=turned),
                tuple(filter(None, sentences)),
            ),
            TableGroup(
                tuple(self._tables.blank(stage, head) for head in self._tables.heads(stage)),
                work_space=True,
            ),
        ]

    def _answer(self, number: int, stage: Stage) -> list[PaperBlock]:
        heads = self._tables.heads(stage)
        return [
            self._heading(number, stage),
            TableGroup(tuple(self._tables.key(stage, head) for head in heads)),
            *(sums for head in heads for sums in self._sums(stage, head)),
        ]

    def _sums(self, stage: Stage, head: int) -> Iterator[WorkedSums]:
        """All worked sums of a stage, row by row if rows open with a maximum or sum."""
        title = self._tables.head_detail(head) if stage.headwise else ""
        rows = range(self._document.stage_shape(stage.id)[-2])
        if not stage.lead:
            yield WorkedSums(
                tuple(pair for row in rows for pair in self._row(stage, head, row)), title
            )
            return
        for row in rows:
            names = (title, visible_token(self._document.tokens[row]))
            yield WorkedSums(tuple(self._row(stage, head, row)), " · ".join(filter(None, names)))

    def _row(self, stage: Stage, head: int, row: int) -> Iterator[tuple[Line, Line]]:
        if stage.lead:
            yield worked_lines(
                self._sheet, derive_lead(self._document, self._trace, stage.id, row, head)
            )
        for column in range(self._document.stage_shape(stage.id)[-1]):
            step = derive(self._document, self._trace, Cell(stage.id, row, column, head))
            yield worked_lines(self._sheet, step)
