"""The lab session: the one object that changes a lab's setting, with its own undo stack."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from core.base.errors import UserError
from core.document.document import Document
from core.labs.controls import Button, Clock, Control
from core.labs.lab import Lab, Setting, find_lab
from gui.labs.exhibit import Appearance, LabView
from gui.session.trace_runner import run_at_once
from gui.session.undo import ReplaceCommand, UndoStack
from gui.texts.translation import mark
from gui.widgets.worker import Worker


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


class LabSession(QObject):
    """State of the lab window.

    `changed(old, new)` is its only state signal, `failed(problem)` reports errors. `led()`: a
    button that leads elsewhere was pressed. `held` are the labs of an earlier window.
    """

    changed = Signal(object, object)
    failed = Signal(object)
    led = Signal()

    def __init__(
        self,
        lab_id: str,
        appearance: Appearance,
        language: str,
        document: Document | None = None,
        held: Mapping[str, Setting] | None = None,
    ) -> None:
        super().__init__()
        self._held: dict[str, Setting] = dict(held or {})
        kept = self._held.get(lab_id) if document is None else None
        setting = kept or find_lab(lab_id).start(document)
        self._state = LabState(lab_id, _shown(lab_id, setting, appearance), language)
        self._untold: deque[tuple[LabState, LabState]] = deque()
        self.undo_stack = UndoStack(self)
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
        return find_lab(self._state.lab)

    # Choice of the lab

    def open(self, lab_id: str) -> None:
        """Open a lab with its last setting, or its initial one."""
        if lab_id != self._state.lab:
            self._begin(lab_id, self._held.get(lab_id) or find_lab(lab_id).start())

    def use(self, document: Document, lab_id: str) -> bool:
        """Open a lab on the user's experiment; False if it is unsuitable."""
        try:
            setting = find_lab(lab_id).start(document)
        except UserError as problem:
            self.failed.emit(problem)
            return False
        self._begin(lab_id, setting)
        return True

    def show(self, lab_id: str, setting: Setting) -> None:
        """Open a lab with the setting of a lesson's scene."""
        if lab_id != self._state.lab or not _same(setting, self._state.setting):
            self._begin(lab_id, setting)

    @property
    def held(self) -> dict[str, Setting]:
        """Return the last setting of every opened lab."""
        return {**self._held, self._state.lab: self._state.setting}

    def _begin(self, lab_id: str, setting: Setting) -> None:
        self._held = self.held
        self._rest()
        self.undo_stack.clear()
        self._set(
            lab=lab_id,
            shown=_shown(lab_id, setting, replace(self._state.shown.appearance, focus="")),
            playing="",
        )

    # Setting

    def set_value(self, control_id: str, value: object, merge: str = "") -> None:
        """Set a control; equal `merge` keys combine the steps of a drag into one undo step."""
        try:
            setting = self.lab.with_value(self._state.setting, control_id, value)
        except UserError as problem:
            self.failed.emit(problem)
            return
        self._replace(setting, mark("Change the setting"), merge)

    def press(self, button_id: str) -> None:
        """Press a button that acts at once or leads elsewhere."""
        if any(
            isinstance(one, Button) and one.id == button_id and one.leads
            for one in self._controls()
        ):
            self.led.emit()
            return
        self._replace(
            self.lab.press(self._state.setting, button_id), mark("Change the setting"), ""
        )

    def _controls(self) -> tuple[Control, ...]:
        return self.lab.controls(self._state.setting)

    def open_file(
        self, opener_id: str, path: Path, wait: Callable[..., Setting] = run_at_once
    ) -> None:
        """Load a file chosen by the user; `wait` does long work while the window stays alive."""
        lab, setting = self.lab, self._state.setting
        try:
            setting = wait(lambda _watch: lab.open(setting, opener_id, path), mark("Opening…"))
        except UserError as problem:
            self.failed.emit(problem)
            return
        self._replace(setting, mark("Open a file"), "")

    def reset(self) -> None:
        """Restore the initial setting with the current experiment."""
        document = self._state.setting.document
        own = document is None or document is self.lab.experiment()
        self._replace(self.lab.start(None if own else document), mark("Reset"), "")

    def _replace(self, setting: Setting, text: str, merge: str) -> None:
        if _same(setting, self._state.setting):
            return
        before = self._state.setting
        try:
            self.undo_stack.push(ReplaceCommand(self.take_setting, before, setting, text, merge))
        except UserError as problem:
            self.failed.emit(problem)

    def take_setting(self, setting: Setting) -> None:
        """Show a setting; for undo commands only."""
        self._set(shown=_shown(self._state.lab, setting, self._state.shown.appearance))

    # Jobs

    def start_job(self, button_id: str) -> None:
        """Start a background job, or cancel the running one."""
        if self._job.busy:
            self._rest()
            return
        lab, setting = self.lab, self._state.setting
        self._progress = progress = _LabProgress()
        self._set(working=0.0)
        self._watch.start()
        self._job.start(lambda: lab.job(setting, button_id, progress.tell))

    def _on_watch(self) -> None:
        self._set(working=self._progress.part)

    def _on_done(self, setting: Setting) -> None:
        self._rest()
        self._replace(setting, mark("Measure"), "")

    def _on_failed(self, problem: UserError) -> None:
        self._rest()
        self.failed.emit(problem)

    def _rest(self) -> None:
        """Stop the job and the clock."""
        self._progress.wanted = False
        self._job.stop()
        self._watch.stop()
        self._clock.stop()
        self._set(working=None, playing="")

    # Clocks

    def play(self, control_id: str, on: bool) -> None:
        """Play a clock, from its beginning if it is at its end, or pause it."""
        clock = self._clock_of(control_id)
        if clock is None or not on:
            self._clock.stop()
            self._set(playing="")
            return
        if self._state.setting[control_id] == clock.last:
            self.set_value(control_id, 0, "clock")
        self._set(playing=control_id)
        self._clock.start(clock.pause)

    def _tick(self) -> None:
        name = self._state.playing
        clock = self._clock_of(name) if name else None
        if clock is None or self._state.setting[name] >= clock.last:
            self.play("", False)
            return
        self.set_value(name, self._state.setting[name] + 1, "clock")

    def step_clock(self, by: int) -> bool:
        """Step the first clock, back if negative; False in a lab without one."""
        clock = self._first_clock()
        if clock is None:
            return False
        self.play(clock.id, False)
        self.set_value(
            clock.id, min(max(self._state.setting[clock.id] + by, 0), clock.last), "clock"
        )
        return True

    def toggle_clock(self) -> None:
        """Play or pause the first clock."""
        clock = self._first_clock()
        if clock is not None:
            self.play(clock.id, self._state.playing != clock.id)

    def _first_clock(self) -> Clock | None:
        clocks = [
            control
            for control in self.lab.valued(self._state.setting)
            if isinstance(control, Clock)
        ]
        return clocks[0] if clocks else None

    def _clock_of(self, control_id: str) -> Clock | None:
        found = [
            control for control in self.lab.valued(self._state.setting) if control.id == control_id
        ]
        return found[0] if found and isinstance(found[0], Clock) else None

    # Appearance

    def point_at(self, spot_id: str) -> None:
        """Set the hovered or focused spot."""
        self._look(focus=spot_id)

    def appear(self, shade: str, decimals: int, language: str) -> None:
        """Apply the program's theme, decimals and language."""
        appearance = replace(self._state.shown.appearance, shade=shade, decimals=decimals)
        if appearance != self._state.shown.appearance or language != self._state.language:
            self._set(shown=replace(self._state.shown, appearance=appearance), language=language)

    def _look(self, **changes: Any) -> None:
        appearance = replace(self._state.shown.appearance, **changes)
        if appearance != self._state.shown.appearance:
            self._set(shown=replace(self._state.shown, appearance=appearance))

    def close(self) -> None:
        """Stop all activity."""
        self._rest()

    def _set(self, **changes: Any) -> None:
        old = self._state
        if all(
            getattr(old, name) is value or getattr(old, name) == value
            for name, value in changes.items()
        ):
            return
        self._state = replace(old, **changes)
        self._untold.append((old, self._state))
        if len(self._untold) > 1:
            return  # a view changed the state during this notification
        while self._untold:
            self.changed.emit(*self._untold[0])
            self._untold.popleft()


class _LabProgress:
    """Progress and cancellation of a job, shared with its thread."""

    def __init__(self) -> None:
        self.part, self.wanted = 0.0, True

    def tell(self, part: float) -> bool:
        """Report progress; returns whether to continue."""
        self.part = part
        return self.wanted


def _shown(lab_id: str, setting: Setting, appearance: Appearance) -> LabView:
    return LabView(setting, find_lab(lab_id).compute(setting), appearance)


def _same(a: Setting, b: Setting) -> bool:
    """Return whether two settings are equal; compares facts, which may be large, by identity."""
    facts = a.facts.keys() == b.facts.keys() and all(
        a.facts[name] is b.facts[name] for name in a.facts
    )
    return a.values == b.values and a.document is b.document and facts
