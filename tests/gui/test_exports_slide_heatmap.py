"""The heatmap of a scene on its slide: as large as there is room, above the strip of stages."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from PySide6.QtCore import QRectF

from core.compute.trace import run
from core.storage.examples import load_example
from gui.export.slide_shapes import LAYOUT, SHARPER, heatmap_scale
from gui.views.heatmaps.painting import make_heatmap
from tests.core.documents import make
from tests.gui.stage_kit import session_at
from tests.gui.test_exports_scenes import deck
from tests.gui.test_exports_slides import INCH


def test_a_heatmap_on_a_slide_is_large_and_stands_above_the_strip_of_stages(
    tmp_path: Path, qapp: object
) -> None:
    slide = deck(tmp_path / "a.pptx").slides[3]
    heatmap, strip, said = (
        next(shape for shape in slide.shapes if shape.name == name)
        for name in ("Heatmap", "Diagram", "Worked sum")
    )
    assert len(strip.shapes) == len(run(load_example("cat-eats-fish")).plan)
    for shape in (heatmap, said):
        assert shape.top + shape.height <= strip.top
    height = heatmap.height / INCH * LAYOUT
    with Image.open(io.BytesIO(heatmap.image.blob)) as picture:
        pixels = np.asarray(picture.convert("RGB")).astype(int)
    ground = pixels[-1, 0]
    rows = np.flatnonzero((abs(pixels - ground) > 24).any(axis=(1, 2)))
    assert rows[-1] - rows[0] > 0.8 * height * SHARPER, "half of it was empty"


@pytest.mark.parametrize(
    ("tokens", "least", "most"), [(3, 1.9, 2.0), (7, 1.2, 1.7), (40, 1.0, 1.0)]
)
def test_a_heatmap_is_enlarged_as_far_as_its_numbers_have_room(
    qapp: object, tokens: int, least: float, most: float
) -> None:
    sizes = {"n": tokens, "d": 6, "h": 1, "k": 2, "v": 4}
    session = session_at(make(sizes=sizes), "weights")
    room = QRectF(0, 0, 633, 456)
    shown = make_heatmap(session.state, room)
    unit = heatmap_scale(room, shown)
    assert least <= unit <= most
    matrix = make_heatmap(session.state, QRectF(0, 0, 633 / unit, 456 / unit)).layout.matrices[0]
    assert matrix.height() * unit >= 0.95 * shown.layout.matrices[0].height(), (
        "larger letters cost the cells no room"
    )
    if unit > 1:
        assert min(matrix.height(), matrix.width()) / tokens > 30, (
            "there is room for 0.00 in letters of 12"
        )
