"""The panel of numbers: what was given, what is computed, and how it is set up."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.base.cell import Cell
from core.document.document import Document
from core.document.edits import without_pins_of
from core.document.orientation import Orientation
from gui.painting.text_size import px, set_font
from gui.painting.theme import CAPTION, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import head_label, head_name, long_label, symbol
from gui.texts.rich_text import to_html
from gui.texts.translation import label, label_words, mark, tr
from gui.views.tables.editing import has_heads
from gui.views.tables.menus import fill_forms
from gui.views.tables.setup import PAGES, SetupPage
from gui.views.tables.tabs import Tab, TabStrip
from gui.views.tables.tokens_page import TokensPage
from gui.views.tables.view import TensorView
from gui.widgets.buttons import IconButton
from gui.widgets.choice import ChoiceBox
from gui.widgets.styles import link_style
from gui.widgets.wheel_guard import WheelGuard

TOKENS, CONTEXT = "tokens", "context"
BESIDE = 140  # pixels at a text size of 100 %: two buttons beside the groups, the frame of the heads, the gaps
GIVEN, COMPUTED, SETUP = "given", "computed", "setup"


def tables_of(state: State, group: str) -> tuple[str, ...]:
    """The tables of a group, in the order in which they are used."""
    sentences = (TOKENS,) if state.document.context is None else (TOKENS, CONTEXT)
    if group == GIVEN:
        return (*sentences, *state.document.inputs)
    if group == SETUP:
        return (TOKENS, *PAGES)
    return tuple(stage.id for stage in state.trace.plan if not stage.entered)


class HeadBox(ChoiceBox):
    """The heads by names that are chosen by the room: as wide as those that it has now."""

    def minimumSizeHint(self) -> QSize:
        """Qt keeps the one of the names before."""
        return self.sizeHint()


class TablesPanel(QWidget):
    """Shows one table, or the setup. Follows the focused cell, unless a number is being typed or it was told not to."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._chosen = {GIVEN: TOKENS, COMPUTED: "scores", SETUP: next(iter(PAGES))}
        self._group = GIVEN
        self.groups, self.tabs = TabStrip(self, strong=True), TabStrip(self)
        self.head = HeadBox(self)
        self.copy, self.link = IconButton("copy", self), IconButton("link", self)
        self.forms = QMenu(self)
        self.link.setCheckable(True)
        self.link.setChecked(True)
        self.tokens, self.context = TokensPage(session, self), TokensPage(session, self, axis="m")
        self.view = TensorView(session, session.state.cursor.stage, self)
        self.setup = SetupPage(session, self)
        self.note, self.unpin = QLabel(self), QToolButton(self)
        self.stack = QStackedWidget(self)
        for page in (self.tokens, self.context, self.view, self.setup):
            self.stack.addWidget(page)
        self._lay_out()
        self._connect()
        WheelGuard(self)
        self.show_table(session.state.focus.tensor)

    def _lay_out(self) -> None:
        top, bottom = QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.groups, 1)
        for widget in (self.head, self.copy, self.link):
            top.addWidget(widget)
        bottom.addWidget(self.note, 1)
        bottom.addWidget(self.unpin)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 4, 10, 6)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self.tabs)
        column.addWidget(self.stack, 1)
        column.addLayout(bottom)
        self.head.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.head.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        set_font(self.note, CAPTION)
        self.note.setWordWrap(True)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        set_font(self.unpin, CAPTION, bold=True)

    def _connect(self) -> None:
        self.groups.chosen.connect(self._choose_group)
        self.tabs.chosen.connect(self._choose_tab)
        fill_forms(self.forms, self.view.copy_as)
        self.copy.clicked.connect(self._offer_forms)
        self.head.activated.connect(self._session.choose_head)
        self.link.clicked.connect(self._follow_again)
        self.unpin.clicked.connect(self._unpin)

    # What is shown

    @property
    def shown(self) -> str:
        """What is in front: a tensor, "tokens", or a page of the setup."""
        return self._chosen[self._group]

    def show_table(self, tensor: str) -> None:
        """Bring the table of a tensor, or of the tokens, to the front."""
        for group in (GIVEN, COMPUTED):
            if tensor in tables_of(self._session.state, group):
                self._chosen[group] = tensor
                self._choose_group(group)

    def edit(self, cell: Cell, guest: QWidget | None) -> None:
        """Open the editor of a number, for whoever has the keyboard: a computed one gets a what-if value."""
        self._session.play(
            False
        )  # the next step would take the editor away in the middle of a number
        self._session.focus_on(cell)
        self.show_table(cell.tensor)
        self.view.edit_for(guest)

    def _choose_tab(self, name: str) -> None:
        self._chosen[self._group] = name
        self._choose_group(self._group)

    def show_setup(self) -> None:
        """Bring the switches and sizes to the front."""
        self._choose_group(SETUP)

    def _choose_group(self, group: str) -> None:
        self._group = group
        state = self._session.state
        self._keep_table(state)
        if self._page() is self.setup:
            self._keep_keyboard()
            self.setup.show_page(self.shown)
        elif self._page() is self.view:
            self.view.show_tensor(self.shown)
        self.stack.setCurrentWidget(self._page())
        self._show_frame(state)

    def _keep_keyboard(self) -> None:
        """The keyboard stays at the tabs: Qt would give it to the page's first choice, which the wheel then turns."""
        focused = QApplication.focusWidget()
        if focused is not None and self.stack.isAncestorOf(focused):
            self.tabs.setFocus()

    def _page(self) -> QWidget:
        if self.shown in (TOKENS, CONTEXT):
            return self.tokens if self.shown == TOKENS else self.context
        return self.setup if self._group == SETUP else self.view

    def _keep_table(self, state: State) -> None:
        """Another table where the chosen one is gone."""
        known = tables_of(state, self._group)
        if self._chosen[self._group] not in known:
            self._chosen[self._group] = (
                state.focus.tensor if state.focus.tensor in known else known[-1]
            )

    # State

    def show_state(self, old: State | None, new: State) -> None:
        """The tables in another state; the focused cell's table comes to the front."""
        if old is None or old.shade != new.shade:
            self._paint(new.shade)
        if self._follows(old, new):
            self.show_table(new.focus.tensor)
        elif self.shown not in tables_of(new, self._group):
            self._choose_group(self._group)
        self.tokens.show_state(old, new)
        self.context.show_state(old, new)
        self.view.show_state(old, new)
        self.setup.show_state(old, new)
        self._show_frame(new)

    def _follows(self, old: State | None, new: State) -> bool:
        if old is not None and (old.focus == new.focus or self._group == SETUP):
            return False
        return self.link.isChecked() and not self.view.is_editing()

    def _follow_again(self) -> None:
        if self.link.isChecked():
            self.show_table(self._session.state.focus.tensor)

    def _paint(self, shade: str) -> None:
        theme = colours(shade)
        for strip in (self.groups, self.tabs):
            strip.paint_in(theme)
        self.link.paint_in(theme)
        self.copy.paint_in(theme)
        self.note.setStyleSheet(f"color: {theme.muted};")
        self.unpin.setStyleSheet(link_style(theme))

    def _show_frame(self, state: State) -> None:
        """Tabs, head and note around the page."""
        groups = (
            _named(GIVEN, mark("Given"), tr("Tables of what was entered")),
            _named(COMPUTED, mark("Computed"), tr("Tables of what is computed")),
            _named(SETUP, mark("Setup"), tr("Tokens, heads, positions, mask, scale and sizes")),
        )
        self.groups.show_tabs(groups, self._group)
        self.groups.setAccessibleName(tr("Kind of table"))
        tabs = tuple(
            _tab(name, state.document, state.orientation) for name in tables_of(state, self._group)
        )
        self.tabs.show_tabs(tabs, self.shown)
        self.tabs.setAccessibleName(
            tr("Page of the setup") if self._group == SETUP else tr("Table")
        )
        self.copy.setVisible(self._page() is self.view)
        self.copy.call(tr("Copy as"))
        self.link.call(tr("Follow the focused cell"))
        self._show_heads(state)
        self._show_note(state)

    def _show_heads(self, state: State) -> None:
        document = state.document
        self.head.setVisible(document.h > 1 and self._page() is self.view and has_heads(self.shown))
        names = self._head_names(document)
        if names != [self.head.itemText(index) for index in range(self.head.count())]:
            self.head.clear()
            self.head.addItems(names)
        for index, head in enumerate(document.heads):
            self.head.setItemData(index, head_label(index, head.name), Qt.ItemDataRole.ToolTipRole)
        self.head.setCurrentIndex(state.cursor.head)
        self.head.setAccessibleName(tr("Head"))

    def _head_names(self, document: Document) -> list[str]:
        """In one language, or by their numbers alone, where more would take the room of the groups."""
        heads = [(index, head.name) for index, head in enumerate(document.heads)]
        room = self.width() - self.groups.least_width() - px(BESIDE)
        for call in (head_label, head_name):
            names = [call(*head) for head in heads]
            if max(map(self.head.fontMetrics().horizontalAdvance, names)) <= room:
                return names
        return [head_name(index, "") for index, _ in heads]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names of heads as there is room."""
        super().resizeEvent(event)
        self._show_heads(self._session.state)

    def _show_note(self, state: State) -> None:
        self.note.setVisible(self._page() is not self.setup)
        self.unpin.setVisible(False)
        if self._page() in (self.tokens, self.context):
            self.note.setText(
                tr("Double-click or type to rename; a new token's numbers are 0 and marked.")
            )
            if self._page() is self.context:
                self.note.setText(
                    tr("The context, which keys and values come from: rename, add, remove, move.")
                )
            elif state.document.context is not None:
                self.note.setText(
                    tr("Queries come from these tokens; those of the context stand under Given.")
                )
        elif self._page() is self.view:
            self._describe()

    def _describe(self) -> None:
        shown = self.view.table.shown
        rows, columns = shown.values.shape
        parts = [long_label(self.shown), f"{rows} × {columns}"]
        if not rows:
            parts = [tr("This head has no {name}.", name=self.shown)]
        elif shown.filled:
            parts.append(tr("{n} made up", n=len(shown.filled)))
        elif shown.open_part is not None:
            parts.append(tr("blank cells are still to be predicted"))
        elif not shown.entered:
            parts.append(tr("typing pins a what-if value"))
        else:
            parts.append(tr("type, paste or drag ⇕"))
        self.note.setText(to_html(" · ".join(parts)))
        self.note.setToolTip(self.note.text())
        self.unpin.setVisible(bool(shown.pinned))
        self.unpin.setText(tr("Unpin {n}", n=len(shown.pinned)))

    def _offer_forms(self) -> None:
        self.forms.popup(self.copy.mapToGlobal(self.copy.rect().bottomLeft()))

    def _unpin(self) -> None:
        shown = self.view.table.shown
        cells = [shown.cell(*place) for place in shown.pinned]
        name = symbol(shown.tensor, shown.document, shown.orientation)
        self._session.change(without_pins_of, cells, text=mark("Unpin {name}"), name=name)


def _tab(tensor: str, document: Document, orientation: Orientation) -> Tab:
    if tensor == TOKENS:
        return _named(TOKENS, mark("Tokens"), label(mark("Tokens")))
    if tensor == CONTEXT:
        return _named(
            CONTEXT, mark("Context"), tr("Tokens of the context: keys and values come from them")
        )
    if tensor in PAGES:
        return _named(tensor, PAGES[tensor], label(PAGES[tensor]))
    return Tab(tensor, symbol(tensor, document, orientation), long_label(tensor))


def _named(name: str, text: str, tip: str) -> Tab:
    """A tab with a label, which may be said in both languages where there is room."""
    return Tab(name, label(text), tip, label_words(text)[0])
