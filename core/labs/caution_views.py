"""What weights do not tell: other weights with the same output, contributions, rollout, entropy.

Axes: n queries, m keys, v value width, o output width, h heads, L layers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from core.arithmetic.stable_sum import product
from core.base.arrays import Array, BoolArray, frozen
from core.compute.trace import Trace, run
from core.document.document import Document, Positional
from core.labs.sharpness import entropy

MOST_LAYERS = 6
SHORT = 1e-9  # directions shorter than this are nothing but rounding
EPSILON = 1e-12  # under the root of a layer normalisation


@dataclass(frozen=True, slots=True, eq=False)
class Twin:
    """Two weight matrices A and B (n, m) with the same output. `D` = B − A lies in the null space of V (m, v).

    `outputs` and `twins` (n, v) are A·V and B·V; `moved` and `gap` the largest |B − A| and |B·V − A·V|; `free` (n,)
    the dimension of the directions that each row could take.
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
    """What flows from each key to each query (Kobayashi et al. 2020): `A` (n, m), `lengths` ‖f_j‖ (m,) of what a key
    has to give, f_j = v_j W_O, `norms` ‖α_ij f_j‖ (n, m), `share` the same as parts of their row's sum."""

    A: Array
    lengths: Array
    norms: Array
    share: Array

    @property
    def differs(self) -> tuple[int, ...]:
        """The rows whose largest weight and largest contribution belong to different keys."""
        return tuple(
            int(row) for row in np.flatnonzero(self.A.argmax(axis=1) != self.norms.argmax(axis=1))
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rollout:
    """Attention rollout (Abnar & Zuidema 2020). `layers` (L, n, n) are the weights of each layer, heads averaged;
    `flow` (L, n, n) the product of ½(A + I) up to each layer. `stacked`: every layer reads the one before."""

    layers: Array
    flow: Array
    stacked: bool


@dataclass(frozen=True, slots=True, eq=False)
class Entropies:
    """−Σ α ln α in nats. `A` (h, n, m), `rows` (h, n), `means` (h,), `most` (n,) the ln of the keys that each row may
    see."""

    A: Array
    rows: Array
    means: Array
    most: Array


def null_space(V: Array) -> Array:
    """An orthonormal basis of the directions δ with δ·V = 0 and Σδ = 0.  # (m, v) -> (r, m)"""
    M = np.column_stack([V, np.ones(len(V))]).T
    _, sizes, vectors = np.linalg.svd(M, full_matrices=True)
    rank = int((sizes > sizes[0] * 1e-10).sum())
    return np.asarray(vectors[rank:])


def farthest(weights: Array, basis: Array) -> tuple[Array, float, float]:
    """A direction in which a row can go far, and how far forward and back until a weight is 0.  # (m,), (r, m)

    Candidates push weight towards one key each: the projections of the unit vectors.
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
    """For each row of a head: a direction, how far it may be followed forward and back, the dimension of all."""
    trace = run_of(document)
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
    """Other weights with the same output; `share` from −1 to 1 is the part of the way until a weight of a row is 0."""
    trace = run_of(document)
    A, V = trace["weights"][head], trace["V"][head]
    D, forward, back, free = directions(document, head)
    step = share * (forward if share > 0 else back)
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
    """Weights against what really flows."""
    trace = run_of(document)
    A, V = trace["weights"][head], trace["V"][head]
    W_O = document.W_O
    given = V if W_O is None else product(V, W_O[head * document.v : (head + 1) * document.v])
    lengths = np.linalg.norm(given, axis=1)
    norms = A * lengths
    total = norms.sum(axis=1, keepdims=True)
    share = np.divide(norms, total, out=np.zeros_like(norms), where=total > 0.0)
    return Contributions(A, frozen(lengths), frozen(norms), frozen(share))


def rollout(document: Document, layers: int) -> Rollout:
    """So many layers and what flows through them, each token keeping half of itself."""
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
    """The mean weights of every layer (L, n, n), and whether each layer reads the one before.

    A layer's input is the normalised sum of the input and the output of the one before, its matrices are the same.
    Where that does not fit (Q, K, V are entered, or the output has another width) every layer has the same weights.
    """
    stacked = document.X is not None and document.o == document.d
    found, trace = [], run_of(document)
    for _ in range(MOST_LAYERS):
        found.append(trace["weights"].mean(axis=0))
        if stacked:
            document = _next_layer(document, trace)
            trace = run(document)
    return frozen(found), stacked


def _next_layer(document: Document, trace: Trace) -> Document:
    """The same layer on what this one gives; positions that are added to the input are added once."""
    added = document.positional.kind in ("sinusoidal", "learned")
    X = normalised(trace["input" if added else "X"] + trace["Y"])
    return replace(document, X=frozen(X), positional=Positional() if added else document.positional)


def normalised(rows: Array) -> Array:
    """Each row with mean 0 and variance 1 (layer normalisation without parameters).  # (n, d) -> (n, d)"""
    centred = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON))


def entropies(document: Document) -> Entropies:
    """Of every row of every head."""
    trace = run_of(document)
    A = trace["weights"]
    rows = entropy(A)
    seen = allowed(trace)[0].sum(axis=1)
    return Entropies(
        A, frozen(rows), frozen(rows.mean(axis=1)), frozen(np.log(np.maximum(seen, 1)))
    )


def allowed(trace: Trace) -> BoolArray:
    """Which keys each query may see.  # -> (h, n, m)"""
    if "masked" in trace:
        return np.isfinite(trace["masked"])
    return np.ones(trace["weights"].shape, dtype=np.bool_)


@lru_cache(maxsize=8)
def run_of(document: Document) -> Trace:
    """The run of an experiment. A document is the same when it is the same object."""
    return run(document)
