"""Byte-pair encoding: join neighbouring pieces, the pair of the best rank first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from heapq import heappop, heappush

from core.base.errors import UserError
from core.models.tokenizer_file import Vocabulary, require_piece

# The rank of joining two pieces, the lowest first; None for two that are not joined.
Rank = Callable[[tuple[str, str]], float | None]

_BYTE_PIECE = re.compile(r"<0x([0-9A-F]{2})>")


@cache
def byte_characters() -> str:
    """One visible character for each byte, as GPT-2 writes bytes: Ġ is a space."""
    visible = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return "".join(chr(byte if byte in visible else next(others)) for byte in range(256))


def as_byte_characters(text: str) -> str:
    """The UTF-8 bytes of a text, each as its visible character."""
    characters = byte_characters()
    return "".join(characters[byte] for byte in text.encode("utf-8", "replace"))


def from_byte_characters(piece: str) -> bytes:
    """The bytes that a piece stands for; other characters give their UTF-8 bytes."""
    bytes_of = _bytes_of()
    if all(character in bytes_of for character in piece):
        return bytes(bytes_of[character] for character in piece)
    return piece.encode("utf-8", "replace")


@cache
def _bytes_of() -> dict[str, int]:
    return {character: byte for byte, character in enumerate(byte_characters())}


def from_byte_piece(piece: str) -> bytes:
    """The byte of a piece such as <0x0A>; the text of any other, ▁ as a space."""
    found = _BYTE_PIECE.fullmatch(piece)
    return (
        bytes([int(found[1], 16)]) if found else piece.replace("▁", " ").encode("utf-8", "replace")
    )


def join_pairs(pieces: list[str], rank: Rank) -> Iterator[None]:
    """Join pairs in the list until none is left; yield after each. What was joined to its left
    neighbour becomes "". O(n log n).
    """
    count = len(pieces)
    after = [*range(1, count), -1]
    before = [*range(-1, count - 1)]
    heap: list[tuple[float, int, int, int]] = []  # rank, left, right, length of both

    def offer(left: int, right: int) -> None:
        if left >= 0 and right >= 0:
            found = rank((pieces[left], pieces[right]))
            if found is not None:
                heappush(heap, (found, left, right, len(pieces[left]) + len(pieces[right])))

    for left in range(count - 1):
        offer(left, left + 1)
    while heap:
        _, left, right, length = heappop(heap)
        if after[left] != right or len(pieces[left]) + len(pieces[right]) != length:
            continue  # one of the two was joined to another meanwhile
        pieces[left] += pieces[right]
        pieces[right] = ""
        after[left], after[right] = after[right], -1
        if after[left] >= 0:
            before[after[left]] = left
        offer(before[left], left)
        offer(left, after[left])
        yield


def byte_pair(model: Vocabulary, ids: Mapping[str, int]) -> BytePair:
    """The cutter of a tokenizer.json or .gguf.

    Raises UserError "tokenizer.setting" (place, value), "tokenizer.no_piece" (place, text) and
    "tokenizer.merge" (place, text) where a half or the whole is not in the vocabulary.
    """
    for name in ("continuing_subword_prefix", "end_of_word_suffix", "dropout"):
        if getattr(model, name):
            raise UserError("tokenizer.setting", place=f"model.{name}", value=getattr(model, name))
    if model.unk_token:
        require_piece(ids, model.unk_token, "model.unk_token")
    ranks: dict[tuple[str, str], int] = {}
    for rank, merge in enumerate(model.merges or []):
        pair = merge.split(" ") if isinstance(merge, str) else merge
        if len(pair) != 2 or not (pair[0] in ids and pair[1] in ids and pair[0] + pair[1] in ids):
            text = merge if isinstance(merge, str) else " ".join(merge)
            raise UserError("tokenizer.merge", place=f"model.merges[{rank}]", text=text)
        ranks[pair[0], pair[1]] = rank
    return BytePair(model, ids, ranks)


class BytePair:
    """Cuts a word into characters of the vocabulary and joins them."""

    def __init__(
        self, model: Vocabulary, ids: Mapping[str, int], ranks: Mapping[tuple[str, str], int]
    ) -> None:
        self._vocabulary = ids
        self._ranks = ranks
        self._scores = model.scores
        self._unknown = model.unk_token or None  # for what is not in the vocabulary; None drops it
        self._fuse_unknown = model.fuse_unk  # several in a row are one
        self._byte_pieces = model.byte_fallback  # characters become pieces such as <0x0A>
        self._whole_words = model.ignore_merges  # a word of the vocabulary is not cut

    def _rank(self, pair: tuple[str, str]) -> float | None:
        """The lowest first; None for two that are not joined."""
        if self._scores is None:
            return self._ranks.get(pair)
        score = self._scores.get(pair[0] + pair[1])
        return None if score is None else -score

    def cut(self, word: str) -> list[str]:
        """The pieces of a word."""
        if self._whole_words and word in self._vocabulary:
            return [word]
        pieces = self._characters(word)
        for _ in join_pairs(pieces, self._rank):
            pass
        return [piece for piece in pieces if piece]

    def states(self, word: str) -> Iterator[tuple[str, ...]]:
        """The characters of the word, then its pieces after each join."""
        if self._whole_words and word in self._vocabulary:
            yield (word,)
            return
        pieces = self._characters(word)
        yield tuple(pieces)
        for _ in join_pairs(pieces, self._rank):
            yield tuple(piece for piece in pieces if piece)

    def _characters(self, word: str) -> list[str]:
        pieces: list[str] = []
        known = True  # the character before
        for character in word:
            if character in self._vocabulary:
                pieces.append(character)
                known = True
            elif self._byte_pieces and (encoded := self._bytes(character)):
                pieces += encoded
                known = True
            elif self._unknown is not None and not (self._fuse_unknown and not known):
                pieces.append(self._unknown)
                known = False
        return pieces

    def _bytes(self, character: str) -> list[str]:
        """The pieces of a character's bytes; none unless the vocabulary has all of them."""
        pieces = [f"<0x{byte:02X}>" for byte in character.encode("utf-8", "replace")]
        return pieces if all(piece in self._vocabulary for piece in pieces) else []
