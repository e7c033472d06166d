"""A sentence for each mistake: what the learner seems to have done, and what is right. Free of Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from core.base.cell import Cell
from core.base.number_format import MINUS, show
from core.check.report import Mistake
from core.document.orientation import ROWS, Orientation
from gui.texts.names import stage_name, stage_symbol
from gui.texts.translation import mark, tr, tr_marked

SENTENCES: dict[str, str] = {
    # Scaling
    "scale.forgotten": mark("The scores were not divided by √d_k = √{k}."),
    "scale.by_dk": mark("The scores were divided by d_k = {k} instead of √d_k."),
    "scale.by_sqrt_model": mark(
        "The scores were divided by √d_model = √{d} instead of √d_k = √{k}."
    ),
    "scale.by_sqrt_model_per_head": mark(
        "The scores were divided by √(d_model/h) = √({d}/{h}) instead of √d_k = √{k}."
    ),
    "scale.by_sqrt_dv": mark("The scores were divided by √d_v = √{v} instead of √d_k = √{k}."),
    "scale.by_model": mark("The scores were divided by d_model = {d} instead of √d_k = √{k}."),
    "scale.multiplied": mark("The scores were multiplied where they should have been divided."),
    "scale.by_sqrt_dk": mark(
        "The scores were divided by √d_k = √{k}; this experiment has its own factor."
    ),
    "scale.uncalled": mark(
        "The scores were divided by √d_k = √{k}; this experiment does not scale them."
    ),
    # Scores
    "scores.swapped": mark(
        "Queries and keys were swapped: K·Qᵀ instead of Q·Kᵀ. Rows are queries, columns are keys."
    ),
    "scores.key_not_transposed": mark(
        "K was not transposed: Q·K instead of Q·Kᵀ. Multiply a row of Q by a row of K."
    ),
    "scores.other_factor": mark(
        "{used} was multiplied by itself: {used} is used where {instead} should be."
    ),
    # Mask
    "mask.forgotten": mark("The mask was forgotten: masked pairs must not count."),
    "mask.zero": mark(
        "Masked scores were set to 0 instead of −∞: a power with exponent 0 is 1 and still counts."
    ),
    "mask.transposed": mark("The mask is transposed: rows are queries, columns are keys."),
    "mask.after_softmax": mark(
        "The mask was applied after the softmax: masked weights are 0, but the other weights of "
        "the row no longer sum to 1."
    ),
    "mask.not_renormalised": mark(
        "Masked rows were not renormalised: each was divided by the sum of all its "
        "exponentials, including the masked ones."
    ),
    # Softmax
    "exp.unshifted": mark("The row maximum was not subtracted; the weights come out the same."),
    "exp.shifted": mark("The row maximum was subtracted; the weights come out the same."),
    "softmax.base": mark("The powers have base {base} instead of {own}."),
    "softmax.columns": mark("The softmax was taken down the columns; each row must sum to 1."),
    "softmax.everything": mark(
        "The softmax was taken over the whole matrix; each row must sum to 1 on its own."
    ),
    "softmax.not_normalised": mark("The exponentials were not divided by the sum of their row."),
    "softmax.before_scaling": mark(
        "The softmax was taken before the scaling: scale the scores first."
    ),
    "softmax.no_exp": mark(
        "The scores themselves were divided by their row sum; the softmax takes powers first."
    ),
    "softmax.negated": mark("The sign of the exponent is wrong: −s instead of s."),
    "softmax.largest_only": mark(
        "The largest score took everything; the softmax leaves a share for each."
    ),
    # Weighted sum and output
    "mix.scores": mark("The values were added up with {used} instead of the weights."),
    "mix.columns": mark(
        "The values were added up with the columns of the weights: Aᵀ·V instead of A·V."
    ),
    "mix.values_alone": mark("This is V itself; each output is a weighted sum of all rows of V."),
    "mix.keys": mark("The weights were applied to K instead of V."),
    "mix.value_transposed": mark("V was transposed: A·Vᵀ instead of A·V."),
    "concat.off_counted": mark("A head that is off was counted; it contributes 0."),
    "concat.order": mark("The heads are concatenated in the wrong order."),
    "concat.interleaved": mark(
        "The heads were interleaved column by column; each head's block stays whole."
    ),
    "output.forgotten": mark("W_O was forgotten: these are the concatenated heads themselves."),
    # Projections and positions
    "bias.forgotten": mark("The bias was forgotten: {names}."),
    "projection.transposed": mark("{name} was transposed."),
    "projection.other": mark("{used} was used instead of {name}."),
    "projection.other_sentence": mark(
        "{name} was made from the wrong sentence: queries come from X, keys and values from the context."
    ),
    "position.forgotten": mark("The positional encoding was forgotten."),
    "position.from_one": mark("Positions were counted from 1; the first one is 0."),
    "position.sin_cos_swapped": mark(
        "sin and cos were swapped: the even columns, counted from 0, are sines."
    ),
    "position.unshared": mark(
        "Each column was given its own frequency; a sin and its cos share one."
    ),
    "position.halves": mark("All sines come before all cosines; they should alternate."),
    "rotary.backwards": mark("The rotation runs backwards: look at the sign of sin."),
    "alibi.sign": mark("The bias has the wrong sign: distance must lower the score."),
    # Norms, residual sums, MLP and vocabulary
    "norm.by_n_minus_1": mark(
        "The variance was divided by d − 1 instead of d = {d}, the number of columns."
    ),
    "norm.no_eps": mark("ε was forgotten: it is added before the root is taken."),
    "norm.over_tokens": mark(
        "The norm was taken down the columns; each token is normalised on its own, along its row."
    ),
    "norm.by_variance": mark("The root was forgotten: divide by √(σ² + ε)."),
    "norm.unscaled": mark("The normalised numbers were not scaled or shifted; forgotten: {names}."),
    "norm.forgotten": mark("The norm was forgotten: these numbers are not normalised."),
    "norm.after": mark("The norm was put after the sub-layer; here it comes before (pre-norm)."),
    "norm.before": mark("The norm was put before the sub-layer; here it comes after (post-norm)."),
    "residual.forgotten": mark(
        "The residual was forgotten: what came in is added to the output of the sub-layer."
    ),
    "activation.late": mark(
        "{name} was applied to the sum at the end instead of to each hidden number."
    ),
    "activation.forgotten": mark("{name} was forgotten: these are the hidden numbers themselves."),
    "words.over_tokens": mark(
        "The softmax was taken over the tokens; the probabilities of all words add up to 1 for "
        "each token."
    ),
    "words.no_temperature": mark("The logits were not divided by the temperature {temperature}."),
    # Digits
    "digits.truncated": mark("Truncated instead of rounded: the next digit is 5 or more."),
    "carried": mark("Consistent with your own {stages}: right from there on."),
    "entry.transposed": mark("Rows and columns were swapped when the numbers were written down."),
    "entry.heads_swapped": mark("Heads {first} and {second} were swapped."),
    "weights.filled_up": mark(
        "Adjusted so that the row sums to exactly 1 after the other weights were rounded."
    ),
    "cell.sign": mark("The sign is wrong."),
    "cell.decimal_point": mark("The decimal point is in the wrong place."),
    "cell.digits_swapped": mark("Two digits were swapped."),
    "cell.step": mark(
        "This does not follow from {stage}, which is right: the mistake lies in this step."
    ),
    "cell.sum": mark("The sum is off by {off}: check each product, then the addition."),
}

# With tokens as columns matrices are displayed transposed, and factors change places.
COLUMN_SENTENCES: dict[str, str] = {
    **SENTENCES,
    "scores.swapped": mark(
        "Queries and keys were swapped: Qᵀ·K instead of Kᵀ·Q. Rows are keys, columns are queries."
    ),
    "scores.key_not_transposed": mark(
        "K was not transposed: K·Q instead of Kᵀ·Q. Multiply a column of K by a column of Q."
    ),
    "mask.transposed": mark("The mask is transposed: rows are keys, columns are queries."),
    "mask.after_softmax": mark(
        "The mask was applied after the softmax: masked weights are 0, but the other weights of "
        "the column no longer sum to 1."
    ),
    "mask.not_renormalised": mark(
        "Masked columns were not renormalised: each was divided by the sum of all its "
        "exponentials, including the masked ones."
    ),
    "exp.unshifted": mark("The column maximum was not subtracted; the weights come out the same."),
    "exp.shifted": mark("The column maximum was subtracted; the weights come out the same."),
    "softmax.columns": mark("The softmax was taken along the rows; each column must sum to 1."),
    "softmax.everything": mark(
        "The softmax was taken over the whole matrix; each column must sum to 1 on its own."
    ),
    "softmax.not_normalised": mark("The exponentials were not divided by the sum of their column."),
    "softmax.no_exp": mark(
        "The scores themselves were divided by their column sum; the softmax takes powers first."
    ),
    "mix.columns": mark(
        "The values were added up with the rows of the weights: V·Aᵀ instead of V·A."
    ),
    "mix.values_alone": mark(
        "This is V itself; each output is a weighted sum of all columns of V."
    ),
    "mix.value_transposed": mark("V was transposed: Vᵀ·A instead of V·A."),
    "norm.by_n_minus_1": mark(
        "The variance was divided by d − 1 instead of d = {d}, the number of rows."
    ),
    "norm.over_tokens": mark(
        "The norm was taken along the rows; each token is normalised on its own, down its column."
    ),
    "concat.order": mark("The heads are stacked in the wrong order."),
    "concat.interleaved": mark(
        "The heads were interleaved row by row; each head's block stays whole."
    ),
    "position.sin_cos_swapped": mark(
        "sin and cos were swapped: the even rows, counted from 0, are sines."
    ),
    "position.unshared": mark("Each row was given its own frequency; a sin and its cos share one."),
    "weights.filled_up": mark(
        "Adjusted so that the column sums to exactly 1 after the other weights were rounded."
    ),
}

# One product of a worked sum, by the apparent mistake.
TERMS: dict[str, str] = {
    "omitted": mark("Term {term} is missing: {product} = {value}."),
    "sign": mark("Term {term} has the wrong sign: {product} = {value}."),
    "doubled": mark("Term {term} was counted twice: {product} = {value}."),
    "point": mark(
        "Term {term} has its decimal point in the wrong place: {product} = {value}, not {seems}."
    ),
    "added": mark("In term {term} the factors were added: {product} = {value}, not {seems}."),
    "factor": mark("In term {term} a factor was left out: {product} = {value}, not {seems}."),
    "misread": mark(
        "In term {term} a neighbouring number was used ({cell}): {product} = {value}, not {seems}."
    ),
}


def mistake_text(slip: Mistake, orientation: Orientation = ROWS) -> str:
    """A mistake in the current language, with others that give the same numbers."""
    text = _text(slip, orientation)
    others = " ".join(_text(twin, orientation) for twin in slip.also)
    if others:
        text = tr("{text} Or, with the same result: {other}", text=text, other=others)
    return tr("Perhaps: {text} One more number would decide.", text=text) if slip.maybe else text


def _text(slip: Mistake, orientation: Orientation) -> str:
    if slip.id in _SPECIAL:
        return _SPECIAL[slip.id](slip, orientation)
    values = _VALUES[slip.id](slip.data, orientation) if slip.id in _VALUES else slip.data
    return tr_marked((COLUMN_SENTENCES if orientation.columns else SENTENCES)[slip.id], **values)


def _stage(stage_id: str, orientation: Orientation) -> str:
    return tr(
        "{name} ({symbol})",
        name=stage_name(stage_id),
        symbol=stage_symbol(stage_id, orientation=orientation),
    )


# By whether every result was rounded, and whether to one decimal.
_ROUNDED = {
    (True, True): mark("Rounded too early: every intermediate result to 1 decimal."),
    (True, False): mark("Rounded too early: every intermediate result to {decimals} decimals."),
    (False, True): mark("Rounded too early: {stage} to 1 decimal."),
    (False, False): mark("Rounded too early: {stage} to {decimals} decimals."),
}


def _early(slip: Mistake, orientation: Orientation) -> str:
    decimals, stage = slip.data["decimals"], slip.data["stage"]
    said = _stage(stage, orientation) if stage else ""
    return tr_marked(_ROUNDED[not stage, decimals == 1], decimals=decimals, stage=said)


def _term(slip: Mistake, orientation: Orientation) -> str:
    data = slip.data
    cell: Cell | None = data["cell"]
    values = {
        "term": data["term"] + 1,
        "product": "×".join(_number(factor) for factor in data["factors"]),
        "value": _number(data["product"]),
        "seems": _number(data["seems"]),
        "cell": "" if cell is None else _place(orientation.cell(cell)),
    }
    text = tr_marked(TERMS[data["how"]], **values)
    if data["readings"] > 1:
        return tr("{text} Another term would also fit.", text=text)
    return text


def _place(cell: Cell) -> str:
    return f"{cell.tensor}[{cell.row + 1}, {cell.column + 1}]"


def _number(value: float) -> str:
    """Short, with a real minus."""
    return f"{value:.6g}".replace("-", MINUS)


# What a sentence names, where it is not in the data as it is said.
_VALUES: dict[str, Callable[[Mapping[str, Any], Orientation], dict[str, object]]] = {
    "bias.forgotten": lambda data, _: {"names": tr(", ").join(data["names"])},
    "norm.unscaled": lambda data, _: {"names": tr(", ").join(data["names"])},
    "carried": lambda data, orientation: {
        "stages": tr(", ").join(_stage(name, orientation) for name in data["stages"])
    },
    "mix.scores": lambda data, orientation: {"used": _stage(data["used"], orientation)},
    "entry.heads_swapped": lambda data, _: {
        name: head + 1 for name, head in zip(("first", "second"), data["heads"], strict=True)
    },
    "cell.step": lambda data, orientation: {"stage": _stage(data["stage"], orientation)},
    "cell.sum": lambda data, _: {
        "off": show(data["off"], min(max(data["decimals"] or 0, 0) + 1, 8))
    },
}
_SPECIAL: dict[str, Callable[[Mistake, Orientation], str]] = {
    "rounding.early": _early,
    "cell.term": _term,
}
