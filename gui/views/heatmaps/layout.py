"""Where everything lies in a heatmap view: matrices, their titles, the axes' tokens and the colour bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF

from gui.painting.text_layout import width_of
from gui.painting.theme import CAPTION, font

LINE = 18.0  # height of a line of captions
GAP = 12.0  # between the matrices of a grid
WIDEST, TALLEST = 2.8, 1.4  # a cell's width to its height, and its height to its width
LARGEST_CELL = 84.0
LEAST_SIDE = 150.0  # a long, thin matrix is at least so wide, or high: its cells are stretched
GUTTER, BESIDE = (
    0.35,
    8.0,
)  # at most so much of the width for the rows' tokens; between them and their rows
TOKEN_WIDTH, GRID_TOKEN_WIDTH = 96.0, 60.0
BAR_WIDTH = 12.0


@dataclass(frozen=True, slots=True)
class HeatmapLayout:
    """Rectangles in pixels. `matrices` and `titles` go by pane; `across` is how many stand side by side."""

    matrices: tuple[QRectF, ...]
    titles: tuple[QRectF, ...]
    across: int
    gutter: float
    bar: QRectF
    captions: tuple[str, str]

    @property
    def body(self) -> QRectF:
        """All matrices together."""
        result = QRectF(self.matrices[0])
        for matrix in self.matrices:
            result = result.united(matrix)
        return result

    def leftmost(self) -> tuple[QRectF, ...]:
        """The matrices beside which the rows' tokens stand."""
        return self.matrices[:: self.across]

    def lowest(self) -> tuple[QRectF, ...]:
        """The matrices under which the columns' tokens stand."""
        return tuple(
            matrix
            for index, matrix in enumerate(self.matrices)
            if index + self.across >= len(self.matrices)
        )

    def matrix_at(self, point: QPointF) -> int | None:
        """The pane whose matrix or title is under a point."""
        for index, (matrix, title) in enumerate(zip(self.matrices, self.titles, strict=True)):
            if matrix.contains(point) or title.contains(point):
                return index
        return None


@dataclass(frozen=True, slots=True)
class LayoutRequest:
    """What has to be laid out: panes, their shape, the words around them; `plain_captions` where those are too wide."""

    count: int
    rows: int
    columns: int
    row_tokens: tuple[str, ...]
    captions: tuple[str, str]
    plain_captions: tuple[str, str]
    bar_numbers: tuple[str, ...]


def caption_width(text: str, *, bold: bool = False) -> float:
    """The width of a caption."""
    return width_of(text, font(CAPTION, bold=bold))


def lay_out(area: QRectF, request: LayoutRequest) -> HeatmapLayout:
    """Everything in its place; matrices as large as they can be. The same object for the same room and request."""
    return _laid_out(area.x(), area.y(), area.width(), area.height(), request)


@lru_cache(maxsize=24)
def _laid_out(
    x: float, y: float, width: float, height: float, request: LayoutRequest
) -> HeatmapLayout:
    area = QRectF(x, y, width, height)
    bar_space = (
        BAR_WIDTH + 6 + max((caption_width(text) for text in request.bar_numbers), default=0.0)
    )
    captions = _captions(area, request)
    gutter = _gutter(area, request, captions)
    room = area.adjusted(gutter, LINE, -bar_space - 16, -LINE - 2)
    across = _across(room, request)
    matrices = _matrices(room, request, across)
    titles = tuple(
        QRectF(matrix.x(), matrix.y() - LINE, matrix.width(), LINE) for matrix in matrices
    )
    body = matrices[0].united(matrices[-1]).united(matrices[across - 1])
    bar = QRectF(body.right() + 16, body.y(), BAR_WIDTH, body.height())
    return HeatmapLayout(matrices, titles, across, gutter, bar, captions)


def _captions(area: QRectF, request: LayoutRequest) -> tuple[str, str]:
    """Those in both languages unless they would take too much of the width."""
    room = area.width() * GUTTER - BESIDE
    return (
        request.captions
        if all(caption_width(text) <= room for text in request.captions)
        else request.plain_captions
    )


def _gutter(area: QRectF, request: LayoutRequest, captions: tuple[str, str]) -> float:
    """The width of the rows' tokens, which also holds the two captions."""
    widest = max(
        (caption_width(token, bold=True) for token in _sample(request.row_tokens)), default=0.0
    )
    words = max(caption_width(caption) for caption in captions)
    most = TOKEN_WIDTH if request.count == 1 else GRID_TOKEN_WIDTH
    return min(max(words, min(widest, most)) + BESIDE, area.width() * GUTTER)


def _sample(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The longest tokens: measuring a thousand of them would take longer than drawing."""
    return tuple(sorted(tokens, key=len, reverse=True)[:24])


def _across(room: QRectF, request: LayoutRequest) -> int:
    """The number of matrices side by side that makes their cells largest; of equals, the fuller grid."""

    def quality(across: int) -> tuple[float, float]:
        down = math.ceil(request.count / across)
        width, height = _cell(room, request, across, down)
        return round(min(width, height), 1), -(across * down - request.count)

    return max(range(1, request.count + 1), key=quality)


def _cell(room: QRectF, request: LayoutRequest, across: int, down: int) -> tuple[float, float]:
    """The size of a cell in a grid of matrices."""
    most_width = max(1.0, (room.width() - GAP * (across - 1)) / across) / request.columns
    most_height = max(1.0, (room.height() - (GAP + LINE) * (down - 1)) / down) / request.rows
    most_width, most_height = min(most_width, LARGEST_CELL * 1.3), min(most_height, LARGEST_CELL)
    width = min(most_width, max(most_height * WIDEST, LEAST_SIDE / request.columns))
    return width, min(most_height, max(most_width * TALLEST, LEAST_SIDE / request.rows))


def _matrices(room: QRectF, request: LayoutRequest, across: int) -> tuple[QRectF, ...]:
    down = math.ceil(request.count / across)
    width, height = _cell(room, request, across, down)
    size = width * request.columns, height * request.rows
    left = max(0.0, (room.width() - size[0] * across - GAP * (across - 1)) / 2)
    top = max(0.0, (room.height() - size[1] * down - (GAP + LINE) * (down - 1)) / 2)
    return tuple(
        QRectF(
            room.x() + left + column * (size[0] + GAP),
            room.y() + top + row * (size[1] + GAP + LINE),
            *size,
        )
        for row, column in (divmod(index, across) for index in range(request.count))
    )


def label_step(spacing: float, needed: float) -> int:
    """Which labels are drawn: every first, second, fifth, tenth … so that they do not touch."""
    step = 1
    while step * spacing < needed:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step
