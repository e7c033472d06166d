"""Slides for PowerPoint: a title, then a slide for each step with a table, the worked sum, a picture and notes."""

from __future__ import annotations

import datetime
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.archive_disk import write_bytes
from core.document import Document
from gui.exports.options import Options, Progress, report
from gui.exports.packing import repacked
from gui.exports.slide_parts import (
    HEIGHT,
    LEFT,
    WIDTH,
    Box,
    add_line,
    add_picture,
    add_table,
    add_text,
    fill_title,
    paint_background,
)
from gui.exports.slide_words import diagram_words, notes, sentence, shown_table, sum_line, title
from gui.exports.steps import states
from gui.language import spoken, tr, tr_marked
from gui.printing import need_application
from gui.state import State

if TYPE_CHECKING:
    from pptx.presentation import Presentation

# In inches, on a slide of 13⅓ × 7½.
TITLE = Box(LEFT, 0.3, WIDTH - 2 * LEFT, 0.7)
SENTENCE = Box(LEFT, 0.98, WIDTH - 2 * LEFT, 0.45)
PICTURE = Box(LEFT, 1.5, WIDTH - 2 * LEFT, 2.75)
TABLE = Box(LEFT, 4.45, 6.6, 2.55)
SUM = Box(LEFT + TABLE.width + 0.3, 4.4, WIDTH - 2 * LEFT - TABLE.width - 0.3, 2.6)
_NO_TIME = datetime.datetime(2000, 1, 1)  # the library asks for one without a zone


def write_pptx(document: Document, out_path: Path, options: Options, progress: Progress) -> None:
    """Write the slides. The same experiment gives the same bytes on the same machine."""
    need_application()
    shown = states(document, options)
    report(progress, 0.0)
    with spoken(options.language, options.preferences.labels):
        deck = _deck(document)
        _first_slide(deck, document, options)
    for index, state in enumerate(shown):
        with spoken(options.language, options.preferences.labels):
            _slide(deck, state, options)
        report(progress, (index + 1) / (len(shown) + 1))
    data = io.BytesIO()
    deck.save(data)
    report(progress, 1.0)
    write_bytes(out_path, repacked(data.getvalue()))


def _deck(document: Document) -> Presentation:
    """An empty deck of wide slides, without dates."""
    import pptx
    from pptx.util import Inches

    deck = pptx.Presentation()
    deck.slide_width, deck.slide_height = Inches(WIDTH), Inches(HEIGHT)
    properties = deck.core_properties
    properties.title = _title(document)
    properties.author = properties.last_modified_by = "Attention Stepper"
    properties.created = properties.modified = _NO_TIME
    return deck


def _title(document: Document) -> str:
    return tr_marked(document.title) if document.title else tr("Untitled")


def _new_slide(deck: Presentation, options: Options) -> Any:
    """A slide of the layout that has a title and nothing else."""
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    paint_background(slide, options.shade)
    return slide


def _first_slide(deck: Presentation, document: Document, options: Options) -> None:
    slide = _new_slide(deck, options)
    fill_title(slide, Box(LEFT, 2.4, WIDTH - 2 * LEFT, 1.2), _title(document), 44, options)
    tokens = "   ".join(document.tokens[:40])
    add_text(slide, Box(LEFT, 3.6, WIDTH - 2 * LEFT, 0.8), tokens, 24, options)
    if document.notes:
        add_text(slide, Box(LEFT, 4.5, WIDTH - 2 * LEFT, 1.8), tr_marked(document.notes), 16, options)
    slide.notes_slide.notes_text_frame.text = tr_marked(document.notes) if document.notes else _title(document)


def _slide(deck: Presentation, state: State, options: Options) -> None:
    """One step. What stands there already is shown, the rest of the table is empty."""
    slide = _new_slide(deck, options)
    fill_title(slide, TITLE, title(state), 28, options)
    add_text(slide, SENTENCE, sentence(state), 16, options)
    table = shown_table(state)
    add_table(slide, TABLE, table, state)
    add_picture(slide, PICTURE, state, diagram_words(state))
    add_line(slide, SUM, sum_line(state), options)
    slide.notes_slide.notes_text_frame.text = notes(state)
