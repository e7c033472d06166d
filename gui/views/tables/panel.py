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
from core.document.parts import layer_id, split_layer
from core.explain.timeline import has_heads
from gui.painting.text_size import px, set_font
from gui.painting.theme import CAPTION, colours
from gui.session.session import Session
from gui.session.state import State
from gui.texts.names import head_label, head_name, long_label, short_symbol
from gui.texts.rich_text import to_html
from gui.texts.translation import label, label_words, mark, tr
from gui.views.tables.setup import PAGES, STACK_PAGES, SetupPage
from gui.views.tables.tabs import Tab, TabStrip
from gui.views.tables.tokens import TokensPage
from gui.views.tables.view import TensorView, add_copy_formats
from gui.widgets.buttons import IconButton
from gui.widgets.choice import ChoiceBox, WheelGuard
from gui.widgets.styles import link_style

TOKENS, CONTEXT, VOCABULARY = "tokens", "context", "vocabulary"
GIVEN, COMPUTED, SETUP = "given", "computed", "setup"
# Pixels at a text size of 100 %: two buttons beside the groups, frame of the head box, gaps.
BESIDE_GROUPS = 140


def tables_of(state: State, group: str) -> tuple[str, ...]:
    """The tables of a group, in the order in which they are used."""
    if group == SETUP:
        return (TOKENS, *PAGES, *(STACK_PAGES if state.document.is_stack else ()))
    if group == COMPUTED:
        computed = (stage.id for stage in state.trace.plan if not stage.entered)
        return tuple(name for name in computed if _is_open(state, name))
    sentences = (TOKENS,) if state.document.context is None else (TOKENS, CONTEXT)
    words = () if state.document.output is None else (VOCABULARY,)
    entered = (name for name in state.document.inputs if _is_open(state, name))
    return (*sentences, *words, *entered)


def _is_open(state: State, name: str) -> bool:
    """Whether a tensor or stage belongs to the open layer of a stack, or to none."""
    return split_layer(name)[0] in (None, state.scope.of_layer)


class HeadBox(ChoiceBox):
    """The choice of a head, as wide as its names are now."""

    def minimumSizeHint(self) -> QSize:
        """Qt would keep the width of the names before."""
        return self.sizeHint()


