"""A model: its layers as parts of experiments, so that the program's own trace runs them.

Axis letters: n tokens, d, h heads, k their width, u words of the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.arithmetic.normalisation import normalise_rows
from core.arithmetic.stable_sum import product
from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.base.files import resource
from core.document.document import Document, Head, Mask, Norm, Positional
from core.document.parts import Layer, Mlp, Norms
from core.models.checkpoint import Checkpoint
from core.models.tensor_file import Numbers
from core.models.tokenizers import Tokenizer, tokenizer

WORDS_AT_A_TIME = 4096  # of the vocabulary, so that W_U is never in memory as a whole


class Model:
    """A checkpoint, read layer by layer. Numbers are float64; W_Q and W_K have the columns that turn
    together side by side.
    """

    def __init__(self, checkpoint: Checkpoint, source: str, name: str) -> None:
        self._checkpoint = checkpoint
        self.source = source  # as it was asked for: a path, or the id of a shipped model
        self.name = name
        own = checkpoint.configuration
        self.architecture = own.architecture
        self.layers, self.heads, self.kv_heads = own.layers, own.heads, own.kv_heads
        self.d, self.vocabulary, self.positions = own.d, own.vocabulary, own.positions
        self.causal = checkpoint.family.causal
        self.has_output = bool(checkpoint.output_name)

    @property
    def path(self) -> Path:
        """The folder or file."""
        return self._checkpoint.path

    @property
    def is_shipped(self) -> bool:
        """Whether it was opened by the id of a shipped model."""
        return self.source == self.path.name and self.path.parent == resource("models")

    @property
    def parameters(self) -> int:
        """How many numbers it has; tied ones count once."""
        return self._checkpoint.parameters

    @cached_property
    def sha256(self) -> str:
        """The hash of its weights; reads the whole file."""
        return self._checkpoint.sha256()

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """Its tokenizer. Raises UserError where it has none that is read."""
        path = self.path
        return tokenizer(path.parent if path.suffix == ".safetensors" else path)

    def pieces(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The pieces of the vocabulary; an id itself where there is none, or no tokenizer."""
        return self._named(ids, Tokenizer.piece)

    def labels(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The tokens as people read them; as `pieces` otherwise."""
        return self._named(ids, Tokenizer.label)

    def shown(self, ids: Sequence[int]) -> tuple[str, ...]:
        """The tokens of an experiment: labels, or pieces where a label is space alone."""
        pairs = zip(self.labels(ids), self.pieces(ids), strict=True)
        return tuple(label if label.strip() else piece for label, piece in pairs)

    def _named(self, ids: Sequence[int], name: Callable[[Tokenizer, int], str]) -> tuple[str, ...]:
        try:
            known = self.tokenizer
        except UserError as problem:
            if problem.data.get("reason") != "missing":
                raise
            return tuple(map(str, ids))
        return tuple(name(known, i) if known.has(i) else str(i) for i in ids)

    # What comes into the first layer

    def require_ids(self, ids: Sequence[int]) -> None:
        """Raise UserError "model.no_ids", "model.too_long" (n, most) or "model.id" (value, most)."""
        if not ids:
            raise UserError("model.no_ids")
        if len(ids) > self.positions:
            raise UserError("model.too_long", n=len(ids), most=self.positions)
        wrong = next((i for i in ids if not 0 <= i < self.vocabulary), None)
        if wrong is not None:
            raise UserError("model.id", value=wrong, most=self.vocabulary - 1)

    def embed(self, ids: Sequence[int]) -> Array:
        """The vectors of the words, with that of the first token type where there are types.

        # -> (n, d)
        """
        self.require_ids(ids)
        x = self._rows("word", list(ids))
        return sealed(x + self._rows("token_type", [0])) if self._has("token_type") else sealed(x)

    def learned_positions(self, ids: Sequence[int]) -> Array | None:
        """What is added to the vectors of the words; None without learned positions.  # -> (n, d)"""
        if not self._has("position"):
            return None
        first = self._checkpoint.configuration.first_position
        if not first:
            return sealed(self._rows("position", list(range(len(ids)))))
        # Padding is not counted, and all of it has the place before the first.
        words = np.array(ids) != first - 1
        places = np.where(words, first - 1 + np.cumsum(words), first - 1)
        return sealed(self._rows("position", places.tolist()))

    def incoming(self, ids: Sequence[int]) -> Array:
        """What comes into the first layer: with positions, and normalised where the model does.

        # -> (n, d)
        """
        x, positions, norm = self.embed(ids), self.learned_positions(ids), self.embedding_norm
        if positions is not None:
            x = sealed(x + positions)
        if norm is None:
            return x
        rows = normalise_rows(x, norm.gamma, norm.beta, kind=norm.kind, eps=norm.eps)
        return sealed(rows.scaled)

    # Parts

    @cached_property
    def embedding_norm(self) -> Norm | None:
        """The norm in front of the first layer."""
        return self._norm("embedding_norm") if self._has("embedding_norm") else None

    @cached_property
    def final_norm(self) -> Norm | None:
        """The norm after the last layer."""
        return self._norm("final_norm") if self._has("final_norm") else None

    def layer(self, index: int) -> Layer:
        """A layer, from 0. Raises UserError "model.not_finite" (name)."""
        family = self._checkpoint.family
        attention, mlp = self._norm("attention_norm", index), self._norm("mlp_norm", index)
        place = "pre" if family.pre else "post"
        return Layer(
            heads=self._heads(index),
            name=str(index + 1),
            W_O=_packed(self._matrix("output", index)),
            b_O=_maybe_packed(self._vector("output", index)),
            norm=Norms(attention.kind, place, attention.eps, attention, mlp),
            mlp=self._mlp(index),
        )

    def _mlp(self, index: int) -> Mlp:
        gate = self._has("gate")
        return Mlp(
            W_1=_packed(self._matrix("up", index)),
            W_2=_packed(self._matrix("down", index)),
            b_1=_maybe_packed(self._vector("up", index)),
            b_2=_maybe_packed(self._vector("down", index)),
            activation=self._checkpoint.configuration.activation,
            W_gate=_packed(self._matrix("gate", index)) if gate else None,
            b_gate=_maybe_packed(self._vector("gate", index)) if gate else None,
        )

    def _heads(self, index: int) -> tuple[Head, ...]:
        own = self._checkpoint.configuration
        k, group = own.k, own.heads // own.kv_heads
        (W_Q, b_Q), (W_K, b_K), (W_V, b_V) = self._projections(index)
        columns = np.arange(k)  # stored in halves where column p turns with p + k / 2
        paired = columns.reshape(2, -1).T.ravel() if self._checkpoint.family.halves else columns
        heads = []
        for number in range(own.heads):
            first, lender = number * k, number - number % group
            tensors: dict[str, Numbers | None] = {
                "W_Q": W_Q[:, first + paired],
                "b_Q": _some(b_Q, first + paired),
            }
            if number == lender:
                first = number // group * k
                tensors |= {"W_K": W_K[:, first + paired], "b_K": _some(b_K, first + paired)}
                tensors |= {"W_V": W_V[:, first + columns], "b_V": _some(b_V, first + columns)}
            packed: dict[str, Any] = {name: _maybe_packed(each) for name, each in tensors.items()}
            heads.append(
                Head(
                    name=f"{index + 1}.{number + 1}",
                    kv_from=None if number == lender else lender,
                    **packed,
                )
            )
        return tuple(heads)

    def _projections(self, index: int) -> list[tuple[Numbers, Numbers | None]]:
        """W (d, heads · k) and b of queries, keys and values."""
        if not self._has("qkv"):
            return [
                (self._matrix(part, index), self._vector(part, index))
                for part in ("query", "key", "value")
            ]
        W, b = self._matrix("qkv", index), self._vector("qkv", index)
        parts = np.split(np.arange(W.shape[1]), 3)
        return [(W[:, part[0] : part[-1] + 1], _some(b, part)) for part in parts]

    # Documents

    def layer_document(self, index: int, x: Array, tokens: Sequence[str]) -> Document:
        """A layer, from 0, as a stack of its own; X is what comes into it.  # (n, d)

        The last one has the final norm, too.
        """
        return Document(
            tokens=tuple(tokens),
            X=x,
            layers=(self.layer(index),),
            positional=self._positional(),
            mask=self._mask(index, len(tokens)),
            final_norm=self.final_norm if index == self.layers - 1 else None,
        )

    def first_document(self, ids: Sequence[int], tokens: Sequence[str]) -> Document:
        """The first layer as a stack with all that is in front of it: positions and norm."""
        document = self.layer_document(0, self.embed(ids), tokens)
        P = self.learned_positions(ids)
        positional = document.positional if P is None else Positional("learned", P=P)
        return document.with_(positional=positional, embedding_norm=self.embedding_norm)

    def attention_document(self, index: int, x: Array, tokens: Sequence[str]) -> Document:
        """The attention of a layer, from 0; X is what comes into its heads.  # (n, d)"""
        layer = self.layer(index)
        lenders = [
            head if head.kv_from is None else layer.heads[head.kv_from] for head in layer.heads
        ]
        heads = tuple(
            replace(
                head, kv_from=None, W_K=lender.W_K, W_V=lender.W_V, b_K=lender.b_K, b_V=lender.b_V
            )
            for head, lender in zip(layer.heads, lenders, strict=True)
        )
        return Document(
            tokens=tuple(tokens),
            heads=heads,
            X=x,
            W_O=layer.W_O,
            b_O=layer.b_O,
            positional=self._positional(),
            mask=self._mask(index, len(tokens)),
        )

    def _positional(self) -> Positional:
        if not self._checkpoint.family.rotary:
            return Positional()
        return Positional("rotary", self._checkpoint.configuration.base)

    def _mask(self, index: int, n: int) -> Mask:
        window = self._checkpoint.configuration.windows[index]
        if window is not None and window < n:
            return Mask("window", left=window - 1, right=0)
        return Mask("causal" if self.causal else "none")

    # The next word

    def logits(self, x: Array) -> Array:
        """A number for each word of the vocabulary, from vectors after the final norm.

        # (n, d) -> (n, u). Raises UserError "model.no_output".
        """
        self.require_output()
        result = np.empty((len(x), self.vocabulary))
        for start in range(0, self.vocabulary, WORDS_AT_A_TIME):
            words = slice(start, min(start + WORDS_AT_A_TIME, self.vocabulary))
            result[:, words] = product(x, self.output_columns(words))
        return sealed(result)

    def require_output(self) -> None:
        """Raise UserError "model.no_output" for a model without an output."""
        if not self.has_output:
            raise UserError("model.no_output")

    def output_columns(self, words: slice | list[int]) -> Array:
        """Some columns of W_U.  # (d, len(words))"""
        return _packed(self._read(self._checkpoint.output_name, words).T)

    # Tensors

    def _has(self, part: str) -> bool:
        return self._checkpoint.family.has(part)

    def _read(self, name: str, rows: slice | list[int] | None = None) -> Numbers:
        numbers = self._checkpoint.tensors.read(name, rows)
        if not np.isfinite(numbers).all():
            raise UserError("model.not_finite", path=str(self.path), name=name)
        return numbers

    def _rows(self, part: str, rows: list[int]) -> Array:
        """Rows of a table of vectors.  # -> (len(rows), d)"""
        name = f"{self._checkpoint.name(part)}.weight"
        return self._read(name, rows).astype(np.float64)

    def _matrix(self, part: str, index: int) -> Numbers:
        """The matrix of a part of a layer as (in, out)."""
        W = self._read(f"{self._checkpoint.name(part, index)}.weight")
        return W if self._checkpoint.family.transposed else W.T

    def _vector(self, part: str, index: int) -> Numbers | None:
        if part not in self._checkpoint.configuration.biases:
            return None
        return self._read(f"{self._checkpoint.name(part, index)}.bias")

    def _norm(self, part: str, index: int | None = None) -> Norm:
        rms, name = self._checkpoint.family.rms, self._checkpoint.name(part, index)
        return Norm(
            "rms" if rms else "layer",
            self._checkpoint.configuration.eps,
            gamma=_packed(self._read(f"{name}.weight")),
            beta=None if rms else _packed(self._read(f"{name}.bias")),
        )


def _some(b: Numbers | None, columns: npt.NDArray[np.intp]) -> Numbers | None:
    return None if b is None else b[columns]


def _packed(numbers: Numbers) -> Array:
    """Numbers as documents have them: float64, in the order of their rows, read-only."""
    return sealed(np.array(numbers, np.float64, order="C"))


def _maybe_packed(numbers: Numbers | None) -> Array | None:
    return None if numbers is None else _packed(numbers)
