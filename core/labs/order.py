"""Order: attention without positions ignores the order of tokens.

Attention is permutation equivariant: with the rows of X permuted by Π, the weights become Π·A·Πᵀ
and the output Π·Y (Lee et al. 2019, Set Transformer, property 1). Each positional encoding breaks
that; the lab measures max |Y_perm − Π·Y|. Without positions it is exactly 0, because
core.arithmetic.stable_sum makes sums independent of a row's place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.base.arrays import Array, frozen
from core.compute.trace import run
from core.document.document import POSITIONAL_KINDS, Document, Mask
from core.document.edits import with_mask, with_positional
from core.document.resize import with_tokens_ordered
from core.labs.controls import Button, ChoiceControl, Control, Order, Switch, Value
from core.labs.lab import Lab, Setting, head_choice, require_tokens
from core.stages.plan import ENCODINGS

MOST_TOKENS = 16  # more rows and lines are unreadable
LEARNED_SEED = 7  # seed of learned positions for an experiment without any


@dataclass(frozen=True, slots=True, eq=False)
class OrderResult:
    """An experiment in two orders; position i of the second holds token order[i] of the first.

    Y, permuted_Y and carried = Π·Y are (n, o); A, permuted_A and carried_A = Π·A·Πᵀ are (h, n, n);
    `gaps` (n,) is the largest |permuted_Y − carried| of each row, `largest` that of all rows,
    `largest_A` the same for the weights.
    """

    before: Document
    after: Document
    order: tuple[int, ...]
    Y: Array
    permuted_Y: Array
    carried: Array
    A: Array
    permuted_A: Array
    carried_A: Array
    gaps: Array
    largest: float
    largest_A: float

    @property
    def changed(self) -> tuple[int, ...]:
        """Return the new positions whose row of Y differs from the token's previous row in any bit."""
        return tuple(int(place) for place in np.flatnonzero(self.gaps))

    @property
    def moved(self) -> tuple[int, ...]:
        """Return the new positions that hold another token than before."""
        return tuple(place for place, old in enumerate(self.order) if place != old)

    @property
    def backwards(self) -> bool:
        """Return whether the order is reversed, which preserves all distances between tokens."""
        return self.order == tuple(reversed(range(len(self.order))))


def reordered(document: Document, order: tuple[int, ...]) -> OrderResult:
    """Run the experiment in both orders and compare row by row and cell by cell."""
    after = with_tokens_ordered(document, order)
    first, second = run(document), run(after)
    places = list(order)
    carried, carried_A = first["Y"][places], first["weights"][:, places][:, :, places]
    gaps = np.abs(second["Y"] - carried).max(axis=1)
    return OrderResult(
        document,
        after,
        order,
        first["Y"],
        second["Y"],
        frozen(carried),
        first["weights"],
        second["weights"],
        frozen(carried_A),
        frozen(gaps),
        float(gaps.max()),
        float(np.abs(second["weights"] - carried_A).max()),
    )


def kinds(document: Document) -> tuple[str, ...]:
    """List the possible kinds of positions; with entered Q, K, V only those that act on them."""
    return tuple(
        kind for kind in POSITIONAL_KINDS if document.X is not None or ENCODINGS[kind].added is None
    )


def placed(document: Document, kind: str) -> Document:
    """Set a kind of positions; missing learned ones are drawn from N(0, 1), one decimal."""
    positional = replace(document.positional, kind=kind)
    if kind == "learned" and positional.P is None:
        positional = replace(positional, P=_learned(document.n, document.d))
    return with_positional(document, positional)


@lru_cache(maxsize=8)
def _learned(n: int, d: int) -> Array:
    return frozen(np.round(np.random.default_rng(LEARNED_SEED).standard_normal((n, d)), 1))


def shuffled(order: tuple[int, ...], times: int) -> tuple[int, ...]:
    """Return the next random order after `times` earlier ones.

    Never the given nor the original order.
    """
    straight = tuple(range(len(order)))
    generator = np.random.default_rng(times)
    while True:
        found = tuple(int(place) for place in generator.permutation(len(order)))
        if found != order and (found != straight or len(order) == 2):
            return found


def swapped(order: tuple[int, ...], first: int, second: int) -> tuple[int, ...]:
    """Swap two positions of an order."""
    places = list(order)
    places[first], places[second] = places[second], places[first]
    return tuple(places)


def _prepared(setting: Setting) -> Document:
    """Return the experiment with the chosen positions and, if so chosen, a causal mask."""
    document = placed(setting.experiment, setting["positions"])
    return with_mask(document, Mask("causal")) if setting["causal"] else document


class OrderLab(Lab):
    """Controls: the order of the tokens, the kind of positions, a causal mask, the head."""

    id = "order"
    example = "who-ate-whom"  # its two nouns are indistinguishable without positions

    def require(self, document: Document) -> None:
        """Accept self-attention over 2 to 16 tokens."""
        require_tokens(document, 2, MOST_TOKENS)

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Start without positions, to show equivariance first."""
        document = setting.experiment
        return (
            Order("order", document.n),
            Button("swap"),
            Button("shuffle"),
            Button("restore"),
            ChoiceControl("positions", kinds(document), "none"),
            Switch("causal"),
            *head_choice(document),
        )

    def start(
        self, document: Document | None = None, values: Mapping[str, object] | None = None
    ) -> Setting:
        """Start with the first and the last token swapped, so that lines cross."""
        setting = super().start(document)
        ends = swapped(setting["order"], 0, -1)
        return super().start(document, {"order": ends, **(values or {})})

    def compute(self, setting: Setting) -> OrderResult:
        """Run both orders and compare."""
        return reordered(_prepared(setting), setting["order"])

    def document(self, setting: Setting) -> Document:
        """Return the reordered tokens with the chosen positions."""
        return with_tokens_ordered(_prepared(setting), setting["order"])

    def press(self, setting: Setting, button: str) -> Setting:
        """Swap first and last, shuffle, or restore the original order."""
        order: tuple[int, ...] = setting["order"]
        new: Value
        if button == "shuffle":
            times = int(setting.facts.get("shuffles", 0)) + 1
            return self.with_value(
                setting.with_facts(shuffles=times), "order", shuffled(order, times)
            )
        new = swapped(order, 0, -1) if button == "swap" else tuple(range(len(order)))
        return self.with_value(setting, "order", new)


LAB = OrderLab()
