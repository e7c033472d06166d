"""Painter of the residual stream and of what hangs below it: lanes, sub-layers, folded layers."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from core.document.document import Document
from gui.painting.shapes import draw_box, set_ink
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, draw_text, width_of
from gui.painting.theme import CAPTION, Colours
from gui.session.state import State
from gui.texts.names import layers_title, sublayer_title, visible_tokens
from gui.texts.translation import mark, tr, tr_marked
from gui.views.diagram.cards import paint_values
from gui.views.diagram.labels import card_heading
from gui.views.diagram.paint_utils import qrect, readable, stroke, text_font
from gui.views.diagram.scene import Status, card_spec, status_of
from gui.views.diagram.shapes import DiagramLayout, FoldedLayers, Panel, Rect, Stream

RADIUS = 8.0
BEHIND = 4.0  # offset of the edges behind a folded card
MOST_SIGNS = 8  # lanes with a plus of their own

_NOTES = {
    "attention": mark("mixes the tokens"),
    "mlp": mark("each token on its own"),
    "output": mark("from each token to the vocabulary"),
}


def paint_stream(
    painter: QPainter, state: State, layout: DiagramLayout, theme: Colours, scale: float
) -> None:
    """Draw everything of a stack below its cards and arrows."""
    stream = layout.stream
    assert stream is not None
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    draw_box(painter, qrect(stream.band), None, QColor(theme.sunken), RADIUS)
    if stream.layer is not None:
        pen = stroke(theme.line, 1.2, scale)
        draw_box(painter, qrect(stream.layer), pen, None, RADIUS + 2)
    for panel in stream.panels:
        _paint_panel(painter, state, layout, panel, theme, scale)
    _paint_lanes(painter, state, layout, theme, scale)
    for stage_id, rect in stream.pluses:
        _paint_plus(painter, state, stage_id, rect, theme, scale)
    _paint_titles(painter, layout, theme, scale)
    for folded in stream.folded:
        _paint_folded(painter, state, folded, theme, scale)


def _paint_panel(
    painter: QPainter,
    state: State,
    layout: DiagramLayout,
    panel: Panel,
    theme: Colours,
    scale: float,
) -> None:
    here = state.cursor.stage in panel.stages
    pen = stroke(theme.accent, 1.6, scale) if here else None
    draw_box(painter, qrect(panel.rect), pen, QColor(theme.sunken), RADIUS)
    if not readable(CAPTION, scale):
        return
    title, note = sublayer_title(panel.name, state.document), panel_note(panel)
    bold, small = text_font(CAPTION, scale, bold=True), text_font(CAPTION, scale)
    left = title_left(layout, panel)
    line = QRectF(left, panel.rect.y + 2.0, panel.rect.right - left - 10.0, 20.0)
    ahead = all(status_of(state, name) is Status.AHEAD for name in panel.stages)
    draw_text(painter, line, LEFT, title, bold, theme.muted if ahead else theme.text)
    used = width_of(title, bold) + 10.0
    if used + width_of(note, small) <= line.width():
        draw_text(painter, line.adjusted(used, 0, 0, 0), LEFT, note, small, theme.muted)


def panel_note(panel: Panel) -> str:
    """Return what a sub-layer does with the tokens."""
    return tr_marked(_NOTES[panel.name])


def title_left(layout: DiagramLayout, panel: Panel) -> float:
    """Return the x of a sub-layer's title, beside the arrow from the stream."""
    down = [
        arrow.points[-1][0]
        for arrow in layout.arrows
        if arrow.target in panel.stages and arrow.source not in panel.stages
    ]
    return max([panel.rect.x, *down]) + 10.0


def folded_title(folded: FoldedLayers, document: Document) -> str:
    """Return the title of layers that are not open, or of the next word."""
    return layers_title(folded.layers) if folded.layers else sublayer_title("output", document)


