"""The entered matrices of a new experiment, drawn small."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.arrays import Array
from core.document import Document
from gui.dialogs.parts import theme_of
from gui.language import tr
from gui.matrix import Picture, paint_matrix
from gui.text_size import factor, px
from gui.theme import BODY, CAPTION, font, role_colour
from gui.units import in_units
from gui.values import levels_of
from gui.widgets import subscripts

_CELL, _TITLE, _GAP = 30.0, 24.0, 28.0


class Sketch(QWidget):
    """Draws the tensors of the first head, and X, side by side with their symbols and sizes."""

    def __init__(self) -> None:
        super().__init__()
        self._document: Document | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        """Room for two rows of small matrices."""
        return QSize(px(360), px(260))

    def minimumSizeHint(self) -> QSize:
        """Room for symbols and sizes."""
        return QSize(px(260), px(180))

    def show_document(self, document: Document | None) -> None:
        """Draw this one, or nothing."""
        self._document = document
        self.setAccessibleName(tr("Preview: {tensors}", tensors=tr(", ").join(self._words())))
        self.update()

    def _words(self) -> Iterator[str]:
        for name, array in self._tensors():
            yield f"{name} {array.shape[0]} × {array.shape[1]}"

    def _tensors(self) -> Iterator[tuple[str, Array]]:
        names = () if self._document is None else ("X", "Q", "K", "V", "W_Q", "W_K", "W_V")
        for name in names:
            array = self._document.tensor(name) if self._document else None
            if array is not None:
                yield name, array

    def paintEvent(self, event: QPaintEvent) -> None:
        """Two columns: each matrix in the largest cells that fit its place."""
        painter = QPainter(self)
        with in_units(painter, self.rect(), factor()) as room:
            self._paint_all(painter, room)
        painter.end()

    def _paint_all(self, painter: QPainter, room: QRectF) -> None:
        tensors = list(self._tensors())
        rows = (len(tensors) + 1) // 2
        width = (room.width() - _GAP) / 2
        for number, (name, array) in enumerate(tensors):
            height = (room.height() - (rows - 1) * 14) / rows
            place = QRectF((number % 2) * (width + _GAP), (number // 2) * (height + 14), width, height)
            self._paint(painter, place, name, array)

    def _paint(self, painter: QPainter, place: QRectF, name: str, array: Array) -> None:
        theme = theme_of(self)
        rows, columns = array.shape
        painter.setFont(font(BODY, bold=True))
        painter.setPen(role_colour(theme, name))
        line = QRectF(place.x(), place.y(), place.width(), _TITLE)
        face = font(BODY, bold=True)
        middle = line.y() + painter.fontMetrics().height() / 2
        subscripts.draw(painter, QPointF(line.x(), middle), name, face)
        drawn = subscripts.width_of(name, face)
        painter.setFont(font(CAPTION))
        painter.setPen(QColor(theme.muted))
        painter.drawText(line.adjusted(drawn + 8, 1, 0, 0), Qt.AlignmentFlag.AlignLeft, f"{rows} × {columns}")
        cell = min(_CELL, (place.height() - _TITLE) / rows)
        width = min(columns * max(cell, 12.0), place.width())
        rect = QRectF(place.x(), place.y() + _TITLE, width, cell * rows)
        paint_matrix(painter, rect, Picture(array, levels_of(array, name), 0), theme)
