"""Painter of one card: edges of other heads, heading, token names, matrix and row notes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from gui.painting.matrix import MatrixSpec
from gui.painting.pixmap_cache import draw_cached
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, width_of
from gui.painting.theme import BODY, CAPTION, ROLES, Colours, font, role_colour
from gui.texts.translation import tr
from gui.views.diagram.card_sizes import NAME_LINE, SYMBOL_LINE
from gui.views.diagram.labels import in_single_letters, name_lines
from gui.views.diagram.paint_utils import (
    LEAST,
    digits_in,
    draw_chip,
    draw_symbol,
    draw_text,
    height_of,
    outline,
    paint_numbers,
    qrect,
    readable,
    stroke,
    text_font,
    text_size,
)
from gui.views.diagram.scene import CardSpec, Status
from gui.views.diagram.shapes import WORDS, Rect

RADIUS = 8.0
RING, RING_WIDTH = 4.0, 2.5
RING_REACH = RING + RING_WIDTH / 2  # from the card's edge
INSET = 6.0
SYMBOL = 16.0
OF_ROW = 0.86  # maximum height of a token as a fraction of its row
LEAST_LABEL = 9.0


def paint_card(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    """Draw a card at its place in layout units; `scale` is pixels per unit."""
    key = (
        *(
            look.box,
            look.status,
            look.heading,
            look.chip,
            look.tokens,
            look.disabled_edges,
            theme,
            scale,
        ),
        *(() if look.picture is None else (look.picture.frames, look.picture.off)),
    )
    case = partial(_paint_case, look=look, theme=theme, scale=scale)
    draw_cached(painter, qrect(card_bounds(look)), key, case)
    paint_values(painter, look, theme, scale)


def _paint_case(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    """Draw a card without its numbers."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_edges(painter, look, theme, scale)
    _paint_ground(painter, look, theme, scale)
    if look.box.stage_id in WORDS:
        _paint_tokens(painter, look, theme, scale)
    else:
        _paint_heading(painter, look, theme, scale)
        _paint_labels(painter, look, theme, scale)


def _ink(look: CardSpec, theme: Colours) -> QColor:
    return (
        QColor(theme.muted)
        if look.status is Status.AHEAD
        else role_colour(theme, look.box.stage_id)
    )


def _border(look: CardSpec, theme: Colours) -> QColor:
    if look.status is Status.AHEAD:
        return QColor(theme.ghost)
    known = look.box.stage_id in ROLES
    return role_colour(theme, look.box.stage_id) if known else QColor(theme.muted)


