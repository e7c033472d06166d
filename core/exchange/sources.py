"""The matrices of a text or file, as entries to be given roles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from core.base.arrays import Array, sealed
from core.base.errors import UserError
from core.exchange.readers.find import FoundMatrix, Question, find_matrices

_CLOSE = 0.02  # what rounding to two decimals may add up to
_LINEAR = re.compile(r"\w\.weight\b")
NOTHING: Array = sealed(np.empty((0, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A matrix, or a list of tokens (`texts`), and its place.

    `name` is "" for none, `line` counts from 1 (0: none), `start` and `end` are offsets of
    characters, `cells` is a range of a sheet such as Sheet1!B2:D4. `decimals` is the most that any
    number is written with. `linear` is a weight as nn.Linear stores it, perhaps transposed.
    `question` is open, `refusal` says why it cannot be read.
    """

    name: str
    matrix: Array = field(default_factory=lambda: NOTHING)
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    decimals: int = 0
    line: int = 0
    start: int = 0
    end: int = 0
    cells: str = ""
    texts: tuple[str, ...] = ()
    linear: bool = False
    question: Question | None = None
    refusal: UserError | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the matrix; of tokens their number."""
        return (len(self.texts),) if self.texts else self.matrix.shape

    @property
    def is_finite(self) -> bool:
        """Whether no entry is −∞, as masked scores have it."""
        return bool(np.isfinite(self.matrix).all())

    @property
    def is_distribution(self) -> bool:
        """Whether each row is at least 0 and sums to 1, but for rounding."""
        matrix = self.matrix
        return bool(
            matrix.size
            and matrix.shape[1] > 1
            and (matrix >= 0.0).all()
            and np.abs(matrix.sum(axis=1) - 1.0).max() <= _CLOSE
        )

    def as_read(self, reading: int) -> Entry:
        """The entry in one of the readings of its question."""
        assert self.question is not None
        chosen = self.question.readings[reading]
        return replace(
            self,
            matrix=chosen.matrix,
            row_labels=chosen.row_labels,
            column_labels=chosen.column_labels,
            question=None,
        )

    def turned(self) -> Entry:
        """The entry transposed, with its labels."""
        return replace(
            self,
            matrix=sealed(self.matrix.T.copy()),
            row_labels=self.column_labels,
            column_labels=self.row_labels,
        )


_PROMPT = re.compile(
    r"\s*(?:>>>|In ?\[\d+\]:|julia>|octave:\d+>|[>%])\s*(?:print\((.{1,48})\)|(.{1,48}))\s*"
)
_COMMENT = re.compile(r"(?:#|//|%|←|<-)\s*([^#\n]+?)\s*$", re.MULTILINE)
_WORD = re.compile(
    r"""["'“‘](.{1,20}?)["'”’]|(?:\d+\w*[:.)]\s*)?([^\s,:;()]{1,20})\s*(?:[,:;(].*)?$"""
)


def entries_of_text(text: str) -> tuple[Entry, ...]:
    """Every matrix of a text, and its lists of tokens, in order."""
    found = _joined_vectors([_entry_of(each, text) for each in find_matrices(text)])
    lists = _token_lists(text, found)
    return tuple(sorted([*found, *lists], key=lambda entry: entry.start))


def _entry_of(found: FoundMatrix, text: str) -> Entry:
    """The entry of a matrix in a text. Whether weights are transposed is asked by their roles."""
    matrix, question = found.matrix, found.question
    linear = question is not None and question.problem.code == "paste.transposed"
    if question is not None and linear:
        matrix, question = question.readings[-1].matrix, None
    name = _prompted(text, found.start) or found.name or ""
    return Entry(
        name,
        matrix,
        found.row_labels or _commented(text[found.start : found.end + 80], len(matrix)),
        found.column_labels,
        found.decimals,
        found.line,
        found.start,
        found.end,
        linear=linear or bool(_LINEAR.search(name)),
        question=question,
        refusal=None if found.is_masked else found.refusal,
    )


