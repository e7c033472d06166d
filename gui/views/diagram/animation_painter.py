"""Acts painted at one moment: dots that gather, bars that grow and share out one, strips, ramps, dials."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QEasingCurve, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.base.arrays import Array
from gui.painting.matrix import MatrixSpec
from gui.painting.theme import Colours
from gui.views.diagram.animation_primitives import (
    Act,
    Added,
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
from gui.views.diagram.digits import paint_numbers
from gui.views.diagram.paint_utils import outline, qrect, stroke
from gui.views.diagram.shapes import Rect

_EASE = QEasingCurve(QEasingCurve.Type.InOutCubic)
SMALLEST_DOT, LARGEST_DOT = 1.2, 6.5
MOST_DOTS = 64
# A sum is drawn at most so many times as wide as the largest product.
MOST_SUMMED = 1.5


class Ink(Struct, frozen=True):
    """What a painter of acts needs besides the act: colours, pixels for a layout unit, decimals, the result's place."""

    theme: Colours
    scale: float
    decimals: int
    result: Rect


def eased(way: float, start: float = 0.0, end: float = 1.0) -> float:
    """How far what moves from `start` to `end` of an act has come (0 to 1): slow, quick, slow."""
    return _EASE.valueForProgress(min(max((way - start) / (end - start), 0.0), 1.0))


def between(start: Rect, end: Rect, part: float) -> Rect:
    """Part of the way from one rectangle to another."""
    pairs = ((start.x, end.x), (start.y, end.y), (start.w, end.w), (start.h, end.h))
    return Rect(*(a + (b - a) * part for a, b in pairs))


def paint_act(painter: QPainter, act: Act, way: float, ink: Ink) -> None:
    """Draw an act at a moment (0 to 1). The painter is in layout units."""
    painter.save()
    _PAINTERS[type(act)](painter, act, way, ink)
    painter.restore()


def swept(act: Sweep, result: Rect, way: float) -> Rect:
    """The part of the result over which the line has passed."""
    area, part = result.grown(1.0), eased(way)
    return (
        Rect(area.x, area.y, area.w, area.h * part)
        if act.down
        else Rect(area.x, area.y, area.w * part, area.h)
    )


def _tint(name: str, alpha: float) -> QColor:
    colour = QColor(name)
    colour.setAlphaF(min(max(alpha, 0.0), 1.0))
    return colour


def _paint_products(painter: QPainter, act: Products, way: float, ink: Ink) -> None:
    """Products side by side in their cell, then gathered into their sum."""
    gathered, summed = eased(way, 0.25, 0.8), eased(way, 0.7, 0.95)
    for rect, terms in act.cells:
        room, middle = 0.84 * rect.w, qrect(rect).center()
        most = max(
            SMALLEST_DOT,
            min(0.3 * min(rect.w, rect.h), LARGEST_DOT, room / max(1, min(len(terms), MOST_DOTS))),
        )
        shown = largest_of(terms)
        for place, term in enumerate(shown.tolist()):
            x = ((place + 0.5) / len(shown) - 0.5) * room * (1.0 - gathered)
            strength = eased(way, 0.0, 0.25) * (1.0 - summed)
            _paint_dot(painter, middle + QPointF(x, 0.0), term, (act.largest, most, strength), ink)
        _paint_dot(painter, middle, float(terms.sum()), (act.largest, most, summed), ink)


def largest_of(terms: Array) -> Array:
    """The products that are drawn, in their order: of a long sum the largest."""
    if len(terms) <= MOST_DOTS:
        return terms
    chosen = np.sort(np.argsort(-np.abs(terms), kind="stable")[:MOST_DOTS])
    result: Array = terms[chosen]
    return result


def _paint_dot(
    painter: QPainter, at: QPointF, value: float, how: tuple[float, float, float], ink: Ink
) -> None:
    """A number as a dot: its area is its size against the `largest`, its colour its sign; `strength` lets it fade."""
    largest, most, strength = how
    if strength <= 0.0:
        return
    part = min(math.sqrt(abs(value) / largest), MOST_SUMMED) if largest else 0.0
    radius = max(most * part, min(SMALLEST_DOT, most))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_tint(ink.theme.high if value >= 0 else ink.theme.low, 0.9 * strength))
    painter.drawEllipse(at, radius, radius)


def _paint_sweep(painter: QPainter, act: Sweep, way: float, ink: Ink) -> None:
    """The hem of the curtain, or the front of the division."""
    area = qrect(swept(act, ink.result, way))
    painter.setPen(stroke(ink.theme.accent, 2.5, ink.scale))
    if act.down:
        painter.drawLine(area.bottomLeft(), area.bottomRight())
    else:
        painter.drawLine(area.topRight(), area.bottomRight())


def _paint_ramp(painter: QPainter, act: Ramp, way: float, ink: Ink) -> None:
    """One slope for each row as it is drawn: as high as the cost of the distance, none at the token itself."""
    rect, (rows, columns) = act.rect, act.bias.shape
    painter.setClipRect(qrect(rect))
    painter.translate(-rect.w * (1.0 - eased(way, 0.0, 0.75)), 0.0)
    painter.setPen(stroke(ink.theme.warning, 1.5, ink.scale))
    painter.setBrush(_tint(ink.theme.warning, 0.4))
    height, width = rect.h / rows, rect.w / columns
    for row, costs in enumerate(act.bias.tolist()):
        base = rect.y + (row + 1) * height
        tops = [
            base + cost / act.steepest * height * 0.92 if act.steepest else base for cost in costs
        ]
        line = [QPointF(rect.x + (place + 0.5) * width, top) for place, top in enumerate(tops)]
        ends = (
            [QPointF(rect.x, base), QPointF(rect.x, tops[0])],
            [QPointF(rect.right, tops[-1]), QPointF(rect.right, base)],
        )
        painter.drawPolygon(QPolygonF([*ends[0], *line, *ends[1]]))


