"""Laws of every state, whatever was done before."""

from __future__ import annotations

import numpy as np

from core.compute.trace import Trace, run
from core.document.document import Document
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
    """Rows of weights sum to 1, or are wholly masked; rows with what-if values are free."""
    pinned = {
        pin.index[:2] for pin in document.pins if pin.stage in ("weights", "exp")
    }  # a pinned numerator may be negative or 0
    unshifted = not document.softmax.shift  # without the row maximum a row may underflow to 0
    found = []
    for head, rows in enumerate(trace["weights"]):
        for row, weights in enumerate(rows):
            total = float(np.sum(weights))
            empty = not np.any(trace["exp"][head, row])
            right = abs(total - 1.0) < 1e-9 or (
                empty and total == 0.0 and (unshifted or _masked(trace, head, row))
            )
            if not right and (head, row) not in pinned:
                found.append(f"row {row} of head {head} sums to {total!r}")
    return found


def _masked(trace: Trace, head: int, row: int) -> bool:
    return "masked" in trace and bool(np.all(np.isneginf(trace["masked"][head, row])))


def broken_numbers(trace: Trace) -> list[str]:
    """Never NaN; −∞ in masked scores alone."""
    found = []
    for stage_id in trace:
        array = trace[stage_id]
        if np.isnan(array).any() or np.isposinf(array).any():
            found.append(f"{stage_id} has NaN or ∞")
        if stage_id != "masked" and np.isneginf(array).any():
            found.append(f"{stage_id} has −∞")
    return found


def _inside(state: State) -> bool:
    rows, columns = state.trace[state.cursor.stage].shape[-2:]
    cursor = state.cursor
    return (
        0 <= cursor.row < rows
        and 0 <= cursor.column < columns
        and 0 <= cursor.head < state.document.h
    )


def _exists(state: State) -> bool:
    """Whether the focused cell is one of a stage or of an entered tensor."""
    cell = state.focus
    if cell.tensor not in state.trace and cell.tensor not in state.document.inputs:
        return False
    rows, columns = shape_of(state.document, cell.tensor)
    return 0 <= cell.row < rows and 0 <= cell.column < columns and 0 <= cell.head < state.document.h


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
