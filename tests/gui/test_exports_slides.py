"""Slides, read by python-pptx: titles, tables, sums, notes, alternative texts."""

from __future__ import annotations

import io
import itertools
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF

from core.base.cell import Cell
from core.base.number_format import show
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_pin, with_title
from core.explain.timeline import Grain
from core.labs.lab import LABS
from core.lesson.lesson import lesson_path
from core.lesson.lesson import load as load_lesson
from core.storage.examples import load_example
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from gui.export.slide_shapes import paint_large_lab
from gui.export.slide_text import MOST_COLUMNS, MOST_ROWS
from gui.painting.theme import LIGHT, font
from gui.session.session import Session
from gui.session.state import Preferences
from gui.texts.names import stage_name
from gui.texts.stage_texts import meaning
from gui.texts.translation import use_language
from tests.core.documents import make
from tests.gui import svg_kit
from tests.gui.presenting_kit import text_sizes

INCH = 914_400


def deck(document: Document, path: Path, options: ExportOptions | None = None) -> Any:
    assert export_shown(document, "pptx", path, options or ExportOptions())
    return Presentation(str(path))


def table_of(slide: Any) -> list[list[str]]:
    (frame,) = (shape for shape in slide.shapes if shape.has_table)
    return [[cell.text for cell in row.cells] for row in frame.table.rows]


def description(shape: Any) -> str:
    return str(shape._element.xpath(".//p:cNvPr")[0].get("descr"))


@pytest.mark.parametrize("columns", [False, True])
def test_a_slide_a_stage_with_the_numbers_of_the_trace(
    tmp_path: Path, qapp: object, columns: bool
) -> None:
    document = make(output=True, mask="causal")
    options = ExportOptions(head=1, preferences=Preferences(decimals=3, columns=columns))
    slides = list(deck(document, tmp_path / "a.pptx", options).slides)[1:]
    trace = run(document)
    assert len(slides) == len(trace.plan)
    for slide, stage in zip(slides, trace.plan, strict=True):
        matrix = trace.matrix(stage.id, 1)
        seen = (matrix.T if columns else matrix)[:MOST_ROWS, :MOST_COLUMNS]
        numbers = [row[1:] for row in table_of(slide)[1:]]
        assert numbers == [[show(float(value), 3) for value in row] for row in seen], stage.id


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_titles_sums_notes_and_words_for_the_picture(
    tmp_path: Path, qapp: object, language: str
) -> None:
    document = load_example("cat-eats-fish")
    shown = deck(document, tmp_path / "a.pptx", ExportOptions(language=language))
    assert (shown.slide_width, shown.slide_height) == (12191695, 6858000)
    first, *slides = shown.slides
    assert first.shapes.title.text == {"en": "Cat eats fish", "zh_CN": "小猫吃鱼"}[language]
    use_language(language)
    for slide, stage in zip(slides, run(document).plan, strict=True):
        asked = meaning(document, stage.id)
        assert slide.shapes.title.text == asked.title
        notes = slide.notes_slide.notes_text_frame.text
        assert notes.startswith(asked.sentence)
        assert ("What to say: " if language == "en" else "讲解提示：") in notes
        (strip,) = (shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.GROUP)
        assert "小猫" in description(strip)
        assert stage_name(stage.id) in description(strip)
        (picture,) = (shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE)
        assert stage_name(stage.id) in description(picture)
        assert Image.open(io.BytesIO(picture.image.blob)).size[0] > picture.width / 914_400 * 150, (
            "sharp in a hall"
        )
        (frame,) = (shape for shape in slide.shapes if shape.has_table)
        assert description(frame) != ""
    (sum_,) = (shape for shape in slides[3].shapes if shape.name in ("Worked sum", "演算"))
    assert sum_.text_frame.text == "q小猫·k小猫 = 0.20×0.10 + 0.80×0.90 = 0.02 + 0.72 = 0.74"
    lowered = [
        run_
        for run_ in sum_.text_frame.paragraphs[0].runs
        if run_._r.rPr.get("baseline") == "-25000"
    ]
    assert [run_.text for run_ in lowered] == ["小猫", "小猫"]


def test_text_names_its_language(tmp_path: Path, qapp: object) -> None:
    for language, tag in (("en", "en-US"), ("zh_CN", "zh-CN")):
        path = tmp_path / f"{language}.pptx"
        deck(load_example("cat-eats-fish"), path, ExportOptions(language=language, last=1))
        slide = zipfile.ZipFile(path).read("ppt/slides/slide2.xml").decode()
        assert set(re.findall(r'lang="([^"]+)"', slide)) == {tag}


def test_finer_steps_fill_the_table_as_they_go(tmp_path: Path, qapp: object) -> None:
    document = load_example("cat-eats-fish")
    options = ExportOptions(grain=Grain.CELL, first=4, last=8)
    slides = list(deck(document, tmp_path / "a.pptx", options).slides)[1:]
    filled = [
        sum(bool(text) for row in table_of(slide)[1:] for text in row[1:]) for slide in slides
    ]
    assert filled == [1, 2, 3, 4, 5]


