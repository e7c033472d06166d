"""Files: where the shipped ones are, whole reads, and writes that happen completely or not at all.

Failures of the disk become UserErrors with a reason.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from contextlib import suppress
from io import BufferedRandom
from pathlib import Path

from core.base.errors import UserError

EXAMPLE_TOKENS = "example-tokens.json"  # in the folder of a language

LARGEST_FILE = 1 << 27  # bytes; 2,048 tokens with 12 heads and all digits take a little less

# O_NONBLOCK: a pipe without a writer would block. Windows has O_BINARY in its place.
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

# `resources` lies beside `core` in the source tree, in site-packages and in a frozen bundle.
_ROOT = Path(__file__).resolve().parents[2] / "resources"

_REASONS = {
    errno.ENOENT: "missing",
    errno.ENOTDIR: "missing",
    errno.EISDIR: "folder",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.EROFS: "denied",
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.ENAMETOOLONG: "name",
    errno.ELOOP: "loop",
    errno.ESPIPE: "special",  # a pipe or a device
}


def resource(*parts: str) -> Path:
    """The path of a shipped file or folder, such as ``resource("icons", "play.svg")``. It need not
    exist.
    """
    return _ROOT.joinpath(*parts)


def guide(*parts: str) -> Path:
    """The path of a file of the user guide: in the resources once installed, else in docs/guide."""
    installed = resource("guide")
    folder = installed if installed.is_dir() else _ROOT.parent / "docs" / "guide"
    return folder.joinpath(*parts)


def read_bytes(path: str | os.PathLike[str], limit: int | None = None) -> bytes:
    """The whole file. Raises UserError "file.unreadable" (path, reason, detail) or, beyond `limit`
    bytes (by default LARGEST_FILE), "file.too_large" (path, limit).
    """
    limit = LARGEST_FILE if limit is None else limit
    try:
        with os.fdopen(os.open(path, _READ), "rb") as file:
            _require_regular(os.fstat(file.fileno()).st_mode)
            data = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise disk_error("file.unreadable", path, error) from error
    except MemoryError as error:
        raise UserError("file.too_large", path=os.fspath(path), limit=limit) from error
    if len(data) > limit:
        raise UserError("file.too_large", path=os.fspath(path), limit=limit)
    return data


def _require_regular(mode: int) -> None:
    """Raise OSError for folders, and for pipes and devices, which may block or never end."""
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.ESPIPE, os.strerror(errno.ESPIPE))


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether there is a file or folder. False where the system does not say; Path.exists raises."""
    return os.path.exists(path)  # noqa: PTH110


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is a regular file; never raises."""
    return os.path.isfile(path)  # noqa: PTH113


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether there is a folder; never raises."""
    return os.path.isdir(path)  # noqa: PTH112


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to the file, completely or not at all.

    Write a temporary file beside the target, sync it and rename it. The permissions of a replaced
    file stay; a symbolic link stays and its target is replaced. A file with several hard links, or
    in a folder where nothing can be created, is written in place. Raises UserError
    "file.unwritable" (path, reason, detail); the old file is then unchanged.
    """
    try:
        target = Path(os.path.realpath(path))
        old = _status(target)
        if old is None:
            _replace(target, data)
            return
        _require_regular(old.st_mode)
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if old.st_nlink > 1 or not os.access(target.parent, os.W_OK):
            _overwrite(target, data)
        else:
            _replace(target, data)
    except (OSError, ValueError) as error:
        raise disk_error("file.unwritable", path, error) from error


def _status(target: Path) -> os.stat_result | None:
    """The status of a file; None where there is none. Raises OSError for a loop of links."""
    try:
        return target.stat()
    except FileNotFoundError:
        return None


def _overwrite(target: Path, data: bytes) -> None:
    """Write a file in place; write the old contents back where the disk refuses."""
    with target.open("r+b") as file:
        before = file.read()
        try:
            _rewrite(file, data)
        except OSError:
            with suppress(OSError):
                _rewrite(file, before)
            raise


def _rewrite(file: BufferedRandom, data: bytes) -> None:
    file.seek(0)
    file.write(data)
    file.truncate()
    file.flush()
    os.fsync(file.fileno())


def temporary_sibling(target: Path) -> Path:
    """A path beside `target`, hidden and not in use."""
    name = os.fsdecode(os.fsencode(target.name)[:100])  # file systems count bytes
    return target.with_name(f".{name}.{secrets.token_hex(4)}.tmp")


def _replace(target: Path, data: bytes) -> None:
    beside = temporary_sibling(target)
    # os.open, not tempfile: a new file gets the permissions that the user's umask gives.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(beside, flags, 0o666), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o7777)
        os.replace(beside, target)  # noqa: PTH105
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Sync the renaming itself, where the system can."""
    with suppress(OSError, AttributeError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def disk_error(code: str, path: str | os.PathLike[str], error: OSError | ValueError) -> UserError:
    """A UserError with `reason` (missing, folder, denied, full, name, loop, special or other) and the system's
    `detail`.
    """
    number = error.errno if isinstance(error, OSError) else None
    detail = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return UserError(
        code, path=os.fspath(path), reason=_REASONS.get(number or 0, "other"), detail=detail
    )
