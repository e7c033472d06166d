"""Pictures of labs for tests: painted onto SVG, whose texts are read back, and onto an image."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.labs.controls import ends
from core.labs.lab import Lab, Setting
from core.lesson.lesson import lesson_path, load
from gui.labs.exhibit import Exhibit, LabAppearance, LabView
from gui.texts.translation import language_folder
from tests.gui.svg_kit import svg_of, texts

SIZES = ((560, 360), (700, 480), (1400, 900), (2000, 1200))


def shown_of(lab: Lab, setting: Setting, look: LabAppearance | None = None) -> LabView:
    """What a setting shows."""
    setting = lab.in_language(setting, language_folder())
    return LabView(setting, lab.compute(setting), look or LabAppearance())


def lesson_results(lab: Lab) -> list[Any]:
    """What each scene of a lab's own lesson shows that shows the lab."""
    demos = [
        scene.demo for scene in load(lesson_path(f"lab-{lab.id}")).scenes if scene.demo is not None
    ]
    assert {demo.lab for demo in demos} == {lab.id}
    return [lab.compute(lab.start(values=json.loads(demo.json))) for demo in demos]


def texts_of(exhibit: Exhibit, shown: LabView, size: tuple[int, int] = (1400, 900)) -> list[str]:
    """Every text that the picture writes, in the order of painting."""
    return texts(svg_of(lambda painter, room: exhibit.paint(painter, room, shown), size))


def image_of(exhibit: Exhibit, shown: LabView, size: tuple[int, int]) -> QImage:
    """The picture as the window paints it."""
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor(shown.appearance.theme.surface))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    exhibit.paint(painter, QRectF(0, 0, *size), shown)
    painter.end()
    return image


def settings_at_ends(lab: Lab, start: Setting) -> list[Setting]:
    """The setting with each control in turn at each of its ends, and then all of them at their low and high ends."""
    found = [
        lab.with_value(start, control.id, end)
        for control in lab.valued(start)
        for end in ends(control)
    ]
    for which in (0, -1):
        setting = start
        for control in lab.valued(start):
            if any(
                control.id == known.id for known in lab.valued(setting)
            ):  # another one may have taken it away
                setting = lab.with_value(
                    setting, control.id, ends(lab.control(setting, control.id))[which]
                )
        found.append(setting)
    return found


def holds_in_order(texts: list[str], wanted: list[str]) -> bool:
    """Whether the wanted texts stand one right after the other, such as the cells of a matrix.

    A sign that comes from another font than the digits is an element of its own: pieces are joined first.
    """
    return "".join(wanted) in "".join(texts)


def assert_spots_lie_apart(
    exhibit: Exhibit, shown: LabView, size: tuple[int, int], *, moved: bool = False
) -> None:
    """Inside the room, none over another, each with a name and an id of its own.

    What can be dragged may have been *moved* over another one that can be dragged.
    """
    room = QRectF(0, 0, *size)
    spots = exhibit.spots(room, shown)
    assert len({spot.id for spot in spots}) == len(spots)
    for spot in spots:
        assert spot.name
        assert room.contains(spot.area), spot.id
    for one, other in combinations(spots, 2):
        if moved and one.drag and other.drag:
            continue
        assert not one.area.adjusted(1, 1, -1, -1).intersects(other.area.adjusted(1, 1, -1, -1)), (
            one.id,
            other.id,
        )
