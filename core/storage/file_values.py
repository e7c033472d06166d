"""Arrays, numbers and texts of experiment files: read with their place, written exactly."""

from __future__ import annotations

import math
from collections.abc import Iterable

from core.base.arrays import Array, frozen, require_finite
from core.base.json_reader import require_rows
from core.base.json_text import Entry, list_json, text_json

Vector = list[float]
Matrix = list[list[float]]


def matrix(rows: Matrix | None, place: str) -> Array | None:
    """The matrix of a file. Raises UserError "shape.empty" and "rows.ragged"."""
    if rows is None:
        return None
    require_rows(rows, place)
    return frozen(rows)


def vector(values: Vector | None) -> Array | None:
    """The vector of a file."""
    return None if values is None else frozen(values)


def array_entries(**arrays: Array | None) -> Iterable[Entry]:
    """The arrays that there are, a matrix row a line. Raises UserError "not_finite"."""
    for name, array in arrays.items():
        if array is not None:
            require_finite(array, name)
            # The repr of a list of floats is its JSON, each number as short as it can be to read
            # back exactly.
            yield (
                name,
                repr(array.tolist())
                if array.ndim == 1
                else list_json([repr(row.tolist()) for row in array]),
            )


def texts_json(texts: Iterable[str]) -> str:
    """A list of texts on one line."""
    return "[" + ", ".join(map(text_json, texts)) + "]"


def number_json(value: float) -> str:
    """A number in the shortest form that reads back exactly."""
    if not math.isfinite(value):
        raise ValueError(value)
    return repr(float(value))
