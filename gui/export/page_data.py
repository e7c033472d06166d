"""One run on the page: texts in both languages, matrices as they are shown, worked sums, the diagram."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from core.base.cell import Cell
from core.document.document import Document
from core.explain.derivation import Step, derive, derive_lead, row_is_masked
from core.explain.timeline import Cursor, Grain, Reach
from core.stages import Stage
from gui.export.options import Options, Progress, report
from gui.export.page_diagram import diagram
from gui.export.page_matrices import Matrices, operation_items
from gui.export.page_words import by_language, line_text
from gui.export.steps import beginning, count, run_state, stops
from gui.session.state import State, cursor_cell
from gui.texts.names import ROLES, head_label, stage_label, symbol_here, token_label
from gui.texts.next_step import coming_line
from gui.texts.stage_texts import lead_sentence, masked_row, meaning
from gui.texts.sum_style import SumStyle
from gui.texts.sums import noted_sum
from gui.views.stage.operation_builder import operation
from gui.views.stage.shown_cell import target

MOST_TOKENS = 64  # of more, a page shows colours and no numbers
MOST_SUMS = 8_000  # cells with a worked sum; the head that is looked at comes first
MOST_STOPS = 6_000  # of a grain; a finer one is left out
MOST_TERMS = 8

Json = Any


class RunData:
    """Gathers everything of an experiment, a stage at a time, so that it can be stopped."""

    def __init__(self, document: Document, options: Options, progress: Progress) -> None:
        self._document, self._options, self._progress = document, options, progress
        self.state = run_state(document, replace(options, cursor=None, focus=None))
        self.small = max(document.n, document.m) <= MOST_TOKENS
        self._start = beginning(self.state.trace, document, options)
        self._matrices = Matrices(self.state, self.small)
        self._heads = list(range(document.h)) if self.small else [self._start.head]
        self._summed = self._with_sums() if self.small else set()

    def gather(self) -> Json:
        """The whole as what JSON can hold."""
        plan, document = self.state.trace.plan, self._document
        stages = []
        for index, stage in enumerate(plan):
            report(self._progress, index / len(plan))
            stages.append(self._stage(stage))
        report(self._progress, 1.0)
        return {
            "small": self.small,
            "n": document.n,
            "sentences": [
                [token_label(tokens, i) for i in range(len(tokens))]
                for tokens in (document.tokens, document.key_tokens)
            ],
            "head": self._start.head,
            "heads": [
                {"index": i, "name": by_language(partial(head_label, i, document.heads[i].name))}
                for i in self._heads
            ],
            "stages": stages,
            "diagram": by_language(partial(diagram, self.state)),
            "stops": self._stops(),
            "matrices": self._matrices.store,
            "pins": [
                [pin.stage, pin.cell.head, pin.cell.row, pin.cell.column] for pin in document.pins
            ],
        }

    def _stops(self) -> dict[str, list[list[object]]]:
        """The stops of each grain that is not too fine: stage, row, column, reach."""
        trace = self.state.trace
        order = trace.plan.ids
        found: dict[str, list[list[object]]] = {}
        for grain in Grain if self.small else (Grain.STAGE,):
            if count(trace, grain) <= MOST_STOPS:
                found[grain.value] = [
                    [order.index(stop.stage), stop.row, stop.column, stop.reach.value]
                    for stop in stops(trace, grain, self._start)
                ]
        return found

    def _stage(self, stage: Stage) -> Json:
        document, orientation = self._document, self.state.orientation
        heads = self._heads if stage.headwise else [0]
        return {
            "id": stage.id,
            "symbol": symbol_here(document, stage.id, orientation),
            "role": ROLES.get(stage.id, "plain"),
            "name": by_language(lambda: stage_label(stage.id)),
            "ask": by_language(lambda: meaning(document, stage.id, orientation).title),
            "text": by_language(lambda: meaning(document, stage.id, orientation).sentence),
            "next": by_language(
                lambda: line_text(coming_line(document, self.state.trace, stage.id, orientation))
            ),
            "headwise": stage.headwise,
            "attends": stage.attends,
            "rows": 1 if stage.axes[-2] == "m" else 0,
            "lead": stage.lead,
            "shape": list(document.stage_shape(stage.id)[-2:]),
            "wide": document.v,
            "operations": self._operations(stage),
            "sums": {str(head): self._sums(stage, head) for head in heads},
            "leads": {str(head): self._leads(stage, head) for head in heads}
            if stage.lead and self.small
            else {},
            "first": self._first_sentences(stage),
            "masked": self._masked(stage, heads),
        }

    def _operations(self, stage: Stage) -> dict[str, Json]:
        """The operation of each head; of the heads joined, that of each block."""
        choices = self._heads if stage.headwise else [0]
        if stage.id == "concat":
            choices = list(range(self._document.h))
        made = {}
        for choice in choices:
            column = choice * self._document.v if stage.id == "concat" else 0
            cursor = Cursor(
                stage.id, choice if stage.headwise else self._start.head, 0, column, Reach.WHOLE
            )
            made[str(choice)] = self._operation(
                replace(self.state, cursor=cursor, focus=cursor_cell(cursor))
            )
        return made

    def _operation(self, state: State) -> Json:
        return by_language(
            lambda: operation_items(operation(state, target(state)), state, self._matrices)
        )

    # Worked sums

    def _with_sums(self) -> set[tuple[str, int]]:
        """The stages and heads whose sums there is room for: the head that is looked at comes first."""
        chosen, left = set(), MOST_SUMS
        for head in sorted(self._heads, key=lambda head: head != self._start.head):
            for stage in self.state.trace.plan:
                rows, columns = self._document.stage_shape(stage.id)[-2:]
                name = (stage.id, head if stage.headwise else 0)
                if name not in chosen and rows * columns <= left:
                    chosen.add(name)
                    left -= rows * columns
        return chosen

    def _sums(self, stage: Stage, head: int) -> list[list[Json]] | None:
        """The sum of every cell, while there is room for them."""
        if (stage.id, head) not in self._summed:
            return None
        rows, columns = self._document.stage_shape(stage.id)[-2:]
        return [
            [self._sum(Cell(stage.id, i, j, head)) for j in range(columns)] for i in range(rows)
        ]

    def _sum(self, cell: Cell) -> Json:
        step = derive(self._document, self.state.trace, cell)
        line = partial(_sum_text, self._sheet(), step)
        return (
            line() if step.pinned is None and len(step.terms) <= MOST_TERMS else by_language(line)
        )

    def _sheet(self) -> SumStyle:
        return SumStyle(
            self._document, self.state.decimals, MOST_TERMS, orientation=self.state.orientation
        )

    def _leads(self, stage: Stage, head: int) -> list[Json]:
        steps = [
            derive_lead(self._document, self.state.trace, stage.id, i, head)
            for i in range(self._document.n)
        ]
        sheet = self._sheet()
        return [by_language(partial(_sum_text, sheet, step)) for step in steps]

    def _first_sentences(self, stage: Stage) -> list[Json]:
        """What is said while a row opens with its maximum or its sum."""
        if not stage.lead or not self.small:
            return []
        orientation = self.state.orientation
        return [
            by_language(partial(lead_sentence, stage.lead, token, orientation))
            for token in self._document.tokens
        ]

    def _masked(self, stage: Stage, heads: list[int]) -> dict[str, Json]:
        """What is said of a query that may see nothing, by row."""
        if stage.id not in ("masked", "exp", "weights", "heads"):
            return {}
        blank = [i for i in range(self._document.n) if row_is_masked(self.state.trace, i, heads[0])]
        tokens = self._document.tokens
        return {str(i): by_language(partial(masked_row, tokens[i])) for i in blank}


def _sum_text(sheet: SumStyle, step: Step) -> str:
    """A worked sum as the page tells it."""
    return line_text(noted_sum(sheet, step))
