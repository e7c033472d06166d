"""What a reader finds before its numbers are read."""

from __future__ import annotations

from dataclasses import dataclass

from core.base.errors import UserError
from core.exchange.grid import Grid


@dataclass(slots=True)
class Block:
    """The cells of a matrix, or of a stack of them, from `start` to `end` of the text.

    `rows` and `columns` are labels. `raw` is a table whose headers are still in it, `bare` a single
    row without a name of its own. `problem` says why it cannot be read.
    """

    grids: list[Grid]
    start: int
    end: int
    name: str | None = None
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    axes: int = 2
    bare: bool = False
    table: bool = False
    other: tuple[str, Grid] | None = None  # another reading of commas or spaces, and its caption
    problem: UserError | None = None
