"""The content of a report: every stage with its matrix, formula, meaning and one worked sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.base.cell import Cell
from core.compute.trace import Trace
from core.document.document import Document
from core.document.orientation import Orientation
from core.explain.derivation import Step, derive, derive_lead
from core.stages import Stage
from gui.export.worksheets.blocks import (
    Paper,
    PaperBlock,
    PaperTitle,
    SectionHeading,
    Sentence,
    StageFormula,
    TableGroup,
    WorkedSums,
)
from gui.export.worksheets.tables import TableBuilder
from gui.painting.formulas import formula
from gui.texts.names import first_tokens, layers_title
from gui.texts.rich_text import Line
from gui.texts.stage_texts import meaning
from gui.texts.sum_style import SumStyle, fraction_of
from gui.texts.sums import worked_lines
from gui.texts.translation import tr, tr_marked

MOST_TERMS = 24  # of a sum that is written out; the middle of longer ones is counted
MOST_TOKENS = 200  # named at the beginning


class ExperimentReport:
    """A report of one run, in the current language.

    `focus` is the cell whose sums are written out: in each stage the cell in the same row, column
    and head, as far as the stage has them. `fractions` adds short exact fractions to sums.
    """

    def __init__(
        self,
        document: Document,
        trace: Trace,
        focus: Cell,
        decimals: int,
        orientation: Orientation,
        *,
        fractions: bool = False,
    ) -> None:
        self._document, self._trace, self._focus = document, trace, focus
        self._orientation, self._fractions = orientation, fractions
        self._tables = TableBuilder(document, trace, decimals, orientation)
        self._sheet = SumStyle(document, decimals, MOST_TERMS, orientation=orientation)

    @property
    def title(self) -> str:
        """The title of the experiment."""
        return tr_marked(self._document.title) if self._document.title else tr("Self-attention")

    def paper(self) -> Paper:
        """The whole report."""
        blocks: list[PaperBlock] = [
            PaperTitle(self.title, first_tokens(self._document, MOST_TOKENS, " · ")),
            Sentence(self._sizes()),
        ]
        if self._document.notes:
            blocks.append(Sentence(tr_marked(self._document.notes)))
        weights = self._tables.weight_tables()
        if weights:
            blocks += [SectionHeading(tr("Weight matrices")), TableGroup(weights)]
        for stage in self._trace.plan:
            blocks += self._stage(stage)
        return Paper(f"{self.title} · {tr('Report')}", tuple(blocks))

    def _sizes(self) -> str:
        document = self._document
        keys = {"m": document.m} if document.context is not None else {}
        model = {"d": document.d} if document.source == "embeddings" else {}
        own = {"dₖ": document.k, "dᵥ": document.v, "h": document.h}
        if document.is_stack:  # the others may differ from layer to layer
            own = {tr("layers"): len(document.layers)}
        sizes = {"n": document.n, **keys, **model, **own}
        return tr(", ").join(f"{letter} = {size}" for letter, size in sizes.items())

    def _stage(self, stage: Stage) -> list[PaperBlock]:
        words = meaning(self._document, stage.id, self._orientation)
        cell = self._cell(stage)
        layer = () if stage.layer is None else (layers_title((stage.layer,)),)
        colours = (
            self._tables.colour(stage, head, (cell.row, cell.column) if head == cell.head else None)
            for head in self._tables.heads(stage)
        )
        return [
            SectionHeading(words.title, " · ".join((*layer, self._tables.shape(stage)))),
            StageFormula(
                formula(self._document, stage.id, orientation=self._orientation),
                (words.sentence, *self._pinned(stage)),
            ),
            TableGroup(tuple(colours)),
            WorkedSums(
                tuple(self._sums(stage, cell)),
                self._tables.head_detail(stage.id, cell.head) if stage.headwise else "",
            ),
        ]

    def _pinned(self, stage: Stage) -> tuple[str, ...]:
        """The explanation of folded corners, if the stage has some."""
        marked = any(pin.stage == stage.id for pin in self._document.pins)
        explanation = tr("Folded corner: pinned, a what-if value instead of the computed one.")
        return (explanation,) if marked else ()

    def _cell(self, stage: Stage) -> Cell:
        rows, columns = self._document.stage_shape(stage.id)[-2:]
        head = min(self._focus.head, self._document.scope(stage.id).h - 1) if stage.headwise else 0
        return Cell(
            stage.id, min(self._focus.row, rows - 1), min(self._focus.column, columns - 1), head
        )

    def _sums(self, stage: Stage, cell: Cell) -> Iterator[tuple[Line, Line]]:
        if stage.lead:
            yield self._lines(
                derive_lead(self._document, self._trace, stage.id, cell.row, cell.head)
            )
        yield self._lines(derive(self._document, self._trace, cell))

    def _lines(self, step: Step) -> tuple[Line, Line]:
        sheet = (
            replace(self._sheet, fraction=fraction_of(self._document, step))
            if self._fractions
            else self._sheet
        )
        return worked_lines(sheet, step)
