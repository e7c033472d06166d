"""Where the panels stand: a first arrangement that fits the window, and the way back to it."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QApplication, QMainWindow, QTabWidget

from gui.dock import Dock
from gui.preferences import load_layout, save_layout
from gui.text_size import factor

# Windows lower than this, in pixels at 100 %, have no room for heatmap and numbers below each other.
LOW = 860
# Narrower ones have no room for instruments beside the stage view; they stand behind the diagram's tab.
NARROW = 700

# How much of the window's height the diagram has until the user drags its edge, alone or with tabs beside its own.
DIAGRAM_SHARE, WITH_INSTRUMENTS = 0.36, 0.44


class Arrangement(QObject):
    """Diagram above, over the whole width; heatmap, numbers and check on the right, the last two on one another.

    The diagram keeps its share of the height when the window grows and shrinks.
    """

    def __init__(
        self, window: QMainWindow, diagram: Dock, heatmap: Dock, tables: Dock, check: Dock, lesson: Dock, code: Dock
    ) -> None:
        super().__init__(window)
        self._window = window
        self._part = DIAGRAM_SHARE
        self._height = 0
        diagram.installEventFilter(self)
        self._diagram, self._heatmap, self._tables, self._check = diagram, heatmap, tables, check
        self._lesson, self._code = lesson, code
        lesson.hide()
        code.hide()
        corner, top = Qt.Corner, Qt.DockWidgetArea.TopDockWidgetArea
        window.setDockNestingEnabled(True)
        window.setCorner(corner.TopLeftCorner, top)
        window.setCorner(corner.TopRightCorner, top)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.resize(self.first_size())
        self._form = self._fitting_form()
        self.reset()
        self._ours = not self._restore()

    def first_size(self) -> QSize:
        """Most of the screen, but no more than the picture needs."""
        room = self._window.screen().availableSize()
        return QSize(min(round(room.width() * 0.9), 1600), min(round(room.height() * 0.9), 1000))

    def reset(self) -> None:
        """Every panel in its place; lesson and code stay closed until they are asked for.

        The instruments stand on one another where the window is low, behind the diagram where it is narrow, too.
        """
        window, right = self._window, Qt.DockWidgetArea.RightDockWidgetArea
        teaching, coding = not self._lesson.isHidden(), not self._code.isHidden()
        keyboard = window.focusWidget()
        for dock in (self._diagram, self._heatmap, self._tables, self._check, self._lesson, self._code):
            if dock.isFloating():  # Qt would hide and show every other one, too, which makes panels that nobody sees
                dock.setFloating(False)
            window.removeDockWidget(dock)  # a dock on a tab can only be split off from outside
        window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self._diagram)
        window.addDockWidget(right, self._heatmap)
        self._form = self._fitting_form()
        self._part = WITH_INSTRUMENTS if self._form == "narrow" else DIAGRAM_SHARE
        # Straight onto their tabs: below each other, even for a moment, they would push the window up.
        if self._form == "narrow":
            window.tabifyDockWidget(self._diagram, self._heatmap)
        if self._form != "high":
            window.tabifyDockWidget(self._heatmap, self._tables)
        else:
            window.splitDockWidget(self._heatmap, self._tables, Qt.Orientation.Vertical)
        window.tabifyDockWidget(self._tables, self._check)
        window.tabifyDockWidget(self._check, self._lesson)
        # A lesson's words are read beside the panels that its scenes name.
        window.tabifyDockWidget(self._heatmap if self._form == "high" else self._lesson, self._code)
        for dock in (self._diagram, self._heatmap, self._tables, self._check):
            dock.show()
        self._lesson.setVisible(teaching)
        self._code.setVisible(coding)
        front = {"narrow": self._diagram, "low": self._heatmap, "high": self._tables}[self._form]
        (self._lesson if teaching else front).raise_()
        self._share()
        if keyboard is not None:
            keyboard.setFocus()  # moving the panels about took it away

    def _share(self) -> None:
        """How much room each panel has. Qt keeps to it only once the window is on the screen."""
        window = self._window
        if self._form == "high":
            window.resizeDocks([self._heatmap, self._tables], [270, 330], Qt.Orientation.Vertical)
        self._give_diagram()
        if self._form != "narrow":
            window.resizeDocks([self._tables], [round(window.width() * 0.36)], Qt.Orientation.Horizontal)

    def _fitting_form(self) -> str:
        """ "narrow", "low" or "high", for the window's size and the text's."""
        if self._window.width() < NARROW * factor():
            return "narrow"
        return "low" if self._window.height() < LOW * factor() else "high"

    def shown(self) -> None:
        """The window came on the screen."""
        if self._ours:
            self._share()
        else:
            self._part = self._diagram.height() / self._window.height()
        self._height = self._window.height()

    def follow_size(self) -> None:
        """Until the user has an arrangement of his own, it follows the window's size; the diagram always does."""
        if self._ours and self._form != self._fitting_form():
            self.reset()
        elif self._height and self._height != self._window.height():
            self._give_diagram()
        self._height = self._height and self._window.height()

    def _give_diagram(self) -> None:
        part = round(self._window.height() * self._part)
        self._window.resizeDocks([self._diagram], [part], Qt.Orientation.Vertical)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A diagram that changes its height under the mouse is one whose edge is dragged."""
        if event.type() == QEvent.Type.Resize and QApplication.mouseButtons() & Qt.MouseButton.LeftButton:
            self._part = self._diagram.height() / self._window.height()
        return False

    def _restore(self) -> bool:
        layout = load_layout()
        if not layout:
            return False
        self._window.restoreGeometry(QByteArray(layout.get("geometry", b"")))
        return self._window.restoreState(QByteArray(layout.get("state", b"")))

    def save(self) -> None:
        """Keep sizes and places for the next start."""
        save_layout(geometry=self._window.saveGeometry().data(), state=self._window.saveState().data())
