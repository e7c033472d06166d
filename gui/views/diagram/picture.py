"""Painter of the diagram for widgets, pictures and exports."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QLinearGradient, QPainter, QPainterPath, QPen, QPolygonF

from core.stages.softmax import EXP
from gui.painting.pixmap_cache import draw_cached
from gui.painting.shapes import draw_box, set_ink, write
from gui.painting.text_layout import CENTRE, draw_text, width_of
from gui.painting.text_size import saved
from gui.painting.theme import CAPTION, Colours, colours, font, role_colour
from gui.session.state import State
from gui.texts.names import role_of
from gui.views.diagram.cards import RING_REACH, card_bounds, paint_card
from gui.views.diagram.columns import BAND
from gui.views.diagram.paint_utils import (
    Align,
    draw_formula,
    formula_width,
    height_of,
    qrect,
    readable,
    stroke,
    text_font,
)
from gui.views.diagram.scene import CardSpec, Status, card_specs, layout_of, status_of, visible_crop
from gui.views.diagram.shapes import Arrow, DiagramLayout
from gui.views.diagram.stack_painting import paint_stream
from gui.views.diagram.viewport import Camera, crop_camera
from gui.views.diagram.viewport_crop import Crop

if TYPE_CHECKING:
    from gui.views.diagram.motion import Changed, StepMotion


HEAD_LENGTH, HEAD_WIDTH = 7.0, 3.6
LETTER_HEIGHT = 0.78  # height of letters and √ relative to their line
CHIP_SPACE = 3.0  # space at either end of a label
SHAPE_SPACE = 40.0  # space beside a label for a shape
CLICKABLE_SPACE, PLAIN_SPACE = -4.0, 2.0  # further space around a label


def paint_diagram(
    painter: QPainter,
    rect: QRectF,
    state: State,
    *,
    before: State | None = None,
    progress: float = 0.0,
    whole: bool = True,
) -> None:
    """Draw the diagram of a state into a rectangle of pixels. Text remains text in vector formats.

    With `before`, draw the step from that state, at a progress from 0 to 1, if anything moves.
    Without `whole`, omit cards that are too small to read: draw the current stage and its
    neighbours, with the number of hidden stages on either side.
    """
    area, theme = (rect.width(), rect.height()), colours(state.shade)
    crop = Crop(layout_of(state, area), 1.0) if whole else visible_crop(state, area)
    moving = AnimationFrame()
    if before is not None:
        from gui.views.diagram.motion import motion_between

        moving = AnimationFrame(motion_between(before, state, crop.layout), progress)
    painter.fillRect(rect, QColor(theme.surface))
    paint_layout(painter, state, crop.layout, crop_camera(crop, rect, state.cursor.stage), moving)
    paint_overflow(painter, rect, crop, theme)


@dataclass(frozen=True, slots=True)
class AnimationFrame:
    """Motion and its progress (0 to 1); flashing cells and their brightness (1 to 0)."""

    motion: StepMotion | None = None
    progress: float = 0.0
    changed: Changed = field(default_factory=dict)
    brightness: float = 0.0

    @property
    def hides_result(self) -> bool:
        """Return whether the current card still shows its old numbers."""
        return self.motion is not None and self.progress < self.motion.result_time


def paint_layout(
    painter: QPainter,
    state: State,
    layout: DiagramLayout,
    camera: Camera,
    moving: AnimationFrame | None = None,
) -> None:
    """Draw the view of a camera: frame and arrows, cards, and motion over them.

    Cards outside of the painter's clip are omitted.
    """
    theme, moving = colours(state.shade), moving or AnimationFrame()
    with saved(painter):
        painter.translate(camera.dx, camera.dy)
        painter.scale(camera.scale, camera.scale)
        paint_background(painter, state, layout, theme, camera.scale)
        clip = painter.clipBoundingRect() if painter.hasClipping() else None
        for card in card_specs(state, layout):
            if clip is None or clip.intersects(qrect(card_bounds(card))):
                if moving.hides_result and card.status is Status.HERE:
                    _paint_previous(painter, card, moving, state, layout, theme, camera.scale)
                else:
                    paint_card(painter, card, theme, camera.scale)
        if moving.motion is not None or moving.changed:
            from gui.views.diagram.animation_painter import paint_flash, paint_motion

            if moving.motion is not None:
                paint_motion(painter, moving.motion, moving.progress, state, theme, camera.scale)
            if moving.changed:
                paint_flash(painter, moving.changed, moving.brightness, state, layout, theme)


def _paint_previous(
    painter: QPainter,
    card: CardSpec,
    moving: AnimationFrame,
    state: State,
    layout: DiagramLayout,
    theme: Colours,
    scale: float,
) -> None:
    """Draw the current card as before the step until the operands meet; a line may reveal it."""
    from gui.views.diagram.animation_painter import swept
    from gui.views.diagram.stage_animations import Sweep

    motion = moving.motion
    assert motion is not None
    previous = next(
        one for one in card_specs(state, layout, motion.old_extent) if one.status is Status.HERE
    )
    paint_card(painter, previous, theme, scale)
    if isinstance(motion.animation, Sweep):
        with saved(painter):
            area = qrect(
                swept(motion.animation, motion.result, motion.animation_progress(moving.progress))
            )
            painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
            paint_card(painter, card, theme, scale)


def paint_background(
    painter: QPainter, state: State, layout: DiagramLayout, theme: Colours, scale: float
) -> None:
    """Draw everything below the cards: the frame of the softmax and the arrows."""

    def paint(painter: QPainter) -> None:
        if layout.stream is not None:
            paint_stream(painter, state, layout, theme, scale)
        paint_softmax(painter, state, layout, theme, scale)
        for arrow in layout.arrows:
            paint_arrow(painter, state, arrow, theme, scale)

    sizes = tuple(state.document.sizes.values())
    key = layout, state.cursor.stage, state.focus.tensor, sizes, state.wording, theme, scale
    draw_cached(painter, QRectF(0.0, 0.0, layout.width, layout.height), key, paint)


def paint_softmax(
    painter: QPainter, state: State, layout: DiagramLayout, theme: Colours, scale: float
) -> None:
    """Draw the frame around the two halves of the softmax, with its caption."""
    if layout.softmax is None:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    rect = qrect(layout.softmax)
    draw_box(painter, rect, None, QColor(theme.sunken), 12)
    if readable(CAPTION, scale):
        face = text_font(CAPTION, scale, bold=True)
        ahead = status_of(state, EXP.name) is Status.AHEAD
        ink = theme.muted if ahead else theme.weights
        draw_text(
            painter, QRectF(rect.x(), rect.y() + 1, rect.width(), 18), CENTRE, "softmax", face, ink
        )


def paint_arrow(
    painter: QPainter, state: State, arrow: Arrow, theme: Colours, scale: float
) -> None:
    """Draw an arrow and its label."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_curve(painter, state, arrow, theme, scale)
    _paint_label(painter, state, arrow, theme, scale)


