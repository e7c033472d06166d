"""`main.py trace`: every stage as arrays in a file."""

from __future__ import annotations

import io
import json
import zipfile
from argparse import Namespace
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from core.archive_disk import write_bytes
from core.arrays import Array
from core.document import Document
from core.trace import Trace, run
from gui.commands.source import chosen_document, chosen_ending

_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)  # the oldest date that a zip archive can hold


def write_trace(options: Namespace) -> int:
    """Write `tokens` and every stage under its id; the same experiment gives the same bytes."""
    writer = WRITERS[chosen_ending(options, tuple(WRITERS))]
    document = chosen_document(options)
    write_bytes(options.output, writer(document, run(document)))
    return 0


def as_npz(document: Document, trace: Trace) -> bytes:
    """An archive for numpy.load: tokens as an array of texts, stages as float64, masked scores as −∞.

    Written by hand because numpy.savez stamps each entry with the time of the day.
    """
    arrays: dict[str, npt.NDArray[np.generic]] = {"tokens": np.array(document.tokens, dtype=np.str_)}
    arrays |= {stage_id: trace[stage_id] for stage_id in trace}
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as entries:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", _BEGINNING_OF_TIME)
            entry.create_system = 3  # the same bytes on every system
            entries.writestr(entry, content.getvalue())
    return archive.getvalue()


def as_json(document: Document, trace: Trace) -> bytes:
    """An object of nested lists, a matrix row a line; masked scores, which JSON has no number for, are null."""
    entries = [f' "tokens": {json.dumps(document.tokens, ensure_ascii=False)}']
    entries += [f' "{stage_id}": {_nested(trace[stage_id], 1)}' for stage_id in trace]
    return ("{\n" + ",\n".join(entries) + "\n}\n").encode("utf-8", "replace")


def _nested(array: Array, depth: int) -> str:
    if array.ndim == 1:
        return repr(array.tolist()).replace("-inf", "null")
    indent = "\n" + " " * (depth + 1)
    return "[" + indent + ("," + indent).join(_nested(part, depth + 1) for part in array) + "\n" + " " * depth + "]"


WRITERS: dict[str, Callable[[Document, Trace], bytes]] = {".npz": as_npz, ".json": as_json}
