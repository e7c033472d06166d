"""How a number of a table is painted, and how it is typed."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from core.base.arrays import BoolArray
from core.base.number_format import exact, show
from core.exchange import parse_number
from gui.painting.color_scale import value_colour
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, Colours, colours, role_colour
from gui.texts.names import cell_name
from gui.views.tables.contents import TableContents
from gui.views.tables.model import Index, TensorModel
from gui.widgets.number_table import NumberEditor, TypingDelegate

BAR, HANDLE, CORNER, RIGHT = 4, 12, 12, 13


def pin_corner(rect: QRect) -> QRect:
    """Where a click takes a pin away: around the folded corner, and nothing else of the cell."""
    return QRect(rect.right() + 1 - px(CORNER), rect.top(), px(CORNER), px(CORNER))


def handle(rect: QRect) -> QRect:
    """Where the focused cell is taken hold of to drag its value."""
    return QRect(rect.left() + 2, rect.top(), px(HANDLE), rect.height())


class NumberDelegate(TypingDelegate):
    """Paints cells and opens editors."""

    def __init__(self, model: TensorModel, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._model = model
        self._flash: BoolArray | None = None
        self._alpha = 0.0

    def flash(self, changed: BoolArray | None, alpha: float) -> None:
        """Cells that have just changed, and how strongly they are marked."""
        self._flash, self._alpha = changed, alpha

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The view decides about sizes."""
        return QSize(px(64), px(28))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The value's colour as a bar, the number, and the marks."""
        shown, theme = self._model.contents, colours(self._model.contents.shade)
        rect: QRect = option.rect
        place = (index.row(), index.column())
        value = float(shown.values[place])
        painter.save()
        self._paint_ground(painter, rect, place, shown, theme, option)
        if not shown.is_hidden(*place):
            _paint_bar(painter, rect, value, shown, theme)
            painter.setFont(face(BODY, bold=place == shown.focus))
            painter.setPen(QColor(theme.text))
            painter.drawText(
                rect.adjusted(0, 0, -px(RIGHT), 0), _RIGHT, show(value, shown.decimals)
            )
        _paint_marks(painter, rect, place, shown, theme)
        painter.restore()

    def _paint_ground(
        self,
        painter: QPainter,
        rect: QRect,
        place: tuple[int, int],
        shown: TableContents,
        theme: Colours,
        option: QStyleOptionViewItem,
    ) -> None:
        painter.fillRect(rect, QColor(theme.surface))
        if place in shown.feeds:
            tint = role_colour(theme, shown.tensor)
            tint.setAlphaF(0.16)
            painter.fillRect(rect, tint)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(theme.accent_soft))
        if (
            self._flash is not None
            and self._flash.shape == shown.values.shape
            and self._flash[place]
        ):
            tint = QColor(theme.flash)
            tint.setAlphaF(0.75 * self._alpha)
            painter.fillRect(rect, tint)
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), QColor(theme.line))

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A line for one number."""
        shown = self._model.contents
        name = cell_name(self._model.cell(index), shown.document, shown.orientation)
        editor = NumberEditor(parent, colours(shown.shade), name)
        editor.textEdited.connect(self.typed)
        return editor

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        """Wide enough for the exact digits, to the left where there is no room on the right."""
        rect: QRect = option.rect
        digits = exact(float(self._model.contents.values[index.row(), index.column()]))
        wanted = editor.fontMetrics().horizontalAdvance(digits) + 28
        room = self._view.viewport().width()
        width = min(max(rect.width(), wanted), room)
        left = max(0, min(rect.left(), room - width))
        editor.setGeometry(left, rect.top(), width, rect.height())

    def require(self, text: str) -> None:
        """Anything that states a number."""
        parse_number(text)


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def _paint_bar(
    painter: QPainter, rect: QRect, value: float, shown: TableContents, theme: Colours
) -> None:
    """The value's colour on the common scale; hatched where attention is masked."""
    bar = QRectF(rect.right() - px(8), rect.top() + px(7), px(BAR), rect.height() - px(14))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.line), 1))
    masked = value == float("-inf")
    painter.setBrush(
        QBrush(QColor(theme.muted), Qt.BrushStyle.BDiagPattern)
        if masked
        else value_colour(theme, shown.levels, value)
    )
    painter.drawRoundedRect(bar, 2, 2)


def _paint_marks(
    painter: QPainter, rect: QRect, place: tuple[int, int], shown: TableContents, theme: Colours
) -> None:
    if place in shown.filled:
        painter.setPen(QPen(QColor(theme.muted), 1.5, Qt.PenStyle.DotLine))
        y, right = rect.bottom() - 4.5, rect.right() - px(RIGHT)
        painter.drawLine(QPointF(right - px(28), y), QPointF(right + 1, y))
    if place == shown.focus:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), 2))
        painter.drawRoundedRect(QRectF(rect).adjusted(1, 1, -1, -2), 4, 4)
        _paint_handle(painter, handle(rect), theme)
    painter.setPen(Qt.PenStyle.NoPen)
    if place in shown.pinned:
        corner = QPointF(rect.right() + 1, rect.top())
        painter.setBrush(QColor(theme.warning))
        painter.drawPolygon(
            QPolygonF([corner, corner - QPointF(px(CORNER), 0), corner + QPointF(0, px(CORNER))])
        )


def _paint_handle(painter: QPainter, rect: QRect, theme: Colours) -> None:
    """Two small arrows: here the value can be dragged up and down."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent))
    x, y = rect.center().x() + 0.5, rect.center().y() + 0.5
    for way in (-1, 1):
        tip, wide, high = QPointF(x, y + way * px(7)), px(3.5), way * px(4.5)
        painter.drawPolygon(
            QPolygonF([tip, tip + QPointF(wide, -high), tip + QPointF(-wide, -high)])
        )
