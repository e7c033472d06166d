"""The experiment: what the user entered, frozen.

Axis letters: n tokens, m keys, d = d_model, h heads, k = d_k, v = d_v. Without a context m is n.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from core.arrays import Array, BoolArray, require_finite, require_shape
from core.cell import Cell
from core.plan import STAGE_AXES, VECTOR_STAGES
from core.problems import Problem

SOURCES = ("embeddings", "qkv")
POSITIONAL_KINDS = ("none", "sinusoidal", "learned", "rotary", "alibi")
MASK_KINDS = ("none", "causal", "window", "custom")
SCALE_KINDS = ("sqrt_dk", "none", "factor")
SOFTMAX_BASES = ("e", "2", "3", "10")
MOST_SCORES = 1 << 26  # h·n·m: half a gigabyte a stage, such as 12 heads of 2,364 tokens

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


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """One attention head: weights (d, k) (d, k) (d, v) with optional biases, or Q (n, k), K (m, k), V (m, v)."""

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
    V: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """Another sentence, which keys and values come from: m tokens and, where vectors are entered, X (m, d).

    `P` (m, d) are the learned positions of its places; without them its vectors go without.
    """

    tokens: tuple[str, ...]
    X: Array | None = None
    P: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Positional:
    """How positions enter: kind, and the numbers that the kind uses (P is (n, d), slopes one a head)."""

    kind: str = "none"
    base: float = 10000.0
    P: Array | None = None
    slopes: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """Which keys a query may attend to: `left`, `right` for a window (None = without limit), `allow` (n, m)."""

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
    """How the numerators of the softmax come about: base^(s − row maximum), or base^s without the shift.

    The base is kept as it is written, one of SOFTMAX_BASES, so that e is e and not a rounded number.
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


@dataclass(frozen=True, eq=False)
class Document:
    """The experiment. Two documents are the same when they are the same object.

    `filled` marks numbers that a resize made up and nobody has edited yet; it is not written to files.
    Raises Problem when the parts do not fit together.
    """

    tokens: tuple[str, ...]
    heads: tuple[Head, ...]
    title: str = ""
    notes: str = ""
    source: str = "embeddings"
    X: Array | None = None
    context: Context | None = None
    W_O: Array | None = None
    b_O: Array | None = None
    positional: Positional = field(default_factory=Positional)
    mask: Mask = field(default_factory=Mask)
    scale: Scale = field(default_factory=Scale)
    softmax: Softmax = field(default_factory=Softmax)
    pins: tuple[Pin, ...] = ()
    filled: frozenset[Cell] = frozenset()

    def __post_init__(self) -> None:
        _validate(self)

    @property
    def n(self) -> int:
        """Number of tokens."""
        return len(self.tokens)

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The tokens that keys and values belong to: the context's, or else the tokens themselves."""
        return self.tokens if self.context is None else self.context.tokens

    @property
    def m(self) -> int:
        """Number of keys."""
        return len(self.key_tokens)

    @property
    def h(self) -> int:
        """Number of heads."""
        return len(self.heads)

    @property
    def d(self) -> int:
        """d_model: columns of X; without X, columns of W_O, or h·d_v."""
        if self.X is not None:
            return int(self.X.shape[1])
        return self.o

    @property
    def k(self) -> int:
        """d_k: columns of Q and K in one head."""
        tensor = self.heads[0].Q if self.source == "qkv" else self.heads[0].W_Q
        return _columns(tensor)

    @property
    def v(self) -> int:
        """d_v: columns of V in one head."""
        tensor = self.heads[0].V if self.source == "qkv" else self.heads[0].W_V
        return _columns(tensor)

    @property
    def c(self) -> int:
        """Columns of the concatenated heads, h·d_v."""
        return self.h * self.v

    @property
    def o(self) -> int:
        """Columns of the output Y."""
        return self.c if self.W_O is None else int(self.W_O.shape[1])

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Every axis letter with its size."""
        return {letter: getattr(self, letter) for letter in "nmdhkvco"}

    def tensor(self, name: str, head: int = 0) -> Array | None:
        """An entered tensor by its id, None where this experiment has none. KeyError for an unknown id."""
        if name in HEAD_TENSORS:
            result: Array | None = getattr(self.heads[head], name)
            return result
        if name == "P":
            return self.positional.P
        if name in ("X_context", "P_context"):
            return None if self.context is None else getattr(self.context, name[0])
        if name in SHARED_TENSORS:
            return getattr(self, name)  # type: ignore[no-any-return]
        raise KeyError(name)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The ids of the entered tensors that this experiment has, in the order in which they are used."""
        shared = ["X"] if self.X is not None else []
        if self.positional.kind == "learned":
            shared.append("P")
        if self.context is not None:
            shared += ["X_context"] if self.context.X is not None else []
            shared += ["P_context"] if self.positional.kind == "learned" and self.context.P is not None else []
        of_heads = [name for name in HEAD_TENSORS if any(getattr(head, name) is not None for head in self.heads)]
        output = [name for name in ("W_O", "b_O") if getattr(self, name) is not None]
        return (*shared, *of_heads, *output)

    def letters(self, axes: Iterable[str]) -> tuple[str, ...]:
        """Axis letters as this experiment speaks of them: without a context the keys are counted by n, too."""
        return tuple("n" if axis == "m" and self.context is None else axis for axis in axes)

    def labels(self, axis: str) -> tuple[str, ...] | None:
        """The tokens along an axis: of the queries' sentence for n, of the keys' for m; None for all others."""
        return {"n": self.tokens, "m": self.key_tokens}.get(axis)

    def row_tokens(self, stage_id: str) -> tuple[str, ...]:
        """The tokens that the rows of a stage belong to."""
        return self.labels(STAGE_AXES[stage_id][-2]) or ()

    def stage_shape(self, stage_id: str) -> tuple[int, ...]:
        """The shape that a stage's array has at these sizes, also when the stage is switched off."""
        return tuple(self.sizes[axis] for axis in STAGE_AXES[stage_id])

    def with_(self, **changes: Any) -> Document:
        """A copy with some fields replaced; the very same object if each is what it was."""
        if all(getattr(self, name) is value for name, value in changes.items()):
            return self
        return replace(self, **changes)


