"""What happens, in which order: the one list that computation, diagram, tables and texts walk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from core.document.document import Document

# Axis letters: n tokens, m keys, d = d_model, h heads, k = d_k, v = d_v, c = h·v, o = columns of Y.
# Without a context the keys are the tokens themselves, and m is n.
STAGE_AXES: dict[str, tuple[str, ...]] = {
    "X": ("n", "d"),
    "P": ("n", "d"),
    "input": ("n", "d"),
    "X_context": ("m", "d"),
    "P_context": ("m", "d"),
    "input_context": ("m", "d"),
    "Q": ("h", "n", "k"),
    "K": ("h", "m", "k"),
    "V": ("h", "m", "v"),
    "Q_rot": ("h", "n", "k"),
    "K_rot": ("h", "m", "k"),
    "scores": ("h", "n", "m"),
    "scaled": ("h", "n", "m"),
    "biased": ("h", "n", "m"),
    "masked": ("h", "n", "m"),
    "exp": ("h", "n", "m"),
    "weights": ("h", "n", "m"),
    "heads": ("h", "n", "v"),
    "concat": ("n", "c"),
    "Y": ("n", "o"),
}
STAGE_ORDER: tuple[str, ...] = tuple(STAGE_AXES)
CONTEXT_STAGES = ("X_context", "P_context", "input_context")
# What there can only be where token vectors are entered.
VECTOR_STAGES = ("X", "P", "input", *CONTEXT_STAGES)

SYMBOLS: dict[str, str] = {
    "X": "X",
    "P": "P",
    "input": "X′",
    "X_context": "X_C",
    "P_context": "P_C",
    "input_context": "X_C′",
    "Q": "Q",
    "K": "K",
    "V": "V",
    "Q_rot": "Q′",
    "K_rot": "K′",
    "scores": "QKᵀ",
    "scaled": "QKᵀ/√d_k",
    "biased": "+ B",
    "masked": "+ M",
    "exp": "e^{s−max}",
    "weights": "A",
    "heads": "A·V",
    "concat": "[A₁V₁ … A_hV_h]",
    "Y": "Y",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One entry of the plan.

    `reads` are the stages whose arrays it uses, in order; `inputs` the tensors of the document that it uses
    (such as W_Q); `entered` says that its array was typed in and is not computed; `lead` names the sub-step
    that opens each row ("max" or "sum") where there is one.
    """

    id: str
    symbol: str
    axes: tuple[str, ...]
    reads: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    entered: bool = False
    lead: str = ""

    @property
    def headwise(self) -> bool:
        """Whether its array carries the head axis."""
        return self.axes[0] == "h"

    @property
    def attends(self) -> bool:
        """Whether its rows are queries and its columns keys."""
        return self.axes[-2:] == ("n", "m")


@dataclass(frozen=True, slots=True)
class Plan:
    """The ordered stages of one run."""

    stages: tuple[Stage, ...]

    def __iter__(self) -> Iterator[Stage]:
        return iter(self.stages)

    def __len__(self) -> int:
        return len(self.stages)

    def __contains__(self, stage_id: object) -> bool:
        return any(stage.id == stage_id for stage in self.stages)

    def __getitem__(self, stage_id: str) -> Stage:
        return self.stages[self.index(stage_id)]

    @property
    def ids(self) -> tuple[str, ...]:
        """The stage ids in order."""
        return tuple(stage.id for stage in self.stages)

    def index(self, stage_id: str) -> int:
        """Where a stage stands; KeyError if this run does not use it."""
        for position, stage in enumerate(self.stages):
            if stage.id == stage_id:
                return position
        raise KeyError(stage_id)

    def readers(self, stage_id: str) -> tuple[Stage, ...]:
        """The stages that read the given one."""
        return tuple(stage for stage in self.stages if stage_id in stage.reads)

    def nearest(self, stage_id: str) -> str:
        """The stage itself, or the last one before it in the order of all stages, or the first of the plan."""
        wanted = STAGE_ORDER.index(stage_id)
        before = [stage.id for stage in self.stages if STAGE_ORDER.index(stage.id) <= wanted]
        return before[-1] if before else self.stages[0].id


