"""The parts of an experiment together, with its sizes, layers and entered tensors.

Axis letters: n tokens, m keys, d = d_model, h heads, k = d_k, v = d_v. Without a context m is n. In
stacks f is the width of the MLP of a layer, u the size of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.document.layers import (
    OF_OUTPUT,
    layer_tensor,
    layer_tensors,
    norm_tensors,
    output_tensors,
)
from core.document.parts import (
    ADDED_POSITIONAL_KINDS,
    BORROWED,
    FILE_KEYS,
    HEAD_TENSORS,
    POSITIONAL_TENSORS,
    SHARED_TENSORS,
    STACK_TENSORS,
    TENSOR_PLACES,
    Context,
    Head,
    Layer,
    Mask,
    Mlp,
    ModelLink,
    Norm,
    Output,
    Pin,
    Positional,
    Sampling,
    Scale,
    Softmax,
    layer_id,
    split_layer,
    stage_axes,
)

_OF_KEY = {key: name for name, key in FILE_KEYS.items()}
_SINGLE = 1e-6  # by so much a sum of shares may be off that were computed in single precision


@dataclass(frozen=True, eq=False)
class Experiment:
    """The parts of an experiment; nothing here requires that they fit together.

    With `layers` it is a stack of transformer blocks; `heads`, W_O and b_O are empty then and belong
    to the layers. `filled` marks numbers that a resize made up and nobody has edited yet; it is not
    written to files. `of_layer` is the layer, from 1, whose attention this is, see `scopes`.
    `link` names the model whose numbers these are.
    """

    tokens: tuple[str, ...]
    heads: tuple[Head, ...] = ()
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
    layers: tuple[Layer, ...] = ()
    embedding_norm: Norm | None = None
    final_norm: Norm | None = None
    output: Output | None = None
    sampling: Sampling = field(default_factory=Sampling)
    of_layer: int | None = None
    link: ModelLink | None = None

    @property
    def n(self) -> int:
        """Number of tokens."""
        return len(self.tokens)

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The tokens that keys and values belong to: the context's, or else the tokens themselves."""
        return self.tokens if self.context is None else self.context.tokens

    @property
    def file_tokens(self) -> tuple[str, ...]:
        """The tokens as files have them: those of a model as in its vocabulary."""
        link = self.link
        unchanged = link is not None and self.tokens == link.base.tokens and link.pieces
        return link.pieces if link is not None and unchanged else self.tokens

    @property
    def m(self) -> int:
        """Number of keys."""
        return len(self.key_tokens)

    @property
    def h(self) -> int:
        """Number of heads; in a stack the largest of any layer, as for k, v and c."""
        return len(self.heads) if not self.layers else max(scope.h for scope in self.scopes)

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
        """The columns of the one of these tensors that the first head, which borrows none, has."""
        if self.layers:
            return max(scope._columns(*names) for scope in self.scopes)
        own = [head for head in self.heads if head.kv_from is None] or self.heads
        for name in names:
            tensor = getattr(own[0], name)
            if tensor is not None:
                return int(tensor.shape[-1])
        if self.source == "weights":
            return 0
        raise UserError("head.incomplete", head=0)

    @property
    def c(self) -> int:
        """Columns of the concatenated heads, h·d_v."""
        return self.h * self.v if not self.layers else max(scope.c for scope in self.scopes)

    @property
    def o(self) -> int:
        """Columns of the output Y."""
        if self.layers:
            return self.d
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

    @property
    def head_names(self) -> tuple[str, ...]:
        """The names of all heads, in a stack layer by layer."""
        owners = self.layers or (self,)
        return tuple(head.name for owner in owners for head in owner.heads)

    # Layers

    @property
    def is_stack(self) -> bool:
        """Whether it is a stack of transformer blocks."""
        return bool(self.layers)

    @cached_property
    def scopes(self) -> tuple[Self, ...]:
        """The attention of each layer as an experiment of its own, without pins and marks; it is
        validated with the stack. A layer with fewer heads than others has the first slopes.
        """
        positional = self.positional
        if positional.kind in ADDED_POSITIONAL_KINDS:  # added to X once, and to no layer
            positional = replace(positional, kind="none")
        outside: dict[str, Any] = {
            "layers": (),
            "embedding_norm": None,
            "final_norm": None,
            "output": None,
            "pins": (),
            "filled": frozenset(),
        }
        return tuple(
            replace(
                self,
                heads=layer.heads,
                W_O=layer.W_O,
                b_O=layer.b_O,
                of_layer=number,
                positional=_with_slopes(positional, len(layer.heads)),
                **outside,
            )
            for number, layer in enumerate(self.layers, 1)
        )

    def scope(self, name: str) -> Self:
        """The experiment whose heads the stage or tensor with this id belongs to: the attention of a
        layer, where ids have no prefix, or the experiment itself.
        """
        number = self._number(name)
        return self if number is None else self.scopes[number - 1]

    def _number(self, name: str) -> int | None:
        """The layer, from 1, of an id. KeyError for one that this experiment does not have."""
        number = split_layer(name)[0]
        if number is not None and number > len(self.layers):
            raise KeyError(name)
        return number

    def layer(self, name: str) -> Layer:
        """The layer of a stage or tensor. KeyError for an id without a layer."""
        number = self._number(name)
        if number is None:
            raise KeyError(name)
        return self.layers[number - 1]

    def norm(self, stage_id: str) -> Norm:
        """The norm of a stage such as "L1.attention_norm" or "final_norm"; KeyError for none."""
        number, base = split_layer(stage_id)
        if number is None:
            norms = {"embedding_norm": self.embedding_norm, "final_norm": self.final_norm}
        else:
            norm = self.layer(stage_id).norm
            norms = {"attention_norm": norm.attention, "mlp_norm": norm.mlp}
        found = norms[base]
        if found is None:
            raise KeyError(stage_id)
        return found

    def mlp(self, stage_id: str) -> Mlp:
        """The MLP of the layer of a stage. KeyError where it has none."""
        found = self.layer(stage_id).mlp
        if found is None:
            raise KeyError(stage_id)
        return found

    def lender(self, name: str, head: int) -> int:
        """The head whose tensor a head uses: its own, or that of the head whose keys and values it
        reads.
        """
        base, heads = split_layer(name)[1], self.scope(name).heads
        lender = heads[head].kv_from if base in BORROWED and head < len(heads) else None
        return head if lender is None else lender

    # Entered tensors

    def tensor(self, name: str, head: int = 0) -> Array | None:
        """An entered tensor by its id or its key in files, None where this experiment has none.

        Its axes are those of `tensor_axes`, such as (d, k) for W_Q. What a head borrows is None, see
        `lender`. KeyError for an unknown id.
        """
        number, name = split_layer(name)
        name = _OF_KEY.get(name, name)
        owner: object = None
        field_name = name
        if number is not None:
            layers = self.layers[number - 1 : number]
            return layer_tensor(layers[0], name, head) if layers else None
        if name in HEAD_TENSORS:
            owner = None if self.layers else self.heads[head]
        elif name in SHARED_TENSORS:
            part, field_name = TENSOR_PLACES.get(name, ("", name))
            owner = getattr(self, part) if part else self
        elif name in OF_OUTPUT:
            owner = self.output
        elif name in STACK_TENSORS:
            part, _, field_name = name.partition(".")
            owner = getattr(self, part, None) if part in ("embedding_norm", "final_norm") else None
        else:
            raise KeyError(name)
        result: Array | None = None if owner is None else getattr(owner, field_name)
        return result

    @property
    def inputs(self) -> tuple[str, ...]:
        """The ids of the entered tensors that this experiment uses, in the order in which they are
        used.
        """
        kind = self.positional.kind
        shared = [
            name
            for name in SHARED_TENSORS
            if POSITIONAL_TENSORS.get(name, kind) == kind and self.tensor(name) is not None
        ]
        if self.layers:
            return (*shared, *self.stack_tensors())
        of_heads = [
            name
            for name in HEAD_TENSORS
            if any(getattr(head, name) is not None for head in self.heads)
        ]
        output = [name for name in shared if "o" in SHARED_TENSORS[name]]
        return (*(name for name in shared if name not in output), *of_heads, *output)

    def stack_tensors(self, *, used: bool = True) -> Iterator[str]:
        """The ids of the tensors of norms, layers and output, in order.

        `used`: without those of parts that are switched off.
        """
        yield from norm_tensors("embedding_norm", self.embedding_norm, used=used)
        for number, layer in enumerate(self.layers, 1):
            yield from (layer_id(number, name) for name in layer_tensors(layer, used=used))
        yield from norm_tensors("final_norm", self.final_norm, used=used)
        yield from output_tensors(self.output)

    def letters(self, axes: Iterable[str]) -> tuple[str, ...]:
        """Axis letters for people: without a context the keys are counted by n, too."""
        return tuple("n" if axis == "m" and self.context is None else axis for axis in axes)

    def labels(self, axis: str) -> tuple[str, ...] | None:
        """The texts along an axis: the tokens of the queries' sentence for n, of the keys' for m,
        the vocabulary for u; None for all others.
        """
        if axis == "u" and self.output is not None:
            return self.output.vocabulary
        return {"n": self.tokens, "m": self.key_tokens}.get(axis)

    def row_tokens(self, stage_id: str) -> tuple[str, ...]:
        """The tokens that the rows of a stage belong to."""
        return self.labels(stage_axes(stage_id)[-2]) or ()

    def stage_shape(self, stage_id: str) -> tuple[int, ...]:
        """The shape of a stage's array at these sizes, also of a stage that the plan lacks."""
        sizes = self.sizes_at(stage_id)
        return tuple(sizes[axis] for axis in stage_axes(stage_id))

    def sizes_at(self, name: str) -> dict[str, int]:
        """Every axis letter with its size at a stage or tensor; f and u where there are some."""
        if not self.layers:
            return self.sizes
        number = self._number(name)
        sizes = self.sizes if number is None else self.scopes[number - 1].sizes
        mlp = None if number is None else self.layers[number - 1].mlp
        f = {} if mlp is None else {"f": int(mlp.W_1.shape[1])}
        u = {} if self.output is None else {"u": len(self.output.vocabulary)}
        return {**sizes, **f, **u}


def _with_slopes(positional: Positional, h: int) -> Positional:
    """The positions with as many slopes of ALiBi as there are heads."""
    slopes = positional.slopes
    if slopes is None or len(slopes) <= h:
        return positional
    return replace(positional, slopes=frozen(slopes[:h]))