def _columns(tensor: Array | None) -> int:
    if tensor is None:
        raise Problem("head.incomplete", head=0)
    return int(tensor.shape[-1])


def _validate(document: Document) -> None:
    if not document.tokens:
        raise Problem("document.no_tokens")
    if not document.heads:
        raise Problem("document.no_heads")
    if document.h * document.n * document.m > MOST_SCORES:
        raise Problem("document.too_large", h=document.h, n=document.n, m=document.m, limit=MOST_SCORES)
    _require_kind("source", document.source, SOURCES)
    _require_kind("positional.kind", document.positional.kind, POSITIONAL_KINDS)
    _require_kind("mask.kind", document.mask.kind, MASK_KINDS)
    _require_kind("scale.kind", document.scale.kind, SCALE_KINDS)
    _validate_source(document)
    _validate_context(document)
    _validate_heads(document)
    _validate_output(document)
    _validate_positional(document)
    _validate_mask(document)
    if not math.isfinite(document.scale.value):
        raise Problem("number.infinite", text=str(document.scale.value), place="scale.value")
    if document.softmax.base not in SOFTMAX_BASES:
        raise Problem("softmax.base", place="softmax.base", base=document.softmax.base)
    _validate_pins(document)


def _require_kind(place: str, kind: str, known: tuple[str, ...]) -> None:
    if kind not in known:
        raise Problem("kind.unknown", place=place, kind=kind, known=known)


def _validate_source(document: Document) -> None:
    if document.source == "qkv":
        if document.X is not None:
            raise Problem("source.qkv_with_X")
        return
    if document.X is None:
        raise Problem("source.X_missing")
    if document.X.ndim != 2 or document.X.shape[1] == 0:
        raise Problem("shape", name="X", axes="n × d", expected=(document.n, "d"), actual=document.X.shape)
    _require_tensor(document.X, "X", ("n", "d"), (document.n, document.d))


def _validate_context(document: Document) -> None:
    context = document.context
    if context is None:
        return
    if not context.tokens:
        raise Problem("context.no_tokens")
    if document.source == "qkv":
        for name in ("X", "P"):
            if getattr(context, name) is not None:
                raise Problem("context.with_qkv", name=name)
        return
    if context.X is None:
        raise Problem("context.X_missing")
    for name in ("X", "P"):
        tensor = getattr(context, name)
        if tensor is not None:  # learned positions are kept, and so checked, also while another kind is chosen
            _require_tensor(tensor, f"context.{name}", ("m", "d"), (document.m, document.d))


