"""Undo for what the learner writes, apart from the experiment's. Free of Qt."""

from __future__ import annotations

from core.check.answers import NO_ENTRIES, Entries
from core.check.report import Index

MOST = 500


class AnswerUndo:
    """The entries before and after these, as long as nobody else puts others in their place."""

    def __init__(self) -> None:
        self._past: list[Entries] = []
        self._future: list[Entries] = []
        self._last: Entries = NO_ENTRIES

    def note(self, before: Entries, after: Entries) -> None:
        """The learner made the one of the other."""
        if before is not self._last:
            self._past.clear()
        self._future.clear()
        self._past.append(before)
        del self._past[:-MOST]
        self._last = after

    def next(self, now: Entries, by: int) -> Entries | None:
        """What stands one step on, or back where `by` is −1; None if nothing does."""
        steps = self._past if by < 0 else self._future
        return steps[-1] if steps and now is self._last else None

    def walk(self, now: Entries, by: int) -> None:
        """That step is taken."""
        source, target = (self._past, self._future) if by < 0 else (self._future, self._past)
        target.append(now)
        self._last = source.pop()


def first_difference(before: Entries, after: Entries) -> tuple[str, Index] | None:
    """The first stage and index at which entries differ, by the order in which they were written."""
    for stage in {**before, **after}:
        old, new = before.get(stage, {}), after.get(stage, {})
        for index in {**old, **new}:
            if old.get(index) != new.get(index):
                return stage, index
    return None
