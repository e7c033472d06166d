"""The layout of a heatmap: rectangles of matrices, titles, tokens of the axes and colour bar."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSizeF

from core.base.cell import Cell
from core.base.number_format import show
from gui.painting.color_scale import Levels
from gui.painting.matrix import DIGIT_SIZE, cell_at
from gui.painting.text_layout import width_of
from gui.painting.theme import CAPTION, font
from gui.session.state import State
from gui.views.heatmaps.heatmap_data import Pane
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.visible_cells import VisibleCells, Zoom, cells_around

LINE = 18.0  # the height of a line of captions
GAP = 12.0  # between the matrices of several heads
WIDEST, TALLEST = 2.8, 1.4  # of stretched cells: width to height, and height to width
LARGEST_CELL = 84.0
THIN, LEAST_SIDE = 4, 150.0  # from this proportion on cells are stretched, up to this side
UNNAMED = 0.6  # what cells count for if the names of heads have to be cut
GUTTER, TOKEN_GAP = 0.35, 8.0  # the tokens' part of the width at most; between tokens and rows
TOKEN_WIDTH, GRID_TOKEN_WIDTH = 96.0, 60.0
BAR_WIDTH = 12.0
# A lens: rows and columns at most, its magnification, whether it has tokens, and the part of their
# size that the cells of the matrix must keep. The first that fits is taken.
LENSES = (
    (7, 1.6, True, 0.97),
    (7, 1.3, True, 0.97),
    (7, 1.0, True, 0.95),
    (5, 1.2, True, 0.9),
    (5, 1.0, True, 0.75),
    (5, 1.0, False, 0.7),
    (3, 1.0, False, 0.5),
)
LENS_ROW, LENS_GAP = 2.0, 20.0  # the height of a row, in digits, and the distance
SMALLEST_DIGITS, DIGITS_ACROSS = 10.0, 0.82  # units, and the part of a cell's width


@dataclass(frozen=True, slots=True)
class HeatmapLayout:
    """Rectangles in units. `matrices` and `titles` go by pane.

    `across` is the number of panes in a row; `lens` shows digits where the matrix has none.
    """

    matrices: tuple[QRectF, ...]
    titles: tuple[QRectF, ...]
    across: int
    gutter: float
    bar: QRectF
    captions: tuple[str, str]
    lens: Lens | None = None

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

    `plain_captions` are used where `captions` are too wide. `title_width` is that of the longest
    short title of several panes. `number_width` is that of the longest number in the `smallest`
    digits, 0 for no lens.
    """

    count: int
    rows: int
    columns: int
    row_tokens: tuple[str, ...]
    captions: tuple[str, str]
    plain_captions: tuple[str, str]
    bar_numbers: tuple[str, ...]
    stretched: bool = False
    title_width: float = 0.0
    number_width: float = 0.0
    smallest: float = SMALLEST_DIGITS


@dataclass(frozen=True, slots=True, eq=False)
class Heatmap:
    """A specification with its layout.

    `full` are the rectangles of the whole matrices, larger than their visible parts
    `layout.matrices` when zoomed. `lens` are the cells that the lens shows. No digits are smaller than `smallest`.
    """

    spec: HeatmapSpec
    layout: HeatmapLayout
    full: tuple[QRectF, ...]
    stage_id: str = ""
    lens: VisibleCells | None = None
    smallest: float = SMALLEST_DIGITS

    @property
    def selected_pane(self) -> Pane:
        """The pane of the selected head."""
        panes = self.spec.panes
        return next((pane for pane in panes if pane.head == self.spec.head), panes[0])

    def place_at(self, point: QPointF) -> Cell | None:
        """Head, row and column of the visible cell at a point, as they are drawn."""
        if self.lens is not None and self.layout.lens is not None:
            part, pane = self.lens, self.spec.panes[0]
            place = cell_at(self.layout.lens.rect, *part.shape, point)
            if place is not None:
                return Cell(self.stage_id, part.top + place[0], part.left + place[1], pane.head)
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
        if self.spec.is_hidden(focus.row, focus.column, pane.head):
            return None
        return float(pane.values[focus.row, focus.column])


