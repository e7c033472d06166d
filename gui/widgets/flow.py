"""A layout that fills lines from left to right and breaks them where the room ends."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

STEP = 10  # pixels by which ways to break lines are tried


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
