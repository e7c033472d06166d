"""Training tasks, their loss and gradients, gradient descent and Adam.

L is the mean over the training sentences of ½‖Y − T‖². Gradients are those of
core.compute.backward, computed for all sentences and heads at once. Gradient descent takes w − η g.
Adam (Kingma & Ba 2015, algorithm 1):

    m ← β₁ m + (1 − β₁) g     v ← β₂ v + (1 − β₂) g²     w ← w − η m̂ ÷ (√v̂ + ε),   m̂ = m ÷ (1 −
    β₁ᵗ), v̂ = v ÷ (1 − β₂ᵗ)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from core.arithmetic.attention import apply_mask, causal_mask, exponentials, normalise
from core.base.arrays import Array, frozen

PLACES = 6
LETTERS = "abcd"
PAIRS = ("()", "[]", "{}")
SIGNS = "".join(PAIRS)
KNOWN, NEW = (
    20,
    10,
)  # training and validation sentences; the first of the latter is displayed
TASKS = ("copy", "bracket", "mirror")

Places = npt.NDArray[np.int_]


@dataclass(frozen=True, slots=True, eq=False)
class Sentences:
    """b sentences of n tokens.

    Features X (b, n, d), targets T (b, n, o), positions to attend to (b, n).
    """

    texts: tuple[str, ...]
    X: Array
    T: Array
    places: Places

    def only(self, rows: slice) -> Sentences:
        """Select some of the sentences."""
        return Sentences(
            self.texts[rows], frozen(self.X[rows]), frozen(self.T[rows]), self.places[rows]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A task with its sentences.

    `known` are the training sentences, `new` the validation sentences, `both` all of them, the
    training ones first; `features` the names of the d features, `fixed_V` a fixed W_V.
    """

    id: str
    known: Sentences
    new: Sentences
    both: Sentences
    features: tuple[str, ...]
    predicted: slice  # features that T predicts
    causal: bool = False
    fixed_V: Array | None = None

    @property
    def sizes(self) -> tuple[int, int]:
        """Return d and v, the number of predicted features."""
        return self.known.X.shape[2], self.known.T.shape[2]

    def wanted(self, heads: int) -> Array:
        """Return T of all sentences in the width of Y: v for one head, d (padded with 0) for more.

        # (sentences, n, v) or (sentences, n, d)
        """
        T = self.both.T
        if heads == 1:
            return T
        wide = np.zeros((*T.shape[:2], self.sizes[0]))
        wide[..., self.predicted] = T
        return wide


@lru_cache(maxsize=16)
def task(task_id: str, seed: int) -> Task:
    """Build a task with its sentences."""
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
            fixed_V=_places_alone(len(SIGNS)),
        )
    one = _mirror()
    twice = Sentences(
        one.texts * 2,
        frozen(np.repeat(one.X, 2, axis=0)),
        frozen(np.repeat(one.T, 2, axis=0)),
        np.repeat(one.places, 2, axis=0),
    )
    return Task(task_id, one, one, twice, places, slice(None), fixed_V=_places_alone(0))


def _places_alone(kinds: int) -> Array:
    """Return a W_V that passes on the position and drops the sign, so that Y equals A."""
    return frozen(np.eye(PLACES + kinds)[:, kinds:])


def _parted(both: Sentences) -> tuple[Sentences, Sentences, Sentences]:
    return both.only(slice(KNOWN)), both.only(slice(KNOWN, None)), both


def _copying(rng: np.random.Generator) -> Sentences:
    letters = rng.integers(len(LETTERS), size=(KNOWN + NEW, PLACES))
    places = np.maximum(np.arange(PLACES) - 1, 0) + np.zeros_like(letters)
    targets = np.eye(len(LETTERS))[np.take_along_axis(letters, places, axis=1)]
    texts = tuple("".join(LETTERS[letter] for letter in row) for row in letters)
    return Sentences(texts, _features(letters, len(LETTERS)), frozen(targets), places)


def _brackets(rng: np.random.Generator) -> Sentences:
    every = nestings(PAIRS)
    texts = tuple(every[place] for place in rng.permutation(len(every)))
    signs = np.array([[SIGNS.index(sign) for sign in text] for text in texts])
    places = np.array(
        [[text.index(SIGNS[SIGNS.index(sign) ^ 1]) for sign in text] for text in texts]
    )
    return Sentences(texts, _features(signs, len(SIGNS)), frozen(np.eye(PLACES)[places]), places)


def nestings(pairs: tuple[str, ...]) -> list[str]:
    """List every way to nest or to line up pairs of brackets."""
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
    """One-hot encode sign and position: two ones in each row.  # (b, n) -> (b, n, kinds + n)"""
    place = np.broadcast_to(np.eye(PLACES), (len(signs), PLACES, PLACES))
    return frozen(np.concatenate([np.eye(kinds)[signs], place], axis=2))


STEPS = 300
WIDTH = 4  # d_k
SPREAD = 0.3  # σ of the initial weights
BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8
BEYOND = 1e6  # a larger loss or weight counts as divergence
OPTIMISERS = ("adam", "descent")


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """Slices of each matrix in the vector w of all weights."""

    W_Q: tuple[int, int, int]
    W_K: tuple[int, int, int]
    W_V: tuple[int, int, int]
    W_O: tuple[int, int]

    def split(self, w: Array) -> tuple[Array, Array, Array, Array]:
        """Split w into W_Q (h, d, k), W_K (h, d, k), W_V (h, d, v), W_O (h·v, o).

        Fixed ones are empty.
        """
        parts = np.split(w, np.cumsum([math.prod(shape) for shape in self.all])[:-1])
        W_Q, W_K, W_V, W_O = (
            part.reshape(shape) for part, shape in zip(parts, self.all, strict=True)
        )
        return W_Q, W_K, W_V, W_O

    @property
    def all(self) -> tuple[tuple[int, ...], ...]:
        """Return the four shapes."""
        return self.W_Q, self.W_K, self.W_V, self.W_O

    @property
    def size(self) -> int:
        """Return the number of learned weights."""
        return sum(math.prod(shape) for shape in self.all)


