"""Matrices too large for digits are shown whole in colours beside the numbers around the focus."""

from __future__ import annotations

from itertools import combinations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter

from core.base.cell import Cell
from core.document.edits import with_pin
from core.explain.timeline import Cursor, Grain, Reach
from gui.session.session import Session
from gui.session.state import Preferences
from gui.views.stage.picture import paint_scene
from gui.views.stage.scene import StageScene, build_scene
from tests.gui.heatmaps_kit import example

pytestmark = pytest.mark.usefixtures("qapp")

AREAS = [QRectF(0, 0, *size) for size in ((800, 360), (1220, 560), (960, 300))]


def scene_of(n: int, stage: str, area: QRectF, *, columns: bool = False) -> StageScene:
    session = Session(example(n=n), Preferences(columns=columns))
    session.go_to_stage(stage)
    return build_scene(session.state, area, brief=area.height() <= 300)


@pytest.mark.parametrize("area", AREAS)
@pytest.mark.parametrize("columns", [False, True])
@pytest.mark.parametrize("stage", ["scores", "weights", "heads"])
@pytest.mark.parametrize("n", [40, 256])
def test_a_result_that_is_cut_is_shown_whole_beside_its_numbers(
    n: int, stage: str, columns: bool, area: QRectF
) -> None:
    placed = scene_of(n, stage, area, columns=columns).placed
    result = placed[-1]
    assert result.overview is not None
    assert result.rows.cut or result.columns.cut
    boxes = [one.overview for one in placed if one.overview is not None]
    boxes += [one.rect for one in placed]
    assert all(map(area.contains, boxes))
    assert not any(one.intersects(other) for one, other in combinations(boxes, 2))
    assert max(result.overview.width(), result.overview.height()) >= 30


def test_the_whole_matrices_grow_with_the_room() -> None:
    small, large = (scene_of(64, "weights", area).placed[-1].overview for area in AREAS[:2])
    assert small is not None
    assert large is not None
    assert large.width() > 1.4 * small.width()


@pytest.mark.parametrize("area", AREAS)
def test_a_matrix_that_fits_is_shown_once(area: QRectF) -> None:
    assert all(placed.overview is None for placed in scene_of(4, "weights", area).placed)


@pytest.mark.parametrize("columns", [False, True])
def test_a_point_of_the_whole_matrix_is_its_cell(columns: bool) -> None:
    scene = scene_of(40, "weights", AREAS[1], columns=columns)
    overview = scene.placed[-1].overview
    assert overview is not None
    at = overview.topLeft() + QPointF(30.5 / 40 * overview.width(), 7.5 / 40 * overview.height())
    row, column = (30, 7) if columns else (7, 30)
    assert scene.cell_at(at) == Cell("weights", row, column, 0)


@pytest.mark.parametrize(("cell", "differs"), [((20, 30), False), ((3, 30), True)])
def test_it_is_coloured_as_far_as_steps_have_come(cell: tuple[int, int], differs: bool) -> None:
    pictures = []
    for value in (0.125, 0.875):
        document = with_pin(example(n=40), Cell("weights", *cell, 0), value)
        session = Session(document, Preferences(grain=Grain.ROW))
        session.go_to(Cursor("weights", row=10, reach=Reach.ROW))
        session.set_focus(Cell("weights", 10, 0, 0))
        scene = build_scene(session.state, AREAS[1])
        image = QImage(1220, 560, QImage.Format.Format_RGB32)
        image.fill(0)
        with QPainter(image) as painter:
            paint_scene(painter, scene)
        overview = scene.placed[-1].overview
        assert overview is not None
        pictures.append(image.copy(overview.toRect()))
    assert (pictures[0] != pictures[1]) == differs
