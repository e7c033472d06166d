"""The guide's window: opened by F1, read by mouse and keys, in the main window's language and looks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QImage, QTextDocument
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gui.app.application import build_window
from gui.app.main_window import MainWindow
from gui.dialogs.help import KeysDialog
from gui.painting.theme import DARK, THEMES
from gui.views.guide.reader import HEADINGS
from gui.views.guide.window import GuideWindow

Key, Modifier = Qt.Key, Qt.KeyboardModifier
IMAGE = QTextDocument.ResourceType.ImageResource.value


@pytest.fixture
def window(qtbot: QtBot) -> MainWindow:
    window = build_window()
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    return window


@pytest.fixture
def guide(window: MainWindow, qtbot: QtBot) -> Iterator[GuideWindow]:
    qtbot.keyClick(window, Key.Key_F1)
    opened = window.guide.window
    assert opened is not None
    yield opened
    window.guide.close()


def titles(guide: GuideWindow) -> list[str]:
    tree = guide.contents
    return [
        item.text(0)
        for item in map(tree.topLevelItem, range(tree.topLevelItemCount()))
        if item is not None
    ]


def top(guide: GuideWindow) -> str:
    return guide.reader.headings[guide.reader.section()].text


def test_f1_opens_it_once(window: MainWindow, guide: GuideWindow) -> None:
    assert guide.isVisible()
    window.perform("help")
    assert window.guide.window is guide
    assert titles(guide)[:3] == ["User guide", "First steps", "Stepping"]
    assert top(guide) == "User guide"


def test_headings_have_the_type_scale(guide: GuideWindow) -> None:
    document = guide.reader.document()
    first, second = (document.findBlock(heading.position) for heading in guide.reader.headings[:2])
    sizes = [block.begin().fragment().charFormat().font().pixelSize() for block in (first, second)]
    assert sizes == [HEADINGS[1], HEADINGS[2]]


def test_the_contents_lead_to_a_section_and_back(guide: GuideWindow, qtbot: QtBot) -> None:
    item = guide.contents.topLevelItem(4)
    assert item is not None
    spot = guide.contents.visualItemRect(item).center()
    qtbot.mouseClick(guide.contents.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert top(guide) == item.text(0) == "Switches"
    assert guide.contents.currentItem() is item
    qtbot.keyClick(guide, Key.Key_Left, Modifier.AltModifier)
    assert top(guide) == "User guide"
    assert not guide.buttons["back"].isEnabled()
    qtbot.keyClick(guide, Key.Key_Right, Modifier.AltModifier)
    assert top(guide) == "Switches"


def test_enter_in_the_contents(guide: GuideWindow, qtbot: QtBot) -> None:
    guide.contents.setFocus()
    for key in (Key.Key_Down, Key.Key_Down, Key.Key_Return):
        qtbot.keyClick(guide.contents, key)
    assert top(guide) == "Stepping"


def test_scrolling_marks_the_section(guide: GuideWindow) -> None:
    bar = guide.reader.verticalScrollBar()
    bar.setValue(bar.maximum())
    item = guide.contents.currentItem()
    assert item is not None
    assert item.text(0) in titles(guide)[-2:]  # the last one may be too short to reach the top


def test_links_within_the_guide(guide: GuideWindow) -> None:
    guide.reader.anchorClicked.emit(QUrl("#check-and-predict"))
    assert top(guide) == "Check and predict"
    guide.reader.anchorClicked.emit(QUrl("notices.md"))
    assert titles(guide)[1] == "Qt and the LGPL, plainly"
    assert guide.notices.text() == "Back to the guide"
    guide.buttons["back"].click()
    assert top(guide) == "Check and predict"


def test_a_link_out_of_the_guide_is_copied(guide: GuideWindow) -> None:
    guide.reader.anchorClicked.emit(QUrl("https://pyside.org"))
    assert QGuiApplication.clipboard().text() == "https://pyside.org"
    assert guide.message.text() == "Copied: https://pyside.org"
    assert top(guide) == "User guide"


def test_search(guide: GuideWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(guide, Key.Key_F, Modifier.ControlModifier)
    qtbot.keyClicks(guide.field, "worksheets")
    count = guide.reader.toPlainText().lower().count("worksheets")
    assert count > 2
    assert guide.message.text() == f"1 of {count}"
    assert len(guide.reader.extraSelections()) == count
    qtbot.keyClick(guide.field, Key.Key_Return)
    assert guide.message.text() == f"2 of {count}"
    for _ in range(2):
        qtbot.keyClick(guide, Key.Key_F3, Modifier.ShiftModifier)
    assert guide.message.text() == f"{count} of {count}"
    qtbot.keyClicks(guide.field, "qqq")
    assert guide.message.text() == "Not found"
    assert not guide.buttons["hit_after"].isEnabled()


def test_escape_closes_it(window: MainWindow, guide: GuideWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(guide.reader, Key.Key_Escape)
    assert window.guide.window is None
    assert not guide.isVisible()


def test_it_follows_language_theme_and_text_size(window: MainWindow, guide: GuideWindow) -> None:
    guide.reader.show_section(5)
    window.session.set_preferences(language="zh_CN")
    assert titles(guide)[:2] == ["使用指南", "入门"]
    assert top(guide) == "Transformer 块"
    window.session.set_preferences(theme="dark")
    link = guide.reader.document().defaultFont()
    assert guide.palette().window().color().name().upper() == DARK.window
    window.session.set_preferences(text_size=150)
    assert guide.reader.document().defaultFont().pixelSize() == round(link.pixelSize() * 1.5)


def test_pictures_fit_the_text_and_belong_to_the_theme(
    window: MainWindow, guide: GuideWindow
) -> None:
    def picture() -> QImage:
        found = guide.reader.loadResource(IMAGE, QUrl("pictures/en-scores.png"))
        assert isinstance(found, QImage)
        return found

    assert 300 < picture().deviceIndependentSize().width() <= guide.reader.viewport().width()
    shades = []
    for theme in ("light", "dark"):
        window.session.set_preferences(theme=theme)
        shades.append(picture().pixelColor(2, 2).lightness())
        assert abs(picture().pixelColor(2, 2).red() - int(THEMES[theme].window[1:3], 16)) < 8
    assert shades[0] > 200 > 60 > shades[1]


@pytest.mark.parametrize(
    "name", ["../../../LICENSE", "/etc/passwd", "file:///etc/hosts.png", "absent.png", "x.svg"]
)
def test_nothing_but_pictures_of_the_guide_is_loaded(guide: GuideWindow, name: str) -> None:
    assert guide.reader.loadResource(IMAGE, QUrl(name)) is None


def test_every_picture_of_the_page_is_shown(guide: GuideWindow) -> None:
    names = guide.reader.document().toMarkdown().count("](pictures/")
    assert names > 5
    blocks = guide.reader.document().toPlainText().count("￼")
    assert blocks == names


def test_the_keys_have_a_button_and_keys_of_their_own(
    window: MainWindow, guide: GuideWindow, qtbot: QtBot
) -> None:
    guide.keys.click()
    (dialog,) = (
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, KeysDialog)
    )
    assert dialog.isVisible()
    qtbot.keyClick(dialog, Key.Key_Escape)
    assert window.actions_["keys"].shortcut().toString() == "Shift+F1"


def test_in_the_lecture_room_f1_shows_the_keys(window: MainWindow, qtbot: QtBot) -> None:
    window.present()
    window.perform("help")
    assert window.guide.window is None
    board = window.presentation.audience
    assert board is not None
    assert board.key_help.isVisible()
    window.presentation.stop()


def test_it_closes_with_the_main_window(window: MainWindow, guide: GuideWindow) -> None:
    window.close()
    assert window.guide.window is None
    assert not guide.isVisible()


def test_in_a_narrow_window_the_text_keeps_its_room(guide: GuideWindow) -> None:
    guide.resize(520, 400)
    assert guide.reader.document().size().width() <= guide.reader.viewport().width()
    assert guide.childAt(QPoint(5, 5)) is not guide.reader


def test_the_first_step_is_as_the_guide_tells_it(window: MainWindow) -> None:
    """Three steps from the very start bring K, V and the first numbers that are computed, in either language."""
    session, seen = window.session, []
    assert session.state.cursor.stage == "Q"
    for _ in range(3):
        session.step(1)
        seen.append(session.state.cursor.stage)
    assert seen == ["K", "V", "scores"]
    assert [session.state.trace.plan[stage].entered for stage in ("Q", *seen)] == [
        True,
        True,
        True,
        False,
    ]
    for language, words in (("en", "1. Press **→** three times."), ("zh_CN", "1. 按三次 **→**：")):
        assert words in resource_text(language)


def resource_text(language: str) -> str:
    return (Path(__file__).resolve().parents[2] / "docs" / "guide" / f"{language}.md").read_text(
        encoding="utf-8"
    )
