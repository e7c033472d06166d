"""What the import dialog proposes: the entries of a source, their roles, and the experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from core.base.arrays import frozen
from core.base.errors import UserError
from core.check.answers import Answer, EnteredNumber, Index
from core.document.document import Document
from core.document.parts import is_headwise, layer_id, split_layer
from core.exchange.assemble import Draft, assemble
from core.exchange.experiment_import import read_experiment
from core.exchange.fused import ASKS, split_fused
from core.exchange.labels import HEADS
from core.exchange.role_names import GIVEN, LEFT_OUT
from core.exchange.roles import parse_role, propose_roles
from core.exchange.source_files import Source, entered_source, read_source, text_source
from core.exchange.sources import Entry
from core.exchange.tables import orientation_of
from gui.dialogs.import_plan import (
    ALL,
    ImportPlan,
    TensorPlace,
    current_shape,
    is_vector,
    rows_are_tokens,
    tensors,
    with_plan,
)
from gui.texts.translation import tr


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """The entries of a source with their roles, what the user has settled, and what follows.

    `settled` are the entries whose role the user chose, `transposed` the answer to the question
    about square weights.
    """

    source: Source
    entries: tuple[Entry, ...]
    roles: tuple[str, ...]
    draft: Draft
    settled: frozenset[int] = frozenset()
    transposed: bool | None = None

    @property
    def asks(self) -> bool:
        """Whether the question about square weights is open: printed results are told, not taken."""
        return bool(self.draft.open) and self.transposed is None

    @property
    def ready(self) -> bool:
        """Whether an experiment can be made."""
        return self.draft.document is not None and not self.asks

    @property
    def heads(self) -> int:
        """The number of heads that the roles name."""
        return max((parse_role(role).head for role in self.roles), default=1)


def proposal_of_text(text: str) -> Proposal:
    """Read a text. Raises UserError as text_source does."""
    return proposal_of(text_source(text))


def proposal_of_file(path: Path, layer: int = 0) -> Proposal:
    """Read a file; an export is the experiment that it was. Raises UserError as read_source does."""
    document = read_experiment(path)
    if document is None:
        return proposal_of(read_source(path, layer))
    proposal = proposal_of(entered_source(document))
    return replace(proposal, draft=replace(proposal.draft, document=document, problem=None))


def proposal_of(source: Source) -> Proposal:
    """The roles that the entries of a source suggest."""
    roles = propose_roles(source.entries)
    return Proposal(source, source.entries, roles, _draft(source.entries, roles))


def with_role(proposal: Proposal, index: int, role: str) -> Proposal:
    """Choose the role of an entry; another entry of this role is left out."""
    part = parse_role(role)[:2]
    roles = [
        LEFT_OUT if part[0] != LEFT_OUT and parse_role(other)[:2] == part else other
        for other in proposal.roles
    ]
    roles[index] = role
    return _with(proposal, roles=tuple(roles), settled=proposal.settled | {index})


def with_transposed(proposal: Proposal, transposed: bool | None) -> Proposal:
    """Answer the question about square weights."""
    return _with(proposal, transposed=transposed)


def with_reading(proposal: Proposal, index: int, reading: int) -> Proposal:
    """Answer an entry's question by one of its readings; propose again what the user has not chosen."""
    question = proposal.entries[index].question
    if question is not None and question.problem.code == ASKS:  # the heads of all fused weights
        heads = int(question.readings[reading].caption.removeprefix(HEADS))
        cut = split_fused(proposal.entries, heads)
        return proposal_of(replace(proposal.source, entries=cut))
    entries = list(proposal.entries)
    entries[index] = entries[index].as_read(reading)
    return _renewed(proposal, tuple(entries))


def with_entry(proposal: Proposal, entry: Entry) -> Proposal:
    """Add an entry, such as a range of a sheet; one at the same place is replaced."""
    same = [i for i, other in enumerate(proposal.entries) if other.cells == entry.cells]
    entries = list(proposal.entries)
    if same:
        entries[same[0]] = entry
    else:
        entries.append(entry)
    return _renewed(proposal, tuple(entries))


