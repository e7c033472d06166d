"""The usual slips, each as the stage computed otherwise. The common ones come first: they win where numbers tie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from core.arithmetic import attention
from core.arithmetic.stable_sum import product
from core.base.arrays import Array
from core.check.alternative_run import Candidate, Flow
from core.check.input_mistakes import before_scores
from core.check.output_mistakes import after_weights
from core.document.document import Document, Softmax
from core.document.edits import allowed
from core.stages import Plan, softmax_source
from core.stages.mask import MASK
from core.stages.scale import SCALE, scale_factor

BASES = ("e", "2", "10", "3")


def catalogue(document: Document, plan: Plan) -> tuple[Candidate, ...]:
    """Every slip that this experiment leaves room for."""
    return (
        *_scale(document, plan),
        *_mask(document, plan),
        *_softmax(document, plan),
        *_scores(document),
        *before_scores(document, plan),
        *after_weights(document, plan),
        *_rare(),
    )


def _scores(document: Document) -> Iterator[Candidate]:
    def dot(left: int, right: int, flow: Flow) -> Array:
        reads = [flow[name] for name in flow.plan["scores"].reads]
        return product(reads[left], reads[right].swapaxes(-1, -2))

    alike = document.n == document.m  # else what these give has another shape
    if alike:
        yield Candidate("scores.swapped", {"scores": partial(dot, 1, 0)})
    if document.m == document.k:

        def untransposed(flow: Flow) -> Array:
            query, key = flow.plan["scores"].reads
            return product(flow[query], flow[key])

        yield Candidate("scores.key_not_transposed", {"scores": untransposed})
    if alike:
        yield Candidate(
            "scores.other_factor", {"scores": partial(dot, 0, 0)}, {"used": "Q", "instead": "K"}
        )
        yield Candidate(
            "scores.other_factor", {"scores": partial(dot, 1, 1)}, {"used": "K", "instead": "Q"}
        )


def _scale(document: Document, plan: Plan) -> Iterator[Candidate]:
    k = document.k
    if not plan.of_kind(SCALE):
        if k > 1:
            yield Candidate(
                "scale.uncalled", {"exp": partial(_uncalled, 1 / math.sqrt(k))}, {"k": k}
            )
        return
    true = scale_factor(document)
    known = {
        "scale.forgotten": 1.0,
        "scale.by_dk": 1 / k,
        "scale.by_sqrt_model": 1 / math.sqrt(document.d),
        "scale.by_sqrt_model_per_head": math.sqrt(document.h / document.d),
        "scale.by_sqrt_dv": 1 / math.sqrt(document.v),
        "scale.multiplied": 1 / true if true else 1.0,
        "scale.by_model": 1 / document.d,
        "scale.by_sqrt_dk": 1 / math.sqrt(k),
    }
    data = {"k": k, "d": document.d, "h": document.h, "v": document.v}
    for name, factor in known.items():
        if not math.isclose(factor, true):
            yield Candidate(name, {"scaled": partial(_rescaled, factor)}, data)
            # The scaled scores stand there, and the softmax was taken of something else.
            late = {"exp": partial(_rescaled_late, factor)}
            yield Candidate(name, late, data, given=("scaled", "biased", "masked"))


def _uncalled(factor: float, flow: Flow) -> Array:
    return _exponentials(flow, attention.multiply(_read(flow), factor))


def _rescaled(factor: float, flow: Flow) -> Array:
    return attention.multiply(flow["scores"], factor)


def _rescaled_late(factor: float, flow: Flow) -> Array:
    return _exponentials(flow, flow.logits(factor))


def _unmasked(flow: Flow) -> Array:
    (masked,) = flow.plan.of_kind(MASK)
    return flow[masked.reads[0]]


def _mask(document: Document, plan: Plan) -> Iterator[Candidate]:
    if not plan.of_kind(MASK):
        return
    allow = allowed(document)

    def masked(kind: str, flow: Flow) -> Array:
        before = _unmasked(flow)
        if kind == "forgotten":
            return before
        if kind == "zero":
            return np.where(allow, before, 0.0)
        return attention.apply_mask(before, allow.T)

    def exp(kind: str, flow: Flow) -> Array:
        return _exponentials(flow, masked(kind, flow))

    turnable = document.n == document.m and (allow != allow.T).any()
    kinds = ["forgotten", "zero"] + (["transposed"] if turnable else [])
    for kind in kinds:
        yield Candidate(f"mask.{kind}", {"masked": partial(masked, kind)})
        yield Candidate(f"mask.{kind}", {"exp": partial(exp, kind)}, given=("masked",))

    def weights(flow: Flow) -> Array:
        return attention.normalise(exp("forgotten", flow)) * allow

    yield Candidate("mask.after_softmax", {"weights": weights}, unless=("masked", "exp"))
    yield Candidate("mask.not_renormalised", {"weights": weights}, given=("masked", "exp"))


def _softmax(document: Document, plan: Plan) -> Iterator[Candidate]:
    own = document.softmax.base
    for base in BASES:
        for shift in (True, False):
            power = partial(_power, Softmax(base, shift))
            if base != own:
                yield Candidate("softmax.base", {"exp": power}, {"base": base, "own": own})
    yield Candidate("softmax.columns", {"weights": partial(_normalised, (-2,))})
    yield Candidate("softmax.everything", {"weights": partial(_normalised, (-2, -1))})
    yield Candidate("softmax.columns", {"weights": partial(_divided, (-2,))}, given=("exp",))
    yield Candidate("softmax.everything", {"weights": partial(_divided, (-2, -1))}, given=("exp",))
    yield Candidate("softmax.not_normalised", {"weights": lambda flow: flow["exp"]})
    other = partial(_power, Softmax(own, not document.softmax.shift))
    yield Candidate("softmax.not_normalised", {"weights": other}, unless=("exp",))
    if plan.of_kind(SCALE):
        yield Candidate(
            "softmax.before_scaling", {"weights": _scaled_late}, {"k": document.k}, unless=("exp",)
        )


def _rare() -> Iterator[Candidate]:
    yield Candidate("softmax.no_exp", {"weights": _shares})
    yield Candidate("softmax.negated", {"exp": _negated})
    yield Candidate("softmax.largest_only", {"weights": _largest})


def _read(flow: Flow) -> Array:
    return flow[softmax_source(flow.plan)]


def _exponentials(flow: Flow, scores: Array) -> Array:
    return _powers(flow.document.softmax, scores)


def _powers(softmax: Softmax, scores: Array) -> Array:
    return attention.exponentials(scores, base=softmax.number, shift=softmax.shift)


def _power(softmax: Softmax, flow: Flow) -> Array:
    return _powers(softmax, _read(flow))


def _normalised(axes: tuple[int, ...], flow: Flow) -> Array:
    """The softmax along these axes, from the scores themselves: the shift by the row's maximum must not enter."""
    scores = _read(flow)
    highest = scores.max(axis=axes, keepdims=True)
    exp = _powers(
        Softmax(flow.document.softmax.base, False),
        scores - np.where(np.isfinite(highest), highest, 0.0),
    )
    return _over(exp, axes)


def _divided(axes: tuple[int, ...], flow: Flow) -> Array:
    return _over(flow["exp"], axes)


def _over(exp: Array, axes: tuple[int, ...]) -> Array:
    total = exp.sum(axis=axes, keepdims=True)
    return np.asarray(exp / np.where(total == 0, 1.0, total))


def _scaled_late(flow: Flow) -> Array:
    factor = scale_factor(flow.document)
    return attention.normalise(_exponentials(flow, flow.logits(1.0))) * factor


def _shares(flow: Flow) -> Array:
    scores = np.where(np.isfinite(_read(flow)), _read(flow), 0.0)
    return attention.normalise(scores)


def _negated(flow: Flow) -> Array:
    scores = _read(flow)
    return _exponentials(flow, np.where(np.isneginf(scores), scores, -scores))


def _largest(flow: Flow) -> Array:
    scores = _read(flow)
    top = (scores == scores.max(axis=-1, keepdims=True)) & np.isfinite(scores)
    return attention.normalise(top.astype(np.float64))
