"""Matrices from kept pixmaps: the same picture as drawn cell by cell, and never an old one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from core.base.arrays import Array, frozen
from gui.painting import matrix_cells
from gui.painting.color_scale import Levels
from gui.painting.matrix import Frame, MatrixSpec, paint_matrix
from gui.painting.matrix_cache import MatrixCache
from gui.painting.theme import LIGHT, THEMES, Colours

LEVELS = Levels(-1.0, 1.0)
RECT = QRectF(20.4, 13.7, 241.5, 163.2)
CHANGES: dict[str, object] = {
    "decimals": 1,
    "shown": (2, 1),
    "pinned": frozenset({(1, 1)}),
    "filled": frozenset({(2, 0)}),
    "off": True,
    "asked": (3, 0),
    "levels": Levels(-3.0, 3.0),
    "digits": None,
    "frames": (Frame((1, 2), (0, 4), "#FF0000"),),
}


def numbers(seed: int) -> Array:
    return frozen(np.random.default_rng(seed).uniform(-1, 1, (5, 4)))


def drawn(
    picture: MatrixSpec, kept: MatrixCache | None, ratio: float = 1.0, theme: Colours = LIGHT
) -> QImage:
    image = QImage(
        round(300 * ratio), round(200 * ratio), QImage.Format.Format_ARGB32_Premultiplied
    )
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    (kept.paint if kept else paint_matrix)(painter, RECT, picture, theme)
    painter.end()
    return image


def difference(a: QImage, b: QImage) -> int:
    """The largest difference of any part of any pixel."""
    one, other = (np.frombuffer(image.constBits(), np.uint8).astype(int) for image in (a, b))
    return int(np.abs(one - other).max())


@pytest.mark.parametrize("ratio", [1.0, 2.0])
def test_the_kept_picture_is_the_drawn_one(qapp: object, ratio: float) -> None:
    kept, picture = (
        MatrixCache(),
        MatrixSpec(numbers(1), LEVELS, 2, frames=(Frame((0, 1), (0, 4), "#0000FF"),)),
    )
    plain = drawn(picture, None, ratio)
    assert (
        difference(plain, drawn(replace(picture, frames=()), None, ratio)) > 100
    )  # it would be noticed
    for _ in range(2):
        assert difference(drawn(picture, kept, ratio), plain) <= 3


@pytest.mark.parametrize("name", list(CHANGES))
def test_whatever_changes_is_drawn_anew(qapp: object, name: str) -> None:
    picture = MatrixSpec(numbers(1), LEVELS, 2, shown=(1, 0) if name == "asked" else None)
    kept = MatrixCache()
    drawn(picture, kept)
    changed = replace(picture, **{name: CHANGES[name]})  # type: ignore[arg-type]
    assert difference(drawn(changed, kept), drawn(changed, None)) <= 3
    assert difference(drawn(changed, kept), drawn(picture, None)) > 30


def test_other_numbers_in_the_same_place_are_drawn_anew(qapp: object) -> None:
    kept = MatrixCache()
    for seed in range(40):  # arrays come and go, and some lie where one lay before
        picture = MatrixSpec(numbers(seed)[1:], LEVELS, 2)
        assert difference(drawn(picture, kept), drawn(picture, None)) <= 3


@pytest.mark.parametrize("name", list(THEMES))
@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
def test_grounds_painted_all_at_once_are_those_painted_one_by_one(
    qapp: object, monkeypatch: pytest.MonkeyPatch, name: str, ratio: float
) -> None:
    kept, one_by_one, told = MatrixCache(), matrix_cells._paint_grounds, list[int]()

    def painted(painter: QPainter, cells: matrix_cells.Cells) -> None:
        told.append(len(cells.places))
        one_by_one(painter, cells)

    monkeypatch.setattr(matrix_cells, "_paint_grounds", painted)
    changes: list[dict[str, object]] = [
        {},
        {},
        {"shown": (2, 1)},
        {"shown": (1, 2), "asked": (3, 0)},
        {"off": True},
    ]
    for seed, change in enumerate(changes):
        values = numbers(seed).copy()
        values[seed, 1] = -np.inf
        picture = replace(MatrixSpec(frozen(values), LEVELS, 2), **change)  # type: ignore[arg-type]
        at_once = drawn(picture, kept, ratio, THEMES[name])
        assert told == [20]  # the first time: the mask is made when it is wanted again
        assert difference(at_once, drawn(picture, MatrixCache(), ratio, THEMES[name])) <= 1
        assert told.pop() == 20


@pytest.mark.parametrize("name", ["light", "chalkboard"])
@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
@pytest.mark.parametrize(
    "dress", [{}, {"pinned": frozenset({(1, 1)})}, {"filled": frozenset({(2, 0)})}, {"off": True}]
)
def test_cells_painted_over_the_run_before_are_all_painted_anew(
    qapp: object, name: str, ratio: float, dress: dict[str, object]
) -> None:
    """Whatever changes in the cells: their numbers, what is forbidden, how many of them stand or are asked for."""
    kept, rng, theme = MatrixCache(), np.random.default_rng(7), THEMES[name]
    values, counts = numbers(1).copy(), kept._cells.painted
    shown: list[tuple[int, int] | None] = [None, None, (4, 1), (3, 2), None]
    for step, extent in enumerate(shown):
        for place in {(1, 1), (2, 0), (int(rng.integers(5)), int(rng.integers(4)))}:
            values[place] = -np.inf if step == 2 else rng.uniform(-1, 1)
        picture = replace(MatrixSpec(frozen(values.copy()), LEVELS, 2, shown=extent), **dress)  # type: ignore[arg-type]
        if step == 3:
            picture = replace(picture, asked=(4, 2))
        over = drawn(picture, kept, ratio, theme)
        assert difference(over, drawn(picture, MatrixCache(), ratio, theme)) <= 1
    first, *others = counts
    assert first == 20
    assert all(0 < count < 12 for count in others)


def test_only_what_looks_otherwise_is_painted(qapp: object) -> None:
    kept, values = MatrixCache(), numbers(1).copy()
    for place, number in (
        ((0, 0), values[0, 0]),
        ((3, 2), -0.5),
        ((3, 2), -0.5004),
        ((0, 3), 0.25),
    ):
        values[place] = number
        drawn(MatrixSpec(frozen(values.copy()), LEVELS, 2), kept)
    assert list(kept._cells.painted) == [20, 1, 0, 1]
    drawn(MatrixSpec(frozen(values.copy()), Levels(-9.0, 9.0), 2), kept)  # other colours everywhere
    drawn(MatrixSpec(frozen(values.copy()), Levels(-9.0, 9.0), 3), kept)  # another dress
    assert list(kept._cells.painted)[4:] == [20, 20]


@pytest.mark.parametrize("width", [60.0, 16.0])
def test_cells_so_close_that_they_share_pixels_are_painted_one_by_one(
    qapp: object, width: float
) -> None:
    kept, rect = MatrixCache(), QRectF(3.3, 4.4, 4 * width, 5 * width / 2)
    values = numbers(1).copy()
    for number in range(3):
        values[0, 0] = number / 4
        image = QImage(300, 200, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        kept.paint(painter, rect, MatrixSpec(frozen(values.copy()), LEVELS, 2), LIGHT)
        painter.end()
    assert list(kept._cells.painted) == ([20, 1, 1] if width == 60.0 else [20, 20, 20])


def test_pictures_of_cells_are_kept_only_while_there_is_room(
    qapp: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.painting.cell_cache.MOST_PIXELS", 300_000)
    kept = MatrixCache()
    for decimals in range(9):
        drawn(MatrixSpec(numbers(1), LEVELS, decimals), kept, 2.0)
    assert 1 <= len(kept._cells._last) < 9
    assert sum(one.pixels for one in kept._cells._last.values()) <= 300_000


def test_where_a_mask_forbids_is_part_of_it(qapp: object) -> None:
    weights = frozen(np.tile([0.5, 0.5, 0.0, 0.0], (5, 1)))
    open_, closed = frozen(np.zeros((5, 4))), frozen(np.tile([0.0, 0.0, -np.inf, -np.inf], (5, 1)))
    kept = MatrixCache()
    for scores in (open_, closed, open_):
        picture = MatrixSpec(weights, LEVELS, 2, scores=scores)
        assert difference(drawn(picture, kept), drawn(picture, None)) <= 3
