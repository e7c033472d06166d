"""Induction: two layers of attention alone continue a pattern, … A B … A → B.

An induction head is a head of layer 2 whose keys depend on a head of layer 1 (Elhage et al. 2021,
Olsson et al. 2022). With x the vectors, A the weights of layer 1 and M = c W_Q2 W_K2ᵀ, c the factor
of the scores, the vectors after layer 1 are z = x + A x W_V1 W_O1, and the scores of layer 2 are
z M zᵀ. They are the sum of four paths:

    direct    x M xᵀ
    keys      x M (W_V1 W_O1)ᵀ xᵀ Aᵀ                 K-composition
    queries   A x W_V1 W_O1 M xᵀ                     Q-composition
    both      A x W_V1 W_O1 M (W_V1 W_O1)ᵀ xᵀ Aᵀ

The numbers are those of the example `induction` with more letters and places, made by hand. A
vector holds the letter, the position as a point on a circle, the letter before it, and what layer 2
copies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations

import numpy as np
import numpy.typing as npt

from core.arithmetic.attention import causal_mask, exponentials, normalise
from core.base.arrays import Array, frozen
from core.compute.trace import Trace
from core.document.document import Document, Head, Mask, Positional, Scale
from core.document.parts import Layer, Output
from core.labs.controls import ChoiceControl, Control, Slider, Switch
from core.labs.lab import Lab, Setting, traced

LETTERS = ("A", "B", "C", "D")
START = "<s>"
PATTERNS = ("ABCA", "ABCDAB", "ABACA", "ABCD", "own")
FEWEST, MOST = 2, 8  # letters
OWN = "ABCDABCD"  # letters of one's own at first
SHARPEST = 40.0
TIE = 1e-9  # probabilities that differ by less are equally likely
_WORDS = len(LETTERS)
_WIDTH = 3 * _WORDS + 2
_WORD, _PLACE = slice(0, _WORDS), slice(_WORDS, _WORDS + 2)
_BEFORE, _COPY = slice(_WORDS + 2, 2 * _WORDS + 2), slice(2 * _WORDS + 2, _WIDTH)
_ANGLE = 2.0 * np.pi / (MOST + 1)  # between two positions
_COPIED = 5.0  # logit of a letter that is copied with weight 1


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """The four parts of the scores of layer 2, each (n, n), without the mask."""

    direct: Array
    keys: Array
    queries: Array
    both: Array

    @property
    def total(self) -> Array:
        """Return the scores of layer 2.  # (n, n)"""
        return self.direct + self.keys + self.queries + self.both


@dataclass(frozen=True, slots=True, eq=False)
class InductionResult:
    """Two layers over a sequence of letters that begins with START.

    `noted` (n, u) is what layer 1 adds to each place: the letter before it. `by_letter` and
    `direct_by_letter` (u, u) are the scores of a query's letter with the letter before a key
    (through layer 1), and with the letter of the key itself. `accuracy` is the share of the
    `count` patterns of `doubled` that are continued correctly.
    """

    trace: Trace
    layers: tuple[bool, bool]
    noted: Array
    paths: Paths
    by_letter: Array
    direct_by_letter: Array
    accuracy: float
    count: int

    @property
    def document(self) -> Document:
        """Return the experiment."""
        return self.trace.document

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return START and the letters."""
        return self.document.tokens

    @property
    def probabilities(self) -> Array:
        """Return the probability of every letter as the next one.  # (u,)"""
        row: Array = self.trace["probabilities"][-1]
        return row

    @property
    def continuations(self) -> tuple[str, ...]:
        """Return the letters that came after earlier places of the last letter, each once."""
        return continuations(self.tokens[1:])

    def weights(self, layer: int) -> Array | None:
        """Return the weights of a layer, None if it is off.  # (n, n)"""
        return self.trace.matrix(f"L{layer}.weights") if self.layers[layer - 1] else None


def continuations(letters: tuple[str, ...]) -> tuple[str, ...]:
    """Return what came after earlier places of the last letter, each once, in order."""
    last = letters[-1]
    after = [letters[place + 1] for place in range(len(letters) - 1) if letters[place] == last]
    return tuple(dict.fromkeys(after))


