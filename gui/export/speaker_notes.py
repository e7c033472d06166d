"""What a lecturer may say at each stage: a line for the notes under a slide. Free of Qt."""

from __future__ import annotations

from core.document.document import Document
from core.document.orientation import Orientation
from gui.texts.translation import mark, tr_marked

_SAY = {
    "X": mark(
        "Pick one token and read its numbers aloud. They are the same in every sentence that holds it."
    ),
    "P": mark("Cover the tokens: which row is this? The pattern alone tells the position."),
    "input": mark(
        "Swap two tokens in your head: which numbers would change now, and which would not have before?"
    ),
    "X_context": mark(
        "Here is the sentence that is being read. Ask which of its words the first query will need."
    ),
    "P_context": mark(
        "Both sentences count from 0: the second word of one is as far on as the second of the other."
    ),
    "input_context": mark(
        "The context's words know their places now. Queries and keys still come from two sentences."
    ),
    "Q": mark("Let the class put one query into words: what would this token like to know?"),
    "K": mark(
        "Queries are questions, keys are labels. Ask which label answers the question of the slide before."
    ),
    "V": mark(
        "Remember these rows: they come back at the end, mixed. Nothing so far has touched them."
    ),
    "Q_rot": mark(
        "Show one pair as a hand on a dial: the first position stands still, each next one turns further."
    ),
    "K_rot": mark(
        "Two hands turned by the same angle keep the angle between them: only the distance counts."
    ),
    "scores": mark(
        "Take one row and guess the largest score before you multiply. Then do one sum on the board."
    ),
    "scaled": mark(
        "Ask what happens without it: with many columns one weight would take nearly everything."
    ),
    "biased": mark("Follow one row to both sides: how much does each step of distance cost?"),
    "masked": mark("Why −∞ and not 0? Because e⁰ is 1: a score of 0 would still be attended to."),
    "exp": mark(
        "Before: any sign. After: only positive numbers, in the same order. Ask who got the largest one."
    ),
    "weights": mark(
        "Add up one row together: it must give 1. Say it as shares: a third of my attention goes to …"
    ),
    "weights:pinned": mark(
        "One number here is a what-if value: add up its row and ask what the sum should have been."
    ),
    "heads": mark(
        "The values come back. A weight near 1 copies a row, equal weights give the mean of all rows."
    ),
    "concat": mark(
        "Each head has looked for something else. Here their findings stand side by side."
    ),
    "Y": mark(
        "Compare a row with what went in: what does this token know now that it did not know before?"
    ),
}


# What sounds different with tokens as columns.
_COLUMN_SAY = {
    **_SAY,
    "P": mark("Cover the tokens: which column is this? The pattern alone tells the position."),
    "V": mark(
        "Remember these columns: they come back at the end, mixed. Nothing so far has touched them."
    ),
    "scores": mark(
        "Take one column and guess the largest score before you multiply. Then do one sum on the board."
    ),
    "scaled": mark(
        "Ask what happens without it: with many rows one weight would take nearly everything."
    ),
    "biased": mark("Follow one column up and down: how much does each step of distance cost?"),
    "weights": mark(
        "Add up one column together: it must give 1. Say it as shares: a third of my attention goes to …"
    ),
    "weights:pinned": mark(
        "One number here is a what-if value: add up its column and ask what the sum should have been."
    ),
    "heads": mark(
        "The values come back. A weight near 1 copies a column, equal weights give the mean of all columns."
    ),
    "concat": mark(
        "Each head has looked for something else. Here their findings stand one below the other."
    ),
    "Y": mark(
        "Compare a column with what went in: what does this token know now that it did not know before?"
    ),
}


def what_to_say(document: Document, stage_id: str, orientation: Orientation) -> str:
    """A line for a stage as it is seen, in the current language."""
    pinned = stage_id == "weights" and any(pin.stage == stage_id for pin in document.pins)
    say = _COLUMN_SAY if orientation.columns else _SAY
    return tr_marked(say[f"{stage_id}:pinned" if pinned else stage_id])
