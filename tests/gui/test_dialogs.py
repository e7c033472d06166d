"""Preferences, about, keys and messages: driven by events, in both languages."""

from __future__ import annotations

import tomllib
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QPoint, Qt, QTimer
from PySide6.QtGui import QFontInfo, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDialog,
    QGridLayout,
    QLabel,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core import __version__
from core.storage.examples import load_example
from gui.app.application import Appearance
from gui.dialogs.help import AboutDialog, KeyCaps, KeysDialog
from gui.dialogs.new import NewDialog, ask_new_document
from gui.dialogs.preferences import PreferencesDialog
from gui.session.session import Session
from gui.session.state import Preferences, State
from gui.texts.translation import use_language
from gui.widgets.ask import Ask
from gui.widgets.forms import Message
from tests.gui.window_kit import all_actions, choose_row

Key = Qt.Key
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def session(qapp: QApplication) -> Session:
    return Session(load_example("cat-eats-fish"), Preferences())


@pytest.fixture
def dialog(session: Session, qtbot: QtBot) -> PreferencesDialog:
    dialog = PreferencesDialog(session)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def choose(qtbot: QtBot, combo: QComboBox, text: str) -> None:
    choose_row(qtbot, combo, combo.findText(text))


@pytest.mark.parametrize(
    ("field", "text", "value"),
    [
        ("language", "简体中文", "zh_CN"),
        ("language", "English", "en"),
        ("theme", "Dark", "dark"),
        ("theme", "Light", "light"),
        ("decimals", "0   (1)", 0),
        ("decimals", "8   (0.66666667)", 8),
        ("speed", "½×", 0.5),
        ("speed", "4×", 4.0),
    ],
)
def test_a_choice_acts_at_once(
    dialog: PreferencesDialog, session: Session, qtbot: QtBot, field: str, text: str, value: object
) -> None:
    choose(qtbot, getattr(dialog, field), text)
    assert getattr(session.state.preferences, field) == value
    assert getattr(dialog, field).currentText() == text


def test_motion(dialog: PreferencesDialog, session: Session, qtbot: QtBot) -> None:
    assert dialog.motion.isChecked()
    qtbot.keyClick(dialog.motion, Key.Key_Space)
    assert session.state.preferences.motion is False
    qtbot.keyClick(dialog.motion, Key.Key_Space)
    assert session.state.preferences.motion is True


def test_keys_choose_in_a_list(dialog: PreferencesDialog, session: Session, qtbot: QtBot) -> None:
    qtbot.keyClick(dialog.decimals, Key.Key_Down)
    assert session.state.preferences.decimals == 3


def test_it_follows_what_is_chosen_elsewhere(dialog: PreferencesDialog, session: Session) -> None:
    seen: list[State] = []
    session.changed.connect(lambda old, new: seen.append(new))
    session.set_preferences(decimals=6, speed=0.75, motion=False, theme="light")
    assert dialog.decimals.currentData() == 6
    assert dialog.speed.currentText() == "0.75×"
    assert not dialog.motion.isChecked()
    assert dialog.theme.currentText() == "Light"
    assert len(seen) == 1  # and it answers nothing


def test_it_changes_its_language(dialog: PreferencesDialog, session: Session) -> None:
    session.set_preferences(decimals=4)
    session.set_language("zh_CN")
    assert dialog.windowTitle() == "偏好设置"
    assert dialog.decimals.accessibleName() == "小数位数"
    assert dialog.theme.currentText() == "跟随系统"
    assert dialog.decimals.currentData() == 4
    session.set_language("en")
    assert dialog.decimals.accessibleName() == "Decimals"


def test_buddies(dialog: PreferencesDialog) -> None:
    buddies = {
        label.text().replace("&", ""): label.buddy()
        for label in dialog.findChildren(QLabel)
        if label.buddy()
    }
    fields = (
        dialog.language,
        dialog.labels,
        dialog.theme,
        dialog.text_size,
        dialog.font_family,
        dialog.columns,
        dialog.show_ahead,
        dialog.decimals,
        dialog.fractions,
        dialog.speed,
        dialog.motion,
        dialog.at_start,
    )
    names = (
        "Language",
        "Labels",
        "Theme",
        "Text size",
        "Font",
        "Matrices",
        "Numbers ahead",
        "Decimals",
        "Fractions",
        "Playback speed",
        "Motion",
        "At start",
    )
    assert buddies == dict(zip(names, fields, strict=True))


