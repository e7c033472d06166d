"""The speaker's screen: current and next slide, notes and time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QTextBrowser, QVBoxLayout, QWidget

from gui.painting.shapes import draw_box
from gui.painting.theme import Colours, colours
from gui.presentation.layers import BLACK, WHITE
from gui.presentation.navigation import speaker_notes, step_line
from gui.presentation.overlay import Overlay, ScreenPoint, paint_overlay, point_of
from gui.presentation.slide import headline_of, paint_slide
from gui.session.presented_views import PresentedViews
from gui.session.state import State
from gui.texts.rich_text import to_html
from gui.texts.translation import tr
from gui.widgets.layouts import fill


class AudiencePreview(QWidget):
    """A small picture of the audience's screen; empty after the last step.

    The mouse is reported in screen points: `pointed(buttons, point)`, `pressed(button, point)`,
    `released(button)`, `left()`.
    """

    pointed = Signal(object, object)
    pressed = Signal(object, object)
    released = Signal(object)
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._shown: tuple[State, PresentedViews, bool] | None = None
        self._picture: tuple[QPixmap, str] | None = None
        self._over = Overlay()
        self.aspect = 16 / 9

    @property
    def state(self) -> State | None:
        """The state that is shown."""
        return None if self._shown is None else self._shown[0]

    @property
    def overlay(self) -> Overlay:
        """The overlay that is shown."""
        return self._over

    def show_step(self, shown: tuple[State, PresentedViews, bool] | None) -> None:
        """Show a state in a view, with its answer or without."""
        self._shown = shown
        self.update()

    def show_picture(self, picture: QPixmap, shade: str) -> None:
        """Show a picture of a lab."""
        self._picture = picture, shade
        self.update()

    def show_overlay(self, over: Overlay) -> None:
        """Show another overlay."""
        if over != self._over:
            self._over = over
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the picture in a frame."""
        if self._shown is None and self._picture is None:
            return
        with QPainter(self) as painter:
            place = self.place()
            painter.setClipRect(place)
            if self._shown is not None:
                state, choice, answered = self._shown
                shade = state.shade
                if not self._over.cover:
                    paint_slide(painter, place, state, choice, headline_of(state, answered))
            elif self._picture is not None:
                picture, shade = self._picture
                painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
                painter.drawPixmap(place, picture)
            paint_overlay(painter, QRectF(place), self._over, shade)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
            draw_box(
                painter,
                place.adjusted(0, 0, -1, -1),
                QPen(QColor(colours(shade).line), 1),
                None,
            )

    def place(self) -> QRect:
        """The largest rectangle with the proportions of the screen."""
        width = min(self.width(), round(self.height() * self.aspect))
        return QRect(0, 0, width, round(width / self.aspect))

    # The mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Report the press."""
        self.pressed.emit(event.button(), self._point(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Report the position, or that the mouse left the picture."""
        if self.place().contains(event.position().toPoint()):
            self.pointed.emit(event.buttons(), self._point(event.position()))
        else:
            self.left.emit()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Report the release."""
        self.released.emit(event.button())

    def leaveEvent(self, event: QEvent) -> None:
        """Report that the mouse left."""
        self.left.emit()

    def _point(self, at: QPointF) -> ScreenPoint:
        return point_of(at, QRectF(self.place()))


Now = Callable[[], datetime]
LINES = 46  # lines of text on the height of the screen


class SpeakerView(QWidget):
    """The speaker's full-screen window: previews, notes, clock.

    Signal: `closed()` when the window system closes it.
    """

    closed = Signal()

    def __init__(self, parent: QWidget, now: Now) -> None:
        super().__init__(parent, Qt.WindowType.Window | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("notes_view")
        self.setAutoFillBackground(True)
        self._now, self._began, self._shade = now, now(), ""
        self.current, self.upcoming = AudiencePreview(self), AudiencePreview(self)
        self.current.setMouseTracking(True)
        self.clock, self.elapsed, self.position = QLabel(self), QLabel(self), QLabel(self)
        self._caption_current, self._caption_next = QLabel(self), QLabel(self)
        self._caption_clock, self._caption_elapsed, self._keys = (QLabel(self) for _ in range(3))
        self.notes = QTextBrowser(self)
        self.notes.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.notes.setFrameStyle(0)
        self._tick = QTimer(self, interval=1000)
        self._tick.timeout.connect(self.show_time)
        self._lay_out()

    def _lay_out(self) -> None:
        now = fill(QVBoxLayout(), self._caption_clock, self.clock, spacing=0)
        since = fill(QVBoxLayout(), self._caption_elapsed, self.elapsed, spacing=0)
        self._times = fill(QHBoxLayout(), now, since, 1)
        # The next slide has room for all of its width.
        right = fill(QVBoxLayout(), self._caption_next, (self.upcoming, 1), (self.notes, 1))
        current = (self._caption_current, (self.current, 1), self.position)
        left = fill(QVBoxLayout(), *current, self._times)
        grid = QGridLayout(self)
        grid.addLayout(left, 0, 0)
        grid.addLayout(right, 0, 1)
        grid.addWidget(self._keys, 1, 0, 1, 2)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        self._grid = grid

    def begin(self, aspect: float) -> None:
        """Start the clock; `aspect` are the proportions of the audience's screen."""
        self.current.aspect = self.upcoming.aspect = aspect
        self._tick.start()
        self.show_time()

    def end(self) -> None:
        """Close the window."""
        self._tick.stop()
        self.hide()
        self.deleteLater()

    def show_time(self) -> None:
        """Show the time and the elapsed time."""
        now = self._now()
        seconds = int((now - self._began).total_seconds())
        self.clock.setText(now.strftime("%H:%M"))
        self.elapsed.setText(f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}")

    def show_step(
        self,
        current: tuple[State, PresentedViews, bool],
        following: tuple[State, PresentedViews, bool] | None,
    ) -> None:
        """Show the current and the next step."""
        state = current[0]
        self.current.show_step(current)
        self.upcoming.show_step(following)
        self.position.setText(step_line(state))
        self._show_caption()
        self._caption_next.setText(tr("Next") if following else tr("The end"))
        self._caption_clock.setText(tr("Time"))
        self._caption_elapsed.setText(tr("Elapsed"))
        self.upcoming.setVisible(
            following is not None
        )  # after the last step the notes have its room
        self._keys.setText(
            tr(
                "X change screens · B black · L laser · S spotlight · P pen · R cover · F2 number · V view · Esc leave"
            )
        )
        self.notes.setHtml(_html(speaker_notes(state)))
        for widget, name in (
            (self.clock, tr("Time")),
            (self.elapsed, tr("Elapsed")),
            (self.notes, tr("Notes")),
        ):
            widget.setAccessibleName(name)
        self._shade = state.shade
        self._paint(colours(state.shade))

    def show_lab(self, picture: QPixmap, notes: tuple[tuple[str, str], ...], shade: str) -> None:
        """Show a lab and what to say about it."""
        self.current.show_picture(picture, shade)
        self._shade = shade
        self._show_caption()
        self._caption_next.setText(tr("Notes"))
        self._caption_clock.setText(tr("Time"))
        self._caption_elapsed.setText(tr("Elapsed"))
        self.position.setText(notes[0][0])
        self.upcoming.hide()
        self._keys.setText(
            tr("X swap screens · B black · L laser · S spotlight · P pen · C controls · Esc leave")
        )
        self.notes.setHtml(_html(notes))
        self._paint(colours(shade))

    def show_overlay(self, over: Overlay) -> None:
        """Show the overlay of the audience's picture."""
        self.current.show_overlay(over)
        self._show_caption()

    def _show_caption(self) -> None:
        captions = {"": tr("Now"), BLACK: tr("Now: black screen"), WHITE: tr("Now: white screen")}
        self._caption_current.setText(captions[self.current.overlay.cover])

    def _paint(self, theme: Colours) -> None:
        """Set colours and text sizes for the size of the window."""
        size = max(12.0, self.height() / LINES)
        self.setStyleSheet(
            f"#notes_view {{ background: {theme.window}; }} QTextBrowser {{ background: {theme.window};"
            f" color: {theme.text}; border: none; font-size: {size * 1.15:.0f}px; }}"
        )
        for label, colour, times in (
            (self._caption_current, theme.muted, 1.0),
            (self._caption_next, theme.muted, 1.0),
            (self._caption_clock, theme.muted, 0.9),
            (self._caption_elapsed, theme.muted, 0.9),
            (self._keys, theme.muted, 0.9),
            (self.position, theme.text, 1.3),
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
        """Set sizes again."""
        if self._shade:
            self._paint(colours(self._shade))

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the presentation when the window system closes the window."""
        self.closed.emit()
        event.accept()


def _html(parts: tuple[tuple[str, str], ...]) -> str:
    blocks = []
    for heading, text in parts:
        words = to_html(text)
        blocks.append(
            f"<p><b>{to_html(heading)}</b><br>{words}</p>" if heading else f"<p>{words}</p>"
        )
    return "".join(blocks)
