"""Texts that break formats, run as formulas, or load something: every export holds them as plain text.

Each file is read back by a reader that is not ours.
"""

from __future__ import annotations

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import numpy as np
import pytest
from openpyxl import load_workbook
from PIL import Image
from pptx import Presentation
from pypdf import PdfReader

from core.document.document import Document
from core.storage.archive import dumps, load, loads, save
from core.storage.examples import load_example
from gui.cli import run_command_line

REMOTE = '![x](http://example.com/x.png) <img src="http://example.com/x.png" onerror="x()">'
HOSTILE = (
    '=cmd|"/c calc"!A1',
    "+1+1",
    "@SUM(A1)",
    "\t=1+1",
    "a\x00b\x01c\x1b",
    "\ud800 and \udfff",
    "\ufffe\uffff",
    "</script><script>x()</script>",
    "]]> & <b>",
    "\\input{/etc/passwd} $x$ %",
    '"; import os #',
    "\r\nline",
)


def hostile() -> Document:
    document = load_example("cat-eats-fish")
    n = document.n
    return replace(
        document,
        title=f"{HOSTILE[4]} {HOSTILE[5]} {HOSTILE[7]} {HOSTILE[9]}",
        notes="\n".join((REMOTE, *HOSTILE)),
        tokens=tuple(HOSTILE[i % len(HOSTILE)] for i in range(n)),
        heads=tuple(replace(head, name=HOSTILE[6] + HOSTILE[0]) for head in document.heads),
    )


TEXTS = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


def require_valid(text: str) -> None:
    assert not TEXTS.search(text)


def read_xlsx(path: Path) -> None:
    for formulas in (True, False):
        book = load_workbook(path, data_only=not formulas)
        for sheet in book.worksheets:
            for row in sheet.iter_rows():
                for cell in row:
                    if isinstance(cell.value, str) and cell.data_type != "f":
                        require_valid(cell.value)
                    if cell.data_type == "f":
                        assert "cmd" not in str(cell.value)
                        assert "A1)" not in str(cell.value).replace("$", "") or "(" in cell.value


def read_csv(path: Path) -> None:
    for file in path.glob("*.csv"):
        for row in csv.reader(io.StringIO(file.read_bytes().decode("utf-8"), newline="")):
            for cell in row:
                require_valid(cell)
                try:
                    float(cell)
                except ValueError:
                    assert not cell.startswith(("=", "+", "@", "\t", "\r", "-")), file.name


def read_npz(path: Path) -> None:
    with np.load(path, allow_pickle=False) as arrays:
        for text in arrays["tokens"]:
            require_valid(str(text))


def read_json(path: Path) -> None:
    require_valid(json.dumps(json.loads(path.read_bytes().decode("utf-8")), ensure_ascii=False))


def read_python(path: Path) -> None:
    compile(path.read_text("utf-8"), path.name, "exec")


def read_notebook(path: Path) -> None:
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    for cell in book.cells:
        require_valid(cell.source)
        if cell.cell_type == "markdown":
            plain = re.sub(r"\\.", "", cell.source)  # what Markdown takes literally
            assert "![" not in plain
            assert "<" not in plain


def read_tex(path: Path) -> None:
    text = path.read_text("utf-8")
    require_valid(text)
    assert "\\input{/etc" not in text


def read_svg(path: Path) -> None:
    for element in ET.fromstring(path.read_bytes()).iter():
        assert not str(element.tag).endswith("script")


def read_png(path: Path) -> None:
    with Image.open(path, formats=["PNG"]) as image:
        image.load()
        require_valid("".join(map(str, image.info.values())))


def read_gif(path: Path) -> None:
    with Image.open(path, formats=["GIF", "WEBP"]) as image:
        image.load()


def read_pdf(path: Path) -> None:
    reader = PdfReader(path)
    assert reader.pages
    require_valid((reader.metadata.title or "") if reader.metadata else "")
    for page in reader.pages:
        assert "/AA" not in page


class Scripts(HTMLParser):
    """Count elements that run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.remote: list[str] = []
        self.events: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("src", "href") and str(value).startswith(("http", "//")):
                self.remote.append(str(value))
            if name.startswith("on"):
                self.events.append(name)


def read_html(path: Path) -> None:
    text = path.read_bytes().decode("utf-8")
    parser = Scripts()
    parser.feed(text)
    assert parser.remote == []
    assert parser.events == []
    assert "<script>x()" not in text


def read_pptx(path: Path) -> None:
    for slide in Presentation(str(path)).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                require_valid(shape.text_frame.text)
        if slide.has_notes_slide:
            require_valid(slide.notes_slide.notes_text_frame.text)


READERS: dict[tuple[str, str], Callable[[Path], None]] = {
    ("xlsx", ".xlsx"): read_xlsx,
    ("csv", ""): read_csv,
    ("npz", ".npz"): read_npz,
    ("json", ".json"): read_json,
    ("py", ".py"): read_python,
    ("torch", ".py"): read_python,
    ("ipynb", ".ipynb"): read_notebook,
    ("tex", ".tex"): read_tex,
    ("svg", ".svg"): read_svg,
    ("png", ".png"): read_png,
    ("gif", ".gif"): read_gif,
    ("webp", ".webp"): read_gif,
    ("pdf", ".pdf"): read_pdf,
    ("html", ".html"): read_html,
    ("pptx", ".pptx"): read_pptx,
    ("worksheet", ".pdf"): read_pdf,
    ("worksheet", ".tex"): read_tex,
    ("report", ".pdf"): read_pdf,
    ("report", ".html"): read_html,
}


def test_every_format_is_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["export", "--list"]) == 0
    listed = {line.split("\t")[0].split()[0] for line in capsys.readouterr().out.splitlines()}
    assert listed - {"mp4"} == {name for name, _ in READERS}  # a film of the same pictures as GIF


@pytest.mark.parametrize(("name", "ending"), READERS)
def test_hostile_texts_stay_texts(name: str, ending: str, tmp_path: Path, qapp: object) -> None:
    file, out = tmp_path / "x.attn.json", tmp_path / f"out{ending}"
    save(hostile(), file)
    arguments = ["export", str(file), "--format", name, "-o", str(out)]
    if name in ("gif", "webp"):
        arguments += ["--size", "320x240"]
    assert run_command_line(arguments) == 0
    READERS[name, ending](out)


def test_what_no_text_may_hold_is_replaced_at_entry_and_at_reading() -> None:
    document = hostile()
    for text in (document.title, document.notes, *document.tokens, document.heads[0].name):
        require_valid(text)
        assert text.encode("utf-8")
    assert loads(dumps(document)).tokens == document.tokens
    written = dumps(load_example("cat-eats-fish")).replace(b'"Cat eats fish"', b'"a\\u0001\\ufffe"')
    assert loads(written).title == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"


def test_two_halves_of_a_pair_are_joined() -> None:
    document = replace(load_example("cat-eats-fish"), title="\ud83d\ude00")
    assert document.title == "\N{GRINNING FACE}"


def test_a_text_that_is_fine_stays_the_same_object(tmp_path: Path) -> None:
    document = load_example("cat-eats-fish")
    save(document, tmp_path / "x.attn.json")
    again = load(tmp_path / "x.attn.json")
    assert replace(again, title="x").tokens is again.tokens
