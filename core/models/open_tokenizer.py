"""Open a tokenizer: WordPiece, or byte pairs of bytes or of characters.

Reads tokenizer.json and the tokenizer inside a .gguf. Truncation and padding are ignored. Unigram is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path

from core.base.errors import UserError
from core.base.files import is_folder
from core.models.byte_pair import BytePair, from_byte_characters, from_byte_piece, merge_ranks
from core.models.gguf import is_gguf, read_metadata
from core.models.gguf_tokenizer import from_metadata
from core.models.splitting import normaliser, splitter
from core.models.tokenizer_file import Step, TokenizerFile, Vocabulary, read_tokenizer_file
from core.models.tokenizers import Template, Tokenizer
from core.models.wordpiece import WordPiece


def tokenizer(source: str | Path) -> Tokenizer:
    """The tokenizer of a tokenizer.json, of a folder that has one, or of a .gguf. Raises UserError."""
    path = Path(source)
    path = path / "tokenizer.json" if is_folder(path) else path
    try:
        if path.suffix.lower() != ".json" and is_gguf(path):
            return from_metadata(read_metadata(path))
        return _from_file(read_tokenizer_file(path))
    except UserError as error:
        data = {"path": str(path), **error.data}
        data |= {"place": path.name} if data.get("place") == "" else {}  # the file itself
        raise UserError(error.code, **data) from error


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