def lay_out_heatmap(
    spec: HeatmapSpec,
    rect: QRectF,
    zoom: Zoom | None = None,
    stage_id: str = "",
    smallest: float = SMALLEST_DIGITS,
) -> Heatmap:
    """Lay out a specification in a rectangle; no digits smaller than `smallest`."""
    rows, columns = spec.shape
    smallest = max(smallest, DIGIT_SIZE)
    several, numbers = spec.has_several_heads, bar_numbers(spec.panes[0].levels, spec.decimals)
    request = LayoutRequest(
        len(spec.panes),
        rows,
        columns,
        spec.rows,
        spec.captions,
        spec.plain_captions,
        numbers,
        spec.stretched,
        max(caption_width(title, bold=True) for title in spec.titles[-1]) if several else 0.0,
        0.0 if several else max(width_of(number, font(smallest)) for number in numbers),
        smallest,
    )
    layout = lay_out(rect, request)
    full = layout.matrices if zoom is None else tuple(map(zoom.whole, layout.matrices))
    lens = None
    if layout.lens is not None:
        lens = cells_around(spec.shape, (layout.lens.rows, layout.lens.columns), spec.lens_at)
    return Heatmap(spec, layout, full, stage_id, lens, smallest)


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
    across, lens = _across(inner, request), None
    matrices, pitch = _matrices(inner, request, across), _pitch(inner, across)
    if request.count == 1:
        matrix, lens = _with_lens(inner, request)
        matrices, pitch = (matrix,), inner.right() - matrix.x() + GAP
    titles = tuple(QRectF(matrix.x(), matrix.y() - LINE, pitch - GAP, LINE) for matrix in matrices)
    body = matrices[0].united(matrices[-1]).united(matrices[across - 1])
    right = body.right() if lens is None or lens.is_below else lens.rect.right()
    bar = QRectF(right + 16, body.y(), BAR_WIDTH, body.height())
    return HeatmapLayout(matrices, titles, across, gutter, bar, captions, lens)


def _captions(area: QRectF, request: LayoutRequest) -> tuple[str, str]:
    """The captions in both languages unless they would take too much of the width."""
    available = area.width() * GUTTER - TOKEN_GAP
    fits = all(caption_width(text) <= available for text in request.captions)
    return request.captions if fits else request.plain_captions


def _gutter(area: QRectF, request: LayoutRequest, captions: tuple[str, str]) -> float:
    """The width of the tokens of the rows, and of the captions."""
    widest = _token_width(request.row_tokens)
    words = max(caption_width(caption) for caption in captions)
    most = TOKEN_WIDTH if request.count == 1 else GRID_TOKEN_WIDTH
    return min(max(words, min(widest, most)) + TOKEN_GAP, area.width() * GUTTER)


def _token_width(tokens: tuple[str, ...]) -> float:
    """The width of the widest of the tokens with most letters: measuring all would take longer
    than drawing.
    """
    longest = sorted(tokens, key=len, reverse=True)[:24]
    return max((caption_width(token, bold=True) for token in longest), default=0.0)


def _across(inner: QRectF, request: LayoutRequest) -> int:
    """The number of matrices in a row that makes their cells largest and keeps the names of heads.

    Of equals, the fuller grid.
    """

    def quality(across: int) -> tuple[float, float]:
        down = math.ceil(request.count / across)
        named = _pitch(inner, across) - GAP >= request.title_width
        size = min(_cell(inner, request, across, down)) * (1.0 if named else UNNAMED)
        return round(size, 1), -(across * down - request.count)

    return max(range(1, request.count + 1), key=quality)


def _pitch(inner: QRectF, across: int) -> float:
    """The distance of matrices in a row, with which they fill the width."""
    return (inner.width() + GAP) / across


def _cell(
    inner: QRectF, request: LayoutRequest, across: int = 1, down: int = 1
) -> tuple[float, float]:
    """The size of a cell in a grid of matrices: square, unless stretched or long and thin."""
    rows, columns = request.rows, request.columns
    most_width = max(1.0, (inner.width() - GAP * (across - 1)) / across) / columns
    most_height = max(1.0, (inner.height() - (GAP + LINE) * (down - 1)) / down) / rows
    most_width, most_height = min(most_width, LARGEST_CELL * 1.3), min(most_height, LARGEST_CELL)
    widest, tallest = (WIDEST, TALLEST) if request.stretched else (1.0, 1.0)
    is_thin = request.stretched or max(rows, columns) > THIN * min(rows, columns)
    least = LEAST_SIDE if is_thin else 0.0
    width = min(most_width, max(most_height * widest, least / columns))
    return width, min(most_height, max(most_width * tallest, least / rows))


