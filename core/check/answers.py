"""Numbers as a learner wrote them: the value, and how many digits of it were written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct

from core.base.arrays import Array, BoolArray
from core.base.errors import UserError
from core.base.number_format import decimals_written, read
from core.document.document import Document
from core.document.parts import STAGE_AXES
from core.exchange import parse_number
from core.stages import plan

# A rounding half-way between two numbers may go either way: a calculator shows 0.99955 for 0.99955003, and a learner
# who rounds that to even writes 0.9995. So half a unit of the last digit is a thousandth of a unit wider.
HAIR = 1e-3
# Binary arithmetic in another order, or on another machine; single precision states fewer digits and needs no more.
NOISE = 1e-10
# "1" for 0.73 shows no digit of it: a whole number counts as given to one decimal where the truth is below one.
WHOLE_BELOW_ONE = 0.05
# Programs write −10000 or −1e9 where a masked score is −∞; after the softmax nobody sees a difference.
AS_GOOD_AS_MASKED = -1e4


Index = tuple[int, ...]  # in the shape of a stage


class EnteredNumber(Struct, frozen=True):
    """A number with the decimals that were written; negative ones where only tens, hundreds … are stated.

    None: the number is exact, as 1/3 is.
    """

    value: float
    decimals: int | None = None


def parse_entered(given: Any) -> EnteredNumber | None:
    """One number from a text, a number or None; None, NaN and a blank text are not stated.

    Texts keep their last zeros ("0.50" has 2 decimals); numbers have those of their shortest form, whole numbers none.
    Raises UserError "number.unreadable", "number.too_large", "array.not_numeric".
    """
    if given is None or isinstance(given, EnteredNumber):
        return given
    if isinstance(given, str):
        return _from_text(given)
    if isinstance(given, bool | np.bool_) or not isinstance(
        given, int | float | np.integer | np.floating
    ):
        raise UserError("array.not_numeric")
    value = float(given)
    if np.isnan(value):
        return None
    if np.isinf(value):
        return EnteredNumber(value)
    exponent = Decimal(str(given)).as_tuple().exponent
    return EnteredNumber(value, -int(exponent))


def _from_text(text: str) -> EnteredNumber | None:
    try:
        return EnteredNumber(read(text), decimals_written(text))
    except UserError as problem:
        if problem.code == "number.empty":
            return None
        if problem.code == "number.infinite":  # how a masked score is written
            return EnteredNumber(-np.inf if _is_negative(text) else np.inf)
        raise


def _is_negative(text: str) -> bool:
    return any(sign in text for sign in "-−–－﹣")


class StatedNumbers(Struct, frozen=True, eq=False):
    """The numbers stated for one stage, in its shape.

    `value` holds NaN where nothing is stated; `half` is half a unit of the last digit written, `whole` says that no
    decimal was written.
    """

    stage: str
    given: dict[tuple[int, ...], EnteredNumber]
    value: Array
    half: Array
    whole: BoolArray

    @property
    def stated(self) -> BoolArray:
        """Where a number was stated."""
        return ~np.isnan(self.value)

    @property
    def full(self) -> bool:
        """Whether every number of the stage was stated."""
        return bool(self.stated.all())

    def near(self, target: Array) -> BoolArray:
        """Which stated numbers are `target` to the digits written."""
        with np.errstate(invalid="ignore"):
            close = np.abs(self.value - target) <= self.tolerance(target)
            return close | (np.isneginf(target) & (self.value <= AS_GOOD_AS_MASKED))

    def near_within(self, target: Array, slack: Array) -> BoolArray:
        """Which stated numbers are `target` to the digits written, give or take `slack`."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(self.value - target) <= self.tolerance(target) + slack)

    @property
    def usual_decimals(self) -> int:
        """How many decimals most of the numbers have, the fewer where two are as common."""
        counts = Counter(
            number.decimals for number in self.given.values() if number.decimals is not None
        )
        return max(counts, key=lambda decimals: (counts[decimals], -decimals)) if counts else 0

    def tolerance(self, target: Array) -> Array:
        """How far from `target` a number may lie and still be it to the digits written."""
        size = np.abs(target)
        half = np.where(self.whole & (size < 1), np.minimum(self.half, WHOLE_BELOW_ONE), self.half)
        with np.errstate(invalid="ignore"):
            result: Array = (
                half * (1 + 2 * HAIR) + NOISE * np.where(np.isfinite(size), size, 0.0) + NOISE / 100
            )
        return result

    def distance(self, target: Array) -> Array:
        """How far the stated numbers lie from `target`, in half units of the last digit; never NaN, 0 if not stated."""
        with np.errstate(all="ignore"):
            away = np.abs(self.value - target) / np.maximum(self.half, NOISE)
        away = np.where(self.near(target) | ~self.stated, 0.0, away)
        return np.nan_to_num(away, nan=1e6, posinf=1e6)


