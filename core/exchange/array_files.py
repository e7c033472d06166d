"""Arrays in NumPy's files and in JSON.

Sizes that a header or an archive claims are checked before memory is allocated. An array in JSON is
named by its place, such as heads[0].W_Q.
"""

from __future__ import annotations

import io
import math
import zipfile
from codecs import BOM_UTF8
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from core.base.arrays import Array, frozen
from core.base.errors import UserError

LARGEST = 3 << 25  # bytes of a file's arrays as they are stored
MOST_NUMBERS = LARGEST // 8  # each takes eight bytes here, also what is stored as a bit or a byte
LARGEST_TEXTS = 1 << 24
MOST_ENTRIES = 1000
_KINDS = "biuf"


def from_npy(data: bytes, name: str = "", axes: int = 3) -> dict[str, Array]:
    """The array of a .npy file, under `name`, as a matrix (rows, columns) or a stack (heads, rows,
    columns).

    Raises UserError as read_table does.
    """
    return {name: _array(data, name, axes)}


def from_npz(data: bytes, axes: int = 3) -> dict[str, Array]:
    """The arrays of a .npz file that hold numbers and have up to `axes` axes, by name, each as
    from_npy gives it.

    Raises UserError as from_npy does; "import.nothing" where there are none.
    """
    found: dict[str, Array] = {}
    with _archive(data) as archive:
        entries = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
        if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > LARGEST:
            raise UserError("import.too_large", limit=LARGEST)
        for entry in entries:
            name = entry.filename.removesuffix(".npy")
            try:
                with archive.open(entry) as file:
                    found[name] = _array(file.read(LARGEST + 1), name, axes)
            except UserError as problem:
                if problem.code not in ("import.numbers", "import.axes"):
                    raise
            if sum(array.size for array in found.values()) > MOST_NUMBERS:
                raise UserError("import.too_large", limit=LARGEST)
    if not found:
        raise UserError("import.nothing")
    return found


@contextmanager
def _archive(data: bytes) -> Generator[zipfile.ZipFile]:
    """The archive at the beginning of the file; zipfile alone would find one after other data."""
    with damage_reported():
        if not data.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # of a first entry, of none
            raise zipfile.BadZipFile("File is not a zip file")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive


@contextmanager
def damage_reported() -> Generator[None]:
    """Turn any exception in the block into UserError "import.damaged" (detail).

    The readers of archives, headers and XML raise exceptions of many kinds for damaged files.
    """
    try:
        yield
    except (UserError, MemoryError):
        raise
    except Exception as error:
        raise UserError("import.damaged", detail=str(error).partition("\n")[0]) from error


def texts_from_npz(data: bytes, name: str) -> tuple[str, ...]:
    """The texts of an array of a .npz file, a single text as the only one; () if there is none of
    that name or it holds no texts.
    """
    try:
        array = array_from_npz(data, name, LARGEST_TEXTS, "U")
        with damage_reported():  # numbers that are no letters
            return tuple(map(str, np.atleast_1d(array).tolist())) if array.ndim < 2 else ()
    except (UserError, MemoryError):
        return ()


def array_from_npz(
    data: bytes, name: str, limit: int = LARGEST, kinds: str = _KINDS
) -> npt.NDArray[np.generic]:
    """One array of a .npz file as it is stored, without reading the others.

    Raises UserError as from_npz does, and "import.table" (name, known) where there is none.
    """
    with _archive(data) as archive:
        names = archive.namelist()
        if f"{name}.npy" not in names:
            known = tuple(each.removesuffix(".npy") for each in names)
            raise UserError("import.table", name=name, known=known)
        if archive.getinfo(f"{name}.npy").file_size > limit:
            raise UserError("import.too_large", limit=limit)
        return _stored(archive.read(f"{name}.npy"), name, kinds)


def _array(data: bytes, name: str, axes: int) -> Array:
    return shaped(_stored(data, name, _KINDS), name, axes)


