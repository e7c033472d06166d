"""Matrices in brackets: Python lists and tuples, NumPy, PyTorch, MATLAB, Octave, Julia, Wolfram."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from core.base.errors import UserError
from core.exchange.delimited import split_at_spaces
from core.exchange.expression import LONGEST
from core.exchange.grid import Grid

DEEPEST = 8  # brackets within brackets; a stack of matrices needs three
PRINTED_WIDTH = 75  # columns after which NumPy wraps a row

_ASSIGNED = re.compile(
    r"\s*(?:(?:In|Out)\s*\[\d+\]\s*[:=]=?\s*|>>>\s*)?(?:[A-Za-z_][\w.']*\s*=(?!=)\s*)?"
)
_MAKERS = re.compile(
    r"(?:Parameter containing:\s*)?(?:[A-Za-z_][\w.]*\s*\(\s*(?:3\s*,\s*)?){1,8}(?=[\[({])"
)
_STACKED = re.compile(r"\bcat\s*\(\s*3\s*,\s*$")  # MATLAB's stack of matrices
_TYPED = re.compile(r"(?:Float|Int|UInt)\d+(?=\[)|(?:Real|Number|Any)(?=\[)")  # Julia
_OPTIONS = re.compile(
    r"(?:\s*,\s*[A-Za-z_]\w*\s*=\s*(?:<[^<>]*>|'[^']*'|\"[^\"]*\"|\([^()]*\)|[\w.:]+))*[\s,;)]*(?:[%#].*)?"
)
_SCALAR = re.compile(r"\b(?:(?:np|numpy)\.)?(?:float|int|uint)\d+\(([^()]*)\)")  # np.float64(0.5)
_BRACKET = re.compile(r"[\[\](){}]")
_BRACKET_OR_COMMA = re.compile(r"[\[\](){},]")
_CLOSES = {"]": "[", ")": "(", "}": "{"}
_CONTINUED = re.compile(r"(?<=[^\s\[{(])[ \t]*\.\.\.[ \t]*(?:[%A-Za-z].*)?\n")
_COMMENT = re.compile(r"(?:(?<=\s)|^)[%#].*", re.MULTILINE)


@dataclass(slots=True)
class _BracketList:
    """One pair of brackets: start and end of its content, and the lists within."""

    start: int
    end: int = -1
    lists: list[_BracketList] = field(default_factory=list)

    @property
    def depth(self) -> int:
        return 1 + max((inner.depth for inner in self.lists), default=0)


def looks_bracketed(text: str) -> bool:
    """Whether the text begins with a bracket, possibly after a name and calls that make an array."""
    start = _start(text)
    return text[start : start + 1] in ("[", "(", "{")


def grids_of_brackets(text: str) -> list[Grid]:
    """The cells of each matrix in the text; [] if its brackets are only parts of expressions, such
    as (1 + 2)/3, 4.

    Raises UserError: "paste.bracket" (text) for one without its partner, "paste.axes" (actual) for
    lists too deep, "paste.leftover" (text) for text between or after the brackets, "paste.elided"
    (row) for "…".
    """
    text = _SCALAR.sub(r"\1", text)
    start = _start(text)
    lists = _scan(text, start)
    if not lists:
        return []
    _require_nothing_between(text, start, lists)
    depth = max(item.depth for item in lists)
    if _STACKED.search(text[:start]):
        return [_matrix(text, item) for item in lists]
    while len(lists) == 1 and depth > 3:
        lists, depth = lists[0].lists, depth - 1
    if depth > 3 or (depth == 3 and len(lists) > 1):
        raise UserError("paste.axes", actual=depth + (len(lists) > 1))
    return _grids(text, lists, depth)


def _start(text: str) -> int:
    position = 0
    for pattern in (_ASSIGNED, _MAKERS, _TYPED):
        match = pattern.match(text, position)
        position = match.end() if match else position
    return position


def _grids(text: str, lists: list[_BracketList], depth: int) -> list[Grid]:
    if depth == 1 and len(lists) == 1:
        return [_rows(text[lists[0].start : lists[0].end])]
    if depth == 2 and len(lists) == 1:
        return _stacked(text, lists[0].lists)
    if depth == 3:
        return [_matrix(text, item) for item in lists[0].lists]
    if depth == 1:  # [1, 2], [3, 4]: rows that lost the brackets around them
        return _stacked(text, lists)
    return [_matrix(text, item) for item in lists]


def _matrix(text: str, item: _BracketList) -> Grid:
    return _one_row_each(text, item.lists) if item.lists else _rows(text[item.start : item.end])


def _stacked(text: str, lists: list[_BracketList]) -> list[Grid]:
    """Rows of one matrix, or several matrices if one of the lists has several rows."""
    parts = [_rows(_one_line(text, item)) for item in lists]
    if any(len(part) > 1 for part in parts):
        return parts
    return [[row for part in parts for row in part or [[]]]]


def _one_row_each(text: str, lists: list[_BracketList]) -> Grid:
    rows: Grid = []
    for item in lists:
        rows += _rows(_one_line(text, item)) or [[]]
    return rows


def _one_line(text: str, item: _BracketList) -> str:
    """The content of one list; its line ends separate rows only where there are semicolons too."""
    content = text[item.start : item.end]
    return content if ";" in content else content.replace("\n", " ")


def _scan(text: str, start: int) -> list[_BracketList]:
    """The outermost lists. Parentheses without a comma, and brackets after a name, are no lists."""
    plain = _plain_parentheses(text) if "(" in text else set()
    top: list[_BracketList] = []
    open_: list[tuple[str, _BracketList | None]] = []
    lists: list[_BracketList] = []
    for match in _BRACKET.finditer(text, start):
        sign, position = match[0], match.start()
        if sign in "[({":
            called = position > start and (
                text[position - 1].isalnum() or text[position - 1] in "_="
            )
            item = (
                None
                if position in plain or (called and sign != "{")
                else _BracketList(position + 1)
            )
            open_.append((sign, item))
            if item is not None:
                (lists[-1].lists if lists else top).append(item)
                lists.append(item)
                if len(lists) > DEEPEST:
                    raise UserError("paste.axes", actual=len(lists))
        elif open_ and open_[-1][0] == _CLOSES[sign]:
            _, item = open_.pop()
            if item is not None:
                item.end = position
                lists.pop()
        elif not open_ and sign == ")":
            break  # it closes the call around the lists
        else:
            raise UserError("paste.bracket", text=sign)
    if open_:
        raise UserError("paste.bracket", text=open_[-1][0])
    return top


def _plain_parentheses(text: str) -> set[int]:
    """Positions of parentheses without a comma of their own: (1 + 2)/3, not (1, 2)."""
    plain: set[int] = set()
    open_: list[tuple[str, int, bool]] = []
    for match in _BRACKET_OR_COMMA.finditer(text):
        sign = match[0]
        if sign == ",":
            if open_:
                open_[-1] = (*open_[-1][:2], True)
        elif sign in "[({":
            open_.append((sign, match.start(), False))
            if len(open_) > LONGEST:
                raise UserError("paste.axes", actual=len(open_))
        elif open_:
            opened, position, comma = open_.pop()
            if opened == "(" and not comma:
                plain.add(position)
    return plain


def _require_nothing_between(text: str, start: int, lists: list[_BracketList]) -> None:
    """Allow only commas and spaces between the lists, and options of the call after the last one."""
    position = start
    for item in lists:
        _require_blank(text[position : item.start - 1], len(lists))
        position = item.end + 1
        _require_blank_within(text, item)
    rest = text[position:]
    if not _OPTIONS.fullmatch(rest):
        raise UserError("paste.leftover", text=rest.strip(" \n,;)")[:40])


def _require_blank_within(text: str, item: _BracketList) -> None:
    if not item.lists:
        return
    position = item.start
    for row, inner in enumerate(item.lists, 1):
        _require_blank(text[position : inner.start - 1], row)
        _require_blank_within(text, inner)
        position = inner.end + 1
    _require_blank(text[position : item.end], len(item.lists) + 1)


def _require_blank(between: str, row: int) -> None:
    rest = between.strip(" \n\t,;")
    if not rest:
        return
    if re.fullmatch(r"[.⋯⋮⋱\s,]+", rest):
        raise UserError("paste.elided", row=row)
    raise UserError("paste.leftover", text=rest[:40])


def _rows(content: str) -> Grid:
    """The rows in one pair of brackets, separated by ; or, as in MATLAB and Julia, by line ends."""
    if "%" in content or "#" in content:
        content = _COMMENT.sub("", content)
    content = _without_continuations(content)
    if ";" in content:
        lines = re.split("[;\n]", content)
    elif "\n" in content and "," not in content and not _is_wrapped(content):
        lines = content.split("\n")
    else:
        lines = [content.replace("\n", " ")]
    return [_cells(line) for line in lines if line.strip(" \t,")]


def _without_continuations(content: str) -> str:
    """Join lines that MATLAB continues with "..."; NumPy's "...", which replaces numbers, stays."""
    if "..." not in content or (";" not in content and _is_wrapped(content)):
        return content
    return _CONTINUED.sub(" ", content)


def _is_wrapped(content: str) -> bool:
    """Whether NumPy wrapped one long row: on each line the next number would not have fitted."""
    lines = content.strip("\n").split("\n")
    full = all(
        len(line) + 1 + len(after.split()[0]) > PRINTED_WIDTH - 1
        for line, after in pairwise(lines)
        if after.strip()
    )
    return full and all(len(line) <= PRINTED_WIDTH for line in lines)


def _cells(line: str) -> list[str]:
    if "," in line:
        return [cell.strip() for cell in line.strip().removesuffix(",").split(",")]
    return split_at_spaces(line)
