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
from core.compute.trace import Trace, run
from core.document.document import Document
from core.document.edits import without_pins
from core.explain.timeline import Cursor
from core.labs.controls import Button, ChoiceControl, Control, Opener, Value, Valued, fitted
from core.storage.examples import load_example, with_token_names

Progress = Callable[[float], bool]  # takes progress from 0 to 1, returns whether to continue


@dataclass(frozen=True, slots=True, eq=False)
class Setting:
    """Control values of a lab, and its experiment if it has one.

    `facts` are results of jobs and files, such as measured times or the pixels of a picture.
    `own`: the experiment is the lab's, not the user's; `folder` is that of the language that names
    its tokens.
    """

    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    document: Document | None = None
    facts: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    own: bool = True
    folder: Path | None = None

    def __getitem__(self, control_id: str) -> Any:
        return self.values[control_id]

    @property
    def experiment(self) -> Document:
        """Return the experiment of a lab that requires one."""
        assert self.document is not None, "the lab has an experiment of its own"
        return self.document

    @property
    def unpinned(self) -> Document:
        """Return the experiment without its what-if values."""
        return _unpinned(self.experiment)

    @property
    def head(self) -> int:
        """Return the index of the chosen head, the first of an experiment that offers no choice."""
        return int(self.get("head", "0"))

    def get(self, control_id: str, default: Value) -> Any:
        """Return a value, or the default before the control has one.

        For controls that depend on others.
        """
        return self.values.get(control_id, default)

    def with_facts(self, **facts: object) -> Setting:
        """Add results of a job or a file."""
        return replace(self, facts=MappingProxyType({**self.facts, **facts}))


@lru_cache(maxsize=4)
def _unpinned(document: Document) -> Document:
    """Remove what-if values.

    Returns the same object each time, because results are cached by identity.
    """
    return without_pins(document)


@lru_cache(maxsize=8)
def traced(document: Document) -> Trace:
    """Run an experiment, cached by identity of the document."""
    return run(document)


def require_tokens(document: Document, fewest: int, most: int) -> None:
    """Require self-attention over so many tokens. Raises UserError "lab.unfit" (reason)."""
    if document.context is not None:
        raise UserError("lab.unfit", reason="context")
    if not fewest <= document.n <= most:
        raise UserError("lab.unfit", reason=f"tokens_{fewest}_{most}")


def head_choice(document: Document) -> tuple[Control, ...]:
    """Return the choice of a head, nothing for a single one."""
    heads = tuple(map(str, range(document.h)))
    return (ChoiceControl("head", heads, "0"),) if document.h > 1 else ()