def test_large_matrices_say_what_they_leave_out(tmp_path: Path, qapp: object) -> None:
    document = load_example("eight-heads")
    slides = list(deck(document, tmp_path / "a.pptx", ExportOptions(first=7, last=7)).slides)
    table = table_of(slides[1])
    assert (len(table), len(table[0])) == (MOST_ROWS + 1, MOST_COLUMNS + 1)
    texts = [shape.text_frame.text for shape in slides[1].shapes if shape.has_text_frame]
    assert "Left out: 8 more rows, 8 more columns." in texts


@pytest.mark.parametrize("example", ["cat-eats-fish", "apple-released-iphone", "eight-heads"])
def test_nothing_lies_off_the_slide_or_on_another(
    tmp_path: Path, qapp: object, example: str
) -> None:
    shown = deck(load_example(example), tmp_path / "a.pptx", ExportOptions(shade="dark"))
    for slide in list(shown.slides)[1:]:
        boxes = []
        for shape in slide.shapes:
            height = (
                sum(row.height for row in shape.table.rows) if shape.has_table else shape.height
            )
            boxes.append((shape.left, shape.top, shape.left + shape.width, shape.top + height))
        for left, top, right, bottom in boxes:
            assert left >= 0
            assert top >= 0
            assert right <= shown.slide_width
            assert bottom <= shown.slide_height
        for (left, top, right, bottom), other in itertools.permutations(boxes, 2):
            assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top, (
                slide.shapes.title.text
            )


@pytest.mark.parametrize("example", ["cat-eats-fish", "four-words-causal", "eight-heads"])
def test_the_last_row_can_read_numbers_formula_and_sum(
    tmp_path: Path, qapp: object, example: str
) -> None:
    """Numbers of two decimals in 18 points or more where none has four digits; the rest of the slide no smaller than
    words are."""
    document = load_example(example)
    for slide in list(deck(document, tmp_path / "a.pptx").slides)[1:]:
        (frame,) = (shape for shape in slide.shapes if shape.has_table)
        cells = [cell for row in list(frame.table.rows)[1:] for cell in list(row.cells)[1:]]
        size = min(
            run_.font.size.pt for cell in cells for run_ in cell.text_frame.paragraphs[0].runs
        )
        longest = max(len(cell.text) for cell in cells)
        assert size >= (18 if longest <= 5 else 15), slide.shapes.title.text
        (sum_,) = (shape for shape in slide.shapes if shape.name == "Worked sum")
        assert min(run_.font.size.pt for run_ in sum_.text_frame.paragraphs[0].runs) >= 14, (
            slide.shapes.title.text
        )
        (strip,) = (shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.GROUP)
        assert strip.height < 0.6 * INCH < frame.height
        assert {
            run_.font.size.pt >= 11
            for chip in strip.shapes
            for run_ in chip.text_frame.paragraphs[0].runs
        } == {True}


def test_the_strip_marks_the_stage_that_is_shown(tmp_path: Path, qapp: object) -> None:
    document = load_example("cat-eats-fish")
    grounds = []
    for place, slide in enumerate(list(deck(document, tmp_path / "a.pptx").slides)[1:]):
        (strip,) = (shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.GROUP)
        chips = [(chip.text_frame.text, str(chip.fill.fore_color.rgb)) for chip in strip.shapes]
        assert [text for text, _ in chips] == ["Q", "K", "V", "QKᵀ", "÷√dₖ", "exp", "A", "A·V", "Y"]
        here = [
            index
            for index, (_, ground) in enumerate(chips)
            if ground == LIGHT.accent.removeprefix("#").upper()
        ]
        assert here == [place]
        grounds.append(len({ground for _, ground in chips}))
    assert grounds == [2, *[3] * 7, 2], "before, here, to come"


def test_two_formulas_stand_one_over_the_other(tmp_path: Path, qapp: object) -> None:
    """Those of the sinusoidal positions, side by side, were too wide to be read."""
    document = load_example("eight-heads")
    slide = deck(document, tmp_path / "a.pptx", ExportOptions(first=2, last=2)).slides[1]
    (picture,) = (shape for shape in slide.shapes if shape.name == "Formula")
    assert picture.height > 0.9 * INCH


def test_no_time_of_the_day_in_it(tmp_path: Path, qapp: object) -> None:
    shown = deck(
        load_example("cat-eats-fish"), tmp_path / "a.pptx", replace(ExportOptions(), last=1)
    )
    assert shown.core_properties.created == shown.core_properties.modified
    assert shown.core_properties.created.year == 2000
    assert {entry.date_time for entry in zipfile.ZipFile(tmp_path / "a.pptx").infolist()} == {
        (1980, 1, 1, 0, 0, 0)
    }


