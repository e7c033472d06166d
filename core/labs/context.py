"""Context: the same word has another meaning in another sentence.

苹果 enters two sentences as the same vector x, half fruit and half company. Attention mixes its
neighbours into y = Σ_j α_j v_j; cos(y₁, y₂) measures how much the outputs differ. Values are the
token vectors (W_V = I), so the contribution of each neighbour can be read from y.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from core.base.arrays import Array, frozen
from core.compute.trace import run
from core.document.document import Document, Head
from core.labs.controls import ChoiceControl, Control, Slider
from core.labs.lab import Lab, Setting
from core.storage.examples import with_token_names

WORD = "苹果"
FRUIT, TECH, PERSON, DEED = range(4)  # columns of every vector
WORDS: dict[str, tuple[float, float, float, float]] = {
    "苹果": (1, 1, 0, 0),
    "小明": (0, 0, 2, 0),
    "我": (0, 0, 2, 0),
    "吃": (2, 0, 0, 1),
    "甜": (2, 0, 0, 0),
    "很": (0, 0, 0, 0.5),
    "爱": (0, 0, 1, 1),
    "这个": (0, 0, 0, 0.5),
    "发布": (0, 2, 0, 1),
    "iPhone": (0, 3, 0, 0),
    "股票": (0, 2, 0, 0),
    "涨": (0, 1, 0, 1),
}
SENTENCES: dict[str, tuple[str, ...]] = {
    "eats": ("小明", "吃", "苹果"),
    "sweet": ("这个", "苹果", "很", "甜"),
    "loves": ("我", "爱", "这个", "苹果"),
    "releases": ("苹果", "发布", "iPhone"),
    "shares": ("苹果", "股票", "涨"),
    "alone": ("苹果",),
}
SIDES = ("first", "second")
SHARPEST = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """Output of the word in one sentence of n tokens.

    `place` is its position, `weights` (n,) its attention row, `parts` (n, 4) the contributions α_j
    v_j, which sum to y (4,). x (4,) is the input. `fruit` and `tech` are the cosines of y with
    these two directions.
    """

    document: Document
    place: int
    weights: Array
    parts: Array
    x: Array
    y: Array
    fruit: float
    tech: float

    @property
    def word(self) -> str:
        """Return the word, as the sentence has it."""
        return self.document.tokens[self.place]


@dataclass(frozen=True, slots=True, eq=False)
class ContextResult:
    """The word in two sentences; `cosine` of both outputs, `inputs` of both inputs (always 1)."""

    first: Meaning
    second: Meaning
    cosine: float
    inputs: float


def cosine(a: Array, b: Array) -> float:
    """Compute a·b ÷ (‖a‖ ‖b‖), from −1 to 1; 0 if one of them is 0."""
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.clip(a @ b / size, -1.0, 1.0)) if size > 0 else 0.0


@lru_cache(maxsize=64)
def sentence(sentence_id: str, sharpness: float, folder: Path | None = None) -> Document:
    """Build a sentence as an experiment, with tokens in the language of a folder.

    X comes from the dictionary; q and k are the columns fruit and tech, q times `sharpness`; W_V =
    I (4, 4).
    """
    tokens = SENTENCES[sentence_id]
    look = np.eye(4)[:, :2]
    head = Head(W_Q=frozen(look * sharpness), W_K=frozen(look), W_V=frozen(np.eye(4)))
    X = frozen([WORDS[token] for token in tokens])
    document = Document(tokens, (head,), title="Same word, other meaning", X=X)
    return with_token_names(document, f"lab-context.{sentence_id}", folder)


@lru_cache(maxsize=64)
def meaning(sentence_id: str, sharpness: float, folder: Path | None = None) -> Meaning:
    """Compute the output of the word, with tokens in the language of a folder."""
    document = sentence(sentence_id, sharpness, folder)
    trace = run(document)
    place = SENTENCES[sentence_id].index(WORD)
    weights, values, y = trace["weights"][0, place], trace["V"][0], trace["Y"][place]
    axes = np.eye(4)
    return Meaning(
        document,
        place,
        weights,
        frozen(weights[:, None] * values),
        trace["X"][place],
        y,
        cosine(y, axes[FRUIT]),
        cosine(y, axes[TECH]),
    )


class ContextLab(Lab):
    """Controls: two sentences and the sharpness of the attention."""

    id = "context"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Start with 吃 and 发布."""
        return (
            ChoiceControl("first", tuple(SENTENCES), "eats"),
            ChoiceControl("second", tuple(SENTENCES), "releases"),
            Slider("sharpness", 0.0, SHARPEST, 1.0, step=0.05),
            ChoiceControl("opens", SIDES, "second"),
        )

    def compute(self, setting: Setting) -> ContextResult:
        """Compute both meanings and their similarity."""
        first, second = (
            meaning(setting[side], setting["sharpness"], setting.folder) for side in SIDES
        )
        return ContextResult(first, second, cosine(first.y, second.y), cosine(first.x, second.x))

    def document(self, setting: Setting) -> Document:
        """Return the sentence chosen for the main window."""
        return sentence(setting[setting["opens"]], setting["sharpness"], setting.folder)


LAB = ContextLab()
