"""The parts that an experiment is made of, frozen, and the kinds that there are of each.

Axis letters: n tokens, m keys, d = d_model, h heads, k = d_k, v = d_v. Without a context m is n. In
stacks f is the width of the MLP of a layer, u the size of the vocabulary.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.base.arrays import Array, BoolArray
from core.base.cell import Cell
from core.base.text import clean_text, clean_texts

POSITIONAL_KINDS = ("none", "sinusoidal", "learned", "rotary", "alibi")
ADDED_POSITIONAL_KINDS = ("sinusoidal", "learned")  # added to X, which they need
MASK_KINDS = ("none", "causal", "window", "custom")
SCALE_KINDS = ("sqrt_dk", "none", "factor")
SOFTMAX_BASES = ("e", "2", "3", "10")
NORM_KINDS = ("layer", "rms")
NORM_PLACES = ("pre", "post")
LARGEST_SEED = 1 << 53  # of the generator that draws the next word; whole in JSON everywhere
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu")
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
# The tensors that only stacks have, without the prefix of a layer.
_NORM_TENSORS = {
    f"{norm}.{name}": ("d",)
    for norm in ("embedding_norm", "attention_norm", "mlp_norm", "final_norm")
    for name in ("gamma", "beta")
}
STACK_TENSORS: dict[str, tuple[str, ...]] = {
    **_NORM_TENSORS,
    "W_1": ("d", "f"),
    "b_1": ("f",),
    "W_gate": ("d", "f"),
    "b_gate": ("f",),
    "W_2": ("f", "d"),
    "b_2": ("d",),
    "W_U": ("d", "u"),
    "b_U": ("u",),
}
BORROWED = ("W_K", "W_V", "b_K", "b_V")  # what a head with `kv_from` takes from another head
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
# The stages that only stacks have, without the prefix of a layer.
STACK_STAGE_AXES: dict[str, tuple[str, ...]] = {
    "embedding_norm": ("n", "d"),
    "attention_norm": ("n", "d"),
    "attention_residual": ("n", "d"),
    "mlp_norm": ("n", "d"),
    "mlp_hidden": ("n", "f"),
    "mlp_gate": ("n", "f"),
    "mlp_active": ("n", "f"),
    "mlp_out": ("n", "d"),
    "mlp_residual": ("n", "d"),
    "final_norm": ("n", "d"),
    "logits": ("n", "u"),
    "probabilities": ("n", "u"),
}
# The stages of a stack outside its layers: before them, and after them.
BEFORE_LAYERS = ("X", "P", "input", "embedding_norm")
AFTER_LAYERS = ("final_norm", "logits", "probabilities")

_LAYER = re.compile(r"L([1-9]\d{0,3})\.(.+)", re.DOTALL)


def split_layer(name: str) -> tuple[int | None, str]:
    """The layer, counted from 1, and the rest of the id of a stage or tensor: "L2.Q" is (2, "Q").

    The layer is None for an id without the prefix of a layer.
    """
    found = _LAYER.fullmatch(name)
    return (int(found[1]), found[2]) if found else (None, name)


def layer_id(layer: int | None, name: str) -> str:
    """The id with the prefix of a layer; unchanged where the layer is None."""
    return name if layer is None else f"L{layer}.{name}"


def is_stage(name: str) -> bool:
    """Whether an id, with or without the prefix of a layer, is that of a stage."""
    base = split_layer(name)[1]
    return base in STAGE_AXES or base in STACK_STAGE_AXES


def stage_axes(stage_id: str) -> tuple[str, ...]:
    """The axis letters of a stage; KeyError for an unknown one."""
    base = split_layer(stage_id)[1]
    return STACK_STAGE_AXES[base] if base in STACK_STAGE_AXES else STAGE_AXES[base]


def is_headwise(stage_id: str) -> bool:
    """Whether an id is that of a stage whose array carries the head axis."""
    return is_stage(stage_id) and stage_axes(stage_id)[0] == "h"


def is_of_head(name: str) -> bool:
    """Whether an id is that of a tensor which each head has for itself."""
    return split_layer(name)[1] in HEAD_TENSORS


def is_tensor(name: str) -> bool:
    """Whether an id is that of an entered tensor."""
    base = split_layer(name)[1]
    return any(base in known for known in (HEAD_TENSORS, SHARED_TENSORS, STACK_TENSORS))


def tensor_axes(name: str) -> tuple[str, ...]:
    """The axis letters of an entered tensor, of one head where each has its own; KeyError for an
    unknown one.
    """
    base = split_layer(name)[1]
    for known in (HEAD_TENSORS, SHARED_TENSORS):
        if base in known:
            return known[base]
    return STACK_TENSORS[base]


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """One attention head: projections and optional biases, or Q, K and V, or given weights and
    perhaps V; see HEAD_TENSORS and SOURCES.

    `kv_from`, only in stacks, is the place of another head of the layer whose keys and values this
    head reads (grouped queries); it has none of BORROWED then.
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
    kv_from: int | None = None

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


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """A normalisation of each row: LayerNorm ("layer") or RMSNorm ("rms", without beta).

    `gamma` (d,) None is 1 in every column, `beta` (d,) None is 0.
    """

    kind: str = "layer"
    eps: float = 1e-5
    gamma: Array | None = None
    beta: Array | None = None
    enabled: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Norms:
    """The normalisations of a layer: before ("pre") its sub-layers, or after ("post") what they
    add up to.

    `attention` and `mlp` take over `kind` and `eps`; None is no normalisation there.
    """

    kind: str = "layer"
    place: str = "pre"
    eps: float = 1e-5
    attention: Norm | None = None
    mlp: Norm | None = None

    def __post_init__(self) -> None:
        for name in ("attention", "mlp"):
            norm = getattr(self, name)
            if norm is not None and (norm.kind, norm.eps) != (self.kind, self.eps):
                object.__setattr__(self, name, replace(norm, kind=self.kind, eps=self.eps))


