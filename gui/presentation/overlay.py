"""What is painted over the presented picture: pen strokes, pointer, message, key help."""

from __future__ import annotations

import math

from msgspec import Struct
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QRadialGradient,
)

from core.explain.timeline import Reach
from gui.painting.shapes import draw_box, set_ink, write
from gui.painting.text_layout import LEFT, draw_text
from gui.painting.text_size import in_units
from gui.painting.theme import BODY, DISPLAY, TITLE, Colours, colours, font
from gui.presentation.keys import KEY_HELP, KeyRows
from gui.presentation.slide import text_height, unit_for
from gui.session.presented_views import PresentedViews
from gui.session.state import State
from gui.texts.translation import tr, tr_marked
from gui.widgets.keycaps import cap_places, paint_caps

# Colour roles of the theme, so that strokes are legible in all themes.
PEN_COLOURS = ("error", "query", "value", "warning")
ScreenPoint = tuple[
    float, float
]  # from the middle of the screen, in heights of it: strokes fit every screen
StrokeKey = tuple[object, ...]


class PenStroke(Struct, frozen=True):
    """A pen stroke through points, drawn after a number of edits of the experiment."""

    colour: str
    points: tuple[ScreenPoint, ...]
    edits: int = 0

    def near(self, point: ScreenPoint, distance: float) -> bool:
        """Whether the stroke passes within a distance of a point."""
        pairs = zip(self.points, self.points[1:] or self.points, strict=False)
        return any(_distance(point, start, end) <= distance for start, end in pairs)


def stroke_key(state: State, choice: PresentedViews) -> StrokeKey:
    """The key of strokes: experiment, scene, step, head and panels, but not the focused cell."""
    cursor = state.cursor
    where = () if cursor.reach is Reach.WHOLE else (cursor.row, cursor.column)
    sizes = tuple(state.document.sizes.values())
    return (
        state.document.tokens,
        state.document.key_tokens,
        sizes,
        state.scene_index,
        state.steps_taken,
        cursor.stage,
        cursor.reach,
        where,
        cursor.head,
        choice.panels,
    )


Strokes = dict[StrokeKey, tuple[PenStroke, ...]]  # oldest first


def _distance(point: ScreenPoint, start: ScreenPoint, end: ScreenPoint) -> float:
    """The distance of a point from a line segment."""
    along = (end[0] - start[0], end[1] - start[1])
    length = along[0] ** 2 + along[1] ** 2
    part = 0.0
    if length:
        part = ((point[0] - start[0]) * along[0] + (point[1] - start[1]) * along[1]) / length
    part = min(max(part, 0.0), 1.0)
    return math.hypot(point[0] - start[0] - part * along[0], point[1] - start[1] - part * along[1])


ARROW, LASER, SPOTLIGHT, PEN = "", "laser", "spotlight", "pen"
# Fractions of the screen height.
DOT, SPOT, NIB = 0.011, 0.17, 0.0055
DIMMED = QColor(0, 0, 0, 165)
RED = QColor(255, 45, 45)
AIR = 16.0
# Of the key help, in units: margin, gap between caps and text, height and padding of a cap, title,
# highest line.
MARGIN, GAP, CAP, CAP_PADDING, HEAD, LINE = 8.0, 24.0, 19.5, 14.0, 42.0, 30.0


class PointerMarks(Struct, frozen=True):
    """All strokes including the current one, the tool and its position."""

    strokes: tuple[PenStroke, ...] = ()
    tool: str = ARROW
    at: ScreenPoint | None = None


class OverlayMessage(Struct, frozen=True):
    """Large and small text, in the middle or in the corner; "" for none."""

    large: str = ""
    small: str = ""
    in_corner: bool = False


class OverlayPicture(Struct, frozen=True, eq=False):
    """A small picture and its rectangle in fractions of the screen."""

    picture: QPixmap
    place: tuple[float, float, float, float]


class Overlay(Struct, frozen=True):
    """Everything over the picture; `cover` is a colour that hides all, "" for none.

    `picture` shows the cell editor; `shows_keys` says that the key help is visible.
    """

    marks: PointerMarks = PointerMarks()
    message: OverlayMessage = OverlayMessage()
    picture: OverlayPicture | None = None
    cover: str = ""
    shows_keys: bool = False
    countdown: str = ""


