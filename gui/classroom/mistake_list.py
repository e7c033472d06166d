"""The list of mistakes with bars: which mistake, in which stage, how many students."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from core.classroom.marking import ClassResult, CountedMistake, Student
from core.document.orientation import ROWS, Orientation
from gui.classroom.wording import counted_text, inline
from gui.painting.color_scale import mixed
from gui.painting.shapes import draw_box
from gui.painting.text_layout import LEFT, draw_text, elide, width_of
from gui.painting.text_layout import RIGHT as AT_RIGHT
from gui.painting.text_size import face, px
from gui.painting.theme import BODY, CAPTION, LIGHT, TITLE, Colours
from gui.texts.names import symbol_here
from gui.texts.rich_text import to_html
from gui.texts.translation import tr

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True, eq=False)
class MistakeRow:
    """A line with its students; `mistake` may be None; `good`: nothing wrong."""

    text: str
    students: tuple[Student, ...]
    mistake: CountedMistake | None = None
    symbol: str = ""
    good: bool = False


def mistake_rows(result: ClassResult, orientation: Orientation = ROWS) -> list[MistakeRow]:
    """A row for each mistake by frequency, one for unexplained numbers, one for nothing wrong."""
    rows = [
        MistakeRow(
            inline(counted_text(one)),
            one.students,
            one,
            symbol_here(result.document, one.example.stage, orientation),
        )
        for one in result.mistakes
    ]
    if result.unexplained:
        rows.append(MistakeRow(tr("Wrong numbers without a known mistake."), result.unexplained))
    if result.without_mistake:
        rows.append(MistakeRow(tr("No mistakes"), result.without_mistake, good=True))
    return rows


class MistakeModel(QAbstractListModel):
    """The lines as a model."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[MistakeRow] = []
        self.total = 0

    def show_rows(self, rows: list[MistakeRow], total: int) -> None:
        """Show other lines, of a class of `total` students."""
        self.beginResetModel()
        self.rows, self.total = rows, total
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """The number of lines."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """The text, and for screen readers the text with the count."""
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr(
                "{text} {count} of {all} students",
                text=row.text,
                count=len(row.students),
                all=self.total,
            )
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"<p>{to_html(row.text)}</p>"
        return row.text if role == Qt.ItemDataRole.DisplayRole else None


class MistakeDelegate(QStyledItemDelegate):
    """Paint a line: text, bar, symbol of the stage, count."""

    def __init__(self, model: MistakeModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self.theme = LIGHT

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Two lines."""
        return QSize(px(200), px(46))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a line."""
        theme, row = self.theme, self._model.rows[index.row()]
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        area = QRectF(option.rect).adjusted(2, 1, -2, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            draw_box(painter, area, QColor(theme.accent), QColor(theme.accent_soft), 7)
        inner = area.adjusted(px(10), px(3), -px(12), -px(4))
        count = str(len(row.students))
        bold = face(TITLE, bold=True)
        wide = max(px(34), width_of(count, bold) + 4)
        shade = theme.value if row.good else theme.text
        draw_text(painter, inner, AT_RIGHT, count, bold, shade)
        body = face(BODY, bold=chosen)
        text = QRectF(inner.x(), inner.y(), inner.width() - wide, inner.height() * 0.55)
        draw_text(painter, text, LEFT, elide(row.text, body, text.width()), body, shade)
        self._paint_bar(painter, inner, wide, row, theme)
        painter.restore()

    def _paint_bar(
        self, painter: QPainter, inner: QRectF, wide: float, row: MistakeRow, theme: Colours
    ) -> None:
        symbol_wide = px(64)
        top = inner.y() + inner.height() * 0.72
        track = QRectF(inner.x(), top, inner.width() - wide - symbol_wide, px(7))
        draw_box(painter, track, QPen(QColor(theme.line), 1), QColor(theme.sunken), px(3))
        part = len(row.students) / max(1, self._model.total)
        bar = QRectF(track.x(), track.y(), max(track.width() * part, px(4)), track.height())
        colour = (
            theme.value
            if row.good
            else theme.low
            if row.mistake
            else mixed(theme.low, theme.line, 0.5)
        )
        draw_box(painter, bar, None, QColor(colour), px(3))
        place = QRectF(track.right() + px(8), top - px(7), symbol_wide, px(20))
        draw_text(painter, place, LEFT, row.symbol, face(CAPTION), theme.muted)


class MistakeList(QListView):
    """The list; the current line is the chosen one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("class_mistakes")
        self.rows = MistakeModel(self)
        self._delegate = MistakeDelegate(self.rows, self)
        self.setModel(self.rows)
        self.setItemDelegate(self._delegate)
        self.setFrameShape(QListView.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)

    def paint_in(self, theme: Colours) -> None:
        """Apply the colours of a theme."""
        self._delegate.theme = theme
        self.setAccessibleName(tr("Which mistake, how often"))
        self.setStyleSheet(
            f"QListView {{ background: {theme.surface}; color: {theme.text}; border: 1px solid transparent;"
            f" border-radius: 6px; outline: none; }} QListView:focus {{ border-color: {theme.accent}; }}"
        )

    @property
    def chosen(self) -> MistakeRow | None:
        """The chosen line."""
        index = self.currentIndex()
        return self.rows.rows[index.row()] if index.isValid() else None

    def choose(self, row: int) -> None:
        """Choose a line by its number."""
        self.setCurrentIndex(self.rows.index(row, 0))
