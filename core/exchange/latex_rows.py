"""Matrices in LaTeX: bmatrix, pmatrix, array …, rows that end in \\\\ and cells parted by &."""

from __future__ import annotations

import re
from itertools import zip_longest

from core.base.errors import UserError
from core.exchange.grid import Grid

_EDGE = re.compile(
    r"\\(?P<edge>begin|end)\{(?P<name>[bpBvV]?(?:small)?matrix\*?|array|tabular|cases)\}(?:\s*\[[^\[\]]{0,9}\])?"
)
_COLUMNS = re.compile(
    r"^\s*\{(?:[^{}]|\{[^{}]*\})*\}"
)  # what array and tabular say about their columns
_COMMENT = re.compile(r"(?<!\\)%.*")
_ROW_END = re.compile(r"\\\\\*?(?:\s*\[[^\[\]]{0,40}\])?|\\cr\b|\\tabularnewline\b")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|hdashline|noalign\{[^{}]*\}|cline\{[^{}]*\})"
)
_AROUND = re.compile(
    r"\\(?:left|right|big[lr]?|Big[lr]?|bigg[lr]?)\s*(?:\\[{}]|[\[\]().|])|\\[\[\]()]|\$+|\\(?:begin|end)\{[a-z]+\*?\}|[&,;.\s]|\\\\"
)


def looks_like_latex(text: str) -> bool:
    """Whether the text is a matrix of LaTeX, as a whole environment or as its rows alone."""
    return _EDGE.search(text) is not None or ("&" in text and "\\\\" in text)


def grids(text: str) -> list[Grid]:
    """The cells of each matrix in the text, still as LaTeX.

    Raises UserError "paste.bracket" (text) for a \\begin without its \\end, and "paste.leftover" (text) for what stands
    around a matrix and would change it, such as a factor.
    """
    text = _COMMENT.sub("", text)
    edges = list(_EDGE.finditer(text))
    if not edges:
        return [_rows(text)]
    found: list[Grid] = []
    position = 0
    for begin, end in zip_longest(edges[::2], edges[1::2]):
        if end is None or (begin["edge"], end["edge"], begin["name"]) != (
            "begin",
            "end",
            end["name"],
        ):
            raise UserError("paste.bracket", text=begin[0])
        before = text[position : begin.start()]
        _require_decoration(before if found else before.rpartition("=")[2])  # the name before "="
        body = text[begin.end() : end.start()]
        found.append(
            _rows(
                _COLUMNS.sub("", body, count=1) if begin["name"] in ("array", "tabular") else body
            )
        )
        position = end.end()
    _require_decoration(text[position:])
    return found


def _require_decoration(piece: str) -> None:
    rest = _AROUND.sub("", piece)
    if rest:
        raise UserError("paste.leftover", text=rest[:40])


def _rows(body: str) -> Grid:
    lines = [_RULES.sub("", line) for line in _ROW_END.split(body)]
    return [
        [cell.strip() for cell in re.split(r"(?<!\\)&", line)] for line in lines if line.strip()
    ]
