"""Sums of products that do not depend on where a row stands, nor on the memory layout, and that never overflow.

Swapping two tokens of a model without positions must swap two rows of the result and change nothing else, to the last
bit. A matrix product from a fast library does not promise that: it may round the last row of a block differently from
the first. So products of a size that people look at are added term by term in a fixed order; only large ones go to the
library.
"""

from collections.abc import Sequence

import numpy as np

from core.arrays import Array

LARGEST = float(np.finfo(np.float64).max)
SMALL_PRODUCT = 1 << 16  # multiplications a matrix pair, up to which a product is added term by term
SMALL_ROW = 64  # entries up to which a row is sorted before it is added up

_RESCUE = 520  # a product of two doubles, each divided by 2^520, stays below 2^984: room for any number of terms


def product(A: Array, B: Array, *, order_free: bool = False) -> Array:
    """The matrix product, axes before the last two broadcast.  # (…, n, k), (…, k, m) -> (…, n, m)

    With `order_free` the result does not depend on the order of the k terms either (the terms are sorted, then added).
    Never NaN and never a warning: a sum beyond the largest double becomes ± that double. A and B must be finite.
    """
    with np.errstate(all="ignore"):
        result = _product(A, B, order_free)
        finite = np.isfinite(result)  # a partial sum that overflows stays ±∞ or becomes NaN, so the result tells
        if not finite.all():
            rescued = np.ldexp(_product(np.ldexp(A, -_RESCUE), np.ldexp(B, -_RESCUE), order_free), 2 * _RESCUE)
            np.copyto(result, saturate(rescued), where=~finite)
    return result


def products(A: Array, factors: Sequence[Array]) -> Array:
    """The product of one matrix with each of several, as one.  # (n, k), h × (k, m) -> (h, n, m)

    Of large matrices one product with all of them side by side, which a fast library does in less than half the time.
    """
    n, k = A.shape
    h, m = len(factors), factors[0].shape[1]
    if h == 1 or n * k * m <= SMALL_PRODUCT:
        return product(A, np.stack(factors))
    side_by_side = product(A, np.concatenate(factors, axis=1))
    return np.ascontiguousarray(side_by_side.reshape(n, h, m).swapaxes(0, 1))


def row_sum(rows: Array) -> Array:
    """The sum of each row, independent of the order within it up to SMALL_ROW entries.  # (…, m) -> (…, 1)"""
    rows = np.ascontiguousarray(rows)  # NumPy adds in another order where a row's entries do not lie side by side
    if rows.shape[-1] <= SMALL_ROW:
        rows = np.sort(rows, axis=-1)
    with np.errstate(all="ignore"):
        return saturate(rows.sum(axis=-1, keepdims=True))


def saturate(array: Array) -> Array:
    """`array` itself, with what lies beyond the largest double brought back to it, in place."""
    return np.clip(array, -LARGEST, LARGEST, out=array)


def _product(A: Array, B: Array, order_free: bool) -> Array:
    n, k, m = A.shape[-2], A.shape[-1], B.shape[-1]
    if n * k * m > SMALL_PRODUCT:
        return np.asarray(np.matmul(A, B))
    if order_free:
        # (…, n, m, k); C order as in row_sum
        terms = np.multiply(A[..., :, None, :], B.swapaxes(-1, -2)[..., None, :, :], order="C")
        terms.sort(axis=-1)
        return np.asarray(terms.sum(axis=-1) + 0.0)  # + 0.0: a sum of negative zeros is a plain zero
    if _EINSUM_ADDS_PLAINLY and m > 1:  # with m = 1 it would add in another order
        return np.asarray(np.einsum("...nk,...km->...nm", A, np.ascontiguousarray(B)))
    result = np.zeros((*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), n, m))
    for term in range(k):
        result += A[..., :, term, None] * B[..., None, term, :]
    return result


def _adds_plainly() -> bool:
    """Whether einsum rounds each product before it adds it, as the loop does; some processors do both in one go."""
    a = np.array([[1.0 + 2.0**-30, 1.0]])
    square = a[0, 0] * a[0, 0]
    b = np.ascontiguousarray(np.repeat([[a[0, 0]], [-square]], 11, axis=1))  # vectors of any length, and what is left
    return not np.einsum("nk,km->nm", a, b).any()


# Term by term in the same order as the loop, several times faster where terms are many and matrices small.
_EINSUM_ADDS_PLAINLY = _adds_plainly()
