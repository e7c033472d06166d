"""Why scores are divided by √d_k.

The entries of q and k are drawn from N(0, 1). Then q·k = Σ q_t k_t has mean 0 and variance d_k
(Vaswani et al. 2017, §3.2.1, footnote 4): scores grow as √d_k, and more and more rows saturate: one
weight near 1, and a gradient by q near 0. The other rows do learn: while a row is not saturated,
its gradient by q is larger without the factor 1/√d_k.

Every d_k uses the first d_k entries of the same vectors, so the slider changes nothing but d_k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.arithmetic import attention
from core.base.arrays import Array, frozen, sealed
from core.document.document import Context, Document, Head, Scale
from core.labs.controls import ChoiceControl, Control, Seed, Slider
from core.labs.lab import Lab, Setting
from core.labs.sharpness import entropy

WIDEST = 1024  # largest d_k
SIZES = tuple(2**power for power in range(11))  # the d_k of the curves
SAMPLES = ("250", "500", "1000", "2000")
CURVES = ("gradient", "largest", "entropy")
DIVISORS = ("root", "d_k")
FLAT = 0.01  # ‖∂α/∂q‖ below which a row hardly lets q learn
MOST_KEYS = 64
REACH = 4.0  # half-width of a histogram in standard deviations
BINS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Density of a sample in bins: edges (b + 1,), heights (b,); area 1 with the values outside."""

    edges: Array
    heights: Array


@dataclass(frozen=True, slots=True, eq=False)
class DotProducts:
    """r rows of n dot products, raw and divided by √d_k or d_k; every pair is in this order.

    `sigmas` are the measured standard deviations about the mean 0. `row` (2, n) are the weights of
    the first row. `measures` hold the share of rows with ‖∂α/∂q‖ (Frobenius) below FLAT,
    "gradient", and the means over the rows of the largest weight and of the entropy (nats),
    "largest" and "entropy", each (2,); `curves` the same at every d_k of SIZES, (2, 11).
    """

    d_k: int
    keys: int
    divisor: float
    products: Array
    sigmas: tuple[float, float]
    histograms: tuple[Histogram, Histogram]
    row: Array
    measures: dict[str, Array]
    curves: dict[str, Array]

    @property
    def spread(self) -> float:
        """Return √d_k, the theoretical standard deviation."""
        return math.sqrt(self.d_k)

    @property
    def flat_rows(self) -> tuple[int, int]:
        """Return how many rows have a gradient by q below FLAT."""
        raw, scaled = (
            round(float(share) * len(self.products)) for share in self.measures["gradient"]
        )
        return raw, scaled


def vectors(seed: int, samples: int, keys: int) -> tuple[Array, Array]:
    """Draw queries q (r, WIDEST) and keys k (r, keys, WIDEST) from N(0, 1); read-only.

    r = samples // keys rows.
    """
    rows = samples // keys
    q, k = _drawn(seed, 0, rows), _drawn(seed, 1, samples)
    return q, k[: rows * keys].reshape(rows, keys, WIDEST)


@lru_cache(maxsize=4)
def _drawn(seed: int, stream: int, rows: int) -> Array:
    """Draw vectors from N(0, 1); the first rows do not depend on their number.  # -> (rows, WIDEST)"""
    return sealed(np.random.default_rng([seed, stream]).standard_normal((rows, WIDEST)))


def dot_products(seed: int, samples: int, keys: int, d_k: int) -> Array:
    """Compute q·k of each row's query and keys over the first d_k entries.  # -> (r, keys)"""
    q, k = vectors(seed, samples, keys)
    return frozen(np.einsum("rt,rmt->rm", q[:, :d_k], k[:, :, :d_k]))


def weights_of(scores: Array) -> Array:
    """Compute the softmax of each row.  # (…, m) -> (…, m)"""
    return attention.normalise(attention.exponentials(scores))


def divisor_of(divisor: str, d_k: int) -> float:
    """Return √d_k or d_k."""
    return float(d_k) if divisor == "d_k" else math.sqrt(d_k)


def query_gradient_norm(weights: Array, keys: Array, divisor: float) -> Array:
    """Compute the Frobenius norm of ∂α/∂q of each row.  # (r, m), (r, m, k) -> (r,)

    α = softmax(q Kᵀ / divisor), so that ∂α_i/∂q = α_i (k_i − Σ_j α_j k_j) / divisor.
    """
    means = np.einsum("rm,rmt->rt", weights, keys)
    squares = ((keys - means[:, None]) ** 2).sum(axis=-1)
    return np.asarray(np.sqrt((weights**2 * squares).sum(axis=-1)) / divisor)