def _prompted(text: str, start: int) -> str:
    """The expression at a prompt on the line above, "" for none."""
    above = text[:start].rstrip(" \t").removesuffix("\n").rpartition("\n")[2]
    match = _PROMPT.fullmatch(above)
    shown = re.split(r"<-|=", match[1] or match[2])[0].strip() if match else ""
    return shown if above.strip()[-1:] not in ("=", "-", ":") else ""


def _commented(text: str, rows: int) -> tuple[str, ...]:
    """The words that comments give the rows; () unless there is one for each."""
    comments = _COMMENT.findall(text.rpartition("\n")[0] or text) if text.count("\n") else []
    if len(comments) == rows - 1:
        comments = _COMMENT.findall(text)[:rows]
    words = [_WORD.fullmatch(comment) or _WORD.match(comment) for comment in comments]
    found = tuple(word[1] or word[2] for word in words if word)
    return found if len(found) == rows > 1 else ()


_COUNTED = re.compile(r"(.*?[A-Za-z}])[_^{\s]*(\d{1,3})\}?")


def _joined_vectors(entries: Sequence[Entry]) -> list[Entry]:
    """Make one matrix of single rows with counted names that follow each other: x1 = […], x2 = […]."""
    result: list[Entry] = []
    group: list[Entry] = []
    for entry in [*entries, None]:
        if entry is not None and group and _goes_on(group[-1], entry):
            group.append(entry)
            continue
        result += [_stacked(group)] if len(group) > 1 else group
        group = [] if entry is None else [entry]
    return result


def _goes_on(before: Entry, entry: Entry) -> bool:
    """Whether an entry is the next row of the matrix that another one is a row of."""
    names = _COUNTED.fullmatch(before.name), _COUNTED.fullmatch(entry.name)
    if names[0] is None or names[1] is None or names[0][1] != names[1][1]:
        return False
    plain = not any((before.question, entry.question, before.refusal, entry.refusal))
    row = entry.shape == before.shape and entry.shape[0] == 1 and not entry.texts
    return plain and row and int(names[1][2]) == int(names[0][2]) + 1


def _stacked(group: Sequence[Entry]) -> Entry:
    first, last = group[0], group[-1]
    match = _COUNTED.fullmatch(first.name)
    assert match is not None
    decimals = max(entry.decimals for entry in group)
    matrix = sealed(np.vstack([entry.matrix for entry in group]))
    return replace(first, name=match[1], matrix=matrix, decimals=decimals, end=last.end)


_QUOTED = r"""(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
_LIST = re.compile(
    rf"([A-Za-z_]\w*)\s*(?:=|<-|:)\s*[\[({{c]\(?\s*({_QUOTED}(?:\s*,\s*{_QUOTED})*)\s*,?\s*[\])}}]"
)
_SENTENCE = re.compile(rf"([A-Za-z_]\w*)\s*(?:=|<-)\s*({_QUOTED})(\.split\(\))?")
_SPOKEN = re.compile(r"sentence|text|prompt|phrase|token|word", re.IGNORECASE)
_VOCABULARY = re.compile(r"vocab|itos|id2word", re.IGNORECASE)


def _token_lists(text: str, found: Sequence[Entry]) -> list[Entry]:
    """Lists of quoted words, and quoted sentences, that have as many words as a matrix has rows.

    Those of a vocabulary may have as many as a matrix has columns.
    """
    rows = {len(entry.matrix) for entry in found}
    columns = {entry.matrix.shape[1] for entry in found}
    lists = []
    for match in _LIST.finditer(text):
        lists.append((match, tuple(each[1:-1] for each in re.findall(_QUOTED, match[2]))))
    for match in _SENTENCE.finditer(text):
        if match[3] or _SPOKEN.search(match[1]):
            lists.append((match, tuple(match[2][1:-1].split())))
    return [
        Entry(
            match[1],
            line=text.count("\n", 0, match.start()) + 1,
            start=match.start(),
            end=match.end(),
            texts=words,
        )
        for match, words in lists
        if all(words)
        and (len(words) in rows or (_VOCABULARY.match(match[1]) and len(words) in columns))
    ]
