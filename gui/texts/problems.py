"""One sentence for each problem: what is wrong, where, and what would be right."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from core.base.errors import UserError
from gui.texts import exchange, exports, labs, lessons
from gui.texts.places import indexed, where
from gui.texts.translation import mark, tr, tr_marked

LONGEST = 240  # characters of what a sentence quotes; a path is seldom longer

SENTENCES: dict[str, str] = (
    {
        "unforeseen": mark("This could not be done: something went wrong that nobody foresaw."),
        "busy": mark("Something else is still being computed; try again when it is done."),
        "given_up": mark("You stopped it; everything is as it was."),
        "memory.short": mark(
            "This needs {needed} MB of memory and {available} MB are free; take fewer tokens or heads, or close other "
            "programs."
        ),
        "screen.absent": mark(
            "There is no screen to open a window on. “render” makes pictures without one."
        ),
        # Numbers that were typed in
        "number.empty": mark("A number is missing: type one, such as 0.5 or −2."),
        "number.unreadable": mark("“{text}” is not a number. Type one such as 0.5, −2 or 1.5e3."),
        "number.infinite": mark(
            "“{text}” is not a finite number. Type one such as 0.5, −2 or 1.5e3."
        ),
        "number.too_large": mark(
            "“{text}” is beyond the largest number that can be stored, about 1.8×10³⁰⁸."
        ),
        # Arrays
        "shape": mark("{where} is {actual}; it must be {expected} ({axes})."),
        "shape.empty": mark("{where} holds no numbers; it needs at least one row and one column."),
        "not_finite": mark("{where} is {value}; it must be a finite number."),
        "rows.ragged": mark(
            "{where}: row {row} has {actual} entries, but row 1 has {expected}; all must be equally long."
        ),
        "array.ragged": mark(
            "The rows are not equally long; a matrix needs as many numbers in each row."
        ),
        "array.not_numeric": mark("Only numbers can stand in a matrix."),
        "array.not_bool": mark("Only true and false can stand in a mask."),
        "array.too_large": mark(
            "A number is beyond the largest that can be stored, about 1.8×10³⁰⁸."
        ),
        # The experiment as a whole
        "document.no_tokens": mark("There is no token; at least one is needed in tokens."),
        "document.no_heads": mark("There is no head; at least one is needed in heads."),
        "document.too_large": mark(
            "Heads × queries × keys is {h} × {n} × {m}; no more than {limit} scores can be computed here."
        ),
        "kind.unknown": mark("{where} is “{kind}”, which is not known; it can be {known}."),
        "source.X_missing": mark(
            "X is missing: with source “embeddings” it holds one row for each token."
        ),
        "source.qkv_with_X": mark(
            "X has no use with source “qkv”: leave X out, or set source to “embeddings”."
        ),
        "context.no_tokens": mark(
            "The context has no token; at least one is needed in context.tokens."
        ),
        "context.X_missing": mark(
            "context.X is missing: with source “embeddings” it holds one row for each token of the context."
        ),
        "context.with_qkv": mark(
            "context.{name} has no use with source “qkv”: leave it out; K and V have a row for each token of "
            "the context."
        ),
        "context.absent": mark(
            "This experiment has no context: its keys and values come from the tokens themselves."
        ),
        "tensor.absent": mark("This experiment has no {name}."),
        # Heads and output
        "head.incomplete": mark("{where} is incomplete: it needs W_Q, W_K and W_V, or Q, K and V."),
        "head.missing": mark("{where} lacks {name}, which source “{source}” needs."),
        "head.unexpected": mark(
            "{where} has {name}, which has no use with source “{source}”; leave it out."
        ),
        "output.height": mark(
            "W_O is {actual}; it must have {expected} rows: {h} heads with d_v = {v} columns each."
        ),
        "output.bias_without_weights": mark(
            "b_O is given without W_O: give W_O too, or leave b_O out."
        ),
        "bias.needs_weights": mark(
            "Biases belong to the weights W_Q, W_K, W_V; here Q, K and V are entered directly."
        ),
        # Positions, mask, scale
        "positional.needs_embeddings": mark(
            "The positional encoding “{kind}” is added to X, but here Q, K and V are entered directly; "
            "choose none, rotary or alibi."
        ),
        "positional.base": mark("positional.base is {value}; it must be a finite number above 0."),
        "positional.P_missing": mark(
            "positional.P is missing: a learned encoding has one row for each token."
        ),
        "base": mark("The base is {value}; it must be a finite number above 0."),
        "softmax.base": mark("{where} is {base}; it must be “e”, 2, 3 or 10."),
        "mask.negative": mark("{where} is {value}; a reach counts tokens and cannot be below 0."),
        "mask.allow_missing": mark(
            "mask.allow is missing: a custom mask has a row and a column for each token."
        ),
        "window.negative": mark("{side} is {value}; a reach counts tokens and cannot be below 0."),
        # What-if values
        "pin.stage": mark("{where} names the stage “{stage}”; it can be {known}."),
        "pin.index": mark(
            "{where} points at {index} in the stage {stage}, which is {shape}: each index counts from 0 along one axis."
        ),
        "pin.twice": mark(
            "{where} pins {index} in the stage {stage} a second time; keep one of the two."
        ),
        # Attention called from Python
        "groups": mark(
            "{heads} query heads cannot share {groups} key and value heads evenly; choose a divisor of {heads}."
        ),
        "scale": mark("The scale is {value}; it must be a finite number."),
        "softcap": mark("The soft cap is {value}; it must be a finite number above 0."),
        "mask.type": mark(
            "A mask holds true and false, or decimal numbers to be added; this one holds {actual}."
        ),
        "mask.not_finite": mark(
            "A mask to be added holds NaN or +∞; it can hold finite numbers and −∞."
        ),
        # Sizes
        "tokens.last": mark("The last token cannot be removed."),
        "heads.last": mark("The last head cannot be removed."),
        "size.too_small": mark("{axis} cannot be {size}; it must be at least 1."),
        "size.range": mark("{axis} must be a whole number from 1 to {most}."),
        "size.table": mark("The table has {actual} columns; {axis} can be {most} at most."),
        "size.scores": mark("With h = {h} at most {most} tokens fit into memory."),
        "size.new": mark(
            "That would make {actual} new numbers; at most {most} can be made at a time."
        ),
        "size.no_d": mark("Without X and W_O there is no d_model to change."),
        # Files
        "file.unreadable": mark("{path} cannot be read: {reason}."),
        "file.unwritable": mark("{path} cannot be written: {reason}."),
        "recent.missing": mark("{path} is no longer there; it has left the list of recent files."),
        "file.too_large": mark("{path} is larger than 128 megabytes and cannot be read here."),
        "file.empty": mark("The file is empty; it must hold an experiment."),
        "file.encoding": mark(
            "The file is not UTF-8 text (line {line}, byte {byte} of the file); save it as UTF-8."
        ),
        "file.syntax": mark(
            "The file is not valid JSON at line {line}, column {column}: {reason}."
        ),
        "file.too_deep": mark(
            "The file's lists are nested too deeply; a matrix is a list of rows, a row a list of numbers."
        ),
        "file.too_many": mark(
            "There are more numbers in this file than can be read here; it must be at most {limit}."
        ),
        "file.not_experiment": mark(
            "The file is not an experiment: its format must be “{expected}”."
        ),
        "file.foreign": mark(
            "This is not a file of this program: experiments (.attn.json) and lessons (.lesson.json) can be opened, "
            "numbers (.csv, .npy, .npz, .xlsx, .json) imported."
        ),
        "file.numbers": mark(
            "This is a file of numbers, not an experiment; open one and import them with File ▸ Import (Ctrl+I)."
        ),
        "file.newer": mark(
            "The file has version {version}, but this program knows versions up to {known}; use a newer one."
        ),
        "file.version": mark("version is {version}; it must be {known}."),
        "file.unknown_key": mark("{where} has the unknown key “{key}”; it can have {known}."),
        "file.missing_key": mark("{where} lacks the key “{key}”."),
        "file.duplicate_key": mark(
            "The key “{key}” stands there a second time (line {line}); keep one of the two."
        ),
        "file.type": mark("{where} is {actual}; it must be {expected}."),
        "file.not_finite": mark(
            "{where} is NaN, infinite or beyond 1.8×10³⁰⁸; it must be a finite number."
        ),
        # Command line and examples
        "example.unknown": mark("There is no example “{id}”; there are {known}."),
        "stage.absent": mark("This experiment has no stage “{stage}”; it has {known}."),
        "worksheet.too_large": mark(
            "This experiment has {size} numbers to work out, too many for a worksheet; {limit} are the most."
        ),
        "output.input": mark("{path} is the experiment itself; write to another file."),
        "output.ending": mark("{path} must end in {known}, which says what to write."),
    }
    | exchange.SENTENCES
    | exports.SENTENCES
    | lessons.SENTENCES
    | labs.SENTENCES
)

# The sentence where one value is special: its key, the value (one of something, no name), the sentence.
VARIANTS: dict[str, tuple[str, object, str]] = {
    "rows.ragged": (
        "actual",
        1,
        mark("{where}: row {row} has 1 entry, but row 1 has {expected}; all must be equally long."),
    ),
    "output.height": (
        "h",
        1,
        mark("W_O is {actual}; it must have as many rows as the only head has columns, d_v = {v}."),
    ),
    "size.table": (
        "along",
        "rows",
        mark("The table has {actual} rows; {axis} can be {most} at most."),
    ),
    "groups": (
        "heads",
        1,
        mark(
            "One query head cannot be shared among {groups} key and value heads; one is all that it can have."
        ),
    ),
} | exchange.VARIANTS

TYPES = {
    "array": mark("a list"),
    "bool": mark("true or false"),
    "float": mark("a number"),
    "int": mark("a whole number"),
    "null": mark("null"),
    "object": mark("an object"),
    "str": mark("a text"),
}

REASONS = {
    "missing": mark("there is no such file or folder"),
    "folder": mark("it is a folder"),
    "denied": mark("permission denied"),
    "full": mark("the disk is full"),
    "name": mark("the name is too long"),
    "extra": mark("something follows after the end of the experiment"),
    "comma": mark("there is a comma too many"),
    "delimiter": mark("a comma or a closing bracket is missing"),
    "colon": mark("a colon is missing"),
    "key": mark("a key in double quotes is expected"),
    "value": mark("a value is missing, or a comma is one too many"),
    "string": mark("a text is not closed, or runs over a line's end"),
    "escape": mark("a backslash is followed by what JSON does not know"),
    "syntax": mark("something here is not JSON"),
}

_AXES = {"d": "d_model", "k": "d_k", "v": "d_v"}


def sentence(problem: UserError) -> str:
    """The problem in one sentence of the current language, with its place and its file if it has them."""
    text = SENTENCES.get(problem.code)
    if text is None:
        return str(problem)
    key, special, variant = VARIANTS.get(problem.code, ("", None, ""))
    text = variant if key in problem.data and problem.data[key] == special else text
    said = tr_marked(text, **_values(problem))
    if "row" in problem.data and "column" in problem.data:
        said = _in_cell(problem, said)
    if "place" in problem.data and "{where}" not in text:
        said = tr("{where}: {sentence}", where=where(problem.data["place"]), sentence=said)
    if "path" in problem.data and "{path}" not in text:
        said = tr("{where}: {sentence}", where=problem.data["path"], sentence=said)
    return said.replace(
        "） ", "）"
    )  # a place may end so; no space stands behind it, as behind a word of Latin letters


def _in_cell(problem: UserError, said: str) -> str:
    """What is wrong with one cell of a pasted or imported matrix, after its row and column, counted from 1."""
    row, column = problem.data["row"], problem.data["column"]
    return tr("Row {row}, column {column}: {sentence}", row=row, column=column, sentence=said)


def _values(problem: UserError) -> dict[str, object]:
    """What the placeholders stand for."""
    values: dict[str, object] = {"where": _short(where(_place(problem))), "value": "", "known": ""}
    return values | {key: _value(problem, key, value) for key, value in problem.data.items()}


def _place(problem: UserError) -> str:
    data = problem.data
    if "place" in data:
        return str(data["place"])
    if "name" in data and problem.code in ("shape", "shape.empty", "not_finite"):
        return indexed(data["name"], data.get("index", ()))
    return f"heads[{data['head']}]" if "head" in data else ""


def _value(problem: UserError, key: str, value: Any) -> object:
    if key == "row" and problem.code == "rows.ragged":
        return value + 1
    if key == "reason":
        return _reason(problem)
    if key == "axis":
        return _AXES.get(value, value)
    if key == "index":
        return indexed("", value)
    if key == "known":
        return tr(", ").join(map(str, value)) if isinstance(value, tuple | list) else value
    if problem.code == "file.type":
        return _type_names(value)
    return _shape(value) if isinstance(value, tuple) else _plain(value)


def _reason(problem: UserError) -> str:
    text = REASONS.get(problem.data["reason"]) or labs.REASONS.get(problem.data["reason"])
    if text is not None:
        return tr_marked(text)
    return (
        tr_marked(REASONS["syntax"])
        if "detail" not in problem.data
        else str(problem.data["detail"])
    )


def _type_names(value: str | Iterable[str]) -> str:
    names = [value] if isinstance(value, str) else value
    return tr(" or ").join(tr_marked(TYPES[name]) if name in TYPES else name for name in names)


def _shape(sizes: Iterable[object]) -> str:
    """3 × 4; a length that is free is shown by its letter, or as “any”."""
    shown = [tr("any") if size is None else str(size) for size in sizes]
    return " × ".join(shown) if shown else tr("a single number")


def _plain(value: object) -> object:
    if value is None:
        return tr("missing")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if isinstance(value, Mapping | list):
        return tr("a list or an object")
    return _short(value) if isinstance(value, str | int) else value


def _short(value: str | int) -> str:
    """What a file says may be of any length; a sentence quotes its beginning and its end."""
    try:
        text = str(value)
    except ValueError:  # Python writes whole numbers of up to 4,300 digits
        return "…"
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}…{text[-LONGEST // 2 :]}"
