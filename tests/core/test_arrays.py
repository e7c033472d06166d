"""Frozen arrays keep what they were given, and shape errors name what is wrong."""

from typing import Any

import numpy as np
import pytest

from core.base.arrays import frozen, frozen_bool, require_finite, require_shape, sealed
from core.base.errors import UserError


def raised(function: Any, *args: Any, **kwargs: Any) -> UserError:
    with pytest.raises(UserError) as caught:
        function(*args, **kwargs)
    return caught.value


def test_frozen_does_not_follow_a_writable_base() -> None:
    base = np.arange(6.0).reshape(2, 3)
    view = base[:]
    view.flags.writeable = False
    kept = frozen(view)
    base[0, 0] = 99.0
    assert view[0, 0] == 99.0
    assert kept[0, 0] == 0.0


def test_frozen_cannot_be_written() -> None:
    kept = frozen([[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="read-only"):
        kept[0, 0] = 5.0


def test_frozen_is_contiguous_float64() -> None:
    kept = frozen(np.arange(6, dtype=np.int32).reshape(2, 3).T)
    assert kept.dtype == np.float64
    assert kept.flags.c_contiguous
    assert kept.tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]


def test_frozen_once_is_enough() -> None:
    kept = frozen([1.5])
    assert frozen(kept) is kept
    assert frozen(kept[:]) is not kept


def test_frozen_swaps_foreign_byte_order() -> None:
    kept = frozen(np.array([1.0, 2.5], dtype=">f8"))
    assert kept.dtype.isnative
    assert kept.tolist() == [1.0, 2.5]


def test_frozen_takes_whole_numbers_beyond_64_bits() -> None:
    assert frozen([10**30, 1]).tolist() == [1e30, 1.0]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([[1.0, 2.0], [3.0]], "array.ragged"),
        (["1.0"], "array.not_numeric"),
        ([None, 1.0], "array.not_numeric"),
        ([1 + 2j], "array.not_numeric"),
        ([10**400, 1], "array.too_large"),
    ],
)
def test_frozen_refuses(value: Any, code: str) -> None:
    assert raised(frozen, value).code == code


def test_sealed_keeps_the_array_that_owns_its_memory() -> None:
    made = np.zeros((2, 3))
    assert sealed(made) is made
    assert not made.flags.writeable


def test_sealed_copies_a_view() -> None:
    base = np.zeros((2, 3))
    kept = sealed(base[1:])
    base[1, 0] = 7.0
    assert kept.tolist() == [[0.0, 0.0, 0.0]]


def test_frozen_bool() -> None:
    base = np.array([[True, False, True]])
    kept = frozen_bool(base)
    base[0, 0] = False
    assert kept.tolist() == [[True, False, True]]
    assert frozen_bool(kept) is kept
    assert not kept.flags.writeable


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ([0, 1], "array.not_bool"),
        ([[True], [True, False]], "array.ragged"),
        ("x", "array.not_bool"),
    ],
)
def test_frozen_bool_refuses(value: Any, code: str) -> None:
    assert raised(frozen_bool, value).code == code


def test_require_shape_names_the_axes_and_both_shapes() -> None:
    problem = raised(require_shape, np.zeros((2, 5)), "W_Q", axes=("d", "k"), expected=(5, 2))
    assert problem.code == "shape"
    assert problem.data == {"name": "W_Q", "axes": "d × k", "expected": (5, 2), "actual": (2, 5)}


def test_require_shape_lets_pass_what_fits() -> None:
    require_shape(np.zeros((5, 2)), "W_Q", axes=("d", "k"), expected=(5, 2))
    require_shape(np.zeros((5, 2)), "W_Q", axes=("d", "k"), expected=(None, 2))


@pytest.mark.parametrize("shape", [(5,), (5, 2, 1), (5, 3)])
def test_require_shape_refuses(shape: tuple[int, ...]) -> None:
    assert (
        raised(require_shape, np.zeros(shape), "W", axes=("d", "k"), expected=(None, 2)).data[
            "actual"
        ]
        == shape
    )


def test_require_finite_finds_the_first_in_reading_order() -> None:
    array = np.zeros((2, 3))
    require_finite(array, "X")
    array[1, 0] = np.inf
    array[0, 2] = -np.inf
    problem = raised(require_finite, array, "X")
    assert problem.code == "not_finite"
    assert problem.data == {"name": "X", "index": (0, 2), "value": -np.inf}
