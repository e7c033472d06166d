"""The edits of a run: a head off, a pinned weight, another number, another word, a patched stage."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HeadOff:
    """A head that adds nothing; layers and heads count from 0."""

    layer: int
    head: int


@dataclass(frozen=True, slots=True)
class WeightPin:
    """A weight that stays at a value."""

    layer: int
    head: int
    query: int
    key: int
    value: float


# Tensors of the whole model: with the first layer, with the last one, and after it.
OF_FIRST = ("X", "P", "embedding_norm.gamma", "embedding_norm.beta")
OF_LAST = ("final_norm.gamma", "final_norm.beta")
OUTPUT = "W_U"


@dataclass(frozen=True, slots=True)
class NumberEdit:
    """Another number in a tensor of a layer; the index of a head's tensor begins with the head.

    Of a tensor of the whole model, `layer` is the first one that differs; of W_U none does.
    """

    layer: int
    tensor: str
    index: tuple[int, ...]
    value: float

    @property
    def is_of_layer(self) -> bool:
        """Whether each layer has such a tensor."""
        return self.tensor not in (*OF_FIRST, *OF_LAST, OUTPUT)

    @property
    def name(self) -> str:
        """The tensor as it is named in the whole model."""
        return f"L{self.layer + 1}.{self.tensor}" if self.is_of_layer else self.tensor


@dataclass(frozen=True, slots=True)
class WordSwap:
    """Another token at a place of the sentence."""

    place: int
    id: int


@dataclass(frozen=True, slots=True)
class StagePatch:
    """A stage of a layer as it is in the other sentence: of all tokens and heads, or of one."""

    layer: int
    stage: str
    head: int | None = None
    token: int | None = None


Edit = HeadOff | WeightPin | NumberEdit | WordSwap | StagePatch


def first_edited_layer(edits: tuple[Edit, ...]) -> int | None:
    """The first layer that differs; None where nothing does."""
    return min((0 if isinstance(each, WordSwap) else each.layer for each in edits), default=None)


def is_same_place(one: Edit, other: Edit) -> bool:
    """Whether an edit replaces another of the same kind and place."""
    match one, other:
        case HeadOff(), HeadOff():
            return one == other
        case WeightPin(), WeightPin():
            places = ((each.layer, each.head, each.query, each.key) for each in (one, other))
            return len({*places}) == 1
        case NumberEdit(), NumberEdit():
            return len({(each.layer, each.tensor, each.index) for each in (one, other)}) == 1
        case WordSwap(), WordSwap():
            return one.place == other.place
        case StagePatch(), StagePatch():
            return one == other
    return False


def with_edit(edits: tuple[Edit, ...], edit: Edit) -> tuple[Edit, ...]:
    """Add an edit; it replaces one of the same kind and place."""
    return (*(each for each in edits if not is_same_place(edit, each)), edit)


def fits(edit: Edit, n: int, same: bool) -> bool:
    """Whether an edit fits a sentence of n tokens; `same`: sentence B has as many."""
    match edit:
        case WeightPin(query=query, key=key):
            return max(query, key) < n
        case WordSwap(place=place):
            return place < n
        case NumberEdit(tensor="X" | "P", index=index):
            return index[0] < n
        case StagePatch():
            return same
    return True
