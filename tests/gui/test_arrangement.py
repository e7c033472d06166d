"""Panels where they have room: tabs that can be seen, titles that are not said twice, an arrangement that is kept."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTabBar, QToolButton
from pytestqt.qtbot import QtBot

from core.storage.examples import load_example
from gui.app.application import build_window
from gui.app.docks import Dock
from gui.app.main_window import MainWindow
from gui.session.preferences import load_layout, save_layout

HIGH, LOW = (1200, 940), (1200, 700)
WIDE = 1920, 1080
SMALL = 790, 690  # the window comes back as it was, even on the screen of the tests
USUAL, SMALL_USUAL = (round(0.36 * size[1]) for size in (WIDE, SMALL))  # heights of the diagram


def opened(qtbot: QtBot, size: tuple[int, int]) -> MainWindow:
    window = build_window(example="cat-eats-fish", language="en")
    qtbot.addWidget(window, before_close_func=lambda _: window.session.undo_stack.setClean())
    window.resize(*size)
    window.show()
    qtbot.waitExposed(window)
    return window


def tabs(window: MainWindow) -> list[list[str]]:
    """The texts of every bar of panels that can be seen."""
    bars = [
        child for child in window.children() if isinstance(child, QTabBar) and child.count() > 1
    ]
    return [[bar.tabText(index) for index in range(bar.count())] for bar in bars if bar.isVisible()]


def titled(dock: Dock) -> bool:
    bar = dock.titleBarWidget()
    return bar.height() > 0 and any(
        child.isVisible() for child in bar.children() if hasattr(child, "isVisible")
    )


@pytest.mark.parametrize("again", ["reset_layout", "larger", "higher and back"])
def test_tabs_of_panels_are_there_after_panels_have_moved(qtbot: QtBot, again: str) -> None:
    window = opened(qtbot, LOW if again != "larger" else HIGH)
    if again == "larger":
        window.session.set_preferences(text_size=200)
    elif again == "reset_layout":
        window.actions_["reset_layout"].trigger()
    else:
        window.resize(*HIGH)
        qtbot.waitUntil(lambda: tabs(window) == [["Numbers", "Check"]])
        window.resize(*LOW)
    usual = ["Heatmap", "Numbers", "Check"]
    expected = (
        ["Diagram", *usual] if again == "larger" else usual
    )  # twice as large, the window is a narrow one
    qtbot.waitUntil(lambda: tabs(window) == [expected])


def test_a_panel_on_a_tab_has_no_second_title(qtbot: QtBot) -> None:
    window = opened(qtbot, LOW)
    diagram, heatmap, numbers, check = [*window.docks.values()][:4]
    assert titled(diagram)
    assert not titled(heatmap)
    window.resize(*HIGH)
    qtbot.waitUntil(lambda: titled(heatmap) and not titled(numbers))
    check.close()
    qtbot.waitUntil(lambda: titled(numbers))


def test_a_double_click_on_a_tab_takes_the_panel_off_and_it_has_its_title(qtbot: QtBot) -> None:
    window = opened(qtbot, LOW)
    numbers = window.docks["tables"]
    bar = next(
        child for child in window.children() if isinstance(child, QTabBar) and child.count() > 1
    )
    bar.tabBarDoubleClicked.emit(1)
    qtbot.waitUntil(numbers.isFloating)
    qtbot.waitUntil(lambda: titled(numbers))
    assert not window.docks["heatmap"].isFloating()
    assert not window.docks["check"].isFloating()
    window.actions_["reset_layout"].trigger()


def test_no_empty_tab_bar_is_seen(qtbot: QtBot) -> None:
    window = opened(qtbot, LOW)

    def bars() -> list[tuple[int, bool]]:
        found = [child for child in window.children() if isinstance(child, QTabBar)]
        return [(bar.count(), bar.isVisible()) for bar in found]

    for size in (HIGH, LOW):
        qtbot.waitUntil(lambda: all(count > 1 for count, visible in bars() if visible))
        assert any(visible for _, visible in bars())
        window.resize(*size)


def test_tabs_wear_both_languages_and_the_view_menu_one(qtbot: QtBot) -> None:
    window = opened(qtbot, LOW)
    window.session.set_preferences(labels="both")
    assert window.docks["heatmap"].windowTitle() == "Heatmap 热力图"
    assert window.docks["heatmap"].toggleViewAction().text() == "Heatmap"


def test_what_was_not_moved_follows_another_size_at_the_next_start_too(qtbot: QtBot) -> None:
    first = opened(qtbot, HIGH)
    first.close()
    second = opened(qtbot, HIGH)
    qtbot.waitUntil(lambda: tabs(second) == [["Numbers", "Check"]])
    second.resize(*LOW)
    qtbot.waitUntil(lambda: tabs(second) == [["Heatmap", "Numbers", "Check"]])


def test_what_the_user_has_moved_stays_so_at_any_size_and_start(qtbot: QtBot) -> None:
    window = opened(qtbot, HIGH)
    diagram, numbers = window.docks["diagram"], window.docks["tables"]
    window.tabifyDockWidget(diagram, numbers)
    for shown in (window, None):
        if shown is None:
            window.close()
            shown = opened(qtbot, HIGH)
        shown.resize(*LOW)
        qtbot.wait(20)
        assert shown.docks["tables"] in shown.tabifiedDockWidgets(shown.docks["diagram"])


def test_a_panel_that_was_closed_stays_closed_when_the_others_move(qtbot: QtBot) -> None:
    window = opened(qtbot, HIGH)
    window.docks["check"].close()
    window.resize(*LOW)
    qtbot.waitUntil(lambda: tabs(window) == [["Heatmap", "Numbers"]])
    window.actions_["reset_layout"].trigger()
    qtbot.waitUntil(lambda: tabs(window) == [["Heatmap", "Numbers", "Check"]])


def drag_edge(window: MainWindow, by: int) -> None:
    """The lower edge of the diagram, with the mouse."""
    drag(window, QPoint(400, window.docks["diagram"].geometry().bottom() + 3), by)


def drag(window: MainWindow, edge: QPoint, by: int) -> None:
    """An edge between panels, with the mouse."""
    handle = window.windowHandle()
    QTest.mouseMove(handle, edge)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, edge)
    for part in (by // 2, by):
        QTest.mouseMove(handle, edge + QPoint(0, part))
    QTest.mouseRelease(
        handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, edge + QPoint(0, by)
    )


def scrolls(window: MainWindow) -> bool:
    """Whether the stage is higher than its frame, so that a part of it is out of sight."""
    frame = window.stage.parentWidget()
    return frame is None or window.stage.height() > frame.height()


def settled(qtbot: QtBot, size: tuple[int, int], height: int) -> MainWindow:
    """A window whose diagram has come to its height."""
    window = opened(qtbot, size)
    qtbot.waitUntil(
        lambda: window.height() == size[1] and window.docks["diagram"].height() == height
    )
    return window


def test_a_diagram_that_nobody_dragged_yields_to_the_stage_after_a_start_too(qtbot: QtBot) -> None:
    settled(qtbot, SMALL, SMALL_USUAL).close()
    window = settled(qtbot, SMALL, SMALL_USUAL)
    window.resize(SMALL[0], 560)
    qtbot.waitUntil(lambda: window.docks["diagram"].height() < 0.33 * 560)


def test_a_diagram_that_was_dragged_keeps_its_share_at_the_next_start(qtbot: QtBot) -> None:
    window, dragged = settled(qtbot, SMALL, SMALL_USUAL), SMALL_USUAL + 60
    drag_edge(window, 60)
    qtbot.waitUntil(lambda: window.docks["diagram"].height() == dragged)
    window.close()
    window = settled(qtbot, SMALL, dragged)
    window.resize(SMALL[0], 750)
    qtbot.waitUntil(lambda: abs(window.docks["diagram"].height() - dragged * 750 / SMALL[1]) <= 1)


def test_a_share_that_was_dragged_is_kept_where_the_panels_move_to_another_form(
    qtbot: QtBot,
) -> None:
    window = opened(qtbot, HIGH)
    qtbot.waitUntil(lambda: tabs(window) == [["Numbers", "Check"]])
    usual = round(0.36 * HIGH[1])
    qtbot.waitUntil(lambda: window.docks["diagram"].height() == usual)
    drag_edge(window, -60)
    qtbot.waitUntil(lambda: window.docks["diagram"].height() == usual - 60)
    share = (usual - 60) / HIGH[1]
    window.close()
    # As after a start in a window that is low until it is maximized.
    save_layout(**{**load_layout(), "form": b"low"})
    window = opened(qtbot, HIGH)
    qtbot.waitUntil(lambda: tabs(window) == [["Numbers", "Check"]])
    qtbot.waitUntil(lambda: abs(window.docks["diagram"].height() - share * window.height()) <= 1)
    window.resize(*LOW)
    qtbot.waitUntil(lambda: tabs(window) == [["Heatmap", "Numbers", "Check"]])
    qtbot.waitUntil(lambda: abs(window.docks["diagram"].height() - share * window.height()) <= 1)


def test_a_share_that_makes_no_sense_is_the_usual_one(qtbot: QtBot) -> None:
    settled(qtbot, SMALL, SMALL_USUAL).close()
    for share in (b"nan", b"\xff", b"7"):
        save_layout(**{**load_layout(), "share": share})
        settled(qtbot, SMALL, SMALL_USUAL)


@pytest.mark.parametrize(("language", "text_size"), [("en", 175), ("zh_CN", 200)])
def test_in_larger_letters_bars_and_stage_have_what_they_need_and_the_diagram_the_rest(
    qtbot: QtBot, language: str, text_size: int
) -> None:
    window = settled(qtbot, WIDE, USUAL)
    window.session.set_preferences(text_size=text_size, language=language)
    frame = window.stage.parentWidget()
    assert frame is not None
    qtbot.waitUntil(lambda: window.docks["diagram"].height() < USUAL and not scrolls(window))
    qtbot.waitUntil(lambda: frame.height() - window.stage.minimumSizeHint().height() <= 16)


@pytest.mark.parametrize("text_size", [100, 150, 200])
def test_the_window_fits_a_small_screen_at_every_text_size_and_stage(
    qtbot: QtBot, text_size: int
) -> None:
    window = opened(qtbot, (1024, 600))
    window.session.set_preferences(text_size=text_size)
    for example in ("who-ate-whom", "translation"):
        window.files.open_example(example)
        for language in ("en", "zh_CN"):
            window.session.set_language(language)
            window.resize(1024, 600)
            for stage in window.session.state.trace.plan.ids:
                window.session.go_to_stage(stage)
                QTest.qWait(0)
                least = window.minimumSizeHint()
                assert (window.width(), window.height()) == (1024, 600), (stage, language)
                assert least.width() <= 1024, (stage, language)
                assert least.height() <= 600, (stage, language)


def heatmap_share(window: MainWindow) -> float:
    heatmap, numbers = (window.docks[name].height() for name in ("heatmap", "tables"))
    return heatmap / (heatmap + numbers)


def test_eight_heads_get_more_height_than_one(qtbot: QtBot) -> None:
    window = opened(qtbot, HIGH)
    window.session.open_document(load_example("eight-heads"))
    qtbot.wait(20)
    one = heatmap_share(window)
    window.session.set_preferences(heatmap_view="heads")
    qtbot.waitUntil(lambda: heatmap_share(window) > one + 0.04)
    window.session.set_preferences(heatmap_view="one")
    qtbot.waitUntil(lambda: abs(heatmap_share(window) - one) < 0.01)


def test_stepping_moves_no_panel(qtbot: QtBot) -> None:
    window = opened(qtbot, HIGH)
    qtbot.wait(20)
    share = heatmap_share(window)
    for stage in window.session.state.trace.plan:
        window.session.go_to_stage(stage.id)
        qtbot.wait(1)
        assert heatmap_share(window) == share


def test_a_heatmap_that_was_dragged_keeps_its_share_for_its_view(qtbot: QtBot) -> None:
    window = opened(qtbot, HIGH)
    qtbot.wait(20)
    usual = heatmap_share(window)
    heatmap = window.docks["heatmap"]
    edge = heatmap.mapTo(window, QPoint(200, heatmap.height() + 2))
    drag(window, edge, -60)
    qtbot.waitUntil(lambda: heatmap_share(window) < usual - 0.05)
    qtbot.wait(20)
    dragged = heatmap_share(window)
    window.session.set_preferences(heatmap_view="heads")
    qtbot.wait(20)
    window.session.set_preferences(heatmap_view="one")
    qtbot.waitUntil(lambda: abs(heatmap_share(window) - dragged) < 0.01)
    window.close()
    window = opened(qtbot, HIGH)
    qtbot.waitUntil(lambda: abs(heatmap_share(window) - dragged) < 0.01)
    window.actions_["reset_layout"].trigger()
    qtbot.waitUntil(lambda: abs(heatmap_share(window) - usual) < 0.01)


@pytest.mark.parametrize("size", [HIGH, LOW, (1280, 720)])
def test_the_heatmap_takes_the_whole_right_side_and_gives_it_back(
    qtbot: QtBot, size: tuple[int, int]
) -> None:
    window = opened(qtbot, size)
    qtbot.wait(20)
    before = {name: dock.geometry() for name, dock in window.docks.items()}
    key = window.actions_["heatmap_large"].shortcut()
    QTest.keySequence(window, key)
    heatmap, diagram = window.docks["heatmap"], window.docks["diagram"]
    qtbot.waitUntil(lambda: heatmap.y() <= diagram.y() + 40)  # below its tabs
    qtbot.waitUntil(lambda: heatmap.height() > 0.8 * (size[1] - diagram.y()))
    qtbot.waitUntil(lambda: heatmap.width() > 0.4 * size[0])
    assert heatmap.x() > diagram.geometry().right()
    assert window.actions_["heatmap_large"].isChecked()
    window.close()
    window = opened(qtbot, size)
    qtbot.waitUntil(lambda: window.docks["heatmap"].height() > 0.8 * (size[1] - 100))
    window.actions_["heatmap_large"].trigger()
    for name in ("diagram", "heatmap"):
        qtbot.waitUntil(lambda name=name: window.docks[name].geometry() == before[name])


def test_docks_that_were_moved_come_back_after_a_large_heatmap(qtbot: QtBot) -> None:
    window = opened(qtbot, HIGH)
    window.tabifyDockWidget(window.docks["diagram"], window.docks["tables"])
    qtbot.wait(20)
    for _ in range(2):
        window.actions_["heatmap_large"].trigger()
        qtbot.wait(20)
    assert window.docks["tables"] in window.tabifiedDockWidgets(window.docks["diagram"])


def test_the_heatmap_goes_into_a_window_of_its_own_and_comes_back(qtbot: QtBot) -> None:
    window = opened(qtbot, LOW)
    heatmap = window.docks["heatmap"]
    button = window.heatmaps.findChild(QToolButton, "heatmap_window_here")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert heatmap.isFloating()
    assert heatmap.isVisible()
    assert button.isChecked()
    assert heatmap.width() >= 0.5 * window.screen().availableSize().width()
    window.session.step(1)
    assert window.heatmaps.view.spec is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not heatmap.isFloating()
    assert not button.isChecked()
    qtbot.waitUntil(lambda: "Heatmap" in tabs(window)[0])
