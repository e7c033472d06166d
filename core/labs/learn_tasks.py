"""What the lab of learning learns: small tasks whose sentences are drawn at random, and what each place should say.

copy     letters; every place says the letter before it, the first its own. It takes positions, not letters.
bracket  three kinds of brackets, each once, nested in any way; every one looks at its partner. It takes the signs, not
         the positions.
mirror   positions alone; the first looks at the last, the second at the last but one.

In the last two the pattern of the weights itself is learned: W_V is held so that it hands on the place, and Y is A.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from core.base.arrays import Array, frozen

PLACES = 6
LETTERS = "abcd"
PAIRS = ("()", "[]", "{}")
SIGNS = "".join(PAIRS)
KNOWN, NEW = (
    20,
    10,
)  # sentences to learn from, and others that are kept back; the first of these is shown
TASKS = ("copy", "bracket", "mirror")

Places = npt.NDArray[np.int_]


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """b sentences of n tokens: features X (b, n, d), what to say T (b, n, o), where to look: places (b, n)."""

    texts: tuple[str, ...]
    X: Array
    T: Array
    places: Places

    def only(self, rows: slice) -> Sentences:
        """Some of the sentences."""
        return Sentences(
            self.texts[rows], frozen(self.X[rows]), frozen(self.T[rows]), self.places[rows]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Sentences to learn from (`known`) and others that are kept back (`new`), the names of the d features, and W_V
    if it is held; `both` are all sentences, the known ones first."""

    id: str
    known: Sentences
    new: Sentences
    both: Sentences
    features: tuple[str, ...]
    said: slice  # which of the features T is about
    causal: bool = False
    held_V: Array | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        """d and v, the number of features that are said."""
        return self.known.X.shape[2], self.known.T.shape[2]

    def wanted(self, heads: int) -> Array:
        """T of all sentences, as wide as Y: one head says v numbers, several say all d, where the others are 0.

        # -> (sentences, n, v) or (sentences, n, d)
        """
        T = self.both.T
        if heads == 1:
            return T
        wide = np.zeros((*T.shape[:2], self.sizes[0]))
        wide[..., self.said] = T
        return wide


@lru_cache(maxsize=16)
def task(task_id: str, seed: int) -> Task:
    """A task with its sentences."""
    rng = np.random.default_rng([seed, TASKS.index(task_id)])
    places = tuple(str(place + 1) for place in range(PLACES))
    if task_id == "copy":
        both = _copying(rng)
        return Task(task_id, *_parted(both), (*LETTERS, *places), slice(len(LETTERS)), causal=True)
    if task_id == "bracket":
        both = _brackets(rng)
        return Task(
            task_id,
            *_parted(both),
            (*SIGNS, *places),
            slice(len(SIGNS), None),
            held_V=_places_alone(len(SIGNS)),
        )
    one = _mirror()
    twice = Sentences(
        one.texts * 2,
        frozen(np.repeat(one.X, 2, axis=0)),
        frozen(np.repeat(one.T, 2, axis=0)),
        np.repeat(one.places, 2, axis=0),
    )
    return Task(task_id, one, one, twice, places, slice(None), held_V=_places_alone(0))


def _places_alone(kinds: int) -> Array:
    """W_V that hands on which place it is and forgets which sign stands there: with it Y is A."""
    return frozen(np.eye(PLACES + kinds)[:, kinds:])


def _parted(both: Sentences) -> tuple[Sentences, Sentences, Sentences]:
    return both.only(slice(KNOWN)), both.only(slice(KNOWN, None)), both


def _copying(rng: np.random.Generator) -> Sentences:
    letters = rng.integers(len(LETTERS), size=(KNOWN + NEW, PLACES))
    places = np.maximum(np.arange(PLACES) - 1, 0) + np.zeros_like(letters)
    said = np.eye(len(LETTERS))[np.take_along_axis(letters, places, axis=1)]
    texts = tuple("".join(LETTERS[letter] for letter in row) for row in letters)
    return Sentences(texts, _features(letters, len(LETTERS)), frozen(said), places)


def _brackets(rng: np.random.Generator) -> Sentences:
    every = nestings(PAIRS)
    texts = tuple(every[place] for place in rng.permutation(len(every)))
    signs = np.array([[SIGNS.index(sign) for sign in text] for text in texts])
    places = np.array(
        [[text.index(SIGNS[SIGNS.index(sign) ^ 1]) for sign in text] for text in texts]
    )
    return Sentences(texts, _features(signs, len(SIGNS)), frozen(np.eye(PLACES)[places]), places)


def nestings(pairs: tuple[str, ...]) -> list[str]:
    """Every way to write each pair of brackets once: side by side, or one inside the other."""
    if not pairs:
        return [""]
    found: list[str] = []
    for first in pairs:
        rest = tuple(pair for pair in pairs if pair != first)
        for size in range(len(rest) + 1):
            for inner in combinations(rest, size):
                outer = tuple(pair for pair in rest if pair not in inner)
                found += [
                    first[0] + a + first[1] + b for a in nestings(inner) for b in nestings(outer)
                ]
    return found


def _mirror() -> Sentences:
    places = np.arange(PLACES)[None, ::-1]
    one = frozen(np.eye(PLACES)[None])
    return Sentences(("123456",), one, frozen(np.eye(PLACES)[places]), places)


def _features(signs: Places, kinds: int) -> Array:
    """Which sign stands here, and which place it is: two ones in each row.  # (b, n) -> (b, n, kinds + n)"""
    place = np.broadcast_to(np.eye(PLACES), (len(signs), PLACES, PLACES))
    return frozen(np.concatenate([np.eye(kinds)[signs], place], axis=2))
