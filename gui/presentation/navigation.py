"""Navigation of a presentation: typed numbers, the next state, names of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.base.errors import UserError
from core.explain import timeline as cursors
from core.lesson.lesson import LessonScene
from gui.session.presented_views import PresentedViews
from gui.session.session import Session
from gui.session.state import State, cursor_cell
from gui.texts.names import stage_label, symbol_here
from gui.texts.stage_texts import meaning
from gui.texts.translation import tr
from gui.widgets.scene_reader import panel_name, scene_title

if TYPE_CHECKING:
    from gui.presentation.layers import MessageLayer


def view_name(choice: PresentedViews) -> str:
    """The names of the panels of a view."""
    return tr(" + ").join(panel_name(panel) for panel in choice.panels)


def plays_lesson(state: State) -> bool:
    """Whether keys walk through a lesson instead of the steps."""
    return state.lesson is not None and bool(state.lesson.scenes)


def step_count(state: State) -> int:
    """The number of scenes or steps to jump to."""
    return len(state.lesson.scenes if state.lesson and plays_lesson(state) else state.trace.plan)


def step_line(state: State) -> str:
    """The position, such as “Scene 2 of 12” or “Step 8 of 15”."""
    if plays_lesson(state):
        number = "–" if state.scene_index is None else state.scene_index + 1
        return tr("Scene {number} of {count}", number=number, count=step_count(state))
    number = state.trace.plan.index(state.cursor.stage) + 1
    return tr("Step {number} of {count}", number=number, count=step_count(state))


def step_name(state: State, number: int) -> str:
    """The name of a scene or step, counted from 1; "" if there is none."""
    if not 1 <= number <= step_count(state):
        return ""
    if state.lesson is not None and plays_lesson(state):
        scene = state.lesson.scenes[number - 1]
        return scene_title(scene, state.language)
    stage_id = state.trace.plan.stages[number - 1].id
    symbol = symbol_here(state.document, stage_id, state.orientation)
    return tr("{symbol} {name}", symbol=symbol, name=stage_label(stage_id))


def speaker_notes(state: State) -> tuple[tuple[str, str], ...]:
    """The speaker's notes as pairs of heading (or "") and text."""
    stage = meaning(state.document, state.cursor.stage, state.orientation)
    if state.scene is None:
        return ((stage.title, stage.sentence),)
    scene, language = state.scene.scene, state.language
    parts = scene_notes(scene, language, scene.title.of(language))
    return parts or ((stage.title, stage.sentence),)


def scene_notes(
    scene: LessonScene, language: str, heading: str = ""
) -> tuple[tuple[str, str], ...]:
    """The written notes of a scene: what to say below `heading`, question, answer, own notes."""
    parts = (
        (heading, scene.say),
        (tr("Question"), scene.question),
        (tr("Answer"), scene.answer),
        (tr("Notes"), scene.notes),
    )
    return tuple((name, words.of(language)) for name, words in parts if words.of(language))


def next_state(session: Session) -> State | None:
    """The state after the key for “next”; None at the end."""
    state = session.state
    if state.hidden is not None:  # what is covered, or to be predicted, shows its numbers first
        return replace(state, hidden=None)
    return _next_of_lesson(session, state) if plays_lesson(state) else _next_step(state)


def _next_step(state: State) -> State | None:
    cursor = cursors.step(state.trace, state.cursor, state.preferences.grain, 1)
    return (
        None if cursor == state.cursor else replace(state, cursor=cursor, focus=cursor_cell(cursor))
    )


def _next_of_lesson(session: Session, state: State) -> State | None:
    shown = state.scene
    if shown is not None and state.steps_taken < shown.steps:
        cursor, focus = shown.at_step(state.steps_taken + 1, state.trace)
        return replace(
            state, cursor=cursor, focus=focus, steps_taken=state.steps_taken + 1, hidden=None
        )
    index = 0 if shown is None else shown.index + 1
    if state.lesson is None or index >= len(state.lesson.scenes):
        return None
    try:
        found = session.lesson_player.resolve(index)
    except UserError:
        return None
    return replace(
        state,
        document=found.document,
        trace=found.trace,
        cursor=found.cursor,
        focus=found.focus,
        scene=found,
        steps_taken=0,
        hidden=None,
    )


def is_answer_pending(state: State, answered: bool) -> bool:
    """Whether “next” first shows the answer of the scene's question."""
    shown = state.scene
    if shown is None or answered or state.hidden is not None or state.steps_taken < shown.steps:
        return False
    scene, language = shown.scene, state.language
    return bool(scene.question.of(language) and scene.answer.of(language))


def is_at_lesson_end(state: State) -> bool:
    """Whether a lesson is at the last step of its last scene."""
    lesson, shown = state.lesson, state.scene
    if lesson is None or shown is None:
        return False
    return (shown.index, state.steps_taken) == (len(lesson.scenes) - 1, shown.steps)


