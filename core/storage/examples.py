"""The experiments that ship with the program, and their tokens in each language.

The files name tokens in one language. The folder of a language may hold example-tokens.json, the
tokens of examples in that language: {"cat-eats-fish": {"tokens": ["cat", "eats", "fish"]}}, with
"context" for the tokens of a context and "vocabulary" for the words of an output.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from core.base.errors import UserError
from core.base.files import EXAMPLE_TOKENS, read_bytes, resource
from core.document.document import Document
from core.document.resize import with_tokens_named
from core.storage.archive import dumps, load

# In the order in which a course would use them.
EXAMPLES: tuple[str, ...] = (
    "cat-eats-fish",
    "i-love-this-apple",
    "four-words-causal",
    "who-ate-whom",
    "which-apple-pronoun",
    "ming-ate-that-apple",
    "apple-released-iphone",
    "translation",
    "eight-heads",
    "block-by-hand",
    "induction",
    "not-bad",
)


class TokenNames(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An entry of example-tokens.json: as many tokens and words as the experiment has."""

    tokens: tuple[str, ...]
    context: tuple[str, ...] | None = None
    vocabulary: tuple[str, ...] | None = None


def example_path(example_id: str) -> Path:
    """The file of an example. Raises UserError ``example.unknown`` with the known ids."""
    if example_id not in EXAMPLES:
        raise UserError("example.unknown", id=example_id, known=list(EXAMPLES))
    return resource("examples", f"{example_id}.attn.json")


def load_example(example_id: str, folder: Path | None = None) -> Document:
    """An example as a document, with its tokens as the folder of a language names them.

    Without a folder the tokens are those of the file. Raises UserError ``example.unknown`` with the
    known ids.
    """
    return with_token_names(load(example_path(example_id)), example_id, folder)


def with_token_names(document: Document, name: str, folder: Path | None) -> Document:
    """The experiment with its tokens as the folder of a language names them under `name`; the same
    object where it does not.
    """
    names = _names(folder).get(name) if folder is not None else None
    if names is None:
        return document
    document = with_tokens_named(document, names.tokens)
    if names.vocabulary is not None:
        document = with_tokens_named(document, names.vocabulary, "u")
    if document.context is None or names.context is None:
        return document
    return with_tokens_named(document, names.context, "m")


@lru_cache(maxsize=16)
def _names(folder: Path) -> dict[str, TokenNames]:
    file = folder / EXAMPLE_TOKENS
    found = read_bytes(file) if file.is_file() else b"{}"
    return msgspec.json.decode(found, type=dict[str, TokenNames])


def variants(example_id: str, *folders: Path | None) -> tuple[Document, ...]:
    """An example as in its file, in every shipped language, and in those of further folders."""
    shipped = sorted(file.parent for file in resource("i18n").glob(f"*/{EXAMPLE_TOKENS}"))
    return tuple(_variant(example_id, folder) for folder in (None, *shipped, *folders))


@lru_cache(maxsize=64)
def _variant(example_id: str, folder: Path | None) -> Document:
    """An example, read once."""
    return load_example(example_id, folder)


def find_example(document: Document, *folders: Path) -> str | None:
    """The id of the example that an experiment is, in a shipped language or that of a folder; None
    for any other experiment.
    """
    for example_id in EXAMPLES:
        for variant in variants(example_id, *folders):
            if has_tokens_of(variant, document) and dumps(variant) == dumps(document):
                return example_id
    return None


def in_language(document: Document, folder: Path, *folders: Path) -> Document:
    """An example in whatever language with the tokens of a folder; any other experiment as it is."""
    example_id = find_example(document, *folders)
    return load_example(example_id, folder) if example_id else document


def _all_tokens(document: Document) -> tuple[str, ...]:
    """The tokens of keys and queries, and the words of the output."""
    words = () if document.output is None else document.output.vocabulary
    return (*document.key_tokens, *document.tokens, *words)


def has_tokens_of(one: Document, other: Document) -> bool:
    """Whether two experiments have the same tokens."""
    return _all_tokens(one) == _all_tokens(other)


def token_translations(example_id: str, folder: Path | None) -> dict[str, str]:
    """The names of an example's tokens in a folder's language, by their names in any language."""
    wanted = _variant(example_id, folder)
    return {
        token: name
        for variant in variants(example_id, folder)
        for token, name in zip(
            _all_tokens(variant),
            _all_tokens(wanted),
            strict=True,
        )
    }
