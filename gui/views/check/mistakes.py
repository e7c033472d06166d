"""The slips behind wrong numbers, as sentences to click on."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from core.base.cell import Cell
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours
from gui.texts.rich_text import to_html

HIGHEST = 360


@dataclass(frozen=True, slots=True)
class Line:
    """A slip in words, the cells that it explains in words, and those cells; `tone` is a colour's name."""

    text: str
    places: str
    cells: tuple[Cell, ...]
    tone: str


class SlipCard(QFrame):
    """`chosen(cell)`: clicked, or Enter; the next time the next of its cells."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("slip")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._line: Line | None = None
        self._next = 0
        self.text, self.places = QLabel(self), QLabel(self)
        set_font(self.text, BODY)
        set_font(self.places, CAPTION)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 5, 8, 5)
        column.setSpacing(1)
        for label in (self.text, self.places):
            label.setWordWrap(True)
            column.addWidget(label)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.places.setTextFormat(Qt.TextFormat.PlainText)

    def show_line(self, line: Line, theme: Colours) -> None:
        """A slip, in the theme's colours."""
        if self._line is None or self._line.cells != line.cells:
            self._next = 0
        self._line = line
        self.text.setText(to_html(line.text))
        self.places.setText(line.places)
        self.setAccessibleName(f"{line.text} {line.places}")
        tone = getattr(theme, line.tone)
        self.setStyleSheet(
            f"#slip {{ background: {theme.sunken}; border: 1px solid transparent; border-left: 3px solid {tone};"
            f" border-radius: 4px; }}"
            f"#slip:hover {{ background: {theme.accent_soft}; }}"
            f"#slip:focus {{ border: 1px solid {theme.accent}; border-left: 3px solid {tone}; }}"
            f"QLabel {{ color: {theme.text}; background: transparent; }}"
        )
        self.places.setStyleSheet(f"color: {theme.muted};")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click chooses."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose()
        else:
            super().keyPressEvent(event)

    def _choose(self) -> None:
        if self._line is not None and self._line.cells:
            self.chosen.emit(self._line.cells[self._next % len(self._line.cells)])
            self._next += 1


class SlipList(QScrollArea):
    """One card a slip; as high as they are, up to a limit."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.cards: list[SlipCard] = []
        self._inside = QWidget()
        self._inside.setObjectName("slips")
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.setWidget(self._inside)

    def show_lines(self, lines: tuple[Line, ...], theme: Colours) -> None:
        """These slips."""
        while len(self.cards) < len(lines):
            card = SlipCard(self._inside)
            card.chosen.connect(self.chosen)
            self._column.addWidget(card)
            self.cards.append(card)
            card.show()
        while len(self.cards) > len(lines):
            card = self.cards.pop()
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        for card, line in zip(self.cards, lines, strict=True):
            card.show_line(line, theme)
        self.setStyleSheet(f"QScrollArea, #slips {{ background: {theme.surface}; }}")
        self.setVisible(bool(lines))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """As high as the cards in this width."""
        width = max(self.viewport().width(), 200)
        height = self._column.heightForWidth(width) if self.cards else 0
        return QSize(width, min(height + 2, HIGHEST))

    def minimumSizeHint(self) -> QSize:
        """One card of one line and its cells."""
        return QSize(120, min(self.sizeHint().height(), 48))
