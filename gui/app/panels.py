"""Lazy panels, the dispatcher that lets hidden views catch up, and keyboard focus that stays
visible.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from PySide6.QtCore import QChildEvent, QEvent, QPoint, QRect, QSize, QTimer
from PySide6.QtGui import QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QScrollArea, QTabBar, QVBoxLayout, QWidget

from core.base.cell import Cell
from gui.app.actions import Actions
from gui.errors.excepthook import guard
from gui.session.session import Session
from gui.session.state import State
from gui.texts.translation import tr
from gui.widgets.layouts import ScrollingPanel

if TYPE_CHECKING:
    from gui.app.answer_actions import AnswerActions
    from gui.storage.lesson_files import LessonFiles
    from gui.views.check.panel import CheckPanel
    from gui.views.code.panel import CodePanel
    from gui.views.heatmaps.panel import HeatmapPanel
    from gui.views.lesson.panel import LessonPanel
    from gui.views.next_word.panel import NextWordPanel
    from gui.views.tables.panel import TablesPanel


MOST = 1000  # hidden widgets that are skipped at most


class FocusVisibleWindow(QMainWindow):
    """Skip widgets behind other tabs on Tab: Qt only moves them outside of the window."""

    def focusNextPrevChild(self, onward: bool) -> bool:
        """Focus the next visible widget and scroll to it."""
        for _ in range(MOST):
            if not super().focusNextPrevChild(onward):
                return False
            widget = self.focusWidget()
            if widget is None or self._holds(widget):
                break
        _bring_into_sight(self.focusWidget())
        return True

    def _holds(self, widget: QWidget) -> bool:
        """Whether a widget, or the scroll area around it, is inside the window."""
        area = widget.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        place = area or widget
        return self.rect().intersects(QRect(place.mapTo(self, QPoint()), place.size()))

    def childEvent(self, event: QChildEvent) -> None:
        """Name the tab bars that Qt creates."""
        super().childEvent(event)
        if event.type() == QEvent.Type.ChildPolished and isinstance(event.child(), QTabBar):
            self.name_tabs()

    def name_tabs(self) -> None:
        """Set the accessible names of tab bars in the current language."""
        for child in self.children():
            if isinstance(child, QTabBar):
                child.setAccessibleName(tr("Panels"))
                child.setToolTip(tr("Double-click to open the panel in its own window"))


def _bring_into_sight(widget: QWidget | None) -> None:
    inside = widget
    while inside is not None:
        inside = inside.parentWidget()
        if isinstance(inside, QScrollArea) and widget is not None:
            inside.ensureWidgetVisible(widget)


# A panel scrolls rather than take more than this from its neighbours.
LEAST = QSize(380, 150)

P = TypeVar("P", bound=QWidget)


class LazyPanel(QWidget, Generic[P]):
    """Build the panel when it is first visible; while hidden, merge missed states into one."""

    def __init__(self, session: Session, make: Callable[[Session], P], parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._make = session, make
        self._panel: P | None = None
        self._missed: State | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)

    @property
    def panel(self) -> P:
        """The panel, built and up to date."""
        state = self._session.state
        if self._panel is None:
            self._panel = self._make(self._session)
            frame = (
                ScrollingPanel(self._panel, LEAST)
                if self._panel.layout() is not None
                else self._panel
            )
            self._column.addWidget(frame)
            frame.show()  # the layout would show it only after a first frame without it
            self._show(None, state)
        elif self._missed is not None:
            missed, self._missed = self._missed, None
            self._show(missed, state)
        return self._panel

    def show_state(self, old: State | None, new: State) -> None:
        """Update the panel if it is visible or the window is not shown yet; else remember the
        state.
        """
        if self._panel is None:
            return
        if self.is_seen or not self.window().isVisible() or _has_new_look(old, new):
            missed, self._missed = self._missed, None
            self._show(missed or old, new)
        elif self._missed is None:
            self._missed = old

    def _show(self, old: State | None, new: State) -> None:
        show_state: Callable[[State | None, State], None] = getattr(self._panel, "show_state")  # noqa: B009
        show_state(old, new)

    @property
    def is_seen(self) -> bool:
        """Whether any of it is visible or has the focus.

        Qt says visible of a panel behind another tab, too.
        """
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            return True
        return self.isVisible() and not self.visibleRegion().isEmpty()

    def update_if_visible(self) -> None:
        """Build or update the panel if it is visible."""
        if self.is_seen:
            assert self.panel is not None

    def showEvent(self, event: QShowEvent) -> None:
        """Build the panel before it is first painted."""
        super().showEvent(event)
        self.update_if_visible()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Build the panel if it is painted before it was built."""
        super().paintEvent(event)
        if self._panel is None or self._missed is not None:
            QTimer.singleShot(0, self.update_if_visible)

    def minimumSizeHint(self) -> QSize:
        """The size of the scroll area, also before the panel is built."""
        return LEAST if self._panel is None else super().minimumSizeHint()


