"""Texts of the start page: labels in a theme's colour, examples, and when a file was open."""

from __future__ import annotations

from PySide6.QtCore import QDateTime, QLocale
from PySide6.QtWidgets import QLabel

from gui.painting.text_size import set_font
from gui.texts.translation import mark, tr

# The examples that are offered first: id, name, what they show.
OFFERED = (
    ("cat-eats-fish", mark("Cat eats fish"), mark("softmax by hand")),
    ("four-words-causal", mark("I like green tea"), mark("causal mask")),
    ("who-ate-whom", mark("Who ate whom?"), mark("positions")),
    ("apple-released-iphone", mark("Apple released the iPhone"), mark("three heads")),
    ("translation", mark("Translation"), mark("cross-attention")),
)


def label_of(text: str, size: int, colour: str = "", *, bold: bool = False) -> QLabel:
    """A text that wraps, in a colour or that of the window."""
    label = QLabel(text)
    set_font(label, size, bold=bold)
    label.setWordWrap(True)
    if colour:
        label.setStyleSheet(f"color: {colour};")
    return label


def when(seconds: float, language: str) -> str:
    """A time in words: the hour of today, yesterday, else the date."""
    moment, locale = QDateTime.fromSecsSinceEpoch(int(seconds)), QLocale(language)
    days = moment.date().daysTo(QDateTime.currentDateTime().date())
    short = QLocale.FormatType.ShortFormat
    if days == 0:
        return tr("today {time}", time=locale.toString(moment.time(), short))
    return tr("yesterday") if days == 1 else locale.toString(moment.date(), short)
