"""Decode: the rows of the last token alone, from keys and values that were kept.

With a causal mask, no row depends on a later token: earlier keys and values stay as they are when a
token is appended, in every layer. So a new token costs one row of every stage; only keys and values
of earlier tokens are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

import numpy as np

from core.base.arrays import Array, sealed
from core.compute.trace import Trace
from core.document.document import Document
from core.document.parts import split_layer
from core.stages import Plan, plan
from core.stages.multiply import DOT_PRODUCT, MIX

_OF_CACHE = ("K", "V")  # stages whose rows are computed once per head of keys and values


@dataclass(frozen=True, slots=True, eq=False)
class DecodedRow:
    """The row of one token in every stage, by id: (1, d) or (h, 1, k), weights (h, 1, m).

    `kept` are the keys and values of all tokens up to it, its own included.  # (h, m, ·)
    """

    stages: Mapping[str, Array]
    kept: Mapping[str, Array]


def is_causal(document: Document) -> bool:
    """Whether no token attends to a later one, so that keys and values can be kept."""
    mask = document.mask
    window = mask.kind == "window" and mask.right == 0
    return document.context is None and (mask.kind == "causal" or window)


def kept_stages(the_plan: Plan) -> tuple[str, ...]:
    """Return the ids of keys and values, layer by layer."""
    return tuple(stage.reads[1] for stage in the_plan if stage.kind in (DOT_PRODUCT, MIX))


def decode_row(document: Document, kept: Mapping[str, Array]) -> DecodedRow:
    """Compute the last token's row of every stage. The document is causal and has no pins.

    `kept` are keys and values of the tokens before it, by the ids of `kept_stages`.
    """
    the_plan = plan(document)
    whole = set(kept_stages(the_plan))
    last = document.n - 1
    rows: dict[str, Array] = {}
    cache: dict[str, Array] = {}
    for stage in the_plan:
        sources = {name: rows[name] for name in stage.reads}
        if stage.kind in (DOT_PRODUCT, MIX):
            sources[stage.reads[1]] = cache[stage.reads[1]]
        row = sealed(stage.kind.compute_row(document, stage, sources, last))
        rows[stage.id] = row
        if stage.id in whole:
            cache[stage.id] = sealed(np.concatenate([kept[stage.id], row], axis=1))
    return DecodedRow(rows, cache)


def kept_before(trace: Trace, row: int) -> dict[str, Array]:
    """Return keys and values of the tokens before a row of a run.  # (h, row, ·) each"""
    return {name: trace[name][:, :row] for name in kept_stages(trace.plan)}


def largest_difference(trace: Trace, decoded: DecodedRow, row: int) -> float:
    """Return the largest distance of a decoded row from that row of a whole run, over all stages."""
    most = 0.0
    for name, mine in decoded.stages.items():
        theirs = trace[name][..., row : row + 1, : mine.shape[-1]]
        finite = np.isfinite(theirs)
        if not np.array_equal(finite, np.isfinite(mine)):
            return float("inf")
        most = max(most, float(np.abs(mine[finite] - theirs[finite]).max(initial=0.0)))
    return most


def kept_heads(document: Document, stage_id: str) -> int:
    """Return the number of heads of a stage's layer that have keys and values of their own."""
    return sum(head.kv_from is None for head in document.scope(stage_id).heads)


def multiply_adds(document: Document, m: int, *, cache: bool) -> int:
    """Count the multiply-adds of all matrix products at the step of the m-th token."""
    count = 0
    for stage in plan(document):
        letters, is_product = stage.kind.operations(document, stage)
        if not is_product:
            continue
        rows = 1 if cache else m
        sizes = {**document.sizes_at(stage.id), "n": rows, "m": m}
        if split_layer(stage.id)[1] in _OF_CACHE:
            sizes |= {"m": rows, "h": kept_heads(document, stage.id)}
        count += prod(sizes[letter] for letter in letters)
    return count


def cached_numbers(document: Document, tokens: int) -> int:
    """Count the numbers in the cache of some tokens: keys and values of every layer."""
    shapes = ((name, document.stage_shape(name)) for name in kept_stages(plan(document)))
    return sum(kept_heads(document, name) * tokens * shape[-1] for name, shape in shapes)
