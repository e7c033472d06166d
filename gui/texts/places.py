"""Places in an experiment, as keys and in words: `heads[1].W_Q[2][0] (head 2, row 3, column 1)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gui.texts.translation import tr

_STEP = re.compile(r"([^.\[\]]+)|\[(\d{1,9})\]")  # more digits are no place
_VECTORS = ("b_Q", "b_K", "b_V", "b_O", "slopes", "index", "view")


def where(place: str) -> str:
    """A place as it stands in the file, counted from 0, and in words, counted from 1.

    "" is the whole experiment, "lesson" a lesson file as a whole.
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
    """A place in a table that has no name, in words alone: it begins a sentence."""
    numbers = [int(step[2]) + 1 for step in _STEP.finditer(place)]
    said = [tr("head {number}", number=number) for number in numbers[:-2]]
    said += [_counted("", axis, number) for axis, number in enumerate(numbers[-2:])]
    text = tr(", ").join(said)
    return text[:1].upper() + text[1:]


def indexed(name: str, index: tuple[int, ...]) -> str:
    """The key of one number: X and (1, 2) give `X[1][2]`."""
    return name + "".join(f"[{i}]" for i in index)


def _words(place: str) -> Iterator[str]:
    """Head 2, row 3, column 1, for each number in brackets."""
    name, indices = "", 0
    for step in _STEP.finditer(place):
        if step[1] is not None:
            name, indices = step[1], 0
            continue
        yield _counted(name, indices, int(step[2]) + 1)
        indices += 1


def _counted(name: str, indices: int, number: int) -> str:
    if name == "scenes":
        return tr("scene {number}", number=number)
    if name == "heads":
        return tr("head {number}", number=number)
    if name == "tokens":
        return tr("token {number}", number=number)
    if name == "pins":
        return tr("pin {number}", number=number)
    if name in _VECTORS:
        return tr("number {number}", number=number)
    return tr("column {number}", number=number) if indices else tr("row {number}", number=number)
