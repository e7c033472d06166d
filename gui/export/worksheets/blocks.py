"""The content of printed papers, independent of their format. Free of Qt."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeAlias

from msgspec import Struct

from core.base.arrays import Array
from core.document.orientation import ROWS, Orientation
from core.explain.exercise import LARGEST_SEED, MOST_SHEETS
from gui.texts.rich_text import Line

KEYS = (
    "after",
    "separate",
    "none",
)  # where the answer keys stand: behind all sheets, in a file of their own, nowhere
SUMS = ("one", "all", "none")  # worked sums in a key: of one cell of each stage, of all, of none
POINTS_PER = ("stage", "cell")
MOST_DECIMALS, MOST_POINTS = 4, 100
KEY_SCALE = 0.8  # of a printed key, which nobody writes on


class WorksheetOptions(Struct, frozen=True):
    """Which worksheets to write: one for each seed from `seed` on, in every language.

    Answers are rounded to 0 – 4 `decimals`; `key` is one of KEYS; `labels` is "both" for headings
    in both languages. `stages` are the ids of those to fill in, all if empty; the others that they
    read are given. `points` are for each blank stage or cell (one of POINTS_PER), 0 for none;
    `sums` is one of SUMS.
    """

    decimals: int = 2
    sheets: int = 1
    seed: int = 0
    key: str = "after"
    languages: tuple[str, ...] = ("en",)
    orientation: Orientation = ROWS
    labels: str = "one"
    stages: tuple[str, ...] = ()
    points: int = 0
    points_per: str = "stage"
    sums: str = "one"

    def __post_init__(self) -> None:
        if not (0 <= self.decimals <= MOST_DECIMALS and 1 <= self.sheets <= MOST_SHEETS):
            raise ValueError(f"decimals 0 – {MOST_DECIMALS}, sheets 1 – {MOST_SHEETS}")
        if not 0 <= self.seed <= LARGEST_SEED or self.key not in KEYS or not self.languages:
            raise ValueError("seed, key or languages")
        if not 0 <= self.points <= MOST_POINTS or self.points_per not in POINTS_PER:
            raise ValueError(f"points 0 – {MOST_POINTS}")
        if self.sums not in SUMS:
            raise ValueError("sums")

    @property
    def seeds(self) -> range:
        """The seed of each sheet."""
        return range(self.seed, self.seed + self.sheets)


@dataclass(frozen=True, slots=True)
class PaperTitle:
    """The title of a paper, with smaller `detail` below."""

    text: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class NameLines:
    """Lines to fill in: name, student number, class, date."""

    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SectionHeading:
    """The heading of a section; `detail`, such as the size, stands beside it."""

    text: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class StageFormula:
    """A formula in LaTeX with the sentences that explain it."""

    latex: str
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MatrixTable:
    """A labelled matrix; empty cells are to be filled in.

    `kind` is "given", "blank", "key" or "colour"; a filled cell of a blank table is printed as
    given. `tail` says that the last "column" or "row" is set apart: the maximum or the sum of each
    row. A coloured table has `values`, the `scale_values` of all heads and their `stage` for the
    colour scale, and a marked cell `focus`; if it is too large for digits, it has no `cells`.
    `pinned` are cells with what-if values.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    kind: str = "given"
    detail: str = ""
    tail: str = ""
    stage: str = ""
    values: Array | None = field(default=None, compare=False)
    scale_values: Array | None = field(default=None, compare=False)
    focus: tuple[int, int] | None = None
    pinned: frozenset[tuple[int, int]] = frozenset()

    def cropped(self, rows: slice, columns: slice) -> MatrixTable:
        """Some rows and columns; their range is added to the detail."""
        down, across = self.rows[rows], self.columns[columns]
        ends = {"column": columns.stop >= len(self.columns), "row": rows.stop >= len(self.rows)}
        place = f"{rows.start + 1}–{rows.start + len(down)} × {columns.start + 1}–{columns.start + len(across)}"
        return replace(
            self,
            rows=down,
            columns=across,
            cells=tuple(row[columns] for row in self.cells[rows]),
            detail=f"{self.detail}  {place}".strip(),
            tail=self.tail if ends.get(self.tail) else "",
            values=None if self.values is None else self.values[rows, columns],
            focus=_moved(self.focus, rows, columns),
            pinned=frozenset(
                moved
                for place in self.pinned
                if (moved := _moved(place, rows, columns)) is not None
            ),
        )

    def split(self, most_rows: int, most_columns: int) -> list[MatrixTable]:
        """The table itself, or parts of limited size."""
        if len(self.rows) <= most_rows and len(self.columns) <= most_columns:
            return [self]
        return [
            self.cropped(slice(top, top + most_rows), slice(left, left + most_columns))
            for top in range(0, len(self.rows), most_rows)
            for left in range(0, len(self.columns), most_columns)
        ]

    def oriented(self, orientation: Orientation) -> MatrixTable:
        """The table in display orientation."""
        if not orientation.columns:
            return self
        return replace(
            self,
            rows=self.columns,
            columns=self.rows,
            cells=tuple(zip(*self.cells, strict=True)),
            tail="row" if self.tail else "",
            values=None if self.values is None else orientation.matrix(self.values),
            focus=None if self.focus is None else orientation.pair(*self.focus),
            pinned=frozenset(orientation.pair(*place) for place in self.pinned),
        )


def _moved(focus: tuple[int, int] | None, rows: slice, columns: slice) -> tuple[int, int] | None:
    """The position of a cell in a part, None outside."""
    if focus is None or not (
        rows.start <= focus[0] < rows.stop and columns.start <= focus[1] < columns.stop
    ):
        return None
    return focus[0] - rows.start, focus[1] - columns.start


@dataclass(frozen=True, slots=True)
class TableGroup:
    """Tables side by side, as many as fit; `work_space` asks for space to calculate beside them."""

    tables: tuple[MatrixTable, ...]
    work_space: bool = False


@dataclass(frozen=True, slots=True)
class WorkedSums:
    """Worked sums, each with its line of more digits, or (); `title` names the head."""

    pairs: tuple[tuple[Line, Line], ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Two sections of a heading, a formula and tables, side by side where both fit."""

    left: tuple[PaperBlock, ...]
    right: tuple[PaperBlock, ...]


PaperBlock: TypeAlias = (
    PaperTitle
    | NameLines
    | SectionHeading
    | Sentence
    | StageFormula
    | MatrixTable
    | TableGroup
    | WorkedSums
    | SideBySide
)


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet, a key or a report, on pages of its own with `name` at the foot.

    `scale` is the size of all that is printed on them but the foot.
    """

    name: str
    blocks: tuple[PaperBlock, ...]
    scale: float = 1.0
