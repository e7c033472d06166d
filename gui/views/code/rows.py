"""The rows of the panel: statements of the program or formulas, each with its stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
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
    """One row. `stage` is "" before the first stage, `comment` what follows the code as a comment.

    `opens` says that it is the first of its stage, `result` that it makes the stage's array, `lead` that it is the
    sub-step of a row.
    """

    stage: str
    code: str
    comment: str = ""
    opens: bool = False
    result: bool = False
    lead: bool = False

    @property
    def text(self) -> str:
        """The row as it is read."""
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
    """What-if values that are not to be seen yet, as code names them: scaled[0, 1, 2]."""
    pins = (pin for pin in state.document.pins if state.hides(pin.cell))
    return frozenset(f"{variable(pin.stage)}[{', '.join(map(str, pin.index))}]" for pin in pins)


def uncovered(state: State, statements: Iterable[CodeStatement]) -> list[CodeStatement]:
    """Statements with a question mark in place of what is not to be seen yet."""
    names = covered(state)
    return [_masked_statement(found, names) for found in statements]


def _masked_statement(found: CodeStatement, names: frozenset[str]) -> CodeStatement:
    name = found.code.partition(" = ")[0]
    return replace(found, code=f"{name} = ?") if name in names else found


def current(state: State, rows: tuple[CodeRow, ...]) -> int:
    """The row that computes the step at which we stand; -1 if there is none."""
    mine = [index for index, row in enumerate(rows) if row.stage == state.cursor.stage]
    if state.cursor.reach is Reach.LEAD:
        mine = [index for index in mine if rows[index].lead] or mine
    else:
        mine = [index for index in mine if rows[index].result] or mine
    return mine[0] if mine else -1


def is_ahead(state: State, row: CodeRow) -> bool:
    """Whether a row's stage has not been reached yet."""
    plan = state.trace.plan
    return row.stage in plan and plan.index(row.stage) > plan.index(state.cursor.stage)


def spoken_row(state: State, row: CodeRow) -> str:
    """A row for a screen reader: its text, and where it stands."""
    if not row.stage:
        return row.text
    name = stage_name(row.stage)
    if row.stage == state.cursor.stage:
        return tr("{code} — {stage}, current step", code=row.text, stage=name)
    if is_ahead(state, row):
        return tr("{code} — {stage}, not reached yet", code=row.text, stage=name)
    return tr("{code} — {stage}", code=row.text, stage=name)


def whole_row(state: State, index: int) -> str:
    """A row to be copied, with every digit."""
    row = rows_of(state)[index]
    if page_of(state) == LATEX or (not row.code and not row.stage):
        return row.text
    before = 1 if state.orientation.columns else 0
    return statement_text(_whole_program(state)[index - before])


def whole_page(state: State) -> str:
    """All rows to be copied: a program that runs, or displayed formulas."""
    if page_of(state) != LATEX:
        return program_text(_whole_program(state), columns=state.orientation.columns)
    return (
        "\n".join(f"% {stage_name(row.stage)}\n\\[ {row.code} \\]" for row in rows_of(state)) + "\n"
    )


def _whole_program(state: State) -> list[CodeStatement]:
    return uncovered(state, program(state.document, page_of(state), whole=True))


INDENT = 4  # characters before what goes on

Measure = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class WrappedLine:
    """One line after breaking; `indent` is in characters."""

    indent: int
    pieces: tuple[Piece, ...]


def wrap(
    code: tuple[Piece, ...], comment: tuple[Piece, ...], width: float, measure: Measure
) -> tuple[WrappedLine, ...]:
    """Lines no wider than `width`, as measured."""
    apart = (Piece("  ", "space"),) if code and comment else ()
    together = (*code, *apart, *comment)
    if measure("".join(piece.text for piece in together)) <= width:
        return (WrappedLine(0, together),)
    lines = _broken(code, 0, width, measure)
    return (*lines, *_broken(comment, INDENT if code else 0, width, measure))


def _broken(
    pieces: tuple[Piece, ...], indent: int, width: float, measure: Measure
) -> tuple[WrappedLine, ...]:
    """Broken at spaces, and inside of a word only where it is wider than a line."""
    lines: list[WrappedLine] = []
    row: list[Piece] = []
    filled = 0.0
    for unit in _units(pieces, width - measure(" " * INDENT), measure):
        wide = measure("".join(piece.text for piece in unit))
        room = width - measure(" " * indent)
        if row and filled + wide > room:
            lines.append(WrappedLine(indent, _trimmed(row)))
            row, filled, indent = [], 0.0, INDENT
        if not row and unit[0].role == "space":
            continue
        row += unit
        filled += wide
    return (*lines, WrappedLine(indent, _trimmed(row))) if row else tuple(lines)


def _trimmed(row: list[Piece]) -> tuple[Piece, ...]:
    return tuple(row[:-1] if row[-1].role == "space" else row)


def _units(pieces: tuple[Piece, ...], room: float, measure: Measure) -> Iterable[list[Piece]]:
    """Spaces, and what stands together between them."""
    unit: list[Piece] = []
    for word in _words(pieces):
        if word.role == "space":
            yield from ([unit] if unit else [])
            yield [word]
            unit = []
            continue
        for part in _fitting(word, room, measure):
            if unit and measure("".join(piece.text for piece in (*unit, part))) > room:
                yield unit
                unit = []
            unit.append(part)
    yield from ([unit] if unit else [])


def _words(pieces: tuple[Piece, ...]) -> Iterable[Piece]:
    for piece in pieces:
        for text in re.findall(r"\s+|\S+", piece.text):
            yield Piece(text, "space" if text.isspace() else piece.role)


def _fitting(word: Piece, room: float, measure: Measure) -> Iterable[Piece]:
    """A word in parts that fit into a line."""
    text = word.text
    while text:
        count = len(text)
        while count > 1 and measure(text[:count]) > room:
            count -= 1
        yield Piece(text[:count], word.role)
        text = text[count:]
