"""Make an experiment of matrices with roles, and let the printed results decide what is open."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.base.errors import UserError
from core.compute.trace import Trace
from core.document.document import Document
from core.document.parts import split_layer
from core.exchange.printed_results import Reading, Result, Witness, best_reading, witnesses_of
from core.exchange.role_names import CHECK, LEFT_OUT, Part, numbered_role, parse_parts
from core.exchange.role_tensors import WEIGHTS, NameToken, RoleTensors
from core.exchange.sources import Entry
from core.exchange.stack_names import DOUBTFUL
from core.exchange.stack_tensors import StackTensors, holds_stack, layered


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """What follows from entries and roles.

    `document` is None where something is missing (`problem`) or open (`readings`: as written, then
    transposed, of the entries `open`). `faults` are problems by entry, `turned` the entries that are
    transposed, `results` the stage, head (from 0) and matching numbers of each printed result.
    """

    roles: tuple[str, ...]
    document: Document | None = None
    trace: Trace | None = None
    problem: UserError | None = None
    readings: tuple[Reading, ...] = ()
    open: tuple[int, ...] = ()
    turned: frozenset[int] = frozenset()
    faults: Mapping[int, UserError] = field(default_factory=dict)
    results: Mapping[int, Result] = field(default_factory=dict)


def _token(number: int) -> str:
    return f"token {number}"


def assemble(
    entries: Sequence[Entry],
    roles: Sequence[str],
    *,
    transposed: bool | None = None,
    token: NameToken = _token,
    witnesses: Sequence[int] = (),
    settled: Collection[int] = (),
) -> Draft:
    """The experiment that entries make in their roles, and the problems of those that do not fit.

    Square weights may be transposed: `transposed` says it, otherwise the printed results do. The
    results also decide the scale and a causal mask. `witnesses` are entries that are results of
    unknown stages, `settled` entries whose roles a person gave: where no result
    speaks against it they are as written. `token` names the tokens, from 1,
    where the text does not.
    """
    parts = parse_parts(roles)
    draft = Draft(tuple(roles))
    faults = _faults(entries, parts)
    if faults:
        return replace(draft, problem=next(iter(faults.values())), faults=faults)
    try:
        gather = StackTensors if holds_stack(parts) else RoleTensors
        gathered = gather(entries, parts, token, settled)
    except UserError as problem:
        at = problem.data.get("entry")
        return replace(draft, problem=problem, faults={} if at is None else {at: problem})
    return _decided(draft, gathered, witnesses_of(parts, witnesses), transposed)


def _faults(entries: Sequence[Entry], parts: Sequence[Part]) -> dict[int, UserError]:
    """Entries that cannot be used, or that two roles of the same head claim."""
    faults: dict[int, UserError] = {}
    first: dict[tuple[str, int], int] = {}
    stack = holds_stack(parts)
    for index, (entry, part) in enumerate(zip(entries, parts, strict=True)):
        if part.role == LEFT_OUT:
            continue
        if entry.refusal is not None:
            faults[index] = entry.refusal
        elif entry.question is not None:
            faults[index] = entry.question.problem
        elif split_layer(part.role)[1] in DOUBTFUL:
            faults[index] = UserError("role.norm", name=entry.name)
        elif not entry.is_finite and not part.role.startswith(CHECK):
            faults[index] = UserError("number.infinite", text="−∞")
        role = layered(part.role) if stack else part.role
        other = first.setdefault((role, part.head), index)
        if other != index:
            twice = UserError("role.twice", role=numbered_role(part.role, part.head))
            faults |= {other: twice, index: twice}
    return faults


def _decided(
    draft: Draft, tensors: RoleTensors, witnesses: Sequence[Witness], transposed: bool | None
) -> Draft:
    """The draft with its experiment, or with the readings between which nothing decides."""
    ways = (False, True) if tensors.open else (False,)
    readings, problems = [], []
    for way in ways:
        try:
            readings.append(best_reading(tensors, way, witnesses))
        except UserError as problem:
            problems.append(problem)
    if not readings:
        return replace(draft, problem=problems[0])
    chosen, asked = _choice(readings, tensors.asks, transposed)
    if tensors.plain and not (chosen and chosen.printed.matched):
        return replace(draft, problem=UserError("role.missing", known=WEIGHTS))
    if chosen is None:
        names = tuple(tensors.entries[i].name for i in tensors.open)
        doubt = UserError("role.transposed", known=names)
        return replace(draft, problem=doubt, readings=tuple(readings), open=tuple(tensors.open))
    return replace(
        draft,
        document=chosen.document,
        trace=chosen.trace,
        readings=tuple(readings) if asked else (),
        open=tuple(tensors.open) if asked else (),
        turned=frozenset(tensors.turned | (set(tensors.open) if chosen.turned else set())),
        results=chosen.results,
    )


def _choice(
    readings: Sequence[Reading], asks: bool, transposed: bool | None
) -> tuple[Reading | None, bool]:
    """The reading that a person or the printed results choose, and whether it was a question."""
    if len(readings) == 1:
        return readings[0], False
    if transposed is not None:
        return next(reading for reading in readings if reading.turned == transposed), True
    for one, other in (readings, readings[::-1]):
        if (
            one.printed.matched > 0.9 * one.printed.total
            and 2 * other.printed.matched < other.printed.total
        ):
            return one, asks
    return (None, True) if asks else (readings[0], False)
