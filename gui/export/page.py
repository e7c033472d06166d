"""A self-contained web page that steps through an experiment or a lesson and computes it.

No network: style, program and data are in the one file, and its policy forbids every request.
"""

from __future__ import annotations

import base64
import dataclasses
import html
import io
import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from core.base.files import resource, write_bytes
from core.document.document import Document
from core.lesson.lesson import Lesson, LocalizedText
from gui.export.options import ExportOptions, Progress, Subject, report_progress, title_of
from gui.export.page_data import Json, cursor_data, experiment_data, is_by_values, scale_of
from gui.export.page_tables import in_all_languages, page_tables
from gui.export.paint_devices import need_application
from gui.export.slide_shapes import SlideBox, drawing_png
from gui.export.slide_text import usual_title
from gui.export.states import states
from gui.labs.frame import paint_lab
from gui.painting.theme import DARK, LIGHT, Colours
from gui.session.state import State, cursor_cell
from gui.texts.glyphs import as_written
from gui.texts.labs import lab_claim
from gui.texts.translation import labelled, languages, mark, spoken, tr

LAB = SlideBox(0.0, 0.0, 11.0, 5.4)
SHADES = ("light", "dark")
QUALITY = 80  # of the pictures of labs: letters of 12 px stay sharp
# In this order: each uses those before it, the last one starts the page.
PROGRAM = (
    "unpack",
    "inflate", "arithmetic", "core", "numbers", "sums", "experiment", "timeline", "texts", "dom", "matrices", "heatmap", "words", "stage",
    "diagram", "sheet", "mistakes", "practice", "entry", "lesson", "files", "menu", "store", "api", "page",
)  # fmt: skip
BY_VALUES = mark(
    "This experiment is too large for a page. The page holds Q, K and each head's values times W_O "
    "as entered numbers, not the weights that they come from."
)


def page_data(subject: Subject, options: ExportOptions, progress: Progress) -> Json:
    """All data of the page, ready for JSON. Raises UserError as states() does, and Cancelled."""
    scenes = states(subject, options) if isinstance(subject, Lesson) else []
    different = {id(state.document): state.document for state in scenes}
    documents = [subject] if isinstance(subject, Document) else [*different.values()]
    parts = len(documents) + len(scenes)
    experiments: list[Json] = []
    for document in documents:
        report_progress(progress, len(experiments) / parts)
        experiments.append(experiment_data(document))
    shown: list[Json] = []
    for state in scenes:
        report_progress(progress, (len(documents) + len(shown)) / parts)
        shown.append(_scene(state, documents))
    report_progress(progress, 1.0)
    return {
        "language": options.language,
        "columns": options.preferences.columns,
        "decimals": options.preferences.decimals,
        "title": by_language(partial(title_of, subject)),
        "note": in_all_languages(BY_VALUES) if any(map(is_by_values, experiments)) else None,
        "names": {name: in_all_languages(name) for name in _head_names(documents)},
        "tables": page_tables(columns=options.preferences.columns),
        "experiments": experiments,
        "scenes": shown,
        "scale": {"light": scale_of(LIGHT), "dark": scale_of(DARK)},
    }


def _head_names(documents: list[Document]) -> list[str]:
    """The names of heads, which the examples have in every language."""
    return sorted({name for document in documents for name in document.head_names if name})


def by_language(text: Callable[[], Any]) -> list[Any]:
    """A value in every language, in their order."""
    found = []
    for language in languages():
        with spoken(language):
            found.append(text())
    return found


