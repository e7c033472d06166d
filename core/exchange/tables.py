"""Import numbers from files of other programs: .csv .tsv .txt .npy .npz .json .xlsx. Nothing in a
file is executed.

`list_tables` lists the tables of a file, `read_table` reads one of them.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from core.base.arrays import Array, require_finite
from core.base.errors import UserError
from core.base.files import read_bytes
from core.exchange import array_files
from core.exchange.paste import LabelledMatrix, parse_file

_SEPARATORS = (b",", b";", b"\t", b" ", b"\n", b"&", b"|")
MOST_SEPARATORS = 4_000_000  # of a text; 2,000 tokens with 768 numbers have half as many

TEXT_ENDINGS = (".csv", ".tsv", ".txt")
ENDINGS = (*TEXT_ENDINGS, ".xlsx", ".npy", ".npz", ".json")


class Listing(Struct, frozen=True):
    """A table of a file: the name of a sheet or array ("" for the only one), and its shape if
    known.
    """

    name: str
    shape: tuple[int, ...] = ()


def list_tables(path: str | os.PathLike[str]) -> tuple[Listing, ...]:
    """The tables of a file. Raises UserError as read_table does."""
    with with_path(path):
        ending, data = ending_of(path), read_bytes(path)
        if ending in TEXT_ENDINGS:
            return (Listing("", parse_file(decoded_text(data)).values.shape),)
        if ending == ".xlsx":
            from core.exchange import xlsx_tables

            return tuple(Listing(name) for name in xlsx_tables.names(data))
        return tuple(Listing(name, array.shape) for name, array in _arrays(ending, data).items())


def read_table(
    path: str | os.PathLike[str], name: str | None = None, cells: str | None = None
) -> LabelledMatrix:
    """One table of a file: `name` from list_tables (None: the first), `cells` a range of a sheet
    such as B2:E5.

    A single row or column is a matrix too. In a workbook the stored values are read. Raises
    UserError with the path: "import.ending" (known), "import.empty", "import.encoding",
    "import.damaged" (detail), "import.nothing" and "import.numbers" (name) where there are no real
    numbers, "import.axes" (name, actual), "import.too_large" (limit), "import.table" (name, known),
    "import.range" (text), "import.formula" (text) for one without a stored value, "import.cell"
    (text) for a date and its like, "not_finite", "file.unreadable", and those of parse_matrix.
    """
    with with_path(path):
        ending, data = ending_of(path), read_bytes(path)
        if ending in TEXT_ENDINGS:
            found = parse_file(decoded_text(data))
        elif ending == ".xlsx":
            from core.exchange import xlsx_tables

            found = xlsx_tables.read(data, name, cells)
        else:
            arrays = _arrays(ending, data)
            name = next(iter(arrays)) if name is None else name
            if name not in arrays:
                raise UserError("import.table", name=name, known=tuple(arrays))
            found = LabelledMatrix(arrays[name], name=name)
        require_finite(found.values, found.name)
        return found


@contextmanager
def with_path(path: str | os.PathLike[str]) -> Generator[None]:
    """Add the path to UserErrors raised in the block."""
    try:
        yield
    except UserError as problem:
        raise UserError(problem.code, **{"path": os.fspath(path), **problem.data}) from problem


def orientation_of(shape: tuple[int, ...], wanted: tuple[int, int]) -> str:
    """How a matrix can replace one of the wanted shape: "as is", "transposed" (tokens as columns),
    "either" for a square, "" if only with a change of sizes.
    """
    straight, turned = shape[-2:] == wanted, shape[:-3:-1] == wanted
    if straight and turned:
        return "either"
    return "as is" if straight else ("transposed" if turned else "")


def ending_of(path: str | os.PathLike[str]) -> str:
    """The ending of the file's name, one of ENDINGS. Raises UserError "import.ending" (known)."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UserError("import.ending", known=ENDINGS)
    return ending


def _arrays(ending: str, data: bytes) -> dict[str, Array]:
    if not data:
        raise UserError("import.empty")
    readers: dict[str, Callable[[bytes], dict[str, Array]]] = {
        ".npy": array_files.from_npy,
        ".npz": array_files.from_npz,
        ".json": array_files.from_json,
    }
    return readers[ending](data)


def decoded_text(data: bytes) -> str:
    """The text in UTF-8, UTF-16 (Excel's "Unicode text") or GB 18030 (Chinese Windows)."""
    if sum(map(data.count, _SEPARATORS)) > MOST_SEPARATORS:
        raise UserError("import.too_large", limit=MOST_SEPARATORS)
    encodings = (
        ["utf-16"] if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else ["utf-8", "gb18030"]
    )
    for encoding in encodings:
        try:
            text = data.removeprefix(BOM_UTF8).decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        if not text.strip():
            raise UserError("import.empty")
        return text
    raise UserError("import.encoding")
