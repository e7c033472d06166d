"""Layouts that adapt to the width: flowing lines, side-by-side parts, scrolling panels."""

from __future__ import annotations

from collections.abc import Callable
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
    QWidget,
)

from gui.painting.text_size import px
from gui.widgets.shortcut_filter import GIVES_MOVES

Part = QWidget | QLayout | int  # a number is a stretch
BoxT = TypeVar("BoxT", bound=QBoxLayout)
WidgetT = TypeVar("WidgetT", bound=QWidget)
STEP = 10  # pixels by which ways to break lines are tried


def fill(
    box: BoxT,
    *parts: Part | tuple[Part, int],
    spacing: int | None = None,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
) -> BoxT:
    """Add widgets, layouts and stretches to a row or column; a pair gives the part's stretch factor."""
    box.setContentsMargins(*margins)
    if spacing is not None:
        box.setSpacing(spacing)
    for item in parts:
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, int):
            box.addStretch(part)
        elif isinstance(part, QWidget):
            box.addWidget(part, stretch)
        else:
            box.addLayout(part, stretch)
    return box


def scroll_vertically(area: QScrollArea, body: QWidget) -> None:
    """Let a scroll area show a body as wide as itself, without frame, focus and horizontal scroll bar."""
    area.setWidget(body)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)


def set_up_list(view: QListView) -> None:
    """Let a list select single rows without editing, scroll by pixels, and leave step keys to the window."""
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
    """Items as wide as they want to be, line under line. One of them may take the rest of its line."""

    def __init__(self, spacing: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._greedy: QWidget | None = None
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def give_rest(self, widget: QWidget) -> None:
        """Let one of the widgets fill its line, from its smallest width to its largest."""
        self._greedy = widget

    def addItem(self, item: QLayoutItem) -> None:
        """At the end."""
        self._items.append(item)

    def count(self) -> int:
        """How many items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """None beyond the end, as Qt asks."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Removed and handed over."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """None: what is left stays empty."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Narrower is higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The lines that a width needs."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place every item."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """As the minimum."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """The largest item."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(self._wanted(item) if not item.isEmpty() else QSize())
        return size

    def _wanted(self, item: QLayoutItem) -> QSize:
        """What an item needs: the greedy one's smallest width, any other one's own."""
        size = item.sizeHint()
        return QSize(item.minimumSize().width(), size.height()) if self._is_greedy(item) else size

    def _is_greedy(self, item: QLayoutItem) -> bool:
        return self._greedy is not None and item.widget() is self._greedy

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        """As few lines as can be; of the ways to break into that many, the one that leaves the greedy item the most."""
        fewest = self._broken(width, 0)
        if len(fewest) > 1:
            for more in range(self._most_more(), 0, -STEP):
                if len(lines := self._broken(width, more)) == len(fewest):
                    return lines
        return fewest

    def _most_more(self) -> int:
        """How much the greedy item would like to have beyond its smallest width."""
        return sum(
            max(item.sizeHint().width() - item.minimumSize().width(), 0)
            for item in self._items
            if self._is_greedy(item)
        )

    def _broken(self, width: int, more: int) -> list[list[QLayoutItem]]:
        """As many items in a line as there is room for, at least one; the greedy one so much wider than it must be."""
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
        """Go through the lines; the height that they take."""
        y = rect.y()
        for line in self._lines(rect.width()):
            height = max(item.sizeHint().height() for item in line)
            if move:
                self._place(line, QRect(rect.x(), y, rect.width(), height))
            y += height + self.spacing()
        return max(0, y - self.spacing() - rect.y())

    def _place(self, line: list[QLayoutItem], room: QRect) -> None:
        """The items of a line side by side, at the middle of its height."""
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


class Fitted(QFrame):
    """As high as its layout needs to be for the width that it was given."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """The least, until it is known how wide it is; Qt would ask for what the smallest width needs."""
        return self.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width may need another height."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Only now has it the width that it keeps."""
        super().showEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        """So may other contents."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return done

    def _fit(self) -> None:
        layout = self.layout()
        if layout is None or not self.isVisible():
            return
        needed = layout.totalHeightForWidth(self.width())
        if (
            needed != self.height()
        ):  # setting the same height again would lay out the whole window anew
            self.setFixedHeight(needed)


class Halves(QWidget):
    """Holds layouts and widgets, each with its share of the width. Other than `Beside` all of them may grow."""

    def __init__(
        self, spacing: int, *parts: tuple[QLayout | QWidget, int], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(spacing)
        for part, share in parts:
            if isinstance(part, QLayout):
                self._box.addLayout(part, share)
            else:
                self._box.addWidget(part, share)

    def minimumSizeHint(self) -> QSize:
        """As narrow as the widest part."""
        return QSize(max(self._widths()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The direction that the width allows."""
        super().resizeEvent(event)
        needed = sum(self._widths()) + self._box.spacing() * (self._box.count() - 1)
        beside = self.width() >= needed
        way = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if way != self._box.direction():
            self._box.setDirection(way)
            self._box.activate()

    def _widths(self) -> list[int]:
        """The smallest width of each part."""
        items = (self._box.itemAt(index) for index in range(self._box.count()))
        return [item.minimumSize().width() for item in items if item is not None]


GAP = 20


class SideBySide(QWidget):
    """The first widget takes what room is left; `least` is how wide it has to be beside the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._both: tuple[QWidget, QWidget] | None = None
        self._least = 0
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.setSpacing(GAP)

    def hold(self, first: QWidget, second: QWidget, least: int, stretch: int = 0) -> None:
        """Take in both widgets."""
        self._both, self._least = (first, second), least
        self._box.addWidget(first, 1, Qt.AlignmentFlag.AlignTop)
        self._box.addWidget(second, stretch, Qt.AlignmentFlag.AlignTop)

    def minimumSizeHint(self) -> QSize:
        """Either of them alone: side by side is no need."""
        hint = super().minimumSizeHint()
        if self._both is None:
            return hint
        widest = max(widget.minimumSizeHint().width() for widget in self._shown())
        return QSize(widest, hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The direction that the width allows."""
        super().resizeEvent(event)
        self.arrange()

    def arrange(self) -> None:
        """The direction that the width allows, after one of them has changed."""
        if self._both is None:
            return
        self.put(
            beside=self.width() >= px(self._least) + GAP + self._both[1].minimumSizeHint().width()
        )

    def put(self, *, beside: bool) -> None:
        """The second widget beside the first one, or below it."""
        way = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if way != self._box.direction():
            self._box.setDirection(way)
            self.updateGeometry()

    def _shown(self) -> list[QWidget]:
        assert self._both is not None
        return [widget for widget in self._both if not widget.isHidden()] or [self._both[0]]


class Scrolling(QScrollArea):
    """Holds one panel, as large as the frame or, where that is too small, as small as the panel can be.

    `least` is how low the frame itself can be, and how wide it has to be at the most.
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
        """As the panel."""
        return self._panel.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """As narrow as the panel, unless that is wide. The height keeps still whatever the panel comes to say."""
        return QSize(
            min(self._panel.minimumSizeHint().width(), self._least.width()), self._least.height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The panel follows."""
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The panel needs more or less than before."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def viewportEvent(self, event: QEvent) -> bool:
        """So does a panel without a layout, which tells its parent."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
            self.updateGeometry()
        return super().viewportEvent(event)

    def _fit(self) -> None:
        """Give the panel its size; a bar on one side takes room on the other."""
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
