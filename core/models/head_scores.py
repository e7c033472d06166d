"""What a head does on a text, in numbers: the share of its weights that goes to certain places.

Each score is the mean over the tokens for which there is such a place, from 0 to 1; entropy is in
bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from core.base.arrays import Array, BoolArray

ENTROPY = "entropy"
ENDS = (*".!?。！？…", "[SEP]", "</s>", "<|endoftext|>", "<|im_end|>")
_SPACE = " Ġ▁"  # signs of a space before a word


def _at_distance(distance: int) -> Callable[[npt.NDArray[np.intp], BoolArray], BoolArray]:
    """The key that is this many places after the query."""
    return lambda ids, _: np.eye(len(ids), k=distance, dtype=np.bool_)


def _first(ids: npt.NDArray[np.intp], _: BoolArray) -> BoolArray:
    """The first key; the first query does not count."""
    targets = np.zeros((len(ids), len(ids)), dtype=np.bool_)
    targets[1:, 0] = True
    return targets


def _same_word(ids: npt.NDArray[np.intp], _: BoolArray) -> BoolArray:
    """The same token elsewhere."""
    alike: BoolArray = np.asarray(ids[:, None] == ids[None, :])
    np.fill_diagonal(alike, False)
    return alike


def _after_same(ids: npt.NDArray[np.intp], _: BoolArray) -> BoolArray:
    """The token that followed an earlier one of the same kind."""
    targets = np.zeros((len(ids), len(ids)), dtype=np.bool_)
    targets[:, 1:] = np.tril(_same_word(ids, _))[:, :-1]
    return targets


def _sentence_end(ids: npt.NDArray[np.intp], ends: BoolArray) -> BoolArray:
    """The signs that end a sentence."""
    return np.broadcast_to(ends, (len(ids), len(ids)))


# By name: which keys count for each query.  # (n,), (n,) -> (n, n)
PLACES: Mapping[str, Callable[[npt.NDArray[np.intp], BoolArray], BoolArray]] = {
    "previous": _at_distance(-1),
    "first": _first,
    "itself": _at_distance(0),
    "same_word": _same_word,
    "after_same": _after_same,
    "next": _at_distance(1),
    "sentence_end": _sentence_end,
}
SCORES = (*PLACES, ENTROPY)


def head_scores(
    weights: Array, ids: Sequence[int], tokens: Sequence[str], *, causal: bool
) -> dict[str, Array]:
    """Every score of each head of a layer; 0 where the text has no such place.

    # (h, n, n) -> (h,) each
    """
    kinds, n = np.array(ids, dtype=np.intp), len(ids)
    ends = np.array([token.lstrip(_SPACE) in ENDS for token in tokens], dtype=np.bool_)
    visible = np.tri(n, dtype=np.bool_) if causal else np.ones((n, n), dtype=np.bool_)
    scores = {name: _share(weights, place(kinds, ends) & visible) for name, place in PLACES.items()}
    logs = np.log2(weights, out=np.zeros_like(weights), where=weights > 0)
    return {**scores, ENTROPY: -(weights * logs).sum(axis=-1).mean(axis=-1)}


def _share(weights: Array, targets: BoolArray) -> Array:
    """The mean weight of all targets of a query, over the queries that have some.  # -> (h,)"""
    asked = targets.any(axis=1)
    if not asked.any():
        return np.zeros(len(weights))
    shares: Array = np.where(targets, weights, 0.0).sum(axis=-1)[:, asked].mean(axis=-1)
    return shares
