"""Tensors in a file of weights: their names and shapes, and the numbers, read when asked for.

The file stays on the disk: it is mapped into memory, and only what is read takes any.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from core.base.errors import UserError
from core.base.files import disk_error

Numbers = npt.NDArray[np.floating[Any]]
LEAST_FILE = 8  # bytes; anything shorter has no header
_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"7z\xbc\xaf")


class Tensors(Protocol):
    """Named tensors on the disk."""

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of each tensor, in the order of the file."""

    def is_float(self, name: str) -> bool:
        """Whether a tensor holds floating-point numbers."""

    def read(self, name: str, rows: slice | list[int] | None = None) -> Numbers:
        """A tensor, or some of its rows, as floating-point numbers of the width of the file.

        Raises UserError "model.numbers" (name, dtype) for numbers of a kind that is not read.
        """


def mapped(path: str | os.PathLike[str]) -> memoryview:
    """The bytes of a file, mapped into memory.

    Raises UserError "file.unreadable" (path, reason), "model.short" for a file without a header,
    "model.pickle" for one that holds pickled objects, whatever its name.
    """
    try:
        with open(path, "rb", opener=_opened) as file:
            size = os.fstat(file.fileno()).st_size
            if size < LEAST_FILE:
                raise UserError("model.short", path=os.fspath(path), size=size)
            data = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except (OSError, ValueError) as error:
        if isinstance(error, UserError):
            raise
        raise disk_error("file.unreadable", path, error) from error
    if is_pickle(bytes(data[:LEAST_FILE])):
        raise UserError("model.pickle", path=os.fspath(path))
    return data


def _opened(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe would block


def is_pickle(start: bytes) -> bool:
    """Whether the first bytes of a file are those of pickled objects or of an archive of them."""
    # As the length of a header, small numbers may begin with the same two bytes.
    opcodes = start[:1] == b"\x80" and start[1] in range(1, 6) and any(start[3:])
    return opcodes or start.startswith(_ARCHIVES)
