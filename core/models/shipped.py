"""Open a model by its place, or by the id of one that ships with the program."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

from core.base.errors import UserError
from core.base.files import exists, resource
from core.models.checkpoint import open_checkpoint, read_json
from core.models.model import Model

FOLDER, ABOUT = "models", "model.json"
# Names that folders and files of any model may have: model, checkpoint-500, a hash.
_SAYS_NOTHING = re.compile(
    r"((my|the|hf|best|final|last|saved|trained|pretrained|pytorch)[-_ ]?)*"
    r"(models?|checkpoints?|ckpt|weights|snapshots?|main|output|best|final|last|[0-9a-f]{40})?"
    r"[-_ ]?[0-9]*(-of-[0-9]+)?"
)
# Folders of a person or a system, above which no name belongs to the model.
_OF_SYSTEM = ("downloads", "documents", "desktop", "home", "users", "root", "tmp", "temp")


class Snapshot(msgspec.Struct, frozen=True):
    """The weights after a number of steps of training, in a file of the model's folder."""

    step: int
    file: str


class About(msgspec.Struct, frozen=True):
    """model.json of a shipped model: texts by language, and snapshots of its training."""

    title: dict[str, str]
    notes: dict[str, str] = {}
    text: dict[str, str] = {}
    snapshots: list[Snapshot] = []


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """A model that ships with the program; texts by language. `text` is one that it can read."""

    id: str
    title: dict[str, str]
    notes: dict[str, str]
    text: dict[str, str]
    folder: Path
    snapshots: tuple[tuple[int, str], ...]


def shipped_models() -> tuple[ShippedModel, ...]:
    """The shipped models, in the order of their ids."""
    folders = sorted(path.parent for path in resource(FOLDER).glob(f"*/{ABOUT}"))
    return tuple(map(_shipped, folders))


def _shipped(folder: Path) -> ShippedModel:
    about: About = read_json(folder / ABOUT, About)
    snapshots = tuple((each.step, each.file) for each in about.snapshots)
    return ShippedModel(folder.name, about.title, about.notes, about.text, folder, snapshots)


def open_model(source: str | os.PathLike[str]) -> Model:
    """The model in a folder, in a file, or with the id of a shipped one.

    Raises UserError "model.unknown" (path, known) for neither, and as open_checkpoint does.
    """
    text = os.fspath(source)
    path = Path(text)
    if not exists(path):
        shipped = {model.id: model.folder for model in shipped_models()}
        if text not in shipped:
            raise UserError("model.unknown", path=text, known=tuple(shipped))
        path = shipped[text]
    checkpoint = open_checkpoint(path)
    return Model(checkpoint, text, place_name(path) or checkpoint.configuration.architecture)


def place_name(path: Path) -> str:
    """The name of the file or of the nearest folder that says something; "" where none does.

    In a cache of Hugging Face, models--owner--name/snapshots/<hash>, it is that of the repository.
    """
    for place in (path.resolve(), *path.resolve().parents):
        name = place.name
        if place.suffix in (".gguf", ".safetensors"):
            name = place.stem
        name = name.rpartition("--")[2] if name.startswith("models--") else name
        if _SAYS_NOTHING.fullmatch(name.lower()) is None:
            return "" if name.lower() in _OF_SYSTEM or place == Path.home() else name
    return ""
