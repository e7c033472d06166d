"""About how many pages worksheets and their keys fill, told before they are written."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from core.document.document import Document
from gui.export.pdf import need_application
from gui.export.worksheets.blocks import Block, Part
from gui.export.worksheets.options import Options
from gui.export.worksheets.paper import PRINT, PagePainter
from gui.export.worksheets.strips import HEIGHT, Strip, pages
from gui.export.worksheets.worksheet import Worksheet
from gui.texts.translation import spoken

MANY = 200  # pages that nobody prints without having been asked


class Counting:
    """Pages of all sheets and keys in all languages, as PDF: the questions laid out, the key guessed from one row each.
    Counted bit by bit, so that a window does other things meanwhile."""

    def __init__(self, document: Document, options: Options) -> None:
        need_application()
        self.options = options
        self._pieces = _pieces(document, options)

    def step(self) -> int | None:
        """A piece of the work; at last the count, beyond a hundred rounded to two digits.

        Raises UserError "worksheet.too_large" (size, limit).
        """
        with spoken(self.options.languages[0]):
            each = next(self._pieces)
        if each is None:
            return None
        total = each * self.options.sheets * len(self.options.languages)
        return total if total < 100 else round(total, 2 - len(str(total)))


def page_count(document: Document, options: Options) -> int:
    """What `Counting` comes to. Raises UserError as its steps do."""
    counting = Counting(document, options)
    while (found := counting.step()) is None:
        pass
    return found


def _pieces(document: Document, options: Options) -> Iterator[int | None]:
    """Nothing after each piece of the work, then the pages of one sheet and its key in one language."""
    sheet = Worksheet(document, options, 0)
    painter = PagePainter(options.decimals, PRINT)
    strips: list[Strip] = []
    for block in sheet.question_blocks():
        yield None
        strips += painter.strips(Part("", (block,)))
        yield None
    each, high = len(pages(strips)), 0.0
    for sample in sheet.key_sample() if options.key != "none" else ():
        if sample is not None:
            tables, sums, times = sample
            high += _height(painter, tables)
            yield None
            high += times * _height(painter, sums)
        yield None
    yield each + ceil(high / HEIGHT)


def _height(painter: PagePainter, blocks: list[Block]) -> float:
    """The room that blocks take; a tall piece also what it leaves empty at the foot of a page."""
    heights = (strip.above + strip.height for strip in painter.strips(Part("", tuple(blocks))))
    return sum(HEIGHT / max(1, int(HEIGHT // height)) for height in heights)
