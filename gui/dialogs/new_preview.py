"""Pictures of a new experiment: the shapes of all matrices, and its live weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.arrays import Array
from core.compute.trace import run
from core.document.create import Sizes
from core.document.document import Document
from gui.painting.color_scale import Levels, levels_of
from gui.painting.matrix import MatrixSpec, paint_matrix
from gui.painting.matrix_spec import Frame
from gui.painting.shapes import draw_box, paint_arrow_head, paint_shape
from gui.painting.text_layout import CENTRE, RIGHT, draw_text
from gui.painting.text_size import factor, in_units, px
from gui.painting.theme import BODY, CAPTION, Colours, font, role_colour
from gui.texts.names import STAGE_SYMBOLS, visible_token
from gui.texts.translation import tr
from gui.widgets.forms import theme_of
from gui.widgets.subscripts import draw, width_of

MOST_LIVE = 32  # tokens up to which the weights are computed while numbers are chosen
TOKENS, BETWEEN, BELOW = 64.0, 20.0, 6.0  # of the road: width of the tokens, gaps between boxes
LEAST_WIDTH = 460.0  # of a picture in logical units; in less room it is smaller
MOST_DRAWN = 16  # rows or columns of a sketched matrix


class Picture(QWidget):
    """A picture in logical units, which has one sentence for screen readers."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """A size in which small matrices can be read."""
        return QSize(px(480), px(250))

    def minimumSizeHint(self) -> QSize:
        """A size for symbols and sizes."""
        return QSize(px(300), px(200))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint in logical units."""
        unit = min(factor(), self.width() / LEAST_WIDTH)
        with QPainter(self) as painter, in_units(painter, self.rect(), unit) as room:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint(painter, room, theme_of(self))

    def paint(self, painter: QPainter, room: QRectF, theme: Colours) -> None:
        """Paint the picture."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A matrix by its tensor and size."""

    name: str
    rows: int
    columns: int

    @property
    def size(self) -> str:
        """The size in words."""
        return f"{self.rows} × {self.columns}"

    @property
    def drawn(self) -> tuple[int, int]:
        """How many rows and columns are drawn."""
        return min(self.rows, MOST_DRAWN), min(self.columns, MOST_DRAWN)

    def box(self, cell: float) -> QSizeF:
        """The size of its box with cells of a size."""
        rows, columns = self.drawn
        return QSizeF(max(columns * cell, 46.0) + 12, rows * cell + 34)


def shapes_of(n: int, m: int, sizes: Sizes, source: str, *, context: bool) -> tuple[Shape, ...]:
    """What an experiment enters and computes for one head, in order."""
    entered: tuple[Shape, ...] = ()
    if source == "embeddings":
        other = (Shape("X_context", m, sizes.d),) if context else ()
        widths = {"W_Q": sizes.k, "W_K": sizes.k, "W_V": sizes.v}
        weights = (Shape(name, sizes.d, width) for name, width in widths.items())
        entered = (Shape("X", n, sizes.d), *other, *weights)
    width = sizes.d if source == "embeddings" and sizes.h > 1 else sizes.v * sizes.h
    return (
        *entered,
        Shape("Q", n, sizes.k),
        Shape("K", m, sizes.k),
        Shape("V", m, sizes.v),
        Shape("scores", n, m),
        Shape("weights", n, m),
        Shape("Y", n, width),
    )


