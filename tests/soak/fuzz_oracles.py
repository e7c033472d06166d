"""Second opinions on what a reader accepted, from readers that share no code with it."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from core.base.arrays import Array

_USUAL: dict[str, Any] = {
    "title": "",
    "notes": "",
    "name": "",
    "enabled": True,
    "base": 10000.0,
    "pins": [],
    "positional": {"kind": "none"},
    "mask": {"kind": "none"},
    "scale": {"kind": "sqrt_dk"},
    "softmax": {},
}
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
_SIGN = re.compile(r"\s*(\d+\.?\d*|\.\d+|\*\*|[-+*/^()])", re.ASCII)


def same(one: Array, other: Array) -> bool:
    """Whether two arrays have the same shape and the same bits, but for the sign of nothing."""
    return one.shape == other.shape and bool(np.array_equal(one, other))


def tree_of(data: bytes) -> Any:
    """An experiment file as the json module reads it: what is as by default is left out, every number is a double."""
    return _usual(json.loads(data.decode("utf-8-sig")))


def _usual(node: Any) -> Any:
    if isinstance(node, dict):
        kept = {key: _usual(value) for key, value in node.items() if value is not None}
        if "shift" in kept or kept.get("base") == "e":  # softmax
            kept = {
                key: value
                for key, value in kept.items()
                if (key, value) not in (("base", "e"), ("shift", True))
            }
        if kept.get("kind") in ("sqrt_dk", "none") and kept.get("value") == 1.0:
            del kept["value"]
        return {
            key: value for key, value in kept.items() if key not in _USUAL or value != _USUAL[key]
        }
    if isinstance(node, list):
        return [_usual(item) for item in node]
    if isinstance(node, str):
        return node.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return float(node) if isinstance(node, int) and not isinstance(node, bool) else node


def number_lists(node: Any) -> Iterator[tuple[float, ...]]:
    """Every list of a JSON tree that is nothing but numbers on any depth, run together."""
    if isinstance(node, dict):
        for value in node.values():
            yield from number_lists(value)
    elif isinstance(node, list):
        flat = [*_flat(node)]
        if flat and all(
            isinstance(item, int | float) and not isinstance(item, bool) for item in flat
        ):
            with_doubles = [_double(item) for item in flat]
            yield tuple(with_doubles)
        for value in node:
            yield from number_lists(value)


def _flat(node: Any) -> Iterator[Any]:
    if isinstance(node, list):
        for item in node:
            yield from _flat(item)
    else:
        yield node


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def simple_csv(text: str) -> list[list[float]] | None:
    """Rows of plain numbers with commas between, read by the csv module; None for anything else.

    One comma alone may be a decimal one, and whole numbers beside thousands may be groups: these are left out.
    """
    if "\r" in text or '"' in text or text.count(",") < 2:
        return None
    rows = [[cell.strip(" ") for cell in row] for row in csv.reader(text.strip("\n").split("\n"))]
    if not all(len(row) == len(rows[0]) > 1 for row in rows):
        return None
    if not all(_NUMBER.fullmatch(cell) for row in rows for cell in row):
        return None
    values = [[float(cell) for cell in row] for row in rows]
    return values if all(math.isfinite(value) for row in values for value in row) else None


def plain_value(text: str) -> float | None:
    """The value of digits, + − * / ^ and parentheses by a small reader of its own; None for anything else, or for what
    has no finite value."""
    tokens, position = [], 0
    while position < len(text.rstrip()):
        token = _SIGN.match(text, position)
        if token is None:
            return None
        tokens.append("^" if token[1] == "**" else token[1])
        position = token.end()
    try:
        value = _Sum(tokens).value()
    except (ArithmeticError, ValueError, IndexError, RecursionError):
        return None
    return value if math.isfinite(value) else None


class _Sum:
    """Reads tokens from left to right: sums of products of powers; a sign binds less than a power."""

    def __init__(self, tokens: list[str]) -> None:
        self._tokens = [*tokens, ""]
        self._at = 0

    def value(self) -> float:
        total = self._sum()
        if self._tokens[self._at]:
            raise ValueError
        return total

    def _next(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _sum(self) -> float:
        total = self._product()
        while self._tokens[self._at] in ("+", "-"):
            total = total + self._product() if self._next() == "+" else total - self._product()
        return total

    def _product(self) -> float:
        total = self._signed()
        while self._tokens[self._at] in ("*", "/"):
            total = total * self._signed() if self._next() == "*" else total / self._signed()
        return total

    def _signed(self) -> float:
        if self._tokens[self._at] in ("+", "-"):
            return self._signed() if self._next() == "+" else -self._signed()
        base = self._single()
        if self._tokens[self._at] == "^":
            self._next()
            return math.pow(base, self._signed())
        return base

    def _single(self) -> float:
        token = self._next()
        if token != "(":
            return float(token)
        inner = self._sum()
        if self._next() != ")":
            raise ValueError
        return inner
