"""What is said otherwise about stages where tokens are columns. Free of Qt.

The keys are those of `STAGE_TEXTS`.
"""

from __future__ import annotations

from gui.texts.translation import mark

# What differs with tokens as columns.
COLUMN_TEXTS: dict[str, dict[str, str]] = {
    "X": {
        "sentence": mark(
            "Each column is one token. So far no token knows anything about the others."
        ),
    },
    "P": {
        "sentence:entered": mark(
            "One column of learned numbers per position, whichever token is there."
        ),
        "note": mark(
            "Cover the tokens: which column is this? The pattern alone tells the position."
        ),
    },
    "input": {
        "title": mark("X′ — what each token is and where it is, in one column"),
        "sentence": mark(
            "The position's numbers are added to the token's: the same word in another place "
            "becomes another column."
        ),
    },
    "X_context": {
        "sentence": mark(
            "The context: one column per token. Keys and values come from it, queries from X."
        ),
    },
    "P_context": {
        "sentence:entered": mark("One column of learned numbers per position of the context."),
    },
    "input_context": {
        "sentence": mark(
            "The position's numbers are added to the columns of the context, just as to those of X."
        ),
    },
    "Q": {
        "sentence": mark(
            "Query: what I am looking for. W_Q times a token's column gives the question the "
            "token asks."
        ),
        "sentence:entered": mark(
            "Query: what I am looking for. Each column is the question one token asks."
        ),
    },
    "K": {
        "sentence": mark(
            "Key: what I offer. W_K times a token's column gives the label by which others find it."
        ),
        "sentence:context": mark(
            "Key: what I offer. W_K times a column of the context gives the label by which queries find it."
        ),
        "sentence:entered": mark(
            "Key: what I offer. Each column is the label by which others find a token."
        ),
    },
    "V": {
        "sentence": mark(
            "Value: what I carry. W_V times a token's column gives what it hands to the tokens "
            "that attend to it."
        ),
        "sentence:context": mark(
            "Value: what I carry. W_V times a column of the context gives what it hands to the queries."
        ),
        "sentence:entered": mark(
            "Value: what I carry. Each column is what one token hands to the tokens that attend "
            "to it."
        ),
        "note": mark(
            "Remember these columns: they come back at the end, mixed. Nothing has changed them "
            "so far."
        ),
    },
    "scores": {
        "title": mark("KᵀQ — how well does each key answer each query?"),
        "note": mark(
            "Take one column and guess the largest score before you multiply. Then work out one "
            "sum on the board."
        ),
    },
    "scaled": {
        "note": mark(
            "Ask what happens without it: with many rows, one weight would take nearly everything."
        ),
    },
    "biased": {
        "note": mark("Follow one column up and down: how much does each step of distance cost?"),
    },
    "exp": {
        "sentence": mark(
            "Minus the column's maximum, then {base} to that power: all positive, and the best "
            "key gets exactly 1."
        ),
        "next": mark("minus the column's maximum, then {base} to that power"),
    },
    "weights": {
        "sentence": mark(
            "Softmax: divided by its column's sum, every column adds up to 1. It is a "
            "probability distribution."
        ),
        "sentence:pinned": mark(
            "Softmax: each number is divided by its column's sum. A column with a what-if value "
            "need not add up to 1."
        ),
        "sentence:given": mark(
            "The weights are given; where they come from is unknown. Every column adds up to 1."
        ),
        "sentence:uneven": mark(
            "The weights are given. Column {row} of head {head} adds up to {sum}, not 1; "
            "columns like this: {count}."
        ),
        "next": mark("divided by the column's sum"),
        "note:given": mark(
            "Add up one column together. Then put it into words: a third of my attention goes to …"
        ),
        "note:uneven": mark(
            "Ask which column does not add up to 1, and whether it was rounded or something was "
            "left out."
        ),
        "note": mark(
            "Add up one column together: it must give 1. Put it into words: a third of my "
            "attention goes to …"
        ),
        "note:pinned": mark(
            "One number here is a what-if value: add up its column and ask what the sum should have been."
        ),
    },
    "heads": {
        "title": mark("V·A — what does each token take home?"),
        "note": mark(
            "The values come back. A weight near 1 copies a column, equal weights give the mean of all columns."
        ),
    },
    "concat": {
        "sentence": mark(
            "The heads' results stacked, one column per token. A head that is off contributes "
            "zeros."
        ),
        "next": mark("the heads are stacked"),
        "note": mark(
            "Each head has looked for something different. Here their findings are stacked."
        ),
    },
    "Y": {
        "sentence": mark(
            "Without W_O the result stays as it is: a new column for each token, made of what "
            "it attended to."
        ),
        "sentence:projected": mark(
            "W_O mixes what all heads have found into one new column per token."
        ),
        "note": mark(
            "Compare a column with what went in: what does this token know now that it did not know before?"
        ),
    },
}
