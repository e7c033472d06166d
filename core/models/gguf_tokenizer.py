"""The tokenizer inside a .gguf: byte pairs of bytes (gpt2), or of characters by scores (llama), or
WordPiece (bert).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from unicodedata import normalize

import msgspec
import numpy as np

from core.base.errors import UserError
from core.base.json_reader import converted
from core.models.byte_pair import BytePair, from_byte_characters, from_byte_piece, merge_ranks
from core.models.splitting import (
    GPT2,
    LLAMA3,
    QWEN2,
    TEKKEN,
    by_pattern,
    byte_level,
    compiled,
    in_turn,
)
from core.models.tokenizer_file import MOST_PIECES, AddedToken
from core.models.tokenizers import Template, Tokenizer
from core.models.wordpiece import WordPiece, bert_normalised, bert_words

_KEY = "tokenizer.ggml."
_NORMAL, _UNKNOWN, _CONTROL, _OWN = 1, 2, 3, 4  # types of tokens; others are unused ones and bytes
# Names of tokenizer.ggml.pre, with the patterns that split a text, one after another.
_DIGITS = r"\p{N}"
_PATTERNS = {
    **dict.fromkeys(("default", "gpt-2", "gpt2"), (GPT2,)),
    **dict.fromkeys(("smollm", "starcoder", "refact", "command-r", "codeshell"), (_DIGITS, GPT2)),
    **dict.fromkeys(("llama3", "llama-v3", "llama-bpe", "falcon3", "pixtral"), (LLAMA3,)),
    **dict.fromkeys(("qwen2", "deepseek-r1-qwen", "stablelm2"), (QWEN2,)),
    "tekken": (TEKKEN,),
}
# These begin a text with a token unless the file says otherwise, and do not cut whole words.
_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_BEGINS = ("llama3", "llama-v3", "llama-bpe", "falcon3", "pixtral", "tekken")


class GgufTokenizer(msgspec.Struct, rename=lambda name: _KEY + name):
    """What a .gguf says about its tokenizer, typed."""

    model: str
    tokens: list[str]
    pre: str = "default"
    scores: list[float] = []
    token_type: list[int] = []
    merges: list[str] = []
    bos_token_id: int | None = None
    eos_token_id: int | None = None
    unknown_token_id: int | None = None
    cls_token_id: int | None = None
    seperator_token_id: int | None = None  # spelt so in the files
    add_bos_token: bool | None = None
    add_eos_token: bool = False
    add_space_prefix: bool = True


def from_metadata(metadata: Mapping[str, object]) -> Tokenizer:
    """The tokenizer that the metadata describe. Raises UserError."""
    own = {
        key: value.tolist() if isinstance(value, np.ndarray) else value
        for key, value in metadata.items()
        if key.startswith(_KEY)
    }
    if not own:
        raise UserError("tokenizer.absent", reason="missing")
    file = converted(own, GgufTokenizer)
    if len(file.tokens) > MOST_PIECES:
        raise UserError("tokenizer.large", limit=MOST_PIECES)
    vocabulary = {piece: number for number, piece in enumerate(file.tokens)}
    kinds = dict(zip(file.tokens, file.token_type, strict=False))
    added = [
        AddedToken(vocabulary[piece], piece, special=kind == _CONTROL)
        for piece, kind in kinds.items()
        if kind in (_UNKNOWN, _CONTROL, _OWN)
    ]
    if file.model == "gpt2":
        return _of_bytes(file, vocabulary, added)
    if file.model == "llama":
        return _of_characters(file, vocabulary, kinds, added)
    if file.model == "bert":
        return _of_words(file, added)
    known = ("bert", "gpt2", "llama")
    raise UserError("tokenizer.kind", place=f"{_KEY}model", kind=file.model, known=known)


def _template(file: GgufTokenizer, begins: bool) -> Template:
    """The first and last token, where the file wants them."""
    wanted = begins if file.add_bos_token is None else file.add_bos_token
    return Template(
        _ids(file, "bos_token_id") if wanted else (),
        _ids(file, "eos_token_id") if file.add_eos_token else (),
    )


def _ids(file: GgufTokenizer, name: str) -> tuple[int, ...]:
    """The id of a special token; none if the file has none."""
    number: int | None = getattr(file, name)
    if number is not None and not 0 <= number < len(file.tokens):
        raise UserError("tokenizer.no_piece", place=_KEY + name, text=str(number))
    return () if number is None else (number,)


def _of_bytes(
    file: GgufTokenizer, vocabulary: dict[str, int], added: list[AddedToken]
) -> Tokenizer:
    if file.pre not in _PATTERNS:
        known = tuple(_PATTERNS)
        raise UserError("tokenizer.kind", place=f"{_KEY}pre", kind=file.pre, known=known)
    *first, last = map(compiled, _PATTERNS[file.pre])
    begins = file.pre in _BEGINS
    ranks = merge_ranks(file.merges, vocabulary, f"{_KEY}merges")
    return Tokenizer(
        vocabulary,
        BytePair(vocabulary, ranks.get, whole_words=begins),
        normalise=partial(normalize, "NFC") if file.pre == "qwen2" else str,
        split=in_turn([*map(by_pattern, first), byte_level(last)]),
        added=added,
        template=_template(file, begins),
        to_bytes=from_byte_characters,
    )


def _of_characters(
    file: GgufTokenizer, vocabulary: dict[str, int], kinds: dict[str, int], added: list[AddedToken]
) -> Tokenizer:
    """As SentencePiece does: the pair that makes the piece of the highest score is joined first."""
    scores = dict(zip(file.tokens, file.scores, strict=False))
    ranks = {
        piece: -score
        for piece, score in scores.items()
        if kinds.get(piece, _NORMAL) in (_NORMAL, _OWN)
    }
    unknown = next((file.tokens[number] for number in _ids(file, "unknown_token_id")), None)
    prefix = "▁" if file.add_space_prefix else ""
    return Tokenizer(
        vocabulary,
        BytePair(
            vocabulary,
            lambda pair: ranks.get(pair[0] + pair[1]),
            unknown=unknown,
            fuse_unknown=True,
            byte_pieces=True,
        ),
        normalise=lambda text: prefix + text.replace(" ", "▁") if text else text,
        added=added,
        template=_template(file, begins=True),
        to_bytes=from_byte_piece,
    )


def _of_words(file: GgufTokenizer, added: list[AddedToken]) -> Tokenizer:
    """As BERT. A piece that begins a word is written with ▁; whether case matters is not written, and
    is told by whether a piece has a capital letter.
    """
    special = {token.content for token in added} | {
        piece for piece in file.tokens if piece.startswith("[") and piece.endswith("]")
    }
    pieces = [
        piece if piece in special else piece[1:] if piece.startswith("▁") else f"##{piece}"
        for piece in file.tokens
    ]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    named = [
        AddedToken(vocabulary[piece], piece, special=True)
        for piece in sorted(special & {*_SPECIAL})
    ]
    unknown = next((pieces[number] for number in _ids(file, "unknown_token_id")), "[UNK]")
    if unknown not in vocabulary:
        raise UserError("tokenizer.no_piece", place=f"{_KEY}unknown_token_id", text=unknown)
    lower = not any(piece != piece.lower() for piece in pieces if piece not in special)
    normalised = partial(bert_normalised, clean=True, chinese=True, accents=lower, lower=lower)
    return Tokenizer(
        vocabulary,
        WordPiece(vocabulary, unknown, "##", 100),
        normalise=normalised,
        split=lambda words, _: [part for word in words for part in bert_words(word)],
        added=[*added, *named],
        template=Template(
            _ids(file, "cls_token_id") or _ids(file, "bos_token_id"),
            _ids(file, "seperator_token_id") or _ids(file, "eos_token_id"),
        ),
        continues="##",
    )
