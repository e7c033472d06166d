"""The tokens of a text, with the words that edits put into it."""

from __future__ import annotations

from core.models.model import Model
from gui.model_window.edits import Edit, WordSwap
from gui.model_window.state import Sentence


def tokens_of(model: Model, text: str) -> Sentence:
    """The tokens of a text. Raises UserError for an empty or too long one."""
    encoding = model.tokenizer.pieces(text)
    model.require_ids(encoding.ids)
    return Sentence(encoding.ids, encoding.pieces, encoding.labels)


def swapped(model: Model, sentence: Sentence, edits: tuple[Edit, ...]) -> Sentence:
    """The sentence with the words that edits put into it."""
    ids = list(sentence.ids)
    for edit in edits:
        if isinstance(edit, WordSwap):
            ids[edit.place] = edit.id
    if tuple(ids) == sentence.ids:
        return sentence
    tokenizer = model.tokenizer
    return Sentence(tuple(ids), tuple(map(tokenizer.piece, ids)), tuple(map(tokenizer.label, ids)))
