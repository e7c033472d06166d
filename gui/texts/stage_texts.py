"""The question that each stage answers, and one sentence that explains it. Free of Qt."""

from __future__ import annotations

import math

from msgspec import Struct

from core.arithmetic.stable_sum import LARGEST
from core.base.number_format import show
from core.document.document import Document, Softmax
from core.document.orientation import ROWS, Orientation
from gui.texts.rich_text import short
from gui.texts.translation import label, mark, tr, tr_marked


class Meaning(Struct, frozen=True):
    """A title, mostly a question that the stage answers, and a sentence in plain words."""

    title: str
    sentence: str


_TITLES = {
    "X": mark("X — what is each token, in numbers?"),
    "P": mark("P — where does each token stand?"),
    "input": mark("X′ — what it is and where it stands, in one row"),
    "X_context": mark("Context — which other sentence is being read?"),
    "P_context": mark("Context — where does each of its tokens stand?"),
    "input_context": mark("Context — what it is and where it stands"),
    "Q": mark("Q — what is each token looking for?"),
    "K": mark("K — what does each token offer?"),
    "V": mark("V — what does each token carry?"),
    "Q_rot": mark("Q′ — the queries, turned by where they stand"),
    "K_rot": mark("K′ — the keys, turned by where they stand"),
    "scores": mark("QKᵀ — how well does each key answer each query?"),
    "scaled": mark("÷ √dₖ — how far apart may the scores lie?"),
    "biased": mark("+ B — how far away is each key?"),
    "masked": mark("+ M — which keys may each query see?"),
    "weights": mark("A — how does each query share out its attention?"),
    "heads": mark("A·V — what does each token take home?"),
    "concat": mark("C — what have all the heads found?"),
    "Y": mark("Y — what has each token become?"),
}

_SENTENCES = {
    "X": mark("Each row is one token. So far no token knows anything of the others."),
    "P": mark(
        "Waves of different lengths: every position t (from 0) gets its own pattern of sines and cosines."
    ),
    "P:learned": mark("A row of learned numbers for each position, whichever token stands there."),
    "input": mark(
        "The position's numbers are added to the token's: the same word elsewhere becomes another row."
    ),
    "X_context": mark(
        "The context: a row for each of its tokens. Keys and values come from it, queries from X."
    ),
    "P_context": mark(
        "The context counts its positions t on its own, from 0: the same waves as for the queries."
    ),
    "P_context:learned": mark("A row of learned numbers for each position of the context."),
    "input_context": mark(
        "The position's numbers are added to the context's rows, as they are to those of X."
    ),
    "Q": mark(
        "Query: what I am looking for. A token's row times W_Q gives the question that it asks."
    ),
    "Q:entered": mark(
        "Query: what I am looking for. Each row is the question that one token asks."
    ),
    "K": mark(
        "Key: what I offer. A token's row times W_K gives the label by which others find it."
    ),
    "K:context": mark(
        "Key: what I offer. A row of the context times W_K gives the label by which queries find it."
    ),
    "K:entered": mark("Key: what I offer. Each row is the label by which others find a token."),
    "V": mark(
        "Value: what I carry. A token's row times W_V gives what it hands to those who attend to it."
    ),
    "V:context": mark(
        "Value: what I carry. A row of the context times W_V gives what it hands to the queries."
    ),
    "V:entered": mark(
        "Value: what I carry. Each row is what a token hands to those who attend to it."
    ),
    "Q_rot": mark(
        "Two numbers at a time are a point that turns, further with each position t (from 0). Its length stays."
    ),
    "Q_rot:odd": mark(
        "Pairs of numbers are points that turn further with each position t (from 0); the last, without a pair, stays."
    ),
    "K_rot": mark(
        "Keys turn as queries do, so that a score depends only on how far apart the two stand."
    ),
    "scores": mark(
        "Multiply place by place, then add up. Large: the key offers what the query asks for."
    ),
    "scaled": mark(
        "More products add up to larger scores. Dividing by √dₖ keeps softmax from choosing a single key."
    ),
    "scaled:factor": mark(
        "Each score times a factor of your own: larger makes the choice sharper, smaller softer."
    ),
    "biased": mark("Each step of distance costs a little: far keys count for less."),
    "masked": mark("A forbidden score becomes −∞, so that its weight will be exactly 0."),
    "masked:causal": mark(
        "A token sees itself and what came before it. The future becomes −∞: its weight will be 0."
    ),
    "masked:causal:context": mark(
        "A token sees the context's tokens up to its own position. Later ones become −∞: their weight will be 0."
    ),
    "masked:window": mark(
        "A token sees only its neighbours. Everything further off becomes −∞: its weight will be 0."
    ),
    "weights": mark(
        "Softmax: shares of one whole. Each number is divided by its row's sum: every row adds up to 1."
    ),
    "weights:pinned": mark(
        "Softmax: shares of one whole. Each number is divided by its row's sum; "
        "a row with a what-if value need not add up to 1."
    ),
    "heads": mark(
        "Each value counts as much as its weight says. Added up, they are what the query takes home."
    ),
    "concat": mark(
        "The heads' results side by side, one row a token. A head that is off leaves zeros."
    ),
    "Y": mark(
        "Without W_O the result leaves as it is: a new row for each token, made of what it attended to."
    ),
    "Y:projected": mark("W_O mixes what all heads have found into one new row for each token."),
}

