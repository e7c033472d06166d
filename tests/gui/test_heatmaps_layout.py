"""Square cells, grids of heads that fill the panel, and the lens that shows digits."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.edits import with_pin
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.heatmaps.layout import HeatmapLayout, LayoutRequest, lay_out
from gui.views.heatmaps.panel import HeatmapPanel
from gui.views.heatmaps.visible_cells import VisibleCells, cells_around
from tests.gui.heatmaps_kit import example, make_panel, pixels

CAPTIONS = ("query ↓", "key →")
AREAS = [QRectF(0, 0, *size) for size in ((360, 250), (500, 180), (620, 900), (1900, 1000))]


def request(count: int, rows: int, columns: int) -> LayoutRequest:
    tokens = tuple(f"token {i}" for i in range(rows))
    return LayoutRequest(count, rows, columns, tokens, CAPTIONS, CAPTIONS, ("1.00", "0.00"))


def inside_and_apart(area: QRectF, layout: HeatmapLayout) -> bool:
    boxes = [*layout.matrices, layout.bar]
    boxes += [] if layout.lens is None else [layout.lens.rect]
    return all(map(area.contains, boxes)) and not any(
        one.intersects(other) for one, other in combinations(boxes, 2)
    )


@pytest.mark.usefixtures("qapp")
class TestSquares:
    @pytest.mark.parametrize("area", AREAS)
    @pytest.mark.parametrize("count", [1, 3, 8])
    @pytest.mark.parametrize(("rows", "columns"), [(3, 3), (16, 16), (64, 64), (256, 256), (7, 4)])
    def test_cells_are_square(self, area: QRectF, count: int, rows: int, columns: int) -> None:
        layout = lay_out(area, request(count, rows, columns))
        for matrix in layout.matrices:
            assert matrix.width() / columns == pytest.approx(matrix.height() / rows)
        assert inside_and_apart(area, layout)

    def test_stretched_cells_use_the_width(self) -> None:
        wide = AREAS[1]
        square, stretched = (
            lay_out(wide, replace(request(1, 16, 16), stretched=on)).matrices[0]
            for on in (False, True)
        )
        assert stretched.height() == pytest.approx(square.height())
        assert stretched.width() > 2 * square.width()


@pytest.mark.usefixtures("qapp")
class TestGrid:
    @pytest.mark.parametrize("area", AREAS)
    @pytest.mark.parametrize("count", [2, 3, 8])
    def test_heads_fill_the_width_and_keep_their_names(self, area: QRectF, count: int) -> None:
        named = replace(request(count, 16, 16), title_width=80.0)
        layout = lay_out(area, named)
        assert layout.titles[layout.across - 1].right() > 0.8 * area.width()
        if area.height() > 200:
            assert all(title.width() >= 80.0 for title in layout.titles)
        assert not any(one.intersects(other) for one, other in combinations(layout.titles, 2))

    def test_no_other_grid_has_larger_cells(self) -> None:
        """Eight squares in 460 × 300: tried by hand, four in each of two rows are largest."""
        assert lay_out(QRectF(0, 0, 620, 300), request(8, 16, 16)).across == 4


class TestLens:
    @pytest.mark.parametrize("area", AREAS[:1] + AREAS[2:])
    @pytest.mark.parametrize("size", [64, 256])
    @pytest.mark.usefixtures("qapp")
    def test_a_matrix_without_digits_has_a_lens_beside_it(self, area: QRectF, size: int) -> None:
        layout = lay_out(area, replace(request(1, size, size), number_width=22.0))
        assert layout.lens is not None
        assert layout.lens.rect.width() / layout.lens.columns > 22.0
        assert inside_and_apart(area, layout)

    @pytest.mark.usefixtures("qapp")
    def test_a_matrix_with_digits_has_none(self) -> None:
        assert lay_out(AREAS[0], replace(request(1, 4, 4), number_width=22.0)).lens is None

    @pytest.mark.parametrize(
        ("at", "top", "left"), [((0, 0), 0, 0), ((10, 20), 8, 18), ((63, 31), 59, 27)]
    )
    def test_it_shows_the_cells_around_the_focus(
        self, at: tuple[int, int], top: int, left: int
    ) -> None:
        part = cells_around((64, 32), (5, 5), at)
        assert part == VisibleCells(top, top + 5, left, left + 5)

    def place(self, panel: HeatmapPanel, row: int, column: int) -> QPoint:
        """The middle of a cell of the lens, of as many rows and columns as it has."""
        lens = panel.view.current_layout.lens
        assert lens is not None
        width, height = lens.rect.width() / lens.columns, lens.rect.height() / lens.rows
        at = lens.rect.topLeft().toPoint()
        return at + QPoint(int((column + 0.5) * width), int((row + 0.5) * height))

    def test_a_click_in_it_focuses_the_cell(self, qtbot: QtBot) -> None:
        session, panel = make_panel(qtbot, example(n=40), heatmap_stage="weights")
        session.set_focus(Cell("weights", 20, 30, 0))
        lens = panel.view.current_layout.lens
        assert lens is not None
        middle = lens.rows // 2, lens.columns // 2
        assert panel.view.cell_under(self.place(panel, *middle)) == Cell("", 20, 30, 0)
        at = self.place(panel, middle[0] + 1, middle[1] - 1)
        qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert session.state.focus == Cell("weights", 21, 29, 0)

    def test_its_digits_are_those_of_the_run(self, qtbot: QtBot) -> None:
        """An edit of one cell in sight changes the picture of that cell of the lens."""
        session, panel = make_panel(qtbot, example(n=40), heatmap_stage="weights")
        session.set_focus(Cell("weights", 20, 30, 0))
        before = pixels(panel)
        session.change(with_pin, Cell("weights", 19, 30, 0), 0.875, text="Edit")
        lens = panel.view.current_layout.lens
        assert lens is not None
        cell = QRectF(0, 0, lens.rect.width() / lens.columns, lens.rect.height() / lens.rows)
        cell.moveCenter(self.place(panel, lens.rows // 2 - 1, lens.columns // 2).toPointF())
        here = cell.toRect().adjusted(3, 3, -3, -3)
        assert before.copy(here) != pixels(panel).copy(here)

    def test_hidden_numbers_are_not_in_it(self, qtbot: QtBot) -> None:
        pictures = []
        for value in (0.25, 0.875):
            document = with_pin(example(n=40), Cell("weights", 20, 30, 0), value)
            session, panel = make_panel(qtbot, document, heatmap_stage="weights")
            session.go_to_stage("scores")
            session.set_focus(Cell("weights", 20, 29, 0))
            session.answers.set_predicting(True)
            pictures.append(pixels(panel))
        assert pictures[0] == pictures[1]


class TestFirstFocus:
    @pytest.mark.parametrize("stage", ["scores", "weights"])
    def test_a_step_to_a_long_row_focuses_its_largest_number(self, stage: str) -> None:
        session = Session(example(n=20), Preferences())
        session.select_head(1)
        session.go_to_stage(stage)
        row = [float(value) for value in session.state.trace[stage][1, 0]]
        assert session.state.focus == Cell(stage, 0, row.index(max(row)), 1)

    def test_a_short_row_begins_at_its_first_number(self) -> None:
        session = Session(example(n=16), Preferences())
        session.go_to_stage("weights")
        assert session.state.focus == Cell("weights", 0, 0, 0)

    def test_a_column_that_was_chosen_stays(self) -> None:
        session = Session(example(n=20), Preferences())
        session.go_to_stage("scores")
        session.set_focus(Cell("scores", 2, 7, 0))
        session.go_to_stage("weights")
        assert session.state.focus == Cell("weights", 2, 7, 0)
