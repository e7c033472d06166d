"""Papers as PDF on A4: their markup is laid out by QTextDocument, and pages are filled here.

QTextDocument itself cannot keep a heading with the following block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QTextCursor,
    QTextDocument,
)

from gui.export.paint_devices import NewPage, need_application, pdf_bytes
from gui.export.worksheets.blocks import (
    MatrixTable,
    NameLines,
    Paper,
    PaperBlock,
    PaperTitle,
    SectionHeading,
    Sentence,
    SideBySide,
    StageFormula,
    TableGroup,
    WorkedSums,
)
from gui.export.worksheets.matrix_drawing import (
    HEIGHT,
    INK,
    LEFT,
    PAGE,
    SOFT,
    TOP,
    WIDTH,
    split_table,
)
from gui.export.worksheets.print_markup import (
    GAP,
    INDENT,
    LEAST_SPACE,
    MORE_DIGITS_SIZE,
    SUM_SIZE,
    PrintMarkup,
)
from gui.painting.shapes import write
from gui.painting.text_layout import elide, line_width, wrap
from gui.painting.text_size import saved
from gui.painting.theme import CAPTION, LIGHT, Colours, font
from gui.texts.rich_text import Line

MOST_BELOW = 2  # rows of a sum with more digits; a longer one is left out
BOX_ABOVE = 2.0  # what the box of a result extends above its row
BESIDE_FORMULA = 0.6  # of the width, for the sentences beside a formula


# Black and white. Results stand out by their boxes.
PRINT = Colours(
    **dict.fromkeys(
        ("text", "accent", "query", "key", "value", "weights", "warning", "error", "flash"), INK
    ),
    **dict.fromkeys(("window", "surface", "sunken", "accent_soft", "on_accent", "zero"), "#FFFFFF"),
    **dict.fromkeys(("muted", "ghost", "disabled", "line", "low", "high"), SOFT),
)


_ABOVE = {PaperTitle: 0.0, NameLines: 18.0, SectionHeading: 14.0, Sentence: 3.0}


@dataclass(frozen=True, slots=True)
class PagePiece:
    """Documents side by side, never split between pages; or a slice of one document from `top`.

    `columns` are documents with their x in pixels; `above` is space, left out at the top of a page;
    `keep` keeps the piece on the page of the next one.
    """

    columns: tuple[tuple[float, QTextDocument], ...]
    height: float
    above: float = 0.0
    keep: bool = False
    top: float = 0.0

    def paint(self, painter: QPainter, y: float) -> None:
        """Draw the documents, or their slice, at a height of the page."""
        for x, document in self.columns:
            with saved(painter):
                painter.translate(x, y - self.top)
                above = min(self.top, BOX_ABOVE)
                clip = QRectF(0, self.top - above, document.size().width(), self.height + above)
                document.drawContents(
                    painter, clip if self.height < document.size().height() else QRectF()
                )


def _side_by_side(
    columns: Iterable[tuple[float, QTextDocument]], above: float, *, keep: bool = False
) -> PagePiece:
    placed = tuple(columns)
    return PagePiece(placed, max(document.size().height() for _, document in placed), above, keep)


def fill_pages(
    pieces: Iterable[PagePiece], scale: float = 1.0
) -> list[list[tuple[float, PagePiece]]]:
    """The pieces of each page with their y below the margin; kept pieces share a page if possible."""
    most = HEIGHT / scale
    pages: list[list[tuple[float, PagePiece]]] = [[]]
    y = 0.0
    for group in _kept_together(pieces):
        if pages[-1] and y + sum(piece.above + piece.height for piece in group) > most:
            pages.append([])
        for piece in group:
            if pages[-1] and y + piece.above + piece.height > most:
                pages.append([])
            y = y + piece.above if pages[-1] else 0.0
            pages[-1].append((y, piece))
            y += piece.height
    return pages


def _kept_together(pieces: Iterable[PagePiece]) -> Iterator[list[PagePiece]]:
    group: list[PagePiece] = []
    for piece in pieces:
        group.append(piece)
        if not piece.keep:
            yield group
            group = []
    if group:
        yield group


class PaperLayout:
    """Turns the blocks of papers of one scale into pieces and fills pages with them."""

    def __init__(self, decimals: int, theme: Colours = PRINT, scale: float = 1.0) -> None:
        self._decimals, self._scale = decimals, scale
        self._width = WIDTH / scale
        self._half = (self._width - GAP) / 2
        self._markup = PrintMarkup(decimals, theme, self._width)

    def pages(self, paper: Paper) -> list[list[tuple[float, PagePiece]]]:
        """The pages of a paper."""
        return fill_pages(self.pieces(paper), self._scale)

    def pieces(self, paper: Paper) -> list[PagePiece]:
        """The pieces of a paper in order."""
        pieces: list[PagePiece] = []
        blocks = list(paper.blocks)
        block: PaperBlock | None = None
        while blocks:
            before, block = block, blocks.pop(0)
            if isinstance(block, WorkedSums) and isinstance(before, TableGroup):
                pieces[-1] = replace(pieces[-1], keep=True)
            following = blocks[0] if blocks else None
            if isinstance(block, StageFormula) and isinstance(following, TableGroup):
                piece = self._formula_beside_tables(block, following)
                if piece is not None:
                    pieces.append(piece)
                    del blocks[0]
                    continue
            pieces += self._block(block)
        return pieces

    def _block(self, block: PaperBlock) -> Iterable[PagePiece]:
        layouts: dict[type, Callable[[Any], Iterable[PagePiece]]] = {
            StageFormula: self._formula,
            TableGroup: self.table_rows,
            WorkedSums: self._sums,
            SideBySide: self._sections,
        }
        if type(block) in layouts:
            return layouts[type(block)](block)
        return [self._full_width(self._markup.text_block(block), _ABOVE[type(block)])]

    def _full_width(self, html: str, above: float) -> PagePiece:
        return _side_by_side([(0.0, self._markup.document(html, self._width))], above, keep=True)

    def _formula(self, block: StageFormula) -> Iterable[PagePiece]:
        """A formula beside its sentences, or below if it is too wide."""
        markup = self._markup
        width = self._width * BESIDE_FORMULA
        formula = markup.document(markup.formula(block.latex))
        if formula.size().width() > self._width - width - GAP:
            return [self._full_width(markup.with_formula(block), 3.0)]
        words = markup.document(markup.sentences(block), width)
        return [_side_by_side([(0.0, words), (width + GAP, formula)], 3.0, keep=True)]

    def _formula_beside_tables(self, block: StageFormula, group: TableGroup) -> PagePiece | None:
        """Sentences and formula left, coloured tables right; None if too wide."""
        if any(table.kind != "colour" for table in group.tables):
            return None
        words = self._markup.document(self._markup.with_formula(block), self._half)
        tables = [self._matrix(table, alone=len(group.tables) == 1) for table in group.tables]
        row = list(self._placed(tables, self._half + GAP))
        x, last = row[-1]
        if words.idealWidth() > self._half or x + last.size().width() > self._width:
            return None
        return _side_by_side([(0.0, words), *row], 8.0)

    def _sections(self, block: SideBySide) -> Iterable[PagePiece]:
        """Two sections side by side; one after the other if a table is too wide."""
        halves = [self._section(part) for part in (block.left, block.right)]
        if any(half.idealWidth() > self._half for half in halves):
            return self.pieces(Paper("", (*block.left, *block.right)))
        columns = zip((0.0, self._half + GAP), halves, strict=True)
        return [_side_by_side(columns, _ABOVE[SectionHeading])]

    def _section(self, blocks: Iterable[PaperBlock]) -> QTextDocument:
        """A heading, a formula and tables in half the width."""
        markup = self._markup
        writers: dict[type, Callable[[Any], str]] = {
            StageFormula: markup.with_formula,
            TableGroup: lambda group: markup.row(group.tables),
        }
        html = (writers.get(type(block), markup.text_block)(block) for block in blocks)
        return markup.document("".join(html), self._half)

    def _matrix(self, table: MatrixTable, *, alone: bool) -> QTextDocument:
        return self._markup.document(self._markup.matrix(table, alone=alone))

    def _placed(
        self, documents: Iterable[QTextDocument], x: float = 0.0
    ) -> Iterator[tuple[float, QTextDocument]]:
        for document in documents:
            yield x, document
            x += document.size().width() + GAP

    def table_rows(self, group: TableGroup) -> Iterator[PagePiece]:
        """Rows of tables, as many side by side as fit."""
        alone = len(group.tables) == 1
        row: list[QTextDocument] = []
        filled, above = 0.0, 8.0
        for index, whole in enumerate(group.tables):
            for table in split_table(whole, self._decimals, first=index == 0, scale=self._scale):
                document = self._matrix(table, alone=alone)
                if row and filled + document.size().width() > self._width:
                    yield self._table_row(row, group, above)
                    row, filled, above = [], 0.0, 8.0
                row.append(document)
                filled += document.size().width() + GAP
        if row:
            yield self._table_row(row, group, above)

    def _table_row(self, row: list[QTextDocument], group: TableGroup, above: float) -> PagePiece:
        """Tables side by side, and space to calculate if there is room."""
        columns = list(self._placed(row))
        x, last = columns[-1]
        rest = self._width - x - last.size().width() - GAP
        piece = _side_by_side(columns, above)
        if not group.work_space or rest < LEAST_SPACE:
            return piece
        dots = self._markup.document(self._markup.work_space(rest, piece.height - 4))
        return replace(piece, columns=(*columns, (self._width - rest, dots)))

    def _sums(self, block: WorkedSums) -> Iterator[PagePiece]:
        """Sums in as many columns as the longest allows: one document, sliced into rows."""
        if block.title:
            title = f'<p class="muted"><b>{escape(block.title)}</b></p>'
            yield self._full_width(title, 8.0)
        widest = INDENT + max(
            line_width(line, size)
            for pair in block.pairs
            for line, size in zip(pair, (SUM_SIZE, MORE_DIGITS_SIZE), strict=True)
        )
        whole = self._width + GAP
        across = max(1, min(3, int(whole // (widest + GAP))))
        column = whole / across - GAP - INDENT
        cells = [
            f'<td width="{100 / across:.3f}%">{self._markup.sum_pair(_shortened(pair, column))}</td>'
            for pair in block.pairs
        ]
        rows = ["".join(cells[start : start + across]) for start in range(0, len(cells), across)]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        html = f'<table class="sums" width="100%" cellspacing="0">{body}</table>'
        document = self._markup.document(html, whole)
        tops = [*_row_tops(document, len(rows)), document.size().height()]
        for index, (top, bottom) in enumerate(pairwise(tops)):
            yield PagePiece(((0.0, document),), bottom - top, 0.0 if index else 4.0, top=top)


def _shortened(pair: tuple[Line, Line], width: float) -> tuple[Line, Line]:
    """The pair without its line of more digits if that needs too many rows."""
    line, more_digits = pair
    few = len(wrap(more_digits, MORE_DIGITS_SIZE, width)) <= MOST_BELOW
    return line, more_digits if few else ()


def _row_tops(document: QTextDocument, count: int) -> Iterator[float]:
    """The y of the rows of the table in a document."""
    table = QTextCursor(document.begin().next()).currentTable()
    layout = document.documentLayout()
    for row in range(count):
        block = table.cellAt(row, 0).firstCursorPosition().block()
        yield layout.blockBoundingRect(block).top()


def write_pdf(
    title: str,
    papers: Iterable[Paper],
    decimals: int,
    colour: bool = False,
    on_page: Callable[[], None] = lambda: None,
) -> bytes:
    """All papers in one PDF; `on_page` is called for every page.

    `colour` keeps role colours in sums.
    """
    need_application()
    theme = LIGHT if colour else PRINT

    def paint(painter: QPainter, new_page: NewPage) -> None:
        for count, paper in enumerate(papers):
            pages = PaperLayout(decimals, theme, paper.scale).pages(paper)
            for number in range(len(pages)):
                if count or number:
                    new_page()
                on_page()
                _paint_page(painter, paper, pages, number)

    return pdf_bytes(title, PAGE, paint)


def first_page(paper: Paper, decimals: int) -> Callable[[QPainter], None]:
    """A painter of a paper's first page, PAGE in size."""
    pages = PaperLayout(decimals, scale=paper.scale).pages(paper)
    return lambda painter: _paint_page(painter, paper, pages, 0)


def _paint_page(
    painter: QPainter, paper: Paper, pages: list[list[tuple[float, PagePiece]]], number: int
) -> None:
    with saved(painter):
        painter.translate(LEFT, TOP)
        painter.scale(paper.scale, paper.scale)
        for y, piece in pages[number]:
            piece.paint(painter, y)
    y, face, page = PAGE[1] - 34, font(CAPTION), f"{number + 1} / {len(pages)}"
    write(painter, QPointF(LEFT, y), elide(paper.name, face, WIDTH - 80), face, SOFT)
    right = LEFT + WIDTH - QFontMetricsF(face).horizontalAdvance(page)
    write(painter, QPointF(right, y), page, face, SOFT)
