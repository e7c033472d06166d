"""What the import dialog says of a plan, and how the matrix will be seen."""

from __future__ import annotations

from core.document.document import Document
from core.document.focus import has_heads
from core.document.orientation import Orientation
from gui.dialogs.import_plan import ALL, Place, Plan, is_vector, present_shape, rows_are_tokens
from gui.dialogs.import_preview import MOST, Shown
from gui.session.state import State
from gui.texts.names import axes_of, head_name, header, long_name, symbol, token_label
from gui.texts.translation import tr


def tensor_entry(document: Document, tensor: str) -> str:
    """A tensor in the list of those that a matrix can become."""
    entry = f"{symbol(tensor, document)} · {long_name(tensor)}"
    return entry if tensor in document.inputs else tr("{name} (new)", name=entry)


def title(document: Document, place: Place) -> str:
    """A tensor's symbol, and its head where there are several."""
    name = symbol(place.tensor, document)
    if not has_heads(place.tensor) or (document.h == 1 and place.head != ALL):
        return name
    of = (
        tr("all heads")
        if place.head == ALL
        else head_name(place.head, document.heads[place.head].name)
    )
    return tr("{name}, {head}", name=name, head=of)


def outcome(state: State, plan: Plan) -> str:
    """The size of the tensor now and then, as it is seen."""
    tensor, document = plan.place.tensor, state.document
    before = present_shape(document, tensor)
    after = (plan.values.shape[-2], plan.values.shape[-1])
    name, now = title(document, plan.place), _size(after, state.orientation)
    if tensor not in document.inputs:
        return tr("{name} is new: {shape}", name=name, shape=now)
    if before == after:
        return tr("{name} gets other numbers and stays {shape}.", name=name, shape=now)
    return tr(
        "{name}: {before} becomes {after}",
        name=name,
        before=_size(before, state.orientation),
        after=now,
    )


def _size(shape: tuple[int, int], orientation: Orientation) -> str:
    return " × ".join(map(str, orientation.pair(*shape)))


def about_turning(plan: Plan, orientation: Orientation) -> str:
    """Why a matrix is taken as the transpose."""
    if is_vector(plan.place.tensor):
        return ""
    if not rows_are_tokens(plan.place.tensor):
        return tr("It looks transposed, as PyTorch keeps weights.")
    return (
        tr("It looks like tokens as rows.")
        if orientation.columns
        else tr("It looks like tokens as columns.")
    )


def seen(state: State, plan: Plan) -> Shown:
    """The matrix (of a stack the first one) as it will be seen, with its labels."""
    tensor = plan.place.tensor
    values = plan.values[0] if plan.values.ndim == 3 else plan.values
    axes = zip(axes_of(tensor), values.shape, strict=True)
    down, across = (_labels(state.document, tensor, axis, size, plan.tokens) for axis, size in axes)
    rows, columns = state.orientation.pair(down, across)
    name = title(state.document, plan.place)
    return Shown(tensor, name, state.orientation.matrix(values), rows, columns, state.decimals)


def _labels(
    document: Document, tensor: str, axis: str, size: int, tokens: tuple[str, ...]
) -> list[str]:
    indices = range(min(size, MOST))
    sentence = document.labels(axis)
    if sentence is None:
        return [header(tensor, axis, index, document) if axis else "" for index in indices]
    known = tokens if len(tokens) == size else sentence
    return [token_label(known, index) if index < len(known) else tr("new") for index in indices]
