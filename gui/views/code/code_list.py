"""The list of code rows: model, painting and keys."""

from __future__ import annotations

from functools import lru_cache
from math import ceil

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    QSizeF,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui.painting.color_scale import mixed
from gui.painting.formulas import formula_size, paint_formula
from gui.painting.shapes import draw_box, write
from gui.painting.text_size import factor, in_units, size_in_units
from gui.painting.theme import BODY, CAPTION, Colours, colours, font, mono
from gui.session.state import State
from gui.texts.exchange import LATEX, latex_pieces, python_pieces
from gui.texts.names import stage_label
from gui.views.code.rows import (
    CodeRow,
    WrappedLine,
    covered,
    current_row,
    is_ahead,
    page_of,
    rows_of,
    spoken_row,
    wrap,
)
from gui.widgets.code import code_width, paint_pieces
from gui.widgets.layouts import set_up_list

Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()
_READ = ("document", "orientation", "wording")  # the rows depend on these and on the page


class CodeModel(QAbstractListModel):
    """The rows of the state shown last."""

    def __init__(self, state: State, parent: QObject) -> None:
        super().__init__(parent)
        self.state = state
        self.rows: tuple[CodeRow, ...] = ()

    def show_state(self, old: State | None, new: State) -> bool:
        """Show a state; return whether the rows changed."""
        self.state = new
        same = old is not None and page_of(old) == page_of(new) and covered(old) == covered(new)
        if same and all(getattr(old, name) == getattr(new, name) for name in _READ):
            return False
        rows = rows_of(new)
        if rows == self.rows and (old is None or old.wording == new.wording):
            return False
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()
        return True

    @property
    def current(self) -> int:
        """The row of the current step; -1 if there is none."""
        return current_row(self.state, self.rows)

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        """The number of rows."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The text, a sentence for screen readers, and the stage's name as tooltip."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, roles = self.rows[index.row()], Qt.ItemDataRole
        if role == roles.DisplayRole:
            return row.text
        if role == roles.AccessibleTextRole:
            return spoken_row(self.state, row)
        return stage_label(row.stage) if role == roles.ToolTipRole and row.stage else None


LEFT, RIGHT = 14, 8  # beside the text; the bar of the current stage is at the left
LINE = 20.0  # a line's height
APART = 6.0  # above the first row of a stage
AROUND = 8.0  # above and below a formula with its source
NAME = 22.0  # the stage's name above a formula
FORMULA = 18.0
SOFT = 0.4  # share of the soft accent behind the current row, which keeps all colours legible


class CodeDelegate(QStyledItemDelegate):
    """Paint rows as wide as the list and as high as their wrapped lines."""

    def __init__(self, model: CodeModel, parent: QListView) -> None:
        super().__init__(parent)
        self._model, self._list = model, parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The height of the lines at the list's width."""
        width = size_in_units(self._list.viewport().rect(), factor()).width()
        row, state = self._model.rows[index.row()], self._model.state
        lines = wrapped_row(row, page_of(state) == LATEX, width - LEFT - RIGHT)
        height = len(lines) * LINE + (APART if row.opens else 0.0)
        if page_of(state) == LATEX:
            formula = _formula_size(row.code, width, colours(state.shade))
            height += NAME + formula.height() + 2 * AROUND
        return QSize(round(width * factor()), ceil(height * factor()))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint background, formula and code."""
        row, state = self._model.rows[index.row()], self._model.state
        theme, latex = colours(state.shade), page_of(state) == LATEX
        current, ahead = index.row() == self._model.current, is_ahead(state, row)
        with in_units(painter, option.rect, factor()) as room:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            rect = room.adjusted(0, APART if row.opens else 0.0, 0, 0)
            if current:
                painter.fillRect(rect, mixed(theme.accent_soft, theme.surface, SOFT))
            if row.stage == state.cursor.stage:
                bar = QRectF(rect.x() + 3, rect.y(), 3, rect.height())
                painter.fillRect(bar, QColor(theme.accent))
            if option.state & QStyle.StateFlag.State_HasFocus:
                ring = rect.adjusted(8, 0.75, -1.5, -0.75)
                draw_box(painter, ring, QPen(QColor(theme.accent), 1.5), None, 4)
            if latex:
                rect = _paint_formula(painter, rect, row, theme, current=current, ahead=ahead)
            lines = wrapped_row(row, latex, rect.width() - LEFT - RIGHT)
            paint_lines(painter, QPointF(rect.x() + LEFT, rect.y()), lines, theme, muted=ahead)


@lru_cache(maxsize=512)
def wrapped_row(row: CodeRow, latex: bool, width: float) -> tuple[WrappedLine, ...]:
    """The pieces of a row, wrapped to a width."""
    if latex:
        return wrap(latex_pieces(row.code), (), width, code_width)
    comment = python_pieces(f"# {row.comment}") if row.comment else ()
    return wrap(python_pieces(row.code), comment, width, code_width)


def _formula_size(latex: str, width: float, theme: Colours) -> QSizeF:
    """The size of a typeset formula, smaller where the list is narrow."""
    size = formula_size(latex, theme.text, FORMULA)
    return size * min(1.0, (width - LEFT - RIGHT) / max(size.width(), 1.0))


def _paint_formula(
    painter: QPainter, rect: QRectF, row: CodeRow, theme: Colours, *, current: bool, ahead: bool
) -> QRectF:
    """Paint the stage's name and its formula; return the rectangle left for the source."""
    x, y = rect.x() + LEFT, rect.y() + AROUND
    face, ink = font(CAPTION, bold=current), theme.accent if current else theme.muted
    write(painter, QPointF(x, y + CAPTION), stage_label(row.stage), face, ink)
    size = _formula_size(row.code, rect.width(), theme)
    colour = theme.muted if ahead else theme.text
    paint_formula(painter, QRectF(QPointF(x, y + NAME), size), row.code, colour, FORMULA)
    return rect.adjusted(0, AROUND + NAME + size.height(), 0, -AROUND)


