"""The table of students: a line for each, with the pattern of its marks in every stage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.check.report import FOLLOWS, RIGHT, WRONG
from core.classroom.marking import BLANK, VERDICTS, ClassResult, Student
from core.document.orientation import ROWS, Orientation
from gui.classroom.wording import WORDS, inline, slip_names
from gui.painting.color_scale import ink
from gui.painting.shapes import draw_box
from gui.painting.text_size import px, set_section
from gui.painting.theme import LIGHT, Colours
from gui.texts.names import symbol_here
from gui.texts.rich_text import to_html
from gui.texts.translation import tr, tr_marked
from gui.widgets.styles import table_style

Index = QModelIndex | QPersistentModelIndex
MOST_PATTERN = 12  # rows or columns of a pattern; larger stages are counted in words
MARK = 9  # pixels of a mark at 100 %
EDGE = 11  # pixels left of headers, patterns and texts: as Qt indents items padded by 8


class StudentModel(QAbstractTableModel):
    """Label, a pattern for each stage, mistakes, and the number of wrong numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.result: ClassResult | None = None
        self.students: list[tuple[str, Student]] = []
        self.stages: list[str] = []
        self.chosen: frozenset[int] = frozenset()
        self._orientation = ROWS
        self._numbers = False

    def show_students(
        self,
        result: ClassResult,
        students: Sequence[tuple[str, Student]],
        chosen: Sequence[Student],
        orientation: Orientation,
        *,
        numbers: bool,
    ) -> None:
        """Show students by label; `chosen` are highlighted. `numbers`: the labels are numbers."""
        self.beginResetModel()
        self.result, self.students = result, list(students)
        self.stages, self._orientation = list(result.counts), orientation
        self.chosen, self._numbers = frozenset(map(id, chosen)), numbers
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """The number of students."""
        return 0 if parent.isValid() else len(self.students)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Label, stages, mistakes, wrong."""
        return 0 if parent.isValid() or self.result is None else len(self.stages) + 3

    def headerData(
        self, section: int, way: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """The names of the columns."""
        if way != Qt.Orientation.Horizontal or self.result is None:
            return None
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        ends = [tr("Mistakes"), tr_marked(WORDS[WRONG])]
        symbols = [
            symbol_here(self.result.document, stage, self._orientation) for stage in self.stages
        ]
        return [tr("No.") if self._numbers else tr("Student"), *symbols, *ends][section]

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The texts; a pattern in words for screen readers and tool tips."""
        label, student = self.students[index.row()]
        stage = self.stage(index)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(Qt.AlignmentFlag.AlignVCenter)
        if stage:
            words = {Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole}
            if role in words or (
                role == Qt.ItemDataRole.DisplayRole
                and not has_pattern(self.pattern(student, stage))
            ):
                return counts_in_words(self.pattern(student, stage))
            return None
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        if index.column() == 0:  # no tool tip: Qt would read markup in a name
            return label if role == Qt.ItemDataRole.DisplayRole else None
        if index.column() == self.columnCount() - 1:
            return str(student.count(WRONG))
        named = inline(" ".join(slip_names(student.mistakes)))
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"<p>{to_html(named)}</p>" if named else None
        return named or ("" if student.count(WRONG) else tr("none"))

    def stage(self, index: Index) -> str:
        """The stage of a column, "" for the others."""
        place = index.column() - 1
        return self.stages[place] if 0 <= place < len(self.stages) else ""

    def pattern(
        self, student: Student, stage: str
    ) -> np.ndarray[tuple[int, int], np.dtype[np.object_]]:
        """The verdicts of a stage as displayed, heads side by side; (rows, heads · columns)."""
        assert self.result is not None
        shape = self.result.counts[stage].shape[1:]
        found = np.full(shape, BLANK, dtype=object)
        for mark in student.report.marks:
            if mark.stage == stage:
                found[mark.index] = mark.verdict
        heads = found if found.ndim == 3 else found[None]
        return np.concatenate([self._orientation.matrix(head) for head in heads], axis=1)


def has_pattern(verdicts: np.ndarray[tuple[int, int], np.dtype[np.object_]]) -> bool:
    """Whether a stage is small enough to be painted."""
    return max(verdicts.shape) <= MOST_PATTERN