def _standing(bar: Bar, grown: float) -> Rect:
    inset, height = min(2.0, bar.cell.w * 0.12), (bar.cell.h - 1.0) * bar.height * grown
    return Rect(bar.cell.x + inset, bar.cell.bottom - 0.5 - height, bar.cell.w - 2 * inset, height)


def _paint_bars(painter: QPainter, act: Bars, way: float, ink: Ink) -> None:
    late = 0.5 / max(1, len(act.rows))
    for place, row in enumerate(act.rows):
        for bar in row:
            painter.fillRect(qrect(bar.cell.grown(-0.5)), QColor(ink.theme.sunken))
            grown = eased(way, place * late, place * late + 0.5)
            painter.fillRect(qrect(_standing(bar, grown)), _tint(ink.theme.weights, 0.85))


def _paint_shares(painter: QPainter, act: Shares, way: float, ink: Ink) -> None:
    """Bars side by side become the parts of one bar, whose length is 1."""
    squeezed = eased(way, 0.3, 0.9)
    for line, shares in act.rows:
        area = qrect(line)
        for share in shares:
            painter.fillRect(qrect(share.bar.cell.grown(-0.5)), QColor(ink.theme.sunken))
        for share in shares:
            _paint_share(painter, share, squeezed, eased(way, 0.0, 0.25), ink)
        outline(
            painter,
            area,
            QPen(_tint(ink.theme.weights, squeezed), min(1.5, 3.0 / ink.scale)),
            None,
            1.0,
        )


def _paint_share(painter: QPainter, share: Share, squeezed: float, grown: float, ink: Ink) -> None:
    rect = qrect(between(_standing(share.bar, grown), share.part, squeezed))
    if rect.isEmpty():
        return
    painter.fillRect(rect, _tint(ink.theme.weights, 0.85 if share.meant else 0.35))
    painter.setPen(QPen(QColor(ink.theme.surface), min(1.0, 2.0 / ink.scale)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(rect)


def _paint_blend(painter: QPainter, act: Blend, way: float, ink: Ink) -> None:
    """The heavier a row weighs, the thicker and stronger its layer. One result row follows the other."""
    for strip in reversed(act.strips):
        part = eased(way, 0.35 * strip.late, 0.35 * strip.late + 0.55)
        if part == 0.0:
            continue
        rect = qrect(between(strip.start, strip.end, part))
        painter.setOpacity(min(1.0, 3.0 * part))
        painter.fillRect(rect, QColor(ink.theme.surface))
        painter.setOpacity(min(1.0, 3.0 * part) * (1.0 - part * (0.6 - 0.6 * strip.weight)))
        paint_numbers(painter, rect, MatrixSpec(strip.values, act.levels, ink.decimals), ink.theme)
        outline(painter, rect, stroke(ink.theme.value, 1.2, ink.scale), None, 1.0)


def _paint_turn(painter: QPainter, act: Turn, way: float, ink: Ink) -> None:
    turned = eased(way, 0.1, 0.9)
    for dial in act.dials:
        _paint_dial(painter, dial, turned, ink)


def _paint_dial(painter: QPainter, dial: Dial, turned: float, ink: Ink) -> None:
    rect = qrect(dial.rect)
    middle, radius = rect.center(), min(rect.width(), rect.height()) * 0.46
    circle = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    outline(
        painter, circle, stroke(ink.theme.line, 1.0, ink.scale), QColor(ink.theme.sunken), radius
    )
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_tint(ink.theme.accent, 0.25))
    passed = (dial.end - dial.start) * turned
    painter.drawPie(circle, round(math.degrees(dial.start) * 16), round(math.degrees(passed) * 16))
    for angle, colour in ((dial.start, ink.theme.muted), (dial.start + passed, ink.theme.accent)):
        reach = radius * max(dial.length, 0.15)
        painter.setPen(stroke(colour, 2.0, ink.scale))
        painter.drawLine(
            middle, middle + QPointF(math.cos(angle) * reach, -math.sin(angle) * reach)
        )


def _paint_joined(painter: QPainter, act: Joined, way: float, ink: Ink) -> None:
    """Frames around the blocks grow thin until one matrix is left."""
    for block in act.blocks:
        pen = QPen(_tint(ink.theme.accent, 1.0 - eased(way)), min(2.5, 4.0 / ink.scale))
        outline(painter, qrect(block.grown(2.0 - 2.0 * eased(way))), pen, None, 4.0)


def _paint_added(painter: QPainter, act: Added, way: float, ink: Ink) -> None:
    """A plus where one matrix comes to lie upon the other."""
    x, y = act.rect.centre
    arm = min(9.0, 0.3 * min(act.rect.w, act.rect.h)) * eased(way, 0.0, 0.3)
    painter.setOpacity(1.0 - eased(way, 0.7, 1.0))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ink.theme.accent))
    painter.drawEllipse(QPointF(x, y), arm * 1.5, arm * 1.5)
    painter.setPen(QPen(QColor(ink.theme.on_accent), max(1.0, arm * 0.35)))
    painter.drawLine(QPointF(x - arm, y), QPointF(x + arm, y))
    painter.drawLine(QPointF(x, y - arm), QPointF(x, y + arm))


_PAINTERS: dict[type, Callable[[QPainter, Any, float, Ink], None]] = {
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
