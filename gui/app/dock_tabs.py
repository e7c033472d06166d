"""The tabs of panels that stand on one another: they are the title then, and a double click takes a panel off."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QMainWindow, QTabBar

from gui.app.dock import Dock


class DockTabs(QObject):
    """Watches where panels are put; a title and a tab never say the same."""

    def __init__(self, window: QMainWindow, docks: Sequence[Dock]) -> None:
        super().__init__(window)
        self._window, self._docks = window, docks
        self._known: list[QTabBar] = []
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self.look)
        for dock in docks:
            dock.visibilityChanged.connect(self._moved)
            dock.topLevelChanged.connect(self._moved)
            dock.dockLocationChanged.connect(self._moved)

    def _moved(self) -> None:
        self._soon.start()

    def look(self) -> None:
        """Titles and tabs as the panels stand now."""
        for bar in self._bars():
            bar.show()  # Qt takes bars that it had put aside, and leaves them hidden
            if bar not in self._known:
                self._known.append(bar)
                bar.tabBarDoubleClicked.connect(self._take_off)
        for dock in self._docks:
            beside = self._window.tabifiedDockWidgets(dock)
            dock.show_title(dock.isFloating() or all(other.isHidden() for other in beside))

    def _bars(self) -> list[QTabBar]:
        children = self._window.children()
        return [child for child in children if isinstance(child, QTabBar) and child.count() > 1]

    def _take_off(self, index: int) -> None:
        """A panel into a window of its own, once Qt has done with the click."""
        bar = self.sender()
        for dock in self._docks:
            if isinstance(bar, QTabBar) and dock.windowTitle() == bar.tabText(index):
                QTimer.singleShot(0, dock, partial(dock.setFloating, True))
