"""Data types of the layout: rectangles, boxes, arrows. Free of Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from msgspec import Struct

from core.document.orientation import ROWS, Orientation

Point = tuple[float, float]

# Boxes of the tokens when Q, K and V are entered directly, without a stage for tokens.
TOKENS, CONTEXT_TOKENS = "tokens", "context_tokens"
WORDS = (TOKENS, CONTEXT_TOKENS)


class Rect(Struct, frozen=True):
    """Rectangle in layout units (pixels at 100 %)."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """X of the right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """Y of the lower edge."""
        return self.y + self.h

    @property
    def centre(self) -> Point:
        """Centre."""
        return self.x + self.w / 2, self.y + self.h / 2

    def moved(self, dx: float, dy: float) -> Rect:
        """Return the rectangle moved by an offset."""
        return Rect(self.x + dx, self.y + dy, self.w, self.h)

    def grown(self, by: float) -> Rect:
        """Return the rectangle enlarged by an amount on every side."""
        return Rect(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)

    def overlaps(self, other: Rect) -> bool:
        """Return whether both rectangles overlap."""
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.bottom
            and other.y < self.bottom
        )

    def contains(self, x: float, y: float) -> bool:
        """Return whether a point lies inside."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def block_rect(
        self, rows: int, columns: int, row_span: tuple[int, int], column_span: tuple[int, int]
    ) -> Rect:
        """Return the rectangle of a block of cells (half-open ranges) in a matrix of this size."""
        width, height = self.w / columns, self.h / rows
        x, y = self.x + column_span[0] * width, self.y + row_span[0] * height
        return Rect(
            x, y, (column_span[1] - column_span[0]) * width, (row_span[1] - row_span[0]) * height
        )


@dataclass(frozen=True, slots=True)
class CardBox:
    """One card: a stage (or the tokens), its front card, and the rectangle of its matrix.

    `side` says that the heading is left of the matrix, not above it; `heading` is its width or
    height. `depth` is the number of edges of heads behind, each offset by (STACK_X, −STACK_Y).
    `label_width` and `label_height` are the space for token names left of the rows and above the
    columns, 0 without names. `rows` and `columns` are in document order, `matrix` shows them by
    `orientation`. `chip` is the index of the head's wording that fits on every card; the longest is
    0. `image` says that the cells are made for colours; digits appear in them when enlarged.
    `raised` follows the symbol: the layer of a stage beside those of another one.
    """

    stage_id: str
    rect: Rect
    matrix: Rect
    rows: int
    columns: int
    side: bool = False
    heading: float = 0.0
    depth: int = 0
    label_width: float = 0.0
    label_height: float = 0.0
    orientation: Orientation = ROWS
    chip: int = 0
    image: bool = False
    raised: str = ""

    @property
    def drawn_shape(self) -> tuple[int, int]:
        """Rows and columns in drawn order."""
        return self.orientation.pair(self.rows, self.columns)

    @property
    def cell_size(self) -> tuple[float, float]:
        """Width and height of a cell."""
        rows, columns = self.drawn_shape
        return self.matrix.w / columns, self.matrix.h / rows

    def block_rect(self, rows: tuple[int, int], columns: tuple[int, int]) -> Rect:
        """Return the rectangle of a block of the document's cells (half-open ranges)."""
        return self.matrix.block_rect(*self.drawn_shape, *self.orientation.pair(rows, columns))

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the document's row and column at a point, None outside the matrix."""
        if not self.matrix.contains(x, y):
            return None
        width, height = self.cell_size
        row, column = self.orientation.pair(
            int((y - self.matrix.y) / height), int((x - self.matrix.x) / width)
        )
        return min(row, self.rows - 1), min(column, self.columns - 1)

    @property
    def outer(self) -> Rect:
        """Card with the edges behind it."""
        return Rect(
            self.rect.x,
            self.rect.y - self.depth * STACK_Y,
            self.rect.w + self.depth * STACK_X,
            self.rect.h + self.depth * STACK_Y,
        )

    def moved(self, dx: float) -> CardBox:
        """Return the box moved to the right."""
        return replace(self, rect=self.rect.moved(dx, 0.0), matrix=self.matrix.moved(dx, 0.0))

    def edge(self, level: int) -> Rect:
        """Return the card of the head `level` (from 1) positions behind the front one."""
        return self.rect.moved(level * STACK_X, -level * STACK_Y)


STACK_X, STACK_Y, MOST_EDGES = 5.0, 3.0, 4


@dataclass(frozen=True, slots=True)
class Arrow:
    """Arrow between two boxes; `points` is a start and three points for each cubic curve.

    `label` names the operation (such as "× W_Q") or the flowing value; `at` is its centre,
    `label_space` its available width. `inputs` are the entered tensors of the operation; `above`
    places the label above the curve instead of on it.
    """

    source: str
    target: str
    label: str
    points: tuple[Point, ...]
    at: Point
    label_space: float
    inputs: tuple[str, ...] = ()
    above: bool = False

    @property
    def upright(self) -> bool:
        """Whether the arrow leads from a card down to the one below."""
        return self.points[0][0] == self.points[-1][0]


class Panel(Struct, frozen=True):
    """Frame around the stages of a sub-layer, such as "attention"; `stages` are their ids."""

    name: str
    rect: Rect
    stages: tuple[str, ...]


class FoldedLayers(Struct, frozen=True):
    """Card for layers that are not open, or for the next word (without layers).

    `target` is the stage that a click shows, `stages` the number of stages; `boxes` show some of
    them in colours.
    """

    rect: Rect
    layers: tuple[int, ...]
    target: str
    stages: int
    boxes: tuple[CardBox, ...] = ()


class Stream(Struct, frozen=True):
    """The residual stream of a stack: a band with a lane for each token, and what hangs below it.

    `lanes` are the heights of the lanes, none where tokens are columns. `pluses` are the places
    where a sub-layer is added, by stage; `cuts` the intervals of x without a lane, where there is
    no residual connection. `layer` is the frame of the open layer `number`, None for the next word.
    """

    band: Rect
    start: float
    lanes: tuple[float, ...]
    pluses: tuple[tuple[str, Rect], ...]
    cuts: tuple[tuple[float, float], ...]
    panels: tuple[Panel, ...]
    folded: tuple[FoldedLayers, ...]
    layer: Rect | None
    number: int


@dataclass(frozen=True, slots=True)
class DiagramLayout:
    """Whole picture in layout units: boxes in plan order, arrows, and the softmax frame, None where
    weights are given.

    `digits` says whether cells are wide enough for numbers; `stream` is that of a stack. A picture
    of a stack has the boxes of the open layer alone.
    """

    width: float
    height: float
    boxes: tuple[CardBox, ...]
    arrows: tuple[Arrow, ...]
    softmax: Rect | None
    digits: bool = False
    stream: Stream | None = None

    def box(self, stage_id: str) -> CardBox:
        """Return a stage's box; KeyError if the picture lacks it."""
        for box in self.boxes:
            if box.stage_id == stage_id:
                return box
        raise KeyError(stage_id)
