"""The experiments that ship with the program."""

from __future__ import annotations

from pathlib import Path

from core.base.errors import UserError
from core.base.files import resource
from core.document.document import Document
from core.storage.archive import load

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
)


def example_path(example_id: str) -> Path:
    """The file of an example. Raises UserError ``example.unknown`` with the known ids."""
    if example_id not in EXAMPLES:
        raise UserError("example.unknown", id=example_id, known=list(EXAMPLES))
    return resource("examples", f"{example_id}.attn.json")


def load_example(example_id: str) -> Document:
    """An example as a document. Raises UserError ``example.unknown`` with the known ids."""
    return load(example_path(example_id))
