"""Painter of one card: edges of other heads, heading, token names, matrix and row notes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen

from gui.painting.pixmap_cache import draw_cached
from gui.painting.shapes import draw_box
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, draw_text, width_of
from gui.painting.text_size import saved
from gui.painting.theme import BODY, CAPTION, Colours, font, role_colour
from gui.texts.names import role_of
from gui.texts.translation import tr
from gui.views.diagram.card_sizes import NAME_LINE, SYMBOL_LINE
from gui.views.diagram.labels import in_single_letters, name_lines
from gui.views.diagram.paint_utils import (
    LEAST,
    digits_in,
    draw_chip,
    draw_symbol,
    height_of,
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
TOKEN_HEIGHT = 0.86  # maximum height of a token as a fraction of its row
LEAST_LABEL = 9.0


def paint_card(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    """Draw a card at its place in layout units; `scale` is pixels per unit."""
    key = (
        *(
            card.box,
            card.status,
            card.heading,
            card.chip,
            card.tokens,
            card.disabled_edges,
            theme,
            scale,
        ),
        *(() if card.picture is None else (card.picture.frames, card.picture.off)),
    )
    case = partial(_paint_static, card=card, theme=theme, scale=scale)
    draw_cached(painter, qrect(card_bounds(card)), key, case)
    paint_values(painter, card, theme, scale)


def _paint_static(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    """Draw a card without its numbers."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _paint_edges(painter, card, theme, scale)
    _paint_background(painter, card, theme, scale)
    if card.box.stage_id in WORDS:
        _paint_tokens(painter, card, theme, scale)
    else:
        _paint_heading(painter, card, theme, scale)
        _paint_labels(painter, card, theme, scale)


def _ink(card: CardSpec, theme: Colours) -> QColor:
    return (
        QColor(theme.muted)
        if card.status is Status.AHEAD
        else role_colour(theme, card.box.stage_id)
    )


def _border(card: CardSpec, theme: Colours) -> QColor:
    if card.status is Status.AHEAD:
        return QColor(theme.ghost)
    known = role_of(card.box.stage_id, "") != ""
    return role_colour(theme, card.box.stage_id) if known else QColor(theme.muted)


