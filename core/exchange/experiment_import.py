"""Import an experiment from a file that holds several matrices under their names: X, W_Q, W_K, W_V
…
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.base.files import read_bytes
from core.document.document import Context, Document, Head, Positional
from core.exchange import array_files
from core.exchange.entered import KEY, SETTINGS_FILE, restored
from core.exchange.tables import arrays_in, ending_of, with_path
from core.storage import archive

# head 2, heads[1].W_Q, W_Q_1, b_k, Wq, positional.P
_NAME = re.compile(
    r"(?:heads?[\[_ ]?(?P<before>\d{1,9})\]?[._ ]*)?(?:positional\.)?"
    r"(?P<name>[XP]_context|[Ww]_?[QKVOqkvo]|b_?[QKVOqkvo]|[XPQKVxpqkv])(?:[_\[ ]?(?P<after>\d{1,9})\]?)?"
)
_WEIGHTS, _PROJECTED, _BIASES = ("W_Q", "W_K", "W_V"), ("Q", "K", "V"), ("b_Q", "b_K", "b_V")
HOLDING = (".npz", ".json", ".xlsx")  # files that can hold several matrices

_BESIDE = re.compile(r"[0-9A-Za-z_]{1,99}\.csv")  # the file of a tensor in a folder
_INDEXED = re.compile(r"(\w{1,99})\[(\d{1,9})\]")

# The settings of an export, and the numbers that a reference in them means.
Export = tuple[Any, Callable[[str], npt.NDArray[np.generic]]]
NameToken = Callable[[int], str]
Texts = Mapping[str, tuple[str, ...]]  # tokens along n and along m, () for none in the file


def tensor_name(text: str) -> tuple[str, int | None]:
    """The tensor and the head number that a name means; ("", None) for any other name."""
    match = _NAME.fullmatch(text.strip())
    if match is None:
        return "", None
    if match["name"].endswith("_context"):
        return match["name"], None
    letter, index = match["name"][0], match["name"][1:].strip("_").upper()
    number = match["before"] or match["after"]
    name = f"{letter.upper() if letter in 'wW' else letter}_{index}" if index else letter.upper()
    return name, None if number is None else int(number)


def import_experiment(
    path: str | os.PathLike[str], token: NameToken
) -> tuple[Document, tuple[str, ...]] | None:
    """The experiment in a file, and the names of its tensors; None if too few of them are in the
    file.

    An experiment file or an export is read as such. Otherwise find X with W_Q, W_K, W_V, or else Q, K, V, by
    their names, one a head or a stack of all heads, and with them W_O, P and the biases. Transposed
    weights are transposed back. `X_context`, or K with other rows than Q, means keys and values of
    another sentence. `token` names the tokens, from 1, if the file has no `tokens`. Raises
    UserError if they do not fit together, and as read_table does.
    """
    document = read_experiment(path)
    if document is not None:
        return document, document.inputs
    ending = ending_of(path)
    if ending not in HOLDING:
        return None
    data = read_bytes(path)
    tensors = _tensors(path)
    source = _source(tensors)
    if source is None:
        return None
    texts = {"n": _texts(ending, data, "tokens"), "m": _texts(ending, data, "context_tokens")}
    return _built(tensors, source, texts, token)


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


def _tensors(path: str | os.PathLike[str]) -> dict[str, list[Array]]:
    """Every array whose name means a tensor, as a matrix a head in the order of the heads."""
    arrays = arrays_in(path, lambda name: bool(tensor_name(name)[0]))
    named = [(*tensor_name(text), array) for text, array in arrays.items()]
    result: dict[str, list[Array]] = {}
    for name, _, array in sorted(named, key=lambda each: each[1] or 0):
        if array.ndim < 3:  # each row of a bias belongs to a head
            array = array[:, None, :] if name in _BIASES else array[None]
        result.setdefault(name, []).extend(array)
    return result


def _source(tensors: Mapping[str, list[Array]]) -> str | None:
    if "X" in tensors and all(name in tensors for name in _WEIGHTS):
        return "embeddings"
    return "qkv" if all(name in tensors for name in _PROJECTED) else None


def _built(
    tensors: dict[str, list[Array]], source: str, texts: Texts, token: NameToken
) -> tuple[Document, tuple[str, ...]]:
    if source == "embeddings":
        _turn_back(tensors)
    rows = tensors["X" if source == "embeddings" else "Q"][0].shape[0]
    tokens = _named(texts["n"], rows, token)
    names = (*_WEIGHTS, *_BIASES) if source == "embeddings" else _PROJECTED
    shared: dict[str, Any] = {
        name: frozen(tensors[name][0]) for name in ("X", "W_O") if name in tensors
    }
    if "b_O" in tensors and "W_O" in tensors:
        shared["b_O"] = frozen(tensors["b_O"][0].ravel())
    if source == "qkv":
        shared.pop("X", None)
    elif "P" in tensors:
        shared["positional"] = Positional("learned", P=frozen(tensors["P"][0]))
    context = _context(tensors, source, texts["m"], token)
    document = Document(tokens, _heads(tensors, names), source=source, context=context, **shared)
    return document, document.inputs


def _context(
    tensors: Mapping[str, list[Array]], source: str, texts: tuple[str, ...], token: NameToken
) -> Context | None:
    """The other sentence, if X_context is given, or if K has tokens or rows of its own."""
    if source == "embeddings":
        if "X_context" not in tensors:
            return None
        X, P = (
            frozen(tensors[name][0]) if name in tensors else None
            for name in ("X_context", "P_context")
        )
        return Context(_named(texts, tensors["X_context"][0].shape[0], token), X, P)
    queries, keys, values = ({matrix.shape[0] for matrix in tensors[name]} for name in "QKV")
    apart = len(keys) == 1 and keys == values and keys != queries
    return Context(_named(texts, max(keys), token)) if texts or apart else None


def _named(tokens: tuple[str, ...], rows: int, token: NameToken) -> tuple[str, ...]:
    """The tokens of a file, or made-up ones if their number is not that of the rows."""
    return tokens if len(tokens) == rows else tuple(token(number) for number in range(1, rows + 1))


def _heads(tensors: Mapping[str, list[Array]], names: tuple[str, ...]) -> tuple[Head, ...]:
    h = len(tensors[names[0]])
    given = [name for name in names if name in tensors]
    for name in given:
        if len(tensors[name]) != h:
            raise UserError(
                "import.heads", name=name, actual=len(tensors[name]), first=names[0], expected=h
            )
    heads = []
    for index in range(h):
        arrays: dict[str, Any] = {name: tensors[name][index] for name in given}
        for name in given:
            array = arrays[name]
            arrays[name] = frozen(array.ravel() if name in _BIASES else array)
        heads.append(Head(**arrays))
    return tuple(heads)


def _turn_back(tensors: dict[str, list[Array]]) -> None:
    """Transpose weights that only fit X as PyTorch stores them, (out, in)."""
    d = tensors["X"][0].shape[-1]
    weights = [matrix for name in _WEIGHTS for matrix in tensors[name]]
    if all(matrix.shape[1] == d for matrix in weights) and any(
        matrix.shape[0] != d for matrix in weights
    ):
        for name in _WEIGHTS:
            tensors[name] = [np.ascontiguousarray(matrix.T) for matrix in tensors[name]]


def _texts(ending: str, data: bytes, name: str) -> tuple[str, ...]:
    if ending == ".npz":
        return array_files.texts_from_npz(data, name)
    return array_files.texts_at(data, name) if ending == ".json" else ()
