"""PowerPoint slides: a title slide, then one for each step or scene."""

from __future__ import annotations

import datetime
import io
import uuid
import zipfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pptx
from pptx.oxml import parse_xml
from pptx.presentation import Presentation
from pptx.util import Inches

from core.base.files import write_bytes
from core.lesson.lesson import Lesson
from core.lesson.model import PAGE_VIEW
from gui.export.options import ExportOptions, Progress, Subject, notes_of, report_progress, title_of
from gui.export.paint_devices import need_application
from gui.export.slide_heads import add_head_slides, wants_heads
from gui.export.slide_shapes import (
    HEIGHT,
    LEFT,
    WIDTH,
    SlideBox,
    SlidePicture,
    add_code,
    add_formula,
    add_line,
    add_picture,
    add_strip,
    add_text,
    fill_title,
    paint_background,
    paint_large_heatmap,
    paint_large_lab,
    sum_height,
)
from gui.export.slide_tables import add_matrix, add_table
from gui.export.slide_text import (
    code_text,
    diagram_words,
    heatmap_words,
    hidden_text,
    slide_notes,
    slide_sentence,
    slide_table,
    slide_title,
    sum_line,
    weights_table,
)
from gui.export.states import SceneSteps, states
from gui.presentation.panel_painters import paint_page
from gui.session.state import State
from gui.texts.glyphs import as_written
from gui.texts.labs import lab_title
from gui.texts.names import first_tokens
from gui.texts.translation import spoken, tr
from gui.views.diagram.picture import paint_diagram

_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)  # the oldest date that a zip archive can hold


