"""Watch a shipped model learn: a slider over the snapshots of its training."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QSlider, QWidget

from gui.model_window.session import ModelSession
from gui.model_window.state import ModelState
from gui.painting.text_size import set_font
from gui.painting.theme import BODY, colours
from gui.texts.translation import tr
from gui.widgets.buttons import IconButton, KeyButton
from gui.widgets.layouts import fill
from gui.widgets.styles import link_style

PAUSE_MS = 900


class TrainingBar(QFrame):
    """Absent for models without snapshots. `about_wanted()`: show what the model learned."""

    about_wanted = Signal()

    def __init__(self, session: ModelSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._session = session
        self.title, self.step = QLabel(self), QLabel(self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.play, self.about = IconButton("play", self), KeyButton(self)
        set_font(self.title, BODY, bold=True)
        for widget in (self.step, self.about):
            set_font(widget, BODY)
        self.slider.setPageStep(1)
        self.about.setAutoRaise(True)
        parts = (self.title, self.play, (self.slider, 1), self.step, self.about)
        fill(QHBoxLayout(self), *parts, spacing=10, margins=(10, 3, 10, 3))
        self._timer = QTimer(self, interval=PAUSE_MS)
        self._timer.timeout.connect(self._advance)
        self.slider.valueChanged.connect(self._on_moved)
        self.play.clicked.connect(self._toggle)
        self.about.clicked.connect(self.about_wanted)

    def _on_moved(self, at: int) -> None:
        if at != self._session.state.snapshot:
            self._session.show_snapshot(at)

    def _toggle(self) -> None:
        """Play the snapshots from the first one if the last is shown, or pause."""
        if self._timer.isActive():
            self._timer.stop()
        else:
            if self.slider.value() == self.slider.maximum():
                self.slider.setValue(0)
            self._timer.start()
        self._name(self._session.state)

    def _advance(self) -> None:
        at = self.slider.value()
        if at == self.slider.maximum() or not self.isVisible():
            self._timer.stop()
            self._name(self._session.state)
        elif not self._session.state.opening:
            self.slider.setValue(at + 1)

    def show_state(self, old: ModelState | None, new: ModelState) -> None:
        """Show which snapshot is open."""
        self.setVisible(len(new.snapshots) > 1 or bool(new.notes))
        several = len(new.snapshots) > 1
        for part in (self.play, self.slider, self.step):
            part.setVisible(several)
        self.slider.blockSignals(True)
        self.slider.setRange(0, max(0, len(new.snapshots) - 1))
        if not new.opening:
            self.slider.setValue(new.snapshot)
        self.slider.blockSignals(False)
        if several:
            step, last = new.snapshots[new.snapshot][0], new.snapshots[-1][0]
            self.step.setText(tr("step {step} of {last}", step=step, last=last))
        self._name(new)
        if old is None or old.shade != new.shade:
            theme = colours(new.shade)
            self.play.paint_in(theme)
            self.about.setStyleSheet(link_style(theme).replace("QToolButton", "KeyButton"))

    def _name(self, state: ModelState) -> None:
        playing = self._timer.isActive()
        self.title.setText(tr("Watch it learn") if len(state.snapshots) > 1 else state.title)
        self.slider.setAccessibleName(tr("Step of the training"))
        self.play.call(tr("Pause") if playing else tr("Play"))
        self.play.show_picture("pause" if playing else "play", colours(state.shade))
        self.about.setText(tr("What it learned, and what it did not"))