def shapes(the_task: Task, heads: int) -> Shapes:
    """Return the shapes: one head has no W_O, a fixed V is not learned."""
    d, v = the_task.sizes
    values, joined = (0 if the_task.fixed_V is not None else heads), (heads * v if heads > 1 else 0)
    return Shapes((heads, d, WIDTH), (heads, d, WIDTH), (values, d, v), (joined, d))


def first_weights(the_task: Task, heads: int, seed: int) -> Array:
    """Draw initial weights from N(0, 0.3²)."""
    return frozen(
        np.random.default_rng([seed, heads, 77]).normal(0.0, SPREAD, shapes(the_task, heads).size)
    )


def values_of(the_task: Task, W_V: Array, heads: int) -> Array:
    """Return W_V, learned or fixed.  # (h, d, v)"""
    return (
        W_V
        if the_task.fixed_V is None
        else np.broadcast_to(the_task.fixed_V, (heads, *the_task.fixed_V.shape))
    )


def loss_and_gradient(the_task: Task, heads: int, w: Array) -> tuple[float, float, Array]:
    """Compute training loss, validation loss, and ∂L/∂w of the first.  # (p,)"""
    X, T = the_task.both.X[:, None], the_task.wanted(heads)
    known, (b, n, _) = len(the_task.known.T), T.shape
    W_Q, W_K, W_V, W_O = shapes(the_task, heads).split(w)
    Q, K, V = (
        X @ W_Q,
        X @ W_K,
        X @ values_of(the_task, W_V, heads),
    )  # (b, h, n, k) (b, h, n, k) (b, h, n, v)
    A = _weights(the_task, Q, K)
    joined = (A @ V).swapaxes(1, 2).reshape(b, n, -1)
    off = (joined @ W_O if heads > 1 else joined) - T
    to_Y = off / known
    to_Y[known:] = 0.0  # validation sentences give no gradient
    to_heads = (to_Y @ W_O.T if heads > 1 else to_Y).reshape(b, n, heads, -1).swapaxes(1, 2)
    to_A = to_heads @ V.swapaxes(-1, -2)
    to_S = A * (to_A - (to_A * A).sum(axis=-1, keepdims=True)) / math.sqrt(WIDTH)
    back = X.swapaxes(-1, -2)
    gradients = [back @ (to_S @ K), back @ (to_S.swapaxes(-1, -2) @ Q)]
    gradients += [back @ (A.swapaxes(-1, -2) @ to_heads)] if the_task.fixed_V is None else []
    gradients += [joined.swapaxes(-1, -2) @ to_Y] if heads > 1 else []
    squares = np.square(off).sum(axis=(1, 2)) / 2.0
    gradient = np.concatenate([part.sum(axis=0).ravel() for part in gradients])
    return float(squares[:known].mean()), float(squares[known:].mean()), gradient


def _weights(the_task: Task, Q: Array, K: Array) -> Array:
    scores = Q @ K.swapaxes(-1, -2) / math.sqrt(WIDTH)
    if the_task.causal:
        apply_mask(scores, causal_mask(scores.shape[-2], scores.shape[-1]), out=scores)
    return normalise(exponentials(scores, out=scores))


def descent(rate: float) -> Callable[[Array, Array, int], Array]:
    """Build a step of gradient descent: (w, g, t) -> w."""

    def step(w: Array, g: Array, t: int) -> Array:
        return w - rate * g

    return step


def adam(rate: float) -> Callable[[Array, Array, int], Array]:
    """Build a step of Adam: (w, g, t) -> w, t from 1; it stores the running means."""
    m: Array | float = 0.0
    v: Array | float = 0.0

    def step(w: Array, g: Array, t: int) -> Array:
        nonlocal m, v
        m = BETA_1 * m + (1.0 - BETA_1) * g
        v = BETA_2 * v + (1.0 - BETA_2) * np.square(g)
        corrected = np.sqrt(v / (1.0 - BETA_2**t))
        return w - rate * (m / (1.0 - BETA_1**t)) / (corrected + EPSILON)

    return step


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """A training run: weights (t, p), training and validation losses (t,), ‖g‖ (t,).

    t counts from 0, before the first step; `diverged` means that it ended early because the next
    step diverged.
    """

    weights: Array
    losses: Array
    new_losses: Array
    norms: Array
    diverged: bool

    @property
    def last(self) -> int:
        """Return the last step."""
        return len(self.losses) - 1


@lru_cache(maxsize=24)
def train(task_id: str, optimiser: str, rate: float, heads: int, seed: int) -> History:
    """Train for 300 steps, or fewer if the loss diverges."""
    the_task = task(task_id, seed)
    step = {"adam": adam, "descent": descent}[optimiser](rate)
    w = first_weights(the_task, heads, seed)
    weights, losses, new_losses, norms = [], [], [], []
    diverged = False
    with np.errstate(all="ignore"):
        for t in range(STEPS + 1):
            loss, new_loss, gradient = loss_and_gradient(the_task, heads, w)
            if not (loss < BEYOND and new_loss < BEYOND and np.abs(w).max() < BEYOND):
                diverged = True
                break
            weights.append(w)
            losses.append(loss)
            new_losses.append(new_loss)
            norms.append(float(np.linalg.norm(gradient)))
            w = step(w, gradient, t + 1)
    return History(frozen(weights), frozen(losses), frozen(new_losses), frozen(norms), diverged)
