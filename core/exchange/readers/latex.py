"""Matrices in LaTeX: matrix environments, array, tabular, plain TeX's \\pmatrix, rows alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.base.errors import UserError
from core.exchange.grid import Grid
from core.exchange.readers.block import Block
from core.exchange.readers.notations import ENVIRONMENT

NEAR = 160  # characters before a matrix that may be a factor

_COLUMN_SPEC = re.compile(r"\s*(?:\{[^{}]*\}\s*(?=\{))?\{(?:[^{}]|\{[^{}]*\})*\}")
_COMMENT = re.compile(r"(?<!\\)%.*")
_ROW_END = re.compile(r"\\\\\*?(?:[ \t\n]{0,9}\[[^\[\]]{0,40}\])?|\\cr\b|\\tabularnewline\b")
_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|hdashline|noalign\{[^{}]*\}|c(?:mid)?line\{[^{}]*\}|centering)"
)
_PLAIN_TEX = re.compile(r"\\[bpvB]?matrix\s*\{|\\mqty\s*\*?\s*[({\[]")
_AFTER = re.compile(
    r"\s*(?:\\right\s*(?:\\[}|]|[\])|.])|\\(?:big|Big|bigg|Bigg)r?\s*[\])]|[})\]]|_\{[^{}]{0,30}\}|_\w)?"
)
_OPERATOR_AFTER = re.compile(
    r"\s*(?:\^|'|(?:\\cdot|\\div|\\times|\\odot|\\circ|[*/+]|-(?!-))\s*\S)"
)
_DECORATION = re.compile(
    r"\\(?:left|right|big[lr]?|Big[lr]?|bigg[lr]?)\s*(?:\\[{}|]|[\[\]().|])|\\[\[\](),;:! ]|\$+|&|~"
    r"|\\(?:begin|end)\{[a-zA-Z]+\*?\}(?:\{[^{}]*\})?|\\q?quad|\\(?:display|text)style|\\\\(?:\[[^\[\]]{0,9}\])?|\\nonumber"
)
_FACTOR = re.compile(
    r"(?:\\[dtc]?frac\s*\{[^{}]*\}\s*\{(?:[^{}]|\{[^{}]*\})*\}|\\[dtc]?frac\s*\d\s*\d|\\sqrt\s*\{[^{}]*\}|(?<![\w}])-"
    r"|(?<![\w^_{.])\d+(?:\.\d+)?(?:\s*/\s*\\?\w+(?:\{[^{}]*\})?)?)\s*(?:\\cdot|\\times|\\,|\*)?\s*$"
)
_PRODUCT = re.compile(
    r"\\end\{\w+\*?\}\s*(?:\\right\s*[)\].])?\s*(?:\\cdot|\\times|[+-])?\s*(?:\\left\s*[(\[.])?\s*$"
)
_FOLLOWED = re.compile(r"\s*(?:\\cdot|\\times|[+-])?\s*(?:\\left\s*[(\[.])?\s*\\begin\{")
_SYMBOL = re.compile(
    r"\s*(?:\\(?:mathbf|mathrm|vec|bm|boldsymbol|hat|[cvd]?dots|ddots)\b|[a-zA-Z](?![a-zA-Z]*\())"
)
_RELATION = re.compile(
    r"=|\\approx|\\simeq|\\equiv|\\to\b|\\rightarrow|\\Rightarrow|\\mapsto|:|≈|→|\\\\|\n\s*\n|\\\[|\$\$"
)


def looks_like_rows(text: str) -> bool:
    """Whether a text is rows of LaTeX without their environment: 1 & 2 \\\\ 3 & 4."""
    return "&" in text and "\\\\" in text


def blocks(text: str) -> Iterator[Block]:
    """Every matrix in LaTeX; one that its neighbour changes, such as a factor, is refused."""
    spans = [*_environments(text), *_plain_tex(text)]
    previous = 0
    for start, body_start, body_end, end, problem in sorted(spans):
        if start < previous:
            continue
        after = _AFTER.match(text, end)
        end = after.end() if after and problem is None else end
        before = text[max(previous, start - NEAR) : start]
        product = _PRODUCT.search(text[max(0, start - NEAR) : start]) or _FOLLOWED.match(text, end)
        previous = end
        grid = latex_rows(text[body_start:body_end])
        if grid and problem is None and (rest := _beside(text, before, end)):
            problem = UserError("paste.leftover", text=rest)
        if grid and problem is None and _is_symbolic(grid):
            continue
        if grid or problem:
            grids = [grid] if problem is None else []
            name = "" if product and not problem else None
            yield Block(grids, start, end, name, problem=problem, table=True)


def _is_symbolic(grid: Grid) -> bool:
    """Whether the entries are letters, as v_1 and a_{11} are."""
    return all(_SYMBOL.match(cell) for row in grid for cell in row)


def _environments(text: str) -> Iterator[tuple[int, int, int, int, UserError | None]]:
    """Start, start and end of the body, end, and what is wrong with it."""
    open_: re.Match[str] | None = None
    for edge in ENVIRONMENT.finditer(text):
        if edge["edge"] == "begin":
            if open_ is not None:
                yield (
                    *open_.span(),
                    open_.end(),
                    open_.end(),
                    UserError("paste.bracket", text=open_[0]),
                )
            open_ = edge
        elif open_ is not None and open_["name"] == edge["name"]:
            start = open_.end()
            if open_["name"].startswith(("array", "tabular")):
                spec = _COLUMN_SPEC.match(text, start, edge.start())
                start = spec.end() if spec else start
            yield open_.start(), start, edge.start(), edge.end(), None
            open_ = None
    if open_ is not None:
        yield (*open_.span(), open_.end(), open_.end(), UserError("paste.bracket", text=open_[0]))


def _plain_tex(text: str) -> Iterator[tuple[int, int, int, int, UserError | None]]:
    closed = 0
    for match in _PLAIN_TEX.finditer(text):
        if match.start() < closed:
            continue
        opening = match[0][-1]
        closing = {"{": "}", "(": ")", "[": "]"}[opening]
        depth = 1
        for sign in re.compile(re.escape(opening) + "|" + re.escape(closing)).finditer(
            text, match.end(), match.end() + 20_000
        ):
            depth += 1 if sign[0] == opening else -1
            if not depth:
                closed = sign.end()
                yield match.start(), match.end(), sign.start(), sign.end(), None
                break
        else:
            return


def _beside(text: str, before: str, end: int) -> str:
    """A factor, a sign or a power beside a matrix; "" for none."""
    near = _DECORATION.sub(" ", before)
    pieces = _RELATION.split(before)
    near = _DECORATION.sub(" ", pieces[-1]).rstrip()
    while near.endswith(("(", "[", "{")):
        near = near[:-1].rstrip()
    if factor := _FACTOR.search(near):
        return factor[0].strip()[:40]
    after = _OPERATOR_AFTER.match(text, end)
    if (
        after
        and not ENVIRONMENT.match(text, after.end() - 1)
        and "\\left" not in text[end : after.end() + 4]
    ):
        return text[end : end + 40].strip().partition("\n")[0]
    return ""


def latex_rows(body: str) -> Grid:
    """The cells of a body, still as LaTeX."""
    lines = [_RULES.sub("", line) for line in _ROW_END.split(_COMMENT.sub("", body))]
    return [
        [cell.strip(" \t\n$") for cell in re.split(r"(?<!\\)&", line)]
        for line in lines
        if line.strip()
    ]
