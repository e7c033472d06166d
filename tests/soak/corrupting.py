"""Corruption by chance: bytes, the tree of a JSON file, the members of an archive."""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from random import Random
from typing import Any

TOKENS = (
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b":",
    b"\\",
    b"null",
    b"true",
    b"NaN",
    b"-Infinity",
    b"1e999",
    b"-0.0",
    b"1e308",
    b"5e-324",
    b"9" * 400,
    b"9" * 5000,
    b"\x00",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98\x80",
    b"../../etc/passwd",
    b"file:///etc/passwd",
    b"=1+1",
    b"__import__('os').system('true')",
    b"9**9**9",
    b"(" * 300,
    b"[" * 2000,
    b"\n" * 50,
    b"\\begin{bmatrix}",
    b"&&&&",
    b"|||",
    b"\r",
    b"\t\t",
    b"%",
    b"1/0",
    b"'",
    b"\x1a",
    b"\x93NUMPY\x01\x00",
)
SIZES = (0, 1, 2, 7, 255, 1 << 16, 1 << 31, (1 << 32) - 1, 1 << 40, 1 << 60, 1 << 63, (1 << 64) - 1)
VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    2**64,
    -(2**63),
    10**400,
    1e308,
    5e-324,
    -0.0,
    0.5,
    "",
    "e",
    "none",
    "\ud800",
    "猫" * 3,
    "../../secret.attn.json",
    "/etc/passwd",
    "C:\\x",
    "near.attn.json",
    "x" * 5000,
    [],
    [[]],
    {},
    [[1]],
    [None],
    [[1, 2], [3]],
    {"kind": "custom"},
    {"kind": "window", "left": -1},
    {"kind": "learned"},
    [[[[[[1]]]]]],
    [0, 0, 0],
)


def corrupted(data: bytes, others: list[bytes], chance: Random) -> bytes:
    """The data with one to six things wrong."""
    for _ in range(chance.choice((1, 1, 1, 2, 3, 6))):
        ways = [_bytes, _bytes, _splice]
        if data[:2] == b"PK":
            ways += [_members] * 4
        elif data.lstrip()[:1] in (b"{", b"["):
            ways += [_tree] * 4
        elif data[8:9] == b"{":
            ways += [_header] * 4
        elif data[:4] == b"GGUF":
            ways += [_counts] * 4
        data = chance.choice(ways)(data, others, chance)
    return data


def _bytes(data: bytes, _others: list[bytes], chance: Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    length = chance.choice((1, 1, 2, 4, 16, 200))
    match chance.randrange(5):
        case 0:
            return data[:at] + chance.randbytes(length) + data[at + length :]
        case 1:
            return data[:at] + data[at + length :]
        case 2:
            return data[:at] + chance.choice(TOKENS) + data[at:]
        case 3:
            return (
                data[:at] + data[at : at + length] * chance.choice((2, 3, 40)) + data[at + length :]
            )
        case _:
            return data[:at]


def _splice(data: bytes, others: list[bytes], chance: Random) -> bytes:
    other = chance.choice(others)
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


def _tree(data: bytes, others: list[bytes], chance: Random) -> bytes:
    """One value of the tree another one, gone, doubled, or under another key."""
    with suppress(ValueError, RecursionError):
        tree = json.loads(data)
        node, key = _somewhere(tree, chance)
        if node is None:
            return json.dumps(chance.choice(VALUES)).encode()
        match chance.randrange(5):
            case 0:
                del node[key]
            case 1 if isinstance(node, list):
                node.insert(key, node[key])
            case 2 if isinstance(node, dict):
                node[
                    chance.choice(
                        ("", "X", "context", "softmax", "W_Q", "kind", "changes", "lab", "unknown")
                    )
                ] = node[key]
            case 3:
                other, place = _somewhere(tree, chance)
                node[key] = json.loads(json.dumps(other[place])) if other is not None else None
            case _:
                node[key] = chance.choice(VALUES)
        return json.dumps(tree, ensure_ascii=chance.random() < 0.5).encode("utf-8", "replace")
    return _bytes(data, others, chance)


def _header(data: bytes, others: list[bytes], chance: Random) -> bytes:
    """The header of a safetensors file with one thing wrong; its length is right again, mostly."""
    size = int.from_bytes(data[:8], "little")
    header = _tree(data[8 : 8 + size], others, chance)
    size = len(header) if chance.random() < 0.8 else chance.choice(SIZES)
    return size.to_bytes(8, "little") + header + data[8 + int.from_bytes(data[:8], "little") :]


def _counts(data: bytes, _others: list[bytes], chance: Random) -> bytes:
    """One number of 4 or 8 bytes in the first part of a GGUF file another one."""
    at = chance.randrange(4, min(len(data), 1500))
    width = chance.choice((4, 8))
    number = chance.choice(SIZES) % (1 << 8 * width)
    return data[:at] + number.to_bytes(width, "little") + data[at + width :]


def _somewhere(tree: Any, chance: Random) -> tuple[Any, Any]:
    """A container and a key in it; (None, None) for a tree that is none."""
    found: tuple[Any, Any] = (None, None)
    node = tree
    while isinstance(node, dict | list) and node:
        key = chance.choice(list(node)) if isinstance(node, dict) else chance.randrange(len(node))
        found, node = (node, key), node[key]
        if chance.random() < 0.25:
            break
    return found


def _members(data: bytes, others: list[bytes], chance: Random) -> bytes:
    """One file of an archive corrupted, gone, doubled or called otherwise; its checksum is right again."""
    with suppress(Exception):  # what is damaged already is no archive any more
        with zipfile.ZipFile(io.BytesIO(data)) as old:
            members = [(entry.filename, old.read(entry)) for entry in old.infolist()]
        if not members:
            return data
        at = chance.randrange(len(members))
        name, content = members[at]
        match chance.randrange(4):
            case 0:
                del members[at]
            case 1:
                members[at] = (
                    chance.choice(("../../x.npy", "W_K.npy", "/abs.npy", "", "xl/workbook.xml")),
                    content,
                )
            case _:
                members[at] = name, _bytes(content, others, chance)
        file = io.BytesIO()
        with zipfile.ZipFile(
            file, "w", chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
        ) as new:
            for member, content in dict(members).items():
                new.writestr(member or "x", content)
        return file.getvalue()
    return _bytes(data, others, chance)
