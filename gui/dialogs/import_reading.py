"""Read a file for import in a worker thread: its parts, one table, the lines around an error."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape
from itertools import islice
from pathlib import Path

from core.base.errors import UserError
from core.document.document import Document
from core.exchange.experiment_import import import_experiment
from core.exchange.paste import LabelledMatrix
from core.exchange.tables import (
    TEXT_ENDINGS,
    Listing,
    ending_of,
    list_tables,
    read_table,
)
from gui.painting.theme import Colours

Experiment = tuple[Document, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class FileContents:
    """The parts of a file, one table (or an error), and the experiment in it (or an error, or
    None).
    """

    parts: tuple[str, ...]
    table: LabelledMatrix | UserError
    experiment: Experiment | UserError | None = None


def read_file(path: Path, token: str) -> FileContents:
    """Read the parts and the first table; `token` names tokens: "token {number}".

    Raises UserError as list_tables does.
    """
    text = ending_of(path) in TEXT_ENDINGS
    parts = (Listing(""),) if text else list_tables(path)
    names = tuple(part.name for part in parts)
    return FileContents(
        names, read_part(path, None if text else names[0]), _experiment(path, token)
    )


def read_part(path: str | os.PathLike[str], name: str | None) -> LabelledMatrix | UserError:
    """Read the numbers of one part; returns errors."""
    try:
        return read_table(path, name or None)
    except UserError as problem:
        return problem


def _experiment(path: Path, token: str) -> Experiment | UserError | None:
    def named(number: int) -> str:
        return token.format(number=number)

    try:
        return import_experiment(path, named)
    except UserError as problem:
        return problem


TEXTS = (".csv", ".tsv", ".txt")
BEFORE, AFTER, FURTHEST, WIDEST = (
    2,
    1,
    100_000,
    72,
)  # lines around the row; rows looked through; characters


def lines_around(path: Path, row: object) -> list[tuple[int, str]]:
    """The row (from 1) and its neighbours with their numbers.

    Empty where the file is no plain text, has no such row, or has a blank line before it.
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
    """Numbered lines as rich text; the wrong one is marked."""
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