def stated_numbers(document: Document, stage: str, values: Any) -> StatedNumbers:
    """The stated numbers of a stage: nested lists or an array of that shape; one head may stand as a plain matrix.

    Raises UserError "array.ragged", "shape" and those of `entered`, with stage and index of the number.
    """
    shape = document.stage_shape(stage)
    cells = _cells(document, stage, values)
    given: dict[tuple[int, ...], EnteredNumber] = {}
    for index in np.ndindex(*shape):
        number = _at(stage, index, cells[index])
        if number is not None:
            given[index] = number
    value, half = np.full(shape, np.nan), np.full(shape, np.nan)
    whole = np.zeros(shape, dtype=bool)
    for index, number in given.items():
        value[index] = number.value
        half[index] = 0.0 if number.decimals is None else 0.5 * 10.0**-number.decimals
        whole[index] = number.decimals is not None and number.decimals <= 0
    return StatedNumbers(stage, given, value, half, whole)


def _at(stage: str, index: tuple[int, ...], given: Any) -> EnteredNumber | None:
    try:
        return parse_entered(given)
    except UserError as problem:
        raise UserError(
            problem.code, **{**problem.data, "stage": stage, "index": index}
        ) from problem


def _cells(document: Document, stage: str, values: Any) -> Any:
    shape = document.stage_shape(stage)
    try:
        cells = (
            np.asarray(values) if isinstance(values, np.ndarray) else np.array(values, dtype=object)
        )
    except ValueError as error:
        raise UserError("array.ragged") from error
    if len(shape) == 3 and shape[0] == 1 and cells.ndim == 2:
        cells = cells[None]
    if cells.shape != shape:
        axes = " × ".join(document.letters(STAGE_AXES[stage]))
        raise UserError("shape", name=stage, axes=axes, expected=shape, actual=cells.shape)
    return cells


_DECIMALS = re.compile(r"\d*[.,](\d+)")


class Answer(Struct, frozen=True):
    """A number in the learner's own notation, and what it means."""

    text: str
    number: EnteredNumber


# By stage, then by the index in the stage's shape. Never changed in place: an edit makes new mappings.
Entries = Mapping[str, Mapping[Index, Answer]]
NO_ENTRIES: Entries = MappingProxyType({})


def parse_answer(text: str) -> Answer | None:
    """What a text states; None for a blank one.

    An expression is worked out: it states as many decimals as the most exact number in it, and is exact where it has
    none, as 1/3 is. Raises UserError "number.unreadable", "number.too_large", "number.undefined".
    """
    try:
        number = parse_entered(text)
    except UserError as problem:
        if problem.code != "number.unreadable":
            raise
        number = EnteredNumber(parse_number(text), _decimals_of(text))
    return None if number is None else Answer(text.strip(), number)


def _decimals_of(expression: str) -> int | None:
    found = [len(digits) for digits in _DECIMALS.findall(expression)]
    return max(found) + (2 if "%" in expression else 0) if found else None


def with_answers(entries: Entries, stage: str, changes: Mapping[Index, Answer | None]) -> Entries:
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


def _with_stage(entries: Entries, stage: str, cells: dict[Index, Answer]) -> Entries:
    others = {name: numbers for name, numbers in entries.items() if name != stage}
    return MappingProxyType({**others, stage: MappingProxyType(cells)} if cells else others)


def fitting_entries(document: Document, entries: Entries) -> Entries:
    """Those entries that have a place in the experiment as it is now."""
    known = plan(document)
    kept: dict[str, Mapping[Index, Answer]] = {}
    for stage, cells in entries.items():
        if stage in known:
            shape = document.stage_shape(stage)
            inside = {index: number for index, number in cells.items() if _is_inside(index, shape)}
            if inside:
                kept[stage] = MappingProxyType(inside)
    return MappingProxyType(kept)


def _is_inside(index: Index, shape: tuple[int, ...]) -> bool:
    return len(index) == len(shape) and all(i < size for i, size in zip(index, shape, strict=True))


def stated_arrays(document: Document, entries: Entries) -> dict[str, np.ndarray[Any, Any]]:
    """The entries as `check` takes them: for each stage an array of `Entered`, None where nothing is written."""
    sheets: dict[str, np.ndarray[Any, Any]] = {}
    for stage, cells in fitting_entries(document, entries).items():
        sheet = np.full(document.stage_shape(stage), None, dtype=object)
        for index, number in cells.items():
            sheet[index] = number.number
        sheets[stage] = sheet
    return sheets
