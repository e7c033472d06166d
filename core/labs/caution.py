"""Caution: a heatmap of weights is a hint, not an explanation.

- Different weights with the same output: a change within the null space of V changes A but not A·V
  (Brunner et al. 2020).
- Weights against contributions: the vector that flows is α_ij f(x_j), so its length matters
  (Kobayashi et al. 2020).
- Rollout: the product of ½(A + I) over several layers (Abnar & Zuidema 2020).
- Entropy: how a head spreads its attention, which does not say how much depends on that head.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.arithmetic.stable_sum import product
from core.base.arrays import Array, BoolArray, frozen
from core.compute.trace import Trace, run
from core.document.document import Document, Head, Pin, Positional
from core.labs.controls import ChoiceControl, Control, Slider
from core.labs.lab import Lab, Setting, require_tokens, traced
from core.labs.sharpness import entropy
from core.stages import masked_scores
from core.stages.plan import ENCODINGS

MOST_LAYERS = 6
USED = 0.999  # part of a weight that may be taken away: no softmax gives exactly 0
SHORT = 1e-9  # shorter directions are rounding errors
EPSILON = 1e-12  # added to the variance in a layer normalisation


@dataclass(frozen=True, slots=True, eq=False)
class Twin:
    """Two weight matrices A and B (n, m) with the same output.

    `D` = B − A lies in the null space of V (m, v). `outputs` and `twins` (n, v) are A·V and B·V;
    `moved` and `gap` the
    largest |B − A| and |B·V − A·V|; `free` (n,) the dimension of the possible directions of each
    row.
    """

    A: Array
    B: Array
    D: Array
    V: Array
    outputs: Array
    twins: Array
    moved: float
    gap: float
    free: Array


@dataclass(frozen=True, slots=True, eq=False)
class Contributions:
    """Contributions of each key to each query (Kobayashi et al. 2020).

    `A` (n, m) are the weights, `lengths` ‖f_j‖ (m,) the norms of f_j = v_j W_O, `norms` ‖α_ij f_j‖
    (n, m), and `share` the same as parts of their row's sum.
    """

    A: Array
    lengths: Array
    norms: Array
    share: Array

    @property
    def differs(self) -> tuple[int, ...]:
        """Return the rows whose largest weight and largest contribution belong to different keys."""
        return tuple(
            int(row) for row in np.flatnonzero(self.A.argmax(axis=1) != self.norms.argmax(axis=1))
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rollout:
    """Attention rollout (Abnar & Zuidema 2020).

    `layers` (L, n, n) are the weights of each layer, heads averaged; `flow` (L, n, n) the product
    of ½(A + I) up to each
    layer. `stacked`: every layer reads the one before.
    """

    layers: Array
    flow: Array
    stacked: bool


@dataclass(frozen=True, slots=True, eq=False)
class Entropies:
    """Entropies −Σ α ln α in nats.

    `A` (h, n, m), `rows` (h, n), `means` (h,); `most` (n,) is ln of the number of keys each row may
    see.
    """

    A: Array
    rows: Array
    means: Array
    most: Array


def null_space(V: Array) -> Array:
    """Return an orthonormal basis of the directions δ with δ·V = 0 and Σδ = 0.  # (m, v) -> (r, m)"""
    M = np.column_stack([V, np.ones(len(V))]).T
    _, sizes, vectors = np.linalg.svd(M, full_matrices=True)
    rank = int((sizes > sizes[0] * 1e-10).sum())
    return np.asarray(vectors[rank:])


def farthest(weights: Array, basis: Array) -> tuple[Array, float, float]:
    """Find the direction with the largest range, and how far it goes both ways until a weight is 0.

    (m,), (r, m). Candidates push weight towards one key each: the projections of the unit vectors.
    """
    best, far = np.zeros_like(weights), (0.0, 0.0)
    for pushed in basis.T @ basis:
        if np.abs(pushed).max() < SHORT:
            continue
        direction = pushed / np.abs(pushed).sum()
        reach = _reach(weights, direction), _reach(weights, -direction)
        if sum(reach) > sum(far) + SHORT:
            best, far = direction, reach
    return best, *far


def _reach(weights: Array, direction: Array) -> float:
    falling = direction < -SHORT
    return float((weights[falling] / -direction[falling]).min()) if falling.any() else 0.0


