"""The fonts that the program ships and is drawn with; installed ones serve for what these lack."""

from __future__ import annotations

import sys
from functools import _lru_cache_wrapper, cache

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

from core.base.files import resource
from gui.painting.pixmap_cache import CACHE

SHIPPED = "Attention Stepper "
SANS, MONO, _CHINESE = f"{SHIPPED}Sans", f"{SHIPPED}Mono", f"{SHIPPED}Chinese"
# For rarer Chinese characters, where a system has one of these; Qt looks through all others after them.
_INSTALLED = ["Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC"]


_SAMPLE = "The quick brown fox jumps over the lazy dog: 0.123 − 4.567 × 8.90 = softmax(QK)"
NARROWEST = 80  # per cent; a typewriter face stays wider

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

    Return whether it is another one than before; then no measure of a text that was cached holds.
    """
    global _family
    before, _family = _family, SANS
    if family and family in installed_families():
        _family = family
    if _family == before:
        return False
    CACHE.clear()
    for name, module in list(sys.modules.items()):
        if name.startswith("gui."):
            for value in vars(module).values():
                if isinstance(value, _lru_cache_wrapper) and value is not load_fonts:
                    value.cache_clear()
    return True


def family() -> str:
    """The family that text is written in."""
    return _family


@cache
def _stretch(family: str, bold: bool) -> int:
    """The width in per cent at which an installed family takes no more room than the program's own; at most 100."""
    wide = []
    for name in (SANS, family):
        face = QFont([name])
        face.setPixelSize(100)
        face.setWeight(_weight(bold))
        wide.append(QFontMetricsF(face).horizontalAdvance(_SAMPLE))
    return min(100, max(NARROWEST, int(wide[0] / wide[1] * 100)))


def _weight(bold: bool) -> QFont.Weight:
    return QFont.Weight.DemiBold if bold else QFont.Weight.Normal


def make_font(family: str, pixels: int, *, bold: bool = False) -> QFont:
    """A font of a size whose pixels do not depend on what is installed or how the desktop smooths text.

    A chosen family that is wider than the program's own is written narrower, so that every layout holds.
    """
    load_fonts()
    made = QFont([family, SANS, _CHINESE, *_INSTALLED])
    made.setPixelSize(pixels)
    made.setWeight(_weight(bold))
    if family not in (SANS, MONO):
        made.setStretch(_stretch(family, bold))
    made.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    made.setStyleStrategy(
        QFont.StyleStrategy.PreferAntialias | QFont.StyleStrategy.NoSubpixelAntialias
    )
    return made
