"""Paint a lab's picture with its title, claim and notice: for window, lesson, slide and file."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QPainter

from core.lesson.lesson import LabReference, Resolved
from core.lesson.resolve import lab_setting
from gui.labs.exhibit import LabAppearance, LabView, find_exhibit, show_lab
from gui.painting.text_size import in_units
from gui.painting.theme import BODY, DISPLAY, Colours, font
from gui.session.state import State
from gui.texts.labs import lab_claim, lab_label
from gui.texts.translation import current_language
from gui.widgets.subscripts import Paragraph

BETWEEN = 10.0
BAR = 3.0
LEAST_PICTURE = 250.0  # least height of a picture before claim, then title are omitted


def paint_page(
    painter: QPainter, area: QRectF, lab_id: str, view: LabView, *, titled: bool = True
) -> None:
    """Paint title and claim, the picture, and the notice; in a lesson without title.

    In a low area claim and title are omitted in favour of the picture.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    notice = Paragraph(find_exhibit(lab_id).notice(view), font(BODY), area.width() - BAR - 10)
    below = QRectF(area.left(), area.bottom() - notice.height, area.width(), notice.height)
    _paint_notice(painter, below, notice, view.theme)
    top = area.top()
    if titled:
        lines = _head(lab_id, area.width(), below.top() - BETWEEN - top)
        for line, colour in zip(lines, (view.theme.text, view.theme.muted), strict=False):
            line.paint(painter, QPointF(area.left(), top), colour)
            top += line.height + 2
        top = area.top() + _height(lines)
    place = QRectF(area.left(), top, area.width(), max(40.0, below.top() - BETWEEN - top))
    paint_picture(painter, place, lab_id, view)


def paint_picture(painter: QPainter, place: QRectF, lab_id: str, view: LabView) -> None:
    """Paint the picture alone and restore the painter's state."""
    painter.save()
    find_exhibit(lab_id).paint(painter, place, view)
    painter.restore()


def _head(lab_id: str, width: float, high: float) -> list[Paragraph]:
    """Return title and claim, the title alone, or nothing, depending on the remaining height."""
    title = Paragraph(lab_label(lab_id), font(DISPLAY, bold=True), width)
    lines = [title, Paragraph(lab_claim(lab_id), font(BODY), width)]
    fitting = (lines[:count] for count in (2, 1) if high - _height(lines[:count]) >= LEAST_PICTURE)
    return next(fitting, [])


def _height(lines: list[Paragraph]) -> float:
    return sum(line.height + 2 for line in lines) + BETWEEN - 2 if lines else 0.0


def _paint_notice(painter: QPainter, place: QRectF, notice: Paragraph, theme: Colours) -> None:
    painter.fillRect(QRectF(place.left(), place.top(), BAR, place.height()), QColor(theme.accent))
    notice.paint(painter, place.topLeft() + QPointF(BAR + 8, 0), theme.text)


THUMBNAIL = QRectF(0, 0, 800, 520)  # logical size of a thumbnail


def paint_lab_thumbnail(painter: QPainter, rect: QRectF, scene: Resolved, shade: str) -> None:
    """Paint a scene's lab as a thumbnail. Cached, because lists are painted often."""
    if scene.scene.demo is None:
        return
    unit = min(rect.width() / THUMBNAIL.width(), rect.height() / THUMBNAIL.height())
    ratio = painter.device().devicePixelRatioF()
    picture = _stamp(scene.scene.demo, shade, current_language(), round(unit * ratio, 4))
    place = QRectF(0, 0, THUMBNAIL.width() * unit, THUMBNAIL.height() * unit)
    place.moveCenter(rect.center())
    painter.drawImage(place, picture)


@lru_cache(maxsize=256)
def _stamp(demo: LabReference, shade: str, _language: str, unit: float) -> QImage:
    size = THUMBNAIL.size() * unit
    image = QImage(
        max(1, round(size.width())),
        max(1, round(size.height())),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    image.fill(0)
    with QPainter(image) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        with in_units(painter, image.rect(), unit) as area:
            paint_picture(
                painter, area, demo.lab, show_lab(demo.lab, lab_setting(demo), LabAppearance(shade))
            )
    return image


def paint_lab(painter: QPainter, rect: QRectF, state: State) -> None:
    """Paint the lab of the current scene into a rectangle; nothing for a scene without one."""
    if state.scene is None or state.scene.scene.demo is None or state.scene.setting is None:
        return
    demo = state.scene.scene.demo
    view = show_lab(demo.lab, state.scene.setting, LabAppearance(state.shade, state.decimals))
    paint_page(painter, rect, demo.lab, view, titled=False)
