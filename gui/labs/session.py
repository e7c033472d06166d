"""The lab session: the one object that changes a lab's setting, with its own undo stack."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal

from core.base.errors import UserError
from core.document.document import Document
from core.labs.controls import Button, Clock
from core.labs.lab import Lab, Setting, find_lab
from gui.labs.exhibit import LabAppearance, LabView, show_lab
from gui.session.base import StateHolder
from gui.session.trace_runner import run_at_once
from gui.session.undo import ReplaceCommand
from gui.texts.translation import language_folder, mark
from gui.widgets.worker import Worker

CHANGED = mark("Change the setting")


@dataclass(frozen=True, slots=True, eq=False)
class LabState:
    """The open lab, its setting, result and appearance.

    `working` is the job's progress from 0 to 1, None without a job.
    """

    lab: str
    shown: LabView
    language: str = "en"
    playing: str = ""
    working: float | None = None

    @property
    def setting(self) -> Setting:
        """Return the setting."""
        return self.shown.setting


class LabSession(StateHolder):
    """State of the lab window.

    `changed(old, new)` is its only state signal, `failed(problem)` reports errors. `led()`: a
    button that leads elsewhere was pressed. `held` are the labs of an earlier window.
    """

    _state: LabState
    led = Signal()

    def __init__(
        self,
        lab_id: str,
        appearance: LabAppearance,
        language: str,
        document: Document | None = None,
        held: Mapping[str, Setting] | None = None,
    ) -> None:
        kept = (held or {}).get(lab_id) if document is None else None
        setting = kept or find_lab(lab_id).start(document)
        super().__init__(LabState(lab_id, show_lab(lab_id, setting, appearance), language))
        self._held: dict[str, Setting] = dict(held or {})
        self.is_covered: Callable[[], bool] = lambda: False
        self._clock = QTimer(self)
        self._clock.timeout.connect(self._tick)
        self._job = Worker(self)
        self._job.done.connect(self._on_done)
        self._job.failed.connect(self._on_failed)
        self._progress = _LabProgress()
        self._watch = QTimer(self, interval=100)
        self._watch.timeout.connect(self._on_watch)

    @property
    def state(self) -> LabState:
        """Return the current state."""
        return self._state

    @property
    def lab(self) -> Lab:
        """Return the open lab."""
        return find_lab(self.state.lab)

    # Choice of the lab

    def open(self, lab_id: str) -> None:
        """Open a lab with its last setting, or its initial one."""
        if lab_id != self.state.lab:
            self._begin(lab_id, self._held.get(lab_id) or find_lab(lab_id).start())

    def use(self, document: Document, lab_id: str) -> bool:
        """Open a lab on the user's experiment; False if it is unsuitable."""
        return self.attempt(lambda: self._begin(lab_id, find_lab(lab_id).start(document)))

    def show(self, lab_id: str, setting: Setting) -> None:
        """Open a lab with the setting of a lesson's scene."""
        setting = find_lab(lab_id).in_language(setting, language_folder())
        if lab_id != self.state.lab or not _same(setting, self.state.setting):
            self._begin(lab_id, setting)

    @property
    def held(self) -> dict[str, Setting]:
        """Return the last setting of every opened lab."""
        return {**self._held, self.state.lab: self.state.setting}

    def _begin(self, lab_id: str, setting: Setting) -> None:
        self._held = self.held
        self._rest()
        self.undo_stack.clear()
        self.update(
            lab=lab_id,
            shown=show_lab(lab_id, setting, replace(self.state.shown.appearance, focus="")),
            playing="",
        )

    # Setting

    def set_value(self, control_id: str, value: object, merge: str = "") -> None:
        """Set a control; equal `merge` keys combine the steps of a drag into one undo step."""
        self._change(
            lambda: self.lab.with_value(self.state.setting, control_id, value), merge=merge
        )

    def press(self, button_id: str) -> None:
        """Press a button that acts at once or leads elsewhere."""
        buttons = (one for one in self.lab.controls(self.state.setting) if one.id == button_id)
        if any(isinstance(one, Button) and one.leads for one in buttons):
            self.led.emit()
            return
        self._change(lambda: self.lab.press(self.state.setting, button_id))

    def open_file(
        self, opener_id: str, path: Path, wait: Callable[..., Setting] = run_at_once
    ) -> None:
        """Load a file chosen by the user; `wait` does long work while the window stays alive."""
        work = partial(self.lab.open, self.state.setting, opener_id, path)
        self._change(lambda: wait(lambda _watch: work(), mark("Opening…")), mark("Open a file"))

    def reset(self) -> None:
        """Restore the initial setting with the current experiment."""
        setting = self.state.setting
        fresh = self.lab.start(None if setting.own else setting.document)
        self._replace(self.lab.in_language(fresh, language_folder()), mark("Reset"))

    def _change(self, setting: Callable[[], Setting], text: str = CHANGED, merge: str = "") -> None:
        """Take a new setting as one undo step, or report why it was refused."""
        self.attempt(lambda: self._replace(setting(), text, merge))

    def _replace(self, setting: Setting, text: str, merge: str = "") -> None:
        before = self.state.setting
        if not _same(setting, before):
            command = ReplaceCommand(self.take_setting, before, setting, text, merge)
            self.attempt(lambda: self.undo_stack.push(command))

    def take_setting(self, setting: Setting) -> None:
        """Show a setting; for undo commands only."""
        self.update(shown=show_lab(self.state.lab, setting, self.state.shown.appearance))

    # Jobs

    def start_job(self, button_id: str) -> None:
        """Start a background job, or cancel the running one."""
        if self._job.busy:
            self._rest()
            return
        lab, setting = self.lab, self.state.setting
        self._progress = progress = _LabProgress()
        self.update(working=0.0)
        self._watch.start()
        self._job.start(lambda: lab.job(setting, button_id, progress.tell))

    def _on_watch(self) -> None:
        self.update(working=self._progress.part)

    def _on_done(self, setting: Setting) -> None:
        self._rest()
        self._replace(setting, mark("Measure"))

    def _on_failed(self, problem: UserError) -> None:
        self._rest()
        self.failed.emit(problem)

    def _rest(self) -> None:
        """Stop the job and the clock."""
        self._progress.wanted = False
        self._job.stop()
        self._watch.stop()
        self._clock.stop()
        self.update(working=None, playing="")

    # Clocks

    def play(self, control_id: str, on: bool) -> None:
        """Play a clock, from its beginning if it is at its end, or pause it."""
        clock = self._clock_of(control_id)
        if clock is None or not on:
            self._clock.stop()
            self.update(playing="")
            return
        if self.state.setting[control_id] == clock.last:
            self.set_value(control_id, 0, "clock")
        self.update(playing=control_id)
        self._clock.start(clock.pause)

    def _tick(self) -> None:
        name = self.state.playing
        clock = self._clock_of(name) if name else None
        if clock is None or self.state.setting[name] >= clock.last or self.is_covered():
            self.play("", False)
            return
        self.set_value(name, self.state.setting[name] + 1, "clock")

    def step_clock(self, by: int) -> bool:
        """Step the first clock, back if negative; False in a lab without one."""
        clock = self._first_clock()
        if clock is None:
            return False
        self.play(clock.id, False)
        self.set_value(
            clock.id, min(max(self.state.setting[clock.id] + by, 0), clock.last), "clock"
        )
        return True

    def clock_end(self) -> int | None:
        """The last value of the first clock; None in a lab without one."""
        clock = self._first_clock()
        return None if clock is None else clock.last

    def toggle_clock(self) -> None:
        """Play or pause the first clock."""
        clock = self._first_clock()
        if clock is not None:
            self.play(clock.id, self.state.playing != clock.id)

    def _first_clock(self) -> Clock | None:
        return next(iter(self._clocks()), None)

    def _clocks(self) -> list[Clock]:
        controls = self.lab.valued(self.state.setting)
        return [control for control in controls if isinstance(control, Clock)]

    def _clock_of(self, control_id: str) -> Clock | None:
        return next((clock for clock in self._clocks() if clock.id == control_id), None)

    # Appearance

    def point_at(self, spot_id: str) -> None:
        """Set the hovered or focused spot."""
        self._look(self.state.language, focus=spot_id)

    def appear(self, shade: str, decimals: int, language: str) -> None:
        """Apply the program's theme, decimals and language."""
        self._look(language, shade=shade, decimals=decimals)

    def _look(self, language: str, **changes: Any) -> None:
        appearance = replace(self.state.shown.appearance, **changes)
        if language != self.state.language:
            shown = show_lab(self.state.lab, self.state.setting, appearance)
            self.update(shown=shown, language=language)
        elif appearance != self.state.shown.appearance:
            self.update(shown=replace(self.state.shown, appearance=appearance))

    def close(self) -> None:
        """Stop all activity."""
        self._rest()


class _LabProgress:
    """Progress and cancellation of a job, shared with its thread."""

    def __init__(self) -> None:
        self.part, self.wanted = 0.0, True

    def tell(self, part: float) -> bool:
        """Report progress; returns whether to continue."""
        self.part = part
        return self.wanted


def _same(a: Setting, b: Setting) -> bool:
    """Return whether two settings are equal; compares facts, which may be large, by identity."""
    facts = a.facts.keys() == b.facts.keys() and all(
        a.facts[name] is b.facts[name] for name in a.facts
    )
    return a.values == b.values and a.document is b.document and facts
