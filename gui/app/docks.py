"""Docks: title bars, tabs, and the docks that a lesson brings to the front."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QDockWidget,
    QFrame,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.app.panels import LazyPanel
from gui.painting.icons import icon
from gui.painting.text_size import set_fixed, set_font, set_icon_size, set_least
from gui.painting.theme import CAPTION, colours
from gui.session.state import State
from gui.texts.translation import label, tr, tr_marked
from gui.widgets.layouts import fill

BAR = 24  # height of a title bar
TAB_PADDING = 2 * 12 + 2  # of a tab, as in the style sheet


class Dock(QDockWidget):
    """A dock with a flat title bar. `left()` is emitted when it is hidden while it has the keyboard
    focus.
    """

    left = Signal()

    def __init__(self, name: str, title: str, view: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(f"dock_{name}")
        self.toggleViewAction().setObjectName(f"show_{name}")
        self._title = title
        self._card = QFrame(self)
        self._card.setObjectName("card")  # see the style sheet in gui.painting.theme
        fill(QVBoxLayout(self._card), view, margins=(1, 1, 1, 1))
        self._view = view
        self.setWidget(self._card)
        self._label = QLabel(self)
        set_font(self._label, CAPTION, bold=True)
        self._close = QToolButton(self)
        self._close.setAutoRaise(True)
        set_icon_size(self._close, 14)
        set_fixed(self._close, 20, 20)
        self._close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._close.clicked.connect(self.close)
        self._bar = self._title_bar()
        self._dress_bar(True)
        self.setTitleBarWidget(self._bar)
        self.visibilityChanged.connect(self._on_visible)

    def bring_forward(self) -> None:
        """Show the dock in front of others on its tab bar."""
        self.show()
        self.raise_()

    def _on_visible(self, visible: bool) -> None:
        """Build a lazy panel; give up the focus: Qt leaves it to a dock behind another tab."""
        if visible and isinstance(self._view, LazyPanel):
            self._view.update_if_visible()
        focused = self.window().focusWidget()
        if not visible and focused is not None and self.isAncestorOf(focused):
            self.left.emit()

    def show_title(self, shown: bool) -> None:
        """Show the title bar, or hide it where a tab has the same title."""
        if shown == self._close.isHidden():
            self._label.setVisible(shown)
            self._close.setVisible(shown)
            self._dress_bar(shown)

    def title(self, *, both: bool) -> str:
        """The title in the current language, or as a label, which may be in both."""
        return label(self._title) if both else tr_marked(self._title)

    def _dress_bar(self, shown: bool) -> None:
        set_least(self._bar, height=BAR if shown else 0)
        self._row.setContentsMargins(*((10, 0, 4, 0) if shown else (0, 0, 0, 0)))

    def _title_bar(self) -> QWidget:
        bar = QWidget(self)
        row = self._row = QHBoxLayout(bar)
        fill(row, self._label, 1, self._close, margins=None)
        return bar

    def show_state(self, old: State | None, new: State) -> None:
        """Update title and colours."""
        theme = colours(new.shade)
        if old is None or old.wording != new.wording:
            title = tr_marked(self._title)
            self.setWindowTitle(label(self._title))
            self.toggleViewAction().setText(title)
            self._label.setText(label(self._title))
            self._close.setAccessibleName(tr("Close the panel {title}", title=title))
            self._close.setToolTip(tr("Close the panel (reopen it from the View menu)"))
        if old is None or old.shade != new.shade:
            self._close.setIcon(icon("close", theme.muted))
            self._label.setStyleSheet(f"color: {theme.muted};")


class DockTabs(QObject):
    """Hide the title of a dock that has a tab; a double click on a tab makes its dock float."""

    def __init__(self, window: QMainWindow, docks: Collection[Dock]) -> None:
        super().__init__(window)
        self._window, self._docks = window, docks
        self._known: list[QTabBar] = []
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.update)
        for dock in docks:
            dock.visibilityChanged.connect(self._moved)
            dock.topLevelChanged.connect(self._moved)
            dock.dockLocationChanged.connect(self._moved)
            dock.windowTitleChanged.connect(self._moved)

    def _moved(self) -> None:
        self._soon.start()

    def update(self) -> None:
        """Update titles and tab bars."""
        for bar in self._bars():
            # Qt reuses hidden tab bars and leaves them hidden, and empty ones shown as a white line
            bar.setVisible(bar.count() > 1)
            self._name_tabs(bar)
            if bar not in self._known:
                self._known.append(bar)
                bar.setDrawBase(False)  # Qt's line is white in a dark theme
                bar.tabBarDoubleClicked.connect(self._take_off)
                bar.installEventFilter(self)
        for dock in self._docks:
            beside = self._window.tabifiedDockWidgets(dock)
            dock.show_title(dock.isFloating() or all(other.isHidden() for other in beside))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Name the tabs of a bar again in another width."""
        if event.type() == QEvent.Type.Resize:
            self._soon.start()
        return super().eventFilter(watched, event)

    def _name_tabs(self, bar: QTabBar) -> None:
        """Name the tabs in both languages, where these are wanted and all of them fit."""
        titles = [bar.tabText(index) for index in range(bar.count())]
        docks = [dock for dock in self._docks if dock.windowTitle() in titles]
        width = bar.fontMetrics().horizontalAdvance
        needed = sum(width(dock.title(both=True)) + TAB_PADDING for dock in docks)
        both = needed <= bar.width()
        for dock in docks:
            dock.setWindowTitle(dock.title(both=both))

    def _bars(self) -> list[QTabBar]:
        children = self._window.children()
        return [child for child in children if isinstance(child, QTabBar)]

    def _take_off(self, index: int) -> None:
        """Make a dock float, after Qt has handled the click."""
        bar = self.sender()
        for dock in self._docks:
            if isinstance(bar, QTabBar) and dock.windowTitle() == bar.tabText(index):
                QTimer.singleShot(0, dock, partial(dock.setFloating, True))


class LessonDocks:
    """Bring the lesson's dock and those that a scene names to the front."""

    def __init__(self, docks: Mapping[str, Dock]) -> None:
        self._lesson = docks["lesson"]
        self._others = {name: docks[name] for name in ("diagram", "heatmap", "code")}

    def show_state(self, old: State | None, new: State) -> None:
        """Show the lesson's dock with a new lesson, a scene's docks with a new scene.

        Of two docks on the same tab bar the one that the scene names first is in front.
        """
        if old is None:
            return
        if old.lesson is None and new.lesson is not None:
            self._lesson.bring_forward()
        if old.scene is not new.scene:
            for name in reversed(new.view):
                if name in self._others:
                    self._bring(self._others[name])

    def _bring(self, dock: Dock) -> None:
        """Bring a dock to the front unless it would cover the lesson."""
        window = self._lesson.parent()
        assert isinstance(window, QMainWindow)
        dock.show()
        covers = self._lesson.isVisible() and self._lesson in window.tabifiedDockWidgets(dock)
        (self._lesson if covers else dock).raise_()
