"""Numbers from files of other programs: .csv .tsv .txt .npy .npz .json .xlsx. Nothing in a file is ever executed.

`list_tables` says what a file offers, `read_table` reads one of them; both leave everything else as it is, so that a
preview can be shown first.
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
from core.exchange import table_arrays, table_json
from core.exchange.paste import parse_file

_SEPARATORS = (b",", b";", b"\t", b" ", b"\n", b"&", b"|")
MOST_SEPARATORS = 4_000_000  # of a text; 2,000 tokens with 768 numbers have half as many

TEXT_ENDINGS = (".csv", ".tsv", ".txt")
ENDINGS = (*TEXT_ENDINGS, ".xlsx", ".npy", ".npz", ".json")


class Listing(Struct, frozen=True):
    """What a file offers: a sheet or an array by its name ("" for the only one), and its shape where it is known."""

    name: str
    shape: tuple[int, ...] = ()


class Table(Struct, frozen=True, eq=False):
    """Numbers of a file, (rows, columns) or (heads, rows, columns), and the labels that stood beside them."""

    name: str
    values: Array
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def list_tables(path: str | os.PathLike[str]) -> tuple[Listing, ...]:
    """What a file offers. Raises UserError as read_table does."""
    with _named(path):
        return _listed(path)


def read_table(
    path: str | os.PathLike[str], name: str | None = None, cells: str | None = None
) -> Table:
    """One table of a file: `name` is one of those that list_tables tells (None: the first), `cells` a range of a sheet
    such as B2:E5.

    A single row or column is a matrix too. Of a workbook the values are read that its program stored last.
    Raises UserError with the path: "import.ending" (known), "import.empty", "import.encoding", "import.damaged" (detail),
    "import.nothing" and
    "import.numbers" (name) for what holds no real numbers, "import.axes" (name, actual), "import.too_large" (limit),
    "import.table" (name, known), "import.range" (text), "import.formula" (text) for one without a stored value,
    "import.cell" (text) for a date and its like, "not_finite", "file.unreadable", and those of parse_matrix.
    """
    with _named(path):
        found = _read(path, name, cells)
        require_finite(found.values, found.name)
        return found


@contextmanager
def _named(path: str | os.PathLike[str]) -> Generator[None]:
    """Problems within name the file."""
    try:
        yield
    except UserError as problem:
        raise UserError(problem.code, **{"path": os.fspath(path), **problem.data}) from problem


def fits(shape: tuple[int, ...], wanted: tuple[int, int]) -> str:
    """How a matrix can go where one of the wanted shape stands: "as is", "transposed" (tokens as columns), "either" for
    a square, "" if in no way without a change of sizes."""
    straight, turned = shape[-2:] == wanted, shape[:-3:-1] == wanted
    if straight and turned:
        return "either"
    return "as is" if straight else ("transposed" if turned else "")


def arrays_in(path: str | os.PathLike[str], wanted: Callable[[str], bool]) -> dict[str, Array]:
    """Every array of a .npz or .json file, and the numbers of every sheet of a workbook, whose name is wanted.

    Raises UserError as read_table does.
    """
    with _named(path):
        ending, data = ending_of(path), read_bytes(path)
        if ending == ".xlsx":
            from core.exchange import table_sheets

            names = filter(wanted, table_sheets.names(data))
            found = {name: table_sheets.read(data, name, None)[1].values for name in names}
        else:
            found = {name: array for name, array in _arrays(ending, data).items() if wanted(name)}
        for name, array in found.items():
            require_finite(array, name)
        return found


def ending_of(path: str | os.PathLike[str]) -> str:
    """How the file's name ends, one of ENDINGS. Raises UserError "import.ending" (known)."""
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise UserError("import.ending", known=ENDINGS)
    return ending


def _listed(path: str | os.PathLike[str]) -> tuple[Listing, ...]:
    ending, data = ending_of(path), read_bytes(path)
    if ending in TEXT_ENDINGS:
        return (Listing("", parse_file(_text(data)).values.shape),)
    if ending == ".xlsx":
        from core.exchange import table_sheets

        return tuple(Listing(name) for name in table_sheets.names(data))
    return tuple(Listing(name, array.shape) for name, array in _arrays(ending, data).items())


def _read(path: str | os.PathLike[str], name: str | None, cells: str | None) -> Table:
    ending, data = ending_of(path), read_bytes(path)
    if ending in TEXT_ENDINGS:
        found = parse_file(_text(data))
        return Table("", found.values, found.rows, found.columns)
    if ending == ".xlsx":
        from core.exchange import table_sheets

        name, found = table_sheets.read(data, name, cells)
        return Table(name, found.values, found.rows, found.columns)
    arrays = _arrays(ending, data)
    if name is not None and name not in arrays:
        raise UserError("import.table", name=name, known=tuple(arrays))
    chosen = next(iter(arrays)) if name is None else name
    return Table(chosen, arrays[chosen])


def _arrays(ending: str, data: bytes) -> dict[str, Array]:
    if not data:
        raise UserError("import.empty")
    readers = {
        ".npy": table_arrays.from_npy,
        ".npz": table_arrays.from_npz,
        ".json": table_json.from_json,
    }
    return readers[ending](data)


def _text(data: bytes) -> str:
    """UTF-8, UTF-16 as Excel's "Unicode text" is, or what Chinese Windows writes."""
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
