"""Roles: the query asks, the key answers, the value carries the content.

One token is selected. Its query is compared with the key of every token (dot products), the softmax
of the scaled scores gives the weights, and the values are summed with these weights (Vaswani et al.
2017, equation 1). All numbers come from the trace.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.base.arrays import Array, frozen
from core.compute.trace import Trace
from core.document.document import Document, Head
from core.labs.controls import ChoiceControl, Clock, Control
from core.labs.lab import Lab, Setting, head_choice, require_tokens, traced
from core.stages import softmax_source
from core.stages.mask import MASK
from core.stages.multiply import DOT_PRODUCT

TOKENS = ("小明", "吃", "了", "那个", "苹果")
# Columns of queries and keys: agent, patient, action, determiner.
QUERIES = ((0, 0, 2, 0), (2, 2, 0, 0), (0, 0, 3, 0), (0, 3, 0, 1), (0, 0, 1, 2))
KEYS = ((3, 0, 0, 0), (0, 0, 2, 0), (0, 0, 1, 0), (0, 0, 0, 2), (0, 3, 0, 1))
# Columns of values: person, action, food.
VALUES = ((3, 0, 0), (0, 3, 0), (0, 1, 0), (0, 0, 1), (0, 0, 3))
FEWEST, MOST = 2, 12  # most tokens at the table
LAST = 3  # last step of: cards, dot products, weights, output


@dataclass(frozen=True, slots=True, eq=False)
class RolesResult:
    """Attention of one speaker: q (k,), K (n, k), V (n, v) of the chosen head.

    `scores`, `scaled` and `weights` (n,) are its row of the raw dot products, of the scaled and
    biased scores, and of the weights; `y` (v,). `last` is the stage of `scaled`: "scores", "scaled"
    or "biased". `allowed` (n,) are the seats visible to the speaker.
    """

    document: Document
    speaker: int
    head: int
    step: int
    q: Array
    K: Array
    V: Array
    scores: Array
    scaled: Array
    weights: Array
    y: Array
    allowed: tuple[bool, ...]
    last: str

    @property
    def free(self) -> tuple[int, ...]:
        """Return the seats visible to the speaker."""
        return tuple(seat for seat, free in enumerate(self.allowed) if free)

    @property
    def logits(self) -> Array:
        """Return the softmax input, −∞ if masked.  # (n,)"""
        return frozen(np.where(self.allowed, self.scaled, -np.inf))

    def faintest(self, besides: Collection[int]) -> int | None:
        """Return the other visible seat with the smallest weight.

        The speaker itself if it is alone, None if every seat is masked.
        """
        seats = [seat for seat in self.free if seat not in besides]
        others = [seat for seat in seats if seat != self.speaker] or seats
        return min(others, key=lambda seat: float(self.weights[seat]), default=None)


def seats(document: Document, trace: Trace, speaker: int, head: int, step: int) -> RolesResult:
    """Compute the attention of one speaker in one head."""
    (scores,) = trace.plan.of_kind(DOT_PRODUCT)
    asks, answers = scores.reads
    before = softmax_source(trace.plan)
    logits = trace[before][head, speaker]
    allowed = tuple(bool(number != float("-inf")) for number in logits)
    masks = trace.plan.of_kind(MASK)
    last_finite = masks[0].reads[0] if masks else before
    return RolesResult(
        document,
        speaker,
        head,
        step,
        trace[asks][head, speaker],
        trace[answers][head],
        trace["V"][head],
        trace["scores"][head, speaker],
        trace[last_finite][head, speaker],
        trace["weights"][head, speaker],
        trace["heads"][head, speaker],
        allowed,
        last_finite,
    )


@lru_cache(maxsize=1)
def table() -> Document:
    """Build 小明 吃 了 那个 苹果 with queries, keys and values of small whole numbers."""
    queries, keys, values = (frozen(rows) for rows in (QUERIES, KEYS, VALUES))
    return Document(
        TOKENS, (Head(Q=queries, K=keys, V=values),), title="Roles at a table", source="qkv"
    )


class RolesLab(Lab):
    """Controls: the speaker, the head, and the step."""

    id = "roles"

    def experiment(self) -> Document:
        """Return the five tokens at the table."""
        return table()

    def require(self, document: Document) -> None:
        """Accept self-attention over 2 to 12 tokens."""
        require_tokens(document, FEWEST, MOST)

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Start with the second token, 吃, which has the largest query."""
        document = setting.experiment
        speakers = tuple(str(index) for index in range(document.n))
        return (
            ChoiceControl("speaker", speakers, "1"),
            *head_choice(document),
            Clock("step", LAST, LAST, pause=1600),
        )

    def compute(self, setting: Setting) -> RolesResult:
        """Compute the speaker's attention."""
        document = setting.experiment
        return seats(
            document,
            traced(document),
            int(setting["speaker"]),
            setting.head,
            setting["step"],
        )


LAB = RolesLab()
