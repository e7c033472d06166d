"""The message for a UserError: what is wrong, where, and what would be right."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.base.errors import UserError
from core.document.parts import is_headwise
from gui.texts.error_messages import REASONS, SENTENCES, TYPES, VARIANTS
from gui.texts.translation import mark, tr, tr_marked

_STEP = re.compile(r"([^.\[\]]+)|\[(\d{1,9})\]")  # more digits are no place
_VECTORS = (
    *("b_Q", "b_K", "b_V", "b_O", "b_1", "b_2", "b_gate", "b_U", "gamma", "beta"),
    *("slopes", "index", "view"),
)


def place_text(place: str) -> str:
    """A place as in the file, counted from 0, and in words, counted from 1.

    "" is the experiment, "lesson" a lesson file.
    """
    if not place:
        return tr("the experiment")
    if place == "lesson":
        return tr("the lesson")
    if place.startswith("["):
        return _nameless(place)
    words = list(_words(place))
    return tr("{place} ({words})", place=place, words=tr(", ").join(words)) if words else place


def _nameless(place: str) -> str:
    """A place in a table without a name, in words; it begins a sentence."""
    numbers = [int(step[2]) + 1 for step in _STEP.finditer(place)]
    said = [tr("head {number}", number=number) for number in numbers[:-2]]
    said += [_counted("", axis, number) for axis, number in enumerate(numbers[-2:])]
    text = tr(", ").join(said)
    return text[:1].upper() + text[1:]


def place_key(name: str, index: tuple[int, ...]) -> str:
    """The key of one number: X and (1, 2) give `X[1][2]`."""
    return name + "".join(f"[{i}]" for i in index)


def _words(place: str) -> Iterator[str]:
    """Words for each number in brackets: head 2, row 3, column 1."""
    name, indices = "", 0
    for step in _STEP.finditer(place):
        if step[1] is not None:
            name, indices = step[1], 0
            continue
        if not indices and place.startswith("values.") and is_headwise(name):  # of an answer file
            yield tr("head {number}", number=int(step[2]) + 1)
            name = ""
            continue
        yield _counted(name, indices, int(step[2]) + 1)
        indices += 1


_COUNTED = {
    "scenes": mark("scene {number}"),
    "heads": mark("head {number}"),
    "layers": mark("layer {number}"),
    "tokens": mark("token {number}"),
    "added_tokens": mark("token {number}"),
    "merges": mark("merge {number}"),
    "pins": mark("pin {number}"),
    **dict.fromkeys(_VECTORS, mark("number {number}")),
}


def _counted(name: str, indices: int, number: int) -> str:
    usual = mark("column {number}") if indices else mark("row {number}")
    return tr_marked(_COUNTED.get(name, usual), number=number)


LONGEST = 240  # characters of what a sentence quotes; a path is seldom longer


_AXES = {"d": "d_model", "k": "d_k", "v": "d_v"}


def error_message(problem: UserError) -> str:
    """The message for an error in the current language, with its place and file."""
    text = SENTENCES.get(problem.code)
    if text is None:
        return str(problem)
    key, special, variant = VARIANTS.get(problem.code, ("", None, ""))
    text = variant if key in problem.data and problem.data[key] == special else text
    said = tr_marked(text, **_values(problem))
    if "row" in problem.data and "column" in problem.data:
        row, column = problem.data["row"], problem.data["column"]
        said = tr("Row {row}, column {column}: {sentence}", row=row, column=column, sentence=said)
    if "place" in problem.data and "{where}" not in text:
        said = tr("{where}: {sentence}", where=place_text(problem.data["place"]), sentence=said)
    if "path" in problem.data and "{path}" not in text:
        said = tr("{where}: {sentence}", where=problem.data["path"], sentence=said)
    return said.replace("） ", "）")  # no space after a place that ends with a Chinese bracket


def _values(problem: UserError) -> dict[str, object]:
    """The values of the placeholders."""
    values: dict[str, object] = {
        "where": _short(place_text(_place(problem))),
        "value": "",
        "known": "",
    }
    return values | {key: _value(problem, key, value) for key, value in problem.data.items()}


def _place(problem: UserError) -> str:
    data = problem.data
    if "place" in data:
        return str(data["place"])
    if "name" in data and problem.code in ("shape", "shape.empty", "not_finite"):
        return place_key(data["name"], data.get("index", ()))
    return f"heads[{data['head']}]" if "head" in data else ""


def _value(problem: UserError, key: str, value: Any) -> object:
    if key == "row" and problem.code == "rows.ragged":
        return value + 1
    if key == "reason":
        return _reason(problem)
    if key == "axis":
        return _AXES.get(value, value)
    if key == "index":
        return place_key("", value)
    if key == "known":
        return tr(", ").join(map(str, value)) if isinstance(value, tuple | list) else value
    if problem.code == "file.type":
        return _type_names(value)
    return _shape(value) if isinstance(value, tuple) else _plain(value)


def _reason(problem: UserError) -> str:
    reason, detail = problem.data["reason"], problem.data.get("detail")
    if reason in REASONS or detail is None:
        return tr_marked(REASONS.get(reason, REASONS["syntax"]))
    return str(detail)


def _type_names(value: str | Iterable[str]) -> str:
    names = [value] if isinstance(value, str) else value
    return tr(" or ").join(tr_marked(TYPES[name]) if name in TYPES else name for name in names)


def _shape(sizes: Iterable[object]) -> str:
    """3 × 4, with a letter or “any” for a free length."""
    shown = [tr("any") if size is None else str(size) for size in sizes]
    return " × ".join(shown) if shown else tr("a single number")


def _plain(value: object) -> object:
    if value is None:
        return tr("missing")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if isinstance(value, Mapping | list):
        return tr("a list or an object")
    return _short(value) if isinstance(value, str | int) else value


def _short(value: str | int) -> str:
    """The beginning and end of a long text."""
    try:
        text = str(value)
    except ValueError:  # Python writes whole numbers of up to 4,300 digits
        return "…"
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[-LONGEST // 2 :]}"
