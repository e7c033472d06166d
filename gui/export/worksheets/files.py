"""Worksheets and reports as files; the ending of the name chooses the format."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.explain.exercise import require_size
from gui.export.options import Cancelled
from gui.export.paint_devices import need_application
from gui.export.worksheets.blocks import (
    KEY_SCALE,
    Paper,
    PaperBlock,
    TableGroup,
    WorksheetOptions,
)
from gui.export.worksheets.latex import write_latex
from gui.export.worksheets.markup import write_html
from gui.export.worksheets.matrix_drawing import HEIGHT
from gui.export.worksheets.printing import PagePiece, PaperLayout, fill_pages, write_pdf
from gui.export.worksheets.report import ExperimentReport
from gui.export.worksheets.worksheet import Worksheet
from gui.texts.translation import spoken, tr, tr_marked

MANY = 200  # pages that nobody prints without having been asked


class PageCounter:
    """Estimates the pages of worksheets and keys in small steps, so that a window stays responsive.

    Questions and short keys are laid out; a key with all sums is extrapolated from one row of each
    stage.
    """

    def __init__(self, document: Document, options: WorksheetOptions) -> None:
        need_application()
        self.options = options
        self._pieces = _pieces(document, options)

    def step(self) -> int | None:
        """Do one step; return the count when finished, above 99 rounded to two digits.

        Raises UserError "worksheet.too_large" (size, limit).
        """
        with spoken(self.options.languages[0]):
            each = next(self._pieces)
        if each is None:
            return None
        total = each * self.options.sheets * len(self.options.languages)
        return total if total < 100 else round(total, 2 - len(str(total)))


def page_count(document: Document, options: WorksheetOptions) -> int:
    """The count of a PageCounter. Raises UserError as its steps do."""
    counting = PageCounter(document, options)
    while (found := counting.step()) is None:
        pass
    return found


def _pieces(document: Document, options: WorksheetOptions) -> Iterator[int | None]:
    """Yield None after each step, then the pages of one sheet with its key in one language."""
    sheet = Worksheet(document, options, 0)
    layout = PaperLayout(options.decimals)
    pieces: list[PagePiece] = []
    for block in sheet.question_blocks():
        yield None
        pieces += layout.pieces(Paper("", (block,)))
        yield None
    pages = len(fill_pages(pieces))
    if options.key != "none":
        counting = _long_key if options.sums == "all" else _short_key
        for count in counting(sheet, PaperLayout(options.decimals, scale=KEY_SCALE)):
            pages += count
            yield None
    yield pages


def _short_key(sheet: Worksheet, layout: PaperLayout) -> Iterator[int]:
    """Yield 0 after each step, then the pages of a key."""
    pieces: list[PagePiece] = []
    for block in sheet.key_blocks():
        steps = (
            layout.table_rows(block)
            if isinstance(block, TableGroup)
            else layout.pieces(Paper("", (block,)))
        )
        for piece in steps:
            pieces.append(piece)
            yield 0
    yield len(fill_pages(pieces, KEY_SCALE))


def _long_key(sheet: Worksheet, layout: PaperLayout) -> Iterator[int]:
    """Yield 0 after each step, then about the pages of a key with all sums."""
    high = 0.0
    for sample in sheet.key_sample():
        if sample is not None:
            tables, sums, times = sample
            high += _height(layout, tables)
            yield 0
            high += times * _height(layout, sums)
        yield 0
    yield ceil(high / (HEIGHT / KEY_SCALE))


def _height(layout: PaperLayout, blocks: list[PaperBlock]) -> float:
    """The height of some blocks, including what tall pieces leave empty at the foot of a page."""
    most = HEIGHT / KEY_SCALE
    heights = (piece.above + piece.height for piece in layout.pieces(Paper("", tuple(blocks))))
    return sum(most / max(1, int(most // height)) for height in heights)


WORKSHEET_ENDINGS = (".pdf", ".tex")
REPORT_ENDINGS = (".pdf", ".html")
KEY_SUFFIX = "-key"

Tell = Callable[[int, int], bool]


def key_path(path: Path) -> Path:
    """The path of separate answer keys."""
    return path.with_name(f"{path.stem}{KEY_SUFFIX}{path.suffix}")


def worksheet_files(
    document: Document,
    options: WorksheetOptions,
    path: Path,
    tell: Tell = lambda _done, _total: True,
    on_page: Callable[[], None] = lambda: None,
) -> dict[Path, bytes]:
    """The bytes of worksheets and keys by path; equal arguments give equal bytes.

    `tell` gets the finished papers and their total; Cancelled is raised if it returns False.
    `on_page` is called for every page of a PDF. Raises UserError "worksheet.too_large" (size,
    limit).
    """
    require_size(document)
    writer = _Writer(document, options, tell, on_page)
    if options.key == "separate":
        return {
            path: writer.written(path.suffix, writer.papers(keys=False)),
            key_path(path): writer.written(path.suffix, writer.papers(keys=True)),
        }

    def papers() -> Iterator[Paper]:
        yield from writer.papers(keys=False)
        if options.key == "after":
            yield from writer.papers(keys=True)

    return {path: writer.written(path.suffix, papers())}


class _Writer:
    """Writes papers one after the other and counts them."""

    def __init__(
        self, document: Document, options: WorksheetOptions, tell: Tell, on_page: Callable[[], None]
    ) -> None:
        self._document, self._options, self._tell, self._on_page = document, options, tell, on_page
        self._done = 0
        self._total = options.sheets * len(options.languages) * (1 if options.key == "none" else 2)

    def papers(self, *, keys: bool) -> Iterator[Paper]:
        """All sheets or all keys in all languages; restores the language before painting."""
        for seed in self._options.seeds:
            for language in self._options.languages:
                if not self._tell(self._done, self._total):
                    raise Cancelled
                with spoken(language, self._options.labels):
                    sheet = Worksheet(self._document, self._options, seed)
                    part = sheet.key() if keys else sheet.questions()
                yield part
                self._done += 1

    def written(self, ending: str, papers: Iterator[Paper]) -> bytes:
        """The bytes of one file."""
        if ending.lower() == ".tex":
            return write_latex(papers)
        with spoken(self._options.languages[0]):
            title = tr_marked(self._document.title) if self._document.title else tr("Worksheet")
        return write_pdf(title, papers, self._options.decimals, on_page=self._on_page)


FIRST = Cell("Y")  # the first number of the output


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """The cell whose sums are written out, digits, language, orientation, exact fractions."""

    focus: Cell = FIRST
    decimals: int = 2
    language: str = "en"
    orientation: Orientation = ROWS
    fractions: bool = False


def report_bytes(document: Document, options: ReportOptions, ending: str) -> bytes:
    """A report as PDF or HTML; equal arguments give equal bytes."""
    with spoken(options.language):
        report = ExperimentReport(
            document,
            run(document),
            options.focus,
            options.decimals,
            options.orientation,
            fractions=options.fractions,
        )
        title, part = report.title, report.paper()
    if ending.lower() == ".html":
        return write_html(title, [part], options.language)
    return write_pdf(title, [part], options.decimals, colour=True)