def test_tokens_become_columns_at_a_click(
    qtbot: QtBot, dialog: PreferencesDialog, session: Session
) -> None:
    assert not dialog.columns.isChecked()
    qtbot.mouseClick(
        dialog.columns, Qt.MouseButton.LeftButton, pos=QPoint(8, dialog.columns.height() // 2)
    )
    assert session.state.preferences.columns
    session.set_preferences(columns=False)
    assert not dialog.columns.isChecked()


def make(name: str, session: Session) -> QDialog:
    if name == "preferences":
        return PreferencesDialog(session)
    return {"about": AboutDialog, "keys": KeysDialog, "new": NewDialog}[name]()


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", ["preferences", "about", "keys", "new"])
def test_every_dialog(name: str, language: str, session: Session, qtbot: QtBot) -> None:
    session.set_language(language)
    dialog = make(name, session)
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.windowTitle()
    assert dialog.width() <= 1280
    assert dialog.height() <= 680
    for widget in dialog.findChildren(QWidget):
        if isinstance(widget, QAbstractButton | QComboBox):
            text = widget.text() if isinstance(widget, QAbstractButton) else widget.currentText()
            assert widget.accessibleName() or text
        if isinstance(widget, QLabel) and widget.text() and not widget.wordWrap():
            assert widget.width() >= widget.sizeHint().width(), widget.text()
        if isinstance(widget, QLabel):
            assert QFontInfo(widget.font()).pixelSize() >= 12 or not widget.text()
    qtbot.keyClick(dialog, Key.Key_Escape)
    assert not dialog.isVisible()


@pytest.mark.parametrize("name", ["preferences", "about", "keys"])
def test_the_close_button(name: str, session: Session, qtbot: QtBot) -> None:
    dialog = make(name, session)
    qtbot.addWidget(dialog)
    dialog.show()
    (close,) = dialog.findChildren(QPushButton)
    assert close.text() == "&Close"
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert not dialog.isVisible()


def test_about_tells_the_version(qtbot: QtBot) -> None:
    dialog = AboutDialog()
    qtbot.addWidget(dialog)
    texts = " ".join(label.text() for label in dialog.findChildren(QLabel))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert __version__ == project["version"]
    assert f"Version {__version__}" in texts
    assert all(
        name in texts for name in ("MIT", "PySide6", "numpy", "pyqtgraph", "msgspec", "ziamath")
    )


def test_the_keys_of_the_contract_are_listed(qtbot: QtBot) -> None:
    dialog = KeysDialog()
    qtbot.addWidget(dialog)
    listed = {
        key for caps in dialog.findChildren(KeyCaps) for key in caps.accessibleName().split(", ")
    }
    assert {
        "→",
        "←",
        "Ctrl+→",
        "Ctrl+←",
        "Home",
        "End",
        "Space",
        "PgDn",
        "PgUp",
        "F5",
        "Esc",
        "B",
        "F1",
    } <= listed
    assert {"Ctrl+Z", "Ctrl+Shift+Z", "Ctrl+O", "Ctrl+S", "Ctrl+Shift+S"} <= listed


def test_every_key_of_the_window_is_listed(qtbot: QtBot) -> None:
    """Alternatives such as Ctrl+Y aside: the first key of each action; the four arrows with Shift stand as two."""
    dialog = KeysDialog()
    qtbot.addWidget(dialog)
    listed = {
        key for caps in dialog.findChildren(KeyCaps) for key in caps.accessibleName().split(", ")
    }
    listed |= {"Shift+←", "Shift+↑"}
    said = {"Right": "→", "Left": "←", "Up": "↑", "Down": "↓", "PgDown": "PgDn", "=": "+", "-": "−"}
    zoom = {"Ctrl++", "Ctrl+-"}  # both on one cap
    for keys in (
        {spec.keys[0] for spec in all_actions() if spec.keys} - zoom - set(map(str, range(1, 10)))
    ):
        head, plus, last = keys.rpartition("+")
        assert head + plus + said.get(last, last) in listed, keys


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_what_keys_do_begins_at_one_line_in_each_column(qtbot: QtBot, language: str) -> None:
    use_language(language)
    dialog = KeysDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    begins = set()
    for grid in dialog.findChildren(QGridLayout):
        caps = grid.itemAtPosition(0, 0).widget()
        if isinstance(caps, KeyCaps):
            begins.add(grid.itemAtPosition(0, 1).widget().mapTo(dialog, QPoint()).x())
    assert len(begins) == 3
    assert dialog.inside.sizeHint().width() <= 1264, "the smallest screen, less the window's frame"


def test_qts_own_dialogs_and_keys_are_in_chinese(qtbot: QtBot) -> None:
    session = Session(load_example("cat-eats-fish"), Preferences(), "zh_CN", "light")
    appearance = Appearance(session, session)
    assert QCoreApplication.translate("QFileDialog", "&Look in:") == "查找范围(&I)："
    assert QCoreApplication.translate("QFileDialog", "Files of &type:") == "文件类型(&T)："
    assert QCoreApplication.translate("QFileDialog", "Parent Directory") == "父目录", (
        "Qt's own is still asked"
    )
    assert QKeySequence("Ctrl+Right").toString(QKeySequence.SequenceFormat.NativeText) == "Ctrl+→"
    session.set_language("en")
    assert QCoreApplication.translate("QFileDialog", "&Look in:") == "&Look in:"
    appearance.deleteLater()


def press(qtbot: QtBot, key: Qt.Key, text: list[str]) -> None:
    """Press a key in the message that is open."""
    message = QApplication.activeModalWidget()
    assert isinstance(message, Message)
    text += [label.text() for label in message.findChildren(QLabel)]
    qtbot.keyClick(message, key)


def click(qtbot: QtBot, name: str) -> None:
    """Click a button of the message that is open."""
    message = QApplication.activeModalWidget()
    assert isinstance(message, Message)
    button = message.findChild(QPushButton, name)
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    return window


@pytest.mark.realwindow
@pytest.mark.parametrize("answer", ["save", "discard", "cancel"])
def test_unsaved_changes_by_click(window: QWidget, qtbot: QtBot, answer: str) -> None:
    QTimer.singleShot(0, partial(click, qtbot, answer))
    assert Ask().unsaved(window, "a.attn.json") == answer


@pytest.mark.parametrize(("key", "answer"), [(Key.Key_Return, "save"), (Key.Key_Escape, "cancel")])
@pytest.mark.parametrize(
    ("language", "word"),
    [("en", "Save the changes to “a.attn.json”?"), ("zh_CN", "要保存对“a.attn.json”的修改吗？")],
)
def test_unsaved_changes_by_key(
    window: QWidget, qtbot: QtBot, key: Qt.Key, answer: str, language: str, word: str
) -> None:
    use_language(language)
    texts: list[str] = []
    QTimer.singleShot(0, partial(press, qtbot, key, texts))
    assert Ask().unsaved(window, "a.attn.json") == answer
    assert word in texts


def test_a_sentence_for_a_title_is_asked_about_by_its_beginning(
    window: QWidget, qtbot: QtBot
) -> None:
    texts: list[str] = []
    QTimer.singleShot(0, partial(press, qtbot, Key.Key_Escape, texts))
    Ask().unsaved(window, " ".join(f"w{number}" for number in range(300)))
    title = next(text for text in texts if text.startswith("Save the changes to “w0 w1 "))
    assert title.endswith("…”?")
    assert len(title) < 100


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Escape])
def test_nothing_is_overwritten_by_accident(window: QWidget, qtbot: QtBot, key: Qt.Key) -> None:
    for question in (Ask().overwrite, Ask().overwrite_changed):
        QTimer.singleShot(0, partial(press, qtbot, key, []))
        assert not question(window, "a.attn.json")
        QTimer.singleShot(0, partial(click, qtbot, "replace"))
        assert question(window, "a.attn.json")


def test_a_name_is_shown_as_it_is(window: QWidget, qtbot: QtBot) -> None:
    texts: list[str] = []
    QTimer.singleShot(0, partial(press, qtbot, Key.Key_Escape, texts))
    Ask().overwrite(window, "<b>&a</b>.attn.json")
    assert "“<b>&a</b>.attn.json” already exists" in texts


def test_a_new_experiment_is_asked_for(window: QWidget, qtbot: QtBot) -> None:
    def accept() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, NewDialog)
        for _step in range(2):
            qtbot.keyClick(dialog.focusWidget() or dialog, Key.Key_Return)

    QTimer.singleShot(0, accept)
    document = ask_new_document(window)
    assert document is not None
    assert document.tokens == ("the", "cat", "eats", "fish")
