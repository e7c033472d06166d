"""A row of tabs with an underline; it reports only what the user chose."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QTabBar, QWidget

from gui.painting.text_size import face, px, set_font
from gui.painting.theme import BODY, LIGHT, Colours, role_colour
from gui.widgets.subscripts import draw_centred, width_of

HEIGHT, MARGIN = 30, 8


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab: id, text, full name for tooltip and screen reader, short text for small widths."""

    id: str
    text: str
    name: str
    short: str = ""


class TabStrip(QTabBar):
    """`chosen(id)` reports that the user went to a tab, by mouse, arrow key or wheel."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, strong: bool = False) -> None:
        super().__init__(parent)
        self._tabs: tuple[Tab, ...] = ()
        self._theme = LIGHT
        self._strong = strong
        set_font(self, BODY, bold=True)
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(True)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setMouseTracking(True)

    def show_tabs(self, tabs: tuple[Tab, ...], current: str) -> None:
        """Show these tabs, one of them current."""
        if tabs != self._tabs:
            self._fill(tabs)
        ids = [tab.id for tab in tabs]
        if current in ids and self.currentIndex() != ids.index(current):
            self.setCurrentIndex(ids.index(current))

    def _fill(self, tabs: tuple[Tab, ...]) -> None:
        self._tabs = tabs
        while self.count() > len(tabs):
            self.removeTab(self.count() - 1)
        for number, tab in enumerate(tabs):
            if number == self.count():
                self.addTab("")
            self.setTabToolTip(number, tab.name)
            self.setAccessibleTabName(number, tab.name)
        self._set_texts()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Use the short texts where the long ones do not fit."""
        super().resizeEvent(event)
        self._set_texts()

    def least_width(self) -> int:
        """The width of all tabs with their short texts."""
        return sum(_width(tab.short or tab.text) for tab in self._tabs)

    def _set_texts(self) -> None:
        full = [tab.text for tab in self._tabs]
        short = [tab.short or tab.text for tab in self._tabs]
        texts = full if sum(map(_width, full)) <= self.width() else short
        for number, text in enumerate(texts):
            if self.tabText(number) != text:
                self.setTabText(number, text)

    def paint_in(self, theme: Colours) -> None:
        """The theme's colours."""
        self._theme = theme
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Report the tab that was clicked, also the current one."""
        super().mousePressEvent(event)
        self._emit_chosen(self.tabAt(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Report a tab chosen by an arrow key."""
        before = self.currentIndex()
        super().keyPressEvent(event)
        if self.currentIndex() != before:
            self._emit_chosen(self.currentIndex())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Report a tab chosen by the wheel."""
        before = self.currentIndex()
        super().wheelEvent(event)
        if self.currentIndex() != before:
            self._emit_chosen(self.currentIndex())

    def _emit_chosen(self, index: int) -> None:
        if 0 <= index < len(self._tabs):
            self.chosen.emit(self._tabs[index].id)

    def tabSizeHint(self, index: int) -> QSize:
        """Text and margins."""
        return QSize(_width(self.tabText(index)), px(HEIGHT))

    def minimumTabSizeHint(self, index: int) -> QSize:
        """The same: the row scrolls."""
        return self.tabSizeHint(index)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint texts in the colours of their roles, and a line under the current one."""
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            pointed = (
                self.tabAt(self.mapFromGlobal(self.cursor().pos())) if self.underMouse() else -1
            )
            for index in range(self.count()):
                self._paint_tab(painter, index, pointed)

    def _paint_tab(self, painter: QPainter, index: int, pointed: int) -> None:
        rect, current = self.tabRect(index), index == self.currentIndex()
        colour = self._colour(index, current or index == pointed)
        painter.setPen(colour)
        draw_centred(painter, QRectF(rect), self.tabText(index), face(BODY, bold=current))
        if current:
            self._paint_line(painter, rect, colour)

    def _colour(self, index: int, clear: bool) -> QColor:
        if not clear:
            return QColor(self._theme.muted)
        return (
            QColor(self._theme.accent)
            if self._strong
            else role_colour(self._theme, self._tabs[index].id)
        )

    def _paint_line(self, painter: QPainter, rect: QRect, colour: QColor) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(
            rect.left() + MARGIN, rect.bottom() - 3, rect.width() - 2 * MARGIN, 3, 1.5, 1.5
        )
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(self._theme.accent), 1.5))
            painter.drawRoundedRect(rect.adjusted(2, 3, -3, -5), 4, 4)


def _width(text: str) -> int:
    """The width of a tab."""
    return round(width_of(text, face(BODY, bold=True))) + 2 * MARGIN
