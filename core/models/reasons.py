"""Why a query looks at a key: one score as a sum of products, by column and by where they come from.

A vector of the stream is the sum of what words, positions, biases, earlier heads and MLPs have put
into it. With the mean and the root of its row held, a norm treats each part alone, and so do W_Q, W_K
and rotary positions: the score is the sum over all pairs of parts. What pins put in is a part, too.
The exact sum of the pairs, and of their kinds, is the score to 1e-12 of it, however much cancels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum

import numpy as np

from core.arithmetic.normalisation import LAYER, normalise_rows
from core.arithmetic.positional_encoding import rotate
from core.base.arrays import Array
from core.document.document import Norm
from core.models.forward import LayerRun
from core.stages.scale import scale_factor

ROUNDING = 1e-10  # of the largest part; what pins put in is larger
WORD, POSITION, BIAS, HEAD, MLP, REST = "word", "position", "bias", "head", "mlp", "rest"


@dataclass(frozen=True, slots=True)
class Part:
    """Where a part of a vector comes from; `layer` and `head` from 0. REST is what pins put in."""

    kind: str
    layer: int | None = None
    head: int | None = None


Parts = dict[Part, Array]  # two rows each: at the query, at the key


@dataclass(frozen=True, slots=True, eq=False)
class Reasons:
    """A score q · k before scaling: `products` (k,) of its columns, and `table` (parts, parts) with a
    product for each pair of parts of the query (rows) and the key (columns).
    """

    score: float
    scale: float  # that the score is multiplied with before the softmax
    products: Array
    parts: tuple[Part, ...]
    table: Array

    def terms(self) -> list[tuple[Part, Part, float]]:
        """All pairs, the largest first."""
        order = np.argsort(-np.abs(self.table), axis=None, kind="stable")
        places = zip(*np.unravel_index(order, self.table.shape), strict=True)
        return [(self.parts[i], self.parts[j], float(self.table[i, j])) for i, j in places]

    def by_kind(self) -> dict[tuple[str, str], float]:
        """The sum of all pairs for each pair of kinds of parts."""
        found: dict[tuple[str, str], list[float]] = {}
        for query, row in zip(self.parts, self.table.tolist(), strict=True):
            for key, value in zip(self.parts, row, strict=True):
                found.setdefault((query.kind, key.kind), []).append(value)
        sums = _adding_up(np.array([fsum(values) for values in found.values()]), self.score)
        return dict(zip(found, sums.tolist(), strict=True))


def reasons_of(layers: Iterable[LayerRun], index: int, head: int, query: int, key: int) -> Reasons:
    """The reasons of one score of a layer and a head, all from 0. `layers` are the runs of all layers
    up to it, in their order.
    """
    rows, stream = [query, key], Parts()
    for layer in layers:
        if layer.index == 0:
            stream = _first_parts(layer, rows)
        seen = _seen_parts(layer, rows, stream)
        if layer.index == index:
            return _reasons(layer, head, rows, seen)
        stream = _parts_after(layer, rows, stream)
    raise IndexError(index)


def _first_parts(layer: LayerRun, rows: list[int]) -> Parts:
    """The parts of what comes into the first layer."""
    trace, norm = layer.trace, layer.trace.document.embedding_norm
    parts = {Part(WORD): trace["X"][rows]}
    if "P" in trace:
        parts[Part(POSITION)] = trace["P"][rows]
    if norm is not None:
        parts = _normalised(parts, trace["input" if "input" in trace else "X"][rows], norm)
    return _completed(parts, layer.incoming[rows])


def _seen_parts(layer: LayerRun, rows: list[int], stream: Parts) -> Parts:
    """The parts of what comes into the heads of a layer."""
    norms = layer.trace.document.layers[0].norm
    if norms.place == "pre" and norms.attention is not None:
        stream = _normalised(stream, layer.incoming[rows], norms.attention)
    return _completed(stream, layer.attention_input[rows])


def _parts_after(layer: LayerRun, rows: list[int], stream: Parts) -> Parts:
    """The parts of what comes out of a layer."""
    trace, own, index = layer.trace, layer.trace.document.layers[0], layer.index
    parts, post = dict(stream), own.norm.place == "post"
    heads, W_O, start = trace["L1.heads"], own.W_O, 0
    assert W_O is not None  # models have one
    for head, mixed in enumerate(heads):
        width = mixed.shape[-1]
        if own.heads[head].enabled:
            parts[Part(HEAD, index, head)] = mixed[rows] @ W_O[start : start + width]
        start += width
    _add(parts, Part(BIAS), own.b_O)
    parts = _completed(parts, trace["L1.attention_residual"][rows])
    if post and own.norm.attention is not None:
        parts = _normalised(parts, trace["L1.attention_residual"][rows], own.norm.attention)
        parts = _completed(parts, trace["L1.attention_norm"][rows])
    if own.mlp is not None:
        parts[Part(MLP, index)] = trace["L1.mlp_out"][rows]
        parts = _completed(parts, trace["L1.mlp_residual"][rows])
    if post and own.norm.mlp is not None:
        parts = _normalised(parts, trace["L1.mlp_residual"][rows], own.norm.mlp)
    return _completed(parts, layer.outgoing[rows])


def _reasons(layer: LayerRun, head: int, rows: list[int], parts: Parts) -> Reasons:
    document, trace = layer.trace.document, layer.trace
    heads = document.layers[0].heads
    lender = heads[document.lender("L1.W_K", head)]
    names = tuple(dict.fromkeys((*parts, Part(BIAS), Part(REST))))
    sides = []
    for side, (stage, W, b) in enumerate(
        (("Q", heads[head].W_Q, heads[head].b_Q), ("K", lender.W_K, lender.b_K))
    ):
        assert W is not None  # heads of models have projections
        vectors = np.array(
            [parts[name][side] if name in parts else np.zeros(len(W)) for name in names]
        )
        found = vectors @ W
        if b is not None:
            found[names.index(Part(BIAS))] += b
        rest = trace[f"L1.{stage}"][head, rows[side]] - found.sum(axis=0)
        found[names.index(Part(REST))] += rest
        _give_rounding_away(found, names.index(Part(REST)))
        if document.positional.kind == "rotary":
            found = rotate(found[:, None], document.positional.base, first=rows[side])[:, 0]
        sides.append(found)
    query, key = (
        trace[f"L1.{stage}_rot" if f"L1.{stage}_rot" in trace else f"L1.{stage}"][head, row]
        for stage, row in zip("QK", rows, strict=True)
    )
    score = float(trace["L1.scores"][head, rows[0], rows[1]])
    scale = scale_factor(document.scopes[0])
    return Reasons(score, scale, query * key, names, _adding_up(sides[0] @ sides[1].T, score))


def _give_rounding_away(found: Array, rest: int) -> None:
    """Add a rest that is rounding alone to the largest part, where it is below the last digits."""
    sizes = np.abs(found).max(axis=1)
    if sizes[rest] <= ROUNDING * sizes.max():
        found[sizes.argmax()] += found[rest]
        found[rest] = 0.0


def _adding_up(terms: Array, score: float) -> Array:
    """The terms with an exact sum that is the score to its last digits.

    Large terms that cancel leave more rounding than a small score has. It goes to the term that is
    nearest to the score in size, whose own last digits are as fine as those of the score.
    """
    away = np.where(terms == 0.0, np.inf, np.abs(np.abs(terms) - abs(score)))
    result = np.array(terms)
    result.flat[away.argmin()] += fsum([score, *(-terms).flat])
    return result


def _normalised(parts: Parts, whole: Array, norm: Norm) -> Parts:
    """Each part with the mean and root of the whole rows held; beta is a bias."""
    root = normalise_rows(whole, kind=norm.kind, eps=norm.eps).root
    result = {}
    for name, rows in parts.items():
        centred = rows - rows.mean(axis=-1, keepdims=True) if norm.kind == LAYER else rows
        scaled = centred / np.where(root == 0.0, 1.0, root)
        result[name] = scaled if norm.gamma is None else scaled * norm.gamma
    _add(result, Part(BIAS), norm.beta)
    return result


def _add(parts: Parts, name: Part, vector: Array | None) -> None:
    """Add a vector to both rows of a part."""
    if vector is not None:
        parts[name] = parts.get(name, np.zeros((2, len(vector)))) + vector


def _completed(parts: Parts, whole: Array) -> Parts:
    """The parts with the rest that makes them add up to the whole."""
    rest = whole - sum(parts.values(), np.zeros_like(whole))
    return {**parts, Part(REST): parts.get(Part(REST), 0.0) + rest}
