"""What a learner wrote for experiments, as files in the folder `answers`, one for each name of an experiment.

An experiment goes by its file and by its numbers: under either name its answers are found. A file holds the numbers as
they were written, by stage and by the index in the stage's shape, counted from 0: {"Q": {"0,1": "3.5"}}.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.check.answers import Entries, Written, written
from core.check.report import Index
from core.document.document import Document
from core.document.plan import STAGE_AXES
from gui.session.preferences import home

MOST = 500  # files; the oldest go first
UNSTATED = ("title", "notes", "filled")  # of a document: other words about the same numbers

# By stage, then by the index as a text.
Texts = dict[str, dict[str, str]]
_packed: list[tuple[Entries, Texts]] = []


def answers_folder() -> Path:
    """Where the answers to every experiment are."""
    return home() / "answers"


def name_of_path(path: Path) -> str:
    """The name of the experiment that stands in a file."""
    return _digest(os.path.normcase(path))


def name_of_numbers(document: Document) -> str:
    """The name of an experiment with these tokens and numbers."""
    return _digest(document)


def _digest(value: object) -> str:
    digest = blake2b(digest_size=16)
    _feed(digest, value)
    return digest.hexdigest()


def _feed(digest: Any, value: object) -> None:
    if isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value))
    elif is_dataclass(value):
        for field in fields(value):
            if field.name not in UNSTATED:
                _feed(digest, getattr(value, field.name))
    elif isinstance(value, tuple):
        digest.update(f"({len(value)}".encode())
        for part in value:
            _feed(digest, part)
    else:
        digest.update(f"{value!r};".encode(errors="backslashreplace"))


def packed(entries: Entries) -> Texts:
    """The answers as texts alone; the same object for the same entries."""
    for known, texts in _packed:
        if known is entries:
            return texts
    texts = {
        stage: {",".join(map(str, index)): number.text for index, number in cells.items()}
        for stage, cells in entries.items()
    }
    _packed[:] = [(entries, texts)]
    return texts


def unpacked(texts: Mapping[str, Mapping[str, str]]) -> Entries:
    """The answers as they were written; what cannot be read is left out."""
    found = {stage: _cells(stage, cells) for stage, cells in texts.items() if stage in STAGE_AXES}
    return MappingProxyType({stage: cells for stage, cells in found.items() if cells})


def _cells(stage: str, texts: Mapping[str, str]) -> Mapping[Index, Written]:
    cells: dict[Index, Written] = {}
    for place, text in texts.items():
        parts = place.split(",")
        if len(parts) == len(STAGE_AXES[stage]) and all(part.isdecimal() for part in parts):
            with suppress(UserError):
                number = written(text)
                if number is not None:
                    cells[tuple(map(int, parts))] = number
    return MappingProxyType(cells)


def read_answers(name: str) -> Entries | None:
    """What is kept under a name; None where nothing is, or nothing that can be read."""
    try:
        return unpacked(msgspec.json.decode(read_bytes(_file(name)), type=Texts))
    except (UserError, msgspec.DecodeError, RecursionError, ValueError):
        return None


def write_answers(due: Mapping[str, Entries]) -> bool:
    """Keep answers under their names. False where the disk refuses."""
    try:
        answers_folder().mkdir(parents=True, exist_ok=True)
        for name, entries in due.items():
            write_bytes(_file(name), msgspec.json.encode(packed(entries)))
        _drop_oldest()
    except (OSError, UserError):
        return False
    return True


def _file(name: str) -> Path:
    return answers_folder() / f"{name}.json"


def _drop_oldest() -> None:
    files = [*answers_folder().glob("*.json")]
    if len(files) > MOST:
        for file in sorted(files, key=lambda file: file.stat().st_mtime_ns)[:-MOST]:
            file.unlink(missing_ok=True)
