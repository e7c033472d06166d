"""The window of the guide: contents, page, search and history."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gui.painting.text_size import px, set_font, set_least
from gui.painting.theme import CAPTION, Colours, colours, edge, style_window
from gui.texts.translation import mark, tr, tr_marked
from gui.views.guide.reader import GUIDE, NOTICES, GuideReader, PageHeading
from gui.widgets.buttons import IconButton, name_widget
from gui.widgets.layouts import fill

INDEX = Qt.ItemDataRole.UserRole


class ContentsTree(QTreeWidget):
    """The headings of a page. `chosen(index)`: click or Enter on a heading."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headings: tuple[PageHeading, ...] = ()
        self._items: list[QTreeWidgetItem] = []
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setItemsExpandable(False)
        self.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.itemClicked.connect(self._asked)
        self.itemActivated.connect(self._asked)

    def appear(self, theme: Colours) -> None:
        """Apply theme and text size."""
        self.setIndentation(px(14))
        self.setStyleSheet(
            f"QTreeWidget {{ background: {theme.window}; color: {theme.text}; outline: none;"
            f" border: 1px solid transparent; border-radius: 6px; }}"
            f"QTreeWidget:focus {{ border-color: {theme.accent}; }}"
            f"QTreeWidget::item {{ padding: {px(4)}px {px(6)}px; border-radius: 6px; }}"
            f"QTreeWidget::item:hover {{ background: {theme.sunken}; }}"
            f"QTreeWidget::item:selected {{ background: {theme.accent_soft}; color: {theme.text}; }}"
        )

    def show_headings(self, headings: Sequence[PageHeading]) -> None:
        """Show the headings of a page; those of level 3 below those of level 2."""
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
        """Mark the section at the top of the page."""
        if index < len(self._items) and self.currentItem() is not self._items[index]:
            self.setCurrentItem(self._items[index])

    def _asked(self, item: QTreeWidgetItem) -> None:
        self.chosen.emit(item.data(0, INDEX))


# Button: its icon, its name, its keys.
BUTTONS = {
    "back": ("back", mark("Back"), "Alt+Left"),
    "forward": ("forward", mark("Forward"), "Alt+Right"),
    "hit_before": ("move_up", mark("Previous match"), "Shift+F3"),
    "hit_after": ("move_down", mark("Next match"), "F3"),
}
FIND = "Ctrl+F"
SIZE = (1040, 720)  # units
FRAME = QSize(16, 48)  # of the window's frame


class GuideWindow(QWidget):
    """`left()`: the window was closed; `asked_keys()`: the list of keys is to be opened."""

    left = Signal()
    asked_keys = Signal()

    def __init__(self, language: str, shade: str) -> None:
        super().__init__()
        style_window(self)
        self.setObjectName("guide_window")
        self._page = GUIDE
        self.reader, self.contents = GuideReader(language, shade, self), ContentsTree(self)
        self.field, self.message = QLineEdit(self), QLabel(self)
        self.buttons = {
            name: IconButton(picture, self) for name, (picture, _, _) in BUTTONS.items()
        }
        self.keys, self.notices = QPushButton(self), QPushButton(self)
        self._build()
        self._connect()
        self.resize(
            QSize(px(SIZE[0]), px(SIZE[1])).boundedTo(self.screen().availableSize() - FRAME)
        )
        self.appear(language, shade)
        self.reader.setFocus()

    def _build(self) -> None:
        back, forward, *hits = self.buttons.values()
        bar, parts = QHBoxLayout(), (self.message, self.field, *hits)
        fill(bar, back, forward, 1, *parts, spacing=6, margins=(12, 8, 12, 8))
        set_font(self.message, CAPTION)
        self.message.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.field.setClearButtonEnabled(True)
        set_least(self.field, 220)
        side = QWidget(self)
        column, links = QVBoxLayout(side), (self.keys, self.notices)
        fill(column, (self.contents, 1), *links, spacing=6, margins=(12, 0, 4, 12))
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(side)
        split.addWidget(self.reader)
        split.setStretchFactor(1, 1)
        split.setSizes([px(250), px(SIZE[0] - 250)])
        fill(QVBoxLayout(self), bar, (split, 1), spacing=0)

    def _connect(self) -> None:
        self.contents.chosen.connect(self.reader.show_section)
        self.reader.moved.connect(self._follow)
        self.reader.copied.connect(
            lambda address: self.message.setText(tr("Copied: {address}", address=address))
        )
        self.field.textEdited.connect(self._search)
        self.field.returnPressed.connect(partial(self._next_hit, 1))
        self.keys.clicked.connect(self.asked_keys)
        self.notices.clicked.connect(self._toggle_notices)
        tasks = {
            "back": lambda: self.reader.go(-1),
            "forward": lambda: self.reader.go(1),
            "hit_before": partial(self._next_hit, -1),
            "hit_after": partial(self._next_hit, 1),
        }
        for name, (_, _, keys) in BUTTONS.items():
            self.buttons[name].clicked.connect(tasks[name])
            QShortcut(QKeySequence(keys), self).activated.connect(tasks[name])
        QShortcut(QKeySequence(FIND), self).activated.connect(self._to_field)

    # Display

    def appear(self, language: str, shade: str) -> None:
        """Apply language, theme and text size."""
        theme = colours(shade)
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.window))
        self.setPalette(palette)
        self.setWindowTitle(f"{tr('User guide')} — Attention Stepper")
        for name, (_, text, keys) in BUTTONS.items():
            self.buttons[name].call(tr_marked(text), keys)
            self.buttons[name].paint_in(theme)
        self.field.setPlaceholderText(tr("Search this page"))
        name_widget(self.field, tr("Search this page"), FIND)
        self.field.setStyleSheet(
            f"QLineEdit {{ background: {theme.surface}; color: {theme.text}; border: 1px solid {edge(theme)};"
            f" border-radius: 6px; padding: {px(4)}px {px(8)}px; }} QLineEdit:focus {{ border-color: {theme.accent}; }}"
        )
        self.keys.setText(tr("Keys and marks"))
        self.contents.setAccessibleName(tr("Contents"))
        self.reader.setAccessibleName(tr("User guide"))
        self.reader.appear(language, shade)
        self.contents.appear(theme)
        self._search(self.field.text())

    def _follow(self) -> None:
        """Update contents, buttons and counts after the page has moved."""
        self.contents.show_headings(self.reader.headings)
        self.contents.mark_section(self.reader.section())
        back, forward = self.reader.can_go()
        self.buttons["back"].setEnabled(back)
        self.buttons["forward"].setEnabled(forward)
        if self._page != self.reader.page:
            self._page = self.reader.page
            self._search(self.field.text())
        on_notices = self._page == NOTICES
        self.notices.setText(
            tr("Back to the guide") if on_notices else tr("Licences of the libraries")
        )

    # Input

    def _search(self, text: str) -> None:
        self.reader.search(text)
        self._show_hits()

    def _next_hit(self, by: int, _checked: bool = False) -> None:
        self.reader.next_hit(by)
        self._show_hits()

    def _show_hits(self) -> None:
        count = len(self.reader.hits)
        for name in ("hit_before", "hit_after"):
            self.buttons[name].setEnabled(count > 0)
        if not self.field.text().strip():
            self.message.setText("")
        elif count:
            self.message.setText(tr("{number} of {count}", number=self.reader.hit + 1, count=count))
        else:
            self.message.setText(tr("Not found"))

    def _toggle_notices(self) -> None:
        self.reader.show_page(GUIDE if self.reader.page == NOTICES else NOTICES)

    def _to_field(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Emit `left`."""
        super().closeEvent(event)
        self.left.emit()
