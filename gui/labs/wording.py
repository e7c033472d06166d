"""What several labs say in the same way: names in a row, all that share the first place, and heads that are off."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.base.number_format import show
from core.document.document import Document
from gui.texts.names import head_name, visible_token
from gui.texts.translation import tr

MOST_NAMED = 4  # in one sentence; of more names the first stand there and how many more there are


def listed(names: Sequence[str]) -> str:
    """A; A and B; A, B and C; A, B, C and 4 more."""
    if len(names) > MOST_NAMED:
        first = tr(", ").join(names[: MOST_NAMED - 1])
        return tr("{names} and {count} more", names=first, count=len(names) - MOST_NAMED + 1)
    if len(names) < 2:
        return "".join(names)
    return tr("{names} and {last}", names=tr(", ").join(names[:-1]), last=names[-1])


def quoted(token: str) -> str:
    """A token in a sentence: in quotation marks where the language's script is that of most tokens."""
    return tr("{token}", token=visible_token(token))


def leaders(values: Iterable[float], decimals: int) -> list[int]:
    """Where the largest value stands, and all that cannot be told from it at these decimals."""
    numbers = [float(value) for value in values]
    most = show(max(numbers), decimals)
    return [place for place, number in enumerate(numbers) if show(number, decimals) == most]


def head_option(document: Document, head: int) -> str:
    """A head by its name, which says where it is switched off."""
    name = head_name(head, document.heads[head].name)
    return name if document.heads[head].enabled else tr("{head} · off", head=name)


def with_off(notice: str, document: Document, head: int) -> str:
    """What to notice, and that the head of which it tells is switched off, where it is."""
    if document.heads[head].enabled:
        return notice
    name = head_name(head, document.heads[head].name)
    off = tr("{head} is off: where the heads are joined, it counts as 0.", head=name)
    return tr("{said} {more}", said=notice, more=off)
