"""What the hall sees, on any painter: the headline and the panels of a state. Previews and tests draw with it too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QColor, QPainter

from gui.labs.scene import paint_lab
from gui.painting.scaling import in_units
from gui.painting.theme import colours
from gui.presentation.code import paint_code
from gui.presentation.headline import Headline, headline_height, paint_headline
from gui.presentation.sizes import placed, unit_for
from gui.presentation.sums import paint_sum
from gui.session.presented import PresentedViews
from gui.session.state import State
from gui.views.diagram.picture import paint_diagram
from gui.views.heatmaps.picture import paint_heatmap
from gui.views.stage.picture import paint_stage
from gui.views.stage.scene import is_low


def _paint_stage(painter: QPainter, rect: QRectF, state: State) -> None:
    paint_stage(painter, rect, state, brief=is_low(rect))


Paint = Callable[[QPainter, QRectF, State], None]
PAINTERS: Mapping[str, Paint] = {
    "diagram": partial(paint_diagram, whole=False),
    "stage": _paint_stage,
    "derivation": paint_sum,
    "heatmap": paint_heatmap,
    "code": paint_code,
    "lab": paint_lab,
}


def areas(
    screen: QRect, choice: PresentedViews, words: Headline
) -> tuple[QRect, tuple[QRect, ...]]:
    """Where the headline and the panels stand on a screen."""
    head = headline_height(words, screen.width(), screen.height())
    below = screen.adjusted(0, head, 0, 0)
    return QRect(screen.x(), screen.y(), screen.width(), head), placed(
        below, choice, screen.height()
    )


def paint_panel(
    painter: QPainter, place: QRect, panel: str, state: State, height: int, paint: Paint
) -> None:
    """One panel in its place on a screen of this height."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with in_units(painter, place, unit_for(panel, height)) as room:
        paint(painter, room, state)


def paint_slide(
    painter: QPainter,
    screen: QRect,
    state: State,
    choice: PresentedViews,
    words: Headline,
    painters: Mapping[str, Paint] = PAINTERS,
) -> None:
    """Everything; `screen` may be a small picture of one, `painters` others than the usual."""
    painter.fillRect(screen, QColor(colours(state.shade).surface))
    head, places = areas(screen, choice, words)
    for panel, place in zip(choice.panels, places, strict=True):
        paint_panel(painter, place, panel, state, screen.height(), painters[panel])
    paint_headline(painter, head, screen.height(), words, state)
