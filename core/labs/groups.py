"""Groups: query heads that share keys and values.

Multi-head attention (MHA) has keys and values for each of h query heads; multi-query attention (MQA,
Shazeer 2019) has one pair for all; grouped-query attention (GQA, Ainslie et al. 2023) has g pairs,
each for h/g neighbouring heads. To convert trained heads, Ainslie et al. take the mean of the
projections W_K and W_V of a group, and then train further; this lab shows the output before that.

The cache holds g (k + v) numbers per token and layer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.compute.trace import Trace
from core.document.document import Document, Head
from core.labs.controls import ChoiceControl, Control, Slider
from core.labs.lab import Lab, Setting, traced

SHARED = ("W_K", "W_V", "b_K", "b_V", "K", "V")
HOW = ("mean", "first")
FEWEST, MOST = 2, 8  # heads
MOST_TOKENS = 64
HALF = 2  # bytes of a number in half precision
TOKENS, HEADS, WIDTH, HEAD_WIDTH = 4, 8, 6, 2  # of the lab's own numbers


@dataclass(frozen=True, slots=True)
class Sharing:
    """One number of groups: numbers in the cache per token, parameters of K and V, ‖ΔY‖ ÷ ‖Y‖."""

    groups: int
    cached: int
    parameters: int
    change: float


@dataclass(frozen=True, slots=True, eq=False)
class GroupsResult:
    """Attention with every head's own keys and values, and with shared ones.

    `options` are all numbers of groups from h to 1, `now` the chosen one; `changes` (h,) is
    ‖ΔO‖ ÷ ‖O‖ of the result O of each head.
    """

    own: Trace
    shared: Trace
    now: Sharing
    options: tuple[Sharing, ...]
    changes: Array

    @property
    def document(self) -> Document:
        """Return the experiment with its own keys and values."""
        return self.own.document

    @property
    def size(self) -> int:
        """Return the number of query heads in a group."""
        return self.document.h // self.now.groups


def group_counts(heads: int) -> tuple[int, ...]:
    """List the numbers of groups that divide the heads, from MHA to MQA."""
    return tuple(groups for groups in range(heads, 0, -1) if heads % groups == 0)


@lru_cache(maxsize=32)
def grouped(document: Document, groups: int, how: str) -> Document:
    """Give the heads of each group the mean of their keys and values, or those of the first."""
    size = document.h // groups
    heads: list[Head] = []
    for start in range(0, document.h, size):
        members = document.heads[start : start + size]
        common: dict[str, Any] = {name: _common(members, name, how) for name in SHARED}
        heads += [replace(head, **common) for head in members]
    return document if size == 1 else replace(document, heads=tuple(heads))


def _common(members: tuple[Head, ...], name: str, how: str) -> Array | None:
    """Return the tensor that a group shares; a missing bias counts as 0."""
    tensors: list[Array | None] = [getattr(head, name) for head in members]
    present = [tensor for tensor in tensors if tensor is not None]
    if not present or (how == "first" and tensors[0] is None):
        return None
    if how == "first":
        return present[0]
    return frozen(np.sum(present, axis=0) / len(members))


def relative_change(before: Array, after: Array) -> float:
    """Compute ‖after − before‖ ÷ ‖before‖, 0 if both are 0."""
    largest = float(max(np.abs(before).max(initial=0.0), np.abs(after).max(initial=0.0)))
    if largest == 0.0:
        return 0.0
    size = float(np.linalg.norm(before / largest))
    gap = float(np.linalg.norm(after / largest - before / largest))
    return gap / size if size > 0.0 else 0.0


@lru_cache(maxsize=8)
def drawn(alike: float) -> Document:
    """Draw heads for four tokens; `alike` from 0 to 1 is how much of W_K and W_V they share.

    W = √alike · common + √(1 − alike) · own, so that the spread stays the same; rounded.
    """
    random = np.random.default_rng(3)
    X = np.round(random.standard_normal((TOKENS, WIDTH)), 1)
    common = random.standard_normal((2, WIDTH, HEAD_WIDTH))
    each = random.standard_normal((HEADS, 3, WIDTH, HEAD_WIDTH))
    heads = []
    for Q, *own in each:
        K, V = (
            np.sqrt(alike) * both + np.sqrt(1.0 - alike) * alone
            for both, alone in zip(common, own, strict=True)
        )
        W_Q, W_K, W_V = (frozen(np.round(matrix, 2)) for matrix in (Q, K, V))
        heads.append(Head(W_Q=W_Q, W_K=W_K, W_V=W_V))
    names = tuple(str(place + 1) for place in range(TOKENS))
    return Document(names, tuple(heads), title="Shared keys and values", X=frozen(X))


class GroupsLab(Lab):
    """Controls: the number of groups, how their keys and values arise, how alike the heads are."""

    id = "groups"

    def require(self, document: Document) -> None:
        """Accept FEWEST to MOST heads and up to MOST_TOKENS tokens and keys."""
        if not FEWEST <= document.h <= MOST:
            raise UserError("lab.unfit", reason="heads_2_8")
        if max(document.n, document.m) > MOST_TOKENS:
            raise UserError("lab.unfit", reason="tokens_2_64")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the likeness only for the lab's own heads."""
        heads = HEADS if setting.document is None else setting.document.h
        counts = tuple(map(str, group_counts(heads)))
        alike = Slider("alike", 0.0, 1.0, 0.9, step=0.05)
        return (
            ChoiceControl("groups", counts, counts[min(2, len(counts) - 1)]),
            ChoiceControl("how", HOW, "mean"),
            *((alike,) if setting.document is None else ()),
        )

    def compute(self, setting: Setting) -> GroupsResult:
        """Run the attention for every number of groups."""
        document, how = self._whole(setting), str(setting["how"])
        own = traced(document)
        runs = {
            groups: traced(grouped(document, groups, how)) for groups in group_counts(document.h)
        }
        options = tuple(_sharing(own, run, groups) for groups, run in runs.items())
        chosen = int(setting["groups"])
        shared = runs[chosen]
        pairs = zip(own["heads"], shared["heads"], strict=True)
        return GroupsResult(
            own,
            shared,
            next(option for option in options if option.groups == chosen),
            options,
            frozen([relative_change(before, after) for before, after in pairs]),
        )

    def document(self, setting: Setting) -> Document:
        """Return the experiment with shared keys and values."""
        return grouped(self._whole(setting), int(setting["groups"]), str(setting["how"]))

    def _whole(self, setting: Setting) -> Document:
        return drawn(float(setting["alike"])) if setting.document is None else setting.unpinned


def _sharing(own: Trace, shared: Trace, groups: int) -> Sharing:
    document = own.document
    of_one = [getattr(document.heads[0], name) for name in ("W_K", "W_V", "b_K", "b_V")]
    parameters = sum(tensor.size for tensor in of_one if tensor is not None)
    return Sharing(
        groups,
        groups * (document.k + document.v),
        groups * parameters,
        relative_change(own["Y"], shared["Y"]),
    )


LAB = GroupsLab()
