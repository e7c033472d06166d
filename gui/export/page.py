"""One self-contained page that plays the steps in any browser, with no network."""

from __future__ import annotations

import dataclasses
import html
import json
import re
from pathlib import Path

from core.base.files import resource, write_bytes
from gui.export.export_source import Subject, title_of
from gui.export.options import Options, Progress
from gui.export.page_matrices import scale_of
from gui.export.page_subject import page_subject
from gui.export.pdf import need_application
from gui.painting.theme import DARK, LIGHT, Colours
from gui.texts.glyphs import as_written
from gui.texts.translation import labelled, spoken, tr

PROGRAM = ("diagram.js", "scenes.js", "page.js")  # in this order: the last one uses the others
_HOLE = re.compile(r"@@(\w+)@@")


def write_html(subject: Subject, out_path: Path, options: Options, progress: Progress) -> None:
    """Write the page: markup, style, program and numbers in one file."""
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
    fill |= {"style": _style(), "program": "\n".join(map(_part, PROGRAM)), "data": _json(data)}
    page = _HOLE.sub(lambda hole: fill[hole[1]], _part("page.html"))
    write_bytes(out_path, page.encode("utf-8", "replace"))


def _part(name: str) -> str:
    return resource("player", name).read_text(encoding="utf-8")


def _style() -> str:
    """The style sheet, with the program's own colours for light and for dark."""
    light, dark = _variables(LIGHT), _variables(DARK)
    themes = f":root {{ color-scheme: light; {light} }}\n"
    themes += f"@media (prefers-color-scheme: dark) {{ :root {{ color-scheme: dark; {dark} }} }}\n"
    return themes + _part("page.css")


def _variables(theme: Colours) -> str:
    fields = dataclasses.asdict(theme)
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in fields.items())


def _json(data: object) -> str:
    """Numbers and texts as they may stand inside a page: nothing in them can end the element that holds them."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
