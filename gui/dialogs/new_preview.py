"""Preview of a new experiment: its matrices."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.arrays import Array
from core.document.document import Document
from gui.painting.color_scale import levels_of
from gui.painting.matrix import MatrixSpec, paint_matrix
from gui.painting.text_size import factor, in_units, px
from gui.painting.theme import BODY, CAPTION, font, role_colour
from gui.texts.names import STAGE_SYMBOLS
from gui.texts.translation import tr
from gui.widgets.forms import theme_of
from gui.widgets.subscripts import draw, width_of

_CELL, _TITLE, _BETWEEN, _BELOW = 30.0, 24.0, 28.0, 14.0


class Sketch(QWidget):
    """Paint X and the tensors of the first head with symbols and sizes."""

    def __init__(self) -> None:
        super().__init__()
        self._document: Document | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """A size for two rows of small matrices."""
        return QSize(px(360), px(260))

    def minimumSizeHint(self) -> QSize:
        """A size for symbols and sizes."""
        return QSize(px(260), px(180))

    def show_document(self, document: Document | None) -> None:
        """Show a document, or nothing."""
        self._document = document
        self.setAccessibleName(tr("Preview: {tensors}", tensors=tr(", ").join(self._words())))
        self.update()

    def _words(self) -> Iterator[str]:
        for name, array in self._tensors():
            yield f"{STAGE_SYMBOLS.get(name, name)} {array.shape[0]} × {array.shape[1]}"

    def _tensors(self) -> Iterator[tuple[str, Array]]:
        names = (
            () if self._document is None else ("X", "X_context", "Q", "K", "V", "W_Q", "W_K", "W_V")
        )
        for name in names:
            array = self._document.tensor(name) if self._document else None
            if array is not None:
                yield name, array

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint two rows of matrices in the largest cells that fit."""
        with QPainter(self) as painter, in_units(painter, self.rect(), factor()) as room:
            self._paint_all(painter, room)

    def _paint_all(self, painter: QPainter, room: QRectF) -> None:
        tensors = list(self._tensors())
        columns = max(2, (len(tensors) + 1) // 2)
        width, height = (
            (room.width() - (columns - 1) * _BETWEEN) / columns,
            (room.height() - _BELOW) / 2,
        )
        for number, (name, array) in enumerate(tensors):
            row, column = divmod(number, columns)
            place = QRectF(column * (width + _BETWEEN), row * (height + _BELOW), width, height)
            self._paint(painter, place, name, array)

    def _paint(self, painter: QPainter, place: QRectF, name: str, array: Array) -> None:
        theme = theme_of(self)
        rows, columns = array.shape
        symbol, face = STAGE_SYMBOLS.get(name, name), font(BODY, bold=True)
        middle = place.topLeft() + QPointF(0, _TITLE / 2 - 2)
        painter.setPen(role_colour(theme, name))
        draw(painter, middle, symbol, face)
        painter.setPen(QColor(theme.muted))
        draw(
            painter,
            middle + QPointF(width_of(symbol, face) + 8, 0),
            f"{rows} × {columns}",
            font(CAPTION),
        )
        cell = min(_CELL, (place.height() - _TITLE) / rows)
        width = min(columns * max(cell, 12.0), place.width())
        rect = QRectF(place.x(), place.y() + _TITLE, width, cell * rows)
        paint_matrix(painter, rect, MatrixSpec(array, levels_of(array, name), 0), theme)
