"""Plain numbers for the picture: rectangles, boxes, arrows. Free of Qt."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from core.document.orientation import ROWS, Orientation

Point = tuple[float, float]

# The boxes that stand for the words when Q, K and V are entered directly, so that no stage holds them.
TOKENS, CONTEXT_TOKENS = "tokens", "context_tokens"
WORDS = (TOKENS, CONTEXT_TOKENS)


class Rect(Struct, frozen=True):
    """A rectangle in layout units (pixels at 100 %)."""

    x: float
    y: float
    w: float
    h: float

    @property
    def right(self) -> float:
        """The x of its right edge."""
        return self.x + self.w

    @property
    def bottom(self) -> float:
        """The y of its lower edge."""
        return self.y + self.h

    @property
    def centre(self) -> Point:
        """Its middle."""
        return self.x + self.w / 2, self.y + self.h / 2

    def moved(self, dx: float, dy: float) -> Rect:
        """The same rectangle elsewhere."""
        return Rect(self.x + dx, self.y + dy, self.w, self.h)

    def grown(self, by: float) -> Rect:
        """Larger by an amount on every side."""
        return Rect(self.x - by, self.y - by, self.w + 2 * by, self.h + 2 * by)

    def meets(self, other: Rect) -> bool:
        """Whether the two share an area."""
        return (
            self.x < other.right
            and other.x < self.right
            and self.y < other.bottom
            and other.y < self.bottom
        )

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in it."""
        return self.x <= x < self.right and self.y <= y < self.bottom

    def part(
        self, rows: int, columns: int, row_span: tuple[int, int], column_span: tuple[int, int]
    ) -> Rect:
        """Where a block of cells (half-open ranges) lies in a matrix that fills this rectangle."""
        width, height = self.w / columns, self.h / rows
        x, y = self.x + column_span[0] * width, self.y + row_span[0] * height
        return Rect(
            x, y, (column_span[1] - column_span[0]) * width, (row_span[1] - row_span[0]) * height
        )


@dataclass(frozen=True, slots=True)
class Box:
    """One card: a stage (or the tokens), its front card, and where the matrix lies in it.

    `side` says that the heading stands left of the matrix instead of above it; `heading` is its width or height.
    `depth` is the number of edges of further heads that look out behind; each lies (STACK_X, −STACK_Y) further.
    `label_width` and `label_height` are the room for token names left of the rows and above the columns, 0 where
    there is none. `rows` and `columns` are the document's; `orientation` says how `matrix` shows them. `chip` is the
    wording of the head in front that has room in every card: the fullest is 0.
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

    @property
    def seen(self) -> tuple[int, int]:
        """Rows and columns as they are drawn."""
        return self.orientation.pair(self.rows, self.columns)

    @property
    def cell(self) -> tuple[float, float]:
        """Width and height of a cell."""
        rows, columns = self.seen
        return self.matrix.w / columns, self.matrix.h / rows

    def part(self, rows: tuple[int, int], columns: tuple[int, int]) -> Rect:
        """Where a block of the document's cells (half-open ranges) is drawn."""
        return self.matrix.part(*self.seen, *self.orientation.pair(rows, columns))

    def place_at(self, x: float, y: float) -> tuple[int, int] | None:
        """The document's row and column at a point, None beside the matrix."""
        if not self.matrix.holds(x, y):
            return None
        width, height = self.cell
        row, column = self.orientation.pair(
            int((y - self.matrix.y) / height), int((x - self.matrix.x) / width)
        )
        return min(row, self.rows - 1), min(column, self.columns - 1)

    @property
    def outer(self) -> Rect:
        """The card with the edges behind it."""
        return Rect(
            self.rect.x,
            self.rect.y - self.depth * STACK_Y,
            self.rect.w + self.depth * STACK_X,
            self.rect.h + self.depth * STACK_Y,
        )

    def edge(self, level: int) -> Rect:
        """The card of the head that lies `level` (from 1) behind the one in front."""
        return self.rect.moved(level * STACK_X, -level * STACK_Y)


STACK_X, STACK_Y, MOST_EDGES = 5.0, 3.0, 4


@dataclass(frozen=True, slots=True)
class Arrow:
    """What flows from one box to the next: `points` is a start and then three points for each cubic curve.

    `label` names what is done on the way (such as "× W_Q") or what flows; `at` is the label's middle and `room` the
    width that is free for it. `inputs` are the entered tensors that work on it; `above`
    says that the label stands above the curve, not on it.
    """

    source: str
    target: str
    label: str
    points: tuple[Point, ...]
    at: Point
    room: float
    inputs: tuple[str, ...] = ()
    above: bool = False

    @property
    def upright(self) -> bool:
        """Whether it leads from a card down to the one below."""
        return self.points[0][0] == self.points[-1][0]


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole picture in layout units: boxes in the order of the plan, arrows, and the frame around the softmax.

    `digits` says that its cells are wide enough for numbers.
    """

    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    softmax: Rect
    digits: bool = False

    def box(self, stage_id: str) -> Box:
        """A stage's box; KeyError if the picture lacks it."""
        for box in self.boxes:
            if box.stage_id == stage_id:
                return box
        raise KeyError(stage_id)
