"""Put computed values beside the formulas of a workbook, for readers that do not compute.

openpyxl writes either a formula or a value, and numbers with 16 digits, one too few for some.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from xml.etree import ElementTree

_SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def with_values(content: bytes, values: Mapping[str, Mapping[str, float | str]]) -> bytes:
    """The workbook with a stored value in each cell: values by entry of the archive and address."""
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as before,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for entry in before.infolist():
            data = before.read(entry)
            if values.get(entry.filename):
                data = _sheet_with_values(data, values[entry.filename])
            after.writestr(entry, data)
    return result.getvalue()


def _sheet_with_values(data: bytes, values: Mapping[str, float | str]) -> bytes:
    ElementTree.register_namespace("", _SPREADSHEET)
    root = ElementTree.fromstring(data)
    for cell in root.iter(f"{{{_SPREADSHEET}}}c"):
        value = values.get(cell.get("r", ""))
        if value is None:
            continue
        stored = cell.find(f"{{{_SPREADSHEET}}}v")
        assert stored is not None  # openpyxl writes one for each number and formula
        stored.text = value if isinstance(value, str) else repr(value)
        if isinstance(value, str):
            cell.set("t", "str")  # the result of a formula that is a text
    result: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return result
