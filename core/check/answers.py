"""Answers: numbers as a learner wrote them, with the number of digits, and the entries of a whole
experiment.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from operator import lt
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct

from core.base.arrays import Array, BoolArray
from core.base.errors import UserError
from core.base.number_format import decimals_written, read
from core.check.given import NOT_IMPORTED, Given
from core.document.document import Document
from core.document.parts import stage_axes
from core.exchange.expression import parse_number
from core.stages import plan, spec_of
from core.stages.mask import MASK

# Half-way cases may be rounded either way: a calculator shows 0.99955 for 0.99955003, which rounds
# to even as 0.9995.
# So half a unit of the last digit is widened by a thousandth.
HAIR = 1e-3
# Relative error of binary arithmetic in another order or on another machine.
NOISE = 1e-10
SINGLE_DIGITS = 7  # of a number that may come from single precision
# "1" for 0.73 has no correct digit: whole numbers count as written to one decimal if the target is
# below one.
WHOLE_BELOW_ONE = 0.05
# Programs write −10000 or −1e9 for masked scores; after the softmax there is no difference.
AS_GOOD_AS_MASKED = -1e4
_MINUS_SIGNS = frozenset("-−–－﹣")


MASKED_LATEX = re.compile(r"\s*-\s*\\infty\s*")


Index = tuple[int, ...]  # in the shape of a stage


class EnteredNumber(Struct, frozen=True):
    """A number with its number of decimals, negative for tens, hundreds …; None if it is exact, as
    1/3 is.
    """

    value: float
    decimals: int | None = None


def parse_entered(given: Any) -> EnteredNumber | None:
    """A number from a text, a number or None; None, NaN and a blank text are no answer.

    Trailing zeros of texts count ("0.50" has 2 decimals); numbers have the decimals of their
    shortest form. Raises UserError "number.unreadable", "number.too_large", "array.not_numeric".
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
        if problem.code == "number.infinite":  # a masked score
            return EnteredNumber(-np.inf if set(text) & _MINUS_SIGNS else np.inf)
        raise


class StatedNumbers(Struct, frozen=True, eq=False, dict=True):
    """The numbers stated for one stage, in its shape.

    `value` is NaN where nothing is stated; `half` is half a unit of the last digit written, `whole`
    marks numbers without decimals. `slack` is more that a number may be off where it comes from
    single precision.
    """

    stage: str
    given: dict[tuple[int, ...], EnteredNumber]
    value: Array
    half: Array
    whole: BoolArray
    slack: Array | float = 0.0

    @cached_property
    def stated(self) -> BoolArray:
        """Where a number is stated."""
        return ~np.isnan(self.value)

    @cached_property
    def usable(self) -> BoolArray:
        """Where a number is stated that can be continued from: −∞ only in stages of the mask."""
        masks = spec_of(self.stage).kind is MASK
        return np.isfinite(self.value) | (np.isneginf(self.value) & masks)

    @cached_property
    def replaces(self) -> bool:
        """Whether every number can be continued from."""
        return bool(self.usable.all())

    @property
    def full(self) -> bool:
        """Whether every number of the stage is stated."""
        return bool(self.stated.all())

    def near(self, target: Array) -> BoolArray:
        """Which stated numbers equal `target` to the digits written."""
        close = np.abs(self.value - target) <= self.tolerance(target)
        return close | (np.isneginf(target) & (self.value <= AS_GOOD_AS_MASKED))

    def near_within(self, target: Array, slack: Array | float) -> BoolArray:
        """Which stated numbers equal `target` to the digits written, plus or minus `slack`."""
        if not np.any(slack):
            return self.near(target)
        close = np.abs(self.value - target) <= self.tolerance(target) + slack
        return close | self.near(target)

    @property
    def is_precise(self) -> bool:
        """Whether a number has as many digits as single precision."""
        return any(map(_is_precise, self.given.values()))

    @property
    def usual_decimals(self) -> int:
        """The most common number of decimals, the smaller one of a tie."""
        counts = Counter(
            number.decimals for number in self.given.values() if number.decimals is not None
        )
        return max(counts, key=lambda decimals: (counts[decimals], -decimals)) if counts else 0

    def tolerance(self, target: Array) -> Array:
        """The largest distance from `target` at which a number still equals it to the digits
        written.
        """
        size = np.abs(target)
        half = self.half
        if self.whole.any():
            half = np.where(self.whole & (size < 1), np.minimum(half, WHOLE_BELOW_ONE), half)
        result: Array = (
            half * (1 + 2 * HAIR) + NOISE * np.where(np.isfinite(size), size, 0.0) + NOISE / 100
        ) + self.slack
        return result

    def distance(self, target: Array, slack: Array | float = 0.0) -> Array:
        """The distance of the stated numbers from `target` in half units of the last digit, more
        where they are uncertain by `slack`; 0 if not stated, never NaN.
        """
        away = np.abs(self.value - target) / np.maximum(self.half + self.slack + slack, NOISE)
        away = np.where(self.near(target) | ~self.stated, 0.0, away)
        return np.nan_to_num(away, nan=1e6, posinf=1e6)


