"""The parts that an experiment is made of, frozen, and the kinds that there are of each.

Axis letters: n tokens, m keys, d = d_model, h heads, k = d_k, v = d_v. Without a context m is n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.base.arrays import Array, BoolArray
from core.base.cell import Cell
from core.base.text import clean_text, clean_texts

POSITIONAL_KINDS = ("none", "sinusoidal", "learned", "rotary", "alibi")
ADDED_POSITIONAL_KINDS = ("sinusoidal", "learned")  # added to X, which they need
MASK_KINDS = ("none", "causal", "window", "custom")
SCALE_KINDS = ("sqrt_dk", "none", "factor")
SOFTMAX_BASES = ("e", "2", "3", "10")
MOST_SCORES = 1 << 26  # h·n·m: half a gigabyte a stage, such as 12 heads of 2,364 tokens

# Where an experiment begins: the tensors that each head must have then, and those it may have.
SOURCES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "embeddings": (("W_Q", "W_K", "W_V"), ("b_Q", "b_K", "b_V")),
    "qkv": (("Q", "K", "V"), ()),
    "weights": (("weights",), ("V",)),
}
# The tensors that files and people call by another name than that of their stage.
FILE_KEYS: dict[str, str] = {"weights": "A"}
# The tensors of one head, with the axes of each.
HEAD_TENSORS: dict[str, tuple[str, ...]] = {
    "W_Q": ("d", "k"),
    "W_K": ("d", "k"),
    "W_V": ("d", "v"),
    "b_Q": ("k",),
    "b_K": ("k",),
    "b_V": ("v",),
    "Q": ("n", "k"),
    "K": ("m", "k"),
    "weights": ("n", "m"),
    "V": ("m", "v"),
}
# The tensors of the whole experiment (c = h·v rows of W_O, o its columns).
SHARED_TENSORS: dict[str, tuple[str, ...]] = {
    "X": ("n", "d"),
    "P": ("n", "d"),
    "X_context": ("m", "d"),
    "P_context": ("m", "d"),
    "W_O": ("c", "o"),
    "b_O": ("o",),
}
# Those that a part of the experiment holds: the part and its field.
TENSOR_PLACES: dict[str, tuple[str, str]] = {
    "P": ("positional", "P"),
    "X_context": ("context", "X"),
    "P_context": ("context", "P"),
}
# Those that are used with one kind of positions alone; they are kept while another kind is chosen.
POSITIONAL_TENSORS: dict[str, str] = {"P": "learned", "P_context": "learned"}
# The stages that an experiment with given weights can have.
AFTER_WEIGHTS = ("V", "weights", "heads", "concat", "Y")
# The axes of every stage that a pin can name, in the order of the plan; core.stages defines the
# stages.
STAGE_AXES: dict[str, tuple[str, ...]] = {
    "X": ("n", "d"),
    "P": ("n", "d"),
    "input": ("n", "d"),
    "X_context": ("m", "d"),
    "P_context": ("m", "d"),
    "input_context": ("m", "d"),
    "Q": ("h", "n", "k"),
    "K": ("h", "m", "k"),
    "V": ("h", "m", "v"),
    "Q_rot": ("h", "n", "k"),
    "K_rot": ("h", "m", "k"),
    "scores": ("h", "n", "m"),
    "scaled": ("h", "n", "m"),
    "biased": ("h", "n", "m"),
    "masked": ("h", "n", "m"),
    "exp": ("h", "n", "m"),
    "weights": ("h", "n", "m"),
    "heads": ("h", "n", "v"),
    "concat": ("n", "c"),
    "Y": ("n", "o"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """One attention head: projections and optional biases, or Q, K and V, or given weights and
    perhaps V; see HEAD_TENSORS and SOURCES.
    """

    name: str = ""
    enabled: bool = True
    W_Q: Array | None = None
    W_K: Array | None = None
    W_V: Array | None = None
    b_Q: Array | None = None
    b_K: Array | None = None
    b_V: Array | None = None
    Q: Array | None = None
    K: Array | None = None
    weights: Array | None = None
    V: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", clean_text(self.name))


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """Another sentence, from which keys and values come: m tokens and entered vectors X (m, d).

    `P` (m, d) are the learned positions of its places, if it has any.
    """

    tokens: tuple[str, ...]
    X: Array | None = None
    P: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokens", clean_texts(self.tokens))


@dataclass(frozen=True, slots=True, eq=False)
class Positional:
    """The positional encoding: its kind and numbers, P (n, d) and slopes (h,)."""

    kind: str = "none"
    base: float = 10000.0
    P: Array | None = None
    slopes: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """Which keys a query may attend to: `left` and `right` of a window, `allow` (n, m).

    None is without limit.
    """

    kind: str = "none"
    left: int | None = None
    right: int | None = None
    allow: BoolArray | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """What the scores are multiplied with: 1/√d_k, nothing, or `value`."""

    kind: str = "sqrt_dk"
    value: float = 1.0


@dataclass(frozen=True, slots=True)
class Softmax:
    """How the numerators of the softmax come about: base^(s − row maximum), or base^s without the
    shift.

    The base is kept as it is written, one of SOFTMAX_BASES, so that e is e and not a rounded
    number.
    """

    base: str = "e"
    shift: bool = True

    @property
    def number(self) -> float:
        """The base as a number."""
        return math.e if self.base == "e" else float(self.base)


@dataclass(frozen=True, slots=True)
class Pin:
    """A what-if value that replaces one computed cell; `index` is as long as the stage has axes."""

    stage: str
    index: tuple[int, ...]
    value: float

    @property
    def cell(self) -> Cell:
        """The cell that it replaces."""
        head = self.index[0] if len(self.index) == 3 else 0
        return Cell(self.stage, self.index[-2], self.index[-1], head)
