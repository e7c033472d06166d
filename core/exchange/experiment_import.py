"""Import an experiment from a file: an export, or several matrices under their names."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.errors import UserError
from core.base.files import read_bytes
from core.document.document import Document
from core.exchange import array_files
from core.exchange.assemble import assemble
from core.exchange.entered import KEY, SETTINGS_FILE, restored
from core.exchange.role_tensors import NameToken
from core.exchange.roles import propose_roles
from core.exchange.source_files import read_source
from core.exchange.tables import ending_of, with_path
from core.storage import archive

HOLDING = (".npz", ".json", ".xlsx")  # files that can hold several matrices

_BESIDE = re.compile(
    r"[0-9A-Za-z_]{1,99}(?:\.[0-9A-Za-z_]{1,99}){0,2}\.csv"
)  # the file of a tensor in a folder
_INDEXED = re.compile(r"([\w.]{1,99})\[(\d{1,9})\]")

# The settings of an export, and the numbers that a reference in them means.
Export = tuple[Any, Callable[[str], npt.NDArray[np.generic]]]


def import_experiment(
    path: str | os.PathLike[str], token: NameToken
) -> tuple[Document, tuple[str, ...]] | None:
    """The experiment in a file, and the names of its tensors; None if too few of them are in the
    file.

    An experiment file or an export is read as such; otherwise the roles of the matrices follow from
    their names and shapes. `token` names the tokens, from 1, if the file has no `tokens`. Raises
    UserError if they do not fit together, and as read_source does.
    """
    document = read_experiment(path)
    if document is not None:
        return document, document.inputs
    if ending_of(path) not in HOLDING:
        return None
    entries = read_source(path).entries
    draft = assemble(entries, propose_roles(entries), token=token)
    if draft.document is not None:
        return draft.document, draft.document.inputs
    assert draft.problem is not None
    lacking = draft.problem.data["known"] if draft.problem.code == "role.missing" else ()
    if any("." not in name for name in lacking):  # more than a head that others have
        return None
    raise draft.problem


def read_experiment(path: str | os.PathLike[str]) -> Document | None:
    """The experiment that was saved or exported to a file, as it was; None for any other file.

    A file is an experiment file, or an export as .xlsx, .npz or .json; a folder is an export as
    CSV, which its experiment.json stands for, too. Raises UserError with the path: "import.table"
    and "import.damaged" where numbers are missing, and those of archive.loads and read_table.
    """
    place = Path(path)
    place = place / SETTINGS_FILE if place.is_dir() else place
    read = _READERS.get(place.suffix.lower())
    if read is None:
        return None
    with with_path(place):
        data = read_bytes(place)
        if read is _json_settings and is_experiment(data):
            return archive.loads(data)
        found = read(data, place)
        return None if found is None else restored(*found)


def _json_settings(data: bytes, path: Path) -> Export | None:
    """The arrays lie in the same file, or those of a CSV folder beside it."""
    tree = array_files.decoded_json(data)
    if not isinstance(tree, dict) or not isinstance(tree.get(KEY), dict):
        return None

    def values(reference: str) -> npt.NDArray[np.generic]:
        if _BESIDE.fullmatch(reference):
            return _numbers_of_csv(path.with_name(reference))
        name, head = _indexed(reference)
        found = tree.get(name)
        if head is not None and isinstance(found, list):
            found = found[head] if head < len(found) else None
        if not isinstance(found, list):
            raise UserError("import.table", name=reference, known=tuple(tree))
        with array_files.damage_reported():
            return np.array(found)

    return tree[KEY], values


def _numbers_of_csv(path: Path) -> npt.NDArray[np.generic]:
    """Bare numbers as an export writes them, without any guess about headers."""
    with with_path(path):
        data = read_bytes(path)
        with array_files.damage_reported():
            return np.loadtxt(io.StringIO(data.decode()), delimiter=",", ndmin=2)


def _npz_settings(data: bytes, path: Path) -> Export | None:
    texts = array_files.texts_from_npz(data, KEY)
    if len(texts) != 1:
        return None

    def values(reference: str) -> npt.NDArray[np.generic]:
        name, head = _indexed(reference)
        array = array_files.array_from_npz(data, name)
        with array_files.damage_reported():
            return array if head is None else array[head]

    return array_files.decoded_json(texts[0].encode("utf-8", "replace")), values


def _xlsx_settings(data: bytes, path: Path) -> Export | None:
    from core.exchange import xlsx_tables

    texts, values = xlsx_tables.texts_and_ranges(data, KEY)
    text = "".join(texts[1:])  # below the title
    if archive.FORMAT not in text:
        return None
    return array_files.decoded_json(text.encode("utf-8", "replace")), values


def _indexed(reference: str) -> tuple[str, int | None]:
    """W_Q[1] is W_Q of the second head."""
    match = _INDEXED.fullmatch(reference)
    return (match[1], int(match[2])) if match else (reference, None)


_READERS: Mapping[str, Callable[[bytes, Path], Export | None]] = {
    ".json": _json_settings,
    ".npz": _npz_settings,
    ".xlsx": _xlsx_settings,
}


def is_experiment(data: bytes) -> bool:
    """Whether the JSON is an experiment file."""
    try:
        return array_files.text_at(data, "format") == archive.FORMAT
    except UserError:
        return False
