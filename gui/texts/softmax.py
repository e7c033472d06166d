"""What the softmax is called and said to do, in its base, with or without the maximum taken off. Free of Qt."""

from __future__ import annotations

import math

from core.arithmetic.stable_sum import LARGEST
from core.document.document import Document, Softmax
from core.document.orientation import ROWS, Orientation
from gui.texts.translation import label, mark, tr


def power_sign(document: Document) -> str:
    """The power as a sign between matrices: eˣ, 2ˣ."""
    return f"{document.softmax.base}ˣ"


def power_symbol(document: Document) -> str:
    """The stage of the powers as a short label."""
    return "exp" if document.softmax.base == "e" else power_sign(document)


def lead_label(kind: str) -> str:
    """What stands over the column of maxima or sums that open the rows of the softmax."""
    return label(mark("max") if kind == "max" else mark("sum"))


def powers_title(document: Document) -> str:
    """The question that the powers answer."""
    base = document.softmax.base
    if document.softmax.shift:
        return tr("{power} — by how many times does one key beat another?", power=f"{base}ˢ⁻ᵐᵃˣ")
    return tr("{power} — how far does each score rise?", power=f"{base}ˢ")


def powers_sentence(document: Document, orientation: Orientation = ROWS) -> str:
    """What the powers mean."""
    base = document.softmax.base
    if not document.softmax.shift:
        return tr(
            "{base} to the power of each score: all positive, and 1 more in the score is {base} times as much.",
            base=base,
        )
    if orientation.columns:
        return tr(
            "The column's maximum is taken off, then {base} to that power: all positive, the best key gets exactly 1.",
            base=base,
        )
    return tr(
        "The row's maximum is taken off, then {base} to that power: all positive, and the best key gets exactly 1.",
        base=base,
    )


def powers_ahead(document: Document, orientation: Orientation = ROWS) -> str:
    """What the step to the powers does, in words that follow "next:"."""
    base = document.softmax.base
    if not document.softmax.shift:
        return tr("{base} to the power of each score", base=base)
    if orientation.columns:
        return tr("minus the column's maximum, then {base} to that power", base=base)
    return tr("minus the row's maximum, then {base} to that power", base=base)


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
