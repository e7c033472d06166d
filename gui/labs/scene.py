"""The lab of a lesson's scene, as the hall sees it."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

from core.lesson.lesson import Demo, Resolved
from core.lesson.resolve import setting_of
from gui.labs.exhibit import Appearance
from gui.labs.frame import paint_picture, paint_sheet, show_lab
from gui.painting.scaling import in_units
from gui.session.state import State
from gui.texts.translation import current_language

STAMP_ROOM = QRectF(0, 0, 800, 520)  # units that a stamp shows, whatever its size


def paint_lab_stamp(painter: QPainter, rect: QRectF, scene: Resolved, shade: str) -> None:
    """A scene's lab, very small, in the middle of a rectangle. Kept, because a list is painted often."""
    if scene.scene.demo is None:
        return
    unit = min(rect.width() / STAMP_ROOM.width(), rect.height() / STAMP_ROOM.height())
    ratio = painter.device().devicePixelRatioF()
    picture = _stamp(scene.scene.demo, shade, current_language(), round(unit * ratio, 4))
    place = QRectF(0, 0, STAMP_ROOM.width() * unit, STAMP_ROOM.height() * unit)
    place.moveCenter(rect.center())
    painter.drawImage(place, picture)


@lru_cache(maxsize=256)
def _stamp(demo: Demo, shade: str, _language: str, unit: float) -> QImage:
    size = STAMP_ROOM.size() * unit
    image = QImage(
        max(1, round(size.width())),
        max(1, round(size.height())),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    image.fill(0)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        with in_units(painter, image.rect(), unit) as room:
            paint_picture(
                painter, room, demo.lab, show_lab(demo.lab, setting_of(demo), Appearance(shade))
            )
    return image


def paint_lab(painter: QPainter, rect: QRectF, state: State) -> None:
    """Draw the lab of the scene at which we stand into a rectangle; nothing at a scene without one."""
    if state.scene is None or state.scene.scene.demo is None or state.scene.setting is None:
        return
    demo = state.scene.scene.demo
    shown = show_lab(demo.lab, state.scene.setting, Appearance(state.shade, state.decimals))
    paint_sheet(painter, rect, demo.lab, shown, titled=False)
