"""The lesson player: record, edit and play a lesson. It holds the undo steps and the experiments of
the scenes.

Going to a scene shows it as the lesson states it. Live edits change a copy of the scene's document:
`discard_live_edits` drops them; going to another scene stores them, and `restore_live_edits` shows
them again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.base.errors import UserError
from core.document.document import Document
from core.lesson import edit as lesson_edit
from core.lesson.lesson import LAB_VIEW, USUAL_VIEW, Lesson, LessonScene, Resolved, Resolver
from core.lesson.model import EMPTY_TEXT
from gui.session.base import SessionBase
from gui.session.state import NO_LIVE_EDITS, State
from gui.session.undo import ReplaceCommand, UndoStack, weak_slot
from gui.texts.translation import language_folder, mark

Place = tuple[Lesson, int | None]  # a lesson and the index of the current scene


class LessonPlayer(QObject):
    """Part of the session. `confirm_leave()` is asked before a scene replaces an experiment from
    outside the lesson.

    `commit_requested`: text fields of the lesson must commit now, before another scene is shown.
    """

    commit_requested = Signal()

    def __init__(self, session: SessionBase) -> None:
        super().__init__(session)
        self._session = session
        self._resolver = Resolver(language_folder())
        self.confirm_leave: Callable[[], bool] = _always
        self.undo_stack = UndoStack(self)
        self.undo_stack.cleanChanged.connect(weak_slot(self, LessonPlayer._on_clean_changed))

    @property
    def _state(self) -> State:
        return self._session.state

    def _committed(self) -> State:
        """The state after text fields have committed."""
        self.commit_requested.emit()
        return self._session.state

    # The lesson as a whole

    def open(
        self,
        lesson: Lesson,
        path: Path | None = None,
        scene: int = 0,
        live_edits: Mapping[int, Document] = NO_LIVE_EDITS,
    ) -> None:
        """Open a lesson at a scene; `live_edits` are documents by scene index."""
        self._begin(lesson, path, live_edits)
        if lesson.scenes:
            self._show(self.resolve(scene), 0)

    def new(self) -> None:
        """Begin a lesson without scenes; the experiment stays."""
        self._begin(Lesson(), None)

    def close(self) -> None:
        """Close the lesson; the experiment stays."""
        self._begin(None, None)

    def undo(self, by: int = -1) -> None:
        """Undo (−1) or redo (1) one change of the lesson."""
        notice = self.undo_stack.notice(by)
        if notice:
            self.undo_stack.setIndex(self.undo_stack.index() + by)
            self._session.told.emit(notice)

    def mark_saved(self, lesson: Lesson, path: Path) -> None:
        """Note that the lesson is saved in this file."""
        self.undo_stack.setClean()
        self._session.update(lesson=lesson, lesson_path=path, lesson_dirty=False)

    def mark_recovered(self) -> None:
        """Note that the lesson came from a recovery file and is not saved yet."""
        self.undo_stack.resetClean()
        self._session.update(lesson_dirty=True)

    def _begin(
        self,
        lesson: Lesson | None,
        path: Path | None,
        live_edits: Mapping[int, Document] = NO_LIVE_EDITS,
    ) -> None:
        self.undo_stack.clear()
        self._resolver = Resolver(language_folder())
        self._session.update(
            lesson=lesson,
            lesson_path=path,
            lesson_dirty=False,
            scene=None,
            steps_taken=0,
            live_edits=live_edits,
        )

    def _on_clean_changed(self, clean: bool) -> None:
        self._session.update(lesson_dirty=not clean)

    # Playing

    def resolve(self, index: int) -> Resolved:
        """What a scene shows. Raises UserError where a file beside the lesson is missing."""
        assert self._state.lesson is not None, "a lesson must be open"
        return self._resolver.resolve(self._state.lesson, index)

    def scene_in(self, folder: Path) -> Resolved | None:
        """The current scene with the tokens of examples in another language, as all later ones;
        None without a scene, or where its file is missing.
        """
        self._resolver.use_folder(folder)
        scene = self._state.scene_index
        with suppress(UserError):
            return None if scene is None else self.resolve(scene)
        return None

    def go_to(self, index: int, steps: int = 0) -> bool:
        """Show a scene as the lesson states it, after some of its steps; False where that is not
        possible.
        """
        state = self._committed()
        if state.lesson is None or not 0 <= index < len(state.lesson.scenes):
            return False
        if state.scene is None and not self.confirm_leave():
            return False
        return self._session.attempt(lambda: self._show(self.resolve(index), steps))

    def forward(self) -> bool:
        """Go to the scene's next step, or to the next scene."""
        shown, steps = self._state.scene, self._state.steps_taken
        if shown is None:
            return self.go_to(0)
        if steps < shown.steps:
            return self._walk(shown, steps + 1)
        return self.go_to(shown.index + 1)

    def back(self) -> bool:
        """Go to the scene's previous step, or to the last step of the previous scene."""
        shown, steps = self._state.scene, self._state.steps_taken
        if shown is None:
            return False
        if steps > 0:
            return self._walk(shown, steps - 1)
        return shown.index > 0 and self.go_to(shown.index - 1, self.resolve(shown.index - 1).steps)

    def next_group(self) -> bool:
        """Go to the next group of scenes."""
        state = self._state
        if state.lesson is None or state.scene_index is None:
            return self.go_to(0)
        index = state.lesson.next_group(state.scene_index)
        return index is not None and self.go_to(index)

    def previous_group(self) -> bool:
        """Go to the beginning of this group of scenes; from there to that of the previous one."""
        state = self._state
        if state.lesson is None or state.scene_index is None:
            return False
        start = state.lesson.group(state.scene_index)
        if start == state.scene_index and not state.steps_taken:
            start = state.lesson.group(max(start - 1, 0))
        return self.go_to(start)

    def discard_live_edits(self) -> None:
        """Show the scene as the lesson states it. Undo restores the edits."""
        state = self._state
        if state.scene is None:
            return
        document = state.scene.document
        if not self._session.change(lambda _live: document, text=mark("Discard live edits")):
            return
        self._session.undo_stack.setClean()
        others = {
            scene: edits for scene, edits in state.live_edits.items() if scene != state.scene.index
        }
        self._walk(state.scene, state.steps_taken, live_edits=others)

    def restore_live_edits(self) -> None:
        """Show the live edits that were stored when this scene was left."""
        scene, live_edits = self._state.scene_index, self._state.live_edits
        if scene is not None and scene in live_edits:
            document = live_edits[scene]
            self._session.change(lambda _scene: document, text=mark("Restore live edits"))

    def _walk(self, scene: Resolved, steps: int, **changes: Any) -> bool:
        """Go to a step of the current scene; live edits stay."""
        self._session.set_scene(scene, steps, self._state.document, **changes)
        return True

    def _show(self, scene: Resolved, steps: int) -> None:
        """Go to another scene; store the live edits of this one."""
        state = self._state
        live_edits = state.live_edits
        if state.scene is not None and state.live:
            live_edits = {**live_edits, state.scene.index: state.document}
        self._session.set_scene(scene, steps, scene.document, live_edits=live_edits)

    # Editing

    def add_scene(self) -> None:
        """Record the current view as a scene after the current one; begin a lesson if none is open."""
        lesson, at = self._insertion()
        state = self._state
        view = state.view if state.view and LAB_VIEW[0] not in state.view else USUAL_VIEW
        seen = state.document, state.cursor, state.focus, view
        self._edit(
            lambda: lesson_edit.record_scene(lesson, at, *seen, self._resolver),
            at,
            mark("Add a scene"),
        )

    def add_lab_scene(self, scene: LessonScene) -> None:
        """Add a scene with a lab, as `add_scene` does."""
        lesson, at = self._insertion()
        document = self._state.document
        self._edit(
            lambda: lesson_edit.record_lab_scene(lesson, at, scene, document, self._resolver),
            at,
            mark("Add a scene"),
        )

    def _insertion(self) -> tuple[Lesson, int]:
        """The open lesson, or a new one, and the index of a scene to be inserted."""
        if self._committed().lesson is None:
            self.new()
        lesson, scene = self._state.lesson or Lesson(), self._state.scene_index
        return lesson, len(lesson.scenes) if scene is None else scene + 1

    def rerecord_scene(self) -> None:
        """Let the current scene show the current view."""
        state = self._committed()
        if state.lesson is None or state.scene_index is None:
            return
        seen = state.lesson, state.scene_index, state.document, state.cursor, state.focus
        self._edit(
            lambda: lesson_edit.record_again(*seen, self._resolver),
            state.scene_index,
            mark("Record the scene again"),
        )

    def move_scene(self, index: int, to: int) -> None:
        """Move a scene; `to` counts without it."""
        lesson = self._committed().lesson
        if lesson is not None and 0 <= to < len(lesson.scenes):
            self._edit(
                lambda: lesson_edit.move_scene(lesson, index, to, self._resolver),
                to,
                mark("Move the scene"),
            )

    def duplicate_scene(self, index: int) -> None:
        """Duplicate a scene."""
        lesson = self._committed().lesson
        if lesson is not None:
            self._edit(
                lambda: lesson_edit.duplicate_scene(lesson, index, self._resolver),
                index + 1,
                mark("Duplicate the scene"),
            )

    def remove_scene(self, index: int) -> None:
        """Remove a scene."""
        lesson = self._committed().lesson
        if lesson is not None:
            near = min(index, len(lesson.scenes) - 2)
            self._edit(
                lambda: lesson_edit.remove_scene(lesson, index, self._resolver),
                near if near >= 0 else None,
                mark("Delete the scene"),
            )

    def edit_scene(self, index: int, merge: str = "", **fields: Any) -> None:
        """Replace fields of a scene, such as `title`, `view` or `breakpoint`."""
        lesson = self._state.lesson
        if lesson is not None:
            after = lesson_edit.with_scene_fields(lesson, index, **fields)
            self._push(after, self._state.scene_index, mark("Edit the scene"), merge)

    def edit_lesson(self, merge: str = "", **fields: Any) -> None:
        """Replace fields of the lesson, such as `title` and `notes`."""
        lesson = self._state.lesson
        if lesson is not None:
            self._push(
                replace(lesson, **fields), self._state.scene_index, mark("Edit the lesson"), merge
            )

    def _edit(self, make: Callable[[], Lesson], scene: int | None, text: str) -> None:
        """Replace the lesson, unless that raises a UserError, such as for a missing file."""
        self._session.attempt(lambda: self._push(make(), scene, text))

    def _push(self, after: Lesson, scene: int | None, text: str, merge: str = "") -> None:
        before = self._state.lesson
        if before is not None and after != before:
            places = (before, self._state.scene_index), (after, scene)
            self.undo_stack.push(ReplaceCommand(self.set_lesson, *places, text, merge))

    def set_lesson(self, place: Place) -> None:
        """Show a lesson at a scene; called by the undo commands."""
        lesson, scene = place
        state = self._state
        self._session.update(
            lesson=lesson,
            live_edits=NO_LIVE_EDITS if _moved(state.lesson, lesson) else state.live_edits,
        )
        if scene is None:
            self._session.update(scene=None, steps_taken=0)
            return
        shown = self.resolve(scene)
        if _is_same(shown, state) or _is_same(shown, state.scene):
            self._session.update(scene=shown, steps_taken=min(state.steps_taken, shown.steps))
        elif state.live or state.scene is None:
            self._session.update(scene=shown, steps_taken=0)
        else:
            self._session.set_scene(shown, 0, shown.document)


def _moved(before: Lesson | None, after: Lesson) -> bool:
    """Whether scenes were added, removed, moved or changed, so that indices of live edits are void."""
    return before is None or [*map(_without_texts, before.scenes)] != [
        *map(_without_texts, after.scenes)
    ]


def _without_texts(scene: LessonScene) -> LessonScene:
    """A scene without its texts."""
    nothing = EMPTY_TEXT
    return replace(
        scene,
        title=nothing,
        say=nothing,
        question=nothing,
        answer=nothing,
        notes=nothing,
        breakpoint=False,
    )


def _is_same(scene: Resolved, shown: Resolved | State | None) -> bool:
    """Whether a scene has the document, cursor and focus of another scene or of the state."""
    return (
        shown is not None
        and scene.document is shown.document
        and (scene.cursor, scene.focus) == (shown.cursor, shown.focus)
    )


def _always() -> bool:
    return True
