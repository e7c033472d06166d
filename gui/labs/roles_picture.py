"""The round table, and beside it the sum that is worked out there."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPolygonF

from core.base.number_format import show
from core.labs.roles import Seats
from gui.labs.charts import write
from gui.labs.exhibit import Shown, Spot
from gui.labs.roles_sum import ASKS, FLOWS, SHARES, paint_sum
from gui.labs.wording import leaders
from gui.painting.theme import BODY, TITLE, Colours, font
from gui.texts.names import visible_token
from gui.texts.translation import tr

WIDE = 1.2  # width to height from which table and sum stand side by side
NARROW = 800.0  # units of width below which the sum gets more of it
CHIP, SMALL_CHIP = 34.0, 27.0
SMALL = 290.0  # units of a table at which its chips are small
THICKEST = 16.0
LOOP = 14.0  # half as wide as a loop is
CENTRE = Qt.AlignmentFlag.AlignCenter


def areas(room: QRectF) -> tuple[QRectF, QRectF]:
    """Where the table and the sum stand."""
    if room.width() >= WIDE * room.height():
        part = 0.48 if room.width() >= NARROW else 0.42
        table = QRectF(room.left(), room.top(), room.width() * part, room.height())
        return table, QRectF(
            table.right() + 24,
            room.top() + 12,
            room.width() - table.width() - 36,
            room.height() - 24,
        )
    table = QRectF(room.left(), room.top(), room.width(), room.height() * 0.52)
    return table, QRectF(
        room.left() + 12, table.bottom() + 8, room.width() - 24, room.height() - table.height() - 16
    )


@dataclass(frozen=True, slots=True)
class Chair:
    """Where a token sits: the middle of its chip, its size, and the direction away from the table."""

    chip: QRectF
    outward: QPointF


def chairs(area: QRectF, tokens: tuple[str, ...]) -> list[Chair]:
    """The seats around the table, the first at the top, clockwise."""
    high = CHIP if min(area.width(), area.height()) >= SMALL else SMALL_CHIP
    face = _chip_font(high)
    widths = [
        max(high * 1.3, QFontMetricsF(face).horizontalAdvance(token) + high * 0.65)
        for token in tokens
    ]
    across = max(area.width() / 2 - max(widths) / 2 - 30.0, 20.0)
    down = max(area.height() / 2 - high / 2 - 40.0, 20.0)
    middle = QPointF(area.center().x(), area.center().y() + 8.0)
    seated = []
    for index, width in enumerate(widths):
        angle = -math.pi / 2 + 2 * math.pi * index / len(tokens)
        outward = QPointF(math.cos(angle), math.sin(angle))
        at = middle + QPointF(outward.x() * across, outward.y() * down)
        seated.append(Chair(QRectF(at.x() - width / 2, at.y() - high / 2, width, high), outward))
    return seated


def _chip_font(high: float, *, bold: bool = False) -> QFont:
    return font(TITLE * high / CHIP, bold=bold)


def paint(painter: QPainter, room: QRectF, shown: Shown) -> None:
    """Everything."""
    table, worked = areas(room)
    _paint_table(painter, table, shown)
    paint_sum(painter, worked, shown)


def spots(room: QRectF, shown: Shown) -> tuple[Spot, ...]:
    """Every seat: a click lets its token speak."""
    seats: Seats = shown.result
    tokens = tuple(map(visible_token, seats.document.tokens))
    return tuple(
        Spot(f"seat {index}", chair.chip, spoken_seat(shown, index), "speaker", str(index))
        for index, chair in enumerate(chairs(areas(room)[0], tokens))
    )


def spoken_seat(shown: Shown, index: int) -> str:
    """A seat with what stands on its line."""
    seats: Seats = shown.result
    token = visible_token(seats.document.tokens[index])
    if not seats.allowed[index]:
        return tr("{token}, not to be listened to", token=token)
    if seats.step >= SHARES:
        return tr(
            "{token}, weight {weight}", token=token, weight=_number(shown, seats.weights[index])
        )
    return tr(
        "{token}, dot product {score}", token=token, score=_number(shown, seats.scores[index])
    )


def loudest(shown: Shown) -> list[int]:
    """The seat that the speaker takes most from; several where the numbers that are shown do not tell them apart."""
    seats: Seats = shown.result
    return [
        seats.free[place] for place in leaders(seats.weights[list(seats.free)], shown.look.decimals)
    ]


def _number(shown: Shown, value: float) -> str:
    return show(float(value), shown.look.decimals)


# The table


def _paint_table(painter: QPainter, area: QRectF, shown: Shown) -> None:
    seats: Seats = shown.result
    theme = shown.look.theme
    tokens = tuple(map(visible_token, seats.document.tokens))
    seated = chairs(area, tokens)
    _paint_top(painter, seated, theme)
    if seats.step >= ASKS:
        for index in sorted(range(len(seated)), key=lambda seat: float(seats.weights[seat])):
            _paint_line(painter, seated, index, shown)
    for index, (chair, token) in enumerate(zip(seated, tokens, strict=True)):
        _paint_chip(painter, chair.chip, token, theme, speaks=index == seats.speaker)
    if seats.step >= ASKS:
        for index in range(len(seated)):
            _paint_label(painter, seated, index, shown)


def _paint_top(painter: QPainter, seated: list[Chair], theme: Colours) -> None:
    bounds = seated[0].chip
    for chair in seated:
        bounds = bounds.united(chair.chip)
    painter.setPen(QPen(QColor(theme.line), 1.5))
    painter.setBrush(QColor(theme.sunken))
    painter.drawEllipse(bounds.adjusted(8, 8, -8, -8))


def _paint_chip(
    painter: QPainter, chip: QRectF, token: str, theme: Colours, *, speaks: bool
) -> None:
    colour = QColor(theme.query if speaks else theme.key)
    painter.setPen(QPen(colour, 2.5 if speaks else 1.5))
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2)
    if speaks:
        soft = QColor(colour)
        soft.setAlphaF(0.18)
        painter.setBrush(soft)
        painter.drawRoundedRect(chip, chip.height() / 2, chip.height() / 2)
    write(painter, chip, token, theme.text, _chip_font(chip.height(), bold=speaks), CENTRE)


def path_of(seated: list[Chair], speaker: int, index: int) -> QPainterPath:
    """From the seat to the speaker, bent towards the middle; the speaker's own line is a loop outside the table."""
    start, end = seated[index].chip.center(), seated[speaker].chip.center()
    path = QPainterPath(start)
    if index == speaker:
        out = seated[index].outward
        side = QPointF(-out.y(), out.x())
        path.cubicTo(start + out * 74 + side * 46, end + out * 74 - side * 46, end)
        return path
    middle = QPointF()
    for chair in seated:
        middle += chair.chip.center() / len(seated)
    path.quadTo((start + end) / 2 * 0.72 + middle * 0.28, end)
    return path


