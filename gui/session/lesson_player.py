"""The lecture: a lesson being recorded and played. It holds what the state does not show: the undo steps, and the
experiments of the scenes.

Going to a scene shows it exactly as the lesson tells it. What is edited live meanwhile stays a copy on top of the
scene: `drop_live` takes it away, and going to another scene puts it aside, from where `live_again` brings it back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.document.document import Document
from core.lesson import edit as lesson_edit
from core.lesson.lesson import LAB_VIEW, USUAL_VIEW, Lesson, LessonScene, Resolved, Resolver
from core.lesson.model import EMPTY_TEXT
from gui.session.base import SessionBase
from gui.session.state import NO_LIVE_EDITS, State
from gui.session.undo import ReplaceCommand, UndoStack, weak_slot
from gui.texts.translation import mark

Place = tuple[Lesson, int | None]  # a lesson and the index of the current scene


class LessonPlayer(QObject):
    """Belongs to the session and changes its state. `may_leave` is asked before an experiment that is not part of the
    lesson gives way to a scene. `words_wanted`: what is being typed about the lesson is to be handed over now, before
    another scene takes its place.
    """

    commit_requested = Signal()

    def __init__(self, session: SessionBase) -> None:
        super().__init__(session)
        self._session = session
        self._resolver = Resolver()
        self.confirm_leave: Callable[[], bool] = _always
        self.undo_stack = UndoStack(self)
        self.undo_stack.cleanChanged.connect(weak_slot(self, LessonPlayer._on_clean_changed))

    @property
    def _state(self) -> State:
        return self._session.state

    def _settled(self) -> State:
        """The state with all that was typed."""
        self.commit_requested.emit()
        return self._session.state

    # The lesson as a whole

    def open(
        self,
        lesson: Lesson,
        path: Path | None = None,
        scene: int = 0,
        aside: Mapping[int, Document] = NO_LIVE_EDITS,
    ) -> None:
        """Another lesson, at a scene of it; `aside` are live edits of its scenes, by their numbers."""
        self._begin(lesson, path, aside)
        if lesson.scenes:
            self._show(self.resolve(scene), 0)

    def new(self) -> None:
        """A lesson without scenes; the experiment stays as it is, to be recorded."""
        self._begin(Lesson(), None)

    def close(self) -> None:
        """No lesson; the experiment stays as it is."""
        self._begin(None, None)

    def mark_saved(self, lesson: Lesson, path: Path) -> None:
        """The lesson stands in this file now."""
        self.undo_stack.setClean()
        self._session.update(lesson=lesson, lesson_path=path, lesson_dirty=False)

    def mark_recovered(self) -> None:
        """The lesson came from a recovery file and is not saved anywhere yet."""
        self.undo_stack.resetClean()
        self._session.update(lesson_dirty=True)

    def _begin(
        self,
        lesson: Lesson | None,
        path: Path | None,
        aside: Mapping[int, Document] = NO_LIVE_EDITS,
    ) -> None:
        self.undo_stack.clear()
        self._resolver = Resolver()
        self._session.update(
            lesson=lesson,
            lesson_path=path,
            lesson_dirty=False,
            scene=None,
            steps_taken=0,
            live_edits=aside,
        )

    def _on_clean_changed(self, clean: bool) -> None:
        self._session.update(lesson_dirty=not clean)

    # Playing

    def resolve(self, index: int) -> Resolved:
        """What a scene shows. Raises UserError where a file beside the lesson is gone."""
        assert self._state.lesson is not None, "a lesson must be open"
        return self._resolver.resolve(self._state.lesson, index)

    def go_to(self, index: int, walked: int = 0) -> bool:
        """To a scene, exactly as the lesson tells it; False where that is not possible."""
        state = self._settled()
        if state.lesson is None or not 0 <= index < len(state.lesson.scenes):
            return False
        if state.scene is None and not self.confirm_leave():
            return False
        return self._session.attempt(lambda: self._show(self.resolve(index), walked))

    def forward(self) -> bool:
        """One step of the lesson on: the next of the scene's own steps, or the next scene."""
        shown, walked = self._state.scene, self._state.steps_taken
        if shown is None:
            return self.go_to(0)
        if walked < shown.steps:
            return self._walk(shown, walked + 1)
        return self.go_to(shown.index + 1)

    def back(self) -> bool:
        """One step of the lesson back; a scene before is met where it was left, at the last of its steps."""
        shown, walked = self._state.scene, self._state.steps_taken
        if shown is None:
            return False
        if walked > 0:
            return self._walk(shown, walked - 1)
        return shown.index > 0 and self.go_to(shown.index - 1, self.resolve(shown.index - 1).steps)

    def next_group(self) -> bool:
        """To the scene after the next breakpoint."""
        state = self._state
        if state.lesson is None or state.scene_index is None:
            return self.go_to(0)
        index = state.lesson.next_group(state.scene_index)
        return index is not None and self.go_to(index)

    def previous_group(self) -> bool:
        """To the beginning of this group of scenes, or of the one before."""
        state = self._state
        if state.lesson is None or state.scene_index is None:
            return False
        start = state.lesson.group(state.scene_index)
        if start == state.scene_index and not state.steps_taken:
            start = state.lesson.group(max(start - 1, 0))
        return self.go_to(start)

    def discard_live_edits(self) -> None:
        """Back to the scene as the lesson tells it: experiment, place and focus. Undo brings the edits back."""
        state = self._state
        if state.scene is None:
            return
        told = state.scene.document
        if not self._session.change(lambda _live: told, text=mark("Drop the live edits")):
            return
        self._session.undo_stack.setClean()
        aside = {
            scene: edits for scene, edits in state.live_edits.items() if scene != state.scene.index
        }
        self._walk(state.scene, state.steps_taken, live_edits=aside)

    def restore_live_edits(self) -> None:
        """The live edits that were put aside when this scene was left."""
        scene, kept = self._state.scene_index, self._state.live_edits
        if scene is not None and scene in kept:
            aside = kept[scene]
            self._session.change(lambda _told: aside, text=mark("Live edits again"))

    def _walk(self, shown: Resolved, walked: int, **changes: Any) -> bool:
        """Inside a scene: what was edited live stays."""
        self._session.set_scene(shown, walked, self._state.document, **changes)
        return True

    def _show(self, shown: Resolved, walked: int) -> None:
        state = self._state
        aside = state.live_edits
        if state.scene is not None and state.live:
            aside = {**aside, state.scene.index: state.document}
        self._session.set_scene(shown, walked, shown.document, live_edits=aside)

    # Editing

    def add_scene(self) -> None:
        """Record what is seen now as a scene after the one at which we stand; a lesson is begun if there is none."""
        state = self._settled()
        if state.lesson is None:
            self.new()
        lesson = self._state.lesson or Lesson()
        at = len(lesson.scenes) if state.scene_index is None else state.scene_index + 1
        view = state.view if state.view and LAB_VIEW[0] not in state.view else USUAL_VIEW
        seen = state.document, state.cursor, state.focus, view
        self._edit(
            lambda: lesson_edit.record_scene(lesson, at, *seen, self._resolver),
            at,
            mark("Add a scene"),
        )

    def add_lab_scene(self, scene: LessonScene) -> None:
        """Record a scene with a lab, as add_scene does."""
        if self._settled().lesson is None:
            self.new()
        lesson, place = self._state.lesson or Lesson(), self._state.scene_index
        at = len(lesson.scenes) if place is None else place + 1
        document = self._state.document
        self._edit(
            lambda: lesson_edit.record_lab_scene(lesson, at, scene, document, self._resolver),
            at,
            mark("Add a scene"),
        )

    def rerecord_scene(self) -> None:
        """The scene at which we stand shows from now on what is seen now."""
        state = self._settled()
        if state.lesson is None or state.scene_index is None:
            return
        seen = state.lesson, state.scene_index, state.document, state.cursor, state.focus
        self._edit(
            lambda: lesson_edit.record_again(*seen, self._resolver),
            state.scene_index,
            mark("Record the scene again"),
        )

    def move_scene(self, index: int, to: int) -> None:
        """A scene to another place; `to` counts without it."""
        lesson = self._settled().lesson
        if lesson is not None and 0 <= to < len(lesson.scenes):
            self._edit(
                lambda: lesson_edit.move_scene(lesson, index, to, self._resolver),
                to,
                mark("Move the scene"),
            )

    def duplicate_scene(self, index: int) -> None:
        """A scene twice."""
        lesson = self._settled().lesson
        if lesson is not None:
            self._edit(
                lambda: lesson_edit.duplicate_scene(lesson, index, self._resolver),
                index + 1,
                mark("Duplicate the scene"),
            )

    def remove_scene(self, index: int) -> None:
        """A scene taken out."""
        lesson = self._settled().lesson
        if lesson is not None:
            near = min(index, len(lesson.scenes) - 2)
            self._edit(
                lambda: lesson_edit.remove_scene(lesson, index, self._resolver),
                near if near >= 0 else None,
                mark("Delete the scene"),
            )

    def edit_scene(self, index: int, merge: str = "", **fields: Any) -> None:
        """Fields of a scene, such as `title`, `view` or `breakpoint`."""
        lesson = self._state.lesson
        if lesson is not None:
            after = lesson_edit.with_scene_fields(lesson, index, **fields)
            self._push(after, self._state.scene_index, mark("Edit the scene"), merge)

    def edit_lesson(self, merge: str = "", **fields: Any) -> None:
        """The lesson's own title and notes."""
        lesson = self._state.lesson
        if lesson is not None:
            self._push(
                replace(lesson, **fields), self._state.scene_index, mark("Edit the lesson"), merge
            )

    def _edit(self, make: Callable[[], Lesson], scene: int | None, text: str) -> None:
        """Another lesson, unless that is a problem, such as a file that is gone; the user is told then."""
        self._session.attempt(lambda: self._push(make(), scene, text))

    def _push(self, after: Lesson, scene: int | None, text: str, merge: str = "") -> None:
        before = self._state.lesson
        if before is not None and after != before:
            places = (before, self._state.scene_index), (after, scene)
            self.undo_stack.push(ReplaceCommand(self.set_lesson, *places, text, merge))

    def set_lesson(self, place: Place) -> None:
        """Another lesson in place of the one that is open; called by the undo commands alone."""
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
        if _shows(shown, state) or _same_place(state.scene, shown):
            self._session.update(scene=shown, steps_taken=min(state.steps_taken, shown.steps))
        elif state.live or state.scene is None:
            self._session.update(scene=shown, steps_taken=0)
        else:
            self._session.set_scene(shown, 0, shown.document)


def _moved(before: Lesson | None, after: Lesson) -> bool:
    """Whether scenes came, went, moved or changed: live edits belong to a scene by its number."""
    return before is None or [*map(_unworded, before.scenes)] != [*map(_unworded, after.scenes)]


def _unworded(scene: LessonScene) -> LessonScene:
    """What a scene shows, without what is said about it."""
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


def _shows(shown: Resolved, state: State) -> bool:
    """Whether a scene is exactly what is seen now: it was just recorded."""
    return (shown.document is state.document) and (shown.cursor, shown.focus) == (
        state.cursor,
        state.focus,
    )


def _same_place(old: Resolved | None, new: Resolved) -> bool:
    """Whether two scenes show the same."""
    return (
        old is not None
        and old.document is new.document
        and old.cursor == new.cursor
        and old.focus == new.focus
    )


def _always() -> bool:
    return True
