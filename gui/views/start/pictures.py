"""The pictures on the doors of the start page; each is painted from computed numbers."""

from __future__ import annotations

import math
from functools import cache

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.arrays import Array
from core.compute.trace import Trace, run
from core.document.create import Sizes, create
from core.storage.examples import EXAMPLES, load_example
from gui.painting.color_scale import Levels
from gui.painting.matrix import MatrixSpec, paint_matrix
from gui.painting.matrix_spec import Frame
from gui.painting.shapes import draw_box, paint_arrow_head, paint_disc, paint_shape, set_ink
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, draw_text, elide, width_of
from gui.painting.text_size import factor, in_units
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.names import visible_token
from gui.texts.translation import tr

CELL_WIDTH, CELL_HEIGHT = 38.0, 26.0
WEIGHTS = Levels(0.0, 1.0)
LABEL = 54.0


@cache
def _lesson_example() -> Trace:
    return run(load_example(EXAMPLES[0]))


@cache
def _labs_example() -> Trace:
    return run(create("abcd", "embeddings", Sizes(), "graded", 0))


class DoorPicture(QWidget):
    """A picture of the height of a door's upper part; smaller where the door is narrow."""

    height_units, width_units = 140.0, 310.0

    def __init__(self, theme: Colours) -> None:
        super().__init__()
        self.theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """The height of the picture."""
        return QSize(round(200 * factor()), round(self.height_units * factor()))

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint in logical units."""
        unit = min(factor(), self.width() / self.width_units)
        with QPainter(self) as painter, in_units(painter, self.rect(), unit) as room:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint(painter, room, self.theme)

    def paint(self, painter: QPainter, room: QRectF, theme: Colours) -> None:
        """Paint the picture."""


class LessonPicture(DoorPicture):
    """Q times Kᵀ of the first example: as many scores as fit the part of the lesson that is done."""

    def __init__(self, theme: Colours, done: float) -> None:
        super().__init__(theme)
        self._cells = divmod(min(1 + round(done * 8), 9), 3)

    def paint(self, painter: QPainter, room: QRectF, theme: Colours) -> None:
        """Paint Q, an arrow and the scores."""
        trace = _lesson_example()
        tokens = (tr("cat"), tr("eats"), tr("fish"))
        rows, columns = trace["Q"].shape[-2:]
        width = LABEL + (columns + len(tokens)) * CELL_WIDTH + 62
        left = room.center().x() - width / 2 + LABEL
        head = room.center().y() - 62
        top = head + 26
        row, place = self._cells
        at = (row, place - 1) if place else (row - 1, len(tokens) - 1)
        q = QRectF(left, top, columns * CELL_WIDTH, rows * CELL_HEIGHT)
        levels = Levels(-1.0, 1.0)
        frame = (Frame((at[0], at[0] + 1), (0, columns), theme.query),)
        paint_matrix(painter, q, MatrixSpec(_first(trace["Q"]), levels, 2, frames=frame), theme)
        scores = QRectF(q.right() + 62, top, len(tokens) * CELL_WIDTH, rows * CELL_HEIGHT)
        frame = (Frame((at[0], at[0] + 1), (at[1], at[1] + 1), theme.query),)
        shown = MatrixSpec(_first(trace["scores"]), levels, 2, shown=self._cells, frames=frame)
        paint_matrix(painter, scores, shown, theme)
        bold, small = font(BODY, bold=True), font(CAPTION)
        draw_text(painter, QRectF(q.x(), head, q.width(), 20), CENTRE, "Q", bold, theme.query)
        name = QRectF(scores.x(), head, scores.width(), 20)
        draw_text(painter, name, CENTRE, "QKᵀ", bold, theme.text)
        line = QLineF(q.right() + 10, q.center().y(), scores.x() - 10, q.center().y())
        paint_shape(painter, line, line=theme.muted, width=1.2)
        paint_arrow_head(painter, line, 7, 3.6, theme.muted)
        above = QRectF(line.x1(), line.y1() - 22, line.length(), 18)
        draw_text(painter, above, CENTRE, "· Kᵀ", bold, theme.key)
        for number, token in enumerate(tokens):
            face = font(CAPTION, bold=True) if number == at[0] else small
            label = QRectF(q.x() - LABEL, top + number * CELL_HEIGHT, LABEL - 8, CELL_HEIGHT)
            draw_text(painter, label, RIGHT, token, face, theme.text)
            label = QRectF(scores.x() + number * CELL_WIDTH, scores.bottom() + 2, CELL_WIDTH, 18)
            draw_text(painter, label, CENTRE, token, small, theme.muted)


def _first(array: Array) -> Array:
    return array[0] if array.ndim == 3 else array


class SentencePicture(DoorPicture):
    """Tokens and the weights of one of them, drawn for the sentence that is being typed."""

    height_units, width_units = 72.0, 200.0

    def __init__(self, theme: Colours) -> None:
        super().__init__(theme)
        self._tokens: tuple[str, ...] = ()
        self._weights: Array | None = None
        self._row = 0

    def show_weights(self, tokens: tuple[str, ...], weights: Array | None, row: int) -> None:
        """Show tokens, and the weights (m) of the query at `row`; None for no weights."""
        self._tokens, self._weights, self._row = tokens, weights, row
        self.update()

    def paint(self, painter: QPainter, room: QRectF, theme: Colours) -> None:
        """Paint chips and a row of weights."""
        x, face = room.x() + 1, font(BODY)
        for number, token in enumerate(self._tokens):
            text = elide(visible_token(token), face, 90)
            width = width_of(text, face) + 18
            if x + width > room.right() and number:
                draw_text(painter, QRectF(x, 2, 30, 26), LEFT, "…", face, theme.muted)
                break
            here = number == self._row and self._weights is not None
            chip = QRectF(x, 2, min(width, room.right() - x), 26).adjusted(0.5, 0.5, -0.5, -0.5)
            edge, ink = (theme.query, theme.query) if here else (theme.line, theme.text)
            draw_box(painter, chip, QPen(QColor(edge), 1 + here), theme.surface, 6)
            draw_text(painter, chip, CENTRE, text, font(BODY, bold=here), ink)
            x += width + 6
        if self._weights is not None:
            shown = self._weights[None, :]
            rect = QRectF(room.x(), 38, room.width(), 24)
            paint_matrix(painter, rect, MatrixSpec(shown, WEIGHTS, 2), theme)


class LabsPicture(DoorPicture):
    """A wheel of tokens, a distribution and a question."""

    def paint(self, painter: QPainter, room: QRectF, theme: Colours) -> None:
        """Paint the three beside each other."""
        weights = _labs_example()["weights"][0, 0]
        middle = room.center()
        self._wheel(painter, QPointF(middle.x() - 100, middle.y()), 42, theme)
        bars = QRectF(middle.x() - 42, middle.y() - 44, 92, 84)
        high = float(weights.max())
        for number, weight in enumerate(weights):
            height = bars.height() * float(weight) / high
            bar = QRectF(bars.x() + 4 + number * 22, bars.bottom() - height, 17, height)
            draw_box(painter, bar, None, theme.weights, 3)
        paint_shape(
            painter, QLineF(bars.bottomLeft(), bars.bottomRight()), line=theme.weights, width=1.5
        )
        card = QRectF(middle.x() + 66, middle.y() - 44, 84, 88)
        draw_box(painter, card, QPen(QColor(theme.line), 1), theme.surface, 6)
        title = QRectF(card.x(), card.y() + 6, card.width(), 22)
        draw_text(painter, title, CENTRE, "Σ = ?", font(BODY, bold=True), theme.text)
        for number in range(3):
            y = card.y() + 42 + number * 17
            fill = theme.accent if number == 0 else None
            ink = theme.accent if number == 0 else theme.muted
            paint_disc(painter, QPointF(card.x() + 16, y), 4.5, line=ink, fill=fill)
            line = QLineF(card.x() + 28, y, card.x() + 70 - 12 * (number == 2), y)
            paint_shape(painter, line, line=theme.line, width=3)

    def _wheel(self, painter: QPainter, centre: QPointF, radius: float, theme: Colours) -> None:
        paint_disc(painter, centre, radius, line=theme.line, fill=theme.surface)
        places = [
            centre + QPointF(math.cos(angle), math.sin(angle)) * radius
            for angle in (0.0, -math.pi / 2, math.pi * 0.85, math.pi * 0.6, math.pi * 0.4)
        ]
        for place, width in zip(places[1:], (5.0, 3.0, 1.5, 1.0), strict=True):
            path = QPainterPath(places[0])
            path.quadTo(centre, place)
            set_ink(painter, QPen(QColor(theme.value), width), None)
            painter.drawPath(path)
        for place in places[1:]:
            paint_disc(painter, place, 6, line=theme.key, width=1.5, fill=theme.surface)
        paint_disc(painter, places[0], 7.5, line=theme.query, width=2, fill=theme.accent_soft)
