"""How far a row of weights is from uniform, and how much gradient its softmax passes."""

from __future__ import annotations

import numpy as np

from core.base.arrays import Array


def entropy(weights: Array) -> Array:
    """Compute −Σ α ln α of each row in nats: 0 for one key, ln m for m equal weights.

    # (…, m) -> (…)
    """
    present = np.where(weights > 0.0, weights, 1.0)
    return np.asarray(np.maximum(-(present * np.log(present)).sum(axis=-1), 0.0) + 0.0)


def jacobian_norm(weights: Array) -> Array:
    """Compute the Frobenius norm of ∂α/∂z = diag(α) − ααᵀ of each row.  # (…, m) -> (…)

    α = softmax(z). ‖J‖² = Σ_i α_i² (Σ_{j≠i} α_j)² + Σ_i α_i² Σ_{j≠i} α_j². It vanishes for one-hot
    weights, so that no gradient reaches the scores (Vaswani et al. 2017, §3.2.1, footnote 4).
    """
    squares = weights**2
    return np.asarray(np.sqrt((squares * (_others(weights) ** 2 + _others(squares))).sum(axis=-1)))


def _others(rows: Array) -> Array:
    """Sum all other entries of each row directly: 1 − α would lose every digit for α close to 1."""
    before, after = np.zeros_like(rows), np.zeros_like(rows)
    before[..., 1:] = np.cumsum(rows[..., :-1], axis=-1)
    after[..., :-1] = np.cumsum(rows[..., :0:-1], axis=-1)[..., ::-1]
    return before + after
