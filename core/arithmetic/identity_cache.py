"""What was made of read-only arrays, kept while it is likely to be asked for again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.base.arrays import Array, is_frozen

MOST_ENTRIES = 1 << 20  # of what is kept: eight megabytes


class IdentityCache:
    """The last few arrays that were made of several others, found again by the very same arrays.

    It may be asked by several threads at once: what it keeps is replaced as a whole.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: dict[
            tuple[int, ...], tuple[Sequence[Array], Array]
        ] = {}  # by identity, which the sources keep

    def get(self, sources: Sequence[Array], make: Callable[[Sequence[Array]], Array]) -> Array:
        """What `make` gives for the sources, perhaps from before; kept only if nobody can write to them."""
        key = tuple(map(id, sources))
        found = self._kept.get(key)
        if found is not None:
            return found[1]
        made = make(sources)
        if made.size <= MOST_ENTRIES and all(is_frozen(source) for source in sources):
            kept = {**self._kept, key: (tuple(sources), made)}
            if len(kept) > self._most:
                del kept[next(iter(kept))]
            self._kept = kept
        return made
