"""The sentences of the check panel. Free of Qt."""

from __future__ import annotations

import math

from core.base.cell import Cell
from core.check.given import Given, rounded_tensors
from core.check.report import FOLLOWS, NEARLY, RIGHT, WRONG, CheckReport, Mistake
from core.document.document import Document
from core.document.parts import is_headwise, layer_id, split_layer
from core.explain.timeline import exists, shape_of
from gui.session.state import State
from gui.texts.hints import hints
from gui.texts.mistakes import mistake_text
from gui.texts.names import cell_name, stage_label, symbol_here
from gui.texts.rich_text import short
from gui.texts.translation import tr
from gui.views.check.answer_grid import AnswerGrid, answer_grid, next_blank

CELLS_NAMED = 4


def verdict_name(verdict: str) -> str:
    """A verdict in words."""
    names = {
        RIGHT: tr("right"),
        NEARLY: tr("right, given the digits entered"),
        FOLLOWS: tr("consistent with your own earlier numbers"),
        WRONG: tr("wrong"),
    }
    return names.get(verdict, "")


def counted(verdict: str, count: int) -> str:
    """How many numbers have a verdict."""
    if verdict == RIGHT:
        return tr("{n} right", n=count)
    if verdict == NEARLY:
        return tr("{n} right, given the digits entered", n=count)
    if verdict == FOLLOWS:
        return tr("{n} follow from your own numbers", n=count)
    return tr("{n} wrong", n=count)


def verdict_counts(report: CheckReport | None, stage: str) -> list[tuple[str, int]]:
    """How many numbers of a stage have each verdict that occurs."""
    shown = [mark.shown for mark in report.marks if mark.stage == stage] if report else []
    verdicts = (RIGHT, NEARLY, FOLLOWS, WRONG)
    return [(verdict, shown.count(verdict)) for verdict in verdicts if verdict in shown]


def counts_text(report: CheckReport, stage: str) -> str:
    """How many numbers of a stage have each verdict, in words."""
    return tr(" · ").join(counted(*count) for count in verdict_counts(report, stage))


def stage_title(state: State, stage: str) -> str:
    """A stage by name and symbol, and its layer where it has one."""
    symbol = symbol_here(state.document, stage, state.orientation)
    return f"{stage_label(stage)}  {layer_id(split_layer(stage)[0], symbol)}"


def mistake_places(mistake: Mistake, grid: AnswerGrid) -> str:
    """The cells that a mistake explains, the first few by name."""
    cells = [cell_of(mistake.stage, index) for index in mistake.cells]
    names = [cell_name(cell, grid.document, grid.orientation) for cell in cells[:CELLS_NAMED]]
    if len(cells) > CELLS_NAMED:
        names.append(tr("and {n} more", n=len(cells) - CELLS_NAMED))
    return tr(", ").join(names)


def cell_of(stage: str, index: tuple[int, ...]) -> Cell:
    """The address of an index in a stage's shape."""
    if is_headwise(stage):
        return Cell(stage, index[1], index[2], index[0])
    return Cell(stage, index[0], index[1])


def remark(state: State, report: CheckReport | None, stage: str) -> str:
    """The sentence below the grid; "" where the cards of mistakes say all."""
    if state.hidden is not None:
        return _while_predicting(state, report, stage)
    if report is None or not any(mark.stage == stage for mark in report.marks):
        return _invitation()
    if not report.count(WRONG, stage):
        return _while_right(state, report, stage)
    wrong = [mark for mark in report.marks if mark.stage == stage and mark.verdict == WRONG]
    if all(report.mistakes_at(stage, mark.index) for mark in wrong):
        return ""
    if any(mistake.stage == stage for mistake in report.mistakes):
        return tr("The rest is not a common mistake: compare it with its worked sum.")
    return tr("No common mistake explains these: compare each with its worked sum.")