class ShapesPicture(Picture):
    """The road from tokens to output with empty matrices: there are no numbers yet."""

    def __init__(self) -> None:
        super().__init__()
        self._shapes: dict[str, Shape] = {}
        self._tokens: tuple[str, ...] = ()

    def show_shapes(self, tokens: tuple[str, ...], shapes: Sequence[Shape]) -> None:
        """Set tokens and shapes; () for nothing."""
        self._tokens, self._shapes = tokens, {shape.name: shape for shape in shapes}
        words = (f"{STAGE_SYMBOLS.get(each.name, each.name)} {each.size}" for each in shapes)
        self.setAccessibleName(tr("Preview: {tensors}", tensors=tr(", ").join(words)))
        self.update()

    def paint(self, painter: QPainter, room: QRectF, theme: Colours) -> None:
        """Paint columns of boxes with arrows between them, in the largest cells that fit."""
        if not self._shapes:
            return
        places = self._places(room)
        tokens = QRectF(0, 0, TOKENS, room.height())
        self._paint_tokens(painter, tokens, theme)
        first = "X" if "X" in places else ""
        ways = [(first, name) for name in ("Q", "K", "V")]
        ways += [("Q", "scores"), ("K", "scores"), ("scores", "weights"), ("weights", "Y")]
        for start, end in [("", "X"), *ways] if first else ways:
            box = places.get(start, tokens)
            from_ = QPointF(box.right(), box.center().y())
            line = QLineF(from_, QPointF(places[end].x() - 2, places[end].center().y()))
            paint_shape(painter, line, line=theme.ghost, width=1.2)
            paint_arrow_head(painter, line, 6, 3, theme.ghost)
        below, y = places["V"], places["Y"]
        corner = QPointF(y.center().x(), below.center().y())
        paint_shape(painter, QLineF(QPointF(below.right(), corner.y()), corner), line=theme.ghost)
        line = QLineF(corner, QPointF(corner.x(), y.bottom() + 2))
        paint_shape(painter, line, line=theme.ghost, width=1.2)
        paint_arrow_head(painter, line, 6, 3, theme.ghost)
        for name, box in places.items():
            self._paint_box(painter, box, self._shapes[name], theme)

    def _places(self, room: QRectF) -> dict[str, QRectF]:
        """The boxes from left to right, in the largest cells that fit."""
        columns: list[tuple[str, ...]] = [("Q", "K", "V"), ("scores",), ("weights",), ("Y",)]
        columns[:0] = [("X",)] if "X" in self._shapes else []
        for cell in range(22, 0, -1):
            sizes = [[self._shapes[name].box(cell) for name in names] for names in columns]
            wide = TOKENS + sum(BETWEEN + max(size.width() for size in each) for each in sizes)
            high = max(sum(size.height() + BELOW for size in each) for each in sizes)
            if wide <= room.width() and high <= room.height():
                break
        places, x = dict[str, QRectF](), TOKENS + BETWEEN
        for names, each in zip(columns, sizes, strict=True):
            y = (room.height() - sum(size.height() + BELOW for size in each) + BELOW) / 2
            for name, size in zip(names, each, strict=True):
                places[name] = QRectF(QPointF(x, y), size)
                y += size.height() + BELOW
            x += max(size.width() for size in each) + BETWEEN
        return places

    def _paint_tokens(self, painter: QPainter, place: QRectF, theme: Colours) -> None:
        """Paint the tokens below each other, as many as fit."""
        row = min(24.0, place.height() / max(1, len(self._tokens)))
        count = len(self._tokens) if row >= 15 else int(place.height() / 15) - 1
        row = max(row, 15.0)
        y = (place.height() - row * count) / 2
        for token in self._tokens[:count]:
            rect = QRectF(0, y, place.width(), row - 3)
            draw_box(painter, rect, None, theme.accent_soft, 4)
            text = rect.adjusted(3, 0, -3, 0)
            draw_text(painter, text, CENTRE, visible_token(token), font(CAPTION), theme.text)
            y += row
        if count < len(self._tokens):
            rest = tr("+{n} more", n=len(self._tokens) - count)
            text = QRectF(0, y, place.width(), 15)
            draw_text(painter, text, CENTRE, rest, font(CAPTION), theme.muted)

    def _paint_box(self, painter: QPainter, box: QRectF, shape: Shape, theme: Colours) -> None:
        draw_box(painter, box, QColor(theme.line), theme.surface, 6)
        symbol = STAGE_SYMBOLS.get(shape.name, shape.name)
        head = QPointF(box.x() + 6, box.y() + 12)
        painter.setPen(role_colour(theme, shape.name))
        draw(painter, head, symbol, font(BODY, bold=True))
        size = f"{shape.rows}×{shape.columns}"
        room = QRectF(box.x() + 6, box.y() + 2, box.width() - 12, 20)
        if width_of(symbol, font(BODY, bold=True)) + width_of(size, font(CAPTION)) < room.width():
            draw_text(painter, room, RIGHT, size, font(CAPTION), theme.muted)
        rows, columns = shape.drawn
        rect = box.adjusted(6, 28, -6, -6)
        empty = MatrixSpec(np.zeros((rows, columns)), Levels(-1.0, 1.0), 0, shown=(0, 0))
        paint_matrix(painter, rect, empty, theme)


