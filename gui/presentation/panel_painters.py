"""Painters of presented panels that have no widget: code and worked sum."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPainter

from core.exchange.scripts import CodeStatement, stage_statements
from core.lesson.model import PAGE_VIEW
from gui.painting.shapes import draw_box, write
from gui.painting.text_layout import LEFT, draw_text
from gui.painting.text_size import saved
from gui.painting.theme import BODY, CAPTION, DISPLAY, TITLE, Colours, colours, font, mono
from gui.session.state import State
from gui.texts.exchange import LIBRARY_NAMES, comment_of, python_pieces
from gui.texts.stage_texts import meaning
from gui.texts.translation import localized_label, tr
from gui.views.code.rows import Measure, WrappedLine, uncovered, wrap
from gui.views.stage.card import CardTexts, SumCard, fits_whole, make_card, paint_card
from gui.views.stage.operation import target
from gui.widgets.code import paint_pieces
from gui.widgets.subscripts import Paragraph

LARGEST, LEADING = 24, 1.5
PADDING, CAPTION_LINE, GAP = 12.0, 22.0, 10.0


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """The wrapped rows of one library; `marked` rows make the stage's array.

    `hidden` counts statements without room; `note` stands beside the library's name.
    """

    name: str
    rows: tuple[tuple[WrappedLine, bool], ...]
    hidden: int = 0
    note: str = ""


def code_font(size: int, *, bold: bool = False) -> QFont:
    """The font of code at a size."""
    face = QFont(mono(size))
    face.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return face


def paint_code(painter: QPainter, rect: QRectF, state: State) -> None:
    """Paint the statements of the current stage as large as they fit."""
    size, blocks = _fitting(state, rect)
    theme, y = colours(state.shade), rect.y()
    height = sum(_height(block, size) for block in blocks) + GAP * (len(blocks) - 1)
    y += max(0.0, (rect.height() - height) * 0.42)
    for block in blocks:
        area = QRectF(rect.x(), y, rect.width(), _height(block, size))
        _paint_block(painter, area, block, size, theme)
        y += area.height() + GAP


def _fitting(state: State, rect: QRectF) -> tuple[int, list[CodeBlock]]:
    """The largest size at which both libraries fit, perhaps with the main statement alone.

    Otherwise only the chosen library is shown.
    """
    libraries = sorted(LIBRARY_NAMES, key=lambda library: library != state.preferences.code)
    for count in (len(libraries), 1):
        for all_of_it in (True, False):
            for size in range(LARGEST, CAPTION - 1, -1):
                blocks = [
                    _block(state, library, size, rect.width(), all_of_it)
                    for library in libraries[:count]
                ]
                if (
                    sum(_height(block, size) for block in blocks) + GAP * (count - 1)
                    <= rect.height()
                ):
                    return size, _noted(state, blocks, libraries[count:])
    return CAPTION, _noted(state, blocks, libraries[1:])


def _noted(state: State, blocks: list[CodeBlock], without: list[str]) -> list[CodeBlock]:
    """The blocks; the first gets notes about what is left out and about orientation."""
    first, *others = blocks
    notes = [tr("tokens as rows")] if state.orientation.columns else []
    notes += (
        [tr("1 more line") if first.hidden == 1 else tr("{count} more lines", count=first.hidden)]
        if first.hidden
        else []
    )
    notes += [
        tr("{library} does not fit here", library=LIBRARY_NAMES[library]) for library in without
    ]
    return [replace(first, note=tr(" · ").join(notes)), *others]


def _block(state: State, library: str, size: int, width: float, all_of_it: bool) -> CodeBlock:
    statements = uncovered(
        state, stage_statements(state.document, state.trace.plan[state.cursor.stage], library)
    )
    shown = [one for one in statements if all_of_it or one.result]
    measure = QFontMetricsF(code_font(size, bold=True)).horizontalAdvance
    rows = [(row, one.result) for one in shown for row in _rows(one, width - 2 * PADDING, measure)]
    return CodeBlock(LIBRARY_NAMES[library], tuple(rows), len(statements) - len(shown))


def _rows(statement: CodeStatement, width: float, measure: Measure) -> tuple[WrappedLine, ...]:
    text = comment_of(statement)
    comment = python_pieces(f"# {text}") if text else ()
    return wrap(python_pieces(statement.code), comment, width, measure)


def _height(block: CodeBlock, size: int) -> float:
    return 2 * PADDING + CAPTION_LINE + len(block.rows) * size * LEADING


def _paint_block(
    painter: QPainter, area: QRectF, block: CodeBlock, size: int, theme: Colours
) -> None:
    draw_box(painter, area, theme.sunken, theme.sunken, 10)
    x, y = area.x() + PADDING, area.y() + PADDING
    write(painter, QPointF(x, y + BODY), block.name, font(BODY, bold=True), theme.muted)
    painter.setFont(font(CAPTION))
    line = QRectF(x, y - 2, area.width() - 2 * PADDING, CAPTION_LINE)
    painter.drawText(line, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop), block.note)
    y += CAPTION_LINE
    for row, marked in block.rows:
        face = code_font(size, bold=marked)
        indent = QFontMetricsF(face).horizontalAdvance(" " * row.indent)
        paint_pieces(painter, x + indent, y + size, row.pieces, theme, face=face)
        y += size * LEADING


def paint_page(painter: QPainter, rect: QRectF, state: State) -> None:
    """Paint the scene's own page: its title, its text as large as fits, its picture."""
    if state.scene is None:
        return
    scene, theme = state.scene.scene, colours(state.shade)
    text = scene.text.of(state.language)
    area, alone = rect.adjusted(8, 4, -8, -4), state.view == PAGE_VIEW
    title = localized_label(scene.title.texts, scene.title.of(state.language)) if alone else ""
    lines = [Paragraph(title, font(DISPLAY * 1.6, bold=True), area.width())] if title else []
    rest = area.height() - sum(line.height + GAP for line in lines)
    if text:
        most = rest * (0.4 if scene.picture else 1.0)
        sizes = range(int(DISPLAY), BODY - 1, -1)
        fitting = (
            Paragraph(text.replace("\n", "\u2028"), font(size), area.width()) for size in sizes
        )
        paragraph = next((one for one in fitting if one.height <= most), None)
        lines.append(paragraph or Paragraph(text.replace("\n", "\u2028"), font(BODY), area.width()))
    high = sum(line.height + GAP for line in lines)
    y = area.y() if scene.picture else area.y() + max(0.0, (area.height() - high) * 0.42)
    for line in lines:
        line.paint(painter, QPointF(area.x(), y), theme.text)
        y += line.height + GAP
    picture = _picture(scene.picture)
    if not picture.isNull():
        room = QRectF(area.x(), y, area.width(), max(1.0, area.bottom() - y))
        size = QSizeF(picture.size()).scaled(room.size(), Qt.AspectRatioMode.KeepAspectRatio)
        place = QRectF(QPointF(0, 0), size)
        place.moveCenter(room.center())
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(place, picture)


