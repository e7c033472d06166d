"""Where each head of a layer looks, on average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.base.arrays import Array

SCORES = ("previous", "first", "itself", "same", "next", "end", "entropy")


def head_scores(weights: Array, pieces: Sequence[str]) -> dict[str, Array]:
    """The mean weight on a place, over the tokens that have one.  # (h, n, n) -> (h,) each"""
    n = len(pieces)
    rows = np.arange(n)
    same = np.array(
        [[a == b and i != j for j, b in enumerate(pieces)] for i, a in enumerate(pieces)]
    )
    found = {
        "previous": weights[:, rows[1:], rows[:-1]].mean(1) if n > 1 else _none(weights),
        "first": weights[:, 1:, 0].mean(1) if n > 1 else _none(weights),
        "itself": weights[:, rows, rows].mean(1),
        "same": (weights * same).sum(2)[:, same.any(1)].mean(1) if same.any() else _none(weights),
        "next": weights[:, rows[:-1], rows[1:]].mean(1) if n > 1 else _none(weights),
        "end": weights[:, :-1, -1].mean(1) if n > 1 else _none(weights),
    }
    logs = np.log(np.where(weights > 0, weights, 1.0))
    found["entropy"] = -(weights * logs).sum(2).mean(1)
    return found


def _none(weights: Array) -> Array:
    return np.full(len(weights), np.nan)
