"""The sentences: a field for each, and its tokens with their ids."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QScrollArea, QWidget

from gui.model_window.canvas import Canvas
from gui.model_window.state import EDITED, A, ModelState, Sentence
from gui.painting.shapes import draw_box
from gui.painting.text_layout import CENTRE, draw_text, width_of
from gui.painting.text_size import set_fixed, set_font
from gui.painting.theme import BODY, CAPTION, Colours, colours, font
from gui.texts.names import visible_token
from gui.texts.translation import tr
from gui.widgets.announcer import announce
from gui.widgets.layouts import fill
from gui.widgets.shortcut_filter import claim_key

PADDING, BETWEEN, CHIP, IDS = 6.5, 4.0, 24.0, 15.0
LONGEST = 22  # letters of a token
LEAST_FIELD = 240  # pixels that a field takes where there is room
MOVES = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
PRESS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class TokenStrip(Canvas):
    """A chip for each token, its id below. `chosen(place)`: a click or Enter."""

    chosen = Signal(int)
    moved = Signal(QRectF)  # the chip of the keyboard

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._at = name, 0
        self._places: list[QRectF] = []
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def sentence(self) -> Sentence | None:
        """The tokens of the strip; those of A with swapped words."""
        runs = self.state.runs
        run = runs.get(EDITED, runs.get(A)) if self._name == A else runs.get(self._name)
        return None if run is None else run.sentence

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Measure and repaint."""
        super().show_state(old, new)
        sentence = self.sentence
        self._places = [] if sentence is None else _places(sentence)
        self._at = min(self._at, max(0, len(self._places) - 1))
        self.setAccessibleName(tr("Tokens of sentence {name}", name=self._name))
        words = [] if sentence is None else map(visible_token, sentence.labels)
        self.setAccessibleDescription(" ".join(words))
        self.resize(self.sizeHint())
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """As wide as all chips."""
        right = self._places[-1].right() + 4.0 if self._places else 40.0
        return QSize(round(right * self.unit), round((CHIP + IDS + 3.0) * self.unit))

    def paint(self, painter: QPainter, area: QRectF, theme: Colours) -> None:
        """Paint chips and ids."""
        sentence = self.sentence
        if sentence is None:
            return
        look = self.state.look
        before = self.state.runs.get(A)
        for place, rect in enumerate(self._places):
            role = {look.query: theme.query, look.key: theme.key}.get(place)
            other = self._name == A and before is not None
            swapped = other and before.sentence.ids[place] != sentence.ids[place]  # type: ignore[union-attr]
            special = sentence.labels[place] == sentence.pieces[place] and _is_special(
                sentence.labels[place]
            )
            line = QPen(QColor(theme.ghost), 1.0, Qt.PenStyle.DashLine) if special else None
            if role or swapped:
                line = QPen(QColor(role or theme.warning), 1.8)
            fill_ = theme.surface if special else theme.accent_soft if role else theme.sunken
            draw_box(painter, rect, line, QColor(fill_), 5.0)
            bold = bool(role)
            text = _short(visible_token(sentence.labels[place]))
            draw_text(painter, rect, CENTRE, text, font(BODY, bold=bold), role or theme.text)
            below = QRectF(rect.x() - 6, rect.bottom(), rect.width() + 12, IDS)
            draw_text(painter, below, CENTRE, str(sentence.ids[place]), font(CAPTION), theme.muted)
            if self.hasFocus() and place == self._at:
                pen = QPen(QColor(theme.accent), 2.0)
                draw_box(painter, rect.adjusted(-1.5, -1.5, 1.5, 1.5), pen, None, 6.0)

    def at(self, point: QPointF) -> int | None:
        """The token at a point."""
        return next(
            (
                i
                for i, rect in enumerate(self._places)
                if rect.adjusted(0, 0, 0, IDS).contains(point)
            ),
            None,
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the token at the pointer."""
        place = self.at(self.point(event))
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self._at = place
            self.chosen.emit(place)

    def event(self, event: QEvent) -> bool:
        """Keep arrow keys, Enter and Space; tell how a token is written in the vocabulary."""
        if claim_key(event, lambda key: Qt.Key(key.key()) in (*MOVES, *PRESS)):
            return True
        if isinstance(event, QHelpEvent):
            place = self.at(QPointF(event.pos()) / self.unit)
            self.setToolTip("" if place is None else self._spoken(place))
        return super().event(event)

    def _spoken(self, place: int) -> str:
        sentence = self.sentence
        if sentence is None:
            return ""
        return tr(
            "Token {number}: {piece}, id {id}",
            number=place + 1,
            piece=sentence.pieces[place],
            id=sentence.ids[place],
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move from token to token, choose one."""
        key = Qt.Key(event.key())
        if key in MOVES and self._places:
            self._at = min(max(self._at + MOVES[key], 0), len(self._places) - 1)
            self.moved.emit(self._places[self._at])
            announce(self, self._spoken(self._at))
            self.update()
        elif key in PRESS and self._places:
            self.chosen.emit(self._at)
        else:
            super().keyPressEvent(event)


def _places(sentence: Sentence) -> list[QRectF]:
    """The chip of each token, in a line."""
    found, x = [], 2.0
    for label, number in zip(sentence.labels, sentence.ids, strict=True):
        text = _short(visible_token(label))
        wide = max(
            width_of(text, font(BODY, bold=True)) + 2 * PADDING,
            width_of(str(number), font(CAPTION)),
        )
        found.append(QRectF(x, 2.0, wide, CHIP))
        x += wide + BETWEEN
    return found


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _is_special(label: str) -> bool:
    """Whether a token looks like one that the tokenizer puts round a text."""
    return len(label) > 2 and (label[0], label[-1]) in (("[", "]"), ("<", ">"))


class SentenceRow(QWidget):
    """The badge of a sentence, its field and its tokens. `entered(text)`; `chosen(place)`."""

    entered = Signal(str)
    chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.badge, self.line, self.strip = QLabel(name, self), QLineEdit(self), TokenStrip(name)
        set_font(self.badge, BODY, bold=True)
        set_font(self.line, BODY)
        set_fixed(self.badge, 26, 26)
        self.badge.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.line.setMinimumWidth(140)
        scroll = self._scroll = QScrollArea(self)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.strip)
        scroll.viewport().setAutoFillBackground(False)
        self.strip.setAutoFillBackground(False)
        fill(QHBoxLayout(self), self.badge, (self.line, 1), (scroll, 6), spacing=8).addStretch()
        self.line.editingFinished.connect(self._on_finished)
        self.strip.chosen.connect(self.chosen)
        self.strip.moved.connect(self._follow)

    def _on_finished(self) -> None:
        if self.line.isModified():
            self.line.setModified(False)
            self.entered.emit(self.line.text())

    def _follow(self, rect: QRectF) -> None:
        place = (rect.center() * self.strip.unit).toPoint()
        self._scroll.ensureVisible(place.x(), place.y(), 60, 0)

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show text and tokens."""
        theme = colours(new.shade)
        self.strip.show_state(old, new)
        text = new.setting.text if self.name == A else new.setting.other
        if not self.line.isModified() and self.line.text() != text:
            self.line.setText(text)
            self.line.setCursorPosition(0)
        self.line.setAccessibleName(tr("Sentence {name}", name=self.name))
        self.line.setPlaceholderText(tr("Type a sentence, then Enter"))
        self._fit_height()
        shown = new.look.show.startswith(self.name) or (
            self.name == A and "edited" in new.look.show
        )
        ink, ground = (theme.on_accent, theme.accent) if shown else (theme.accent, theme.surface)
        self.badge.setStyleSheet(
            f"color: {ink}; background: {ground}; border: 2px solid {theme.accent};"
            f"border-radius: {self.badge.width() // 2}px;"
        )

    def wanted(self) -> tuple[int, int]:
        """The widths in pixels that show the whole text and all tokens."""
        text = self.line.fontMetrics().horizontalAdvance(self.line.text())
        return max(text + 24, LEAST_FIELD), self.strip.sizeHint().width()

    def give(self, field: int, tokens: int) -> None:
        """Set the largest widths of field and tokens, in pixels."""
        self.line.setMaximumWidth(field)
        self._scroll.setMaximumWidth(tokens)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Make room for the scroll bar, or take it back."""
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        """Be as high as the tokens, and the scroll bar where they do not fit."""
        bars = self._scroll.horizontalScrollBar().sizeHint().height()
        tokens = self.strip.sizeHint()
        wide = tokens.width() > self._scroll.viewport().width()
        self._scroll.setFixedHeight(tokens.height() + (bars if wide else 0))

    def restore(self) -> None:
        """Discard what is being typed."""
        self.line.setModified(False)