def _paint_edges(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    for level in range(card.box.depth, 0, -1):
        off = card.disabled_edges[level - 1]
        dashed = off or card.status is Status.AHEAD
        colour = QColor(theme.ghost) if off else _border(card, theme)
        pen = stroke(colour, 1.0, scale, dashed)
        draw_box(painter, qrect(card.box.edge(level)), pen, QColor(theme.surface), RADIUS)


def _paint_background(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    rect = qrect(card.box.rect)
    if card.status is Status.AHEAD:
        pen = stroke(theme.ghost, 1.2, scale, dashed=True)
        draw_box(painter, rect, pen, QColor(theme.surface), RADIUS)
        return
    if card.status is Status.HERE:
        ring = rect.adjusted(-RING, -RING, RING, RING)
        draw_box(
            painter,
            ring,
            stroke(theme.accent, RING_WIDTH, scale),
            QColor(theme.accent_soft),
            RADIUS + RING,
        )
    draw_box(painter, rect, stroke(_border(card, theme), 1.5, scale), QColor(theme.surface), RADIUS)


def _paint_tokens(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    _paint_tokens_heading(painter, card, theme, scale)
    box = card.box
    height = box.matrix.h / box.rows
    face = font(round(min(max(text_size(BODY, scale), LEAST / scale), height * TOKEN_HEIGHT)))
    if face.pixelSize() * scale < LEAST - 0.5:
        return
    for row, token in enumerate(card.tokens[0]):
        cell = qrect(box.matrix.block_rect(box.rows, 1, (row, row + 1), (0, 1))).adjusted(
            0, 1, 0, -1
        )
        draw_box(painter, cell, None, QColor(theme.sunken), 4)
        draw_text(painter, cell.adjusted(4, 0, -4, 0), CENTRE, token, face, theme.text)


def _paint_tokens_heading(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the heading of the tokens where it is readable."""
    box, words = card.box, card.heading
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


def _paint_heading(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    if not readable(CAPTION, scale):
        _paint_symbol_alone(painter, card, theme, scale)
    else:
        (_paint_side_heading if card.box.side else _paint_top_heading)(painter, card, theme, scale)


def _paint_symbol_alone(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the symbol alone when the picture is too small for names."""
    box, face = card.box, text_font(SYMBOL, scale, bold=True)
    width = box.heading if box.side else box.rect.w - 2 * INSET
    line = QRectF(
        box.rect.x + INSET, box.rect.y + 4, width, box.rect.h - 8 if box.side else box.heading - 8
    )
    if readable(SYMBOL, scale):
        draw_symbol(painter, line, card.heading.symbol, face, _ink(card, theme))


def _paint_top_heading(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    rect, words = card.box.rect, card.heading
    bold, small = text_font(SYMBOL, scale, bold=True), text_font(CAPTION, scale)
    line = QRectF(rect.x + INSET, rect.y + 2, rect.w - 2 * INSET, SYMBOL_LINE - 2)
    used = draw_symbol(painter, line, words.symbol, bold, _ink(card, theme)) + 6
    free = line.width() - used
    shape = width_of(words.shape, small)
    if shape <= free:
        draw_text(painter, line.adjusted(used, 1, 0, 1), LEFT, words.shape, small, theme.muted)
        free -= shape + 6
    _paint_chip(painter, card, theme, scale, QPointF(line.right(), line.center().y()), free)
    lines = min(int((card.box.heading - SYMBOL_LINE) / NAME_LINE + 0.01), 1 + len(words.names))
    _paint_name(
        painter, card, theme, scale, QRectF(line.x(), line.bottom() - 1, line.width(), 0), lines
    )


def _paint_side_heading(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    rect, words = card.box.rect, card.heading
    bold, small = text_font(SYMBOL, scale, bold=True), text_font(CAPTION, scale)
    step = height_of(small) * 0.98
    measure, area = partial(width_of, face=small), card.box.heading - 4
    most = max(1, int((rect.h - 22) / step))
    free = max(1, most - 1) if card.chip else most
    lines = name_lines(words.names, free, area, measure)
    lines = [] if in_single_letters(lines) else lines  # the symbol alone reads better
    shape = [words.shape] if measure(words.shape) <= area else []
    beside = len(lines) >= most and not card.chip
    lines = lines if beside or (lines and most == 1) else [*lines[: most - 1], *shape]
    lines = lines if rect.h >= 20 + step else []
    height = 20 + step * len(lines)
    line = QRectF(rect.x + INSET, rect.y + (rect.h - height) / 2, card.box.heading - 4, 20)
    used = draw_symbol(painter, line, words.symbol, bold, _ink(card, theme)) + 6
    if beside and used + width_of(words.shape, small) <= line.width():
        draw_text(painter, line, RIGHT, words.shape, small, theme.muted)
    _paint_chip(
        painter, card, theme, scale, QPointF(line.right(), line.center().y()), line.width() - 18
    )
    for number, text in enumerate(lines):
        below = QRectF(line.x(), line.bottom() + number * step, line.width(), step)
        draw_text(painter, below, LEFT, text, small, theme.muted)


def _paint_name(
    painter: QPainter, card: CardSpec, theme: Colours, scale: float, start: QRectF, most: int
) -> None:
    face = text_font(CAPTION, scale)
    step = height_of(face) * 0.95
    lines = name_lines(card.heading.names, most, start.width(), partial(width_of, face=face))
    for number, text in enumerate(lines):
        line = QRectF(start.x(), start.y() + number * step, start.width(), step)
        draw_text(painter, line, LEFT, text, face, theme.muted)


def _paint_chip(
    painter: QPainter, card: CardSpec, theme: Colours, scale: float, right: QPointF, free: float
) -> None:
    """Draw which head is in front, or that it is off, in the longest wording that fits."""
    off = card.picture is not None and card.picture.off
    face = text_font(CAPTION, scale)
    for text in (tr("off"),) if off else card.chip:
        width = width_of(text, face) + 10
        if width <= free:
            ink, fill = (theme.surface, theme.muted) if off else (theme.text, theme.accent_soft)
            draw_chip(painter, QPointF(right.x() - width / 2, right.y()), text, face, ink, fill)
            return


def _paint_labels(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the tokens beside the rows and above the columns; those of the marked cells are bold."""
    box, picture = card.box, card.picture
    if picture is None:
        return
    (width, height), (rows, columns) = box.cell_size, card.tokens
    spans = [frame.rows for frame in picture.frames], [frame.columns for frame in picture.frames]
    marked = [{first for first, last in axis if last - first == 1} for axis in spans]
    size, above = text_size(CAPTION, scale), min(text_size(CAPTION, scale), 15.0)
    size, matrix = min(size, height * TOKEN_HEIGHT), qrect(box.matrix)
    lines: list[tuple[QRectF, float, str, float, bool]] = []
    if box.label_width and size * scale >= LEAST_LABEL:
        beside = QRectF(matrix.x() - box.label_width, matrix.y(), box.label_width - 5.0, height)
        for row, token in enumerate(rows):
            place = beside.translated(0.0, row * height)
            lines.append((place, RIGHT, token, size, row in marked[0]))
    if box.label_height and above * scale >= LEAST_LABEL:
        over = QRectF(matrix.x(), matrix.y() - box.label_height, width, box.label_height)
        for column, token in enumerate(columns):
            place = over.translated(column * width, 0.0)
            lines.append((place, CENTRE, token, above, column in marked[1]))
    for place, across, token, pixels, bold in lines:
        colour = theme.text if bold else theme.muted
        draw_text(painter, place, across, token, font(round(pixels), bold=bold), colour)


def paint_values(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the numbers of a card, and the notes at its rows."""
    if card.picture is None:
        return
    rect, picture = qrect(card.box.matrix), card.picture
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_numbers(painter, rect, picture, theme, roomy=card.box.image)
    if picture.off:
        draw_box(painter, rect, None, None, 2)
        painter.fillRect(rect, QBrush(QColor(theme.ghost), Qt.BrushStyle.FDiagPattern))
    _paint_blocks(painter, card, theme)
    _paint_masked_rows(painter, card, theme, scale)
    _paint_lead(painter, card, theme, scale)


def _paint_blocks(painter: QPainter, card: CardSpec, theme: Colours) -> None:
    """Draw lines between the blocks of joined heads, and hatch blocks of disabled heads."""
    box = card.box
    if card.blocks < 2 or card.status is Status.AHEAD:
        return
    size = box.columns // card.blocks
    for index in card.off_blocks:
        block = box.block_rect((0, box.rows), (index * size, (index + 1) * size))
        painter.fillRect(qrect(block), QBrush(QColor(theme.ghost), Qt.BrushStyle.FDiagPattern))
    painter.setPen(QPen(QColor(theme.muted), 1.0))
    along = box.orientation.pair(*box.cell_size)[0]
    for index in range(1, card.blocks):
        edge = box.block_rect((0, box.rows), (index * size, index * size + 1))
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


def _paint_masked_rows(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    """Label the hatched rows of fully masked queries, unless the label would cover numbers."""
    box, face, picture = card.box, text_font(CAPTION, scale), card.picture
    if (
        picture is None
        or not card.masked_rows
        or digits_in(picture, box.matrix.w * scale, box.matrix.h * scale)[0]
    ):
        return
    text, upright = tr("masked: 0"), box.orientation.columns
    patch = QRectF(0.0, 0.0, width_of(text, face) + 4.0, face.pixelSize() * 1.1)
    along, across = box.orientation.pair(patch.width(), patch.height())
    for row in card.masked_rows:
        area = box.block_rect((row, row + 1), (0, box.columns))
        ringed = any(frame.rows[0] <= row < frame.rows[1] for frame in card.source_frames)
        if area.w < along or area.h < across or ringed or not readable(CAPTION, scale):
            continue
        with saved(painter):
            painter.translate(*area.centre)
            painter.rotate(-90.0 if upright else 0.0)
            patch.moveCenter(QPointF())
            draw_box(painter, patch, None, QColor(theme.sunken), 3)
            draw_text(painter, patch, CENTRE, text, face, theme.text)


def _paint_lead(painter: QPainter, card: CardSpec, theme: Colours, scale: float) -> None:
    """Draw the maximum or sum at the start of its row."""
    if card.lead is None or not readable(CAPTION, scale):
        return
    row, text = card.lead
    at = QPointF(*card.box.block_rect((row, row + 1), (0, card.box.columns)).centre)
    draw_chip(
        painter, at, text, text_font(CAPTION, scale, bold=True), theme.text, theme.accent_soft
    )


def card_bounds(card: CardSpec) -> Rect:
    """Return the area that a card may paint on."""
    return card.box.outer.grown(RING + 3.0)
