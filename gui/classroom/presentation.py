"""The class on the full screen: one mistake after the other, never who made it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from core.base.cell import Cell
from core.base.number_format import show
from core.classroom.marking import CountedMistake
from core.document.parts import is_headwise
from core.explain.derivation import derive
from gui.classroom.error_diagram import ErrorPicture, paint_errors
from gui.classroom.mistake_list import MistakeRow, mistake_rows
from gui.painting.color_scale import mixed
from gui.painting.shapes import draw_box, write
from gui.painting.text_layout import (
    CENTRE,
    LEFT,
    BreakableLine,
    draw_text,
    elide,
    paint_line,
    width_of,
)
from gui.painting.text_layout import RIGHT as AT_RIGHT
from gui.painting.text_size import in_units
from gui.painting.theme import Colours, colours, font, style_window
from gui.session.state import State
from gui.texts.names import cell_name
from gui.texts.rich_text import Line, Span
from gui.texts.sum_style import SumStyle
from gui.texts.sums import worked_lines
from gui.texts.translation import tr, tr_marked
from gui.widgets.announcer import announce

UNITS = 720.0  # height of the drawing
SHOWN = 3  # mistakes with their bars at a time
FEW = 5  # answers; fewer let single persons be recognised
MARGIN, GAP = 24.0, 12.0
FOOT = 40.0
HEAD = 56.0
LARGE, MIDDLE, SMALL = 24.0, 18.0, 14.0
MOST_TERMS = 6
WRAPPED = Qt.AlignmentFlag.AlignVCenter.value | Qt.TextFlag.TextWordWrap.value


class ClassPresentation(QWidget):
    """The full-screen picture. ← and → change the mistake, Space shows the sum, Esc leaves.

    `left()`: it was closed.
    """

    left = Signal()

    def __init__(self, picture: ErrorPicture, row: int = 0) -> None:
        super().__init__()
        style_window(self)
        self.setObjectName("class_presentation")
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._picture = picture
        self._rows: list[MistakeRow] = []
        self._at, self._sum = row, False
        self.show_picture(picture)

    def show_picture(self, picture: ErrorPicture) -> None:
        """Show a class, or the same with more answers; the mistake stays if it is still there."""
        kept = self.row.mistake.id if self.row is not None and self.row.mistake else ""
        state = picture.state
        self._rows = [row for row in mistake_rows(picture.result, state.orientation) if row.mistake]
        ids = [row.mistake.id for row in self._rows if row.mistake]
        self._at = ids.index(kept) if kept in ids else min(self._at, max(0, len(ids) - 1))
        self._picture = picture
        self.setWindowTitle(f"{tr('Class')} — Attention Stepper")
        self._tell()

    @property
    def row(self) -> MistakeRow | None:
        """The mistake that is shown."""
        return self._rows[self._at] if self._at < len(self._rows) else None

    @property
    def shows_sum(self) -> bool:
        """Whether the worked sum is shown."""
        return self._sum

    def go(self, by: int) -> None:
        """Show another mistake."""
        self._at = min(max(self._at + by, 0), max(0, len(self._rows) - 1))
        self._sum = False
        self._tell()

    def toggle_sum(self) -> None:
        """Show or hide the right sum."""
        self._sum = not self._sum
        self._tell()

    def _tell(self) -> None:
        self.setAccessibleName(tr("{count} answers: the mistakes", count=self._count))
        self.setAccessibleDescription(" ".join(self.sentences()))
        announce(self, self.accessibleDescription())
        self.update()

    @property
    def _count(self) -> int:
        return len(self._picture.result.students)

    def sentences(self) -> list[str]:
        """What the picture says, in words."""
        row = self.row
        if row is None:
            return [tr("No mistakes")]
        said = [
            tr("{count} of {all}: {text}", count=len(row.students), all=self._count, text=row.text)
        ]
        if row.mistake is not None:
            number, text = answered(row.mistake)
            said.append(tr("{count} answered {number}", count=number, number=text))
        return [*said, tr("No names are shown here.")]

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Right, Qt.Key.Key_PageDown, Qt.Key.Key_Down):
            self.go(1)
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_PageUp, Qt.Key.Key_Up):
            self.go(-1)
        elif key == Qt.Key.Key_Space:
            self.toggle_sum()
        elif key in (Qt.Key.Key_Escape, Qt.Key.Key_F5):
            self.close()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go on with a click, as a clicker does."""
        if event.button() is Qt.MouseButton.LeftButton:
            self.go(1)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Emit `left`."""
        super().closeEvent(event)
        self.left.emit()

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint title, diagram, mistakes, the card and the keys."""
        with (
            QPainter(self) as painter,
            in_units(painter, self.rect(), self.height() / UNITS) as page,
        ):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self.paint(painter, page)

    def paint(self, painter: QPainter, page: QRectF) -> None:
        """Paint everything into a page of UNITS height."""
        theme = colours(self._picture.state.shade)
        painter.fillRect(page, QColor(theme.window))
        inner = page.adjusted(MARGIN, 0, -MARGIN, 0)
        self._paint_head(painter, QRectF(inner.x(), 8, inner.width(), HEAD), theme)
        middle = QRectF(
            inner.x(), HEAD + 8, inner.width(), (page.height() - HEAD - FOOT - 8) * 0.54
        )
        self._paint_diagram(painter, middle, theme)
        below = QRectF(
            inner.x(),
            middle.bottom() + GAP,
            inner.width(),
            page.height() - FOOT - middle.bottom() - 2 * GAP,
        )
        half = (below.width() - GAP) * 0.56
        self._paint_bars(painter, QRectF(below.x(), below.y(), half, below.height()), theme)
        self._paint_card(painter, below.adjusted(half + GAP, 0, 0, 0), theme)
        foot = QRectF(inner.x(), page.height() - FOOT, inner.width(), FOOT)
        self._paint_foot(painter, foot, theme)

    def _paint_head(self, painter: QPainter, place: QRectF, theme: Colours) -> None:
        title = tr("{count} answers: the mistakes", count=self._count)
        draw_text(painter, place, LEFT, title, font(LARGE + 2, bold=True), theme.text)
        document = self._picture.state.document
        name = tr_marked(document.title) if document.title else tr("Untitled")
        shown = elide(name, font(MIDDLE), place.width() * 0.4)
        draw_text(painter, place, AT_RIGHT, shown, font(MIDDLE), theme.muted)

    def _paint_diagram(self, painter: QPainter, place: QRectF, theme: Colours) -> None:
        draw_box(painter, place, QPen(QColor(theme.line), 1), theme.surface, 10)
        caption = place.adjusted(16, 6, -16, 0)
        caption.setHeight(24)
        said = tr("Number of wrong answers in each cell; at each stage the share that is right")
        if self._count < FEW:
            said = tr(
                "Fewer than {count} answers: individual students could be recognised.", count=FEW
            )
        draw_text(painter, caption, LEFT, said, font(SMALL), theme.muted)
        row = self.row
        picture = replace(
            self._picture,
            stage=row.mistake.example.stage if row is not None and row.mistake else "",
            cell=None,
        )
        paint_errors(painter, place.adjusted(10, 32, -10, -8), picture)

    def _paint_bars(self, painter: QPainter, place: QRectF, theme: Colours) -> None:
        draw_box(painter, place, QPen(QColor(theme.line), 1), theme.surface, 10)
        first = min(max(0, self._at - 1), max(0, len(self._rows) - SHOWN))
        shown = self._rows[first : first + SHOWN]
        if not shown:
            draw_text(
                painter, place, CENTRE, tr("No mistakes"), font(LARGE, bold=True), theme.value
            )
            return
        high = place.height() / SHOWN
        for number, row in enumerate(shown):
            here = first + number == self._at
            line = QRectF(place.x() + 18, place.y() + number * high, place.width() - 36, high)
            count = line.adjusted(line.width() - 60, 0, 0, 0)
            shade = theme.text if here else theme.muted
            draw_text(
                painter, count, AT_RIGHT, str(len(row.students)), font(LARGE, bold=True), shade
            )
            fits = width_of(row.text, font(MIDDLE, bold=here)) < line.width() - 76
            face = font(MIDDLE if fits else SMALL + 1, bold=here)
            words = QRectF(line.x(), line.y() + 4, line.width() - 76, high * 0.64 - 4)
            write(painter, words, row.text, face, shade, WRAPPED)
            track = QRectF(line.x(), line.y() + high * 0.72, line.width() - 76, 10)
            draw_box(painter, track, QPen(QColor(theme.line), 1), QColor(theme.sunken), 5)
            part = len(row.students) / max(1, self._count)
            bar = QRectF(track.x(), track.y(), max(8.0, track.width() * part), track.height())
            colour = QColor(theme.low) if here else mixed(theme.low, theme.surface, 0.65)
            draw_box(painter, bar, None, colour, 5)

    def _paint_card(self, painter: QPainter, place: QRectF, theme: Colours) -> None:
        row = self.row
        draw_box(painter, place, QPen(QColor(theme.accent), 1.5), theme.accent_soft, 10)
        inner = place.adjusted(18, 10, -18, -10)
        if row is None or row.mistake is None:
            draw_text(
                painter, inner, CENTRE, tr("No names are shown here."), font(SMALL), theme.muted
            )
            return
        state, mistake = self._picture.state, row.mistake
        cell = first_cell(mistake)
        y = inner.y() + MIDDLE
        where = tr("Look again: {place}", place=cell_name(cell, state.document, state.orientation))
        draw_text(
            painter, QRectF(inner.x(), y - MIDDLE, inner.width(), 26), LEFT, where,
            font(MIDDLE, bold=True), theme.accent,
        )  # fmt: skip
        count, text = answered(mistake)
        y += 40
        said = f"{tr('{count} answered {number}', count=count, number=text)}  ✗"
        draw_text(
            painter, QRectF(inner.x(), y - MIDDLE, inner.width(), 26), LEFT, said,
            font(MIDDLE), theme.text,
        )  # fmt: skip
        y += 14
        for line in self._right_lines(state, cell, inner.width()):
            y += 27
            if y > inner.bottom() - 20:
                break
            paint_line(painter, inner.x(), y, line, MIDDLE, theme)
        foot = QRectF(inner.x(), inner.bottom() - 18, inner.width(), 20)
        draw_text(painter, foot, LEFT, tr("No names are shown here."), font(SMALL), theme.muted)

    def _right_lines(self, state: State, cell: Cell, width: float) -> list[Line]:
        """The right number, with Space its worked sum, in rows that fit."""
        step = derive(state.document, state.trace, cell)
        value = show(step.value, state.decimals)
        line: Line = (Span(f"{tr('right answer:')}  "), Span(value, "result"))
        if self._sum:
            style = SumStyle(
                state.document, state.decimals, MOST_TERMS, orientation=state.orientation
            )
            line = worked_lines(style, step)[0]
        return [row.spans for row in BreakableLine(line).rows(MIDDLE, width)]

    def _paint_foot(self, painter: QPainter, place: QRectF, theme: Colours) -> None:
        draw_text(
            painter, place, LEFT, tr("← →  previous or next mistake"), font(SMALL), theme.muted
        )
        if self._rows:
            at = tr("{number} of {count}", number=self._at + 1, count=len(self._rows))
            draw_text(painter, place, CENTRE, at, font(SMALL, bold=True), theme.text)
        keys = tr("Space: show the sum     Esc: leave")
        draw_text(painter, place, AT_RIGHT, keys, font(SMALL), theme.muted)


def first_cell(one: CountedMistake) -> Cell:
    """The first cell that a mistake explains."""
    stage, index = one.example.stage, one.example.cells[0]
    head = index[0] if is_headwise(stage) else 0
    return Cell(stage, index[-2], index[-1], head)


def answered(one: CountedMistake) -> tuple[int, str]:
    """The most frequent wrong number in the first cell of a mistake, and how many wrote it.

    Numbers of the same value count together, as “0.5” and “0.50” do.
    """
    stage, index = one.example.stage, one.example.cells[0]
    found = [
        student.entries[stage][index]
        for student in one.students
        if any(made.id == one.id for made in student.report.mistakes_at(stage, index))
    ]
    values = Counter(answer.number.value for answer in found)
    value, count = values.most_common(1)[0]
    return count, next(answer.text for answer in found if answer.number.value == value)
