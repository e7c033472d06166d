"""Import plan: where a matrix goes, what changes with it, and the sentences about that."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.base.arrays import Array, frozen
from core.base.errors import UserError
from core.document.document import Document
from core.document.edits import (
    with_biases,
    with_output_bias,
    with_output_projection,
    with_positional,
    with_tensor,
)
from core.document.orientation import Orientation
from core.document.parts import is_tensor, layer_id, split_layer, tensor_axes
from core.document.resize import with_tokens_named
from core.exchange.role_names import NamedRole, role_of_name
from core.exchange.sources import Entry
from core.exchange.stack_roles import stack_roles
from core.exchange.tables import orientation_of
from core.explain.timeline import has_heads
from core.stages import plan as stages_of
from core.stages.join import CONCAT
from gui.texts.names import head_name, stage_name
from gui.texts.translation import tr
from gui.views.tables.edits import (
    Forecast,
    forecast,
    forecast_lines,
    require_possible,
    sizes_for,
    token_axis,
    with_sizes,
)

ALL = -1  # instead of a head: a stack with a matrix for every head
_BIASES = ("b_Q", "b_K", "b_V")


@dataclass(frozen=True, slots=True)
class TensorPlace:
    """A tensor, and a head or ALL."""

    tensor: str
    head: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class ImportPlan:
    """A matrix (a stack for ALL heads) in the document's orientation, and the names of tokens or
    ().
    """

    place: TensorPlace
    values: Array
    tokens: tuple[str, ...] = ()


def tensors(document: Document) -> tuple[str, ...]:
    """The names of tensors that can be imported: present ones, then those that can be added."""
    if document.is_stack:
        return document.inputs
    wanted = ("W_O", "b_O") if document.source == "qkv" else ("P", *_BIASES, "W_O", "b_O")
    more = [
        name
        for name in wanted
        if name not in document.inputs and (name != "b_O" or document.W_O is not None)
    ]
    return (*document.inputs, *more)


def with_tensor_added(document: Document, tensor: str) -> Document:
    """The document with that tensor added if absent."""
    if tensor in document.inputs:
        return document
    if tensor in _BIASES:
        return with_biases(document, True)
    if tensor == "P":
        return with_positional(document, replace(document.positional, kind="learned"))
    return (
        with_output_projection(document, True)
        if tensor == "W_O"
        else with_output_bias(document, True)
    )


def is_vector(tensor: str) -> bool:
    """Whether the tensor is a single row."""
    return len(tensor_axes(tensor)) == 1


def rows_are_tokens(tensor: str) -> bool:
    """Whether each row belongs to a token."""
    return (tensor_axes(tensor))[0] in ("n", "m")


def _sentence(document: Document, tensor: str) -> tuple[str, ...]:
    """The tokens of the rows."""
    return document.labels(token_axis(document, tensor)) or ()


def current_shape(document: Document, tensor: str) -> tuple[int, int]:
    """The shape (rows, columns) of the tensor, now or if added."""
    array = with_tensor_added(document, tensor).tensor(tensor)
    assert array is not None, tensor
    return (1, array.shape[0]) if array.ndim == 1 else (array.shape[0], array.shape[1])


Labels = tuple[tuple[str, ...], tuple[str, ...]]  # of the rows and columns of a file


def is_transposed(
    document: Document,
    tensor: str,
    shape: tuple[int, int],
    labels: Labels = ((), ()),
    *,
    columns: bool,
) -> bool:
    """Whether a matrix of a file is more likely the transpose.

    Where both fit, its labels decide, then the convention of the window.
    """
    wanted = current_shape(document, tensor)
    how = orientation_of(shape, wanted)
    if is_vector(tensor):
        return shape[0] > 1 and shape[1] == 1
    if how in ("as is", "transposed"):
        return how == "transposed"
    if rows_are_tokens(tensor) and any(labels):
        return labels[1] == _sentence(document, tensor) or not labels[0]
    straight = (shape[0] == wanted[0]) + (shape[1] == wanted[1])
    turned = (shape[1] == wanted[0]) + (shape[0] == wanted[1])
    return columns if straight == turned else turned > straight


def transposed(values: Array, turned: bool) -> Array:
    """Swap the last two axes if turned."""
    return frozen(values.swapaxes(-1, -2)) if turned else values


def wanted_sizes(document: Document, plan: ImportPlan) -> dict[str, int]:
    """The sizes that change. Raises UserError as `sizes_for` does."""
    prepared = with_tensor_added(document, plan.place.tensor)
    rows, columns = plan.values.shape[-2:]
    wanted = sizes_for(prepared, plan.place.tensor, (rows, columns))
    if plan.place.head == ALL and plan.values.shape[0] != document.scope(plan.place.tensor).h:
        wanted["h"] = plan.values.shape[0]
        require_possible(prepared, wanted, split_layer(plan.place.tensor)[0])
    return wanted


def with_plan(document: Document, plan: ImportPlan, token: str) -> Document:
    """Apply a plan; new tokens are named `token`. Raises UserError as `wanted_sizes` does."""
    tensor = plan.place.tensor
    wanted = wanted_sizes(document, plan)
    heads = range(len(plan.values)) if plan.place.head == ALL else (plan.place.head,)
    given = frozenset((tensor, head) for head in heads)
    layer = split_layer(tensor)[0]
    changed = with_sizes(with_tensor_added(document, tensor), wanted, token, given, layer)
    if plan.tokens and len(plan.tokens) == len(_sentence(changed, tensor)):
        changed = with_tokens_named(changed, plan.tokens, token_axis(changed, tensor))
    if plan.place.head != ALL:
        return _put(changed, tensor, plan.place.head, plan.values)
    for head, matrix in enumerate(plan.values):
        changed = _put(changed, tensor, head, matrix)
    return changed


def _put(document: Document, tensor: str, head: int, matrix: Array) -> Document:
    """Set one matrix: its numbers are no longer made up, and its pins are removed."""
    filled = frozenset(
        cell for cell in document.filled if (cell.tensor, cell.head) != (tensor, head)
    )
    pins = tuple(pin for pin in document.pins if (pin.stage, pin.cell.head) != (tensor, head))
    if len(filled) != len(document.filled):
        document = document.with_(filled=filled)
    if len(pins) != len(document.pins):
        document = document.with_(pins=pins)
    before = document.tensor(tensor, head)
    return with_tensor(
        document, tensor, matrix if before is None or before.ndim == 2 else matrix.ravel(), head
    )


@dataclass(frozen=True, slots=True, eq=False)
class ImportResult:
    """The result of an import: the document, and the tensor that was set."""

    document: Document
    tensor: str


def as_in_file(problem: UserError, *, turned: bool) -> UserError:
    """Translate rows and columns of an error to those of the file."""
    if not turned or "along" not in problem.data:
        return problem
    other = {"rows": "columns", "columns": "rows"}[problem.data["along"]]
    return UserError(problem.code, **{**problem.data, "along": other})


def import_result(document: Document, plan: ImportPlan, token: str) -> ImportResult:
    """Apply a plan in a worker thread; new tokens are named `token`. Raises as `wanted_sizes` does."""
    return ImportResult(with_plan(document, plan, token), plan.place.tensor)


def consequences(document: Document, plan: ImportPlan, orientation: Orientation) -> list[str]:
    """Sentences about what else changes. Raises UserError as `wanted_sizes` does."""
    tensor = plan.place.tensor
    said = _appearing(document, tensor)
    wanted = wanted_sizes(document, plan)
    before = document.scope(tensor).h
    heads = wanted.get("h", before)
    said += [*_heads(before, heads), *_stages(document, tensor, heads)]
    if wanted:
        layer = split_layer(tensor)[0]
        ahead = forecast(with_tensor_added(document, tensor), wanted, layer=layer)
        shapes = {name: both for name, both in ahead.shapes.items() if name != tensor}
        new, lost = _made_up_and_lost(document, plan, ahead.shapes.get(tensor, (None,))[0])
        said += forecast_lines(
            Forecast(shapes, max(0, ahead.new - new), max(0, ahead.lost - lost)), orientation
        )
    if plan.tokens and plan.tokens != _sentence(document, tensor):
        said.append(tr("The tokens are {tokens}.", tokens=_listed(plan.tokens)))
    return said


def _heads(before: int, after: int) -> list[str]:
    """A sentence about heads that appear or disappear."""
    if after == before:
        return []
    first, last = min(before, after) + 1, max(before, after)
    if after > before:
        text = tr("Heads {first} to {last} are added.", first=first, last=last)
        return [tr("Head {number} is added.", number=last) if first == last else text]
    text = tr("Heads {first} to {last} are removed.", first=first, last=last)
    return [tr("Head {number} is removed.", number=last) if first == last else text]


def _stages(document: Document, tensor: str, heads: int) -> list[str]:
    """Sentences about stages that appear or disappear."""
    if document.is_stack:  # no import adds a part to a stack
        return []
    prepared = with_tensor_added(document, tensor)
    joins = heads > 1 or prepared.W_O is not None or prepared.b_O is not None
    before = stages_of(document).ids
    after = [stage for stage in stages_of(prepared).ids if stage != CONCAT.name]
    after += [CONCAT.name] * joins
    new = [stage_name(stage) for stage in after if stage not in before]
    lost = [stage_name(stage) for stage in before if stage not in after]
    said = [tr("New stages: {names}.", names=tr(", ").join(new))] if new else []
    return said + ([tr("Stages removed: {names}.", names=tr(", ").join(lost))] if lost else [])


def _made_up_and_lost(
    document: Document, plan: ImportPlan, before: tuple[int, ...] | None
) -> tuple[int, int]:
    """Numbers that a change of sizes alone would make up and lose."""
    rows, columns = plan.values.shape[-2:]
    after = (rows, columns)
    old = (1, *before) if before is not None and len(before) == 1 else before or after
    kept = math.prod(min(pair) for pair in zip(old, after, strict=True))
    heads = (1, 1)
    if plan.place.head == ALL:
        heads = (document.scope(plan.place.tensor).h, plan.values.shape[0])
    kept *= min(heads)
    return heads[1] * rows * columns - kept, heads[0] * math.prod(old) - kept


def _appearing(document: Document, tensor: str) -> list[str]:
    if tensor in document.inputs:
        return []
    if tensor in _BIASES:
        return [tr("All heads get the biases b_Q, b_K and b_V; those not given are 0.")]
    if tensor == "P":
        return [tr("The positional encoding becomes the learned table P.")]
    return [tr("The output gets {name}.", name=tensor)]


def _listed(tokens: Sequence[str], most: int = 8) -> str:
    shown = tr(", ").join(tokens[:most])
    return f"{shown} …" if len(tokens) > most else shown


def likely_place(
    document: Document, names: Sequence[str], shape: tuple[int, ...], focus: TensorPlace
) -> TensorPlace:
    """Guess the tensor: by name, by focus, by shape, else the first one."""
    known = tensors(document)
    for text in names:
        tensor, number = role_of_name(text)
        if document.is_stack:
            tensor, number = _role_in_stack(text, focus)
        if tensor in known:
            counted = None if number is None else number + 1 if "[" in text else number
            return TensorPlace(tensor, _head(document, tensor, shape, counted, focus.head))
    fitting = [
        name for name in document.inputs if orientation_of(shape, current_shape(document, name))
    ]
    chosen = focus.tensor if focus.tensor in fitting or not fitting else fitting[0]
    tensor = chosen if chosen in known else known[0]
    return TensorPlace(tensor, _head(document, tensor, shape, None, focus.head))


def _role_in_stack(text: str, focus: TensorPlace) -> NamedRole:
    """The tensor of a stack that a name means; without a layer it is that of the focus, or the first."""
    roles = stack_roles([Entry(text)])
    tensor, number = roles[0] if roles else role_of_name(text)
    if not roles and is_tensor(text):
        tensor, number = text, None
    if split_layer(tensor)[0] is None and tensor not in ("X", "P", "W_U", "b_U"):
        tensor = layer_id(split_layer(focus.tensor)[0] or 1, tensor)
    return NamedRole(tensor, number)


def _head(
    document: Document, tensor: str, shape: tuple[int, ...], number: int | None, focused: int
) -> int:
    if not has_heads(tensor):
        return 0
    if len(shape) == 3:
        return ALL
    if number is None:
        return min(focused, document.scope(tensor).h - 1)
    return min(max(number - 1, 0), document.scope(tensor).h - 1)


def head_choices(document: Document, tensor: str, stacked: bool) -> Mapping[int, str]:
    """The heads to choose from with their names; ALL only for a stack."""
    if not has_heads(tensor):
        return {}
    every = {ALL: tr("All heads")} if stacked else {}
    heads = document.scope(tensor).heads
    return every | {index: head_name(index, head.name) for index, head in enumerate(heads)}
