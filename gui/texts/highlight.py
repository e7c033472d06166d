"""Code and LaTeX cut into pieces with roles: a small highlighter for the few constructs that the program uses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from core.exchange.code import VARIABLES
from gui.texts.names import ROLES

_ROLES = {**ROLES, **{name: ROLES.get(stage, "plain") for stage, name in VARIABLES.items()}}
_KEYWORDS = {"import", "as", "True", "False", "None"}
_PYTHON = re.compile(
    r"(?P<comment>#.*)|(?P<number>(?<![A-Za-z_])\d+(?:\.\d*)?(?:e[+-]?\d+)?)|(?P<call>[A-Za-z_]\w*(?=\())"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)|(?P<sign>.)"
)
_LATEX = re.compile(
    r"(?P<call>\\(?:[A-Za-z]+|.))|(?P<sign>[{}^_&])|(?P<space>\s+)|(?P<name>[^\\{}^_&\s]+)"
)


class Piece(Struct, frozen=True):
    """A piece of code: "comment", "call", "keyword", "plain", "space", or the role of a tensor such as "query"."""

    text: str
    role: str


def python_pieces(code: str) -> tuple[Piece, ...]:
    """One statement with its comment; tensors wear the colours that they have everywhere."""
    return _joined(
        Piece(found.group(), _python_role(found))
        for found in _PYTHON.finditer(code.replace("\n", " "))
    )


def _python_role(found: re.Match[str]) -> str:
    kind, text = found.lastgroup or "", found.group()
    if kind in ("comment", "call", "space"):
        return kind
    if kind == "name":
        return "keyword" if text in _KEYWORDS else _ROLES.get(text, "plain")
    return "plain"


def latex_pieces(latex: str) -> tuple[Piece, ...]:
    """A formula's source: commands stand out, braces stand back."""
    roles = {"call": "call", "sign": "comment", "space": "space", "name": "plain"}
    return _joined(
        Piece(found.group(), roles[found.lastgroup or "name"]) for found in _LATEX.finditer(latex)
    )


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Neighbours of one role together, but for spaces, at which lines may break."""
    result: list[Piece] = []
    for piece in pieces:
        if result and result[-1].role == piece.role and piece.role != "space":
            result[-1] = Piece(result[-1].text + piece.text, piece.role)
        else:
            result.append(piece)
    return tuple(result)
