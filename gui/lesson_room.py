"""The lesson in the window: what its actions do, and which panels come to the front."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QDockWidget, QMainWindow

from gui.lesson_files import LessonFiles
from gui.session import Session
from gui.state import State


class LessonRoom:
    """Knows the lesson's dock and that of the heatmap, which a scene may ask for."""

    def __init__(self, session: Session, files: LessonFiles, lesson: QDockWidget, heatmap: QDockWidget) -> None:
        self._session, self._files = session, files
        self._lesson, self._heatmap = lesson, heatmap

    def actions(self) -> dict[str, Callable[[], object]]:
        """What the lesson's actions do, by their ids."""
        lecture, files = self._session.lecture, self._files
        return {
            "lesson_new": files.new, "lesson_open": files.open, "lesson_save": files.save,
            "lesson_save_as": files.save_as, "lesson_close": files.close, "lesson_panel": self.show_panel,
            "scene_forward": lecture.forward, "scene_back": lecture.back,
            "group_forward": lecture.next_group, "group_back": lecture.previous_group,
            "add_scene": lecture.add_scene, "drop_live_edits": lecture.drop_live, "live_edits": lecture.live_again,
        }  # fmt: skip

    def show_panel(self) -> None:
        """Bring the lesson to the front, with the keyboard."""
        self._lesson.show()
        self._lesson.raise_()
        self._lesson.widget().setFocus()

    def show_state(self, old: State | None, new: State) -> None:
        """A lesson that is opened brings its panel along, a scene the heatmap unless that would cover the lesson."""
        if old is None:
            return
        if old.lesson is None and new.lesson is not None:
            self._lesson.show()
            self._lesson.raise_()
        window = self._lesson.parent()
        if old.shown is new.shown or "heatmap" not in new.view or not isinstance(window, QMainWindow):
            return
        if not (self._lesson.isVisible() and self._lesson in window.tabifiedDockWidgets(self._heatmap)):
            self._heatmap.show()
            self._heatmap.raise_()
