"""`main.py trace`: every stage as arrays in a file."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable

from core.base.files import write_bytes
from core.compute.trace import Trace, run
from core.document.document import Document
from core.exchange.traces import as_json, as_npz, stopped
from gui.cli.input_document import chosen_document, chosen_ending
from gui.texts.translation import tr


def write_trace(options: Namespace) -> int:
    """Write `tokens` and every stage under its id; the same experiment gives the same bytes."""
    writer = WRITERS[chosen_ending(options, tuple(WRITERS))]
    document = chosen_document(options)
    trace = run(document)
    write_bytes(options.output, writer(document, trace))
    _tell_stopped(trace)
    return 0


def _tell_stopped(trace: Trace) -> None:
    """A note of numbers that are not what the formulas say: their sums went beyond the largest double."""
    stages = stopped(trace)
    if stages:
        named = tr(", ").join(stages)
        print(
            tr("note: numbers of {stages} stop at ±1.8×10³⁰⁸, the largest there are", stages=named),
            file=sys.stderr,
        )


WRITERS: dict[str, Callable[[Document, Trace], bytes]] = {".npz": as_npz, ".json": as_json}
