"""LayerNorm (Ba, Kiros and Hinton 2016) and RMSNorm (Zhang and Sennrich 2019) of the rows of a matrix.

    μ = mean of the row (RMSNorm: 0)        σ² = mean of (x − μ)²        y = γ (x − μ) ÷ √(σ² + ε) + β

The variance is divided by the number of columns d. A row whose √(σ² + ε) is 0 becomes β.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.arithmetic.enclosure import Enclosure, inverse_root
from core.arithmetic.stable_sum import row_sum, saturate
from core.base.arrays import Array

LAYER, RMS = "layer", "rms"
NORM_KINDS = (LAYER, RMS)

_SAFE = 400  # squares of numbers below 2^400 can be added up


@dataclass(frozen=True, slots=True, eq=False)
class NormalisedRows:
    """The parts of a normalisation, row by row."""

    mean: Array  # (n, 1) μ; 0 for RMSNorm
    variance: Array  # (n, 1) σ², for RMSNorm the mean square
    root: Array  # (n, 1) √(σ² + ε)
    centred: Array  # (n, d) x − μ
    normalised: Array  # (n, d) (x − μ) ÷ √(σ² + ε)
    scaled: Array  # (n, d) γ × normalised + β


@np.errstate(all="ignore")
def normalise_rows(
    x: Array, gamma: Array | None = None, beta: Array | None = None, *, kind: str, eps: float
) -> NormalisedRows:
    """Normalise each row, and return every part of it.  # (n, d), (d,), (d,)

    A missing gamma is 1, a missing beta 0. Numbers beyond the largest double stay at that double.
    """
    # Large rows are divided by a power of two, which changes no digit.
    power = np.maximum(np.frexp(np.abs(x).max(axis=-1, keepdims=True))[1] - _SAFE, 0)
    d, small = x.shape[-1], np.ldexp(x, -power)
    mean = row_sum(small) / d if kind == LAYER else np.zeros(power.shape)
    centred = small - mean
    variance = row_sum(np.square(centred)) / d
    root = np.sqrt(variance + np.ldexp(eps, -2 * power))
    normalised = centred / np.where(root == 0.0, 1.0, root)
    np.copyto(normalised, 0.0, where=root == 0.0)
    scaled = np.array(normalised) if gamma is None else normalised * gamma
    if beta is not None:
        scaled += beta
    back = [np.ldexp(part, power) for part in (mean, root, centred)]
    mean, root, centred = map(saturate, back)
    return NormalisedRows(
        mean, saturate(np.ldexp(variance, 2 * power)), root, centred, normalised, saturate(scaled)
    )


@np.errstate(all="ignore")
def normalisation_gradient(
    rows: NormalisedRows, gradient: Array, gamma: Array | None, *, kind: str
) -> Array:
    """∂L/∂x from ∂L/∂y, both (n, d): (g − mean g − x̂ · mean(g x̂)) ÷ √(σ² + ε) with g = γ ∂L/∂y.

    RMSNorm has no mean g. Nothing goes back through a row whose root is 0.
    """
    g = gradient if gamma is None else gradient * gamma
    d, x = g.shape[-1], rows.normalised
    back = g - x * (row_sum(g * x) / d)
    if kind == LAYER:
        back -= row_sum(g) / d
    return np.where(rows.root == 0.0, 0.0, back / np.where(rows.root == 0.0, 1.0, rows.root))


def enclosed_normalisation(
    x: Enclosure,
    gamma: Enclosure | None,
    beta: Enclosure | None,
    *,
    kind: str,
    eps: float,
    noise: float,
) -> Enclosure:
    """The normalised rows of numbers that are known to within errors.  # (n, d), (1, d), (1, d)

    `noise` is the relative error of each operation.
    """
    d = x.center.shape[-1]
    centred = _less_mean(x) if kind == LAYER else x
    inverse = inverse_root(_mean(centred.squared()).plus(eps), least=eps)
    result = centred * inverse
    # No entry is larger than with all others equal (or, without a mean, 0).
    most = np.full(result.center.shape, np.sqrt(d - 1.0 if kind == LAYER else float(d)))
    result = result.clipped(-most, most)
    # What is rounded on the way to x − μ, then in the quotient.
    size = np.abs(x.center)
    off = noise * ((d + 2) * size.mean(axis=-1, keepdims=True) + size) if kind == LAYER else 0.0
    share = np.abs(result.center)
    moved = (off + share * np.mean(share * off, axis=-1, keepdims=True)) * inverse.center
    result = result.widened(moved + noise * (d + 8) * share)
    if gamma is not None:
        result = result * gamma
        result = result.widened(noise * np.abs(result.center))
    if beta is not None:
        result = result + beta
        result = result.widened(noise * np.abs(result.center))
    return result


def _mean(x: Enclosure) -> Enclosure:
    """The mean of each row.  # (n, d) -> (n, 1)"""
    arrays = (x.center, x.parts, x.rest)
    return Enclosure(*(array.mean(axis=-1, keepdims=True) for array in arrays))


def _less_mean(x: Enclosure) -> Enclosure:
    """Each number less the mean of its row, of which it is itself a part."""
    d, mean = x.center.shape[-1], _mean(x)
    rest = x.rest * (1 - 2 / d) + mean.rest  # |1 − 1/d| of its own, 1/d of each other
    return Enclosure(x.center - mean.center, x.parts - mean.parts, rest)
