"""Bounds of each stage where given or stated numbers are rounded, by worst case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.arithmetic.enclosure import Enclosure, Errors
from core.base.arrays import Array
from core.check.answers import StatedNumbers
from core.check.given import Tensor
from core.document.document import Document
from core.stages import Plan


@dataclass(slots=True, eq=False)
class RoundedRun:
    """The stages of an experiment as enclosures, each computed when it is first asked for.

    `decimals` of the tensors whose numbers are rounded; `noise`: relative error of each operation;
    `sheets`: stated numbers to continue from, `halves` their errors.
    """

    document: Document
    plan: Plan
    decimals: Mapping[Tensor, int]
    noise: float = 0.0
    sheets: Mapping[str, StatedNumbers] = field(default_factory=dict)
    halves: Mapping[str, Array] = field(default_factory=dict)
    _errors: Errors = field(init=False)
    _tensors: dict[Tensor, Enclosure] = field(init=False, default_factory=dict)
    _plain: dict[str, Enclosure] = field(init=False, default_factory=dict)
    _stages: dict[str, Enclosure] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        shapes = (self.document.stage_shape(stage.id) for stage in self.plan)
        self._errors = Errors(max(int(np.prod(shape)) for shape in shapes))

    def tensor(self, name: str, head: int = 0) -> Enclosure | None:
        """An entered tensor; None where the experiment has none."""
        array = self.document.tensor(name, head)
        if array is not None and (name, head) not in self._tensors:
            decimals = self.decimals.get((name, head))
            half = np.full(array.shape, 0.0 if decimals is None else 0.5 * 10.0**-decimals)
            uncertain = self._errors.uncertain(array, half)
            self._tensors[name, head] = uncertain.widened(self.noise * np.abs(array))
        return None if array is None else self._tensors[name, head]

    @np.errstate(all="ignore")
    def plain(self, stage_id: str) -> Enclosure:
        """A stage computed from those before it, pins applied."""
        if stage_id not in self._plain:
            stage = self.plan[stage_id]
            result = stage.kind.enclose(self, stage)
            pins = [pin for pin in self.document.pins if pin.stage == stage_id]
            if pins:
                values = np.full(result.center.shape, np.nan)
                for pin in pins:
                    values[pin.index] = pin.value
                result = result.replaced(~np.isnan(values), values)
            self._plain[stage_id] = result
        return self._plain[stage_id]

    @np.errstate(all="ignore")
    def stage(self, stage_id: str) -> Enclosure:
        """A stage with the stated numbers filled in."""
        if stage_id not in self.sheets:
            return self.plain(stage_id)
        if stage_id not in self._stages:
            sheet, plain = self.sheets[stage_id], self.plain(stage_id)
            usable = sheet.usable
            value = np.where(usable, sheet.value, 0.0)
            half = np.where(usable, self.halves[stage_id], 0.0)
            filled = plain.replaced(usable, value)
            self._stages[stage_id] = filled + self._errors.uncertain(np.zeros(value.shape), half)
        return self._stages[stage_id]

    def is_computed(self, stage_id: str) -> bool:
        """Whether none of its numbers is pinned or stated."""
        pinned = any(pin.stage == stage_id for pin in self.document.pins)
        return not pinned and stage_id not in self.sheets
