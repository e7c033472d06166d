"""The dialogs of the Help menu: About, and keys and marks."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from core import __version__
from core.base.arrays import frozen
from core.base.files import resource
from gui.painting.color_scale import Levels
from gui.painting.matrix import Frame, MatrixSpec, paint_matrix
from gui.painting.shapes import draw_box
from gui.painting.text_size import face, factor, in_units, px, set_fixed, set_least
from gui.painting.theme import CAPTION, DISPLAY
from gui.presentation.keys import KEY_HELP
from gui.texts.translation import mark, tr, tr_marked
from gui.widgets.forms import Dialog, caption, close_box, heading, sentence_label, strong, theme_of
from gui.widgets.keycaps import WHOLE, Caps, cap_places, paint_caps
from gui.widgets.layouts import Gap, ResponsiveRow, fill

_LIBRARIES = ("PySide6-Essentials", "numpy", "pyqtgraph", "msgspec", "ziamath")


class AboutDialog(Dialog):
    """Name, version, licence and libraries."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("About Attention Stepper"))
        set_least(self.inside, 480)
        row = fill(
            QHBoxLayout(), fill(QVBoxLayout(), self._icon(), 1), (self._text(), 1), spacing=22
        )
        self.add(row, Gap(10), close_box(self))

    @staticmethod
    def _icon() -> QLabel:
        label = QLabel()
        label.setPixmap(QIcon(str(resource("icons", "app.svg"))).pixmap(72, 72))
        return label

    @staticmethod
    def _text() -> QVBoxLayout:
        return fill(
            QVBoxLayout(),
            heading(tr("Attention Stepper"), DISPLAY),
            sentence_label(tr("Version {version}", version=__version__), muted=True),
            sentence_label(
                tr(
                    "Step through self-attention, forward and back, with your own numbers. Works offline."
                )
            ),
            sentence_label(tr("Free software under the MIT licence.")),
            Gap(4),
            caption(tr("Built with {libraries}.", libraries=libraries())),
            spacing=8,
        )


def libraries() -> str:
    """The versions of Python and the libraries."""
    return ", ".join([f"Python {platform.python_version()}", *map(_named, _LIBRARIES)])