# What sounds different with tokens as columns.
_COLUMN_TITLES = {
    **_TITLES,
    "input": mark("X′ — what it is and where it stands, in one column"),
    "scores": mark("KᵀQ — how well does each key answer each query?"),
    "heads": mark("V·A — what does each token take home?"),
}
_COLUMN_SENTENCES = {
    **_SENTENCES,
    "X": mark("Each column is one token. So far no token knows anything of the others."),
    "P:learned": mark(
        "A column of learned numbers for each position, whichever token stands there."
    ),
    "input": mark(
        "The position's numbers are added to the token's: the same word elsewhere becomes another column."
    ),
    "X_context": mark(
        "The context: a column for each of its tokens. Keys and values come from it, queries from X."
    ),
    "P_context:learned": mark("A column of learned numbers for each position of the context."),
    "input_context": mark(
        "The position's numbers are added to the context's columns, as they are to those of X."
    ),
    "Q": mark(
        "Query: what I am looking for. W_Q times a token's column gives the question that it asks."
    ),
    "Q:entered": mark(
        "Query: what I am looking for. Each column is the question that one token asks."
    ),
    "K": mark(
        "Key: what I offer. W_K times a token's column gives the label by which others find it."
    ),
    "K:context": mark(
        "Key: what I offer. W_K times a column of the context gives the label by which queries find it."
    ),
    "K:entered": mark("Key: what I offer. Each column is the label by which others find a token."),
    "V": mark(
        "Value: what I carry. W_V times a token's column gives what it hands to those who attend to it."
    ),
    "V:context": mark(
        "Value: what I carry. W_V times a column of the context gives what it hands to the queries."
    ),
    "V:entered": mark(
        "Value: what I carry. Each column is what a token hands to those who attend to it."
    ),
    "weights": mark(
        "Softmax: shares of one whole. Each number is divided by its column's sum: every column adds up to 1."
    ),
    "weights:pinned": mark(
        "Softmax: shares of one whole. Each number is divided by its column's sum; "
        "a column with a what-if value need not add up to 1."
    ),
    "concat": mark(
        "The heads' results one below the other, one column a token. A head that is off leaves zeros."
    ),
    "Y": mark(
        "Without W_O the result leaves as it is: a new column for each token, made of what it attended to."
    ),
    "Y:projected": mark("W_O mixes what all heads have found into one new column for each token."),
}


def meaning(document: Document, stage_id: str, orientation: Orientation = ROWS) -> Meaning:
    """Title and sentence of a stage, as this experiment uses it and as it is seen."""
    if stage_id == "exp":
        return Meaning(powers_title(document), powers_sentence(document, orientation))
    titles = _COLUMN_TITLES if orientation.columns else _TITLES
    sentences = _COLUMN_SENTENCES if orientation.columns else _SENTENCES
    variant = f"{stage_id}:{_variant(document, stage_id)}"
    sentence = sentences.get(variant, sentences[stage_id])
    if stage_id == "scaled" and document.scale.kind == "factor":
        factor = show(document.scale.value, 2)
        return Meaning(tr("× {factor} — a scale of your own", factor=factor), tr_marked(sentence))
    return Meaning(tr_marked(titles[stage_id]), tr_marked(sentence))


def _variant(document: Document, stage_id: str) -> str:
    if stage_id in ("Q", "K", "V"):
        other = "context" if document.context is not None and stage_id != "Q" else ""
        return "entered" if document.source == "qkv" else other
    if stage_id in ("P", "P_context"):
        return document.positional.kind
    if stage_id == "masked":
        kind = document.mask.kind
        return f"{kind}:context" if kind == "causal" and document.context is not None else kind
    if stage_id == "scaled":
        return document.scale.kind
    if stage_id == "weights":
        return "pinned" if any(pin.stage == stage_id for pin in document.pins) else ""
    if stage_id == "Q_rot":
        return "odd" if document.k % 2 else ""
    return "projected" if stage_id == "Y" and document.W_O is not None else ""


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
