"""A shift as a rotation: each pair of columns is the hand of a clock, and a shift turns it, wherever it stands."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.base.number_format import show_significant
from core.labs.positions import Encoding
from gui.labs.charts import Stroke, paint_legend, write
from gui.labs.exhibit import Shown
from gui.labs.measured import measured
from gui.labs.positions_marks import Mark, hand_stroke, marks, paint_mark
from gui.painting.theme import BODY, CAPTION, TITLE, Colours, font
from gui.texts.translation import tr
from gui.widgets.subscripts import width_of

HEAD = 58.0
RULER = 74.0
WORDS = 38.0  # two lines below a clock
WORTH = 8.0
LEAST_WORDS = 86.0  # the width of a clock's cell from which it has them
LARGEST = 150.0  # a clock's radius

_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells of the clocks, and how tall their words are."""

    cells: tuple[QRectF, ...]
    words: float

    @property
    def radius(self) -> float:
        """Of every clock."""
        cell = self.cells[0]
        return max(
            6.0, min(cell.width() / 2 - 6.0, (cell.height() - self.words) / 2 - 5.0, LARGEST)
        )


def grid(room: QRectF, pairs: int) -> Grid:
    """As many columns as make the clocks largest; words below them are worth a little of their size."""
    area = QRectF(
        room.left() + 16.0, room.top() + HEAD, room.width() - 32.0, room.height() - HEAD - RULER
    )
    layouts = [_cells(area, pairs, columns) for columns in range(1, pairs + 1)]
    return max(layouts, key=lambda found: found.radius + (WORTH if found.words else 0.0))


