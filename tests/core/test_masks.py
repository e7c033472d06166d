"""Masks against the plain rule, place by place."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic import attention as masks
from core.base.errors import UserError

reach = st.none() | st.integers(0, 9)


def test_causal_by_hand() -> None:
    assert masks.causal_mask(3, 4).tolist() == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
    ]


def test_causal_of_the_last_queries_is_the_end_of_the_whole() -> None:
    assert masks.causal_mask(2, 7, query_offset=5).tolist() == masks.causal_mask(7, 7)[5:].tolist()


@given(st.integers(0, 7), st.integers(0, 6), reach, reach, st.integers(-3, 9))
def test_window_is_the_rule(
    n_q: int, n_k: int, left: int | None, right: int | None, offset: int
) -> None:
    allow = masks.window_mask(n_q, n_k, left, right, offset)
    assert allow.shape == (n_q, n_k)
    assert allow.dtype == np.bool_
    for i in range(n_q):
        for j in range(n_k):
            back, ahead = i + offset - j, j - i - offset
            assert allow[i, j] == (
                (left is None or back <= left) and (right is None or ahead <= right)
            )


@given(st.integers(1, 7), st.integers(1, 6), st.integers(-3, 9))
def test_causal_is_a_window_without_a_future(n_q: int, n_k: int, offset: int) -> None:
    assert (
        masks.causal_mask(n_q, n_k, offset).tolist()
        == masks.window_mask(n_q, n_k, None, 0, offset).tolist()
    )


@pytest.mark.parametrize(("left", "right", "side"), [(-1, 0, "left"), (None, -2, "right")])
def test_a_negative_reach_is_refused(left: int | None, right: int | None, side: str) -> None:
    with pytest.raises(UserError) as caught:
        masks.window_mask(3, 3, left, right)
    assert caught.value.code == "window.negative"
    assert caught.value.data["side"] == side


def test_masks_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        masks.causal_mask(2, 2)[0, 1] = True


def test_a_matrix_by_distance_is_as_small_as_its_distances() -> None:
    values = np.arange(7.0)
    matrix = masks.by_distance(values, 4)
    assert matrix.tolist() == [[values[j - i + 3] for j in range(4)] for i in range(4)]
    wide = masks.by_distance(values, 5)
    assert wide.tolist() == [[values[j - i + 2] for j in range(5)] for i in range(3)]
    assert np.shares_memory(wide, values)
    with pytest.raises(ValueError, match="read-only"):
        wide[0, 0] = 1.0
