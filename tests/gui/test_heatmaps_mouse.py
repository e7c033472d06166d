"""The heatmaps under the mouse; their pixels against the colours of the other views."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.edits import with_pin
from gui.painting.color_scale import ramp, stage_levels, value_colour
from gui.painting.theme import colours
from gui.session.session import Session
from gui.views.heatmaps.panel import HeatmapPanel
from tests.gui.heatmaps_kit import H, N, V, click, colour_in, example, make_panel, pixels

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton
Make = Callable[..., tuple[Session, HeatmapPanel]]


@pytest.fixture
def make(qtbot: QtBot) -> Make:
    """Makes panels with a document and preferences."""
    return partial(make_panel, qtbot)


class TestColours:
    @pytest.mark.parametrize("shade", ["light", "dark"])
    @pytest.mark.parametrize("stage", ["scores", "weights", "V"])
    def test_every_cell_has_the_colour_it_has_everywhere(
        self, make: Make, stage: str, shade: str
    ) -> None:
        session, panel = make(heatmap_stage=stage)
        session.set_shade(shade)
        session.select_head(1)
        levels, values = stage_levels(session.state.trace, stage), session.state.trace[stage][1]
        for row in range(values.shape[0]):
            for column in range(values.shape[1]):
                expected = value_colour(colours(shade), levels, float(values[row, column]))
                assert colour_in(panel, Cell("", row, column, 1)) == expected, (row, column)

    def test_masked_cells_wear_no_colour_of_the_scale(self, make: Make) -> None:
        _, panel = make(example("causal"), heatmap_stage="weights")
        image, scale = pixels(panel), {tuple(map(int, shade)) for shade in ramp(colours("light"))}
        middle = panel.view.point_of(Cell("", 0, 3)).toPoint()
        patch = [image.pixelColor(middle + QPoint(x, 12)) for x in range(-14, 15)]
        theme = colours("light")
        assert {colour.name().upper() for colour in patch} >= {theme.sunken, theme.ghost}
        assert not {(colour.red(), colour.green(), colour.blue()) for colour in patch} & scale

    def test_the_images_are_row_major_by_themselves(self, make: Make) -> None:
        _, panel = make(heatmap_stage="V", heatmap_view="heads")
        assert pg.getConfigOption("imageAxisOrder") == "col-major"
        assert [image.axisOrder for image in panel.view.images] == ["row-major"] * H
        assert panel.view.images[0].image.shape == (N, V, 4)

    def test_a_pinned_cell_is_marked(self, make: Make) -> None:
        session, panel = make(heatmap_stage="weights")
        before = pixels(panel)
        session.change(
            with_pin, Cell("weights", 1, 2, 0), session.state.trace["weights"][0, 1, 2], text="Edit"
        )
        warning = QColor(colours("light").warning)
        corner = (
            panel.view.point_of(Cell("", 1, 2)) + panel.view.point_of(Cell("", 0, 3))
        ) / 2 + QPointF(-3, 3)
        assert before.pixelColor(corner.toPoint()) != warning
        assert pixels(panel).pixelColor(corner.toPoint()) == warning


class TestMouse:
    def test_a_click_focuses_the_cell(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(heatmap_stage="scores")
        for cell in (Cell("scores", 0, 4, 0), Cell("scores", 3, 1, 0)):
            click(qtbot, panel, cell)
            assert session.state.focus == cell
            value = session.state.trace["scores"][0, cell.row, cell.column]
            assert panel.reading.text().startswith(
                f"Scores · Head 1 · query t{cell.row} · key t{cell.column} =\u00a0"
            )
            assert panel.reading.text().endswith(f"{value:.2f}".replace("-", "−"))

    def test_the_focused_cell_is_ringed(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(heatmap_stage="scores")
        edge = (panel.view.point_of(Cell("", 2, 1)) + panel.view.point_of(Cell("", 2, 2))) / 2
        accent = QColor(colours("light").accent)
        across = [(edge + QPointF(by, 0)).toPoint() for by in (-1, 0, 1)]
        assert accent not in map(pixels(panel).pixelColor, across)
        session.set_focus(Cell("scores", 2, 2, 0))
        assert accent in map(pixels(panel).pixelColor, across)

    def test_beside_the_matrix_nothing_is_focused(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(heatmap_stage="scores")
        before = session.state
        qtbot.mouseClick(panel.view.viewport(), LEFT, pos=QPoint(2, 2))
        assert session.state is before

    def test_in_the_grid_a_click_chooses_the_head_too(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(heatmap_stage="V", heatmap_view="heads")
        click(qtbot, panel, Cell("V", 4, 3, 2))
        assert session.state.focus == Cell("V", 4, 3, 2)
        assert session.state.cursor.head == 2

    def test_in_the_grid_a_title_chooses_the_head(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(heatmap_stage="V", heatmap_view="heads")
        title = panel.view.current_layout.titles[1]
        qtbot.mouseClick(panel.view.viewport(), LEFT, pos=title.center().toPoint())
        assert session.state.cursor.head == 1

    def test_the_tip_reads_the_cell_out(self, make: Make) -> None:
        _, panel = make(heatmap_stage="scores")
        point = panel.view.point_of(Cell("", 1, 3)).toPoint()
        view = panel.view.viewport()
        QApplication.sendEvent(
            view, QHelpEvent(QEvent.Type.ToolTip, point, view.mapToGlobal(point))
        )
        assert QToolTip.text().startswith("Scores · Head 1 · query t1 · key t3 = ")
        QToolTip.hideText()

    def test_no_menu_of_pyqtgraph_opens(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(heatmap_stage="scores")
        before = session.state
        qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.RightButton, pos=QPoint(150, 120))
        assert QApplication.activePopupWidget() is None
        assert session.state is before


class TestZoom:
    def turn(self, panel: HeatmapPanel, cell: Cell, notches: int) -> bool:
        view, here = panel.view.viewport(), panel.view.point_of(cell)
        event = QWheelEvent(
            here,
            view.mapToGlobal(here),
            QPoint(),
            QPoint(0, 120 * notches),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        QApplication.sendEvent(view, event)
        return event.isAccepted()

    def test_the_wheel_leaves_a_small_matrix_alone(self, make: Make) -> None:
        _, panel = make(heatmap_stage="scores")
        before = panel.view.point_of(Cell("", 0, 0))
        self.turn(panel, Cell("", 2, 2), 3)
        assert panel.view.point_of(Cell("", 0, 0)) == before

    def test_a_large_one_comes_closer_and_a_double_click_fits_it_again(
        self, qtbot: QtBot, make: Make
    ) -> None:
        _, panel = make(example(n=60), heatmap_stage="scores")
        far, here = Cell("", 59, 59), Cell("", 20, 30)
        before, under = panel.view.point_of(far), panel.view.point_of(here)
        self.turn(panel, here, 4)
        assert (panel.view.point_of(here) - under).manhattanLength() < 1
        assert panel.view.point_of(far).x() > before.x() + 100
        qtbot.mouseDClick(panel.view.viewport(), LEFT, pos=under.toPoint())
        assert panel.view.point_of(far) == before

    def test_keys_zoom_and_the_focus_stays_in_view(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(example(n=60), heatmap_stage="scores")
        for _ in range(9):
            qtbot.keyClick(panel.view, Key.Key_Plus)
        session.set_focus(Cell("scores", 58, 1, 0))
        matrix = panel.view.current_layout.matrices[0]
        assert matrix.contains(panel.view.point_of(Cell("", 58, 1)))
        assert not matrix.contains(panel.view.point_of(Cell("", 0, 59)))
        qtbot.keyClick(panel.view, Key.Key_0)
        assert matrix.contains(panel.view.point_of(Cell("", 0, 59)))

    def test_a_drag_moves_the_part_and_focuses_nothing(self, qtbot: QtBot, make: Make) -> None:
        session, panel = make(example(n=60), heatmap_stage="scores")
        self.turn(panel, Cell("", 30, 30), 5)
        before, state = panel.view.point_of(Cell("", 30, 30)), session.state
        view, start = panel.view.viewport(), before.toPoint()
        qtbot.mousePress(view, LEFT, pos=start)
        qtbot.mouseMove(view, start + QPoint(20, 10))
        qtbot.mouseRelease(view, LEFT, pos=start + QPoint(20, 10))
        moved = panel.view.point_of(Cell("", 30, 30)) - before
        assert (moved - QPointF(20, 10)).manhattanLength() < 2
        assert session.state is state
