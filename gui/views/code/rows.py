"""The rows of the code panel: statements or formulas with their stages, and line wrapping. Free of
Qt.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from core.exchange.scripts import CodeStatement, program
from core.explain.timeline import Reach
from core.stages.dialect import variable
from gui.painting.formulas import formula
from gui.session.state import State
from gui.texts.exchange import (
    LATEX,
    Piece,
    comment_of,
    convention_text,
    program_text,
    statement_text,
)
from gui.texts.names import stage_name
from gui.texts.translation import tr


@dataclass(frozen=True, slots=True)
class CodeRow:
    """A statement or formula. `stage` is "" before the first stage; `comment` follows the code.

    `opens`: the first row of its stage. `result`: it makes the stage's array. `lead`: the sub-step
    of a row.
    """

    stage: str
    code: str
    comment: str = ""
    opens: bool = False
    result: bool = False
    lead: bool = False

    @property
    def text(self) -> str:
        """Code and comment."""
        comment = f"# {self.comment}" if self.comment else ""
        return "  ".join(part for part in (self.code, comment) if part)


def page_of(state: State) -> str:
    """Which page is open: "numpy", "torch" or "latex"."""
    return state.preferences.code


def rows_of(state: State) -> tuple[CodeRow, ...]:
    """The rows of the page that is open."""
    if page_of(state) == LATEX:
        return tuple(
            CodeRow(
                stage.id,
                formula(state.document, stage.id, orientation=state.orientation),
                opens=True,
                result=True,
            )
            for stage in state.trace.plan
        )
    rows = (
        [CodeRow("", "", convention_text().removeprefix("# "))] if state.orientation.columns else []
    )
    stage = ""
    for found in uncovered(state, program(state.document, page_of(state))):
        opens = found.stage != stage
        rows.append(
            CodeRow(found.stage, found.code, comment_of(found), opens, found.result, found.lead)
        )
        stage = found.stage
    return tuple(rows)


def covered(state: State) -> frozenset[str]:
    """The what-if values that are still hidden, as the code names them: scaled[0, 1, 2]."""
    pins = (pin for pin in state.document.pins if state.hides(pin.cell))
    return frozenset(f"{variable(pin.stage)}[{', '.join(map(str, pin.index))}]" for pin in pins)


def uncovered(state: State, statements: Iterable[CodeStatement]) -> list[CodeStatement]:
    """Statements with a question mark for each hidden value."""
    names = covered(state)
    return [_masked_statement(found, names) for found in statements]


def _masked_statement(found: CodeStatement, names: frozenset[str]) -> CodeStatement:
    name = found.code.partition(" = ")[0]
    return replace(found, code=f"{name} = ?") if name in names else found


def current_row(state: State, rows: tuple[CodeRow, ...]) -> int:
    """The index of the row that computes the current step; -1 if there is none."""
    rows_of_stage = [index for index, row in enumerate(rows) if row.stage == state.cursor.stage]
    if state.cursor.reach is Reach.LEAD:
        rows_of_stage = [index for index in rows_of_stage if rows[index].lead] or rows_of_stage
    else:
        rows_of_stage = [index for index in rows_of_stage if rows[index].result] or rows_of_stage
    return rows_of_stage[0] if rows_of_stage else -1


def is_ahead(state: State, row: CodeRow) -> bool:
    """Whether a row's stage has not been reached yet."""
    plan = state.trace.plan
    return row.stage in plan and plan.index(row.stage) > plan.index(state.cursor.stage)


def spoken_row(state: State, row: CodeRow) -> str:
    """A row for a screen reader: its text, its stage, and whether the stage is current or ahead."""
    if not row.stage:
        return row.text
    name = stage_name(row.stage)
    if row.stage == state.cursor.stage:
        return tr("{code} — {stage}, current step", code=row.text, stage=name)
    if is_ahead(state, row):
        return tr("{code} — {stage}, not reached yet", code=row.text, stage=name)
    return tr("{code} — {stage}", code=row.text, stage=name)


def whole_row(state: State, index: int) -> str:
    """A row for the clipboard, with every digit."""
    row = rows_of(state)[index]
    if page_of(state) == LATEX or (not row.code and not row.stage):
        return row.text
    before = 1 if state.orientation.columns else 0
    return statement_text(_whole_program(state)[index - before])


def whole_page(state: State) -> str:
    """All rows for the clipboard: a program that runs, or displayed formulas."""
    if page_of(state) != LATEX:
        return program_text(_whole_program(state), columns=state.orientation.columns)
    return (
        "\n".join(f"% {stage_name(row.stage)}\n\\[ {row.code} \\]" for row in rows_of(state)) + "\n"
    )


def _whole_program(state: State) -> list[CodeStatement]:
    return uncovered(state, program(state.document, page_of(state), whole=True))


INDENT = 4  # characters before a continued line

Measure = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class WrappedLine:
    """One line; `indent` is in characters."""

    indent: int
    pieces: tuple[Piece, ...]


def wrap(
    code: tuple[Piece, ...], comment: tuple[Piece, ...], width: float, measure: Measure
) -> tuple[WrappedLine, ...]:
    """Wrap code to a width. The comment moves to a line of its own before the code is wrapped."""
    gap = (Piece("  ", "space"),) if code and comment else ()
    whole = (*code, *gap, *comment)
    if measure(_text(whole)) <= width:
        return (WrappedLine(0, whole),)
    comment_lines = _wrapped(comment, INDENT if code else 0, width, measure)
    return (*_wrapped(code, 0, width, measure), *comment_lines)


def _text(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def _wrapped(
    pieces: tuple[Piece, ...], indent: int, width: float, measure: Measure
) -> Iterator[WrappedLine]:
    """Break pieces at spaces, and inside a word only where it is wider than a line."""
    text, start = _text(pieces), 0
    while start < len(text):
        line = _longest_start(text[start:], width - measure(" " * indent), measure)
        yield WrappedLine(indent, tuple(_part(pieces, start, start + len(line.rstrip()))))
        start += len(line)
        indent = INDENT


def _longest_start(text: str, width: float, measure: Measure) -> str:
    """As much of a text as fits into a width, one character at least, with the spaces after it."""
    count = bisect_right(range(1, len(text) + 1), width, key=lambda count: measure(text[:count]))
    end = max(count, 1)
    if end < len(text) and not text[end].isspace():
        end = text.rfind(" ", 0, end) + 1 or end
    return text[:end] + text[end : len(text) - len(text[end:].lstrip())]


def _part(pieces: tuple[Piece, ...], start: int, end: int) -> Iterator[Piece]:
    """The pieces of a range of characters."""
    for piece in pieces:
        part = piece.text[max(start, 0) : max(end, 0)]
        if part:
            yield Piece(part, piece.role)
        start, end = start - len(piece.text), end - len(piece.text)