def _while_right(state: State, report: CheckReport, stage: str) -> str:
    """Praise for the whole visible matrix, or how much of it is right so far."""
    if report.count(FOLLOWS, stage):
        return tr("Your method is right; only an earlier number was wrong.")
    grid = answer_grid(state, stage, report)
    given = sum(index[:-2] in ((), (grid.head,)) for index in grid.numbers)
    whole = math.prod(grid.shape)
    if not given:
        return _invitation()
    if given < whole:
        return tr("Right so far: {given} of {whole}.", given=given, whole=whole)
    return tr("All correct. Well done!")


def _invitation() -> str:
    return tr("Type or paste the numbers you worked out: each is marked as you go.")


def _while_predicting(state: State, report: CheckReport | None, stage: str) -> str:
    grid = answer_grid(state, stage, report)
    here = grid.place(state.focus)
    if here is not None and grid.is_predicted(*here) and grid.mark(*here) == WRONG:
        name = cell_name(state.focus, state.document, state.orientation)
        written = grid.number(*here)
        number = short(written.text) if written is not None else ""
        return tr(
            "{name} is not {number}. Try again, take a hint, or reveal the answer.",
            name=name,
            number=number,
        )
    if report is not None and report.count(WRONG, stage):
        return tr("Not yet. Try again, take a hint, or look at the answer.")
    if report is not None and next_blank(grid, 0, -1) is None:
        return tr("All correct. Well done!")
    return tr("Type the numbers that you expect over the question marks.")


def all_as_text(state: State, report: CheckReport, stage: str) -> str:
    """Marks and mistakes of a stage as text for the clipboard: a number per line, separated by
    tabs.
    """
    lines = [stage_title(state, stage)]
    numbers = state.entries.get(stage, {})
    for mark in report.marks:
        if mark.stage == stage:
            name = cell_name(cell_of(stage, mark.index), state.document, state.orientation)
            head = (
                tr("Head {number}", number=mark.index[0] + 1) + "\t" if len(mark.index) == 3 else ""
            )
            lines.append(f"{head}{name}\t{numbers[mark.index].text}\t{verdict_name(mark.shown)}")
    mistakes = shown_mistakes(state, report, stage)
    lines += [mistake_text(mistake, state.orientation) for mistake in mistakes]
    return "\n".join(lines)


def given_text(document: Document, given: Given) -> str:
    """How the given numbers count."""
    counts = rounded_tensors(document, given).values()
    if not counts:
        return tr("Given numbers: exact")
    least, most = min(counts), max(counts)
    decimals = str(most) if least == most else f"{least}–{most}"
    return tr("Given numbers: rounded to {decimals} decimals", decimals=decimals)


def _shows_terms(state: State, stage: str) -> bool:
    """Whether the numbers that a stage is computed from are all shown."""
    reads = state.trace.plan[stage].reads
    return all(state.reached_extent(name, shape_of(state.document, name)) is None for name in reads)


def shown_mistakes(state: State, report: CheckReport | None, stage: str) -> list[Mistake]:
    """The mistakes of a stage; none while it is predicted, none with numbers that are not shown."""
    found = report.mistakes if report is not None and state.hidden is None else ()
    told = _shows_terms(state, stage)
    return [
        mistake
        for mistake in found
        if mistake.stage == stage and (told or not mistake.id.startswith("cell."))
    ]


class HintCycle:
    """Cycle through the hints for one number."""

    def __init__(self) -> None:
        self._cell: Cell | None = None
        self._given = 0

    def ask(self, cell: Cell) -> None:
        """Show the first hint for a number, or the next one."""
        self._given = self._given + 1 if cell == self._cell else 1
        self._cell = cell

    def forget(self) -> None:
        """Show no hint."""
        self._cell = None

    def shown(self, state: State, report: CheckReport | None) -> tuple[str, int, int]:
        """The current hint ("" for none), its number from 1, and how many there are. They hold no
        hidden numbers.
        """
        if self._cell is None or not exists(state.document, self._cell):
            return "", 0, 0
        told = _shows_terms(state, self._cell.tensor)
        with_numbers = told and (not state.predict or state.hidden is not None)
        decimals, report = state.decimals if with_numbers else None, report if told else None
        found = hints(state.document, state.trace, report, self._cell, state.orientation, decimals)
        place = (self._given - 1) % len(found)
        return found[place], place + 1, len(found)
