"""What the key for on leads to: the next step, an answer, or the end."""

from __future__ import annotations

from dataclasses import replace

from core.base.errors import UserError
from core.explain import timeline as cursors
from gui.presentation.wording import plays
from gui.session.session import Session
from gui.session.state import State, cursor_cell


def following(session: Session) -> State | None:
    """What the key for on would show; None at the end."""
    state = session.state
    if state.hidden is not None:  # what is covered, or to be predicted, shows its numbers first
        return replace(state, hidden=None)
    return _next_of_lesson(session, state) if plays(state) else _next_step(state)


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
        found = session.lesson_player.resolved(index)
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


def answer_waits(state: State, answered: bool) -> bool:
    """Whether the key for on first shows the answer: the scene has been walked through, its question is open."""
    shown = state.scene
    if shown is None or answered or state.hidden is not None or state.steps_taken < shown.steps:
        return False
    scene, language = shown.scene, state.language
    return bool(scene.question.of(language) and scene.answer.of(language))


def at_the_end(state: State) -> bool:
    """Whether a lesson that is played stands at the last step of its last scene."""
    lesson, shown = state.lesson, state.scene
    if lesson is None or shown is None:
        return False
    return (shown.index, state.steps_taken) == (len(lesson.scenes) - 1, shown.steps)


_STEP = "trace", "scene", "steps_taken", "hidden"


def chosen_by_hand(old: State, new: State, before: bool) -> bool:
    """Whether the marked cell was chosen by hand since the last step, which it was `before`."""
    stood, stands = old.cursor, new.cursor
    stepped = (stood.stage, stood.reach) != (stands.stage, stands.reach) or any(
        getattr(old, name) is not getattr(new, name) for name in _STEP
    )
    if not stepped and stands.reach is not cursors.Reach.WHOLE:
        stepped = (stood.row, stood.column) != (stands.row, stands.column)
    return not stepped and (before or replace(old.focus, head=0) != replace(new.focus, head=0))