def _columns(place: slice, rows: Array) -> Array:
    """Put rows into the columns of a part of the vectors.  # (r, w) -> (r, d)"""
    whole = np.zeros((len(rows), _WIDTH))
    whole[:, place] = rows
    return whole


def _reading(place: slice, turn: Array | None = None) -> Array:
    """Return a matrix that reads a part of the vectors, perhaps turned.  # (d, w)"""
    size = place.stop - place.start
    return frozen(_columns(place, np.eye(size) if turn is None else turn.T).T)


def _writing(place: slice) -> Array:
    """Return a matrix that writes to a part of the vectors.  # (w, d)"""
    return frozen(_columns(place, np.eye(place.stop - place.start)))


def _rotation() -> Array:
    """Return the rotation that takes each position to the one before it.  # (2, 2)"""
    cosine, sine = np.cos(_ANGLE), np.sin(_ANGLE)
    return np.round(np.array([[cosine, -sine], [sine, cosine]]), 3)


_LAYERS = (
    Layer(
        (Head(W_Q=_reading(_PLACE, _rotation()), W_K=_reading(_PLACE), W_V=_reading(_WORD)),),
        name="previous letter",
        W_O=_writing(_BEFORE),
    ),
    Layer(
        (Head(W_Q=_reading(_WORD), W_K=_reading(_BEFORE), W_V=_reading(_WORD)),),
        name="induction",
        W_O=_writing(_COPY),
    ),
)
_OUTPUT = Output(frozen(_COPIED * _reading(_COPY)), LETTERS)


def _positions(n: int) -> Array:
    """Return n points on a circle, _ANGLE apart, in the columns of positions.  # (n, d)"""
    angles = np.arange(n) * _ANGLE
    return _columns(_PLACE, np.round(np.column_stack([np.cos(angles), np.sin(angles)]), 3))


@lru_cache(maxsize=16)
def stack(letters: str, first: bool, second: bool, sharpness: float) -> Document:
    """Build two layers over START and some letters; `sharpness` multiplies all scores."""
    words = np.zeros((len(letters) + 1, _WORDS))
    for place, letter in enumerate(letters, 1):
        words[place, LETTERS.index(letter)] = 1.0
    switched = zip(_LAYERS, (first, second), strict=True)
    return Document(
        (START, *letters),
        title="Induction",
        X=frozen(_columns(_WORD, words)),
        layers=tuple(replace(layer, enabled=enabled) for layer, enabled in switched),
        output=_OUTPUT,
        positional=Positional("learned", P=frozen(_positions(len(letters) + 1))),
        mask=Mask("causal"),
        scale=Scale("factor", sharpness),
    )


def _tensors(layer: Layer) -> tuple[Array, Array, Array, Array]:
    """Return W_Q, W_K, W_V and W_O of a layer with one head."""
    (head,) = layer.heads
    assert head.W_Q is not None
    assert head.W_K is not None
    assert head.W_V is not None
    assert layer.W_O is not None
    return head.W_Q, head.W_K, head.W_V, layer.W_O


def _composed(document: Document) -> tuple[Array, Array]:
    """Return M and W_V1 W_O1; the latter is 0 if layer 1 is off.  # (d, d), (d, d)"""
    one, two = document.layers
    W_Q, W_K, _, _ = _tensors(two)
    _, _, W_V, W_O = _tensors(one)
    return document.scale.value * (W_Q @ W_K.T), W_V @ W_O * float(one.enabled)


def score_paths(x: Array, weights: Array | None, document: Document) -> Paths:
    """Split the scores of layer 2 by what goes through layer 1.  # (n, d), (n, n)"""
    M, through = _composed(document)
    A = np.zeros((len(x), len(x))) if weights is None else weights
    return Paths(
        frozen(x @ M @ x.T),
        frozen(x @ (M @ through.T) @ x.T @ A.T),
        frozen(A @ x @ (through @ M) @ x.T),
        frozen(A @ x @ (through @ M @ through.T) @ x.T @ A.T),
    )


def letter_tables(document: Document) -> tuple[Array, Array]:
    """Return the scores of letter by letter through layer 1, and directly.  # (u, u), (u, u)"""
    M, through = _composed(document)
    return frozen((M @ through.T)[_WORD, _WORD]), frozen(M[_WORD, _WORD])