def repacked(data: bytes) -> bytes:
    """Repack a zip archive with a fixed date, so that equal contents give equal bytes."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, _BEGINNING_OF_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same bytes on every system
            target.writestr(entry, source.read(name))
    return packed.getvalue()


_MAIN = "http://schemas.openxmlformats.org/presentationml/2006/main"
_SECTIONS = "http://schemas.microsoft.com/office/powerpoint/2010/main"
_URI = "{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"  # what the file format calls the list of sections


def add_sections(deck: Presentation, shown: Sequence[State]) -> None:
    """Add a section for the title slide, and one at the first scene and at each breakpoint.

    `shown` is the state of every other slide. python-pptx has no call for sections.
    """

    parts: list[tuple[str, list[int]]] = []
    first, *others = (slide.slide_id for slide in deck.slides)
    before = None
    for number, state in zip(others, shown, strict=True):
        begins = state is not before and state.scene is not None and state.scene.scene.breakpoint
        before = state
        if not parts or begins:
            parts.append((slide_title(state), []))
        parts[-1][1].append(number)
    sections = "".join(
        _section(name, numbers, index)
        for index, (name, numbers) in enumerate([(tr("Title"), [first]), *parts])
    )
    xml = (
        f'<p:extLst xmlns:p="{_MAIN}"><p:ext uri="{_URI}">'
        f'<p14:sectionLst xmlns:p14="{_SECTIONS}">{sections}</p14:sectionLst></p:ext></p:extLst>'
    )
    deck.part._element.append(parse_xml(xml))


def _section(name: str, numbers: list[int], index: int) -> str:
    mark = uuid.uuid5(uuid.NAMESPACE_URL, f"section {index}")  # the same at each export
    slides = "".join(f'<p14:sldId id="{number}"/>' for number in numbers)
    braced = "{" + str(mark).upper() + "}"
    return f'<p14:section name={quoteattr(name)} id="{braced}"><p14:sldIdLst>{slides}</p14:sldIdLst></p14:section>'


# Rectangles in inches on a slide of 13⅓ × 7½.
_ALL, _HALF = WIDTH - 2 * LEFT, 6.6
_SIDE = LEFT + _HALF + 0.3
TITLE = SlideBox(LEFT, 0.3, _ALL, 0.68)
SENTENCE = SlideBox(LEFT, 0.98, _ALL, 0.5)
ABOVE = SlideBox(LEFT, 1.5, _ALL, 2.75)
LOWER_LEFT = SlideBox(LEFT, 4.45, _HALF, 2.55)
LOWER_RIGHT = SlideBox(_SIDE, 4.4, WIDTH - LEFT - _SIDE, 2.6)
HEATMAP = SlideBox(LEFT, 1.6, _HALF, 4.75)
ABOVE_STRIP = replace(LOWER_RIGHT, height=HEATMAP.y + HEATMAP.height - LOWER_RIGHT.y)
WHOLE = SlideBox(LEFT, 1.5, _ALL, 5.7)
LAB = SlideBox(LEFT, 1.5, 8.6, 5.7)  # beside it a table and a sum
BESIDE_LAB = LEFT + LAB.width + 0.2
LAB_TABLE = SlideBox(BESIDE_LAB, 1.6, WIDTH - LEFT - BESIDE_LAB, 2.65)
LAB_SUM = replace(LAB_TABLE, y=4.4, height=2.6)
UPPER_RIGHT = SlideBox(_SIDE, 1.6, WIDTH - LEFT - _SIDE, 2.65)
TABLE = SlideBox(LEFT, 1.65, 7.2, 4.35)
MANY, WIDER = 6, 8.0  # tables with more columns are wider
FORMULA, BESIDE = (
    1.35,
    0.35,
)  # the formula's height at most; between the table and what stands beside it
# With weights: the formula's height, the least height of their rows, and of the sum in points.
LOW_FORMULA, WEIGHTS_ROW, SUM, AIR = 0.9, 0.32, 15.0, 0.1
INSET = 0.1  # of a text in its box
STRIP = SlideBox(LEFT, 6.6, _ALL, 0.46)
_NO_TIME = datetime.datetime(2000, 1, 1)  # the library asks for one without a zone


def write_pptx(
    subject: Subject, out_path: Path, options: ExportOptions, progress: Progress
) -> None:
    """Write the slides; equal subjects give equal bytes on the same machine."""
    need_application()
    shown = states(subject, options, SceneSteps.END)
    report_progress(progress, 0.0)
    with spoken(options.language, options.preferences.labels), as_written():
        deck = _deck(subject)
        _first_slide(deck, subject, shown[0], options)
    slides: list[State] = []  # the state of each
    for index, state in enumerate(shown):
        with spoken(options.language, options.preferences.labels), as_written():
            slides += [state] * _slides(deck, state, options)
        report_progress(progress, (index + 1) / (len(shown) + 1))
    if isinstance(subject, Lesson):
        with spoken(options.language, options.preferences.labels), as_written():
            add_sections(deck, slides)
    data = io.BytesIO()
    deck.save(data)
    report_progress(progress, 1.0)
    write_bytes(out_path, repacked(data.getvalue()))


def _deck(subject: Subject) -> Presentation:
    """An empty wide deck without dates."""
    deck = pptx.Presentation()
    deck.slide_width, deck.slide_height = Inches(WIDTH), Inches(HEIGHT)
    properties = deck.core_properties
    properties.title = title_of(subject)
    properties.author = properties.last_modified_by = "Attention Stepper"
    properties.created = properties.modified = _NO_TIME
    return deck


def _new_slide(deck: Presentation, options: ExportOptions) -> Any:
    """Add a slide with the layout that has only a title."""
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    paint_background(slide, options.shade)
    return slide


def _first_slide(
    deck: Presentation, subject: Subject, state: State, options: ExportOptions
) -> None:
    slide, name, notes = _new_slide(deck, options), title_of(subject), notes_of(subject)
    fill_title(slide, SlideBox(LEFT, 2.4, _ALL, 1.2), name, 44, options)
    add_text(
        slide, SlideBox(LEFT, 3.6, _ALL, 0.8), first_tokens(state.document, 40, "   "), 24, options
    )
    if notes:
        add_text(slide, SlideBox(LEFT, 4.5, _ALL, 1.8), notes, 16, options)
    slide.notes_slide.notes_text_frame.text = notes or name


def _slides(deck: Presentation, state: State, options: ExportOptions) -> int:
    """Add the slide of a state, and the slides of all heads if wanted; return how many."""
    _slide(deck, state, options)
    return 1 + (
        add_head_slides(partial(_new_slide, deck, options), state, options)
        if wants_heads(state, options)
        else 0
    )


def _slide(deck: Presentation, state: State, options: ExportOptions) -> None:
    """Add one step or scene; cells that are not computed yet stay empty."""
    slide = _new_slide(deck, options)
    asked = state.scene is not None and bool(state.scene.scene.question)
    fill_title(slide, TITLE, slide_title(state), 28, options)
    if asked or state.view != PAGE_VIEW:
        ink = "accent" if asked else "muted"
        add_text(slide, SENTENCE, slide_sentence(state), 18, options, ink)
    _body(slide, state, options)
    slide.notes_slide.notes_text_frame.text = slide_notes(state)


def _body(slide: Any, state: State, options: ExportOptions) -> None:
    """Add what the scene's view asks for: table, formula, code or sum, pictures, lab."""
    if state.view == ("lab",):
        add_picture(slide, WHOLE, state, _lab(state))
    elif state.view == PAGE_VIEW:
        _page(slide, state, options)
    elif "lab" in state.view:
        add_picture(slide, LAB, state, _lab(state))
        add_table(slide, LAB_TABLE, slide_table(state), state)
        add_line(slide, LAB_SUM, sum_line(state), options)
    else:
        _run_body(slide, state, options)


