"""Block: what every part of a stack adds to the stream of each token, and what becomes of its rows.

The stream of a token is its row of numbers from X to the last layer. Attention and MLP of a layer
each add a row to it. With a final norm, a logit is linear in the parts of the stream only if mean μ
and root √(σ² + ε) of the normalised row are held at their values:

    part p -> γ (p − mean p) ÷ √(σ² + ε),     logit = Σ parts · W_U[:, word] + constant

where the constant collects every β and b_U. Norms after a sub-layer ("post") scale all earlier
parts in the same way. Without a residual connection the earlier parts are dropped.

Without residual connection and MLP, rows of attention become alike with depth: rank collapse
(Dong, Cordonnier & Loukas 2021, "Attention is not all you need"), proved for small enough weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arithmetic.normalisation import normalise_rows
from core.base.arrays import Array
from core.compute.trace import Trace
from core.document.parts import layer_id

BEFORE = ("X", "P")  # parts of the stream before the first layer
ROUNDING = 1e-14  # entries of a centred row, relative to the largest of all rows, that are no more


@dataclass(frozen=True, slots=True)
class Sublayer:
    """Stage ids around one sub-layer: what comes in, what it computes, the sum, and what goes on.

    `part` is "attention" or "mlp". `total` is `added` without a residual connection; `after` is
    `total` without a norm behind it. `norm` is the id of that norm, "" for none.
    """

    layer: int
    part: str
    before: str
    added: str
    total: str
    after: str

    @property
    def residual(self) -> bool:
        """Return whether what came in is kept."""
        return self.total != self.added

    @property
    def norm(self) -> str:
        """Return the id of the norm after the sum, "" for none."""
        return self.after if self.after != self.total else ""


def entrance(trace: Trace) -> str:
    """Return the id of the stage that enters the first layer."""
    return next(name for name in ("embedding_norm", "input", "X") if name in trace.arrays)


def sublayers(trace: Trace) -> tuple[Sublayer, ...]:
    """List attention and MLP of every layer that has stages, in order."""
    found, before = [], entrance(trace)
    for layer in trace.plan.layers:
        post = trace.document.layers[layer - 1].norm.place == "post"
        for part, computed in (("attention", "Y"), ("mlp", "mlp_out")):
            added, total, norm = (
                layer_id(layer, name) for name in (computed, f"{part}_residual", f"{part}_norm")
            )
            if added not in trace.arrays:
                continue
            total = total if total in trace.arrays else added
            after = norm if post and norm in trace.arrays else total
            found.append(Sublayer(layer, part, before, added, total, after))
            before = after
    return tuple(found)


def cosine(a: Array, b: Array) -> float:
    """Return the cosine of two vectors; 0 if one of them has no direction.  # (d,), (d,)"""
    largest = float(np.abs(a).max(initial=0.0)), float(np.abs(b).max(initial=0.0))
    if min(largest) == 0.0:
        return 0.0
    a, b = a / largest[0], b / largest[1]  # so that no square overflows
    return float(np.clip(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)), -1.0, 1.0))


@np.errstate(over="ignore")
def length(row: Array) -> float:
    """Return the Euclidean length of a vector, at most the largest double.  # (d,)"""
    largest = float(np.abs(row).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    return float(min(largest * np.linalg.norm(row / largest), np.finfo(float).max))


# Who speaks for a word


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one part of the stream adds to a logit.

    `part` is "X", "P", "attention", "mlp" or "constant"; `layer` is None outside the layers.
    """

    layer: int | None
    part: str
    value: float


def parts_of_row(trace: Trace, row: int) -> dict[tuple[int | None, str], Array]:
    """Split a row that W_U multiplies into parts: those of the stream and the constant.  # (d,) each

    Means and roots of all norms of the stream are those of the run.
    """
    parts: dict[tuple[int | None, str], Array] = {
        (None, name): trace[name][row] for name in BEFORE if name in trace.arrays
    }
    parts[None, "constant"] = np.zeros(trace.document.d)
    first = entrance(trace)
    if first == "embedding_norm":
        _hold_norm(trace, first, "input" if "input" in trace.arrays else "X", row, parts)
    last = first
    for sub in sublayers(trace):
        if not sub.residual:
            parts = {(None, "constant"): np.zeros(trace.document.d)}
        parts[sub.layer, sub.part] = trace[sub.added][row]
        if sub.norm:
            _hold_norm(trace, sub.norm, sub.total, row, parts)
        last = sub.after
    if "final_norm" in trace.arrays:
        _hold_norm(trace, "final_norm", last, row, parts)
    return parts


def _hold_norm(
    trace: Trace, norm_id: str, source: str, row: int, parts: dict[tuple[int | None, str], Array]
) -> None:
    """Replace every part by its share of the normalised row; β goes to the constant."""
    norm = trace.document.norm(norm_id)
    whole = normalise_rows(trace[source][row : row + 1], kind=norm.kind, eps=norm.eps)
    root = float(whole.root[0, 0])
    for key, part in parts.items():
        mean = part.mean() if norm.kind == "layer" else 0.0
        scaled = (part - mean) / root if root else np.zeros_like(part)
        parts[key] = scaled if norm.gamma is None else scaled * norm.gamma
    if norm.beta is not None:
        parts[None, "constant"] = parts[None, "constant"] + norm.beta


def contributions(trace: Trace, row: int, word: int) -> tuple[Contribution, ...]:
    """Split the logit of a word after a token into what each part adds; they sum to the logit.

    The constant is left out if the stack has neither a β nor a b_U that adds to this word.
    """
    output = trace.document.output
    assert output is not None
    column = output.W_U[:, word]
    bias = 0.0 if output.b_U is None else float(output.b_U[word])
    found = []
    for (layer, part), vector in parts_of_row(trace, row).items():
        value = float(vector @ column) + (bias if part == "constant" else 0.0)
        if part != "constant" or value:
            found.append(Contribution(layer, part, value))
    order = {"constant": 1}
    return tuple(sorted(found, key=lambda one: order.get(one.part, 0)))


# How alike the rows become


def likeness(rows: Array) -> float:
    """Return the mean cosine of two rows, each less its own mean.  # (n, d), n ≥ 2

    A row of equal numbers has no direction; its cosines count as 0.
    """
    scale = float(np.abs(rows).max())
    centred = rows / scale if scale else rows
    centred = centred - centred.mean(axis=1, keepdims=True)
    centred[np.abs(centred).max(axis=1) < ROUNDING] = 0.0
    n = len(rows)
    cosines = [cosine(centred[i], centred[j]) for i in range(n) for j in range(i)]
    return float(np.mean(cosines))
