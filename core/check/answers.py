"""What a learner has written for the stages of an experiment: every number as it stands on the paper."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct

from core.base.errors import UserError
from core.check.entered import Entered, entered
from core.check.report import Index
from core.document.document import Document
from core.exchange import parse_number
from core.stages import plan

_DECIMALS = re.compile(r"\d*[.,](\d+)")


class Written(Struct, frozen=True):
    """A number in the learner's own notation, and what it means."""

    text: str
    number: Entered


# By stage, then by the index in the stage's shape. Never changed in place: an edit makes new mappings.
Entries = Mapping[str, Mapping[Index, Written]]
NO_ENTRIES: Entries = MappingProxyType({})


def written(text: str) -> Written | None:
    """What a text states; None for a blank one.

    An expression is worked out: it states as many decimals as the most exact number in it, and is exact where it has
    none, as 1/3 is. Raises UserError "number.unreadable", "number.too_large", "number.undefined".
    """
    try:
        number = entered(text)
    except UserError as problem:
        if problem.code != "number.unreadable":
            raise
        number = Entered(parse_number(text), _decimals_of(text))
    return None if number is None else Written(text.strip(), number)


def _decimals_of(expression: str) -> int | None:
    found = [len(digits) for digits in _DECIMALS.findall(expression)]
    return max(found) + (2 if "%" in expression else 0) if found else None


def with_written(entries: Entries, stage: str, changes: Mapping[Index, Written | None]) -> Entries:
    """The entries with some numbers of a stage written or, where None, wiped out; the same object if none differs."""
    before = entries.get(stage, {})
    if all(before.get(index) == number for index, number in changes.items()):
        return entries
    merged = {**before, **changes}
    cells = {index: number for index, number in merged.items() if number is not None}
    return _with_stage(entries, stage, cells)


def without_stage(entries: Entries, stage: str) -> Entries:
    """The entries without those of a stage."""
    return _with_stage(entries, stage, {}) if stage in entries else entries


def _with_stage(entries: Entries, stage: str, cells: dict[Index, Written]) -> Entries:
    others = {name: numbers for name, numbers in entries.items() if name != stage}
    return MappingProxyType({**others, stage: MappingProxyType(cells)} if cells else others)


def fitting(document: Document, entries: Entries) -> Entries:
    """Those entries that have a place in the experiment as it is now."""
    known = plan(document)
    kept: dict[str, Mapping[Index, Written]] = {}
    for stage, cells in entries.items():
        if stage in known:
            shape = document.stage_shape(stage)
            inside = {index: number for index, number in cells.items() if _is_inside(index, shape)}
            if inside:
                kept[stage] = MappingProxyType(inside)
    return MappingProxyType(kept)


def _is_inside(index: Index, shape: tuple[int, ...]) -> bool:
    return len(index) == len(shape) and all(i < size for i, size in zip(index, shape, strict=True))


def sheets_of(document: Document, entries: Entries) -> dict[str, np.ndarray[Any, Any]]:
    """The entries as `check` takes them: for each stage an array of `Entered`, None where nothing is written."""
    sheets: dict[str, np.ndarray[Any, Any]] = {}
    for stage, cells in fitting(document, entries).items():
        sheet = np.full(document.stage_shape(stage), None, dtype=object)
        for index, number in cells.items():
            sheet[index] = number.number
        sheets[stage] = sheet
    return sheets
