"""The panels beside the stage view, each loaded when it is made: a start needs the one that is seen."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from core.base.cell import Cell
from gui.app.focus_visibility import FocusVisibleWindow
from gui.app.lazy_panel import LazyPanel
from gui.session.session import Session

if TYPE_CHECKING:
    from gui.storage.lesson_files import LessonFiles
    from gui.views.check.panel import CheckPanel
    from gui.views.code.panel import CodePanel
    from gui.views.heatmaps.panel import HeatmapPanel
    from gui.views.lesson.panel import LessonPanel
    from gui.views.tables.panel import TablesPanel


class Panels:
    """Heatmap, numbers, check, lesson and code."""

    def __init__(self, session: Session, files: LessonFiles, window: PanelledWindow) -> None:
        self.heatmaps: LazyPanel[HeatmapPanel] = LazyPanel(
            session, partial(_heatmaps, window), window
        )
        self.tables: LazyPanel[TablesPanel] = LazyPanel(session, _tables, window)
        self.check: LazyPanel[CheckPanel] = LazyPanel(session, _check, window)
        self.lessons: LazyPanel[LessonPanel] = LazyPanel(session, partial(_lessons, files), window)
        self.code: LazyPanel[CodePanel] = LazyPanel(session, _code, window)


def _heatmaps(window: PanelledWindow, session: Session) -> HeatmapPanel:
    from gui.views.heatmaps.panel import HeatmapPanel

    panel = HeatmapPanel(session)
    panel.edit_wanted.connect(window.edit_number)
    return panel


def _tables(session: Session) -> TablesPanel:
    from gui.views.tables.panel import TablesPanel

    return TablesPanel(session)


def _check(session: Session) -> CheckPanel:
    from gui.views.check.panel import CheckPanel

    return CheckPanel(session)


def _lessons(files: LessonFiles, session: Session) -> LessonPanel:
    from gui.views.lesson.panel import LessonPanel

    return LessonPanel(session, files)


def _code(session: Session) -> CodePanel:
    from gui.views.code.panel import CodePanel

    return CodePanel(session)


class PanelledWindow(FocusVisibleWindow):
    """A window with panels, each of which is made when it is first asked for."""

    _panels: Panels

    def edit_number(self, cell: Cell) -> None:
        """Open the editor of a number among the tables."""
        raise NotImplementedError

    @property
    def heatmaps(self) -> HeatmapPanel:
        """The panel of heatmaps."""
        return self._panels.heatmaps.panel

    @property
    def tables(self) -> TablesPanel:
        """The panel of numbers."""
        return self._panels.tables.panel

    @property
    def check(self) -> CheckPanel:
        """The panel in which the learner's numbers are checked."""
        return self._panels.check.panel

    @property
    def lessons(self) -> LessonPanel:
        """The panel of the lesson."""
        return self._panels.lessons.panel

    @property
    def code(self) -> CodePanel:
        """The panel of the experiment's program."""
        return self._panels.code.panel
