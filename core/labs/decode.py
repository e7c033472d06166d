"""Decode: one token at a time, with a cache of keys and values.

With a causal mask, earlier keys and values do not change when a token is appended. With a cache, a
new token costs one row: its q, k and v, its scores with all keys, one row of weights.

Multiply-adds with m tokens, h heads, widths d, k, v and o (none for W_O where it is absent):

    with the cache     h d (2k + v)   + h m k  + h m v  + h v o
    without it         m h d (2k + v) + h m² k + h m² v + m h v o

The cache holds h m (k + v) numbers. In layers, each layer has a cache, and MLP and W_U cost too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.decode import (
    DecodedRow,
    cached_numbers,
    decode_row,
    kept_stages,
    largest_difference,
    multiply_adds,
)
from core.compute.trace import Trace, run
from core.document.document import Document, Head, Mask
from core.document.edits import with_mask, without_pins
from core.document.parts import layer_id
from core.document.resize import with_tokens_removed
from core.labs.controls import ChoiceControl, Clock, Control, Switch
from core.labs.lab import Lab, Setting, head_choice, require_tokens
from core.stages.multiply import DOT_PRODUCT

MOST_TOKENS = 64
BYTES = 8  # bytes of a double


@dataclass(frozen=True, slots=True, eq=False)
class DecodeResult:
    """Decoding up to token `step`, counted from 0, seen in one layer (None for attention alone).

    `full` is the run of the whole sentence at once, `difference` the largest distance of the row's
    stages, of all layers, from its rows. `cached`, `again` (n,): multiply-adds of each step with
    and without the cache.
    """

    document: Document
    full: Trace
    step: int
    decoded: DecodedRow
    layer: int | None
    keeps: bool
    difference: float
    cached: tuple[int, ...]
    again: tuple[int, ...]

    @property
    def scope(self) -> Document:
        """Return the attention of the layer that is seen."""
        return self.document.scope(self.id("Q"))

    def id(self, name: str) -> str:
        """Return the id of a stage in the layer that is seen; Q and K as the scores read them."""
        if name in ("Q", "K"):
            (scores,) = self.full.plan.of_kind(DOT_PRODUCT, self.layer)
            return scores.reads["QK".index(name)]
        return layer_id(self.layer, name)

    def row(self, name: str) -> Array:
        """Return the new row of a stage in the layer.  # (h, 1, ·) or (1, o)"""
        return self.decoded.stages[self.id(name)]

    def kept(self, name: str) -> Array:
        """Return the cache, "K" or "V", the token's own row included.  # (h, m, ·)"""
        return self.decoded.kept[self.id(name)]

    @property
    def numbers(self) -> int:
        """Count the numbers in the cache of all layers."""
        return cached_numbers(self.document, self.step + 1)

    @property
    def bytes(self) -> int:
        """Return the memory of the cache as doubles."""
        return self.numbers * BYTES


def decode(document: Document) -> tuple[DecodedRow, ...]:
    """Decode token by token, each from the cache of those before.

    The document is causal and has no pins.
    """
    rows: list[DecodedRow] = []
    for last in range(document.n):
        known = with_tokens_removed(document, range(last + 1, document.n))
        rows.append(decode_row(known, rows[-1].kept if rows else _empty(known)))
    return tuple(rows)


def _empty(document: Document) -> dict[str, Array]:
    """Return a cache without tokens.  # (h, 0, ·) each"""
    trace = run(document)
    return {name: trace[name][:, :0] for name in kept_stages(trace.plan)}


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
def _prepared(document: Document) -> tuple[Document, Trace, tuple[DecodedRow, ...]]:
    causal = without_pins(with_mask(document, Mask("causal")))
    return causal, run(causal), decode(causal)


class DecodeLab(Lab):
    """Controls: the newest token, the layer, the head, and the cache switch."""

    id = "decode"
    stacks = True

    def experiment(self) -> Document:
        """Return a sentence of seven words."""
        return _OWN

    def require(self, document: Document) -> None:
        """Accept self-attention over 2 to 64 tokens; decoding is causal with every mask."""
        require_tokens(document, 2, MOST_TOKENS)
        if document.is_stack and not any(layer.enabled for layer in document.layers):
            raise UserError("lab.unfit", reason="no_stack")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the layer and the head if there are several."""
        document = setting.experiment
        last = document.n - 1
        layers = _layers(document)
        layer = (ChoiceControl("layer", layers, layers[0]),) if len(layers) > 1 else ()
        return (
            Clock("step", last, min(3, last), pause=1200),
            Switch("cache", True),
            *layer,
            *head_choice(layer_of(setting)),
        )

    def compute(self, setting: Setting) -> DecodeResult:
        """Compute the newest row and the costs of all steps."""
        document, full, rows = _prepared(setting.experiment)
        step = setting["step"]
        cached, again = (
            tuple(multiply_adds(document, m, cache=cache) for m in range(1, document.n + 1))
            for cache in (True, False)
        )
        off = largest_difference(full, rows[step], step)
        layer, keeps = _layer(setting), bool(setting["cache"])
        return DecodeResult(document, full, step, rows[step], layer, keeps, off, cached, again)

    def document(self, setting: Setting) -> Document | None:
        """Return the sentence with the causal mask."""
        return None if setting.document is None else _prepared(setting.document)[0]


def _layers(document: Document) -> tuple[str, ...]:
    """List the layers that are on."""
    return tuple(str(number) for number, layer in enumerate(document.layers, 1) if layer.enabled)


def layer_of(setting: Setting) -> Document:
    """Return the attention of the layer that is seen."""
    return setting.experiment.scope(layer_id(_layer(setting), "Q"))


def _layer(setting: Setting) -> int | None:
    """Return the layer that is seen, None for attention alone."""
    layers = _layers(setting.experiment)
    if not layers:
        return None
    chosen = setting.get("layer", layers[0])
    return int(chosen if chosen in layers else layers[0])


_OWN = _sentence()
LAB = DecodeLab()
