"""A folder of files, written wholly or not at all."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from core.base.errors import UserError
from core.base.files import disk_error

_OURS = re.compile(r"tokens\.csv|\d\d_[A-Za-z_]+(?:_head\d+)?\.csv")


def write_folder(path: str | os.PathLike[str], files: Mapping[str, bytes]) -> None:
    """Make the folder and its files. One that an earlier export made is replaced; an empty one is filled.

    Raises UserError "output.folder" (path) where something else stands in it, "file.unwritable" (path, reason, detail).
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_dir():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        if target.is_dir() and not all(
            _OURS.fullmatch(entry.name) and entry.is_file() for entry in target.iterdir()
        ):
            raise UserError("output.folder", path=os.fspath(path))
        _replace(target, files)
    except OSError as error:
        raise disk_error("file.unwritable", path, error) from error


def _replace(target: Path, files: Mapping[str, bytes]) -> None:
    beside = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.tmp")
    beside.mkdir()
    try:
        for name, content in files.items():
            (beside / name).write_bytes(content)
        if target.exists():
            old = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.old")
            target.rename(old)
            try:
                beside.rename(target)
            except OSError:
                old.rename(target)
                raise
            shutil.rmtree(old, ignore_errors=True)
        else:
            beside.rename(target)
    except BaseException:
        with suppress(OSError):
            shutil.rmtree(beside)
        raise
