"""Every lab: opened, each control moved to its ends and back, drawn, told in both languages, handed over."""

from __future__ import annotations

import dataclasses
import gc
import math
import re
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from pytestqt.qtbot import QtBot

from core import archive
from core.examples import load_example
from core.labs import catalogue
from core.labs.catalogue import LABS
from core.labs.controls import Button, Opener, ends
from core.labs.lab import Setting
from core.lesson import LESSONS, lesson_path, load
from core.trace import run
from gui.app import build_window
from gui.commands import run_command_line
from gui.labs.catalogue import exhibit
from gui.labs.exhibit import Look
from gui.labs.frame import paint_sheet, show_lab
from gui.language import use_language
from gui.texts.labs import CLAIMS, TITLES
from gui.theme import THEMES
from tests.gui.labs_kit import lab_window

CHINESE = re.compile(r"[\u4e00-\u9fff]")
BAD = re.compile(r"\bnan\b|\binf\b|∞|\{[a-z_]+\}|None|Traceback", re.IGNORECASE)
ROOMS = ((560.0, 360.0), (1400.0, 900.0))


def numbers(value: Any) -> Iterator[float]:
    """Every number of a result, however deep."""
    if isinstance(value, bool | str | type(None)):
        return
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            yield from (float(number) for number in value.ravel()[:20000])
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from numbers(entry)
    elif dataclasses.is_dataclass(value) and type(value).__module__.startswith("core.labs"):
        for field in dataclasses.fields(value):
            yield from numbers(getattr(value, field.name))


def extremes(lab_id: str) -> Iterator[Setting]:
    """The lab as it begins, with each control at each of its ends alone, and with all of them at an end."""
    lab = catalogue.lab(lab_id)
    start = lab.start()
    yield start
    for control in lab.valued(start):
        for value in ends(control):
            yield lab.with_value(start, control.id, value)
    for side in (0, -1):
        setting = start
        for control in lab.valued(start):
            if any(control.id == known.id for known in lab.valued(setting)):
                setting = lab.with_value(setting, control.id, ends(lab.control(setting, control.id))[side])
        yield setting


def drawn(lab_id: str, setting: Setting, size: tuple[float, float], shade: str = "light") -> QImage:
    image = QImage(int(size[0]), int(size[1]), QImage.Format.Format_RGB32)
    image.fill(0xFFFFFF)
    painter = QPainter(image)
    paint_sheet(painter, QRectF(0, 0, *size), lab_id, show_lab(lab_id, setting, Look(shade)))
    painter.end()
    return image


def test_the_menu_lists_every_lab_that_has_words() -> None:
    assert set(LABS) == set(TITLES) == set(CLAIMS)
    assert len(LABS) == len(set(LABS)) == 18
    assert tuple(TITLES) == LABS


@pytest.mark.parametrize("lab_id", LABS)
def test_results_are_finite_wherever_the_controls_stand(lab_id: str) -> None:
    for setting in extremes(lab_id):
        result = catalogue.lab(lab_id).work_out(setting)
        assert all(math.isfinite(number) for number in numbers(result)), dict(setting.values)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("lab_id", LABS)
def test_words_are_said_in_the_language_wherever_the_controls_stand(qapp: object, lab_id: str, language: str) -> None:
    use_language(language)
    show = exhibit(lab_id)
    for setting in extremes(lab_id):
        shown = show_lab(lab_id, setting, Look())
        controls = catalogue.lab(lab_id).controls(setting)
        texts = [show.notice(shown), show.attempt(shown), show.spoken(shown)]
        assert all(texts)
        assert all(show.label(control, setting) for control in controls)
        for text in texts:
            assert not BAD.search(text), text
            assert bool(CHINESE.search(text)) or language == "en", text


@pytest.mark.parametrize("lab_id", LABS)
def test_the_picture_is_drawn_wherever_the_controls_stand(qapp: object, lab_id: str) -> None:
    for setting in extremes(lab_id):
        for size in ROOMS:
            image = drawn(lab_id, setting, size)
            assert image != QImage(image.size(), image.format())
    blank = drawn(lab_id, catalogue.lab(lab_id).start(), ROOMS[0])
    themes = {drawn(lab_id, catalogue.lab(lab_id).start(), ROOMS[0], shade).bits().tobytes() for shade in THEMES}
    assert len(themes) == len(THEMES)
    blank.fill(0xFFFFFF)
    assert blank.bits().tobytes() not in themes


