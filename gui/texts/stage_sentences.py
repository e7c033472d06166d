"""All that is said about each stage: its name, title and sentence, the next step, a note for a
lecturer. Free of Qt.
"""

from __future__ import annotations

from core.document.document import Document
from core.document.orientation import ROWS, Orientation
from core.stages import Stage
from gui.texts.block_sentences import BLOCK_INPUT_NAMES, BLOCK_TEXTS
from gui.texts.column_sentences import COLUMN_TEXTS
from gui.texts.translation import mark, tr_marked

# For each stage by its name: `name`; `title`, mostly a question that it answers; `sentence`, what
# it means; `next`, what
# the step to it does, in words that follow "next:"; `note`, what a lecturer may say. A text for a
# variant of the stage
# (see StageKind.variant) has the key "sentence:entered".
STAGE_TEXTS: dict[str, dict[str, str]] = {
    "X": {
        "name": mark("Token vectors"),
        "title": mark("X — what is each token, in numbers?"),
        "sentence": mark("Each row is one token. So far no token knows anything about the others."),
        "note": mark(
            "Pick one token and read its numbers aloud. They are the same in every sentence "
            "that contains it."
        ),
    },
    "P": {
        "name": mark("Positional encoding"),
        "title": mark("P — where is each token?"),
        "sentence": mark(
            "Waves of different lengths: every position t (from 0) gets its own pattern of sines and cosines."
        ),
        "sentence:entered": mark(
            "One row of learned numbers per position, whichever token is there."
        ),
        "next": mark("each position gets its pattern"),
        "note": mark("Cover the tokens: which row is this? The pattern alone tells the position."),
    },
    "input": {
        "name": mark("Input with positions"),
        "title": mark("X′ — what each token is and where it is, in one row"),
        "sentence": mark(
            "The position's numbers are added to the token's: the same word in another place "
            "becomes another row."
        ),
        "next": mark("tokens and positions are added"),
        "note": mark(
            "Swap two tokens in your head: which numbers would change now, and which would not have before?"
        ),
    },
    "X_context": {
        "name": mark("Context vectors"),
        "title": mark("Context — which other sentence is being read?"),
        "sentence": mark(
            "The context: one row per token. Keys and values come from it, queries from X."
        ),
        "next": mark("the other sentence, where keys and values come from"),
        "note": mark(
            "This is the sentence being read. Ask which of its words the first query will need."
        ),
    },
    "P_context": {
        "name": mark("Context positions"),
        "title": mark("Context — where is each of its tokens?"),
        "sentence": mark(
            "The context counts its own positions t from 0: the same waves as for the queries."
        ),
        "sentence:entered": mark("One row of learned numbers per position of the context."),
        "next": mark("each position of the context gets its pattern"),
        "note": mark(
            "Both sentences count from 0: the second word of one is at the same position as the "
            "second word of the other."
        ),
    },
    "input_context": {
        "name": mark("Context with positions"),
        "title": mark("Context — what each token is and where it is"),
        "sentence": mark(
            "The position's numbers are added to the rows of the context, just as to those of X."
        ),
        "next": mark("the context and its positions are added"),
        "note": mark(
            "The words of the context now know their places. Queries and keys still come from "
            "two sentences."
        ),
    },
    "Q": {
        "name": mark("Query"),
        "title": mark("Q — what is each token looking for?"),
        "sentence": mark(
            "Query: what I am looking for. A token's row times W_Q gives the question the token "
            "asks."
        ),
        "sentence:entered": mark(
            "Query: what I am looking for. Each row is the question one token asks."
        ),
        "next": mark("each token forms its query"),
        "note": mark("Let the class put one query into words: what would this token like to know?"),
    },
    "K": {
        "name": mark("Key"),
        "title": mark("K — what does each token offer?"),
        "sentence": mark(
            "Key: what I offer. A token's row times W_K gives the label by which others find it."
        ),
        "sentence:context": mark(
            "Key: what I offer. A row of the context times W_K gives the label by which queries find it."
        ),
        "sentence:entered": mark(
            "Key: what I offer. Each row is the label by which others find a token."
        ),
        "next": mark("each token forms its key"),
        "note": mark(
            "Queries are questions, keys are labels. Ask which label answers the question on "
            "the previous slide."
        ),
    },
    "V": {
        "name": mark("Value"),
        "title": mark("V — what does each token carry?"),
        "sentence": mark(
            "Value: what I carry. A token's row times W_V gives what it hands to the tokens "
            "that attend to it."
        ),
        "sentence:context": mark(
            "Value: what I carry. A row of the context times W_V gives what it hands to the queries."
        ),
        "sentence:entered": mark(
            "Value: what I carry. Each row is what one token hands to the tokens that attend to it."
        ),
        "next": mark("each token forms its value"),
        "note": mark(
            "Remember these rows: they come back at the end, mixed. Nothing has changed them so "
            "far."
        ),
    },
    "Q_rot": {
        "name": mark("Rotated query"),
        "title": mark("Q′ — the queries, rotated by their positions"),
        "sentence": mark(
            "Each pair of numbers is a point that rotates further with each position t (from "
            "0). Its length stays."
        ),
        "sentence:odd": mark(
            "Pairs of numbers rotate further with each position t (from 0); the last number, "
            "without a partner, stays."
        ),
        "next": mark("queries are rotated by their positions"),
        "note": mark(
            "Show one pair as the hand of a clock: at the first position it does not turn, at "
            "each later one it has turned further."
        ),
    },
    "K_rot": {
        "name": mark("Rotated key"),
        "title": mark("K′ — the keys, rotated by their positions"),
        "sentence": mark(
            "Keys are rotated as queries are, so positions enter a score only through the "
            "signed distance i − j."
        ),
        "next": mark("keys are rotated by their positions"),
        "note": mark(
            "Turn both hands by the same angle and the angle between them stays the same: only "
            "i − j counts, with its sign."
        ),
    },
    "scores": {
        "name": mark("Scores"),
        "title": mark("QKᵀ — how well does each key answer each query?"),
        "sentence": mark(
            "Multiply entry by entry, then add up. A large score: the key offers what the query "
            "asks for."
        ),
        "next": mark("each query meets each key"),
        "note": mark(
            "Take one row and guess the largest score before you multiply. Then work out one "
            "sum on the board."
        ),
    },
    "scaled": {
        "name": mark("Scaled scores"),
        "title": mark("÷ √dₖ — how far apart may the scores lie?"),
        "title:factor": mark("× {factor} — your own scale"),
        "sentence": mark(
            "Scaled dot-product attention divides the scores by √dₖ, so that the softmax does "
            "not saturate as dₖ grows."
        ),
        "sentence:factor": mark(
            "Each score is multiplied by your own factor: a larger one makes the choice "
            "sharper, a smaller one softer."
        ),
        "next": mark("the scores are scaled"),
        "note": mark(
            "Ask what happens without it: with many columns, one weight would take nearly "
            "everything."
        ),
    },
    "biased": {
        "name": mark("Scores with bias"),
        "title": mark("+ B — how far away is each key?"),
        "sentence": mark("Each step of distance costs a little: distant keys count for less."),
        "next": mark("scores are lowered by distance"),
        "note": mark(
            "Follow one row in both directions: how much does each step of distance cost?"
        ),
    },
    "masked": {
        "name": mark("Masked scores"),
        "title": mark("+ M — which keys may each query see?"),
        "sentence": mark("A masked score becomes −∞, so that its weight is exactly 0."),
        "sentence:causal": mark(
            "Causal (autoregressive): a token sees itself and what came before it; later keys "
            "get −∞, so weight 0."
        ),
        "sentence:causal:context": mark(
            "A token sees the context only up to its own position. Later scores become −∞, so "
            "their weights are 0."
        ),
        "sentence:window": mark(
            "A token sees only what lies in its window. Scores outside it become −∞, so their weights are 0."
        ),
        "next": mark("masked scores become −∞"),
        "note": mark("Why −∞ and not 0? Because e⁰ is 1: a score of 0 would still be attended to."),
    },
    "exp": {
        "name": mark("Exponentials"),
        "title": mark("{power} — how many times larger does one key become than another?"),
        "title:plain": mark("{power} — how large does each score become?"),
        "sentence": mark(
            "Minus the row's maximum, then {base} to that power: all positive, and the best key "
            "gets exactly 1."
        ),
        "sentence:plain": mark(
            "{base} to the power of each score: all positive, and a score larger by 1 gives "
            "{base} times as much."
        ),
        "next": mark("minus the row's maximum, then {base} to that power"),
        "next:plain": mark("{base} to the power of each score"),
        "note": mark(
            "Before: any sign. After: only positive numbers, in the same order. Ask which one "
            "is the largest."
        ),
    },
    "weights": {
        "name": mark("Attention weights"),
        "title": mark("A — how does each query divide its attention?"),
        "sentence": mark(
            "Softmax: divided by its row's sum, every row adds up to 1. It is a probability "
            "distribution."
        ),
        "sentence:pinned": mark(
            "Softmax: each number is divided by its row's sum. A row with a what-if value need "
            "not add up to 1."
        ),
        "sentence:given": mark(
            "The weights are given; where they come from is unknown. Every row adds up to 1."
        ),
        "sentence:uneven": mark(
            "The weights are given. Row {row} of head {head} adds up to {sum}, not 1; rows like "
            "this: {count}."
        ),
        "next": mark("divided by the row's sum"),
        "next:given": mark("the given weights"),
        "next:uneven": mark("the given weights"),
        "note:given": mark(
            "Add up one row together. Then put it into words: a third of my attention goes to …"
        ),
        "note:uneven": mark(
            "Ask which row does not add up to 1, and whether it was rounded or something was "
            "left out."
        ),
        "note": mark(
            "Add up one row together: it must give 1. Put it into words: a third of my "
            "attention goes to …"
        ),
        "note:pinned": mark(
            "One number here is a what-if value: add up its row and ask what the sum should have been."
        ),
    },
    "heads": {
        "name": mark("Weighted sum"),
        "title": mark("A·V — what does each token take home?"),
        "sentence": mark(
            "Each value counts as much as its weight says. Added up, they are the query’s output."
        ),
        "next": mark("weights gather the values"),
        "note": mark(
            "The values come back. A weight near 1 copies a row, equal weights give the mean of all rows."
        ),
    },
    "concat": {
        "name": mark("Concatenation"),
        "title": mark("C — what have all the heads found?"),
        "sentence": mark(
            "The heads' results side by side, one row per token. A head that is off contributes "
            "zeros."
        ),
        "next": mark("the heads are concatenated"),
        "note": mark(
            "Each head has looked for something different. Here their findings are placed side by side."
        ),
    },
    "Y": {
        "name": mark("Output"),
        "title": mark("Y — what has each token become?"),
        "sentence": mark(
            "Without W_O the result stays as it is: a new row for each token, made of what it "
            "attended to."
        ),
        "sentence:projected": mark(
            "W_O mixes what all heads have found into one new row per token."
        ),
        "next": mark("the output"),
        "note": mark(
            "Compare a row with what went in: what does this token know now that it did not know before?"
        ),
    },
}

