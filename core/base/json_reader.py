"""Typed reading of the program's JSON files; what does not fit is a UserError with its place.

Places are written as keys: `heads[1].W_Q[2][0]`, counted from 0 as in JSON.
"""

from __future__ import annotations

import json
import math
import re
from codecs import BOM_UTF8, getincrementaldecoder
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from core.base.errors import UserError

T = TypeVar("T")
Kinds = Mapping[str, type[msgspec.Struct]]
MOST_VALUES = 8_000_000  # numbers of a file, each of which takes 32 bytes while it is read
_INDEX = re.compile(r"\[\d+\]")


class FileLabel(msgspec.Struct):
    """Format and version of a file; read first, so that a newer version is refused before anything
    else.
    """

    format: object = None
    version: object = None


def utf8(data: bytes) -> bytes:
    """The data without a byte order mark. Raises UserError "file.encoding", "file.empty" or
    "file.too_many" (limit).
    """
    data = data.removeprefix(BOM_UTF8)
    if data.count(b",") > MOST_VALUES:
        raise UserError("file.too_many", limit=MOST_VALUES)
    require_utf8(data)
    return data


def decoded(data: bytes, kind: type[T], kinds: Kinds) -> T:
    """The data as a struct. `kinds` maps the last key of a place, or the last two joined by a point,
    to its struct, "" to that of the file.

    Raises UserError "file.syntax", "file.too_deep", "file.not_finite", "file.type",
    "file.missing_key", and "file.unknown_key" with the known ones.
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


def converted(values: object, kind: type[T]) -> T:
    """Values of another file, as lists and dicts, as a struct. Raises the UserErrors of `decoded`."""
    try:
        return msgspec.convert(values, kind)
    except (msgspec.ValidationError, ValueError) as error:
        raise _translated(b"", str(error)) from error


def _keys(place: str, kinds: Kinds) -> tuple[str, ...]:
    """The keys that an object at a place may have: heads[1] is one of `heads`."""
    names = _INDEX.sub("", place).split(".")
    for last in (".".join(names[-2:]), names[-1]):
        if last in kinds:
            return kinds[last].__struct_encode_fields__
    return kinds[""].__struct_encode_fields__


def require_version(version: object, known: int) -> None:
    """Raise UserError "file.newer" for a later version than the known one, "file.version" for none
    at all.
    """
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise UserError("file.version", version=version, known=known)
    if version > known:
        raise UserError("file.newer", version=version, known=known)


_WRONG_TYPE = re.compile(r"Expected `(?P<expected>[^`]+)`, got `(?P<actual>[^`]+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<key>.*)`$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<key>[^`]+)`")
_PLACE = re.compile(r" - at `\$\.?(?P<place>[^`]*)`$")
_BYTE = re.compile(r"\(byte (\d+)\)")

# Strings with the colon of a key, and braces: enough to know which keys are in one object.
# Possessive: a long string would else fill the memory with ways to match it.
_KEYS_AND_BRACES = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"(\s*:)?|[{}]', re.DOTALL)

CHUNK = 1 << 20  # bytes decoded at a time
LARGEST_EXPLAINED = 1 << 24  # bytes of a file that is parsed again to find the place of an error

# Beginnings of json's messages, and the reasons that error messages know.
_SYNTAX_REASONS = (
    ("Extra data", "extra"),
    ("Illegal trailing comma", "comma"),
    ("Expecting ',' delimiter", "delimiter"),
    ("Expecting ':' delimiter", "colon"),
    ("Expecting property name", "key"),
    ("Expecting value", "value"),
    ("Unterminated string", "string"),
    ("Invalid control character", "string"),
    ("Invalid \\", "escape"),
)


def require_utf8(data: bytes) -> None:
    """Raise UserError "file.encoding" (line, byte) unless the data are UTF-8, "file.empty" if there
    are none.
    """
    try:
        _decode(data)
    except UnicodeDecodeError:
        _explain_encoding(data)
    if not data or data.isspace():
        raise UserError("file.empty")


def _decode(data: bytes) -> None:
    """Raise UnicodeDecodeError unless the data are UTF-8; decode in chunks to save memory."""
    decoder = getincrementaldecoder("utf-8")()
    for start in range(0, len(data), CHUNK):
        decoder.decode(data[start : start + CHUNK])
    decoder.decode(b"", final=True)


def _explain_encoding(data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError("file.encoding", line=line, byte=error.start + 1) from error


def explained(data: bytes, error: Exception) -> UserError:
    """The UserError for an exception of the decoder: syntax first, then numbers, then types."""
    if len(data) > LARGEST_EXPLAINED:
        return (
            UserError("file.too_deep")
            if isinstance(error, RecursionError)
            else _translated(data, str(error))
        )
    try:
        if isinstance(error, RecursionError):
            raise error
        for place, value in _numbers(json.loads(data.decode("utf-8"), parse_int=float)):
            if not math.isfinite(value):
                return UserError("file.not_finite", place=place, value=value)
    except json.JSONDecodeError as syntax:
        return _syntax(syntax)
    except RecursionError:
        return UserError("file.too_deep")
    return _translated(data, str(error))


def _syntax(error: json.JSONDecodeError) -> UserError:
    reason = next((name for start, name in _SYNTAX_REASONS if error.msg.startswith(start)), "other")
    return UserError("file.syntax", line=error.lineno, column=error.colno, reason=reason)


def _numbers(node: Any, place: str = "") -> Iterator[tuple[str, float]]:
    """Every number of a tree with its place."""
    if isinstance(node, float):
        yield place, node
    elif isinstance(node, list):
        for index, item in enumerate(node):
            yield from _numbers(item, f"{place}[{index}]")
    elif isinstance(node, dict):
        for key, item in node.items():
            yield from _numbers(item, f"{place}.{key}" if place else key)


def _translated(data: bytes, message: str) -> UserError:
    found = _PLACE.search(message)
    place = found["place"] if found else ""
    message = message[: found.start()] if found else message
    if match := _WRONG_TYPE.match(message):
        expected = tuple(match["expected"].split(" | "))
        return UserError("file.type", place=place, expected=expected, actual=match["actual"])
    if match := _UNKNOWN.match(message):
        return UserError("file.unknown_key", place=place, key=match["key"])
    if match := _MISSING.match(message):
        return UserError("file.missing_key", place=place, key=match["key"])
    byte = _BYTE.search(message)
    at = int(byte[1]) if byte else len(data)
    column = len(data[data.rfind(b"\n", 0, at) + 1 : at].decode("utf-8", "replace")) + 1
    return UserError(
        "file.syntax", line=data.count(b"\n", 0, at) + 1, column=column, reason="other"
    )


def require_rows(rows: Sequence[Sequence[object]], place: str) -> None:
    """Raise UserError "shape.empty" for no numbers at all, "rows.ragged" (row, expected, actual)
    for the first row of another length than row 0.
    """
    if not rows or not rows[0]:
        raise UserError("shape.empty", name=place)
    expected = len(rows[0])
    for number, row in enumerate(rows):
        if len(row) != expected:
            raise UserError(
                "rows.ragged", place=place, row=number, expected=expected, actual=len(row)
            )


def require_single_keys(data: bytes) -> None:
    """Raise UserError "file.duplicate_key" (key, line) if an object has a key twice."""
    open_objects: list[set[bytes]] = []
    for match in _KEYS_AND_BRACES.finditer(data):
        token = match[0]
        if token == b"{":
            open_objects.append(set())
        elif token == b"}":
            open_objects.pop()
        elif match[1] is not None:
            key = token[: match.start(1) - match.start()]
            if b"\\" in key:  # the same key may be written with escapes
                key = json.dumps(json.loads(key), ensure_ascii=False).encode("utf-8", "replace")
            if key in open_objects[-1]:
                line = data.count(b"\n", 0, match.start()) + 1
                raise UserError("file.duplicate_key", key=json.loads(key), line=line)
            open_objects[-1].add(key)
