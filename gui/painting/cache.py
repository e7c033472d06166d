"""What views worked out or laid out, kept as long as what it was made of is shown: a step back makes nothing anew."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Made = TypeVar("Made")


class RunCache(Generic[Made]):
    """Things by key, all made of the same few others; of more than `most` the longest unused ones go first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: tuple[object, ...] = ()
        self._made: OrderedDict[Hashable, Made] = OrderedDict()

    def keep_to(self, *of: object) -> bool:
        """Say what all is made of from now on. What was made of others is let go; whether these are others.

        A document or a run equals only itself; without any, nothing is held.
        """
        if of == self._of:
            return False
        self._of = of
        self.clear()
        return True

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The one of a key, made unless it is there. The key says all that it shows beside what it is made of."""
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = make()
            if len(self._made) > self._most:
                self._made.popitem(last=False)
        else:
            self._made.move_to_end(key)
        return found

    def clear(self) -> None:
        """Let go of all that was made."""
        self._made.clear()
