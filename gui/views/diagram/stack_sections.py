"""What the diagram of a stack shows: the open layer with its stream and sub-layers, or the next word;
and which layers share a folded card. Free of Qt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from core.stages import Plan, Stage
from core.stages.inputs import ADD

MOST_FOLDED = 2  # cards on either side; more layers share the outer one


@dataclass(frozen=True, slots=True)
class Section:
    """The open part of a stack: the stages on the stream, and the sub-layers between them.

    `stream` and `panels` alternate: what comes in, the first sub-layer, what it makes, the second.
    """

    number: int  # of the layer; 0 for the next word
    stream: tuple[tuple[Stage, ...], ...]
    panels: tuple[tuple[str, tuple[Stage, ...]], ...]

    @property
    def stages(self) -> Iterator[Stage]:
        """All its stages."""
        return chain(*self.stream, *(stages for _, stages in self.panels))


def section_of(plan: Plan, stage_id: str) -> Section:
    """Return the open part of the plan at a stage: its layer, the first one before it, or the next
    word after the last one.
    """
    layer = plan.nearest_layer(stage_id)
    is_after = plan[stage_id].layer is None and not plan.is_before_layers(stage_id)
    return _next_word(plan) if layer is None or is_after else _layer(plan, layer)


def _incoming(plan: Plan, first: Stage) -> tuple[Stage, ...]:
    """Return what comes into the stages from `first` on: all vectors before the first layer, or the
    result of the layer before.
    """
    before = plan.stages[: plan.index(first.id)]
    return before if all(stage.layer is None for stage in before) else before[-1:]


def _layer(plan: Plan, number: int) -> Section:
    stages = plan.of_layer(number)
    stream, panels = [_incoming(plan, stages[0])], []
    for name, part in (
        ("attention", [stage for stage in stages if not stage.spec.of_mlp]),
        ("mlp", [stage for stage in stages if stage.spec.of_mlp]),
    ):
        first = next((at for at, stage in enumerate(part) if stage.kind is ADD), len(part))
        if part:
            panels.append((name, tuple(part[:first])))
            stream.append(tuple(part[first:]))
    return Section(number, tuple(stream), tuple(panels))


def _next_word(plan: Plan) -> Section:
    last = max((plan.index(stage.id) for stage in plan if stage.layer is not None), default=-1)
    after = plan.stages[last + 1 :]
    if last < 0:
        return Section(0, (after,), ())
    return Section(0, (plan.stages[last : last + 1], ()), (("output", after),))


Folded = tuple[tuple[int, ...], tuple[Stage, ...], bool]  # layers, stages, whether they come before


def folded_parts(plan: Plan, section: Section) -> Iterator[Folded]:
    """Return the folded parts with their layers, their stages, and whether they come before."""
    layers = plan.layers
    before = [number for number in layers if not section.number or number < section.number]
    after = [number for number in layers if section.number and number > section.number]
    for numbers in _grouped(before, first=True):
        yield numbers, _stages(plan, numbers), True
    for numbers in _grouped(after, first=False):
        yield numbers, _stages(plan, numbers), False
    ending = dict(_next_word(plan).panels).get("output", ())
    if section.number and ending:
        yield (), ending, False


def _grouped(numbers: list[int], *, first: bool) -> list[tuple[int, ...]]:
    """Return layers as cards of one each; the layers that are furthest away share one."""
    if len(numbers) <= MOST_FOLDED:
        return [(number,) for number in numbers]
    if first:
        return [tuple(numbers[: 1 - MOST_FOLDED]), *((one,) for one in numbers[1 - MOST_FOLDED :])]
    return [
        *((one,) for one in numbers[: MOST_FOLDED - 1]),
        tuple(numbers[MOST_FOLDED - 1 :]),
    ]


def _stages(plan: Plan, numbers: Sequence[int]) -> tuple[Stage, ...]:
    return tuple(stage for number in numbers for stage in plan.of_layer(number))
