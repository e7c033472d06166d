"""Arrays as they live in documents and traces: private, read-only, C-contiguous, float64 (or bool).

Axis letters used everywhere: n tokens, m keys, d model width, h heads, g key/value groups, k key
width, v value width.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from core.base.errors import UserError

Array = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]

_REAL_KINDS = "biuf"


def frozen(value: npt.ArrayLike) -> Array:
    """A private, read-only, C-contiguous float64 copy of `value`.

    An array that is already frozen is returned unchanged. Everything else is copied, read-only
    views too: they still follow their writable base.

    Raises UserError: "array.ragged" for rows of unequal length, "array.not_numeric" for anything
    but real numbers, "array.too_large" for a whole number beyond the doubles.
    """
    if isinstance(value, np.ndarray) and is_frozen(value):
        return value
    result = np.array(_real(value), dtype=np.float64, order="C", copy=True)
    result.flags.writeable = False
    return result


def frozen_bool(value: npt.ArrayLike) -> BoolArray:
    """A private, read-only, C-contiguous bool copy of `value`; with the same guarantees as
    `frozen`.

    Raises UserError: "array.ragged" for rows of unequal length, "array.not_bool" for anything but
    true and false.
    """
    if isinstance(value, np.ndarray) and _is_frozen(value, np.dtype(np.bool_)):
        return value
    raw = _unragged(value)
    if raw.dtype.kind != "b" and raw.size:
        raise UserError("array.not_bool")
    result = np.array(raw, dtype=np.bool_, order="C", copy=True)
    result.flags.writeable = False
    return result


def sealed(array: Array) -> Array:
    """Make `array` read-only and return it: for an array that the caller has just made and nobody
    else holds.

    Anything but a plain, contiguous float64 array with memory of its own is copied by `frozen`.
    """
    if type(array) is np.ndarray and array.flags.owndata:
        array.flags.writeable = False
    return frozen(array)


def is_frozen(array: npt.NDArray[np.generic]) -> bool:
    """Whether the array is float64, contiguous, read-only and owns its memory."""
    return _is_frozen(array, np.dtype(np.float64))


def require_shape(
    array: npt.NDArray[np.generic], name: str, axes: Sequence[str], expected: Sequence[int | None]
) -> None:
    """Raise UserError("shape", name, axes, expected, actual) unless the shape is as expected; None
    fits any length.

    `axes` names the axes one by one: require_shape(W_Q, "W_Q", axes=("d", "k"), expected=(6, 2)).
    """
    actual = array.shape
    if actual == expected:
        return
    fits = len(actual) == len(expected)
    if fits and all(
        want is None or want == have for want, have in zip(expected, actual, strict=True)
    ):
        return
    raise UserError(
        "shape", name=name, axes=" × ".join(axes), expected=tuple(expected), actual=actual
    )


def require_finite(array: Array, name: str) -> None:
    """Raise UserError("not_finite", name, index, value) for the first NaN or infinity, in reading
    order.
    """
    finite = np.isfinite(array)
    if finite.all():
        return
    index = tuple(int(i) for i in np.argwhere(~finite)[0])
    raise UserError("not_finite", name=name, index=index, value=float(array[index]))


def _is_frozen(array: npt.NDArray[np.generic], dtype: np.dtype[np.generic]) -> bool:
    flags = array.flags
    plain = type(array) is np.ndarray and array.dtype == dtype and array.dtype.isnative
    return plain and flags.owndata and flags.c_contiguous and not flags.writeable


def _unragged(value: npt.ArrayLike) -> npt.NDArray[np.generic]:
    try:
        return np.asarray(value)
    except ValueError as error:
        raise UserError("array.ragged") from error


def _real(value: npt.ArrayLike) -> npt.NDArray[np.generic]:
    raw = _unragged(value)
    if raw.dtype.kind in _REAL_KINDS:
        return raw
    # Python integers beyond 64 bits arrive as objects; they are numbers all the same, if a double
    # can hold them.
    if raw.dtype.kind == "O" and all(isinstance(item, int | float) for item in raw.flat):
        try:
            return raw.astype(np.float64)
        except OverflowError as error:
            raise UserError("array.too_large") from error
    raise UserError("array.not_numeric")
