"""Every theme can be read: contrast by the WCAG, and value colours that stay apart for colour-blind eyes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gui.app.application import build_window
from gui.painting.color_scale import Levels, contrast, ink, mixed, ramp
from gui.painting.matrix import MatrixSpec, kinds, palette
from gui.painting.theme import THEMES, Colours, apply
from gui.widgets.code import piece_colour

GROUNDS = ("window", "surface", "sunken")
WORDS = ("text", "muted", "accent", "query", "key", "value", "weights", "warning", "error")

# Linear-light RGB as dichromats see it (Viénot, Brettel and Mollon 1999; tritan after Machado et al. 2009).
SIMULATED = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", THEMES)
def test_every_word_stands_out_from_its_ground(name: str, ground: str) -> None:
    theme = THEMES[name]
    poor = {
        word: round(contrast(QColor(getattr(theme, word)), QColor(getattr(theme, ground))), 2)
        for word in WORDS
        if contrast(QColor(getattr(theme, word)), QColor(getattr(theme, ground))) < 4.5
    }
    assert poor == {}


@pytest.mark.parametrize("name", THEMES)
def test_words_on_the_accent_stand_out(name: str) -> None:
    theme = THEMES[name]
    assert contrast(QColor(theme.on_accent), QColor(theme.accent)) >= 4.5
    assert contrast(QColor(theme.text), QColor(theme.accent_soft)) >= 4.5


@pytest.mark.parametrize("name", THEMES)
def test_digits_stand_out_from_every_colour_of_the_scale(name: str) -> None:
    for red, green, blue in ramp(THEMES[name]):
        ground = QColor(int(red), int(green), int(blue))
        assert contrast(ink(ground), ground) >= 4.5


def cell_colours(picture: MatrixSpec, theme: Colours, column: int) -> tuple[QColor, QColor]:
    """Of a cell in the first row, and of its digits."""
    kind = int(kinds(picture, (0, 1), (column, column + 1))[0, 0])
    return palette(theme, picture.off)[kind]


@pytest.mark.parametrize("name", THEMES)
def test_digits_of_a_matrix_that_is_switched_off_can_still_be_read(name: str) -> None:
    values = np.linspace(-1.0, 1.0, 81)[None]
    picture = MatrixSpec(values, Levels(-1.0, 1.0), 2, off=True)
    full = MatrixSpec(values, Levels(-1.0, 1.0), 2)
    surface = QColor(THEMES[name].surface)
    for column in range(81):
        ground, digits = cell_colours(picture, THEMES[name], column)
        assert contrast(digits, ground) >= 4.5
        loud, _ = cell_colours(full, THEMES[name], column)
        assert contrast(ground, surface) <= contrast(loud, surface) + 0.05
    assert contrast(ground, surface) < contrast(loud, surface) / 2
    masked = MatrixSpec(
        np.zeros((1, 1)), Levels(0.0, 1.0), 2, off=True, scores=np.full((1, 1), -np.inf)
    )
    ground, digits = cell_colours(masked, THEMES[name], 0)
    assert contrast(digits, ground) >= 4.5


def seen(colours: np.ndarray, kind: str) -> np.ndarray:
    """What a dichromat sees of sRGB colours (n, 3) in 0 … 255, as OKLab."""
    srgb = colours / 255.0
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ np.array(SIMULATED[kind]).T, 0, 1)
    cones = (
        linear
        @ np.array(
            [[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]]
        ).T
    )
    return (
        np.cbrt(cones)
        @ np.array(
            [
                [0.21045, 0.79362, -0.00407],
                [1.97800, -2.42859, 0.45059],
                [0.02590, 0.78277, -0.80868],
            ]
        ).T
    )


@pytest.mark.parametrize("kind", SIMULATED)
@pytest.mark.parametrize("name", THEMES)
def test_steps_of_the_legend_stay_apart_for_colour_blind_eyes(name: str, kind: str) -> None:
    """Nine steps from low to high; a distance of 0.02 in OKLab is about what can just be told."""
    steps = ramp(THEMES[name])[np.linspace(0, 510, 9).astype(int)].astype(float)
    lab = seen(steps, kind)
    distances = np.linalg.norm(np.diff(lab, axis=0), axis=1)
    assert distances.min() > 0.03
    ends = np.linalg.norm(lab[0] - lab[-1])
    assert ends > 0.1


SOFT = 0.4  # of the soft accent behind the current line of code
TINTS = {
    "feeding cells": (("query", "key", "value", "weights"), 0.16),
    "marks": (("value", "accent", "error"), 0.10),
}


def poor(pairs: dict[str, tuple[QColor, QColor]], least: float = 4.5) -> dict[str, float]:
    """The pairs of words and grounds whose contrast is too low."""
    ratios = {name: round(contrast(*pair), 2) for name, pair in pairs.items()}
    return {name: ratio for name, ratio in ratios.items() if ratio < least}


@pytest.mark.parametrize("ground", GROUNDS)
@pytest.mark.parametrize("name", THEMES)
def test_words_that_cannot_be_used_now_can_be_read_too_and_look_different(
    name: str, ground: str
) -> None:
    theme = THEMES[name]
    assert contrast(QColor(theme.disabled), QColor(getattr(theme, ground))) >= 4.5
    assert contrast(QColor(theme.disabled), QColor(theme.text)) >= 1.8


@pytest.mark.parametrize("name", THEMES)
def test_chips_banner_and_the_current_row_stand_out_from_the_soft_accent(name: str) -> None:
    """Chips write in accent, banner and current scene in text and muted, roles wherever a row is marked."""
    theme = THEMES[name]
    soft = QColor(theme.accent_soft)
    assert poor({word: (QColor(getattr(theme, word)), soft) for word in WORDS}) == {}


@pytest.mark.parametrize("name", THEMES)
def test_code_stands_out_on_the_current_line(name: str) -> None:
    theme = THEMES[name]
    ground = mixed(theme.accent_soft, theme.surface, SOFT)
    roles = ("plain", "comment", "call", "keyword", "query", "key", "value", "weights")
    assert poor({role: (QColor(piece_colour(theme, role)), ground) for role in roles}) == {}


@pytest.mark.parametrize("kind", TINTS)
@pytest.mark.parametrize("name", THEMES)
def test_numbers_stand_out_from_tinted_cells(name: str, kind: str) -> None:
    theme = THEMES[name]
    roles, part = TINTS[kind]
    grounds = {role: mixed(getattr(theme, role), theme.surface, part) for role in roles}
    assert poor({role: (QColor(theme.text), ground) for role, ground in grounds.items()}) == {}


@pytest.mark.parametrize("name", THEMES)
def test_numbers_stand_out_while_their_cell_shines(name: str) -> None:
    theme = THEMES[name]
    assert contrast(QColor(theme.text), mixed(theme.flash, theme.surface, 0.75)) >= 4.5
    assert contrast(ink(QColor(theme.flash)), QColor(theme.flash)) >= 4.5


@pytest.mark.parametrize("name", THEMES)
def test_lines_and_bars_of_charts_stand_out_from_their_ground(name: str) -> None:
    """What is drawn, not written: 3 to 1 is enough, and neighbours have a dash of their own."""
    theme = THEMES[name]
    drawn = ("accent", "query", "key", "value", "weights", "warning", "error", "muted")
    grounds = ("surface", "sunken", "window")
    pairs = {
        f"{one} on {g}": (QColor(getattr(theme, one)), QColor(getattr(theme, g)))
        for one in drawn
        for g in grounds
    }
    assert poor(pairs, 3.0) == {}


@pytest.mark.parametrize("name", THEMES)
def test_the_outline_of_the_keyboard_stands_out_from_its_ground(name: str) -> None:
    theme = THEMES[name]
    for ground in (*GROUNDS, "accent_soft"):
        assert contrast(QColor(theme.accent), QColor(getattr(theme, ground))) >= 3.0


@pytest.mark.parametrize("kind", [QLineEdit, QSpinBox, QComboBox, QPushButton])
@pytest.mark.parametrize("name", THEMES)
def test_fields_and_buttons_can_be_seen_by_their_outline(
    qtbot: QtBot, qapp: QApplication, name: str, kind: type[QWidget]
) -> None:
    """Three times as light or dark as the ground (WCAG 1.4.11), measured on what Qt paints."""
    apply(qapp, name)
    ground, field = QWidget(), kind()
    qtbot.addWidget(ground)
    field.setParent(ground)
    ground.resize(200, 60)
    field.setGeometry(20, 20, 140, 28)
    image = ground.grab().toImage()
    column = [image.pixelColor(90, y) for y in range(16, 26)]
    apply(qapp, "light")
    theme = THEMES[name]
    for around in (theme.window, theme.surface):
        assert max(contrast(colour, QColor(around)) for colour in column) >= 3.0


@pytest.mark.parametrize("name", THEMES)
def test_the_handle_of_a_slider_can_be_seen(qtbot: QtBot, qapp: QApplication, name: str) -> None:
    apply(qapp, name)
    slider = QSlider(Qt.Orientation.Horizontal)
    qtbot.addWidget(slider)
    slider.resize(200, 28)
    slider.setValue(0)
    image = slider.grab().toImage()
    apply(qapp, "light")
    row = [
        image.pixelColor(x, 14 - 4) for x in range(20)
    ]  # above the groove, through the handle at its left end
    assert max(contrast(colour, QColor(THEMES[name].surface)) for colour in row) >= 3.0


@pytest.mark.parametrize("name", THEMES)
def test_the_palette_gives_every_widget_these_colours(qapp: QApplication, name: str) -> None:
    """Labels, placeholders, links, selections and disabled words of plain widgets, as Qt will paint them."""
    apply(qapp, name)
    palette, role, group = qapp.palette(), QPalette.ColorRole, QPalette.ColorGroup
    base, window, button = (palette.color(one) for one in (role.Base, role.Window, role.Button))
    pairs = {
        "label": (palette.color(role.WindowText), window),
        "field": (palette.color(role.Text), base),
        "placeholder": (palette.color(role.PlaceholderText), base),
        "placeholder on window": (palette.color(role.PlaceholderText), window),
        "link": (palette.color(role.Link), window),
        "link in a field": (palette.color(role.Link), base),
        "button": (palette.color(role.ButtonText), button),
        "selection": (palette.color(role.HighlightedText), palette.color(role.Highlight)),
        "other rows": (palette.color(role.Text), palette.color(role.AlternateBase)),
        "tip": (palette.color(role.ToolTipText), palette.color(role.ToolTipBase)),
        "disabled label": (palette.color(group.Disabled, role.WindowText), window),
        "disabled field": (palette.color(group.Disabled, role.Text), base),
        "disabled button": (palette.color(group.Disabled, role.ButtonText), button),
    }
    apply(qapp, "light")
    assert poor(pairs) == {}


def test_another_theme_polishes_every_widget_once(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The style is set once for all: setting it again costs as much as the colours do."""
    apply(qapp, "dark")
    told: list[str] = []
    monkeypatch.setattr(QApplication, "setStyle", lambda _self, name: told.append(name))
    apply(qapp, "light")
    assert told == []
    assert qapp.palette().color(QPalette.ColorRole.Window) == QColor(THEMES["light"].window)


