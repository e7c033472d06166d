"""Open a checkpoint: a folder with config.json and *.safetensors, or a .gguf file.

Tensors stay on the disk.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import msgspec

from core.base.errors import UserError
from core.base.files import disk_error, is_file, is_folder, read_bytes
from core.base.json_reader import decoded, utf8
from core.models.configuration import Configuration, read_configuration
from core.models.families import PARTS, Family, gguf_family
from core.models.gguf import Gguf, is_gguf
from core.models.gguf_settings import gguf_configuration
from core.models.safetensors import Safetensors
from core.models.tensor_file import Numbers, Tensors, mapped

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
_PICKLED = ("pytorch_model.bin", "pytorch_model.bin.index.json", "model.pt", "consolidated.00.pth")
_BUFFERS = (".attn.bias", ".attn.masked_bias", "rotary_emb.inv_freq", "position_ids")
LARGEST_JSON = 1 << 23  # bytes of a configuration or an index
_BIG = 1 << 24  # bytes that are hashed at a time


class ModelIndex(msgspec.Struct):
    """model.safetensors.index.json: the file of each tensor."""

    weight_map: dict[str, str]


class Shards:
    """The tensors of several files."""

    def __init__(self, owners: Mapping[str, Safetensors]) -> None:
        self._owners = owners
        self.shapes: Mapping[str, tuple[int, ...]] = {
            name: owner.shapes[name] for name, owner in owners.items()
        }

    def read(self, name: str, rows: slice | list[int] | None = None) -> Numbers:
        """A tensor, or some of its rows; see Tensors.read."""
        return self._owners[name].read(name, rows)

    def is_float(self, name: str) -> bool:
        """Whether a tensor holds floating-point numbers."""
        return self._owners[name].is_float(name)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A model on the disk, checked: every tensor of its family is there, with the right shape."""

    path: Path  # the folder or file
    files: tuple[Path, ...]  # with weights
    tensors: Tensors
    configuration: Configuration
    family: Family
    prefix: str  # before the names of the family

    def name(self, part: str, layer: int | None = None) -> str:
        """The name of a part's tensors in the file, without ".weight"."""
        names = self.family.names
        within = "" if layer is None else names["layer"].format(layer)
        return f"{self.prefix}{within}{names[part]}"

    @property
    def output_name(self) -> str:
        """The tensor whose rows are the columns of W_U; "" for a model without an output."""
        if not self.family.has("head"):
            return ""
        if self._head in self.tensors.shapes:
            return self._head
        return f"{self.name('word')}.weight" if self.configuration.tied else ""

    @property
    def _head(self) -> str:
        """The name of W_U; it belongs to the whole model and has no prefix."""
        return f"{self.family.names.get('head', '')}.weight"

    @property
    def parameters(self) -> int:
        """How many numbers the model has; tied ones count once, tables that are no weights do not."""
        tied = self._head if self.configuration.tied else ""
        return sum(
            int(prod(shape))
            for name, shape in self.tensors.shapes.items()
            if name != tied and self.tensors.is_float(name) and not name.endswith(_BUFFERS)
        )

    def sha256(self) -> str:
        """The SHA-256 of the file of weights; of several that of their names and hashes, one line
        each as sha256sum prints them.
        """
        found = [(_hash(path), path.name) for path in self.files]
        if len(found) == 1:
            return found[0][0]
        text = "".join(f"{digest}  {name}\n" for digest, name in found)
        return hashlib.sha256(text.encode()).hexdigest()


def _hash(path: Path) -> str:
    data, total = mapped(path), hashlib.sha256()
    for start in range(0, len(data), _BIG):
        total.update(data[start : start + _BIG])
    return total.hexdigest()


def open_checkpoint(path: Path) -> Checkpoint:
    """The checkpoint in a folder, or of a file of weights beside its config.json.

    Raises UserError: what the readers raise; "model.nothing" and "model.pickle" for a folder
    without weights that are read, "model.several" (known) for one with several, "model.index" (name)
    for an index that names a file elsewhere or a tensor that its file lacks, "model.missing" (name)
    and "model.shape" (name, expected, actual) for tensors, "model.extra" (name) for a tensor of a
    layer that is not used.
    """
    if is_gguf(path):
        gguf = Gguf(path)
        configuration = gguf_configuration(gguf, str(path))
        family = gguf_family(configuration.architecture)
        return checked(path, (path,), gguf, configuration, family)
    if is_folder(path):
        configuration = _configuration(path)
        tensors, files = _folder_tensors(path)
    else:
        tensors, files = Safetensors(path), (path,)
        configuration = _configuration(path.parent)
    return checked(path, files, tensors, configuration, configuration.family)


def _configuration(folder: Path) -> Configuration:
    path = folder / "config.json"
    return read_configuration(read_json(path, dict[str, Any]), str(path))