@lru_cache(maxsize=8)
def directions(document: Document, head: int) -> tuple[Array, Array, Array, Array]:
    """For each row of a head, return a direction, its range both ways and the null-space dimension."""
    trace = traced(document)
    A, V = trace["weights"][head], trace["V"][head]
    D, reach, free = np.zeros_like(A), np.zeros((2, len(A))), np.zeros(len(A))
    for row, seen in enumerate(allowed(trace)[head]):
        if not seen.any():
            continue
        basis = null_space(V[seen])
        free[row] = len(basis)
        D[row, seen], *reach[:, row] = farthest(A[row, seen], basis)
    return frozen(D), frozen(reach[0]), frozen(reach[1]), frozen(free)


def twin(document: Document, head: int, share: float) -> Twin:
    """Build other weights with the same output; `share` −1…1 scales the range.

    At its ends the smallest weight of a row keeps a thousandth, so that a softmax can give every
    row of B: of the scores ln B.
    """
    trace = traced(document)
    A, V = trace["weights"][head], trace["V"][head]
    D, forward, back, free = directions(document, head)
    step = share * USED * (forward if share > 0 else back)
    B = np.maximum(A + step[:, None] * D, 0.0)
    outputs, twins = product(A, V), product(B, V)
    return Twin(
        A,
        frozen(B),
        frozen(B - A),
        V,
        frozen(outputs),
        frozen(twins),
        float(np.abs(B - A).max()),
        float(np.abs(twins - outputs).max()),
        free,
    )


def contributions(document: Document, head: int) -> Contributions:
    """Compute weights and contributions of a head."""
    trace = traced(document)
    A, V = trace["weights"][head], trace["V"][head]
    W_O = document.W_O
    given = V if W_O is None else product(V, W_O[head * document.v : (head + 1) * document.v])
    lengths = np.linalg.norm(given, axis=1)
    norms = A * lengths
    total = norms.sum(axis=1, keepdims=True)
    share = np.divide(norms, total, out=np.zeros_like(norms), where=total > 0.0)
    return Contributions(A, frozen(lengths), frozen(norms), frozen(share))


def rollout(document: Document, layers: int) -> Rollout:
    """Compute the rollout over a number of layers; each token keeps half of itself per layer."""
    weights, stacked = stack(document)
    flow = np.eye(document.n)
    flows = []
    for A in weights[:layers]:
        kept = A + np.eye(document.n)
        flow = product(kept / kept.sum(axis=1, keepdims=True), flow)
        flows.append(flow)
    return Rollout(weights[:layers], frozen(flows), stacked)


@lru_cache(maxsize=4)
def stack(document: Document) -> tuple[Array, bool]:
    """Return the mean weights of every layer (L, n, n), and whether layers are chained.

    A layer's input is the normalised sum of the input and the output of the layer before; its
    matrices are the same. If that does not fit (entered Q, K, V, or an output of another width),
    every layer has the same weights.
    """
    stacked = document.X is not None and document.o == document.d
    found, trace = [], traced(document)
    for _ in range(MOST_LAYERS):
        found.append(trace["weights"].mean(axis=0))
        if stacked:
            document = _next_layer(document, trace)
            trace = run(document)
    return frozen(found), stacked


def _next_layer(document: Document, trace: Trace) -> Document:
    """Return the same layer applied to this output; positions are added to the input only once."""
    added = ENCODINGS[document.positional.kind].added is not None
    X = normalised(trace[trace.plan.vectors[0][-1].id] + trace["Y"])
    return replace(document, X=frozen(X), positional=Positional() if added else document.positional)


def normalised(rows: Array) -> Array:
    """Scale each row to mean 0 and variance 1.  # (n, d) -> (n, d)"""
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON))


def entropies(document: Document) -> Entropies:
    """Compute the entropy of every row of every head."""
    trace = traced(document)
    A = trace["weights"]
    rows = entropy(A)
    seen = allowed(trace)[0].sum(axis=1)
    return Entropies(
        A, frozen(rows), frozen(rows.mean(axis=1)), frozen(np.log(np.maximum(seen, 1)))
    )


def allowed(trace: Trace) -> BoolArray:
    """Return which keys each query may see.  # -> (h, n, m)"""
    masked = masked_scores(trace, "weights")
    if masked is not None:
        return np.isfinite(masked)
    return np.ones(trace["weights"].shape, dtype=np.bool_)


