"""Exhibit of the lab `order`: texts and the picture of swapped tokens."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from core.labs.controls import Value
from core.labs.lab import Setting
from core.labs.order import OrderResult, swapped
from gui.labs.charts import CENTRED, RIGHT_ALIGNED, Names, grid_rect, paint_grid, write
from gui.labs.exhibit import BY_HAND, Exhibit, LabView, Spot
from gui.labs.wording import measured, named
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import Frame
from gui.painting.shapes import paint_disc, paint_shape
from gui.painting.theme import BODY, CAPTION, DISPLAY, Colours, font
from gui.texts.names import visible_token
from gui.texts.stage_sentences import POSITIONAL_NAMES
from gui.texts.translation import mark, tr
from gui.widgets.subscripts import width_of

HEAD = 46.0  # height of the measured number at the top
TITLE_ROW = 24.0
TALLEST_ROW = 104.0
WIDEST_CELL = 104.0
LARGEST_MAP = 110.0  # largest cell of the weights
GAP = 14.0
NARROW = 760.0  # width of an area with tighter spacing, for legible digits
GAPS_TITLE = "max |Δ|"
LEAST_LINK = 62.0
MOST_LINK = 240.0


@dataclass(frozen=True, slots=True)
class OrderLayout:
    """Names and matrices in columns from left to right, the two heatmaps at the right."""

    headline: QRectF
    titles: QRectF
    names: QRectF
    Y: QRectF
    tiles: QRectF
    permuted: QRectF
    gaps: QRectF
    maps: tuple[QRectF, QRectF]
    row: float

    def tile(self, place: int) -> QRectF:
        """Return the tile of the token at a position of the new order."""
        high = min(self.row - 4.0, 34.0)
        top = self.tiles.top() + (place + 0.5) * self.row - high / 2
        return QRectF(self.tiles.left(), top, self.tiles.width(), high)

    def place_at(self, point: QPointF, count: int) -> int:
        """Return the position nearest to a point."""
        return min(max(int((point.y() - self.tiles.top()) // self.row), 0), count - 1)


def order_layout(area: QRectF, result: OrderResult, decimals: int) -> OrderLayout:
    """Lay out heatmaps as large as the height allows, the rows of Y beside them."""
    n, columns = result.Y.shape
    inside = area.adjusted(16.0, 8.0, -16.0, -12.0)
    headline = QRectF(inside.left(), inside.top(), inside.width(), HEAD)
    body = QRectF(
        inside.left(),
        headline.bottom() + 4.0,
        inside.width(),
        inside.bottom() - headline.bottom() - 4.0,
    )
    maps = _maps(body, result)
    left = QRectF(body.left(), body.top(), maps[0].left() - 2 * GAP - body.left(), body.height())
    name = min(max(map(_name_width, result.before.tokens)), left.width() * 0.13)
    tile, gap = name + 24.0, _gaps_width(decimals)
    between = GAP if area.width() >= NARROW else GAP / 2
    spare = left.width() - name - tile - gap - 3 * between
    cell = min((spare - LEAST_LINK * between / GAP) / (2 * columns), WIDEST_CELL)
    row = min((left.height() - TITLE_ROW) / n, TALLEST_ROW, max(cell * 1.2, TALLEST_ROW / 2))
    top = left.top() + TITLE_ROW + max(0.0, (left.height() - TITLE_ROW - n * row) * 0.5)
    link = min(spare - 2 * cell * columns, MOST_LINK)
    widths = (name, cell * columns, tile, cell * columns, gap)
    start = left.left() + max(0.0, spare - 2 * cell * columns - link) / 2
    columns_at = _after_each_other(start, widths, (between, link, between, between))
    names, Y, tiles, permuted, gaps = (
        QRectF(x, top, width, n * row) for x, width in zip(columns_at, widths, strict=True)
    )
    titles = QRectF(left.left(), top - TITLE_ROW, left.width(), TITLE_ROW)
    return OrderLayout(headline, titles, names, Y, tiles, permuted, gaps, maps, row)


def _maps(body: QRectF, result: OrderResult) -> tuple[QRectF, QRectF]:
    """Return both heatmaps and their names, stacked at the right, at most two fifths wide."""
    half = (body.height() - GAP) / 2
    names = Names("A", result.before.tokens, result.before.tokens)
    n = len(result.order)
    high = grid_rect(QRectF(0.0, 0.0, 1.0, half), n, n, names, tallest=LARGEST_MAP).height() / n
    area = QRectF(0.0, 0.0, body.width() * 0.4, half)
    width = max(grid_rect(area, n, n, names, widest=high * 1.25).right(), body.width() * 0.2)
    upper = QRectF(body.right() - width, body.top(), width, half)
    return upper, upper.translated(0.0, half + GAP)


def _after_each_other(
    start: float, widths: tuple[float, ...], between: tuple[float, ...]
) -> list[float]:
    lefts = [start]
    for width, gap in zip(widths, between, strict=False):
        lefts.append(lefts[-1] + width + gap)
    return lefts


def _name_width(token: str) -> float:
    return width_of(visible_token(token), font(BODY, bold=True)) + 2.0


def _gaps_width(decimals: int) -> float:
    number = width_of("0." + "0" * max(decimals, 4), font(BODY, bold=True))
    return max(number, width_of(GAPS_TITLE, font(CAPTION))) + 4.0


def paint(painter: QPainter, area: QRectF, view: LabView) -> None:
    """Paint the whole picture."""
    result: OrderResult = view.result
    where = order_layout(area, result, view.decimals)
    _paint_headline(painter, where, result, view)
    _paint_titles(painter, where, result, view.theme)
    for place, old in enumerate(result.order):
        _paint_link(painter, where, result, view.theme, place, old)
    _paint_outputs(painter, where, result, view)
    for place in range(len(result.order)):
        _paint_row(painter, where, result, view, place)
    _paint_maps(painter, where, result, view)


def _paint_headline(
    painter: QPainter, where: OrderLayout, result: OrderResult, view: LabView
) -> None:
    theme, area = view.theme, where.headline
    caption = "max |Y_perm − Π·Y| ="
    width = width_of(caption, font(BODY)) + 10.0
    write(
        painter,
        QRectF(area.left(), area.top(), width, area.height()),
        caption,
        theme.muted,
        font(BODY),
    )
    number = measured(result.largest, view.decimals)
    face = font(DISPLAY, bold=True)
    size = width_of(number, face) + 10.0
    place = QRectF(area.left() + width, area.top(), size, area.height())
    write(painter, place, number, _verdict(theme, result.largest), face)
    rest = QRectF(
        place.right() + 6.0, area.top(), area.right() - place.right() - 6.0, area.height()
    )
    write(painter, rest, _remark(result), theme.text, font(BODY))


def _remark(result: OrderResult) -> str:
    if not result.changed:
        return tr("the same rows, to the last bit")
    return tr("{count} of {n} rows have changed", count=len(result.changed), n=len(result.order))


def _verdict(theme: Colours, gap: float) -> str:
    return theme.text if gap == 0.0 else theme.error


def _paint_titles(
    painter: QPainter, where: OrderLayout, result: OrderResult, theme: Colours
) -> None:
    same = "Y_perm = Π·Y" if result.largest == 0.0 else "Y_perm ≠ Π·Y"
    for column, text in ((where.Y, "Y"), (where.permuted, same)):
        width = width_of(text, font(BODY, bold=True)) + 2.0
        left = min(column.center().x() - width / 2, where.gaps.left() - 6.0 - width)
        write(
            painter,
            QRectF(left, where.titles.top(), width, TITLE_ROW),
            text,
            theme.text,
            font(BODY, bold=True),
        )
    area = QRectF(where.gaps.left(), where.titles.top(), where.gaps.width(), TITLE_ROW)
    write(painter, area, GAPS_TITLE, theme.muted, font(CAPTION), CENTRED)


def _paint_link(
    painter: QPainter, where: OrderLayout, result: OrderResult, theme: Colours, place: int, old: int
) -> None:
    """Paint the line of a row: solid if its numbers are equal, else dashed.

    Thin if it has not moved.
    """
    start = QPointF(where.Y.right() + 4.0, where.Y.top() + (old + 0.5) * where.row)
    end = QPointF(where.tile(place).left() - 4.0, where.Y.top() + (place + 0.5) * where.row)
    bend = (end.x() - start.x()) * 0.5
    path = QPainterPath(start)
    path.cubicTo(start + QPointF(bend, 0.0), end - QPointF(bend, 0.0), end)
    pen = QPen(QColor(_verdict(theme, float(result.gaps[place]))), 3.0 if place != old else 1.6)
    if result.gaps[place]:
        pen.setDashPattern([2.5, 1.8])
    paint_shape(painter, path, line=theme.surface, width=pen.widthF() + 4.0)
    paint_shape(painter, path, line=pen)


def _paint_outputs(
    painter: QPainter, where: OrderLayout, result: OrderResult, view: LabView
) -> None:
    both = (levels_of(values, "Y") for values in (result.Y, result.permuted_Y))
    levels = max(both, key=lambda levels: levels.high)
    frames = tuple(
        Frame((place, place + 1), (0, result.Y.shape[1]), view.theme.error, 2.0)
        for place in result.changed
    )
    paint_grid(painter, where.Y, view, result.Y, levels)
    paint_grid(painter, where.permuted, view, result.permuted_Y, levels, frames=frames)


def _paint_row(
    painter: QPainter, where: OrderLayout, result: OrderResult, view: LabView, place: int
) -> None:
    """Paint the names of a row at both sides (the right one draggable) and its change."""
    line = QRectF(0.0, where.Y.top() + place * where.row, 0.0, where.row)
    before = QRectF(where.names.left(), line.top(), where.names.width(), where.row)
    write(
        painter,
        before,
        visible_token(result.before.tokens[place]),
        view.theme.text,
        font(BODY),
        RIGHT_ALIGNED,
    )
    _paint_tile(painter, where.tile(place), visible_token(result.after.tokens[place]), view.theme)
    gap = float(result.gaps[place])
    beside = QRectF(where.gaps.left(), line.top(), where.gaps.width(), where.row)
    text = measured(gap, view.decimals)
    write(painter, beside, text, _verdict(view.theme, gap), font(BODY, bold=True), CENTRED)


def _paint_tile(painter: QPainter, tile: QRectF, token: str, theme: Colours) -> None:
    paint_shape(painter, tile, line=theme.accent, width=1.4, fill=theme.accent_soft, radius=6.0)
    for column in (8.0, 12.0):
        for row in (-4.0, 0.0, 4.0):
            dot = QPointF(tile.left() + column, tile.center().y() + row)
            paint_disc(painter, dot, 1.2, fill=theme.accent)
    area = tile.adjusted(18.0, 0.0, -4.0, 0.0)
    write(painter, area, token, theme.text, font(BODY, bold=True), CENTRED)


def _paint_maps(painter: QPainter, where: OrderLayout, result: OrderResult, view: LabView) -> None:
    """Paint the weights before and after: rows and columns are permuted together."""
    head = view.setting.head
    framed = _framed(result, view)
    same = "A_perm = Π·A·Πᵀ" if result.largest_A == 0.0 else "A_perm ≠ Π·A·Πᵀ"
    for area, document, weights, title, rows in (
        (
            where.maps[0],
            result.before,
            result.A,
            "A",
            [result.order[p] for p in framed],
        ),
        (where.maps[1], result.after, result.permuted_A, same, list(framed)),
    ):
        frames = tuple(Frame((row, row + 1), (0, document.n), view.theme.query) for row in rows)
        frames += tuple(Frame((0, document.n), (row, row + 1), view.theme.key) for row in rows)
        tokens = tuple(map(visible_token, document.tokens))
        names = Names(title, tokens, tokens, view.theme.weights)
        rect = grid_rect(
            area, document.n, document.n, names, widest=LARGEST_MAP, tallest=LARGEST_MAP
        )
        over = rect.left() + width_of(title, font(BODY, bold=True)) - area.right()
        paint_grid(
            painter,
            rect,
            view,
            weights[head],
            Levels(0.0, 1.0),
            replace(names, indent=-max(0.0, over)),
            frames=frames,
        )


def _framed(result: OrderResult, view: LabView) -> tuple[int, ...]:
    """Return the position of the hovered token, else of the first moved one."""
    pointed = [
        place for place, old in enumerate(result.order) if f"token-{old}" == view.appearance.focus
    ]
    return tuple(pointed) or result.moved[:1]


def spots(area: QRectF, view: LabView) -> tuple[Spot, ...]:
    """Return the tokens of the new order; dragging one onto another swaps them."""
    result: OrderResult = view.result
    where = order_layout(area, result, view.decimals)
    return tuple(
        Spot(
            f"token-{old}",
            where.tile(place),
            _spoken_tile(result, view, place),
            "order",
            drag=partial(_dropped, where, result.order, place),
            nudge=where.row,
        )
        for place, old in enumerate(result.order)
    )


def _dropped(where: OrderLayout, order: tuple[int, ...], place: int, point: QPointF) -> Value:
    return swapped(order, place, where.place_at(point, len(order)))


def _spoken_tile(result: OrderResult, view: LabView, place: int) -> str:
    return tr(
        "“{token}”, place {place} of {n}, its row of Y differs by {gap}",
        token=visible_token(result.after.tokens[place]),
        place=place + 1,
        n=len(result.order),
        gap=measured(float(result.gaps[place]), view.decimals),
    )


class OrderExhibit(Exhibit):
    """Y before and after, rows joined by lines, and the weights of both orders."""

    made = BY_HAND

    labels = {
        "order": mark("Order of the tokens"),
        "swap": mark("Swap first and last"),
        "shuffle": mark("Shuffle"),
        "restore": mark("Original order"),
        "positions": mark("Positional encoding"),
        "causal": mark("Causal mask"),
        "head": mark("Weights of"),
    }
    helps = {
        "order": mark(
            "Drag a token in the picture onto another one, or select it with Tab and move it "
            "with the arrow keys."
        ),
        "positions": mark(
            "How the model is told where a token is; without it, nothing in the numbers says so."
        ),
        "causal": mark(
            "Each token sees itself and those before it: its position decides whom it sees."
        ),
    }
    options = POSITIONAL_NAMES

    def entry(self, control_id: str, index: int, setting: Setting) -> str:
        """Name the token that was originally at a position."""
        return (
            visible_token(setting.document.tokens[index])
            if setting.document
            else super().entry(control_id, index, setting)
        )

    def notice(self, view: LabView) -> str:
        """Report the effect of the order on Y."""
        result: OrderResult = view.result
        gap = measured(result.largest, view.decimals)
        if not result.moved:
            return tr(
                "The tokens are in their original order. Move one and watch where its row of Y "
                "goes."
            )
        if result.largest > 0.0:
            return _difference(view, gap)
        if view.setting["positions"] == "alibi" and result.backwards:
            return tr(
                "Reversed, all distances stay the same, and ALiBi sees only distances: the "
                "difference is {gap}.",
                gap=gap,
            )
        return tr(
            "Rows of Y have been swapped and nothing else has changed: the largest difference "
            "is {gap}.",
            gap=gap,
        )

    def attempt(self, view: LabView) -> str:
        """Suggest another order, then positions, then another kind of them."""
        if not view.result.moved:
            return tr("Drag the first token onto the last one.")
        if view.setting["positions"] == "none":
            return tr("Choose a positional encoding and see which lines become dashed.")
        if view.setting["positions"] == "alibi":
            return tr(
                "Reverse the whole sentence, then swap just two neighbours: which of the two "
                "does ALiBi see?"
            )
        return tr("Go back to no positions: is there an order that changes a single number?")

    paint = staticmethod(paint)
    spots = staticmethod(spots)

    def spoken(self, view: LabView) -> str:
        """Describe the new order, the difference of each row, and the notice."""
        gaps = (measured(float(gap), view.decimals) for gap in view.result.gaps)
        pairs = zip(map(visible_token, view.result.after.tokens), gaps, strict=True)
        rows = tr(", ").join(map(" ".join, pairs))
        return tr(
            "Rows of Y in the new order and how much each differs: {rows}. {notice}",
            rows=rows,
            notice=self.notice(view),
        )


def _difference(view: LabView, gap: str) -> str:
    result: OrderResult = view.result
    most = [
        place for place, own in enumerate(result.gaps) if measured(float(own), view.decimals) == gap
    ]
    tokens = named(result.after.tokens, most)
    count, n = len(result.changed), len(result.order)
    if view.setting["positions"] == "none":
        return tr(
            "The mask tells positions apart: {count} of {n} rows of Y differ, most that of "
            "{tokens}, by {gap}.",
            count=count,
            n=n,
            gap=gap,
            tokens=tokens,
        )
    return tr(
        "Now the order counts: {count} of {n} rows of Y differ, most that of {tokens}, by {gap}.",
        count=count,
        n=n,
        gap=gap,
        tokens=tokens,
    )


EXHIBIT = OrderExhibit()
