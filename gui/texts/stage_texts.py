"""The question that each stage answers, and one sentence that explains it. Free of Qt."""

from __future__ import annotations

import math

from msgspec import Struct

from core.arithmetic.stable_sum import LARGEST
from core.document.document import Document, Softmax
from core.document.orientation import ROWS, Orientation
from core.stages import plan
from gui.texts.rich_text import short
from gui.texts.stage_sentences import stage_text
from gui.texts.translation import label, mark, tr


class Meaning(Struct, frozen=True):
    """A title, mostly a question that the stage answers, and a sentence in plain words."""

    title: str
    sentence: str


def meaning(document: Document, stage_id: str, orientation: Orientation = ROWS) -> Meaning:
    """Title and sentence of a stage, as this experiment uses it and as it is seen."""
    stage = plan(document)[stage_id]
    title, sentence = (
        stage_text(field, document, stage, orientation) for field in ("title", "sentence")
    )
    return Meaning(title, sentence)


def what_to_say(document: Document, stage_id: str, orientation: Orientation) -> str:
    """What a lecturer may say at a stage: a line for the notes under a slide."""
    return stage_text("note", document, plan(document)[stage_id], orientation)


def masked_row(token: str) -> str:
    """The sentence of a query that may attend to nothing."""
    return tr(
        "{token} may see no key at all: its weights are 0, and so is what it takes home.",
        token=short(token),
    )


def lead_sentence(kind: str, token: str, orientation: Orientation = ROWS) -> str:
    """The sentence of the sub-step that opens a row (or column) of the softmax: "max" or "sum"."""
    if orientation.columns:
        return _lead_of_column(kind, short(token))
    if kind == "max":
        return tr(
            "First find the largest score in the row of {token}: it is taken off them all.",
            token=short(token),
        )
    return tr(
        "First add up the row of {token}: the whole that will be shared out.", token=short(token)
    )


def _lead_of_column(kind: str, token: str) -> str:
    if kind == "max":
        return tr(
            "First find the largest score in the column of {token}: it is taken off them all.",
            token=token,
        )
    return tr("First add up the column of {token}: the whole that will be shared out.", token=token)


def asked_sentence() -> str:
    """What stands in place of a sum whose result is to be predicted."""
    return tr("Your turn: what comes out here? One more step shows it.")


def ahead_sentence() -> str:
    """What stands in place of a sum that is not reached yet."""
    return tr("Not reached yet: step on, and the numbers appear.")


def lead_label(kind: str) -> str:
    """What stands over the column of maxima or sums that open the rows of the softmax."""
    return label(mark("max") if kind == "max" else mark("sum"))


def softmax_note(softmax: Softmax) -> str:
    """What another base and a skipped maximum change."""
    said = []
    if softmax.base != "e":
        factor = f"{math.log(softmax.number):.4f}"
        said.append(
            tr(
                "As with base e and all scores times ln {base} = {factor}.",
                base=softmax.base,
                factor=factor,
            )
        )
    if softmax.shift:
        said.append(
            tr(
                "The maximum cancels in the quotient: it changes no weight and keeps powers at most 1."
            )
        )
    else:
        limit = int(math.log(LARGEST) / math.log(softmax.number))
        said.append(
            tr(
                "The weights stay the same, but the power of a score above about {limit} is too large.",
                limit=limit,
            )
        )
    return "\n".join(said)
