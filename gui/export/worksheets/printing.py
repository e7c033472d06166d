"""Papers as PDF: QTextDocuments made of the papers' markup, laid out on A4 pages in black and white.

QTextDocument can keep no paragraph with the next one, so pages are filled here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from itertools import pairwise
from math import ceil

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPen,
    QPyTextObject,
    QTextCursor,
    QTextDocument,
    QTextFormat,
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
    StageFormula,
    TableGroup,
    WorkedSums,
)
from gui.export.worksheets.markup import Markup, role_styles
from gui.painting.color_scale import levels_of
from gui.painting.formulas import formula_size, paint_formula
from gui.painting.matrix import Frame, MatrixSpec, paint_matrix
from gui.painting.text_layout import elided, line_width, paint_line, wrap
from gui.painting.theme import BODY, CAPTION, DISPLAY, LIGHT, TITLE, Colours, font
from gui.texts.rich_text import Line, Span

# A4 at 96 pixels an inch, with margins that every printer leaves free.
PAGE = (793.7, 1122.5)
LEFT, TOP, BOTTOM = 60.0, 52.0, 64.0
WIDTH = PAGE[0] - 2 * LEFT
HEIGHT = PAGE[1] - TOP - BOTTOM
GAP = 26.0  # between columns
HALF = (WIDTH - GAP) / 2

FORMULA_SIZE = 14.0
SUM_SIZE, MORE_DIGITS_SIZE = 13.0, 11.0
MOST_BELOW = 2  # rows of a sum with more digits; a longer one is left out
INDENT = 16.0  # of a sum's further rows
BESIDE_FORMULA = 0.6  # of the width, for the sentences beside a formula

NAME, LABEL = 20.0, 18.0  # heights of a matrix's name and of its column labels
TAIL_GAP = 6.0  # before a row or column that is set apart
BLANK_HEIGHT, CELL_HEIGHT = 36.0, 24.0
LONGEST_LABEL, LONGEST_COLUMN_LABEL = 96.0, 58.0
TALLEST, TALLEST_FIRST = 0.9, 0.7  # of a page; a title and a formula precede the first table
MOST_ROWS = 30  # of coloured cells with digits
ALONE, TOGETHER = 420.0, 186.0  # sides of a matrix that is shown by its colours alone
SHARPNESS = 3.0  # printed dots in a pixel, for matrices painted as images
LEAST_SPACE, DOT_GAP = 150.0, 14.0  # least width of the work space; between its dots

INK, SOFT, LINE, PALE = "#000000", "#4A4A4A", "#6E6E6E", "#EFEFEF"
# Black and white. Results stand out by their boxes.
PRINT = Colours(
    **dict.fromkeys(
        ("text", "accent", "query", "key", "value", "weights", "warning", "error", "flash"), INK
    ),
    **dict.fromkeys(("window", "surface", "sunken", "accent_soft", "on_accent", "zero"), "#FFFFFF"),
    **dict.fromkeys(("muted", "ghost", "disabled", "line", "low", "high"), SOFT),
)

_STYLE = f"""
body, td {{ color: {INK}; }}
h1 {{ font-size: {DISPLAY}px; margin: 0; }}
h2 {{ font-size: {TITLE}px; margin: 0; }}
h2 .detail {{ font-size: {BODY}px; }}
p {{ margin: 0 0 2px 0; }}
.detail {{ font-weight: normal; color: {SOFT}; }}
.name .detail {{ font-size: {CAPTION}px; }}
.muted {{ font-size: {CAPTION}px; font-weight: normal; color: {SOFT}; }}
sub, sup {{ font-size: 14px; }}
hr {{ background-color: {LINE}; }}
.formula {{ margin-top: 6px; }}
.name {{ font-weight: bold; margin: 0 0 3px 0; }}
.line {{ border-bottom: 1px solid {LINE}; }}
.sum {{ margin: 0 0 0 {INDENT}px; text-indent: -{INDENT}px; line-height: 150%; }}
.closer {{ margin: 0 0 0 {INDENT}px; font-size: {MORE_DIGITS_SIZE}px; line-height: 150%; }}
.sums td {{ padding: 0 {GAP}px 0 0; }}
"""

Paint = Callable[[QPainter, QRectF], None]


class _Drawings(QPyTextObject):
    """Draws the images of documents with painters: formulas, boxed results, coloured matrices."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, tuple[QSizeF, Paint]] = {}

    def image(self, name: str, size: QSizeF, paint: Paint) -> str:
        """The markup of a drawing; equal names stand for equal drawings."""
        self.known.setdefault(name, (size, paint))
        return f'<img src="{escape(name, quote=True)}">'

    def intrinsicSize(self, document: QTextDocument, place: int, style: QTextFormat) -> QSizeF:
        """The size of a drawing in pixels."""
        return self.known[style.toImageFormat().name()][0]

    def drawObject(
        self,
        painter: QPainter,
        rect: QRectF | QRect,
        document: QTextDocument,
        place: int,
        style: QTextFormat,
    ) -> None:
        """Draw into the place that the text leaves."""
        painter.save()
        self.known[style.toImageFormat().name()][1](painter, QRectF(rect))
        painter.restore()