@pytest.mark.parametrize("lab_id", LABS)
def test_every_control_in_the_window_to_both_ends_and_back(qtbot: QtBot, lab_id: str) -> None:
    with lab_window(lab_id) as window:
        session = window.session
        first = dict(session.state.setting.values)
        for control in session.lab.valued(session.state.setting):
            for value in (*ends(control), first[control.id]):
                session.set_value(control.id, value)
                window.grab()
                assert window.told.text() == ""
        for button in [entry for entry in session.lab.controls(session.state.setting) if isinstance(entry, Button)]:
            if not button.job:
                session.press(button.id)
        for spot in window.picture.spots:
            assert spot.name
            assert window.picture.rect().toRectF().adjusted(-40, -40, 40, 40).intersects(spot.area)
            window.picture._choose(spot)
        while session.undo_stack.canUndo():
            session.undo_stack.undo()
        assert dict(session.state.setting.values) == first


@pytest.mark.parametrize("lab_id", LABS)
def test_jobs_bring_a_setting_that_can_be_shown(lab_id: str) -> None:
    lab = catalogue.lab(lab_id)
    for control in lab.controls(lab.start()):
        if isinstance(control, Button) and control.job:
            result = lab.work_out(lab.job(lab.start(), control.id, lambda part: 0.0 <= part <= 1.0))
            assert all(math.isfinite(number) for number in numbers(result))
        if isinstance(control, Opener):
            assert control.endings


@pytest.mark.parametrize("lab_id", LABS)
def test_what_is_handed_over_is_an_experiment_that_runs(lab_id: str) -> None:
    lab = catalogue.lab(lab_id)
    for setting in extremes(lab_id):
        document = lab.document(setting)
        if document is not None:
            assert archive.dumps(archive.loads(archive.dumps(document))) == archive.dumps(document)
            assert "weights" in run(document)


@pytest.mark.parametrize("lab_id", LABS)
def test_a_lesson_plays_the_lab(lab_id: str) -> None:
    name = f"lab-{lab_id}"
    assert name in LESSONS
    lesson = load(lesson_path(name))
    assert sum(scene.demo is not None and scene.demo.lab == lab_id for scene in lesson.scenes) >= 2
    assert len(lesson.scenes) >= 4
    for scene in lesson.scenes:
        assert scene.title.en
        assert CHINESE.search(scene.title.zh_CN)
        assert scene.say.en
        assert CHINESE.search(scene.say.zh_CN)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("lab_id", LABS)
def test_render_draws_it_from_the_command_line(tmp_path: Path, lab_id: str, language: str) -> None:
    out = tmp_path / "lab.png"
    arguments = ["render", "--lab", lab_id, "-o", str(out), "--language", language, "--size", "1000x640"]
    assert run_command_line(arguments) == 0
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1000, 640)
    colours = {image.pixel(x, y) for x in range(0, 1000, 3) for y in range(0, 640, 3)}
    assert len(colours) > 20


def test_windows_of_labs_leave_nothing_behind(qtbot: QtBot) -> None:
    seen = []
    for lab_id in LABS:
        with lab_window(lab_id) as window:
            seen.append(weakref.ref(window.session))
        del window
    gc.collect()
    assert [ref for ref in seen if ref() is not None] == []


@pytest.mark.realwindow
def test_a_lab_from_the_menu_follows_the_main_window_and_hands_over(qtbot: QtBot) -> None:
    main = build_window(example="cat-eats-fish")
    qtbot.addWidget(main)
    main.show()
    menu = next(action.menu() for action in main.menuBar().actions() if "La&bs" in action.text())
    assert [action.objectName() for action in menu.actions()] == [f"lab_{lab_id}" for lab_id in LABS]
    next(action for action in menu.actions() if action.objectName() == "lab_order").trigger()
    window = main.labs.window
    assert window is not None
    assert window.isVisible()
    main.session.prefer(language="zh_CN", theme="dark")
    assert window.session.state.language == "zh_CN"
    assert window.session.state.shown.look.shade == "dark"
    expected = window.session.lab.document(window.session.state.setting)
    window.actions_["lab_hand_over"].trigger()
    assert expected is not None
    assert archive.dumps(main.session.state.document) == archive.dumps(expected)
    main.close()
    assert main.labs.window is None