def _paint_titles(painter: QPainter, layout: DiagramLayout, theme: Colours, scale: float) -> None:
    """Name the stream in the widest gap above it."""
    stream = layout.stream
    assert stream is not None
    if not readable(CAPTION, scale):
        return
    bold = text_font(CAPTION, scale, bold=True)
    text = tr("Residual stream")
    for left, right in gaps_above(layout, stream):
        line = QRectF(left + 8.0, stream.band.y + 2.0, right - left - 16.0, 20.0)
        if width_of(text, bold) <= line.width():
            draw_text(painter, line, LEFT, text, bold, theme.text)
            break
    if stream.number and stream.layer is not None and len(stream.panels):
        _paint_layer_name(painter, stream, stream.layer, theme, scale)


def _paint_layer_name(
    painter: QPainter, stream: Stream, frame: Rect, theme: Colours, scale: float
) -> None:
    """Write the number of the open layer beside the title of its last sub-layer."""
    bold = text_font(CAPTION, scale, bold=True)
    text = layers_title((stream.number,))
    last = stream.panels[-1].rect
    line = QRectF(last.right + 4.0, frame.bottom - 24.0, frame.right - last.right - 10.0, 20.0)
    if width_of(text, bold) <= line.width():
        draw_text(painter, line, RIGHT, text, bold, theme.text)


def gaps_above(layout: DiagramLayout, stream: Stream) -> list[tuple[float, float]]:
    """Return the gaps between the cards and pluses on the stream, from left to right."""
    return [(a[1], b[0]) for a, b in pairwise(_stops(layout, stream)) if b[0] - a[1] > 0]


def _stops(layout: DiagramLayout, stream: Stream) -> list[tuple[float, float]]:
    """Return the intervals of x that the stream passes behind, and its ends."""
    cards = [
        (box.outer.x, box.outer.right) for box in layout.boxes if box.rect.y < stream.band.bottom
    ]
    pluses = [(rect.x, rect.right) for _, rect in stream.pluses]
    ends = [(stream.start, stream.start), (stream.band.right, stream.band.right)]
    return sorted([*cards, *pluses, *ends])


def reached_x(state: State, layout: DiagramLayout, stream: Stream) -> float:
    """Return the x up to which the stream has been computed."""
    ahead = [
        box.rect.x
        for box in layout.boxes
        if box.rect.y < stream.band.bottom and status_of(state, box.stage_id) is Status.AHEAD
    ]
    ahead += [rect.x for name, rect in stream.pluses if status_of(state, name) is Status.AHEAD]
    ahead += [
        panel.rect.right - 14.0
        for panel in stream.panels
        if status_of(state, panel.stages[-1]) is Status.AHEAD
    ]
    return min(ahead, default=stream.band.right if not stream.folded else _last(layout, stream))


def _last(layout: DiagramLayout, stream: Stream) -> float:
    """Return the end of the open part where all of it has been computed."""
    after = [folded.rect.x for folded in stream.folded if folded.rect.x > stream.start + 200.0]
    return min(after, default=stream.band.right)


def _paint_lanes(
    painter: QPainter, state: State, layout: DiagramLayout, theme: Colours, scale: float
) -> None:
    """Draw a line for each token, solid as far as it is computed; the focused one is marked."""
    stream = layout.stream
    assert stream is not None
    reached = reached_x(state, layout, stream)
    tokens = visible_tokens(state.document.tokens)
    focused = state.focus.row if state.trace.plan[state.cursor.stage].axes[-2] == "n" else -1
    small, bold = text_font(CAPTION, scale), text_font(CAPTION, scale, bold=True)
    named = stream.start > stream.band.x + 20.0 and readable(CAPTION, scale)
    for row, y in enumerate(stream.lanes):
        here = row == focused
        for first, last in lane_pieces(stream, reached):
            done = last <= reached
            colour = theme.ghost if not done else theme.accent if here else theme.muted
            painter.setPen(stroke(colour, 2.4 if here else 1.3, scale, dashed=not done))
            painter.drawLine(QLineF(first, y, last, y))
        if named:
            line = QRectF(stream.band.x + 4.0, y - 9.0, stream.start - stream.band.x - 10.0, 18.0)
            face, ink = (bold, theme.text) if here else (small, theme.muted)
            draw_text(painter, line, RIGHT, tokens[row], face, ink)