def paint_lines(
    painter: QPainter, at: QPointF, lines: tuple[WrappedLine, ...], theme: Colours, *, muted: bool
) -> None:
    """Paint lines downwards from a point, in colour or all muted."""
    metrics = QFontMetricsF(mono(BODY))
    drop = (LINE + metrics.ascent() - metrics.descent()) / 2
    for i, line in enumerate(lines):
        x = at.x() + code_width(" " * line.indent)
        paint_pieces(painter, x, at.y() + i * LINE + drop, line.pieces, theme, muted=muted)


class CodeList(QListView):
    """The list of rows. `chosen(row)`: click or Enter; `copied(row)`: Ctrl+C. Step keys stay with
    the window.
    """

    clips = ("clip_copy",)  # actions of the Edit menu that work here
    chosen = Signal(int)
    copied = Signal(int)

    def __init__(self, model: CodeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setItemDelegate(CodeDelegate(model, self))
        set_up_list(self)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(self._choose)

    def show_row(self, row: int) -> None:
        """Select a row and scroll to it and its neighbours."""
        index = self.model().index(row, 0) if row >= 0 else QModelIndex()
        self.selectionModel().setCurrentIndex(
            index, QItemSelectionModel.SelectionFlag.ClearAndSelect
        )
        self.show_around(row)

    def show_around(self, row: int) -> None:
        """Scroll to a row and its neighbours."""
        last = self.model().rowCount() - 1
        for near in (row - 1, row + 1, row):
            if row >= 0:
                self.scrollTo(self.model().index(min(max(near, 0), last), 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the lines again and keep the current row visible."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
        self.show_around(self.currentIndex().row())

    def copy(self) -> None:
        """Copy the current row."""
        self.copied.emit(self.currentIndex().row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle Enter, Ctrl+C and the arrows up and down; ignore other keys."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            super().keyPressEvent(event)
        else:
            event.ignore()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.chosen.emit(index.row())