class Lab:
    """Base class of labs. Subclasses define `id`, `controls` and `compute`; all else has defaults.

    `example` is the id of the shipped example that is the lab's experiment, "" for another one;
    `stacks`: the lab takes stacks.
    """

    id: str = ""
    example: str = ""
    stacks: bool = False

    def experiment(self) -> Document | None:
        """Return the initial experiment, or None if the lab needs none."""
        return load_example(self.example) if self.example else None

    def require(self, document: Document) -> None:
        """Raise UserError "lab.unfit" (reason) for an unsuitable experiment."""
        raise UserError("lab.unfit", reason="lab.own")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Return the controls in order; their number and range may depend on the setting.

        Controls that depend on others use `setting.get(id, default)`: values may be missing during
        set-up.
        """
        raise NotImplementedError

    def compute(self, setting: Setting) -> Any:
        """Compute every number of the picture as a frozen result.

        Pure and fast enough for a slider.
        """
        raise NotImplementedError

    def document(self, setting: Setting) -> Document | None:
        """Return the displayed experiment for the main window; None if there is none."""
        return setting.document

    def cursor(self, setting: Setting) -> Cursor | None:
        """Return the cursor with which the main window opens that experiment.

        None for its beginning.
        """
        return None

    def leads(self, setting: Setting) -> tuple[str, Setting] | None:
        """Return the lab and setting that a leading button opens; None if it opens the experiment."""
        return None

    def press(self, setting: Setting, button: str) -> Setting:
        """Return the setting after a button was pressed."""
        raise NotImplementedError

    def job(self, setting: Setting, button: str, progress: Progress) -> Setting:
        """Return the setting after a long-running button; runs in a background thread."""
        raise NotImplementedError

    def open(self, setting: Setting, opener: str, path: Path) -> Setting:
        """Return the setting with a file's contents. Raises UserError for an unusable file."""
        raise NotImplementedError

    # Common to all labs

    def start(
        self, document: Document | None = None, values: Mapping[str, object] | None = None
    ) -> Setting:
        """Return the initial setting, with the user's experiment or its own, and with given values.

        Raises UserError "lab.unfit", "lab.value.…" (control, value), "lab.control" (control,
        known).
        """
        if document is not None:
            if document.is_stack and not self.stacks:
                raise UserError("lab.unfit", reason="stack")
            self.require(document)
            if document.source == "weights":
                raise UserError("lab.unfit", reason="given_weights")
        setting = self._filled(
            Setting(document=document or self.experiment(), own=document is None)
        )
        wanted = dict(values or {})
        for _ in range(len(wanted)):  # a value may become valid only after another control is set
            for control_id in list(wanted):
                with suppress(UserError):
                    setting = self.with_value(setting, control_id, wanted[control_id])
                    del wanted[control_id]
        for control_id, value in wanted.items():
            setting = self.with_value(setting, control_id, value)
        return setting

    def in_language(self, setting: Setting, folder: Path | None) -> Setting:
        """Return the setting with the tokens of the lab's own experiment as in a language.

        `folder` is that of the language; without one the tokens are the lab's.
        """
        document = _translated(self, folder) if setting.own else setting.document
        return replace(setting, document=document, folder=folder)

    def with_value(self, setting: Setting, control_id: str, value: object) -> Setting:
        """Set a value and adjust other controls; return the same object if nothing changes.

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
        """Find a control by id. Raises UserError "lab.control" (control, known)."""
        known = self.valued(setting)
        for control in known:
            if control.id == control_id:
                return control
        raise UserError(
            "lab.control", control=control_id, known=tuple(control.id for control in known)
        )

    def valued(self, setting: Setting) -> tuple[Valued, ...]:
        """Return the controls that hold a value."""
        return tuple(
            control
            for control in self.controls(setting)
            if not isinstance(control, Button | Opener)
        )

    def _filled(self, setting: Setting) -> Setting:
        """Give every control a valid value, its previous one or its default.

        Repeats until controls that depend on others are valid too.
        """
        for _ in range(_ROUNDS):
            values = {
                control.id: _kept(control, setting.values) for control in self.valued(setting)
            }
            if values == setting.values:
                break
            setting = replace(setting, values=MappingProxyType(values))
        return setting


@lru_cache(maxsize=64)
def _translated(lab: Lab, folder: Path | None) -> Document | None:
    """Name the tokens of a lab's experiment; the same object each time."""
    document = lab.experiment()
    return document and with_token_names(document, lab.example or f"lab-{lab.id}", folder)


_ROUNDS = 4  # depth of dependencies between controls, plus one


def _kept(control: Valued, values: Mapping[str, Value]) -> Value:
    try:
        return fitted(control, values[control.id])
    except (KeyError, UserError):
        return control.default


# In menu order. The module core.labs.<id>, with _ for -, defines LAB.
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
    "block",
    "groups",
    "tiles",
    "sinks",
    "sampling",
    "induction",
    "circuits",
    "worth",
    "patches",
    "backward",
    "learn",
    "caution",
    "complexity",
    "quiz",
)


@cache
def find_lab(lab_id: str) -> Lab:
    """Find a lab by id. Raises UserError "lab.absent" (lab, known)."""
    if lab_id not in LABS:
        raise UserError("lab.absent", lab=lab_id, known=LABS)
    package = "core.quiz" if lab_id == "quiz" else "core.labs"
    found: Lab = import_module(f"{package}.{lab_id.replace('-', '_')}").LAB
    return found