@pytest.mark.parametrize("columns", [False, True])
def test_a_pinned_number_is_framed_and_what_was_computed_is_said(
    tmp_path: Path, qapp: object, columns: bool
) -> None:
    document = with_pin(load_example("cat-eats-fish"), Cell("scores", 0, 1), 9.2)
    options = ExportOptions(first=4, last=4, preferences=Preferences(columns=columns))
    slide = deck(document, tmp_path / "a.pptx", options).slides[1]
    place = (1, 0) if columns else (0, 1)
    (frame,) = (shape for shape in slide.shapes if shape.has_table)
    framed = {
        (i - 1, j - 1): cell.text
        for i, row in enumerate(frame.table.rows)
        for j, cell in enumerate(row.cells)
        if cell._tc.xpath("./a:tcPr/a:lnL")
    }
    assert framed == {place: "9.20"}
    own = deck(
        document, tmp_path / "b.pptx", replace(options, grain=Grain.CELL, first=5, last=5)
    ).slides[1]
    (said,) = (shape.text_frame.text for shape in own.shapes if shape.name == "Worked sum")
    assert said.endswith("= 0.44, pinned to 9.20")


def test_indices_stand_below_the_line(tmp_path: Path, qapp: object) -> None:
    """No slide and no description of a picture holds a raw X_C."""
    shown = deck(load_example("translation"), tmp_path / "a.pptx")
    assert table_of(shown.slides[2])[0][0] == "XC"
    for slide in shown.slides:
        for shape in slide.shapes:
            texts = (
                [cell.text for row in shape.table.rows for cell in row.cells]
                if shape.has_table
                else []
            )
            texts += [shape.text_frame.text] if shape.has_text_frame else []
            assert not any("_" in text for text in [*texts, description(shape)])


@pytest.mark.parametrize("example", ["who-ate-whom", "eight-heads"])
def test_a_projection_shows_its_weights(tmp_path: Path, qapp: object, example: str) -> None:
    document = load_example(example)
    plan = run(document).plan
    slides = list(deck(document, tmp_path / "a.pptx").slides)[1:]
    for slide, stage in zip(slides, plan, strict=True):
        found = {shape.name for shape in slide.shapes} & {"W_Q", "W_K", "W_V", "W_O"}
        wanted = {f"W_{stage.id}"} if stage.id in ("Q", "K", "V") else set()
        wanted |= {"W_O"} if stage.id == "Y" and document.W_O is not None else set()
        assert found == wanted, stage.id


def test_the_picture_of_a_lab_has_no_text_below_14_points(qapp: object) -> None:
    width, height = 12.3, 5.7  # inches of its picture
    pixels = 96.0
    for lab_id in LABS:
        session = Session(load_example("cat-eats-fish"), Preferences(), "en", "light")
        session.lesson_player.open(load_lesson(lesson_path(f"lab-{lab_id}")))
        state = session.state
        svg = svg_kit.svg_of(
            lambda painter, area, state=state: paint_large_lab(painter, area, state),
            (round(width * pixels), round(height * pixels)),
        )
        lowered = ("k", "v", "model")
        sizes = {text: size for text, size in text_sizes(svg).items() if text not in lowered}
        assert min(sizes.values()) >= 14 / 72 * pixels - 0.1, lab_id


LONG_TITLES = {
    "en": "How a sentence with a relative clause that is much longer than usual lets every word "
    "look back at all the words before it",
    "zh_CN": "一个带有很长定语从句的句子怎样让每个词回头看它前面的所有的词并且把它们加权求和成为新的向量表示",
}


@pytest.mark.parametrize("labels", ["one", "both"])
@pytest.mark.parametrize("language", list(LONG_TITLES))
@pytest.mark.parametrize("example", ["cat-eats-fish", "block-by-hand"])
def test_long_titles_are_large_and_fit_their_boxes(
    tmp_path: Path, qapp: object, example: str, language: str, labels: str
) -> None:
    """The lines are broken and measured by Qt, in the font that the program ships."""
    document = with_title(load_example(example), LONG_TITLES[language])
    options = ExportOptions(language, preferences=Preferences(labels=labels))
    for number, slide in enumerate(deck(document, tmp_path / "a.pptx", options).slides):
        title = slide.shapes.title
        (paragraph,) = title.text_frame.paragraphs
        size = max(run.font.size.pt for run in paragraph.runs)
        assert size >= (20 if number == 0 else 14), title.text
        width, height = title.width / 12_700 - 14.4, title.height / 12_700  # points, less insets
        metrics = QFontMetricsF(font(100, bold=True))
        room = QRectF(0, 0, width / size * 100, 1e6)
        lines = metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, title.text)
        assert lines.width() <= room.width() + 1
        count = round(lines.height() / metrics.lineSpacing())
        assert count * size * 1.2 <= height, title.text
