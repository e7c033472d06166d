"""Exercise sheets: experiments of the same kind as a given one, with numbers that a pencil can work
with.

Axes: h heads, n tokens, m tokens as keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Context, Document, Head, Positional
from core.stages import has_scores, softmax_source

MOST_SHEETS = 30
LARGEST_SEED = 999_999
MOST_NUMBERS = (
    20_000  # of all stages together; beyond it nobody works by hand, and a key fills a book
)

# Draws for one sheet, and the unit of what makes its keys: whole numbers, then smaller ones for
# scores less far apart.
_UNITS = (*[1.0] * 40, *[0.5] * 20, *[0.2] * 20, *[0.1] * 10)
# What is drawn from: mostly plain ones for what is multiplied most often, both signs for weights.
_PLAIN, _SIGNED = (
    np.array(pool) for pool in ((0.0, 1.0, 1.0, 2.0, 2.0, 3.0, -1.0), (1.0, 1.0, 1.0, 2.0, -1.0))
)
# The first numbers of a sheet spell its seed in base 5, so that different seeds give different
# sheets.
_SPELT, _BASE, _STRIDE = 5, 5, 1597
_LOWEST = -1  # of the numbers that spell the seed: −1 … 3
_PER_SUM = 2.5  # how many products of a sum are meant to differ from 0
# What a friendly sheet keeps to. The spread of a row of scores is counted in powers of e.
_MOST_SPREAD, _LEAST_SPREAD, _LARGEST = 4.0, 0.4, 12.0

Number = Callable[..., Array]


def variant(document: Document, seed: int) -> Document:
    """An experiment of the same kind for a seed: same tokens, sizes, mask, positions, scale and
    base, other numbers.

    Seed 0 is the very experiment. The numbers of every other seed are drawn again (what-if values
    and names of heads, which belong to the old numbers, go): small whole numbers, with one decimal
    where whole ones give scores too far apart for a softmax in which every key still counts. The
    same seed always gives the same numbers; seeds that differ by less than 125 never do. Raises
    UserError "worksheet.too_large" (size, limit).
    """
    require_size(document)
    if seed == 0:
        return document
    best, least = document, math.inf
    for attempt, unit in enumerate(_UNITS):
        drawn = _drawn(document, seed, attempt, unit)
        effort = unfriendliness(drawn, run(drawn))
        if effort < least:
            best, least = drawn, effort
        if effort == 0.0:
            break
    return best


def require_size(document: Document) -> None:
    """Raise UserError "worksheet.too_large" (size, limit) for an experiment with too many numbers
    to work out.
    """
    n, m, h = document.n, document.m, document.h
    heads = 5 * n * m + (n + m) * document.k + (n + m) * document.v
    numbers = h * heads + n * (document.c + document.o)
    if numbers > MOST_NUMBERS:
        raise UserError("worksheet.too_large", size=numbers, limit=MOST_NUMBERS)


def unfriendliness(document: Document, trace: Trace) -> float:
    """How hard the numbers are by hand; 0 for an easy sheet.

    Counted are numbers that are too large, rows of scores too far apart (their small weights round
    to 0) and rows of scores that are all the same (there is nothing to see).
    """
    large = ("scores", "V", "Y")
    finite = [trace[name][np.isfinite(trace[name])] for name in large if name in trace]
    effort = _spread_effort(document, trace) if has_scores(trace.plan) else 0.0
    return effort + sum(float(np.maximum(np.abs(array) - _LARGEST, 0.0).sum()) for array in finite)


def _spread_effort(document: Document, trace: Trace) -> float:
    """How far the scores of rows are too far apart or too close."""
    scores = trace[softmax_source(trace.plan)] * math.log(document.softmax.number)
    highest = np.where(np.isneginf(scores), -np.inf, scores).max(axis=-1)
    lowest = np.where(np.isneginf(scores), np.inf, scores).min(axis=-1)
    several = (~np.isneginf(scores)).sum(axis=-1) > 1
    spread = (highest - lowest)[several]
    effort = float(np.maximum(spread - _MOST_SPREAD, 0.0).sum()) + float(
        (spread < _LEAST_SPREAD).sum()
    )
    if not document.softmax.shift and highest.size:
        effort += float(np.maximum(highest - _MOST_SPREAD, 0.0).sum())
    return effort


def _drawn(document: Document, seed: int, attempt: int, unit: float) -> Document:
    """Draw every entered number of the experiment.

    The values come first, which the seed spells itself into: they have no say in the scores.
    """
    number = _numbers(seed, attempt)
    share = _PER_SUM / max(document.d, 1)
    carried = [_values(head, number, share) for head in document.heads]
    X = None if document.X is None else number(document.X, _PLAIN)
    context = None if document.context is None else _context(document.context, number)
    positional = _positional(document.positional, number)
    heads = tuple(
        replace(_asked(head, number, share, unit), **values)
        for head, values in zip(document.heads, carried, strict=True)
    )
    W_O = (
        None if document.W_O is None else number(document.W_O, _SIGNED, share=_PER_SUM / document.c)
    )
    b_O = None if document.b_O is None else number(document.b_O, _SIGNED)
    numbers = {
        "X": X,
        "context": context,
        "positional": positional,
        "heads": heads,
        "W_O": W_O,
        "b_O": b_O,
    }
    return document.with_(**numbers, pins=(), filled=frozenset())


def _context(context: Context, number: Number) -> Context:
    """Draw the vectors and learned positions of the other sentence."""
    X = None if context.X is None else number(context.X, _PLAIN)
    return replace(context, X=X, P=None if context.P is None else number(context.P, _SIGNED))


def _positional(positional: Positional, number: Number) -> Positional:
    """Draw learned positions; slopes are kept."""
    return (
        positional if positional.P is None else replace(positional, P=number(positional.P, _SIGNED))
    )


def _values(head: Head, number: Number, share: float) -> dict[str, Any]:
    """Draw V of a head, or W_V and b_V."""
    rules: dict[str, dict[str, Any]] = {
        "W_V": {"pool": _SIGNED, "share": share},
        "b_V": {},
        "V": {"pool": _PLAIN},
    }
    return _tensors(head, number, rules)


def _asked(head: Head, number: Number, share: float, unit: float) -> Head:
    """Draw the tensors of queries and keys; those of queries in whole units, of keys in `unit`.

    Given weights are kept.
    """
    rules: dict[str, dict[str, Any]] = {
        "W_Q": {"pool": _SIGNED, "share": share},
        "W_K": {"pool": _SIGNED, "share": share, "unit": unit},
        "b_Q": {},
        "b_K": {"unit": unit},
        "Q": {"pool": _PLAIN},
        "K": {"pool": _PLAIN, "unit": unit},
    }
    return Head(enabled=head.enabled, weights=head.weights, **_tensors(head, number, rules))


def _tensors(head: Head, number: Number, rules: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Draw the tensors that a head has by their rules."""
    given = {name: getattr(head, name) for name in rules}
    return {name: number(old, **rules[name]) for name, old in given.items() if old is not None}


def _numbers(seed: int, attempt: int) -> Number:
    """A function that draws a tensor of the same shape from a pool of numbers, in a unit.

    `share` is the part of its numbers that are drawn; the others are 0. The first numbers of all
    spell the seed.
    """
    generator = np.random.default_rng([seed, attempt])
    spelling = _spelling(seed)

    def number(
        like: Array, pool: Array = _SIGNED, *, share: float = 1.0, unit: float = 1.0
    ) -> Array:
        values = pool[generator.integers(0, len(pool), like.size)] * unit
        values[generator.integers(0, 1000, like.size) >= 1000 * max(min(share, 0.8), 0.1)] = 0.0
        for place in range(min(like.size, len(spelling))):
            values[place] = spelling.pop(0)
        return frozen(np.round(values, 1).reshape(like.shape))

    return number


def _spelling(seed: int) -> list[float]:
    """The first numbers of a sheet, which no seed nearby has: the digits of the seed, shuffled by a
    stride.
    """
    rest, digits = seed * _STRIDE % _BASE**_SPELT, []
    for _ in range(_SPELT):
        rest, digit = divmod(rest, _BASE)
        digits.append(float(digit + _LOWEST))
    return digits
