"""Whatever can be turned says of every stage what its rows and columns are, as they are seen.

The page is tested in a browser, in test_page.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pptx import Presentation

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document
from core.document.orientation import Orientation
from core.stages import Stage
from gui.export.options import ExportOptions
from gui.export.registry import export_shown
from gui.export.worksheets.blocks import MatrixTable
from gui.export.worksheets.blocks import WorksheetOptions as SheetOptions
from gui.export.worksheets.report import ExperimentReport
from gui.export.worksheets.worksheet import Worksheet
from gui.session.state import Preferences
from tests.core.documents import make
from tests.gui.sheets_kit import grids

pytestmark = pytest.mark.usefixtures("qapp")

QUERIES, KEYS = ("q0", "q1", "q2", "q3", "q4"), ("k0", "k1", "k2")
SENTENCES = {"n": QUERIES, "m": KEYS}
Seen = tuple[tuple[str, ...], tuple[str, ...], tuple[str, str]]


def crossed() -> Document:
    """Queries and keys of different words, so that a swap shows; every stage that attends."""
    document = make(positional="learned", mask="window", output=True, context=3)
    assert document.context is not None
    context = type(document.context)(KEYS, document.context.X, document.context.P)
    return document.with_(tokens=QUERIES, context=context)


def slide_axes(document: Document, columns: bool, path: Path) -> Iterator[Seen]:
    options = ExportOptions(preferences=Preferences(columns=columns))
    assert export_shown(document, "pptx", path / "a.pptx", options)
    for slide in list(Presentation(str(path / "a.pptx")).slides)[1:]:
        (frame,) = (shape for shape in slide.shapes if shape.has_table)
        texts = [[cell.text for cell in row.cells] for row in frame.table.rows]
        first, _, second = texts[0][0].partition(" ＼ ")
        yield tuple(row[0] for row in texts[1:]), tuple(texts[0][1:]), (first, second)


def report_axes(document: Document, columns: bool, path: Path) -> Iterator[Seen]:
    report = ExperimentReport(document, run(document), Cell("Y"), 2, Orientation(columns))
    found = [grid for grid in grids(report.paper()) if grid.stage in run(document).plan]
    yield from _grid_axes(document, list(run(document).plan), found)


def worksheet_axes(document: Document, columns: bool, path: Path) -> Iterator[Seen]:
    sheet = Worksheet(document, SheetOptions(orientation=Orientation(columns)), 0)
    yield from _grid_axes(
        document, [stage for stage in run(document).plan if not stage.entered], grids(sheet.key())
    )


def _grid_axes(document: Document, stages: list[Stage], found: list[MatrixTable]) -> Iterator[Seen]:
    """One grid a stage, the first head's; papers have no corner. What is set apart behind the keys is no key."""
    heads = iter(found)
    for stage in stages:
        grid = next(heads)
        for _ in range(document.h - 1 if stage.headwise else 0):
            next(heads)
        rows = grid.rows[:-1] if grid.tail == "row" else grid.rows
        across = grid.columns[:-1] if grid.tail == "column" else grid.columns
        yield rows, across, ("", "")


WAYS: tuple[Callable[[Document, bool, Path], Iterator[Seen]], ...] = (
    slide_axes,
    report_axes,
    worksheet_axes,
)


@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_rows_columns_and_corner_say_what_they_are(
    tmp_path: Path, way: Callable[[Document, bool, Path], Iterator[Seen]], columns: bool
) -> None:
    document = crossed()
    stages = [
        stage for stage in run(document).plan if way is not worksheet_axes or not stage.entered
    ]
    for stage, (rows, across, corner) in zip(stages, way(document, columns, tmp_path), strict=True):
        first, second = reversed(stage.axes[-2:]) if columns else stage.axes[-2:]
        for axis, labels in ((first, rows), (second, across)):
            if axis in SENTENCES:
                assert labels == SENTENCES[axis], stage.id
            else:
                assert not set(labels) & {*QUERIES, *KEYS}, stage.id
        if stage.attends and any(corner):
            assert corner == (("key", "query") if columns else ("query", "key")), stage.id
