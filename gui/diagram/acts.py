"""What happens where operands have met, as plain numbers: dots, bars, shares, strips, dials.

Every number comes from the trace, or from what was entered. Rectangles are in layout units.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.arrays import Array
from gui.diagram.shapes import Rect
from gui.values import Levels


@dataclass(frozen=True, slots=True, eq=False)
class Products:
    """Rows and columns that meet: for some cells the products whose sum they are; `largest` is the largest of all."""

    cells: tuple[tuple[Rect, Array], ...]
    largest: float


@dataclass(frozen=True, slots=True)
class Sweep:
    """A line that passes over the card and leaves the result behind it: down for a mask, across for a division."""

    down: bool


@dataclass(frozen=True, slots=True, eq=False)
class Ramp:
    """What distance costs, one number ≤ 0 for each cell as it is drawn, sliding over the scores."""

    rect: Rect
    bias: Array
    steepest: float


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar that stands in a cell; its height is a part (0 to 1) of the cell's."""

    cell: Rect
    height: float


@dataclass(frozen=True, slots=True)
class Bars:
    """Exponentials that grow, row by row, each against the largest of its row."""

    rows: tuple[tuple[Bar, ...], ...]


@dataclass(frozen=True, slots=True)
class Share:
    """A bar of a row that becomes its part of one; `part` is where it lies in the end. `meant`: it is asked for."""

    bar: Bar
    part: Rect
    meant: bool


@dataclass(frozen=True, slots=True)
class Shares:
    """Rows of exponentials squeezed into bars of length one: each bar's rectangle and the shares in it."""

    rows: tuple[tuple[Rect, tuple[Share, ...]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Strip:
    """A row of V on its way to its layer in the result, as thick and as strong as its weight.

    `late` (0 to 1) says after how many of the other result rows it sets out.
    """

    start: Rect
    end: Rect
    values: Array
    weight: float
    late: float


@dataclass(frozen=True, slots=True, eq=False)
class Blend:
    """Rows of V blended in proportion to the weights."""

    strips: tuple[Strip, ...]
    levels: Levels


@dataclass(frozen=True, slots=True)
class Dial:
    """A pair of neighbouring numbers as a hand that turns from one angle to another, in radians, anticlockwise."""

    rect: Rect
    start: float
    end: float
    length: float


@dataclass(frozen=True, slots=True)
class Turn:
    """Pairs turned by the position of their row."""

    dials: tuple[Dial, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """Blocks that stand side by side close up."""

    blocks: tuple[Rect, ...]


@dataclass(frozen=True, slots=True)
class Added:
    """One matrix laid upon another."""

    rect: Rect


Act = Products | Sweep | Ramp | Bars | Shares | Blend | Turn | Joined | Added
