"""What happens where operands have met, as plain numbers: dots, bars, shares, strips, dials.

Every number comes from the trace, or from what was entered. Rectangles are in layout units.
"""

from __future__ import annotations

from msgspec import Struct

from core.base.arrays import Array
from gui.painting.color_scale import Levels
from gui.views.diagram.shapes import Rect


class Products(Struct, frozen=True, eq=False):
    """Rows and columns that meet: for some cells the products whose sum they are; `largest` is the largest of all."""

    cells: tuple[tuple[Rect, Array], ...]
    largest: float


class Sweep(Struct, frozen=True):
    """A line that passes over the card and leaves the result behind it: down for a mask, across for a division."""

    down: bool


class Ramp(Struct, frozen=True, eq=False):
    """What distance costs, one number ≤ 0 for each cell as it is drawn, sliding over the scores."""

    rect: Rect
    bias: Array
    steepest: float


class Bar(Struct, frozen=True):
    """A bar that stands in a cell; its height is a part (0 to 1) of the cell's."""

    cell: Rect
    height: float


class Bars(Struct, frozen=True):
    """Exponentials that grow, row by row, each against the largest of its row."""

    rows: tuple[tuple[Bar, ...], ...]


class Share(Struct, frozen=True):
    """A bar of a row that becomes its part of one; `part` is where it lies in the end. `meant`: it is asked for."""

    bar: Bar
    part: Rect
    meant: bool


class Shares(Struct, frozen=True):
    """Rows of exponentials squeezed into bars of length one: each bar's rectangle and the shares in it."""

    rows: tuple[tuple[Rect, tuple[Share, ...]], ...]


class Strip(Struct, frozen=True, eq=False):
    """A row of V on its way to its layer in the result, as thick and as strong as its weight.

    `late` (0 to 1) says after how many of the other result rows it sets out.
    """

    start: Rect
    end: Rect
    values: Array
    weight: float
    late: float


class Blend(Struct, frozen=True, eq=False):
    """Rows of V blended in proportion to the weights."""

    strips: tuple[Strip, ...]
    levels: Levels


class Dial(Struct, frozen=True):
    """A pair of neighbouring numbers as a hand that turns from one angle to another, in radians, anticlockwise."""

    rect: Rect
    start: float
    end: float
    length: float


class Turn(Struct, frozen=True):
    """Pairs turned by the position of their row."""

    dials: tuple[Dial, ...]


class Joined(Struct, frozen=True):
    """Blocks that stand side by side close up."""

    blocks: tuple[Rect, ...]


class Added(Struct, frozen=True):
    """One matrix laid upon another."""

    rect: Rect


Act = Products | Sweep | Ramp | Bars | Shares | Blend | Turn | Joined | Added
