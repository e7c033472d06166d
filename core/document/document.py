"""The experiment: what the user entered, frozen.

Axis letters: n tokens, m keys, d = d_model, h heads, k = d_k, v = d_v. Without a context m is n.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from core.base.arrays import Array, require_finite, require_shape
from core.base.cell import Cell
from core.base.errors import UserError
from core.base.text import clean_text, clean_texts
from core.document.parts import (
    ADDED_POSITIONAL_KINDS,
    AFTER_WEIGHTS,
    FILE_KEYS,
    HEAD_TENSORS,
    MASK_KINDS,
    MOST_SCORES,
    POSITIONAL_KINDS,
    POSITIONAL_TENSORS,
    SCALE_KINDS,
    SHARED_TENSORS,
    SOFTMAX_BASES,
    SOURCES,
    STAGE_AXES,
    TENSOR_PLACES,
    Context,
    Head,
    Mask,
    Pin,
    Positional,
    Scale,
    Softmax,
)

__all__ = [
    "HEAD_TENSORS",
    "MASK_KINDS",
    "MOST_SCORES",
    "POSITIONAL_KINDS",
    "SCALE_KINDS",
    "SHARED_TENSORS",
    "SOFTMAX_BASES",
    "SOURCES",
    "Context",
    "Document",
    "Head",
    "Mask",
    "Pin",
    "Positional",
    "Scale",
    "Softmax",
]


_OF_KEY = {key: name for name, key in FILE_KEYS.items()}
_SINGLE = 1e-6  # by so much a sum of shares may be off that were computed in single precision


@dataclass(frozen=True, eq=False)
class Document:
    """The experiment. Two documents are the same when they are the same object.

    `filled` marks numbers that a resize made up and nobody has edited yet; it is not written to
    files. Raises UserError when the parts do not fit together.
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
        object.__setattr__(self, "title", clean_text(self.title))
        object.__setattr__(self, "notes", clean_text(self.notes))
        object.__setattr__(self, "tokens", clean_texts(self.tokens))
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
        """d_k: columns of Q and K in one head; 0 with given weights."""
        return self._columns("W_Q", "Q")

    @property
    def v(self) -> int:
        """d_v: columns of V in one head; 0 where given weights have no V."""
        return self._columns("W_V", "V")

    def _columns(self, *names: str) -> int:
        """The columns of the one of these tensors that the first head has."""
        for name in names:
            tensor = getattr(self.heads[0], name)
            if tensor is not None:
                return int(tensor.shape[-1])
        if self.source == "weights":
            return 0
        raise UserError("head.incomplete", head=0)

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

    @cached_property
    def uneven_rows(self) -> tuple[tuple[int, int, float], ...]:
        """The rows of given weights that do not add up to 1: head, row, sum."""
        found = []
        for index, head in enumerate(self.heads):
            if head.weights is None:
                continue
            with np.errstate(over="ignore"):
                sums = head.weights.sum(axis=1)
            uneven = np.flatnonzero(np.abs(sums - 1.0) > _SINGLE)
            found += [(index, int(row), float(sums[row])) for row in uneven]
        return tuple(found)

    def tensor(self, name: str, head: int = 0) -> Array | None:
        """An entered tensor by its id or its key in files, None where this experiment has none.

        Its axes are in HEAD_TENSORS and SHARED_TENSORS, such as (d, k) for W_Q. KeyError for an
        unknown id.
        """
        name = _OF_KEY.get(name, name)
        if name in HEAD_TENSORS:
            owner: object = self.heads[head]
            field_name = name
        elif name in SHARED_TENSORS:
            part, field_name = TENSOR_PLACES.get(name, ("", name))
            owner = getattr(self, part) if part else self
        else:
            raise KeyError(name)
        result: Array | None = None if owner is None else getattr(owner, field_name)
        return result

    @property
    def inputs(self) -> tuple[str, ...]:
        """The ids of the entered tensors that this experiment has, in the order in which they are
        used.
        """
        kind = self.positional.kind
        shared = [
            name
            for name in SHARED_TENSORS
            if POSITIONAL_TENSORS.get(name, kind) == kind and self.tensor(name) is not None
        ]
        of_heads = [
            name
            for name in HEAD_TENSORS
            if any(getattr(head, name) is not None for head in self.heads)
        ]
        output = [name for name in shared if "o" in SHARED_TENSORS[name]]
        return (*(name for name in shared if name not in output), *of_heads, *output)

    def letters(self, axes: Iterable[str]) -> tuple[str, ...]:
        """Axis letters for people: without a context the keys are counted by n, too."""
        return tuple("n" if axis == "m" and self.context is None else axis for axis in axes)

    def labels(self, axis: str) -> tuple[str, ...] | None:
        """The tokens along an axis: of the queries' sentence for n, of the keys' for m; None for
        all others.
        """
        return {"n": self.tokens, "m": self.key_tokens}.get(axis)

    def row_tokens(self, stage_id: str) -> tuple[str, ...]:
        """The tokens that the rows of a stage belong to."""
        return self.labels(STAGE_AXES[stage_id][-2]) or ()

    def stage_shape(self, stage_id: str) -> tuple[int, ...]:
        """The shape of a stage's array at these sizes, also of a stage that the plan lacks."""
        return tuple(self.sizes[axis] for axis in STAGE_AXES[stage_id])

    def with_(self, **changes: Any) -> Document:
        """A copy with some fields replaced; the same object if none differs."""
        if all(getattr(self, name) is value for name, value in changes.items()):
            return self
        return replace(self, **changes)


