"""Which wording of the head in front all cards have room for, so that they say it alike. Free of Qt."""

from __future__ import annotations

from dataclasses import replace

from core.document.document import Document
from core.document.parts import STAGE_AXES
from gui.views.diagram.card_sizes import PAD, Style
from gui.views.diagram.labels import head_chip, heading, text_width
from gui.views.diagram.shapes import WORDS, Box

SYMBOL, SIDE_SYMBOL, BETWEEN, ROUND = (
    17.5,
    22.0,
    6.0,
    10.0,
)  # the symbol's bold letters; what parts the words; the ends of the patch


def with_one_chip(document: Document, boxes: tuple[Box, ...], style: Style) -> tuple[Box, ...]:
    """The boxes, those of heads with the fullest wording that fits on all of them that have room for any."""
    wordings = head_chip(document.h - 1, document.h)
    if not wordings:
        return boxes
    widths = [text_width(text) * style.growth + ROUND for text in wordings]
    headed = {box.stage_id: _free(document, box, style) for box in boxes if _has_heads(box)}
    rooms = [
        free for free in headed.values() if free >= widths[-1]
    ]  # where not even the shortest fits there is none
    chip = next(
        (at for at, width in enumerate(widths) if all(width <= free for free in rooms)),
        len(widths) - 1,
    )
    return tuple(replace(box, chip=chip) if box.stage_id in headed else box for box in boxes)


def _has_heads(box: Box) -> bool:
    return box.stage_id not in WORDS and STAGE_AXES[box.stage_id][0] == "h"


def _free(document: Document, box: Box, style: Style) -> float:
    """What symbol and shape leave of a card's first line; beside a matrix the shape stands below."""
    if box.side:
        return box.heading - SIDE_SYMBOL
    words = heading(document, box.stage_id, style.orientation)
    used = text_width(words.symbol, SYMBOL) + text_width(words.shape) * style.growth + 2 * BETWEEN
    return box.rect.w - 2 * PAD - used