STAGE_TEXTS |= BLOCK_TEXTS


# The names of entered tensors that are no stages.
INPUT_NAMES = {
    "W_Q": mark("Query weights"),
    "W_K": mark("Key weights"),
    "W_V": mark("Value weights"),
    "b_Q": mark("Query bias"),
    "b_K": mark("Key bias"),
    "b_V": mark("Value bias"),
    "W_O": mark("Output weights"),
    "b_O": mark("Output bias"),
    **BLOCK_INPUT_NAMES,
}

# For each kind of positions: `name`, `undo`, what choosing it is called, and `meaning`.
POSITIONAL_TEXTS: dict[str, dict[str, str]] = {
    "none": {
        "name": mark("None"),
        "undo": mark("No positions"),
        "meaning": mark("Attention alone does not know the order of the tokens."),
    },
    "sinusoidal": {
        "name": mark("Sinusoidal"),
        "undo": mark("Sinusoidal positions"),
        "meaning": mark("Sines and cosines of the position are added to X."),
    },
    "learned": {
        "name": mark("Learned (table P)"),
        "undo": mark("Learned positions"),
        "meaning": mark("Your own table P, one row per position, is added to X."),
        "column meaning": mark("Your own table P, one column per position, is added to X."),
    },
    "rotary": {
        "name": mark("Rotary (RoPE)"),
        "undo": mark("Rotary positions"),
        "meaning": mark(
            "Pairs of columns of Q and K are rotated by an angle that grows with the position. "
            "A pair is two neighbouring columns; most checkpoints pair column p with column p + "
            "d_k/2."
        ),
        "column meaning": mark(
            "Pairs of rows of Q and K are rotated by an angle that grows with the position. A "
            "pair is two neighbouring rows; most checkpoints pair row p with row p + d_k/2."
        ),
    },
    "alibi": {
        "name": mark("ALiBi"),
        "undo": mark("ALiBi positions"),
        "meaning": mark(
            "The farther away a key is, the more its score loses: slope × distance. Published "
            "models with ALiBi use it with a causal mask."
        ),
    },
}
POSITIONAL_NAMES = {kind: texts["name"] for kind, texts in POSITIONAL_TEXTS.items()}


def stage_text(
    field: str, document: Document, stage: Stage, orientation: Orientation = ROWS
) -> str:
    """A text of a stage as this experiment uses it and as it is seen, in the current language."""
    name, variant = stage.spec.name, stage.kind.variant(document, stage)
    tables = (COLUMN_TEXTS, STAGE_TEXTS) if orientation.columns else (STAGE_TEXTS,)
    for key in (f"{field}:{variant}", field):
        for table in tables:
            text = table.get(name, {}).get(key)
            if text is not None:
                values = {"symbol": stage.symbol} | stage.kind.text_values(document)
                return tr_marked(text, **values)
    raise KeyError(f"{name}.{field}")
