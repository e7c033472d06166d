"""Motion and flashes painted at one moment, over the still picture."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QRegion

from gui.painting.matrix import MatrixSpec, cell_rect
from gui.painting.theme import CAPTION, Colours
from gui.session.state import State
from gui.views.diagram.animation_painter import Ink, eased, paint_act, swept
from gui.views.diagram.animation_primitives import Added, Blend, Joined, Products, Sweep
from gui.views.diagram.digits import paint_numbers
from gui.views.diagram.motion import Changed, Flight, Motion
from gui.views.diagram.paint_utils import draw_chip, outline, qrect, text_font
from gui.views.diagram.scene import feed_colour
from gui.views.diagram.shapes import Layout, Rect

LEAST_FLASHED = 5.0
APART = 5.0
HALF_WAY = 0.5


def paint_motion(
    painter: QPainter, motion: Motion, progress: float, state: State, theme: Colours, scale: float
) -> None:
    """Flights and chips until they land, the act, then the glow of the result. The painter is in layout units."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    ink = Ink(theme, scale, state.decimals, motion.result)
    if progress >= motion.meet:
        _paint_glow(painter, motion.result, (1.0 - progress) / (1.0 - motion.meet), theme)
    else:
        if progress < motion.land or motion.lasting:
            _paint_flights(painter, motion, progress, state, theme)
        if isinstance(motion.act, Products) and progress >= HALF_WAY * motion.land:
            _paint_bands(painter, motion, progress, theme)
        if motion.act is not None and progress >= motion.land:
            paint_act(painter, motion.act, motion.way(progress), ink)
        _paint_chips(painter, motion, progress, theme, scale)
    painter.restore()


def _paint_flights(
    painter: QPainter, motion: Motion, progress: float, state: State, theme: Colours
) -> None:
    painter.save()
    if isinstance(motion.act, Sweep) and progress >= motion.land:
        done = swept(motion.act, motion.result, motion.way(progress))
        painter.setClipRegion(
            QRegion(qrect(motion.result.grown(4.0)).toAlignedRect()) - QRegion(qrect(done).toRect())
        )
    for place, flight in enumerate(motion.flights):
        if isinstance(motion.act, Blend) and place == 1:
            continue  # its rows come one by one
        waits = isinstance(motion.act, Added) and place > 0
        way = eased(motion.way(progress), 0.1, 0.75) if waits else eased(progress / motion.land)
        painter.setOpacity(_strength(motion, way, waits))
        painter.save()
        if isinstance(motion.act, Joined):  # the heads arrive apart and then close up
            painter.translate(
                (place - (len(motion.flights) - 1) / 2)
                * APART
                * (1.0 - eased(motion.way(progress))),
                0.0,
            )
        _paint_flight(painter, flight, way, state, theme)
        painter.restore()
    painter.restore()


def _paint_bands(painter: QPainter, motion: Motion, progress: float, theme: Colours) -> None:
    """The row and the column that meet, as bands that cross, until their products have gathered."""
    strength = eased(progress / motion.land, HALF_WAY) * (
        1.0 - eased(motion.way(progress), 0.4, 0.8)
    )
    if all(flight.end == motion.result for flight in motion.flights):
        return  # a whole stage: nothing to point out
    for flight in motion.flights:
        band, line = (QColor(feed_colour(theme, flight.stage_id)) for _ in range(2))
        band.setAlphaF(0.16 * strength)
        line.setAlphaF(strength)
        outline(painter, qrect(flight.end), QPen(line, 2.0), band, 4.0)


def _strength(motion: Motion, way: float, upon: bool) -> float:
    """What lies upon another lets it shine through; what makes room for an act fades as it arrives."""
    if upon:
        return 1.0 - 0.45 * way
    return (
        1.0
        if motion.lasting or way < 0.75
        else 1.0 - (way - 0.75) * (2.4 if motion.act is None else 3.6)
    )


def _paint_flight(
    painter: QPainter, flight: Flight, way: float, state: State, theme: Colours
) -> None:
    rect = qrect(_between(flight.start, flight.end, way))
    pad = 2.0
    outline(
        painter,
        rect.adjusted(-pad, -pad, pad, pad),
        QPen(QColor(feed_colour(theme, flight.stage_id)), 2.2),
        QColor(theme.surface),
        5.0,
    )
    values = flight.values.T if flight.turned and way >= HALF_WAY else flight.values
    paint_numbers(painter, rect, MatrixSpec(values, flight.levels, state.decimals), theme)


def _paint_chips(
    painter: QPainter, motion: Motion, progress: float, theme: Colours, scale: float
) -> None:
    """What is done comes to the result; a divisor goes with the line that leaves its quotients behind."""
    divides = isinstance(motion.act, Sweep)
    if progress >= motion.land and not divides:
        return
    way = eased(progress / motion.land)
    for chip in motion.chips:
        painter.setOpacity(1.0 if divides else 1.0 - 0.4 * way)
        end = (motion.result.x, motion.result.bottom) if divides else chip.end
        at = QPointF(*(a + (b - a) * way for a, b in zip(chip.start, end, strict=True)))
        if isinstance(motion.act, Sweep) and progress >= motion.land:
            at.setX(swept(motion.act, motion.result, motion.way(progress)).right)
        face = text_font(CAPTION, scale, bold=True)
        draw_chip(painter, at, chip.text, face, feed_colour(theme, chip.source), theme.accent_soft)


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


def paint_flash(
    painter: QPainter, changed: Changed, alpha: float, state: State, where: Layout, theme: Colours
) -> None:
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


def _paint_changed(
    painter: QPainter, stage_id: str, cells: npt.NDArray[np.bool_], state: State, where: Layout
) -> None:
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
        painter.drawRoundedRect(
            cell_rect(matrix, *box.seen, *seen(row, column)).adjusted(1, 1, -1, -1), 3, 3
        )
