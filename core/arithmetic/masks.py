"""Who may attend to whom: True = the query (row) may look at the key (column).

Query i stands at position i + query_offset among the keys: the last few queries of a longer text can be asked alone.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from core.base.arrays import BoolArray, frozen_bool
from core.base.errors import UserError

Number = TypeVar("Number", bound=np.generic)


def causal(n_q: int, n_k: int, query_offset: int = 0) -> BoolArray:
    """A query sees itself and what came before.  # -> (n_q, n_k)"""
    return window(n_q, n_k, None, 0, query_offset)


def window(
    n_q: int, n_k: int, left: int | None, right: int | None, query_offset: int = 0
) -> BoolArray:
    """A query sees `left` keys before its own position and `right` after it; None is without limit.  # -> (n_q, n_k)

    Raises UserError("window.negative", side, value).
    """
    for side, reach in (("left", left), ("right", right)):
        if reach is not None and reach < 0:
            raise UserError("window.negative", side=side, value=reach)
    distance = np.arange(1 - n_q, n_k) - query_offset
    allow = np.ones(distance.shape, dtype=np.bool_)
    if left is not None:
        allow &= distance >= -left
    if right is not None:
        allow &= distance <= right
    return frozen_bool(by_distance(allow, n_k) if n_q else np.ones((0, n_k), dtype=np.bool_))


def by_distance(values: npt.NDArray[Number], n_k: int) -> npt.NDArray[Number]:
    """A matrix whose numbers depend on key minus query alone: a view, as small as `values`, that cannot be written to.

    `values` begins with the last query and the first key.  # (n_q + n_k − 1,) -> (n_q, n_k)
    """
    return sliding_window_view(values, n_k)[::-1]
