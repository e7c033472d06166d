"""Lessons played, recorded and undone while the experiment is edited, with a view that is always a state late."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random

from core.base.cell import Cell
from core.base.errors import UserError
from core.document import edits, resize
from core.document.document import MASK_KINDS, POSITIONAL_KINDS, Mask, Softmax
from core.document.parts import STAGE_AXES
from core.explain.timeline import Grain
from core.lesson.lesson import LESSONS, lesson_path, load
from core.storage.examples import EXAMPLES, load_example
from gui.session.session import Session
from gui.session.state import Preferences, State
from tests.soak.laws import broken_laws

Act = Callable[[], object]


class LateView:
    """Asks for what it saw in the state before, while it is told of the next; notes each state that breaks a law."""

    def __init__(self, session: Session, chance: Random) -> None:
        self._session, self._chance, self._deep = session, chance, 0
        self.faults: list[str] = []
        session.changed.connect(self.show_state)

    def show_state(self, old: State, new: State) -> None:
        """A wish about old places now and then."""
        self.faults += broken_laws(new)
        if self._deep < 3 and self._chance.random() < 0.3:
            self._deep += 1
            with suppress(UserError):
                self._wish(old)
            self._deep -= 1

    def _wish(self, old: State) -> None:
        session, stage = self._session, self._chance.choice(tuple(STAGE_AXES))
        acts: tuple[Act, ...] = (
            lambda: session.set_focus(old.focus),
            lambda: session.set_focus(replace(old.focus, tensor=stage)),
            lambda: session.select_head(old.cursor.head),
            lambda: session.go_to(old.cursor),
            lambda: session.go_to_stage(old.cursor.stage),
            lambda: session.move_focus(1, 1),
            lambda: session.change(
                edits.with_softmax, Softmax(self._chance.choice("e2")), text="Softmax"
            ),
        )
        self._chance.choice(acts)()


class LessonWalk:
    """So many acts from a seed; `view.faults` is what went wrong."""

    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.session = Session(load_example(self.chance.choice(EXAMPLES)), Preferences())
        self.view = LateView(self.session, self.chance)
        self._acts = (
            *self._of_lessons(),
            *self._of_lessons(),
            *self._of_experiments(),
            *self._of_places(),
        )

    def walk(self, acts: int) -> None:
        """A refusal is as good as any result."""
        for _ in range(acts):
            with suppress(UserError):
                self.chance.choice(self._acts)()
            self.view.faults += broken_laws(self.session.state)

    def _of_lessons(self) -> tuple[Act, ...]:
        lecture, chance = self.session.lesson_player, self.chance
        return (
            lambda: lecture.open(load(lesson_path(chance.choice(tuple(LESSONS))))),
            lecture.new,
            lecture.close,
            lecture.forward,
            lecture.forward,
            lecture.back,
            lecture.next_group,
            lecture.previous_group,
            lambda: lecture.go_to(chance.randint(0, 6), chance.randint(0, 3)),
            lecture.discard_live_edits,
            lecture.restore_live_edits,
            lecture.add_scene,
            lecture.rerecord_scene,
            lecture.undo_stack.undo,
            lecture.undo_stack.redo,
            lambda: self._scene(lecture.duplicate_scene),
            lambda: self._scene(lecture.remove_scene),
            lambda: self._scene(lambda scene: lecture.move_scene(scene, chance.randint(0, 3))),
        )

    def _scene(self, act: Callable[[int], object]) -> None:
        if self.session.state.scene_index is not None:
            act(self.session.state.scene_index)

    def _of_experiments(self) -> tuple[Act, ...]:
        session, chance = self.session, self.chance
        return (
            lambda: session.open_document(load_example(chance.choice(EXAMPLES))),
            lambda: self._change(edits.with_positional, self._positional()),
            lambda: self._change(edits.with_mask, Mask(chance.choice(MASK_KINDS), 1, 1)),
            lambda: self._change(chance.choice((resize.with_context, resize.without_context))),
            lambda: self._change(resize.with_head_added) if session.state.document.h < 3 else None,
            lambda: self._change(resize.with_head_removed, 0),
            lambda: self._change(resize.with_size, chance.choice("dkv"), chance.randint(1, 5)),
            lambda: self._change(resize.with_tokens_removed, [0], "n"),
            session.undo_stack.undo,
            session.undo_stack.redo,
        )

    def _positional(self) -> object:
        return replace(
            self.session.state.document.positional, kind=self.chance.choice(POSITIONAL_KINDS)
        )

    def _change(self, function: Callable[..., object], *args: object) -> None:
        self.session.change(function, *args, text="Edit")  # type: ignore[arg-type]

    def _of_places(self) -> tuple[Act, ...]:
        session, chance = self.session, self.chance
        return (
            self._focus,
            self._focus,
            session.go_first,
            session.go_last,
            lambda: session.step(chance.choice((-3, -1, 1, 3)), chance.choice(tuple(Grain))),
            lambda: session.answers.set_predicting(chance.random() < 0.5),
        )

    def _focus(self) -> None:
        state, chance = self.session.state, self.chance
        name = chance.choice([*state.trace.plan.ids, *state.document.inputs])
        rows, columns = self.session.shape_of(name)
        self.session.set_focus(
            Cell(
                name,
                chance.randrange(rows),
                chance.randrange(columns),
                chance.randrange(state.document.h),
            )
        )
