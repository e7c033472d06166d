"""What a stage does, as matrices and signs in a row: X · W_Q = Q, and which of their cells feed the marked one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from msgspec import Struct

from core.base.arrays import Array
from core.document.document import Document
from gui.painting.color_scale import Levels
from gui.texts.names import visible_token
from gui.texts.rich_text import Line

Range = tuple[int, int] | None
TIMES = "·"  # between two matrices


class Axis(Struct, frozen=True):
    """One axis that operands share: its size, the place around which a window opens, and its tokens if it has any."""

    size: int
    focus: int = 0
    tokens: tuple[str, ...] | None = None

    def label(self, index: int) -> str:
        """What stands beside a row or below a column: a token, or a number counted from 1."""
        return str(index + 1) if self.tokens is None else visible_token(self.tokens[index])


class Mark(Struct, frozen=True):
    """A frame around cells (half-open ranges; None = all) in the colour of a role; "result" is the marked cell."""

    rows: Range
    columns: Range
    role: str


@dataclass(frozen=True, slots=True, eq=False)
class Operand:
    """One matrix of the operation.

    `tensor` is the stage or entered tensor whose cells it shows, "" for what nobody can focus (a row's maximum, a
    mask). `rows` and `columns` name its axes; `row_name` and `column_name` say what attention rows and columns are.
    `shown`, `asked`, `scores` and `by_column` are as in gui.painting.matrix.Picture; `whole_numbers` writes 0 in place of 0.00.
    Rows that the matrix to the left has already named are not `labelled` again. `aside`: the title stands at the left.
    """

    title: Line
    values: Array
    levels: Levels
    rows: str
    columns: str
    tensor: str = ""
    head: int = 0
    row_name: str = ""
    column_name: str = ""
    shown: tuple[int, int] | None = None
    asked: tuple[int, int] | None = None
    scores: Array | None = None
    transposed: bool = False
    marks: tuple[Mark, ...] = ()
    off: bool = False
    whole_numbers: bool = False
    labelled: bool = True
    by_column: bool = False
    aside: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Pile:
    """Matrices of the same columns one below the other; `before` and `after` say that others are left out."""

    operands: tuple[Operand, ...]
    before: bool = False
    after: bool = False


class Turn(Struct, frozen=True):
    """A pair of numbers as a point, before and after it turned about 0, in the colour of a role."""

    before: tuple[float, float]
    after: tuple[float, float]
    role: str


class Sign(Struct, frozen=True):
    """A sign between two matrices, with a note above it where it needs one; `turn` is drawn in place of the text."""

    text: str
    above: str = ""
    turn: Turn | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """All that stands in the row, and the axes it runs over: i is the result's row, j its column."""

    axes: dict[str, Axis]
    items: tuple[Operand | Pile | Sign, ...]
    document: Document = field(repr=False)

    @property
    def operands(self) -> tuple[Operand, ...]:
        """The matrices."""
        return tuple(operand for item in self.items for operand in operands_of(item))

    @property
    def sizes(self) -> dict[str, int]:
        """The size of each axis."""
        return {name: axis.size for name, axis in self.axes.items()}


def with_axes_of(shown: Operation, other: Operation) -> Operation:
    """An operation whose rows and columns are called as those of another wording of it."""
    items = tuple(map(_with_axes_of, shown.items, other.items))
    return Operation(shown.axes, items, shown.document)


def _with_axes_of(
    item: Operand | Pile | Sign, other: Operand | Pile | Sign
) -> Operand | Pile | Sign:
    if isinstance(item, Operand) and isinstance(other, Operand):
        return replace(item, row_name=other.row_name, column_name=other.column_name)
    return other if isinstance(item, Pile) else item


def operands_of(item: Operand | Pile | Sign) -> tuple[Operand, ...]:
    """The matrices of an item; a sign has none."""
    if isinstance(item, Sign):
        return ()
    return item.operands if isinstance(item, Pile) else (item,)
