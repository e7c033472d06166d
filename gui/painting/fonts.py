"""The fonts that the program ships and is drawn with; installed ones serve for what these lack."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

from core.base.files import resource

SHIPPED = "Attention Stepper "
SANS, MONO, _CHINESE = f"{SHIPPED}Sans", f"{SHIPPED}Mono", f"{SHIPPED}Chinese"
# For rarer Chinese characters, where a system has one of these; Qt looks through all others after them.
_INSTALLED = ["Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC"]


_SAMPLE = "The quick brown fox jumps over the lazy dog: 0.123 − 4.567 × 8.90 = softmax(QK)"
LEAST_SCALE = 0.85  # a typewriter face stays wider rather than too small to read
ROUND_UP = 0.35  # what is added before a size is cut to whole pixels: texts get at most 3 % wider

_family = SANS  # of all text but code and formulas


@cache
def load_fonts() -> None:
    """Make the shipped fonts known to Qt; takes 2 ms. Needs an application."""
    for path in sorted(resource("fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))


def installed_families() -> list[str]:
    """The families of the system that can be chosen: those with Latin letters in any size."""
    load_fonts()
    return [
        family
        for family in QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
        if not family.startswith(SHIPPED)
        and not QFontDatabase.isPrivateFamily(family)
        and QFontDatabase.isSmoothlyScalable(family)
    ]


def use_family(family: str) -> bool:
    """Write in an installed family; in the program's own for "" and for one that is not installed.

    Return whether it is another one than before.
    """
    global _family
    before, _family = _family, SANS
    if family and family in installed_families():
        _family = family
    return _family != before


def family() -> str:
    """The family that text is written in."""
    return _family


@cache
def _scale(family: str) -> float:
    """How much smaller a family is written so that it is about as wide as the program's own; LEAST_SCALE to 1."""
    wide = []
    for name in (SANS, family):
        face = QFont([name])
        face.setPixelSize(100)
        wide.append(QFontMetricsF(face).horizontalAdvance(_SAMPLE))
    return min(1.0, max(LEAST_SCALE, wide[0] / wide[1]))


def make_font(family: str, pixels: int) -> QFont:
    """A font of a size whose pixels do not depend on what is installed or how the desktop smooths text.

    A chosen family that is wider than the program's own is written smaller.
    """
    load_fonts()
    made = QFont([family, SANS, _CHINESE, *_INSTALLED])
    if family not in (SANS, MONO):
        pixels = max(1, int(pixels * _scale(family) + ROUND_UP))
    made.setPixelSize(pixels)
    made.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    made.setStyleStrategy(
        QFont.StyleStrategy.PreferAntialias | QFont.StyleStrategy.NoSubpixelAntialias
    )
    return made