_STEP = "trace", "scene", "steps_taken", "hidden"


def is_cell_chosen(old: State, new: State, before: bool) -> bool:
    """Whether the user chose the focused cell since the last step; `before` is the last result."""
    before_cursor, cursor = old.cursor, new.cursor
    stepped = (before_cursor.stage, before_cursor.reach) != (cursor.stage, cursor.reach) or any(
        getattr(old, name) is not getattr(new, name) for name in _STEP
    )
    if not stepped and cursor.reach is not cursors.Reach.WHOLE:
        stepped = (before_cursor.row, before_cursor.column) != (cursor.row, cursor.column)
    return not stepped and (before or replace(old.focus, head=0) != replace(new.focus, head=0))


# By name: whether the thing is there, and the function that dismisses it.
Dismissals = Mapping[str, tuple[bool, Callable[[], object]]]


class OpenedOrder:
    """The order in which things that Esc dismisses came."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def note(self, dismissals: Dismissals) -> None:
        """Note what has come and gone."""
        there = [name for name, (is_there, _) in dismissals.items() if is_there]
        known = [name for name in self._names if name in there]
        self._names = known + [name for name in there if name not in known]

    def dismiss_last(self, dismissals: Dismissals) -> bool:
        """Dismiss what came last. False where nothing is left."""
        if not self._names:
            return False
        _is_there, dismiss = dismissals[self._names[-1]]
        dismiss()
        return True


# Milliseconds until a single digit chooses a head, until a number is discarded; of an error
# message.
HEAD_DELAY, EXPIRY, ERROR_TIME = 1200, 6000, 2500


def countdown_seconds(typed: str) -> int:
    """The seconds of a countdown: minutes below 10, else seconds; a minute without a number."""
    number = int(typed or 0)
    return number if number >= 10 else (number or 1) * 60


class NumberEntry(QObject):
    """A number typed digit by digit; Enter jumps to that step, a single digit chooses a head.

    `message_layer` shows it, None without a screen. Signal: `head(number)`, counted from 1.
    """

    head = Signal(int)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self.message_layer: MessageLayer | None = None
        self.typed = ""
        self.head_timer = QTimer(self, singleShot=True, interval=HEAD_DELAY)
        self.head_timer.timeout.connect(self._choose_head)
        self.expiry_timer = QTimer(self, singleShot=True, interval=EXPIRY)
        self.expiry_timer.timeout.connect(self.cancel)

    def type(self, digit: str) -> None:
        """Add a digit."""
        self._take((self.typed + digit)[-4:])

    def backspace(self) -> None:
        """Remove the last digit."""
        self._take(self.typed[:-1])

    def cancel(self) -> bool:
        """Discard the number; return whether there was one."""
        typed = self._end()
        if typed and self.message_layer is not None:
            self.message_layer.dismiss()
        return bool(typed)

    def accept(self) -> bool:
        """Jump to the step or say that it does not exist; False if no number was typed."""
        typed, state = self._end(), self._session.state
        if not typed:
            return False
        number = int(typed)
        if not step_name(state, number):
            self._say(typed, count_message(state), ERROR_TIME)
            return True
        if self.message_layer is not None:
            self.message_layer.dismiss()
        if plays_lesson(state):
            self._session.lesson_player.go_to(number - 1)
        else:
            self._session.go_to_stage(state.trace.plan.stages[number - 1].id)
        return True

    def _take(self, typed: str) -> None:
        if not typed:
            self.cancel()
            return
        self.typed = typed
        self.expiry_timer.start()
        if len(typed) == 1:
            self.head_timer.start()
        else:
            self.head_timer.stop()
        state = self._session.state
        self._say(typed, step_name(state, int(typed)) or count_message(state), EXPIRY)

    def _end(self) -> str:
        typed, self.typed = self.typed, ""
        self.head_timer.stop()
        self.expiry_timer.stop()
        return typed

    def _choose_head(self) -> None:
        """Choose the head of a single digit; the number still waits for Enter."""
        number, state = int(self.typed), self._session.state
        if not 1 <= number <= state.scope.h or state.scope.h == 1:
            return
        self._session.select_head(number - 1)
        name = step_name(state, number) or count_message(state)
        self._say(
            self.typed,
            tr("Head {number} · Enter: {step}", number=number, step=name),
            EXPIRY - HEAD_DELAY,
            aside=True,
        )
        self.head.emit(number)

    def _say(self, large: str, small: str, milliseconds: int, *, aside: bool = False) -> None:
        if self.message_layer is not None:
            self.message_layer.show_message(
                large, small, self._session.state.shade, milliseconds, aside=aside
            )


def count_message(state: State) -> str:
    """The message for a number that is too high."""
    count = step_count(state)
    if not plays_lesson(state):
        return tr("There are {count} steps", count=count)
    return tr("There is one scene") if count == 1 else tr("There are {count} scenes", count=count)
