"""The lab of a lesson's scene, as the hall sees it."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter

from gui.labs.exhibit import Look
from gui.labs.frame import paint_sheet, show_lab
from gui.state import State


def paint_lab(painter: QPainter, rect: QRectF, state: State) -> None:
    """Draw the lab of the scene at which we stand into a rectangle; nothing at a scene without one."""
    if state.shown is None or state.shown.scene.demo is None or state.shown.setting is None:
        return
    demo = state.shown.scene.demo
    shown = show_lab(demo.lab, state.shown.setting, Look(state.shade, state.decimals))
    paint_sheet(painter, rect, demo.lab, shown, titled=False)
