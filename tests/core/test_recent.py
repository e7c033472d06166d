"""What is kept of read-only arrays: the very same for the very same, and nothing that can still change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from core.arithmetic import identity_cache as recent
from core.arithmetic.identity_cache import IdentityCache
from core.arithmetic.stable_sum import products
from core.base.arrays import Array, frozen


def side_by_side(sources: Sequence[Array]) -> Array:
    return np.concatenate(sources, axis=1)


def pair(seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [frozen(rng.normal(size=(3, 2))), frozen(rng.normal(size=(3, 4)))]


def test_the_very_same_sources_give_the_very_same_array() -> None:
    kept, sources = IdentityCache(2), pair(1)
    made = kept.get(sources, side_by_side)
    assert kept.get(tuple(sources), side_by_side) is made
    alike = [frozen(np.array(source)) for source in sources]
    assert kept.get(alike, side_by_side) is not made
    assert kept.get(sources[::-1], side_by_side).tolist() == side_by_side(sources[::-1]).tolist()


def test_only_the_last_few_are_kept() -> None:
    kept, first = IdentityCache(2), pair(1)
    made = kept.get(first, side_by_side)
    kept.get(pair(2), side_by_side)
    assert kept.get(first, side_by_side) is made
    kept.get(pair(3), side_by_side)
    assert kept.get(first, side_by_side) is not made


def test_what_somebody_can_write_to_is_made_anew() -> None:
    kept, sources = IdentityCache(2), [np.ones((3, 2)), np.ones((3, 4))]
    kept.get(sources, side_by_side)
    sources[1][2, 3] = 5.0
    assert kept.get(sources, side_by_side)[2, 5] == 5.0
    view = sources[0][:]
    view.flags.writeable = False  # still follows the writable array below it
    kept.get([view, view], side_by_side)
    sources[0][0, 0] = 7.0
    assert kept.get([view, view], side_by_side)[0, 0] == 7.0


def test_large_ones_are_made_anew() -> None:
    half = recent.MOST_ENTRIES // 4
    kept, sources = IdentityCache(2), [frozen(np.ones((2, half))), frozen(np.ones((2, half + 1)))]
    assert kept.get(sources, side_by_side) is not kept.get(sources, side_by_side)


def test_projections_with_changed_weights_are_not_those_from_before() -> None:
    x, weights = np.random.default_rng(4).normal(size=(5, 3)), pair(5)[:1] * 2
    before = products(x, weights)
    changed = np.array(weights[1])
    changed[2, 1] += 1.0
    after = products(x, [weights[0], frozen(changed)])
    assert (after[0] == before[0]).all()
    np.testing.assert_allclose(after[1][:, 1] - before[1][:, 1], x[:, 2], atol=1e-14)
