"""The slips behind wrong numbers, as sentences to click on."""

from __future__ import annotations

from dataclasses import dataclass
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
from core.check import FOLLOWS, RIGHT, WRONG, CheckReport, Mistake
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, CAPTION, Colours
from gui.session.state import State
from gui.texts.mistakes import slip_text
from gui.texts.names import stage_name, stage_symbol
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.views.check.answer_grid import AnswerGrid, stages_of
from gui.views.check.wording import cell_of, counted, slip_places
from gui.widgets.layouts import FlowLayout

HIGHEST = 360


@dataclass(frozen=True, slots=True)
class SlipRecord:
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
        self._line: SlipRecord | None = None
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

    def show_line(self, line: SlipRecord, theme: Colours) -> None:
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

    def show_lines(self, lines: tuple[SlipRecord, ...], theme: Colours) -> None:
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


@dataclass(frozen=True, slots=True)
class StageChip:
    """A stage, its symbol with counts, and the same in full."""

    stage: str
    text: str
    name: str


class StageChips(QWidget):
    """`chosen(stage)`: a chip was clicked."""

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: tuple[StageChip, ...] = ()
        self.buttons: list[QToolButton] = []
        self._flow = FlowLayout(6, self)

    def show_chips(self, chips: tuple[StageChip, ...], current: str, theme: Colours) -> None:
        """These chips; the current stage's is marked."""
        self._chips = chips
        while len(self.buttons) < len(chips):
            self._add()
        while len(self.buttons) > len(chips):
            button = self.buttons.pop()
            self._flow.removeWidget(button)
            button.hide()
            button.deleteLater()
        for button, chip in zip(self.buttons, chips, strict=True):
            here = chip.stage == current
            button.setText(chip.text)
            button.setChecked(here)
            set_font(button, CAPTION, bold=here)
            button.setToolTip(chip.name)
            button.setAccessibleName(chip.name)
        self.setStyleSheet(_style(theme))
        self.setVisible(len(chips) > 1 or any(chip.stage != current for chip in chips))
        self.updateGeometry()

    def _add(self) -> None:
        button = QToolButton(self)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(partial(self._choose, len(self.buttons)))
        self._flow.addWidget(button)
        self.buttons.append(button)
        button.show()

    def _choose(self, number: int, _checked: bool = False) -> None:
        self.chosen.emit(self._chips[number].stage)


def _style(theme: Colours) -> str:
    return f"""
        QToolButton {{ color: {theme.text}; background: {theme.sunken}; border: 1px solid {theme.line};
            border-radius: 10px; padding: 1px 9px; }}
        QToolButton:checked {{ color: {theme.accent}; background: {theme.accent_soft}; border-color: {theme.accent}; }}
        QToolButton:hover, QToolButton:focus {{ border-color: {theme.accent}; }}
    """


VERDICTS = (RIGHT, FOLLOWS, WRONG)


def stage_chips(state: State, report: CheckReport | None) -> tuple[StageChip, ...]:
    """The stages in which something is written, with how much of it is right once it is marked."""
    return tuple(_chip(state, report, name) for name in stages_of(state) if name in state.entries)


def _chip(state: State, report: CheckReport | None, stage: str) -> StageChip:
    right, words = "", []
    if report is not None:
        right = f"{report.count(RIGHT, stage) + report.count(FOLLOWS, stage)} / "
        words = [counted(verdict, n) for verdict in VERDICTS if (n := report.count(verdict, stage))]
    symbol = stage_symbol(stage, state.document.scale.kind, state.orientation)
    spoken = tr("{stage}: {counts}", stage=stage_name(stage), counts=tr(" · ").join(words))
    return StageChip(stage, f"{symbol}  {right}{len(state.entries[stage])}", spoken)


def counts_of(report: CheckReport | None, stage: str) -> dict[str, int]:
    """How many numbers of a stage have each verdict."""
    return {verdict: report.count(verdict, stage) if report else 0 for verdict in VERDICTS}


def slip_records(
    state: State, report: CheckReport | None, stage: str, sheet: AnswerGrid
) -> tuple[SlipRecord, ...]:
    """The slips behind the wrong numbers of a stage; none while steps are to be predicted."""
    slips = () if report is None or state.hidden is not None else report.mistakes
    return tuple(_slip_record(slip, state, sheet) for slip in slips if slip.stage == stage)


def _slip_record(slip: Mistake, state: State, sheet: AnswerGrid) -> SlipRecord:
    tone = (
        "value"
        if slip.harmless
        else "accent"
        if slip.id in ("carried", "rounding.early")
        else "error"
    )
    cells = tuple(cell_of(slip.stage, index) for index in slip.cells)
    return SlipRecord(slip_text(slip, state.orientation), slip_places(slip, sheet), cells, tone)
