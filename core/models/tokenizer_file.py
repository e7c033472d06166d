"""The contents of a tokenizer.json, typed: what does not fit is a UserError with its place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from core.base.errors import UserError
from core.base.files import read_bytes
from core.base.json_reader import decoded, utf8

LARGEST = 1 << 26  # bytes; the largest tokenizers in use take half of it
MOST_ENTRIES = 1_800_000  # commas: pieces and halves of merges
MOST_PIECES = 1 << 20
MOST_STEPS = 32


class AddedToken(msgspec.Struct):
    """A token that is found in the text before anything else is cut."""

    id: int
    content: str
    single_word: bool = False
    lstrip: bool = False
    rstrip: bool = False
    normalized: bool = False
    special: bool = False


class TemplateToken(msgspec.Struct):
    """What a template calls a special token, and the ids that it stands for."""

    ids: list[int] = []


class TemplateName(msgspec.Struct):
    """The name of a special token, or of the text: A."""

    id: str


class Step(msgspec.Struct):
    """Any normaliser, pre-tokenizer or post-processor; `type` decides which keys count."""

    type: str
    normalizers: list[Step] = []
    pretokenizers: list[Step] = []
    processors: list[Step] = []
    # normalisers
    clean_text: bool = True
    handle_chinese_chars: bool = True
    strip_accents: bool | None = None
    lowercase: bool = True
    prepend: str = ""
    content: str = ""
    # pre-tokenizers
    pattern: dict[str, str] | None = None
    behavior: str = "Isolated"
    invert: bool = False
    add_prefix_space: bool | None = None
    use_regex: bool = True
    individual_digits: bool = False
    replacement: str = "▁"
    prepend_scheme: str = "always"
    split: bool | None = True
    # post-processors
    single: list[dict[str, TemplateName]] = []  # keyed SpecialToken or Sequence
    special_tokens: dict[str, TemplateToken] = {}
    cls: tuple[str, int] | None = None
    sep: tuple[str, int] | None = None


class Vocabulary(msgspec.Struct):
    """The model: WordPiece, or byte pairs with their merges. Old files leave `type` out."""

    vocab: dict[str, int] | list[Any]
    type: str | None = None
    merges: list[str | tuple[str, str]] | None = None
    scores: dict[str, float] | None = (
        None  # instead of merges: what is made of two, the highest first
    )
    unk_token: str | None = None
    continuing_subword_prefix: str | None = None
    end_of_word_suffix: str | None = None
    max_input_chars_per_word: int = 100
    fuse_unk: bool = False
    byte_fallback: bool = False
    ignore_merges: bool = False
    dropout: float | None = None


class TokenizerFile(msgspec.Struct):
    """A tokenizer.json. Truncation and padding are left out on purpose."""

    model: Vocabulary
    added_tokens: list[AddedToken] = []
    normalizer: Step | None = None
    pre_tokenizer: Step | None = None
    post_processor: Step | None = None


def read_tokenizer_file(path: Path) -> TokenizerFile:
    """The file, typed and with usable ids. Raises UserError."""
    data = read_bytes(path)
    if len(data) > LARGEST or data.count(b",") > MOST_ENTRIES:
        raise UserError("tokenizer.large", limit=MOST_ENTRIES)
    file = decoded(utf8(data), TokenizerFile, {"": TokenizerFile})
    for name in ("normalizer", "pre_tokenizer", "post_processor"):
        _require_few_steps(getattr(file, name), name)
    if isinstance(file.model.vocab, dict):
        _require_ids(file.model.vocab, "model.vocab")
    _require_ids({token.content: token.id for token in file.added_tokens}, "added_tokens")
    return file


def require_piece(ids: Mapping[str, int], piece: str, place: str) -> None:
    """Raise UserError "tokenizer.no_piece" (place, text) unless it is in the vocabulary."""
    if piece not in ids:
        raise UserError("tokenizer.no_piece", place=place, text=piece)


def _require_few_steps(step: Step | None, place: str) -> None:
    """Raise UserError "tokenizer.steps" (place, most) for a text that could grow without bound: many
    steps, or bytes of bytes.
    """
    steps = [step] if step else []
    for part in steps:  # it grows
        steps += [*part.normalizers, *part.pretokenizers, *part.processors][: MOST_STEPS + 1]
        byte_levels = sum(each.type == "ByteLevel" for each in steps)
        if len(steps) > MOST_STEPS or (byte_levels > 1 and place == "pre_tokenizer"):
            raise UserError("tokenizer.steps", place=place, most=MOST_STEPS)


def _require_ids(ids: Mapping[str, int], place: str) -> None:
    """Raise UserError "tokenizer.id" (place, text, value, most) unless ids can number pieces."""
    if ids and not (0 <= min(ids.values()) and max(ids.values()) < MOST_PIECES):
        text, value = next(item for item in ids.items() if not 0 <= item[1] < MOST_PIECES)
        raise UserError("tokenizer.id", place=place, text=text, value=value, most=MOST_PIECES - 1)
