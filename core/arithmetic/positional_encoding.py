"""Positional encodings.

Sinusoidal: Vaswani et al. 2017, §3.5. Rotary: Su et al. 2021. Attention with linear biases (ALiBi):
Press et al. 2022. Positions count from 0. Columns go in pairs (2p, 2p + 1) that share the frequency
base^(−2p / width).
"""

import numpy as np
import numpy.typing as npt

from core.arithmetic.stable_sum import saturate
from core.base.arrays import Array, frozen, sealed
from core.base.errors import UserError

BASE = 10000.0


def sinusoidal(n: int, d: int, base: float = BASE) -> Array:
    """sin in the even columns, cos in the odd ones; of an odd d the last pair has only its sin.
    # -> (n, d)

    Raises UserError("base", value) unless the base is a positive number, as the other functions
    with a base do.
    """
    angles = _angles(n, np.arange(d) // 2, d, base)
    table = np.empty((n, d))
    table[:, 0::2] = np.sin(angles[:, 0::2])
    table[:, 1::2] = np.cos(angles[:, 1::2])
    return sealed(table)


def rotary_angles(n: int, k: int, base: float = BASE) -> Array:
    """The angle of each whole pair of columns at each position, in radians.  # -> (n, k // 2)"""
    return sealed(_angles(n, np.arange(k // 2), k, base))


def rotate(A: Array, base: float = BASE, first: int = 0) -> Array:
    """Rotate each pair of columns of A by its row's angle; an odd last column is unchanged.
    `first` is the position of the first row.  # (…, n, k) -> (…, n, k)

    Lengths stay as they are, and the dot product of two turned rows depends only on the distance
    between them.
    """
    n, k = A.shape[-2:]
    angles = rotary_angles(first + n, k, base)[first:]
    cos, sin = np.cos(angles), np.sin(angles)
    even, odd = A[..., 0 : k - 1 : 2], A[..., 1::2]
    turned = np.array(A, dtype=np.float64, order="C")
    with np.errstate(all="ignore"):
        turned[..., 0 : k - 1 : 2] = even * cos - odd * sin
        turned[..., 1::2] = even * sin + odd * cos
    return sealed(saturate(turned))


def alibi_slopes(h: int) -> Array:
    """2^(−8i / h) for the heads i = 1 … h: the cost of a step of distance.  # -> (h,)"""
    return frozen([2.0 ** (-8.0 * head / h) for head in range(1, h + 1)])


def alibi_bias(n: int, slopes: Array, m: int | None = None) -> Array:
    """−slope · |i − j|, to be added to the scores of n queries and m keys (None: n).

    # (h,) -> (h, n, m)
    """
    slopes = np.asarray(slopes)[:, None, None]
    with np.errstate(all="ignore"):
        return sealed(alibi_lean(slopes, distances(n, n if m is None else m)))


def distances(n: int, m: int) -> Array:
    """The distance |i − j| of each query from each key.  # -> (n, m)"""
    query, key = np.arange(n, dtype=np.float64), np.arange(m, dtype=np.float64)
    return np.abs(query[:, None] - key[None, :])


def alibi_lean(slope: Array, distance: Array) -> Array:
    """−slope · distance, saturated; any shapes that broadcast (Press et al. 2022, §3)."""
    return saturate(0.0 - slope * distance)


def _angles(n: int, pair: npt.NDArray[np.int_], width: int, base: float) -> Array:
    """position · base^(−2·pair / width).  # (pairs,) -> (n, pairs)"""
    if not 0.0 < base < np.inf:
        raise UserError("base", value=base)
    with np.errstate(all="ignore"):
        frequency = saturate(np.power(base, -2.0 * pair / width))
        return saturate(np.arange(n, dtype=np.float64)[:, None] * frequency)
