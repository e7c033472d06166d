"""What a line of a text is: a row of numbers, a drawn row, a rule, words, or a mark of a program."""

from __future__ import annotations

import re

from core.base.errors import UserError
from core.exchange.expression import FAILED, NOT_A_NUMBER
from core.exchange.grid import is_number
from core.exchange.readers.cells import cut
from core.exchange.readers.source import TAKEN

MOST_LABEL_WORDS = 4
SIMPLE = re.compile(r"[\s\d.,;+\-eE%/…⋯⋮⋱√^*×½⅓⅔¼¾]*")
DIGIT_OR_DOTS = re.compile(r"\d|^[\s.…⋯⋮⋱]*(?:\.\.\.?|[…⋯⋮⋱])[\s.…⋯⋮⋱]*$")
NUMBERISH = re.compile(
    r"\(?[-+]?(?:\d[\d,._]*|\.\d+)(?:[eE][-+]?\d+)?\)?\s?%?|[-+]?\d+/\d+|\.\.\.?|[…⋯⋮⋱]|NA|N/A",
    re.ASCII,
)
R_ROW = re.compile(r"[ \t]*\[(\d+),\][ \t]")
R_VECTOR = re.compile(r"[ \t]*\[(\d+)\][ \t]+(?=[-+.\dNI])")
R_HEADER = re.compile(r"[ \t]*(?:\[,(\d+)\][ \t]*)+$")
SLICE = re.compile(
    r"[ \t]*(?:\((?:\d+,)+\.,\.\)[ \t]*=|, , \w+|\[:, :, (?:\d+(?:, )?)+\][ \t]*=|(?P<name>\w+)\(:,:,\d+(?:,\d+)?\)[ \t]*=)[ \t]*$"
)
COLUMN_MARK = re.compile(
    r"[ \t]*Columns?[ \t]+(\d+)(?:[ \t]+(?:through|to|and|thru)[ \t]+(\d+))?[ \t]*:?[ \t]*$", re.I
)
SCALE = re.compile(r"[ \t]*(?:Columns.*:)?[ \t]*(\d+(?:\.\d*)?(?:e[-+]?\d+)?)[ \t]*\*[ \t]*$", re.I)
FOOTER = re.compile(
    r"[ \t]*\[[ \t]*(?:\w*\.)*\w*(?:Type|Tensor)\s*(?:\{([\d,]*)\}|of size ([\dx]+)[^\]]*)[ \t]*\](?:\[[^\]]*\])?[ \t]*$"
)
RULE_LINE = re.compile(r"[ \t|+:=-]*(?:-|=){2}[ \t|+:=-]*$|[ \t|:]*-[ \t|:-]*\|[ \t|:-]*$")
LABELLED = re.compile(r"[ \t]*([^\W\d][^:=\n]{0,40}?)[ \t]*[:=][ \t]*(?=[-+.\d√½(])")
COUNTABLE = re.compile(r"[\d½⅓⅔¼¾⅕⅛π#]")
BLANK, BREAK, ROW, PIPE, RULE, WORDS, MARK = range(7)


def kind_of(line: str) -> int:
    """What a line is that holds more than digits and separators."""
    if TAKEN in line:
        return BREAK
    if RULE_LINE.fullmatch(line):
        return RULE
    if "|" in line and (line.count("|") > 1 or re.search(r"\d", line)):
        return PIPE
    if R_ROW.match(line) or R_VECTOR.match(line):
        return ROW
    if any(pattern.match(line) for pattern in (SLICE, R_HEADER, COLUMN_MARK, SCALE, FOOTER)):
        return MARK
    return ROW if is_row(line) else WORDS


def is_row(line: str) -> bool:
    """Whether a line of words and numbers is a row of a table: a label, then numbers."""
    if not DIGIT_OR_DOTS.search(line) and not NOT_A_NUMBER.search(line):
        return False
    labelled = LABELLED.match(line)
    if labelled and "\t" not in line:
        numbers = line[labelled.end() :]
        return SIMPLE.fullmatch(numbers) is not None and len(numbers.split()) > 1
    for sign in ("\t", ";", ","):
        if sign not in line:
            continue
        label, _, numbers = line.partition(sign)
        if SIMPLE.fullmatch(numbers) and numbers.count(sign) and not COUNTABLE.search(label):
            return True
        cells = cells_of(line, sign)
        lead = next((i for i, cell in enumerate(cells[:5]) if is_cell(cell)), len(cells))
        rest = cells[lead:]
        if (
            lead <= 3
            and rest
            and len(cells) > 1
            and all(not cell or is_cell(cell) for cell in rest)
        ):
            return sign != "," or len(rest) > 1 or lead == 0 or len(cells[0].split()) < 3
        if sign != "," and len(rest) > 1 and 2 * sum(map(is_cell, rest)) >= len(rest):
            return True
    words = cut([line], "")[0]
    count = 0
    while count < len(words) and is_cell(words[-1 - count]):
        count += 1
    lead = len(words) - count
    if count == 1 and 0 < lead <= MOST_LABEL_WORDS and re.search(r"\S[ \t]{2,}\S*\.\S*$", line):
        return "=" not in line  # a label and a number in columns, as pandas prints a Series
    if count < 2 or lead > MOST_LABEL_WORDS or "=" in line:
        return False
    start = 1 if words[0].isdecimal() and lead > 1 else 0
    return not any(
        re.search(r"\d[.,]|[,:;]$", word) and not is_cell(word) and word != words[lead - 1]
        for word in words[start:lead]
    )


def cells_of(line: str, sign: str) -> list[str]:
    try:
        return cut([line], sign)[0]
    except UserError:
        return []


def is_cell(cell: str) -> bool:
    if not COUNTABLE.search(cell):
        dots = bool(cell) and not cell.strip(".…⋯⋮⋱") and cell != "."
        return dots or NOT_A_NUMBER.fullmatch(cell) is not None or cell in ("NA", "N/A")
    if NUMBERISH.fullmatch(cell) or NOT_A_NUMBER.fullmatch(cell) or FAILED.fullmatch(cell):
        return True
    return not cell.isalpha() and bool(cell) and is_number(cell)
