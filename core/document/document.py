"""The experiment: what the user entered, frozen.

Axis letters: n tokens, m keys, d = d_model, h heads, k = d_k, v = d_v. Without a context m is n.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from core.base.arrays import Array
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.parts import (
    HEAD_TENSORS,
    MASK_KINDS,
    MOST_SCORES,
    POSITIONAL_KINDS,
    SCALE_KINDS,
    SHARED_TENSORS,
    SOFTMAX_BASES,
    SOURCES,
    Context,
    Head,
    Mask,
    Pin,
    Positional,
    Scale,
    Softmax,
)
from core.document.plan import STAGE_AXES
from core.document.validation import validate

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


@dataclass(frozen=True, eq=False)
class Document:
    """The experiment. Two documents are the same when they are the same object.

    `filled` marks numbers that a resize made up and nobody has edited yet; it is not written to files.
    Raises UserError when the parts do not fit together.
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
        validate(self)

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
        """An entered tensor by its id, None where this experiment has none; its axes stand in HEAD_TENSORS and
        SHARED_TENSORS, such as (d, k) for W_Q. KeyError for an unknown id."""
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
            shared += (
                ["P_context"]
                if self.positional.kind == "learned" and self.context.P is not None
                else []
            )
        of_heads = [
            name
            for name in HEAD_TENSORS
            if any(getattr(head, name) is not None for head in self.heads)
        ]
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
        raise UserError("head.incomplete", head=0)
    return int(tensor.shape[-1])
