"""WordPiece as BERT uses it: normalise, split at spaces and punctuation, cut into longest pieces."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from unicodedata import category, normalize

from core.models.tokenizer_file import Vocabulary, require_piece

# What the library calls Chinese: it leaves gaps that Unicode has since filled.
_CHINESE = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
# The library knows the categories of Unicode 8: marks, punctuation and controls that came later, in
# these ranges, count as unassigned; three characters have changed.
_NEWER = (
    "61d 7fd 890-8e2 9fd-9fe a76 afa-aff b55 c04-c3c c77 c84 d00 d3b-d3c d81 eba ece "
    "180f-1886 1abf-1ace 1b7d-1b7e 1df6-1dfb 2e43-2e5d a82c a8c5 a8ff a9bd 10d24-10f89 "
    "11070-11074 110c2-110cd 111cf 1123e-11241 1133b 113b8-113e2 11438-1145e 11660-1166c "
    "116b9 1182f-11fff 12ff1-13455 1611e-1612f 16e97-16f4f 16fe2-16fe4 1cf00-1cf46 "
    "1e000-1e5ff 1e944-1e95f"
)
_EDGES = tuple(
    int(point, 16) + shift
    for ends in _NEWER.split()
    for point, shift in zip((ends.split("-")[0], ends.split("-")[-1]), (0, 1), strict=True)
)
_CHANGED = {"\u166d": "Po", "\u1734": "Mn", "\U000111c9": "Po"}
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def is_space(character: str) -> bool:
    """Whether Unicode calls a character white space; Python's isspace adds four separators."""
    return character.isspace() and character not in "\x1c\x1d\x1e\x1f"


def _is_chinese(character: str) -> bool:
    return any(start <= ord(character) <= end for start, end in _CHINESE)


def _category(character: str) -> str:
    """The general category in Unicode 8, as far as it matters here."""
    is_newer = bisect_right(_EDGES, ord(character)) % 2
    return "Cn" if is_newer else _CHANGED.get(character) or category(character)


def _is_punctuation(character: str) -> bool:
    return character in _ASCII_PUNCTUATION or _category(character)[0] == "P"


def bert_normalised(text: str, *, clean: bool, chinese: bool, accents: bool, lower: bool) -> str:
    """Drop control characters, put spaces round Chinese characters, drop accents, lower the case."""
    if clean:
        text = "".join(
            " " if is_space(c) else c for c in text if c in "\t\n\r" or not _is_control(c)
        )
    if chinese:
        text = "".join(f" {c} " if _is_chinese(c) else c for c in text)
    if accents:
        text = "".join(c for c in normalize("NFD", text) if _category(c) != "Mn")
    return "".join(c.lower() for c in text) if lower else text


def _is_control(character: str) -> bool:
    return character == "\ufffd" or _category(character) in ("Cc", "Cf", "Co", "Cs")


def bert_words(text: str) -> Iterator[str]:
    """Split at white space; each punctuation mark is a word."""
    word = ""
    for character in text:
        alone = _is_punctuation(character)
        if word and (alone or is_space(character)):
            yield word
            word = ""
        if alone:
            yield character
        elif not is_space(character):
            word += character
    if word:
        yield word


def word_piece(model: Vocabulary, ids: Mapping[str, int]) -> WordPiece:
    """The cutter of a tokenizer.json. Raises UserError "tokenizer.no_piece" (place, text)."""
    unknown = model.unk_token or "[UNK]"
    require_piece(ids, unknown, "model.unk_token")
    prefix = model.continuing_subword_prefix or ""
    return WordPiece(ids, unknown, prefix, model.max_input_chars_per_word)


class WordPiece:
    """Cuts a word into the longest pieces of the vocabulary, from its beginning on."""

    def __init__(
        self, vocabulary: Mapping[str, int], unknown: str, prefix: str, longest_word: int
    ) -> None:
        self._vocabulary = vocabulary
        self._unknown = unknown
        self._prefix = prefix  # of pieces inside a word
        self._longest_word = longest_word
        self._lengths = sorted({len(piece) for piece in vocabulary}, reverse=True)

    def cut(self, word: str) -> list[str]:
        """The pieces of a word; the unknown piece alone if it cannot be cut."""
        if len(word) > self._longest_word:
            return [self._unknown]
        pieces: list[str] = []
        at = 0
        while at < len(word):
            prefix = self._prefix if at else ""
            rest = prefix + word[at : at + self._lengths[0]]
            piece = next(
                (rest[:length] for length in self._lengths if rest[:length] in self._vocabulary), ""
            )
            if len(piece) <= len(prefix):
                return [self._unknown]
            pieces.append(piece)
            at += len(piece) - len(prefix)
        return pieces

    def states(self, word: str) -> Iterator[tuple[str, ...]]:
        """The word, then what is cut off and what remains, piece by piece."""
        yield (word,)
        pieces = self.cut(word)
        if pieces == [self._unknown]:
            yield (self._unknown,)
        at = 0
        for number, piece in enumerate(pieces[:-1], 1):
            at += len(piece) - (len(self._prefix) if number > 1 else 0)
            yield (*pieces[:number], self._prefix + word[at:])