def _validate_heads(document: Document) -> None:
    given, other = ("QKV", "W") if document.source == "qkv" else ("W", "QKV")
    wanted, refused = _head_names(given), _head_names(other)
    for index, head in enumerate(document.heads):
        for name in wanted:
            if getattr(head, name) is None:
                raise Problem("head.missing", head=index, name=name, source=document.source)
        for name in refused:
            if getattr(head, name) is not None:
                raise Problem("head.unexpected", head=index, name=name, source=document.source)
    for index, head in enumerate(document.heads):
        _validate_head_shapes(document, index, head)


def _head_names(kind: str) -> tuple[str, ...]:
    return ("Q", "K", "V") if kind == "QKV" else ("W_Q", "W_K", "W_V")


def _validate_head_shapes(document: Document, index: int, head: Head) -> None:
    if document.source == "qkv" and any(getattr(head, name) is not None for name in ("b_Q", "b_K", "b_V")):
        raise Problem("head.unexpected", head=index, name="b_Q, b_K, b_V", source=document.source)
    sizes = {"n": document.n, "m": document.m, "k": document.k, "v": document.v}
    if document.source == "embeddings":
        sizes["d"] = document.d
    for name, axes in HEAD_TENSORS.items():
        tensor = getattr(head, name)
        if tensor is not None:
            expected = tuple(sizes[axis] for axis in axes)
            _require_tensor(tensor, f"heads[{index}].{name}", document.letters(axes), expected)


def _require_tensor(tensor: Array, name: str, axes: Iterable[str], expected: tuple[int, ...]) -> None:
    if any(size == 0 for size in tensor.shape):
        raise Problem("shape.empty", name=name)
    require_shape(tensor, name, tuple(axes), expected)
    require_finite(tensor, name)


def _validate_output(document: Document) -> None:
    if document.W_O is None:
        if document.b_O is not None:
            raise Problem("output.bias_without_weights")
        return
    if document.W_O.ndim != 2 or document.W_O.shape[0] != document.c:
        raise Problem("output.height", expected=document.c, h=document.h, v=document.v, actual=document.W_O.shape)
    width = document.d if document.source == "embeddings" else int(document.W_O.shape[1])
    _require_tensor(document.W_O, "W_O", ("h·v", "d"), (document.c, width))
    if document.b_O is not None:
        _require_tensor(document.b_O, "b_O", ("d",), (width,))


def _validate_positional(document: Document) -> None:
    positional = document.positional
    if positional.kind in ("sinusoidal", "learned") and document.source == "qkv":
        raise Problem("positional.needs_embeddings", kind=positional.kind)
    if not 0 < positional.base < math.inf:
        raise Problem("positional.base", value=positional.base)
    if positional.kind == "learned" and positional.P is None:
        raise Problem("positional.P_missing")
    if positional.P is not None:  # kept, and so checked, also while another kind is chosen
        if document.source == "qkv":
            raise Problem("positional.needs_embeddings", kind="learned")
        _require_tensor(positional.P, "positional.P", ("n", "d"), (document.n, document.d))
    if positional.slopes is not None:
        _require_tensor(positional.slopes, "positional.slopes", ("h",), (document.h,))


def _validate_mask(document: Document) -> None:
    mask = document.mask
    for side in ("left", "right"):
        value = getattr(mask, side)
        if value is not None and value < 0:
            raise Problem("mask.negative", place=f"mask.{side}", value=value)
    if mask.kind == "custom" and mask.allow is None:
        raise Problem("mask.allow_missing")
    if mask.allow is not None:  # kept, and so checked, also while another kind is chosen
        require_shape(mask.allow, "mask.allow", document.letters("nm"), (document.n, document.m))


def _validate_pins(document: Document) -> None:
    seen: set[Cell] = set()
    for position, pin in enumerate(document.pins):
        place = f"pins[{position}]"
        if pin.stage not in STAGE_AXES:
            raise Problem("pin.stage", place=place, stage=pin.stage, known=tuple(STAGE_AXES))
        if document.source == "qkv" and pin.stage in VECTOR_STAGES:
            known = tuple(stage for stage in STAGE_AXES if stage not in VECTOR_STAGES)
            raise Problem("pin.stage", place=place, stage=pin.stage, known=known)
        shape = document.stage_shape(pin.stage)
        fits = len(pin.index) == len(shape) and all(0 <= i < size for i, size in zip(pin.index, shape, strict=True))
        if not fits:
            raise Problem("pin.index", place=place, stage=pin.stage, index=pin.index, shape=shape)
        if not abs(pin.value) < float("inf"):
            raise Problem("number.infinite", text=str(pin.value), place=f"{place}.value")
        if pin.cell in seen:
            raise Problem("pin.twice", place=place, stage=pin.stage, index=pin.index)
        seen.add(pin.cell)
