"""A program of its own for test_presenting_scales: a lecture on two screens of different scales, told as JSON.

    python -m tests.gui.scales_program FOLDER

Qt learns which screens there are when it starts, so that each test of other screens needs a process of its own.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.presentation.slide import paint_slide

INKED = ((0.3, 0.45), (0.5, 0.5), (0.7, 0.45))  # parts of the hall's screen
SHOWN = (0.8, 0.2)


def point(widget: QWidget, at: tuple[float, float]) -> QPoint:
    """A place on a widget by parts of its size."""
    return QPoint(round(widget.width() * at[0]), round(widget.height() * at[1]))


def place(window: QWidget) -> list[float]:
    """Where a window is, how large, and how many real pixels one of its own is."""
    rect = window.geometry()
    return [rect.x(), rect.y(), rect.width(), rect.height(), window.devicePixelRatio()]


def draw(hall: QWidget, pointer: QWidget) -> None:
    """A stroke with the pen, then the laser."""
    left, first, last = (
        Qt.MouseButton.LeftButton,
        point(pointer, INKED[0]),
        point(pointer, INKED[-1]),
    )
    QTest.keyClick(hall, Qt.Key.Key_P)
    QTest.mousePress(pointer, left, pos=first)
    for at in INKED[1:]:
        QTest.mouseMove(pointer, point(pointer, at))
    QTest.mouseRelease(pointer, left, pos=last)
    QTest.keyClick(hall, Qt.Key.Key_L)


def look(window: MainWindow, folder: Path, name: str) -> dict[str, Any]:
    """What is on the screens now: pictures in files, sizes as numbers."""
    room = window.presentation
    hall = room.audience
    assert hall is not None
    hall.pointer.follow(QPointF(point(hall, SHOWN)))
    hall.grab().save(str(folder / f"{name}.png"))
    hall.pointer.leaveEvent(None)  # type: ignore[arg-type]
    hall.grab().save(str(folder / f"{name}-inked.png"))
    strokes = hall.pointer.strokes
    hall.pointer.strokes = ()
    hall.grab().save(str(folder / f"{name}-clean.png"))
    hall.pointer.strokes = strokes
    size = hall.size() * hall.devicePixelRatio()
    painted = QImage(size, QImage.Format.Format_RGB32)
    painter = QPainter(painted)
    paint_slide(painter, QRect(QPoint(), size), window.session.state, room.choice, hall.headline)
    painter.end()
    painted.save(str(folder / f"{name}-painted.png"))
    told = {"hall": place(hall)}
    if room.speaker is not None:
        told["notes"] = place(room.speaker)
        room.speaker.grab().save(str(folder / f"{name}-notes.png"))
    return told


def main(folder: Path) -> None:
    """Begin a lecture, draw, change the screens, and look both times."""
    QApplication.setHighDpiScaleFactorRoundingPolicy(
        Qt.HighDpiScaleFactorRoundingPolicy.PassThrough
    )
    app = QApplication([])
    window = build_window(example="four-words-causal", language="en", theme_name="light")
    window.session.go_to_stage("masked")
    window.move(50, 50)
    window.show()
    window.present()
    hall = window.presentation.audience
    assert hall is not None
    app.processEvents()
    draw(hall, hall.pointer)
    told = {"first": look(window, folder, "first")}
    QTest.keyClick(hall, Qt.Key.Key_X)
    app.processEvents()
    told["swapped"] = look(window, folder, "swapped")
    window.presentation.stop()
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
