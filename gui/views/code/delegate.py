"""Paints a row: highlighted code with its comment, or a typeset formula above its source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.painting.color_scale import mixed
from gui.painting.formulas import formula_size, paint_formula
from gui.painting.scaling import in_units, room_in_units
from gui.painting.text_size import factor
from gui.painting.theme import BODY, CAPTION, Colours, colours, font, mono
from gui.texts.exchange import LATEX, latex_pieces, python_pieces
from gui.texts.names import stage_label
from gui.views.code.model import CodeModel
from gui.views.code.rows import Row, page_of
from gui.views.code.wrapping import Line, wrap
from gui.widgets.code import code_width, paint_pieces

LEFT, RIGHT = 14, 8  # room beside the text; the bar of the current stage stands at the left
LINE = 20.0  # a line's height
APART = 6.0  # above the first row of a stage
AROUND = 8.0  # above and below a formula with its source
NAME = 22.0  # the stage's name above a formula
FORMULA = 18.0
SOFT = 0.4  # of the soft accent behind the current row, so that every colour on it can be read

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Look:
    """How a row looks: ahead of the step, in its stage, the step itself; whether the keyboard stands on it."""

    ahead: bool
    here: bool
    now: bool
    marked: bool


class CodeDelegate(QStyledItemDelegate):
    """Rows as wide as the list, as high as their broken lines."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The height of the lines at the list's width."""
        model, width = _model(index), _width(option)
        row = model.rows[index.row()]
        lines = laid_out(row, page_of(model.state) == LATEX, width - LEFT - RIGHT)
        height = len(lines) * LINE + (APART if row.opens else 0.0)
        if page_of(model.state) == LATEX:
            height += (
                NAME
                + _formula_room(row.code, width, colours(model.state.shade)).height()
                + 2 * AROUND
            )
        return QSize(round(width * factor()), ceil(height * factor()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Background, then text."""
        model = _model(index)
        row, theme = model.rows[index.row()], colours(model.state.shade)
        look = _look(model, index.row(), option)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        with in_units(painter, _rect(option), factor()) as room:
            rect = room.adjusted(0, APART if row.opens else 0.0, 0, 0)
            _paint_back(painter, rect, look, theme)
            if page_of(model.state) == LATEX:
                rect = _paint_formula(painter, rect, row, look, theme)
            lines = laid_out(row, page_of(model.state) == LATEX, rect.width() - LEFT - RIGHT)
            paint_lines(painter, QPointF(rect.x() + LEFT, rect.y()), lines, theme, muted=look.ahead)
        painter.restore()


def _model(index: Index) -> CodeModel:
    model = index.model()
    assert isinstance(model, CodeModel)
    return model


def _rect(option: QStyleOptionViewItem) -> QRect:
    rect: QRect = option.rect
    return rect


def _width(option: QStyleOptionViewItem) -> float:
    """The room in the list, in units; the option's own rectangle is empty while sizes are asked for."""
    widget: QWidget | None = option.widget
    rect = widget.viewport().rect() if isinstance(widget, QAbstractItemView) else _rect(option)
    return room_in_units(rect, factor()).width()


def _look(model: CodeModel, row: int, option: QStyleOptionViewItem) -> Look:
    marked = bool(option.state & QStyle.StateFlag.State_HasFocus)
    here = model.rows[row].stage == model.state.cursor.stage
    return Look(model.ahead(row), here, row == model.current, marked)


@lru_cache(maxsize=512)
def laid_out(row: Row, latex: bool, width: float) -> tuple[Line, ...]:
    """The row's pieces in lines of a width."""
    if latex:
        return wrap(latex_pieces(row.code), (), width, code_width)
    comment = python_pieces(f"# {row.comment}") if row.comment else ()
    return wrap(python_pieces(row.code), comment, width, code_width)


def _paint_back(painter: QPainter, rect: QRectF, look: Look, theme: Colours) -> None:
    if look.now:
        painter.fillRect(rect, mixed(theme.accent_soft, theme.surface, SOFT))
    if look.here:
        painter.fillRect(QRectF(rect.x() + 3, rect.y(), 3, rect.height()), QColor(theme.accent))
    if look.marked:
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(rect.adjusted(8, 0.75, -1.5, -0.75), 4, 4)


def _formula_room(latex: str, width: float, theme: Colours) -> QSizeF:
    """The size of a typeset formula, smaller where the list is narrow."""
    size = formula_size(latex, theme.text, FORMULA)
    return size * min(1.0, (width - LEFT - RIGHT) / max(size.width(), 1.0))


def _paint_formula(painter: QPainter, rect: QRectF, row: Row, look: Look, theme: Colours) -> QRectF:
    """The stage's name and its formula; what room is left for the source."""
    x, y = rect.x() + LEFT, rect.y() + AROUND
    painter.setFont(font(CAPTION, bold=look.now))
    painter.setPen(QColor(theme.accent if look.now else theme.muted))
    painter.drawText(QPointF(x, y + CAPTION), stage_label(row.stage))
    size = _formula_room(row.code, rect.width(), theme)
    colour = theme.muted if look.ahead else theme.text
    paint_formula(painter, QRectF(QPointF(x, y + NAME), size), row.code, colour, FORMULA)
    return rect.adjusted(0, AROUND + NAME + size.height(), 0, -AROUND)


def paint_lines(
    painter: QPainter, at: QPointF, lines: tuple[Line, ...], theme: Colours, *, muted: bool
) -> None:
    """Lines from a point on downwards, in colour or all muted."""
    metrics = QFontMetricsF(mono(BODY))
    drop = (LINE + metrics.ascent() - metrics.descent()) / 2
    for i, line in enumerate(lines):
        x = at.x() + code_width(" " * line.indent)
        paint_pieces(painter, x, at.y() + i * LINE + drop, line.pieces, theme, muted=muted)
