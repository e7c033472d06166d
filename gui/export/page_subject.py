"""All that the page holds: the runs of an experiment or of a lesson's scenes, and the scenes with their words."""

from __future__ import annotations

import base64
from dataclasses import replace
from functools import partial

from core.document.document import Document
from core.lesson.lesson import Lesson, LocalizedText
from gui.export.export_source import Subject, title_of
from gui.export.options import Options, Progress
from gui.export.page_data import Json, RunData
from gui.export.page_words import WORDS, by_language
from gui.export.slide_parts import Box, drawn
from gui.export.slide_words import usual_title
from gui.export.steps import states
from gui.labs.scene import paint_lab
from gui.session.state import State, cursor_cell
from gui.texts.labs import lab_claim
from gui.texts.translation import language_name, languages, spoken, tr_marked

LAB = Box(0.0, 0.0, 11.0, 5.4)
SHADES = ("light", "dark")


def page_subject(subject: Subject, options: Options, progress: Progress) -> Json:
    """The whole as what JSON can hold. Raises UserError as states() does, and Cancelled."""
    scenes = states(subject, options) if isinstance(subject, Lesson) else []
    documents = [subject] if isinstance(subject, Document) else _different(scenes)
    runs = []
    for index, document in enumerate(documents):
        part = partial(_part, progress, index, len(documents))
        runs.append(RunData(document, options, part).gather())
    return {
        "language": options.language,
        "columns": options.preferences.columns,
        "title": by_language(partial(title_of, subject)),
        "languages": {language: language_name(language) for language in languages()},
        "words": {language: _words(language) for language in languages()},
        "runs": runs,
        "scenes": [_scene(state, documents, index == 0) for index, state in enumerate(scenes)],
    }


def _part(progress: Progress, index: int, count: int, fraction: float) -> bool:
    """A part of the whole that is one of many."""
    return progress((index + fraction) / count)


def _different(scenes: list[State]) -> list[Document]:
    """Every experiment once, in the order in which it is met."""
    found: list[Document] = []
    for state in scenes:
        if not any(document is state.document for document in found):
            found.append(state.document)
    return found


def _words(language: str) -> dict[str, str]:
    with spoken(language):
        return {key: tr_marked(text) for key, text in WORDS.items()}


def _scene(first: State, documents: list[Document], begins: bool) -> Json:
    """The words of a scene, and where each of its steps stands."""
    shown = first.scene
    assert shown is not None, "only scenes are told"
    scene, order = shown.scene, first.trace.plan.ids
    walk = [shown.at_step(walked, first.trace) for walked in range(shown.steps + 1)]
    return {
        "run": next(
            index for index, document in enumerate(documents) if document is first.document
        ),
        "title": _told(scene.title) if scene.title else by_language(partial(usual_title, first)),
        "say": by_language(partial(lab_claim, scene.demo.lab))
        if scene.demo and not scene.say
        else _told(scene.say),
        "question": _told(scene.question),
        "answer": _told(scene.answer),
        "begins": begins or scene.breakpoint,
        "view": list(first.view),
        "lab": by_language(partial(_labs, first)) if "lab" in first.view else None,
        "stops": [
            [
                order.index(cursor.stage),
                cursor.row,
                cursor.column,
                cursor.reach.value,
                cursor.head,
                None
                if focus == cursor_cell(cursor)
                else [focus.tensor, focus.row, focus.column, focus.head],
            ]
            for cursor, focus in walk
        ],
    }


def _told(text: LocalizedText) -> Json:
    return {language: text.of(language) for language in languages()}


def _labs(state: State) -> dict[str, str]:
    """The picture of the scene's lab in light and in dark, as addresses."""
    return {shade: _address(state, shade) for shade in SHADES}


def _address(state: State, shade: str) -> str:
    picture = drawn(LAB, replace(state, shade=shade), paint_lab)
    return "data:image/png;base64," + base64.b64encode(picture).decode("ascii")
