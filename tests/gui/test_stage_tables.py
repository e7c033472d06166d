"""What is added to the scores, as the stage shows it: tables that take no more memory than they must."""

from __future__ import annotations

import numpy as np
import pytest

from core.document.edits import allowed
from gui.views.stage.operation_builder import _distances, _mask_table
from tests.core.documents import make


@pytest.mark.parametrize("mask", ["causal", "window", "custom"])
@pytest.mark.parametrize("context", [0, 7])
def test_the_mask_as_numbers_is_what_each_pair_may(mask: str, context: int) -> None:
    document = make(5, mask=mask, context=context)
    table, allow = _mask_table(document), allowed(document)
    assert table.shape == (document.n, document.m)
    for i in range(document.n):
        for j in range(document.m):
            assert table[i, j] == (0.0 if allow[i, j] else -np.inf)


@pytest.mark.parametrize("mask", ["causal", "window"])
def test_the_table_of_a_mask_by_distance_is_a_view(mask: str) -> None:
    document = make(5, mask=mask, sizes={"n": 40, "d": 6, "h": 1, "k": 2, "v": 4})
    table = _mask_table(document)
    low, high = np.lib.array_utils.byte_bounds(table)
    assert high - low <= 2 * 40 * table.itemsize
    assert allowed(document) is allowed(
        make(6, mask=mask, sizes={"n": 40, "d": 4, "h": 1, "k": 2, "v": 4})
    )


def test_biases_are_slope_times_distance() -> None:
    table = _distances(3, 5, 0.25)
    assert table.tolist() == [[-0.25 * abs(i - j) for j in range(5)] for i in range(3)]
    assert np.isfinite(_distances(4, 4, 1.7e308)).all()
