"""Tokenizers: a text as the ids of a model's vocabulary, and how each word is cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from unicodedata import category

from core.base.errors import UserError
from core.models.byte_pair import from_byte_piece
from core.models.splitting import Normaliser, Splitter, require_length
from core.models.tokenizer_file import (
    AddedToken,
)
from core.models.wordpiece import is_space

_HALF_BYTES = re.compile("[\udc80-\udcff]")


class Cutter(Protocol):
    """Cuts one word: WordPiece or BytePair."""

    def cut(self, word: str) -> list[str]: ...
    def states(self, word: str) -> Iterator[tuple[str, ...]]: ...


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it was cut, in the vocabulary's letters; its ids are first, …, last − 1."""

    text: str
    first: int
    last: int
    special: bool = False


@dataclass(frozen=True, slots=True)
class Encoding:
    """A text as ids, with the vocabulary's pieces (`Ġthe`), decoded labels (` the`) and words."""

    ids: tuple[int, ...]
    pieces: tuple[str, ...]
    labels: tuple[str, ...]
    words: tuple[Word, ...]
    normalised: str


@dataclass(frozen=True, slots=True)
class Template:
    """The ids before and after a text."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()


class Tokenizer:
    """Encodes and decodes texts. Frozen once it is made."""

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        cutter: Cutter,
        *,
        normalise: Normaliser = str,
        split: Splitter = lambda words, _: words,
        added: Sequence[AddedToken] = (),
        template: Template = Template(),
        to_bytes: Callable[[str], bytes] = from_byte_piece,
        continues: str | None = None,  # how pieces inside a word begin; others follow a space
    ) -> None:
        self._ids = vocabulary
        self._pieces = {number: piece for piece, number in vocabulary.items()}
        self._pieces |= {token.id: token.content for token in added}
        self._cutter = cutter
        self._normalise = normalise
        self._split = split
        self._raw = _Finder([token for token in added if not token.normalized])
        self._normal = _Finder([token for token in added if token.normalized], normalise)
        self._added = {token.id for token in added}
        self._template = template
        self._to_bytes = to_bytes
        self._continues = continues
        self.size = max(self._pieces, default=-1) + 1

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The piece of each id; "" where an id has none."""
        return tuple(self._pieces.get(number, "") for number in range(self.size))

    def encode(self, text: str) -> list[int]:
        """The ids of a text with the special tokens round it. Special tokens written in the text
        count as such. Raises UserError "tokenizer.text".
        """
        return list(self.pieces(text).ids)

    def pieces(self, text: str) -> Encoding:
        """The ids of a text, and where they come from. Raises UserError "tokenizer.text"."""
        text = require_length(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        ids: list[int] = []
        words: list[Word] = []
        normalised: list[str] = []

        def put(word: str, numbers: Sequence[int], special: bool = False) -> None:
            words.append(Word(word, len(ids), len(ids) + len(numbers), special))
            ids.extend(numbers)

        for number in self._template.before:
            put(self.piece(number), (number,), special=True)
        for token, part, first in self._sections(text):
            normalised.append(part)
            if token is not None:
                put(token.content, (token.id,), special=True)
                continue
            for word in self._split([part], first):
                if word:
                    put(word, [self._ids[piece] for piece in self._cutter.cut(word)])
        for number in self._template.after:
            put(self.piece(number), (number,), special=True)
        return Encoding(
            tuple(ids),
            tuple(map(self.piece, ids)),
            tuple(map(self.label, ids)),
            tuple(words),
            "".join(normalised),
        )

    def _sections(self, text: str) -> Iterator[tuple[AddedToken | None, str, bool]]:
        """The added tokens and the normalised texts between, and whether one begins the text."""
        first = True
        for token, part in self._raw.sections(text):
            if token is not None:
                yield token, part, first
            else:
                for inner, text_part in self._normal.sections(self._normalise(part)):
                    yield inner, text_part, first
                    first = False
            first = False

    def cut(self, word: str) -> Iterator[tuple[str, ...]]:
        """The states of a word while it is cut: after each join, or after each piece found."""
        return self._cutter.states(word)

    def has(self, number: int) -> bool:
        """Whether an id has a piece."""
        return number in self._pieces

    def piece(self, number: int) -> str:
        """The piece of an id. Raises UserError "model.id" (value, most)."""
        if number not in self._pieces:
            raise UserError("model.id", value=number, most=self.size - 1)
        return self._pieces[number]

    def label(self, number: int) -> str:
        """A piece as text; bytes that are no whole character as <0xE4>."""
        piece = self.piece(number)
        if number in self._added:
            return piece
        if self._continues is not None:
            return piece.removeprefix(self._continues)
        text = self._to_bytes(piece).decode("utf-8", "surrogateescape")
        return _HALF_BYTES.sub(lambda half: f"<0x{ord(half[0]) - 0xDC00:02X}>", text)

    def decode(self, ids: Sequence[int]) -> str:
        """The text of ids, special tokens included; U+FFFD for bytes that are no character."""
        if self._continues is not None:
            words = " ".join(map(self.piece, ids))
            return words.replace(f" {self._continues}", "") if self._continues else words
        parts = (
            self.piece(i).encode() if i in self._added else self._to_bytes(self.piece(i))
            for i in ids
        )
        return b"".join(parts).decode("utf-8", "replace")


class _Finder:
    """Finds added tokens in a text: from left to right, the longest that begins at a place."""

    def __init__(self, tokens: Sequence[AddedToken], normalise: Normaliser = str) -> None:
        self._tokens = {normalise(token.content): token for token in tokens if token.content}
        self._tokens.pop("", None)
        first = {content[0] for content in self._tokens}
        self._begins = re.compile(f"[{re.escape(''.join(sorted(first)))}]") if first else None
        self._lengths = sorted({len(content) for content in self._tokens}, reverse=True)

    def sections(self, text: str) -> Iterator[tuple[AddedToken | None, str]]:
        """The tokens found, and the texts between them with None."""
        begin = at = 0
        while self._begins is not None and (found := self._begins.search(text, at)):
            start = found.start()
            parts = (text[start : start + length] for length in self._lengths)
            content = next((part for part in parts if part in self._tokens), None)
            at = start + len(content or " ")
            token = self._tokens[content] if content else None
            if token is None or (token.single_word and _is_in_word(text, start, at)):
                continue
            while token.lstrip and start > begin and is_space(text[start - 1]):
                start -= 1
            while token.rstrip and at < len(text) and is_space(text[at]):
                at += 1
            if start > begin:
                yield None, text[begin:start]
            yield token, text[start:at]
            begin = at
        if begin < len(text):
            yield None, text[begin:]


def _is_in_word(text: str, start: int, end: int) -> bool:
    """Whether a letter, number or mark touches the place."""
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    return any(category(c)[0] in "LMN" or category(c) == "Pc" for c in around)
