"""The layout of a heatmap: rectangles of matrices, titles, tokens of the axes and colour bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF

from core.base.cell import Cell
from core.base.number_format import show
from gui.painting.color_scale import Levels
from gui.painting.matrix import cell_at
from gui.painting.text_layout import width_of
from gui.painting.theme import CAPTION, font
from gui.session.state import State
from gui.views.heatmaps.heatmap_data import Pane
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.visible_cells import Zoom

LINE = 18.0  # the height of a line of captions
GAP = 12.0  # between the matrices of several heads
WIDEST, TALLEST = 2.8, 1.4  # a cell's width to its height, and its height to its width
LARGEST_CELL = 84.0
LEAST_SIDE = 150.0  # of a long, thin matrix, whose cells are stretched
GUTTER, TOKEN_GAP = 0.35, 8.0  # the tokens' part of the width at most; between tokens and rows
TOKEN_WIDTH, GRID_TOKEN_WIDTH = 96.0, 60.0
BAR_WIDTH = 12.0


@dataclass(frozen=True, slots=True)
class HeatmapLayout:
    """Rectangles in units. `matrices` and `titles` go by pane.

    `across` is the number of panes in a row.
    """

    matrices: tuple[QRectF, ...]
    titles: tuple[QRectF, ...]
    across: int
    gutter: float
    bar: QRectF
    captions: tuple[str, str]

    def leftmost(self) -> tuple[QRectF, ...]:
        """The matrices that have the tokens of the rows beside them."""
        return self.matrices[:: self.across]

    def lowest(self) -> tuple[QRectF, ...]:
        """The matrices that have the tokens of the columns below them."""
        return self.matrices[max(0, len(self.matrices) - self.across) :]

    def matrix_at(self, point: QPointF) -> int | None:
        """The index of the pane whose matrix or title is at a point."""
        for index, (matrix, title) in enumerate(zip(self.matrices, self.titles, strict=True)):
            if matrix.contains(point) or title.contains(point):
                return index
        return None


@dataclass(frozen=True, slots=True)
class LayoutRequest:
    """What has to be laid out: panes, their shape, their texts.

    `plain_captions` are used where `captions` are too wide.
    """

    count: int
    rows: int
    columns: int
    row_tokens: tuple[str, ...]
    captions: tuple[str, str]
    plain_captions: tuple[str, str]
    bar_numbers: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Heatmap:
    """A specification with its layout.

    `full` are the rectangles of the whole matrices, larger than their visible parts
    `layout.matrices` when zoomed.
    """

    spec: HeatmapSpec
    layout: HeatmapLayout
    full: tuple[QRectF, ...]
    stage_id: str = ""

    @property
    def selected_pane(self) -> Pane:
        """The pane of the selected head."""
        panes = self.spec.panes
        return next((pane for pane in panes if pane.head == self.spec.head), panes[0])

    def place_at(self, point: QPointF) -> Cell | None:
        """Head, row and column of the visible cell at a point, as they are drawn."""
        areas = zip(self.spec.panes, self.layout.matrices, self.full, strict=True)
        for pane, visible, full in areas:
            place = cell_at(full, *pane.shape, point) if visible.contains(point) else None
            if place is not None:
                return Cell(self.stage_id, *place, pane.head)
        return None

    def cell_at(self, state: State, point: QPointF) -> Cell | None:
        """The document's cell at a point."""
        place = self.place_at(point)
        return None if place is None else state.orientation.cell(place)

    def focused_value(self) -> float | None:
        """The focused value of the selected head, if it has a colour of the scale."""
        pane, focus = self.selected_pane, self.spec.focus
        if focus is None or pane.is_uncoloured(focus.row, focus.column):
            return None
        return float(pane.values[focus.row, focus.column])


def lay_out_heatmap(
    spec: HeatmapSpec, rect: QRectF, zoom: Zoom | None = None, stage_id: str = ""
) -> Heatmap:
    """Lay out a specification in a rectangle."""
    rows, columns = spec.shape
    request = LayoutRequest(
        len(spec.panes),
        rows,
        columns,
        spec.rows,
        spec.captions,
        spec.plain_captions,
        bar_numbers(spec.panes[0].levels, spec.decimals),
    )
    layout = lay_out(rect, request)
    full = layout.matrices if zoom is None else tuple(map(zoom.whole, layout.matrices))
    return Heatmap(spec, layout, full, stage_id)


