"""Arrays in JSON: nested lists, alone or anywhere within objects; each is called by its place, such as heads[0].W_Q."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from core.base.arrays import Array
from core.base.errors import UserError
from core.exchange.table_arrays import shaped

MOST_NUMBERS = 4_000_000
DEEPEST = 12  # objects and lists within each other


def from_json(data: bytes) -> dict[str, Array]:
    """Every list of numbers, list of rows, or list of matrices in the file, by its place.

    Raises UserError as core.exchange.tables.read_table does; "import.nothing" where there are none.
    """
    tree = _decoded(data)
    found = {place: shaped(array, place) for place, array in _arrays(tree, "", 0)}
    if not found:
        raise UserError("import.nothing")
    return found


def text_at(data: bytes, key: str) -> str:
    """A text of the outermost object, "" where there is none. Raises UserError "import.damaged" (detail)."""
    tree = _decoded(data)
    value = tree.get(key) if isinstance(tree, dict) else None
    return value if isinstance(value, str) else ""


def texts_at(data: bytes, key: str) -> tuple[str, ...]:
    """A list of texts of the outermost object, () where there is none. Raises UserError as text_at does."""
    tree = _decoded(data)
    value = tree.get(key) if isinstance(tree, dict) else None
    return (
        tuple(value)
        if isinstance(value, list) and all(isinstance(item, str) for item in value)
        else ()
    )


def _decoded(data: bytes) -> Any:
    if data.count(b",") > MOST_NUMBERS:
        raise UserError("import.too_large", limit=MOST_NUMBERS)
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise UserError("import.damaged", detail=str(error)) from error


def _arrays(node: Any, place: str, depth: int) -> Iterator[tuple[str, Array]]:
    if depth > DEEPEST:
        return
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _arrays(value, f"{place}.{key}" if place else str(key), depth + 1)
    elif isinstance(node, list) and node:
        array = _array(node)
        if array is not None:
            yield place, array
        elif any(isinstance(item, dict | list) for item in node):
            for index, value in enumerate(node):
                yield from _arrays(value, f"{place}[{index}]", depth + 1)


def _array(node: list[Any]) -> Array | None:
    """The list as an array of up to three axes; None if it is none."""
    if not _are_numbers(node, 3):
        return None
    try:
        array = np.array(node, dtype=np.float64)
    except (ValueError, OverflowError):  # rows of unequal length; a whole number beyond the doubles
        return None
    return array if array.size and np.isfinite(array).all() else None


def _are_numbers(node: list[Any], levels: int) -> bool:
    """Whether it is numbers, or lists of numbers, so many levels deep; millions are looked at in one go."""
    items: Iterable[Any] = node
    for _ in range(levels):
        kinds, items = _kinds(items)
        if kinds != {list}:
            return kinds <= {int, float}
    return False


def _kinds(items: Iterable[Any]) -> tuple[set[type], Iterable[Any]]:
    """What kinds of things there are, and what is in them, where they are lists."""
    lists = list(items)
    return set(map(type, lists)), chain.from_iterable(lists)