class TablesPanel(QWidget):
    """Shows one table or page of the setup; follows the focused cell while `link` is checked."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._current = {GIVEN: TOKENS, COMPUTED: "scores", SETUP: next(iter(PAGES))}
        self._group = GIVEN
        self.groups, self.tabs = TabStrip(self, strong=True), TabStrip(self)
        self.head = HeadBox(self)
        self.copy, self.link = IconButton("copy", self), IconButton("link", self)
        self.copy_formats = QMenu(self)
        self.link.setCheckable(True)
        self.link.setChecked(True)
        self.tokens, self.context = TokensPage(session, self), TokensPage(session, self, axis="m")
        self.vocabulary = TokensPage(session, self, axis="u")
        self.view = TensorView(session, session.state.cursor.stage, self)
        self.setup = SetupPage(session, self)
        self.note, self.unpin = QLabel(self), QToolButton(self)
        self.stack = QStackedWidget(self)
        for page in (self.tokens, self.context, self.vocabulary, self.view, self.setup):
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
        self.groups.chosen.connect(self._show_group)
        self.tabs.chosen.connect(self.show_page)
        add_copy_formats(self.copy_formats, self.view.copy_as)
        self.copy.clicked.connect(self._open_copy_formats)
        self.head.activated.connect(self._session.select_head)
        self.link.clicked.connect(self._follow_again)
        self.unpin.clicked.connect(self._unpin)

    # Pages

    @property
    def page_id(self) -> str:
        """The page in front: the id of a tensor, "tokens", "context", or a page of the setup."""
        return self._current[self._group]

    def show_table(self, tensor: str) -> None:
        """Bring the table of a tensor, or of the tokens, to the front."""
        for group in (GIVEN, COMPUTED):
            if tensor in tables_of(self._session.state, group):
                self._current[group] = tensor
                self._show_group(group)

    def edit(self, cell: Cell, focus_return: QWidget | None) -> None:
        """Open the editor of a number, then give the keyboard back.

        A computed number gets a what-if value. The layer of a stack that has the number is opened.
        """
        self._session.play(False)  # the next step would close the editor in the middle of a number
        if _is_open(self._session.state, cell.tensor):
            self._session.set_focus(cell)
        else:
            self._session.go_to_cell(cell)
        self.show_table(cell.tensor)
        self.view.edit_for(focus_return)

    def show_page(self, page_id: str) -> None:
        """Bring a page of the current group to the front."""
        self._current[self._group] = page_id
        self._show_group(self._group)

    def show_setup(self, page_id: str = "") -> None:
        """Bring a page of the setup to the front, by default the one that was shown last."""
        self._current[SETUP] = page_id or self._current[SETUP]
        self._show_group(SETUP)

    def _show_group(self, group: str) -> None:
        self._group = group
        state = self._session.state
        known = tables_of(state, group)
        if self._current[group] not in known:
            same = layer_id(state.scope.of_layer, split_layer(self._current[group])[1])
            found = (name for name in (state.focus.tensor, same) if name in known)
            self._current[group] = next(found, known[-1])
        page = self._page()
        if page is self.setup:
            self._keep_keyboard()
            self.setup.show_page(self.page_id)
        elif page is self.view:
            self.view.show_tensor(self.page_id)
        self.stack.setCurrentWidget(page)
        self._show_frame(state)

    def _keep_keyboard(self) -> None:
        """Leave the keyboard at the tabs; Qt would give it to the page, where the wheel changes it."""
        focused = QApplication.focusWidget()
        if focused is not None and self.stack.isAncestorOf(focused):
            self.tabs.setFocus()

    def _page(self) -> QWidget:
        sentences = {TOKENS: self.tokens, CONTEXT: self.context, VOCABULARY: self.vocabulary}
        if self.page_id in sentences:
            return sentences[self.page_id]
        return self.setup if self._group == SETUP else self.view

    # State

    def show_state(self, old: State | None, new: State) -> None:
        """Show the tables in another state; the focused cell's table comes to the front."""
        if old is None or old.shade != new.shade:
            self._paint(new.shade)
        focus_moved = old is None or (old.focus != new.focus and self._group != SETUP)
        if focus_moved and self.link.isChecked() and not self.view.is_editing():
            self.show_table(new.focus.tensor)
        elif self.page_id not in tables_of(new, self._group):
            self._show_group(self._group)
        shown = self.view.contents.tensor
        if shown not in new.trace.plan and shown not in new.document.inputs:  # behind another page
            self.view.show_tensor(new.focus.tensor)
        for part in (self.tokens, self.context, self.vocabulary, self.view, self.setup):
            part.show_state(old, new)
        self._show_frame(new)

    def _follow_again(self) -> None:
        if self.link.isChecked():
            self.show_table(self._session.state.focus.tensor)

    def _paint(self, shade: str) -> None:
        theme = colours(shade)
        for widget in (self.groups, self.tabs, self.link, self.copy):
            widget.paint_in(theme)
        self.note.setStyleSheet(f"color: {theme.muted};")
        self.unpin.setStyleSheet(link_style(theme))

    def _show_frame(self, state: State) -> None:
        """Tabs, head and note around the page."""
        groups = (
            _labelled_tab(GIVEN, mark("Given"), tr("Tables of entered numbers")),
            _labelled_tab(COMPUTED, mark("Computed"), tr("Tables of computed numbers")),
            _labelled_tab(
                SETUP, mark("Setup"), tr("Tokens, heads, positions, mask, scale and sizes")
            ),
        )
        self.groups.show_tabs(groups, self._group)
        self.groups.setAccessibleName(tr("Tables to show"))
        tabs = tuple(_tab(page_id, state) for page_id in tables_of(state, self._group))
        self.tabs.show_tabs(tabs, self.page_id)
        self.tabs.setAccessibleName(tr("Setup page") if self._group == SETUP else tr("Table"))
        self.copy.setVisible(self._page() is self.view)
        self.copy.call(tr("Copy as"))
        self.link.call(tr("Follow the focused cell"))
        self._show_heads(state)
        self._show_note(state)

    def _show_heads(self, state: State) -> None:
        document = state.scope
        in_front = self._page() is self.view
        self.head.setVisible(document.h > 1 and in_front and has_heads(self.page_id))
        names = self._head_names(document)
        if names != [self.head.itemText(index) for index in range(self.head.count())]:
            self.head.clear()
            self.head.addItems(names)
        for index, head in enumerate(document.heads):
            self.head.setItemData(index, head_label(index, head.name), Qt.ItemDataRole.ToolTipRole)
        self.head.setCurrentIndex(state.cursor.head)
        self.head.setAccessibleName(tr("Head"))

    def _head_names(self, document: Document) -> list[str]:
        """The longest names of the heads that leave the groups their width."""
        heads = [(index, head.name) for index, head in enumerate(document.heads)]
        width = self.width() - self.groups.least_width() - px(BESIDE_GROUPS)
        for call in (head_label, head_name):
            names = [call(*head) for head in heads]
            if max(map(self.head.fontMetrics().horizontalAdvance, names)) <= width:
                return names
        return [head_name(index, "") for index, _ in heads]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the names of the heads."""
        super().resizeEvent(event)
        self._show_heads(self._session.state)

    def _show_note(self, state: State) -> None:
        page = self._page()
        self.note.setVisible(page is not self.setup)
        self.unpin.setVisible(False)
        if page is self.context:
            self.note.setText(
                tr(
                    "The context, where keys and values come from: rename, add, remove or move "
                    "its tokens."
                )
            )
        elif page is self.vocabulary:
            self.note.setText(
                tr("The words that can come next; a new word's numbers in W_U are 0 and marked.")
            )
        elif page is self.tokens and state.document.context is not None:
            self.note.setText(
                tr("Queries come from these tokens; the tokens of the context are under Given.")
            )
        elif page is self.tokens:
            self.note.setText(
                tr("Double-click or type to rename; a new token's numbers are 0 and marked.")
            )
        elif page is self.view:
            self._describe_table()

    def _describe_table(self) -> None:
        contents = self.view.contents
        rows, columns = contents.values.shape
        parts = [long_label(self.page_id), f"{rows} × {columns}"]
        if not rows:
            parts = [_absence(contents.document, self.page_id, contents.head)]
        elif contents.filled:
            parts.append(tr("{n} filled in", n=len(contents.filled)))
        elif contents.visible_extent is not None:
            parts.append(
                tr("blank cells are still to be predicted")
                if contents.predicting
                else tr("blank cells have not been reached yet; typing pins a what-if value")
            )
        elif not contents.entered:
            parts.append(tr("typing pins a what-if value"))
        else:
            parts.append(tr("type, paste or drag ⇕"))
        self.note.setText(to_html(" · ".join(parts)))
        self.note.setToolTip(self.note.text())
        self.unpin.setVisible(bool(contents.pinned))
        self.unpin.setText(tr("Unpin {n}", n=len(contents.pinned)))

    def _open_copy_formats(self) -> None:
        self.copy_formats.popup(self.copy.mapToGlobal(self.copy.rect().bottomLeft()))

    def _unpin(self) -> None:
        contents = self.view.contents
        cells = [contents.cell(*place) for place in contents.pinned]
        name = contents.symbol
        self._session.change(without_pins_of, cells, text=mark("Unpin {name}"), name=name)


def _absence(document: Document, tensor: str, head: int) -> str:
    """Why a head has no tensor of its own."""
    lender = document.lender(tensor, head)
    if lender == head:
        return tr("This head has no {name}.", name=tensor)
    name = head_name(lender, document.scope(tensor).heads[lender].name)
    return tr("This head reads the keys and values of {head}.", head=name)


def _tab(page_id: str, state: State) -> Tab:
    if page_id == CONTEXT:
        name = tr("Tokens of the context: keys and values come from them")
        return _labelled_tab(CONTEXT, mark("Context"), name)
    if page_id == VOCABULARY:
        return _labelled_tab(VOCABULARY, mark("Vocabulary"), tr("The words that can come next"))
    text = mark("Tokens") if page_id == TOKENS else {**PAGES, **STACK_PAGES}.get(page_id, "")
    if text:
        return _labelled_tab(page_id, text, label(text))
    name = short_symbol(page_id, state.document, state.orientation)
    return Tab(page_id, name, long_label(page_id))


def _labelled_tab(page_id: str, text: str, name: str) -> Tab:
    """A tab with a label, in both languages where they fit."""
    return Tab(page_id, label(text), name, label_words(text)[0])
