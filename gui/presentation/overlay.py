"""What lies over the hall's picture, on any painter: ink, the laser's dot, the spotlight, words, a black screen."""

from __future__ import annotations

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

from gui.painting.scaling import in_units
from gui.painting.theme import DISPLAY, TITLE, Colours, colours, font
from gui.presentation.ink import Point, Stroke
from gui.presentation.key_help import paint_page
from gui.presentation.sizes import unit_for

ARROW, LASER, SPOTLIGHT, PEN = "", "laser", "spotlight", "pen"
# Parts of the screen's height.
DOT, SPOT, NIB = 0.011, 0.17, 0.0055
DIMMED = QColor(0, 0, 0, 165)
RED = QColor(255, 45, 45)
AIR = 16.0


class Marks(Struct, frozen=True):
    """Ink, the one that is being drawn included, and the tool with the place where it points."""

    strokes: tuple[Stroke, ...] = ()
    tool: str = ARROW
    at: Point | None = None


class Said(Struct, frozen=True):
    """Large words and small ones below, in the middle or `aside` in the upper right corner; "" for none."""

    large: str = ""
    small: str = ""
    aside: bool = False


class Patch(Struct, frozen=True, eq=False):
    """A picture of something small, and its place in parts of the screen's width and height."""

    picture: QPixmap
    place: tuple[float, float, float, float]


class Overlay(Struct, frozen=True):
    """Everything; `curtain` is the colour that covers it all, "" for none. `patch` is the number that is typed.

    `keys` says that the page of keys is there.
    """

    marks: Marks = Marks()
    said: Said = Said()
    patch: Patch | None = None
    curtain: str = ""
    keys: bool = False


def paint_over(painter: QPainter, screen: QRectF, over: Overlay, shade: str) -> None:
    """All of it over a picture of the screen, however small."""
    if over.curtain:
        painter.fillRect(screen, QColor(over.curtain))
        return
    paint_marks(painter, screen, over.marks, colours(shade))
    if over.keys:
        paint_page(painter, screen, shade)
    if over.said.large or over.said.small:
        paint_words(painter, screen, over.said, shade)
    if over.patch is not None:
        x, y, wide, high = over.patch.place
        place = QRectF(
            x * screen.width(), y * screen.height(), wide * screen.width(), high * screen.height()
        )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(
            place.translated(screen.topLeft()),
            over.patch.picture,
            QRectF(over.patch.picture.rect()),
        )


def point_of(at: QPointF, screen: QRectF) -> Point:
    """A place on a screen, the same on every other one."""
    high, middle = max(1.0, screen.height()), screen.center()
    return (at.x() - middle.x()) / high, (at.y() - middle.y()) / high


def pixel_of(point: Point, screen: QRectF) -> QPointF:
    """Where that place is on a screen."""
    return screen.center() + QPointF(*point) * screen.height()


def paint_marks(painter: QPainter, screen: QRectF, marks: Marks, theme: Colours) -> None:
    """Ink, then the spotlight's dark or the laser's dot."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for stroke in marks.strokes:
        _paint_stroke(painter, screen, stroke, theme)
    if marks.at is not None and marks.tool == SPOTLIGHT:
        _paint_spotlight(painter, screen, pixel_of(marks.at, screen))
    elif marks.at is not None and marks.tool == LASER:
        _paint_laser(painter, pixel_of(marks.at, screen), DOT * screen.height())


def _paint_stroke(painter: QPainter, screen: QRectF, stroke: Stroke, theme: Colours) -> None:
    colour, width = QColor(getattr(theme, stroke.colour)), NIB * screen.height()
    points = [pixel_of(point, screen) for point in stroke.points]
    painter.setPen(
        QPen(
            colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin
        )
    )
    painter.setBrush(Qt.BrushStyle.NoBrush)
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
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(glow)
    painter.drawEllipse(at, radius * 2.4, radius * 2.4)
    painter.setPen(QPen(QColor("white"), radius * 0.22))
    painter.setBrush(RED)
    painter.drawEllipse(at, radius, radius)


def paint_words(painter: QPainter, screen: QRectF, said: Said, shade: str) -> None:
    """On a patch in the middle, or in the corner."""
    theme = colours(shade)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with in_units(painter, screen.toRect(), unit_for("words", round(screen.height()))) as room:
        large, small = (
            font(DISPLAY * 2 if said.large.isdigit() else DISPLAY, bold=True),
            font(TITLE),
        )
        above, below = QFontMetricsF(large), QFontMetricsF(small)
        wide = max(above.horizontalAdvance(said.large), below.horizontalAdvance(said.small), 60.0)
        patch = QRectF(0, 0, wide + 48, above.height() + (26 if said.small else 0) + 20)
        if said.aside:
            patch.moveTopRight(room.topRight() + QPointF(-AIR, AIR))
        else:
            patch.moveCenter(room.center())
        painter.setPen(QColor(theme.accent))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(patch, 14, 14)
        inner = patch.adjusted(0, 8, 0, -10)
        painter.setPen(QColor(theme.text))
        painter.setFont(large)
        painter.drawText(
            inner, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop), said.large
        )
        painter.setPen(QColor(theme.muted))
        painter.setFont(small)
        painter.drawText(
            inner, int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom), said.small
        )
