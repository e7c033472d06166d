"""Changes between two experiments, by place: `mask`, `scale.kind`, `heads[0].Q[1][0]`, counted from
0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from core.base.errors import UserError
from core.base.json_text import compact, pretty
from core.document.document import Document
from core.lesson.model import Change
from core.storage.archive import dumps, loads, version_of

_PLACE = re.compile(r"[A-Za-z_]\w*(\[\d{1,9}\])*(\.[A-Za-z_]\w*(\[\d{1,9}\])*)*", re.ASCII)
_TOKENS = re.compile(r"(context\.)?tokens\b")
_STEP = re.compile(r"([A-Za-z_]\w*)|\[(\d+)\]")
_LABEL = ("format", "version")
# Values that a file may leave out, so that places inside them exist.
_DEFAULTS: dict[str, Any] = {
    "positional": {"kind": "none"},
    "mask": {"kind": "none"},
    "scale": {"kind": "sqrt_dk"},
    "softmax": {"base": "e", "shift": True},
    "pins": [],
}


def apply_changes(document: Document, changes: Sequence[Change]) -> Document:
    """The experiment with some places changed; the same object if there are no changes.

    Raises UserError "lesson.place" and "lesson.nothing_there" (place), and everything that reading
    a file raises.
    """
    if not changes:
        return document
    tree = _tree(document)
    for change in changes:
        _set(tree, change)
    tree["version"] = version_of(tree.get("source", ""), "layers" in tree)
    return loads(compact(tree).encode())


def with_tokens_translated(
    changes: Sequence[Change], names: Mapping[str, str]
) -> tuple[Change, ...]:
    """Changes with other names for tokens; tokens without one stay."""
    return tuple(
        Change(change.place, compact(_renamed(json.loads(change.json), names)))
        if _TOKENS.match(change.place)
        else change
        for change in changes
    )


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_renamed(one, names) for one in value]
    return names.get(value, value) if isinstance(value, str) else value


def find_changes(before: Document, after: Document) -> tuple[Change, ...]:
    """The changes that turn one experiment into another; a part that differs mostly is replaced as
    a whole.
    """
    return tuple(
        Change(place, compact(value))
        for place, value in _differences(_tree(before), _tree(after), "")
    )


def require_place(place: str) -> None:
    """Raise UserError "lesson.place" (place) for anything that is no place in an experiment."""
    if not _PLACE.fullmatch(place) or place in _LABEL:
        raise UserError("lesson.place", place=place)


def _tree(document: Document) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads(dumps(document))
    del tree["version"]  # it follows from the source
    for key, value in _DEFAULTS.items():
        # Nothing comes before given weights; what the file of a model leaves out is the model's.
        if tree["source"] in ("weights", "model") and key != "pins":
            continue
        tree[key] = (
            {**value, **tree[key]}
            if isinstance(value, dict) and key in tree
            else tree.get(key, value)
        )
    return json.loads(json.dumps(tree))  # type: ignore[no-any-return]  # a copy, so that the defaults stay


def _set(tree: dict[str, Any], change: Change) -> None:
    require_place(change.place)
    *path, last = [step[1] or int(step[2]) for step in _STEP.finditer(change.place)]
    node: Any = tree
    for step in path:
        node = _child(node, step, change.place)
    value = json.loads(change.json)
    if isinstance(last, int):
        _child(node, last, change.place)
        node[last] = value
    elif not isinstance(node, dict):
        raise UserError("lesson.nothing_there", place=change.place)
    elif value is None:
        node.pop(last, None)
    else:
        node[last] = value


def _child(node: Any, step: str | int, place: str) -> Any:
    """A member of an object or a list. Raises UserError "lesson.nothing_there"."""
    if isinstance(step, str) and isinstance(node, dict) and step in node:
        return node[step]
    if isinstance(step, int) and isinstance(node, list) and step < len(node):
        return node[step]
    raise UserError("lesson.nothing_there", place=place)


def _differences(before: Any, after: Any, place: str) -> list[tuple[str, Any]]:
    """Places and new values. Another kind of mask, say, is replaced as a whole."""
    if compact(before) == compact(after):
        return []
    children: list[tuple[Any, Any, str]] = []
    if isinstance(before, dict) and isinstance(after, dict):
        if before.get("kind") == after.get("kind"):
            keys = dict.fromkeys((*before, *after))
            names = {key: f"{place}.{key}" if place else key for key in keys}
            children = [(before.get(key), after.get(key), names[key]) for key in keys]
    elif place != "pins" and _are_lists_of_one_length(before, after):
        items = enumerate(zip(before, after, strict=True))
        children = [(old, new, f"{place}[{i}]") for i, (old, new) in items]
    parts = [part for child in children for part in _differences(*child)]
    changed = sum(_count(value) for _, value in parts)
    if not children or (place and 2 * changed > _count(after) > 1):
        return [(place, after)]
    return parts


def _are_lists_of_one_length(one: Any, other: Any) -> bool:
    return isinstance(one, list) and isinstance(other, list) and len(one) == len(other)


def _count(value: Any) -> int:
    """The number of numbers and texts in a value."""
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    return sum(map(_count, value)) if isinstance(value, list) else 1


def change_text(change: Change) -> str:
    """The value of a change as written in a file, one matrix row a line."""
    return pretty(json.loads(change.json))
