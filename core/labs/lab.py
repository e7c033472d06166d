"""Base class of labs: controls, the result computed from them, and the list of labs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.base.errors import UserError
from core.document.document import Document
from core.document.edits import without_pins
from core.explain.timeline import Cursor
from core.labs.controls import Button, Control, Opener, Value, Valued, fitted

Progress = Callable[[float], bool]  # told a part from 0 to 1; answers whether to go on


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """What the controls of a lab are set to, and the experiment that it works on, if it works on one.

    `facts` are what jobs and files have brought, such as measured times or the pixels of a picture.
    """

    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    document: Document | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def __getitem__(self, control_id: str) -> Any:
        return self.values[control_id]

    @property
    def experiment(self) -> Document:
        """The experiment, in a lab that always works on one."""
        assert self.document is not None, "the lab has an experiment of its own"
        return self.document

    @property
    def unpinned(self) -> Document:
        """The experiment without its what-if values, for a lab in which they would hide what follows from what."""
        return _unpinned(self.experiment)

    def get(self, control_id: str, default: Value) -> Any:
        """A value, or the default while the lab is still being set up: for controls that hang on others."""
        return self.values.get(control_id, default)

    def with_facts(self, **facts: object) -> Setting:
        """With what a job or a file has brought."""
        return replace(self, facts=MappingProxyType({**self.facts, **facts}))


@lru_cache(maxsize=4)
def _unpinned(document: Document) -> Document:
    """One and the same object each time: what labs have worked out is kept by it."""
    return without_pins(document)


class Lab:
    """One lab. Subclasses give `id`, `controls` and `work_out`; the rest has sensible beginnings."""

    id: str = ""

    def experiment(self) -> Document | None:
        """The experiment with which the lab begins; None for a lab that needs none."""
        return None

    def require(self, document: Document) -> None:
        """Raise UserError "lab.unfit" (reason) for an experiment that the lab cannot work on."""
        raise UserError("lab.unfit", reason="lab.own")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """The controls in order, as many and as wide as the setting makes them.

        What hangs on another control asks `setting.get(id, default)`: while a lab is set up, values may be missing.
        """
        raise NotImplementedError

    def work_out(self, setting: Setting) -> Any:
        """Every number of the picture, frozen. Pure, and quick enough to follow a slider."""
        raise NotImplementedError

    def document(self, setting: Setting) -> Document | None:
        """The very experiment on the screen, for the main window; None where there is none to step through."""
        return setting.document

    def cursor(self, setting: Setting) -> Cursor | None:
        """Where the main window stands when that experiment is handed over; None for its beginning."""
        return None

    def leads(self, setting: Setting) -> tuple[str, Setting] | None:
        """The other lab, as it is set, that a button which leads opens; None where it is the experiment instead."""
        return None

    def press(self, setting: Setting, button: str) -> Setting:
        """What a button makes of the setting."""
        raise NotImplementedError

    def job(self, setting: Setting, button: str, progress: Progress) -> Setting:
        """What a button makes of the setting that takes its time; it runs beside the window."""
        raise NotImplementedError

    def open(self, setting: Setting, opener: str, path: Path) -> Setting:
        """What a file makes of the setting. Raises UserError for a file that cannot be used."""
        raise NotImplementedError

    # What follows is the same for all.

    def start(
        self, document: Document | None = None, values: Mapping[str, object] | None = None
    ) -> Setting:
        """The lab as it begins, with an experiment of the user's or its own, and with these values set.

        Raises UserError "lab.unfit", "lab.value.…" (control, value), "lab.control" (control, known).
        """
        if document is not None:
            self.require(document)
        setting = self._filled(Setting(document=document or self.experiment()))
        wanted = dict(values or {})
        for _ in range(
            len(wanted)
        ):  # some controls hang on others: what does not fit yet may fit after another
            for control_id in list(wanted):
                with suppress(UserError):
                    setting = self.with_value(setting, control_id, wanted[control_id])
                    del wanted[control_id]
        for control_id, value in wanted.items():
            setting = self.with_value(setting, control_id, value)
        return setting

    def with_value(self, setting: Setting, control_id: str, value: object) -> Setting:
        """The setting with another value; the same object if it is the same. Other controls keep theirs if they can.

        Raises UserError "lab.value.…" (control, value), "lab.control" (control, known).
        """
        control = self.control(setting, control_id)
        new = fitted(control, value)
        if setting.values[control_id] == new and type(setting.values[control_id]) is type(new):
            return setting
        return self._filled(
            replace(setting, values=MappingProxyType({**setting.values, control_id: new}))
        )

    def control(self, setting: Setting, control_id: str) -> Valued:
        """The control of an id. Raises UserError "lab.control" (control, known)."""
        known = self.valued(setting)
        for control in known:
            if control.id == control_id:
                return control
        raise UserError(
            "lab.control", control=control_id, known=tuple(control.id for control in known)
        )

    def valued(self, setting: Setting) -> tuple[Valued, ...]:
        """The controls that hold a value."""
        return tuple(
            control
            for control in self.controls(setting)
            if not isinstance(control, Button | Opener)
        )

    def _filled(self, setting: Setting) -> Setting:
        """Every control has a value that fits it: the one it had, or its default. Some controls hang on others."""
        for _ in range(_ROUNDS):
            values = {
                control.id: _kept(control, setting.values) for control in self.valued(setting)
            }
            if values == setting.values:
                break
            setting = replace(setting, values=MappingProxyType(values))
        return setting


_ROUNDS = 4  # as deep as controls hang on each other, and one more


def _kept(control: Valued, values: Mapping[str, Value]) -> Value:
    try:
        return fitted(control, values[control.id])
    except (KeyError, UserError):
        return control.default


# In the order of the menu. The module core.labs.<id>, with _ for -, holds it as LAB.
LABS: tuple[str, ...] = (
    "roles",
    "plane",
    "softmax",
    "sqrt-dk",
    "order",
    "positions",
    "heads",
    "context",
    "sequence",
    "sparse",
    "cross",
    "decode",
    "patches",
    "backward",
    "learn",
    "caution",
    "complexity",
    "quiz",
)


@cache
def find_lab(lab_id: str) -> Lab:
    """A lab by its id. Raises UserError "lab.absent" (lab, known)."""
    if lab_id not in LABS:
        raise UserError("lab.absent", lab=lab_id, known=LABS)
    package = "core.quiz" if lab_id == "quiz" else "core.labs"
    found: Lab = import_module(f"{package}.{lab_id.replace('-', '_')}").LAB
    return found
