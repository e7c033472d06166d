"""The lesson in the window: what its actions do, and which panels come to the front."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtWidgets import QDockWidget, QMainWindow

from gui.session.session import Session
from gui.session.state import State
from gui.storage.lesson_files import LessonFiles


class LessonController:
    """Knows the lesson's dock and those that a scene may ask for, by their names in core.lesson.lesson.PANELS."""

    def __init__(
        self,
        session: Session,
        files: LessonFiles,
        lesson: QDockWidget,
        others: Mapping[str, QDockWidget],
    ) -> None:
        self._session, self._files = session, files
        self._lesson, self._others = lesson, others

    def actions(self) -> dict[str, Callable[[], object]]:
        """What the lesson's actions do, by their ids."""
        lecture, files = self._session.lesson_player, self._files
        return {
            "lesson_new": files.new,
            "lesson_open": files.open,
            "lesson_save": files.save,
            "lesson_save_as": files.save_as,
            "lesson_close": files.close,
            "lesson_panel": self.show_panel,
            "scene_forward": lecture.forward,
            "scene_back": lecture.back,
            "group_forward": lecture.next_group,
            "group_back": lecture.previous_group,
            "add_scene": lecture.add_scene,
            "drop_live_edits": lecture.discard_live_edits,
            "live_edits": lecture.restore_live_edits,
        }

    def show_panel(self) -> None:
        """Bring the lesson to the front, with the keyboard."""
        self._lesson.show()
        self._lesson.raise_()
        self._lesson.widget().setFocus()

    def show_state(self, old: State | None, new: State) -> None:
        """A lesson that is opened brings its panel along, a scene those that it asks for and that do not cover it.

        Of two on one another the one that the scene names first is in front. The stage view is always there.
        """
        if old is None:
            return
        if old.lesson is None and new.lesson is not None:
            self._lesson.show()
            self._lesson.raise_()
        if old.scene is not new.scene:
            for name in reversed(new.view):
                if name in self._others:
                    self._bring(self._others[name])

    def _bring(self, dock: QDockWidget) -> None:
        """To the front, unless the lesson's own words would be covered."""
        window = self._lesson.parent()
        assert isinstance(window, QMainWindow)
        dock.show()
        covers = self._lesson.isVisible() and self._lesson in window.tabifiedDockWidgets(dock)
        (self._lesson if covers else dock).raise_()
