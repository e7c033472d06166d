"""Cross-attention: translation.

Queries come from one sentence, keys and values from another (Vaswani et al. 2017, section 3.2.3).
Weights are n × m: one row per written word, one column per word that is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Context, Document, Head
from core.document.resize import with_tokens_ordered
from core.labs.controls import Button, ChoiceControl, Clock, Control, Order, Slider
from core.labs.lab import Lab, Setting, head_choice
from core.storage.examples import load_example

FEWEST, MOST = 1, 12
# Columns of the word vectors of the pairs below.
MEANINGS = ("speaker", "hearer", "love", "animal", "eating", "food", "done", "the")
WORDS: dict[str, dict[str, float]] = {
    "I": {"speaker": 1},
    "love": {"love": 1},
    "you": {"hearer": 1},
    "我": {"speaker": 1},
    "爱": {"love": 1},
    "你": {"hearer": 1},
    "the": {"animal": 0.6, "the": 1},
    "cat": {"animal": 1},
    "has": {"done": 1, "eating": 0.3},
    "eaten": {"eating": 1},
    "fish": {"food": 1},
    "鱼": {"food": 1},
    "被": {"done": 0.4},
    "猫": {"animal": 1},
    "吃": {"eating": 1},
    "了": {"done": 1},
}
PAIRS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "love": (("I", "love", "you"), ("我", "爱", "你")),
    "eaten": (("the", "cat", "has", "eaten", "fish"), ("鱼", "被", "猫", "吃", "了")),
}
STRENGTH = 3.0  # factor of W_Q and W_K, as in the shipped example


@dataclass(frozen=True, slots=True, eq=False)
class CrossResult:
    """Alignment of two sentences: `weights` (n, m) of the chosen head, `y` (n, v) its outputs.

    `word` is the number of the current target word; `best` (n,) holds for each word the source
    position with the largest weight.
    """

    document: Document
    head: int
    word: int
    weights: Array
    y: Array
    best: tuple[int, ...]

    @property
    def crossings(self) -> int:
        """Count the crossings of the strongest lines: pairs of words in reversed order."""
        pairs = [(i, j) for i in range(len(self.best)) for j in range(i)]
        return sum(self.best[i] < self.best[j] for i, j in pairs)


@lru_cache(maxsize=8)
def pair(pair_id: str) -> Document:
    """Build a pair of sentences as an experiment; "example" is the shipped one."""
    if pair_id == "example":
        return load_example("translation")
    written, read = PAIRS[pair_id]
    look = frozen(STRENGTH * np.eye(len(MEANINGS)))
    head = Head(W_Q=look, W_K=look, W_V=frozen(np.eye(len(MEANINGS))))
    return Document(
        written,
        (head,),
        title="Translation",
        X=vectors(written),
        context=Context(read, vectors(read)),
    )


def vectors(words: tuple[str, ...]) -> Array:
    """Return the word vectors, one row each, (n, 8)."""
    return frozen([[WORDS[word].get(meaning, 0.0) for meaning in MEANINGS] for word in words])


def sharpened(document: Document, factor: float) -> Document:
    """Multiply every W_Q (or Q) by a factor."""
    if factor == 1.0:
        return document
    name = "Q" if document.source == "qkv" else "W_Q"
    heads = tuple(_scaled(head, name, factor) for head in document.heads)
    return document.with_(heads=heads)


def _scaled(head: Head, name: str, factor: float) -> Head:
    parts = {field: getattr(head, field) for field in head.__dataclass_fields__}
    return Head(**{**parts, name: frozen(factor * parts[name])})


class CrossLab(Lab):
    """Controls: the pair, the current word, the sharpness, the order of the source sentence."""

    id = "cross"
    example = "translation"

    def experiment(self) -> Document:
        """Return the shipped translation."""
        return pair("example")

    def require(self, document: Document) -> None:
        """Accept at most 12 words in each of two sentences."""
        if document.context is None:
            raise UserError("lab.unfit", reason="cross.one")
        if max(document.n, document.m) > MOST:
            raise UserError("lab.unfit", reason="tokens_12")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer other pairs unless an experiment of the user is shown."""
        document = _chosen(setting)
        return (
            *((ChoiceControl("pair", ("example", *PAIRS), "example"),) if setting.own else ()),
            Clock("written", document.n, document.n, pause=1100),
            *head_choice(document),
            Slider("sharpness", 0.0, 3.0, 1.0, step=0.05),
            Order("order", document.m),
            Button("reverse"),
        )

    def press(self, setting: Setting, button: str) -> Setting:
        """Reverse the source sentence."""
        return self.with_value(setting, "order", tuple(reversed(setting["order"])))

    def compute(self, setting: Setting) -> CrossResult:
        """Compute the alignment."""
        document = self.document(setting)
        return _crossed(document, setting.head, setting["written"])

    def document(self, setting: Setting) -> Document:
        """Return the pair as set."""
        return _made(_chosen(setting), setting["sharpness"], setting["order"])


@lru_cache(maxsize=16)
def _made(document: Document, sharpness: float, order: tuple[int, ...]) -> Document:
    return with_tokens_ordered(sharpened(document, sharpness), order, "m")


@lru_cache(maxsize=32)
def _crossed(document: Document, head: int, written: int) -> CrossResult:
    trace = run(document)
    weights = trace["weights"][head]
    return CrossResult(
        document,
        head,
        written,
        weights,
        trace["heads"][head],
        tuple(int(k) for k in weights.argmax(axis=1)),
    )


def _chosen(setting: Setting) -> Document:
    chosen = str(setting.get("pair", "example"))
    return setting.experiment if chosen == "example" else pair(chosen)


LAB = CrossLab()
