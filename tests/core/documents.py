"""Experiments for tests: every size different, every part switched on and off."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from core.base.arrays import Array, frozen, frozen_bool
from core.document.document import (
    HEAD_TENSORS,
    MASK_KINDS,
    POSITIONAL_KINDS,
    SCALE_KINDS,
    SOFTMAX_BASES,
    SOURCES,
    Context,
    Document,
    Head,
    Mask,
    Pin,
    Positional,
    Scale,
    Softmax,
)
from core.stages import plan

SIZES = {"n": 5, "d": 6, "h": 3, "k": 2, "v": 4}
ODD_SIZES = {"n": 4, "d": 5, "h": 2, "k": 3, "v": 1}


def make(
    seed: int = 0,
    *,
    sizes: dict[str, int] | None = None,
    source: str = "embeddings",
    positional: str = "none",
    mask: str = "none",
    scale: str = "sqrt_dk",
    biases: bool = False,
    output: bool = False,
    off: tuple[int, ...] = (),
    slopes: bool = False,
    base: str = "e",
    shift: bool = True,
    pins: int = 0,
    context: int = 0,
    places: bool = True,
    values: bool = True,
) -> Document:
    """An experiment with seeded numbers; `pins` what-if values at random cells of computed stages.

    `context` tokens of another sentence, if any; with learned positions it has its own, unless `places` is False.
    Given weights have rows that add up to 1, and V, unless `values` is False.
    """
    s = SIZES if sizes is None else sizes
    s = {**s, "m": context or s["n"]}
    rng = np.random.default_rng(seed)
    needed, optional = SOURCES[source]
    if not values:
        optional = tuple(name for name in optional if name != "V")

    def matrix(*shape: int) -> Array:
        return frozen(np.round(rng.normal(size=shape), 3))

    names = [
        name
        for name in HEAD_TENSORS
        if name in needed or (name in optional and (biases or not name.startswith("b_")))
    ]
    heads = []
    for index in range(s["h"]):
        tensors: dict[str, Any] = {
            name: matrix(*(s[axis] for axis in HEAD_TENSORS[name])) for name in names
        }
        if "weights" in tensors:
            shares = np.abs(tensors["weights"]) + 0.1
            tensors["weights"] = frozen(shares / shares.sum(axis=1, keepdims=True))
        heads.append(Head(name=f"head {index}", enabled=index not in off, **tensors))
    learned = positional == "learned"
    document = Document(
        tokens=tuple(f"t{i}" for i in range(s["n"])),
        heads=tuple(heads),
        source=source,
        X=matrix(s["n"], s["d"]) if source == "embeddings" else None,
        W_O=matrix(s["h"] * s["v"], s["d"]) if output else None,
        b_O=matrix(s["d"]) if output and biases else None,
        positional=Positional(
            positional,
            100.0 if seed % 2 and source != "weights" else 10000.0,
            matrix(s["n"], s["d"]) if learned else None,
            frozen(np.abs(matrix(s["h"]))) if slopes else None,
        ),
        mask=Mask(mask, 1, 2)
        if mask == "window"
        else Mask(mask, allow=_allow(rng, s["n"], s["m"]) if mask == "custom" else None),
        scale=Scale(scale, 0.75 if scale == "factor" else 1.0),
        softmax=Softmax(base, shift),
        context=Context(
            tuple(f"c{j}" for j in range(context)),
            matrix(context, s["d"]) if source == "embeddings" else None,
            matrix(context, s["d"]) if learned and places else None,
        )
        if context
        else None,
    )
    return document.with_(pins=_pins(document, rng, pins))


def _allow(rng: np.random.Generator, n: int, m: int) -> Any:
    """Some pairs allowed; the last query may look at nothing."""
    allow = rng.random((n, m)) < 0.6
    allow[-1] = False
    return frozen_bool(allow)


def _pins(document: Document, rng: np.random.Generator, number: int) -> tuple[Pin, ...]:
    stages = [stage.id for stage in plan(document) if not stage.entered]
    pins: dict[Any, Pin] = {}
    for _ in range(number):
        stage = stages[int(rng.integers(len(stages)))]
        index = tuple(int(rng.integers(size)) for size in document.stage_shape(stage))
        pins[stage, index] = Pin(stage, index, float(np.round(rng.normal(), 3)))
    return tuple(pins.values())


@st.composite
def documents(draw: st.DrawFn, *, max_pins: int = 3, any_size: bool = False) -> Document:
    """Any combination of source, positions, mask, scale, softmax, biases, W_O, heads off, pins, context."""
    source = draw(st.sampled_from(("embeddings", "qkv")))
    kinds = POSITIONAL_KINDS if source == "embeddings" else ("none", "rotary", "alibi")
    letters = st.integers(1, 5)
    sizes = draw(st.sampled_from((SIZES, ODD_SIZES)))
    if any_size:
        sizes = draw(st.fixed_dictionaries(dict.fromkeys("ndhkv", letters)))
    return make(
        draw(st.integers(0, 9999)),
        sizes=sizes,
        source=source,
        positional=draw(st.sampled_from(kinds)),
        mask=draw(st.sampled_from(MASK_KINDS)),
        scale=draw(st.sampled_from(SCALE_KINDS)),
        biases=source == "embeddings" and draw(st.booleans()),
        output=draw(st.booleans()),
        off=draw(st.sampled_from(((), (0,)))),
        slopes=draw(st.booleans()),
        base=draw(st.sampled_from(SOFTMAX_BASES)),
        shift=draw(st.booleans()),
        pins=draw(st.integers(0, max_pins)),
        context=draw(st.sampled_from((0, 0, 7, 3))),
        places=draw(st.booleans()),
    )
