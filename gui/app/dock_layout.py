"""The layout of the docks: a default that fits the window, and saving and restoring it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress

from PySide6.QtCore import QByteArray, QEvent, QObject, QRect, QSize, Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QStyle,
    QTabWidget,
    QToolBar,
    QWidget,
)

from gui.app.docks import Dock, DockTabs
from gui.painting.text_size import factor, px
from gui.session.preferences import load_layout, save_layout
from gui.session.state import State
from gui.views.heatmaps.layout import wanted_height

# Below this height (pixels at 100 %) heatmap and numbers share tabs.
LOW = 860
# Below this width (pixels at 100 %) all docks share tabs with the diagram.
NARROW = 700

FORMS = ("narrow", "low", "high", "side")

# The diagram's share of the window's height by default, alone or with tabs.
DIAGRAM_SHARE, WITH_INSTRUMENTS = 0.36, 0.44
# The least share, where larger text leaves less room.
LEAST_SHARE = 0.2
RIGHT_SHARE, SIDE_SHARE = 0.36, 0.5  # of the width: the docks on the right, and a large heatmap
AROUND_HEATMAP = 120  # pixels at 100 %: controls and texts of the heatmap's dock
HEATMAP_MOST = 0.62  # of the height that it shares with the tables
SPARE = 4  # pixels at 100 %, for the higher letters of other languages

Place = tuple[bool, Qt.DockWidgetArea, frozenset[QDockWidget]]


class DockLayout(QObject):
    """Place the diagram on top over the whole width, the other docks on the right.

    The diagram keeps its share of the height when the window is resized. The heatmap's share
    follows what it shows; one that was dragged is kept for each of its views. In the form "side"
    the heatmap has the whole right side, with the other docks on tabs behind it.
    """

    def __init__(
        self,
        window: QMainWindow,
        stage: QWidget,
        docks: Mapping[str, Dock],
        below: Callable[[], int],
    ) -> None:
        super().__init__(window)
        self._below = below  # the height that is wanted below the stage
        self._window, self._stage = window, stage
        self._part: float | None = None  # the diagram's share as the user has dragged it
        self._height, self._factor = 0, factor()
        self._large, self._before = False, QByteArray()  # the layout before the heatmap was large
        self._shown = "", 1, 1, 1  # the heatmap's view, and its number of matrices with their shape
        self._heatmap_parts: dict[str, float] = {}  # dragged shares by view
        self._column = 0  # the height of heatmap and tables together
        self._dragged = QTimer(self, singleShot=True, interval=0)
        self._dragged.timeout.connect(self._take_heatmap_part)
        self._diagram, self._heatmap, self._tables = (
            docks[name] for name in ("diagram", "heatmap", "tables")
        )
        self._check, self._lesson, self._code, self._next_word = (
            docks[name] for name in ("check", "lesson", "code", "next_word")
        )
        self._usual = self._diagram, self._heatmap, self._tables, self._check
        self._diagram.installEventFilter(self)
        self._heatmap.installEventFilter(self)
        self._tabs = DockTabs(window, docks.values())
        self._lesson.hide()
        self._code.hide()
        self._next_word.hide()
        self._next_word.toggleViewAction().setEnabled(False)
        corner, top = Qt.Corner, Qt.DockWidgetArea.TopDockWidgetArea
        window.setDockNestingEnabled(True)
        window.setCorner(corner.TopLeftCorner, top)
        window.setCorner(corner.TopRightCorner, top)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.resize(self.first_size())
        self._form, self._ours, self._restored = self._fitting_form(), True, False
        self.reset()
        self._restore()

    def first_size(self) -> QSize:
        """The initial size of the window: most of the screen, within limits."""
        room = self._window.screen().availableSize()
        return QSize(min(round(room.width() * 0.9), 1600), min(round(room.height() * 0.9), 1000))

    def reset(self) -> None:
        """Restore the default layout; lesson and code stay closed if they are closed."""
        self._large = False
        self._heatmap_parts.clear()
        self._arrange()

    def _arrange(self) -> None:
        """Place all docks for the size of the window.

        The docks on the right are tabs where the window is low; where it is narrow, tabs of the
        diagram.
        """
        window, right = self._window, Qt.DockWidgetArea.RightDockWidgetArea
        teaching, coding = not self._lesson.isHidden(), not self._code.isHidden()
        sampling = not self._next_word.isHidden()
        keyboard = window.focusWidget()
        for dock in (*self._usual, self._lesson, self._code, self._next_word):
            if (
                dock.isFloating()
            ):  # only if floating: Qt hides and shows all docks, which builds hidden panels
                dock.setFloating(False)
            window.removeDockWidget(dock)  # a dock on a tab can only be split after it is removed
        window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self._diagram)
        window.addDockWidget(right, self._heatmap)
        self._form = self._fitting_form()
        self._part = None
        self._give_corner()
        # Straight onto their tabs: below each other they would enlarge the window.
        if self._form == "narrow":
            window.tabifyDockWidget(self._diagram, self._heatmap)
        if self._form != "high":
            window.tabifyDockWidget(self._heatmap, self._tables)
        else:
            window.splitDockWidget(self._heatmap, self._tables, Qt.Orientation.Vertical)
        window.tabifyDockWidget(self._tables, self._check)
        window.tabifyDockWidget(self._check, self._lesson)
        # The lesson is visible beside the panels that its scenes name.
        window.tabifyDockWidget(self._heatmap if self._form == "high" else self._lesson, self._code)
        window.tabifyDockWidget(self._heatmap, self._next_word)
        for dock in self._usual:
            dock.show()
        self._lesson.setVisible(teaching)
        self._code.setVisible(coding)
        self._next_word.setVisible(sampling)
        front = {"narrow": self._diagram, "high": self._tables}.get(self._form, self._heatmap)
        (self._lesson if teaching and self._form != "side" else front).raise_()
        self._tabs.update()
        self._share()
        self._ours, self._placed, self._restored = True, self._places(), False
        if keyboard is not None:
            keyboard.setFocus()  # moving docks has taken the focus

    def _places(self) -> dict[Dock, Place]:
        """Map each default dock to its area and the docks tabbed with it. Empty while the window is
        hidden.
        """
        if not self._window.isVisible():
            return {}
        window = self._window
        return {
            dock: (
                dock.isFloating(),
                window.dockWidgetArea(dock),
                frozenset(window.tabifiedDockWidgets(dock)),
            )
            for dock in self._usual
        }

    def _share(self) -> None:
        """Divide the space among the docks. Qt keeps to it only once the window is visible."""
        window = self._window
        if self._form == "high":  # also while hidden: Qt places tabs with it
            window.resizeDocks([self._heatmap, self._tables], [270, 330], Qt.Orientation.Vertical)
        self._give_diagram()
        if self._form != "narrow":
            share = SIDE_SHARE if self._form == "side" else RIGHT_SHARE
            width = round(window.width() * share)
            window.resizeDocks([self._tables], [width], Qt.Orientation.Horizontal)
        self._give_heatmap()

    def _give_corner(self) -> None:
        """Let the docks on the right reach to the top in the form "side"."""
        right, top = Qt.DockWidgetArea.RightDockWidgetArea, Qt.DockWidgetArea.TopDockWidgetArea
        side = right if self._form == "side" else top
        if self._window.corner(Qt.Corner.TopRightCorner) != side:
            self._window.setCorner(Qt.Corner.TopRightCorner, side)

    def _fitting_form(self) -> str:
        """The form of the layout for the size of window and text: "narrow", "low" or "high"."""
        if self._window.width() < NARROW * factor():
            return "narrow"
        if self._large:
            return "side"
        return "low" if self._window.height() < LOW * factor() else "high"

    def shown(self) -> None:
        """Apply the layout when the window becomes visible."""
        self._tabs.update()
        self._placed = self._placed or self._places()
        if not self._restored:
            self._share()
        elif self._ours:
            self._give_diagram()
            self._give_heatmap()
        self._height, self._factor = self._window.height(), factor()

    def follow_size(self) -> None:
        """Adapt to a new size of the window; docks that the user has moved stay, the diagram keeps
        its share.
        """
        if self._form != self._fitting_form() and self._is_ours():
            self._move()
        elif self._height and (self._height, self._factor) != (self._window.height(), factor()):
            self._give_diagram()
            self._give_heatmap()
        self._height, self._factor = self._height and self._window.height(), factor()

    def _move(self) -> None:
        """Change to the layout that fits now; closed docks stay closed."""
        closed = [dock for dock in self._usual if dock.isHidden()]
        form, part = self._form, self._part
        self._arrange()
        self._keep_part(form, part)
        for dock in closed:
            dock.hide()

    def _keep_part(self, form: str, part: float | None) -> None:
        """Keep the diagram's share of the height, except from or to the form "narrow"."""
        if "narrow" not in (form, self._form) and part is not None:
            self._part = part
            self._give_diagram()

    @property
    def is_heatmap_large(self) -> bool:
        """Whether the heatmap has the whole right side."""
        return self._large

    def toggle_large_heatmap(self) -> None:
        """Give the heatmap the whole right side, or all docks the places that they had."""
        if not self._large:
            self._before = QByteArray() if self._is_ours() else self._window.saveState()
        self._large = not self._large
        if self._large or self._before.isEmpty():
            self._ours = True
            self._move()
        else:
            self._window.restoreState(self._before)
            self._form, self._ours = self._fitting_form(), False
            self._give_corner()
        self._heatmap.bring_forward()

    @property
    def has_heatmap_window(self) -> bool:
        """Whether the heatmap is in a window of its own."""
        return self._heatmap.isFloating() and not self._heatmap.isHidden()

    def toggle_heatmap_window(self) -> None:
        """Put the heatmap into a window of its own, on another screen if there is one, or back."""
        docks_back = self.has_heatmap_window
        self._heatmap.bring_forward()
        self._heatmap.setFloating(not docks_back)
        if docks_back:
            self._heatmap.raise_()
            return
        own = self._window.screen()
        others = [screen for screen in QApplication.screens() if screen is not own]
        place = (others[0] if others else own).availableGeometry()
        if not others:
            middle, size = place.center(), place.size() * 0.6
            place = QRect(0, 0, size.width(), size.height())
            place.moveCenter(middle)
        self._heatmap.setGeometry(place)

    def show_state(self, old: State | None, new: State) -> None:
        """Follow what the heatmap shows with its share of the height."""
        self._show_next_word(old, new)
        view, document = new.preferences.heatmap_view, new.document
        matrices = new.scope.h if view == "heads" else 1
        rows, columns = new.orientation.pair(len(document.tokens), len(document.key_tokens))
        if self._shown != (view, matrices, rows, columns):
            self._shown = view, matrices, rows, columns
            self._give_heatmap()

    def _show_next_word(self, old: State | None, new: State) -> None:
        """Add the tab of the next word to an experiment that has one, behind the others."""
        before = old is not None and old.document.output is not None
        has_output = new.document.output is not None
        if before != has_output:
            front = next((dock for dock in self._usual if not dock.visibleRegion().isEmpty()), None)
            self._next_word.setVisible(has_output)
            self._next_word.toggleViewAction().setEnabled(has_output)
            if front is not None:
                front.raise_()

    def _give_heatmap(self) -> None:
        """Divide the height between heatmap and tables, where they are one below the other."""
        heatmap, tables, window = self._heatmap, self._tables, self._window
        if self._form != "high" or not (heatmap.isVisible() and tables.isVisible()):
            return
        layout, beside = window.layout(), window.tabifiedDockWidgets(heatmap)
        if layout is None or tables in beside or heatmap.isFloating() or tables.isFloating():
            return
        layout.activate()  # what was resized just now has its new size
        column, view = self._column_height(), self._shown[0]
        part = self._heatmap_parts.get(view)
        if part is None:
            needed = wanted_height(heatmap.width() / factor(), *self._shown[1:])
            part = min((needed + AROUND_HEATMAP) * factor() / column, HEATMAP_MOST)
        high = round(part * column)
        window.resizeDocks([heatmap, tables], [high, column - high], Qt.Orientation.Vertical)
        self._column = column

    def _column_height(self) -> int:
        """The height of heatmap and tables together, with the tabs between them."""
        whole = self._heatmap.geometry().united(self._tables.geometry()).height()
        return whole - self._edge()

    def _edge(self) -> int:
        """The width of the edge between docks."""
        metric = QStyle.PixelMetric.PM_DockWidgetSeparatorExtent
        return self._window.style().pixelMetric(metric, None, self._window)

    def _take_heatmap_part(self) -> None:
        """Keep the share to which the edge between heatmap and tables was dragged."""
        column = self._column_height()
        if self._form == "high" and abs(column - self._column) <= 1 and column:
            self._heatmap_parts[self._shown[0]] = self._heatmap.height() / column
        self._column = column

    def _is_ours(self) -> bool:
        """Whether the user has moved no dock; closing one does not count."""
        now, there = self._places(), {dock for dock in self._usual if not dock.isHidden()}
        self._ours = self._ours and all(
            now[dock][:2] == self._placed[dock][:2]
            and now[dock][2] & there == self._placed[dock][2] & there
            for dock in there.intersection(now, self._placed)
        )
        return self._ours

    def _give_diagram(self) -> None:
        part = self._usual_part() if self._part is None else self._part
        self._window.resizeDocks(
            [self._diagram], [round(self._window.height() * part)], Qt.Orientation.Vertical
        )

    def _usual_part(self) -> float:
        if self._form == "narrow":
            return WITH_INSTRUMENTS
        return min(
            DIAGRAM_SHARE, max(1 - self._needed_below() / self._window.height(), LEAST_SHARE)
        )

    def _needed_below(self) -> int:
        """The height in pixels that bars, stage and the edge of the docks need."""
        window = self._window
        bars = (
            window.menuBar(),
            *window.findChildren(QToolBar, options=Qt.FindChildOption.FindDirectChildrenOnly),
        )
        central = window.centralWidget()
        layout = None if central is None else central.layout()
        assert layout is not None
        around = layout.contentsMargins()
        needed = (
            self._stage.minimumSizeHint().height()
            + around.top()
            + around.bottom()
            + self._edge()
            + px(SPARE)
        )
        needed += sum(bar.sizeHint().height() for bar in bars if not bar.isHidden())
        more = needed + self._below()
        fits = 1 - more / window.height() >= LEAST_SHARE
        return more if fits else needed  # what is below goes where there is no room for it

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take over shares of the height while an edge is dragged."""
        dragging = QApplication.mouseButtons() & Qt.MouseButton.LeftButton
        if event.type() == QEvent.Type.Resize and dragging:
            if watched is self._diagram:
                self._part = self._diagram.height() / self._window.height()
            elif not self._heatmap.isFloating():
                self._dragged.start()  # until the tables have their new size, too
        return False

    def _restore(self) -> None:
        """Restore the saved layout. Docks that the user had not moved still follow the size."""
        layout = load_layout()
        if not layout:
            return
        form = layout.get("form", b"").decode("ascii", "replace")
        self._window.restoreGeometry(QByteArray(layout.get("geometry", b"")))
        part = _share_of(layout.get("share", b""))
        self._heatmap_parts = _shares_of(layout.get("heatmap", b""))
        self._large = form == "side"
        if form in FORMS and form != self._fitting_form():
            self._arrange()  # also a window that is not maximized yet
            self._keep_part(form, part)
        elif self._window.restoreState(QByteArray(layout.get("state", b""))):
            self._ours, self._placed, self._restored = form in FORMS, self._places(), True
            self._part = part
            self._form = self._fitting_form()

    def save(self) -> None:
        """Save geometry, layout and the diagram's share for the next start."""
        window = self._window
        form = self._form.encode("ascii") if self._is_ours() else b""
        share = b"" if self._part is None else repr(self._part).encode("ascii")
        save_layout(
            geometry=window.saveGeometry().data(),
            state=window.saveState().data(),
            form=form,
            share=share,
            heatmap=json.dumps(self._heatmap_parts).encode("ascii"),
        )


def _share_of(kept: bytes) -> float | None:
    """Parse the saved share of the height; None for the default or unusable text."""
    try:
        share = float(kept)
    except ValueError:
        return None
    return share if 0 < share < 1 else None


def _shares_of(kept: bytes) -> dict[str, float]:
    """Parse the saved shares of the heatmap's views, without unusable ones."""
    with suppress(ValueError):
        found = json.loads(kept)
        if isinstance(found, dict):
            shares = {view: _share_of(str(share).encode()) for view, share in found.items()}
            return {view: share for view, share in shares.items() if share is not None}
    return {}
