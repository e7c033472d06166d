"""Heads: each head attends in its own way, and the output is the sum of their contributions.

With W_O cut into blocks of d_v rows, one per head, [A_1V_1 … A_hV_h] W_O = Σ_i A_iV_i W_O[i]
(Vaswani et al. 2017, §3.2.2; the sum after Elhage et al. 2021). One head as wide as all of them has
the same number of parameters but a single attention pattern.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from core.arithmetic.stable_sum import product
from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import HEAD_TENSORS, Document, Head, Pin
from core.document.edits import with_head_enabled
from core.labs.controls import ChoiceControl, Control, Switch
from core.labs.lab import Lab, Setting

VIEWS = ("off", "blocks", "one", "mean")
ALL_ON = ("one", "mean")  # views without switches
MOST_HEADS, MOST_TOKENS = 8, 16
WEIGHTS = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V")


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """An experiment with some heads on, compared with all heads on.

    `A` (h, n, m), `mixed` A_iV_i (h, n, v), `blocks` of W_O (h, v, o), `parts` A_iV_i W_O[i] (h, n,
    o) of all heads; `total` (n, o) is the sum of the parts of the heads that are on, and of b_O;
    `Y` (n, o) the output with these heads, `whole` with all. `error` is the largest |total − Y|.
    `lost` (n,) is ‖whole − Y‖ of each row, `without` (h, n) the same for each head missing alone.
    """

    document: Document
    on: tuple[bool, ...]
    A: Array
    mixed: Array
    blocks: Array
    parts: Array
    total: Array
    Y: Array
    whole: Array
    error: float
    lost: Array
    without: Array


@dataclass(frozen=True, slots=True)
class Count:
    """One kind of tensor: number and shape."""

    name: str
    copies: int
    shape: tuple[int, ...]

    @property
    def numbers(self) -> int:
        """Count its parameters."""
        return self.copies * int(np.prod(self.shape))


@dataclass(frozen=True, slots=True, eq=False)
class Single:
    """The experiment with one head as wide as all heads together.

    Its weights A (n, m), its Y (n, o), the parameter counts of both, and the largest difference of
    the two outputs.
    """

    document: Document
    A: Array
    Y: Array
    many_counts: tuple[Count, ...]
    one_counts: tuple[Count, ...]
    largest: float


@dataclass(frozen=True, slots=True, eq=False)
class MeanHeads:
    """The experiment with the mean weights of all heads for each head.

    `A` (n, m) is the mean, `Y` (n, o) the output, `largest` its largest difference from that of
    the heads' own weights.
    """

    document: Document
    A: Array
    Y: Array
    largest: float


@dataclass(frozen=True, slots=True, eq=False)
class HeadsResult:
    """Result of the lab; `token` is the selected row."""

    split: Split
    single: Single
    mean: MeanHeads
    token: int


def split(document: Document, on: tuple[bool, ...]) -> Split:
    """Split the output by heads and measure the loss per head."""
    trace = _whole(document)
    mixed, whole = trace["heads"], trace["Y"]
    blocks = _blocks(document)
    parts = np.stack([product(mixed[head], blocks[head]) for head in range(document.h)])
    total = parts[list(on)].sum(axis=0) + (0.0 if document.b_O is None else document.b_O)
    Y = output(document, on)
    return Split(
        document,
        on,
        trace["weights"],
        mixed,
        blocks,
        frozen(parts),
        frozen(total),
        Y,
        whole,
        float(np.abs(total - Y).max()),
        frozen(np.linalg.norm(whole - Y, axis=1)),
        _lost_alone(document),
    )


@lru_cache(maxsize=4)
def _whole(document: Document) -> Trace:
    """Run with all heads on, cached by identity of the document."""
    return run(with_heads(document, (True,) * document.h))


def output(document: Document, on: tuple[bool, ...]) -> Array:
    """Compute Y with these heads on.  # -> (n, o)"""
    return run(with_heads(document, on), _whole(document))["Y"]


@lru_cache(maxsize=4)
def _lost_alone(document: Document) -> Array:
    """Compute the change of each row of Y without one head.  # -> (h, n)"""
    whole = _whole(document)["Y"]
    alone = [tuple(head != missing for head in range(document.h)) for missing in range(document.h)]
    return frozen(
        np.stack([np.linalg.norm(whole - output(document, left), axis=1) for left in alone])
    )


