"""The lecturer's own screen: what is seen now and next, what to say, and the time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QTextBrowser, QVBoxLayout, QWidget

from gui.painting.theme import Colours, colours
from gui.presentation.blank_screen import BLACK, WHITE
from gui.presentation.overlay import Overlay
from gui.presentation.preview import Preview
from gui.presentation.wording import notes_of, step_line
from gui.session.presented import PresentedViews
from gui.session.state import State
from gui.texts.rich_text import to_html
from gui.texts.translation import tr

Now = Callable[[], datetime]
LINES = 46  # lines of text on the height of the screen


class NotesView(QWidget):
    """A window of its own. It shows; what keys do in it is the same as in the hall's. `closed()`: from outside."""

    closed = Signal()

    def __init__(self, parent: QWidget, now: Now) -> None:
        super().__init__(parent, Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("notes_view")
        self.setAutoFillBackground(True)
        self._now, self._began = now, now()
        self.here, self.next = Preview(self), Preview(self)
        self.here.setMouseTracking(True)
        self.clock, self.elapsed, self.where = QLabel(self), QLabel(self), QLabel(self)
        self._caption_here, self._caption_next, self._keys = (
            QLabel(self),
            QLabel(self),
            QLabel(self),
        )
        self._caption_clock, self._caption_elapsed = QLabel(self), QLabel(self)
        self.notes = QTextBrowser(self)
        self.notes.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.notes.setFrameStyle(0)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self.tell_time)
        self._lay_out()

    def _lay_out(self) -> None:
        times = self._times = QHBoxLayout()
        for caption, time in (
            (self._caption_clock, self.clock),
            (self._caption_elapsed, self.elapsed),
        ):
            column = QVBoxLayout()
            column.setSpacing(0)
            column.addWidget(caption)
            column.addWidget(time)
            times.addLayout(column)
        times.addStretch(1)
        right = QVBoxLayout()
        right.addWidget(self._caption_next)
        right.addWidget(self.next, 1)  # room for all of its width
        right.addWidget(self.notes, 1)
        left = QVBoxLayout()
        left.addWidget(self._caption_here)
        left.addWidget(self.here, 1)
        left.addWidget(self.where)
        left.addLayout(times)
        grid = QGridLayout(self)
        grid.addLayout(left, 0, 0)
        grid.addLayout(right, 0, 1)
        grid.addWidget(self._keys, 1, 0, 1, 2)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        self._grid = grid

    def begin(self, aspect: float) -> None:
        """The time runs; previews have the proportions of the hall's screen."""
        self.here.aspect = self.next.aspect = aspect
        self._tick.start()
        self.tell_time()

    def end(self) -> None:
        """Away with it."""
        self._tick.stop()
        self.hide()
        self.deleteLater()

    def tell_time(self) -> None:
        """The clock, and how long it has been."""
        now = self._now()
        gone = int((now - self._began).total_seconds())
        self.clock.setText(now.strftime("%H:%M"))
        self.elapsed.setText(f"{gone // 3600}:{gone // 60 % 60:02d}:{gone % 60:02d}")

    def show_step(
        self,
        here: tuple[State, PresentedViews, bool],
        following: tuple[State, PresentedViews, bool] | None,
    ) -> None:
        """Now and next."""
        state = here[0]
        self.here.show_step(here)
        self.next.show_step(following)
        self.where.setText(step_line(state))
        self._say_now()
        self._caption_next.setText(tr("Next") if following else tr("The end"))
        self._caption_clock.setText(tr("Time"))
        self._caption_elapsed.setText(tr("Elapsed"))
        self.next.setVisible(following is not None)  # after the last step the notes have its room
        self._keys.setText(_keys_line())
        self.notes.setHtml(_html(notes_of(state)))
        self._name()
        self._paint(colours(state.shade))

    def show_over(self, over: Overlay) -> None:
        """What lies over the hall's picture."""
        self.here.show_over(over)
        self._say_now()

    def _say_now(self) -> None:
        said = {"": tr("Now"), BLACK: tr("Now: black screen"), WHITE: tr("Now: white screen")}
        self._caption_here.setText(said[self.here.over.curtain])

    def _name(self) -> None:
        self.clock.setAccessibleName(tr("Time"))
        self.elapsed.setAccessibleName(tr("Elapsed"))
        self.notes.setAccessibleName(tr("Notes"))

    def _paint(self, theme: Colours) -> None:
        """Colours, and text as large as the screen wants it."""
        size = max(12.0, self.height() / LINES)
        self.setStyleSheet(
            f"#notes_view {{ background: {theme.window}; }} QTextBrowser {{ background: {theme.window};"
            f" color: {theme.text}; border: none; font-size: {size * 1.15:.0f}px; }}"
        )
        for label, colour, times in (
            (self._caption_here, theme.muted, 1.0),
            (self._caption_next, theme.muted, 1.0),
            (self._caption_clock, theme.muted, 0.9),
            (self._caption_elapsed, theme.muted, 0.9),
            (self._keys, theme.muted, 0.9),
            (self.where, theme.text, 1.3),
            (self.clock, theme.text, 2.2),
            (self.elapsed, theme.text, 2.2),
        ):
            weight = 600 if times > 1.0 else 400
            pixels = max(12.0, size * times)
            label.setStyleSheet(
                f"color: {colour}; font-size: {pixels:.0f}px; font-weight: {weight};"
            )
        air = round(size)
        self._grid.setContentsMargins(air, air, air, air)
        self._grid.setSpacing(air)
        self._times.setSpacing(2 * air)
        self._grid.invalidate()  # in the middle of a resize it would keep the rooms of the smaller words
        self._grid.activate()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another screen."""
        if self.here.state is not None:
            self._paint(colours(self.here.state.shade))

    def closeEvent(self, event: QCloseEvent) -> None:
        """The window system's close ends the lecture, as with the hall's window: who quits is not held up."""
        self.closed.emit()
        event.accept()


def _keys_line() -> str:
    """The keys that a lecturer may look for."""
    return tr(
        "X change screens · B black · L laser · S spotlight · P pen · R cover · F2 number · V view · Esc leave"
    )


def _html(parts: tuple[tuple[str, str], ...]) -> str:
    blocks = []
    for heading, text in parts:
        words = to_html(text)
        blocks.append(
            f"<p><b>{to_html(heading)}</b><br>{words}</p>" if heading else f"<p>{words}</p>"
        )
    return "".join(blocks)
