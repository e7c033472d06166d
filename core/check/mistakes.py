"""The usual slips, each as the stage computed otherwise. The common ones come first: they win where numbers tie."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from core.arithmetic import attention
from core.arithmetic.positional_encoding import alibi_bias, rotate, sinusoidal
from core.arithmetic.stable_sum import product
from core.base.arrays import Array, frozen
from core.check.alternative_run import Candidate, Change, PartialRun
from core.document.document import Document, Softmax
from core.document.edits import allowed
from core.stages import Plan, softmax_source
from core.stages.bias import slopes
from core.stages.inputs import ADD
from core.stages.join import CONCATENATE
from core.stages.mask import MASK
from core.stages.scale import SCALE, scale_factor

BASES = ("e", "2", "10", "3")


def mistake_candidates(document: Document, plan: Plan) -> tuple[Candidate, ...]:
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
    def dot(left: int, right: int, flow: PartialRun) -> Array:
        reads = [flow[name] for name in flow.plan["scores"].reads]
        return product(reads[left], reads[right].swapaxes(-1, -2))

    alike = document.n == document.m  # else what these give has another shape
    if alike:
        yield Candidate("scores.swapped", {"scores": partial(dot, 1, 0)})
    if document.m == document.k:

        def untransposed(flow: PartialRun) -> Array:
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


def _uncalled(factor: float, flow: PartialRun) -> Array:
    return _exponentials(flow, attention.multiply(_read(flow), factor))


def _rescaled(factor: float, flow: PartialRun) -> Array:
    return attention.multiply(flow["scores"], factor)


def _rescaled_late(factor: float, flow: PartialRun) -> Array:
    return _exponentials(flow, flow.logits(factor))


def _unmasked(flow: PartialRun) -> Array:
    (masked,) = flow.plan.of_kind(MASK)
    return flow[masked.reads[0]]


def _mask(document: Document, plan: Plan) -> Iterator[Candidate]:
    if not plan.of_kind(MASK):
        return
    allow = allowed(document)

    def masked(kind: str, flow: PartialRun) -> Array:
        before = _unmasked(flow)
        if kind == "forgotten":
            return before
        if kind == "zero":
            return np.where(allow, before, 0.0)
        return attention.apply_mask(before, allow.T)

    def exp(kind: str, flow: PartialRun) -> Array:
        return _exponentials(flow, masked(kind, flow))

    turnable = document.n == document.m and (allow != allow.T).any()
    kinds = ["forgotten", "zero"] + (["transposed"] if turnable else [])
    for kind in kinds:
        yield Candidate(f"mask.{kind}", {"masked": partial(masked, kind)})
        yield Candidate(f"mask.{kind}", {"exp": partial(exp, kind)}, given=("masked",))

    def weights(flow: PartialRun) -> Array:
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


def _read(flow: PartialRun) -> Array:
    return flow[softmax_source(flow.plan)]


def _exponentials(flow: PartialRun, scores: Array) -> Array:
    return _powers(flow.document.softmax, scores)


def _powers(softmax: Softmax, scores: Array) -> Array:
    return attention.exponentials(scores, base=softmax.number, shift=softmax.shift)


def _power(softmax: Softmax, flow: PartialRun) -> Array:
    return _powers(softmax, _read(flow))


def _normalised(axes: tuple[int, ...], flow: PartialRun) -> Array:
    """The softmax along these axes, from the scores themselves: the shift by the row's maximum must not enter."""
    scores = _read(flow)
    highest = scores.max(axis=axes, keepdims=True)
    exp = _powers(
        Softmax(flow.document.softmax.base, False),
        scores - np.where(np.isfinite(highest), highest, 0.0),
    )
    return _over(exp, axes)


def _divided(axes: tuple[int, ...], flow: PartialRun) -> Array:
    return _over(flow["exp"], axes)


def _over(exp: Array, axes: tuple[int, ...]) -> Array:
    total = exp.sum(axis=axes, keepdims=True)
    return np.asarray(exp / np.where(total == 0, 1.0, total))


def _scaled_late(flow: PartialRun) -> Array:
    factor = scale_factor(flow.document)
    return attention.normalise(_exponentials(flow, flow.logits(1.0))) * factor


def _shares(flow: PartialRun) -> Array:
    scores = np.where(np.isfinite(_read(flow)), _read(flow), 0.0)
    return attention.normalise(scores)


def _negated(flow: PartialRun) -> Array:
    scores = _read(flow)
    return _exponentials(flow, np.where(np.isneginf(scores), scores, -scores))


def _largest(flow: PartialRun) -> Array:
    scores = _read(flow)
    top = (scores == scores.max(axis=-1, keepdims=True)) & np.isfinite(scores)
    return attention.normalise(top.astype(np.float64))


PROJECTIONS = ("Q", "K", "V")


