"""What a key–value cache keeps when a word is appended, and what it computes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.compute.decode import (
    cached_numbers,
    decode_row,
    is_causal,
    kept_before,
    largest_difference,
    multiply_adds,
)
from gui.painting.shapes import draw_box
from gui.painting.text_layout import CENTRE, draw_text
from gui.painting.text_size import factor, in_units, set_font, size_in_units
from gui.painting.theme import CAPTION, colours, font, role_colour
from gui.session.state import State
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.layouts import fill
from gui.widgets.styles import link_style

HEIGHT, CHIP, GAP = 44.0, 72.0, 4.0
MOST_TOKENS = 12  # chips; of a longer sentence the last ones


class KeptTokens(QWidget):
    """A chip per token: K and V of the earlier ones are kept, those of the last one are new."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: State | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_tokens(self, state: State) -> None:
        """Show the tokens of a state."""
        self._state = state
        kept = ", ".join(map(visible_token, state.document.tokens[:-1]))
        new = visible_token(state.document.tokens[-1])
        self.setAccessibleName(tr("Kept: K, V of {kept}. New: {new}.", kept=kept, new=new))
        self.update()

    def sizeHint(self) -> QSize:
        """One line of chips."""
        return QSize(300, round(HEIGHT)) * factor()

    minimumSizeHint = sizeHint

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the chips."""
        state = self._state
        if state is None:
            return
        tokens = state.document.tokens[-MOST_TOKENS:]
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            with in_units(painter, self.rect(), factor()):
                whole = size_in_units(self.rect(), factor()).width()
                wide = min((whole - GAP * (len(tokens) - 1)) / len(tokens), CHIP)
                for place, token in enumerate(tokens):
                    area = QRectF(place * (wide + GAP) + 1, 1, wide - 2, HEIGHT - 2)
                    _paint_chip(painter, area, token, state, new=place == len(tokens) - 1)


def _paint_chip(painter: QPainter, area: QRectF, token: str, state: State, *, new: bool) -> None:
    """Paint a token over its K and V: filled if kept, dashed if computed now."""
    theme = colours(state.shade)
    draw_box(painter, area, theme.accent if new else theme.line, None, 4.0)
    name = QRectF(area.x() + 2, area.y() + 1, area.width() - 4, 20.0)
    face = font(CAPTION, bold=new)
    draw_text(painter, name, CENTRE, visible_token(token), face, theme.text)
    half = (area.width() - 3 * 3.0) / 2
    for place, letter in enumerate("KV"):
        colour = role_colour(theme, letter)
        box = QRectF(area.x() + 3 + place * (half + 3), area.y() + 22, half, 17.0)
        pen = QPen(colour, 1.2, Qt.PenStyle.DashLine if new else Qt.PenStyle.SolidLine)
        draw_box(painter, box, pen, None if new else colour, 3.0)
        ink = colour if new else theme.surface
        draw_text(painter, box, CENTRE, letter, font(CAPTION, bold=True), ink)


class CachePart(QWidget):
    """The switch of the cache, what it keeps, what it computes, and the way to the lab.

    `lab_wanted`: the user wants to see it in the lab.
    """

    lab_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state: State | None = None
        self._said: tuple[State, str] | None = None  # the last sentence, and of which state
        self.keep, self.lab = QCheckBox(self), QPushButton(self)
        self.tokens, self.told = KeptTokens(self), QLabel(self)
        set_font(self.told, CAPTION)
        self.told.setWordWrap(True)
        self.told.setTextFormat(Qt.TextFormat.PlainText)
        line = QHBoxLayout()
        fill(line, self.keep, 1, self.lab, spacing=8)
        fill(QVBoxLayout(self), line, self.tokens, self.told, spacing=6, margins=(0, 0, 0, 0))
        self.keep.clicked.connect(self._on_keep)
        self.lab.clicked.connect(self.lab_wanted)

    def _on_keep(self) -> None:
        if self._state is not None:
            self.show_state(self._state)

    def show_state(self, state: State) -> None:
        """Show what the cache keeps of a state; nothing is computed while the switch is off."""
        self._state = state
        self.keep.setText(tr("Keep K and V (cache)"))
        self.keep.setToolTip(tr("Compute only the rows of the last token, from kept K and V."))
        self.lab.setText(tr("Step by step"))
        self.lab.setToolTip(tr("Open this experiment in the lab One token at a time"))
        self.lab.setStyleSheet(link_style(colours(state.shade)))
        on = self.keep.isChecked()
        why = _why_not(state) if on else ""
        self.told.setVisible(on)
        self.tokens.setVisible(on and not why)
        self.lab.setVisible(on and not why)
        if on:
            self.tokens.show_tokens(state)
            self.told.setText(why or self._sentence(state))

    def _sentence(self, state: State) -> str:
        """Return the sentence about a run; a step, which has the same run, computes nothing."""
        said = self._said
        if said is None or said[0].trace is not state.trace or said[0].wording != state.wording:
            said = self._said = state, _sentence(state)
        return said[1]


def _why_not(state: State) -> str:
    """Say why nothing can be kept; "" if keys and values can."""
    document = state.document
    if not is_causal(document):
        return tr("Without a causal mask earlier rows change with every word: nothing can be kept.")
    if document.pins:
        return tr("What-if values may change earlier rows: they are not kept in a cache.")
    if document.n < 2:
        return tr("The first token has nothing before it that could be kept.")
    return ""


def _sentence(state: State) -> str:
    """Say what is kept, what the last token costs, and that its rows are those of the whole run."""
    document, trace = state.document, state.trace
    last = document.n - 1
    row = decode_row(document, kept_before(trace, last))
    gap = largest_difference(trace, row, last)
    word = visible_token(document.tokens[-1])
    kept = tr(
        "Kept: {numbers} numbers, K and V of all tokens before “{word}” in every layer.",
        numbers=cached_numbers(document, last),
        word=word,
    )
    cost = tr(
        "New: one row of each stage, {cached} multiply-adds instead of {again}.",
        cached=multiply_adds(document, document.n, cache=True),
        again=multiply_adds(document, document.n, cache=False),
    )
    same = tr("The difference from computing all rows is {gap}.", gap=f"{gap:.1e}" if gap else "0")
    return f"{kept} {cost} {same}"
