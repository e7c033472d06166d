"""The experiment: what the user entered, frozen and validated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from core.base.text import clean_text, clean_texts
from core.document.experiment import Experiment
from core.document.parts import (
    HEAD_TENSORS,
    MASK_KINDS,
    MOST_SCORES,
    POSITIONAL_KINDS,
    SCALE_KINDS,
    SHARED_TENSORS,
    SOFTMAX_BASES,
    SOURCES,
    Context,
    Head,
    Layer,
    Mask,
    Mlp,
    Norm,
    Output,
    Pin,
    Positional,
    Sampling,
    Scale,
    Softmax,
)
from core.document.stack_validation import validate_stack
from core.document.validation import validate

__all__ = [
    "HEAD_TENSORS",
    "MASK_KINDS",
    "MOST_SCORES",
    "POSITIONAL_KINDS",
    "SCALE_KINDS",
    "SHARED_TENSORS",
    "SOFTMAX_BASES",
    "SOURCES",
    "Context",
    "Document",
    "Head",
    "Layer",
    "Mask",
    "Mlp",
    "Norm",
    "Output",
    "Pin",
    "Positional",
    "Sampling",
    "Scale",
    "Softmax",
]


@dataclass(frozen=True, eq=False)
class Document(Experiment):
    """The experiment. Two documents are the same when they are the same object.

    Raises UserError when the parts do not fit together.
    """

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", clean_text(self.title))
        object.__setattr__(self, "notes", clean_text(self.notes))
        object.__setattr__(self, "tokens", clean_texts(self.tokens))
        if self.of_layer is None:
            (validate_stack if self.layers else validate)(self)

    def with_(self, **changes: Any) -> Document:
        """A copy with some fields replaced; the same object if none differs."""
        if all(getattr(self, name) is value for name, value in changes.items()):
            return self
        return replace(self, **changes)
