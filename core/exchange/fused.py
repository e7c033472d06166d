"""Weights that hold W_Q, W_K and W_V of all heads: c_attn, in_proj_weight, query_key_value, qkv."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.exchange.labels import HEADS
from core.exchange.readers.find import Question, Reading
from core.exchange.sources import Entry

LETTERS = ("Q", "K", "V")
ASKS = "role.heads"
_FUSED = re.compile(
    r"(?P<before>.*?)(?:(?P<mixed>query_key_value)|c_attn|in_proj|(?:to_)?w?_?qkv(?:_proj)?)"
    r"(?:[._](?P<kind>weight|kernel|bias|w|b))?",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?:n_?heads?|num_(?:attention_)?heads?|heads)\b[\"']?\s*(?:=|:|<-)\s*(\d{1,3})\b"
    r"|MultiheadAttention\(\s*(?:embed_dim\s*=\s*)?\w+\s*,\s*(?:num_heads\s*=\s*)?(\d{1,3})\b"
    r"|\b(\d{1,3})[ -](?:attention )?heads?\b",
    re.IGNORECASE,
)
_USUAL = (1, 2, 4, 8, 12, 16, 3, 6)  # numbers of heads that are offered
_OFFERED = 6


def heads_in(text: str) -> int | None:
    """The number of heads that a text gives; None for none, or for different ones."""
    found = {int(next(filter(None, each.groups()))) for each in _COUNT.finditer(text)} - {0}
    return found.pop() if len(found) == 1 else None


def is_fused(entry: Entry) -> bool:
    """Whether an entry holds W_Q, W_K and W_V, or their biases, by its name and shape."""
    other = entry.question is not None and entry.question.problem.code != ASKS
    clear = not other and entry.refusal is None and not entry.texts
    return bool(clear and _FUSED.fullmatch(entry.name)) and _is_threefold(entry.matrix)


def _is_threefold(matrix: Array) -> bool:
    """A matrix three times as wide as high, or as high as wide, or a row of three parts."""
    short, long = min(matrix.shape), max(matrix.shape)
    return bool(long == 3 * short if short > 1 else long > 3 and long % 3 == 0)


def split_fused(entries: Sequence[Entry], heads: int | None) -> tuple[Entry, ...]:
    """The entries with one for each projection and head in the place of fused ones.

    Where the number of heads is not known, or does not fit, the entry asks for it.
    """
    result: list[Entry] = []
    for entry in entries:
        if not is_fused(entry):
            result.append(entry)
        elif heads is not None and _width(entry) % heads == 0:
            result += _parts(entry, heads)
        else:
            result.append(replace(entry, question=_question(entry), linear=False))
    return tuple(result)


def projection_name(name: str) -> str:
    """The name of a fused entry as that of its first projection: the same layer, W_Q or b_Q."""
    match = _FUSED.fullmatch(name)
    return name if match is None else f"{match['before']}{_kind(match)}_Q"


def _kind(match: re.Match[str]) -> str:
    return "b" if (match["kind"] or "").lower() in ("bias", "b") else "W"


def _width(entry: Entry) -> int:
    """The columns of W_Q of all heads."""
    return int(max(entry.matrix.shape)) // 3


def _question(entry: Entry) -> Question:
    width = _width(entry)
    counts = sorted([count for count in _USUAL if width % count == 0][:_OFFERED])
    readings = []
    for count in counts:
        first = next(_parts(entry, count))
        readings.append(Reading(f"{HEADS}{count}", first.matrix))
    return Question(UserError("role.heads", name=entry.name, known=tuple(counts)), tuple(readings))


def _parts(entry: Entry, heads: int) -> Iterator[Entry]:
    """W_Q, W_K and W_V of each head.

    The columns are those of Q, K and V, each head by head; query_key_value has for each head its
    columns of Q, K and V. Linear layers store the transpose: outputs × inputs.
    """
    match = _FUSED.fullmatch(entry.name)
    assert match is not None
    matrix = entry.matrix
    if matrix.shape[0] == 3 * matrix.shape[1] or matrix.shape[1] == 1:
        matrix = matrix.T
    axes = (heads, 3) if match["mixed"] else (3, heads)
    parts = matrix.reshape(len(matrix), *axes, -1)
    for number, letter in enumerate(LETTERS):
        for head in range(heads):
            part = parts[:, head, number] if match["mixed"] else parts[:, number, head]
            name = f"{match['before']}{_kind(match)}_{letter}"
            yield replace(
                entry,
                name=name if heads == 1 else f"{name}_{head + 1}",
                matrix=sealed(np.ascontiguousarray(part)),
                row_labels=(),
                column_labels=(),
                question=None,
                linear=False,
            )
