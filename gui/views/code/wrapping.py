"""Code broken into lines: the comment goes below before the code is broken, what goes on is indented. Free of Qt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gui.texts.exchange import Piece

INDENT = 4  # characters before what goes on

Measure = Callable[[str], float]


@dataclass(frozen=True, slots=True)
class Line:
    """One line after breaking; `indent` is in characters."""

    indent: int
    pieces: tuple[Piece, ...]


def wrap(
    code: tuple[Piece, ...], comment: tuple[Piece, ...], width: float, measure: Measure
) -> tuple[Line, ...]:
    """Lines no wider than `width`, as measured."""
    apart = (Piece("  ", "space"),) if code and comment else ()
    together = (*code, *apart, *comment)
    if measure("".join(piece.text for piece in together)) <= width:
        return (Line(0, together),)
    lines = _broken(code, 0, width, measure)
    return (*lines, *_broken(comment, INDENT if code else 0, width, measure))


def _broken(
    pieces: tuple[Piece, ...], indent: int, width: float, measure: Measure
) -> tuple[Line, ...]:
    """Broken at spaces, and inside of a word only where it is wider than a line."""
    lines: list[Line] = []
    row: list[Piece] = []
    filled = 0.0
    for unit in _units(pieces, width - measure(" " * INDENT), measure):
        wide = measure("".join(piece.text for piece in unit))
        room = width - measure(" " * indent)
        if row and filled + wide > room:
            lines.append(Line(indent, _trimmed(row)))
            row, filled, indent = [], 0.0, INDENT
        if not row and unit[0].role == "space":
            continue
        row += unit
        filled += wide
    return (*lines, Line(indent, _trimmed(row))) if row else tuple(lines)


def _trimmed(row: list[Piece]) -> tuple[Piece, ...]:
    return tuple(row[:-1] if row[-1].role == "space" else row)


def _units(pieces: tuple[Piece, ...], room: float, measure: Measure) -> Iterable[list[Piece]]:
    """Spaces, and what stands together between them."""
    unit: list[Piece] = []
    for word in _words(pieces):
        if word.role == "space":
            yield from ([unit] if unit else [])
            yield [word]
            unit = []
            continue
        for part in _fitting(word, room, measure):
            if unit and measure("".join(piece.text for piece in (*unit, part))) > room:
                yield unit
                unit = []
            unit.append(part)
    yield from ([unit] if unit else [])


def _words(pieces: tuple[Piece, ...]) -> Iterable[Piece]:
    for piece in pieces:
        for text in re.findall(r"\s+|\S+", piece.text):
            yield Piece(text, "space" if text.isspace() else piece.role)


def _fitting(word: Piece, room: float, measure: Measure) -> Iterable[Piece]:
    """A word in parts that fit into a line."""
    text = word.text
    while text:
        count = len(text)
        while count > 1 and measure(text[:count]) > room:
            count -= 1
        yield Piece(text[:count], word.role)
        text = text[count:]
