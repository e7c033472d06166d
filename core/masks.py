"""Who may attend to whom: True = the query (row) may look at the key (column).

Query i stands at position i + query_offset among the keys: the last few queries of a longer text can be asked alone.
"""

import numpy as np

from core.arrays import BoolArray, frozen_bool
from core.problems import Problem


def causal(n_q: int, n_k: int, query_offset: int = 0) -> BoolArray:
    """A query sees itself and what came before.  # -> (n_q, n_k)"""
    return window(n_q, n_k, None, 0, query_offset)


def window(n_q: int, n_k: int, left: int | None, right: int | None, query_offset: int = 0) -> BoolArray:
    """A query sees `left` keys before its own position and `right` after it; None is without limit.  # -> (n_q, n_k)

    Raises Problem("window.negative", side, value).
    """
    for side, reach in (("left", left), ("right", right)):
        if reach is not None and reach < 0:
            raise Problem("window.negative", side=side, value=reach)
    query = np.arange(n_q)[:, None] + query_offset
    key = np.arange(n_k)[None, :]
    allow = np.ones((n_q, n_k), dtype=np.bool_)
    if left is not None:
        allow &= key >= query - left
    if right is not None:
        allow &= key <= query + right
    return frozen_bool(allow)