def _validate(document: Document) -> None:
    """Raise a UserError for the first part that does not fit."""
    if not document.tokens:
        raise UserError("document.no_tokens")
    if not document.heads:
        raise UserError("document.no_heads")
    if document.h * document.n * document.m > MOST_SCORES:
        raise UserError(
            "document.too_large", h=document.h, n=document.n, m=document.m, limit=MOST_SCORES
        )
    _require_kind("source", document.source, tuple(SOURCES))
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
        raise UserError("number.infinite", text=str(document.scale.value), place="scale.value")
    if document.softmax.base not in SOFTMAX_BASES:
        raise UserError("softmax.base", place="softmax.base", base=document.softmax.base)
    _validate_pins(document)


def _require_kind(place: str, kind: str, known: tuple[str, ...]) -> None:
    if kind not in known:
        raise UserError("kind.unknown", place=place, kind=kind, known=known)


def _validate_source(document: Document) -> None:
    if document.source == "weights":
        _validate_given_weights(document)
        return
    if document.source == "qkv":
        if document.X is not None:
            raise UserError("source.qkv_with_X")
        return
    if document.X is None:
        raise UserError("source.X_missing")
    if document.X.ndim != 2 or document.X.shape[1] == 0:
        raise UserError(
            "shape", name="X", axes="n × d", expected=(document.n, "d"), actual=document.X.shape
        )
    _require_tensor(document.X, "X", ("n", "d"), (document.n, document.d))


def _validate_given_weights(document: Document) -> None:
    """Refuse everything that comes before the weights."""
    for name, given in (
        ("X", document.X is not None),
        ("positional", not _same_parts(document.positional, Positional())),
        ("mask", not _same_parts(document.mask, Mask())),
        ("scale", document.scale != Scale()),
        ("softmax", document.softmax != Softmax()),
    ):
        if given:
            raise UserError("source.unused", name=name, source=document.source)


def _same_parts(a: Positional | Mask, b: Positional | Mask) -> bool:
    """Whether two parts agree in every field; arrays by identity."""
    pairs = ((getattr(a, each.name), getattr(b, each.name)) for each in fields(a))
    return all(x is y or (not isinstance(x, np.ndarray) and x == y) for x, y in pairs)


def _validate_context(document: Document) -> None:
    context = document.context
    if context is None:
        return
    if not context.tokens:
        raise UserError("context.no_tokens")
    if document.source != "embeddings":
        for name in ("X", "P"):
            if getattr(context, name) is not None:
                if document.source == "qkv":
                    raise UserError("context.with_qkv", name=name)
                raise UserError("source.unused", name=f"context.{name}", source=document.source)
        return
    if context.X is None:
        raise UserError("context.X_missing")
    for name in ("X", "P"):
        tensor = getattr(context, name)
        if (
            tensor is not None
        ):  # learned positions are kept, and so checked, also while another kind is chosen
            _require_tensor(tensor, f"context.{name}", ("m", "d"), (document.m, document.d))


