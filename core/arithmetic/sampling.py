"""Choose the next word: temperature, the cuts top-k and top-p, draws with a seed, and the loss.

Draws come from PCG32 (O'Neill 2014, PCG-XSH-RR 64/32), which a few lines of any language reproduce.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from core.arithmetic.attention import exponentials, normalise
from core.arithmetic.stable_sum import row_sum, saturate
from core.base.arrays import Array, BoolArray

STREAM = 54  # the sequence of all seeds
_MULTIPLIER = 6364136223846793005
_WORD, _HALF = (1 << 64) - 1, (1 << 32) - 1


@np.errstate(all="ignore")
def softmax_at(logits: Array, temperature: float) -> Array:
    """softmax(logits ÷ temperature) of each row.  # (…, u) -> (…, u)"""
    return normalise(exponentials(saturate(logits / temperature)))


def ranked(probabilities: Array) -> npt.NDArray[np.intp]:
    """The places of one row from the most probable to the least; of equal ones the first is first.
    # (u,) -> (u,)
    """
    return np.argsort(-probabilities, kind="stable")


def kept(probabilities: Array, top_k: int | None = None, top_p: float | None = None) -> BoolArray:
    """Which words of one row may be drawn.  # (u,) -> (u,)

    First the `top_k` most probable; of these, with their shares of what is left, the fewest whose
    sum reaches `top_p`. At least one is kept.
    """
    order = ranked(probabilities)
    left = order if top_k is None else order[: max(top_k, 1)]
    if top_p is not None:
        shares = probabilities[left] / probabilities[left].sum()
        before = np.cumsum(shares) - shares
        left = left[(before < top_p) | (np.arange(len(left)) == 0)]
    result = np.zeros(probabilities.shape, dtype=np.bool_)
    result[left] = True
    return result


def cut_shares(probabilities: Array, top_k: int | None = None, top_p: float | None = None) -> Array:
    """The probabilities of one row after the cuts: 0 for what may not be drawn, the sum is 1.
    # (u,) -> (u,)
    """
    left = np.where(kept(probabilities, top_k, top_p), probabilities, 0.0)
    return normalise(left)


def random_numbers(seed: int) -> Iterator[float]:
    """Endless numbers in [0, 1): the 32-bit outputs of PCG32 divided by 2³².

    The state is a number of 64 bits and the increment 2 · 54 + 1; a step is state ← state ·
    6364136223846793005 + increment. To seed, begin with state 0, step, add the seed, step.
    """
    increment = 2 * STREAM + 1
    state = ((increment + seed) * _MULTIPLIER + increment) & _WORD
    while True:
        mixed, turn = (((state >> 18) ^ state) >> 27) & _HALF, state >> 59
        yield ((mixed >> turn | mixed << (32 - turn)) & _HALF) / 2**32
        state = (state * _MULTIPLIER + increment) & _WORD


def random_number(seed: int, index: int = 0) -> float:
    """The random number of a draw; the draws of a generation count from 0."""
    return next(islice(random_numbers(seed), index, None))


def drawn(shares: Array, number: float) -> int:
    """The place of the word on which a number in [0, 1) falls.  # (u,) -> place

    The shares lie end to end from 0 to 1, the largest first; of equal ones the first is first.
    """
    return int(all_drawn(shares, np.array([number]))[0])


def all_drawn(shares: Array, numbers: Array) -> npt.NDArray[np.intp]:
    """`drawn` for each of several numbers.  # (u,), (d,) -> (d,)"""
    order = ranked(shares)
    ends = np.cumsum(shares[order])
    last = int(np.count_nonzero(shares)) - 1  # where the sum is rounded to less than 1
    return order[np.minimum(np.searchsorted(ends, numbers, side="right"), last)]


@np.errstate(all="ignore")
def word_loss(logits: Array, temperature: float, word: int) -> float:
    """−ln p of a given next word, also where p is too small for a double.  # (u,) -> loss"""
    z = saturate(logits / temperature)
    above = z - z.max()
    return float(saturate(np.log(row_sum(np.exp(above))) - above[word])[0])