VIEWS = ("same", "norms", "rollout", "entropy")
MOST = 16
TOKENS = ("小明", "吃", "了", "苹果", "。")
# Columns: person, action, food, filler.
VECTORS = ((2, 0, 0, 0), (0, 2, 0, 0), (0, 0.5, 0, 1), (0, 0, 2, 0), (0, 0, 0, 2))
# Head 1 attends to subject and object; head 2 to the full stop, whose value is almost 0.
ASKS = (
    ((0.2, 0.1), (0.9, 0.8), (0.4, 0.2), (0.6, 0.1)),
    ((0.6, 0.2), (0.5, 0.4), (0.6, 0.3), (0.3, 0.2)),
)
ANSWERS = (
    ((0.9, 0.1), (0.1, 0.2), (0.2, 0.9), (0.1, 0.1)),
    ((0.1, 0.2), (0.2, 0.1), (0.2, 0.2), (1.6, 1.4)),
)
CARRIES = (
    ((1, 0), (0.6, 0.4), (0, 1.2), (0.2, 0.1)),
    ((1, 0.2), (0.5, 0.6), (0.1, 1.1), (0.01, 0.01)),
)
MIXES = ((1, 0, 0.2, 0), (0, 0.3, 1, 0), (0.2, 1, 0, 0.1), (0, 0.2, 0.4, 1))


@dataclass(frozen=True, slots=True, eq=False)
class CautionResult:
    """Result of the lab: selected head and row, and the results of the chosen view."""

    document: Document
    head: int
    token: int
    twin: Twin | None = None
    contributions: Contributions | None = None
    rollout: Rollout | None = None
    entropies: Entropies | None = None


@lru_cache(maxsize=1)
def own() -> Document:
    """Build 小明 吃 了 苹果 。 with two heads: n 5, d 4, d_k 2, d_v 2, and W_O."""
    heads = tuple(
        Head(W_Q=frozen(asks), W_K=frozen(answers), W_V=frozen(carries))
        for asks, answers, carries in zip(ASKS, ANSWERS, CARRIES, strict=True)
    )
    return Document(
        TOKENS, heads, title="A heatmap is a clue", X=frozen(VECTORS), W_O=frozen(MIXES)
    )


class CautionLab(Lab):
    """Four views of the same experiment."""

    id = "caution"

    def experiment(self) -> Document:
        """Return one head for content and one for the full stop."""
        return own()

    def require(self, document: Document) -> None:
        """Accept self-attention over 2 to 16 tokens."""
        require_tokens(document, 2, MOST)

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Return the view first, then the controls of that view."""
        document, view = setting.unpinned, setting.get("view", VIEWS[0])
        heads, tokens = tuple(map(str, range(document.h))), tuple(map(str, range(document.n)))
        head = (ChoiceControl("head", heads, str(_telling(document)) if view == "norms" else "0"),)
        return (
            ChoiceControl("view", VIEWS, VIEWS[0]),
            *(head if document.h > 1 and view != "rollout" else ()),
            ChoiceControl("token", tokens, "1"),
            *((Slider("share", -1.0, 1.0, 1.0, step=0.01),) if view == "same" else ()),
            *(
                (Slider("layers", 1, MOST_LAYERS, 2, step=1, whole=True),)
                if view == "rollout"
                else ()
            ),
        )

    def with_value(self, setting: Setting, control_id: str, value: object) -> Setting:
        """Set a value; another view starts with its most instructive head."""
        new = super().with_value(setting, control_id, value)
        if new is setting or control_id != "view" or "head" not in new.values:
            return new
        return super().with_value(new, "head", self.control(new, "head").default)

    def compute(self, setting: Setting) -> CautionResult:
        """Compute the results of the chosen view."""
        document, view = setting.unpinned, setting["view"]
        head, token = setting.head, int(setting["token"])
        return CautionResult(
            document,
            head,
            token,
            twin(document, head, setting["share"]) if view == "same" else None,
            contributions(document, head) if view == "norms" else None,
            rollout(document, setting["layers"]) if view == "rollout" else None,
            entropies(document) if view == "entropy" else None,
        )

    def document(self, setting: Setting) -> Document:
        """Return the experiment; in the view "same" with the other weights pinned."""
        document = setting.unpinned
        if setting["view"] != "same" or setting["share"] == 0.0:
            return document
        head = setting.head
        other = twin(document, head, setting["share"])
        return _pinned(document, head, other)


def _pinned(document: Document, head: int, other: Twin) -> Document:
    moved = [(int(row), int(column)) for row, column in zip(*other.D.nonzero(), strict=True)]
    return document.with_(
        pins=tuple(Pin("weights", (head, *place), float(other.B[place])) for place in moved)
    )


@lru_cache(maxsize=4)
def _telling(document: Document) -> int:
    """Return the head with the most rows whose largest weight is not the largest contribution."""
    return max(range(document.h), key=lambda head: len(contributions(document, head).differs))


LAB = CautionLab()