class PrintMarkup(Markup):
    """HTML for QTextDocument; what it cannot show is drawn: formulas, boxed results, matrices."""

    def __init__(self, decimals: int, theme: Colours) -> None:
        self._decimals, self._theme = decimals, theme
        self._drawings = _Drawings()
        self._style = _STYLE + role_styles(theme)

    def document(self, html: str, width: float | None = None) -> QTextDocument:
        """Lay out some markup, in a width or as wide as it is."""
        document = QTextDocument()
        document.setDocumentMargin(0)
        document.setDefaultFont(font(BODY))
        document.setDefaultStyleSheet(self._style)
        document.documentLayout().registerHandler(
            QTextFormat.ObjectTypes.ImageObject.value, self._drawings
        )
        document.setHtml(html)
        document.setTextWidth(document.idealWidth() if width is None else width)
        return document

    def heading(self, block: SectionHeading) -> str:
        """The heading below a line."""
        return f"<hr>{super().heading(block)}"

    def detail(self, text: str) -> str:
        """What stands beside a heading or a name; Qt would make <small> too small."""
        return f'<span class="detail">&nbsp; {escape(text)}</span>'

    def name_lines(self, block: NameLines) -> str:
        """Labels with lines to write on."""
        cells = "".join(
            f'<td>{escape(label)}&nbsp;&nbsp;</td><td class="line" width="{width}%"></td><td> </td>'
            for label, width in zip(block.labels, (38, 17, 17), strict=True)
        )
        return f'<table width="100%"><tr>{cells}</tr></table>'

    def with_formula(self, block: StageFormula) -> str:
        """Sentences with their formula below."""
        return f'{self.sentences(block)}<p class="formula">{self.formula(block.latex)}</p>'

    def formula(self, latex: str) -> str:
        """A typeset formula, at most as wide as the page."""
        size = formula_size(latex, INK, FORMULA_SIZE)
        size *= min(1.0, WIDTH / size.width())
        return self._drawings.image(latex, size, partial(_paint_formula, latex))

    def span(self, span: Span) -> str:
        """One piece of a sum; a result is boxed."""
        if span.role != "result":
            return super().span(span)
        width = line_width((span,), SUM_SIZE)

        def paint(painter: QPainter, rect: QRectF) -> None:
            paint_line(painter, rect.x(), rect.bottom(), (span,), SUM_SIZE, self._theme)

        return self._drawings.image(f"={span.text}", QSizeF(width, SUM_SIZE), paint)

    def matrix(self, table: MatrixTable, *, alone: bool) -> str:
        """The name of a matrix, and a drawing of its labels and cells."""
        drawing = matrix_drawing(table, self._decimals, alone=alone)
        image = self._drawings.image(f"#{len(self._drawings.known)}", drawing.size, drawing.paint)
        return f'<p class="name">{self.name(table)}</p><p>{image}</p>'

    def work_space(self, width: float, height: float) -> str:
        """Dotted paper to work things out on."""
        size = QSizeF(width, height)
        return self._drawings.image(f"dots {width} {height}", size, _paint_dots)


