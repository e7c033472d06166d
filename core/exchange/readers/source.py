"""The text that the readers work on: plain signs, without prompts, comments and line numbers.

Every step but `plain` keeps the length, so that places in the text stay valid.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from core.exchange.expression import INVISIBLE, plain
from core.exchange.readers.notations import (
    BLOCK_COMMENTS,
    BULLET,
    LINE_COMMENT,
    PROMPT,
    TRAILING_COMMENT,
)

TAKEN = "\0"  # replaces what a reader has taken

_COMMENT_SIGNS = ("#", "//", "%", "--", ";", "<-", "←", "⟵", "◀")
_LINE_NUMBER = re.compile(r"[ \t]*(\d{1,6})(?:[.:|)]?[ \t]|[ \t]*$)")
_MATRIX_AHEAD = re.compile(r"[\[({]\s*[\[({]|[\[{][^\])}\n]*\d\.\d|(?:array|tensor)\(")
_CODE_AHEAD = re.compile(r"[\[({]|\\begin|=")
_TAG = re.compile(
    r"</?(?:pre|code|span|div|p|br|b|i|em|strong|table|thead|tbody|tr|td|th|li|ul|ol|math|a|h\d|samp|tt)\b[^<>\n]{0,200}>",
    re.IGNORECASE,
)
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_SPACED_DATE = re.compile(  # 2024-01-05 09:30, Jan 5, 2024, 5 January 2024, Q1 2024
    rf"^[ \t|]*(?:\d{{1,4}}[-/.]\d{{1,2}}[-/.]\d{{1,4}} \d{{1,2}}:|{_MONTH} \d{{1,4}}(?!\d|[.,]\d)(?:,? \d{{4}}\b)?"
    rf"|\d{{1,2}}\.? {_MONTH}(?: \d{{4}})?\b|q[1-4] \d{{4}}\b)",
    re.IGNORECASE | re.MULTILINE | re.ASCII,
)
_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"]+")
_SHAPE_SHOWN = re.compile(
    r"(?<=\.shape\n)[ \t]*(?:Out ?\[\d+\]: ?)?\([\d, ]+\)[ \t]*$", re.MULTILINE
)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*", re.MULTILINE)


class Source:
    """A text as people copy it, as it is read, and the way back from places in it."""

    def __init__(self, original: str) -> None:
        self.plain = plain(original)
        self._kept = (
            None
            if len(self.plain) == len(original)
            else [
                i
                for i, sign in enumerate(original)
                if sign not in INVISIBLE and not (sign == "\r" and original[i + 1 : i + 2] == "\n")
            ]
        )
        self._ends = [match.end() for match in re.finditer("\n", self.plain)]
        self.text = _without_comments(_without_line_numbers(_without_marks(self.plain)))

    def place(self, position: int) -> int:
        """The offset in the original text."""
        if self._kept is None or not self._kept:
            return position
        return self._kept[position] if position < len(self._kept) else self._kept[-1] + 1

    def line(self, position: int) -> int:
        """The line of a position, from 1."""
        return bisect_right(self._ends, position) + 1

    def take(self, spans: Sequence[tuple[int, int]]) -> None:
        """Hide what a reader has taken, spans in order, from the others."""
        self.text = hidden(self.text, spans, TAKEN)


def hidden(text: str, spans: Sequence[tuple[int, int]], sign: str) -> str:
    """The text with every other character in the spans replaced by a sign; line feeds stay."""
    parts, position = [], 0
    for start, end in spans:
        if start >= position:
            lines = text[start:end].split("\n")
            parts += [text[position:start], "\n".join([sign * len(line) for line in lines])]
            position = end
    return "".join([*parts, text[position:]])


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _without_marks(text: str) -> str:
    """Blank prompts, bullets, fences of code and comments in pairs of signs."""
    for opening, closing in BLOCK_COMMENTS:
        spans, start = [], text.find(opening)
        while start >= 0 and (end := text.find(closing, start + len(opening))) >= 0:
            spans.append((start, end + len(closing)))
            start = text.find(opening, end + len(closing))
        text = hidden(text, spans, " ") if spans else text
    text = _SPACED_DATE.sub(lambda date: re.sub(r"(?<=\S)[ ,](?=[ \S])", "_", date[0]), text)
    if "://" in text:
        text = _ADDRESS.sub(_blank, text)
    if "</" in text:
        text = _TAG.sub(
            lambda tag: ("\t" if tag[0] in ("</td>", "</th>") else " ").ljust(len(tag[0])), text
        )
    text = text.replace("<|", " {").replace("|>", "} ")  # Wolfram's associations
    if ".shape\n" in text:
        text = _SHAPE_SHOWN.sub(_blank, text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(_blank, text)
    continued = ">>>" in text
    text = PROMPT.sub(
        lambda match: match[0] if match[0].endswith("...") and not continued else _blank(match),
        text,
    )
    return BULLET.sub(_blank, text)


def _without_line_numbers(text: str) -> str:
    """Blank numbers that count the lines of code."""
    lines = text.split("\n")
    start = 0
    while start < len(lines):
        end, before, marks = start, None, 0
        while end < len(lines) and (match := _LINE_NUMBER.match(lines[end])):
            if before is not None and int(match[1]) != before + 1:
                break
            before, marks = int(match[1]), marks + (_CODE_AHEAD.search(lines[end]) is not None)
            end += 1
        if end - start >= 3 and 2 * marks >= end - start:
            lines[start:end] = [
                _LINE_NUMBER.sub(_blank, line, count=1) for line in lines[start:end]
            ]
        start = max(end, start + 1)
    return "\n".join(lines)


def _without_comments(text: str) -> str:
    """Blank comments beside and between rows; of a commented line outside brackets only its sign.

    A comment that shows a result, such as print(Q)  # [[0.5, 1.0]], stays.
    """
    if not any(sign in text for sign in _COMMENT_SIGNS):
        return text
    lines = text.split("\n")
    depth, commented = 0, False
    for index, line in enumerate(lines):
        sign = LINE_COMMENT.match(line)
        if sign and depth and not commented:
            lines[index] = " " * len(line)
            continue
        if sign:
            line = " " * sign.end() + line[sign.end() :]
        if trailing := TRAILING_COMMENT.search(line):
            cut = trailing.start()
            shown = not depth and not _CODE_AHEAD_OF_NUMBERS.search(line, 0, cut)
            shown = shown and bool(_MATRIX_AHEAD.search(line, cut))
            kept = (
                len(trailing[0]) - len(trailing[0].lstrip("#/%-← ")) if shown else len(line) - cut
            )
            line = line[:cut] + " " * kept + line[cut + kept :]
            commented = commented or shown
        lines[index] = line
        before = depth
        depth += sum(map(line.count, "[({")) - sum(map(line.count, "])}"))
        if depth <= 0 or (line[:1].isalpha() and not before):
            depth = max(depth, 0)
        if not before:
            commented = bool(sign) or (commented and depth > 0)
        if not depth:
            commented = False
    return "\n".join(lines)


_CODE_AHEAD_OF_NUMBERS = re.compile(r"[\[{(]\s*[\[{(]*\s*[-+.]?\d")