def _scene(first: State, documents: list[Document]) -> Json:
    """The texts of a scene, and the cursor and the marked number of each of its steps."""
    shown = first.scene
    assert shown is not None, "only scenes have texts"
    scene = shown.scene
    steps = [shown.at_step(walked, first.trace) for walked in range(shown.steps + 1)]
    return {
        "experiment": next(
            index for index, document in enumerate(documents) if document is first.document
        ),
        "title": _told(scene.title) if scene.title else by_language(partial(usual_title, first)),
        "say": by_language(partial(lab_claim, scene.demo.lab))
        if scene.demo and not scene.say
        else _told(scene.say),
        "question": _told(scene.question),
        "answer": _told(scene.answer),
        "text": _told(scene.text),
        "picture": _shown_picture(scene.picture),
        "view": list(first.view),
        "lab": by_language(partial(_labs, first)) if "lab" in first.view else None,
        "stops": [
            {
                "cursor": cursor_data(cursor),
                "focus": None
                if focus == cursor_cell(cursor)
                else {
                    "tensor": focus.tensor,
                    "row": focus.row,
                    "column": focus.column,
                    "head": focus.head,
                },
            }
            for cursor, focus in steps
        ],
    }


def _shown_picture(data: str) -> str | None:
    """A scene's PNG or JPEG picture, in base64, as a data URL."""
    if not data:
        return None
    return f"data:image/{'png' if data.startswith('iVBOR') else 'jpeg'};base64,{data}"


def _told(text: LocalizedText) -> list[str]:
    return [text.of(language) for language in languages()]


def _labs(state: State) -> dict[str, str]:
    """The picture of the scene's lab in the light and the dark theme, as data URLs."""
    looks = {shade: replace(state, shade=shade) for shade in SHADES}
    return {shade: _picture(drawing_png(LAB, look, paint_lab)) for shade, look in looks.items()}


def _picture(png: bytes) -> str:
    """A picture as the data URL of a WebP file, a sixth of the PNG file's size."""
    from PIL import Image

    made = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.save(made, "WEBP", quality=QUALITY, method=4)
    return "data:image/webp;base64," + base64.b64encode(made.getvalue()).decode("ascii")


_HOLE = re.compile(r"@@(\w+)@@")


def write_html(
    subject: Subject, out_path: Path, options: ExportOptions, progress: Progress
) -> None:
    """Write the page: markup, style, program and data in one file."""
    need_application()
    with labelled(options.preferences.labels), as_written():
        data = page_data(subject, options, progress)
    with spoken(options.language, options.preferences.labels):
        fill = {
            "language": options.language.replace("_", "-"),
            "title": html.escape(title_of(subject)),
            "no_script": html.escape(tr("This page needs JavaScript to play the steps.")),
        }
    fill |= {
        "style": _style(),
        "program": '"use strict";\n'
        + "".join(_without_comments(_text(f"{name}.js")) for name in PROGRAM),
        "data": _json(data),
    }
    page = _HOLE.sub(lambda hole: fill[hole[1]], _text("page.html"))
    write_bytes(out_path, page.encode("utf-8", "replace"))


def _text(name: str) -> str:
    return resource("page", name).read_text(encoding="utf-8")


_COMMENT = re.compile(r'^\s*(/\*.*?\*/|//[^\n]*|"use strict";)\n|^[ \t]+', re.MULTILINE | re.DOTALL)


def _without_comments(script: str) -> str:
    """A script without comments on lines of their own and without indentation."""
    return _COMMENT.sub("", script)


def _style() -> str:
    """The style sheet with the colours of both themes, by the system or as chosen on the page."""
    light, dark = _variables(LIGHT), _variables(DARK)
    themes = f":root {{ color-scheme: light; {light} }}\n"
    themes += f"@media (prefers-color-scheme: dark) {{ :root {{ color-scheme: dark; {dark} }} }}\n"
    for shade, variables in (("light", light), ("dark", dark)):
        themes += f':root[data-shade="{shade}"] {{ color-scheme: {shade}; {variables} }}\n'
    themes += f"@media print {{ :root {{ color-scheme: light; {light} }} }}\n"
    return themes + _without_comments(_text("page.css"))


def _variables(theme: Colours) -> str:
    fields = dataclasses.asdict(theme)
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in fields.items())


def _json(data: object) -> str:
    """JSON for a script element; escapes what could end the element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
