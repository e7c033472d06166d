"""The next word: a number for each word of the vocabulary, and the softmax over them."""

from __future__ import annotations

from core.stages.kind import StageKind, StageSpec
from core.stages.project import PROJECT


class VocabularySoftmax(StageKind):
    """The softmax of each row of logits ÷ temperature.  # (n, u) -> (n, u)"""

    name = "vocabulary_softmax"
    sequential = True
    shares = True


VOCABULARY_SOFTMAX = VocabularySoftmax()

LOGITS = StageSpec("logits", PROJECT, "Z", letter="z", latex="Z")
PROBABILITIES = StageSpec("probabilities", VOCABULARY_SOFTMAX, "p", letter="p", latex="P")
