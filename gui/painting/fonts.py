"""Shipped fonts of the program; installed fonts supply missing glyphs."""

from __future__ import annotations

import sys
from functools import _lru_cache_wrapper, cache

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

from core.base.files import resource
from gui.painting.pixmap_cache import CACHE

SHIPPED = "Attention Stepper "
SANS, MONO, _CHINESE = f"{SHIPPED}Sans", f"{SHIPPED}Mono", f"{SHIPPED}Chinese"
# Preferred fallbacks for rarer Chinese characters; Qt tries all other fonts after them.
_INSTALLED = ["Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC"]


_SAMPLE = "The quick brown fox jumps over the lazy dog: 0.123 − 4.567 × 8.90 = softmax(QK)"
NARROWEST = 80  # per cent; a monospaced font remains wider

_family = SANS  # family of all text except code and formulas


_kept: dict[str, list[QFont]] = {}  # by family; see keep_open


@cache
def load_fonts() -> None:
    """Register the shipped fonts with Qt and open their files (takes 5 ms). Requires an application."""
    for path in sorted(resource("fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))
    for family in (SANS, MONO, _CHINESE):
        keep_open(family)


def keep_open(family: str) -> None:
    """Keep one font of each file of a family, so that its files stay open.

    Qt 6.9 and later forget all open font files when the last font of any file is deleted
    (QFreetypeFace::release). Each font made afterwards would open its file again and keep a copy
    of its tables.
    """
    if family in _kept:
        return
    _kept[family] = []
    for bold in (False, True):
        for italic in (False, True):
            face = QFont([family])
            face.setWeight(_weight(bold))
            face.setItalic(italic)
            QFontMetricsF(face).horizontalAdvance("0")  # opens the file
            _kept[family].append(face)


def installed_families() -> list[str]:
    """Return the installed families that can be chosen: scalable, with Latin letters."""
    load_fonts()
    return [
        family
        for family in QFontDatabase.families(QFontDatabase.WritingSystem.Latin)
        if not family.startswith(SHIPPED)
        and not QFontDatabase.isPrivateFamily(family)
        and QFontDatabase.isSmoothlyScalable(family)
    ]


def use_family(family: str) -> bool:
    """Set the family of all text; "" or a family that is not installed selects the default.

    Return whether the family has changed; cached text measurements are then invalid.
    """
    global _family
    before, _family = _family, SANS
    if family and family in installed_families():
        _family = family
        keep_open(family)
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
    """Return the current family of text."""
    return _family


@cache
def _stretch(family: str, bold: bool) -> int:
    """Return the stretch in per cent (≤ 100) that makes a family as narrow as the default one."""
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
    """Make a font of a size in pixels, independent of the desktop's settings for text.

    A chosen family that is wider than the default one is condensed, so that every layout fits.
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
