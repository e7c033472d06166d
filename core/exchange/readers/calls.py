"""The arrays that calls make of lists, numbers and options: matrix(c(…), nrow=2), tensor2d(…, [2, 2])."""

from __future__ import annotations

import re
from typing import Any

from core.base.errors import UserError
from core.exchange.grid import Grid
from core.exchange.readers.notations import COLUMNS, JOINS, LISTS

Nested = list[Any]  # of cells, or of such lists


class NoMatrix(Exception):
    """These brackets hold no matrix; those within them may."""


def arranged(
    name: str, lists: list[Nested], numbers: list[str], options: dict[str, str | Nested]
) -> Nested:
    """The lists in the order and sizes that a call gives them."""
    flat = lists[0] if all(isinstance(one, str) for one in lists[0]) else None
    sizes = [int(one) for one in numbers if one.isdigit()]
    if name == "cat" and numbers:
        if numbers[0] not in ("3", "0"):
            raise UserError("paste.leftover", text=f"cat({numbers[0]}, …)")
        return [one if isinstance(one[0], list) else [one] for one in lists]
    if name in COLUMNS:
        rows_of = lists[0] if len(lists) == 1 else lists
        if (
            not all(isinstance(cell, str) for row in rows_of for cell in row)
            or len(set(map(len, rows_of))) != 1
        ):
            raise UserError("paste.leftover", text=name)
        return [list(column) for column in zip(*rows_of, strict=True)]
    shape = options.get("shape") or options.get("dim") or options.get("size")
    by_row = str(options.get("byrow", "")).startswith("T") or "TRUE" in numbers or "T" in numbers
    if (
        flat
        and name == "matrix"
        and ("nrow" in options or "ncol" in options or numbers)
        and len(lists) == 1
    ):
        rows, columns = _r_sizes(options, sizes, len(flat))
        r_like = "nrow" in options or "ncol" in options or by_row or "byrow" in options
        if not r_like and len(sizes) == 2:  # SymPy, Sage, Maple: by rows; R: by columns
            raise UserError("paste.order", text=f"{name}({', '.join(numbers)}, …)")
        return split_rows(flat, [rows, columns]) if by_row else _by_columns(flat, [rows, columns])
    if flat and name in ("array", "structure") and isinstance(shape, list):
        digits = [str(one).rstrip("L") for one in shape]
        if not all(map(str.isdecimal, digits)):
            raise UserError("paste.leftover", text=f"c({', '.join(digits)})"[:40])
        return _by_columns(flat, [int(one) for one in digits])
    if flat and shape is not None:
        wanted = shape if isinstance(shape, list) else re.findall(r"\d+", str(shape))
        wanted = [int(str(one)) for one in wanted if str(one).isdigit()]
        return split_rows(flat, wanted) if wanted and product(wanted) == len(flat) else flat
    sized = len(lists) == 2 and name not in JOINS
    if flat and sized and all(str(one).isdigit() for one in lists[1]):
        wanted = [int(str(one)) for one in lists[1]]
        if product(wanted) == len(flat):
            return _by_columns(flat, wanted) if name == "array" else split_rows(flat, wanted)
    if sized and name not in LISTS and all(str(one).isdigit() for one in lists[0]):
        wanted = [int(str(one)) for one in lists[0]]
        if product(wanted) == len(lists[1]):
            return split_rows(lists[1], wanted)
    if flat and len(lists) == 1 and len(sizes) == 2 and product(sizes) == len(flat):
        return split_rows(flat, sizes)
    if len(lists) == 1:
        if str(options.get("dim", options.get("axis", "0"))) not in ("0",):
            raise UserError("paste.leftover", text=name)
        return lists[0]
    if name in LISTS:
        return list(lists)
    raise NoMatrix


def _r_sizes(options: dict[str, str | Nested], sizes: list[int], count: int) -> tuple[int, int]:
    """Rows and columns of R's matrix(…)."""
    given = {
        key: int(float(str(options[key]).rstrip("L")))
        for key in ("nrow", "ncol")
        if str(options.get(key, "")).rstrip("L").isdigit()
    }
    left = list(sizes)
    for key in ("nrow", "ncol"):
        if key not in given and left:
            given[key] = left.pop(0)
    rows = given.get("nrow") or (count // given["ncol"] if given.get("ncol") else count)
    return rows, given.get("ncol") or count // max(rows, 1)


def product(sizes: list[int]) -> int:
    """How many numbers an array of these sizes has."""
    result = 1
    for size in sizes:
        result *= size
    return result


def split_rows(flat: list[str] | Nested, sizes: list[int]) -> Nested:
    """A flat list in rows, the last axis fastest. Raises UserError "paste.sizes"."""
    if sizes.count(-1) == 1:
        rest = -product(sizes)
        sizes = [len(flat) // rest if one == -1 and rest else one for one in sizes]
    if not sizes or min(sizes) < 1 or product(sizes) != len(flat):
        raise UserError("paste.sizes", expected=tuple(sizes), actual=len(flat))
    for size in reversed(sizes[1:]):
        flat = [flat[start : start + size] for start in range(0, len(flat), size)]
    return flat


def _by_columns(flat: Nested, sizes: list[int]) -> Nested:
    """A flat list in columns, as R and Fortran store it; of three sizes the last counts matrices."""
    split_rows(flat, sizes)
    rows, columns = [*sizes, 1][:2]
    found: Nested = [
        [list(flat[start + row : start + rows * columns : rows]) for row in range(rows)]
        for start in range(0, len(flat), rows * columns)
    ]
    return found


def grids_of(value: Nested) -> tuple[int, list[Grid]]:
    """The number of axes, and the matrices of nested lists in order."""
    axes = _axes(value)
    while axes > 2 and len(value) == 1:
        value, axes = value[0], axes - 1
    if axes == 1:
        return 1, [[value]]
    if axes == 2:
        return 2, [value]
    found = value
    for _ in range(axes - 3):
        found = [one for part in found for one in part]
    return axes, found


def _axes(value: Nested) -> int:
    """How deep the lists are. Raises UserError "paste.leftover" where that differs."""
    depths = {0 if isinstance(one, str) else _axes(one) for one in value}
    if len(depths) > 1 and depths == {1, 2}:
        value[:] = [[one] if isinstance(one[0], str) else one for one in value if one]
        return 3
    if len(depths) > 1:
        odd = next((one for one in value if isinstance(one, str)), "")
        if not odd and 0 not in depths:
            raise UserError("paste.axes", actual=max(depths) + 1)
        raise UserError("paste.leftover", text=odd[:40])
    return 1 + max(depths, default=0)
