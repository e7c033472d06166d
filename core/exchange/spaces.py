"""Cells that stand apart by spaces, as MATLAB reads them: [1 -2] is two numbers, [1 - 2] is one."""

from __future__ import annotations

import re

_RUN = re.compile(r"[ \t]{2,}|\t")
_BINARY = re.compile(
    r"(?<=\S)(?:[ \t](\*\*|//|[*/^×·÷])[ \t]?|(\*\*|//|[*/^×·÷])[ \t])(?=\S)"  # 3 * 4
    r"|(?<=[\w.)])[ \t]([+-])[ \t](?=[\w.(√])"  # 3 - 4, but not 3 -4
    r"|(?<=[\d.)])[ \t](%)"
)
_INSIDE = re.compile(r"(?<=[(\[])[ \t]+|[ \t]+(?=[)\]])")
_EDGE = re.compile(r"[()\[\] \t]")
_PARTED = re.compile(r"[-+][ \t]|[*/^×·÷%()\[\]]")  # signs beside which a space may part nothing


def split_at_spaces(line: str) -> list[str]:
    """The cells of a line; spaces around an operator and within parentheses part nothing."""
    if not _PARTED.search(line):
        return line.split()
    line = _RUN.sub(
        " ", line
    )  # first, for the patterns below look at each run from each of its ends
    line = _BINARY.sub(lambda match: match[match.lastindex or 0], _INSIDE.sub("", line))
    if "(" not in line:
        return line.split()
    cells, depth, start = [], 0, 0
    for sign in _EDGE.finditer(line):
        depth += (sign[0] in "([") - (sign[0] in ")]")
        if sign[0] in " \t" and depth <= 0:
            cells.append(line[start : sign.start()])
            start = sign.end()
    return [cell for cell in (*cells, line[start:]) if cell]
