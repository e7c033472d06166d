"""Typed reading of the program's JSON files: what does not fit is a problem with its place."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from core.base.errors import UserError
from core.storage.archive_errors import explained, require_utf8

T = TypeVar("T")
Kinds = Mapping[str, type[msgspec.Struct]]
MOST_VALUES = 8_000_000  # numbers of a file, each of which takes 32 bytes while it is read
_LAST_KEY = re.compile(r"([^.\[\]]+)(?:\[\d+\])*$")


class FileLabel(msgspec.Struct):
    """What a file says that it is; read alone and first, so that a newer version is never half-read."""

    format: object = None
    version: object = None


def utf8(data: bytes) -> bytes:
    """The data without a byte order mark. Raises UserError "file.encoding", "file.empty" or "file.too_many" (limit)."""
    data = data.removeprefix(BOM_UTF8)
    if data.count(b",") > MOST_VALUES:
        raise UserError("file.too_many", limit=MOST_VALUES)
    require_utf8(data)
    return data


def decoded(data: bytes, kind: type[T], kinds: Kinds) -> T:
    """The data as a struct. `kinds` says by its last key which struct stands at a place, "" the whole file's.

    Raises UserError "file.syntax", "file.too_deep", "file.not_finite", "file.type", "file.missing_key", and
    "file.unknown_key" with the known ones.
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        problem = explained(data, error)
        if problem.code == "file.unknown_key":
            problem = UserError(
                problem.code, **problem.data, known=_keys(problem.data["place"], kinds)
            )
        raise problem from error


def _keys(place: str, kinds: Kinds) -> tuple[str, ...]:
    """The keys that an object may have, by its place: heads[1] is one of `heads`."""
    found = _LAST_KEY.search(place)
    return kinds.get(found[1] if found else "", kinds[""]).__struct_encode_fields__


def require_version(version: object, known: int) -> None:
    """Raise UserError "file.newer" for a later version than the known one, "file.version" for none at all."""
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise UserError("file.version", version=version, known=known)
    if version > known:
        raise UserError("file.newer", version=version, known=known)