def _paint_formula(latex: str, painter: QPainter, rect: QRectF) -> None:
    painter.setPen(Qt.PenStyle.NoPen)  # a pen would outline the letters
    paint_formula(painter, rect, latex, INK, FORMULA_SIZE)


def _paint_dots(painter: QPainter, rect: QRectF) -> None:
    painter.setPen(QPen(QColor("#B8B8B8"), 1.1, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    rect = rect.adjusted(0, NAME + LABEL, 0, 0)  # beside the cells
    for i in range(int(rect.height() // DOT_GAP) + 1):
        for j in range(int(rect.width() // DOT_GAP) + 1):
            painter.drawPoint(QPointF(rect.x() + j * DOT_GAP, rect.y() + i * DOT_GAP))


@dataclass(frozen=True, slots=True)
class MatrixDrawing:
    """A labelled matrix on paper: widths of the row labels and of a cell, whether digits are shown."""

    table: MatrixTable
    decimals: int
    label: float
    width: float
    height: float
    digits: bool = True

    @property
    def size(self) -> QSizeF:
        """Width and height in pixels."""
        table = self.table
        width = self.label + len(table.columns) * self.width
        height = LABEL + len(table.rows) * self.height
        tail = TAIL_GAP if table.tail else 0.0
        return QSizeF(width + tail, height) if table.tail != "row" else QSizeF(width, height + tail)

    def paint(self, painter: QPainter, rect: QRectF) -> None:
        """Draw labels and cells from the upper left corner of a rectangle."""
        painter.translate(rect.topLeft())
        self._paint_labels(painter)
        if self.table.values is not None:
            self._paint_colours(painter)
            return
        for i in range(len(self.table.rows)):
            for j in range(len(self.table.columns)):
                self._paint_cell(painter, i, j)

    def _cell(self, i: int, j: int) -> QRectF:
        """The place of a cell; the last row or column may be set apart."""
        table = self.table
        right = TAIL_GAP if table.tail == "column" and j == len(table.columns) - 1 else 0.0
        down = TAIL_GAP if table.tail == "row" and i == len(table.rows) - 1 else 0.0
        x, y = self.label + j * self.width + right, LABEL + i * self.height + down
        return QRectF(x, y, self.width, self.height)

    def _paint_labels(self, painter: QPainter) -> None:
        """Labels above and to the left; every few of them where cells are small."""
        table, face = self.table, font(CAPTION)
        painter.setFont(face)
        painter.setPen(QColor(SOFT))
        longest = min(_longest(table.columns, CAPTION) + 4, LONGEST_COLUMN_LABEL)
        every = 1 if self.digits else ceil(longest / self.width)
        align = Qt.AlignmentFlag.AlignCenter if every == 1 else Qt.AlignmentFlag.AlignVCenter
        for j in range(0, len(table.columns), every):
            place = QRectF(self._cell(0, j).x(), 0.0, self.width * every, LABEL)
            painter.drawText(place, align, elided(table.columns[j], face, place.width() - 2))
        align = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for i in range(0, len(table.rows), ceil(14.0 / self.height)):
            y, height = self._cell(i, 0).y() - 3, max(self.height, 14.0) + 6
            place = QRectF(0.0, y, self.label - 6, height)
            painter.drawText(place, align, elided(table.rows[i], face, place.width()))

    def _paint_cell(self, painter: QPainter, i: int, j: int) -> None:
        """A cell to fill in, or a printed number; what is given is grey."""
        cell = self._cell(i, j)
        given = self.table.kind == "given" or (i, j) in self.table.pinned
        painter.setPen(QPen(QColor(LINE), 0.8))
        painter.setBrush(QColor(PALE) if given else Qt.BrushStyle.NoBrush)
        painter.drawRect(cell)
        painter.setFont(font(BODY))
        painter.setPen(QColor(INK))
        painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, self.table.cells[i][j])

    def _paint_colours(self, painter: QPainter) -> None:
        """Cells in the colours of their values, as the window shows them in the light theme."""
        table = self.table
        assert table.values is not None
        assert table.scale_values is not None
        frames: tuple[Frame, ...] = ()
        if table.focus is not None:
            row, column = table.focus
            frames = (Frame((row, row + 1), (column, column + 1), LIGHT.accent),)
        spec = MatrixSpec(
            table.values,
            levels_of(table.scale_values, table.stage),
            self.decimals,
            frames=frames,
            pinned=table.pinned,
            digits=BODY * SHARPNESS if self.digits else None,
        )
        area = self._cell(0, 0).united(self._cell(len(table.rows) - 1, len(table.columns) - 1))
        paint_matrix(painter, area, spec, LIGHT, SHARPNESS)


def _longest(texts: Iterable[str], pixels: int) -> float:
    """The width of the widest text."""
    face = QFontMetricsF(font(pixels))
    return max(map(face.horizontalAdvance, texts))


def matrix_drawing(table: MatrixTable, decimals: int, *, alone: bool = True) -> MatrixDrawing:
    """Measure a matrix: cells for handwriting, for its longest number, or for colours alone.

    Colours without digits are larger where the matrix is `alone`.
    """
    label = min(LONGEST_LABEL, _longest(table.rows, CAPTION) + 8) if any(table.rows) else 0.0
    rows, columns = len(table.rows), len(table.columns)
    if table.cells:
        width = min(_longest(table.columns, CAPTION), LONGEST_COLUMN_LABEL) + 6
        if table.kind == "blank":
            width = max(36.0 + 10.0 * decimals, width)
            return MatrixDrawing(table, decimals, label, width, BLANK_HEIGHT)
        number = _longest((text for row in table.cells for text in row), BODY)
        width = max(number + 14, 34.0, width)
        if table.kind != "colour" or (columns * width <= WIDTH - label and rows <= MOST_ROWS):
            return MatrixDrawing(table, decimals, label, width, CELL_HEIGHT)
    side = ALONE if alone else TOGETHER
    square = min(side / max(rows, columns), 24.0)
    width, height = max(square, min(side / columns, 8.0)), max(square, min(side / rows, 8.0))
    return MatrixDrawing(table, decimals, label, width, height, digits=False)


def split_table(table: MatrixTable, decimals: int, *, first: bool = False) -> list[MatrixTable]:
    """The parts of a table that fit a page each; colours are drawn smaller instead."""
    if table.kind == "colour":
        return [table]
    drawing = matrix_drawing(table, decimals)
    most_columns = max(1, int((WIDTH - drawing.label - TAIL_GAP) // drawing.width))
    height = HEIGHT * (TALLEST_FIRST if first else TALLEST) - NAME - LABEL - TAIL_GAP
    most_rows = max(1, int(height // drawing.height))
    count = len(table.rows)
    return table.split(ceil(count / ceil(count / most_rows)), most_columns)


@dataclass(frozen=True, slots=True)
class Piece:
    """Documents side by side that no page break parts; of one document perhaps a slice from `top`.

    `columns` are the documents with their x in pixels; `above` is the space that is left out at
    the top of a page; `keep` binds the piece to the next one.
    """

    columns: tuple[tuple[float, QTextDocument], ...]
    height: float
    above: float = 0.0
    keep: bool = False
    top: float = 0.0

    def paint(self, painter: QPainter, y: float) -> None:
        """Draw the documents, or their slice, at a height of the page."""
        for x, document in self.columns:
            painter.save()
            painter.translate(LEFT + x, y - self.top)
            clip = QRectF(0, self.top, WIDTH, self.height)
            document.drawContents(
                painter, clip if self.height < document.size().height() else QRectF()
            )
            painter.restore()


def _side_by_side(
    columns: Iterable[tuple[float, QTextDocument]], above: float, *, keep: bool = False
) -> Piece:
    placed = tuple(columns)
    return Piece(placed, max(document.size().height() for _, document in placed), above, keep)


def fill_pages(pieces: Iterable[Piece]) -> list[list[tuple[float, Piece]]]:
    """The pieces of each page with their y; those that are kept together share a page if they fit."""
    pages: list[list[tuple[float, Piece]]] = [[]]
    y = 0.0
    for group in _kept_together(pieces):
        if pages[-1] and y + sum(piece.above + piece.height for piece in group) > HEIGHT:
            pages.append([])
        for piece in group:
            if pages[-1] and y + piece.above + piece.height > HEIGHT:
                pages.append([])
            y = y + piece.above if pages[-1] else 0.0
            pages[-1].append((TOP + y, piece))
            y += piece.height
    return pages


def _kept_together(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    group: list[Piece] = []
    for piece in pieces:
        group.append(piece)
        if not piece.keep:
            yield group
            group = []
    if group:
        yield group


class PageLayout:
    """Lays out papers: turns their blocks into pieces and fills pages with them."""

    def __init__(self, decimals: int, theme: Colours = PRINT) -> None:
        self._decimals = decimals
        self._markup = PrintMarkup(decimals, theme)

    def pages(self, paper: Paper) -> list[list[tuple[float, Piece]]]:
        """The pages of a paper."""
        return fill_pages(self.pieces(paper))

    def pieces(self, paper: Paper) -> list[Piece]:
        """The pieces of a paper in their order."""
        pieces: list[Piece] = []
        blocks = list(paper.blocks)
        while blocks:
            block = blocks.pop(0)
            if isinstance(block, WorkedSums) and pieces:  # they belong to the table before them
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

    def _block(self, block: PaperBlock) -> Iterable[Piece]:
        markup = self._markup
        match block:
            case PaperTitle():
                return [self._full_width(markup.title(block), 0.0)]
            case NameLines():
                return [self._full_width(markup.name_lines(block), 18.0)]
            case SectionHeading():
                return [self._full_width(markup.heading(block), 14.0)]
            case Sentence():
                return [self._full_width(markup.sentence(block), 3.0)]
            case StageFormula():
                return [self._formula(block)]
            case TableGroup():
                return self._tables(block)
            case WorkedSums():
                return self._sums(block)
        raise TypeError(type(block))

    def _full_width(self, html: str, above: float) -> Piece:
        return _side_by_side([(0.0, self._markup.document(html, WIDTH))], above, keep=True)

    def _formula(self, block: StageFormula) -> Piece:
        """A formula beside its sentences, or below them where it is too wide."""
        markup = self._markup
        width = WIDTH * BESIDE_FORMULA
        formula = markup.document(markup.formula(block.latex))
        if formula.size().width() > WIDTH - width - GAP:
            return self._full_width(markup.with_formula(block), 3.0)
        words = markup.document(markup.sentences(block), width)
        return _side_by_side([(0.0, words), (width + GAP, formula)], 3.0, keep=True)

    def _formula_beside_tables(self, block: StageFormula, group: TableGroup) -> Piece | None:
        """Sentences and formula at the left, coloured tables at the right; None if too wide."""
        if any(table.kind != "colour" for table in group.tables):
            return None
        words = self._markup.document(self._markup.with_formula(block), HALF)
        tables = [self._matrix(table, alone=len(group.tables) == 1) for table in group.tables]
        row = list(self._placed(tables, HALF + GAP))
        x, last = row[-1]
        if words.idealWidth() > HALF or x + last.size().width() > WIDTH:
            return None
        return _side_by_side([(0.0, words), *row], 8.0)

    def _matrix(self, table: MatrixTable, *, alone: bool) -> QTextDocument:
        return self._markup.document(self._markup.matrix(table, alone=alone))

    def _placed(
        self, documents: Iterable[QTextDocument], x: float = 0.0
    ) -> Iterator[tuple[float, QTextDocument]]:
        for document in documents:
            yield x, document
            x += document.size().width() + GAP

    def _tables(self, group: TableGroup) -> Iterator[Piece]:
        """Rows of tables, as many side by side as fit."""
        alone = len(group.tables) == 1
        row: list[QTextDocument] = []
        filled, above = 0.0, 8.0
        for index, whole in enumerate(group.tables):
            for table in split_table(whole, self._decimals, first=index == 0):
                document = self._matrix(table, alone=alone)
                if row and filled + document.size().width() > WIDTH:
                    yield self._table_row(row, group, above)
                    row, filled, above = [], 0.0, 14.0
                row.append(document)
                filled += document.size().width() + GAP
        if row:
            yield self._table_row(row, group, above)

    def _table_row(self, row: list[QTextDocument], group: TableGroup, above: float) -> Piece:
        """Tables side by side, and space to work beside them where it is wide enough."""
        columns = list(self._placed(row))
        x, last = columns[-1]
        rest = WIDTH - x - last.size().width() - GAP
        piece = _side_by_side(columns, above)
        if not group.work_space or rest < LEAST_SPACE:
            return piece
        dots = self._markup.document(self._markup.work_space(rest, piece.height - 4))
        return replace(piece, columns=(*columns, (WIDTH - rest, dots)))

    def _sums(self, block: WorkedSums) -> Iterator[Piece]:
        """Sums in as many columns as the longest allows, one document sliced into rows."""
        if block.title:
            title = f'<p class="muted"><b>{escape(block.title)}</b></p>'
            yield self._full_width(title, 8.0)
        widest = INDENT + max(
            line_width(line, size)
            for pair in block.pairs
            for line, size in zip(pair, (SUM_SIZE, MORE_DIGITS_SIZE), strict=True)
        )
        across = max(1, min(3, int((WIDTH + GAP) // (widest + GAP))))
        column = (WIDTH + GAP) / across - GAP - INDENT
        cells = [
            f'<td width="{100 / across:.3f}%">{self._markup.sum_pair(_shortened(pair, column))}</td>'
            for pair in block.pairs
        ]
        rows = ["".join(cells[start : start + across]) for start in range(0, len(cells), across)]
        body = "".join(f"<tr>{row}</tr>" for row in rows)
        html = f'<table class="sums" width="100%" cellspacing="0">{body}</table>'
        document = self._markup.document(html, WIDTH + GAP)
        tops = [*_row_tops(document, len(rows)), document.size().height()]
        for index, (top, bottom) in enumerate(pairwise(tops)):
            yield Piece(((0.0, document),), bottom - top, 0.0 if index else 4.0, top=top)


def _shortened(pair: tuple[Line, Line], width: float) -> tuple[Line, Line]:
    """A sum without its digits below where these would take too many rows."""
    line, more_digits = pair
    few = len(wrap(more_digits, MORE_DIGITS_SIZE, width)) <= MOST_BELOW
    return line, more_digits if few else ()


def _row_tops(document: QTextDocument, count: int) -> Iterator[float]:
    """Where the rows of the table in a document begin."""
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
    """All papers in one file, each on pages of its own; `on_page` is called for every page.

    `colour` keeps the colours of roles in sums.
    """
    need_application()
    layout = PageLayout(decimals, LIGHT if colour else PRINT)

    def paint(painter: QPainter, new_page: NewPage) -> None:
        for count, paper in enumerate(papers):
            pages = layout.pages(paper)
            for number in range(len(pages)):
                if count or number:
                    new_page()
                on_page()
                _paint_page(painter, paper.name, pages, number)

    return pdf_bytes(title, PAGE, paint)


def first_page(paper: Paper, decimals: int) -> Callable[[QPainter], None]:
    """A painter of the first page of a paper, PAGE in size."""
    pages = PageLayout(decimals).pages(paper)
    return lambda painter: _paint_page(painter, paper.name, pages, 0)


def _paint_page(
    painter: QPainter, name: str, pages: list[list[tuple[float, Piece]]], number: int
) -> None:
    for y, piece in pages[number]:
        piece.paint(painter, y)
    _paint_footer(painter, name, f"{number + 1} / {len(pages)}")


def _paint_footer(painter: QPainter, name: str, page: str) -> None:
    """The name of the paper and the page number."""
    y, face = PAGE[1] - 34, font(CAPTION)
    painter.setFont(face)
    painter.setPen(QColor(SOFT))
    painter.drawText(QPointF(LEFT, y), elided(name, face, WIDTH - 80))
    painter.drawText(QPointF(LEFT + WIDTH - QFontMetricsF(face).horizontalAdvance(page), y), page)