def _renewed(proposal: Proposal, entries: tuple[Entry, ...]) -> Proposal:
    proposed = propose_roles(entries)
    old = proposal.roles
    roles = tuple(old[i] if i in proposal.settled else role for i, role in enumerate(proposed))
    return _with(proposal, entries=entries, roles=roles)


def _with(proposal: Proposal, **changes: object) -> Proposal:
    changed = replace(proposal, **changes)  # type: ignore[arg-type]
    draft = _draft(changed.entries, changed.roles, changed.transposed, changed.settled)
    return replace(changed, draft=draft)


def _draft(
    entries: tuple[Entry, ...],
    roles: tuple[str, ...],
    transposed: bool | None = None,
    settled: frozenset[int] = frozenset(),
) -> Draft:
    oriented = {i for i in settled if parse_role(roles[i]).turned}
    return assemble(entries, roles, transposed=transposed, token=_token, settled=oriented)


def _token(number: int) -> str:
    return tr("token {number}", number=number)


def put_into(proposal: Proposal, layer: int | None, document: Document) -> Document:
    """The document with the matrices in the place of its own tensors.

    In a stack `layer` is that of the matrices whose names give none, counted from 1.

    Raises UserError as `with_plan` does, and "role.missing" (known) where no role is a tensor of
    the document.
    """
    known = tensors(document)
    wanted: dict[str, list[tuple[int, Entry]]] = {}
    for index, role in enumerate(proposal.roles):
        part = parse_role(role)
        tensor = GIVEN.get(part.role, part.role)
        if tensor not in known and split_layer(tensor)[0] is None:
            tensor = layer_id(layer, tensor)
        if tensor in known:
            turned = part.turned or index in proposal.draft.turned
            entry = proposal.entries[index].turned() if turned else proposal.entries[index]
            wanted.setdefault(tensor, []).append((part.head, entry))
    if not wanted:
        raise UserError("role.missing", known=known)
    for tensor in filter(wanted.__contains__, known):
        document = with_plan(document, _plan_of(document, tensor, wanted[tensor]), tr("new"))
    return document


def _plan_of(document: Document, tensor: str, found: list[tuple[int, Entry]]) -> ImportPlan:
    """One matrix for its head, or a stack for all heads; transposed where only so it fits."""
    found.sort(key=lambda each: each[0])
    matrices = [entry.matrix for _, entry in found]
    if is_vector(tensor):
        matrices = [matrix.reshape(1, -1) for matrix in matrices]
    elif orientation_of(matrices[0].shape, current_shape(document, tensor)) == "transposed":
        matrices = [matrix.T for matrix in matrices]
    place = TensorPlace(
        tensor, ALL if len(found) > 1 else min(found[0][0], document.scope(tensor).h) - 1
    )
    values = np.stack(matrices) if place.head == ALL else matrices[0]
    labels = found[0][1].row_labels if rows_are_tokens(tensor) else ()
    return ImportPlan(place, frozen(values), labels)


def _answer(value: float, decimals: int) -> Answer:
    """A number in the digits that it is printed with; an array of a file has all of its digits."""
    if np.isinf(value):
        return Answer("−∞", EnteredNumber(value))
    if not decimals and not value.is_integer():
        return Answer(f"{value:.15g}", EnteredNumber(value, 15))
    return Answer(f"{value:.{decimals}f}", EnteredNumber(value, decimals))


def printed_answers(proposal: Proposal) -> dict[str, Mapping[Index, Answer]]:
    """The printed results as the learner's numbers, by stage."""
    answers: dict[str, dict[Index, Answer]] = {}
    for index, (stage, head, _) in proposal.draft.results.items():
        entry = proposal.entries[index]
        decimals = entry.decimals
        several = is_headwise(stage)
        for row, numbers in enumerate(entry.matrix.tolist()):
            for column, value in enumerate(numbers):
                place = (head, row, column) if several else (row, column)
                answers.setdefault(stage, {})[place] = _answer(value, decimals)
    return dict(answers)