def counts_in_words(verdicts: np.ndarray[tuple[int, int], np.dtype[np.object_]]) -> str:
    """“7 right, 2 wrong”."""
    flat = verdicts.ravel().tolist()
    said = [
        f"{flat.count(verdict)} {tr_marked(WORDS[verdict])}"
        for verdict in VERDICTS
        if verdict in flat
    ]
    return tr(", ").join(said)


def paint_mark(painter: QPainter, place: QRectF, verdict: str, theme: Colours) -> None:
    """A mark by colour and shape: filled, dot in a ring, cross, dashed."""
    inner, radius = place.adjusted(0.7, 0.7, -0.7, -0.7), place.width() * 0.2
    if verdict == RIGHT:
        draw_box(painter, inner, None, QColor(theme.value), radius)
    elif verdict == FOLLOWS:
        edge = inner.adjusted(0.5, 0.5, -0.5, -0.5)
        draw_box(painter, edge, QPen(QColor(theme.accent), 1.3), QColor(theme.accent_soft), radius)
        painter.setBrush(QColor(theme.accent))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(inner.center(), inner.width() * 0.16, inner.width() * 0.16)
    elif verdict == WRONG:
        draw_box(painter, inner, None, QColor(theme.low), radius)
        painter.setPen(QPen(ink(QColor(theme.low)), 1.1))
        reach = inner.width() * 0.2
        for sign in (-1, 1):
            painter.drawLine(
                inner.center() + QPointF(-reach, -sign * reach),
                inner.center() + QPointF(reach, sign * reach),
            )
    else:
        pen = QPen(QColor(theme.ghost), 1.0, Qt.PenStyle.DotLine)
        draw_box(painter, inner.adjusted(0.5, 0.5, -0.5, -0.5), pen, None, radius)


class PatternDelegate(QStyledItemDelegate):
    """Paint the pattern of a stage; other cells as usual, chosen students on a tint."""

    def __init__(self, model: StudentModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.theme = LIGHT

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The size of the pattern."""
        stage = self._model.stage(index)
        if not stage:
            return super().sizeHint(option, index)
        verdicts = self._model.pattern(self._model.students[index.row()][1], stage)
        if not has_pattern(verdicts):
            return super().sizeHint(option, index)
        return QSize(px(MARK) * verdicts.shape[1] + px(24), px(MARK) * verdicts.shape[0] + px(8))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        student = self._model.students[index.row()][1]
        area = QRectF(option.rect)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if id(student) in self._model.chosen and not chosen:
            painter.fillRect(area, QColor(self.theme.accent_soft))
        stage = self._model.stage(index)
        verdicts = self._model.pattern(student, stage) if stage else None
        if verdicts is None or not has_pattern(verdicts):
            super().paint(painter, option, index)
            return
        if chosen:
            painter.fillRect(area, QColor(self.theme.accent_soft))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side = px(MARK)
        left = area.x() + EDGE
        top = area.center().y() - side * verdicts.shape[0] / 2
        for (row, column), verdict in np.ndenumerate(verdicts):
            place = QRectF(left + column * side, top + row * side, side, side)
            paint_mark(painter, place, str(verdict), self.theme)
        painter.restore()


class StudentTable(QTableView):
    """The table."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("class_students")
        self.students = StudentModel(self)
        self._delegate = PatternDelegate(self.students, self)
        self.setModel(self.students)
        self.setItemDelegate(self._delegate)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        set_section(self.verticalHeader(), 34)

    def paint_in(self, theme: Colours) -> None:
        """Apply the colours of a theme."""
        self._delegate.theme = theme
        self.setAccessibleName(tr("Students"))
        self.setStyleSheet(table_style(theme, right=8, left=EDGE))

    def fit(self) -> None:
        """Fit columns and rows to their contents; the mistakes take what is left."""
        header, count = self.horizontalHeader(), self.students.columnCount()
        for column in range(count):
            stretch = column == count - 2
            mode = QHeaderView.ResizeMode
            header.setSectionResizeMode(column, mode.Stretch if stretch else mode.ResizeToContents)
        if not count or not self.students.students:
            return
        first = self.students.students[0][1]
        patterns = [self.students.pattern(first, stage) for stage in self.students.stages]
        rows = max((one.shape[0] for one in patterns if has_pattern(one)), default=1)
        self.verticalHeader().setDefaultSectionSize(max(px(26), px(MARK) * rows + px(8)))
