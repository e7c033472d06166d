"""Decode: one token at a time, with a cache of keys and values.

With a causal mask, earlier keys and values do not change when a token is appended. With a cache, a
new token costs one row: its q, k and v, its scores with all keys, one row of weights.

Multiply-adds with m tokens, h heads, widths d, k, v and o (none for W_O where it is absent):

    with the cache     h d (2k + v)   + h m k  + h m v  + h v o
    without it         m h d (2k + v) + h m² k + h m² v + m h v o

The cache holds h m (k + v) numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.arithmetic.attention import Attention, attend
from core.arithmetic.positional_encoding import alibi_bias, rotate, sinusoidal
from core.arithmetic.stable_sum import product
from core.base.arrays import Array, frozen
from core.compute.trace import Trace, run
from core.document.document import Document, Head, Mask
from core.document.edits import with_mask, without_pins
from core.labs.controls import Clock, Control, Switch
from core.labs.lab import Lab, Setting, head_choice, require_tokens
from core.stages.bias import slopes
from core.stages.multiply import DOT_PRODUCT
from core.stages.plan import ENCODINGS
from core.stages.scale import scale_factor

MOST_TOKENS = 64
BYTES = 8  # bytes of a double


@dataclass(frozen=True, slots=True, eq=False)
class DecodeRow:
    """Results for one new token.

    q (h, k), weights (h, m) over all tokens so far, heads (h, v), y (o,). `K` (h, m, k) and `V` (h,
    m, v) are the cache, the token's own k and v included.
    """

    q: Array
    K: Array
    V: Array
    weights: Array
    heads: Array
    y: Array


@dataclass(frozen=True, slots=True, eq=False)
class DecodeResult:
    """Decoding up to token `step`, counted from 0.

    `full` is the run of the whole sentence at once, `difference` the largest distance of the row's
    q, k, v, weights and y from its rows. `cached`, `again` (n,): multiply-adds of each step with
    and without the cache.
    """

    document: Document
    full: Trace
    step: int
    row: DecodeRow
    keeps: bool
    difference: float
    cached: tuple[int, ...]
    again: tuple[int, ...]

    @property
    def numbers(self) -> int:
        """Count the numbers in the cache."""
        return int(self.row.K.size + self.row.V.size)

    @property
    def bytes(self) -> int:
        """Return the memory of the cache as doubles."""
        return self.numbers * BYTES


def multiply_adds(document: Document, m: int, *, cache: bool) -> int:
    """Count the multiply-adds of the step of the m-th token."""
    h, k, v = document.h, document.k, document.v
    rows = 1 if cache else m
    projections = h * document.d * (2 * k + v) if document.source == "embeddings" else 0
    joined = document.c * document.o if document.W_O is not None else 0
    return rows * (projections + h * m * (k + v) + joined)


def decode(document: Document) -> tuple[DecodeRow, ...]:
    """Decode token by token, each from the cache of those before.

    The document is causal and has no pins.
    """
    rows: list[DecodeRow] = []
    K, V = np.empty((document.h, 0, document.k)), np.empty((document.h, 0, document.v))
    for t in range(document.n):
        q, key, value = (_project(document, name, t) for name in "QKV")
        if ENCODINGS[document.positional.kind].rotates:
            q, key = _turned(document, q, t), _turned(document, key, t)
        K, V = np.concatenate([K, key], axis=1), np.concatenate([V, value], axis=1)
        found = _attend(document, q, K, V, t)
        rows.append(
            DecodeRow(
                *map(
                    frozen,
                    (
                        q[:, 0],
                        K,
                        V,
                        found.weights[:, 0],
                        found.output[:, 0],
                        _put_out(document, found),
                    ),
                )
            )
        )
    return tuple(rows)


def _project(document: Document, name: str, t: int) -> Array:
    """Return the row of Q, K or V of one token in every head.  # (h, 1, k)"""
    if document.source == "qkv":
        return np.stack([_given(head, name)[t : t + 1] for head in document.heads])
    projected = product(
        _input(document, t), np.stack([_given(head, f"W_{name}") for head in document.heads])
    )
    for row, head in zip(projected, document.heads, strict=True):
        bias = getattr(head, f"b_{name}")
        row += 0.0 if bias is None else bias
    return projected


def _given(head: Head, name: str) -> Array:
    tensor: Array = getattr(head, name)
    return tensor


