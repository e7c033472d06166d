"""The lecture room driven by the keys of a clicker and by the mouse; offscreen and in a real window."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QAction, QColor, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from core.lesson.lesson import PanelSplit, dumps, lesson_path, load, loads
from gui.app.main_window import MainWindow
from gui.presentation.layers import paint_key_help
from gui.presentation.navigation import next_state
from gui.presentation.overlay import OverlayMessage, PenStroke, paint_message
from gui.presentation.presentation import Presentation
from gui.presentation.slide import unit_for
from gui.session.preferences import load_preferences, save_preferences
from gui.session.presented_views import DEFAULT_VIEWS, PresentedViews, parse_views
from gui.session.session import Session
from gui.texts.translation import tr, use_language
from tests.gui import svg_kit
from tests.gui.presenting_kit import (
    LAPTOP,
    PROJECTOR,
    Key,
    Modifier,
    begun,
    beside_projector,
    board,
    press,
    shown,
    svg_of,
    text_sizes,
)

pytestmark = pytest.mark.realwindow
Button = Qt.MouseButton


@pytest.fixture
def window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    with beside_projector(qtbot, monkeypatch) as window:
        yield window


@pytest.fixture
def room(qtbot: QtBot, window: MainWindow) -> Presentation:
    qtbot.keyClick(window, Key.Key_F5)
    return begun(qtbot, window)


def stage(window: MainWindow) -> str:
    return window.session.state.cursor.stage


def colour_at(room: Presentation, x: float, y: float) -> QColor:
    picture = board(room).grab().toImage()
    return picture.pixelColor(round(x * picture.width()), round(y * picture.height()))


# Beginning and end


def test_f5_begins_at_the_current_step_and_esc_leaves_all_as_it_was(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.session.go_to_stage("scores")
    docks = [dock.isVisible() for dock in window.docks.values()]
    before = (window.geometry(), window.windowState(), bytes(window.saveState().data()))
    qtbot.keyClick(window, Key.Key_F5)
    room = begun(qtbot, window)
    assert board(room).size() == PROJECTOR.geometry().size()
    assert window.findChild(QAction, "present").isChecked()
    assert stage(window) == "scores"
    press(qtbot, room, Key.Key_Escape)
    assert not room.is_running
    assert not window.findChild(QAction, "present").isChecked()
    assert [dock.isVisible() for dock in window.docks.values()] == docks
    assert (window.geometry(), window.windowState(), bytes(window.saveState().data())) == before


@pytest.mark.parametrize("key", [Key.Key_F5, Key.Key_Escape])
def test_a_clicker_s_keys_end_it_too(qtbot: QtBot, room: Presentation, key: Key) -> None:
    press(qtbot, room, key)
    assert not room.is_running


def test_closing_the_window_from_outside_is_esc(room: Presentation) -> None:
    board(room).close()
    assert not room.is_running


# Keys


@pytest.mark.parametrize(
    "key", [Key.Key_PageDown, Key.Key_Right, Key.Key_Down, Key.Key_Space, Key.Key_Return]
)
def test_keys_go_on(qtbot: QtBot, window: MainWindow, room: Presentation, key: Key) -> None:
    press(qtbot, room, key)
    assert stage(window) == "K"


@pytest.mark.parametrize("key", [Key.Key_PageUp, Key.Key_Left, Key.Key_Up])
def test_keys_go_back(qtbot: QtBot, window: MainWindow, room: Presentation, key: Key) -> None:
    window.session.go_to_stage("scores")
    press(qtbot, room, key)
    assert stage(window) == "V"


def test_a_number_and_enter_go_to_that_step(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    press(qtbot, room, Key.Key_4)
    assert board(room).message_layer.isVisible()
    assert (board(room).message_layer.message.large, board(room).message_layer.message.small) == (
        "4",
        "QKᵀ Scores",
    )
    assert stage(window) == "Q"
    press(qtbot, room, Key.Key_Return)
    assert stage(window) == window.session.state.trace.plan.ids[3] == "scores"
    assert not board(room).message_layer.isVisible()


def test_a_number_waits_for_enter_even_if_it_takes_a_while(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    press(qtbot, room, Key.Key_4)
    assert room.number_entry.head_timer.isActive()
    room.number_entry.head_timer.timeout.emit()  # one head: the digit chooses none
    assert (board(room).message_layer.isVisible(), board(room).message_layer.message.large) == (
        True,
        "4",
    )
    press(qtbot, room, Key.Key_Return)
    assert stage(window) == window.session.state.trace.plan.ids[3]
    for leaves in (Key.Key_Escape, Key.Key_PageUp, Key.Key_Backspace):
        press(qtbot, room, Key.Key_7, leaves)
        assert (
            room.is_running,
            room.number_entry.typed,
            board(room).message_layer.isVisible(),
        ) == (True, "", False)
    assert stage(window) == window.session.state.trace.plan.ids[2]
    press(qtbot, room, Key.Key_1, Key.Key_2, Key.Key_Backspace)
    assert board(room).message_layer.message.large == "1"
    room.number_entry.expiry_timer.timeout.emit()
    assert (room.number_entry.typed, board(room).message_layer.isVisible()) == ("", False)


@pytest.mark.parametrize("number", [(Key.Key_9, Key.Key_9), (Key.Key_0,)])
def test_a_number_that_is_no_step_says_how_many_there_are(
    qtbot: QtBot, window: MainWindow, room: Presentation, number: tuple[Key, ...]
) -> None:
    press(qtbot, room, *number, Key.Key_Return)
    assert stage(window) == "Q"
    count = len(window.session.state.trace.plan.ids)
    assert board(room).message_layer.isVisible()
    assert board(room).message_layer.message.small == f"There are {count} steps"


def test_a_digit_alone_chooses_a_head(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = shown(qtbot, example="eight-heads")
    room = window.presentation
    room.screens = lambda: [PROJECTOR]
    room.start()
    begun(qtbot, window)
    before = stage(window)
    with qtbot.waitSignal(room.number_entry.head, timeout=5000):
        press(qtbot, room, Key.Key_3)
    assert window.session.state.cursor.head == 2
    assert stage(window) == before
    assert (board(room).message_layer.isVisible(), board(room).message_layer.message.large) == (
        True,
        "3",
    )
    press(qtbot, room, Key.Key_Return)  # what was meant after all: step 3, and not one step on
    assert stage(window) == window.session.state.trace.plan.ids[2]
    assert not board(room).message_layer.isVisible()
    press(qtbot, room, Key.Key_9)
    room.number_entry.head_timer.timeout.emit()  # there are eight
    assert (window.session.state.cursor.head, board(room).message_layer.message.large) == (2, "9")
    room.stop()


def test_black_and_white(qtbot: QtBot, window: MainWindow, room: Presentation) -> None:
    for key, colour in ((Key.Key_B, "black"), (Key.Key_W, "white"), (Key.Key_Period, "black")):
        press(qtbot, room, key)
        assert colour_at(room, 0.3, 0.4) == QColor(colour)
    press(qtbot, room, Key.Key_B)
    assert not board(room).blank_screen.isVisible()
    press(qtbot, room, Key.Key_B, Key.Key_PageDown)  # the first key only lifts it
    assert not board(room).blank_screen.isVisible()
    assert stage(window) == "Q"
    press(qtbot, room, Key.Key_W)
    qtbot.mouseClick(board(room).blank_screen, Button.LeftButton)
    assert not board(room).blank_screen.isVisible()


# Pointer


def test_the_spotlight_dims_all_but_a_circle_at_the_mouse(qtbot: QtBot, room: Presentation) -> None:
    clear = colour_at(room, 0.95, 0.95)
    press(qtbot, room, Key.Key_S)
    pane = board(room).panes.get("stage")
    at = pane.rect().center()
    qtbot.mouseMove(pane, at + QPoint(3, 3))
    qtbot.mouseMove(pane, at)
    where = pane.mapTo(board(room), at)
    assert board(room).pointer.at == QPointF(where)
    dimmed = colour_at(room, 0.98, 0.03)
    assert dimmed.lightness() < clear.lightness() * 0.5
    press(qtbot, room, Key.Key_Escape)  # puts the spotlight down, and no more
    assert room.is_running
    assert colour_at(room, 0.98, 0.03) == clear


def test_the_laser_is_where_the_mouse_is(qtbot: QtBot, room: Presentation) -> None:
    press(qtbot, room, Key.Key_L)
    board(room).pointer.follow(QPointF(512, 384))
    red = colour_at(room, 0.5, 0.5)
    assert red.red() > 200
    assert red.green() < 90
    press(qtbot, room, Key.Key_L, modifier=Modifier.ControlModifier)
    assert colour_at(room, 0.5, 0.5) != red


def draw(qtbot: QtBot, room: Presentation, start: QPoint, end: QPoint) -> None:
    pointer = board(room).pointer
    qtbot.mousePress(pointer, Button.LeftButton, pos=start)
    qtbot.mouseMove(pointer, (start + end) / 2)
    qtbot.mouseMove(pointer, end)
    qtbot.mouseRelease(pointer, Button.LeftButton, pos=end)


def test_strokes_stay_with_their_step(qtbot: QtBot, window: MainWindow, room: Presentation) -> None:
    paper = colour_at(room, 0.5, 0.02)
    press(qtbot, room, Key.Key_P)
    draw(qtbot, room, QPoint(300, 15), QPoint(700, 15))
    inked = colour_at(room, 0.5, 15 / 768)
    assert inked != paper
    press(qtbot, room, Key.Key_PageDown)
    assert colour_at(room, 0.5, 15 / 768) == paper
    press(qtbot, room, Key.Key_PageUp)
    assert colour_at(room, 0.5, 15 / 768) == inked
    press(qtbot, room, Key.Key_P)  # the next colour
    draw(qtbot, room, QPoint(300, 30), QPoint(700, 30))
    assert colour_at(room, 0.5, 30 / 768) not in (inked, paper)
    press(qtbot, room, Key.Key_Z, modifier=Modifier.ControlModifier)
    assert colour_at(room, 0.5, 30 / 768) == paper
    qtbot.mouseClick(board(room).pointer, Button.RightButton, pos=QPoint(500, 16))  # rubs out
    assert colour_at(room, 0.5, 15 / 768) == paper
    draw(qtbot, room, QPoint(300, 15), QPoint(700, 15))
    press(qtbot, room, Key.Key_E)
    assert colour_at(room, 0.5, 15 / 768) == paper


def test_a_stroke_knows_what_is_near() -> None:
    stroke = PenStroke("error", ((0.0, 0.0), (0.4, 0.0)))
    assert stroke.near((0.2, 0.01), 0.02)
    assert not stroke.near((0.2, 0.03), 0.02)
    assert not stroke.near((0.45, 0.0), 0.02)


def test_ctrl_and_the_wheel_zoom_into_the_diagram(qtbot: QtBot, room: Presentation) -> None:
    pane = board(room).panes.all["diagram"]
    before = pane.camera.scale  # type: ignore[union-attr]
    at = QPointF(pane.rect().center())
    turn = QWheelEvent(
        at,
        pane.mapToGlobal(at),
        QPoint(),
        QPoint(0, 240),
        Button.NoButton,
        Modifier.ControlModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(pane, turn)
    assert pane.camera.scale == pytest.approx(before * 1.25**2)  # type: ignore[union-attr]
    press(qtbot, room, Key.Key_0, modifier=Modifier.ControlModifier)
    assert pane.camera.scale == before  # type: ignore[union-attr]


def move(qtbot: QtBot, room: Presentation, y: int) -> None:
    """The mouse to a height above the lower edge of the hall's screen."""
    for x in (300, 310):
        qtbot.mouseMove(board(room), QPoint(x, board(room).height() - y))


