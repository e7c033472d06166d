"""What panels and steps are called in the lecture room. Free of Qt."""

from __future__ import annotations

from gui.session.presented import PresentedViews
from gui.session.state import State
from gui.texts.names import stage_label, symbol_here
from gui.texts.stage_texts import meaning
from gui.texts.translation import tr
from gui.views.lesson.reader import panel_name, scene_title


def choice_name(choice: PresentedViews) -> str:
    """One panel or two."""
    return tr(" + ").join(panel_name(panel) for panel in choice.panels)


def plays(state: State) -> bool:
    """Whether a clicker walks through a lesson rather than through the steps."""
    return state.lesson is not None and bool(state.lesson.scenes)


def step_count(state: State) -> int:
    """How many scenes or steps there are to go to by their number."""
    return (
        len(state.lesson.scenes)
        if state.lesson is not None and plays(state)
        else len(state.trace.plan)
    )


def step_line(state: State) -> str:
    """Where we are: scene 2 of 12, or step 8 of 15."""
    if plays(state):
        number = "–" if state.scene_index is None else state.scene_index + 1
        return tr("Scene {number} of {count}", number=number, count=step_count(state))
    number = state.trace.plan.index(state.cursor.stage) + 1
    return tr("Step {number} of {count}", number=number, count=step_count(state))


def step_name(state: State, number: int) -> str:
    """The scene or step with a number counted from 1; "" where there is none."""
    if not 1 <= number <= step_count(state):
        return ""
    if state.lesson is not None and plays(state):
        scene = state.lesson.scenes[number - 1]
        return scene_title(scene, state.language)
    stage_id = state.trace.plan.stages[number - 1].id
    symbol = symbol_here(state.document, stage_id, state.orientation)
    return tr("{symbol} {name}", symbol=symbol, name=stage_label(stage_id))


def notes_of(state: State) -> tuple[tuple[str, str], ...]:
    """What the lecturer reads, as pairs of a heading (or "") and a text: the scene's words, or the stage's meaning."""
    said = meaning(state.document, state.cursor.stage, state.orientation)
    if state.scene is None:
        return ((said.title, said.sentence),)
    scene, language = state.scene.scene, state.language
    parts = (
        (scene.title.of(language), scene.say.of(language)),
        (tr("Question"), scene.question.of(language)),
        (tr("Answer"), scene.answer.of(language)),
        (tr("Notes"), scene.notes.of(language)),
    )
    return tuple(part for part in parts if part[1]) or ((said.title, said.sentence),)
