"""The layers of a stack among the entries of a page, and the experiment that they make."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.document.document import Document, Head, Layer, Mlp, Norm, Output
from core.document.layers import NORM_FIELDS, OF_MLP
from core.document.parts import (
    ACTIVATIONS,
    BORROWED,
    NORM_KINDS,
    NORM_PLACES,
    Norms,
    layer_id,
    split_layer,
    tensor_axes,
)
from core.exchange.role_names import CHECK, LEFT_OUT, STACK_ROLES, Part
from core.exchange.role_tensors import WEIGHTS, NameToken, RoleTensors
from core.exchange.sources import Entry
from core.exchange.stack_names import VOCABULARY

_OUTSIDE = ("X", "P", "tokens", "W_U", "b_U", VOCABULARY)


def holds_stack(parts: Sequence[Part]) -> bool:
    """Whether roles are those of a stack: one has a layer, or is a tensor that only stacks have."""
    return any(
        not part.role.startswith(CHECK)
        and (split_layer(part.role)[0] is not None or part.role in STACK_ROLES)
        for part in parts
    )


def layered(role: str) -> str:
    """A role of a layer that names none is that of layer 1."""
    layer, base = split_layer(role)
    outside = base in (*_OUTSIDE, LEFT_OUT) or base.startswith((CHECK, "embedding_norm", "final"))
    return role if layer is not None or outside else layer_id(1, base)


class StackTensors(RoleTensors):
    """The entries of a stack by role and head, as RoleTensors has those of attention alone.

    Raises UserError "role.missing" (known) and "role.shape".
    """

    def __init__(
        self,
        entries: Sequence[Entry],
        parts: Sequence[Part],
        token: NameToken,
        settled: Collection[int],
    ) -> None:
        named = [part._replace(role=layered(part.role)) for part in parts]
        found = {split_layer(part.role)[0] or 0 for part in named}
        self.layers = range(1, max(found) + 1)
        super().__init__(entries, named, token, settled)

    def _source(self) -> str:
        self._require(("X",), heads=1)
        for layer in self.layers:
            queries, keys = (self.heads(layer_id(layer, name)) for name in ("W_Q", "W_K"))
            shares = 0 < keys < queries and queries % keys == 0
            names = [layer_id(layer, name) for name in WEIGHTS]
            self._require(names[:1] if shares else names)
            if shares:
                self._require(names[1:], heads=keys)
            if any(self.heads(layer_id(layer, name)) for name in OF_MLP):
                self._require([layer_id(layer, name) for name in ("W_1", "W_2")], heads=1)
        if self.heads("b_U") or self.heads(VOCABULARY):
            self._require(("W_U",), heads=1)
        return "embeddings"

    def _orient(self) -> None:
        X = self.index["X", 1]
        queries = self._shape(self.index["L1.W_Q", 1])
        rows, columns = self._shape(X)
        if X not in self._chosen and columns not in queries and rows in queries:
            self.turned.add(X)
            columns = rows
        for (role, _), index in self.index.items():
            base = split_layer(role)[1]
            if base == "W_2":
                self._fit(
                    index, self._width(layer_id(split_layer(role)[0], "W_1"), columns), ("f", "d")
                )
            elif base in ("W_1", "W_gate", "W_U", *WEIGHTS):
                self._fit(index, columns, tensor_axes(base))
            elif base == "W_O":
                layer = split_layer(role)[0]
                names = [layer_id(layer, name) for name in ("W_Q", "W_V")]
                height = self.heads(names[0]) * self._width(names[1], columns)
                self._fit(index, height, ("h·v", "d"))

    def _width(self, role: str, rows: int) -> int:
        """The columns of a matrix with `rows` rows."""
        first, second = self.entries[self.index[role, 1]].shape
        return first if first != rows and second == rows else second

    # The experiment

    def can_split(self, count: int) -> bool:
        """Heads of a stack are never cut."""
        return False

    def variants(self, document: Document) -> Iterator[Document]:
        """The document with other settings that no matrix of it decides."""
        norms = [layer.norm for layer in document.layers]
        has_norms = any(norm.attention or norm.mlp for norm in norms)
        any_norm = has_norms or document.final_norm or document.embedding_norm
        kinds = NORM_KINDS if any_norm and not self._has("beta") else (_kind(document),)
        places = NORM_PLACES if has_norms else NORM_PLACES[:1]
        active = ACTIVATIONS if self._has("W_1") else ACTIVATIONS[:1]
        yield document
        for kind, place, activation in product(kinds, places, active):
            yield _with_settings(document, kind, place, activation)

    def _has(self, ending: str) -> bool:
        return any(role.endswith(ending) for role, _ in self.index)

    def _document(self, split: int) -> Document:
        X = self.matrix("X")
        assert X is not None
        kind = "rms" if self._has("gamma") and self._has("W_gate") and not self._has("beta") else ""
        document = Document(
            self._tokens(len(X), ("X",)),
            (),
            X=X,
            embedding_norm=self._norm("embedding_norm"),
            layers=tuple(map(self._layer, self.layers)),
            final_norm=self._norm("final_norm"),
            output=self._output(),
        )
        P = self.matrix("P")
        if P is not None:
            document = document.with_(positional=replace(document.positional, kind="learned", P=P))
        active = "silu" if self._has("W_gate") else "relu"
        return _with_settings(document, kind or "layer", "pre", active)

    def matrix(self, role: str, head: int = 1) -> Array | None:
        """The matrix of a role, as a vector for biases and the factors of norms."""
        entry = self.entry(role, head)
        if entry is None:
            return None
        vector = len(tensor_axes(role)) == 1
        return frozen(entry.matrix.ravel() if vector else entry.matrix)

    def _norm(self, name: str) -> Norm | None:
        gamma, beta = (self.matrix(f"{name}.{factor}") for factor in ("gamma", "beta"))
        return None if gamma is None and beta is None else Norm(gamma=gamma, beta=beta)

    def _layer(self, layer: int) -> Layer:
        def found(name: str) -> Array | None:
            return self.matrix(layer_id(layer, name))

        norms: dict[str, Any] = {
            part: self._norm(layer_id(layer, name)) for name, part in NORM_FIELDS.items()
        }
        mlp: dict[str, Any] = {name: found(name) for name in OF_MLP}
        return Layer(
            tuple(self._heads(layer)),
            W_O=found("W_O"),
            b_O=found("b_O"),
            norm=Norms(**norms),
            mlp=None if mlp["W_1"] is None else Mlp(**mlp),
        )

    def _heads(self, layer: int) -> Iterator[Head]:
        """The heads of a layer; where there are fewer keys than queries, neighbours share them."""
        queries, keys = (self.heads(layer_id(layer, name)) for name in ("W_Q", "W_K"))
        group = queries // keys
        for head in range(queries):
            tensors: dict[str, Any] = {
                name: self.matrix(layer_id(layer, name), head + 1) for name in ("W_Q", "b_Q")
            }
            if head % group:
                yield Head(kv_from=head - head % group, **tensors)
                continue
            tensors |= {
                name: self.matrix(layer_id(layer, name), head // group + 1) for name in BORROWED
            }
            yield Head(**tensors)

    def _output(self) -> Output | None:
        W_U = self.matrix("W_U")
        if W_U is None:
            return None
        words = self.entry(VOCABULARY)
        size = W_U.shape[1]
        named = (
            words.texts if words is not None else self.entries[self.index["W_U", 1]].column_labels
        )
        if words is not None and len(named) != size:
            raise UserError("role.vocabulary", actual=len(named), expected=size)
        return Output(W_U, named if len(named) == size else self._named(size), self.matrix("b_U"))


def _kind(document: Document) -> str:
    return document.layers[0].norm.kind


def _with_settings(document: Document, kind: str, place: str, activation: str) -> Document:
    """The document with these settings in all of its layers and norms."""
    layers = []
    for layer in document.layers:
        norm = replace(layer.norm, kind=kind, place=place)
        mlp = layer.mlp and replace(layer.mlp, activation=activation)
        layers.append(replace(layer, norm=norm, mlp=mlp))
    around: dict[str, Any] = {
        name: norm and replace(norm, kind=kind)
        for name in ("embedding_norm", "final_norm")
        for norm in [getattr(document, name)]
    }
    return document.with_(layers=tuple(layers), **around)
