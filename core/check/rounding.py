"""Bounds of each stage where given or stated numbers are rounded.

By worst case; in a stack, whose worst cases soon say nothing, also by what rounding usually does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.arithmetic.enclosure import Enclosure, Errors
from core.base.arrays import Array, BoolArray, frozen
from core.check.answers import StatedNumbers
from core.check.given import Tensor
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_tensor
from core.document.layers import with_layer_tensor
from core.document.parts import split_layer
from core.stages import Plan

TRIALS = 12
# Standard deviations that the sum of many rounding errors stays within. The worst case of all
# together is further off, but no numbers that people round come near it.
_WIDEST = 8.0
_LEAST = 1e-12  # what numbers without a rounding of their own may be off


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


@dataclass(slots=True, eq=False)
class RoundingTrials:
    """Runs of an experiment with numbers drawn from those that round to the given ones."""

    document: Document
    decimals: Mapping[Tensor, int]
    stages: frozenset[str]  # those that are asked for
    _off: dict[str, Array] = field(init=False, default_factory=dict)

    @np.errstate(all="ignore")
    def deviations(self, stage_id: str) -> Array:
        """How far each trial is off the run of the given numbers.  # (trials, *S)"""
        if not self._off:
            rng, given = np.random.default_rng(0), run(self.document)
            trials = [run(drawn(self.document, self.decimals, rng)) for _ in range(TRIALS)]
            for name in self.stages:
                off = np.stack([trial[name] - given[name] for trial in trials])
                self._off[name] = np.nan_to_num(off)
        return self._off[stage_id]

    def radius(self, stage_id: str) -> Array:
        """How far the numbers of a stage may be off."""
        return usual_radius(self.deviations(stage_id))

    def evidence(self, stage_id: str, cells: BoolArray, half: Array) -> float:
        """How unlikely it is, in bits, that rounding left all of these numbers as they are.

        `half`: how far a number may be off unseen. The errors are taken as normal, so that
        related numbers count once: the odds are 1 : √det(1 + covariance ÷ (half² ÷ 3)).
        """
        off = self.deviations(stage_id)[:, cells] / np.maximum(half[cells], _LEAST) * np.sqrt(3.0)
        products = off @ off.T / TRIALS
        return float(np.linalg.slogdet(np.eye(TRIALS) + products)[1] / 2 / np.log(2.0))


def usual_radius(deviations: Array) -> Array:
    """How far numbers may be off that trials moved, at least as far as is usual in their row.

    A number that no trial moved may move all the same: ReLU keeps 0 until its argument is above.
    """
    squares = np.square(np.nan_to_num(deviations)).mean(axis=0)
    usual = squares.mean(axis=-1, keepdims=True)
    return np.asarray(_WIDEST * np.sqrt(np.maximum(squares, usual)))


def drawn(document: Document, decimals: Mapping[Tensor, int], rng: np.random.Generator) -> Document:
    """The experiment with numbers that round to the given ones."""
    layers = list(document.layers)
    for (name, head), places in decimals.items():
        array = document.tensor(name, head)
        assert array is not None
        half = 0.5 * 10.0**-places
        moved = frozen(array + rng.uniform(-half, half, array.shape))
        layer, base = split_layer(name)
        if layer is None:
            document = with_tensor(document, name, moved, head)
        else:  # validated once, below
            layers[layer - 1] = with_layer_tensor(layers[layer - 1], base, moved, head)
    return document.with_(layers=tuple(layers)) if layers else document
