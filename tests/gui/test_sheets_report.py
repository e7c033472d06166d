"""Reports: every stage with its numbers, its formula and the sums of one cell; PDF and HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from PySide6.QtWidgets import QApplication

from core.base.cell import Cell
from core.compute.trace import run
from core.document.create import Sizes, create
from core.document.document import Document
from core.document.orientation import COLUMNS, ROWS, Orientation
from core.explain.derivation import derive
from core.storage.examples import load_example
from gui.export.worksheets.blocks import Paper, TableGroup
from gui.export.worksheets.files import ReportOptions, report_bytes
from gui.export.worksheets.matrix_drawing import HEIGHT
from gui.export.worksheets.printing import PaperLayout, fill_pages
from gui.export.worksheets.report import ExperimentReport
from gui.painting.theme import LIGHT
from gui.texts.sum_style import SumStyle, fraction_of
from gui.texts.sums import worked_sum
from gui.texts.translation import current_language
from tests.core.documents import make
from tests.gui.sheets_kit import answers, bottom, close, everything, example, pages


class Reader(HTMLParser):
    """The tables of a page by the heading that they stand under; marked cells, sums, and whether all tags match."""

    VOID = ("meta", "img")

    def __init__(self, page: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.headings: list[str] = []
        self.tables: list[tuple[str, list[list[str]]]] = []
        self.focused: list[str] = []
        self.sums: list[tuple[str, str]] = []
        self.closers: list[tuple[str, str]] = []
        self._line = self.sums
        self.links: list[str] = []
        self._focus = self._sum = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.links += [given[name] or "" for name in ("src", "href", "xlink:href") if name in given]
        if tag in self.VOID:
            return
        self.stack.append(tag)
        if tag == "h2":
            self.headings.append("")
        if tag == "table":
            self.tables.append((self.headings[-1], []))
        if tag == "tr":
            self.tables[-1][1].append([])
        if tag == "td":
            self.tables[-1][1][-1].append("")
            self._focus = given.get("class") == "focus"
        if tag == "p":
            self._sum = given.get("class") in ("sum", "closer")
        if tag == "p" and self._sum:
            self._line = self.sums if given["class"] == "sum" else self.closers
            self._line.append((self.headings[-1], ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass  # parts of a formula

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        if "h2" in self.stack and "small" not in self.stack:
            self.headings[-1] += data
        if "td" in self.stack:
            self.tables[-1][1][-1][-1] += data
            if self._focus:
                self.focused.append(data)
        if (
            self._sum
            and self.stack
            and self.stack[-1] in ("span", "sub", "sup")
            and "caption" not in self.stack
        ):
            title, text = self._line[-1]
            self._line[-1] = (title, text + data)


def read(document: Document, options: ReportOptions) -> Reader:
    page = report_bytes(document, options, ".html").decode("utf-8")
    reader = Reader(page)
    assert reader.stack == []
    return reader


@pytest.mark.parametrize(
    "document", [everything(), make(1, positional="sinusoidal"), make(2, source="qkv")]
)
def test_the_page_holds_every_number_of_every_stage(qapp: QApplication, document: Document) -> None:
    expected = answers(document, 0)
    reader = read(document, ReportOptions(decimals=3))
    tables = iter(table for heading, table in reader.tables if heading != "Weight matrices")
    for stage in run(document).plan:
        matrices = expected[stage.id]
        for matrix in matrices if stage.headwise else [matrices]:
            rows = [row for row in next(tables) if row]
            for texts, numbers in zip(rows, matrix, strict=True):
                assert all(
                    close(text, number, 3) for text, number in zip(texts, numbers, strict=True)
                ), stage.id
    assert next(tables, None) is None


def test_each_stage_marks_one_cell_and_writes_out_its_sum(qapp: QApplication) -> None:
    document = everything()
    trace = run(document)
    reader = read(document, ReportOptions(Cell("scores", 3, 1, 2)))
    assert len(reader.focused) == len(trace.plan)
    sums = [text for _, text in reader.sums]
    assert any(text.startswith("With more digits: ") for _, text in reader.closers)
    assert len(sums) == len(trace.plan) + 2, "the softmax opens with a maximum and a sum"
    for stage in trace.plan:
        cell = Cell(stage.id, 3, 1, 2 if stage.headwise else 0)
        line = worked_sum(SumStyle(document, 2, 24), derive(document, trace, cell))
        assert "".join(span.text for span in line) in sums


def test_sums_read_like_those_of_the_window_with_fractions(qapp: QApplication) -> None:
    document = example()
    cell, trace = Cell("weights", 2, 1), run(document)
    plain, exact = (
        [text for _, text in read(document, ReportOptions(cell, fractions=wish)).sums]
        for wish in (False, True)
    )
    assert len(plain) == len(exact)
    there = 0
    for stage in trace.plan:
        step = derive(document, trace, Cell(stage.id, 2, min(1, trace[stage.id].shape[-1] - 1)))
        fraction = fraction_of(document, step)
        there += fraction is not None
        line = worked_sum(SumStyle(document, 2, 24, fraction=fraction), step)
        assert "".join(span.text for span in line) in exact
    assert there
    assert plain != exact


def test_the_page_needs_nothing_else(qapp: QApplication) -> None:
    page = report_bytes(everything(), ReportOptions(), ".html").decode("utf-8")
    assert Reader(page).links == []
    outside = {
        address
        for address in re.findall(r"https?://[^\"' <)]+", page)
        if "www.w3.org" not in address
    }
    assert outside == set()
    assert page.count("<svg") == len(run(everything()).plan)
    assert '<html lang="en">' in page


def test_signs_of_tokens_are_no_tags(qapp: QApplication) -> None:
    document = make(2, source="qkv").with_(
        tokens=("<b>", "&amp;", '"', "</td>", "a"), title="<script>"
    )
    page = report_bytes(document, ReportOptions(), ".html").decode("utf-8")
    assert "<b>" not in page
    assert "<script" not in page
    assert "&lt;b&gt;" in page
    Reader(page)


def test_the_printed_report_reads_the_same(qapp: QApplication) -> None:
    document = example()
    text = "".join(pages(report_bytes(document, ReportOptions(language="zh_CN"), ".pdf")))
    assert current_language() == "en"
    assert "小猫吃鱼" in text
    assert "注意力" in text
    for stage, matrix in (
        (name, value) for name, value in answers(document, 0).items() if name != "Y"
    ):
        cells = "".join(f"{number:.2f}".replace("-", "−") for row in matrix[0] for number in row)
        assert cells in text, stage


def test_large_matrices_are_pictures(qapp: QApplication) -> None:
    document = create(tuple(f"t{i}" for i in range(300)), "qkv", Sizes())
    page = report_bytes(document, ReportOptions(), ".html").decode("utf-8")
    reader = Reader(page)
    assert len(reader.links) == len(run(document).plan)
    assert all(link.startswith("data:image/png;base64,") for link in reader.links)
    assert len(report_bytes(document, ReportOptions(), ".pdf")) < 5_000_000


def test_with_tokens_as_columns_the_report_is_turned(qapp: QApplication) -> None:
    document = everything()
    rows, columns = (
        [
            [row for row in table if row]
            for _, table in read(document, ReportOptions(orientation=turned)).tables
        ]
        for turned in (ReportOptions().orientation, COLUMNS)
    )
    for table, other in zip(rows, columns, strict=True):
        assert [list(row) for row in zip(*table, strict=True)] == other


@pytest.mark.parametrize("ending", [".pdf", ".html"])
def test_the_same_report_is_the_same_bytes(qapp: QApplication, ending: str) -> None:
    first, again = (report_bytes(everything(), ReportOptions(), ending) for _ in range(2))
    assert first == again


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_indices_of_names_stand_below_the_line(qapp: QApplication, language: str) -> None:
    """ "Without W_O the result leaves as it is" stood there as it is typed."""
    options = ReportOptions(language=language)
    page = report_bytes(example("who-ate-whom"), options, ".html").decode("utf-8")
    words = re.sub(r"aria-label=\"[^\"]*\"|<svg.*?</svg>", "", page, flags=re.DOTALL)
    assert "W<sub>O</sub>" in words
    assert "W_" not in words.partition("<body>")[2]
    printed = "".join(pages(report_bytes(example("who-ate-whom"), options, ".pdf")))
    assert "W_" not in printed
    assert {"en": "Weightmatrices", "zh_CN": "权重矩阵"}[language] in printed


def test_sizes_are_set_apart(qapp: QApplication) -> None:
    page = report_bytes(example(), ReportOptions(), ".html").decode("utf-8")
    assert "n = 3, dₖ = 2, dᵥ = 2, h = 1" in page


@pytest.mark.parametrize("orientation", [ROWS, COLUMNS])
@pytest.mark.parametrize("name", ["cat-eats-fish", "apple-released-iphone"])
def test_a_small_table_stands_beside_its_words(
    qapp: QApplication, name: str, orientation: Orientation
) -> None:
    """What does not fit beside them stands below; no page ends with a heading, and nothing hangs over its edge."""
    document = load_example(name)
    part = ExperimentReport(document, run(document), Cell("Y"), 2, orientation).paper()
    layout = PaperLayout(2, LIGHT)
    below = [piece for block in part.blocks for piece in layout.pieces(Paper("", (block,)))]
    beside = layout.pieces(part)
    assert len(beside) < len(below)
    tables = [block for block in part.blocks if isinstance(block, TableGroup)]
    one = [block for block in tables if len(block.tables) == 1 and len(block.tables[0].columns) < 5]
    assert len(below) - len(beside) >= len(one)
    assert sum(piece.above + piece.height for piece in beside) < sum(
        piece.above + piece.height for piece in below
    )
    for page in fill_pages(beside):
        assert bottom(page) <= HEIGHT
        assert not page[-1][1].keep


def test_a_small_report_takes_two_pages(qapp: QApplication) -> None:
    data = report_bytes(load_example("cat-eats-fish"), ReportOptions(), ".pdf")
    assert len(pages(data)) == 2
