"""Tokens as rows or as columns: pairs turn about, matrices are transposed, and twice is the document again."""

from __future__ import annotations

import numpy as np
import pytest

from core.base.arrays import frozen
from core.base.cell import Cell
from core.document.orientation import COLUMNS, ROWS, Orientation


def test_rows_leave_everything_as_it_is() -> None:
    matrix = frozen([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert ROWS.matrix(matrix) is matrix
    assert ROWS.pair("query", "key") == ("query", "key")
    assert ROWS.cell(Cell("Q", 1, 2, 3)) == Cell("Q", 1, 2, 3)


def test_columns_transpose_each_head_and_stand_vectors_up() -> None:
    heads = frozen(np.arange(24.0).reshape(2, 3, 4))
    seen = COLUMNS.matrix(heads)
    assert seen.shape == (2, 4, 3)
    assert all(
        seen[h, j, i] == heads[h, i, j] for h in range(2) for i in range(3) for j in range(4)
    )
    assert COLUMNS.matrix(frozen([1.0, 2.0, 3.0])).tolist() == [[1.0], [2.0], [3.0]]
    assert ROWS.matrix(frozen([1.0, 2.0, 3.0])).tolist() == [[1.0, 2.0, 3.0]]


@pytest.mark.parametrize("orientation", [ROWS, COLUMNS])
def test_what_is_seen_turned_is_the_documents(orientation: Orientation) -> None:
    matrix = frozen(np.arange(12.0).reshape(3, 4))
    assert np.array_equal(orientation.matrix(orientation.matrix(matrix)), matrix)
    assert orientation.pair(*orientation.pair(5, 6)) == (5, 6)
    cell = Cell("scores", 1, 2, 1)
    assert orientation.cell(orientation.cell(cell)) == cell
    assert np.shares_memory(orientation.matrix(matrix), matrix)


def test_a_product_turned_is_the_product_of_the_turned_factors_in_the_other_order() -> None:
    rng = np.random.default_rng(4)
    x, w = rng.normal(size=(5, 6)), rng.normal(size=(6, 2))
    for orientation in (ROWS, COLUMNS):
        first, second = orientation.pair(orientation.matrix(x), orientation.matrix(w))
        assert np.allclose(first @ second, orientation.matrix(x @ w))
