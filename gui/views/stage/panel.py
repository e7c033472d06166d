"""The stage's panel as it is painted on a screen."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen

from core.document.document import Document
from gui.painting.matrix import MatrixSpec
from gui.painting.scaling import in_units
from gui.painting.theme import colours
from gui.views.stage.picture import paint_scene
from gui.views.stage.scene import Scene

ROUND = 10.0  # radius of the panel's corners
ROOMY = QSize(900, 440)  # a panel that has all the room it needs at 100 %
PENCIL = 8  # an experiment with more rows or columns than this needs a larger panel for more of its numbers
LARGEST = 2.5

Pictures = tuple[MatrixSpec, ...]


def growth(size: QSize, document: Document) -> float:
    """How much larger than usual everything is in a panel of this size, in pixels at 100 %; the same at every step.

    In eighths, so that a window whose edge is dragged is not laid out anew at every pixel.
    """
    if max(document.sizes.values()) > PENCIL:
        return 1.0
    room = min(size.width() / ROOMY.width(), size.height() / ROOMY.height(), LARGEST)
    return max(1.0, math.floor(room * 8) / 8)


@dataclass(frozen=True, slots=True)
class Panel:
    """How large the view is, how many pixels a unit has, and whether it goes without its frame."""

    rect: QRect
    unit: float
    bare: bool

    def paint(self, painter: QPainter, scene: Scene, pictures: Pictures = ()) -> None:
        """Draw the panel and the scene on it; `pictures` stand in for the scene's own while cells flash."""
        theme = colours(scene.state.shade)
        if not self.bare:
            painter.fillRect(self.rect, QColor(theme.window))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.line), 1))
            painter.setBrush(QColor(theme.surface))
            painter.drawRoundedRect(QRectF(self.rect).adjusted(0.5, 0.5, -0.5, -0.5), ROUND, ROUND)
        with in_units(painter, self.rect, self.unit):
            paint_scene(painter, scene, pictures)
