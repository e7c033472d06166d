"""Room around numbers in tight matrices, and zeros that stand back."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from gui.painting.color_scale import Levels, contrast, ink
from gui.painting.matrix import FORBIDDEN, MatrixSpec, paint_matrix, palette
from gui.painting.matrix_spec import cell_rect
from gui.painting.text_layout import width_of
from gui.painting.theme import CAPTION, LIGHT, THEMES, font
from gui.views.stage.scene import build_scene
from tests.gui.stage_kit import session_at

SIZE = (240, 40)


@pytest.mark.parametrize("stage", ["weights", "exp", "V", "Y"])
def test_numbers_of_a_matrix_that_is_cut_keep_clear_of_their_frame(
    qapp: object, stage: str
) -> None:
    session = session_at("eight-heads", stage, 0, 0)
    scene = build_scene(session.state, QRectF(0, 0, 850, 365))
    assert any(placed.columns.cut for placed in scene.placed)
    for placed in scene.placed:
        digits = placed.matrix.digits
        assert digits is not None
        widest = max(
            width_of(f"{value:.2f}".replace("-", "−"), font(digits))
            for value in placed.matrix.values.flat
        )
        assert placed.rect.width() / placed.columns.count - widest >= 0.7 * CAPTION


def test_a_small_matrix_is_rather_whole_than_airy(qapp: object) -> None:
    session = session_at("i-love-this-apple", "Q", 0, 0)
    assert session.state.document.X is not None
    assert session.state.document.X.shape == (4, 8)
    scene = build_scene(session.state, QRectF(0, 0, 720, 330))
    assert not any(placed.columns.cut or placed.rows.cut for placed in scene.placed)


@pytest.mark.parametrize("shade", THEMES)
@pytest.mark.parametrize("off", [False, True])
def test_zeros_stand_back_where_they_can_still_be_read(shade: str, off: bool) -> None:
    colours = palette(THEMES[shade], off)
    assert all(
        contrast(colours.zero_colour(kind), colours[kind][0]) >= 4.5
        for kind in range(FORBIDDEN + 1)
    )
    zero = colours[255][0]
    assert colours.zero_colour(255) == QColor(THEMES[shade].muted)
    if not off:
        assert contrast(colours.zero_colour(255), zero) < contrast(ink(zero), zero)


@pytest.mark.parametrize("decimals", [0, 2, 3])
def test_what_is_shown_as_zero_looks_alike_exact_or_rounded(qapp: object, decimals: int) -> None:
    tiny = 0.4 * 10.0**-decimals
    image = painted(
        MatrixSpec(np.array([[0.0, tiny, -tiny, 1.0]]), Levels(-1e9, 1e9), decimals, digits=16.0)
    )
    cells = [
        image.copy(cell_rect(QRectF(0, 0, *SIZE), 1, 4, 0, column).toRect()) for column in range(4)
    ]
    assert [darkest(cell) < 80 for cell in cells] == [False, False, False, True]
    assert cells[0] == cells[1] == cells[2]


def painted(picture: MatrixSpec) -> QImage:
    image = QImage(*SIZE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.surface))
    with QPainter(image) as painter:
        paint_matrix(painter, QRectF(0, 0, *SIZE), picture, LIGHT)
    return image


def darkest(image: QImage) -> int:
    return min(
        image.pixelColor(x, y).lightness()
        for x in range(image.width())
        for y in range(image.height())
    )
