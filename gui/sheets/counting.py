"""About how many pages worksheets and their keys fill, told before they are written."""

from __future__ import annotations

from math import ceil

from core.document import Document
from gui.language import spoken
from gui.printing import need_application
from gui.sheets.blocks import Block, Part
from gui.sheets.options import Options
from gui.sheets.paper import PRINT, PagePainter
from gui.sheets.strips import HEIGHT, pages
from gui.sheets.worksheet import Worksheet

MANY = 200  # pages that nobody prints without having been asked


def page_count(document: Document, options: Options) -> int:
    """Pages of all sheets and keys in all languages, as PDF: the questions laid out, the key guessed from one row each.

    Beyond a hundred rounded to two digits. Raises Problem "worksheet.too_large" (size, limit).
    """
    need_application()
    with spoken(options.languages[0], options.labels):
        sheet = Worksheet(document, options, 0)
        painter = PagePainter(options.decimals, PRINT)
        each = len(pages(painter.strips(sheet.questions())))
        if options.key != "none":
            each += _key_pages(sheet, painter)
    total = each * options.sheets * len(options.languages)
    return total if total < 100 else round(total, 2 - len(str(total)))


def _key_pages(sheet: Worksheet, painter: PagePainter) -> int:
    high = 0.0
    for tables, sums, times in sheet.key_sample():
        high += _height(painter, tables) + times * _height(painter, sums)
    return ceil(high / HEIGHT)


def _height(painter: PagePainter, blocks: list[Block]) -> float:
    """The room that blocks take; a tall piece also what it leaves empty at the foot of a page."""
    heights = (strip.above + strip.height for strip in painter.strips(Part("", tuple(blocks))))
    return sum(HEIGHT / max(1, int(HEIGHT // height)) for height in heights)
