"""JSON that diffs well: one entry a line, one matrix row a line, numbers in the shortest form that
reads back.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from core.base.text import clean_text

Entry = tuple[str, str]  # a key and its value as JSON, lines after the first not yet indented
WIDEST = 100  # characters of an object on one line


def text_json(text: str) -> str:
    """A text as JSON, its letters unescaped. What no text may hold becomes U+FFFD."""
    return json.dumps(clean_text(text), ensure_ascii=False)


def list_json(items: Sequence[str]) -> str:
    """A list with one item a line."""
    return "[\n  " + ",\n  ".join(indented(item) for item in items) + "\n]"


def object_json(entries: Sequence[Entry], *, one_line: bool = False) -> str:
    """An object with one entry a line, or all of it on one line."""
    if one_line:
        return "{" + ", ".join(f"{text_json(key)}: {value}" for key, value in entries) + "}"
    return (
        "{\n"
        + ",\n".join(f"  {text_json(key)}: {indented(value)}" for key, value in entries)
        + "\n}"
    )


def indented(text: str) -> str:
    """The lines after the first, two places further in."""
    return text.replace("\n", "\n  ")


def compact(value: Any) -> str:
    """Any JSON value on one line. Raises ValueError for NaN and ±∞."""
    if isinstance(value, str):
        return text_json(value)
    if isinstance(value, dict):
        return object_json([(key, compact(item)) for key, item in value.items()], one_line=True)
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(compact, value)) + "]"
    return json.dumps(value, allow_nan=False)


def pretty(value: Any) -> str:
    """Any JSON value, with a line for each row of a matrix."""
    if isinstance(value, dict):
        entries = [(key, pretty(item)) for key, item in value.items()]
        short = not any("\n" in item for _, item in entries) and len(compact(value)) <= WIDEST
        return object_json(entries, one_line=short)
    if isinstance(value, list | tuple) and any(isinstance(item, list | dict) for item in value):
        return list_json([pretty(item) for item in value])
    return compact(value)
