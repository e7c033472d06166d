"""Tokenizers: a text as the ids of a model's vocabulary, and how each word is cut.

Reads tokenizer.json: WordPiece, and byte pairs of bytes or of characters. Truncation and padding are
ignored. Unigram is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from unicodedata import category

from core.base.errors import UserError
from core.base.files import is_folder
from core.models.byte_pair import BytePair, from_byte_characters, from_byte_piece, merge_ranks
from core.models.splitting import Normaliser, Splitter, normaliser, require_length, splitter
from core.models.tokenizer_file import (
    AddedToken,
    Step,
    TokenizerFile,
    Vocabulary,
    read_tokenizer_file,
)
from core.models.wordpiece import WordPiece, is_space

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


def tokenizer(source: str | Path) -> Tokenizer:
    """The tokenizer of a tokenizer.json, or of a folder that has one. Raises UserError."""
    path = Path(source)
    path = path / "tokenizer.json" if is_folder(path) else path
    try:
        return _from_file(read_tokenizer_file(path))
    except UserError as error:
        raise UserError(error.code, **{"path": str(path), **error.data}) from error


_MODELS = ("BPE", "WordPiece")


def _from_file(file: TokenizerFile) -> Tokenizer:
    model, vocabulary = file.model, file.model.vocab
    kind = model.type or ("WordPiece" if model.merges is None else "BPE")
    kind = kind if isinstance(vocabulary, dict) else "Unigram"
    if kind not in _MODELS or not isinstance(vocabulary, dict):
        raise UserError("tokenizer.kind", place="model.type", kind=kind, known=_MODELS)
    is_wordpiece = kind == "WordPiece"
    cutter = _word_piece(model, vocabulary) if is_wordpiece else _byte_pair(model, vocabulary)
    ids = {*(token.id for token in file.added_tokens), *vocabulary.values()}
    prefix = model.continuing_subword_prefix or ""
    return Tokenizer(
        vocabulary,
        cutter,
        normalise=normaliser(file.normalizer),
        split=splitter(file.pre_tokenizer),
        added=file.added_tokens,
        template=_template(file.post_processor, ids),
        to_bytes=from_byte_characters if _has_bytes(file.pre_tokenizer) else from_byte_piece,
        continues=prefix if is_wordpiece else None,
    )


def _has_bytes(step: Step | None) -> bool:
    return step is not None and (
        step.type == "ByteLevel" or any(map(_has_bytes, step.pretokenizers))
    )


def _require_piece(ids: Mapping[str, int], piece: str, place: str) -> str:
    if piece not in ids:
        raise UserError("tokenizer.no_piece", place=place, text=piece)
    return piece


def _word_piece(model: Vocabulary, vocabulary: dict[str, int]) -> WordPiece:
    unknown = _require_piece(vocabulary, model.unk_token or "[UNK]", "model.unk_token")
    prefix = model.continuing_subword_prefix or ""
    return WordPiece(vocabulary, unknown, prefix, model.max_input_chars_per_word)


def _byte_pair(model: Vocabulary, vocabulary: dict[str, int]) -> BytePair:
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "dropout"):
        if getattr(model, name):
            raise UserError("tokenizer.setting", place=f"model.{name}", value=getattr(model, name))
    unknown = model.unk_token or None
    return BytePair(
        vocabulary,
        merge_ranks(model.merges or [], vocabulary, "model.merges").get,
        unknown=unknown and _require_piece(vocabulary, unknown, "model.unk_token"),
        fuse_unknown=model.fuse_unk,
        byte_pieces=model.byte_fallback,
        whole_words=model.ignore_merges,
    )


def _template(step: Step | None, ids: Set[int], place: str = "post_processor") -> Template:
    """The ids that a post-processor puts round one text."""
    if step is None or step.type == "ByteLevel":
        return Template()
    before: list[int] = []
    after: list[int] = []
    if step.type == "Sequence":
        for index, part in enumerate(step.processors):
            inner = _template(part, ids, f"{place}.processors[{index}]")
            before, after = [*inner.before, *before], [*after, *inner.after]
    elif step.type in ("BertProcessing", "RobertaProcessing"):
        for name, side in (("cls", before), ("sep", after)):
            token = getattr(step, name)
            if token is None:
                raise UserError("file.missing_key", key=name, place=place)
            side.append(token[1])
    elif step.type == "TemplateProcessing":
        side = before
        for index, item in enumerate(step.single):
            for key, entry in item.items():
                if key == "Sequence" and side is before:
                    side = after
                elif key == "SpecialToken" and entry.id in step.special_tokens:
                    side += step.special_tokens[entry.id].ids
                else:
                    here = f"{place}.single[{index}]"
                    raise UserError("tokenizer.no_piece", place=here, text=entry.id)
        if side is before:
            raise UserError("tokenizer.no_piece", place=f"{place}.single", text="A")
    else:
        known = ("BertProcessing", "ByteLevel", "RobertaProcessing", "TemplateProcessing")
        raise UserError("tokenizer.kind", place=f"{place}.type", kind=step.type, known=known)
    for number in (*before, *after):
        if number not in ids:
            raise UserError("tokenizer.no_piece", place=place, text=str(number))
    return Template(tuple(before), tuple(after))