@lru_cache(maxsize=8)
def _picture(text: str) -> QImage:
    """The picture in base64, read once; an empty one for none."""
    return QImage.fromData(base64.b64decode(text))


TITLE_ROOM = 34.0
ALONE = 240.0  # lower, another panel says what the stage is
STEPS = (2.4, 2.1, 1.8, 1.6, 1.4, 1.25, 1.1, 1.0)
SHORTENED = (1.4, 1.25, 1.1, 1.0)


def paint_sum(painter: QPainter, rect: QRectF, state: State) -> None:
    """Paint the stage's title and the worked sum of the marked cell."""
    theme, looked_at = colours(state.shade), target(state)
    alone = rect.height() > ALONE
    if alone:
        face = font(TITLE, bold=True)
        title = QRectF(rect.x() + 6, rect.y(), rect.width() - 12, TITLE_ROOM)
        says = meaning(state.document, looked_at.stage, state.orientation)
        draw_text(painter, title, LEFT, says.title, face, theme.text)
    room = rect.adjusted(0, TITLE_ROOM if alone else 0, 0, 0)
    card, larger = _largest(state, room)
    with saved(painter):
        painter.translate(
            room.x(), room.y() + max(0.0, (room.height() - card.height * larger) * 0.42)
        )
        painter.scale(larger, larger)
        paint_card(
            painter, QRectF(0, 0, room.width() / larger, card.height), card, theme, chips=False
        )


def _largest(state: State, room: QRectF) -> tuple[SumCard, float]:
    """The card and the largest scale at which it fits; else the sum alone; else a shortened sum."""
    telling = CardTexts(state, target(state))
    sums: list[tuple[SumCard, float]] = []
    for larger in STEPS:
        width, height = room.width() / larger, room.height() / larger
        card = make_card(telling, width, height)
        if card.height <= height and not card.shortened:
            if fits_whole(card, width):
                return card, larger
            sums.append((card, larger))
    if sums:
        return sums[0]
    for larger in SHORTENED:
        card = make_card(telling, room.width() / larger, room.height() / larger)
        if card.height * larger <= room.height():
            return card, larger
    return card, 1.0
