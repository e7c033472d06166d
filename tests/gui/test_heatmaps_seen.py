"""Large matrices in the heatmap: no more is coloured than can be seen, and nothing of it is lost between two pixels."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from core.base.cell import Cell
from core.document.document import Document
from gui.painting.color_scale import Levels, value_colour
from gui.painting.theme import Colours, colours
from gui.views.heatmaps import painting, view
from gui.views.heatmaps.heatmap_data import Pane, map_threaded
from gui.views.heatmaps.heatmap_spec import HeatmapSpec
from gui.views.heatmaps.painting import paint_spec
from gui.views.heatmaps.panel import HeatmapPanel
from gui.views.heatmaps.visible_cells import VisibleCells, find_visible, visible_pane
from tests.gui.heatmaps_kit import colour_in, example, make_panel

LEVELS = Levels(-2.0, 2.0)
MATRIX = np.random.default_rng(5).normal(size=(11, 7))
LARGE = 1500


def flags(share: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(MATRIX.shape) < share


def blocks(down: int, across: int) -> list[tuple[slice, slice, int, int]]:
    return [
        (slice(top, top + down), slice(left, left + across), top // down, left // across)
        for top in range(0, MATRIX.shape[0], down)
        for left in range(0, MATRIX.shape[1], across)
    ]


class TestMeans:
    @pytest.mark.parametrize(("down", "across"), [(4, 3), (1, 2), (3, 1), (11, 7), (5, 6)])
    def test_a_pixel_is_the_mean_of_its_cells(self, down: int, across: int) -> None:
        coarse = visible_pane(Pane(2, MATRIX, LEVELS), VisibleCells(0, 11, 0, 7, down, across))
        assert coarse.head == 2
        for rows, columns, row, column in blocks(down, across):
            numbers = [float(x) for x in MATRIX[rows, columns].ravel()]
            assert coarse.values[row, column] == pytest.approx(
                sum(numbers) / len(numbers), abs=1e-12
            )

    def test_masked_cells_do_not_count_and_a_block_of_them_is_masked(self) -> None:
        masked = flags(0.7, 1)
        masked[4:8, 3:6] = True
        values = np.where(masked, -np.inf, MATRIX)
        coarse = visible_pane(Pane(0, values, LEVELS, masked), VisibleCells(0, 11, 0, 7, 4, 3))
        assert coarse.masked is not None
        for rows, columns, row, column in blocks(4, 3):
            numbers = values[rows, columns][~masked[rows, columns]]
            assert coarse.masked[row, column] == (len(numbers) == 0)
            if len(numbers):
                assert coarse.values[row, column] == pytest.approx(
                    numbers.sum() / len(numbers), abs=1e-12
                )
        assert coarse.masked[1, 1]

    def test_a_block_masked_in_one_of_two_runs_says_so_where_nothing_else_is(self) -> None:
        half, both = np.zeros(MATRIX.shape, bool), np.zeros(MATRIX.shape, bool)
        both[0:4, 0:6] = True
        half[1, 1], both[1, 1] = True, False
        half[5, 4] = True
        coarse = visible_pane(Pane(0, MATRIX, LEVELS, both, half), VisibleCells(0, 11, 0, 7, 4, 3))
        assert coarse.half_masked is not None
        assert np.argwhere(coarse.half_masked).tolist() == [[0, 0]]

    def test_what_is_seen_from_near_are_the_cells(self) -> None:
        part = visible_pane(Pane(0, MATRIX, LEVELS, flags(0.3, 4)), VisibleCells(2, 9, 1, 4))
        assert np.array_equal(part.values, MATRIX[2:9, 1:4])
        assert part.masked is not None
        assert np.array_equal(part.masked, flags(0.3, 4)[2:9, 1:4])

    def test_heads_side_by_side_come_in_their_order(self) -> None:
        squares: Callable[[int], int] = partial(pow, exp=2)
        for cells in (1, 1 << 30):
            assert map_threaded(squares, [3, 1, 2], cells) == [9, 1, 4]


class TestLook:
    def test_a_small_matrix_is_seen_as_a_whole(self) -> None:
        window = QRectF(10, 20, 100, 80)
        assert find_visible((5, 4), window, QRectF(-90, -60, 300, 240), 1.0) == VisibleCells(
            0, 5, 0, 4
        )

    def test_cells_share_a_pixel_where_they_are_smaller(self) -> None:
        window = QRectF(0, 0, 300, 400)
        assert find_visible((2000, 1000), window, window, 1.0) == VisibleCells(
            0, 2000, 0, 1000, 5, 3
        )
        assert find_visible((2000, 1000), window, window, 2.0) == VisibleCells(
            0, 2000, 0, 1000, 2, 1
        )

    def test_of_a_part_the_blocks_in_view_are_seen_always_the_same_ones(self) -> None:
        window = QRectF(50, 0, 100, 100)
        look = find_visible((2000, 2000), window, QRectF(-52.5, -1, 500, 500), 1.0)
        assert (look.block_rows, look.block_columns) == (4, 4)
        assert look.left % 4 == look.top % 4 == 0
        rect = look.rect(QRectF(-52.5, -1, 500, 500), (2000, 2000))
        assert rect.contains(window)
        assert rect.width() <= 100 + 2 * 1.01


@pytest.fixture(scope="module")
def causal() -> Document:
    return example("causal", LARGE)


def image_of(panel: HeatmapPanel) -> QImage:
    image: QImage = panel.view.viewport().grab().toImage()
    return image


class TestPanel:
    def test_no_more_is_coloured_than_is_seen(
        self, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        sizes: list[int] = []
        real = painting.pane_colours

        def counted(pane: Pane, theme: Colours) -> npt.NDArray[np.uint8]:
            sizes.append(pane.values.size)
            return real(pane, theme)

        monkeypatch.setattr(view, "pane_colours", counted)
        session, panel = make_panel(qtbot, example(n=LARGE), heatmap_view="heads")
        session.go_to_stage("weights")
        session.go_to_stage("scores")
        room = panel.view.viewport().size()
        assert sizes
        assert max(sizes) < 4 * room.width() * room.height() < LARGE**2

    def test_closer_its_cells_have_their_own_colours(self, qtbot: QtBot, causal: Document) -> None:
        session, panel = make_panel(qtbot, causal, heatmap_stage="scores")
        session.set_focus(Cell("scores", 700, 300, 0))
        for _ in range(26):
            qtbot.keyClick(panel.view, Qt.Key.Key_Plus)
        assert panel.view.images[0].image.size < 4 * 100_000
        session.set_focus(Cell("X", 0, 0))  # no ring
        assert panel.view.spec is not None
        levels = panel.view.spec.panes[0].levels
        for row, column in ((700, 300), (699, 301), (701, 302)):
            expected = value_colour(
                colours("light"), levels, float(session.state.trace["scores"][0, row, column])
            )
            assert colour_in(panel, Cell("", row, column, 0)) == expected, (row, column)

    def test_from_far_a_lone_diagonal_is_not_lost(self, qtbot: QtBot) -> None:
        _, panel = make_panel(qtbot, example(n=LARGE), heatmap_stage="weights")
        shown = panel.view.spec
        assert shown is not None
        values = np.zeros((LARGE, LARGE))
        values[np.arange(1, LARGE), np.arange(LARGE - 1)] = 1.0
        pane = Pane(0, values, Levels(0.0, 1.0))
        panel.view.show_spec(_with_panes(shown, pane))
        grabbed = image_of(panel)
        nothing = value_colour(colours("light"), Levels(0.0, 1.0), 0.0)
        at = [panel.view.point_of(Cell("", i, i - 1, 0)).toPoint() for i in range(20, LARGE, 97)]
        assert all(_least(grabbed, place, nothing) > 8 for place in at)

    def test_a_picture_shows_the_same(self, qtbot: QtBot, causal: Document) -> None:
        _, panel = make_panel(qtbot, causal, heatmap_stage="scores")
        sheet = panel.view.spec
        assert sheet is not None
        room = QRectF(panel.view.viewport().rect())
        drawn = QImage(room.size().toSize(), QImage.Format.Format_RGB32)
        painter = QPainter(drawn)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        paint_spec(painter, room, room.adjusted(4, 4, -4, -4), sheet)
        painter.end()
        grabbed = image_of(panel)
        for row, column in ((1400, 30), (800, 700), (1200, 900)):
            at = panel.view.point_of(Cell("", row, column, 0)).toPoint()
            assert _distance(drawn.pixelColor(at), grabbed.pixelColor(at)) < 6


def _with_panes(sheet: HeatmapSpec, pane: Pane) -> HeatmapSpec:
    return replace(sheet, panes=(pane,), focus=None, source_frames=())


def _distance(one: QColor, other: QColor) -> int:
    return max(
        abs(one.red() - other.red()),
        abs(one.green() - other.green()),
        abs(one.blue() - other.blue()),
    )


def _least(image: QImage, at: QPoint, colour: QColor) -> int:
    """How far the colours around a point are from a colour, at most."""
    return max(
        _distance(image.pixelColor(at + QPoint(i, j)), colour)
        for i in (-1, 0, 1)
        for j in (-1, 0, 1)
    )
