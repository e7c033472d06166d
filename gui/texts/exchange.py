"""Texts of code and of exported files: comments, highlighting, formats, labels. Free of Qt."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from msgspec import Struct

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.document.parts import Head, Layer
from core.exchange.labels import HEADS, Labels
from core.exchange.scripts import CodeStatement, stage_statements
from core.stages import Stage
from core.stages.dialect import VARIABLES
from gui.texts.names import ROLES, role_of
from gui.texts.translation import mark, tr, tr_marked

LIBRARY_NAMES = {"numpy": "NumPy", "torch": "PyTorch"}
LATEX = "latex"
CODE_PAGES = (*LIBRARY_NAMES, LATEX)

# Notes of the statements of core.
NOTES = (
    mark("tokens, heads, columns of Q and K, of V"),
    mark("queries, keys, heads, columns of Q and K, of V"),
    mark("tokens, heads, columns of V"),
    mark("queries, keys, heads, columns of V"),
    mark("tokens, heads"),
    mark("queries, keys, heads"),
    mark("may the query (row) attend to the key (column)?"),
    mark("a row may have no key to attend to"),
    mark("a head that is off adds 0"),
    mark("the head is off"),
    mark("what-if value"),
    mark("the last column has no partner and stays as it is"),
)

# Captions of the readings of a doubtful text, by core.exchange.Reading.caption.
READINGS = {
    "data": mark("every number is an entry"),
    "row": mark("the first row is a header"),
    "column": mark("the first column is a header"),
    "both": mark("the first row and the first column are headers"),
    "columns": mark("commas and spaces separate columns"),
    "decimals": mark("the comma is the decimal sign"),
    "thousands": mark("groups of three digits are one number"),
    "negative": mark("parentheses around a number mean a negative number"),
    "positive": mark("parentheses around a number have no meaning"),
    "transposed": mark("transposed: inputs × outputs"),
    "as written": mark("as written: outputs × inputs"),
}


def reading_caption(caption: str) -> str:
    """The caption of one reading of a doubtful text."""
    if caption.startswith(HEADS):
        count = int(caption.removeprefix(HEADS))
        return tr("{count} heads", count=count) if count > 1 else tr("One head")
    return tr_marked(READINGS[caption])


def comment_of(statement: CodeStatement) -> str:
    """The comment of a statement: its shapes, then its note."""
    note = tr_marked(statement.note) if statement.note else ""
    return " · ".join(part for part in (statement.shapes, note) if part)


def statement_text(statement: CodeStatement, *, columns: bool = False) -> str:
    """A statement with its comment, which says what rows are where panels show tokens as columns."""
    said = " · ".join(
        part for part in (comment_of(statement), tr("tokens as rows") if columns else "") if part
    )
    return f"{statement.code}  # {said}" if said else statement.code


def stage_statement(
    document: Document, stage: Stage, library: str, *, lead: bool = False
) -> CodeStatement:
    """The one statement that computes a stage, or the sub-step that opens its rows."""
    lines = stage_statements(document, stage, library)
    return next(line for line in lines if (line.lead if lead and stage.lead else line.result))


def convention_text() -> str:
    """The line above the program where panels show tokens as columns."""
    return "# " + tr("Tokens are rows in code; the panels show them as columns.")


def program_text(statements: Iterable[CodeStatement], *, columns: bool = False) -> str:
    """A program with an empty line before each stage."""
    lines = [convention_text()] if columns else []
    stage = ""
    for statement in statements:
        lines += [""] if statement.stage != stage else []
        lines.append(statement_text(statement))
        stage = statement.stage
    return "\n".join(lines) + "\n"


_ROLES = {**ROLES, **{name: role_of(stage) for stage, name in VARIABLES.items()}}
_LAYER = re.compile(r"^L\d+_")  # of a name in code
_KEYWORDS = {"import", "as", "True", "False", "None"}
_PYTHON = re.compile(
    r"(?P<comment>#.*)|(?P<number>(?<![A-Za-z_])\d+(?:\.\d*)?(?:e[+-]?\d+)?)|(?P<call>[A-Za-z_]\w*(?=\())"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)|(?P<sign>.)"
)
_LATEX = re.compile(
    r"(?P<call>\\(?:[A-Za-z]+|.))|(?P<sign>[{}^_&])|(?P<space>\s+)|(?P<name>[^\\{}^_&\s]+)"
)


class Piece(Struct, frozen=True):
    """A piece of code: "comment", "call", "keyword", "plain", "space", or the role of a tensor such
    as "query".
    """

    text: str
    role: str


def python_pieces(code: str) -> tuple[Piece, ...]:
    """Highlight one statement with its comment; tensors have their usual colours."""
    return _joined(
        Piece(found.group(), _python_role(found))
        for found in _PYTHON.finditer(code.replace("\n", " "))
    )


def _python_role(found: re.Match[str]) -> str:
    kind, text = found.lastgroup or "", found.group()
    if kind in ("comment", "call", "space"):
        return kind
    if kind == "name":
        return "keyword" if text in _KEYWORDS else _ROLES.get(_LAYER.sub("", text), "plain")
    return "plain"


def latex_pieces(latex: str) -> tuple[Piece, ...]:
    """Highlight the source of a formula: commands stand out, braces are muted."""
    roles = {"call": "call", "sign": "comment", "space": "space", "name": "plain"}
    return _joined(
        Piece(found.group(), roles[found.lastgroup or "name"]) for found in _LATEX.finditer(latex)
    )


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Join neighbours of one role, except spaces, at which lines may break."""
    result: list[Piece] = []
    for piece in pieces:
        if result and result[-1].role == piece.role and piece.role != "space":
            result[-1] = Piece(result[-1].text + piece.text, piece.role)
        else:
            result.append(piece)
    return tuple(result)


