"""`main.py trace`: every stage as arrays in a file."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable

from core.archive_disk import write_bytes
from core.document import Document
from core.exchange.traces import as_json, as_npz
from core.trace import Trace, run
from gui.commands.source import chosen_document, chosen_ending


def write_trace(options: Namespace) -> int:
    """Write `tokens` and every stage under its id; the same experiment gives the same bytes."""
    writer = WRITERS[chosen_ending(options, tuple(WRITERS))]
    document = chosen_document(options)
    write_bytes(options.output, writer(document, run(document)))
    return 0


WRITERS: dict[str, Callable[[Document, Trace], bytes]] = {".npz": as_npz, ".json": as_json}