def measures_of(drawn: tuple[int, int, int], d_k: int, divisor: str) -> dict[str, Array]:
    """Measure the rows of a seed, sample size and number of keys, raw and divided.

    # -> three of (2,)
    """
    products, keys = dot_products(*drawn, d_k), vectors(*drawn)[1][:, :, :d_k]
    divisors = (1.0, divisor_of(divisor, d_k))
    weights = [weights_of(products / by) for by in divisors]
    norms = [query_gradient_norm(row, keys, by) for row, by in zip(weights, divisors, strict=True)]
    return {
        "gradient": frozen([float((norm < FLAT).mean()) for norm in norms]),
        "largest": frozen([float(row.max(axis=-1).mean()) for row in weights]),
        "entropy": frozen([float(entropy(row).mean()) for row in weights]),
    }


@lru_cache(maxsize=8)
def curves_of(drawn: tuple[int, int, int], divisor: str) -> dict[str, Array]:
    """Compute the measures at every d_k of SIZES.  # -> three of (2, 11)"""
    points = [measures_of(drawn, d_k, divisor) for d_k in SIZES]
    return {name: frozen(np.stack([point[name] for point in points], axis=1)) for name in CURVES}


def histogram(values: Array, sigma: float) -> Histogram:
    """Compute the density of values within REACH theoretical standard deviations."""
    edges = np.linspace(-REACH * sigma, REACH * sigma, BINS + 1)
    counts, _ = np.histogram(values, edges)
    return Histogram(frozen(edges), frozen(counts / (values.size * (edges[1] - edges[0]))))


def normal(x: Array, sigma: float) -> Array:
    """Compute the density of N(0, σ²).  # (p,) -> (p,)"""
    return np.asarray(np.exp(-0.5 * (x / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi)))


class SqrtDkLab(Lab):
    """Controls: vector size, keys per row, sample size, and seed."""

    id = "sqrt-dk"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Return d_k first, the main control."""
        return (
            Slider("d_k", 1, WIDEST, 64, step=1, log=True, whole=True),
            Slider("keys", 2, MOST_KEYS, 8, step=1, whole=True),
            ChoiceControl("divisor", DIVISORS, "root"),
            ChoiceControl("curve", CURVES, "gradient"),
            ChoiceControl("samples", SAMPLES, "1000"),
            Seed(),
        )

    def compute(self, setting: Setting) -> DotProducts:
        """Compute the sample, its histograms, the first row's weights, and the means over all rows."""
        d_k, keys = int(setting["d_k"]), int(setting["keys"])
        drawn = (int(setting["seed"]), int(setting["samples"]), keys)
        products, divisor = dot_products(*drawn, d_k), divisor_of(setting["divisor"], d_k)
        scaled = products / divisor
        return DotProducts(
            d_k=d_k,
            keys=keys,
            divisor=divisor,
            products=products,
            sigmas=(_sigma(products), _sigma(scaled)),
            histograms=(
                histogram(products, math.sqrt(d_k)),
                histogram(scaled, math.sqrt(d_k) / divisor),
            ),
            row=frozen(weights_of(np.stack([products[0], scaled[0]]))),
            measures=measures_of(drawn, d_k, setting["divisor"]),
            curves=curves_of(drawn, setting["divisor"]),
        )

    def document(self, setting: Setting) -> Document:
        """Build the first row: one query, its keys, V = I, so that Y = A.

        The scaling can be switched off.
        """
        keys, d_k = int(setting["keys"]), int(setting["d_k"])
        q, k = vectors(int(setting["seed"]), int(setting["samples"]), keys)
        head = Head(Q=frozen(q[:1, :d_k]), K=frozen(k[0, :, :d_k]), V=frozen(np.eye(keys)))
        names = tuple(f"k{number}" for number in range(1, keys + 1))
        scale = Scale("factor", 1.0 / d_k) if setting["divisor"] == "d_k" else Scale()
        return Document(
            ("q",), (head,), title="√d_k", source="qkv", context=Context(names), scale=scale
        )


def _sigma(values: Array) -> float:
    return math.sqrt(float((values**2).mean()))


LAB = SqrtDkLab()
