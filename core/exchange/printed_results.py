"""Printed results: which stage of an experiment they are, and the reading that gives most of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from core.base.arrays import Array
from core.compute.trace import Trace, run
from core.document.document import Document, Mask, Scale
from core.document.parts import is_headwise, layer_id, split_layer
from core.exchange.role_names import CHECK, LEFT_OUT, Part, numbered_role
from core.exchange.role_tensors import RoleTensors
from core.exchange.sources import Entry

_MOST_CELLS = 40_000  # scores of an experiment whose readings are compared
# Stages that one name can mean, the most usual first.
_ALIKE = {
    "scores": ("scores", "scaled", "masked"),
    "scaled": ("scaled", "scores", "masked"),
    "masked": ("masked", "scaled", "scores"),
    "heads": ("heads", "concat", "Y"),
    "Y": ("Y", "heads", "concat"),
    "concat": ("concat", "heads", "Y"),
    "weights": ("weights", "exp"),
    "Q": ("Q", "Q_rot"),
    "K": ("K", "K_rot"),
}
_HAIR = 1.02  # half a unit of the last digit, widened for ties


class Printed(NamedTuple):
    """How many numbers of printed results a reading gives, and of how many."""

    matched: int = 0
    total: int = 0


Result = tuple[str, int, Printed]  # the stage and head (from 0) of a printed result


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One way to read square weights: the experiment, and the printed results that it gives."""

    turned: bool
    document: Document
    trace: Trace | None
    printed: Printed
    results: Mapping[int, Result] = field(default_factory=dict)


_SETTINGS = tuple(product(("sqrt_dk", "none", "factor"), ("none", "causal")))
Witness = tuple[int, str, int]  # entry, stage ("" for unknown), head (from 1)


def witnesses_of(parts: Sequence[Part], more: Sequence[int]) -> list[Witness]:
    given = [
        (i, part.role.removeprefix(CHECK), part.head)
        for i, part in enumerate(parts)
        if part.role.startswith(CHECK)
    ]
    return given + [(i, "", 1) for i in more]


def best_reading(tensors: RoleTensors, turned: bool, witnesses: Sequence[Witness]) -> Reading:
    """The experiment with the scale, mask and heads that give most of the printed results.

    A single projection of all heads is cut into as many as there are printed results of one stage.
    """
    found = _best_settings(tensors, tensors.document(turned), turned, witnesses)
    printed = max((head for _, stage, head in witnesses if is_headwise(stage)), default=1)
    if found.trace is not None and printed > 1 and tensors.can_split(printed):
        split = _best_settings(tensors, tensors.document(turned, printed), turned, witnesses)
        found = max(found, split, key=lambda reading: reading.printed.matched)
    return found


def _best_settings(
    tensors: RoleTensors, document: Document, turned: bool, witnesses: Sequence[Witness]
) -> Reading:
    if document.h * document.n * document.m > _MOST_CELLS:
        return Reading(turned, document, None, Printed())
    found: Reading | None = None
    tried = _SETTINGS if witnesses and document.source != "weights" else _SETTINGS[:1]
    documents = tensors.variants(document) if witnesses else (document,)
    for document, (scale, mask) in product(documents, tried):
        if mask == "causal" and document.context is not None:
            continue
        if document.source != "weights":
            factor = Scale(scale, 1.0 if scale != "factor" else document.d**-0.5)
            document = document.with_(scale=factor, mask=Mask(mask))
        reading = _reading(tensors.entries, document, turned, witnesses)
        if found is None or reading.printed.matched > found.printed.matched:
            found = reading
    assert found is not None
    return found


def _reading(
    entries: Sequence[Entry], document: Document, turned: bool, witnesses: Sequence[Witness]
) -> Reading:
    trace = run(document)
    results = _results(entries, trace, witnesses)
    matched = sum(printed.matched for _, _, printed in results.values())
    total = sum(printed.total for _, _, printed in results.values())
    return Reading(turned, document, trace, Printed(matched, total), results)


def _results(
    entries: Sequence[Entry], trace: Trace, witnesses: Sequence[Witness]
) -> dict[int, Result]:
    """Stage, head (from 0) and matching numbers of each printed result; none for other shapes."""
    found = {}
    for index, stage, head in witnesses:
        places = _places(trace, entries[index], stage, head - 1)
        if places:
            found[index] = max(places, key=lambda place: place[2].matched)
    return found


def _places(trace: Trace, entry: Entry, stage: str, head: int) -> list[Result]:
    """Where a printed matrix may belong, and how well it agrees: in the stage, or in any ("")."""
    found = []
    for name in (stage,) if stage else _computed(trace):
        if name not in trace.plan:
            continue
        array = trace[name] if trace[name].ndim == 3 else trace[name][None]
        for place in (head,) if stage else range(len(array)):
            if place < len(array) and array[place].shape == entry.matrix.shape:
                matched = int(agreeing(entry, array[place]).sum())
                found.append((name, place, Printed(matched, entry.matrix.size)))
    return found


def _computed(trace: Trace) -> list[str]:
    """The computed stages, those last that pages seldom print."""
    stages = [stage.id for stage in trace.plan if not stage.entered]
    return sorted(stages, key=lambda stage: split_layer(stage)[1] in ("exp", "masked", "concat"))


def agreeing(entry: Entry, array: Array) -> Array:
    """Which printed numbers equal computed ones to the digits written."""
    decimals = entry.decimals
    half = 0.5 * 10.0 ** -(decimals or 4)  # NumPy prints 1e-5 as 0.
    with np.errstate(invalid="ignore"):
        close = np.abs(entry.matrix - array) <= half * _HAIR + 1e-6 * np.abs(array)
    return np.asarray(close | (entry.matrix == array))


def best_stage(
    entry: Entry, wanted: str, number: int | None, document: Document, trace: Trace
) -> str:
    """The role of a printed result: by its numbers among the stages that its name can mean.

    Where they agree with none of these, the stage is any that gives them, else the one of the name
    if the shape fits; without a name a distribution in each row is the weights. "-" for no place.
    """
    heads = range(document.h)
    layer, base = split_layer(wanted)
    alike = [layer_id(layer, stage) for stage in _ALIKE.get(base, (base,))] if wanted else []
    named = [
        place for stage in alike for head in heads for place in _places(trace, entry, stage, head)
    ]
    every = _places(trace, entry, "", 0)
    for places, least in ((named, 0.5), (every, 0.9)):
        if places:
            stage, head, printed = max(places, key=lambda place: place[2].matched)
            if printed.matched >= least * printed.total:
                return CHECK + numbered_role(stage, head + 1)
    if named:
        stage, head, _ = named[0]
        if number is not None and 0 < number <= len(heads) and is_headwise(stage):
            head = number - 1
        return CHECK + numbered_role(stage, head + 1)
    fits = not wanted and any(place[0] == "weights" for place in every)
    return f"{CHECK}weights" if fits and entry.is_distribution else LEFT_OUT
