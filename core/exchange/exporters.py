"""Every format in which a run is exported, by name.

Each is a function of the experiment alone: the same experiment gives the same bytes, independent of
the window.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from core.base.errors import UserError
from core.base.files import disk_error, temporary_sibling, write_bytes
from core.compute.trace import run
from core.document.document import HEAD_TENSORS, SHARED_TENSORS, Document
from core.document.parts import STACK_TENSORS
from core.exchange.entered import MASK, SETTINGS_FILE
from core.exchange.labels import Labels
from core.exchange.linked import require_small, without_weights
from core.exchange.scripts import notebook, numpy_script, torch_script
from core.exchange.tex import latex_document
from core.exchange.traces import as_csv, as_json, as_npz

ExportContent = bytes | Mapping[str, bytes]
_NAMES = "|".join(map(re.escape, (*HEAD_TENSORS, *SHARED_TENSORS, *STACK_TENSORS)))
_LAYER = r"(?:L\d{1,4}\.)?"
_EXPORTED = re.compile(
    rf"{re.escape(SETTINGS_FILE)}|(?:(?:context_)?tokens|vocabulary|{MASK}"
    rf"|(?:\d{{2,5}}_{_LAYER}[A-Za-z_]+|{_LAYER}(?:{_NAMES})(?:_entered)?)(?:_head\d+)?)\.csv"
)


class DataExporter(Struct, frozen=True):
    """`ending` of the file, "" where the result is a folder. `make` takes the experiment and the
    words to use.
    """

    name: str
    ending: str
    make: Callable[[Document, Labels], ExportContent]


def _workbook(document: Document, labels: Labels) -> ExportContent:
    from core.exchange.workbook import workbook  # openpyxl takes long to import

    return workbook(document, labels)


def _npz(document: Document, _: Labels) -> ExportContent:
    return as_npz(document, run(document), complete=document.link is None)


def _json(document: Document, _: Labels) -> ExportContent:
    return as_json(document, run(document), complete=document.link is None)


EXPORTERS: dict[str, DataExporter] = {
    exporter.name: exporter
    for exporter in (
        DataExporter("xlsx", ".xlsx", _workbook),
        DataExporter("py", ".py", numpy_script),
        DataExporter("torch", ".py", torch_script),
        DataExporter("ipynb", ".ipynb", notebook),
        DataExporter("tex", ".tex", latex_document),
        DataExporter("npz", ".npz", _npz),
        DataExporter("json", ".json", _json),
        DataExporter("csv", "", lambda document, _: as_csv(document, run(document))),
    )
}


def export(document: Document, name: str, labels: Labels | None = None) -> ExportContent:
    """The bytes of a file, or file name → bytes of a folder. The weights of a model stay in it.

    Raises UserError "export.unknown" (format, known), "export.too_large" and, of a model's layer,
    "export.model_size" (format, size, limit).
    """
    if name not in EXPORTERS:
        raise UserError("export.unknown", format=name, known=tuple(EXPORTERS))
    bare = document
    if document.link is not None and name not in ("npz", "json"):
        bare = without_weights(document)
    content = EXPORTERS[name].make(bare, labels or Labels())
    size = len(content) if isinstance(content, bytes) else sum(map(len, content.values()))
    require_small(document, name.upper(), size)
    return content


def write_export(
    document: Document, name: str, path: str | os.PathLike[str], labels: Labels | None = None
) -> None:
    """Write the export to a file or a new folder, completely or not at all.

    Raises UserError as `export` does, "file.unwritable", "output.folder" (path).
    """
    content = export(document, name, labels)
    if isinstance(content, bytes):
        write_bytes(path, content)
    else:
        write_folder(path, content)


def write_folder(path: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Make a folder with files, completely or not at all. A folder from an earlier export is
    replaced.

    Raises UserError "output.folder" (path) if the folder holds anything else, "file.unwritable"
    (path, reason, detail).
    """
    try:
        target = Path(os.path.realpath(path))
        if os.path.lexists(target) and not target.is_dir():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        if target.is_dir() and not all(
            _EXPORTED.fullmatch(entry.name) and entry.is_file() for entry in target.iterdir()
        ):
            raise UserError("output.folder", path=os.fspath(path))
        _replace_folder(target, files)
    except OSError as error:
        raise disk_error("file.unwritable", path, error) from error


def _replace_folder(target: Path, files: Mapping[str, bytes]) -> None:
    new, old = temporary_sibling(target), temporary_sibling(target)
    new.mkdir()
    try:
        for name, content in files.items():
            (new / name).write_bytes(content)
        if target.exists():
            target.rename(old)
        try:
            new.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(new)
        raise
