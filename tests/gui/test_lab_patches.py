"""Patches in the window: clicked, moved by keys, and a picture of one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from core.base.number_format import show
from core.labs.patches import LAB
from gui.labs.exhibit import LabAppearance, show_lab
from gui.labs.knobs_many import OpenerKnob
from gui.labs.patches import EXHIBIT, areas, cell, placed
from gui.labs.window import LabWindow
from tests.gui.labs_kit import drawn_texts, lab_window


def test_a_patch_that_is_clicked_looks(qtbot: QtBot) -> None:
    with lab_window("patches") as window:
        spot = next(spot for spot in window.picture.spots if spot.value == 40)
        qtbot.mouseClick(
            window.picture, Qt.MouseButton.LeftButton, pos=spot.area.center().toPoint()
        )
        assert window.session.state.setting["patch"] == 40


def test_arrow_keys_move_from_patch_to_patch_and_tab_leaves_after_one(qtbot: QtBot) -> None:
    with lab_window("patches") as window:
        window.session.set_value("patch", 40)
        window.picture.setFocus()
        qtbot.keyClick(window.picture, Qt.Key.Key_Tab)
        qtbot.keyClick(window.picture, Qt.Key.Key_Right)
        assert window.session.state.setting["patch"] == 41
        qtbot.keyClick(window.picture, Qt.Key.Key_Down)
        assert window.session.state.setting["patch"] == 53
        qtbot.keyClick(window.picture, Qt.Key.Key_Tab)
        assert window.session.state.shown.appearance.focus == ""


def _open(window: LabWindow, file: Path) -> None:
    """By the button that stands there now: another picture brings other controls."""
    opener = window.controls.knobs["open"]
    assert isinstance(opener, OpenerKnob)
    opener.ask = lambda parent, endings: file
    opener.button.click()


def test_a_picture_of_ones_own_and_back(qtbot: QtBot, tmp_path: Path) -> None:
    file = tmp_path / "mine.png"
    Image.new("RGB", (96, 64), "#204080").save(file)
    with lab_window("patches") as window:
        _open(window, file)
        assert window.session.state.shown.result.pixels.shape == (64, 96, 3)
        window.session.set_value("picture", "lake")
        assert window.session.state.shown.result.pixels.shape == (128, 192, 3)
        file.write_text("broken", encoding="utf-8")
        _open(window, file)
        assert "not a picture that can be read" in window.message.text()
        assert window.session.state.setting["picture"] == "lake"


def test_the_brighter_a_patch_the_more_it_is_looked_at(qtbot: QtBot) -> None:
    with lab_window("patches") as window:
        window.session.set_value("sharpness", 4.0)
        result = window.session.state.shown.result
        image = window.picture.grab().toImage()
        rect = placed(areas(window.picture.rect().toRectF())[1], result)
        order = result.weights[result.patch].argsort()
        shares = []
        for patch in (int(order[0]), int(order[-1])):
            at = cell(rect, result, patch).center().toPoint()
            row, column = result.place(patch)
            plain = result.pixels[row * 16 + 8, column * 16 + 8]
            shares.append(QColor(image.pixel(at)).redF() / float(plain[0]))
        assert shares[0] < 0.2
        assert shares[1] > 0.8


def test_numbers_are_written(qapp: object) -> None:
    shown = show_lab("patches", LAB.start(), LabAppearance())
    texts = drawn_texts("patches", LAB.start())
    assert show(float(shown.result.weights[shown.result.patch, shown.result.patch]), 3) in texts
    assert "8 × 12 = 96" in texts


def notice(**values: object) -> str:
    return EXHIBIT.notice(show_lab("patches", LAB.start(values=values), LabAppearance()))


def test_the_patch_that_is_looked_at_most_is_named_even_if_it_is_the_same_one(qapp: object) -> None:
    for patch in range(1, 97, 5):
        shown = show_lab("patches", LAB.start(values={"patch": patch}), LabAppearance())
        weights = shown.result.weights[patch - 1]
        most = int(weights.argmax())
        said = "itself" if most == patch - 1 else f"({most // 12 + 1}, {most % 12 + 1})"
        assert f"looks most at {said}" in EXHIBIT.notice(shown), patch
        assert show(float(weights.max()), 3) in EXHIBIT.notice(shown)


def test_at_no_sharpness_all_are_looked_at_alike(qapp: object) -> None:
    assert notice(sharpness=0.0).endswith("Patch (5, 3) looks at all of them equally: 0.010 each.")


def test_a_picture_of_one_colour_or_of_one_patch_says_so(qapp: object) -> None:
    def of(width: int, height: int) -> str:
        setting = LAB.start().with_facts(pixels=np.full((height, width, 3), 0.25))
        return EXHIBIT.notice(
            show_lab("patches", LAB.with_value(setting, "picture", "own"), LabAppearance())
        )

    assert "looks at all of them equally: 0.042 each" in of(96, 64)
    setting = LAB.start(values={"side": "32"}).with_facts(pixels=np.full((32, 32, 3), 0.25))
    one = show_lab("patches", LAB.with_value(setting, "picture", "own"), LabAppearance())
    assert EXHIBIT.notice(one) == "One patch, one token: it can only look at itself."
