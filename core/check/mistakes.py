"""Common mistakes, each as an alternative computation of a stage. The most common come first: they
win ties.
"""

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
from core.stages import Plan, has_scores, softmax_source
from core.stages.bias import slopes
from core.stages.inputs import ADD, SINUSOID
from core.stages.join import CONCATENATE
from core.stages.kind import ScoreKind
from core.stages.mask import MASK
from core.stages.scale import SCALE, scale_factor

BASES = ("e", "2", "10", "3")


def mistake_candidates(document: Document, plan: Plan) -> tuple[Candidate, ...]:
    """Every mistake that is possible in an experiment."""
    if not has_scores(plan):
        return tuple(after_weights(document, plan))
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
    def dot(left: int, right: int, run: PartialRun) -> Array:
        reads = [run[name] for name in run.plan["scores"].reads]
        return product(reads[left], reads[right].swapaxes(-1, -2))

    alike = document.n == document.m  # otherwise the results have another shape
    if alike:
        yield Candidate("scores.swapped", {"scores": partial(dot, 1, 0)})
    if document.m == document.k:

        def untransposed(run: PartialRun) -> Array:
            query, key = run.plan["scores"].reads
            return product(run[query], run[key])

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

    def rescaled(factor: float, run: PartialRun) -> Array:
        return attention.multiply(run["scores"], factor)

    def exp(factor: float, run: PartialRun) -> Array:
        if plan.of_kind(SCALE):
            return _exponentials(run, run.logits(factor))
        return _exponentials(run, attention.multiply(_read(run), factor))

    if not plan.of_kind(SCALE):
        if k > 1:
            yield Candidate("scale.uncalled", {"exp": partial(exp, 1 / math.sqrt(k))}, {"k": k})
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
    has_model = document.X is not None or document.W_O is not None
    for name, factor in known.items():
        if "model" in name and not has_model:
            continue
        if not math.isclose(factor, true):
            yield Candidate(name, {"scaled": partial(rescaled, factor)}, data)
            # The scaled scores are stated, but the softmax was computed from other ones.
            late = {"exp": partial(exp, factor)}
            yield Candidate(name, late, data, given=("scaled", "biased", "masked"))


def _mask(document: Document, plan: Plan) -> Iterator[Candidate]:
    stages = plan.of_kind(MASK)
    if not stages:
        return
    allow, source = allowed(document), stages[0].reads[0]

    def masked(kind: str, run: PartialRun) -> Array:
        before = run[source]
        if kind == "forgotten":
            return before
        if kind == "zero":
            return np.where(allow, before, 0.0)
        return attention.apply_mask(before, allow.T)

    def exp(kind: str, run: PartialRun) -> Array:
        return _exponentials(run, masked(kind, run))

    turnable = document.n == document.m and (allow != allow.T).any()
    kinds = ["forgotten", "zero"] + (["transposed"] if turnable else [])
    for kind in kinds:
        yield Candidate(f"mask.{kind}", {"masked": partial(masked, kind)})
        yield Candidate(f"mask.{kind}", {"exp": partial(exp, kind)}, given=("masked",))

    def weights(run: PartialRun) -> Array:
        return attention.normalise(exp("forgotten", run)) * allow

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
    yield Candidate("softmax.not_normalised", {"weights": lambda run: run["exp"]})
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


def _read(run: PartialRun) -> Array:
    return run[softmax_source(run.plan)]


def _exponentials(run: PartialRun, scores: Array, softmax: Softmax | None = None) -> Array:
    softmax = softmax or run.document.softmax
    return attention.exponentials(scores, base=softmax.number, shift=softmax.shift)


def _power(softmax: Softmax, run: PartialRun) -> Array:
    return _exponentials(run, _read(run), softmax)


def _normalised(axes: tuple[int, ...], run: PartialRun) -> Array:
    """The softmax along other axes, from the scores: the shift by the row maximum must not matter."""
    scores = _read(run)
    highest = scores.max(axis=axes, keepdims=True)
    shifted = scores - np.where(np.isfinite(highest), highest, 0.0)
    exp = _exponentials(run, shifted, Softmax(run.document.softmax.base, False))
    return _divided(axes, run, exp)


