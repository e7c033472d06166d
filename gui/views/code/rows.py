"""The rows of the panel: statements of the program or formulas, each with its stage."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from core.exchange.code import variable
from core.exchange.program import Statement, program
from core.explain.timeline import Reach
from gui.painting.formulas import formula
from gui.session.state import State
from gui.texts.exchange import LATEX, comment_of, convention_text, program_text, statement_text
from gui.texts.names import stage_name
from gui.texts.translation import tr


@dataclass(frozen=True, slots=True)
class Row:
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


def rows_of(state: State) -> tuple[Row, ...]:
    """The rows of the page that is open."""
    if page_of(state) == LATEX:
        return tuple(
            Row(
                stage.id,
                formula(state.document, stage.id, orientation=state.orientation),
                opens=True,
                result=True,
            )
            for stage in state.trace.plan
        )
    rows = [Row("", "", convention_text().removeprefix("# "))] if state.orientation.columns else []
    stage = ""
    for found in uncovered(state, program(state.document, page_of(state))):
        opens = found.stage != stage
        rows.append(
            Row(found.stage, found.code, comment_of(found), opens, found.result, found.lead)
        )
        stage = found.stage
    return tuple(rows)


def covered(state: State) -> frozenset[str]:
    """What-if values that are not to be seen yet, as code names them: scaled[0, 1, 2]."""
    pins = (pin for pin in state.document.pins if state.hides(pin.cell))
    return frozenset(f"{variable(pin.stage)}[{', '.join(map(str, pin.index))}]" for pin in pins)


def uncovered(state: State, statements: Iterable[Statement]) -> list[Statement]:
    """Statements with a question mark in place of what is not to be seen yet."""
    names = covered(state)
    return [_asked(found, names) for found in statements]


def _asked(found: Statement, names: frozenset[str]) -> Statement:
    name = found.code.partition(" = ")[0]
    return replace(found, code=f"{name} = ?") if name in names else found


def current(state: State, rows: tuple[Row, ...]) -> int:
    """The row that computes the step at which we stand; -1 if there is none."""
    mine = [index for index, row in enumerate(rows) if row.stage == state.cursor.stage]
    if state.cursor.reach is Reach.LEAD:
        mine = [index for index in mine if rows[index].lead] or mine
    else:
        mine = [index for index in mine if rows[index].result] or mine
    return mine[0] if mine else -1


def is_ahead(state: State, row: Row) -> bool:
    """Whether a row's stage has not been reached yet."""
    plan = state.trace.plan
    return row.stage in plan and plan.index(row.stage) > plan.index(state.cursor.stage)


def spoken(state: State, row: Row) -> str:
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
    return statement_text(_whole(state)[index - before])


def whole_page(state: State) -> str:
    """All rows to be copied: a program that runs, or displayed formulas."""
    if page_of(state) != LATEX:
        return program_text(_whole(state), columns=state.orientation.columns)
    return (
        "\n".join(f"% {stage_name(row.stage)}\n\\[ {row.code} \\]" for row in rows_of(state)) + "\n"
    )


def _whole(state: State) -> list[Statement]:
    return uncovered(state, program(state.document, page_of(state), whole=True))
