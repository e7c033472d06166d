"""The contents of a page: its headings, a click or Enter away."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from gui.painting.text_size import px
from gui.painting.theme import Colours
from gui.views.guide.reader import Heading

INDEX = Qt.ItemDataRole.UserRole


class Contents(QTreeWidget):
    """`chosen(index)`: the heading of the page to go to."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headings: tuple[Heading, ...] = ()
        self._items: list[QTreeWidgetItem] = []
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._asked)
        self.itemActivated.connect(self._asked)

    def appear(self, theme: Colours) -> None:
        """The theme's colours, and the room that its text needs."""
        self.setIndentation(px(14))
        self.setStyleSheet(
            f"QTreeWidget {{ background: {theme.window}; color: {theme.text}; outline: none;"
            f" border: 1px solid transparent; border-radius: 6px; }}"
            f"QTreeWidget:focus {{ border-color: {theme.accent}; }}"
            f"QTreeWidget::item {{ padding: {px(4)}px {px(6)}px; border-radius: 6px; }}"
            f"QTreeWidget::item:hover {{ background: {theme.sunken}; }}"
            f"QTreeWidget::item:selected {{ background: {theme.accent_soft}; color: {theme.text}; }}"
        )

    def show_headings(self, headings: Sequence[Heading]) -> None:
        """The headings of a page; those of level 3 below those of level 2."""
        if headings is self._headings:
            return
        self._headings = tuple(headings)
        self.clear()
        self._items = []
        above: QTreeWidgetItem | None = None
        for index, heading in enumerate(headings):
            item = QTreeWidgetItem([heading.text])
            item.setData(0, INDEX, index)
            item.setToolTip(0, heading.text)
            if heading.level > 2 and above is not None:
                above.addChild(item)
            else:
                self.addTopLevelItem(item)
                above = item
            self._items.append(item)
        self.expandAll()

    def mark_section(self, index: int) -> None:
        """The section that is being read."""
        if index < len(self._items) and self.currentItem() is not self._items[index]:
            self.setCurrentItem(self._items[index])

    def _asked(self, item: QTreeWidgetItem) -> None:
        self.chosen.emit(item.data(0, INDEX))