def _divided(axes: tuple[int, ...], run: PartialRun, exp: Array | None = None) -> Array:
    exp = run["exp"] if exp is None else exp
    total = exp.sum(axis=axes, keepdims=True)
    return np.asarray(exp / np.where(total == 0, 1.0, total))


def _scaled_late(run: PartialRun) -> Array:
    factor = scale_factor(run.document)
    return attention.normalise(_exponentials(run, run.logits(1.0))) * factor


def _shares(run: PartialRun) -> Array:
    scores = np.where(np.isfinite(_read(run)), _read(run), 0.0)
    return attention.normalise(scores)


def _negated(run: PartialRun) -> Array:
    scores = _read(run)
    return _exponentials(run, np.where(np.isneginf(scores), scores, -scores))


def _largest(run: PartialRun) -> Array:
    scores = _read(run)
    top = (scores == scores.max(axis=-1, keepdims=True)) & np.isfinite(scores)
    return attention.normalise(top.astype(np.float64))


PROJECTIONS = ("Q", "K", "V")


def position_mistakes(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Mistakes in positions that are added to the token vectors."""
    if document.positional.kind == "sinusoidal":
        yield from _sinusoidal(document, plan)
    if plan.of_kind(ADD):
        yield from _position_forgotten(plan)


def before_scores(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Mistakes in positions, projections, biases, rotation and the ALiBi bias."""
    yield from position_mistakes(document, plan)
    if document.positional.kind == "rotary":
        yield from _rotary(document)
    if document.positional.kind == "alibi":
        yield from _alibi(document)
    if document.source == "embeddings":
        yield from _biases(document)
        yield from _projections(document)
        yield from _other_sentence(document, plan)


def _sinusoidal(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Wrong tables for both sentences, or for one of them."""
    stages = [stage.id for stage in plan.of_kind(SINUSOID)]
    tables = {
        name: _wrong_positions(document, document.sizes[plan[name].axes[0]]) for name in stages
    }
    for mistake in tables[stages[0]]:
        every = {name: partial(_table, tables[name][mistake]) for name in stages}
        yield Candidate(mistake, every)
        if len(stages) > 1:
            yield from (Candidate(mistake, {name: every[name]}) for name in stages)


def _table(table: Array, _: PartialRun) -> Array:
    return table


def _wrong_positions(document: Document, n: int) -> dict[str, Array]:
    """Wrong positional encodings of n positions, by mistake."""
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


def _position_forgotten(plan: Plan) -> Iterator[Candidate]:
    pairs = {stage.id: stage.reads[0] for stage in plan.of_kind(ADD)}

    def bare(name: str, run: PartialRun) -> Array:
        return run[pairs[name]]

    def projected(name: str, run: PartialRun) -> Array:
        source = plan[name].reads[0]
        arrays = {**run.arrays, source: run[pairs.get(source, source)]}
        return PartialRun(run.document, run.plan, arrays).plain(name)

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

    def turned(kind: str, run: PartialRun, name: str) -> Array:
        array = run[name]
        if kind == "forgotten":
            return array
        if kind == "from_one":
            return rotate(array, base, first=1)
        sign = np.where(np.arange(array.shape[-1]) % 2 == 0, 1.0, -1.0)
        return rotate(array * sign, base) * sign  # mirror, rotate, mirror back: rotated backwards

    names = {
        "forgotten": "position.forgotten",
        "from_one": "position.from_one",
        "backwards": "rotary.backwards",
    }
    for kind, mistake in names.items():
        query, key = (partial(turned, kind, name=name) for name in ("Q", "K"))
        yield Candidate(mistake, {"Q_rot": query, "K_rot": key})
        yield Candidate(mistake, {"Q_rot": query})
        yield Candidate(mistake, {"K_rot": key})


def _alibi(document: Document) -> Iterator[Candidate]:
    def biased(sign: float, run: PartialRun) -> Array:
        bias = alibi_bias(run.document.n, slopes(run.document), run.document.m)
        return np.asarray(run[run.plan["biased"].reads[0]] + sign * bias)

    yield Candidate("position.forgotten", {"biased": partial(biased, 0.0)})
    yield Candidate("alibi.sign", {"biased": partial(biased, -1.0)})


def _biases(document: Document) -> Iterator[Candidate]:
    names = [
        name
        for name in PROJECTIONS
        if any(getattr(head, f"b_{name}") is not None for head in document.heads)
    ]

    def unbiased(name: str, run: PartialRun) -> Array:
        nothing: dict[str, Any] = {f"b_{name}": None}
        heads = tuple(replace(head, **nothing) for head in run.document.heads)
        return PartialRun(run.document.with_(heads=heads), run.plan, run.arrays).plain(name)

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
    """Projections of the other sentence's vectors, if both are equally long."""
    if document.context is None or document.n != document.m:
        return
    own, other = (plan[name].reads[0] for name in "QK")

    def projected(name: str, run: PartialRun) -> Array:
        arrays = {**run.arrays, own: run[other], other: run[own]}
        return PartialRun(run.document, run.plan, arrays).plain(name)

    for name in PROJECTIONS:
        yield Candidate(
            "projection.other_sentence", {name: partial(projected, name)}, {"name": name}
        )


def _projected(name: str, weights: str, transposed: bool, run: PartialRun) -> Array:
    """X·W with another matrix and the right bias."""
    heads = []
    x = run[run.plan[name].reads[0]]
    for head in run.document.heads:
        matrix, bias = getattr(head, f"W_{weights}"), getattr(head, f"b_{name}")
        result = product(x, matrix.T if transposed else matrix)
        heads.append(result if bias is None else result + bias)
    return np.stack(heads)


def after_weights(document: Document, plan: Plan) -> Iterator[Candidate]:
    """Mistakes in the weighted sum, the joined heads and the output."""
    yield from _mix(document, plan)
    if plan.of_kind(CONCATENATE):
        yield from _concat(document)
    if document.W_O is not None:
        yield from _output(document)


def _mix(document: Document, plan: Plan) -> Iterator[Candidate]:
    def mixed(name: str, run: PartialRun) -> Array:
        weights = np.where(np.isfinite(run[name]), run[name], 0.0)
        return product(weights, run["V"])

    for stage in plan:
        if stage.attends and not (isinstance(stage.kind, ScoreKind) and stage.kind.in_softmax):
            yield Candidate("mix.scores", {"heads": partial(mixed, stage.id)}, {"used": stage.id})
    if document.n == document.m:
        yield Candidate(
            "mix.columns",
            {"heads": lambda run: product(run["weights"].swapaxes(-1, -2), run["V"])},
        )
    yield Candidate("softmax.not_normalised", {"heads": partial(mixed, "exp")}, given=("weights",))
    if document.n == document.m:
        yield Candidate("mix.values_alone", {"heads": lambda run: run["V"]})
    if document.k == document.v:
        yield Candidate("mix.keys", {"heads": lambda run: product(run["weights"], run["K"])})
    if document.m == document.v:
        yield Candidate(
            "mix.value_transposed",
            {"heads": lambda run: product(run["weights"], run["V"].swapaxes(-1, -2))},
        )


def _concat(document: Document) -> Iterator[Candidate]:
    def joined(kind: str, run: PartialRun) -> Array:
        blocks = [
            block if head.enabled or kind == "off" else np.zeros_like(block)
            for head, block in zip(run.document.heads, run["heads"], strict=True)
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
    def unbiased(run: PartialRun) -> Array:
        return PartialRun(run.document.with_(b_O=None), run.plan, run.arrays).plain("Y")

    if document.b_O is not None:
        yield Candidate("bias.forgotten", {"Y": unbiased}, {"names": ("b_O",)})
    if document.c == document.o:
        assert document.W_O is not None
        turned = replace(document, W_O=frozen(document.W_O.T))
        yield Candidate("output.forgotten", {"Y": lambda run: run["concat"]})
        yield Candidate(
            "projection.transposed",
            {"Y": lambda run: PartialRun(turned, run.plan, run.arrays).plain("Y")},
            {"name": "W_O"},
        )
