"""Layouts that adapt to the width: flowing lines, side-by-side parts, scrolling panels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QFrame,
    QLayout,
    QLayoutItem,
    QListView,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gui.widgets.shortcut_filter import GIVES_MOVES


@dataclass(frozen=True, slots=True)
class Gap:
    """Space between the parts of a box layout, in pixels."""

    pixels: int


Part = QWidget | QLayout | Gap | int  # a number is a stretch
BoxT = TypeVar("BoxT", bound=QBoxLayout)
WidgetT = TypeVar("WidgetT", bound=QWidget)
STEP = 10  # pixels between the tried widths


def fill(
    box: BoxT,
    *parts: Part | tuple[Part, int],
    spacing: int | None = None,
    margins: tuple[int, int, int, int] | None = (0, 0, 0, 0),
) -> BoxT:
    """Add widgets, layouts, gaps and stretches to a row or column; a pair gives the part's stretch
    factor.

    `margins` None leaves the margins as they are.
    """
    if margins is not None:
        box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for item in parts:
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, int):
            box.addStretch(part)
        elif isinstance(part, Gap):
            box.addSpacing(part.pixels)
        elif isinstance(part, QWidget):
            box.addWidget(part, stretch)
        else:
            box.addLayout(part, stretch)
    return box


def card(
    *parts: Part | tuple[Part, int], margins: tuple[int, int, int, int] = (14, 10, 14, 10)
) -> QFrame:
    """A frame with a surface of its own around parts below each other."""
    frame = QFrame()
    frame.setObjectName("card")  # see the style sheet in gui.painting.theme
    fill(QVBoxLayout(frame), *parts, spacing=6, margins=margins)
    return frame


def scroll_vertically(area: QScrollArea, body: QWidget) -> None:
    """Let a scroll area show a body as wide as itself, without frame, focus and horizontal scroll
    bar.
    """
    area.setWidget(body)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)


def set_up_list(view: QListView) -> None:
    """Let a list select single rows without editing, scroll by pixels, and leave step keys to the
    window.
    """
    view.setProperty(GIVES_MOVES, True)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)


def set_count(widgets: list[WidgetT], count: int, make: Callable[[], WidgetT]) -> None:
    """Make or delete widgets at the end of a list until there are `count`."""
    while len(widgets) < count:
        widgets.append(make())
        widgets[-1].show()
    while len(widgets) > count:
        widget = widgets.pop()
        widget.setParent(None)
        widget.deleteLater()


class FlowLayout(QLayout):
    """Items at their preferred width in lines. One of them may take the rest of its line."""

    def __init__(self, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._greedy: QWidget | None = None
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def set_stretching(self, widget: QWidget) -> None:
        """Let a widget fill its line, from its minimum to its maximum width."""
        self._greedy = widget

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)

    def count(self) -> int:
        """The number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """An item; None beyond the end."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return an item."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """None."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """True: narrower is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The height of the lines."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place every item."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """The minimum size."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """The size of the largest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(self._wanted(item) if not item.isEmpty() else QSize())
        return size

    def _wanted(self, item: QLayoutItem) -> QSize:
        """The size of an item; of the greedy one its minimum width."""
        size = item.sizeHint()
        return QSize(item.minimumSize().width(), size.height()) if self._is_greedy(item) else size

    def _is_greedy(self, item: QLayoutItem) -> bool:
        return self._greedy is not None and item.widget() is self._greedy

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        """Break into the fewest lines, in the way that leaves most to the greedy item."""
        fewest = self._broken(width, 0)
        if len(fewest) > 1:
            for more in range(self._most_more(), 0, -STEP):
                if len(lines := self._broken(width, more)) == len(fewest):
                    return lines
        return fewest

    def _most_more(self) -> int:
        """The greedy item's preferred width beyond its minimum."""
        return sum(
            max(item.sizeHint().width() - item.minimumSize().width(), 0)
            for item in self._items
            if self._is_greedy(item)
        )

    def _broken(self, width: int, more: int) -> list[list[QLayoutItem]]:
        """Fill each line; `more` is added to the greedy item's minimum width."""
        lines: list[list[QLayoutItem]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            needed = self._wanted(item).width() + (more if self._is_greedy(item) else 0)
            if not lines or needed > left:
                lines.append([])
                left = width
            lines[-1].append(item)
            left -= needed + self.spacing()
        return lines

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Place the lines (if `move`); return their height."""
        y = rect.y()
        for line in self._lines(rect.width()):
            height = max(item.sizeHint().height() for item in line)
            if move:
                self._place(line, QRect(rect.x(), y, rect.width(), height))
            y += height + self.spacing()
        return max(0, y - self.spacing() - rect.y())

    def _place(self, line: list[QLayoutItem], room: QRect) -> None:
        """Place the items of a line, vertically centred."""
        taken = sum(self._wanted(item).width() + self.spacing() for item in line) - self.spacing()
        x = room.x()
        for item in line:
            size = self._wanted(item)
            if self._is_greedy(item):
                size.setWidth(
                    min(size.width() + max(0, room.width() - taken), item.maximumSize().width())
                )
            item.setGeometry(
                QRect(QPoint(x, room.y() + (room.height() - size.height()) // 2), size)
            )
            x += size.width() + self.spacing()


class HeightFitted(QFrame):
    """A widget that is as high as its layout needs for the given width."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """The minimum until the width is known: Qt would ask for the height of the smallest width."""
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the height."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Adapt the height to the final width."""
        super().showEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """Adapt the height to other contents."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def _fit(self) -> None:
        layout = self.layout()
        if layout is None or not self.isVisible():
            return
        needed = layout.totalHeightForWidth(self.width())
        if needed != self.height():  # the same height again would lay out the whole window
            self.setFixedHeight(needed)


class ResponsiveRow(QWidget):
    """Parts side by side, or below each other where there is no room; each grows by its share."""

    def __init__(self, spacing: int, *parts: tuple[QLayout | QWidget, int]) -> None:
        super().__init__()
        box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box = fill(box, *parts, spacing=spacing)

    def align_tops(self) -> ResponsiveRow:
        """Let no part be higher than it wants."""
        for index in range(self._box.count()):
            item = self._box.itemAt(index)
            if item is not None:
                item.setAlignment(Qt.AlignmentFlag.AlignTop)
        return self

    def minimumSizeHint(self) -> QSize:
        """The width of the widest part."""
        return QSize(max(self._widths()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Choose the direction."""
        super().resizeEvent(event)
        self.arrange()

    def arrange(self) -> None:
        """Choose the direction."""
        needed = sum(self._widths()) + self._box.spacing() * (self._box.count() - 1)
        self.put(beside=self.width() >= needed)

    def put(self, *, beside: bool) -> None:
        """Set the direction."""
        way = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if way != self._box.direction():
            self._box.setDirection(way)
            self._box.activate()

    def _widths(self) -> list[int]:
        """The minimum width of each part."""
        items = (self._box.itemAt(index) for index in range(self._box.count()))
        return [item.minimumSize().width() for item in items if item is not None]


class ScrollingPanel(QScrollArea):
    """A frame that scrolls a panel that does not fit.

    `least` is the minimum height of the frame and the most that it requires as minimum width.
    """

    def __init__(self, panel: QWidget, least: QSize, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._panel, self._least = panel, least
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(panel.sizePolicy())
        self.setWidget(panel)
        self.viewport().setAutoFillBackground(False)
        panel.setAutoFillBackground(False)
        panel.installEventFilter(self)

    def sizeHint(self) -> QSize:
        """The panel's."""
        return self._panel.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """The panel's width within `least`; the height is constant."""
        return QSize(
            min(self._panel.minimumSizeHint().width(), self._least.width()), self._least.height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Resize the panel."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Resize the panel when its contents change."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Resize a panel without a layout, which notifies its parent."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
            self.updateGeometry()
        return super().viewportEvent(event)

    def _fit(self) -> None:
        """Resize the panel; a scroll bar on one side takes room on the other."""
        room, bars = self.maximumViewportSize(), self.verticalScrollBar().sizeHint().width()
        size = self._size_in(room)
        if size.height() > room.height():
            room.setWidth(room.width() - bars)
            size = self._size_in(room)
        if size.width() > room.width():
            room.setHeight(room.height() - bars)
            size = self._size_in(room)
        self._panel.resize(size)

    def _size_in(self, room: QSize) -> QSize:
        panel = self._panel
        width = max(room.width(), panel.minimumSizeHint().width(), panel.minimumWidth())
        layout = panel.layout()
        height = panel.minimumSizeHint().height()
        if layout is not None and layout.hasHeightForWidth():
            height = layout.totalMinimumHeightForWidth(width)
        return QSize(width, max(room.height(), height, panel.minimumHeight()))
