"""Common mistakes in stacks: those of attention in each layer, and those of norms, MLP, residual sums
and the softmax over the vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from core.arithmetic.activations import ACTIVATIONS
from core.arithmetic.normalisation import LAYER, normalise_rows
from core.arithmetic.sampling import softmax_at
from core.base.arrays import Array
from core.check.alternative_run import Candidate, Change, PartialRun
from core.check.mistakes import mistake_candidates, position_mistakes
from core.document.document import Document
from core.document.parts import STAGE_AXES, Head, layer_id, split_layer
from core.stages import Plan, Stage
from core.stages.activation import ACTIVATION
from core.stages.norm import RowNorm
from core.stages.project import PROJECT
from core.stages.vocabulary import VOCABULARY_SOFTMAX


def stack_candidates(document: Document, plan: Plan) -> tuple[Candidate, ...]:
    """Every mistake that is possible in a stack."""
    return (
        *position_mistakes(document, Plan(plan.of_layer(None))),
        *(each for layer in plan.layers for each in _attention(document, plan, layer)),
        *_residuals(plan),
        *_norms(document, plan),
        *_biases(document, plan),
        *_activations(document, plan),
        *_words(document, plan),
    )


# The attention of a layer is an experiment of its own, whose ids have no prefix.


def _attention(document: Document, plan: Plan, layer: int) -> Iterator[Candidate]:
    scope = document.scopes[layer - 1]
    heads = tuple(
        head if head.kv_from is None else _with_borrowed(scope, index)
        for index, head in enumerate(scope.heads)
    )
    scope, local = replace(scope, heads=heads), partial(_local_name, layer)
    own = Plan(
        tuple(
            replace(
                stage,
                id=stage.spec.name,
                reads=tuple(map(local, stage.reads)),
                inputs=tuple(map(local, stage.inputs)),
            )
            for stage in plan.of_layer(layer)
            if stage.spec.name in STAGE_AXES
        )
    )

    def inside(change: Change, run: PartialRun) -> Array:
        arrays = {local(name): array for name, array in run.arrays.items()}
        return change(PartialRun(scope, own, arrays))

    def names(ids: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(layer_id(layer, name) for name in ids)

    for candidate in mistake_candidates(scope, own):
        yield replace(
            candidate,
            changes={
                layer_id(layer, name): partial(inside, change)
                for name, change in candidate.changes.items()
            },
            unless=names(candidate.unless),
            given=names(candidate.given),
        )


def _local_name(layer: int, name: str) -> str:
    number, base = split_layer(name)
    return base if number == layer else name


def _with_borrowed(scope: Document, index: int) -> Head:
    """A head with the keys and values that it borrows."""
    head = scope.heads[index]
    lender = scope.heads[scope.lender("W_K", index)]
    return replace(
        head, kv_from=None, W_K=lender.W_K, W_V=lender.W_V, b_K=lender.b_K, b_V=lender.b_V
    )


# Residual sums and norms


def _residuals(plan: Plan) -> Iterator[Candidate]:
    for stage in plan:
        if stage.spec.name in ("attention_residual", "mlp_residual"):
            yield Candidate("residual.forgotten", {stage.id: partial(_read, stage.reads[1])})


def _read(name: str, run: PartialRun) -> Array:
    return run[name]


def _norms(document: Document, plan: Plan) -> Iterator[Candidate]:
    for stage in plan:
        if isinstance(stage.kind, RowNorm):
            yield from _norm(document, stage)
            yield from _misplaced(document, plan, stage)


def _norm(document: Document, stage: Stage) -> Iterator[Candidate]:
    norm, (source,) = document.norm(stage.id), stage.reads
    rows, columns = document.stage_shape(stage.id)

    def changed(compute: Callable[[Array], Array], run: PartialRun) -> Array:
        return _scaled(document, stage, compute(run[source]))

    def over_others(x: Array) -> Array:
        return normalise_rows(x.T, kind=norm.kind, eps=norm.eps).normalised.T

    def other_count(x: Array) -> Array:
        parts = normalise_rows(x, kind=norm.kind, eps=0.0)
        return np.asarray(
            parts.centred / np.sqrt(parts.variance * columns / (columns - 1) + norm.eps)
        )

    def without_root(x: Array) -> Array:
        parts = normalise_rows(x, kind=norm.kind, eps=norm.eps)
        return np.asarray(parts.centred / (parts.variance + norm.eps))

    kinds: dict[str, Callable[[Array], Array]] = {}
    if norm.kind == LAYER and columns > 1:
        kinds["norm.by_n_minus_1"] = other_count
    if norm.eps:
        kinds["norm.no_eps"] = lambda x: normalise_rows(x, kind=norm.kind, eps=0.0).normalised
    if rows > 1:
        kinds["norm.over_tokens"] = over_others
    if norm.kind == LAYER:
        kinds["norm.by_variance"] = without_root
    for name, compute in kinds.items():
        yield Candidate(name, {stage.id: partial(changed, compute)}, {"d": columns})
    if stage.inputs:
        greek = {"gamma": "γ", "beta": "β"}
        names = tuple(greek[name.rpartition(".")[2]] for name in stage.inputs)
        change = partial(_unscaled, norm.kind, norm.eps, source)
        yield Candidate("norm.unscaled", {stage.id: change}, {"names": names})


def _unscaled(kind: str, eps: float, source: str, run: PartialRun) -> Array:
    return normalise_rows(run[source], kind=kind, eps=eps).normalised


def _scaled(document: Document, stage: Stage, rows: Array) -> Array:
    """Normalised rows times gamma, plus beta."""
    norm = document.norm(stage.id)
    rows = rows if norm.gamma is None else rows * norm.gamma
    return rows if norm.beta is None else rows + norm.beta


def _misplaced(document: Document, plan: Plan, stage: Stage) -> Iterator[Candidate]:
    """A norm that was left out, or put on the other side of its sub-layer."""
    (source,) = stage.reads
    left_out: dict[str, Change] = {stage.id: partial(_read, source)}
    yield Candidate("norm.forgotten", left_out)
    layer = split_layer(stage.id)[0]
    if layer is None:
        return
    norm = document.norm(stage.id)

    def normed(x: Array) -> Array:
        rows = normalise_rows(x, norm.gamma, norm.beta, kind=norm.kind, eps=norm.eps)
        return rows.scaled

    part = stage.spec.name.partition("_")[0]
    total = layer_id(layer, f"{part}_residual")
    if total not in plan:
        return
    changes = dict(left_out)
    if document.layer(stage.id).norm.place == "pre":
        changes[total] = lambda run: normed(run.plain(total))
        yield Candidate("norm.after", changes)
        return
    incoming = plan[total].reads[0]

    def before(name: str, run: PartialRun) -> Array:
        arrays = {**run.arrays, incoming: normed(run[incoming])}
        return PartialRun(run.document, run.plan, arrays).plain(name)

    for reader in plan.readers(incoming):
        if reader.kind is PROJECT:
            changes[reader.id] = partial(before, reader.id)
    yield Candidate("norm.before", changes)


# MLP and vocabulary


def _biases(document: Document, plan: Plan) -> Iterator[Candidate]:
    """The projections of the MLP and the logits without their biases."""

    def unbiased(stage: Stage, run: PartialRun) -> Array:
        bias = document.tensor(stage.inputs[1])
        assert bias is not None  # the plan lists only inputs that the document has
        return np.asarray(run.plain(stage.id) - bias)

    for stage in plan:
        if stage.kind is PROJECT and stage.spec.name not in STAGE_AXES and stage.inputs[1:]:
            names = (split_layer(stage.inputs[1])[1],)
            yield Candidate(
                "bias.forgotten", {stage.id: partial(unbiased, stage)}, {"names": names}
            )


def _activations(document: Document, plan: Plan) -> Iterator[Candidate]:
    for stage in plan.of_kind(ACTIVATION):
        activation = document.mlp(stage.id).activation
        data = {"name": stage.symbol.partition("(")[0]}
        without = partial(_unactivated, stage)
        (out,) = plan.readers(stage.id)

        def late(name: str, kind: str, run: PartialRun) -> Array:
            return ACTIVATIONS[kind].value(run.plain(name))

        changes: dict[str, Change] = {stage.id: without}
        changes[out.id] = partial(late, out.id, activation)
        yield Candidate("activation.forgotten", {stage.id: without}, data)
        yield Candidate("activation.late", changes, data)


def _unactivated(stage: Stage, run: PartialRun) -> Array:
    """What goes in; with a gate the product without the activation."""
    first, *others = (run[name] for name in stage.reads)
    return np.asarray(first * others[0]) if others else first


def _words(document: Document, plan: Plan) -> Iterator[Candidate]:
    temperature = document.sampling.temperature
    for stage in plan.of_kind(VOCABULARY_SOFTMAX):
        if document.n > 1:
            change = partial(_over_tokens, stage.reads[0], temperature)
            yield Candidate("words.over_tokens", {stage.id: change})
        if temperature != 1.0:
            data = {"temperature": f"{temperature:g}"}
            change = partial(_at_one, stage.reads[0])
            yield Candidate("words.no_temperature", {stage.id: change}, data)


def _over_tokens(logits: str, temperature: float, run: PartialRun) -> Array:
    return softmax_at(run[logits].T.copy(), temperature).T


def _at_one(logits: str, run: PartialRun) -> Array:
    return softmax_at(run[logits], 1.0)