def _page(slide: Any, state: State, options: ExportOptions) -> None:
    """Add the text of a scene's own page, or its picture with the text."""
    scene = None if state.scene is None else state.scene.scene
    text = "" if scene is None else scene.text.of(state.language)
    if scene is not None and scene.picture:
        add_picture(
            slide, WHOLE, state, SlidePicture(tr("Picture"), text or slide_title(state), paint_page)
        )
    elif text:
        add_text(slide, WHOLE, text, 28, options, "text")


def _lab(state: State) -> SlidePicture:
    demo = None if state.scene is None else state.scene.scene.demo
    assert demo is not None, "a view with a lab belongs to a scene that has one"
    return SlidePicture(tr("Lab"), lab_title(demo.lab), paint_large_lab)


def _run_body(slide: Any, state: State, options: ExportOptions) -> None:
    """Enlarge a heatmap or diagram that is shown alone; else enlarge the numbers."""
    shown = () if state.scene is None else state.view
    if "heatmap" in shown and "diagram" not in shown:
        add_picture(
            slide,
            HEATMAP,
            state,
            SlidePicture(tr("Heatmap"), heatmap_words(state), paint_large_heatmap),
        )
        add_table(slide, UPPER_RIGHT, slide_table(state), state)
        _words_of_the_step(slide, ABOVE_STRIP, state, options)
        add_strip(slide, STRIP, state, options)
    elif shown == ("diagram",):
        add_picture(
            slide, ABOVE, state, SlidePicture(tr("Diagram"), diagram_words(state), paint_diagram)
        )
        add_table(slide, LOWER_LEFT, slide_table(state), state)
        _words_of_the_step(slide, LOWER_RIGHT, state, options)
    else:
        _numbers(slide, state, options)


def _numbers(slide: Any, state: State, options: ExportOptions) -> None:
    """Add the table, beside it formula and sum, code or heatmap, and the strip of stages below."""
    table = slide_table(state)
    place = replace(TABLE, width=WIDER) if len(table.columns) > MANY else TABLE
    left = LEFT + add_table(slide, place, table, state) + BESIDE
    side = SlideBox(left, TABLE.y, WIDTH - LEFT - left, STRIP.y - AIR - TABLE.y)
    weighted = weights_table(state, 1) is not None and "heatmap" not in state.view
    high = LOW_FORMULA if weighted else FORMULA
    below = add_formula(slide, SlideBox(side.x, side.y, side.width, high), state) + BESIDE
    if weighted:
        left_over = side.height - below - sum_height(sum_line(state), side.width, SUM) - BESIDE
        weights = weights_table(state, max(2, int(left_over / WEIGHTS_ROW) - 1))
        assert weights is not None
        room = min(left_over, WEIGHTS_ROW * 1.4 * (len(weights.rows) + 1))
        add_matrix(slide, replace(side, y=side.y + below, height=room), weights, state)
        if any(weights.hidden):
            line = SlideBox(side.x - INSET, side.y + below + room, side.width, BESIDE)
            add_text(slide, line, hidden_text(weights), 12, options)
        below += room + BESIDE
    rest = SlideBox(side.x - INSET, side.y + below, side.width + INSET, side.height - below)
    if "heatmap" in state.view:
        add_picture(
            slide,
            rest,
            state,
            SlidePicture(tr("Heatmap"), heatmap_words(state), paint_large_heatmap),
        )
    else:
        _words_of_the_step(slide, rest, state, options)
    add_strip(slide, STRIP, state, options)


def _words_of_the_step(slide: Any, box: SlideBox, state: State, options: ExportOptions) -> None:
    if "code" in state.view:
        add_code(slide, box, code_text(state), options)
    else:
        add_line(slide, box, sum_line(state), options)