def _cells(area: QRectF, pairs: int, columns: int) -> Grid:
    rows = -(-pairs // columns)
    wide, high = area.width() / columns, area.height() / rows
    words = WORDS if wide >= LEAST_WORDS and high > 2 * WORDS else 0.0
    cells = [
        QRectF(area.left() + pair % columns * wide, area.top() + pair // columns * high, wide, high)
        for pair in range(pairs)
    ]
    return Grid(tuple(cells), words)


def ruler(room: QRectF) -> QRectF:
    """The line of places below the clocks."""
    return QRectF(room.left() + 60.0, room.bottom() - 34.0, room.width() - 120.0, 1.0)


def at_place(line: QRectF, encoding: Encoding, place: float) -> float:
    """How far to the right a place lies: room for twice the table, where the shift may lead."""
    return line.left() + line.width() * place / (2 * encoding.n - 2)


def place_at(line: QRectF, encoding: Encoding, x: float) -> int:
    """The place nearest to a point."""
    return round((x - line.left()) / line.width() * (2 * encoding.n - 2))


def chips(room: QRectF, shown: Shown) -> tuple[Mark, ...]:
    """The position above the ruler, the shifted place below it."""
    encoding: Encoding = shown.result.encoding
    line = ruler(room)
    found = []
    for mark, down in zip(marks(encoding, shown.look.theme), (-32.0, 10.0), strict=True):
        width = width_of(mark.name, font(CAPTION, bold=True)) + 14.0
        x = at_place(line, encoding, mark.place)
        left = min(max(x - width / 2, room.left() + 4.0), room.right() - width - 4.0)
        found.append(mark.at(QRectF(left, line.top() + down, width, 20.0)))
    return tuple(found)


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Headline, clocks, ruler."""
    encoding: Encoding = shown.result.encoding
    theme = shown.look.theme
    _paint_head(painter, room, encoding, shown)
    layout = grid(room, len(encoding.frequencies))
    for pair, cell in enumerate(layout.cells):
        middle = QPointF(cell.center().x(), cell.top() + (cell.height() - layout.words) / 2)
        _paint_clock(painter, middle, layout.radius, encoding, theme, pair)
        if layout.words:
            _paint_words(
                painter,
                QRectF(cell.left(), middle.y() + layout.radius + 4.0, cell.width(), WORDS),
                shown,
                pair,
            )
    _paint_ruler(painter, room, encoding, theme)
    for mark in chips(room, shown):
        paint_mark(painter, mark, theme)


def _paint_head(painter: QPainter, room: QRectF, encoding: Encoding, shown: Shown) -> None:
    theme = shown.look.theme
    area = QRectF(room.left() + 16.0, room.top() + 8.0, room.width() - 32.0, 24.0)
    law = "P[i + k] = R(k) · P[i]"
    write(painter, area, law, theme.text, font(TITLE, bold=True))
    wide = width_of(law, font(TITLE, bold=True)) + 24.0
    text = tr(
        "largest error over all i: {error}", error=measured(encoding.error, shown.look.decimals)
    )
    write(painter, area.adjusted(wide, 0.0, 0.0, 0.0), text, theme.value, font(BODY, bold=True))
    entries = [(_hand_name(mark), hand_stroke(mark)) for mark in marks(encoding, theme)]
    entries.append((tr("turned by k·ω"), Stroke(theme.flash, "solid", 7.0)))
    paint_legend(
        painter, QRectF(area.left(), area.bottom() + 3.0, area.width(), 20.0), theme, entries
    )


def _hand_name(mark: Mark) -> str:
    if mark.control == "position":
        return tr("hand (sin, cos) of a pair at i")
    return tr("the same at i + k")


def _paint_clock(
    painter: QPainter, middle: QPointF, radius: float, encoding: Encoding, theme: Colours, pair: int
) -> None:
    """Sine to the right, cosine upwards: the hand goes round as that of a clock."""
    face = QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)
    painter.setPen(QPen(QColor(theme.ghost), 1.2))
    painter.setBrush(QColor(theme.sunken))
    painter.drawEllipse(face)
    painter.drawLine(QLineF(middle.x(), face.top(), middle.x(), face.top() + radius * 0.1))
    _paint_turn(painter, middle, radius, encoding, theme, pair)
    for mark, row in zip(marks(encoding, theme), (encoding.here, encoding.there), strict=True):
        tip = middle + QPointF(float(row[2 * pair]), -float(row[2 * pair + 1])) * radius * 0.92
        painter.setPen(hand_stroke(mark).pen())
        painter.drawLine(QLineF(middle, tip))
        painter.setPen(QPen(QColor(theme.sunken), 1.0))
        painter.setBrush(QColor(mark.colour))
        painter.drawEllipse(tip, 4.0, 4.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text))
    painter.drawEllipse(middle, 2.5, 2.5)


def _paint_turn(
    painter: QPainter, middle: QPointF, radius: float, encoding: Encoding, theme: Colours, pair: int
) -> None:
    """The angle between the hands as a ring, with a spiral for whole turns."""
    start = math.atan2(float(encoding.here[2 * pair]), float(encoding.here[2 * pair + 1]))
    turn = float(encoding.turns[pair])
    steps = max(2, math.ceil(min(turn, 14 * math.pi) / 0.12))
    whole = min(turn, 14 * math.pi)
    points = []
    for step in range(steps + 1):
        part = step / steps
        angle = start + turn - whole * (1.0 - part)
        away = radius * (0.34 + 0.3 * part * whole / (14 * math.pi))
        points.append(middle + QPointF(math.sin(angle), -math.cos(angle)) * away)
    pen = QPen(QColor(theme.flash), max(2.0, min(radius * 0.09, 6.0)))
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF(points))


def _paint_words(painter: QPainter, area: QRectF, shown: Shown, pair: int) -> None:
    """Which columns it is, and by how much it turns."""
    encoding: Encoding = shown.result.encoding
    theme, decimals = shown.look.theme, shown.look.decimals
    columns = tr("columns {first}, {second}", first=2 * pair, second=2 * pair + 1)
    upper = QRectF(area.left(), area.top(), area.width(), 17.0)
    write(painter, upper, columns, theme.muted, font(CAPTION), _CENTRE)
    turn = tr("{turn} rad", turn=show_significant(float(encoding.turns[pair]), decimals))
    write(painter, upper.translated(0.0, 17.0), turn, theme.text, font(CAPTION, bold=True), _CENTRE)


def _paint_ruler(painter: QPainter, room: QRectF, encoding: Encoding, theme: Colours) -> None:
    """Places of the table as a thick line, those beyond it as a thin one; the shift is the part between the marks."""
    line = ruler(room)
    y = line.top()
    start, end = (at_place(line, encoding, mark.place) for mark in marks(encoding, theme))
    painter.setPen(QPen(QColor(theme.line), 2.0))
    painter.drawLine(QLineF(line.left(), y, line.right(), y))
    painter.setPen(QPen(QColor(theme.muted), 3.0))
    painter.drawLine(QLineF(line.left(), y, at_place(line, encoding, encoding.n - 1), y))
    painter.setPen(QPen(QColor(theme.flash), 6.0))
    if end > start:
        painter.drawLine(QLineF(start, y, end, y))
    for place in {0, encoding.n - 1, 2 * encoding.n - 2}:
        x = at_place(line, encoding, place)
        painter.setPen(QPen(QColor(theme.muted), 1.0))
        painter.drawLine(QLineF(x, y - 4.0, x, y + 4.0))
    write(
        painter,
        QRectF(line.left() - 22.0, y - 9.0, 16.0, 18.0),
        "0",
        theme.muted,
        font(CAPTION),
        _CENTRE,
    )
    last = QRectF(line.right() + 6.0, y - 9.0, 34.0, 18.0)
    write(painter, last, str(2 * encoding.n - 2), theme.muted, font(CAPTION))
