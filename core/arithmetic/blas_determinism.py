"""Whether the fast library multiplies matrices of a size evenly: each sum rounded alike, wherever it stands.

No library promises it, and for many sizes it is not so: sums beside whole blocks may be added in another order. So it
is tried, once for each size, with rows that are all alike and columns that are all alike: sums that differ tell.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from core.base.arrays import Array

FEWEST = 6  # terms of a sum, of which two orders agree in about every other sum
TRIES = 16  # so that they do in all tries by chance once in 65,536, and of more terms hardly ever


@lru_cache(maxsize=256)
def multiplies_evenly(n: int, k: int, m: int) -> bool:
    """Whether `np.matmul` does so with matrices in C order.  # (…, n, k), (…, k, m)"""
    return k >= FEWEST and is_even(np.matmul, n, k, m)


def is_even(multiply: Callable[[Array, Array], Array], n: int, k: int, m: int) -> bool:
    """Whether all sums come out alike where all are of the same terms; those of −0 alone are to come out as 0."""
    random = np.random.default_rng(k)
    for shift in range(TRIES):
        row, column = random.standard_normal((2, k))
        rows, columns = np.tile(row, (n, 1)), np.tile(column[:, None], (1, m))
        sums = multiply(_shifted(rows, shift % 4), _shifted(columns, shift // 4))
        if not (sums == sums[0, 0]).all():
            return False
    return not np.signbit(multiply(np.zeros((n, k)), np.full((k, m), -1.0))).any()


def _shifted(matrix: Array, doubles: int) -> Array:
    """The same numbers elsewhere in memory, up to three doubles on: a library could add apart what lies askew."""
    memory = np.empty(matrix.size + 3)
    result = memory[doubles:][: matrix.size].reshape(matrix.shape)
    result[...] = matrix
    return result
