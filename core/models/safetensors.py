"""Read *.safetensors: a header in JSON with the name, type, shape and place of each tensor.

Format: 8 bytes with the length of the header, the header, the numbers; see
https://github.com/huggingface/safetensors. They fill the rest of the file without gaps.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from math import prod
from typing import Any

import msgspec
import numpy as np

from core.base.errors import UserError
from core.base.json_reader import decoded, require_single_keys, utf8
from core.models.tensor_file import Numbers, mapped

LARGEST_HEADER = 1 << 22  # bytes; the header of a model of 1,000 layers takes less than 2 MB
# The NumPy type that holds a number of each type.
_TYPES: dict[str, str] = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",
    "F8_E4M3": "u1",
    "F8_E5M2": "u1",
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U64": "<u8",
    "U32": "<u4",
    "U16": "<u2",
    "U8": "u1",
    "BOOL": "u1",
}
# Ends of names in old files of BERT, and what they are called today.
_OLD_NAMES = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
_NO_JSON = tuple(f"file.{name}" for name in ("empty", "encoding", "syntax", "too_deep", "type"))
_FLOATS = ("F64", "F32", "F16", "BF16", "F8_E4M3", "F8_E5M2")


class TensorEntry(msgspec.Struct, forbid_unknown_fields=True):
    """A tensor of the header; the offsets count from the end of the header."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


class Safetensors:
    """A safetensors file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read the header.

        Raises UserError as `mapped` does, "model.header" (size, limit) for a header longer than the
        file or the limit, "model.header_text" for one that is not JSON, "file.duplicate_key",
        "model.tensor" (name, reason) for a tensor that does not fit, "model.rest" (size) for bytes
        after the last one.
        """
        self._path = os.fspath(path)
        data = mapped(path)
        size, limit = int.from_bytes(data[:8], "little"), min(len(data) - 8, LARGEST_HEADER)
        if size > limit:
            raise UserError("model.header", path=self._path, size=size, limit=limit)
        self._numbers = data[8 + size :]
        try:
            self._entries = _entries(bytes(data[8 : 8 + size]))
            _require_layout(self._entries, len(self._numbers))
        except UserError as problem:
            if problem.code in _NO_JSON:
                raise UserError("model.header_text", path=self._path) from problem
            raise UserError(problem.code, **{**problem.data, "path": self._path}) from problem
        self._shapes = {name: tuple(entry.shape) for name, entry in self._entries.items()}

    @property
    def shapes(self) -> Mapping[str, tuple[int, ...]]:
        """The shape of each tensor, in the order of the file."""
        return self._shapes

    def is_float(self, name: str) -> bool:
        """Whether a tensor holds floating-point numbers."""
        return self._entries[name].dtype in _FLOATS

    def read(self, name: str, rows: slice | list[int] | None = None) -> Numbers:
        """A tensor, or some of its rows; see Tensors.read."""
        entry = self._entries[name]
        if entry.dtype not in _FLOATS:
            raise UserError("model.numbers", path=self._path, name=name, dtype=entry.dtype)
        start, end = entry.data_offsets
        raw = np.frombuffer(self._numbers[start:end], _TYPES[entry.dtype]).reshape(entry.shape)
        raw = raw if rows is None else raw[rows]
        if entry.dtype == "BF16":
            return (raw.astype("<u4") << 16).view("<f4")
        if entry.dtype == "F8_E5M2":  # the upper half of a number of 16 bits
            return (raw.astype("<u2") << 8).view("<f2")
        return _E4M3[raw] if entry.dtype == "F8_E4M3" else raw


def _entries(header: bytes) -> dict[str, TensorEntry]:
    header = utf8(header)
    found = decoded(header, dict[str, msgspec.Raw], {})
    require_single_keys(header)
    found.pop("__metadata__", None)
    return {_name_today(name): _entry(name, bytes(raw)) for name, raw in found.items()}


def _name_today(name: str) -> str:
    old = next((each for each in _OLD_NAMES if name.endswith(each)), "")
    return name.removesuffix(old) + _OLD_NAMES[old] if old else name


def _entry(name: str, raw: bytes) -> TensorEntry:
    try:
        return msgspec.json.decode(raw, type=TensorEntry)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UserError("model.tensor", name=name, reason="tensor.entry") from error


def _require_layout(entries: Mapping[str, TensorEntry], size: int) -> None:
    """Raise UserError "model.tensor" unless the tensors fill `size` bytes one after another."""
    at = 0
    for name, entry in sorted(entries.items(), key=lambda item: item[1].data_offsets):
        kind = _TYPES.get(entry.dtype)
        if kind is None:
            raise UserError("model.numbers", name=name, dtype=entry.dtype)
        start, end = entry.data_offsets
        if min(entry.shape, default=0) < 0 or len(entry.shape) > 8:
            raise UserError("model.tensor", name=name, reason="tensor.shape")
        if end - start != np.dtype(kind).itemsize * prod(entry.shape):
            raise UserError("model.tensor", name=name, reason="tensor.size")
        if end > size:
            raise UserError("model.tensor", name=name, reason="tensor.outside")
        if start != at:
            reason = "tensor.overlap" if start < at else "tensor.gap"
            raise UserError("model.tensor", name=name, reason=reason)
        at = end
    if at != size:
        raise UserError("model.rest", size=size - at)


def _e4m3() -> np.ndarray[Any, np.dtype[np.float32]]:
    """The 256 numbers of 8 bits: a sign, 4 bits of exponent, 3 of fraction, no infinity."""
    code = np.arange(256)
    exponent, fraction = code >> 3 & 15, code & 7
    value = np.where(
        exponent > 0, np.ldexp(1 + fraction / 8, exponent - 7), np.ldexp(fraction / 8, -6)
    )
    value[(code & 127) == 127] = np.nan
    return np.where(code < 128, value, -value).astype(np.float32)


_E4M3 = _e4m3()
