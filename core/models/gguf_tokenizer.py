"""The tokenizer inside a .gguf: byte pairs of bytes (gpt2), or of characters by scores (llama), or
WordPiece (bert).
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from core.base.errors import UserError
from core.base.json_reader import converted
from core.models.splitting import GPT2, LLAMA3, QWEN2, TEKKEN, require_kind
from core.models.tokenizer_file import (
    MOST_PIECES,
    AddedToken,
    Step,
    TemplateName,
    TemplateToken,
    TokenizerFile,
    Vocabulary,
)

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
# Texts begin with a token unless the file says otherwise, and whole words are not cut.
_SPECIAL = ("PAD", "UNK", "CLS", "SEP", "MASK")  # of BERT, where the types do not say
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


def metadata_file(metadata: Mapping[str, object]) -> TokenizerFile:
    """What the metadata of a .gguf say, as a tokenizer.json says it. Raises UserError."""
    own = {key: value for key, value in metadata.items() if key.startswith(_KEY)}
    if not own:
        raise UserError("tokenizer.absent", reason="missing")
    lists = {key: each.tolist() for key, each in own.items() if isinstance(each, np.ndarray)}
    gguf = converted(own | lists, GgufTokenizer)
    if len(gguf.tokens) > MOST_PIECES:
        raise UserError("tokenizer.large", limit=MOST_PIECES)
    kinds = {"bert": _of_words, "gpt2": _of_bytes, "llama": _of_characters}
    require_kind(gguf.model, tuple(kinds), f"{_KEY}model")
    ids = {piece: number for number, piece in enumerate(gguf.tokens)}
    file = kinds[gguf.model](gguf, ids)
    file.added_tokens += [
        AddedToken(ids[piece], piece, special=kind == _CONTROL)
        for piece, kind in zip(gguf.tokens, gguf.token_type, strict=False)
        if kind in (_UNKNOWN, _CONTROL, _OWN)
    ]
    return file


def _around(before: int | None, after: int | None) -> Step:
    """The step that puts tokens before and after a text."""
    places = (("before", before), ("A", None), ("after", after))
    return Step(
        "TemplateProcessing",
        single=[
            {"Sequence" if name == "A" else "SpecialToken": TemplateName(name)}
            for name, number in places
            if name == "A" or number is not None
        ],
        special_tokens={name: TemplateToken([i]) for name, i in places if i is not None},
    )


def _ends(gguf: GgufTokenizer, begins: bool) -> Step:
    """The first and last token, where the file wants them."""
    wanted = begins if gguf.add_bos_token is None else gguf.add_bos_token
    return _around(
        gguf.bos_token_id if wanted else None, gguf.eos_token_id if gguf.add_eos_token else None
    )


def _unknown(gguf: GgufTokenizer) -> str | None:
    number = gguf.unknown_token_id
    return gguf.tokens[number] if number is not None and 0 <= number < len(gguf.tokens) else None


def _of_bytes(gguf: GgufTokenizer, ids: dict[str, int]) -> TokenizerFile:
    require_kind(gguf.pre, tuple(_PATTERNS), f"{_KEY}pre")
    begins = gguf.pre in _BEGINS
    splits = [Step("Split", pattern={"Regex": pattern}) for pattern in _PATTERNS[gguf.pre]]
    bytes_ = Step("ByteLevel", add_prefix_space=False, use_regex=False)
    return TokenizerFile(
        Vocabulary(ids, "BPE", list(gguf.merges), ignore_merges=begins),
        normalizer=Step("NFC") if gguf.pre == "qwen2" else None,
        pre_tokenizer=Step("Sequence", pretokenizers=[*splits, bytes_]),
        post_processor=_ends(gguf, begins),
    )


def _of_characters(gguf: GgufTokenizer, ids: dict[str, int]) -> TokenizerFile:
    """As SentencePiece does: the pair that makes the piece of the highest score is joined first."""
    kinds = dict(zip(gguf.tokens, gguf.token_type, strict=False))
    scores = dict(zip(gguf.tokens, gguf.scores, strict=False))
    made = {
        piece: score for piece, score in scores.items() if kinds.get(piece, 1) in (_NORMAL, _OWN)
    }
    steps = [Step("Prepend", prepend="▁")] if gguf.add_space_prefix else []
    spaces = Step("Replace", pattern={"String": " "}, content="▁")
    return TokenizerFile(
        Vocabulary(
            ids, "BPE", scores=made, unk_token=_unknown(gguf), fuse_unk=True, byte_fallback=True
        ),
        normalizer=Step("Sequence", normalizers=[*steps, spaces]),
        post_processor=_ends(gguf, begins=True),
    )


def _of_words(gguf: GgufTokenizer, ids: dict[str, int]) -> TokenizerFile:
    """As BERT. A piece that begins a word is written with ▁; whether case matters is not written, and
    is told by whether a piece has a capital letter.
    """
    special = [piece for piece in gguf.tokens if piece.startswith("[") and piece.endswith("]")]
    plain = {
        piece[1:] if piece.startswith("▁") else f"##{piece}": number
        for piece, number in ids.items()
        if piece not in special
    }
    pieces = plain | {piece: ids[piece] for piece in special}
    lower = not any(piece != piece.lower() for piece in plain)
    first = gguf.bos_token_id if gguf.cls_token_id is None else gguf.cls_token_id
    last = gguf.eos_token_id if gguf.seperator_token_id is None else gguf.seperator_token_id
    return TokenizerFile(
        Vocabulary(pieces, "WordPiece", unk_token=_unknown(gguf), continuing_subword_prefix="##"),
        [AddedToken(ids[name], name, special=True) for name in special if name[1:-1] in _SPECIAL],
        normalizer=Step("BertNormalizer", lowercase=lower),
        pre_tokenizer=Step("BertPreTokenizer"),
        post_processor=_around(first, last),
    )
