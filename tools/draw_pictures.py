"""Draw the pictures of the lab “patches” into resources/pictures. Each has things that come in pairs."""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QLinearGradient,
    QPainter,
    QPainterPath,
    QPen,
    QRadialGradient,
)

SIZE = (192, 128)
FOLDER = Path(__file__).resolve().parent.parent / "resources" / "pictures"


def apples(painter: QPainter) -> None:
    """A table against a wall, with two red apples and a green one."""
    _sky(painter, "#E9DFC7", "#F6EFDD", 82)
    painter.fillRect(QRectF(0, 82, 192, 46), QColor("#8A5A33"))
    painter.fillRect(QRectF(0, 82, 192, 4), QColor("#6E4526"))
    for x, colour in ((38, "#C0281E"), (96, "#6FA32B"), (154, "#C0281E")):
        _apple(painter, QPointF(x, 74), 24, QColor(colour))


def lake(painter: QPainter) -> None:
    """The sun over hills, and both again in the water."""
    _sky(painter, "#2E5FA3", "#F2B26B", 66)
    _sun(painter, QPointF(140, 38), 15, 255)
    hills = QPainterPath(QPointF(0, 66))
    hills.cubicTo(30, 34, 52, 30, 78, 56)
    hills.cubicTo(100, 40, 116, 46, 132, 66)
    painter.fillPath(hills, QColor("#27472F"))
    painter.save()
    painter.setClipRect(QRectF(0, 66, 192, 62))
    painter.translate(0, 132)
    painter.scale(1, -1)
    _sky(painter, "#274C80", "#C98F57", 66)
    _sun(painter, QPointF(140, 38), 15, 200)
    painter.fillPath(hills, QColor("#1D3826"))
    painter.restore()
    painter.setPen(QPen(QColor(255, 255, 255, 60), 1))
    for y in range(74, 128, 9):
        painter.drawLine(QPointF(6 + y % 20, y), QPointF(40 + y % 31, y))
        painter.drawLine(QPointF(110 + y % 17, y + 3), QPointF(150 + y % 23, y + 3))


def _sky(painter: QPainter, above: str, below: str, height: float) -> None:
    gradient = QLinearGradient(0, 0, 0, height)
    gradient.setColorAt(0, QColor(above))
    gradient.setColorAt(1, QColor(below))
    painter.fillRect(QRectF(0, 0, SIZE[0], height), gradient)


def _sun(painter: QPainter, at: QPointF, radius: float, alpha: int) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(255, 236, 168, alpha))
    painter.drawEllipse(at, radius, radius)


def _apple(painter: QPainter, at: QPointF, radius: float, colour: QColor) -> None:
    light = QRadialGradient(at - QPointF(radius * 0.35, radius * 0.4), radius * 1.5)
    light.setColorAt(0, colour.lighter(150))
    light.setColorAt(0.5, colour)
    light.setColorAt(1, colour.darker(170))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(0, 0, 0, 60))
    painter.drawEllipse(at + QPointF(4, radius * 0.95), radius * 0.95, radius * 0.22)
    painter.setBrush(light)
    painter.drawEllipse(at, radius, radius * 0.96)
    painter.setPen(QPen(QColor("#5A3B1C"), 3, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    painter.drawLine(at - QPointF(0, radius * 0.8), at - QPointF(-4, radius * 1.25))
    leaf = QPainterPath(at - QPointF(-2, radius * 1.05))
    leaf.quadTo(at - QPointF(-10, radius * 1.5), at - QPointF(-17, radius * 1.1))
    leaf.quadTo(at - QPointF(-10, radius * 0.9), at - QPointF(-2, radius * 1.05))
    painter.fillPath(leaf, QColor("#3E7A2E"))


def main() -> None:
    """Write every picture."""
    application = QGuiApplication.instance() or QGuiApplication([])
    assert application is not None
    FOLDER.mkdir(parents=True, exist_ok=True)
    for draw in (apples, lake):
        image = QImage(*SIZE, QImage.Format.Format_RGB888)
        with QPainter(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            draw(painter)
        image.save(str(FOLDER / f"{draw.__name__}.png"))


if __name__ == "__main__":
    main()