@dataclass(frozen=True, slots=True, eq=False)
class Mlp:
    """The MLP of a layer: activation(x W_1 + b_1) W_2 + b_2.  # W_1 (d, f), W_2 (f, d)

    With W_gate (d, f) it is (activation(x W_gate + b_gate) ⊙ (x W_1 + b_1)) W_2 + b_2.
    """

    W_1: Array
    W_2: Array
    b_1: Array | None = None
    b_2: Array | None = None
    activation: str = "relu"
    W_gate: Array | None = None
    b_gate: Array | None = None
    enabled: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer of a stack: attention and an MLP, each with a residual connection and a norm.

    A layer that is switched off passes on what comes into it. # W_O (h·v, d), b_O (d,)
    """

    heads: tuple[Head, ...]
    name: str = ""
    enabled: bool = True
    residual: bool = True
    W_O: Array | None = None
    b_O: Array | None = None
    norm: Norms = field(default_factory=Norms)
    mlp: Mlp | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", clean_text(self.name))


@dataclass(frozen=True, slots=True, eq=False)
class Output:
    """From the last vectors to the next word: W_U (d, u), b_U (u,) and the u words."""

    W_U: Array
    vocabulary: tuple[str, ...]
    b_U: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "vocabulary", clean_texts(self.vocabulary))

    def continues(self, tokens: Sequence[str]) -> bool:
        """Whether its words are those of the sentence, and may come next; else they are classes."""
        return not set(tokens).isdisjoint(self.vocabulary)


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the next word is drawn: logits ÷ temperature, of the `top_k` most probable, of those that
    make up `top_p` of the probability. None is without limit.
    """

    temperature: float = 1.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ModelLink:
    """The model whose numbers an experiment shows: a layer, from 1, of a text or of tokens.

    `path` is that of a file or folder, or the id of a model that ships; `base` is the experiment
    (a Document) as the model gives it, to which edits are compared. `pieces` are its tokens as the
    vocabulary has them (`Ġthe`), and files. `whole`: it is the layer as a stack of its own, not its
    attention alone.
    """

    path: str
    sha256: str
    layer: int
    base: Any
    text: str | None = None
    ids: tuple[int, ...] | None = None
    pieces: tuple[str, ...] = ()
    whole: bool = False


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