def arrow_path(arrow: Arrow) -> QPainterPath:
    """Return the arrow's curve."""
    points = [QPointF(*point) for point in arrow.points]
    path = QPainterPath(points[0])
    for start in range(1, len(points), 3):
        path.cubicTo(*points[start : start + 3])
    return path


def _ahead(state: State, arrow: Arrow) -> bool:
    return status_of(state, arrow.target) is Status.AHEAD


def _colour(state: State, arrow: Arrow, theme: Colours) -> QColor:
    if _ahead(state, arrow):
        return QColor(theme.ghost)
    return (
        role_colour(theme, arrow.source) if role_of(arrow.source, "") != "" else QColor(theme.muted)
    )


def _paint_curve(
    painter: QPainter, state: State, arrow: Arrow, theme: Colours, scale: float
) -> None:
    """Draw the curve and its head; dashed before anything has flowed along it."""
    colour, ahead = _colour(state, arrow, theme), _ahead(state, arrow)
    tip = QPointF(*arrow.points[-1])
    way = QPointF(1.0, 0.0)
    if arrow.points[-1][0] == arrow.points[-2][0]:
        way = QPointF(0.0, math.copysign(1.0, arrow.points[-1][1] - arrow.points[-2][1]))
    aside = QPointF(way.y(), way.x()) * HEAD_WIDTH
    tip -= way
    here = status_of(state, arrow.target) is Status.HERE
    set_ink(painter, stroke(colour, 2.4 if here else 1.6, scale, ahead), None)
    painter.drawPath(arrow_path(arrow))
    set_ink(painter, None, colour)
    back = tip - way * HEAD_LENGTH
    painter.drawPolygon(QPolygonF([tip, back - aside, back + aside]))


def label_text(state: State, arrow: Arrow, scale: float) -> str:
    """Return the longest label of an arrow that fits, the same at every stage; "" if none does."""
    face = text_font(CAPTION, scale, bold=True)
    wide = formula_width(arrow.label, face) + SHAPE_SPACE <= arrow.label_space
    texts = (_with_shape(state, arrow) if wide else "", arrow.label)
    return next((text for text in texts if text and _fits(arrow, text, face)), "")


def _with_shape(state: State, arrow: Arrow) -> str:
    """Return a label with the shape of the flowing value; "" where it has none."""
    # Symbols with an index are wide enough.
    flows = state.trace.plan[arrow.target].kind.shows_sources and "_" not in arrow.label
    if not flows or not arrow.label or arrow.source not in state.trace:
        return ""
    rows, columns = state.orientation.pair(*state.document.stage_shape(arrow.source)[-2:])
    shape = f"{columns}×{rows}" if arrow.label.endswith("ᵀ") else f"{rows}×{columns}"
    return f"{arrow.label}  {shape}"


