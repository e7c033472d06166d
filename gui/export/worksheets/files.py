"""Worksheets and reports as files, by the ending of the file name."""

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
from gui.export.worksheets.blocks import Paper, PaperBlock, WorksheetOptions
from gui.export.worksheets.latex import write_latex
from gui.export.worksheets.markup import write_html
from gui.export.worksheets.matrix_drawing import HEIGHT
from gui.export.worksheets.printing import PageLayout, Piece, fill_pages, write_pdf
from gui.export.worksheets.report import ExperimentReport
from gui.export.worksheets.worksheet import Worksheet
from gui.texts.translation import spoken, tr, tr_marked

MANY = 200  # pages that nobody prints without having been asked


class PageCounter:
    """Pages of all sheets and keys in all languages, as PDF: the questions laid out, the key guessed from one row each.
    Counted bit by bit, so that a window does other things meanwhile."""

    def __init__(self, document: Document, options: WorksheetOptions) -> None:
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


def page_count(document: Document, options: WorksheetOptions) -> int:
    """What `Counting` comes to. Raises UserError as its steps do."""
    counting = PageCounter(document, options)
    while (found := counting.step()) is None:
        pass
    return found


def _pieces(document: Document, options: WorksheetOptions) -> Iterator[int | None]:
    """Nothing after each piece of the work, then the pages of one sheet and its key in one language."""
    sheet = Worksheet(document, options, 0)
    layout = PageLayout(options.decimals)
    pieces: list[Piece] = []
    for block in sheet.question_blocks():
        yield None
        pieces += layout.pieces(Paper("", (block,)))
        yield None
    each, high = len(fill_pages(pieces)), 0.0
    for sample in sheet.key_sample() if options.key != "none" else ():
        if sample is not None:
            tables, sums, times = sample
            high += _height(layout, tables)
            yield None
            high += times * _height(layout, sums)
        yield None
    yield each + ceil(high / HEIGHT)


def _height(layout: PageLayout, blocks: list[PaperBlock]) -> float:
    """The room that blocks take; a tall piece also what it leaves empty at the foot of a page."""
    heights = (piece.above + piece.height for piece in layout.pieces(Paper("", tuple(blocks))))
    return sum(HEIGHT / max(1, int(HEIGHT // height)) for height in heights)


WORKSHEET_ENDINGS = (".pdf", ".tex")
REPORT_ENDINGS = (".pdf", ".html")
KEY_SUFFIX = "-key"

Tell = Callable[[int, int], bool]


def _go_on(done: int, total: int) -> bool:
    return True


def key_path(path: Path) -> Path:
    """Where keys go that stand in a file of their own."""
    return path.with_name(f"{path.stem}{KEY_SUFFIX}{path.suffix}")


def worksheet_files(
    document: Document,
    options: WorksheetOptions,
    path: Path,
    tell: Tell = _go_on,
    on_page: Callable[[], None] = lambda: None,
) -> dict[Path, bytes]:
    """The worksheets, and the keys behind them or in a file of their own; the same arguments give the same bytes.

    `tell` hears how many papers of how many are written; Cancelled is raised when it answers False. `on_page` is called
    for every page of a PDF.
    Raises UserError "worksheet.too_large" (size, limit).
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
        """Every sheet, or every key, each in all languages; the language is back in place before a paper is painted."""
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
    """The cell whose sums are written out, the digits, the language, the convention; exact fractions beside sums."""

    focus: Cell = FIRST
    decimals: int = 2
    language: str = "en"
    orientation: Orientation = ROWS
    fractions: bool = False


def report_bytes(document: Document, options: ReportOptions, ending: str) -> bytes:
    """One report, as PDF or as HTML; the same arguments give the same bytes."""
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