def _stage(
    stage_id: str,
    reads: tuple[str, ...] = (),
    inputs: tuple[str, ...] = (),
    *,
    entered: bool = False,
    lead: str = "",
) -> Stage:
    return Stage(stage_id, SYMBOLS[stage_id], STAGE_AXES[stage_id], reads, inputs, entered, lead)


class _Facts(NamedTuple):
    """All that a plan depends on: experiments that agree in this have the very same plan."""

    source: str
    positional: str
    context: bool
    places_of_context: bool  # whether the context has learned positions
    biases: tuple[bool, ...]  # of Q, K, V
    scale: str
    mask: str
    base: str
    shift: bool
    several_heads: bool
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
        tuple(name for name in ("W_O", "b_O") if getattr(document, name) is not None),
    )
    return _plan(facts)


@lru_cache(maxsize=256)
def _plan(facts: _Facts) -> Plan:
    stages = [*_inputs(facts), *_scores(facts)]
    stages += [_exponentials(facts, stages[-1].id), _stage("weights", ("exp",), lead="sum")]
    stages += [_stage("heads", ("weights", "V"))]
    if facts.several_heads or facts.output:
        stages += [_stage("concat", ("heads",))]
    stages += [_stage("Y", (stages[-1].id,), facts.output)]
    return Plan(tuple(stages))


def _exponentials(facts: _Facts, source: str) -> Stage:
    """Without the shift no row opens with its maximum."""
    stage = _stage("exp", (source,), lead="max" if facts.shift else "")
    return replace(
        stage, symbol=f"{facts.base}^{{s−max}}" if facts.shift else f"{facts.base}^{{s}}"
    )


def _inputs(facts: _Facts) -> list[Stage]:
    if facts.source == "qkv":
        stages = [_stage(name, inputs=(name,), entered=True) for name in "QKV"]
    else:
        stages = _embeddings(facts)
        queries = keys = stages[-1].id
        if facts.context:
            stages += _context(facts)
            keys = stages[-1].id
        for name, base, bias in zip("QKV", (queries, keys, keys), facts.biases, strict=True):
            stages += [
                _stage(name, (base,), (f"W_{name}", f"b_{name}") if bias else (f"W_{name}",))
            ]
    if facts.positional == "rotary":
        stages += [_stage("Q_rot", ("Q",)), _stage("K_rot", ("K",))]
    return stages


def _embeddings(facts: _Facts) -> list[Stage]:
    stages = [_stage("X", inputs=("X",), entered=True)]
    if facts.positional == "learned":
        stages += [_stage("P", inputs=("P",), entered=True), _stage("input", ("X", "P"))]
    elif facts.positional == "sinusoidal":
        stages += [_stage("P"), _stage("input", ("X", "P"))]
    return stages


def _context(facts: _Facts) -> list[Stage]:
    """The other sentence, with positions of its own; learned ones only where it was given some."""
    stages = [_stage("X_context", inputs=("X_context",), entered=True)]
    both = ("X_context", "P_context")
    if facts.positional == "sinusoidal":
        stages += [_stage("P_context"), _stage("input_context", both)]
    elif facts.positional == "learned" and facts.places_of_context:
        stages += [
            _stage("P_context", inputs=("P_context",), entered=True),
            _stage("input_context", both),
        ]
    return stages


def _scores(facts: _Facts) -> list[Stage]:
    stages = [_stage("scores", ("Q_rot", "K_rot") if facts.positional == "rotary" else ("Q", "K"))]
    if facts.scale != "none":
        stages += [_stage("scaled", (stages[-1].id,))]
    if facts.positional == "alibi":
        stages += [_stage("biased", (stages[-1].id,))]
    if facts.mask != "none":
        stages += [_stage("masked", (stages[-1].id,))]
    return stages
