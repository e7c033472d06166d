"""Motion and flashes painted at one moment, over the still picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEasingCurve, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gui.diagram.brush import draw_chip, outline, qrect, text_font
from gui.diagram.digits import paint_numbers
from gui.diagram.motion import MEET, Changed, Flight, Motion
from gui.diagram.scene import feed_colour
from gui.diagram.shapes import Layout, Rect
from gui.matrix import Picture, cell_rect
from gui.state import State
from gui.theme import CAPTION, Colours

LEAST_FLASHED = 5.0
_EASE = QEasingCurve(QEasingCurve.Type.InOutCubic)


def eased(progress: float) -> float:
    """How far a flight has come at a moment of the motion (0 to 1): slow, quick, slow."""
    return _EASE.valueForProgress(min(progress / MEET, 1.0))


def paint_motion(
    painter: QPainter, motion: Motion, progress: float, state: State, theme: Colours, scale: float
) -> None:
    """Flights and chips before they meet, then the glow of the result. The painter is in layout units."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if progress < MEET:
        way = eased(progress)
        for flight in motion.flights:
            _paint_flight(painter, flight, way, state, theme)
        for chip in motion.chips:
            painter.setOpacity(1.0 - 0.4 * way)
            ink = feed_colour(theme, chip.source)
            at = QPointF(*(a + (b - a) * way for a, b in zip(chip.start, chip.end, strict=True)))
            draw_chip(painter, at, chip.text, text_font(CAPTION, scale, bold=True), ink, theme.accent_soft)
    else:
        _paint_glow(painter, motion.result, (1.0 - progress) / (1.0 - MEET), theme)
    painter.restore()


def _paint_flight(painter: QPainter, flight: Flight, way: float, state: State, theme: Colours) -> None:
    rect = qrect(_between(flight.start, flight.end, way))
    painter.setOpacity(1.0 if way < 0.75 else 1.0 - (way - 0.75) * 2.4)
    pad = 2.0
    outline(
        painter,
        rect.adjusted(-pad, -pad, pad, pad),
        QPen(QColor(feed_colour(theme, flight.stage_id)), 2.2),
        QColor(theme.surface),
        5.0,
    )
    paint_numbers(painter, rect, Picture(flight.values, flight.levels, state.decimals), theme)


def _between(start: Rect, end: Rect, way: float) -> Rect:
    """Part of the way; never thinner than a hand's breadth, so that it can be followed with the eye."""
    w, h = (max(a + (b - a) * way, 6.0) for a, b in ((start.w, end.w), (start.h, end.h)))
    (ax, ay), (bx, by) = start.centre, end.centre
    return Rect(ax + (bx - ax) * way - w / 2, ay + (by - ay) * way - h / 2, w, h)


def _paint_glow(painter: QPainter, result: Rect, strength: float, theme: Colours) -> None:
    colour = QColor(theme.accent)
    colour.setAlphaF(0.9 * strength)
    fill = QColor(theme.accent)
    fill.setAlphaF(0.22 * strength)
    outline(painter, qrect(result.grown(1.0 + 3.0 * strength)), QPen(colour, 2.5), fill, 5.0)


def curtain_line(motion: Motion, progress: float) -> float:
    """How far down (0 to 1) the curtain of the mask has come."""
    return _EASE.valueForProgress(min(max(progress - 0.25, 0.0) / 0.7, 1.0))


def paint_flash(painter: QPainter, changed: Changed, alpha: float, state: State, where: Layout, theme: Colours) -> None:
    """Outlines around the cells that an edit has changed, on the cards where they stand; too many: around all."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    colour = QColor(theme.flash)
    colour.setAlphaF(max(0.0, min(alpha, 1.0)))
    painter.setPen(QPen(colour, 2.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for stage_id, cells in changed.items():
        if stage_id in state.trace.plan:
            _paint_changed(painter, stage_id, cells, state, where)
    painter.restore()


def _paint_changed(painter: QPainter, stage_id: str, cells: npt.NDArray[np.bool_], state: State, where: Layout) -> None:
    box = where.box(stage_id)
    rows, more = state.revealed(stage_id, (box.rows, box.columns))
    standing = [
        (int(row), int(column))
        for row, column in zip(*cells.nonzero(), strict=True)
        if row < rows or (row == rows and column < more)
    ]
    matrix: QRectF = qrect(box.matrix)
    seen = box.orientation.pair
    if not standing:
        return
    if min(box.cell) < LEAST_FLASHED:
        painter.drawRect(matrix)
        return
    for row, column in standing:
        painter.drawRoundedRect(cell_rect(matrix, *box.seen, *seen(row, column)).adjusted(1, 1, -1, -1), 3, 3)
