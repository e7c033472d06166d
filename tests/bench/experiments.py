"""Experiments of any size, and the mathematics of `run` as anybody would write it down in NumPy."""

from __future__ import annotations

import numpy as np

from core.base.arrays import Array, frozen
from core.document.document import Document, Head


def experiment(n: int, d: int, h: int, seed: int = 7) -> Document:
    """n tokens, d wide, h heads of width d/h, an output projection, no positions and no mask."""
    random = np.random.default_rng(seed)
    width = d // h

    def weights(rows: int, columns: int) -> Array:
        return frozen(random.normal(size=(rows, columns)) / np.sqrt(rows))

    heads = tuple(
        Head(W_Q=weights(d, width), W_K=weights(d, width), W_V=weights(d, width)) for _ in range(h)
    )
    tokens = tuple(f"t{index}" for index in range(n))
    return Document(
        tokens,
        heads,
        title="bench",
        X=frozen(random.normal(size=(n, d))),
        W_O=weights(h * width, d),
    )


class Straight:
    """Straight-line NumPy that keeps the same arrays; its weights are stacked beforehand, outside the time."""

    def __init__(self, document: Document) -> None:
        assert document.X is not None
        assert document.W_O is not None
        self.X, self.W_O = document.X, document.W_O
        self.W_Q, self.W_K, self.W_V = (
            np.stack(
                [tensor for head in document.heads if (tensor := getattr(head, name)) is not None]
            )
            for name in ("W_Q", "W_K", "W_V")
        )

    def __call__(self) -> dict[str, Array]:
        """Every stage of the plan X Q K V scores scaled exp weights heads concat Y."""
        X = self.X
        Q, K, V = X @ self.W_Q, X @ self.W_K, X @ self.W_V
        scores = Q @ K.transpose(0, 2, 1)
        scaled = scores * (1.0 / np.sqrt(Q.shape[-1]))
        exp = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
        weights = exp / exp.sum(axis=-1, keepdims=True)
        heads = weights @ V
        concat = heads.transpose(1, 0, 2).reshape(len(X), -1)
        Y = concat @ self.W_O
        return {
            "X": X,
            "Q": Q,
            "K": K,
            "V": V,
            "scores": scores,
            "scaled": scaled,
            "exp": exp,
            "weights": weights,
            "heads": heads,
            "concat": concat,
            "Y": Y,
        }