def _has_new_look(old: State | None, new: State) -> bool:
    """Whether language or theme changed: that concerns hidden panels, too."""
    return old is None or (old.wording, old.shade) != (new.wording, new.shade)


class Panels:
    """The lazy panels of the docks."""

    def __init__(self, session: Session, files: LessonFiles, window: PanelledWindow) -> None:
        self.heatmaps: LazyPanel[HeatmapPanel] = LazyPanel(
            session, partial(_heatmaps, window), window
        )
        self.tables: LazyPanel[TablesPanel] = LazyPanel(session, partial(_tables, window), window)
        self.check: LazyPanel[CheckPanel] = LazyPanel(session, partial(_check, window), window)
        self.lessons: LazyPanel[LessonPanel] = LazyPanel(session, partial(_lessons, files), window)
        self.code: LazyPanel[CodePanel] = LazyPanel(session, _code, window)
        self.next_word: LazyPanel[NextWordPanel] = LazyPanel(
            session, partial(_next_word, window), window
        )


def _heatmaps(window: PanelledWindow, session: Session) -> HeatmapPanel:
    from gui.views.heatmaps.panel import HeatmapPanel

    panel = HeatmapPanel(session)
    panel.edit_wanted.connect(window.edit_number)
    panel.menu_wanted.connect(window.open_cell_menu)
    panel.add_buttons(window.actions_["heatmap_large"], window.actions_["heatmap_window"])
    return panel


def _tables(window: PanelledWindow, session: Session) -> TablesPanel:
    from gui.views.tables.panel import TablesPanel

    panel = TablesPanel(session)
    panel.view.menu_wanted.connect(window.open_cell_menu)
    return panel


def _check(window: PanelledWindow, session: Session) -> CheckPanel:
    from gui.views.check.panel import CheckPanel

    panel = CheckPanel(session)
    panel.view.menu_wanted.connect(window.open_cell_menu)
    panel.save_wanted.connect(partial(window.actions_.perform, "save_answers"))
    panel.open_wanted.connect(window.answer_actions.open)
    return panel


def _lessons(files: LessonFiles, session: Session) -> LessonPanel:
    from gui.views.lesson.panel import LessonPanel

    return LessonPanel(session, files)


def _code(session: Session) -> CodePanel:
    from gui.views.code.panel import CodePanel

    return CodePanel(session)


def _next_word(window: PanelledWindow, session: Session) -> NextWordPanel:
    from gui.views.next_word.panel import NextWordPanel

    panel = NextWordPanel(session)
    panel.lab_wanted.connect(window.open_decoding)
    return panel


class PanelledWindow(FocusVisibleWindow):
    """A window with lazy panels."""

    _panels: Panels
    actions_: Actions
    answer_actions: AnswerActions

    @abstractmethod
    def edit_number(self, cell: Cell) -> None:
        """Open the editor of a number in the tables."""

    @abstractmethod
    def open_cell_menu(self, cell: Cell, at: QPoint) -> None:
        """Focus a cell and open its menu at a point of the screen."""

    @abstractmethod
    def open_decoding(self) -> None:
        """Open the experiment in the lab of decoding, at its last token."""

    @property
    def heatmaps(self) -> HeatmapPanel:
        """The heatmap panel."""
        return self._panels.heatmaps.panel

    @property
    def tables(self) -> TablesPanel:
        """The panel of tables."""
        return self._panels.tables.panel

    @property
    def check(self) -> CheckPanel:
        """The panel that checks the learner's answers."""
        return self._panels.check.panel

    @property
    def lessons(self) -> LessonPanel:
        """The lesson panel."""
        return self._panels.lessons.panel

    @property
    def code(self) -> CodePanel:
        """The code panel."""
        return self._panels.code.panel


class StateView(Protocol):
    """A view that follows the state."""

    def show_state(self, old: State | None, new: State) -> None:
        """Show what changed between two states; everything if `old` is None."""


class StateDispatcher:
    """Pass states to views. While paused, or after a view failed, missed states are merged into
    one.

    A view that fails does not stop the others.
    """

    def __init__(self, window: QWidget, views: Sequence[StateView]) -> None:
        self._window, self._views = window, views
        self._resting = False
        self._missed: tuple[State, State] | None = None
        self._failed: dict[
            int, State | None
        ] = {}  # by index of a failed view: the last state that it has shown

    def show_state(self, old: State | None, new: State) -> None:
        """Update every view, or remember the state while paused."""
        if self._resting and old is not None:
            self._missed = (self._missed[0] if self._missed else old, new)
            return
        for number, view in enumerate(self._views):
            shown = self._failed.pop(number, old)
            if not guard(view.show_state, shown, new):
                self._failed[number] = shown

    def pause(self, on: bool) -> None:
        """Pause or resume."""
        if on == self._resting:
            return
        self._resting = on
        if self._missed and not on:
            missed, self._missed = self._missed, None
            self.show_state(*missed)
        self._window.setUpdatesEnabled(not on)