def read_json(path: Path, kind: Any) -> Any:
    """A file of JSON as `kind`; errors name the file. Raises UserError "file.too_large" (limit), and
    as the reader of JSON does.
    """
    try:
        data = read_bytes(path)
        if len(data) > LARGEST_JSON:
            raise UserError("file.too_large", limit=LARGEST_JSON)
        return decoded(utf8(data), kind, {})
    except UserError as problem:
        raise UserError(problem.code, **{**problem.data, "path": str(path)}) from problem


def _folder_tensors(folder: Path) -> tuple[Tensors, tuple[Path, ...]]:
    index = folder / INDEX
    if is_file(folder / WEIGHTS):
        files = [folder / WEIGHTS]
    elif is_file(index):
        return _shards(folder, read_json(index, ModelIndex).weight_map)
    else:
        try:
            files = sorted(folder.glob("*.safetensors"))
        except OSError as error:
            raise disk_error("file.unreadable", folder, error) from error
    if not files:
        if any(is_file(folder / name) for name in _PICKLED):
            raise UserError("model.pickle", path=str(folder))
        raise UserError("model.nothing", path=str(folder))
    if len(files) > 1:
        raise UserError("model.several", path=str(folder), known=[file.name for file in files])
    return Safetensors(files[0]), (files[0],)


def _shards(folder: Path, weight_map: Mapping[str, str]) -> tuple[Tensors, tuple[Path, ...]]:
    opened: dict[str, Safetensors] = {}
    for tensor, name in weight_map.items():
        if not name or name.startswith(".") or any(sign in name for sign in "/\\:\0"):
            raise UserError("model.index", path=str(folder / INDEX), name=name)
        if name not in opened:
            opened[name] = Safetensors(folder / name)
        if tensor not in opened[name].shapes:
            raise UserError("model.missing", path=str(folder / name), name=tensor)
    files = tuple(folder / name for name in sorted(opened))
    return Shards({tensor: opened[name] for tensor, name in weight_map.items()}), files


def checked(
    path: Path,
    files: tuple[Path, ...],
    tensors: Tensors,
    configuration: Configuration,
    family: Family,
) -> Checkpoint:
    """A checkpoint whose tensors are all there."""
    word = f"{family.names['word']}.weight"
    prefix = next((each for each in family.prefixes if each + word in tensors.shapes), "")
    checkpoint = Checkpoint(path, files, tensors, configuration, family, prefix)
    expected = dict(_expected(checkpoint))
    for name, shape in expected.items():
        actual = tensors.shapes.get(name)
        if actual is None:
            raise UserError("model.missing", path=str(path), name=name)
        if actual != shape:
            raise UserError("model.shape", path=str(path), name=name, expected=shape, actual=actual)
    layers = prefix + family.names["layer"].partition("{}")[0]
    for name in tensors.shapes:
        if name.startswith(layers) and name not in expected and not name.endswith(_BUFFERS):
            raise UserError("model.extra", path=str(path), name=name)
    return checkpoint


def _expected(checkpoint: Checkpoint) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every tensor that the model uses, with its shape. A missing one ends the walk."""
    own, family = checkpoint.configuration, checkpoint.family
    d = own.d
    yield f"{checkpoint.name('word')}.weight", (own.vocabulary, d)
    if family.has("position"):
        yield f"{checkpoint.name('position')}.weight", (own.first_position + own.positions, d)
    if family.has("token_type"):
        yield f"{checkpoint.name('token_type')}.weight", (own.token_types, d)
    for norm in ("embedding_norm", "final_norm"):
        if family.has(norm):
            yield from _norm(checkpoint.name(norm), d, family)
    for layer in range(own.layers):
        for norm in ("attention_norm", "mlp_norm"):
            yield from _norm(checkpoint.name(norm, layer), d, family)
        for part, (rows, columns) in part_shapes(family, own).items():
            name = checkpoint.name(part, layer)
            yield f"{name}.weight", (columns, rows) if family.transposed else (rows, columns)
            if part in own.biases:
                yield f"{name}.bias", (rows,)
    if checkpoint.output_name:
        yield checkpoint.output_name, (own.vocabulary, d)


def _norm(name: str, d: int, family: Family) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (d,)
    if not family.rms:
        yield f"{name}.bias", (d,)


def part_shapes(family: Family, own: Configuration) -> dict[str, tuple[int, int]]:
    """The parts of a layer that have a matrix, with its shape (out, in)."""
    queries, keys = own.heads * own.k, own.kv_heads * own.k
    shapes = {
        "query": (queries, own.d),
        "key": (keys, own.d),
        "value": (keys, own.d),
        "qkv": (queries + 2 * keys, own.d),
        "output": (own.d, queries),
        "up": (own.f, own.d),
        "gate": (own.f, own.d),
        "down": (own.d, own.f),
    }
    return {part: shapes[part] for part in PARTS if family.has(part)}
