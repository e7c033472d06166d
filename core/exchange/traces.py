"""Export every stage of a run: as .npz, JSON, or a folder of CSV files.

With `complete` the entered tensors are beside the stages, so that read_experiment gives it back.
"""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from core.arithmetic.stable_sum import LARGEST
from core.base.json_text import indented, pretty
from core.base.text import guarded
from core.compute.trace import Trace
from core.document.document import Document
from core.document.parts import is_of_head
from core.exchange.entered import (
    KEY,
    MASK,
    SETTINGS_FILE,
    array_reference,
    entered_arrays,
    settings,
    stored_name,
)
from core.exchange.write import write

_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)  # the oldest date in a zip archive


def _texts(document: Document) -> dict[str, tuple[str, ...]]:
    """The tokens, and those of the context and the vocabulary if there are any."""
    other = {} if document.context is None else {"context_tokens": document.context.tokens}
    if document.output is not None:
        other["vocabulary"] = document.output.vocabulary
    return {"tokens": document.file_tokens, **other}


def saturated_stages(trace: Trace) -> tuple[str, ...]:
    """The stages with a number at the largest double, where plain NumPy would give inf."""
    return tuple(stage_id for stage_id in trace if bool((np.abs(trace[stage_id]) == LARGEST).any()))


def as_npz(document: Document, trace: Trace, *, complete: bool = False) -> bytes:
    """An archive for numpy.load: tokens as an array of texts, stages as float64, masked scores as
    −∞; what was entered with all heads in one array, and its settings as one text.
    """
    arrays: dict[str, npt.NDArray[np.generic]] = {
        name: np.array(texts, dtype=np.str_) for name, texts in _texts(document).items()
    }
    if complete:
        arrays[KEY] = np.array(pretty(settings(document, array_reference(document))))
        arrays |= entered_arrays(document)
    arrays |= {stage_id: trace[stage_id] for stage_id in trace}
    return npz_bytes(arrays)


def npz_bytes(arrays: Mapping[str, npt.NDArray[np.generic]]) -> bytes:
    """An archive of arrays for numpy.load.

    Written by hand because numpy.savez stamps each entry with the time of the day.
    """
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as entries:
        for name, array in arrays.items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            entry = zipfile.ZipInfo(f"{name}.npy", _BEGINNING_OF_TIME)
            entry.create_system = 3  # the same bytes on every system
            entries.writestr(entry, content.getvalue())
    return archive.getvalue()


def as_json(document: Document, trace: Trace, *, complete: bool = False) -> bytes:
    """An object of nested lists, a matrix row a line; masked scores are null."""
    entries = [
        f' "{name}": {json.dumps(texts, ensure_ascii=False)}'
        for name, texts in _texts(document).items()
    ]
    arrays: dict[str, npt.NDArray[np.generic]] = {}
    if complete:
        entries.append(f' "{KEY}": {_settings_json(document, array_reference(document))}')
        arrays |= entered_arrays(document)
    arrays |= {stage_id: trace[stage_id] for stage_id in trace}
    entries += [f' "{name}": {_nested(array, 1)}' for name, array in arrays.items()]
    return ("{\n" + ",\n".join(entries) + "\n}\n").encode("utf-8", "replace")


def _settings_json(document: Document, reference: Callable[[str, int], str]) -> str:
    return indented(pretty(settings(document, reference)))


def _nested(array: npt.NDArray[np.generic], depth: int) -> str:
    if array.ndim == 1:
        return json.dumps(array.tolist()).replace("-Infinity", "null")
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
    """File name → content: tokens.csv (and context_tokens.csv), a file of bare numbers for each
    entered tensor and each stage, for each of its heads where it has some, and the settings that
    name the entered ones. Numbers in front keep the order of the stages; masked scores are -inf.
    """
    files: dict[str, bytes] = {}
    for name, texts in _texts(document).items():
        column = io.StringIO()
        csv.writer(column, lineterminator="\n").writerows([guarded(text)] for text in texts)
        files[f"{name}.csv"] = column.getvalue().encode("utf-8", "replace")
    for stage in trace.plan:
        for head in range(trace[stage.id].shape[0] if stage.headwise else 1):
            content = write(trace.matrix(stage.id, head), "csv")
            files[_stage_file(trace, stage.id, head)] = content.encode()

    def reference(name: str, head: int) -> str:
        stored = stored_name(document, name)
        if stored in trace:
            return _stage_file(trace, stored, head)
        file = f"{stored}_head{head + 1}.csv" if is_of_head(name) else f"{stored}.csv"
        allow = document.mask.allow
        tensor = allow if name == MASK else document.tensor(name, head)
        assert tensor is not None  # the settings name only what the experiment has
        files[file] = write(tensor, "csv").encode()
        return file

    files[SETTINGS_FILE] = f'{{"{KEY}": {_settings_json(document, reference)}}}\n'.encode()
    return files


def _stage_file(trace: Trace, stage_id: str, head: int) -> str:
    stage = trace.plan[stage_id]
    ending = f"_head{head + 1}" if stage.headwise else ""
    return f"{trace.plan.index(stage_id) + 1:02}_{stage_id}{ending}.csv"