def _paint_edges(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    for level in range(look.box.depth, 0, -1):
        off = look.disabled_edges[level - 1]
        dashed = off or look.status is Status.AHEAD
        colour = QColor(theme.ghost) if off else _border(look, theme)
        pen = stroke(colour, 1.0, scale, dashed)
        outline(painter, qrect(look.box.edge(level)), pen, QColor(theme.surface), RADIUS)


def _paint_ground(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    rect = qrect(look.box.rect)
    if look.status is Status.AHEAD:
        pen = stroke(theme.ghost, 1.2, scale, dashed=True)
        outline(painter, rect, pen, QColor(theme.surface), RADIUS)
        return
    if look.status is Status.HERE:
        ring = rect.adjusted(-RING, -RING, RING, RING)
        outline(
            painter,
            ring,
            stroke(theme.accent, RING_WIDTH, scale),
            QColor(theme.accent_soft),
            RADIUS + RING,
        )
    outline(painter, rect, stroke(_border(look, theme), 1.5, scale), QColor(theme.surface), RADIUS)


def _paint_tokens(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    _paint_tokens_heading(painter, look, theme, scale)
    box = look.box
    height = box.matrix.h / box.rows
    face = font(round(min(max(text_size(BODY, scale), LEAST / scale), height * OF_ROW)))
    if face.pixelSize() * scale < LEAST - 0.5:
        return
    for row, token in enumerate(look.tokens[0]):
        cell = qrect(box.matrix.part(box.rows, 1, (row, row + 1), (0, 1))).adjusted(0, 1, 0, -1)
        outline(painter, cell, QPen(Qt.PenStyle.NoPen), QColor(theme.sunken), 4)
        draw_text(painter, cell.adjusted(4, 0, -4, 0), CENTRE, token, face, theme.text)


def _paint_tokens_heading(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the heading of the tokens where it is readable."""
    box, words = look.box, look.heading
    face, small = text_font(BODY, scale, bold=True), text_font(CAPTION, scale)
    line = QRectF(box.rect.x + INSET, box.rect.y + 6, box.rect.w - 2 * INSET, 20)
    name = next(iter(name_lines(words.names, 1, line.width(), partial(width_of, face=face))), "")
    if not name or not readable(BODY, scale):
        return
    draw_text(painter, line, LEFT, name, face, theme.text)
    if width_of(words.shape, small) <= line.width() - width_of(name, face) - 6 and readable(
        CAPTION, scale
    ):
        draw_text(painter, line, RIGHT, words.shape, small, theme.muted)


def _paint_heading(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    if not readable(CAPTION, scale):
        _paint_symbol_alone(painter, look, theme, scale)
    else:
        (_paint_side_heading if look.box.side else _paint_top_heading)(painter, look, theme, scale)


def _paint_symbol_alone(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the symbol alone when the picture is too small for names."""
    box, face = look.box, text_font(SYMBOL, scale, bold=True)
    width = box.heading if box.side else box.rect.w - 2 * INSET
    line = QRectF(
        box.rect.x + INSET, box.rect.y + 4, width, box.rect.h - 8 if box.side else box.heading - 8
    )
    if readable(SYMBOL, scale):
        draw_symbol(painter, line, look.heading.symbol, face, _ink(look, theme))


def _paint_top_heading(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    rect, words = look.box.rect, look.heading
    bold, small = text_font(SYMBOL, scale, bold=True), text_font(CAPTION, scale)
    line = QRectF(rect.x + INSET, rect.y + 2, rect.w - 2 * INSET, SYMBOL_LINE - 2)
    used = draw_symbol(painter, line, words.symbol, bold, _ink(look, theme)) + 6
    free = line.width() - used
    shape = width_of(words.shape, small)
    if shape <= free:
        draw_text(painter, line.adjusted(used, 1, 0, 1), LEFT, words.shape, small, theme.muted)
        free -= shape + 6
    _paint_chip(painter, look, theme, scale, QPointF(line.right(), line.center().y()), free)
    lines = min(int((look.box.heading - SYMBOL_LINE) / NAME_LINE + 0.01), 1 + len(words.names))
    _paint_name(
        painter, look, theme, scale, QRectF(line.x(), line.bottom() - 1, line.width(), 0), lines
    )


def _paint_side_heading(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    rect, words = look.box.rect, look.heading
    bold, small = text_font(SYMBOL, scale, bold=True), text_font(CAPTION, scale)
    step = height_of(small) * 0.98
    measure, room = partial(width_of, face=small), look.box.heading - 4
    most = max(1, int((rect.h - 22) / step))
    free = max(1, most - 1) if look.chip else most
    lines = name_lines(words.names, free, room, measure)
    lines = [] if in_single_letters(lines) else lines  # the symbol alone reads better
    shape = [words.shape] if measure(words.shape) <= room else []
    beside = len(lines) >= most and not look.chip
    lines = lines if beside or (lines and most == 1) else [*lines[: most - 1], *shape]
    height = 20 + step * len(lines)
    line = QRectF(rect.x + INSET, rect.y + (rect.h - height) / 2, look.box.heading - 4, 20)
    used = draw_symbol(painter, line, words.symbol, bold, _ink(look, theme)) + 6
    if beside and used + width_of(words.shape, small) <= line.width():
        draw_text(painter, line, RIGHT, words.shape, small, theme.muted)
    _paint_chip(
        painter, look, theme, scale, QPointF(line.right(), line.center().y()), line.width() - 18
    )
    for number, text in enumerate(lines):
        below = QRectF(line.x(), line.bottom() + number * step, line.width(), step)
        draw_text(painter, below, LEFT, text, small, theme.muted)


def _paint_name(
    painter: QPainter, look: CardSpec, theme: Colours, scale: float, start: QRectF, most: int
) -> None:
    face = text_font(CAPTION, scale)
    step = height_of(face) * 0.95
    lines = name_lines(look.heading.names, most, start.width(), partial(width_of, face=face))
    for number, text in enumerate(lines):
        line = QRectF(start.x(), start.y() + number * step, start.width(), step)
        draw_text(painter, line, LEFT, text, face, theme.muted)


def _paint_chip(
    painter: QPainter, look: CardSpec, theme: Colours, scale: float, right: QPointF, free: float
) -> None:
    """Draw which head is in front, or that it is off, in the longest wording that fits."""
    off = look.picture is not None and look.picture.off
    face = text_font(CAPTION, scale)
    for text in (tr("off"),) if off else look.chip:
        width = width_of(text, face) + 10
        if width <= free:
            ink, fill = (theme.surface, theme.muted) if off else (theme.text, theme.accent_soft)
            draw_chip(painter, QPointF(right.x() - width / 2, right.y()), text, face, ink, fill)
            return


def _paint_labels(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    box, picture = look.box, look.picture
    if picture is None:
        return
    width, height = box.cell
    size = min(text_size(CAPTION, scale), height * OF_ROW)
    if box.label_width and size * scale >= LEAST_LABEL:
        _paint_row_labels(painter, look, picture, theme, height, size)
    above = min(text_size(CAPTION, scale), 15.0)
    if box.label_height and above * scale >= LEAST_LABEL:
        _paint_column_labels(painter, look, picture, theme, width, above)


def _paint_row_labels(
    painter: QPainter,
    look: CardSpec,
    picture: MatrixSpec,
    theme: Colours,
    height: float,
    size: float,
) -> None:
    box = look.box
    marked = {frame.rows[0] for frame in picture.frames if frame.rows[1] - frame.rows[0] == 1}
    for row, token in enumerate(look.tokens[0]):
        line = QRectF(
            box.matrix.x - box.label_width,
            box.matrix.y + row * height,
            box.label_width - 5.0,
            height,
        )
        face, colour = (
            font(round(size), bold=row in marked),
            theme.text if row in marked else theme.muted,
        )
        draw_text(painter, line, RIGHT, token, face, colour)


def _paint_column_labels(
    painter: QPainter,
    look: CardSpec,
    picture: MatrixSpec,
    theme: Colours,
    width: float,
    size: float,
) -> None:
    box = look.box
    marked = {
        frame.columns[0] for frame in picture.frames if frame.columns[1] - frame.columns[0] == 1
    }
    for column, token in enumerate(look.tokens[1]):
        line = QRectF(
            box.matrix.x + column * width, box.matrix.y - box.label_height, width, box.label_height
        )
        face, colour = (
            font(round(size), bold=column in marked),
            theme.text if column in marked else theme.muted,
        )
        draw_text(painter, line, CENTRE, token, face, colour)


def paint_values(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the numbers of a card, and the notes at its rows."""
    if look.picture is None:
        return
    rect, picture = qrect(look.box.matrix), look.picture
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_numbers(painter, rect, picture, theme)
    if picture.off:
        outline(painter, rect, QPen(Qt.PenStyle.NoPen), None, 2)
        painter.fillRect(rect, QBrush(QColor(theme.ghost), Qt.BrushStyle.FDiagPattern))
    _paint_blocks(painter, look, theme)
    _paint_masked_rows(painter, look, theme, scale)
    _paint_lead(painter, look, theme, scale)


def _paint_blocks(painter: QPainter, look: CardSpec, theme: Colours) -> None:
    """Draw lines between the blocks of joined heads, and hatch blocks of disabled heads."""
    box = look.box
    if look.blocks < 2 or look.status is Status.AHEAD:
        return
    size = box.columns // look.blocks
    for index in look.off_blocks:
        block = box.part((0, box.rows), (index * size, (index + 1) * size))
        painter.fillRect(qrect(block), QBrush(QColor(theme.ghost), Qt.BrushStyle.FDiagPattern))
    painter.setPen(QPen(QColor(theme.muted), 1.0))
    along = box.orientation.pair(*box.cell)[0]
    for index in range(1, look.blocks):
        edge = box.part((0, box.rows), (index * size, index * size + 1))
        _paint_edge(painter, edge, upright=not box.orientation.columns, whole=along >= 8.0)


TICK = 3.0


def _paint_edge(painter: QPainter, block: Rect, *, upright: bool, whole: bool) -> None:
    """Draw a line before a block, or only its ends beyond the matrix where cells are small."""
    start = QPointF(block.x, block.y)
    length = QPointF(0.0, block.h) if upright else QPointF(block.w, 0.0)
    if whole:
        painter.drawLine(start, start + length)
        return
    beyond = QPointF(0.0, TICK) if upright else QPointF(TICK, 0.0)
    painter.drawLine(start - beyond, start)
    painter.drawLine(start + length, start + length + beyond)


def _paint_masked_rows(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    """Label the hatched rows of fully masked queries, unless the label would cover numbers."""
    box, face, picture = look.box, text_font(CAPTION, scale), look.picture
    if (
        picture is None
        or not look.masked_rows
        or digits_in(picture, box.matrix.w * scale, box.matrix.h * scale)[0]
    ):
        return
    text, upright = tr("masked: 0"), box.orientation.columns
    patch = QRectF(0.0, 0.0, width_of(text, face) + 4.0, face.pixelSize() * 1.1)
    along, across = box.orientation.pair(patch.width(), patch.height())
    for row in look.masked_rows:
        area = box.part((row, row + 1), (0, box.columns))
        ringed = any(frame.rows[0] <= row < frame.rows[1] for frame in look.source_frames)
        if area.w < along or area.h < across or ringed or not readable(CAPTION, scale):
            continue
        painter.save()
        painter.translate(*area.centre)
        painter.rotate(-90.0 if upright else 0.0)
        patch.moveCenter(QPointF())
        outline(painter, patch, QPen(Qt.PenStyle.NoPen), QColor(theme.sunken), 3)
        draw_text(painter, patch, CENTRE, text, face, theme.text)
        painter.restore()


def _paint_lead(painter: QPainter, look: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the maximum or sum at the start of its row."""
    if look.lead is None or not readable(CAPTION, scale):
        return
    row, text = look.lead
    at = QPointF(*look.box.part((row, row + 1), (0, look.box.columns)).centre)
    draw_chip(
        painter, at, text, text_font(CAPTION, scale, bold=True), theme.text, theme.accent_soft
    )


def card_bounds(look: CardSpec) -> Rect:
    """Return the area that a card may paint on."""
    return look.box.outer.grown(RING + 3.0)