def to_the_edge(qtbot: QtBot, room: Presentation) -> None:
    """The mouse to the lower edge until the timeline comes: a window that is only just there may miss a move."""

    def came() -> bool:
        move(qtbot, room, 3)
        return board(room).strip.isVisible()

    qtbot.waitUntil(came)


def test_the_timeline_comes_at_the_lower_edge_and_goes_with_the_mouse(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    strip = board(room).strip
    press(qtbot, room, Key.Key_L)
    move(qtbot, room, 200)
    move(qtbot, room, strip.height() - 5)  # where the lowest labels stand
    assert strip.isHidden()
    move(qtbot, room, 3)
    qtbot.waitUntil(strip.isVisible)
    move(qtbot, room, strip.height() - 5)
    assert strip.is_awake
    move(qtbot, room, strip.height() + 5)
    qtbot.waitUntil(strip.isHidden)
    press(qtbot, room, Key.Key_P)
    for x in (300, 310):
        qtbot.mouseMove(board(room).pointer, QPoint(x, board(room).height() - 3))
    assert strip.isHidden()


def test_the_spotlight_also_dims_the_timeline(qtbot: QtBot, room: Presentation) -> None:
    strip = board(room).strip
    to_the_edge(qtbot, room)
    clear = colour_at(room, 0.998, 0.998)
    press(qtbot, room, Key.Key_S)
    assert strip.isVisible()
    assert colour_at(room, 0.998, 0.998).lightness() < clear.lightness() * 0.5


def test_the_timeline_is_clicked(qtbot: QtBot, window: MainWindow, room: Presentation) -> None:
    strip = board(room).strip
    assert not strip.isVisible()
    to_the_edge(qtbot, room)
    line = strip.timeline
    unit = line.width() / line._wide()
    x = round(line.stage_x(3) * unit)
    qtbot.mouseClick(line, Button.LeftButton, pos=QPoint(x, 20))
    assert stage(window) == "scores"
    strip.sleep()
    qtbot.waitUntil(lambda: not strip.isVisible())


# Live edits


def test_a_cell_is_clicked_and_nudged(qtbot: QtBot, window: MainWindow, room: Presentation) -> None:
    press(qtbot, room, Key.Key_V, Key.Key_V)  # the stage alone
    assert room.choice == PresentedViews(("stage",))
    view = board(room).panes.all["stage"]
    placed = view.scene().placed[0]  # type: ignore[union-attr]
    unit = unit_for("stage", board(room).height())
    qtbot.mouseClick(view, Button.LeftButton, pos=(placed.rect.center() * unit).toPoint())
    cell = window.session.state.focus
    assert cell.tensor == placed.operand.tensor
    before = window.session.state.trace.value(cell)
    press(qtbot, room, Key.Key_Up, modifier=Modifier.ControlModifier)
    assert window.session.state.trace.value(cell) == pytest.approx(before + 0.1)
    press(qtbot, room, Key.Key_Z, modifier=Modifier.ControlModifier)
    assert window.session.state.trace.value(cell) == before


def test_a_cell_of_the_heatmap_is_clicked(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    window.session.go_to_stage("scores")
    room.choose(PresentedViews(("heatmap",)))
    pane = board(room).panes.all["heatmap"]
    qtbot.mouseClick(pane, Button.LeftButton, pos=pane.rect().center())
    assert (window.session.state.focus.tensor, window.session.state.focus.row) == ("scores", 1)


# What is shown


def test_each_stage_remembers_what_is_shown(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    assert room.choice == DEFAULT_VIEWS
    press(qtbot, room, Key.Key_V)
    assert room.choice == PresentedViews(("diagram",))
    assert not board(room).panes.all["stage"].isVisible()
    press(qtbot, room, Key.Key_PageDown)
    assert room.choice == DEFAULT_VIEWS
    assert board(room).panes.all["stage"].isVisible()
    assert window.session.state.preferences.presented == (("Q", "diagram"),)
    save_preferences(window.session.state.preferences)
    assert load_preferences().presented == (("Q", "diagram"),)


def test_another_experiment_and_another_start_do_not_take_over_what_was_shown(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    press(qtbot, room, Key.Key_V)
    assert room.choice == PresentedViews(("diagram",))
    save_preferences(window.session.state.preferences)
    window.files.open_example("four-words-causal")
    window.session.go_to_stage("Q")
    assert room.choice == DEFAULT_VIEWS
    room.stop()
    after = shown(qtbot, example="four-words-causal")
    after.session.go_to_stage("Q")
    assert after.presentation.choice == DEFAULT_VIEWS


def test_a_scene_leaves_nothing_of_the_example_before_it(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    press(qtbot, room, Key.Key_V)
    window.session.lesson_player.open(load(lesson_path("first-steps")))
    window.session.lesson_player.close()
    window.session.go_to_stage("Q")
    assert room.choice == DEFAULT_VIEWS


def test_one_key_shows_the_worked_sum_at_every_step(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    press(qtbot, room, Key.Key_D)
    for _ in range(4):
        assert room.choice == PresentedViews(("stage", "derivation"))
        assert board(room).panes.all["derivation"].isVisible()
        press(qtbot, room, Key.Key_PageDown)
    press(qtbot, room, Key.Key_V)
    assert room.choice == PresentedViews(("diagram", "derivation"))
    press(qtbot, room, Key.Key_D)
    assert room.choice == PresentedViews(("diagram",))
    window.session.go_to_stage("Q")
    assert room.choice == DEFAULT_VIEWS


def test_esc_dismisses_what_came_last_and_leaves_only_when_nothing_is_left(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    window.session.go_to_stage("scores")
    press(qtbot, room, Key.Key_R, Key.Key_L, Key.Key_F1, Key.Key_B)
    esc = partial(press, qtbot, room, Key.Key_Escape)
    esc()
    assert (board(room).blank_screen.isVisible(), board(room).key_help.isVisible()) == (False, True)
    esc()
    assert (board(room).key_help.isVisible(), board(room).pointer.tool) == (False, "laser")
    press(qtbot, room, Key.Key_3)
    esc()
    assert (room.number_entry.typed, board(room).pointer.tool) == ("", "laser")
    esc()
    assert board(room).pointer.tool == ""
    assert window.session.state.hidden is not None
    esc()
    assert window.session.state.hidden is None
    assert room.is_running
    esc()
    assert not room.is_running


def test_esc_takes_the_tool_before_what_was_covered_first(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    window.session.go_to_stage("scores")
    press(qtbot, room, Key.Key_P, Key.Key_R, Key.Key_Escape)
    assert (board(room).pointer.tool, window.session.state.hidden) == ("pen", None)
    press(qtbot, room, Key.Key_Escape)
    assert (board(room).pointer.tool, room.is_running) == ("", True)


def test_the_menu_chooses_a_pair(qtbot: QtBot, room: Presentation) -> None:
    press(qtbot, room, Key.Key_Menu)
    menu = board(room).findChild(QMenu)
    assert menu is not None
    names = {action.text(): action for action in menu.actions()}
    checked = [action.text() for action in menu.actions() if action.isChecked()]
    assert checked == ["Diagram", "Stage", "automatic layout"]
    names["side by side"].trigger()
    menu.close()
    assert room.choice == parse_views("diagram|stage")
    diagram, stage_view = (board(room).panes.all[panel] for panel in ("diagram", "stage"))
    assert diagram.y() == stage_view.y()
    assert diagram.geometry().right() < stage_view.x()


# Lessons


@pytest.fixture
def lesson(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    monkeypatch.setenv("ATTENTION_STEPPER_MOTION", "off")
    window = shown(qtbot, path=lesson_path("first-steps"))
    window.presentation.screens = lambda: [LAPTOP, PROJECTOR]
    window.move(50, 50)
    window.presentation.start()
    begun(qtbot, window)
    yield window
    window.presentation.stop()


def ask(qtbot: QtBot, room: Presentation, session: Session) -> bool:
    """Where a question waits for its answer, one press shows it and no more; whether there was one."""
    shown = session.state.scene
    assert shown is not None
    if not shown.scene.question.get("en") or session.state.steps_taken < shown.steps:
        return False
    before = session.state
    assert board(room).headline.question == shown.scene.question.get("en")
    assert board(room).headline.answer == ""
    press(qtbot, room, Key.Key_PageDown)
    assert board(room).headline.answer == shown.scene.answer.get("en") != ""
    assert session.state is before
    return True


def test_a_clicker_plays_the_whole_lesson_and_comes_back(qtbot: QtBot, lesson: MainWindow) -> None:
    room, session = lesson.presentation, lesson.session
    assert session.state.lesson is not None
    seen, asked = [], 0
    while (after := next_state(session)) is not None:
        asked += ask(qtbot, room, session)
        press(qtbot, room, Key.Key_PageDown)
        state = session.state
        assert (state.cursor, state.focus, state.document) == (
            after.cursor,
            after.focus,
            after.document,
        )
        assert room.choice.panels == state.view
        seen.append((state.scene_index, state.steps_taken, state.cursor))
    asked += ask(qtbot, room, session)
    assert asked == sum(bool(scene.question.get("en")) for scene in session.state.lesson.scenes) > 5
    assert {scene for scene, *_ in seen} >= set(range(1, len(session.state.lesson.scenes)))
    if board(room).headline.answer:
        press(qtbot, room, Key.Key_PageUp)  # hides it, and no more
        assert (session.state.scene_index, board(room).headline.answer) == (seen[-1][0], "")
    for place in reversed(seen[:-1]):
        press(qtbot, room, Key.Key_PageUp)
        assert (session.state.scene_index, session.state.steps_taken, session.state.cursor) == place
        assert board(room).headline.answer == ""


def test_home_and_end_go_to_the_first_and_the_last_scene(qtbot: QtBot, lesson: MainWindow) -> None:
    room, session = lesson.presentation, lesson.session
    assert session.state.lesson is not None
    last = len(session.state.lesson.scenes) - 1
    press(qtbot, room, Key.Key_End)
    assert (session.state.scene_index, session.state.cursor) == (
        last,
        session.lesson_player.resolve(last).cursor,
    )
    press(qtbot, room, Key.Key_Home)
    assert (session.state.scene_index, session.state.cursor) == (
        0,
        session.lesson_player.resolve(0).cursor,
    )


def test_the_end_of_a_lesson_is_said_and_nothing_moves(qtbot: QtBot, lesson: MainWindow) -> None:
    room, session = lesson.presentation, lesson.session
    press(qtbot, room, Key.Key_End)
    while next_state(session) is not None:
        press(qtbot, room, Key.Key_PageDown)
    ask(qtbot, room, session)
    before = session.state
    for _ in range(2):
        press(qtbot, room, Key.Key_PageDown)
        assert (board(room).message_layer.isVisible(), board(room).message_layer.message.large) == (
            True,
            "End of the lesson",
        )
        assert session.state is before
    press(qtbot, room, Key.Key_9, Key.Key_9)
    assert (
        board(room).message_layer.message.small == f"There are {len(before.lesson.scenes)} scenes"
    )  # type: ignore[union-attr]


def test_the_lecturer_sees_that_the_answer_comes_next(qtbot: QtBot, lesson: MainWindow) -> None:
    room, session = lesson.presentation, lesson.session
    assert room.speaker is not None
    press(qtbot, room, Key.Key_2, Key.Key_Enter)
    while session.state.scene is not None and session.state.steps_taken < session.state.scene.steps:
        press(qtbot, room, Key.Key_PageDown)
    assert session.state.scene_index == 1
    assert room.speaker.upcoming._shown == (session.state, room.choice, True)
    press(qtbot, room, Key.Key_PageDown)
    assert room.speaker.upcoming.state is not None
    assert room.speaker.upcoming.state.scene_index == 2


def test_a_number_goes_to_a_scene_and_q_answers(qtbot: QtBot, lesson: MainWindow) -> None:
    room = lesson.presentation
    press(qtbot, room, Key.Key_2, Key.Key_Enter)
    assert lesson.session.state.scene_index == 1
    assert board(room).headline.title == "One score by hand"
    assert not board(room).headline.answer
    press(qtbot, room, Key.Key_Q)
    assert board(room).headline.answer.startswith("Smaller")
    press(qtbot, room, Key.Key_3, Key.Key_Enter, Key.Key_2, Key.Key_Enter)
    assert not board(room).headline.answer


def test_another_view_at_a_scene_is_not_kept(qtbot: QtBot, lesson: MainWindow) -> None:
    room = lesson.presentation
    room.choose(PresentedViews(("heatmap",)))
    assert room.choice == PresentedViews(("heatmap",))
    press(qtbot, room, Key.Key_2, Key.Key_Enter)
    assert room.choice.panels == lesson.session.state.view
    assert lesson.session.state.preferences.presented == ()


# Two screens


def test_the_lecturer_has_notes_the_next_step_and_the_time(
    qtbot: QtBot, lesson: MainWindow
) -> None:
    room = lesson.presentation
    assert room.speaker is not None
    assert board(room).geometry() == PROJECTOR.geometry()
    assert room.speaker.geometry() == LAPTOP.geometry()
    assert "Press → twice" in room.speaker.notes.toPlainText()
    assert room.speaker.position.text() == "Scene 1 of 11"
    ahead = room.speaker.upcoming.state
    assert ahead is not None
    qtbot.keyClick(room.speaker, Key.Key_PageDown)  # keys work there too
    assert lesson.session.state.cursor == ahead.cursor


def test_x_changes_the_screens_and_one_screen_is_enough(qtbot: QtBot, lesson: MainWindow) -> None:
    room = lesson.presentation
    press(qtbot, room, Key.Key_X)
    assert room.speaker is not None
    assert board(room).geometry() == LAPTOP.geometry()
    assert room.speaker.geometry() == PROJECTOR.geometry()
    room.screens = lambda: [LAPTOP]
    room._take_screens()  # the projector is unplugged
    assert room.speaker is None
    assert board(room).geometry() == LAPTOP.geometry()


def test_the_lecturer_s_words_have_their_room_on_a_larger_screen(lesson: MainWindow) -> None:
    notes = lesson.presentation.speaker
    assert notes is not None
    for size in ((1920, 1080), (1024, 768), (3840, 2160)):
        notes.resize(*size)
        for label in (notes.clock, notes.elapsed, notes.position):
            assert label.width() >= label.sizeHint().width()
            assert label.height() >= label.sizeHint().height()
            assert label.fontInfo().pixelSize() >= size[1] / 46


def test_the_time_runs(qtbot: QtBot, window: MainWindow) -> None:
    room, times = window.presentation, [datetime(2026, 3, 2, 9, 58)]
    room.screens, room.now = (lambda: [LAPTOP, PROJECTOR]), (lambda: times[-1])
    room.start()
    assert room.speaker is not None
    times.append(times[0] + timedelta(minutes=64, seconds=5))
    room.speaker.show_time()
    assert (room.speaker.clock.text(), room.speaker.elapsed.text()) == ("11:02", "1:04:05")
    assert "what I am looking for" in room.speaker.notes.toPlainText()
    window.session.go_last()
    assert room.speaker.upcoming.state is None


def test_there_is_no_chrome(room: Presentation) -> None:
    for choice in ("diagram/stage", "heatmap|code", "derivation"):
        wanted = parse_views(choice)
        assert wanted is not None
        room.choose(wanted)
        assert not [
            button for button in board(room).findChildren(QAbstractButton) if button.isVisible()
        ]


def test_times_have_names_and_notes_the_room_after_the_last_step(
    qtbot: QtBot, window: MainWindow
) -> None:
    room = window.presentation
    room.screens = lambda: [LAPTOP, PROJECTOR]
    room.start()
    window.session.go_to_stage("scores")
    notes = room.speaker
    assert notes is not None
    captions = {label.text(): label for label in notes.findChildren(QLabel)}
    for name, time in (("Time", notes.clock), ("Elapsed", notes.elapsed)):
        caption = captions[name]
        assert caption.x() == time.x()
        assert 0 <= time.y() - caption.geometry().bottom() <= caption.height()
    assert notes.elapsed.x() - notes.clock.geometry().right() < 3 * notes.clock.height()
    assert notes.upcoming.isVisible()
    assert notes.upcoming.place().width() >= 0.9 * notes.upcoming.width()
    before = notes.notes.y()
    window.session.go_to_stage("Y")
    qtbot.waitUntil(lambda: notes.notes.y() < before)
    assert not notes.upcoming.isVisible()


# The page of keys, and the name of what is shown


def test_f1_shows_the_keys_of_the_room_and_takes_them_away(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    page = board(room).key_help
    press(qtbot, room, Key.Key_F1)
    assert page.isVisible()
    assert page.geometry() == board(room).rect()
    assert board(room).overlay().shows_keys
    press(qtbot, room, Key.Key_F1)
    assert not page.isVisible()
    assert not board(room).overlay().shows_keys
    press(qtbot, room, Key.Key_F1, Key.Key_Escape)
    assert (room.is_running, page.isVisible()) == (True, False)
    press(qtbot, room, Key.Key_F1)
    qtbot.mouseClick(page, Button.LeftButton)
    assert (page.isVisible(), stage(window)) == (False, "Q")
    press(qtbot, room, Key.Key_F1, Key.Key_PageDown)
    assert (page.isVisible(), stage(window)) == (False, "K")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("size", [(1024, 768), (1280, 720), (1920, 1080)])
def test_the_page_of_keys_can_be_read_in_the_last_row(size: tuple[int, int], language: str) -> None:
    use_language(language)
    wide, high = size
    svg = svg_kit.svg_of(lambda painter, area: paint_key_help(painter, area, "dark"), size)
    sizes = text_sizes(svg)
    assert {"PgDn", "F1", "Esc", tr("These keys")} <= sizes.keys()
    assert min(sizes.values()) >= high / 36 - 0.5
    image = QImage(wide, high, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        paint_key_help(painter, QRectF(image.rect()), "dark")
    ground = image.pixelColor(0, 0)
    edges = [image.pixelColor(x, y) for y in range(high) for x in (2, wide - 3)]
    edges += [image.pixelColor(x, y) for x in range(wide) for y in (2, high - 3)]
    assert set(map(QColor.name, edges)) == {ground.name()}, "nothing is cut"


def test_the_name_of_another_view_stands_in_the_corner(qtbot: QtBot, room: Presentation) -> None:
    """The middle stays free; the names are equally large however short they are."""
    heights = set()
    for name in ("流程图", "Diagram and stage"):
        image = QImage(1280, 720, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        with QPainter(image) as painter:
            paint_message(
                painter, QRectF(image.rect()), OverlayMessage(name, "", in_corner=True), "light"
            )
        rows = [
            y
            for y in range(360)
            if any(image.pixelColor(x, y).alpha() for x in range(900, 1270, 10))
        ]
        heights.add(len(rows))
        assert image.pixelColor(640, 360).alpha() == 0
    assert len(heights) == 1
    press(qtbot, room, Key.Key_V)
    assert board(room).message_layer.message.in_corner


# The split of two panels


def share(room: Presentation) -> float:
    first, second = (board(room).panes.all[panel].height() for panel in room.choice.panels)
    return first / (first + second)


def test_keys_move_the_split_and_the_stage_remembers_it(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    before = share(room)
    press(qtbot, room, Key.Key_BracketRight, Key.Key_BracketRight)
    larger = share(room)
    assert larger > before + 0.05
    press(qtbot, room, Key.Key_PageDown, Key.Key_PageUp)
    assert share(room) == larger
    press(qtbot, room, *(Key.Key_BracketLeft for _ in range(30)))
    assert share(room) == pytest.approx(0.2, abs=0.01)
    press(qtbot, room, *(Key.Key_BracketRight for _ in range(30)))
    assert share(room) == pytest.approx(0.8, abs=0.01)
    (saved,) = window.session.state.preferences.presented
    assert parse_views(saved[1]) == room.choice


def test_the_gap_between_two_panels_is_dragged(qtbot: QtBot, room: Presentation) -> None:
    first, second = (board(room).panes.all[panel] for panel in room.choice.panels)
    gap = QPoint(300, (first.geometry().bottom() + second.y()) // 2)
    qtbot.mousePress(board(room), Button.LeftButton, pos=gap)
    qtbot.mouseMove(board(room), QPoint(300, first.y() + 200))
    qtbot.mouseRelease(board(room), Button.LeftButton, pos=QPoint(300, first.y() + 200))
    assert abs(first.height() - 200) < 15
    qtbot.mouseMove(board(room), QPoint(300, first.y() + 400))
    assert abs(first.height() - 200) < 15


def test_the_split_of_a_scene_is_kept_in_the_lesson_and_the_answer_stays(
    qtbot: QtBot, lesson: MainWindow
) -> None:
    room, session = lesson.presentation, lesson.session
    press(qtbot, room, Key.Key_Q)
    answer = board(room).headline.answer
    press(qtbot, room, Key.Key_BracketLeft, Key.Key_BracketLeft)
    assert board(room).headline.answer == answer != ""
    assert session.state.lesson is not None
    kept = loads(dumps(session.state.lesson))
    assert kept.scenes[0].split.share == room.choice.percent != 0
    assert {scene.split for scene in kept.scenes[1:]} == {PanelSplit()}
    assert share(room) == pytest.approx(room.choice.percent / 100, abs=0.01)
    session.lesson_player.undo()
    assert session.state.lesson.scenes[0].split == PanelSplit()
    assert room.choice.percent == 0
    press(qtbot, room, Key.Key_V, Key.Key_BracketLeft)
    assert not session.state.lesson_dirty, "another view at a scene is not kept, nor its split"


# Countdown and text size


def test_t_counts_down_and_esc_ends_it(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    start = datetime(2026, 1, 1, 9, 0, 0)
    room.now = lambda: start
    press(qtbot, room, Key.Key_T)
    layer = board(room).countdown
    assert (layer.isVisible(), layer.text) == (True, "1:00")
    press(qtbot, room, Key.Key_PageDown)
    assert layer.isVisible()
    assert board(room).overlay().countdown == "1:00"
    press(qtbot, room, Key.Key_T)
    assert not layer.isVisible()
    for keys, text in (((Key.Key_4, Key.Key_5), "0:45"), ((Key.Key_2,), "2:00")):
        press(qtbot, room, *keys, Key.Key_T)
        assert layer.text == text
        assert room.number_entry.typed == ""
    room.now = lambda: start + timedelta(seconds=119)
    press(qtbot, room, Key.Key_Escape)
    assert not layer.isVisible()
    assert room.is_running


def test_the_countdown_ends_at_zero_by_the_clock(qtbot: QtBot, room: Presentation) -> None:
    layer, start = board(room).countdown, datetime(2026, 1, 1, 9, 0, 0)
    moments = [start]
    layer.start(30, lambda: moments[-1], "light")
    for seconds, text in ((0.4, "0:30"), (1.0, "0:29"), (29.5, "0:01"), (30, "0:00"), (99, "0:00")):
        moments.append(start + timedelta(seconds=seconds))
        layer.show_time()
        assert layer.text == text
    assert layer.isVisible()


def test_plus_and_minus_change_the_size_of_the_text(
    qtbot: QtBot, window: MainWindow, room: Presentation
) -> None:
    def smallest() -> float:
        return min(text_sizes(svg_of(window.session.state, room.choice, (1280, 720))).values())

    before = smallest()
    press(qtbot, room, Key.Key_Plus)
    assert room.choice == PresentedViews(("stage",))
    assert smallest() > 1.2 * before
    save_preferences(window.session.state.preferences)
    assert load_preferences().presented_text == 125
    press(qtbot, room, Key.Key_Minus, Key.Key_Minus)
    assert smallest() == before
    assert room.choice == DEFAULT_VIEWS
