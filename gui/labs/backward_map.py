"""The road of an experiment as small signs, and how far back on it the gradient has come."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from core.document.document import Document
from core.stages import Plan
from gui.labs.charts import write
from gui.painting.theme import CAPTION, Colours, font, role_colour
from gui.texts.names import symbol_here

TALLEST_SIGN = 36.0
WIDEST_SIGN = 90.0
LEAST_GAP = 11.0  # between signs of neighbouring columns
ARROW = 4.0
LANES = 3
ENTERED = ("W_", "b_")  # how names of matrices and biases begin
_QUERY, _KEY, _VALUE = 0.0, 1.0, 2.0
_SCORES, _CONTEXT = 0.5, 1.5
_APART = 0.42  # lanes from the middle to X and to P, which are added

_CENTRE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, slots=True)
class Sign:
    """A stage or an entered tensor: its column from the left, its lane from above."""

    name: str
    column: int
    lane: float


@dataclass(frozen=True, slots=True)
class Road:
    """All signs by name, and which of them reads which: pairs (read, reader)."""

    signs: dict[str, Sign]
    links: tuple[tuple[str, str], ...]
    columns: int


def road(plan: Plan, steps: tuple[str, ...]) -> Road:
    """Where each step of the way back stands. Left to right as the numbers came; parallel ones below each other."""
    signs: list[Sign] = []
    column = 0
    for group in _columns(plan):
        here = [(name, lane) for name, lane in group if name in steps]
        signs += [Sign(name, column, lane) for name, lane in here]
        column += 1 if here else 0
    return Road({sign.name: sign for sign in signs}, _links(plan, steps), column)


def _columns(plan: Plan) -> list[list[tuple[str, float]]]:
    """Every name that can be, column by column, with its lane."""
    context = "X_context" in plan
    middle = _QUERY if context else _KEY
    stages = [
        [(name, _SCORES)] for name in ("scores", "scaled", "biased", "masked", "exp", "weights")
    ]
    up, down = (_APART, _APART) if "P" in plan and plan["P"].entered else (0.0, _APART)
    up_c, down_c = (
        (_APART, _APART) if "P_context" in plan and plan["P_context"].entered else (0.0, _APART)
    )
    first = [
        ("X", middle - up),
        ("P", middle + down),
        ("X_context", _CONTEXT - up_c),
        ("P_context", _CONTEXT + down_c),
    ]
    lanes = (("Q", _QUERY), ("K", _KEY), ("V", _VALUE))
    return [
        first,
        [("input", middle), ("input_context", _CONTEXT)],
        [(f"W_{letter}", lane) for letter, lane in lanes],
        [(f"b_{letter}", lane) for letter, lane in lanes],
        list(lanes),
        [("Q_rot", _QUERY), ("K_rot", _KEY)],
        *stages,
        *[[(name, _KEY)] for name in ("heads", "concat", "W_O", "b_O", "Y")],
    ]


def _links(plan: Plan, steps: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    links: list[tuple[str, str]] = []
    for stage in plan:
        if stage.id not in steps:
            continue
        for source in stage.reads:
            while source not in steps and plan[source].reads:  # passed over, as the numerators are
                source = plan[source].reads[0]
            if source in steps:
                links.append((source, stage.id))
    return tuple(links)


def lines(the_road: Road, done: tuple[str, ...]) -> dict[tuple[str, str], bool]:
    """The lines to draw, as pairs from left to right, and whether the gradient has taken them; those last.

    On its way to what reads it a line passes through the matrix and the bias that stand there.
    """
    found: dict[tuple[str, str], bool] = {}
    for source, reader in the_road.links:
        for pair in pairwise((source, *_between(the_road, source, reader), reader)):
            taken = source in done or pair[0] in done
            found[pair] = found.get(pair, False) or taken
    return dict(sorted(found.items(), key=lambda line: line[1]))


def _between(the_road: Road, source: str, reader: str) -> list[str]:
    start, end = the_road.signs[source], the_road.signs[reader]
    between = [
        sign
        for sign in the_road.signs.values()
        if sign.name[:2] in ENTERED
        and sign.lane == end.lane
        and start.column < sign.column < end.column
    ]
    return [sign.name for sign in sorted(between, key=lambda sign: sign.column)]


def sign_rects(area: QRectF, the_road: Road) -> dict[str, QRectF]:
    """Where each sign lies in the room of the road."""
    wide = area.width() / the_road.columns
    high = area.height() / LANES
    width, height = min(WIDEST_SIGN, wide - LEAST_GAP), min(TALLEST_SIGN, high * 0.8)
    rects = {}
    for sign in the_road.signs.values():
        centre = QPointF(
            area.left() + (sign.column + 0.5) * wide, area.top() + (sign.lane + 0.5) * high
        )
        rects[sign.name] = QRectF(centre.x() - width / 2, centre.y() - height / 2, width, height)
    return rects


def paint_road(
    painter: QPainter,
    area: QRectF,
    the_road: Road,
    document: Document,
    done: tuple[str, ...],
    theme: Colours,
) -> None:
    """The signs that the gradient has reached (the last of `done` is the current one), and the arrows that it took."""
    rects = sign_rects(area, the_road)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for (left, right), taken in lines(the_road, done).items():
        _paint_link(painter, rects[left], rects[right], taken, theme)
    for name, rect in rects.items():
        _paint_sign(painter, rect, _text(document, name), name, done, theme)
    painter.restore()


def _text(document: Document, name: str) -> str:
    return name if name[:2] in ENTERED else symbol_here(document, name)


def _paint_link(
    painter: QPainter, source: QRectF, reader: QRectF, taken: bool, theme: Colours
) -> None:
    """From the reader's left side to the source's right one: with a head where the gradient has gone."""
    start = QPointF(reader.left(), reader.center().y())
    end = QPointF(source.right(), source.center().y())
    if taken:
        end += QPointF(ARROW, 0.0)
    colour = QColor(theme.accent if taken else theme.ghost)
    painter.setPen(QPen(colour, 1.8 if taken else 1.2))
    painter.drawLine(start, end)
    if taken:
        tip = end - QPointF(ARROW - 1.0, 0.0)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(
            QPolygonF([tip, tip + QPointF(ARROW + 2, -ARROW), tip + QPointF(ARROW + 2, ARROW)])
        )


def _paint_sign(
    painter: QPainter, rect: QRectF, text: str, name: str, done: tuple[str, ...], theme: Colours
) -> None:
    current, reached = name == done[-1], name in done
    edge = role_colour(theme, name) if reached else QColor(theme.muted)
    painter.setPen(QPen(QColor(theme.accent) if current else edge, 1.4))
    painter.setBrush(QColor(theme.accent if current else theme.surface))
    painter.drawRoundedRect(rect, 5, 5)
    colour = (
        theme.on_accent if current else role_colour(theme, name).name() if reached else theme.muted
    )
    face = font(max(CAPTION, min(rect.height() * 0.5, rect.width() * 0.2)), bold=reached)
    write(painter, rect.adjusted(1, 0, -1, 0), text, colour, face, _CENTRE)
