"""Paints the stage on any painter, for the view, the render command and the exports."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gui.painting.matrix import MatrixSpec, paint_matrix, paint_overview
from gui.painting.shapes import set_ink
from gui.painting.text_layout import (
    CENTRE,
    RIGHT,
    draw_line,
    draw_line_at,
    elide,
    line_width,
    paint_line,
    span_colour,
    width_of,
)
from gui.painting.text_size import saved
from gui.painting.theme import BODY, CAPTION, DISPLAY, Colours, colours, font
from gui.session.state import State
from gui.texts.rich_text import short
from gui.views.stage.card import paint_card
from gui.views.stage.header import paint_header
from gui.views.stage.layout import COLUMN_DOTS, DIAL_RADIUS, ROW_DOTS
from gui.views.stage.operand_layout import PlacedOperand, overview_spec
from gui.views.stage.operation import TIMES, Operator, Rotation
from gui.views.stage.scene import StageScene, build_scene

ARROW_HEAD = 7.0
ARC_RADIUS = 0.5  # of the dial's radius


def paint_dial(painter: QPainter, middle: QPointF, rotation: Rotation, theme: Colours) -> None:
    """Paint a dial with a hand before and after the rotation; a pair of zeros has no direction."""
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        set_ink(painter, QPen(QColor(theme.line), 1.2), None)
        painter.drawEllipse(middle, DIAL_RADIUS, DIAL_RADIUS)
        for x, y in ((DIAL_RADIUS, 0.0), (0.0, DIAL_RADIUS)):
            painter.drawLine(middle - QPointF(x, y), middle + QPointF(x, y))
        if any(rotation.before) and all(map(math.isfinite, (*rotation.before, *rotation.after))):
            colour = span_colour(theme, rotation.role)
            _paint_arc(painter, middle, rotation, theme)
            _paint_hand(painter, middle, _angle(rotation.before), QColor(theme.muted))
            _paint_hand(painter, middle, _angle(rotation.after), colour)


def _angle(point: tuple[float, float]) -> float:
    return math.atan2(point[1], point[0])


def _at(middle: QPointF, angle: float, radius: float) -> QPointF:
    """A point on the dial; angles are counter-clockwise from the right."""
    return middle + QPointF(math.cos(angle), -math.sin(angle)) * radius


def _paint_hand(painter: QPainter, middle: QPointF, angle: float, colour: QColor) -> None:
    tip = _at(middle, angle, DIAL_RADIUS - 3)
    painter.setPen(QPen(colour, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(middle, tip)
    for side in (math.pi - 0.45, math.pi + 0.45):
        painter.drawLine(tip, _at(tip, angle + side, ARROW_HEAD))


def _paint_arc(painter: QPainter, middle: QPointF, rotation: Rotation, theme: Colours) -> None:
    """Paint the arc from one hand to the other, counter-clockwise."""
    radius = DIAL_RADIUS * ARC_RADIUS
    start = math.degrees(_angle(rotation.before))
    sweep = (math.degrees(_angle(rotation.after)) - start) % 360
    around = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    path = QPainterPath()
    path.arcMoveTo(around, start)
    path.arcTo(around, start, sweep)
    painter.setPen(QPen(QColor(theme.accent), 1.6, Qt.PenStyle.DotLine))
    painter.drawPath(path)


LAST_OVERHANG = 12.0  # how far the name of the last column reaches beyond it
DOT = 3.0  # the radius of the dot of a product; that of a letter would be too small


def paint_stage(
    painter: QPainter, rect: QRectF, state: State, *, brief: bool = False, card: bool = True
) -> None:
    """Paint the operation of a state into a rectangle: title, matrices, worked sum (`card`).

    No background.
    """
    paint_scene(painter, build_scene(state, rect, brief=brief, card=card))


def paint_scene(
    painter: QPainter, scene: StageScene, matrices: tuple[MatrixSpec, ...] = ()
) -> None:
    """Paint a scene; `matrices` replace its own while cells flash."""
    theme = colours(scene.state.shade)
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_header(painter, scene.header, theme)
        for placed in scene.placed:
            _paint_title(painter, placed, theme)
            _paint_labels(painter, placed, scene, theme)
        own = matrices or tuple(placed.matrix for placed in scene.placed)
        for placed, matrix in zip(scene.placed, own, strict=True):
            paint_matrix(painter, placed.rect, matrix, theme)
            if placed.overview is not None:
                paint_overview(painter, placed.overview, overview_spec(placed, theme), theme)
        for operator, rect in scene.operators:
            if operator.rotation is None:
                _paint_operator(painter, operator, rect, theme)
            else:
                paint_dial(painter, rect.center(), operator.rotation, theme)
        if scene.card.rows:
            paint_card(painter, scene.card_rect, scene.card, theme)


def _paint_operator(painter: QPainter, operator: Operator, rect: QRectF, theme: Colours) -> None:
    painter.setPen(QColor(theme.muted))
    if operator.text == TIMES:
        _paint_dot(painter, rect.center(), DOT, theme)
    else:
        draw_line(
            painter, QRectF(rect.x(), rect.y() - 20, rect.width(), 40), operator.text, font(DISPLAY)
        )
    if operator.above:
        draw_line(
            painter,
            QRectF(rect.x() - 20, rect.y() - 34, rect.width() + 40, 20),
            operator.above,
            font(BODY),
        )


def _paint_labels(
    painter: QPainter, placed: PlacedOperand, scene: StageScene, theme: Colours
) -> None:
    if placed.names_rows:
        _paint_row_labels(painter, placed, scene, theme)
    if placed.names_columns:
        _paint_column_labels(painter, placed, scene, theme)
    _paint_dots(painter, placed, theme)


def _paint_title(painter: QPainter, placed: PlacedOperand, theme: Colours) -> None:
    """Paint the title of a matrix, and its shape where that fits."""
    title, body, caption = placed.operand.title, placed.size(BODY), font(placed.size(CAPTION))
    if placed.operand.title_left:
        left, middle = (
            placed.rect.x() - placed.column_dots - placed.labels_width,
            placed.rect.center().y(),
        )
        paint_line(painter, left, middle + body * 0.36, title, body, theme, bold=True)
        return
    shape = f"{placed.row_axis.size}×{placed.column_axis.size}"
    wide = line_width(title, body, bold=True)
    extra = width_of(shape, caption) + 8
    available = placed.rect.width() + 2 * placed.column_dots + 16
    both = wide + extra <= available
    x = placed.rect.center().x() - (wide + (extra if both else 0)) / 2
    baseline = placed.rect.y() - placed.row_dots - 8
    end = paint_line(painter, x, baseline, title, body, theme, bold=True)
    painter.setPen(QColor(theme.muted))
    if both:
        draw_line_at(painter, end + 8, baseline, shape, caption)


def _paint_row_labels(
    painter: QPainter, placed: PlacedOperand, scene: StageScene, theme: Colours
) -> None:
    area = placed.row_labels
    high = area.height() / placed.rows.count
    for i in range(placed.rows.count):
        index = placed.rows.start + i
        marked = _is_marked(placed.operand.rows, index, scene)
        label = QRectF(area.x(), area.y() + i * high, area.width() - 8, high)
        _paint_label(
            painter, placed, label, placed.row_axis.label(index), RIGHT, theme, marked=marked
        )
    if placed.operand.row_name:
        painter.setPen(QColor(theme.muted))
        name = QRectF(area.x() - 20, area.y() - placed.row_dots - 22, area.width() + 12, 20)
        draw_line(painter, name, placed.operand.row_name, font(placed.size(CAPTION)), RIGHT)


def _paint_column_labels(
    painter: QPainter, placed: PlacedOperand, scene: StageScene, theme: Colours
) -> None:
    area = placed.column_labels
    for i in range(placed.columns.count):
        index = placed.columns.start + i
        marked = _is_marked(placed.operand.columns, index, scene)
        label = _column_label(painter, placed, i, theme)
        _paint_label(
            painter, placed, label, placed.column_axis.label(index), CENTRE, theme, marked=marked
        )
    if placed.operand.column_name:
        painter.setPen(QColor(theme.muted))
        high = area.height() / placed.label_lines
        name = QRectF(
            area.x() - placed.labels_width - placed.column_dots,
            area.y(),
            placed.labels_width - 8,
            high,
        )
        draw_line(painter, name, placed.operand.column_name, font(placed.size(CAPTION)), RIGHT)


def _column_label(painter: QPainter, placed: PlacedOperand, i: int, theme: Colours) -> QRectF:
    """The rectangle of a column's name.

    On two lines it is as wide as two columns, and names of even columns are on the lower line at
    the end of a stroke, as wide as their neighbours allow.
    """
    area, last = placed.column_labels, placed.columns.count - 1
    wide, high = area.width() / (last + 1), area.height() / placed.label_lines
    label = QRectF(area.x() + i * wide, area.y(), wide, high)
    if placed.label_lines == 1:
        return label
    more = wide / 2 - 3
    if i % 2 == 0:
        middle = label.center().x()
        painter.setPen(QColor(theme.line))
        painter.drawLine(QPointF(middle, label.y() + 1), QPointF(middle, label.bottom()))
        label.translate(0.0, high)
        beside = (_name_width(placed, near) for near in (i - 2, i + 2) if 0 <= near <= last)
        more = min((1.5 * wide - min(name / 2, wide) - 3 for name in beside), default=wide)
    if i < last:
        return label.adjusted(-more, 0, more, 0)
    right = min(more, LAST_OVERHANG)
    return label.adjusted(
        -max(right, min(more, _name_width(placed, i) + 4 - wide - right)), 0, right, 0
    )


def _name_width(placed: PlacedOperand, i: int) -> float:
    """The width of the name of a column in bold letters."""
    label = short(placed.column_axis.label(placed.columns.start + i))
    return width_of(label, font(placed.size(CAPTION), bold=True))


def _is_marked(axis: str, index: int, scene: StageScene) -> bool:
    cell = scene.target.cell
    return (axis == "i" and index == cell.row) or (
        axis == "j" and index == cell.column and not scene.target.is_substep
    )


def _paint_label(
    painter: QPainter,
    placed: PlacedOperand,
    rect: QRectF,
    text: str,
    across: float,
    theme: Colours,
    *,
    marked: bool,
) -> None:
    """Paint a label, small in low rows or if it is long; that of the marked cell is bold."""
    tight = rect.height() < placed.size(BODY) * 1.4 or len(text) > 6
    face = font(placed.size(CAPTION if tight else BODY), bold=marked)
    painter.setPen(QColor(theme.text if marked else theme.muted))
    draw_line(painter, rect, elide(short(text), face, rect.width()), face, across)


def _paint_dots(painter: QPainter, placed: PlacedOperand, theme: Colours) -> None:
    """Paint three dots where rows or columns are left out."""
    rect, rows, columns = placed.rect, placed.rows, placed.columns
    middle = rect.center()
    if columns.start > 0:
        _three_dots(
            painter, QPointF(rect.x() - COLUMN_DOTS / 2, middle.y()), QPointF(2.8, 0), theme
        )
    if columns.stop < columns.total:
        _three_dots(
            painter, QPointF(rect.right() + COLUMN_DOTS / 2, middle.y()), QPointF(2.8, 0), theme
        )
    if rows.start > 0:
        _three_dots(painter, QPointF(middle.x(), rect.y() - ROW_DOTS / 2), QPointF(2.8, 0), theme)
    if rows.stop < rows.total:
        _three_dots(
            painter, QPointF(middle.x(), rect.bottom() + ROW_DOTS / 2), QPointF(2.8, 0), theme
        )
    above, below = (
        rect.y() - placed.row_dots - ROW_DOTS / 2,
        rect.bottom() + placed.row_dots + ROW_DOTS / 2,
    )
    for more, y in zip(placed.omitted, (above, below), strict=True):
        if more:
            _three_dots(painter, QPointF(middle.x(), y), QPointF(0, 3.2), theme)


def _three_dots(painter: QPainter, middle: QPointF, apart: QPointF, theme: Colours) -> None:
    for i in (-1, 0, 1):
        _paint_dot(painter, middle + apart * i, 1.1, theme)


def _paint_dot(painter: QPainter, middle: QPointF, radius: float, theme: Colours) -> None:
    set_ink(painter, None, theme.muted)
    painter.drawEllipse(middle, radius, radius)