def lane_pieces(stream: Stream, reached: float) -> list[tuple[float, float]]:
    """Return the parts of a lane: cut where nothing is passed on, and where it is not computed."""
    stops = {stream.start, stream.band.right - 6.0, reached}
    stops |= {x for cut in stream.cuts for x in cut}
    inside = sorted(x for x in stops if stream.start <= x <= stream.band.right)
    return [
        (a, b)
        for a, b in pairwise(inside)
        if not any(first <= a and b <= last for first, last in stream.cuts)
    ]


def _paint_plus(
    painter: QPainter, state: State, stage_id: str, rect: Rect, theme: Colours, scale: float
) -> None:
    """Draw the capsule in which the result of a sub-layer is added, with a plus for each lane."""
    status = status_of(state, stage_id)
    ahead, here = status is Status.AHEAD, status is Status.HERE
    colour = theme.ghost if ahead else theme.accent if here else theme.text
    pen = stroke(colour, 2.0 if here else 1.3, scale, dashed=ahead)
    draw_box(painter, qrect(rect), pen, QColor(theme.surface), rect.w / 2)
    lanes = len(state.document.tokens) if rect.h / len(state.document.tokens) >= 14.0 else 1
    lanes = lanes if lanes <= MOST_SIGNS and not state.orientation.columns else 1
    set_ink(painter, stroke(colour, 1.6, scale), None)
    for lane in range(lanes):
        y = rect.y + rect.h * (lane + 0.5) / lanes
        x = rect.centre[0]
        painter.drawLine(QLineF(x - 4.5, y, x + 4.5, y))
        painter.drawLine(QLineF(x, y - 4.5, x, y + 4.5))


def _paint_folded(
    painter: QPainter, state: State, folded: FoldedLayers, theme: Colours, scale: float
) -> None:
    """Draw the card of layers that are not open, with small pictures of some of their stages."""
    ahead = status_of(state, folded.target) is Status.AHEAD
    pen = stroke(theme.ghost if ahead else theme.muted, 1.2, scale, dashed=ahead)
    for level in range(max(1, min(len(folded.layers), 3)) - 1, -1, -1):
        rect = folded.rect.moved(level * BEHIND, -level * BEHIND)
        draw_box(painter, qrect(rect), pen, QColor(theme.surface), RADIUS)
    if not readable(CAPTION, scale):
        return
    bold, small = text_font(CAPTION, scale, bold=True), text_font(CAPTION, scale)
    ink = theme.muted if ahead else theme.text
    rect = folded.rect
    line = QRectF(rect.x + 5.0, rect.y + 3.0, rect.w - 10.0, 18.0)
    title = folded_title(folded, state.document)
    if width_of(title, bold) > line.width() and len(folded.layers) > 1:
        title = f"{folded.layers[0]}–{folded.layers[-1]}"
    face = bold if width_of(title, bold) <= line.width() else small
    draw_text(painter, line, LEFT, title, face, ink)
    for box in folded.boxes:
        symbol = card_heading(state.document, box.stage_id, box.orientation).symbol
        beside = QRectF(rect.x + 6.0, box.rect.y, box.rect.x - rect.x - 8.0, 16.0)
        draw_text(painter, beside, LEFT, symbol, small, ink)
        if not ahead:
            paint_values(painter, card_spec(state, box, (), None), theme, scale)
        else:
            painter.setPen(QPen(QColor(theme.ghost), 1.0, Qt.PenStyle.DotLine))
            painter.drawRect(qrect(box.rect))
    count = tr("{count} stages", count=folded.stages)
    below = QRectF(rect.x + 4.0, rect.bottom - 20.0, rect.w - 8.0, 18.0)
    draw_text(painter, below, CENTRE, count, small, theme.muted)


def folded_at(stream: Stream | None, x: float, y: float) -> FoldedLayers | None:
    """Return the folded card at a point."""
    cards = () if stream is None else stream.folded
    return next((card for card in cards if card.rect.contains(x, y)), None)
