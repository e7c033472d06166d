"""The mask as a grid of queries and keys, to look at and to edit."""

from __future__ import annotations

import itertools

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from core.document.edits import allowed, with_allowed
from core.document.orientation import Orientation
from gui.painting.text_size import factor, in_units, px
from gui.painting.theme import CAPTION, Colours, colours, font
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import key_axis, query_axis, visible_token
from gui.texts.translation import labelled, mark, tr
from gui.widgets.announcer import announce
from gui.widgets.shortcut_filter import claim_key

LARGEST_GRID = 64  # tokens; a longer sentence is shown as a picture
LARGEST_CELL, SMALLEST_CELL, LARGEST_SIDE, SMALLEST_SIDE, LONGEST_LABEL = 36, 14, 288, 84, 64
_stroke_numbers = itertools.count(1)
Key = Qt.Key
MOVES = {Key.Key_Left: (0, -1), Key.Key_Right: (0, 1), Key.Key_Up: (-1, 0), Key.Key_Down: (1, 0)}


class MaskGrid(QWidget):
    """Cells are switched by click, by a stroke over several, or by arrow keys and Space.

    A stroke is one undo step.

    Beyond LARGEST_GRID tokens in either sentence it is a scaled picture that can still be clicked;
    the tooltip names the pair under the pointer. Geometry is in units of `factor()` pixels.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._at = (0, 0)
        self._stroke: tuple[bool, str] | None = None
        self._side = float(LARGEST_SIDE)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def show_state(self, old: State | None, new: State) -> None:
        """Show another mask, other tokens, another theme."""
        self._at = (min(self._at[0], new.document.n - 1), min(self._at[1], new.document.m - 1))
        if old is None or old.document is not new.document or _style(old) != _style(new):
            self.describe()
            self.updateGeometry()
            self.update()

    def describe(self) -> None:
        """Set the accessible name and the description of the current pair."""
        self.setAccessibleName(tr("Mask: which key each query may attend to"))
        if self._session.state.document.mask.kind != "none":
            self.setAccessibleDescription(self._pair(*self._at))

    def _pair(self, row: int, column: int) -> str:
        document = self._session.state.document
        query, key = visible_token(document.tokens[row]), visible_token(document.key_tokens[column])
        if allowed(document)[row, column]:
            return tr("query {query} may attend to key {key}", query=query, key=key)
        return tr("query {query} may not attend to key {key}", query=query, key=key)

    # Geometry

    def fit(self, size: QSize) -> None:
        """Grow no larger than a size in units, unless the cells would be too small."""
        side = self._side_in(size)
        if side != self._side:
            self._side = side
            self.updateGeometry()
            self.update()

    def size_in(self, size: QSize) -> float:
        """The size of a cell, fitted to a size."""
        return self._cell_size(self._side_in(size))

    def fits_width(self, size: QSize) -> bool:
        """Whether a size is wide enough."""
        return self._label_width(0) + self._shape[1] * self.size_in(size) + 2 <= size.width()

    def _side_in(self, size: QSize) -> float:
        """The length of the longer side."""
        rows, columns = self._shape
        wide = size.width() - self._label_width(0) - 2.0
        high = size.height() - 26.0 - (self._label_width(1) if self._labels() else 4.0)
        side = min(wide / columns, high / rows) * max(rows, columns)
        return min(float(LARGEST_SIDE), max(float(SMALLEST_SIDE), side))

    def _cell_size(self, side: float) -> float:
        size = side / max(self._shape)
        return min(max(size, SMALLEST_CELL), LARGEST_CELL) if self._labels() else size

    @property
    def _shape(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        state = self._session.state
        return state.orientation.pair(state.document.n, state.document.m)

    def _tokens(self, axis: int) -> tuple[str, ...]:
        """The tokens beside the rows (axis 0) or above the columns (1)."""
        state = self._session.state
        return state.orientation.pair(state.document.tokens, state.document.key_tokens)[axis]

    def _labels(self) -> bool:
        return max(self._shape) <= LARGEST_GRID

    def _label_width(self, axis: int) -> float:
        if not self._labels():
            return 0.0
        metrics, tokens = QFontMetricsF(font(CAPTION)), self._tokens(axis)
        widest = max(
            metrics.horizontalAdvance(visible_token(tokens[i])) for i in range(len(tokens))
        )
        return min(LONGEST_LABEL, widest) + 8

    def cells(self) -> QRectF:
        """The rectangle of the cells, right of the row labels and below the column labels."""
        size, (rows, columns) = self._cell_size(self._side), self._shape
        return QRectF(
            self._label_width(0), 22.0 + self._label_height(size), size * columns, size * rows
        )

    def _label_height(self, size: float) -> float:
        """Labels above the columns are horizontal where the widest fits its cell, else vertical."""
        if not self._labels():
            return 4.0
        return 20.0 if self._label_width(1) - 8 <= size - 2 else self._label_width(1)

    def cell(self, row: int, column: int) -> QRectF:
        """The rectangle of the pair of a query (`row`) and a key (`column`)."""
        return self._square(*self._session.state.orientation.pair(row, column))

    def _square(self, row: int, column: int) -> QRectF:
        """The rectangle of a cell of the grid."""
        rect, size = self.cells(), self._cell_size(self._side)
        return QRectF(rect.left() + column * size, rect.top() + row * size, size, size)

    def sizeHint(self) -> QSize:
        """The size of labels and cells."""
        rect = self.cells()
        return QSize(px(int(rect.right()) + 2), px(int(rect.bottom()) + 4))

    def minimumSizeHint(self) -> QSize:
        """The same; the page scrolls."""
        return self.sizeHint()

    def _place(self, point: QPointF) -> tuple[int, int] | None:
        rect, point = self.cells(), point / factor()
        if not rect.contains(point):
            return None
        size, (rows, columns) = self._cell_size(self._side), self._shape
        row, column = int((point.y() - rect.top()) / size), int((point.x() - rect.left()) / size)
        row, column = min(row, rows - 1), min(column, columns - 1)
        return self._session.state.orientation.pair(row, column)

    # Input

    def _set(self, place: tuple[int, int], allow: bool, merge: str) -> None:
        self._at = place
        self._session.change(with_allowed, *place, allow, text=mark("Change the mask"), merge=merge)
        self._announce()

    def _announce(self) -> None:
        """Show and announce the current pair."""
        self.describe()
        announce(self, self._pair(*self._at))
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Switch the cell and begin a stroke, which gives other cells the same value."""
        place = self._place(event.position())
        if place is None or event.button() != Qt.MouseButton.LeftButton:
            return
        allow = not bool(allowed(self._session.state.document)[place])
        self._stroke = (allow, f"mask:{next(_stroke_numbers)}")
        self._set(place, *self._stroke)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Continue the stroke, or name the pair under the pointer."""
        place = self._place(event.position())
        if place is None:
            return
        if self._stroke is None:
            QToolTip.showText(event.globalPosition().toPoint(), self._pair(*place), self)
        elif place != self._at:
            self._set(place, *self._stroke)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the stroke."""
        self._stroke = None

    def event(self, event: QEvent) -> bool:
        """Claim arrow keys and Space while the grid has the keyboard focus."""
        return claim_key(event, _is_grid_key) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys move to another pair, Space switches it."""
        if event.key() == Key.Key_Space:
            self._set(self._at, not bool(allowed(self._session.state.document)[self._at]), "")
        elif event.key() in MOVES:
            rows, columns = self._session.state.orientation.pair(*MOVES[Key(event.key())])
            row, column = self._at[0] + rows, self._at[1] + columns
            document = self._session.state.document
            self._at = (min(max(row, 0), document.n - 1), min(max(column, 0), document.m - 1))
            self._announce()
        else:
            super().keyPressEvent(event)

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill allowed cells, hatch forbidden ones."""
        state = self._session.state
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), factor()) as area:
                self._paint(painter, area.width(), state, colours(state.shade))

    def _paint(self, painter: QPainter, width: float, state: State, theme: Colours) -> None:
        painter.setFont(font(CAPTION))
        painter.setPen(QColor(theme.muted))
        painter.drawText(
            QRectF(0, 0, width, 16), Qt.AlignmentFlag.AlignLeft, self._axes(state, width)
        )
        if self._labels():
            self._paint_labels(painter, theme)
            self._paint_cells(painter, theme)
        else:
            self._paint_image(painter, theme)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(theme.accent), 2))
            painter.drawRoundedRect(self.cell(*self._at).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)

    def _axes(self, state: State, width: float) -> str:
        """The names of rows and columns, in both languages where they fit."""
        texts = [_axes(state.orientation)]
        with labelled("one"):
            texts.append(_axes(state.orientation))
        metrics = QFontMetricsF(font(CAPTION))
        return next((text for text in texts if metrics.horizontalAdvance(text) <= width), texts[-1])

    def _paint_labels(self, painter: QPainter, theme: Colours) -> None:
        left, metrics = self.cells().left(), QFontMetricsF(font(CAPTION))
        painter.setPen(QColor(theme.text))
        for index, text in enumerate(self._texts(0, metrics)):
            row = QRectF(0, self._square(index, 0).top(), left - 6, self._square(index, 0).height())
            painter.drawText(row, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        for index, text in enumerate(self._texts(1, metrics)):
            column = self._square(0, index)
            painter.save()
            painter.translate(column.center().x(), column.top() - 4)
            painter.rotate(-90 if metrics.horizontalAdvance(text) > column.width() - 2 else 0)
            self._paint_key(painter, text, metrics, column.width())
            painter.restore()

    def _texts(self, axis: int, metrics: QFontMetricsF) -> list[str]:
        tokens = self._tokens(axis)
        labels = (visible_token(tokens[index]) for index in range(len(tokens)))
        return [
            metrics.elidedText(text, Qt.TextElideMode.ElideRight, LONGEST_LABEL) for text in labels
        ]

    @staticmethod
    def _paint_key(painter: QPainter, text: str, metrics: QFontMetricsF, width: float) -> None:
        turned = metrics.horizontalAdvance(text) > width - 2
        if turned:
            painter.drawText(
                QRectF(0, -width / 2, LONGEST_LABEL + 8, width), Qt.AlignmentFlag.AlignVCenter, text
            )
        else:
            painter.drawText(QRectF(-width / 2, -16, width, 16), Qt.AlignmentFlag.AlignCenter, text)

    def _paint_cells(self, painter: QPainter, theme: Colours) -> None:
        allow = allowed(self._session.state.document)
        painter.setPen(Qt.PenStyle.NoPen)
        for row in range(allow.shape[0]):
            for column in range(allow.shape[1]):
                cell = self.cell(row, column).adjusted(1, 1, -1, -1)
                painter.setBrush(QColor(theme.weights if allow[row, column] else theme.sunken))
                painter.drawRoundedRect(cell, 3, 3)
                if not allow[row, column]:
                    painter.setBrush(QBrush(QColor(theme.ghost), Qt.BrushStyle.BDiagPattern))
                    painter.drawRoundedRect(cell, 3, 3)

    def _paint_image(self, painter: QPainter, theme: Colours) -> None:
        state = self._session.state
        allow = np.ascontiguousarray(
            state.orientation.matrix(allowed(state.document)), dtype=np.uint8
        )
        rows, columns = allow.shape
        image = QImage(allow.tobytes(), columns, rows, columns, QImage.Format.Format_Indexed8)
        image.setColorTable([QColor(theme.ghost).rgb(), QColor(theme.weights).rgb()])
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        painter.drawImage(self.cells(), image)


def _axes(seen: Orientation) -> str:
    return "   ".join(seen.pair(query_axis(seen), key_axis(seen)))


def _style(state: State) -> tuple[object, ...]:
    return state.wording, state.shade, state.orientation


def _is_grid_key(event: QKeyEvent) -> bool:
    return (event.key() in MOVES or event.key() == Key.Key_Space) and not event.modifiers()
