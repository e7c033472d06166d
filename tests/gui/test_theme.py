"""Every theme can be read: contrast by the WCAG, and value colours that stay apart for colour-blind eyes."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from gui.matrix import Picture, cell_colours
from gui.theme import THEMES
from gui.values import Levels, contrast, ink, ramp

GROUNDS = ("window", "surface", "sunken")
WORDS = ("text", "muted", "accent", "query", "key", "value", "weights", "warning", "error")

# Linear-light RGB as dichromats see it (Viénot, Brettel and Mollon 1999; tritan after Machado et al. 2009).
SIMULATED = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
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


@pytest.mark.parametrize("name", THEMES)
def test_digits_of_a_matrix_that_is_switched_off_can_still_be_read(name: str) -> None:
    values = np.linspace(-1.0, 1.0, 81)[None]
    picture = Picture(values, Levels(-1.0, 1.0), 2, off=True)
    full = Picture(values, Levels(-1.0, 1.0), 2)
    surface = QColor(THEMES[name].surface)
    for column in range(81):
        ground, digits = cell_colours(picture, THEMES[name], 0, column)
        assert contrast(digits, ground) >= 4.5
        loud, _ = cell_colours(full, THEMES[name], 0, column)
        assert contrast(ground, surface) <= contrast(loud, surface) + 0.05
    assert contrast(ground, surface) < contrast(loud, surface) / 2
    masked = Picture(np.zeros((1, 1)), Levels(0.0, 1.0), 2, off=True, scores=np.full((1, 1), -np.inf))
    ground, digits = cell_colours(masked, THEMES[name], 0, 0)
    assert contrast(digits, ground) >= 4.5


def seen(colours: np.ndarray, kind: str) -> np.ndarray:
    """What a dichromat sees of sRGB colours (n, 3) in 0 … 255, as OKLab."""
    srgb = colours / 255.0
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ np.array(SIMULATED[kind]).T, 0, 1)
    cones = linear @ np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]]).T
    return (
        np.cbrt(cones)
        @ np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]]).T
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
