"""Batches of texts for training, and the letters that the shipped model `copying` learns of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tools.small_gpt import Floats, Ints

LETTERS = "abcdefghijklmnopqrstuvwxyz"
STEMS = "甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥"
UNKNOWN = "[UNK]"
SIGNS = (UNKNOWN, *LETTERS, *STEMS)  # the vocabulary of the copying model
SHORTEST, LONGEST = 2, 17  # letters that are repeated


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Sentences with the next token of each place; `share` weighs the places, 0 for those that
    cannot be known.  # all (b, n)
    """

    ids: Ints
    targets: Ints
    share: Floats


def repeated(rng: np.random.Generator, size: int, places: int) -> Batch:
    """Draw letters, some of them repeated to the end: `q k f m k f m k f …`.

    Four in ten texts repeat from their first letter; in the others the repetition begins at a place
    drawn by lot. All letters within a text differ until they repeat.
    """
    signs = rng.random((size, len(SIGNS) - 1)).argsort(axis=1) + 1
    begin = np.where(rng.random(size) < 0.4, 0, rng.integers(0, places - 5, size))
    most = np.minimum(LONGEST, (places - begin) // 2 + 1)
    period = rng.integers(SHORTEST, np.maximum(most, SHORTEST + 1))
    place, begin, period = np.arange(places + 1), begin[:, None], period[:, None]
    which = np.where(place < begin, place, begin + (place - begin) % period)
    tokens = np.take_along_axis(signs, which, axis=1)
    known = (place[:-1] >= begin + period).astype(np.float32)
    return Batch(tokens[:, :-1], tokens[:, 1:], known / known.sum())
