"""Sums of products that depend neither on the place of a row nor on the memory layout.

They never overflow.

Swapping two tokens of a model without positions must swap two rows of the result and change nothing
else, to the last bit. A matrix product from a fast library does not promise that: it may round the
last row of a block differently from the first. So products of a size that people work out are added
term by term in a fixed order; only large ones go to it.
"""

from collections.abc import Sequence

import numpy as np

from core.base.arrays import Array

LARGEST = float(np.finfo(np.float64).max)
SMALL_PRODUCT = (
    1 << 16
)  # multiplications of a matrix pair up to which sums are added in a fixed order
SMALL_ROW = 64  # entries up to which a row is sorted before it is added up

_RESCUE = 520  # doubles divided by 2^520 have products below 2^984: any number of them can be added


def product(A: Array, B: Array, *, order_free: bool = False) -> Array:
    """Multiply matrices; axes before the last two broadcast.  # (…, n, k), (…, k, m) -> (…, n, m)

    With `order_free` the result does not depend on the order of the k terms either: they are put
    into an order of their own before they are added. Never NaN and never a warning: a sum beyond
    the largest double becomes ± that double. A and B must be finite.
    """
    return _product(A, B, order_free, _is_small(A, B))


def products(A: Array, factors: Sequence[Array]) -> Array:
    """Multiply one matrix by several in one product.  # (n, k), h × (k, m) -> (h, n, m)

    It is one product with all of them side by side, which takes less than half the time.
    """
    small = _is_small(A, factors[0])
    if len(factors) == 1:
        return _product(A, factors[0][None], False, small)
    side_by_side = _product(A, np.concatenate(factors, axis=1), False, small)
    return np.ascontiguousarray(side_by_side.reshape(len(A), len(factors), -1).swapaxes(0, 1))


@np.errstate(all="ignore")
def row_sum(rows: Array) -> Array:
    """The sum of each row, independent of the order within it up to SMALL_ROW entries.

    # (…, m) -> (…, 1)
    """
    return saturate(bare_row_sum(rows))


def bare_row_sum(rows: Array) -> Array:
    """`row_sum` without saturation; the caller handles ±∞."""
    # In C order: NumPy adds in another one where a row's entries do not lie side by side.
    if rows.shape[-1] <= SMALL_ROW:
        rows = rows.copy(order="C")
        rows.sort(axis=-1)
    return np.asarray(np.add.reduce(np.ascontiguousarray(rows), axis=-1, keepdims=True))


def saturate(array: Array) -> Array:
    """Clip an array to the largest double, in place, and return it."""
    return np.maximum(np.minimum(array, LARGEST, out=array), -LARGEST, out=array)


def _is_small(A: Array, B: Array) -> bool:
    return bool(0 < A.shape[-2] * A.shape[-1] * B.shape[-1] <= SMALL_PRODUCT)


@np.errstate(all="ignore")
def _product(A: Array, B: Array, order_free: bool, small: bool) -> Array:
    multiply = np.matmul if not small else _order_free if order_free else _left_to_right
    result: Array = multiply(A, B)
    if not _surely_finite(A, B, result):
        finite = np.isfinite(
            result
        )  # a partial sum that overflows stays ±∞ or becomes NaN, so the result tells
        if not finite.all():
            rescued = np.ldexp(multiply(np.ldexp(A, -_RESCUE), np.ldexp(B, -_RESCUE)), 2 * _RESCUE)
            np.copyto(result, saturate(rescued), where=~finite)
    return result


def _surely_finite(A: Array, B: Array, result: Array) -> bool:
    """Whether no sum can have overflowed, by the squares of the smaller of factors and result.

    No sum of products is larger than the two factors' norms multiplied (Cauchy and Schwarz).
    """
    if result.size <= A.size + B.size:
        return bool(_square(result) < LARGEST)
    return bool(_square(A) * _square(B) < LARGEST)


def _square(array: Array) -> float:
    """The sum of all squares."""
    array = (
        array if array.flags.c_contiguous else array.swapaxes(-1, -2)
    )  # whichever can be read without a copy
    return float(np.vdot(array, array))


def _left_to_right(A: Array, B: Array) -> Array:
    """Each sum from its first term to its last, every product rounded before it is added."""
    n, k, m = A.shape[-2], A.shape[-1], B.shape[-1]
    if not _EINSUM_ADDS_PLAINLY or n == m == 1:  # a single number it would add in another order
        result = np.zeros((*np.broadcast_shapes(A.shape[:-2], B.shape[:-2]), n, m))
        for term in range(k):
            result += A[..., :, term, None] * B[..., None, term, :]
        return result
    if n <= m:
        return np.asarray(np.einsum("...nk,...km->...nm", A, np.ascontiguousarray(B)))
    # Turned round, which changes no product: its innermost loop runs along the longer side.
    A, B = np.ascontiguousarray(A.swapaxes(-1, -2)), np.ascontiguousarray(B.swapaxes(-1, -2))
    return np.ascontiguousarray(np.einsum("...mk,...kn->...mn", B, A).swapaxes(-1, -2))


def _order_free(A: Array, B: Array) -> Array:
    """Order the terms independently of their places: by B's first column, if no two are equal.

    Whether that is so is told for each matrix by B alone, so that a row's sum does not depend on
    the other rows of A.
    """
    if A.shape[:-2] != B.shape[:-2]:
        lead = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
        A, B = (
            np.broadcast_to(A, (*lead, *A.shape[-2:])),
            np.broadcast_to(B, (*lead, *B.shape[-2:])),
        )
    a, b = A.reshape(-1, *A.shape[-2:]), B.reshape(-1, *B.shape[-2:])
    order, matrix = b[:, :, 0].argsort(axis=-1), np.arange(len(b))[:, None]
    ordered = b[matrix, order]
    result = _left_to_right(a.swapaxes(-1, -2)[matrix, order].swapaxes(-1, -2), ordered)
    alike = ordered[:, 1:, 0] == ordered[:, :-1, 0]
    if np.count_nonzero(alike):
        here = alike.any(axis=-1)
        result[here] = _sorted_terms(a[here], b[here])
    return result.reshape(*A.shape[:-1], B.shape[-1])


def _sorted_terms(A: Array, B: Array) -> Array:
    """Add the terms of each sum in the order of their size."""
    # (…, n, m, k); C order as in row_sum
    terms = np.multiply(A[..., :, None, :], B.swapaxes(-1, -2)[..., None, :, :], order="C")
    terms.sort(axis=-1)
    return np.asarray(
        np.add.reduce(terms, axis=-1) + 0.0
    )  # + 0.0: a sum of negative zeros is a plain zero


def _adds_plainly() -> bool:
    """Whether einsum rounds each product before adding it, as the loop does; with FMA it does not."""
    a = np.array([[1.0 + 2.0**-30, 1.0]])
    square = a[0, 0] * a[0, 0]
    b = np.ascontiguousarray(
        np.repeat([[a[0, 0]], [-square]], 11, axis=1)
    )  # vectors of any length, and what is left
    return not np.einsum("nk,km->nm", a, b).any()


# Term by term in the same order as the loop, several times faster where terms are many and matrices
# small.
_EINSUM_ADDS_PLAINLY = _adds_plainly()