def _stored(data: bytes, name: str, kinds: str) -> npt.NDArray[np.generic]:
    """The array of a .npy file. Raises UserError for other kinds and for a wrong size."""
    file = io.BytesIO(data)
    with damage_reported():
        version = np.lib.format.read_magic(file)
        read = (
            np.lib.format.read_array_header_1_0
            if version == (1, 0)
            else np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(file)
    if dtype.kind not in kinds:
        raise UserError("import.numbers", name=name)
    needed = math.prod(shape) * dtype.itemsize
    if needed > LARGEST or math.prod(shape) > MOST_NUMBERS:
        raise UserError("import.too_large", limit=LARGEST)
    if any(length < 0 for length in shape) or needed != len(data) - file.tell():
        raise UserError("import.damaged", detail="size")
    file.seek(0)
    with damage_reported():
        array: npt.NDArray[np.generic] = np.lib.format.read_array(file, allow_pickle=False)
    return array


def shaped(array: npt.NDArray[np.generic], name: str, axes: int = 3) -> Array:
    """The array with two to `axes` axes: a vector becomes one row, leading axes of length 1 are
    dropped.

    Raises UserError "import.axes" (name, actual), "import.empty".
    """
    while array.ndim > axes and array.shape[0] == 1:
        array = array[0]
    if array.ndim > axes:
        raise UserError("import.axes", name=name, actual=array.shape)
    if array.size == 0:
        raise UserError("import.empty")
    return frozen(np.atleast_2d(array))


MOST_JSON_NUMBERS = 4_000_000
DEEPEST = 12  # objects and lists within each other


def from_json(data: bytes, axes: int = 3) -> dict[str, Array]:
    """Every list of numbers and list of lists, up to `axes` deep, in the file by its place.

    Raises UserError as read_table does; "import.nothing" where there are none.
    """
    tree = decoded_json(data)
    found = {place: shaped(array, place, axes) for place, array in _json_arrays(tree, "", axes)}
    if not found:
        raise UserError("import.nothing")
    return found


def text_at(data: bytes, key: str) -> str:
    """A text of the top-level object, "" for none. Raises UserError "import.damaged" (detail)."""
    tree = decoded_json(data)
    value = tree.get(key) if isinstance(tree, dict) else None
    return value if isinstance(value, str) else ""


def texts_at(data: bytes, key: str) -> tuple[str, ...]:
    """A list of texts of the top-level object, () for none. Raises UserError as text_at does."""
    tree = decoded_json(data)
    value = tree.get(key) if isinstance(tree, dict) else None
    return (
        tuple(value)
        if isinstance(value, list) and all(isinstance(item, str) for item in value)
        else ()
    )


def decoded_json(data: bytes) -> Any:
    """The JSON of a file. Raises UserError "import.too_large" (limit), "import.damaged" (detail)."""
    if data.count(b",") > MOST_JSON_NUMBERS:
        raise UserError("import.too_large", limit=MOST_JSON_NUMBERS)
    try:
        return msgspec.json.decode(data.removeprefix(BOM_UTF8))
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise UserError("import.damaged", detail=str(error)) from error


def _json_arrays(node: Any, place: str, axes: int, depth: int = 0) -> Iterator[tuple[str, Array]]:
    if depth > DEEPEST:
        return
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _json_arrays(value, f"{place}.{key}" if place else str(key), axes, depth + 1)
    elif isinstance(node, list) and node:
        array = _json_array(node, axes)
        if array is not None:
            yield place, array
        elif any(isinstance(item, dict | list) for item in node):
            for index, value in enumerate(node):
                yield from _json_arrays(value, f"{place}[{index}]", axes, depth + 1)


def _json_array(node: list[Any], axes: int) -> Array | None:
    """The list as an array of up to `axes` axes; None if it is not one."""
    if not _are_numbers(node, axes):
        return None
    try:
        array = np.array(node, dtype=np.float64)
    except (ValueError, OverflowError):  # rows of unequal length; a whole number beyond the doubles
        return None
    return array if array.size and np.isfinite(array).all() else None


def _are_numbers(node: list[Any], levels: int) -> bool:
    """Whether the list holds numbers, or lists of numbers down to `levels`; checked level by level."""
    items: Iterable[Any] = node
    for _ in range(levels):
        kinds, items = _kinds(items)
        if kinds != {list}:
            return kinds <= {int, float}
    return False


def _kinds(items: Iterable[Any]) -> tuple[set[type], Iterable[Any]]:
    """The types of the items, and the items of those that are lists."""
    lists = list(items)
    return set(map(type, lists)), chain.from_iterable(lists)
