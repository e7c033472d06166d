"""Arrays in NumPy's files. Sizes that a header or an archive claims are checked before anything is made for them."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from core.base.arrays import Array, frozen
from core.base.errors import UserError

LARGEST = 3 << 25  # bytes of a file's arrays as they are stored
MOST_NUMBERS = LARGEST // 8  # each takes eight bytes here, also what is stored as a bit or a byte
LARGEST_TEXTS = 1 << 24
MOST_ENTRIES = 1000
_KINDS = "biuf"


def from_npy(data: bytes, name: str = "") -> dict[str, Array]:
    """The array of a .npy file, under this name, as a matrix (rows, columns) or a stack (heads, rows, columns).

    Raises UserError as core.exchange.tables.read_table does.
    """
    return {name: _array(data, name)}


def from_npz(data: bytes) -> dict[str, Array]:
    """The arrays of a .npz file that hold numbers and have up to three axes, by name, each as from_npy gives it.

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
                    found[name] = _array(file.read(LARGEST + 1), name)
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
    """The archive, which begins the file: zipfile finds one behind anything else, NumPy does not."""
    with sound():
        if not data.startswith((b"PK\x03\x04", b"PK\x05\x06")):  # of a first entry, of none
            raise zipfile.BadZipFile("File is not a zip file")
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            yield archive


@contextmanager
def sound() -> Generator[None]:
    """Whatever a damaged file causes within is a problem: the readers of archives, headers and XML let all kinds pass.

    Raises UserError "import.damaged" (detail).
    """
    try:
        yield
    except (UserError, MemoryError):
        raise
    except Exception as error:
        raise UserError("import.damaged", detail=str(error).partition("\n")[0]) from error


def texts_from_npz(data: bytes, name: str) -> tuple[str, ...]:
    """The texts of an array of a .npz file; () where there is none of that name, or one of something else."""
    try:
        with _archive(data) as archive:
            entry = next(
                (entry for entry in archive.infolist() if entry.filename == f"{name}.npy"), None
            )
            if entry is None or entry.file_size > LARGEST_TEXTS:
                return ()
            array = _stored(archive.read(entry), name, "U")
            return (
                tuple(map(str, array.tolist())) if array.ndim == 1 else ()
            )  # numbers that are no letters raise here
    except (UserError, MemoryError):
        return ()


def _array(data: bytes, name: str) -> Array:
    return shaped(_stored(data, name, _KINDS), name)


def _stored(data: bytes, name: str, kinds: str) -> npt.NDArray[np.generic]:
    """The array of a .npy file, if it is of one of those kinds and all of it is there."""
    file = io.BytesIO(data)
    with sound():
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
    with sound():
        array: npt.NDArray[np.generic] = np.lib.format.read_array(file, allow_pickle=False)
    return array


def shaped(array: npt.NDArray[np.generic], name: str) -> Array:
    """A vector as one row; leading axes of length 1 beyond the third go.

    Raises UserError "import.axes" (name, actual), "import.empty".
    """
    while array.ndim > 3 and array.shape[0] == 1:
        array = array[0]
    if array.ndim > 3:
        raise UserError("import.axes", name=name, actual=array.shape)
    if array.size == 0:
        raise UserError("import.empty")
    return frozen(np.atleast_2d(array))
