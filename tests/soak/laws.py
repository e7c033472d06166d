"""Laws of every state, whatever was done before."""

from __future__ import annotations

import numpy as np

from core.base.arrays import Array
from core.compute.trace import Trace, run
from core.document.document import Document
from core.document.parts import layer_id, split_layer
from core.explain.timeline import shape_of
from core.storage.archive import dumps, loads
from gui.session.state import State


def broken_laws(state: State) -> list[str]:
    """The laws that a state breaks, in words; [] if all hold."""
    found = [*broken_sums(state.document, state.trace), *broken_numbers(state.trace)]
    if state.cursor.stage not in state.trace.plan:
        found.append(f"the cursor is on {state.cursor.stage}, which the plan lacks")
    elif not _inside(state):
        found.append(f"the cursor {state.cursor} is outside its stage")
    if not _exists(state):
        found.append(f"the focus {state.focus} is nowhere; cursor {state.cursor}")
    return found


def broken_sums(document: Document, trace: Trace) -> list[str]:
    """Rows of shares sum to 1, or are wholly masked; rows with what-if values are free.

    In a stack these are the weights of each layer, and the probabilities of the words.
    """
    found = []
    for stage_id in trace:
        layer, name = split_layer(stage_id)
        if name == "weights":
            heads, powers = trace[stage_id], trace[layer_id(layer, "exp")]
        elif name == "probabilities":
            heads, powers = trace[stage_id][np.newaxis], np.ones((1, *trace[stage_id].shape))
        else:
            continue
        pinned = {  # a pinned numerator may be negative or 0
            (pin.cell.head, pin.cell.row)
            for pin in document.pins
            if pin.stage in (stage_id, layer_id(layer, "exp"))
        }
        unshifted = not document.softmax.shift  # without the row maximum a row may underflow to 0
        for (head, row), total in np.ndenumerate(np.sum(heads, axis=-1)):
            empty = not np.any(powers[head, row])
            masked = layer_id(layer, "masked")
            excused = unshifted or (masked in trace and _masked(trace[masked][head, row]))
            right = abs(total - 1.0) < 1e-9 or (empty and total == 0.0 and excused)
            if not right and (head, row) not in pinned:
                found.append(f"row {row} of {stage_id}, head {head}, sums to {total!r}")
    return found


def _masked(row: Array) -> bool:
    return bool(np.all(np.isneginf(row)))


def broken_numbers(trace: Trace) -> list[str]:
    """Never NaN; −∞ in masked scores alone."""
    found = []
    for stage_id in trace:
        array = trace[stage_id]
        if np.isnan(array).any() or np.isposinf(array).any():
            found.append(f"{stage_id} has NaN or ∞")
        if split_layer(stage_id)[1] != "masked" and np.isneginf(array).any():
            found.append(f"{stage_id} has −∞")
    return found


def _inside(state: State) -> bool:
    rows, columns = state.trace[state.cursor.stage].shape[-2:]
    cursor = state.cursor
    return (
        0 <= cursor.row < rows
        and 0 <= cursor.column < columns
        and 0 <= cursor.head < state.document.scope(cursor.stage).h
    )


def _exists(state: State) -> bool:
    """Whether the focused cell is one of a stage or of an entered tensor."""
    cell = state.focus
    if cell.tensor not in state.trace and cell.tensor not in state.document.inputs:
        return False
    rows, columns = shape_of(state.document, cell.tensor)
    heads = state.document.scope(cell.tensor).h
    return 0 <= cell.row < rows and 0 <= cell.column < columns and 0 <= cell.head < heads


def differing_stages(document: Document, trace: Trace) -> list[str]:
    """The stages of a trace that a fresh run would compute otherwise, bit for bit."""
    fresh = run(document)
    if tuple(fresh) != tuple(trace):
        return [f"plan {tuple(trace)} is not {tuple(fresh)}"]
    return [name for name in fresh if fresh[name].tobytes() != trace[name].tobytes()]


def survives_file(document: Document) -> bool:
    """Whether the file written now loads to the same document."""
    written = dumps(document)
    return dumps(loads(written)) == written
