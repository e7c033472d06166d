"""What-if values are marked wherever their stage is shown, and nobody claims that their row still adds up to 1."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pptx import Presentation

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_pin
from core.document.orientation import Orientation
from core.stages import plan
from core.storage.examples import load_example
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from gui.export.worksheets.blocks import WorksheetOptions as SheetOptions
from gui.export.worksheets.files import ReportOptions, report_bytes
from gui.export.worksheets.latex import write_latex
from gui.export.worksheets.report import ExperimentReport
from gui.export.worksheets.worksheet import Worksheet
from gui.session.state import Preferences
from tests.core.documents import make
from tests.gui.browser_kit import Browser
from tests.gui.sheets_kit import grids, pages

pytestmark = pytest.mark.usefixtures("qapp")

CLAIM = re.compile(r"adds ?up ?to ?1|must ?give ?1")


def pinned() -> Document:
    """The second key of the third query, pinned, so that its row adds up to more than 1."""
    return with_pin(load_example("cat-eats-fish"), Cell("weights", 2, 1), 0.9)


def words(document: Document, columns: bool, path: Path, page: Browser) -> dict[str, str]:
    """Everything that the slides, the page at all its stages, the report and the worksheet say."""
    orientation, options = (
        Orientation(columns),
        ExportOptions(preferences=Preferences(columns=columns)),
    )
    assert export_shown(document, "html", path / "a.html", options)
    page.open(path / "a.html")
    seen = []
    for _ in plan(document):
        seen.append(page.ask("document.body.innerText"))
        page.ask("attentionStepper.step(1)")
    assert export_shown(document, "pptx", path / "a.pptx", options)
    slides = Presentation(str(path / "a.pptx")).slides
    said = [
        shape.text_frame.text for slide in slides for shape in slide.shapes if shape.has_text_frame
    ]
    said += [slide.notes_slide.notes_text_frame.text for slide in slides]
    sheet = Worksheet(document, SheetOptions(orientation=orientation), 0)
    return {
        "html": "\n".join(seen),
        "pptx": "\n".join(said),
        "report": report_bytes(document, ReportOptions(orientation=orientation), ".html").decode(),
        "worksheet": write_latex([sheet.questions(), sheet.key()]).decode(),
    }


@pytest.mark.parametrize("columns", [False, True])
def test_nobody_claims_that_a_pinned_row_adds_up_to_1(
    tmp_path: Path, columns: bool, page: Browser
) -> None:
    for name, text in words(load_example("cat-eats-fish"), columns, tmp_path, page).items():
        assert CLAIM.search(text), f"{name}: without a what-if value it is said"
    for name, text in words(pinned(), columns, tmp_path, page).items():
        assert not CLAIM.search(text), name


@pytest.mark.parametrize("columns", [False, True])
def test_papers_mark_the_cell_as_it_is_seen(columns: bool) -> None:
    document, orientation = pinned(), Orientation(columns)
    place = (1, 2) if columns else (2, 1)
    report = ExperimentReport(document, run(document), Cell("Y"), 2, orientation)
    sheet = Worksheet(document, SheetOptions(orientation=orientation), 0)
    for part in (report.paper(), sheet.questions(), sheet.key()):
        marked = [grid for grid in grids(part) if grid.pinned]
        assert [(grid.name, grid.pinned) for grid in marked] == [("A", frozenset({place}))]
        assert float(marked[0].cells[place[0]][place[1]]) == 0.9


def test_each_writer_shows_the_mark() -> None:
    document = pinned()
    html = report_bytes(document, ReportOptions(), ".html").decode()
    assert re.findall(r'<td class="[^"]*pinned"[^>]*>([^<]*)<', html) == ["0.90"]
    assert "Folded corner" in html
    assert "Foldedcorner" in "".join(pages(report_bytes(document, ReportOptions(), ".pdf")))
    assert (
        "Folded corner"
        not in report_bytes(load_example("cat-eats-fish"), ReportOptions(), ".html").decode()
    )
    sheet = Worksheet(document, SheetOptions(), 0)
    assert write_latex([sheet.key()]).decode().count(r"\fbox{$0.90$}") == 1


def test_a_head_marks_its_own_pins_and_a_part_what_lies_in_it() -> None:
    document = with_pin(make(output=True), Cell("weights", 4, 3, 1), 0.25)
    part = ExperimentReport(document, run(document), Cell("Y"), 2, Orientation()).paper()
    found = [grid for grid in grids(part) if grid.stage == "weights"]
    assert [sorted(grid.pinned) for grid in found] == [[], [(4, 3)], []]
    parts = found[1].split(3, 2)
    assert [sorted(one.pinned) for one in parts] == [[], [], [], [], [(1, 1)], []]
