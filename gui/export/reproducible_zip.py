"""Zip archives without the time of the day."""

from __future__ import annotations

import io
import zipfile

_BEGINNING_OF_TIME = (1980, 1, 1, 0, 0, 0)  # the oldest date that a zip archive can hold


def repacked(data: bytes) -> bytes:
    """The same entries in the same order, all with the same date, so that the same contents give the same bytes."""
    packed = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, _BEGINNING_OF_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the same bytes on every system
            target.writestr(entry, source.read(name))
    return packed.getvalue()
