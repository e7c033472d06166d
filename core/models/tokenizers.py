"""Tokenizers: a text as the ids of a model's vocabulary, and how each word is cut.

WordPiece, and byte pairs of bytes or of characters, from tokenizer.json or a .gguf. Truncation and
padding are ignored. Unigram is refused.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import category

from core.base.errors import UserError
from core.base.files import is_folder
from core.models.byte_pair import byte_pair, from_byte_characters, from_byte_piece
from core.models.gguf import is_gguf, read_metadata
from core.models.gguf_tokenizer import metadata_file
from core.models.splitting import Normaliser, normaliser, require_kind, require_length, splitter
from core.models.tokenizer_file import AddedToken, Step, TokenizerFile, read_tokenizer_file
from core.models.wordpiece import is_space, word_piece

_HALF_BYTES = re.compile("[\udc80-\udcff]")


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


class Tokenizer:
    """Encodes and decodes texts. Frozen once it is made."""

    def __init__(self, file: TokenizerFile) -> None:
        """Raises UserError for what cannot be computed."""
        model = file.model
        kind = model.type or ("WordPiece" if model.merges is None else "BPE")
        kind = kind if isinstance(model.vocab, dict) else "Unigram"
        require_kind(kind, ("BPE", "WordPiece"), "model.type")
        self._ids: dict[str, int] = model.vocab if isinstance(model.vocab, dict) else {}
        self._pieces = {number: piece for piece, number in self._ids.items()}
        self._added = {token.id: token.content for token in file.added_tokens}
        self._pieces |= self._added
        self.size = max(self._pieces, default=-1) + 1
        # How pieces inside a word begin, where the others follow a space.
        self._continues = (model.continuing_subword_prefix or "") if kind == "WordPiece" else None
        self._cutter = (word_piece if kind == "WordPiece" else byte_pair)(model, self._ids)
        self._normalise = normaliser(file.normalizer)
        self._split = splitter(file.pre_tokenizer)
        self._to_bytes = from_byte_characters if _has_bytes(file.pre_tokenizer) else from_byte_piece
        own = [token for token in file.added_tokens if not token.normalized]
        self._raw = _Finder(own)
        others = [token for token in file.added_tokens if token.normalized]
        self._normal = _Finder(others, self._normalise)
        self._before, self._after = template(file.post_processor, self._pieces)

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

        for number in self._before:
            put(self.piece(number), (number,), special=True)
        for token, part, first in self._sections(text):
            normalised.append(part)
            if token is not None:
                put(token.content, (token.id,), special=True)
                continue
            for word in self._split(part, first):
                if word:
                    put(word, [self._ids[piece] for piece in self._cutter.cut(word)])
        for number in self._after:
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
            end = at  # white space that it takes along may belong to the next token all the same
            while token.lstrip and start > begin and is_space(text[start - 1]):
                start -= 1
            start = max(start, begin) if token.lstrip else start
            while token.rstrip and end < len(text) and is_space(text[end]):
                end += 1
            if start > begin:
                yield None, text[begin:start]
            if start < end:
                yield token, text[start:end]
            begin = end
        if begin < len(text):
            yield None, text[begin:]


def _is_in_word(text: str, start: int, end: int) -> bool:
    """Whether a letter, mark, digit, connector or joiner touches the place."""
    around = text[max(start - 1, 0) : start] + text[end : end + 1]
    kinds = ("L", "M", "Nd", "Nl", "Pc")
    return any(category(c).startswith(kinds) or c in "\u200c\u200d" for c in around)


def tokenizer(source: str | Path) -> Tokenizer:
    """The tokenizer of a tokenizer.json, of a folder that has one, or of a .gguf. Raises UserError."""
    path = Path(source)
    path = path / "tokenizer.json" if is_folder(path) else path
    try:
        if path.suffix.lower() != ".json" and is_gguf(path):
            return Tokenizer(metadata_file(read_metadata(path)))
        return Tokenizer(read_tokenizer_file(path))
    except UserError as error:
        data = {"path": str(path), **error.data}
        data |= {"place": path.name} if data.get("place") == "" else {}  # the file itself
        raise UserError(error.code, **data) from error


def _has_bytes(step: Step | None) -> bool:
    return step is not None and (
        step.type == "ByteLevel" or any(map(_has_bytes, step.pretokenizers))
    )


def template(
    step: Step | None, ids: Container[int], place: str = "post_processor"
) -> tuple[list[int], list[int]]:
    """The ids that a post-processor puts before and after one text."""
    before: list[int] = []
    after: list[int] = []
    if step is None or step.type == "ByteLevel":
        return before, after
    known = ("BertProcessing", "ByteLevel", "RobertaProcessing", "Sequence", "TemplateProcessing")
    require_kind(step.type, known, f"{place}.type")
    if step.type == "Sequence":
        for index, part in enumerate(step.processors):
            first, last = template(part, ids, f"{place}.processors[{index}]")
            before, after = first + before, after + last
    elif step.type == "TemplateProcessing":
        names = [(key, entry.id) for item in step.single for key, entry in item.items()]
        text = next((at for at, (key, _) in enumerate(names) if key == "Sequence"), len(names))
        for at, (key, name) in enumerate(names):
            if at != text and (key != "SpecialToken" or name not in step.special_tokens):
                raise UserError("tokenizer.no_piece", place=f"{place}.single[{at}]", text=name)
            found = step.special_tokens[name].ids if at != text else []
            before, after = (before + found, after) if at < text else (before, after + found)
        if text == len(names):
            raise UserError("tokenizer.no_piece", place=f"{place}.single", text="A")
    elif step.cls is None or step.sep is None:
        raise UserError("file.missing_key", key="sep" if step.cls else "cls", place=place)
    else:
        before, after = [step.cls[1]], [step.sep[1]]
    wrong = next((number for number in (*before, *after) if number not in ids), None)
    if wrong is not None:
        raise UserError("tokenizer.no_piece", place=place, text=str(wrong))
    return before, after
