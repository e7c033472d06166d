"""How a number of the grid is painted, with its mark, and how it is typed."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyleOptionViewItem, QWidget

from core.check.answers import written
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, Colours, colours
from gui.texts.names import cell_name
from gui.texts.translation import tr
from gui.views.check.marks import mark_colour, paint_mark
from gui.views.check.model import EntryModel, Index
from gui.widgets.editor import NumberEditor
from gui.widgets.typing import TypingDelegate

MARK, RIGHT = 10, 24  # the mark's size, and the room for it at the right
_ALIGNED = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class EntryDelegate(TypingDelegate):
    """Paints what was written on a tint of its mark, the mark at its right."""

    def __init__(self, model: EntryModel, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._model = model

    def require(self, text: str) -> None:
        """Anything that states a number, or nothing."""
        written(text)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The view decides about sizes."""
        return QSize(px(64), px(28))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Ground, text, mark, and a ring around the focused cell."""
        sheet = self._model.sheet
        theme, rect, place = colours(sheet.state.shade), option.rect, (index.row(), index.column())
        verdict, number = sheet.mark(*place), sheet.number(*place)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(rect, QColor(theme.surface))
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, QColor(theme.accent_soft))
        _paint_ground(painter, QRectF(rect), verdict, theme)
        asked = sheet.asks(*place)
        if number is not None:
            painter.setFont(face(BODY))
            painter.setPen(QColor(theme.text))
            text = painter.fontMetrics().elidedText(
                number.text, Qt.TextElideMode.ElideRight, rect.width() - px(RIGHT) - 4
            )
            painter.drawText(rect.adjusted(4, 0, -px(RIGHT), 0), _ALIGNED, text)
        elif asked:
            painter.setFont(face(BODY, bold=True))
            painter.setPen(QColor(theme.accent))
            painter.drawText(rect.adjusted(4, 0, -px(RIGHT), 0), _ALIGNED, "?")
        side = px(MARK)
        mark = QRectF(rect.right() - px(17), rect.center().y() - side / 2 + 0.5, side, side)
        paint_mark(painter, mark, verdict, theme)
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), QColor(theme.line))
        if place == sheet.place(sheet.state.focus):
            _paint_ring(painter, QRectF(rect), theme)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A line for one number."""
        sheet = self._model.sheet
        name = cell_name(self._model.cell(index), sheet.document, sheet.orientation)
        editor = NumberEditor(parent, colours(sheet.state.shade), name)
        editor.setAccessibleName(tr("Your number for {name}", name=name))
        editor.textEdited.connect(self.typed)
        return editor


def _paint_ground(painter: QPainter, rect: QRectF, verdict: str, theme: Colours) -> None:
    if verdict:
        tint = mark_colour(theme, verdict)
        tint.setAlphaF(0.10)
        painter.fillRect(rect, tint)


def _paint_ring(painter: QPainter, rect: QRectF, theme: Colours) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(theme.accent), 2))
    painter.drawRoundedRect(rect.adjusted(1, 1, -1, -2), 4, 4)
