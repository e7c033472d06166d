"""The step bar: tips that say more than the label, kinds at the arrows, and the sizes from the menu."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from core.document.document import MASK_KINDS, POSITIONAL_KINDS, SCALE_KINDS
from core.explain.timeline import Grain
from core.storage.examples import EXAMPLES, load_example
from gui.app.main_window import MainWindow
from gui.texts.translation import languages
from tests.gui.tables_kit import make_document
from tests.gui.test_actions import window_with
from tests.gui.window_kit import bring_forward

PARTS = {
    "positional": ("toggle_positional", POSITIONAL_KINDS),
    "mask": ("toggle_mask", MASK_KINDS),
    "scale": ("toggle_scale", SCALE_KINDS),
}


@pytest.fixture
def window(qtbot: QtBot) -> Iterator[MainWindow]:
    shown = window_with(qtbot)
    shown.session.edit(make_document())
    bring_forward(qtbot, shown)
    yield shown
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


def buttons(window: MainWindow) -> list[QToolButton]:
    return [each for each in window.bar.findChildren(QToolButton) if each.isVisible()]


def button(window: MainWindow, action_id: str) -> QToolButton:
    action = window.actions_[action_id]
    return next(each for each in buttons(window) if each.defaultAction() is action)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("grain", list(Grain))
@pytest.mark.parametrize("columns", [False, True])
def test_a_tip_says_what_a_button_does_and_its_key(
    window: MainWindow, language: str, grain: Grain, columns: bool
) -> None:
    window.session.set_language(language)
    window.session.set_preferences(grain=grain, columns=columns)
    tips = [each.toolTip() for each in buttons(window)]
    assert len(set(tips)) == len(tips)
    for each in buttons(window):
        tip, label = each.toolTip(), each.text().replace("&", "")
        sentence = tip.split(" (")[0].split("（")[0]
        assert sentence.lower() != label.lower()
        action = each.defaultAction()
        if action is not None and not action.shortcut().isEmpty():
            native = QKeySequence.SequenceFormat.NativeText
            assert action.shortcut().toString(native) in tip


@pytest.mark.parametrize("part", PARTS)
def test_the_arrow_of_a_switch_lists_its_kinds(window: MainWindow, part: str) -> None:
    action_id, kinds = PARTS[part]
    menu = button(window, action_id).menu()
    assert menu is not None
    assert menu is window.menus[f"{part}_kind"]
    assert menu.menuAction() in window.menus["experiment"].actions()
    for kind in (*kinds, kinds[0]):
        choice = next(each for each in menu.actions() if each.objectName() == f"{part}_{kind}")
        choice.trigger()
        assert getattr(window.session.state.document, part).kind == kind
        assert [each.objectName() for each in menu.actions() if each.isChecked()] == [
            f"{part}_{kind}"
        ]
        assert button(window, action_id).isChecked() == (kind != "none")


@pytest.mark.parametrize("by", ["Alt+Down", "menu key"])
def test_the_keyboard_opens_the_kinds(qtbot: QtBot, window: MainWindow, by: str) -> None:
    arrow = button(window, "toggle_mask")
    arrow.setFocus()
    if by == "Alt+Down":
        qtbot.keyClick(arrow, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    else:
        at = QPoint(3, 3)
        QApplication.sendEvent(
            arrow,
            QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, at, arrow.mapToGlobal(at)),
        )
    assert QApplication.activePopupWidget() is window.menus["mask_kind"]


def test_none_in_the_list_remembers_what_it_switches_off(window: MainWindow) -> None:
    window.perform("mask_window")
    window.perform("mask_none")
    window.perform("toggle_mask")
    assert window.session.state.document.mask.kind == "window"


def test_kinds_that_are_added_to_x_need_it(window: MainWindow) -> None:
    window.session.edit(load_example(EXAMPLES[0]))
    assert window.session.state.document.X is None
    names = ("sinusoidal", "learned", "rotary", "alibi")
    enabled = [window.actions_[f"positional_{name}"].isEnabled() for name in names]
    assert enabled == [False, False, True, True]


@pytest.mark.parametrize("part", ["mask", "scale"])
def test_a_kind_that_is_set_by_hand_opens_its_page(window: MainWindow, part: str) -> None:
    kind = {"mask": "custom", "scale": "factor"}[part]
    window.perform(f"{part}_{kind}")
    assert window.tables.page_id == f"setup_{part}"
    assert window.tables.setup.isVisible()


@pytest.mark.parametrize("language", languages())
def test_the_sizes_can_be_reached_in_a_small_window(
    qtbot: QtBot, window: MainWindow, language: str
) -> None:
    window.session.set_language(language)
    window.resize(1280, 720)
    assert window.actions_["sizes"] in window.menus["experiment"].actions()
    window.perform("sizes")
    QApplication.processEvents()
    assert window.tables.page_id == "setup_sizes"
    tabs = window.tables.tabs
    last = tabs.tabRect(tabs.count() - 1)
    assert tabs.rect().contains(last)
    assert tabs.currentIndex() == tabs.count() - 1
