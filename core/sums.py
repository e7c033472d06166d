"""Sums of products that do not depend on where a row stands, nor on the memory layout, and that never overflow.

Swapping two tokens of a model without positions must swap two rows of the result and change nothing else, to the last
bit. A matrix product from a fast library does not promise that: it may round the last row of a block differently from
the first. So products of a size that people look at are added term by term in a fixed order; only large ones go to the
library.
"""

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
        if _may_overflow(A, B):
            rescued = np.ldexp(_product(np.ldexp(A, -_RESCUE), np.ldexp(B, -_RESCUE), order_free), 2 * _RESCUE)
            np.copyto(result, saturate(rescued), where=~np.isfinite(result))
    return result


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
    result = np.zeros((*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), n, m))
    for term in range(k):
        result += A[..., :, term, None] * B[..., None, term, :]
    return result


def _may_overflow(A: Array, B: Array) -> bool:
    """Whether any partial sum can leave the doubles; errs on the safe side."""
    largest_term = float(np.abs(A).max(initial=0.0)) * float(np.abs(B).max(initial=0.0))
    return bool(A.shape[-1] * largest_term > LARGEST / 2)
