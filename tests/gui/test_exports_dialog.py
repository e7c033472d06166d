"""The dialog: what it asks for each format, how it writes, how it is stopped; the menu's way to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image
from pptx import Presentation
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from core.explain.timeline import Grain
from core.lesson.lesson import Lesson, lesson_path, load
from core.storage.examples import load_example
from gui.app.application import build_window
from gui.dialogs.export import ExportDialog
from gui.export.options import Subject
from gui.export.registry import EXPORTERS, VisualExporter
from gui.session.session import Session
from gui.session.state import Preferences

Key = Qt.Key


class Desk:
    """A dialog for a format, and the file that it is told to write."""

    def __init__(
        self,
        qtbot: QtBot,
        folder: Path,
        name: str,
        language: str = "en",
        lesson: Lesson | None = None,
    ) -> None:
        self.session = Session(load_example("cat-eats-fish"), Preferences(), language)
        self.path: Path | None = folder / f"out.{name}"
        self.asked: list[Subject] = []
        if lesson is not None:
            self.session.lesson_player.open(lesson)
        self.dialog = ExportDialog(self.session.state, name, self.ask)
        self.dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
        qtbot.addWidget(self.dialog)
        self.dialog.show()

    def ask(self, parent: QWidget, exporter: VisualExporter, subject: Subject) -> Path | None:
        self.asked.append(subject)
        return self.path


def choose(combo: QComboBox, value: object) -> None:
    """Choose as the user does, by keys."""
    index = [combo.itemData(i) for i in range(combo.count())].index(value)
    for _ in range(abs(index - combo.currentIndex())):
        QTest.keyClick(combo, Key.Key_Down if combo.currentIndex() < index else Key.Key_Up)
    assert combo.currentData() == value


@pytest.mark.parametrize("name", EXPORTERS)
def test_it_asks_only_what_the_format_needs(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    dialog = Desk(qtbot, tmp_path, name).dialog
    film, picture = name in ("gif", "webp", "mp4"), name in ("png", "svg", "pdf")
    assert dialog.grain.isVisible() is (film or name == "pptx")
    assert dialog.first.isVisible() is (film or name == "pptx")
    assert dialog.pixels.isVisible() is film
    assert dialog.speed.isVisible() is film
    assert dialog.scale.isVisible() is (name == "png")
    assert dialog.shows.isVisible() is (film or picture)
    assert dialog.motion.isVisible() is film
    assert not dialog.subjects.isVisible()
    assert dialog.language.isVisible()


@pytest.mark.parametrize("name", EXPORTERS)
def test_with_a_lesson_it_asks_for_scenes(qtbot: QtBot, tmp_path: Path, name: str) -> None:
    dialog = Desk(qtbot, tmp_path, name, lesson=load(lesson_path("first-steps"))).dialog
    film, one = name in ("gif", "webp", "mp4"), name in ("png", "svg")
    assert dialog.subjects.isVisible() is not one
    assert dialog.grain.isVisible() is False
    assert dialog.first.isVisible() is (film or name in ("pptx", "pdf"))
    assert dialog.shows.isVisible() is one
    assert dialog.motion.isVisible() is film
    assert dialog.pixels.isVisible() is film
    assert (dialog.lesson is None) is one
    if dialog.first.isVisible():
        assert (
            dialog.summary.text()
            == "11 scenes, from “Three words, three tables” to “No looking ahead”"
        )
        choose(dialog.subjects, False)
        assert "steps, from Query to Output" in dialog.summary.text() or name == "pdf"
        assert dialog.last.maximum() == 9


def test_scenes_as_chosen(qtbot: QtBot, tmp_path: Path) -> None:
    lesson = load(lesson_path("first-steps"))
    desk = Desk(qtbot, tmp_path, "pptx", "zh_CN", lesson)
    dialog = desk.dialog
    dialog.last.selectAll()
    qtbot.keyClicks(dialog.last, "3")
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert desk.asked == [lesson]
    first, *slides = Presentation(str(tmp_path / "out.pptx")).slides
    assert first.shapes.title.text == "第一课：小猫 吃 鱼"
    assert [slide.shapes.title.text for slide in slides] == [
        scene.title.get("zh_CN") for scene in lesson.scenes[:3]
    ]


def test_a_film_with_motion(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = Desk(qtbot, tmp_path, "gif").dialog
    assert not dialog.options().motion
    choose(dialog.motion, 20.0)
    choose(dialog.pixels, (960, 540))
    choose(dialog.speed, 4.0)
    dialog.first.selectAll()
    qtbot.keyClicks(dialog.first, "4")
    dialog.last.selectAll()
    qtbot.keyClicks(dialog.last, "5")
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    with Image.open(tmp_path / "out.gif") as film:
        assert getattr(film, "n_frames", 1) == 2 + 9, (
            "1.8 s of motion, four times as fast, in frames of 50 ms"
        )


def test_everything_has_a_name(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = Desk(qtbot, tmp_path, "gif", "zh_CN").dialog
    for field in (
        dialog.format,
        dialog.grain,
        dialog.first,
        dialog.last,
        dialog.pixels,
        dialog.speed,
        dialog.shows,
    ):
        assert field.accessibleName()


def test_a_film_as_chosen(qtbot: QtBot, tmp_path: Path) -> None:
    desk = Desk(qtbot, tmp_path, "gif")
    dialog = desk.dialog
    choose(dialog.grain, Grain.ROW)
    choose(dialog.pixels, (960, 540))
    choose(dialog.speed, 2.0)
    dialog.last.selectAll()
    qtbot.keyClicks(dialog.last, "5")
    dialog.first.selectAll()
    qtbot.keyClicks(dialog.first, "3")
    assert dialog.summary.text() == "3 steps, from Value to Scores"
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert dialog.told.text() == "Written: out.gif"
    with Image.open(tmp_path / "out.gif") as film:
        assert getattr(film, "n_frames", 1) == 3
        assert film.size == (960, 540)
        assert film.info["duration"] == 650


def test_a_range_counts_from_either_end(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = Desk(qtbot, tmp_path, "gif").dialog
    dialog.last.selectAll()
    qtbot.keyClicks(dialog.last, "2")
    dialog.first.selectAll()
    qtbot.keyClicks(dialog.first, "4")
    assert (dialog.options().first, dialog.options().last) == (2, 4)
    assert dialog.summary.text() == "3 steps, from Key to Scores"


def test_the_window_lives_and_cancel_stops(qtbot: QtBot, tmp_path: Path) -> None:
    desk = Desk(qtbot, tmp_path, "gif")
    dialog = desk.dialog
    choose(dialog.grain, Grain.CELL)
    seen: list[tuple[bool, bool, str]] = []

    def click() -> None:
        seen.append((dialog.bar.isVisible(), dialog.go.isEnabled(), dialog.close_button.text()))
        qtbot.mouseClick(dialog.close_button, Qt.MouseButton.LeftButton)

    QTimer.singleShot(0, dialog, click)
    qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
    assert seen == [(True, False, "&Cancel")]
    assert dialog.told.text() == "Stopped; nothing was written."
    assert dialog.isVisible()
    assert list(tmp_path.iterdir()) == []
    qtbot.keyClick(dialog, Key.Key_Escape)
    assert not dialog.isVisible()


def test_a_problem_is_told(qtbot: QtBot, tmp_path: Path) -> None:
    desk = Desk(qtbot, tmp_path, "png")
    desk.path = tmp_path / "nowhere" / "out.png"
    qtbot.mouseClick(desk.dialog.go, Qt.MouseButton.LeftButton)
    assert "cannot be written: there is no such file or folder" in desk.dialog.told.text()
    assert desk.dialog.go.isEnabled()


def test_nothing_is_written_without_a_file(qtbot: QtBot, tmp_path: Path) -> None:
    desk = Desk(qtbot, tmp_path, "png")
    desk.path = None
    qtbot.mouseClick(desk.dialog.go, Qt.MouseButton.LeftButton)
    assert desk.dialog.told.text() == ""
    assert list(tmp_path.iterdir()) == []


def test_from_the_menu_to_a_file(qtbot: QtBot, tmp_path: Path) -> None:
    window = build_window(example="cat-eats-fish", language="en")
    qtbot.addWidget(window)
    window.show()
    window.session.go_to_stage("weights")
    window.export_actions.ask_path = lambda parent, suggestion, kind: (
        tmp_path / f"{suggestion.stem}"
    )
    for action, name in (
        ("export_picture", "png"),
        ("export_film", "gif"),
        ("export_slides", "pptx"),
        ("export_page", "html"),
    ):
        window.actions_[action].trigger()
        dialog = window.findChild(ExportDialog)
        assert isinstance(dialog, ExportDialog)
        assert dialog.exporter.name == name
        if name == "png":
            assert dialog.options().cursor == window.session.state.cursor
            qtbot.mouseClick(dialog.go, Qt.MouseButton.LeftButton)
            assert dialog.told.text() == "Written: Cat eats fish.png"
            assert window.message_bar._text.text() == f"Written: {tmp_path / 'Cat eats fish.png'}"
        else:
            assert window.message_bar.isHidden(), "what was said of an older export is gone"
        dialog.close()
        QApplication.sendPostedEvents(None, 52)  # DeferredDelete
    assert [path.name for path in tmp_path.iterdir()] == ["Cat eats fish.png"]
