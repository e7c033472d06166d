"""The plan of a run: which stages an experiment uses, in which order, and what each reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from core.document.document import Document, Layer, Norm
from core.document.layers import norm_tensors, output_tensors
from core.document.parts import layer_id
from core.stages.activation import MLP_ACTIVE, MLP_GATE, MLP_HIDDEN, MLP_OUT
from core.stages.activation import symbol_of as active_symbol
from core.stages.bias import BIASED
from core.stages.inputs import (
    ATTENTION_RESIDUAL,
    ENTERED,
    INPUT,
    INPUT_CONTEXT,
    MLP_RESIDUAL,
    P_CONTEXT,
    SINUSOID,
    X_CONTEXT,
    P,
    X,
)
from core.stages.join import CONCAT, COPY, ONLY_HEAD, Y
from core.stages.kind import Plan, Stage, StageKind, StageSpec
from core.stages.mask import MASKED
from core.stages.multiply import HEADS, SCORES
from core.stages.norm import (
    ATTENTION_NORM,
    EMBEDDING_NORM,
    FINAL_NORM,
    MLP_NORM,
    NORM_STAGES,
)
from core.stages.norm import symbol_of as norm_symbol
from core.stages.project import K, Q, V
from core.stages.rotate import K_ROT, Q_ROT
from core.stages.scale import SCALED
from core.stages.softmax import EXP, GIVEN_WEIGHTS, WEIGHTS
from core.stages.vocabulary import LOGITS, PROBABILITIES


@dataclass(frozen=True, slots=True)
class PositionalEncoding:
    """Where a positional encoding acts: as a stage added to X, by turning Q and K, or as a bias of
    the scores.
    """

    added: StageKind | None = None
    rotates: bool = False
    bias: StageKind | None = None
    inputs: tuple[str, ...] = ()  # the entered tensors of the bias

    @property
    def uses_base(self) -> bool:
        """Whether it has angles whose frequencies come from a base."""
        return self.rotates or (self.added is not None and self.added.uses_angles)


# By kind of `document.positional`.
ENCODINGS = {
    "none": PositionalEncoding(),
    "sinusoidal": PositionalEncoding(added=SINUSOID),
    "learned": PositionalEncoding(added=ENTERED),
    "rotary": PositionalEncoding(rotates=True),
    "alibi": PositionalEncoding(bias=BIASED.kind),
}


class _Facts(NamedTuple):
    """All that a plan depends on: experiments that agree in this have the very same plan."""

    source: str
    positional: str
    context: bool
    context_positions: bool  # whether the context has learned positions
    biases: tuple[bool, ...]  # of Q, K, V
    scale: str
    mask: str
    base: str
    shift: bool
    several_heads: bool
    values: bool  # whether V is known
    output: tuple[str, ...]


class _NormFacts(NamedTuple):
    """A norm: its kind and the names of its tensors."""

    kind: str
    inputs: tuple[str, ...]


class _LayerFacts(NamedTuple):
    """All that the stages of a layer depend on."""

    number: int
    attention: _Facts
    residual: bool
    post: bool  # whether the norms come after the sub-layers
    attention_norm: _NormFacts | None
    mlp_norm: _NormFacts | None
    activation: str  # the symbol of what is active
    mlp: tuple[tuple[str, ...], ...]  # the tensors of hidden, gate and output; () without an MLP


class _StackFacts(NamedTuple):
    """All that the plan of a stack depends on."""

    positional: str
    embedding_norm: _NormFacts | None
    layers: tuple[_LayerFacts, ...]
    final_norm: _NormFacts | None
    output: tuple[str, ...]


def plan(document: Document) -> Plan:
    """The stages that this experiment uses; a part that is switched off is a missing stage."""
    return _stack_plan(_stack_facts(document)) if document.is_stack else _plan(_facts(document))


def _facts(document: Document) -> _Facts:
    heads, context, softmax = document.heads, document.context, document.softmax
    return _Facts(
        document.source,
        document.positional.kind,
        context is not None,
        context is not None and context.P is not None,
        (
            any(head.b_Q is not None for head in heads),
            any(head.b_K is not None for head in heads),
            any(head.b_V is not None for head in heads),
        ),
        document.scale.kind,
        document.mask.kind,
        softmax.base,
        softmax.shift,
        len(heads) > 1,
        document.v > 0,
        tuple(name for name in ("W_O", "b_O") if getattr(document, name) is not None),
    )


def _stack_facts(document: Document) -> _StackFacts:
    return _StackFacts(
        document.positional.kind,
        _norm_facts(EMBEDDING_NORM, document.embedding_norm),
        tuple(
            _layer_facts(number, layer, document.scopes[number - 1])
            for number, layer in enumerate(document.layers, 1)
            if layer.enabled
        ),
        _norm_facts(FINAL_NORM, document.final_norm),
        tuple(output_tensors(document.output)),
    )


def _norm_facts(spec: StageSpec, norm: Norm | None) -> _NormFacts | None:
    if norm is None or not norm.enabled:
        return None
    return _NormFacts(norm.kind, tuple(norm_tensors(spec.name, norm)))


def _layer_facts(number: int, layer: Layer, attention: Document) -> _LayerFacts:
    mlp: tuple[tuple[str, ...], ...] = ()
    if layer.mlp is not None and layer.mlp.enabled:
        names = (("W_1", "b_1"), ("W_gate", "b_gate"), ("W_2", "b_2"))
        mlp = tuple(
            tuple(name for name in pair if getattr(layer.mlp, name) is not None) for pair in names
        )
    return _LayerFacts(
        number,
        _facts(attention),
        layer.residual,
        layer.norm.place == "post",
        _norm_facts(ATTENTION_NORM, layer.norm.attention),
        _norm_facts(MLP_NORM, layer.norm.mlp) if mlp else None,
        active_symbol(layer.mlp.activation, gate=bool(mlp[1])) if layer.mlp and mlp else "",
        mlp,
    )


@lru_cache(maxsize=256)
def _plan(facts: _Facts) -> Plan:
    return Plan((*_inputs(facts), *_attention(facts)))


def _attention(facts: _Facts) -> list[Stage]:
    """Everything after Q, K and V."""
    stages = [*_weights(facts)]
    if not facts.values:
        return stages
    stages.append(_stage(HEADS, (WEIGHTS.name, V.name)))
    if facts.several_heads or facts.output:
        stages.append(_stage(CONCAT, (HEADS.name,)))
    whole = COPY if stages[-1].spec is CONCAT else ONLY_HEAD
    output = None if facts.output else whole
    stages.append(_stage(Y, (stages[-1].id,), facts.output, output))
    return stages


@lru_cache(maxsize=64)
def _stack_plan(facts: _StackFacts) -> Plan:
    stages = [*_vectors(X, P, INPUT, ENCODINGS[facts.positional].added)]
    stages += _norm(EMBEDDING_NORM, facts.embedding_norm, stages[-1].id)
    for layer in facts.layers:
        stages += _layer(layer, stages[-1].id)
    stages += _norm(FINAL_NORM, facts.final_norm, stages[-1].id)
    if facts.output:
        stages.append(_stage(LOGITS, (stages[-1].id,), facts.output))
        stages.append(_stage(PROBABILITIES, (LOGITS.name,)))
    return Plan(tuple(stages))


def _layer(facts: _LayerFacts, incoming: str) -> list[Stage]:
    """The stages of a layer; `incoming` is the stage that comes into it."""
    stages: list[Stage] = []
    norm = _norm(ATTENTION_NORM, facts.attention_norm, incoming)
    stages += [] if facts.post else norm
    source = stages[-1].id if stages else incoming
    stages += [*_projections(facts.attention, source, source), *_attention(facts.attention)]
    stages += _added(ATTENTION_RESIDUAL, facts, incoming, stages[-1].id)
    if facts.post:
        stages += _norm(ATTENTION_NORM, facts.attention_norm, stages[-1].id)
    if facts.mlp:
        stages += _mlp(facts, stages[-1].id)
    own = {stage.id for stage in stages}

    def prefixed(name: str) -> str:
        return layer_id(facts.number, name) if name in own else name

    return [
        replace(
            stage,
            id=prefixed(stage.id),
            reads=tuple(map(prefixed, stage.reads)),
            inputs=tuple(layer_id(facts.number, name) for name in stage.inputs),
        )
        for stage in stages
    ]


def _mlp(facts: _LayerFacts, incoming: str) -> Iterator[Stage]:
    stage = None
    if not facts.post:
        for stage in _norm(MLP_NORM, facts.mlp_norm, incoming):
            yield stage
    source = incoming if stage is None else stage.id
    hidden, gate, out = facts.mlp
    yield _stage(MLP_HIDDEN, (source,), hidden)
    if gate:
        yield _stage(MLP_GATE, (source,), gate)
    active = (MLP_GATE.name, MLP_HIDDEN.name) if gate else (MLP_HIDDEN.name,)
    yield _stage(MLP_ACTIVE, active, symbol=facts.activation)
    yield _stage(MLP_OUT, (MLP_ACTIVE.name,), out)
    added = _added(MLP_RESIDUAL, facts, incoming, MLP_OUT.name)
    yield from added
    if facts.post:
        yield from _norm(MLP_NORM, facts.mlp_norm, added[-1].id if added else MLP_OUT.name)


def _added(spec: StageSpec, facts: _LayerFacts, incoming: str, computed: str) -> list[Stage]:
    return [_stage(spec, (incoming, computed))] if facts.residual else []


def _norm(spec: StageSpec, facts: _NormFacts | None, source: str) -> list[Stage]:
    if facts is None:
        return []
    symbol = norm_symbol(spec, facts.kind)
    return [_stage(spec, (source,), facts.inputs, NORM_STAGES[facts.kind], symbol=symbol)]


def _stage(
    spec: StageSpec,
    reads: tuple[str, ...] = (),
    inputs: tuple[str, ...] = (),
    kind: StageKind | None = None,
    *,
    symbol: str = "",
    lead: str = "",
) -> Stage:
    """A stage, by default of its usual kind and with its usual symbol."""
    symbol = symbol or spec.symbol
    return Stage(spec.name, spec, kind or spec.kind, symbol, spec.axes, reads, inputs, lead)


def _entered(spec: StageSpec) -> Stage:
    return _stage(spec, (), (spec.name,), ENTERED)


def _inputs(facts: _Facts) -> Iterator[Stage]:
    encoding = ENCODINGS[facts.positional]
    if facts.source == "weights":
        yield from map(_entered, (V,) if facts.values else ())
    elif facts.source == "qkv":
        yield from map(_entered, (Q, K, V))
    else:
        stages = [*_vectors(X, P, INPUT, encoding.added)]
        queries = keys = stages[-1].id
        if facts.context:
            # Learned positions only where the context was given some.
            given = encoding.added is not ENTERED or facts.context_positions
            added = encoding.added if given else None
            stages += _vectors(X_CONTEXT, P_CONTEXT, INPUT_CONTEXT, added)
            keys = stages[-1].id
        yield from stages
        yield from _projections(facts, queries, keys)
        return
    if encoding.rotates:
        yield from _rotations()


def _projections(facts: _Facts, queries: str, keys: str) -> Iterator[Stage]:
    """Q, K and V of the stages that queries and keys come from."""
    for spec, base, bias in zip((Q, K, V), (queries, keys, keys), facts.biases, strict=True):
        weights, added_bias = f"W_{spec.name}", f"b_{spec.name}"
        yield _stage(spec, (base,), (weights, added_bias) if bias else (weights,))
    if ENCODINGS[facts.positional].rotates:
        yield from _rotations()


def _rotations() -> Iterator[Stage]:
    yield _stage(Q_ROT, (Q.name,))
    yield _stage(K_ROT, (K.name,))


def _vectors(
    vectors: StageSpec, positions: StageSpec, both: StageSpec, added: StageKind | None
) -> Iterator[Stage]:
    """The token vectors of a sentence, with its positions where the encoding adds them."""
    yield _entered(vectors)
    if added is not None:
        yield _entered(positions) if added.entered else _stage(positions, kind=added)
        yield _stage(both, (vectors.name, positions.name))


def _weights(facts: _Facts) -> Iterator[Stage]:
    if facts.source == "weights":
        yield _stage(WEIGHTS, (), (WEIGHTS.name,), GIVEN_WEIGHTS)
        return
    scores = [*_scores(facts)]
    yield from scores
    power = f"{facts.base}^{{s−max}}" if facts.shift else f"{facts.base}^{{s}}"
    shift = "max" if facts.shift else ""  # without it no row opens with its maximum
    yield _stage(EXP, (scores[-1].id,), symbol=power, lead=shift)
    yield _stage(WEIGHTS, (EXP.name,), lead="sum")


def _scores(facts: _Facts) -> Iterator[Stage]:
    encoding = ENCODINGS[facts.positional]
    query, key = (Q_ROT, K_ROT) if encoding.rotates else (Q, K)
    stage = _stage(SCORES, (query.name, key.name))
    yield stage
    steps: tuple[tuple[StageSpec, StageKind | None], ...] = (
        (SCALED, SCALED.kind if facts.scale != "none" else None),
        (BIASED, encoding.bias),
        (MASKED, MASKED.kind if facts.mask != "none" else None),
    )
    for spec, kind in steps:
        if kind is not None:
            inputs = encoding.inputs if spec is BIASED else ()
            stage = _stage(spec, (stage.id,), inputs, kind)
            yield stage
