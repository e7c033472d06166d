"""The fonts that the program ships and is drawn with; installed ones serve for what these lack."""

from __future__ import annotations

from functools import cache

from PySide6.QtGui import QFont, QFontDatabase

from core.base.files import resource

SANS, MONO = "Attention Stepper Sans", "Attention Stepper Mono"
_CHINESE = "Attention Stepper Chinese"
# For rarer Chinese characters, where a system has one of these; Qt looks through all others after them.
_INSTALLED = ["Noto Sans CJK SC", "Microsoft YaHei", "PingFang SC"]


@cache
def load_fonts() -> None:
    """Make the shipped fonts known to Qt; takes 2 ms. Needs an application."""
    for path in sorted(resource("fonts").glob("*.[ot]tf")):
        QFontDatabase.addApplicationFont(str(path))


def make_font(family: str, pixels: int) -> QFont:
    """A font of a size whose pixels do not depend on what is installed or how the desktop smooths text."""
    load_fonts()
    made = QFont([family, SANS, _CHINESE, *_INSTALLED])
    made.setPixelSize(pixels)
    made.setHintingPreference(QFont.HintingPreference.PreferVerticalHinting)
    made.setStyleStrategy(
        QFont.StyleStrategy.PreferAntialias | QFont.StyleStrategy.NoSubpixelAntialias
    )
    return made
