"""The selected head: its weights or another stage, large, with numbers where they fit."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.arrays import Array, sealed
from core.base.number_format import show
from gui.model_window.canvas import Canvas, ring
from gui.model_window.state import Sentence
from gui.painting.color_scale import Levels, ink, value_colour
from gui.painting.matrix_image import matrix_image
from gui.painting.shapes import draw_box
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, draw_text, width_of
from gui.painting.theme import CAPTION, Colours, font
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.announcer import announce
from gui.widgets.shortcut_filter import claim_key

ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
MOST_ROWS = 16  # for which the view asks for room
WIDEST, TALLEST = 80.0, 44.0  # of a cell
WIDEST_LABEL, NUMBERED, LABELLED = (
    86.0,
    36.0,
    14.0,
)  # units: labels, cells with numbers, with labels


class HeadView(Canvas):
    """Paints one head. `chosen(query, key)`: a click or an arrow."""

    chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.values: Array | None = None  # (n, n)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def minimumSizeHint(self) -> QSize:
        """Room for a row of a label each; many tokens share their labels."""
        n = 0 if self.values is None else min(len(self.values), MOST_ROWS)
        return QSize(round(200 * self.unit), round(max(180.0, n * 15.0 + 96.0) * self.unit))

    def sizeHint(self) -> QSize:
        """A usual size."""
        return QSize(420, 330)

    def show_values(self, values: Array | None) -> None:
        """Show a matrix of queries by keys."""
        grown = values is not None and (self.values is None or len(self.values) != len(values))
        self.values = values
        if grown:
            self.updateGeometry()
        self.setAccessibleName(tr("The selected head"))
        self.setAccessibleDescription(self._spoken())
        self.update()

    def _spoken(self) -> str:
        """The focused weight, or the largest one of the token that is followed."""
        look, sentence, values = self.state.look, self.state.sentence, self.values
        if sentence is None or values is None or look.query is None or look.query >= len(values):
            return ""
        key = int(np.argmax(values[look.query])) if look.key is None else look.key
        if key >= values.shape[1]:
            return ""
        return tr(
            "{query} to {key}: {number}",
            query=visible_token(sentence.labels[look.query]),
            key=visible_token(sentence.labels[key]),
            number=show(float(values[look.query, key]), self.state.decimals),
        )

    # Geometry

    def _grid(self, area: QRectF, sentence: Sentence, n: int) -> tuple[QPointF, float, float]:
        """The corner of the cells, their width and height."""
        face = font(CAPTION, bold=True)
        widths = [width_of(visible_token(label), face) for label in sentence.labels]
        left = min(max(*widths, 42.0), WIDEST_LABEL) + 10.0
        wide = (area.width() - left - 6.0) / n
        turned = max(widths, default=0.0) > wide - 4.0
        below = min(max(widths, default=20.0), 70.0) + 8.0 if turned else 18.0
        high = (area.height() - 18.0 - below) / n
        wide, high = max(wide, 2.0), max(min(high, TALLEST, wide * 1.2), 2.0)
        return QPointF(area.x() + left, area.y() + 16.0), min(wide, WIDEST), high

    def _cell_at(self, point: QPointF) -> tuple[int, int] | None:
        sentence, values = self.state.sentence, self.values
        if sentence is None or values is None:
            return None
        corner, wide, high = self._grid(self.room(), sentence, len(values))
        query, key = int((point.y() - corner.y()) // high), int((point.x() - corner.x()) // wide)
        inside = 0 <= query < len(values) and 0 <= key < values.shape[1]
        return (query, key) if inside else None

    # Painting

    def levels(self) -> Levels:
        """The scale: 0 to 1 for weights, else symmetric around 0."""
        values = self.values
        if values is None:
            return Levels(0.0, 1.0)
        if self.state.look.stage == "weights" and not self.state.is_difference:
            return Levels(0.0, 1.0)
        finite = values[np.isfinite(values)]
        high = float(np.abs(finite).max()) if finite.size else 1.0
        return Levels(-(high or 1.0), high or 1.0)

    def paint(self, painter: QPainter, area: QRectF, theme: Colours) -> None:
        """Paint labels, cells, and the rings of query and key."""
        sentence, values = self.state.sentence, self.values
        if sentence is None or values is None or len(values) != sentence.n:
            return
        n = len(values)
        corner, wide, high = self._grid(area, sentence, n)
        levels, look = self.levels(), self.state.look
        whole = QRectF(corner.x(), corner.y(), wide * n, high * n)
        if min(wide, high) < 8.0:
            image = matrix_image(sealed(np.array(values)), levels, theme)
            painter.drawImage(whole, image, QRectF(image.rect()))
        else:
            self._paint_cells(painter, values, levels, corner, (wide, high), theme)
        self._paint_labels(painter, sentence, corner, (wide, high), theme)
        if look.query is not None and look.query < n:
            row = QRectF(corner.x(), corner.y() + look.query * high, wide * n, high)
            ring(painter, row, theme.query, 1.6, 0.5)
        if look.key is not None and look.key < n:
            column = QRectF(corner.x() + look.key * wide, corner.y(), wide, high * n)
            ring(painter, column, theme.key, 1.6, 0.5)
            if look.query is not None and look.query < n:
                cell = QRectF(
                    corner.x() + look.key * wide, corner.y() + look.query * high, wide, high
                )
                ring(painter, cell, theme.accent, 3.0 if self.hasFocus() else 2.4, 0.0)
        if self.hasFocus() and look.key is None:
            ring(painter, whole, theme.accent, 1.6, 2.0)

    def _paint_cells(
        self,
        painter: QPainter,
        values: Array,
        levels: Levels,
        corner: QPointF,
        size: tuple[float, float],
        theme: Colours,
    ) -> None:
        wide, high = size
        numbered = wide >= NUMBERED and high >= 15.0
        decimals = min(self.state.decimals, 2 if wide < 46.0 else 4)
        causal = self.state.model is not None and self.state.model.causal
        for query, row in enumerate(values.tolist()):
            for key, value in enumerate(row):
                rect = QRectF(corner.x() + key * wide, corner.y() + query * high, wide, high)
                inner = rect.adjusted(0.5, 0.5, -0.5, -0.5)
                if causal and key > query:
                    pen = QPen(QColor(theme.line), 1.0, Qt.PenStyle.DotLine)
                    draw_box(painter, inner, pen, None)
                    continue
                ground = value_colour(theme, levels, value)
                draw_box(painter, inner, None, ground)
                if numbered:
                    text = show(value, decimals)
                    draw_text(painter, rect, CENTRE, text, font(CAPTION), ink(ground))

    def _paint_labels(
        self,
        painter: QPainter,
        sentence: Sentence,
        corner: QPointF,
        size: tuple[float, float],
        theme: Colours,
    ) -> None:
        (wide, high), n, look = size, sentence.n, self.state.look
        room = QRectF(corner.x() - WIDEST_LABEL - 6.0, corner.y() - 17.0, WIDEST_LABEL, 15.0)
        draw_text(painter, room, RIGHT, tr("query ↓"), font(CAPTION), theme.muted)
        room = QRectF(corner.x(), corner.y() - 17.0, 120.0, 15.0)
        draw_text(painter, room, LEFT, tr("key →"), font(CAPTION), theme.muted)
        labels = [visible_token(label) for label in sentence.labels]
        for i in range(0, n, _every(high)):
            chosen = i == look.query
            room = QRectF(
                corner.x() - WIDEST_LABEL - 6.0, corner.y() + i * high, WIDEST_LABEL, high
            )
            room.adjust(0, min(0.0, (high - 14.0) / 2), 0, max(0.0, (14.0 - high) / 2))
            ink_ = theme.query if chosen else theme.muted
            draw_text(painter, room, RIGHT, labels[i], font(CAPTION, bold=chosen), ink_)
        top = corner.y() + high * n + 4.0
        turned = any(width_of(label, font(CAPTION)) > wide - 4.0 for label in labels)
        for i in range(0, n, _every(wide if turned else 99.0)):
            chosen = i == look.key
            face, ink_ = font(CAPTION, bold=chosen), theme.key if chosen else theme.muted
            x = corner.x() + (i + 0.5) * wide
            if not turned:
                draw_text(
                    painter, QRectF(x - wide / 2, top, wide, 15), CENTRE, labels[i], face, ink_
                )
                continue
            painter.save()
            painter.translate(x, top)
            painter.rotate(-90)
            draw_text(painter, QRectF(-70.0, -8.0, 70.0, 16.0), RIGHT, labels[i], face, ink_)
            painter.restore()

    # Input

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the pair at the pointer."""
        cell = self._cell_at(self.point(event))
        if cell is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(*cell)

    def event(self, event: QEvent) -> bool:
        """Keep arrow keys; show the number under the pointer."""
        if claim_key(event, lambda key: Qt.Key(key.key()) in ARROWS):
            return True
        if isinstance(event, QHelpEvent):
            self.setToolTip(self._tip(QPointF(event.pos()) / self.unit))
        return super().event(event)

    def _tip(self, point: QPointF) -> str:
        cell, sentence, values = self._cell_at(point), self.state.sentence, self.values
        if cell is None or sentence is None or values is None:
            return ""
        return tr(
            "{query} to {key}: {number}",
            query=visible_token(sentence.labels[cell[0]]),
            key=visible_token(sentence.labels[cell[1]]),
            number=show(float(values[cell]), max(4, self.state.decimals)),
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move over the cells."""
        key, values = Qt.Key(event.key()), self.values
        if key not in ARROWS or values is None or event.modifiers():
            super().keyPressEvent(event)
            return
        look, n = self.state.look, len(values)
        down, right = ARROWS[key]
        query, place = look.query or 0, look.key or 0
        if look.query is not None and look.key is not None:
            query, place = min(max(query + down, 0), n - 1), min(max(place + right, 0), n - 1)
        self.chosen.emit(query, place)
        announce(self, self._spoken())


def _every(step: float) -> int:
    """Which labels are shown where rows or columns are narrow: every first, second …"""
    return max(1, math.ceil(LABELLED / step))