def _is_precise(number: EnteredNumber) -> bool:
    """Whether a number has seven or more digits."""
    decimals = number.decimals
    if decimals is None or decimals <= 0 or not number.value:
        return False
    return len(f"{abs(number.value):.{decimals}f}".replace(".", "").lstrip("0")) >= SINGLE_DIGITS


def stated_numbers(document: Document, stage: str, values: Any) -> StatedNumbers:
    """The stated numbers of a stage, from nested lists or an array of its shape; a single head may
    be a plain matrix.

    Raises UserError "array.ragged", "shape" and those of `entered`, with stage and index of the
    number.
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
        axes = " × ".join(document.letters(stage_axes(stage)))
        raise UserError("shape", name=stage, axes=axes, expected=shape, actual=cells.shape)
    return cells


_DECIMALS = re.compile(r"\d*[.,，。](\d+)")


class Answer(Struct, frozen=True):
    """A number in the learner's own notation, and its value."""

    text: str
    number: EnteredNumber


# By stage, then by index in the stage's shape. Immutable: an edit makes new mappings.
Entries = Mapping[str, Mapping[Index, Answer]]
NO_ENTRIES: Entries = MappingProxyType({})


class LearnerWork(Struct, frozen=True):
    """What is kept of a learner's work on an experiment: the numbers, and how its own ones count."""

    entries: Entries = NO_ENTRIES
    given: Given = NOT_IMPORTED

    def __bool__(self) -> bool:
        return self != NO_WORK


NO_WORK = LearnerWork()


def parse_answer(text: str) -> Answer | None:
    """The answer in a text; None for a blank one.

    Expressions are evaluated: they have as many decimals as the most precise number in them, and
    are exact without any, as 1/3 is. Raises UserError "number.unreadable", "number.too_large",
    "number.undefined".
    """
    try:
        number = parse_entered(text)
    except UserError as problem:
        if problem.code != "number.unreadable":
            raise
        if MASKED_LATEX.fullmatch(text):
            return Answer(text.strip(), EnteredNumber(-np.inf))
        number = EnteredNumber(parse_number(text), _decimals_of(text))
    return None if number is None else Answer(text.strip(), number)


TextMatrix = Sequence[Sequence[str]]


def without_labels(matrix: TextMatrix, rows: int, columns: int) -> TextMatrix:
    """Drop a first row and a first column that are extra and hold no number."""
    if len(matrix) == rows + 1 and not any(map(_is_number, matrix[0])):
        matrix = matrix[1:]
    if max(map(len, matrix)) == columns + 1 and not any(_is_number(line[0]) for line in matrix):
        matrix = [line[1:] for line in matrix]
    return matrix


def _is_number(text: str) -> bool:
    try:
        return parse_answer(text) is not None
    except UserError:
        return False


def _decimals_of(expression: str) -> int | None:
    found = [len(digits) for digits in _DECIMALS.findall(expression)]
    if "%" in expression:
        return max(found, default=0) + 2
    return max(found, default=None)


def with_answers(entries: Entries, stage: str, changes: Mapping[Index, Answer | None]) -> Entries:
    """The entries with some numbers of a stage set or, with None, removed; the same object if
    nothing changes.
    """
    before = entries.get(stage, {})
    if all(before.get(index) == number for index, number in changes.items()):
        return entries
    merged = {**before, **changes}
    cells = {index: number for index, number in merged.items() if number is not None}
    return _with_stage(entries, stage, cells)


def without_stage(entries: Entries, stage: str) -> Entries:
    """The entries without one stage."""
    return _with_stage(entries, stage, {}) if stage in entries else entries


def _with_stage(entries: Entries, stage: str, cells: dict[Index, Answer]) -> Entries:
    others = {name: numbers for name, numbers in entries.items() if name != stage}
    return MappingProxyType({**others, stage: MappingProxyType(cells)} if cells else others)


def fitting_entries(document: Document, entries: Entries) -> Entries:
    """The entries that fit the shapes of an experiment."""
    known = plan(document)
    kept: dict[str, Mapping[Index, Answer]] = {}
    for stage, cells in entries.items():
        if stage in known:
            shape = document.stage_shape(stage)
            inside = {
                index: number
                for index, number in cells.items()
                if len(index) == len(shape) and all(map(lt, index, shape))
            }
            if inside:
                kept[stage] = MappingProxyType(inside)
    return MappingProxyType(kept)


def stated_arrays(document: Document, entries: Entries) -> dict[str, np.ndarray[Any, Any]]:
    """The entries as `check` takes them: for each stage an array of `EnteredNumber` or None."""
    sheets: dict[str, np.ndarray[Any, Any]] = {}
    for stage, cells in fitting_entries(document, entries).items():
        sheet = np.full(document.stage_shape(stage), None, dtype=object)
        for index, number in cells.items():
            sheet[index] = number.number
        sheets[stage] = sheet
    return sheets
