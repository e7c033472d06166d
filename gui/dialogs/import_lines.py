"""The lines of a text file around a row that cannot be read, as rich text for a label."""

from __future__ import annotations

from html import escape
from itertools import islice
from pathlib import Path

from gui.painting.theme import Colours

TEXTS = (".csv", ".tsv", ".txt")
BEFORE, AFTER, FURTHEST, WIDEST = (
    2,
    1,
    100_000,
    72,
)  # lines around the row; rows looked through; characters


def lines_around(path: Path, row: object) -> list[tuple[int, str]]:
    """The row (counted from 1) with those around it, each with its number.

    Empty where the file is no plain text or has no such row, or a blank line before it: rows are counted from there.
    """
    if path.suffix.lower() not in TEXTS or not isinstance(row, int) or not 1 <= row <= FURTHEST:
        return []
    try:
        with path.open(encoding="utf-8-sig") as file:
            found = [line.rstrip("\r\n") for line in islice(file, row + AFTER)]
    except (OSError, ValueError):
        return []
    if len(found) < row or not all(map(str.strip, found[:row])):
        return []
    first = max(0, row - 1 - BEFORE)
    return list(enumerate(found[first:], start=first + 1))


def as_rich(lines: list[tuple[int, str]], wrong: object, theme: Colours) -> str:
    """Line under line with their numbers; the wrong one is marked."""
    rows = []
    for number, text in lines:
        bad = number == wrong
        colour = theme.error if bad else theme.muted
        said = escape(text if len(text) <= WIDEST else text[: WIDEST - 1] + "…").replace(
            " ", "&nbsp;"
        )
        sign = "▸" if bad else ""
        rows.append(
            f'<tr style="color:{colour}"><td>{sign}</td><td align="right">&nbsp;{number}&nbsp;&nbsp;</td>'
            f"<td>{said}</td></tr>"
        )
    return f"<table cellspacing='2'>{''.join(rows)}</table>" if rows else ""
