"""Experiments at the ends of the doubles, with every kind of mask, position, scale and softmax."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from core.base.arrays import frozen, frozen_bool
from core.document.document import (
    SOFTMAX_BASES,
    Context,
    Document,
    Head,
    Mask,
    Positional,
    Scale,
    Softmax,
)

LARGEST = 1.7976931348623157e308
# Two numbers of which every matrix is made.
PAIRS: dict[str, tuple[float, float]] = {
    "huge": (1e308, -1e308),
    "the largest": (LARGEST, LARGEST),
    "subnormal": (5e-324, -2.5e-310),
    "zeros of both signs": (-0.0, 0.0),
    "huge scores": (1e10, -1e9),
    "tiny scores": (1e-8, -1e-9),
    "all equal": (2.0, 2.0),
    "huge and tiny": (1e200, 1e-200),
    "ordinary": (0.7, -1.3),
}
MASKS = ("none", "causal", "window", "rows masked", "all masked")
POSITIONS = ("none", "sinusoidal", "learned", "rotary", "alibi")
SCALES = (
    Scale(),
    Scale("none"),
    Scale("factor", 1e300),
    Scale("factor", -0.0),
    Scale("factor", -1e-300),
)
SOFTMAXES = tuple(Softmax(base, shift) for base, shift in product(SOFTMAX_BASES, (True, False)))


def filled(
    pair: tuple[float, float], rows: int, columns: int, turn: int
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """A matrix whose entries take the two numbers in turn, begun elsewhere each time."""
    numbers = np.array(pair)
    return frozen(
        numbers[(np.add.outer(np.arange(rows), np.arange(columns) * (turn % 2 + 1)) + turn) % 2]
    )


def experiments(n: int = 3, m: int = 2) -> Iterator[tuple[str, Document]]:
    """Each with a name: every pair with every mask and position, scales and softmaxes taking turns."""
    for number, ((name, pair), mask, kind) in enumerate(product(PAIRS.items(), MASKS, POSITIONS)):
        scale, softmax = SCALES[number % len(SCALES)], SOFTMAXES[number % len(SOFTMAXES)]
        rows = 1 if number % 4 == 0 else n
        there = m if number % 3 == 0 else None
        document = experiment(pair, rows, there, mask, kind)
        yield (
            f"{name}, {mask}, {kind}, {scale}, {softmax}",
            document.with_(scale=scale, softmax=softmax),
        )


def experiment(pair: tuple[float, float], n: int, m: int | None, mask: str, kind: str) -> Document:
    """d 3, h 2, k 2, v 2, with biases and W_O; with `m` keys and values come from a context of m tokens."""
    d, k, v = 3, 2, 2
    heads = tuple(
        Head(
            W_Q=filled(pair, d, k, turn),
            W_K=filled(pair, d, k, turn + 1),
            W_V=filled(pair, d, v, turn),
            b_Q=filled(pair, 1, k, turn)[0],
            b_K=filled(pair, 1, k, turn)[0],
            b_V=filled(pair, 1, v, turn)[0],
        )
        for turn in range(2)
    )
    keys = n if m is None else m
    context = (
        None if m is None else Context(tuple("x" * m), filled(pair, m, d, 1), filled(pair, m, d, 0))
    )
    learned = filled(pair, n, d, 1) if kind == "learned" else None
    return Document(
        tokens=tuple("t" * n),
        heads=heads,
        X=filled(pair, n, d, 0),
        context=context,
        W_O=filled(pair, 2 * v, d, 1),
        b_O=filled(pair, 1, d, 1)[0],
        positional=Positional(kind, P=learned),
        mask=masked(mask, n, keys),
    )


def masked(mask: str, n: int, m: int) -> Mask:
    """ "rows masked": the first query sees nothing; "all masked": nobody sees anything."""
    if mask == "window":
        return Mask("window", left=0, right=0)
    if mask in ("rows masked", "all masked"):
        allow = np.zeros((n, m), dtype=bool)
        if mask == "rows masked":
            allow[1:] = True
        return Mask("custom", allow=frozen_bool(allow))
    return Mask(mask)
