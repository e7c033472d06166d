"""`main.py export --format worksheet|report`: papers. Qt is imported when one is made."""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

from core.base.files import write_bytes
from core.document.document import Document
from core.document.orientation import Orientation
from core.explain.exercise import require_size
from gui.cli.argparse_i18n import UsageError
from gui.cli.input_document import chosen_document, chosen_ending
from gui.cli.paper_options import BOTH
from gui.export.worksheets.options import KEYS, Options
from gui.texts.translation import current_language, languages, mark, tr

FORMATS: dict[str, str] = {
    "worksheet": mark("Worksheets to fill in, with answer keys: PDF or LaTeX"),
    "report": mark("Report with every stage, formula and sum: PDF or HTML"),
}


def require_fitting(options: Namespace, shown: tuple[str, ...] = ()) -> None:
    """Raise UsageError for an option that the chosen format has no use for; `shown` are other forms with decimals."""
    unused = {"seed": options.seed, "sheets": options.sheets, "key": options.key}
    if options.format == "worksheet":
        return
    for name, value in unused.items():
        if value is not None:
            raise UsageError(tr("--{name} is for --format worksheet", name=name))
    if options.language == BOTH:
        raise UsageError(tr("--language both is for --format worksheet"))
    if options.format not in ("report", *shown) and (
        options.columns or options.decimals is not None
    ):
        raise UsageError(
            tr(
                "--decimals and --columns are for --format {known}",
                known=", ".join((*FORMATS, *shown)),
            )
        )


def write_paper(options: Namespace) -> None:
    """Write OUT, and the keys beside it where they are to stand in a file of their own."""
    if sys.platform == "linux":
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # whatever windows use: there may be no screen
    files = (_worksheet if options.format == "worksheet" else _report)(options)
    for path, data in files.items():
        write_bytes(path, data)


def _worksheet(options: Namespace) -> dict[Path, bytes]:
    from gui.export.worksheets.make import WORKSHEET_ENDINGS, worksheet_files

    chosen_ending(options, WORKSHEET_ENDINGS)
    asked = Options(
        decimals=_given(options.decimals, 2),
        sheets=_given(options.sheets, 1),
        seed=_given(options.seed, 0),
        key=options.key or KEYS[0],
        languages=languages() if options.language == BOTH else (current_language(),),
        orientation=Orientation(options.columns),
        labels=options.labels or "one",
    )
    document = chosen_document(options)
    with PageCount(_told_length(document, asked)) as pages:
        return worksheet_files(document, asked, Path(options.output), on_page=pages.more)


class PageCount:
    """A line on a terminal that says how far a long paper is; it is wiped away at the end, however that comes."""

    def __init__(self, total: int) -> None:
        self._done, self._total, self._line = 0, total, ""
        self._seen = total > 0 and sys.stderr.isatty()

    def __enter__(self) -> PageCount:
        self._say()
        return self

    def more(self) -> None:
        """Another page is written."""
        self._done += 1
        self._say()

    def _say(self) -> None:
        if self._seen:
            total = f"{max(self._total, self._done):,}"
            self._line = tr("page {n} of about {total}", n=f"{self._done:,}", total=total)
            print(f"\r{self._line}", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_why: object) -> None:
        if self._seen:
            print("\r" + "  " * len(self._line) + "\r", end="", file=sys.stderr, flush=True)


def _told_length(document: Document, asked: Options) -> int:
    """A note before what nobody wants to print by mistake; about how many pages that is, 0 for what is short."""
    from gui.export.worksheets.counting import MANY, page_count

    require_size(document)
    count = page_count(document, asked)
    if count >= MANY:
        keys = tr("; --key none leaves out the answer keys") if asked.key != "none" else ""
        print(tr("note: about {n} pages", n=f"{count:,}") + keys, file=sys.stderr)
    return count if count >= MANY else 0


def _report(options: Namespace) -> dict[Path, bytes]:
    from gui.export.worksheets.make import REPORT_ENDINGS, ReportOptions, report_bytes

    ending = chosen_ending(options, REPORT_ENDINGS)
    asked = ReportOptions(
        decimals=_given(options.decimals, 2),
        language=current_language(),
        orientation=Orientation(options.columns),
    )
    return {Path(options.output): report_bytes(chosen_document(options), asked, ending)}


def _given(value: int | None, default: int) -> int:
    return default if value is None else value
