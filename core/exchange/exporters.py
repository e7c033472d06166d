"""Every form in which a whole run leaves the program, by name.

Each is a function of the experiment alone: the same experiment gives the same numbers, whatever the window shows.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from msgspec import Struct

from core.base.errors import UserError
from core.base.files import write_bytes
from core.compute.trace import run
from core.document.document import Document
from core.exchange.folder import write_folder
from core.exchange.labels import Labels

Content = bytes | Mapping[str, bytes]


class Exporter(Struct, frozen=True):
    """`ending` of the file, "" where the result is a folder. `make` takes the experiment and the words to use."""

    name: str
    ending: str
    make: Callable[[Document, Labels], Content]


def _npz(document: Document, labels: Labels) -> Content:
    from core.exchange.traces import as_npz

    return as_npz(document, run(document))


def _json(document: Document, labels: Labels) -> Content:
    from core.exchange.traces import as_json

    return as_json(document, run(document))


def _csv(document: Document, labels: Labels) -> Content:
    from core.exchange.traces import as_csv

    return as_csv(document, run(document))


def _numpy(document: Document, labels: Labels) -> Content:
    from core.exchange.scripts import numpy_script

    return numpy_script(document, labels)


def _torch(document: Document, labels: Labels) -> Content:
    from core.exchange.scripts import torch_script

    return torch_script(document, labels)


def _notebook(document: Document, labels: Labels) -> Content:
    from core.exchange.scripts import notebook

    return notebook(document, labels)


def _workbook(document: Document, labels: Labels) -> Content:
    from core.exchange.workbook import workbook

    return workbook(document, labels)


def _latex(document: Document, labels: Labels) -> Content:
    from core.exchange.tex import latex_document

    return latex_document(document, labels)


EXPORTERS: dict[str, Exporter] = {
    exporter.name: exporter
    for exporter in (
        Exporter("xlsx", ".xlsx", _workbook),
        Exporter("py", ".py", _numpy),
        Exporter("torch", ".py", _torch),
        Exporter("ipynb", ".ipynb", _notebook),
        Exporter("tex", ".tex", _latex),
        Exporter("npz", ".npz", _npz),
        Exporter("json", ".json", _json),
        Exporter("csv", "", _csv),
    )
}


def export(document: Document, name: str, labels: Labels | None = None) -> Content:
    """The bytes of a file, or file name → bytes of a folder.

    Raises UserError "export.unknown" (format, known), "export.too_large" (format, size, limit).
    """
    if name not in EXPORTERS:
        raise UserError("export.unknown", format=name, known=tuple(EXPORTERS))
    return EXPORTERS[name].make(document, labels or Labels())


def write_export(
    document: Document, name: str, path: str | os.PathLike[str], labels: Labels | None = None
) -> None:
    """Write the export to a file or a new folder, wholly or not at all.

    Raises UserError as `export` does, "file.unwritable", "output.folder" (path).
    """
    content = export(document, name, labels)
    if isinstance(content, bytes):
        write_bytes(path, content)
    else:
        write_folder(path, content)
