"""The program of an experiment as it is shown and copied: statements with their comments in the current language."""

from __future__ import annotations

from collections.abc import Iterable

from core.document.document import Document
from core.document.plan import Stage
from core.exchange.program import Statement, stage_statements
from gui.texts.translation import mark, tr, tr_marked

LIBRARY_NAMES = {"numpy": "NumPy", "torch": "PyTorch"}
LATEX = "latex"
PAGES = (*LIBRARY_NAMES, LATEX)

# What the statements of core say beside their code.
NOTES = (
    mark("tokens, heads, columns of Q and K, of V"),
    mark("queries, keys, heads, columns of Q and K, of V"),
    mark("may the query (row) look at the key (column)?"),
    mark("a row may look at nothing"),
    mark("a head that is switched off adds 0"),
    mark("the head is switched off"),
    mark("what-if value"),
    mark("the last column has no partner: it stays"),
)


def remark(statement: Statement) -> str:
    """What follows a statement as a comment: its shapes, then its note. "" where it needs none."""
    note = tr_marked(statement.note) if statement.note else ""
    return " · ".join(part for part in (statement.shapes, note) if part)


def statement_text(statement: Statement, *, columns: bool = False) -> str:
    """A statement with its comment, which says what rows are while the panels show tokens as columns."""
    said = " · ".join(
        part for part in (remark(statement), tr("tokens as rows") if columns else "") if part
    )
    return f"{statement.code}  # {said}" if said else statement.code


def line_of(document: Document, stage: Stage, library: str, *, lead: bool = False) -> Statement:
    """The one statement that computes a stage, or the sub-step that opens its rows."""
    lines = stage_statements(document, stage, library)
    return next(line for line in lines if (line.lead if lead and stage.lead else line.result))


def convention_text() -> str:
    """What stands above the program while the panels show tokens as columns."""
    return "# " + tr("Tokens are rows in code; the panels show them as columns.")


def program_text(statements: Iterable[Statement], *, columns: bool = False) -> str:
    """A whole program, ready to run where its statements have every digit; an empty line before each stage."""
    lines = [convention_text()] if columns else []
    stage = ""
    for statement in statements:
        lines += [""] if statement.stage != stage else []
        lines.append(statement_text(statement))
        stage = statement.stage
    return "\n".join(lines) + "\n"
