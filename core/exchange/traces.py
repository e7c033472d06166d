"""Export every stage of a run: as .npz, JSON, or a folder of CSV files."""

from __future__ import annotations

import csv
import io
import json
import zipfile

import numpy as np
import numpy.typing as npt

from core.arithmetic.stable_sum import LARGEST
from core.base.arrays import Array
from core.base.text import guarded
from core.compute.trace import Trace
from core.document.document import Document
from core.exchange.write import write

_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)  # the oldest date in a zip archive


def _texts(document: Document) -> dict[str, tuple[str, ...]]:
    """The tokens, and those of the context if there is one."""
    other = {} if document.context is None else {"context_tokens": document.context.tokens}
    return {"tokens": document.tokens, **other}


def saturated_stages(trace: Trace) -> tuple[str, ...]:
    """The stages with a number at the largest double, where plain NumPy would give inf."""
    return tuple(stage_id for stage_id in trace if bool((np.abs(trace[stage_id]) == LARGEST).any()))


def as_npz(document: Document, trace: Trace) -> bytes:
    """An archive for numpy.load: tokens as an array of texts, stages as float64, masked scores as
    −∞.

    Written by hand because numpy.savez stamps each entry with the time of the day.
    """
    arrays: dict[str, npt.NDArray[np.generic]] = {
        name: np.array(texts, dtype=np.str_) for name, texts in _texts(document).items()
    }
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
    """An object of nested lists, a matrix row a line; masked scores are null."""
    entries = [
        f' "{name}": {json.dumps(texts, ensure_ascii=False)}'
        for name, texts in _texts(document).items()
    ]
    entries += [f' "{stage_id}": {_nested(trace[stage_id], 1)}' for stage_id in trace]
    return ("{\n" + ",\n".join(entries) + "\n}\n").encode("utf-8", "replace")


def _nested(array: Array, depth: int) -> str:
    if array.ndim == 1:
        return repr(array.tolist()).replace("-inf", "null")
    indent = "\n" + " " * (depth + 1)
    return (
        "["
        + indent
        + ("," + indent).join(_nested(part, depth + 1) for part in array)
        + "\n"
        + " " * depth
        + "]"
    )


def as_csv(document: Document, trace: Trace) -> dict[str, bytes]:
    """File name → content: tokens.csv (and context_tokens.csv), and a file of bare numbers for each
    stage, for each of its heads where it has some. Numbers in front keep the order of the stages;
    masked scores are -inf.
    """
    files: dict[str, bytes] = {}
    for name, texts in _texts(document).items():
        column = io.StringIO()
        csv.writer(column, lineterminator="\n").writerows([guarded(text)] for text in texts)
        files[f"{name}.csv"] = column.getvalue().encode("utf-8", "replace")
    for position, stage in enumerate(trace.plan, 1):
        name = f"{position:02}_{stage.id}"
        if not stage.headwise:
            files[f"{name}.csv"] = write(trace[stage.id], "csv").encode()
            continue
        for head in range(document.h):
            files[f"{name}_head{head + 1}.csv"] = write(
                trace.matrix(stage.id, head), "csv"
            ).encode()
    return files
