"""Paints a scene: its number, a stamp of its matrix, title and caption, and marks for a question and live edits."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from core.compute.trace import Trace
from core.document.plan import STAGE_AXES
from core.explain.timeline import revealed
from core.lesson.lesson import Resolved
from gui.labs.scene import paint_lab_stamp
from gui.painting.color_scale import levels_of
from gui.painting.matrix import Frame, MatrixSpec, paint_matrix, seen
from gui.painting.scaling import in_units
from gui.painting.text_size import factor, px
from gui.painting.theme import BODY, CAPTION, Colours, colours, font
from gui.views.lesson.model import SceneModel

HEIGHT, GROUP_GAP = 54, 12
NUMBER, STAMP, GAP = 26, 46, 10
Index = QModelIndex | QPersistentModelIndex


class SceneDelegate(QStyledItemDelegate):
    """A row a scene; one that begins a group stands a little apart, under a line."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As wide as the list."""
        return QSize(px(120), px(HEIGHT) + (px(GROUP_GAP) if self._begins(index) else 0))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One scene."""
        model = index.model()
        assert isinstance(model, SceneModel), "this delegate paints scenes"
        current, state = model.state.scene_index == index.row(), option.state
        focused = bool(state & QStyle.StateFlag.State_HasFocus) or (
            current and bool(state & QStyle.StateFlag.State_Selected) and option.widget.hasFocus()
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        with in_units(painter, option.rect, factor()) as room:
            self._paint(painter, room.toRect(), index, model, current, focused)
        painter.restore()

    def _paint(
        self,
        painter: QPainter,
        rect: QRect,
        index: Index,
        model: SceneModel,
        current: bool,
        focused: bool,
    ) -> None:
        theme = colours(model.state.shade)
        if self._begins(index):
            _paint_line(painter, rect, theme)
            rect.setTop(rect.top() + GROUP_GAP)
        _paint_back(painter, rect, theme, current, focused)
        _paint_number(painter, rect, index.row() + 1, theme, current)
        stamp = QRectF(rect.left() + NUMBER, rect.top() + 7, STAMP, rect.height() - 14)
        _paint_stamp(painter, stamp, model, index.row(), theme)
        left = rect.left() + NUMBER + STAMP + GAP
        _paint_words(
            painter,
            QRectF(left, rect.top(), rect.right() - left - 6, rect.height()),
            model,
            index.row(),
            theme,
        )

    @staticmethod
    def _begins(index: Index) -> bool:
        model = index.model()
        return (
            isinstance(model, SceneModel)
            and index.row() > 0
            and model.scene(index.row()).breakpoint
        )


def _paint_line(painter: QPainter, rect: QRect, theme: Colours) -> None:
    y = rect.top() + GROUP_GAP / 2
    painter.setPen(QPen(QColor(theme.line), 1))
    painter.drawLine(QPointF(rect.left() + 4, y), QPointF(rect.right() - 4, y))


def _paint_back(
    painter: QPainter, rect: QRect, theme: Colours, current: bool, focused: bool
) -> None:
    if not current:
        return
    box = QRectF(rect).adjusted(1, 1.5, -1, -1.5)
    painter.setPen(QPen(QColor(theme.accent), 1.5) if focused else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent_soft))
    painter.drawRoundedRect(box, 8, 8)


def _paint_number(
    painter: QPainter, rect: QRect, number: int, theme: Colours, current: bool
) -> None:
    painter.setFont(font(CAPTION, bold=current))
    painter.setPen(QColor(theme.accent if current else theme.muted))
    place = QRectF(rect.left(), rect.top(), NUMBER - 6, rect.height())
    painter.drawText(
        place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number)
    )


def _paint_stamp(
    painter: QPainter, rect: QRectF, model: SceneModel, row: int, theme: Colours
) -> None:
    resolved = model.resolved(row)
    if resolved is not None and resolved.scene.demo is not None:
        paint_lab_stamp(painter, rect, resolved, model.state.shade)
        return
    trace = model.trace(resolved.document) if resolved else None
    if resolved is None or trace is None:
        return
    picture = seen(_picture(resolved, trace, theme), model.state.orientation)
    side = min(rect.width() / picture.columns, rect.height() / picture.rows)
    width, height = side * picture.columns, side * picture.rows
    room = QRectF(rect.center().x() - width / 2, rect.center().y() - height / 2, width, height)
    paint_matrix(painter, room, picture, theme, painter.device().devicePixelRatioF() * factor())


def _picture(resolved: Resolved, trace: Trace, theme: Colours) -> MatrixSpec:
    cursor = resolved.cursor
    array = trace[cursor.stage]
    values = array[cursor.head] if STAGE_AXES[cursor.stage][0] == "h" else array
    part = revealed(trace.plan, cursor, cursor.stage, (values.shape[0], values.shape[1]))
    frames: tuple[Frame, ...] = ()
    if resolved.focus.tensor == cursor.stage and max(values.shape) <= 16:
        cell = resolved.focus
        frames = (
            Frame((cell.row, cell.row + 1), (cell.column, cell.column + 1), theme.accent, 1.5),
        )
    return MatrixSpec(
        values, levels_of(array, cursor.stage), 0, shown=part, frames=frames, digits=None
    )


def _paint_words(
    painter: QPainter, rect: QRectF, model: SceneModel, row: int, theme: Colours
) -> None:
    scene = model.scene(row)
    if scene.question:
        rect = _paint_mark(painter, rect, "?", theme)
    if row in model.state.live_edits or (model.state.live and model.state.scene_index == row):
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.warning))
        painter.drawEllipse(QPointF(rect.right() - 6, rect.center().y()), 4, 4)
        rect = rect.adjusted(0, 0, -16, 0)
    title = str(model.data(model.index(row)))
    half = rect.height() / 2
    _paint_text(
        painter,
        rect.adjusted(0, 5, 0, -half + 2),
        title,
        theme.text,
        BODY,
        bold=model.state.scene_index == row,
    )
    _paint_text(painter, rect.adjusted(0, half, 0, -6), model.caption(row), theme.muted, CAPTION)


def _paint_mark(painter: QPainter, rect: QRectF, mark: str, theme: Colours) -> QRectF:
    """A sign in a circle at the right; what room is left."""
    circle = QRectF(rect.right() - 18, rect.center().y() - 9, 18, 18)
    painter.setPen(QPen(QColor(theme.weights), 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawEllipse(circle)
    painter.setFont(font(CAPTION, bold=True))
    painter.drawText(circle, Qt.AlignmentFlag.AlignCenter, mark)
    return rect.adjusted(0, 0, -26, 0)


def _paint_text(
    painter: QPainter, rect: QRectF, text: str, colour: str, size: int, *, bold: bool = False
) -> None:
    face = font(size, bold=bold)
    painter.setFont(face)
    painter.setPen(QColor(colour))
    line = QFontMetricsF(face).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
