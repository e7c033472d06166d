"""The lower part of the start page: examples, recent files, own material, progress."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gui.painting.icons import icon
from gui.painting.text_size import px, set_font, set_least
from gui.painting.theme import BODY, CAPTION, Colours
from gui.texts.rich_text import short
from gui.texts.translation import tr
from gui.views.start.doors import progress_bar
from gui.views.start.texts import label_of
from gui.widgets.layouts import FlowLayout, fill

LONGEST = 34  # characters of a name


@dataclass(frozen=True, slots=True)
class RecentFile:
    """A file, or with "" the experiment that was open last: its name, where it stood, and when.

    A file that is `missing` can be looked for.
    """

    path: str
    name: str
    place: str
    time: str
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Count:
    """What was finished of a kind."""

    name: str
    done: int
    total: int


class CardButton(QPushButton):
    """A button with several texts of its own sizes."""

    def __init__(self, theme: Colours, name: str, layout: QHBoxLayout | QVBoxLayout) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setLayout(layout)
        for label in self.findChildren(QLabel):
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            label.setWordWrap(False)
        self.setStyleSheet(
            f"QPushButton {{ background: {theme.surface}; border: 1px solid {theme.line};"
            " border-radius: 8px; text-align: left; }"
            f"QPushButton:hover {{ border-color: {theme.accent}; }}"
            f"QPushButton:focus {{ border: 2px solid {theme.accent}; }}"
        )

    def sizeHint(self) -> QSize:
        """The size of the texts."""
        layout = self.layout()
        return super().sizeHint() if layout is None else layout.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """The same."""
        return self.sizeHint()


def example_button(theme: Colours, name: str, shows: str) -> CardButton:
    """An example: its name above what it shows."""
    column = fill(
        QVBoxLayout(),
        label_of(name, BODY, bold=True),
        label_of(shows, CAPTION, theme.muted),
        spacing=2,
        margins=(px(12), px(6), px(12), px(6)),
    )
    return CardButton(theme, f"{name}, {shows}", column)


def recent_button(theme: Colours, recent: RecentFile) -> CardButton:
    """A recent file in one line."""
    ink = theme.muted if recent.missing else ""
    name = label_of(short(recent.name, LONGEST), BODY, ink, bold=True)
    place = tr("not found · Find…") if recent.missing else short(recent.place, LONGEST)
    row = fill(
        QHBoxLayout(),
        (name, 3),
        (label_of(place, CAPTION, theme.muted), 2),
        label_of(recent.time, CAPTION, theme.muted),
        spacing=px(12),
        margins=(px(14), px(7), px(14), px(7)),
    )
    spoken = tr(", ").join(text for text in (recent.name, place, recent.time) if text)
    return CardButton(theme, spoken, row)


def plain_button(text: str, name: str, picture: str, theme: Colours) -> QPushButton:
    """A button with an icon."""
    button = QPushButton(text)
    button.setObjectName(name)
    button.setIcon(icon(picture, theme.text))
    return button


def band(title: str, *parts: QWidget) -> QVBoxLayout:
    """A heading above widgets."""
    heading = QLabel(title)
    set_font(heading, BODY + 1, bold=True)
    return fill(QVBoxLayout(), heading, *parts, spacing=px(8))


class Flow(QWidget):
    """Widgets side by side, in as many lines as they need."""

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        layout = FlowLayout(10, self)
        for widget in widgets:
            layout.addWidget(widget)


class ProgressBars(QWidget):
    """A line for each kind of thing that can be finished."""

    def __init__(self, theme: Colours, counts: Sequence[Count]) -> None:
        super().__init__()
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(px(14))
        grid.setVerticalSpacing(px(8))
        for row, count in enumerate(counts):
            bar = progress_bar(theme, count.name, count.done, count.total)
            set_least(bar, 120, 6)
            bar.setMaximumHeight(px(6))
            grid.addWidget(label_of(count.name, BODY, theme.muted), row, 0)
            grid.addWidget(bar, row, 1)
            number = QLabel(f"{count.done} / {count.total}")
            set_font(number, BODY)
            grid.addWidget(number, row, 2, Qt.AlignmentFlag.AlignRight)
        grid.setColumnStretch(1, 1)
