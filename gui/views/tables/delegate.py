"""Paints the numbers of a table and opens their editors."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from core.base.arrays import BoolArray
from core.base.number_format import exact, show
from core.exchange.expression import parse_number
from gui.painting.color_scale import value_colour
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, Colours, colours, role_colour
from gui.texts.names import cell_name
from gui.views.tables.contents import TableContents
from gui.views.tables.model import Index, TensorModel
from gui.widgets.number_table import NumberEditor, TypingDelegate

BAR, HANDLE, CORNER, RIGHT = 4, 12, 12, 13  # pixels at a text size of 100 %


def pin_corner(rect: QRect) -> QRect:
    """The corner of a cell in which a click removes a pin."""
    return QRect(rect.right() + 1 - px(CORNER), rect.top(), px(CORNER), px(CORNER))


def handle(rect: QRect) -> QRect:
    """The part of the focused cell where a drag changes its value."""
    return QRect(rect.left() + 2, rect.top(), px(HANDLE), rect.height())


class NumberDelegate(TypingDelegate):
    """Paints the contents of the model; the view decides about sizes."""

    def __init__(self, model: TensorModel, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self._flash: BoolArray | None = None
        self._alpha = 0.0

    def flash(self, changed: BoolArray | None, alpha: float) -> None:
        """Set the cells that have just changed, and how strongly they are marked."""
        self._flash, self._alpha = changed, alpha

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """A fixed size that the view does not use."""
        return QSize(px(64), px(28))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint the value's colour as a bar, the number, and the marks."""
        contents = self._model.contents
        theme = colours(contents.shade)
        rect: QRect = option.rect
        place = (index.row(), index.column())
        value = float(contents.values[place])
        painter.save()
        self._paint_background(painter, rect, place, contents, theme, option)
        if not contents.is_hidden(*place):
            _paint_bar(painter, rect, value, contents, theme)
            painter.setFont(face(BODY, bold=place == contents.focus))
            painter.setPen(QColor(theme.text))
            painter.drawText(
                rect.adjusted(0, 0, -px(RIGHT), 0), _RIGHT, show(value, contents.decimals)
            )
        _paint_marks(painter, rect, place, contents, theme)
        painter.restore()

    def _paint_background(
        self,
        painter: QPainter,
        rect: QRect,
        place: tuple[int, int],
        contents: TableContents,
        theme: Colours,
        option: QStyleOptionViewItem,
    ) -> None:
        painter.fillRect(rect, QColor(theme.surface))
        if place in contents.feeds:
            tint = role_colour(theme, contents.tensor)
            tint.setAlphaF(0.16)
            painter.fillRect(rect, tint)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(theme.accent_soft))
        if (
            self._flash is not None
            and self._flash.shape == contents.values.shape
            and self._flash[place]
        ):
            tint = QColor(theme.flash)
            tint.setAlphaF(0.75 * self._alpha)
            painter.fillRect(rect, tint)
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), QColor(theme.line))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """Create a line edit for one number."""
        contents = self._model.contents
        name = cell_name(self._model.cell(index), contents.document, contents.orientation)
        editor = NumberEditor(parent, colours(contents.shade), name)
        editor.textEdited.connect(self.typed)
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Make the editor wide enough for the exact digits, moved left where the table ends."""
        rect: QRect = option.rect
        contents, place = self._model.contents, (index.row(), index.column())
        digits = "" if contents.is_hidden(*place) else exact(float(contents.values[place]))
        wanted = editor.fontMetrics().horizontalAdvance(digits) + 28
        available = self._view.viewport().width()
        width = min(max(rect.width(), wanted), available)
        left = max(0, min(rect.left(), available - width))
        editor.setGeometry(left, rect.top(), width, rect.height())

    def require(self, text: str) -> None:
        """Accept any text that is a number."""
        parse_number(text)


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _paint_bar(
    painter: QPainter, rect: QRect, value: float, contents: TableContents, theme: Colours
) -> None:
    """Paint the value's colour on the common scale; hatched where attention is masked."""
    bar = QRectF(rect.right() - px(8), rect.top() + px(7), px(BAR), rect.height() - px(14))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.line), 1))
    masked = value == float("-inf")
    painter.setBrush(
        QBrush(QColor(theme.muted), Qt.BrushStyle.BDiagPattern)
        if masked
        else value_colour(theme, contents.levels, value)
    )
    painter.drawRoundedRect(bar, 2, 2)


def _paint_marks(
    painter: QPainter, rect: QRect, place: tuple[int, int], contents: TableContents, theme: Colours
) -> None:
    if place in contents.filled:
        painter.setPen(QPen(QColor(theme.muted), 1.5, Qt.PenStyle.DotLine))
        y, right = rect.bottom() - 4.5, rect.right() - px(RIGHT)
        painter.drawLine(QPointF(right - px(28), y), QPointF(right + 1, y))
    if place == contents.focus:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -2), 4, 4)
        _paint_handle(painter, handle(rect), theme)
    painter.setPen(Qt.PenStyle.NoPen)
    if place in contents.pinned:
        corner = QPointF(rect.right() + 1, rect.top())
        painter.setBrush(QColor(theme.warning))
        painter.drawPolygon(
            QPolygonF([corner, corner - QPointF(px(CORNER), 0), corner + QPointF(0, px(CORNER))])
        )


def _paint_handle(painter: QPainter, rect: QRect, theme: Colours) -> None:
    """Paint two small arrows: the value can be dragged up and down."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent))
    x, y = rect.center().x() + 0.5, rect.center().y() + 0.5
    for way in (-1, 1):
        tip, wide, high = QPointF(x, y + way * px(7)), px(3.5), way * px(4.5)
        painter.drawPolygon(
            QPolygonF([tip, tip + QPointF(wide, -high), tip + QPointF(-wide, -high)])
        )