def _fits(arrow: Arrow, text: str, face: QFont) -> bool:
    """Return whether a label fits between two cards, one of which may have the ring.

    Clickable labels may be closer to cards than explanatory ones; labels without a chip need more
    space.
    """
    width, height = formula_width(text, face), height_of(face)
    if arrow.upright:
        gap = arrow.points[-1][1] - arrow.points[0][1]
        beside = max(height - CHIP_SPACE, height * LETTER_HEIGHT + RING_REACH)
        return width + 2 * CHIP_SPACE <= arrow.label_space and beside <= gap
    first, last = _between(arrow)
    spare = CLICKABLE_SPACE if arrow.inputs else PLAIN_SPACE if arrow.above else 0.0
    return max(width + 2 * CHIP_SPACE + spare, width + RING_REACH) <= last - first


def label_rect(state: State, arrow: Arrow, scale: float) -> QRectF:
    """Return the rectangle of an arrow's label in layout units."""
    face = text_font(CAPTION, scale, bold=True)
    text = label_text(state, arrow, scale) or arrow.label
    width, height = formula_width(text, face) + 2 * CHIP_SPACE, height_of(face)
    source, target = (status_of(state, end) is Status.HERE for end in (arrow.source, arrow.target))
    top = arrow.at[1] - height / 2
    if arrow.upright:
        shift = (source - target) * RING_REACH / 2
        return QRectF(arrow.at[0] - width / 2, top + shift, width, height)
    # Shift or narrow it rather than cover a card, its ring or the arrow's head.
    first, last = _between(arrow)
    first, last = first + source * RING_REACH, last - target * RING_REACH
    width = min(width, last - first)
    return QRectF(max(min(arrow.at[0] - width / 2, last - width), first), top, width, height)


def _between(arrow: Arrow) -> tuple[float, float]:
    """Return the horizontal limits of a label on a way from left to right."""
    return arrow.points[0][0], arrow.points[-1][0] - (0.0 if arrow.above else HEAD_LENGTH)


def _paint_label(
    painter: QPainter, state: State, arrow: Arrow, theme: Colours, scale: float
) -> None:
    text = label_text(state, arrow, scale)
    if not text or not readable(CAPTION, scale):
        return
    rect, face = label_rect(state, arrow, scale), text_font(CAPTION, scale, bold=True)
    focused = state.focus.tensor in arrow.inputs
    if focused or not arrow.above:
        pen = QPen(QColor(theme.accent), 2.0) if focused else None
        draw_box(painter, rect, pen, QColor(theme.surface), 5)
    ink = role_colour(theme, arrow.inputs[0] if arrow.inputs else arrow.source)
    painter.setPen(QColor(theme.muted) if _ahead(state, arrow) else ink)
    draw_formula(painter, rect, text, face)


EDGE_INSET, CHIP_AIR, CHIP_HEAD = 4.0, 5.0, 4.0


def paint_overflow(painter: QPainter, area: QRectF, crop: Crop, theme: Colours) -> None:
    """Draw the fading ends of an area with hidden columns."""
    with saved(painter):
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for count, way in ((crop.before, -1.0), (crop.after, 1.0)):
            if count:
                edge = area.left() if way < 0 else area.right()
                _paint_fading(painter, area, edge, way, theme)
                _paint_chip(painter, QPointF(edge, area.center().y()), way, f"+{count}", theme)


def _paint_fading(painter: QPainter, area: QRectF, edge: float, way: float, theme: Colours) -> None:
    """Draw a gradient that is opaque at the edge, so that nothing looks cut."""
    solid, clear = QColor(theme.surface), QColor(theme.surface)
    clear.setAlpha(0)
    fading = QLinearGradient(edge, 0.0, edge - way * BAND, 0.0)
    for place, colour in ((0.0, solid), (0.3, solid), (1.0, clear)):
        fading.setColorAt(place, colour)
    left = edge if way < 0 else edge - BAND
    painter.fillRect(QRectF(left, area.top(), BAND, area.height()), fading)


def _paint_chip(painter: QPainter, edge: QPointF, way: float, text: str, theme: Colours) -> None:
    """Draw a number with an arrow head that points outwards."""
    face = font(CAPTION, bold=True)
    wide, high = width_of(text, face) + CHIP_HEAD + 3 * CHIP_AIR, height_of(face) + 4.0
    left = edge.x() + EDGE_INSET if way < 0 else edge.x() - EDGE_INSET - wide
    patch = QRectF(left, edge.y() - high / 2, wide, high)
    draw_box(painter, patch, None, theme.accent_soft, high / 2)
    words = (
        patch.adjusted(CHIP_HEAD + 2 * CHIP_AIR, 0, -CHIP_AIR, 0)
        if way < 0
        else patch.adjusted(CHIP_AIR, 0, -CHIP_HEAD - 2 * CHIP_AIR, 0)
    )
    write(
        painter,
        words,
        text,
        face,
        theme.text,
        Align.AlignCenter.value | Qt.TextFlag.TextDontClip.value,
    )
    tip = QPointF(
        patch.left() + CHIP_AIR + 1.0 if way < 0 else patch.right() - CHIP_AIR - 1.0, edge.y()
    )
    painter.setPen(QPen(QColor(theme.text), 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    for side in (-CHIP_HEAD, CHIP_HEAD):
        painter.drawLine(tip, tip + QPointF(-way * CHIP_HEAD, side))