def beside_loop(chair: Chair, width: float, line: float) -> QPointF:
    """The middle of a number `width` wide beside the loop of a seat, whose line is so thick."""
    side = QPointF(-chair.outward.y(), chair.outward.x())
    off = LOOP + line / 2 + 3.0 + abs(side.x()) * width / 2 + abs(side.y()) * 10.0
    return chair.chip.center() + chair.outward * 36.0 + side * off


def _width(seats: Seats, index: int) -> float:
    if seats.step < SHARES:
        return 1.5
    return 1.0 + (THICKEST - 1.0) * float(seats.weights[index])


def _paint_line(painter: QPainter, seated: list[Chair], index: int, shown: Shown) -> None:
    seats: Seats = shown.result
    theme = shown.look.theme
    colour = QColor((theme.key, theme.weights, theme.value)[seats.step - 1])
    width = _width(seats, index)
    pen = QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap)
    if not seats.allowed[index]:
        pen = QPen(QColor(theme.ghost), 1.0, Qt.PenStyle.DotLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    path = path_of(seated, seats.speaker, index)
    painter.drawPath(path)
    if seats.step >= FLOWS and seats.allowed[index] and index != seats.speaker:
        _paint_arrow(painter, path, seated[seats.speaker].chip, colour, width)


def _paint_arrow(
    painter: QPainter, path: QPainterPath, chip: QRectF, colour: QColor, width: float
) -> None:
    """Just before the speaker's chip, pointing at it."""
    around = chip.adjusted(-9, -9, 9, 9)
    part = next(
        (step / 100 for step in range(100) if around.contains(path.pointAtPercent(step / 100))), 0.9
    )
    tip, back = path.pointAtPercent(part), path.pointAtPercent(max(0.0, part - 0.05))
    line = QLineF(back, tip)
    if line.length() < 1e-6:
        return
    along = QPointF(line.dx(), line.dy()) / line.length()
    side = QPointF(-along.y(), along.x()) * (5.0 + width / 2)
    base = tip - along * (9.0 + width / 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([tip, base + side, base - side]))


def _paint_label(painter: QPainter, seated: list[Chair], index: int, shown: Shown) -> None:
    """The number of a line, on a plate in its middle: the dot product, and once there are shares the weight."""
    seats: Seats = shown.result
    theme = shown.look.theme
    if not seats.allowed[index]:
        return
    value = seats.weights[index] if seats.step >= SHARES else seats.scores[index]
    text = _number(shown, value)
    face = font(BODY, bold=seats.step >= SHARES and index in loudest(shown))
    width = QFontMetricsF(face).horizontalAdvance(text) + 10.0
    at = path_of(seated, seats.speaker, index).pointAtPercent(0.42)
    if index == seats.speaker:
        at = beside_loop(seated[index], width, _width(seats, index))
    plate = QRectF(at.x() - width / 2, at.y() - 10.0, width, 20.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.surface))
    painter.drawRoundedRect(plate, 5, 5)
    write(painter, plate, text, theme.weights if seats.step >= SHARES else theme.text, face, CENTRE)
