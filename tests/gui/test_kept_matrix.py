"""Matrices from kept pixmaps: the same picture as drawn cell by cell, and never an old one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from core.arrays import Array, frozen
from gui import matrix_cells
from gui.kept_matrix import KeptMatrices
from gui.matrix import Frame, Picture, paint_matrix
from gui.theme import LIGHT, THEMES, Colours
from gui.values import Levels

LEVELS = Levels(-1.0, 1.0)
RECT = QRectF(20.4, 13.7, 241.5, 163.2)
CHANGES: dict[str, object] = {
    "decimals": 1, "shown": (2, 1), "pinned": frozenset({(1, 1)}), "filled": frozenset({(2, 0)}), "off": True,
    "asked": (3, 0), "levels": Levels(-3.0, 3.0), "digits": None, "frames": (Frame((1, 2), (0, 4), "#FF0000"),),
}  # fmt: skip


def numbers(seed: int) -> Array:
    return frozen(np.random.default_rng(seed).uniform(-1, 1, (5, 4)))


def drawn(picture: Picture, kept: KeptMatrices | None, ratio: float = 1.0, theme: Colours = LIGHT) -> QImage:
    image = QImage(round(300 * ratio), round(200 * ratio), QImage.Format.Format_ARGB32_Premultiplied)
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
    kept, picture = KeptMatrices(), Picture(numbers(1), LEVELS, 2, frames=(Frame((0, 1), (0, 4), "#0000FF"),))
    plain = drawn(picture, None, ratio)
    assert difference(plain, drawn(replace(picture, frames=()), None, ratio)) > 100  # it would be noticed
    for _ in range(2):
        assert difference(drawn(picture, kept, ratio), plain) <= 3


@pytest.mark.parametrize("name", list(CHANGES))
def test_whatever_changes_is_drawn_anew(qapp: object, name: str) -> None:
    picture = Picture(numbers(1), LEVELS, 2, shown=(1, 0) if name == "asked" else None)
    kept = KeptMatrices()
    drawn(picture, kept)
    changed = replace(picture, **{name: CHANGES[name]})  # type: ignore[arg-type]
    assert difference(drawn(changed, kept), drawn(changed, None)) <= 3
    assert difference(drawn(changed, kept), drawn(picture, None)) > 30


def test_other_numbers_in_the_same_place_are_drawn_anew(qapp: object) -> None:
    kept = KeptMatrices()
    for seed in range(40):  # arrays come and go, and some lie where one lay before
        picture = Picture(numbers(seed)[1:], LEVELS, 2)
        assert difference(drawn(picture, kept), drawn(picture, None)) <= 3


@pytest.mark.parametrize("name", list(THEMES))
@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
def test_grounds_painted_all_at_once_are_those_painted_one_by_one(
    qapp: object, monkeypatch: pytest.MonkeyPatch, name: str, ratio: float
) -> None:
    kept, one_by_one, told = KeptMatrices(), matrix_cells._paint_grounds, list[int]()

    def painted(painter: QPainter, cells: matrix_cells._Cells) -> None:
        told.append(len(cells.places))
        one_by_one(painter, cells)

    monkeypatch.setattr(matrix_cells, "_paint_grounds", painted)
    changes: list[dict[str, object]] = [{}, {}, {"shown": (2, 1)}, {"shown": (1, 2), "asked": (3, 0)}, {"off": True}]
    for seed, change in enumerate(changes):
        values = numbers(seed).copy()
        values[seed, 1] = -np.inf
        picture = replace(Picture(frozen(values), LEVELS, 2), **change)  # type: ignore[arg-type]
        at_once = drawn(picture, kept, ratio, THEMES[name])
        assert told == [20]  # the first time: the mask is made when it is wanted again
        assert difference(at_once, drawn(picture, KeptMatrices(), ratio, THEMES[name])) <= 1
        assert told.pop() == 20


@pytest.mark.parametrize("width", [60.0, 16.0])
def test_cells_so_close_that_they_share_pixels_are_painted_one_by_one(qapp: object, width: float) -> None:
    kept, rect = KeptMatrices(), QRectF(3.3, 4.4, 4 * width, 5 * width / 2)
    for seed in range(3):
        picture = Picture(numbers(seed), LEVELS, 2)
        image = QImage(300, 200, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        kept.paint(painter, rect, picture, LIGHT)
        painter.end()
    assert len(kept._masks._kept) == (width == 60.0)


def test_where_a_mask_forbids_is_part_of_it(qapp: object) -> None:
    weights = frozen(np.tile([0.5, 0.5, 0.0, 0.0], (5, 1)))
    open_, closed = frozen(np.zeros((5, 4))), frozen(np.tile([0.0, 0.0, -np.inf, -np.inf], (5, 1)))
    kept = KeptMatrices()
    for scores in (open_, closed, open_):
        picture = Picture(weights, LEVELS, 2, scores=scores)
        assert difference(drawn(picture, kept), drawn(picture, None)) <= 3
