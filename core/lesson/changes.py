"""Changes: from one experiment to another by naming the places that differ.

A place is written as everywhere in the program: `mask`, `scale.kind`, `heads[0].Q[1][0]`, counted from 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from core.base.errors import UserError
from core.base.json_text import compact, pretty
from core.document.document import Document
from core.lesson.model import Change
from core.storage.archive import dumps, loads

_PLACE = re.compile(r"[A-Za-z_]+(\[\d{1,9}\])*(\.[A-Za-z_]+(\[\d{1,9}\])*)*")
_STEP = re.compile(r"([A-Za-z_]+)|\[(\d+)\]")
_LABEL = ("format", "version")
# What a file leaves out, so that a place inside it can be named.
_DEFAULTS: dict[str, Any] = {
    "positional": {"kind": "none"},
    "mask": {"kind": "none"},
    "scale": {"kind": "sqrt_dk"},
    "softmax": {"base": "e", "shift": True},
    "pins": [],
}


def apply_changes(document: Document, changes: Sequence[Change]) -> Document:
    """The experiment with some places changed; the very same one if there are no changes.

    Raises UserError "lesson.place" and "lesson.nothing_there" (place), and all that the reading of a file raises.
    """
    if not changes:
        return document
    tree = _tree(document)
    for change in changes:
        _set(tree, change)
    return loads(compact(tree).encode())


def find_changes(before: Document, after: Document) -> tuple[Change, ...]:
    """The changes that make the one experiment the other; where most of a part differs, the part as a whole."""
    return tuple(
        Change(place, compact(value))
        for place, value in _differences(_tree(before), _tree(after), "")
    )


def require_place(place: str) -> None:
    """Raise UserError "lesson.place" (place) for what cannot be a place in an experiment."""
    if not _PLACE.fullmatch(place) or place in _LABEL:
        raise UserError("lesson.place", place=place)


def _tree(document: Document) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(dumps(document))
    for key, value in _DEFAULTS.items():
        tree[key] = (
            {**value, **tree[key]}
            if isinstance(value, dict) and key in tree
            else tree.get(key, value)
        )
    return json.loads(json.dumps(tree))  # type: ignore[no-any-return]  # the defaults themselves are never changed


def _set(tree: dict[str, Any], change: Change) -> None:
    require_place(change.place)
    *road, last = [step[1] or int(step[2]) for step in _STEP.finditer(change.place)]
    node: Any = tree
    for step in road:
        node = _entered(node, step, change.place)
    value = json.loads(change.json)
    if isinstance(last, int):
        _entered(node, last, change.place)
        node[last] = value
    elif not isinstance(node, dict):
        raise UserError("lesson.nothing_there", place=change.place)
    elif value is None:
        node.pop(last, None)
    else:
        node[last] = value


def _entered(node: Any, step: str | int, place: str) -> Any:
    """The value one step further in."""
    if isinstance(step, str) and isinstance(node, dict) and step in node:
        return node[step]
    if isinstance(step, int) and isinstance(node, list) and step < len(node):
        return node[step]
    raise UserError("lesson.nothing_there", place=place)


Difference = tuple[str, Any]


def _differences(before: Any, after: Any, place: str) -> list[Difference]:
    if compact(before) == compact(after):
        return []
    parts: list[Difference] | None = None
    if isinstance(before, dict) and isinstance(after, dict) and _alike(before, after):
        parts = list(_in_object(before, after, place))
    elif isinstance(before, list) and isinstance(after, list) and _steppable(before, after, place):
        parts = list(_in_list(before, after, place))
    if parts is None or (
        place and 2 * sum(_count(value) for _, value in parts) > _count(after) > 1
    ):
        return [(place, after)]
    return parts


def _alike(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Another kind of mask, say, is written as a whole."""
    return before.get("kind") == after.get("kind")


def _steppable(before: list[Any], after: list[Any], place: str) -> bool:
    return len(before) == len(after) and place != "pins"


def _in_object(before: dict[str, Any], after: dict[str, Any], place: str) -> Iterator[Difference]:
    for key in (*before, *(key for key in after if key not in before)):
        yield from _differences(before.get(key), after.get(key), f"{place}.{key}" if place else key)


def _in_list(before: list[Any], after: list[Any], place: str) -> Iterator[Difference]:
    for index, (old, new) in enumerate(zip(before, after, strict=True)):
        yield from _differences(old, new, f"{place}[{index}]")


def _count(value: Any) -> int:
    """How many numbers and texts a value holds."""
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    return sum(map(_count, value)) if isinstance(value, list) else 1


def change_text(change: Change) -> str:
    """The value as it stands in a file, a matrix row a line."""
    return pretty(json.loads(change.json))
