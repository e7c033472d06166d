"""The markup of papers for QTextDocument: formulas, boxed results and matrices are drawings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from html import escape

from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPen,
    QPyTextObject,
    QTextDocument,
    QTextFormat,
)

from gui.export.worksheets.blocks import (
    MatrixTable,
    NameLines,
    PaperBlock,
    SectionHeading,
    StageFormula,
)
from gui.export.worksheets.markup import Markup, role_styles
from gui.export.worksheets.matrix_drawing import (
    INK,
    LABEL,
    LINE,
    NAME,
    SOFT,
    matrix_drawing,
)
from gui.painting.formulas import formula_size, paint_formula
from gui.painting.text_layout import line_width, paint_line
from gui.painting.text_size import saved
from gui.painting.theme import BODY, CAPTION, DISPLAY, TITLE, Colours, font
from gui.texts.rich_text import Span

GAP, NARROW_GAP = 26.0, 18.0  # between columns; between the matrices of a narrow section


FORMULA_SIZE = 14.0


SUM_SIZE, MORE_DIGITS_SIZE = 13.0, 11.0


INDENT = 16.0  # of a sum's further rows


LEAST_SPACE, DOT_GAP = 150.0, 14.0  # least width of the work space; between its dots


_STYLE = f"""
body, td {{ color: {INK}; }}
h1 {{ font-size: {DISPLAY}px; margin: 0; }}
.heading {{ font-size: {TITLE}px; font-weight: bold; margin: 0 0 2px 0; }}
p {{ margin: 0 0 2px 0; }}
.detail {{ font-size: {BODY}px; font-weight: normal; color: {SOFT}; }}
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
    """Draws the images of documents with painters: formulas, boxed results, matrices."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[str, tuple[QSizeF, Paint]] = {}

    def image(self, name: str, size: QSizeF, paint: Paint) -> str:
        """The markup of a drawing; equal names share one drawing."""
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
        """Draw one image of a document."""
        with saved(painter):
            self.known[style.toImageFormat().name()][1](painter, QRectF(rect))


class _Document(QTextDocument):
    """A document that keeps the drawings which its layout only points to."""

    def __init__(self, drawings: _Drawings) -> None:
        super().__init__()
        self._drawings = drawings
        kind = QTextFormat.ObjectTypes.ImageObject.value
        self.documentLayout().registerHandler(kind, drawings)


class PrintMarkup(Markup):
    """HTML for QTextDocument; formulas, boxed results and matrices are drawings."""

    def __init__(self, decimals: int, theme: Colours, width: float) -> None:
        self._decimals, self._theme, self._width = decimals, theme, width
        self._drawings = _Drawings()
        self._style = _STYLE + role_styles(theme)

    def document(self, html: str, width: float | None = None) -> QTextDocument:
        """Lay out markup in a width, or unwrapped."""
        document = _Document(self._drawings)
        document.setDocumentMargin(0)
        document.setDefaultFont(font(BODY))
        document.setDefaultStyleSheet(self._style)
        document.setHtml(f"<body>{html}</body>")
        document.setTextWidth(document.idealWidth() if width is None else width)
        return document

    def heading(self, block: SectionHeading) -> str:
        """The heading below a rule; Qt would ignore the size of the detail inside <h2>."""
        return f'<hr><p class="heading">{escape(block.text)}{self.detail(block.detail)}</p>'

    def detail(self, text: str) -> str:
        """Small text beside a heading or a name; Qt would make <small> too small."""
        return f'<span class="detail">&nbsp; {escape(text)}</span>'

    def text_block(self, block: PaperBlock) -> str:
        """A title, a heading, a sentence or lines for names."""
        return self.name_lines(block) if isinstance(block, NameLines) else super().text_block(block)

    def name_lines(self, block: NameLines) -> str:
        """Labels with lines to write on."""
        cells = "".join(
            f'<td>{escape(label)}&nbsp;&nbsp;</td><td class="line" width="{width}%"></td><td> </td>'
            for label, width in zip(block.labels, (26, 14, 9, 11), strict=True)
        )
        return f'<table width="100%"><tr>{cells}</tr></table>'

    def with_formula(self, block: StageFormula) -> str:
        """Sentences with the formula below."""
        return f'{self.sentences(block)}<p class="formula">{self.formula(block.latex)}</p>'

    def formula(self, latex: str) -> str:
        """A typeset formula, at most as wide as the page."""
        size = formula_size(latex, INK, FORMULA_SIZE)
        size *= min(1.0, self._width / size.width())
        return self._drawings.image(latex, size, partial(_paint_formula, latex))

    def span(self, span: Span) -> str:
        """A span of a sum; results are boxed."""
        if span.role != "result":
            return super().span(span)
        width = line_width((span,), SUM_SIZE)

        def paint(painter: QPainter, rect: QRectF) -> None:
            paint_line(painter, rect.x(), rect.bottom(), (span,), SUM_SIZE, self._theme)

        return self._drawings.image(f"={span.text}", QSizeF(width, SUM_SIZE), paint)

    def matrix(self, table: MatrixTable, *, alone: bool) -> str:
        """A matrix with its name above."""
        drawing = matrix_drawing(table, self._decimals, alone=alone)
        image = self._drawings.image(f"#{len(self._drawings.known)}", drawing.size, drawing.paint)
        return f'<p class="name">{self.name(table)}</p><p>{image}</p>'

    def row(self, tables: Iterable[MatrixTable]) -> str:
        """Matrices side by side."""
        between = f'<td width="{NARROW_GAP}"></td>'
        cells = between.join(f"<td>{self.matrix(table, alone=False)}</td>" for table in tables)
        return f'<table cellspacing="0" cellpadding="0"><tr>{cells}</tr></table>'

    def work_space(self, width: float, height: float) -> str:
        """Dotted space to calculate in."""
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
