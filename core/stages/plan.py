"""The plan of a run: which stages an experiment uses, in which order, and what each reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from core.document.document import Document
from core.stages.bias import BIASED
from core.stages.inputs import (
    ENTERED,
    INPUT,
    INPUT_CONTEXT,
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
from core.stages.project import K, Q, V
from core.stages.rotate import K_ROT, Q_ROT
from core.stages.scale import SCALED
from core.stages.softmax import EXP, GIVEN_WEIGHTS, WEIGHTS


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


def plan(document: Document) -> Plan:
    """The stages that this experiment uses; a part that is switched off is a missing stage."""
    heads, context, softmax = document.heads, document.context, document.softmax
    facts = _Facts(
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
    return _plan(facts)


@lru_cache(maxsize=256)
def _plan(facts: _Facts) -> Plan:
    stages = [*_inputs(facts), *_weights(facts)]
    if not facts.values:
        return Plan(tuple(stages))
    stages.append(_stage(HEADS, (WEIGHTS.name, V.name)))
    if facts.several_heads or facts.output:
        stages.append(_stage(CONCAT, (HEADS.name,)))
    whole = COPY if stages[-1].spec is CONCAT else ONLY_HEAD
    output = None if facts.output else whole
    stages.append(_stage(Y, (stages[-1].id,), facts.output, output))
    return Plan(tuple(stages))


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
        for spec, base, bias in zip((Q, K, V), (queries, keys, keys), facts.biases, strict=True):
            weights, added_bias = f"W_{spec.name}", f"b_{spec.name}"
            yield _stage(spec, (base,), (weights, added_bias) if bias else (weights,))
    if encoding.rotates:
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