def before_scores(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Every slip that can happen on the way to Q, K and V, their rotation and the ALiBi bias."""
    if document.positional.kind == "sinusoidal":
        yield from _sinusoidal(document, plan)
    if plan.of_kind(ADD):
        yield from _position_forgotten(plan)
    if document.positional.kind == "rotary":
        yield from _rotary(document)
    if document.positional.kind == "alibi":
        yield from _alibi(document)
    if document.source == "embeddings":
        yield from _biases(document)
        yield from _projections(document)
        yield from _other_sentence(document, plan)


def _sinusoidal(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Done alike for both sentences, or for one of them."""
    stages = [name for name in ("P", "P_context") if name in plan]
    tables = {
        name: _wrong_positions(document, document.sizes[plan[name].axes[0]]) for name in stages
    }
    for slip in tables["P"]:
        every: dict[str, Change] = {name: partial(_constant, tables[name][slip]) for name in stages}
        yield Candidate(slip, every)
        if len(stages) > 1:
            for name in stages:
                yield Candidate(slip, {name: every[name]})


def _wrong_positions(document: Document, n: int) -> dict[str, Array]:
    """Tables of n positions that come out of slips."""
    d, base = document.d, document.positional.base
    later = sinusoidal(n + 1, d, base)[1:]
    column, position = np.arange(d), np.arange(n, dtype=np.float64)[:, None]
    angles = position * base ** (-2.0 * (column // 2) / d)
    swapped = np.where(column % 2 == 0, np.cos(angles), np.sin(angles))
    unshared = position * base ** (-1.0 * column / d)
    apart = np.where(column % 2 == 0, np.sin(unshared), np.cos(unshared))
    half = (d + 1) // 2
    halves = np.concatenate(
        [sinusoidal(n, d, base)[:, 0::2], sinusoidal(n, d, base)[:, 1::2]], axis=1
    )
    tables = {"from_one": later, "sin_cos_swapped": swapped, "unshared": apart}
    if half < d and d > 2:
        tables["halves"] = halves
    return {f"position.{name}": table for name, table in tables.items()}


def _constant(table: Array, flow: PartialRun) -> Array:
    return table


def _position_forgotten(plan: Plan) -> Iterator[Candidate]:
    pairs = {name: plan[name].reads[0] for name in ("input", "input_context") if name in plan}

    def bare(name: str, flow: PartialRun) -> Array:
        return flow[pairs[name]]

    def projected(name: str, flow: PartialRun) -> Array:
        source = plan[name].reads[0]
        arrays = {**flow.arrays, source: flow[pairs.get(source, source)]}
        return PartialRun(flow.document, flow.plan, arrays).plain(name)

    added: dict[str, Change] = {name: partial(bare, name) for name in pairs}
    yield Candidate("position.forgotten", added)
    if len(added) > 1:
        for name, change in added.items():
            yield Candidate("position.forgotten", {name: change})
    each: dict[str, Change] = {name: partial(projected, name) for name in PROJECTIONS}
    for name in PROJECTIONS:
        yield Candidate("position.forgotten", {name: each[name]}, given=tuple(pairs))


def _rotary(document: Document) -> Iterator[Candidate]:
    base = document.positional.base

    def turned(kind: str, flow: PartialRun, name: str) -> Array:
        array = flow[name]
        if kind == "forgotten":
            return array
        if kind == "from_one":
            one_more = np.concatenate([np.zeros_like(array[:, :1]), array], axis=1)
            return rotate(one_more, base)[:, 1:]
        sign = np.where(np.arange(array.shape[-1]) % 2 == 0, 1.0, -1.0)
        return (
            rotate(array * sign, base) * sign
        )  # mirrored, turned, mirrored back: turned the other way

    names = {
        "forgotten": "position.forgotten",
        "from_one": "position.from_one",
        "backwards": "rotary.backwards",
    }
    for kind, slip in names.items():
        query, key = (partial(turned, kind, name=name) for name in ("Q", "K"))
        yield Candidate(slip, {"Q_rot": query, "K_rot": key})
        yield Candidate(slip, {"Q_rot": query})
        yield Candidate(slip, {"K_rot": key})


def _alibi(document: Document) -> Iterator[Candidate]:
    def biased(sign: float, flow: PartialRun) -> Array:
        bias = alibi_bias(flow.document.n, slopes(flow.document), flow.document.m)
        return np.asarray(flow[flow.plan["biased"].reads[0]] + sign * bias)

    yield Candidate("position.forgotten", {"biased": partial(biased, 0.0)})
    yield Candidate("alibi.sign", {"biased": partial(biased, -1.0)})


def _biases(document: Document) -> Iterator[Candidate]:
    names = [
        name
        for name in PROJECTIONS
        if any(getattr(head, f"b_{name}") is not None for head in document.heads)
    ]

    def unbiased(name: str, flow: PartialRun) -> Array:
        nothing: dict[str, Any] = {f"b_{name}": None}
        heads = tuple(replace(head, **nothing) for head in flow.document.heads)
        return PartialRun(flow.document.with_(heads=heads), flow.plan, flow.arrays).plain(name)

    every: dict[str, Change] = {name: partial(unbiased, name) for name in names}
    if len(names) > 1:
        yield Candidate("bias.forgotten", every, {"names": tuple(f"b_{name}" for name in names)})
    for name in names:
        yield Candidate("bias.forgotten", {name: every[name]}, {"names": (f"b_{name}",)})


def _projections(document: Document) -> Iterator[Candidate]:
    for name in PROJECTIONS:
        if document.d == (document.v if name == "V" else document.k):
            yield Candidate(
                "projection.transposed",
                {name: partial(_projected, name, name, True)},
                {"name": f"W_{name}"},
            )
        for other in PROJECTIONS:
            if other != name and (document.k == document.v or "V" not in (name, other)):
                data = {"name": f"W_{name}", "used": f"W_{other}"}
                yield Candidate(
                    "projection.other", {name: partial(_projected, name, other, False)}, data
                )


def _other_sentence(document: Document, plan: Plan) -> Iterator[Candidate]:
    """The projection of the wrong sentence's vectors, where both are equally long."""
    if document.context is None or document.n != document.m:
        return
    own, other = (plan[name].reads[0] for name in "QK")

    def projected(name: str, flow: PartialRun) -> Array:
        arrays = {**flow.arrays, own: flow[other], other: flow[own]}
        return PartialRun(flow.document, flow.plan, arrays).plain(name)

    for name in PROJECTIONS:
        yield Candidate(
            "projection.other_sentence", {name: partial(projected, name)}, {"name": name}
        )


def _projected(name: str, weights: str, transposed: bool, flow: PartialRun) -> Array:
    """X·W with another matrix; the bias stays."""
    heads = []
    x = flow[flow.plan[name].reads[0]]
    for head in flow.document.heads:
        matrix, bias = getattr(head, f"W_{weights}"), getattr(head, f"b_{name}")
        result = product(x, matrix.T if transposed else matrix)
        heads.append(result if bias is None else result + bias)
    return np.stack(heads)


def after_weights(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Every slip in the weighted sum and what follows it."""
    yield from _mix(document, plan)
    if plan.of_kind(CONCATENATE):
        yield from _concat(document)
    if document.W_O is not None:
        yield from _output(document)


def _mix(document: Document, plan: Plan) -> Iterator[Candidate]:
    def mixed(name: str, flow: PartialRun) -> Array:
        weights = np.where(np.isfinite(flow[name]), flow[name], 0.0)
        return product(weights, flow["V"])

    before = [name for name in ("scores", "scaled", "biased", "masked") if name in plan]
    for name in before:
        yield Candidate("mix.scores", {"heads": partial(mixed, name)}, {"used": name})
    if document.n == document.m:
        yield Candidate(
            "mix.columns",
            {"heads": lambda flow: product(flow["weights"].swapaxes(-1, -2), flow["V"])},
        )
    yield Candidate("softmax.not_normalised", {"heads": partial(mixed, "exp")}, given=("weights",))
    if document.n == document.m:
        yield Candidate("mix.values_alone", {"heads": lambda flow: flow["V"]})
    if document.k == document.v:
        yield Candidate("mix.keys", {"heads": lambda flow: product(flow["weights"], flow["K"])})
    if document.m == document.v:
        turned = Candidate(
            "mix.value_transposed",
            {"heads": lambda flow: product(flow["weights"], flow["V"].swapaxes(-1, -2))},
        )
        yield turned


def _concat(document: Document) -> Iterator[Candidate]:
    def joined(kind: str, flow: PartialRun) -> Array:
        blocks = [
            block if head.enabled or kind == "off" else np.zeros_like(block)
            for head, block in zip(flow.document.heads, flow["heads"], strict=True)
        ]
        if kind == "order":
            blocks.reverse()
        if kind == "interleaved":
            return np.stack(blocks, axis=-1).reshape(len(blocks[0]), -1)
        return np.concatenate(blocks, axis=1)

    if not all(head.enabled for head in document.heads):
        yield Candidate("concat.off_counted", {"concat": partial(joined, "off")})
    if document.h > 1:
        yield Candidate("concat.order", {"concat": partial(joined, "order")})
        if document.v > 1:
            yield Candidate("concat.interleaved", {"concat": partial(joined, "interleaved")})


def _output(document: Document) -> Iterator[Candidate]:
    def unbiased(flow: PartialRun) -> Array:
        return PartialRun(flow.document.with_(b_O=None), flow.plan, flow.arrays).plain("Y")

    if document.b_O is not None:
        yield Candidate("bias.forgotten", {"Y": unbiased}, {"names": ("b_O",)})
    if document.c == document.o:
        assert document.W_O is not None
        turned = replace(document, W_O=frozen(document.W_O.T))
        yield Candidate("output.forgotten", {"Y": lambda flow: flow["concat"]})
        yield Candidate(
            "projection.transposed",
            {"Y": lambda flow: PartialRun(turned, flow.plan, flow.arrays).plain("Y")},
            {"name": "W_O"},
        )