class StyleChanges(QObject):
    """Counts how often each widget of the application is styled."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[QObject] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.StyleChange and isinstance(watched, QWidget):
            self.counts[watched] += 1
        return False


def test_another_text_size_styles_no_widget_once_for_each_widget_around_it(
    qtbot: QtBot, qapp: QApplication
) -> None:
    window = build_window(language="en", theme_name="light")
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    changes = StyleChanges()
    qapp.installEventFilter(changes)
    window.perform("text_larger")
    qapp.removeEventFilter(changes)
    assert len(changes.counts) > 100
    assert max(changes.counts.values()) <= 4


@pytest.mark.parametrize("name", ["dark", "chalkboard"])
def test_windows_opened_before_and_after_a_change_have_its_theme(qtbot: QtBot, name: str) -> None:
    window = build_window(language="en", theme_name="light")
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    window.show_guide()
    guide = window.guide.window
    assert guide is not None
    window.session.set_preferences(theme=name)
    window.labs.open("softmax")
    lab = window.labs.window
    assert lab is not None
    for opened in (window, guide, lab):
        button = QPushButton(opened)
        button.ensurePolished()
        ink = button.palette().color(QPalette.ColorRole.ButtonText)
        ground = button.palette().color(QPalette.ColorRole.Button)
        assert (ink, ground) == (QColor(THEMES[name].text), QColor(THEMES[name].surface))
    window.labs.close()
    window.guide.close()