FORMATS: dict[str, str] = {
    "xlsx": mark("Excel workbook with live formulas"),
    "py": mark("NumPy script"),
    "torch": mark("PyTorch script"),
    "ipynb": mark("Jupyter notebook"),
    "tex": mark("LaTeX document"),
    "npz": mark("NumPy arrays of every stage"),
    "json": mark("JSON of every stage"),
    "csv": mark("Folder with a CSV file for each stage and head"),
}


KEEPS = mark("python THIS_SCRIPT.py OUT.npz saves the numbers")


Part = TypeVar("Part", Head, Layer)


def translated_document(document: Document) -> Document:
    """The experiment with title, notes and names of heads in the current language."""
    title, notes = (tr_marked(text) if text else "" for text in (document.title, document.notes))
    layers = tuple(
        replace(_named(layer), heads=tuple(map(_named, layer.heads))) for layer in document.layers
    )
    heads = tuple(map(_named, document.heads))
    return document.with_(title=title, notes=notes, heads=heads, layers=layers)


def _named(part: Part) -> Part:
    """A head or a layer with its name in the current language."""
    return replace(part, name=tr_marked(part.name)) if part.name else part


def file_labels(orientation: Orientation = ROWS) -> Labels:
    """The words of exported files in the current language, for an orientation."""
    return Labels(
        settings=tr("settings"),
        not_imported=tr(
            "Import reads the sheets of entered numbers; changes to these settings are not "
            "imported."
        ),
        entered=tr("entered"),
        computed=tr("computed"),
        what_if=tr("what-if value"),
        head=tr("head {number}", number="{number}"),
        on=tr("1 = on, 0 = off"),
        mask=tr("mask"),
        allowed=tr("1 = allowed, 0 = not allowed"),
        base=tr("base"),
        scale=tr("scale"),
        slope=tr("slope"),
        experiment=tr(
            "The experiment, so that this workbook can be imported; its numbers are in the "
            "named ranges"
        ),
        comments={note: tr_marked(note) for note in (*NOTES, KEEPS)},
        rows=tr("Tokens are rows in this file; the window shows them as columns.")
        if orientation.columns
        else "",
        beyond=tr(
            "Some numbers exceed 1.8×10³⁰⁸: the experiment stops at that limit, while this code "
            "continues with inf and may print nan."
        ),
    )
