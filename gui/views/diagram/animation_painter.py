"""Painter of animations at one moment: products, sweeps, ramps, shares, blends and dials."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from PySide6.QtCore import QEasingCurve, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF, QRegion

from core.base.arrays import Array
from gui.painting.matrix import MatrixSpec, cell_rect
from gui.painting.shapes import draw_box, set_ink
from gui.painting.text_size import saved
from gui.painting.theme import CAPTION, Colours
from gui.session.state import State
from gui.views.diagram.motion import Changed, MovingBlock, StepMotion
from gui.views.diagram.paint_utils import (
    draw_chip,
    paint_numbers,
    qrect,
    stroke,
    text_font,
)
from gui.views.diagram.scene import source_colour
from gui.views.diagram.shapes import CardBox, DiagramLayout, Rect
from gui.views.diagram.stage_animations import (
    Added,
    Animation,
    Bar,
    Bars,
    Blend,
    Dial,
    Joined,
    Products,
    Ramp,
    Share,
    Shares,
    Sweep,
    Turn,
)

_EASE = QEasingCurve(QEasingCurve.Type.InOutCubic)
SMALLEST_DOT, LARGEST_DOT = 1.2, 6.5
MOST_DOTS = 64
# Largest width of a sum, as a multiple of the width of the largest product.
MOST_SUMMED = 1.5


class AnimationStyle(Struct, frozen=True):
    """Context of animation painters: colours, pixels per unit, decimals, result rectangle."""

    theme: Colours
    scale: float
    decimals: int
    result: Rect


def eased(way: float, start: float = 0.0, end: float = 1.0) -> float:
    """Return the eased progress (0 to 1) of a part from `start` to `end` of an animation."""
    return _EASE.valueForProgress(min(max((way - start) / (end - start), 0.0), 1.0))


def between(start: Rect, end: Rect, part: float, least: float = 0.0) -> Rect:
    """Interpolate between two rectangles, at least `least` wide and high."""
    w, h = (max(a + (b - a) * part, least) for a, b in ((start.w, end.w), (start.h, end.h)))
    (ax, ay), (bx, by) = start.centre, end.centre
    return Rect(ax + (bx - ax) * part - w / 2, ay + (by - ay) * part - h / 2, w, h)


def paint_animation(
    painter: QPainter, animation: Animation, way: float, ink: AnimationStyle
) -> None:
    """Draw an animation at a moment (0 to 1). The painter is in layout units."""
    with saved(painter):
        _PAINTERS[type(animation)](painter, animation, way, ink)


def swept(animation: Sweep, result: Rect, way: float) -> Rect:
    """Return the part of the result that the line has passed."""
    area, part = result.grown(1.0), eased(way)
    return (
        Rect(area.x, area.y, area.w, area.h * part)
        if animation.down
        else Rect(area.x, area.y, area.w * part, area.h)
    )


def _tint(name: str, alpha: float) -> QColor:
    colour = QColor(name)
    colour.setAlphaF(min(max(alpha, 0.0), 1.0))
    return colour


def _paint_products(
    painter: QPainter, animation: Products, way: float, ink: AnimationStyle
) -> None:
    """Draw products side by side in their cell, then gathered into their sum."""
    gathered, summed = eased(way, 0.25, 0.8), eased(way, 0.7, 0.95)
    for rect, terms in animation.cells:
        area, middle = 0.84 * rect.w, qrect(rect).center()
        most = max(
            SMALLEST_DOT,
            min(0.3 * min(rect.w, rect.h), LARGEST_DOT, area / max(1, min(len(terms), MOST_DOTS))),
        )
        shown = largest_of(terms)
        for place, term in enumerate(shown.tolist()):
            x = ((place + 0.5) / len(shown) - 0.5) * area * (1.0 - gathered)
            strength = eased(way, 0.0, 0.25) * (1.0 - summed)
            _paint_dot(
                painter, middle + QPointF(x, 0.0), term, (animation.largest, most, strength), ink
            )
        _paint_dot(painter, middle, float(terms.sum()), (animation.largest, most, summed), ink)


def largest_of(terms: Array) -> Array:
    """Return the products to be drawn in their order: of a long sum the largest ones."""
    if len(terms) <= MOST_DOTS:
        return terms
    chosen = np.sort(np.argsort(-np.abs(terms), kind="stable")[:MOST_DOTS])
    result: Array = terms[chosen]
    return result


def _paint_dot(
    painter: QPainter,
    at: QPointF,
    value: float,
    animate: tuple[float, float, float],
    ink: AnimationStyle,
) -> None:
    """Draw a number as a dot: area relative to `largest`, colour by sign, opacity `strength`."""
    largest, most, strength = animate
    if strength <= 0.0:
        return
    part = min(math.sqrt(abs(value) / largest), MOST_SUMMED) if largest else 0.0
    radius = max(most * part, min(SMALLEST_DOT, most))
    set_ink(painter, None, _tint(ink.theme.high if value >= 0 else ink.theme.low, 0.9 * strength))
    painter.drawEllipse(at, radius, radius)


def _paint_sweep(painter: QPainter, animation: Sweep, way: float, ink: AnimationStyle) -> None:
    """Draw the moving edge of the mask, or of the division."""
    area = qrect(swept(animation, ink.result, way))
    painter.setPen(stroke(ink.theme.accent, 2.5, ink.scale))
    if animation.down:
        painter.drawLine(area.bottomLeft(), area.bottomRight())
    else:
        painter.drawLine(area.topRight(), area.bottomRight())


def _paint_ramp(painter: QPainter, animation: Ramp, way: float, ink: AnimationStyle) -> None:
    """Draw one slope for each drawn row: the cost of distance, 0 at the token itself."""
    rect, (rows, columns) = animation.rect, animation.bias.shape
    painter.setClipRect(qrect(rect))
    painter.translate(-rect.w * (1.0 - eased(way, 0.0, 0.75)), 0.0)
    set_ink(painter, stroke(ink.theme.warning, 1.5, ink.scale), _tint(ink.theme.warning, 0.4))
    height, width = rect.h / rows, rect.w / columns
    for row, costs in enumerate(animation.bias.tolist()):
        base = rect.y + (row + 1) * height
        tops = [
            base + cost / animation.steepest * height * 0.92 if animation.steepest else base
            for cost in costs
        ]
        line = [QPointF(rect.x + (place + 0.5) * width, top) for place, top in enumerate(tops)]
        ends = (
            [QPointF(rect.x, base), QPointF(rect.x, tops[0])],
            [QPointF(rect.right, tops[-1]), QPointF(rect.right, base)],
        )
        painter.drawPolygon(QPolygonF([*ends[0], *line, *ends[1]]))


def _bar_rect(bar: Bar, grown: float) -> Rect:
    inset, height = min(2.0, bar.cell.w * 0.12), (bar.cell.h - 1.0) * bar.height * grown
    return Rect(bar.cell.x + inset, bar.cell.bottom - 0.5 - height, bar.cell.w - 2 * inset, height)


def _paint_bars(painter: QPainter, animation: Bars, way: float, ink: AnimationStyle) -> None:
    late = 0.5 / max(1, len(animation.rows))
    for place, row in enumerate(animation.rows):
        for bar in row:
            painter.fillRect(qrect(bar.cell.grown(-0.5)), QColor(ink.theme.sunken))
            grown = eased(way, place * late, place * late + 0.5)
            painter.fillRect(qrect(_bar_rect(bar, grown)), _tint(ink.theme.weights, 0.85))


def _paint_shares(painter: QPainter, animation: Shares, way: float, ink: AnimationStyle) -> None:
    """Draw bars side by side that become the parts of one bar of length 1."""
    squeezed = eased(way, 0.3, 0.9)
    for line, shares in animation.rows:
        area = qrect(line)
        for share in shares:
            painter.fillRect(qrect(share.bar.cell.grown(-0.5)), QColor(ink.theme.sunken))
        for share in shares:
            _paint_share(painter, share, squeezed, eased(way, 0.0, 0.25), ink)
        draw_box(
            painter,
            area,
            QPen(_tint(ink.theme.weights, squeezed), min(1.5, 3.0 / ink.scale)),
            None,
            1.0,
        )


def _paint_share(
    painter: QPainter, share: Share, squeezed: float, grown: float, ink: AnimationStyle
) -> None:
    rect = qrect(between(_bar_rect(share.bar, grown), share.part, squeezed))
    if rect.isEmpty():
        return
    painter.fillRect(rect, _tint(ink.theme.weights, 0.85 if share.focused else 0.35))
    draw_box(painter, rect, QPen(QColor(ink.theme.surface), min(1.0, 2.0 / ink.scale)), None)


def _paint_blend(painter: QPainter, animation: Blend, way: float, ink: AnimationStyle) -> None:
    """Draw layers by weight: heavier rows are thicker and stronger, one result row at a time."""
    for strip in reversed(animation.strips):
        part = eased(way, 0.35 * strip.delay, 0.35 * strip.delay + 0.55)
        if part == 0.0:
            continue
        rect = qrect(between(strip.start, strip.end, part))
        painter.setOpacity(min(1.0, 3.0 * part))
        painter.fillRect(rect, QColor(ink.theme.surface))
        painter.setOpacity(min(1.0, 3.0 * part) * (1.0 - part * (0.6 - 0.6 * strip.weight)))
        paint_numbers(
            painter, rect, MatrixSpec(strip.values, animation.levels, ink.decimals), ink.theme
        )
        draw_box(painter, rect, stroke(ink.theme.value, 1.2, ink.scale), None, 1.0)


def _paint_turn(painter: QPainter, animation: Turn, way: float, ink: AnimationStyle) -> None:
    turned = eased(way, 0.1, 0.9)
    for dial in animation.dials:
        _paint_dial(painter, dial, turned, ink)


def _paint_dial(painter: QPainter, dial: Dial, turned: float, ink: AnimationStyle) -> None:
    rect = qrect(dial.rect)
    middle, radius = rect.center(), min(rect.width(), rect.height()) * 0.46
    circle = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    draw_box(
        painter, circle, stroke(ink.theme.line, 1.0, ink.scale), QColor(ink.theme.sunken), radius
    )
    set_ink(painter, None, _tint(ink.theme.accent, 0.25))
    passed = (dial.end - dial.start) * turned
    painter.drawPie(circle, round(math.degrees(dial.start) * 16), round(math.degrees(passed) * 16))
    for angle, colour in ((dial.start, ink.theme.muted), (dial.start + passed, ink.theme.accent)):
        reach = radius * max(dial.length, 0.15)
        painter.setPen(stroke(colour, 2.0, ink.scale))
        painter.drawLine(
            middle, middle + QPointF(math.cos(angle) * reach, -math.sin(angle) * reach)
        )


def _paint_joined(painter: QPainter, animation: Joined, way: float, ink: AnimationStyle) -> None:
    """Draw frames around the blocks that fade until one matrix is left."""
    for block in animation.blocks:
        pen = QPen(_tint(ink.theme.accent, 1.0 - eased(way)), min(2.5, 4.0 / ink.scale))
        draw_box(painter, qrect(block.grown(2.0 - 2.0 * eased(way))), pen, None, 4.0)


def _paint_added(painter: QPainter, animation: Added, way: float, ink: AnimationStyle) -> None:
    """Draw a plus where one matrix overlaps the other."""
    x, y = animation.rect.centre
    arm = min(9.0, 0.3 * min(animation.rect.w, animation.rect.h)) * eased(way, 0.0, 0.3)
    painter.setOpacity(1.0 - eased(way, 0.7, 1.0))
    set_ink(painter, None, ink.theme.accent)
    painter.drawEllipse(QPointF(x, y), arm * 1.5, arm * 1.5)
    painter.setPen(QPen(QColor(ink.theme.on_accent), max(1.0, arm * 0.35)))
    painter.drawLine(QPointF(x - arm, y), QPointF(x + arm, y))
    painter.drawLine(QPointF(x, y - arm), QPointF(x, y + arm))


_PAINTERS: dict[type, Callable[[QPainter, Any, float, AnimationStyle], None]] = {
    Products: _paint_products,
    Sweep: _paint_sweep,
    Ramp: _paint_ramp,
    Bars: _paint_bars,
    Shares: _paint_shares,
    Blend: _paint_blend,
    Turn: _paint_turn,
    Joined: _paint_joined,
    Added: _paint_added,
}


LEAST_FLASHED = 5.0
LEAST_MOVING = 6.0  # size of a moving block, so that the eye can follow
APART = 5.0
HALF_WAY = 0.5


def paint_motion(
    painter: QPainter,
    motion: StepMotion,
    progress: float,
    state: State,
    theme: Colours,
    scale: float,
) -> None:
    """Draw moving operands and labels, the animation and the glow, in layout units."""
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = AnimationStyle(theme, scale, state.decimals, motion.result)
        if progress >= motion.result_time:
            _paint_glow(
                painter, motion.result, (1.0 - progress) / (1.0 - motion.result_time), theme
            )
        else:
            if progress < motion.arrival or motion.keeps_operands:
                _paint_flights(painter, motion, progress, state, theme)
            if isinstance(motion.animation, Products) and progress >= HALF_WAY * motion.arrival:
                _paint_bands(painter, motion, progress, theme)
            if motion.animation is not None and progress >= motion.arrival:
                paint_animation(painter, motion.animation, motion.animation_progress(progress), ink)
            _paint_chips(painter, motion, progress, theme, scale)


def _paint_flights(
    painter: QPainter, motion: StepMotion, progress: float, state: State, theme: Colours
) -> None:
    painter.save()
    if isinstance(motion.animation, Sweep) and progress >= motion.arrival:
        done = swept(motion.animation, motion.result, motion.animation_progress(progress))
        painter.setClipRegion(
            QRegion(qrect(motion.result.grown(4.0)).toAlignedRect()) - QRegion(qrect(done).toRect())
        )
    for place, flight in enumerate(motion.blocks):
        if isinstance(motion.animation, Blend) and place == 1:
            continue  # the rows of a blend move one by one
        waits = isinstance(motion.animation, Added) and place > 0
        way = (
            eased(motion.animation_progress(progress), 0.1, 0.75)
            if waits
            else eased(progress / motion.arrival)
        )
        painter.setOpacity(_strength(motion, way, waits))
        with saved(painter):
            if isinstance(motion.animation, Joined):  # heads arrive apart and then close up
                painter.translate(
                    (place - (len(motion.blocks) - 1) / 2)
                    * APART
                    * (1.0 - eased(motion.animation_progress(progress))),
                    0.0,
                )
            _paint_flight(painter, flight, way, state, theme)
    painter.restore()


def _paint_bands(painter: QPainter, motion: StepMotion, progress: float, theme: Colours) -> None:
    """Draw the crossing row and column as bands until their products have been gathered."""
    strength = eased(progress / motion.arrival, HALF_WAY) * (
        1.0 - eased(motion.animation_progress(progress), 0.4, 0.8)
    )
    if all(flight.end == motion.result for flight in motion.blocks):
        return  # a whole stage has no single row and column
    for flight in motion.blocks:
        colour = source_colour(theme, flight.stage_id)
        line, band = QPen(_tint(colour, strength), 2.0), _tint(colour, 0.16 * strength)
        draw_box(painter, qrect(flight.end), line, band, 4.0)


def _strength(motion: StepMotion, way: float, upon: bool) -> float:
    """Return the opacity: overlapping blocks are translucent; others fade before an animation."""
    if upon:
        return 1.0 - 0.45 * way
    if motion.keeps_operands or way < 0.75:
        return 1.0
    return 1.0 - (way - 0.75) * (2.4 if motion.animation is None else 3.6)


def _paint_flight(
    painter: QPainter, flight: MovingBlock, way: float, state: State, theme: Colours
) -> None:
    rect = qrect(between(flight.start, flight.end, way, LEAST_MOVING))
    edge = QPen(QColor(source_colour(theme, flight.stage_id)), 2.2)
    draw_box(painter, rect.adjusted(-2.0, -2.0, 2.0, 2.0), edge, theme.surface, 5.0)
    values = flight.values.T if flight.turned and way >= HALF_WAY else flight.values
    paint_numbers(painter, rect, MatrixSpec(values, flight.levels, state.decimals), theme)


def _paint_chips(
    painter: QPainter, motion: StepMotion, progress: float, theme: Colours, scale: float
) -> None:
    """Draw labels that move to the result; a divisor moves along with the line of the division."""
    divides = isinstance(motion.animation, Sweep)
    if progress >= motion.arrival and not divides:
        return
    way = eased(progress / motion.arrival)
    for chip in motion.labels:
        painter.setOpacity(1.0 if divides else 1.0 - 0.4 * way)
        end = (motion.result.x, motion.result.bottom) if divides else chip.end
        at = QPointF(*(a + (b - a) * way for a, b in zip(chip.start, end, strict=True)))
        if isinstance(motion.animation, Sweep) and progress >= motion.arrival:
            at.setX(
                swept(motion.animation, motion.result, motion.animation_progress(progress)).right
            )
        face = text_font(CAPTION, scale, bold=True)
        draw_chip(
            painter, at, chip.text, face, source_colour(theme, chip.source), theme.accent_soft
        )


def _paint_glow(painter: QPainter, result: Rect, strength: float, theme: Colours) -> None:
    line, fill = (
        QPen(_tint(theme.accent, 0.9 * strength), 2.5),
        _tint(theme.accent, 0.22 * strength),
    )
    draw_box(painter, qrect(result.grown(1.0 + 3.0 * strength)), line, fill, 5.0)


def paint_flash(
    painter: QPainter,
    changed: Changed,
    alpha: float,
    state: State,
    layout: DiagramLayout,
    theme: Colours,
) -> None:
    """Outline the cells that an edit has changed, or their whole block if there are too many.

    Stages of folded layers have no box.
    """
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        set_ink(painter, QPen(_tint(theme.flash, alpha), 2.5))
        for box in layout.boxes:
            if box.stage_id in changed:
                _paint_changed(painter, box, changed[box.stage_id], state)


def _paint_changed(
    painter: QPainter, box: CardBox, cells: npt.NDArray[np.bool_], state: State
) -> None:
    rows, more = state.revealed(box.stage_id, (box.rows, box.columns))
    if not (cells[:rows].any() or cells[rows : rows + 1, :more].any()):
        return
    matrix: QRectF = qrect(box.matrix)
    crop = box.orientation.pair
    if min(box.cell_size) < LEAST_FLASHED:  # there may be millions of them
        painter.drawRect(matrix)
        return
    for row, column in np.argwhere(cells).tolist():
        if row > rows or (row == rows and column >= more):
            continue
        painter.drawRoundedRect(
            cell_rect(matrix, *box.drawn_shape, *crop(row, column)).adjusted(1, 1, -1, -1), 3, 3
        )