def _matrices(inner: QRectF, request: LayoutRequest, across: int) -> tuple[QRectF, ...]:
    """The matrices of several heads, spread over the area."""
    down = math.ceil(request.count / across)
    width, height = _cell(inner, request, across, down)
    size = width * request.columns, height * request.rows
    pitch = min((inner.height() + GAP + LINE) / down, size[1] + 3 * LINE)
    top = (inner.height() + GAP + LINE - pitch * down) / 2
    return tuple(
        QRectF(inner.x() + column * _pitch(inner, across), inner.y() + top + row * pitch, *size)
        for row, column in (divmod(index, across) for index in range(request.count))
    )


@dataclass(frozen=True, slots=True)
class Lens:
    """Some cells with digits, beside or below the matrix: how many, and their rectangle.

    `gutter` is the width of the tokens at its left, 0 without tokens, `digits` their size.
    """

    rows: int
    columns: int
    rect: QRectF
    gutter: float
    digits: float
    is_below: bool


def _with_lens(inner: QRectF, request: LayoutRequest) -> tuple[QRectF, Lens | None]:
    """The matrix with the largest lens that leaves it enough room; no lens if it shows digits."""
    alone = _cell(inner, request)
    digits = request.number_width
    if not digits or (
        alone[0] >= digits / DIGITS_ACROSS and alone[1] >= LENS_ROW * request.smallest
    ):
        return _matrix(inner, request), None
    for most, scale, named, part in LENSES:
        rows, columns = min(most, request.rows), min(most, request.columns)
        gutter = min(_token_width(request.row_tokens), GRID_TOKEN_WIDTH) + TOKEN_GAP if named else 0
        wide = gutter + columns * (digits * 1.1 + 8) * scale
        row = LENS_ROW * request.smallest * scale
        high = rows * row + (LINE + 2 if named else 0)
        beside = inner.adjusted(0, 0, -wide - LENS_GAP, 0)
        below = inner.adjusted(0, 0, 0, -high - LENS_GAP - LINE)
        for rest, is_below, fits in (
            (beside, False, high <= inner.height()),
            (below, True, wide - gutter <= inner.width()),
        ):
            if fits and rest.isValid() and min(_cell(rest, request)) >= part * min(alone):
                matrix = _matrix(rest, request)
                size = QSizeF(wide - gutter, rows * row)
                if is_below:
                    place = QRectF(QPointF(matrix.x(), matrix.bottom() + LINE + LENS_GAP), size)
                else:
                    top = max(inner.y(), matrix.center().y() - high / 2)
                    place = QRectF(QPointF(matrix.right() + LENS_GAP + gutter, top), size)
                face = request.smallest * scale
                return matrix, Lens(rows, columns, place, gutter, face, is_below)
    return _matrix(inner, request), None


def _matrix(area: QRectF, request: LayoutRequest) -> QRectF:
    """A single matrix in the middle of an area."""
    width, height = _cell(area, request)
    matrix = QRectF(0, 0, width * request.columns, height * request.rows)
    matrix.moveCenter(area.center())
    return matrix


TALLEST_PANEL, LOWEST_PANEL = 440, 140  # units of a heatmap without the controls around it
LARGE_ENOUGH = 0.9  # of the largest cells
AROUND, BESIDE_LENS = 150.0, 200.0  # units of the width: tokens and bar, and a lens
LENS_FROM = 12  # rows, about


def wanted_height(width: float, count: int, rows: int, columns: int) -> float:
    """The height of a heatmap at which its cells are about as large as a width allows."""
    request = LayoutRequest(count, rows, columns, (), ("", ""), ("", ""), ())
    beside = AROUND + (BESIDE_LENS if count == 1 and rows >= LENS_FROM else 0.0)

    def cell(height: int) -> float:
        inner = QRectF(0, 0, max(width - beside, 1.0), height - 2 * LINE)
        across = _across(inner, request)
        return min(_cell(inner, request, across, math.ceil(count / across)))

    most = cell(TALLEST_PANEL)
    heights = range(LOWEST_PANEL, TALLEST_PANEL + 1, 20)
    return next(height for height in heights if cell(height) >= LARGE_ENOUGH * most)


def label_step(spacing: float, needed: float) -> int:
    """Which labels are drawn: every first, second, fifth, tenth … so that they do not touch."""
    step = 1
    while step * spacing < needed:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step
