"""The question that each stage answers, and one sentence that explains it. Free of Qt."""

from __future__ import annotations

import math

from msgspec import Struct

from core.arithmetic.stable_sum import LARGEST
from core.document.document import Document, Softmax
from core.document.orientation import ROWS, Orientation
from core.stages import plan
from gui.texts.rich_text import short_token
from gui.texts.stage_sentences import stage_text
from gui.texts.translation import label, mark, tr, tr_marked

# By sub-step, and whether tokens are columns.
LEAD_SENTENCES = {
    ("max", False): mark(
        "First find the largest score in the row of {token}: it is subtracted from all of them."
    ),
    ("max", True): mark(
        "First find the largest score in the column of {token}: it is subtracted from all of them."
    ),
    ("sum", False): mark(
        "First add up the row of {token}: this is the whole that will be shared out."
    ),
    ("sum", True): mark(
        "First add up the column of {token}: this is the whole that will be shared out."
    ),
}


class StageMeaning(Struct, frozen=True):
    """The title of a stage, mostly a question, and a sentence that explains it."""

    title: str
    sentence: str


def meaning(document: Document, stage_id: str, orientation: Orientation = ROWS) -> StageMeaning:
    """Title and sentence of a stage for this experiment and orientation."""
    stage = plan(document)[stage_id]
    title, sentence = (
        stage_text(field, document, stage, orientation) for field in ("title", "sentence")
    )
    return StageMeaning(title, sentence)


def masked_row(tokens: tuple[str, ...], row: int) -> str:
    """The sentence for a query whose keys are all masked."""
    return tr(
        "{token} may not attend to any key: its weights are 0, and so is its output.",
        token=short_token(tokens, row),
    )


def lead_sentence(
    kind: str, tokens: tuple[str, ...], row: int, orientation: Orientation = ROWS
) -> str:
    """The sentence for the sub-step "max" or "sum" of a row (or column) of the softmax."""
    step = "max" if kind == "max" else "sum"
    return tr_marked(LEAD_SENTENCES[step, orientation.columns], token=short_token(tokens, row))


def asked_sentence() -> str:
    """The sentence in place of a sum that is to be predicted."""
    return tr("Your turn: what is the result here? One more step reveals it.")


def ahead_sentence() -> str:
    """The sentence in place of a sum that is not reached yet."""
    return tr("Not reached yet: step forward to see the numbers.")


def lead_label(kind: str) -> str:
    """The label of the column of row maxima or sums of the softmax."""
    return label(mark("max") if kind == "max" else mark("sum"))


def softmax_note(softmax: Softmax) -> str:
    """The effects of the softmax's base and of subtracting the maximum."""
    said = []
    if softmax.base != "e":
        factor = f"{math.log(softmax.number):.4f}"
        said.append(
            tr(
                "The same as base e with all scores multiplied by ln {base} = {factor}.",
                base=softmax.base,
                factor=factor,
            )
        )
    if softmax.shift:
        said.append(
            tr("The maximum cancels in the division: no weight changes, and powers are at most 1.")
        )
    else:
        limit = int(math.log(LARGEST) / math.log(softmax.number))
        said.append(
            tr(
                "The weights stay the same, but for scores above about {limit} the power "
                "overflows.",
                limit=limit,
            )
        )
    return "\n".join(said)