def _named(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return name


# Each line: alternative keys, each pressed together, and a description.
_STEPPING = (
    (("→", "←"), mark("Step forward, back")),
    (("Ctrl →", "Ctrl ←"), mark("Stage forward, back")),
    (("Ctrl Shift PgDn", "Ctrl Shift PgUp"), mark("Same stage in the next, previous layer")),
    (("Home", "End"), mark("First, last step")),
    ((mark("Space"),), mark("Play, pause")),
    (("PgDn", "PgUp"), mark("Step or play with a clicker")),
    (("1 … 9",), mark("Look at this head")),
    (("Ctrl L", "Ctrl Shift L"), mark("Add scene; lesson panel")),
    (("Ctrl PgDn", "Ctrl PgUp"), mark("Next, previous group of scenes")),
    ((mark("Backspace"),), mark("Discard live edits")),
)
_CELLS = (
    (("Shift →", "Shift ↓"), mark("Move the focused cell")),
    (("F2", "Shift F10"), mark("Edit the focused cell, its menu")),
    (("Ctrl ↑", "Ctrl ↓"), mark("Nudge the focused number")),
    ((mark("Ctrl wheel"), "Ctrl + −", "Ctrl 0"), mark("Zoom, fit the diagram")),
    (("Ctrl C", "Ctrl V"), mark("Copy, paste")),
    (("Ctrl A", "Del"), mark("Select all, clear")),
    (("Ctrl Shift V",), mark("Paste as the whole matrix")),
    (("Ctrl Shift C", "Ctrl Shift W"), mark("Copy picture, sum")),
    (("Ctrl .", "Ctrl Shift ."), mark("More, fewer decimals")),
)
_WINDOW = (
    (("Ctrl Z", "Ctrl Shift Z"), mark("Undo, redo")),
    (("Ctrl N", "Ctrl O", "Ctrl Q"), mark("New, open, quit")),
    (("Ctrl S", "Ctrl Shift S"), mark("Save, save as")),
    (("Ctrl I", "Ctrl Alt N"), mark("Import numbers, new from text")),
    (("Ctrl E", "Ctrl Shift E"), mark("Export picture, workbook")),
    (("Ctrl K", "Ctrl R", "Ctrl U"), mark("Check, predict, code")),
    (("Ctrl Shift K", "Ctrl Shift M"), mark("Class, trained models")),
    (("Alt +", "Alt −", "Alt 0"), mark("Text larger, smaller, normal")),
    (("Ctrl Shift H", "Ctrl Alt H"), mark("Heatmap large, in its own window")),
    (("Ctrl ,", "Ctrl Shift N"), mark("Preferences, notes")),
    (("F1", "Shift F1"), mark("Guide, this page")),
)
_PRESENTING = ((("F5",), mark("Present from this step")), *KEY_HELP)
_MARKS = (
    ("focused", mark("The focused cell: its worked sum is shown.")),
    ("pinned", mark("Folded corner: pinned, a what-if value instead of the computed one.")),
    ("filled", mark("Dotted line: filled in when a size changed, not edited yet.")),
    ("masked", mark("Hatched: masked; this query may not attend to this key.")),
    ("ghost", mark("Dotted frame: not reached yet.")),
)

Lines = tuple[tuple[tuple[str, ...], str], ...]


class KeysDialog(Dialog):
    """The keys of the window and of the presentation, and the marks in matrices."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Keys and marks"))
        left = fill(_sections((tr("Stepping"), _STEPPING), (tr("Cells"), _CELLS)), 1)
        middle = fill(_sections((tr("Presenting"), _PRESENTING)), 1)
        self.add(
            heading(tr("Keys and marks"), DISPLAY),
            Gap(8),
            (ResponsiveRow(28, (left, 1), (middle, 1), (self._right(), 1)), 1),
            Gap(6),
            sentence_label(
                tr("While you type in a cell or a text field, keys go there."), muted=True
            ),
            close_box(self),
        )

    def _right(self) -> QVBoxLayout:
        column = _sections((tr("Window and files"), _WINDOW))
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        for row, (kind, text) in enumerate(_MARKS):
            label = sentence_label(tr_marked(text))
            set_least(label, 270)
            grid.addWidget(Sample(kind), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label, row, 1, Qt.AlignmentFlag.AlignVCenter)
        return fill(column, Gap(6), _section(tr("Marks")), grid, 1, spacing=8)


class KeyCaps(QWidget):
    """Alternative keys side by side, each a row of keys pressed together."""

    def __init__(self, alternatives: tuple[str, ...]) -> None:
        super().__init__()
        self._alternatives = alternatives
        self.setAccessibleName(tr(", ").join(_spoken(text) for text in alternatives))
        self.setFixedSize(self.sizeHint())

    def sizeHint(self) -> QSize:
        """The size of the keys."""
        places = self._places()
        return QSize(round(places[-1][0].right()) + 1, px(23))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the keys."""
        theme = theme_of(self)
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(face(CAPTION))
            paint_caps(painter, self._places(), theme)

    def _places(self) -> Caps:
        return cap_places(self._alternatives, QFontMetricsF(face(CAPTION)), px(23), px(14))


def _spoken(keys: str) -> str:
    said = tr_marked(keys)
    return said if keys in WHOLE else said.replace(" ", "+")


class Sample(QWidget):
    """One cell with a mark."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind
        set_fixed(self, 56, 36)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the cell with the matrix painter."""
        theme = theme_of(self)
        here = frozenset({(0, 0)})
        value = float("-inf") if self._kind == "masked" else 0.5
        picture = MatrixSpec(
            frozen([[value]]),
            Levels(-1.0, 1.0),
            2,
            shown=(0, 0) if self._kind == "ghost" else None,
            frames=(Frame((0, 1), (0, 1), theme.accent),) if self._kind == "focused" else (),
            pinned=here if self._kind == "pinned" else frozenset(),
            filled=here if self._kind == "filled" else frozenset(),
        )
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), factor()) as room:
                draw_box(painter, room, None, theme.surface, 5)
                paint_matrix(painter, room.adjusted(4, 4, -4, -4), picture, theme)


def _section(text: str) -> QLabel:
    label = strong(text)
    label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
    return label


def _sections(*sections: tuple[str, Lines]) -> QVBoxLayout:
    """Make a column of sections with aligned descriptions."""
    column = QVBoxLayout()
    caps = [[KeyCaps(alternatives) for alternatives, _ in lines] for _, lines in sections]
    wide = max(px(150), *(cap.width() for section in caps for cap in section))
    for (title, lines), section in zip(sections, caps, strict=True):
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(1)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(0, wide)
        for row, (cap, (_, text)) in enumerate(zip(section, lines, strict=True)):
            grid.addWidget(cap, row, 0)
            grid.addWidget(QLabel(tr_marked(text)), row, 1)
        fill(column, *[Gap(12)] * bool(column.count()), _section(title), grid, spacing=8)
    return column
