"""The lecturer's small picture shows what lies over the hall's, and takes pointer and pen; in a real window too."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gui.app.main_window import MainWindow
from gui.presentation.presentation import Presentation
from gui.presentation.speaker_view import AudiencePreview
from tests.gui.presenting_kit import LAPTOP, PROJECTOR, Key, begun, board, press, shown

pytestmark = pytest.mark.realwindow
Button = Qt.MouseButton


@pytest.fixture
def room(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[Presentation]:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window: MainWindow = shown(qtbot, example="cat-eats-fish")
    window.presentation.screens = lambda: [LAPTOP, PROJECTOR]
    window.move(50, 50)
    window.session.go_to_stage("weights")
    window.presentation.start()
    yield begun(qtbot, window)
    window.presentation.stop()


def now(room: Presentation) -> AudiencePreview:
    assert room.speaker is not None
    return room.speaker.current


def seen(room: Presentation, x: float, y: float) -> QColor:
    """The colour of the small picture at a part of its width and height."""
    place, picture = now(room).place(), now(room).grab().toImage()
    return picture.pixelColor(round(x * (place.width() - 1)), round(y * (place.height() - 1)))


def captions(room: Presentation) -> set[str]:
    assert room.speaker is not None
    return {label.text() for label in room.speaker.findChildren(QLabel)}


@pytest.mark.parametrize(
    ("key", "colour", "said"),
    [(Key.Key_B, "black", "Now: black screen"), (Key.Key_W, "white", "Now: white screen")],
)
def test_a_black_screen_is_seen_to_be_black(
    qtbot: QtBot, room: Presentation, key: Key, colour: str, said: str
) -> None:
    before = now(room).grab().toImage()
    press(qtbot, room, key)
    places = [(0.2, 0.3), (0.5, 0.5), (0.9, 0.8)]
    assert all(seen(room, *place) == QColor(colour) for place in places)
    assert said in captions(room)
    press(qtbot, room, Key.Key_PageDown)  # lifts it
    assert now(room).grab().toImage() == before
    assert "Now" in captions(room)


def test_laser_and_spotlight_are_seen_where_the_hall_sees_them(
    qtbot: QtBot, room: Presentation
) -> None:
    clear = seen(room, 0.02, 0.98)
    press(qtbot, room, Key.Key_L)
    board(room).pointer.follow(QPointF(0.25 * board(room).width(), 0.5 * board(room).height()))
    red = seen(room, 0.25, 0.5)
    assert red.red() > 200
    assert red.green() < 90
    press(qtbot, room, Key.Key_S)
    assert seen(room, 0.02, 0.98).lightness() < 0.6 * clear.lightness()


def test_a_typed_number_is_seen(qtbot: QtBot, room: Presentation) -> None:
    before = now(room).grab().toImage()
    press(qtbot, room, Key.Key_4)
    assert now(room).overlay.message.large == "4"
    assert now(room).grab().toImage() != before
    press(qtbot, room, Key.Key_Escape)
    assert now(room).grab().toImage() == before


def test_the_pen_writes_on_either_screen(qtbot: QtBot, room: Presentation) -> None:
    press(qtbot, room, Key.Key_P)
    small, size = now(room), now(room).place().size()
    start, end = (
        QPoint(size.width() // 10, size.height() // 5),
        QPoint(size.width() // 3, size.height() // 5),
    )
    qtbot.mousePress(small, Button.LeftButton, pos=start)
    qtbot.mouseMove(small, end)
    qtbot.mouseRelease(small, Button.LeftButton, pos=end)
    (stroke,) = board(room).pointer.marks.strokes
    aspect = board(room).width() / board(room).height()
    assert stroke.points[0] == pytest.approx((aspect * (0.1 - 0.5), 0.2 - 0.5), abs=0.01)
    assert stroke.points[-1] == pytest.approx((aspect * (1 / 3 - 0.5), 0.2 - 0.5), abs=0.01)
    hall = board(room).grab().toImage()
    inked = hall.pixelColor(
        round(0.2 * hall.width()), round(start.y() / size.height() * hall.height())
    )
    assert seen(room, 0.2, start.y() / size.height()).hue() == pytest.approx(inked.hue(), abs=4)
    qtbot.mouseClick(small, Button.RightButton, pos=start)
    assert board(room).pointer.marks.strokes == ()


def test_without_a_tool_a_click_there_draws_nothing(qtbot: QtBot, room: Presentation) -> None:
    qtbot.mouseClick(now(room), Button.LeftButton, pos=QPoint(40, 40))
    assert board(room).pointer.marks.strokes == ()


def test_the_number_that_is_typed_is_seen_where_the_hall_sees_it(
    qtbot: QtBot, room: Presentation
) -> None:
    before = now(room).grab().toImage()
    press(qtbot, room, Key.Key_F2)
    field, screen = board(room).cell_editor, board(room).rect()
    patch = now(room).overlay.picture
    assert patch is not None
    assert patch.place[:2] == (field.x() / screen.width(), field.y() / screen.height())
    opened = now(room).grab().toImage()
    assert opened != before
    field.line.selectAll()
    qtbot.keyClicks(field.line, "7")
    assert now(room).grab().toImage() != opened
    qtbot.keyClick(field.line, Key.Key_Escape)
    assert now(room).grab().toImage() == before


def test_next_is_what_a_covered_step_hides(qtbot: QtBot, room: Presentation) -> None:
    press(qtbot, room, Key.Key_R)
    assert room.speaker is not None
    here, coming = room.speaker.current.state, room.speaker.upcoming.state
    assert here is not None
    assert coming is not None
    assert here.hidden is not None
    assert (coming.hidden, coming.cursor) == (None, here.cursor)
