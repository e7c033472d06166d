"""Read *.gguf: settings, and tensors that may be quantised.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3, little-endian.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from core.base.errors import UserError
from core.base.files import is_folder
from core.models.quantised import FORMATS, OTHERS
from core.models.tensor_file import Numbers, mapped

MAGIC = b"GGUF"
MOST_TENSORS, MOST_SETTINGS = 1 << 15, 1 << 12
MOST_TEXTS = 1 << 20  # in all lists together; the largest vocabularies have half as many and merges
MOST_TEXT = 1 << 26  # bytes of all texts together
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<B"}
_SCALARS |= {10: "<Q", 11: "<q", 12: "<d"}
_BOOL, _TEXT, _LIST = 7, 8, 9


class _Reader:
    """Reads values one after another. Raises UserError "model.gguf" where they do not fit."""

    def __init__(self, data: memoryview) -> None:
        self.data, self.at, self._texts, self._left = data, len(MAGIC), 0, MOST_TEXT

    def take(self, size: int) -> memoryview:
        if size > len(self.data) - self.at:
            raise UserError("model.gguf", byte=self.at)
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, kind: str) -> Any:
        return struct.unpack(kind, self.take(struct.calcsize(kind)))[0]

    def count(self, most: int, kind: str = "<Q") -> int:
        found: int = self.number(kind)
        if found > most:
            raise UserError("model.gguf", byte=self.at)
        return found

    def text(self) -> str:
        size = self.count(self._left)
        self._left -= size
        return bytes(self.take(size)).decode("utf-8", "replace")

    def value(self) -> object:
        kind = self.number("<I")
        if kind == _TEXT:
            return self.text()
        if kind == _LIST:
            return self._list()
        if kind not in _SCALARS:
            raise UserError("model.gguf", byte=self.at)
        found = self.number(_SCALARS[kind])
        return bool(found) if kind == _BOOL else found

    def _list(self) -> object:
        kind, count = self.number("<I"), self.number("<Q")
        if kind == _TEXT:
            self._texts += count
            if self._texts > MOST_TEXTS:
                raise UserError("model.gguf", byte=self.at)
            return [self.text() for _ in range(count)]
        if kind not in _SCALARS:  # lists of lists are in no file of a model
            raise UserError("model.gguf", byte=self.at)
        kind = _SCALARS[kind]
        return np.frombuffer(self.take(count * struct.calcsize(kind)), kind)


class Gguf:
    """A GGUF file: `settings` by key, and tensors."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Read everything but the numbers.

        Raises UserError as `mapped` does, "model.gguf" (byte) for a value that does not fit,
        "model.gguf_version" (value), "model.numbers" (name, dtype) and "model.tensor" (name, reason).
        """
        self._path = os.fspath(path)
        try:
            self._read(mapped(path))
        except UserError as problem:
            raise UserError(problem.code, **{**problem.data, "path": self._path}) from problem

    def _read(self, data: memoryview) -> None:
        reader = _Reader(data)
        if bytes(data[: len(MAGIC)]) != MAGIC:
            raise UserError("model.gguf", byte=0)
        version = reader.number("<I")
        if version not in (2, 3):
            raise UserError("model.gguf_version", value=version)
        tensors, settings = reader.count(MOST_TENSORS), reader.count(MOST_SETTINGS)
        self.settings = {reader.text(): reader.value() for _ in range(settings)}
        self.shapes: Mapping[str, tuple[int, ...]] = {}
        self._places: dict[str, tuple[int, int]] = {}  # type, offset
        shapes: dict[str, tuple[int, ...]] = {}
        for _ in range(tensors):
            name = reader.text()
            axes = [reader.number("<Q") for _ in range(reader.count(4, "<I"))]
            if name in shapes:
                raise UserError("model.tensor", name=name, reason="tensor.twice")
            shapes[name] = tuple(reversed(axes))
            self._places[name] = reader.number("<I"), reader.number("<Q")
        self.shapes = shapes
        alignment = self.settings.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 0 < alignment <= 1 << 20:
            raise UserError("model.value", key="general.alignment", value=str(alignment)[:80])
        self._numbers = data[min(-(-reader.at // alignment) * alignment, len(data)) :]
        self._require_layout()

    def _require_layout(self) -> None:
        """Raise UserError unless the tensors lie in the file, one after another."""
        at = 0
        for name, (kind, start) in sorted(self._places.items(), key=lambda item: item[1][1]):
            block = FORMATS.get(kind)
            if block is None:
                raise UserError("model.numbers", name=name, dtype=OTHERS.get(kind, str(kind)))
            shape = self.shapes[name]
            if not shape or 0 in shape or shape[-1] % block.values:
                raise UserError("model.tensor", name=name, reason="tensor.shape")
            end = start + prod(shape) // block.values * block.size
            if end > len(self._numbers):
                raise UserError("model.tensor", name=name, reason="tensor.outside")
            if start < at:
                raise UserError("model.tensor", name=name, reason="tensor.overlap")
            at = end

    def is_float(self, name: str) -> bool:
        """Whether a tensor holds floating-point numbers: all that are read do."""
        return name in self.shapes

    def read(self, name: str, rows: slice | list[int] | None = None) -> Numbers:
        """A tensor, or some of its rows; see Tensors.read."""
        kind, start = self._places[name]
        block, shape = FORMATS[kind], self.shapes[name]
        size = prod(shape) // block.values * block.size
        raw = np.frombuffer(self._numbers[start : start + size], np.uint8)
        blocks = raw.reshape(*shape[:-1], shape[-1] // block.values, block.size)
        chosen = blocks if rows is None else blocks[rows]
        found = block.read(chosen)
        return found.reshape(*chosen.shape[:-2], shape[-1])


def read_metadata(path: str | os.PathLike[str]) -> dict[str, object]:
    """The settings of a GGUF file, lists of numbers as arrays. Raises UserError as Gguf does."""
    return Gguf(path).settings


def is_gguf(path: Path) -> bool:
    """Whether it is a file that begins as GGUF does, or has that ending."""
    if is_folder(path):
        return False
    return path.suffix.lower() == ".gguf" or bytes(mapped(path)[: len(MAGIC)]) == MAGIC
