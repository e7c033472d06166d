"""Papers as PDF: A4, page by page, readable and to be written on in black and white."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import zip_longest

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.export.pdf import NewPage, need_application, pdf
from gui.export.worksheets.blocks import (
    MatrixTable,
    NameLines,
    Paper,
    PaperBlock,
    PaperTitle,
    SectionHeading,
    Sentence,
    StageFormula,
    TableGroup,
    WorkedSums,
)
from gui.export.worksheets.grids import INK, LINE, SOFT, Sizes, cut, measure, paint_grid
from gui.export.worksheets.sentences import BETWEEN, abreast, formula, text
from gui.export.worksheets.strips import LEFT, PAGE, WIDTH, Placed, Strip, pages
from gui.painting.text_layout import LEADING, MathRow, elided, line_width, paint_line, wrap
from gui.painting.theme import BODY, CAPTION, DISPLAY, LIGHT, TITLE, Colours, font
from gui.texts.rich_text import Line

ROOM = 150.0  # the least width in which one can work things out
DOT = 14.0  # between the dots of the paper that one works on
SUM_SIZE = 13.0
SIZES = SUM_SIZE, 11.0  # of a sum, and of the same with more digits below it
MOST_BELOW = 2  # rows with more digits
APART = 3.0  # between the lines of sums, beside their own room: results stand in boxes
INDENT = 16.0  # of a sum's second line

# Sums in black; results in a box, which stands out in print as colours do on a screen.
PRINT = Colours(
    **dict.fromkeys(
        ("text", "accent", "query", "key", "value", "weights", "warning", "error", "flash"), INK
    ),
    **dict.fromkeys(("window", "surface", "sunken", "accent_soft", "on_accent", "zero"), "#FFFFFF"),
    **dict.fromkeys(("muted", "ghost", "disabled", "line", "low", "high"), SOFT),
)


def write_pdf(
    title: str,
    parts: Iterable[Paper],
    decimals: int,
    colour: bool = False,
    on_page: Callable[[], None] = lambda: None,
) -> bytes:
    """All parts in one file, each beginning on a page of its own; `colour` keeps the colours of roles in sums.

    `on_page` is called for every page.
    """
    need_application()
    painter_of = PagePainter(decimals, LIGHT if colour else PRINT)

    def paint(painter: QPainter, new_page: NewPage) -> None:
        for number, part in enumerate(parts):
            if number:
                new_page()
            painter_of.part(painter, part, new_page, on_page)

    return pdf(title, PAGE, paint)


def first_page(part: Paper, decimals: int) -> Callable[[QPainter], None]:
    """What paints the first page of a part, PAGE in size, for a look at what it will be: laid out once."""
    laid = pages(PagePainter(decimals, PRINT).strips(part))
    return lambda painter: _paint_page(painter, part.name, laid, 0)


class PagePainter:
    """Turns blocks into strips and puts them on pages."""

    def __init__(self, decimals: int, theme: Colours) -> None:
        self._decimals, self._theme = decimals, theme
        self._ways: dict[type[PaperBlock], Callable[..., Iterator[Strip]]] = {
            PaperTitle: _title,
            NameLines: _blanks,
            SectionHeading: _heading,
            Sentence: text,
            StageFormula: formula,
            TableGroup: self._grids,
            WorkedSums: self._sums,
        }

    def part(
        self, painter: QPainter, part: Paper, new_page: NewPage, on_page: Callable[[], None]
    ) -> None:
        """One part, on as many pages as it needs."""
        laid = pages(self.strips(part))
        for number in range(len(laid)):
            if number:
                new_page()
            on_page()
            _paint_page(painter, part.name, laid, number)

    def strips(self, part: Paper) -> list[Strip]:
        """The pieces of a part, in their order."""
        strips: list[Strip] = []
        joined: list[Strip] = []
        for block, after in zip_longest(part.blocks, part.blocks[1:]):
            if joined:  # the table stands beside its formula already
                joined = []
                continue
            if isinstance(block, WorkedSums) and strips:
                strips[-1] = replace(
                    strips[-1], keep=True
                )  # a table is not parted from the sums behind it
            joined = self._abreast(block, after)
            strips += joined or self._ways[type(block)](block)
        return strips

    def _abreast(self, block: PaperBlock, after: PaperBlock | None) -> list[Strip]:
        """A formula and the pictures behind it in one strip, where half the width holds each."""
        if not (isinstance(block, StageFormula) and isinstance(after, TableGroup)) or any(
            g.kind != "colour" for g in after.tables
        ):
            return []
        row = [
            (grid, measure(grid, self._decimals, alone=len(after.tables) == 1))
            for grid in after.tables
        ]
        wide = sum(sizes.width for _, sizes in row) + BETWEEN * (len(row) - 1)
        strip = abreast(block, wide, self._row(row, room=False, first=True))
        return [] if strip is None else [strip]

    def _grids(self, block: TableGroup) -> Iterator[Strip]:
        """Rows of grids, as many side by side as fit."""
        row: list[tuple[MatrixTable, Sizes]] = []
        filled, first = 0.0, True
        for grid in (
            part
            for i, whole in enumerate(block.tables)
            for part in cut(whole, self._decimals, first=i == 0)
        ):
            sizes = measure(grid, self._decimals, alone=len(block.tables) == 1)
            if row and filled + BETWEEN + sizes.width > WIDTH:
                yield self._row(row, room=block.work_space, first=first)
                row, filled, first = [], 0.0, False
            filled += (BETWEEN if row else 0.0) + sizes.width
            row.append((grid, sizes))
        if row:
            yield self._row(row, room=block.work_space, first=first)

    def _row(self, row: list[tuple[MatrixTable, Sizes]], *, room: bool, first: bool) -> Strip:
        height = max(sizes.height for _, sizes in row)
        return Strip(
            height, partial(self._paint_row, tuple(row), room, height), 8.0 if first else 14.0
        )

    def _paint_row(
        self,
        row: tuple[tuple[MatrixTable, Sizes], ...],
        room: bool,
        height: float,
        painter: QPainter,
        x: float,
        y: float,
    ) -> None:
        right = x + WIDTH
        for grid, sizes in row:
            paint_grid(painter, x, y, grid, sizes, self._decimals)
            x += sizes.width + BETWEEN
        if room and right - x >= ROOM:
            _paint_room(painter, QRectF(x, y + 38, right - x, height - 38))

    def _sums(self, block: WorkedSums) -> Iterator[Strip]:
        """As many sums side by side as the longest of them allows; longer ones are broken before signs."""
        if block.title:
            yield _one_line(block.title, font(CAPTION, bold=True), SOFT, 8.0, keep=True)
        widest = (
            max(
                line_width(line, size)
                for pair in block.pairs
                for line, size in zip(pair, SIZES, strict=True)
            )
            + INDENT
        )
        across = max(1, min(3, int((WIDTH + BETWEEN) // (widest + BETWEEN))))
        for start in range(0, len(block.lines), across):
            yield self._sum_row(
                block.pairs[start : start + across], across, 6.0 if start == 0 else 0.0
            )

    def _sum_row(self, pairs: tuple[tuple[Line, Line], ...], across: int, above: float) -> Strip:
        column = (WIDTH - BETWEEN * (across - 1)) / across
        broken = tuple(_broken(pair, column - INDENT) for pair in pairs)
        step = SUM_SIZE * LEADING + APART
        height = max(len(rows) for rows in broken) * step

        def paint(painter: QPainter, x: float, y: float) -> None:
            for place, rows in enumerate(broken):
                for number, (row, size) in enumerate(rows):
                    left = x + place * (column + BETWEEN) + (INDENT if number else 0.0)
                    paint_line(
                        painter, left, y + number * step + step * 0.72, row.spans, size, self._theme
                    )

        return Strip(height, paint, above)


def _broken(pair: tuple[Line, Line], width: float) -> list[tuple[MathRow, float]]:
    """The rows of a sum, and those with more digits below it where they are few."""
    rows, below = (wrap(line, size, width) for line, size in zip(pair, SIZES, strict=True))
    more = below if len(below) <= MOST_BELOW else ()
    return [(row, size) for part, size in zip((rows, more), SIZES, strict=True) for row in part]


def _paint_page(painter: QPainter, name: str, laid: list[list[Placed]], number: int) -> None:
    for placed in laid[number]:
        placed.strip.paint(painter, LEFT, placed.y)
    _foot(painter, name, f"{number + 1} / {len(laid)}")


def _title(block: PaperTitle) -> Iterator[Strip]:
    yield _one_line(block.text, font(DISPLAY, bold=True), INK, 0.0, keep=True)
    if block.detail:
        yield _one_line(block.detail, font(BODY), SOFT, 2.0, keep=True)


def _blanks(block: NameLines) -> Iterator[Strip]:
    def paint(painter: QPainter, x: float, y: float) -> None:
        face = QFontMetricsF(font(BODY))
        shares = (0.5, 0.25, 0.25)
        for label, share in zip(block.labels, shares, strict=True):
            painter.setFont(font(BODY))
            painter.setPen(QColor(INK))
            painter.drawText(QPointF(x, y + 26), label)
            start = x + face.horizontalAdvance(label) + 8
            painter.setPen(QPen(QColor(LINE), 0.8))
            painter.drawLine(QPointF(start, y + 29), QPointF(x + WIDTH * share - 18, y + 29))
            x += WIDTH * share + (18.0 / 2 if share == shares[-1] else 0.0)

    yield Strip(38.0, paint, 6.0, keep=True)


def _heading(block: SectionHeading) -> Iterator[Strip]:
    def paint(painter: QPainter, x: float, y: float) -> None:
        face = font(TITLE, bold=True)
        painter.setPen(QPen(QColor(LINE), 0.6))
        painter.drawLine(QPointF(x, y), QPointF(x + WIDTH, y))
        painter.setFont(face)
        painter.setPen(QColor(INK))
        painter.drawText(QPointF(x, y + 26), block.text)
        after = x + QFontMetricsF(face).horizontalAdvance(block.text) + 14
        painter.setFont(font(BODY))
        painter.setPen(QColor(SOFT))
        painter.drawText(
            QPointF(after, y + 26), elided(block.detail, font(BODY), LEFT + WIDTH - after)
        )

    yield Strip(34.0, paint, 22.0, keep=True)


def _one_line(text: str, face: QFont, colour: str, above: float, *, keep: bool) -> Strip:
    metrics = QFontMetricsF(face)

    def paint(painter: QPainter, x: float, y: float) -> None:
        painter.setFont(face)
        painter.setPen(QColor(colour))
        painter.drawText(QPointF(x, y + metrics.ascent()), elided(text, face, WIDTH))

    return Strip(metrics.height(), paint, above, keep)


def _paint_room(painter: QPainter, rect: QRectF) -> None:
    """Dotted paper to work on."""
    painter.setPen(QPen(QColor("#B8B8B8"), 1.1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    for i in range(int(rect.height() // DOT) + 1):
        for j in range(int(rect.width() // DOT) + 1):
            painter.drawPoint(QPointF(rect.x() + j * DOT, rect.y() + i * DOT))


def _foot(painter: QPainter, name: str, page: str) -> None:
    """What one holds in one's hands, and the page, at the foot of each page."""
    y = PAGE[1] - 34
    face = font(CAPTION)
    painter.setFont(face)
    painter.setPen(QColor(SOFT))
    painter.drawText(QPointF(LEFT, y), elided(name, face, WIDTH - 80))
    painter.drawText(QPointF(LEFT + WIDTH - QFontMetricsF(face).horizontalAdvance(page), y), page)
