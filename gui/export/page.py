"""One self-contained web page that plays the steps without a network."""

from __future__ import annotations

import dataclasses
import html
import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.base.files import resource, write_bytes
from core.document.document import Document
from core.lesson.lesson import Lesson, LocalizedText
from gui.export.options import ExportOptions, Progress, Subject, title_of
from gui.export.page_data import Json, RunData, by_language, scale_of
from gui.export.paint_devices import data_url, need_application
from gui.export.slide_shapes import SlideBox, drawing_png
from gui.export.slide_text import usual_title
from gui.export.states import states
from gui.labs.frame import paint_lab
from gui.painting.theme import DARK, LIGHT, Colours
from gui.session.state import State, cursor_cell
from gui.texts.glyphs import as_written
from gui.texts.labs import lab_claim
from gui.texts.translation import labelled, language_name, languages, mark, spoken, tr, tr_marked

LAB = SlideBox(0.0, 0.0, 11.0, 5.4)
SHADES = ("light", "dark")


def page_subject(subject: Subject, options: ExportOptions, progress: Progress) -> Json:
    """All data of the page, ready for JSON. Raises UserError as states() does, and Cancelled."""
    scenes = states(subject, options) if isinstance(subject, Lesson) else []
    different = {id(state.document): state.document for state in scenes}
    documents = [subject] if isinstance(subject, Document) else [*different.values()]
    runs = []
    for index, document in enumerate(documents):
        part = partial(_part_progress, progress, index, len(documents))
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


def _part_progress(progress: Progress, index: int, count: int, fraction: float) -> bool:
    """Report the progress of one of several runs."""
    return progress((index + fraction) / count)


def _words(language: str) -> dict[str, str]:
    with spoken(language):
        return {key: tr_marked(text) for key, text in WORDS.items()}


def _scene(first: State, documents: list[Document], begins: bool) -> Json:
    """The texts of a scene and the cursor of each of its steps."""
    shown = first.scene
    assert shown is not None, "only scenes have texts"
    scene, order = shown.scene, first.trace.plan.ids
    cursors = [shown.at_step(walked, first.trace) for walked in range(shown.steps + 1)]
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
            for cursor, focus in cursors
        ],
    }


def _told(text: LocalizedText) -> Json:
    return {language: text.of(language) for language in languages()}


def _labs(state: State) -> dict[str, str]:
    """The picture of the scene's lab in the light and the dark theme, as data URLs."""
    looks = {shade: replace(state, shade=shade) for shade in SHADES}
    return {shade: data_url(drawing_png(LAB, look, paint_lab)) for shade, look in looks.items()}


PROGRAM = ("diagram.js", "scenes.js", "page.js")  # in this order: the last one uses the others
_HOLE = re.compile(r"@@(\w+)@@")


def write_html(
    subject: Subject, out_path: Path, options: ExportOptions, progress: Progress
) -> None:
    """Write the page: markup, style, program and data in one file."""
    need_application()
    with labelled(options.preferences.labels), as_written():
        data = page_subject(subject, options, progress)
    data["scale"] = {"light": scale_of(LIGHT), "dark": scale_of(DARK)}
    with spoken(options.language, options.preferences.labels):
        fill = {
            "language": options.language.replace("_", "-"),
            "title": html.escape(title_of(subject)),
            "no_script": html.escape(tr("This page needs JavaScript to play the steps.")),
        }
    fill |= {
        "style": _style(),
        "program": "\n".join(map(_resource_text, PROGRAM)),
        "data": _json(data),
    }
    page = _HOLE.sub(lambda hole: fill[hole[1]], _resource_text("page.html"))
    write_bytes(out_path, page.encode("utf-8", "replace"))


def _resource_text(name: str) -> str:
    return resource("player", name).read_text(encoding="utf-8")


def _style() -> str:
    """The style sheet with the colours of the light and the dark theme."""
    light, dark = _variables(LIGHT), _variables(DARK)
    themes = f":root {{ color-scheme: light; {light} }}\n"
    themes += f"@media (prefers-color-scheme: dark) {{ :root {{ color-scheme: dark; {dark} }} }}\n"
    return themes + _resource_text("page.css")


def _variables(theme: Colours) -> str:
    fields = dataclasses.asdict(theme)
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in fields.items())


def _json(data: object) -> str:
    """JSON for a script element; escapes what could end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


# Texts that the program uses elsewhere, too, share their translation.
WORDS = {
    "first": mark("First step"),
    "back": mark("Step back"),
    "play": mark("Play"),
    "pause": mark("Pause"),
    "forward": mark("Step forward"),
    "last": mark("Last step"),
    "grain": mark("Step by"),
    "stage": mark("Stage"),
    "row": mark("Row"),
    "cell": mark("Cell"),
    "column": mark("Column"),
    "head": mark("Head"),
    "stages": mark("Stages"),
    "timeline": mark("Timeline"),
    "step": mark("Step {step} of {steps}"),
    "sum": mark("Worked sum"),
    "ahead": mark("Not reached yet: step forward to see the numbers."),
    "given": mark("entered: {value}"),
    "no_sum": mark("This page has no worked sum for this number."),
    "large": mark(
        "{n} tokens are too many to show as numbers on a page: colours show what is large and "
        "what is small."
    ),
    "hint": mark(
        "Tap a number to see where it comes from. ← and → step, Shift with the arrow keys moves "
        "between numbers."
    ),
    "where_lead": mark("{stage}, query {row}"),
    "where_pair": mark("{stage}, query {row}, key {column}"),
    "where_column": mark("{stage}, row {row}, {column}"),
    "where_row": mark("{stage}, {row}, column {column}"),
    "where_word": mark("{stage}, {row}, word {word}"),
    "diagram": mark("Diagram"),
    "scene": mark("Scene"),
    "scenes": mark("Scenes"),
    "scene_count": mark("Scene {scene} of {scenes}"),
    "scene_step": mark("Scene {scene} of {scenes}, step {step} of {steps}"),
    "question": mark("Question"),
    "answer": mark("Answer"),
    "off": mark("off"),
    "ghost": mark("not reached yet"),
    "masked": mark("masked"),
}
