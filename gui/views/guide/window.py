"""The contents of a page: its headings, a click or Enter away."""

from __future__ import annotations

from collections.abc import Sequence

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
from gui.painting.theme import CAPTION, Colours, colours, edge
from gui.texts.translation import mark, tr, tr_marked
from gui.views.guide.reader import GUIDE, NOTICES, GuideReader, PageHeading
from gui.widgets.buttons import IconButton

INDEX = Qt.ItemDataRole.UserRole


class ContentsTree(QTreeWidget):
    """`chosen(index)`: the heading of the page to go to."""

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

    def show_headings(self, headings: Sequence[PageHeading]) -> None:
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


# Button: its icon, its name, its keys.
BUTTONS = {
    "back": ("back", mark("Back"), "Alt+Left"),
    "forward": ("forward", mark("Forward"), "Alt+Right"),
    "hit_before": ("move_up", mark("Match before"), "Shift+F3"),
    "hit_after": ("move_down", mark("Next match"), "F3"),
}
FIND = "Ctrl+F"
SIZE = (1040, 720)  # units
FRAME = QSize(16, 48)  # what a window's own frame takes of the screen


class GuideWindow(QWidget):
    """`left()`: it was closed; `asked_keys()`: the keys are wanted."""

    left = Signal()
    asked_keys = Signal()

    def __init__(self, language: str, shade: str) -> None:
        super().__init__()
        self.setObjectName("guide_window")
        self._page = GUIDE
        self.reader, self.contents = GuideReader(language, shade, self), ContentsTree(self)
        self.field, self.told = QLineEdit(self), QLabel(self)
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
        bar = QHBoxLayout()
        bar.setContentsMargins(12, 8, 12, 8)
        bar.setSpacing(6)
        for name in ("back", "forward"):
            bar.addWidget(self.buttons[name])
        bar.addStretch(1)
        set_font(self.told, CAPTION)
        self.told.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        bar.addWidget(self.told)
        self.field.setClearButtonEnabled(True)
        set_least(self.field, 220)
        bar.addWidget(self.field)
        for name in ("hit_before", "hit_after"):
            bar.addWidget(self.buttons[name])
        side = QWidget(self)
        column = QVBoxLayout(side)
        column.setContentsMargins(12, 0, 4, 12)
        column.setSpacing(6)
        column.addWidget(self.contents, 1)
        for button in (self.keys, self.notices):
            column.addWidget(button)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(side)
        split.addWidget(self.reader)
        split.setStretchFactor(1, 1)
        split.setSizes([px(250), px(SIZE[0] - 250)])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(bar)
        whole.addWidget(split, 1)

    def _connect(self) -> None:
        self.contents.chosen.connect(self.reader.show_section)
        self.reader.moved.connect(self._follow)
        self.reader.copied.connect(self._tell_copied)
        self.field.textEdited.connect(self._search)
        self.field.returnPressed.connect(self._hit_after)
        self.keys.clicked.connect(self.asked_keys)
        self.notices.clicked.connect(self._toggle_notices)
        tasks = {
            "back": self.reader.go_back,
            "forward": self.reader.go_forward,
            "hit_before": self._hit_before,
            "hit_after": self._hit_after,
        }
        for name, (_, _, keys) in BUTTONS.items():
            self.buttons[name].clicked.connect(tasks[name])
            QShortcut(QKeySequence(keys), self).activated.connect(tasks[name])
        QShortcut(QKeySequence(FIND), self).activated.connect(self._to_field)

    # What is shown

    def appear(self, language: str, shade: str) -> None:
        """Another language, theme or text size."""
        theme = colours(shade)
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.window))
        self.setPalette(palette)
        self.setWindowTitle(f"{tr('User guide')} — Attention Stepper")
        for name, (_, text, keys) in BUTTONS.items():
            self.buttons[name].call(tr_marked(text), keys)
            self.buttons[name].paint_in(theme)
        self.field.setPlaceholderText(tr("Search this page"))
        self.field.setAccessibleName(tr("Search this page"))
        self.field.setToolTip(FIND)
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
        """Contents, buttons and counts after the page has moved."""
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

    # Wishes

    def _search(self, text: str) -> None:
        self.reader.search(text)
        self._tell_hits()

    def _hit_after(self) -> None:
        self.reader.next_hit(1)
        self._tell_hits()

    def _hit_before(self) -> None:
        self.reader.next_hit(-1)
        self._tell_hits()

    def _tell_hits(self) -> None:
        count = len(self.reader.hits)
        for name in ("hit_before", "hit_after"):
            self.buttons[name].setEnabled(count > 0)
        if not self.field.text().strip():
            self.told.setText("")
        elif count:
            self.told.setText(tr("{number} of {count}", number=self.reader.hit + 1, count=count))
        else:
            self.told.setText(tr("Not found"))

    def _tell_copied(self, address: str) -> None:
        self.told.setText(tr("Copied: {address}", address=address))

    def _toggle_notices(self) -> None:
        self.reader.show_page(GUIDE if self.reader.page == NOTICES else NOTICES)

    def _to_field(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Tell who has opened it."""
        super().closeEvent(event)
        self.left.emit()