def live_weights(document: Document) -> Array | None:
    """The weights (n, m) of the first head; None for a sentence that is too long to be shown."""
    if max(document.n, document.m) > MOST_LIVE:
        return None
    weights: Array = run(document)["weights"][0]
    return weights


def told_row(weights: Array) -> int:
    """The row that is written out: its largest weight is nearest to a half."""
    return int(np.argmin(np.abs(weights.max(axis=1) - 0.5)))


class WeightsPicture(Picture):
    """The numbers of the first head, and the weights that follow from them."""

    def __init__(self) -> None:
        super().__init__()
        self._document: Document | None = None
        self._weights: Array | None = None

    def show_weights(self, document: Document | None, weights: Array | None) -> None:
        """Set the experiment with one head and its weights; None for nothing."""
        self._document, self._weights = document, weights
        self.update()

    def paint(self, painter: QPainter, room: QRectF, theme: Colours) -> None:
        """Paint what is entered at the left and the weights at the right."""
        document, weights = self._document, self._weights
        if document is None or weights is None:
            return
        rows = (("X",), ("W_Q", "W_K")) if document.source == "embeddings" else (("Q",), ("K",))
        part, title, between = room.width() * 0.34, 24.0, 10.0
        tensors = [[(name, document.tensor(name)) for name in names] for names in rows]
        heights = [array.shape[0] for ((_, array), *_) in tensors if array is not None]
        free = room.height() - (title + between) * len(rows)
        cell, y = min(free / sum(heights), 24.0), room.y()
        for line, count in zip(tensors, heights, strict=True):
            width = (part - between * (len(line) - 1)) / len(line)
            for number, (name, array) in enumerate(line):
                x = room.x() + number * (width + between)
                place = QRectF(x, y, width, title + cell * count)
                if array is not None:
                    _paint_entered(painter, place, name, array, theme)
            y += title + cell * count + between
        self._paint_weights(painter, room.adjusted(part + 18, 0, -3, 0), document, weights, theme)

    def _paint_weights(
        self, painter: QPainter, place: QRectF, document: Document, weights: Array, theme: Colours
    ) -> None:
        """Paint the weights with their tokens; the row that is written out is framed."""
        rows, columns = weights.shape
        label, foot = 58.0, 20.0
        symbol = f"{STAGE_SYMBOLS['weights']}  {rows}×{columns}"
        head = QRectF(place.x() + label, place.y(), place.width() - label, 20)
        draw_text(painter, head, CENTRE, symbol, font(BODY, bold=True), theme.weights)
        cell = min((place.height() - 24 - foot) / rows, 40.0)
        rect = QRectF(place.x() + label, place.y() + 24, place.width() - label, cell * rows)
        row = told_row(weights)
        frame = (Frame((row, row + 1), (0, columns), theme.query),)
        spec = MatrixSpec(weights, Levels(0.0, 1.0), 2, frames=frame)
        paint_matrix(painter, rect, spec, theme)
        if cell >= 11:
            for number, token in enumerate(document.tokens):
                text = QRectF(place.x(), rect.y() + number * cell, label - 6, cell)
                ink = font(CAPTION, bold=number == row)
                draw_text(painter, text, RIGHT, visible_token(token), ink, theme.text)
        width = rect.width() / columns
        if width >= 20:
            for number, token in enumerate(document.key_tokens):
                text = QRectF(rect.x() + number * width, rect.bottom() + 2, width, 16)
                draw_text(painter, text, CENTRE, visible_token(token), font(CAPTION), theme.muted)


def _paint_entered(
    painter: QPainter, place: QRectF, name: str, array: Array, theme: Colours
) -> None:
    """Paint an entered matrix under its name."""
    painter.setPen(role_colour(theme, name))
    symbol = STAGE_SYMBOLS.get(name, name)
    draw(painter, place.topLeft() + QPointF(0, 10), symbol, font(BODY, bold=True))
    size = QRectF(place.x(), place.y(), place.width(), 20)
    draw_text(
        painter, size, RIGHT, f"{array.shape[0]}×{array.shape[1]}", font(CAPTION), theme.muted
    )
    rect = place.adjusted(0, 24, 0, 0)
    paint_matrix(painter, rect, MatrixSpec(array, levels_of(array, name), 1), theme)