def _validate_heads(document: Document) -> None:
    needed, optional = SOURCES[document.source]
    sizes = {"n": document.n, "m": document.m, "k": document.k, "v": document.v}
    if document.source == "embeddings":
        sizes["d"] = document.d
    values = any(head.V is not None for head in document.heads)
    for index, head in enumerate(document.heads):
        for name in HEAD_TENSORS:
            tensor = getattr(head, name)
            if tensor is None:
                # Values are known of all heads or of none.
                if name in needed or (name == "V" and values):
                    raise UserError("head.missing", **_place(document, index, name))
            elif name not in (*needed, *optional):
                raise UserError("head.unexpected", **_place(document, index, name))
    for index, head in enumerate(document.heads):
        for name, axes in HEAD_TENSORS.items():
            tensor = getattr(head, name)
            if tensor is not None:
                expected = tuple(sizes[axis] for axis in axes)
                place = f"heads[{index}].{FILE_KEYS.get(name, name)}"
                _require_tensor(tensor, place, document.letters(axes), expected)


def _place(document: Document, head: int, name: str) -> dict[str, object]:
    return {"head": head, "name": FILE_KEYS.get(name, name), "source": document.source}


def _require_tensor(
    tensor: Array, name: str, axes: Iterable[str], expected: tuple[int, ...]
) -> None:
    if not tensor.size:
        raise UserError("shape.empty", name=name)
    require_shape(tensor, name, tuple(axes), expected)
    require_finite(tensor, name)


def _validate_output(document: Document) -> None:
    if document.W_O is None:
        if document.b_O is not None:
            raise UserError("output.bias_without_weights")
        return
    if not document.v:
        raise UserError("output.without_values")
    if document.W_O.ndim != 2 or document.W_O.shape[0] != document.c:
        raise UserError(
            "output.height",
            expected=document.c,
            h=document.h,
            v=document.v,
            actual=document.W_O.shape,
        )
    width = document.d if document.source == "embeddings" else int(document.W_O.shape[1])
    _require_tensor(document.W_O, "W_O", ("h·v", "d"), (document.c, width))
    if document.b_O is not None:
        _require_tensor(document.b_O, "b_O", ("d",), (width,))


def _validate_positional(document: Document) -> None:
    positional = document.positional
    if positional.kind in ADDED_POSITIONAL_KINDS and document.source == "qkv":
        raise UserError("positional.needs_embeddings", kind=positional.kind)
    if not 0 < positional.base < math.inf:
        raise UserError("positional.base", value=positional.base)
    if positional.kind == "learned" and positional.P is None:
        raise UserError("positional.P_missing")
    for name, (part, field_name) in TENSOR_PLACES.items():
        tensor = document.tensor(name)
        if part == "positional" and tensor is not None:  # also while another kind is chosen
            axes = SHARED_TENSORS[name]
            if document.source == "qkv" and "d" in axes:
                raise UserError("positional.needs_embeddings", kind=POSITIONAL_TENSORS[name])
            shape = tuple(document.sizes[axis] for axis in axes)
            _require_tensor(tensor, f"positional.{field_name}", axes, shape)
    if positional.slopes is not None:
        _require_tensor(positional.slopes, "positional.slopes", ("h",), (document.h,))


def _validate_mask(document: Document) -> None:
    mask = document.mask
    for side in ("left", "right"):
        value = getattr(mask, side)
        if value is not None and value < 0:
            raise UserError("mask.negative", place=f"mask.{side}", value=value)
    if mask.kind == "custom" and mask.allow is None:
        raise UserError("mask.allow_missing")
    if mask.allow is not None:  # kept, and so checked, also while another kind is chosen
        require_shape(mask.allow, "mask.allow", document.letters("nm"), (document.n, document.m))


def _validate_pins(document: Document) -> None:
    seen: set[Cell] = set()
    for position, pin in enumerate(document.pins):
        place = f"pins[{position}]"
        known = _possible_stages(document)
        if pin.stage not in known:
            raise UserError("pin.stage", place=place, stage=pin.stage, known=known)
        shape = document.stage_shape(pin.stage)
        fits = len(pin.index) == len(shape) and all(
            0 <= i < size for i, size in zip(pin.index, shape, strict=True)
        )
        if not fits:
            raise UserError("pin.index", place=place, stage=pin.stage, index=pin.index, shape=shape)
        if not abs(pin.value) < float("inf"):
            raise UserError("number.infinite", text=str(pin.value), place=f"{place}.value")
        if pin.cell in seen:
            raise UserError("pin.twice", place=place, stage=pin.stage, index=pin.index)
        seen.add(pin.cell)


def _possible_stages(document: Document) -> tuple[str, ...]:
    """The stages that an experiment of this source can have."""
    if document.source == "weights":
        return AFTER_WEIGHTS if document.v else ("weights",)
    token_vectors = document.source == "embeddings"
    return tuple(stage for stage, axes in STAGE_AXES.items() if token_vectors or "d" not in axes)