def with_heads(document: Document, on: tuple[bool, ...]) -> Document:
    """Copy the experiment with each head on or off."""
    for head, enabled in enumerate(on):
        document = with_head_enabled(document, head, enabled)
    return document


def _blocks(document: Document) -> Array:
    """Split W_O into blocks of d_v rows; without W_O, split the identity.  # -> (h, v, o)"""
    W_O = np.eye(document.c) if document.W_O is None else document.W_O
    return frozen(W_O.reshape(document.h, document.v, document.o))


def merged(document: Document) -> Document:
    """Build one head whose tensors are those of all heads side by side: d_k and d_v times h.

    Of the given ALiBi slopes only the first remains. Options of W_O are unchanged.
    """
    tensors: dict[str, Any] = {}
    for name in HEAD_TENSORS:
        pieces = [getattr(head, name) for head in document.heads]
        if all(piece is not None for piece in pieces):
            tensors[name] = frozen(np.concatenate(pieces, axis=-1))
    positional = document.positional
    if positional.slopes is not None:
        positional = replace(positional, slopes=frozen(positional.slopes[:1]))
    return replace(
        document, heads=(Head(**tensors),), positional=positional, pins=(), filled=frozenset()
    )


def counts(document: Document) -> tuple[Count, ...]:
    """Count an experiment's parameters from the shapes of its arrays."""
    found = []
    for name in WEIGHTS:
        given = [getattr(head, name) for head in document.heads if getattr(head, name) is not None]
        if given:
            found.append(Count(name, len(given), given[0].shape))
    shared = (("W_O", document.W_O), ("b_O", document.b_O))
    return (*found, *(Count(name, 1, array.shape) for name, array in shared if array is not None))


@lru_cache(maxsize=4)
def single(document: Document) -> Single:
    """Compute one head as wide as all, for comparison."""
    one = merged(document)
    trace = run(one)
    largest = float(np.abs(trace["Y"] - _whole(document)["Y"]).max())
    return Single(one, trace["weights"][0], trace["Y"], counts(document), counts(one), largest)


@lru_cache(maxsize=4)
def mean_heads(document: Document) -> MeanHeads:
    """Pin the mean of all heatmaps in every head, and compute the output."""
    document = with_heads(document, (True,) * document.h)
    weights, whole = _whole(document)["weights"], _whole(document)["Y"]
    A = weights.mean(axis=0)
    pinned = document.with_(
        pins=tuple(
            Pin("weights", (head, int(row), int(column)), float(A[row, column]))
            for head in range(document.h)
            for row, column in np.ndindex(A.shape)
        )
    )
    Y = run(pinned)["Y"]
    return MeanHeads(pinned, frozen(A), Y, float(np.abs(Y - whole).max()))


class HeadsLab(Lab):
    """Controls: the view, a switch for each head, the token of the selected row."""

    id = "heads"
    example = "apple-released-iphone"  # three heads: grammar, meaning and reference

    def require(self, document: Document) -> None:
        """Accept 2 to 8 heads and up to 16 tokens in each sentence."""
        if not 2 <= document.h <= MOST_HEADS:
            raise UserError("lab.unfit", reason="heads_2_8")
        if max(document.n, document.m) > MOST_TOKENS:
            raise UserError("lab.unfit", reason="tokens_16")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the head switches except in the views in which all heads are on."""
        document = setting.unpinned
        view = setting.get("view", "off")
        switches = tuple(
            Switch(f"head-{head + 1}", document.heads[head].enabled) for head in range(document.h)
        )
        token = ChoiceControl("token", tuple(str(place) for place in range(document.n)), "0")
        return (ChoiceControl("view", VIEWS, "off"), *((token,) if view in ALL_ON else switches))

    def compute(self, setting: Setting) -> HeadsResult:
        """Compute the output by heads, and the single head."""
        document = setting.unpinned
        on = tuple(bool(setting.get(f"head-{head + 1}", True)) for head in range(document.h))
        return HeadsResult(
            split(document, on),
            single(document),
            mean_heads(document),
            int(setting.get("token", "0")),
        )

    def document(self, setting: Setting) -> Document:
        """Return the experiment with the chosen heads on, the single head, or the pinned mean."""
        document = setting.unpinned
        if setting["view"] == "mean":
            return mean_heads(document).document
        if setting["view"] == "one":
            return merged(document)
        return with_heads(
            document, tuple(bool(setting[f"head-{head + 1}"]) for head in range(document.h))
        )


LAB = HeadsLab()
