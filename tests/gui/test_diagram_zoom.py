"""Ctrl with the wheel and two fingers zoom the diagram, which says so once."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QNativeGestureEvent, QPointingDevice, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.session.session import Session
from gui.views.diagram.view import DiagramView
from tests.gui.diagram_kit import cell_on_screen
from tests.gui.tables_kit import follow, make_session

CONTROL, NONE = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier


def shown(qtbot: QtBot) -> tuple[Session, DiagramView, list[str]]:
    session, told = make_session(), list[str]()
    session.told.connect(told.append)
    view = DiagramView(session)
    follow(qtbot, session, view, 1240, 270)
    return session, view, told


def wheel(view: DiagramView, modifiers: Qt.KeyboardModifier) -> None:
    at = QPointF(view.rect().center())
    event = QWheelEvent(
        at,
        QPointF(view.mapToGlobal(at.toPoint())),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)


def pinch(view: DiagramView, value: float) -> None:
    at = QPointF(view.rect().center())
    event = QNativeGestureEvent(
        Qt.NativeGestureType.ZoomNativeGesture,
        QPointingDevice.primaryPointingDevice(),
        2,
        at,
        at,
        QPointF(view.mapToGlobal(at.toPoint())),
        value,
        QPointF(),
    )
    assert event.type() == QEvent.Type.NativeGesture
    QApplication.sendEvent(view, event)


def test_ctrl_and_the_wheel_zoom(qtbot: QtBot) -> None:
    _, view, _ = shown(qtbot)
    before = view.camera.scale
    wheel(view, NONE)
    assert view.camera.scale == before
    wheel(view, CONTROL)
    assert view.camera.scale > before


def test_two_fingers_zoom_in_and_out(qtbot: QtBot) -> None:
    _, view, _ = shown(qtbot)
    before = view.camera.scale
    pinch(view, 0.5)
    assert view.camera.scale > before
    pinch(view, -0.9)
    assert view.camera.scale == before


def test_it_says_so_once(qtbot: QtBot) -> None:
    session, view, told = shown(qtbot)
    assert not told
    at = cell_on_screen(view, "X", 1, 1)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)
    assert len(told) == 1
    assert "Ctrl" in told[0]
    wheel(view, CONTROL)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)
    assert len(told) == 1
    assert session.state.preferences.knows_zoom


def test_an_audience_is_not_told(qtbot: QtBot) -> None:
    session, view, told = shown(qtbot)
    view.magnify(1.5)
    wheel(view, CONTROL)
    assert not told
    assert not session.state.preferences.knows_zoom
