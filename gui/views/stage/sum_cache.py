"""How a number comes about, as it was written last: where an edit leaves that as it was, nothing is written again."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import fields, replace
from functools import cached_property

from core.document.document import Document
from core.explain.derivation import Step
from core.explain.terms import Term, Terms
from gui.painting.math_text import Pieces
from gui.texts.rich_text import Line, Span
from gui.texts.sum_style import SumStyle
from gui.texts.sums import closer_sum, worked_sum

FIRST_TRY = 16  # a sum of more terms than this is not tried in full
# Of an experiment, what no sum says: its numbers come from the step.
_UNSAID = ("title", "notes", "X", "W_O", "b_O", "filled")
_SAID = tuple(field.name for field in fields(Document) if field.name not in _UNSAID)


class Written:
    """A step on a sheet, each way of writing it worked out once."""

    def __init__(self, sheet: SumStyle, step: Step) -> None:
        self._sheet, self._step = sheet, step
        self._sums: dict[int | None, Pieces] = {}

    def sum(self, most: int | None) -> Pieces:
        """The sum, with so many terms at the most."""
        if most not in self._sums:
            self._sums[most] = Pieces(worked_sum(replace(self._sheet, most=most), self._step))
        return self._sums[most]

    @cached_property
    def closer(self) -> Pieces | None:
        """The sum with more digits, where it is written whole and needs them to come out."""
        if len(self._step.terms) > FIRST_TRY:
            return None
        line = closer_sum(self._sheet, self._step)
        return Pieces(_quiet(line)) if line else None


_last: list[tuple[Hashable, tuple[object, ...], Written]] = []
KEPT = 2  # of the window and of the hall


def written(sheet: SumStyle, step: Step, wording: Hashable) -> Written:
    """The step on the sheet, in the words that hold; the same object as long as it says the same."""
    key = wording, _settings(sheet), _numbers(step)
    said = tuple(getattr(sheet.document, name) for name in _SAID)
    for known, words, found in _last:
        if known == key and all(a is b for a, b in zip(words, said, strict=True)):
            return found
    made = Written(sheet, step)
    _last[:] = [(key, said, made), *_last[: KEPT - 1]]
    return made


def _settings(sheet: SumStyle) -> Hashable:
    return sheet.decimals, sheet.most, sheet.hidden, sheet.orientation, sheet.fraction, sheet.noise


def _numbers(step: Step) -> Hashable:
    terms: tuple[Hashable | Term, ...] = (
        step.terms.content if isinstance(step.terms, Terms) else tuple(step.terms)
    )
    return step.kind, step.cell, terms, step.value, step.pinned, tuple(step.data.items())


def _quiet(line: Line) -> Line:
    """A line whose numbers say the same once more."""
    return tuple(
        Span(span.text, "muted", span.level) if span.role == "plain" else span for span in line
    )