def paint_overlay(painter: QPainter, screen: QRectF, over: Overlay, shade: str) -> None:
    """Paint an overlay on a screen of any size."""
    if over.cover:
        painter.fillRect(screen, QColor(over.cover))
        return
    paint_marks(painter, screen, over.marks, colours(shade))
    if over.countdown:
        paint_countdown(painter, screen, over.countdown, shade)
    if over.shows_keys:
        paint_key_help(painter, screen, shade)
    if over.message.large or over.message.small:
        paint_message(painter, screen, over.message, shade)
    if over.picture is not None:
        x, y, wide, high = over.picture.place
        place = QRectF(
            x * screen.width(), y * screen.height(), wide * screen.width(), high * screen.height()
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(
            place.translated(screen.topLeft()),
            over.picture.picture,
            QRectF(over.picture.picture.rect()),
        )


def point_of(at: QPointF, screen: QRectF) -> ScreenPoint:
    """Pixel to screen point."""
    high, middle = max(1.0, screen.height()), screen.center()
    return (at.x() - middle.x()) / high, (at.y() - middle.y()) / high


def pixel_of(point: ScreenPoint, screen: QRectF) -> QPointF:
    """Screen point to pixel."""
    return screen.center() + QPointF(*point) * screen.height()


def paint_marks(painter: QPainter, screen: QRectF, marks: PointerMarks, theme: Colours) -> None:
    """Paint strokes, then spotlight or laser."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for stroke in marks.strokes:
        _paint_stroke(painter, screen, stroke, theme)
    if marks.at is not None and marks.tool == SPOTLIGHT:
        _paint_spotlight(painter, screen, pixel_of(marks.at, screen))
    elif marks.at is not None and marks.tool == LASER:
        _paint_laser(painter, pixel_of(marks.at, screen), DOT * screen.height())


def _paint_stroke(painter: QPainter, screen: QRectF, stroke: PenStroke, theme: Colours) -> None:
    colour, width = QColor(getattr(theme, stroke.colour)), NIB * screen.height()
    points = [pixel_of(point, screen) for point in stroke.points]
    set_ink(
        painter,
        QPen(
            colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        ),
        None,
    )
    if len(points) == 1:
        painter.drawPoint(points[0])
    else:
        painter.drawPolyline(QPolygonF(points))


def _paint_spotlight(painter: QPainter, screen: QRectF, at: QPointF) -> None:
    radius, shade = SPOT * screen.height(), QPainterPath()
    shade.setFillRule(Qt.FillRule.OddEvenFill)
    shade.addRect(screen)
    shade.addEllipse(at, radius, radius)
    painter.fillPath(shade, DIMMED)


def _paint_laser(painter: QPainter, at: QPointF, radius: float) -> None:
    glow = QRadialGradient(at, radius * 2.4)
    glow.setColorAt(0.0, QColor(255, 70, 70, 190))
    glow.setColorAt(1.0, QColor(255, 45, 45, 0))
    set_ink(painter, None, glow)
    painter.drawEllipse(at, radius * 2.4, radius * 2.4)
    set_ink(painter, QPen(QColor("white"), radius * 0.22), RED)
    painter.drawEllipse(at, radius, radius)


def paint_message(painter: QPainter, screen: QRectF, message: OverlayMessage, shade: str) -> None:
    """Paint a message on a rounded rectangle."""
    theme = colours(shade)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with in_units(
        painter, screen.toRect(), unit_for("words", text_height(screen.toRect()))
    ) as room:
        large, small = (
            font(DISPLAY * 2 if message.large.isdigit() else DISPLAY, bold=True),
            font(TITLE),
        )
        above, below = QFontMetricsF(large), QFontMetricsF(small)
        wide = max(
            above.horizontalAdvance(message.large), below.horizontalAdvance(message.small), 60.0
        )
        patch = QRectF(0, 0, wide + 48, above.height() + (26 if message.small else 0) + 20)
        if message.in_corner:
            patch.moveTopRight(room.topRight() + QPointF(-AIR, AIR))
        else:
            patch.moveCenter(room.center())
        draw_box(painter, patch, theme.accent, theme.surface, 14)
        inner = patch.adjusted(0, 8, 0, -10)
        write(
            painter,
            inner,
            message.large,
            large,
            theme.text,
            Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop,
        )
        write(
            painter,
            inner,
            message.small,
            small,
            theme.muted,
            Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom,
        )


def paint_countdown(painter: QPainter, screen: QRectF, text: str, shade: str) -> None:
    """Paint the time that is left into the upper right corner; zero in the colour of errors."""
    theme, face = colours(shade), font(DISPLAY, bold=True)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with in_units(
        painter, screen.toRect(), unit_for("words", text_height(screen.toRect()))
    ) as room:
        metrics = QFontMetricsF(face)
        patch = QRectF(0, 0, metrics.horizontalAdvance("00:00") + 24, metrics.height() + 4)
        patch.moveTopRight(room.topRight() + QPointF(-AIR / 2, AIR / 2))
        over = text == "0:00"
        draw_box(painter, patch, theme.error if over else theme.accent, theme.surface, 14)
        centre = Qt.AlignmentFlag.AlignCenter
        write(painter, patch, text, face, theme.error if over else theme.text, centre)


def paint_key_help(
    painter: QPainter, screen: QRectF, shade: str, keys_of: KeyRows = KEY_HELP
) -> None:
    """Paint the list of keys in the middle of a screen of any size."""
    theme = colours(shade)
    painter.fillRect(screen, QColor(theme.window))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    name, words, title = font(BODY), font(TITLE), font(DISPLAY, bold=True)
    with in_units(
        painter, screen.toRect(), unit_for("words", text_height(screen.toRect()))
    ) as room:
        rows = [
            (cap_places(keys, QFontMetricsF(name), CAP, CAP_PADDING), tr_marked(text))
            for keys, text in keys_of
        ]
        caps = max(places[-1][0].right() for places, _ in rows)
        wide = caps + GAP + max(QFontMetricsF(words).horizontalAdvance(text) for _, text in rows)
        line = min(LINE, (room.height() - 2 * MARGIN - HEAD) / len(rows))
        left, top = (
            max(MARGIN, (room.width() - wide) / 2),
            (room.height() - HEAD - line * len(rows)) / 2,
        )
        head = QRectF(left, top, room.width() - left, QFontMetricsF(title).height())
        draw_text(painter, head, LEFT, tr("Presenting"), title, theme.text)
        for number, (places, text) in enumerate(rows):
            y = top + HEAD + number * line
            painter.setFont(name)
            paint_caps(painter, [(rect.translated(left, y), key) for rect, key in places], theme)
            place = QRectF(left + caps + GAP, y, room.width() - left - caps - GAP, CAP)
            draw_text(painter, place, LEFT, text, words, theme.text)