def bar_numbers(levels: Levels, decimals: int) -> tuple[str, ...]:
    """The numbers at the ends of the bar, high to low, and 0 between them where the scale diverges."""
    ends = show(levels.high, decimals), show(levels.low, decimals)
    return ends if levels.sequential else (ends[0], "0", ends[1])


def caption_width(text: str, *, bold: bool = False) -> float:
    """The width of a caption."""
    return width_of(text, font(CAPTION, bold=bold))


def lay_out(area: QRectF, request: LayoutRequest) -> HeatmapLayout:
    """Lay out with matrices as large as possible. Equal arguments return the same object."""
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
    inner = area.adjusted(gutter, LINE, -bar_space - 16, -LINE - 2)
    across = _across(inner, request)
    matrices = _matrices(inner, request, across)
    titles = tuple(
        QRectF(matrix.x(), matrix.y() - LINE, matrix.width(), LINE) for matrix in matrices
    )
    body = matrices[0].united(matrices[-1]).united(matrices[across - 1])
    bar = QRectF(body.right() + 16, body.y(), BAR_WIDTH, body.height())
    return HeatmapLayout(matrices, titles, across, gutter, bar, captions)


def _captions(area: QRectF, request: LayoutRequest) -> tuple[str, str]:
    """The captions in both languages unless they would take too much of the width."""
    available = area.width() * GUTTER - TOKEN_GAP
    fits = all(caption_width(text) <= available for text in request.captions)
    return request.captions if fits else request.plain_captions


def _gutter(area: QRectF, request: LayoutRequest, captions: tuple[str, str]) -> float:
    """The width of the tokens of the rows, and of the captions."""
    widest = max(
        (caption_width(token, bold=True) for token in _sample(request.row_tokens)), default=0.0
    )
    words = max(caption_width(caption) for caption in captions)
    most = TOKEN_WIDTH if request.count == 1 else GRID_TOKEN_WIDTH
    return min(max(words, min(widest, most)) + TOKEN_GAP, area.width() * GUTTER)


def _sample(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The tokens with most letters: measuring all would take longer than drawing."""
    return tuple(sorted(tokens, key=len, reverse=True)[:24])


def _across(inner: QRectF, request: LayoutRequest) -> int:
    """The number of matrices in a row that makes their cells largest.

    Of equals, the fuller grid.
    """

    def quality(across: int) -> tuple[float, float]:
        down = math.ceil(request.count / across)
        width, height = _cell(inner, request, across, down)
        return round(min(width, height), 1), -(across * down - request.count)

    return max(range(1, request.count + 1), key=quality)


def _cell(inner: QRectF, request: LayoutRequest, across: int, down: int) -> tuple[float, float]:
    """The size of a cell in a grid of matrices."""
    most_width = max(1.0, (inner.width() - GAP * (across - 1)) / across) / request.columns
    most_height = max(1.0, (inner.height() - (GAP + LINE) * (down - 1)) / down) / request.rows
    most_width, most_height = min(most_width, LARGEST_CELL * 1.3), min(most_height, LARGEST_CELL)
    width = min(most_width, max(most_height * WIDEST, LEAST_SIDE / request.columns))
    return width, min(most_height, max(most_width * TALLEST, LEAST_SIDE / request.rows))


def _matrices(inner: QRectF, request: LayoutRequest, across: int) -> tuple[QRectF, ...]:
    down = math.ceil(request.count / across)
    width, height = _cell(inner, request, across, down)
    size = width * request.columns, height * request.rows
    left = max(0.0, (inner.width() - size[0] * across - GAP * (across - 1)) / 2)
    top = max(0.0, (inner.height() - size[1] * down - (GAP + LINE) * (down - 1)) / 2)
    return tuple(
        QRectF(
            inner.x() + left + column * (size[0] + GAP),
            inner.y() + top + row * (size[1] + GAP + LINE),
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