def test_a_lab_becomes_a_scene_with_its_title_and_is_played_by_pages(qtbot: QtBot) -> None:
    main = build_window(example="who-ate-whom")
    qtbot.addWidget(main)
    main.labs.open("softmax")
    window = main.labs.window
    assert window is not None
    window.actions_["lab_scene"].trigger()
    window.session.set_value("temperature", 0.5)
    window.actions_["lab_scene"].trigger()
    lesson = main.session.state.lesson
    assert lesson is not None
    assert [scene.title.en for scene in lesson.scenes] == [TITLES["softmax"]] * 2
    assert all(CHINESE.search(scene.title.zh_CN) for scene in lesson.scenes)
    assert not main.session.state.live
    assert main.session.state.document.tokens == load_example("who-ate-whom").tokens
    qtbot.keyClick(window.picture, Qt.Key.Key_PageUp)
    assert window.session.state.setting["temperature"] == 1.0
    qtbot.keyClick(window.picture, Qt.Key.Key_PageDown)
    assert window.session.state.setting["temperature"] == 0.5
    main.session.lecture.undo_stack.setClean()
    main.close()


@pytest.mark.parametrize("lab_id", LABS)
def test_the_whole_lesson_of_a_lab_by_the_keys_of_a_clicker(qtbot: QtBot, lab_id: str) -> None:
    main = build_window(lesson_path(f"lab-{lab_id}"))
    qtbot.addWidget(main)
    main.show()
    main.present()
    board = main.presentation.board
    assert board is not None
    lesson = main.session.state.lesson
    assert lesson is not None
    steps = sum(scene.steps.count if scene.steps else 0 for scene in lesson.scenes)
    asked = [index for index, scene in enumerate(lesson.scenes) if scene.question.en]
    answered = []
    for _ in range(len(lesson.scenes) + steps + len(asked) - 1):
        qtbot.keyClick(board, Qt.Key.Key_PageDown)
        if board.words.answer and main.session.state.scene not in answered:
            answered.append(main.session.state.scene)
        board.grab()
    assert main.session.state.scene == len(lesson.scenes) - 1
    assert answered == asked
    assert board.note.isHidden()
    qtbot.keyClick(board, Qt.Key.Key_PageDown)
    assert board.note.large == "End of the lesson"
    main.presentation.stop()
    main.close()


def test_f5_in_a_lab_plays_the_lesson_that_is_open_and_the_lab_catches_up(qtbot: QtBot) -> None:
    main = build_window(lesson_path("lab-softmax"))
    qtbot.addWidget(main)
    main.show()
    main.labs.open("softmax")
    window = main.labs.window
    assert window is not None
    window.actions_["lab_present"].trigger()
    board = main.presentation.board
    assert board is not None
    assert not window.isFullScreen()
    for _ in range(20):
        if main.session.state.scene == 2:
            break
        qtbot.keyClick(board, Qt.Key.Key_PageDown)
    main.presentation.stop()
    shown = main.session.state.shown
    assert shown is not None
    assert shown.setting is not None
    assert window.session.state.setting.values == shown.setting.values
    main.close()


def test_without_a_lesson_f5_shows_the_lab_alone_and_present_does_too(qtbot: QtBot) -> None:
    main = build_window(example="cat-eats-fish")
    qtbot.addWidget(main)
    main.labs.open("sparse")
    window = main.labs.window
    assert window is not None
    window.actions_["lab_present"].trigger()
    assert window.isFullScreen()
    qtbot.keyClick(window.picture, Qt.Key.Key_Escape)
    assert not window.isFullScreen()
    main.labs.present()
    assert window.isFullScreen()
    main.close()
