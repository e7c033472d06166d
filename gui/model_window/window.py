"""The model window: sentences, the map of heads, the selected head, edits and the next word."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QColor,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QResizeEvent,
    QShortcut,
)
from PySide6.QtWidgets import (
    QLabel,
    QMainWindow,
    QMenu,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QToolBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.base.errors import UserError
from gui.model_window.canvas import Canvas
from gui.model_window.changes_view import ChangesPanel
from gui.model_window.filter_bar import FilterBar
from gui.model_window.head_panel import HeadPanel
from gui.model_window.map_view import MapView
from gui.model_window.next_word import NextWordPanel
from gui.model_window.sentence_panel import SentencePanel
from gui.model_window.session import ModelSession
from gui.model_window.state import ALL, BY_LAYER, PAIR, ModelState
from gui.model_window.training_bar import TrainingBar
from gui.model_window.wording import model_facts
from gui.painting.icons import icon
from gui.painting.text_size import magnify_within, set_font
from gui.painting.theme import BODY, TITLE, colours, style_window
from gui.session.preferences import load_layout, save_layout
from gui.session.undo import weak_slot
from gui.texts.errors import error_message
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.drops import accepted_paths
from gui.widgets.labels import ElidedLabel, renew_tooltip
from gui.widgets.layouts import ScrollingPanel, card, fill, scroll_vertically

# Action, its icon, its keys
ACTIONS = {
    "model_undo": (mark("Undo"), "undo", "Ctrl+Z"),
    "model_redo": (mark("Redo"), "redo", "Ctrl+Shift+Z"),
    "model_picture": (mark("Picture…"), "export", "Ctrl+E"),
    "model_present": (mark("Present"), "present", "F5"),
    "model_hand_over": (mark("Open in the main window"), "link", "Ctrl+Return"),
    "model_open": (mark("Open model…"), "open", "Ctrl+O"),
}
KEYS = {"model_help": "F1", "model_quit": "Ctrl+Q"}
WORDED = ("model_hand_over", "model_open")
SLOW_MS = 300  # of work before its progress is shown
HALL = 720.0  # height in pixels of a window at 100 %; a full screen enlarges it
PAGES = {"PgDown": 1, "PgUp": -1}  # keys of a clicker


class ModelWindow(QMainWindow):
    """Shows a model. `asked(id)` requests an action of the program, `left()` reports closing,
    `dropped(path)` a folder or file that was dropped.
    """

    asked = Signal(str)
    left = Signal()
    dropped = Signal(object)

    def __init__(self, session: ModelSession, models: Callable[[QMenu], None]) -> None:
        super().__init__()
        style_window(self)
        self.session = session
        session.setParent(self)
        self.setObjectName("model_window")
        self._times = 1.0
        self._slow = QTimer(self, singleShot=True, interval=SLOW_MS)
        self._slow.timeout.connect(self._show_progress)
        self.setAcceptDrops(True)
        self.choice, self.facts = QToolButton(self), ElidedLabel(self)
        self.message, self.progress = QLabel(self), QProgressBar(self)
        self.cancel = QPushButton(self)
        self.sentences, self.filters = SentencePanel(session, self), FilterBar(self)
        self.map, self.head = MapView(self), HeadPanel(session, self)
        self.next, self.changes = NextWordPanel(session, self), ChangesPanel(session, self)
        self.training = TrainingBar(session, self)
        self.actions_ = {name: self._action(name, keys) for name, (_, _, keys) in ACTIONS.items()}
        for name, keys in KEYS.items():
            self._action(name, keys)
        menu = QMenu(self.choice)
        menu.aboutToShow.connect(menu.clear)
        menu.aboutToShow.connect(partial(models, menu))
        self.choice.setMenu(menu)
        self._bar = self._tools()
        self.addToolBar(self._bar)
        self.setCentralWidget(self._central())
        self._connect()
        self._views = (
            self.sentences,
            self.filters,
            self.map,
            self.head,
            self.next,
            self.changes,
            self.training,
        )
        self.show_state(None, session.state)
        self._restore()
        self.map.setFocus()

    def _action(self, name: str, keys: str) -> QAction:
        action = QAction(self)
        action.setObjectName(name)
        action.setShortcut(QKeySequence(keys))
        action.setCheckable(name == "model_present")
        action.triggered.connect(partial(self._triggered, name))
        self.addAction(action)
        return action

    def _tools(self) -> QToolBar:
        bar = QToolBar(self)
        bar.setObjectName("model_bar")
        bar.setMovable(False)
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(120)
        self.choice.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.choice.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        set_font(self.choice, TITLE, bold=True)
        set_font(self.facts, BODY)
        self.facts.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.facts.setMinimumWidth(1)
        self.facts.setIndent(8)
        bar.addWidget(self.choice)
        bar.addWidget(self.facts)
        self._busy = [bar.addWidget(self.progress), bar.addWidget(self.cancel)]
        for name, action in self.actions_.items():
            bar.addAction(action)
            button = bar.widgetForAction(action)
            if button is not None:
                button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            if name in WORDED and isinstance(button, QToolButton):
                button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return bar

    def _central(self) -> QWidget:
        self.map_scroll = QScrollArea(self)
        scroll_vertically(self.map_scroll, self.map)
        left = self._left = card(self.filters, (self.map_scroll, 1), margins=(10, 8, 10, 8))
        self.split = QSplitter(Qt.Orientation.Horizontal, self)
        self.split.setChildrenCollapsible(False)
        self.down = QSplitter(Qt.Orientation.Vertical, self)
        self.down.setChildrenCollapsible(False)
        self.down.addWidget(left)
        self.down.addWidget(self.changes)
        self.down.setSizes([330, 190])
        self.down.setStretchFactor(0, 1)
        right = QWidget(self)
        fill(QVBoxLayout(right), self.next, (self.head, 1), spacing=8)
        self.split.addWidget(self.down)
        self.split.addWidget(ScrollingPanel(right, QSize(300, 240), self))
        self.split.setStretchFactor(0, 5)
        self.split.setStretchFactor(1, 3)
        self.split.setSizes([800, 460])
        set_font(self.message, BODY)
        self.message.setWordWrap(True)
        body = self._body = QWidget(self)
        fill(
            QVBoxLayout(body),
            self.training,
            self.sentences,
            (self.split, 1),
            self.message,
            spacing=8,
            margins=(8, 8, 8, 6),
        )
        return body

    def _connect(self) -> None:
        session = self.session
        session.changed.connect(self.show_state)
        session.failed.connect(self.refuse)
        session.undo_stack.indexChanged.connect(weak_slot(self, ModelWindow._name_undo))
        self.map.chosen.connect(session.select)
        self.map.chosen.connect(self._follow_head)
        self.map.opened.connect(partial(self.asked.emit, "model_hand_over"))
        self.filters.filtered.connect(lambda name: session.look(filter=name))
        self.filters.sorted.connect(lambda name: session.look(sort=name))
        self.sentences.chosen.connect(self.choose_token)
        self.sentences.cut_wanted.connect(self.show_cut)
        self.sentences.swap_wanted.connect(self.swap_word)
        self.training.about_wanted.connect(self.show_notes)
        self.head.view.chosen.connect(self.choose_pair)
        self.head.hand_over.connect(partial(self.asked.emit, "model_hand_over"))
        self.head.layer_wanted.connect(partial(self.asked.emit, "model_layer"))
        self.cancel.clicked.connect(self._cancel_or_resume)
        for keys, by in (("F6", 1), ("Shift+F6", -1)):
            QShortcut(QKeySequence(keys), self, partial(self.cycle, by))
        for keys, by in PAGES.items():
            QShortcut(QKeySequence(keys), self, partial(self.turn_page, by))

    # Requests

    def _triggered(self, name: str) -> None:
        own: dict[str, Callable[[], None]] = {
            "model_undo": partial(self._undo, -1),
            "model_redo": partial(self._undo, 1),
        }
        own.get(name, partial(self.asked.emit, name))()

    def _cancel_or_resume(self) -> None:
        if self.session.unfinished:
            self.session.resume()
        else:
            self.session.cancel()

    def _undo(self, by: int) -> None:
        stack = self.session.undo_stack
        said = stack.notice(by)
        stack.setIndex(stack.index() + by)
        self.say(said)

    def choose_token(self, place: int) -> None:
        """Follow a token; a second one makes the pair, and the same one again ends it."""
        look = self.session.state.look
        if look.query is None or look.key is not None:
            self.session.look(query=place, key=None, **_without_pair(look.filter, look.sort))
        elif look.query == place:
            self.session.look(query=None)
        else:
            self.session.look(key=place, filter=PAIR)

    def choose_pair(self, query: int, key: int) -> None:
        """Look at one weight of the selected head."""
        self.session.look(query=query, key=key)

    def show_cut(self) -> None:
        """Show how the tokenizer cut sentence A."""
        from gui.model_window.table_dialogs import CutDialog

        state = self.session.state
        if state.model is not None:
            CutDialog(self, state.model.tokenizer, state.setting.text).open()

    def show_notes(self) -> None:
        """Show what a shipped model learned, and what it did not."""
        from gui.widgets.forms import Message, MessageButton

        state = self.session.state
        close = (MessageButton("cancel", tr("&Close"), default=True),)
        Message.ask(self, state.title, state.notes, close)

    def swap_word(self) -> None:
        """Replace the token that is followed."""
        from gui.model_window.edit_dialogs import SwapDialog

        state = self.session.state
        if state.model is not None and state.look.query is not None:
            self.head.ask(SwapDialog(self, state, state.look.query), mark("Swap a word"))

    def cycle(self, by: int) -> None:
        """Move the keyboard to the next part of the window."""
        stops = [
            self.sentences.first.line,
            self.sentences.first.strip,
            self.map,
            *self.head.stops,
            self.next.bars,
        ]
        stops = [stop for stop in stops if stop.isVisible() and stop.isEnabled()]
        held = self.focusWidget()
        at = stops.index(held) if held in stops else (-1 if by > 0 else 0)
        stops[(at + by) % len(stops)].setFocus(Qt.FocusReason.TabFocusReason)

    def _follow_head(self, layer: int, head: int) -> None:
        """Scroll to the selected head."""
        places = self.map.layout_in(self.map.room())
        if places is not None:
            rect = places.rect((layer, head))
            at = QRectF(rect.topLeft() * self.map.unit, rect.size() * self.map.unit).center()
            self.map_scroll.ensureVisible(int(at.x()), int(at.y()), 60, 60)

    # Display

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Update every part."""
        for view in self._views:
            view.show_state(old, new)
        renew_tooltip()
        if old is None or (old.language, old.shade) != (new.language, new.shade):
            self._name(new)
        if old is None or (old.model, old.title, old.language) != (
            new.model,
            new.title,
            new.language,
        ):
            self._show_model(new)
        if old is not None and old.setting != new.setting:
            self.say("")
        if new.opening or new.working is not None:
            if not self._slow.isActive() and not self._busy[0].isVisible():
                self._slow.start()
        else:
            self._slow.stop()
            self._busy[0].setVisible(False)
            self._busy[1].setVisible(bool(self.session.unfinished))
        if self._busy[0].isVisible():
            done, of = new.working or (0, 0)
            self.progress.setRange(0, of)
            self.progress.setValue(done)
        unfinished = bool(self.session.unfinished)
        self.cancel.setText(tr("Go on") if unfinished else tr("Cancel"))
        self.actions_["model_hand_over"].setEnabled(new.shown_weights(new.look.layer) is not None)

    def _show_progress(self) -> None:
        """Show the progress of work that takes a while."""
        for action in self._busy:
            action.setVisible(True)

    def _show_model(self, new: ModelState) -> None:
        model = new.model
        self.choice.setText(f"{new.title or tr('Choose a model')} ▾")
        self.setWindowTitle(" — ".join(filter(None, (new.title, tr("Model"), "Attention Stepper"))))
        self.facts.setText("" if model is None else model_facts(model))
        self.facts.setToolTip(self.facts.text())

    def _name(self, new: ModelState) -> None:
        theme = colours(new.shade)
        for name, (text, picture, keys) in ACTIONS.items():
            action = self.actions_[name]
            action.setText(tr_marked(text))
            action.setToolTip(f"{tr_marked(text)} ({keys})")
            action.setIcon(icon(picture, theme.text, theme.ghost))
        self.choice.setAccessibleName(tr("Model"))
        self.progress.setAccessibleName(tr("Layers computed"))
        self.facts.setStyleSheet(f"color: {theme.muted};")
        self.choice.setStyleSheet(
            "QToolButton { padding: 3px 6px; border: 1px solid transparent; border-radius: 6px; }"
            f"QToolButton:hover {{ background: {theme.sunken}; }}"
            f"QToolButton:focus {{ border-color: {theme.accent}; }}"
            "QToolButton::menu-indicator { image: none; }"
        )
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, QColor(theme.window))
        self.setPalette(palette)
        self.session.undo_stack.translate()
        self._name_undo()

    def _name_undo(self, _step: int = 0) -> None:
        self.actions_["model_undo"].setEnabled(self.session.undo_stack.canUndo())
        self.actions_["model_redo"].setEnabled(self.session.undo_stack.canRedo())

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Show a line at the lower edge, or hide it."""
        theme = colours(self.session.state.shade)
        self.message.setStyleSheet(f"color: {theme.error if wrong else theme.text};")
        self.message.setText(text)
        self.message.setVisible(bool(text))

    def refuse(self, problem: UserError) -> None:
        """Show an error in a sentence."""
        self.sentences.restore()
        self.say(error_message(problem), wrong=True)

    # Window

    def toggle_present(self) -> None:
        """Show the window on the full screen without its bar, or leave that."""
        on = not self.isFullScreen()
        (self.showFullScreen if on else self.showNormal)()
        self._bar.setVisible(not on)
        self.actions_["model_present"].setChecked(on)
        self._magnify()
        self.map.setFocus()

    def _magnify(self) -> None:
        """Enlarge texts and pictures on the full screen."""
        times = max(1.0, self.height() / HALL) if self.isFullScreen() else 1.0
        if times == self._times:
            return
        self._times = times
        magnify_within(self._body, times)
        for canvas in self._body.findChildren(Canvas):
            canvas.magnify(times)
        self.show_state(None, self.session.state)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Follow the size of the screen in a presentation."""
        super().resizeEvent(event)
        self._magnify()

    def turn_page(self, by: int) -> None:
        """Go to the next step of the training, or to the next layer."""
        state = self.session.state
        if len(state.snapshots) > 1:
            self.session.show_snapshot(state.snapshot + by)
        elif state.model is not None:
            layer = min(max(state.look.layer + by, 0), state.model.layers - 1)
            self.session.select(layer, state.look.head)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept folders and files."""
        accepted_paths(event)

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped as a model."""
        paths = accepted_paths(event)
        if paths:
            self.dropped.emit(paths[0])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc ends in turn: the full screen, a run, a filter, the pair."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.isFullScreen():
            self.asked.emit("model_present")
        elif self.session.state.working is not None:
            self.session.cancel()
        elif self.session.state.look.filter != ALL:
            self.session.look(filter=ALL, sort=BY_LAYER)
        elif self.session.state.look.query is not None:
            self.session.look(query=None, key=None)
        else:
            self.map.setFocus()

    def _restore(self) -> None:
        if not self.restoreGeometry(QByteArray(load_layout().get("model", b""))):
            self.resize(self.screen().availableSize().boundedTo(QSize(1280, 800)) * 0.98)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop all activity and save the size."""
        self.session.close()
        if not self.isFullScreen():
            save_layout(model=self.saveGeometry().data())
        self.left.emit()
        event.accept()


def _without_pair(filter_: str, sort: str) -> dict[str, str]:
    """A filter and a sort that need no pair."""
    return {
        "filter": ALL if filter_ == PAIR else filter_,
        "sort": BY_LAYER if sort == PAIR else sort,
    }