@lru_cache(maxsize=1)
def doubled() -> npt.NDArray[np.int_]:
    """List the patterns in which every letter occurs twice, as indices of letters.  # (105, 8)

    New letters come in the order of the alphabet: renaming them changes nothing. The last letter
    has one earlier place, so a pattern has one continuation. All letters are equally frequent:
    counting them does not help.
    """
    order = tuple(range(_WORDS))
    rows = {row for row in permutations(order * 2) if tuple(dict.fromkeys(row)) == order}
    return np.array(sorted(rows))


def next_letters(
    sequences: npt.NDArray[np.int_], first: bool, second: bool, sharpness: float
) -> Array:
    """Return the probability of each letter after many sequences.  # (s, n) -> (s, u)

    The same computation as in an experiment, for all sequences at once.
    """
    count, length = sequences.shape
    x = np.zeros((count, length + 1, _WIDTH))
    x[:, 1:, _WORD] = np.eye(_WORDS)[sequences]
    x += _positions(length + 1)
    allow = causal_mask(length + 1, length + 1)
    for layer, enabled in zip(_LAYERS, (first, second), strict=True):
        if not enabled:
            continue
        W_Q, W_K, W_V, W_O = _tensors(layer)
        scores = sharpness * ((x @ W_Q) @ (x @ W_K).transpose(0, 2, 1))
        weights = normalise(exponentials(np.where(allow, scores, -np.inf)))
        x = x + weights @ (x @ W_V) @ W_O
    return normalise(exponentials(x[:, -1] @ _OUTPUT.W_U))


def share_right(sequences: npt.NDArray[np.int_], probabilities: Array) -> float:
    """Return the share of sequences whose continuation has the highest probability.

    Where k letters have it, the sequence counts 1/k.  # (s, n), (s, u)
    """
    last = sequences[:, -1:]
    before = (sequences[:, :-1] == last).argmax(axis=1)
    rows = np.arange(len(sequences))
    likely = probabilities > probabilities.max(axis=1, keepdims=True) - TIE
    right = likely[rows, sequences[rows, before + 1]]
    return float((right / likely.sum(axis=1)).mean())


@lru_cache(maxsize=64)
def accuracy(first: bool, second: bool, sharpness: float) -> float:
    """Return the share of `doubled` patterns that are continued correctly."""
    patterns = doubled()
    return share_right(patterns, next_letters(patterns, first, second, sharpness))


class InductionLab(Lab):
    """Controls: the pattern, or letters of one's own; each layer on or off; the sharpness."""

    id = "induction"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the letters only for a pattern of one's own."""
        own: tuple[Control, ...] = ()
        if setting.get("pattern", PATTERNS[0]) == "own":
            length = int(setting.get("length", 6))
            own = (
                Slider("length", FEWEST, MOST, 6, step=1, whole=True),
                *(
                    ChoiceControl(f"letter{place}", LETTERS, letter)
                    for place, letter in enumerate(OWN[:length], 1)
                ),
            )
        return (
            ChoiceControl("pattern", PATTERNS, PATTERNS[0]),
            *own,
            Switch("first", True),
            Switch("second", True),
            Slider("sharpness", 0.0, SHARPEST, 20.0, step=0.5),
        )

    def compute(self, setting: Setting) -> InductionResult:
        """Run both layers, split the scores of layer 2, and count over all `doubled` patterns."""
        document = self.document(setting)
        trace = traced(document)
        switches = bool(setting["first"]), bool(setting["second"])
        n = document.n
        noted = trace["L1.Y"][:, _BEFORE] if switches[0] else np.zeros((n, _WORDS))
        weights = trace.matrix("L1.weights") if switches[0] else None
        return InductionResult(
            trace,
            switches,
            frozen(noted),
            score_paths(trace["input"], weights, document),
            *letter_tables(document),
            accuracy(*switches, float(setting["sharpness"])),
            len(doubled()),
        )

    def document(self, setting: Setting) -> Document:
        """Return the two layers over the chosen letters."""
        letters = str(setting["pattern"])
        if letters == "own":
            length = int(setting["length"])
            letters = "".join(setting[f"letter{place}"] for place in range(1, length + 1))
        return stack(
            letters, bool(setting["first"]), bool(setting["second"]), float(setting["sharpness"])
        )


LAB = InductionLab()
