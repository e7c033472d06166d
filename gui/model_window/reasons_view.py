"""Why a query looks at a key: the products of one score as a strip, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QLineF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.base.number_format import show
from core.models.reasons import BIAS, HEAD, MLP, POSITION, REST, WORD, Part, Reasons
from gui.model_window.canvas import Canvas
from gui.model_window.state import ModelState
from gui.painting.color_scale import ink, mixed
from gui.painting.shapes import draw_box
from gui.painting.text_layout import CENTRE, LEFT, RIGHT, draw_text, width_of
from gui.painting.theme import BODY, CAPTION, Colours, font
from gui.texts.translation import mark, tr, tr_marked

KINDS = {
    WORD: mark("word"),
    POSITION: mark("position"),
    BIAS: mark("bias"),
    HEAD: mark("heads"),
    MLP: mark("MLP"),
    REST: mark("pins"),
}
HIGH, STRIP, CARD = 132.0, 22.0, 37.0
MOST_CARDS, MORE = 3, 74.0  # cards of pairs of kinds; the width of that of all others
LEAST_SHARE = 0.04  # of the strip, for a product with a piece of its own


class ReasonsView(Canvas):
    """Paints the reasons of the score of the chosen pair."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Three lines, the strip and a row of cards."""
        return QSize(round(380 * self.unit), round(HIGH * self.unit))

    def minimumSizeHint(self) -> QSize:
        """The same height."""
        return QSize(round(200 * self.unit), round(HIGH * self.unit))

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show the reasons, if a pair is chosen."""
        super().show_state(old, new)
        self.setVisible(new.look.query is not None and new.look.key is not None)
        self.setAccessibleName(tr("Why does it look there?"))
        self.setAccessibleDescription(self.spoken())

    def spoken(self) -> str:
        """The score and what it is made of."""
        reasons = self.state.reasons
        if reasons is None:
            return ""
        parts = [
            f"{pair_name(*pair)} {show(value, self.state.decimals)}"
            for pair, value in largest_kinds(reasons)
        ]
        return tr(", ").join([self._title(reasons), *parts])

    def _title(self, reasons: Reasons) -> str:
        return tr(
            "score {score} = sum of {count} products",
            score=show(reasons.score, self.state.decimals),
            count=len(reasons.products),
        )

    def paint(self, painter: QPainter, area: QRectF, theme: Colours) -> None:
        """Paint the strip and the cards."""
        reasons = self.state.reasons
        if reasons is None:
            text = tr("The reasons appear when the layers up to this one are computed.")
            draw_text(painter, area, LEFT, text, font(CAPTION), theme.muted)
            return
        line = QRectF(area.x(), area.y(), area.width(), 18.0)
        draw_text(painter, line, LEFT, self._title(reasons), font(BODY, bold=True), theme.text)
        then = tr(
            "× {scale} → {scaled}, then softmax",
            scale=show(reasons.scale, 3),
            scaled=show(reasons.score * reasons.scale, self.state.decimals),
        )
        free = line.width() - width_of(self._title(reasons), font(BODY, bold=True)) - 12.0
        if width_of(then, font(CAPTION)) <= free:
            draw_text(painter, line, RIGHT, then, font(CAPTION), theme.muted)
        strip = QRectF(area.x(), area.y() + 20.0, area.width(), STRIP)
        self._paint_strip(painter, strip, reasons, theme)
        below = QRectF(area.x(), strip.bottom() + 10.0, area.width(), 18.0)
        draw_text(painter, below, LEFT, self._strip_text(reasons), font(CAPTION), theme.muted)
        heading = QRectF(area.x(), below.bottom(), area.width(), 18.0)
        text = tr("Where it comes from: query × key (heads, MLP: of earlier layers)")
        draw_text(painter, heading, LEFT, text, font(CAPTION, bold=True), theme.text)
        cards = QRectF(area.x(), heading.bottom() + 2.0, area.width(), CARD)
        self._paint_cards(painter, cards, reasons, theme)

    def _strip_text(self, reasons: Reasons) -> str:
        negative = reasons.products[reasons.products < 0]
        return tr(
            "largest first; {count} below zero: {sum}",
            count=len(negative),
            sum=show(float(negative.sum()), self.state.decimals),
        )

    def _paint_strip(
        self, painter: QPainter, area: QRectF, reasons: Reasons, theme: Colours
    ) -> None:
        """The products above zero end to end, those below zero back; a mark at the score."""
        products = np.sort(reasons.products)[::-1]
        above, below = products[products > 0], products[products < 0]
        total = float(above.sum())
        low = min(reasons.score, 0.0)
        unit = area.width() / max(total - low, 1e-12)
        zero = area.x() - low * unit
        x, small, count = zero, 0.0, 0
        for value in above.tolist():
            if value < LEAST_SHARE * total:
                small, count = small + value, count + 1
                continue
            rect = QRectF(x, area.y(), value * unit, area.height())
            self._paint_piece(painter, rect, value, show(value, 2), theme)
            x += rect.width()
        if count:
            rect = QRectF(x, area.y(), small * unit, area.height())
            text = tr("{count} smaller {sum}", count=count, sum=show(small, 2))
            self._paint_piece(painter, rect, 0.0, "", theme)
            self._write_beside(painter, rect, zero + reasons.score * unit, text, theme)
            x += rect.width()
        if below.size:
            width = -float(below.sum()) * unit
            back = QRectF(x - width, area.bottom() + 2.0, width, 7.0)
            draw_box(painter, back, None, mixed(theme.low, theme.surface, 0.5), 2.0)
            x -= width
        painter.setPen(QPen(QColor(theme.accent), 2.0))
        painter.drawLine(QLineF(x, area.y() - 2.0, x, area.bottom() + 10.0))

    @staticmethod
    def _write_beside(
        painter: QPainter, rect: QRectF, total: float, text: str, theme: Colours
    ) -> None:
        """Write in a piece, or in the wider part of it beside the total."""
        room = QRectF(rect)
        if rect.left() < total < rect.right():
            if total - rect.left() > rect.right() - total:
                room.setRight(total)
            else:
                room.setLeft(total)
        if width_of(text, font(CAPTION)) <= room.width() - 8.0:
            draw_text(painter, room, CENTRE, text, font(CAPTION), theme.text)

    @staticmethod
    def _paint_piece(
        painter: QPainter, rect: QRectF, value: float, text: str, theme: Colours
    ) -> None:
        ground = mixed(theme.high, theme.surface, 0.45) if value else QColor(theme.sunken)
        inner = rect.adjusted(0.5, 0, -0.5, 0)
        draw_box(painter, inner, None, ground, 2.0)
        if width_of(text, font(CAPTION)) <= rect.width() - 4.0:
            draw_text(painter, rect, CENTRE, text, font(CAPTION), ink(ground))

    def _paint_cards(
        self, painter: QPainter, area: QRectF, reasons: Reasons, theme: Colours
    ) -> None:
        kinds = largest_kinds(reasons)
        shown = kinds[:MOST_CARDS]
        rest = sum(value for _, value in kinds[MOST_CARDS:])
        cards = [(pair_name(*pair), value) for pair, value in shown]
        if len(kinds) > MOST_CARDS:
            cards.append((tr("{count} more", count=len(kinds) - MOST_CARDS), rest))
        last = MORE if len(kinds) > MOST_CARDS else 0.0
        wide = (area.width() + 5.0 - last) / max(len(shown), 1)
        for i, (name, value) in enumerate(cards):
            own = wide if i < len(shown) else last
            rect = QRectF(area.x() + i * wide, area.y(), own - 5.0, area.height())
            draw_box(painter, rect, None, QColor(theme.sunken), 4.0)
            top = QRectF(rect.x() + 2, rect.y() + 2.0, rect.width() - 4, 17.0)
            draw_text(painter, top, CENTRE, name, font(CAPTION), theme.muted)
            under = QRectF(rect.x(), rect.y() + 18.0, rect.width(), 17.0)
            number = show(value, self.state.decimals)
            draw_text(painter, under, CENTRE, number, font(BODY, bold=True), theme.text)


Kinds = tuple[tuple[str, str], float]


def largest_kinds(reasons: Reasons) -> list[Kinds]:
    """The sums of pairs of kinds, the largest first; those that are zero are left out."""
    found = [pair for pair in reasons.by_kind().items() if pair[1] != 0.0]
    return sorted(found, key=lambda pair: -abs(pair[1]))


def pair_name(query: str, key: str) -> str:
    """The name of a pair of kinds."""
    return f"{tr_marked(KINDS[query])} × {tr_marked(KINDS[key])}"


def part_name(part: Part) -> str:
    """Where a part comes from: a head with its layer, the MLP of a layer, the word …"""
    if part.layer is None:
        return tr_marked(KINDS[part.kind])
    if part.head is None:
        return tr("MLP of layer {layer}", layer=part.layer + 1)
    return tr("head {layer}.{head}", layer=part.layer + 1, head=part.head + 1)


def term_rows(reasons: Reasons, decimals: int) -> Sequence[tuple[str, str, str, str]]:
    """Every pair of parts, the largest first: query, key, product, and the sum so far."""
    rows, total = [], 0.0
    for query, key, value in reasons.terms():
        if value == 0.0:
            continue
        total += value
        rows.append(
            (part_name(query), part_name(key), show(value, decimals), show(total, decimals))
        )
    return rows
