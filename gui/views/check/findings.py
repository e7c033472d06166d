"""Cards for the mistakes behind wrong numbers, and a chip for each stage with entries."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.base.cell import Cell
from core.check.report import FOLLOWS, RIGHT, CheckReport, Mistake
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours
from gui.session.state import State
from gui.texts.mistakes import mistake_text
from gui.texts.names import stage_name, symbol_here
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.views.check.answer_grid import AnswerGrid, stages_of
from gui.views.check.wording import cell_of, counts_text, mistake_places
from gui.widgets.layouts import FlowLayout, fill, scroll_vertically, set_count

MAX_HEIGHT = 360


class MistakeCard(QFrame):
    """A mistake and its cells. `chosen(cell)`: click or Enter, each time with the next cell."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("mistake")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._cells: tuple[Cell, ...] = ()
        self._next = 0
        self.text, self.places = QLabel(self), QLabel(self)
        set_font(self.text, BODY)
        set_font(self.places, CAPTION)
        for label in (self.text, self.places):
            label.setWordWrap(True)
        fill(QVBoxLayout(self), self.text, self.places, spacing=1, margins=(10, 5, 8, 5))
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.places.setTextFormat(Qt.TextFormat.PlainText)

    def show_mistake(self, mistake: Mistake, grid: AnswerGrid, theme: Colours) -> None:
        """Show a mistake in the theme's colours."""
        cells = tuple(cell_of(mistake.stage, index) for index in mistake.cells)
        if cells != self._cells:
            self._cells, self._next = cells, 0
        text, places = mistake_text(mistake, grid.orientation), mistake_places(mistake, grid)
        self.text.setText(to_html(text))
        self.places.setText(places)
        self.setAccessibleName(f"{text} {places}")
        follows = mistake.id in ("carried", "rounding.early")
        tone = theme.value if mistake.harmless else theme.accent if follows else theme.error
        self.setStyleSheet(
            f"#mistake {{ background: {theme.sunken}; border: 1px solid transparent; border-left: 3px solid {tone};"
            f" border-radius: 4px; }}"
            f"#mistake:hover {{ background: {theme.accent_soft}; }}"
            f"#mistake:focus {{ border: 1px solid {theme.accent}; border-left: 3px solid {tone}; }}"
            f"QLabel {{ color: {theme.text}; background: transparent; }}"
        )
        self.places.setStyleSheet(f"color: {theme.muted};")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose by a click."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._choose()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose()
        else:
            super().keyPressEvent(event)

    def _choose(self) -> None:
        if self._cells:
            self.chosen.emit(self._cells[self._next % len(self._cells)])
            self._next += 1


class MistakeList(QScrollArea):
    """A card for each mistake; as high as the cards, up to a limit."""

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)
        self.cards: list[MistakeCard] = []
        body = QWidget()
        body.setObjectName("mistakes")
        self._column = fill(QVBoxLayout(body), spacing=4)
        scroll_vertically(self, body)

    def show_mistakes(self, mistakes: list[Mistake], grid: AnswerGrid, theme: Colours) -> None:
        """Show these mistakes."""
        set_count(self.cards, len(mistakes), self._add)
        for card, mistake in zip(self.cards, mistakes, strict=True):
            card.show_mistake(mistake, grid, theme)
        self.setStyleSheet(f"QScrollArea, #mistakes {{ background: {theme.surface}; }}")
        self.setVisible(bool(mistakes))
        self.updateGeometry()

    def _add(self) -> MistakeCard:
        card = MistakeCard(self)
        card.chosen.connect(self.chosen)
        self._column.addWidget(card)
        return card

    def sizeHint(self) -> QSize:
        """As high as the cards in this width."""
        width = max(self.viewport().width(), 200)
        height = self._column.heightForWidth(width) if self.cards else 0
        return QSize(width, min(height + 2, MAX_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """As high as one card with one line and its cells."""
        return QSize(120, min(self.sizeHint().height(), 48))


class StageChips(QWidget):
    """A chip for each stage with entries: how many there are and how many are right.
    `chosen(stage)`: a click.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stages: list[str] = []
        self.buttons: list[QToolButton] = []
        self._flow = FlowLayout(6, self)

    def show_stages(self, state: State, report: CheckReport | None, current: str) -> None:
        """Show the stages with entries and check the current one."""
        self._stages = [stage for stage in stages_of(state) if stage in state.entries]
        set_count(self.buttons, len(self._stages), self._add)
        for button, stage in zip(self.buttons, self._stages, strict=True):
            symbol = symbol_here(state.document, stage, state.orientation)
            right, counts = "", ""
            if report is not None:
                right = f"{report.count(RIGHT, stage) + report.count(FOLLOWS, stage)} / "
                counts = counts_text(report, stage)
            name = tr("{stage}: {counts}", stage=stage_name(stage), counts=counts)
            button.setText(f"{symbol}  {right}{len(state.entries[stage])}")
            button.setChecked(stage == current)
            set_font(button, CAPTION, bold=stage == current)
            button.setToolTip(name)
            button.setAccessibleName(name)
        self.setStyleSheet(_style(colours(state.shade)))
        self.setVisible(self._stages not in ([], [current]))
        self.updateGeometry()

    def _add(self) -> QToolButton:
        button = QToolButton(self)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(partial(self._choose, len(self.buttons)))
        self._flow.addWidget(button)
        return button

    def _choose(self, number: int, _checked: bool = False) -> None:
        self.chosen.emit(self._stages[number])


def _style(theme: Colours) -> str:
    return f"""
        QToolButton {{ color: {theme.text}; background: {theme.sunken}; border: 1px solid {theme.line};
            border-radius: 10px; padding: 1px 9px; }}
        QToolButton:checked {{ color: {theme.accent}; background: {theme.accent_soft}; border-color: {theme.accent}; }}
        QToolButton:hover, QToolButton:focus {{ border-color: {theme.accent}; }}
    """
