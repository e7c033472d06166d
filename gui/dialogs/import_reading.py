"""What a file offers, read beside the window: its parts, the numbers of one, and whether they make an experiment."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from core.base.errors import UserError
from core.document.document import Document
from core.exchange.named import experiment_in
from core.exchange.tables import TEXT_ENDINGS, Listing, Table, ending_of, list_tables, read_table

Experiment = tuple[Document, tuple[str, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The parts of a file, the numbers of one of them (or why they cannot be had), and the experiment in it.

    `experiment` is a problem where the names of an experiment are there, but the matrices do not fit together.
    """

    parts: tuple[str, ...]
    table: Table | UserError
    experiment: Experiment | UserError | None = None


def read_file(path: Path, token: str) -> Reading:
    """All of it, and the first part's numbers; `token` names tokens: "token {number}".

    Raises UserError as list_tables does.
    """
    text = ending_of(path) in TEXT_ENDINGS
    parts = (Listing(""),) if text else list_tables(path)
    names = tuple(part.name for part in parts)
    return Reading(names, read_part(path, None if text else names[0], ""), _experiment(path, token))


def read_part(path: str | os.PathLike[str], name: str | None, cells: str) -> Table | UserError:
    """The numbers of one part, or why they cannot be had."""
    try:
        return read_table(path, name or None, cells.strip() or None)
    except UserError as problem:
        return problem


def _experiment(path: Path, token: str) -> Experiment | UserError | None:
    def named(number: int) -> str:
        return token.format(number=number)

    try:
        return experiment_in(path, named)
    except UserError as problem:
        return problem