def _input(document: Document, t: int) -> Array:
    """Return the vector of one token with its position.  # (1, d)"""
    assert document.X is not None  # the source is embeddings
    x, positional = np.array(document.X[t : t + 1]), document.positional
    if positional.kind == "sinusoidal":
        x += sinusoidal(t + 1, document.d, positional.base)[t:]
    elif positional.kind == "learned" and positional.P is not None:
        x += positional.P[t : t + 1]
    return x


def _turned(document: Document, row: Array, t: int) -> Array:
    """Rotate a row by the angle of its position.  # (h, 1, k)"""
    placed = np.concatenate([np.zeros((document.h, t, document.k)), row], axis=1)
    return rotate(placed, document.positional.base)[:, t:]


# Bias of the query at a position for all keys so far, by stage kind.  # -> (h, 1, t + 1)
_BIASES: dict[str, Callable[[Document, int], Array]] = {
    "alibi": lambda document, t: alibi_bias(t + 1, slopes(document))[:, t:],
}


def _attend(document: Document, q: Array, K: Array, V: Array, t: int) -> Attention:
    """Attend with one query to the cache; a base b other than e scales the scores by ln b."""
    log = math.log(document.softmax.number)
    bias, kind = None, ENCODINGS[document.positional.kind].bias
    if kind is not None:
        bias = _BIASES[kind.name](document, t) * log
    return attend(
        q, K, V, scale=scale_factor(document) * log, mask=bias, causal=True, query_offset=t
    )


def _put_out(document: Document, found: Attention) -> Array:
    """Return the row of Y.  # (o,)"""
    parts = [
        part * head.enabled for part, head in zip(found.output[:, 0], document.heads, strict=True)
    ]
    joined = np.concatenate(parts)[None]
    if document.W_O is None:
        return joined.ravel()
    y: Array = product(joined, document.W_O).ravel()
    return y if document.b_O is None else y + document.b_O


def difference(full: Trace, row: DecodeRow, t: int) -> float:
    """Return the largest distance of a decoded row from the rows of the whole run."""
    (scores,) = full.plan.of_kind(DOT_PRODUCT)
    query, key = scores.reads
    pairs = [
        (row.q, full[query][:, t]),
        (row.K[:, t], full[key][:, t]),
        (row.V[:, t], full["V"][:, t]),
        (row.weights, full["weights"][:, t, : t + 1]),
        (row.heads, full["heads"][:, t]),
        (row.y, full["Y"][t]),
    ]
    return max(float(np.abs(ours - theirs).max()) for ours, theirs in pairs)


def _sentence() -> Document:
    """Build seven words with random numbers, rounded to one decimal."""
    tokens = ("我", "今天", "想", "喝", "一", "杯", "绿茶")
    rng = np.random.default_rng(11)
    X, W_Q, W_K, W_V = (
        frozen(np.round(rng.normal(size=shape), 1)) for shape in ((7, 4), (4, 2), (4, 2), (4, 3))
    )
    return Document(
        tokens,
        (Head(W_Q=W_Q, W_K=W_K, W_V=W_V),),
        title="One token at a time",
        X=X,
        mask=Mask("causal"),
    )


@lru_cache(maxsize=8)
def _prepared(document: Document) -> tuple[Document, Trace, tuple[DecodeRow, ...]]:
    causal = without_pins(with_mask(document, Mask("causal")))
    return causal, run(causal), decode(causal)


class DecodeLab(Lab):
    """Controls: the newest token, the head, and the cache switch."""

    id = "decode"

    def experiment(self) -> Document:
        """Return a sentence of seven words."""
        return _OWN

    def require(self, document: Document) -> None:
        """Accept self-attention over 2 to 64 tokens; decoding is causal with every mask."""
        require_tokens(document, 2, MOST_TOKENS)

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the head if there are several."""
        last = setting.experiment.n - 1
        return (
            Clock("step", last, min(3, last), pause=1200),
            Switch("cache", True),
            *head_choice(setting.experiment),
        )

    def compute(self, setting: Setting) -> DecodeResult:
        """Compute the newest row and the costs of all steps."""
        document, full, rows = _prepared(setting.experiment)
        step = setting["step"]
        cached, again = (
            tuple(multiply_adds(document, m, cache=cache) for m in range(1, document.n + 1))
            for cache in (True, False)
        )
        off = difference(full, rows[step], step)
        return DecodeResult(document, full, step, rows[step], setting["cache"], off, cached, again)

    def document(self, setting: Setting) -> Document | None:
        """Return the sentence with the causal mask."""
        return None if setting.document is None else _prepared(setting.document)[0]


_OWN = _sentence()
LAB = DecodeLab()
