"""Large tables of nothing but plain decimals, read many at once; all else is left to the careful reader."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import msgspec
import numpy as np

from core.base.arrays import Array, sealed
from core.base.number_format import too_long

WORTH_IT = 1 << 12  # letters; below, the careful reader takes no time
AT_ONCE = 1 << 20  # letters that are read together, so that threads get their turn between

_MATRIX = msgspec.json.Decoder(list[list[float]])
_MINUS_NOTHING = re.compile(r"-0(?![.0-9eE])")
_DIGITS = b"0123456789+-.eE"  # float() understands nothing made of these that is no plain decimal


def decimals(text: str) -> Array | None:
    """The matrix of lines as long as each other, of numbers parted by tabs, by commas (and a space) or by spaces alone;
    None for any other text. The numbers are those of float(), as the careful reader's are."""
    if len(text) < WORTH_IT or not text.isascii():
        return None
    text = text.replace("\r\n", "\n").strip("\n")
    first = text.partition("\n")[0]
    sign = next((sign for sign in "\t," if sign in first), None)
    width = len(first.split(sign))
    if not width or (
        sign == "," and width == 2 and first == text
    ):  # one number or two: nothing tells
        return None
    parts = []
    for block in _blocks(text):
        part = _read(block, sign, width)
        if part is None:
            return None
        parts.append(part)
    values = np.concatenate(parts)
    return sealed(values) if np.isfinite(values).all() else None


def _blocks(text: str) -> Iterator[str]:
    """Whole lines, many at a time."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start + AT_ONCE)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _read(block: str, sign: str | None, width: int) -> Array | None:
    between = {None: b" ", "\t": b"\t", ",": b", "}[sign]
    if block.encode().translate(None, _DIGITS + between + b"\n"):
        return None
    if sign == "," and block.count(" ") != block.count(
        ", "
    ):  # a space that parts numbers: commas may be decimal ones
        return None
    lines = block.split("\n")
    if too_long(lines) and any(too_long(line.split(sign)) for line in lines):
        return None
    rows = _as_json(block, sign) or _as_texts(block, sign)
    if rows is None or any(len(row) != width for row in rows):
        return None
    return np.fromiter(chain.from_iterable(rows), np.float64, len(rows) * width).reshape(-1, width)


def _as_json(block: str, sign: str | None) -> list[list[float]] | None:
    """The rows as JSON's numbers, which msgspec reads to the same bit as float() does, in half the time; but for −0."""
    if sign is None or _MINUS_NOTHING.search(block):
        return None
    try:
        return _MATRIX.decode("[[" + block.replace("\n", "],[").replace(sign, ",") + "]]")
    except msgspec.DecodeError:  # 1. and .5, +1 and 007; or too large
        return None


def _as_texts(block: str, sign: str | None) -> list[list[float]] | None:
    try:
        return [[*map(float, line.split(sign))] for line in block.split("\n")]
    except ValueError:
        return None
