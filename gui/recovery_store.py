"""What a program keeps of its unsaved changes, as files in the recovery folder.

`NAME.attn.json` is the experiment and `NAME.lesson.json` the lesson, each while it has changes; both open like any
other. `NAME.origin.json` tells where they belong, and `NAME.lock` is given to somebody else by the operating system
only once the program is dead.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct
from PySide6.QtCore import QDateTime, QLockFile

from core import archive, lesson
from core.archive_disk import read_bytes, write_bytes
from core.document import Document
from core.lesson import Lesson, resolve_all
from core.problems import Problem
from gui.files import SUFFIX
from gui.preferences import home


class Origin(msgspec.Struct):
    """What `NAME.origin.json` holds: files, the lesson's folder, and the scene (from 0) at which one stood."""

    path: str | None = None
    lesson: str | None = None
    folder: str | None = None
    scene: int | None = None


class Entry(Struct, frozen=True, eq=False):
    """What a program that died left behind: what was not saved, the file it belongs to (None = untitled) and when.

    `scene` is the scene of the lesson at which one stood; a document that comes with it was edited live there.
    """

    name: str
    document: Document | None
    path: Path | None
    time: QDateTime
    lesson: Lesson | None = None
    lesson_path: Path | None = None
    scene: int | None = None


def recovery_folder() -> Path:
    """Where every program keeps its copies."""
    return home() / "recovery"


def document_file(name: str) -> Path:
    """The experiment of a program."""
    return recovery_folder() / f"{name}{SUFFIX}"


def lesson_file(name: str) -> Path:
    """The lesson of a program."""
    return recovery_folder() / f"{name}{lesson.SUFFIX}"


def _origin_file(name: str) -> Path:
    return recovery_folder() / f"{name}.origin.json"


def names_left() -> list[str]:
    """The programs that have copies here, living and dead ones."""
    with suppress(OSError):
        files = [
            (file.name, ending) for ending in (SUFFIX, lesson.SUFFIX) for file in recovery_folder().glob(f"*{ending}")
        ]
        return sorted({name.removesuffix(ending) for name, ending in files})
    return []


def write_copy(name: str, document: Document | None, own: Lesson | None, origin: Origin) -> None:
    """Keep what has changes, and nothing else. Raises OSError and Problem where the disk refuses."""
    write_bytes(_origin_file(name), msgspec.json.encode(origin))
    if document is not None:
        archive.save(document, document_file(name))
    else:
        remove(document_file(name))
    if own is not None:
        lesson.save(own, lesson_file(name))
    else:
        remove(lesson_file(name))


def read_entry(name: str) -> Entry | None:
    """What a program left; what is damaged, or can no longer be shown, is not part of it. None if nothing is left."""
    origin = _origin(name)
    document, own = _document(document_file(name)), _lesson(lesson_file(name), origin)
    if document is None and own is None:
        return None
    files = (document_file(name) if document else None, lesson_file(name) if own else None)
    try:
        latest = max(file.stat().st_mtime_ns for file in files if file is not None)
    except OSError:
        return None
    scene = origin.scene if own is not None and origin.scene in range(len(own.scenes)) else None
    return Entry(
        name, document, Path(origin.path) if origin.path else None, QDateTime.fromMSecsSinceEpoch(latest // 1_000_000),
        own, Path(origin.lesson) if origin.lesson else None, scene,
    )  # fmt: skip


def remove_entry(entry: Entry) -> None:
    """Throw away what was read of it; what was damaged stays."""
    if entry.document is not None:
        remove(document_file(entry.name))
    if entry.lesson is not None:
        remove(lesson_file(entry.name))
    if not document_file(entry.name).exists() and not lesson_file(entry.name).exists():
        remove(_origin_file(entry.name))


def remove_all(name: str) -> None:
    """Throw away everything that a program keeps."""
    for file in (document_file(name), lesson_file(name), _origin_file(name)):
        remove(file)


def remove(file: Path) -> None:
    """Throw away a file, if it is there."""
    with suppress(OSError):
        file.unlink()


def lock_of(name: str) -> QLockFile:
    """The lock that says whether a program lives."""
    lock = QLockFile(str(recovery_folder() / f"{name}.lock"))
    lock.setStaleLockTime(0)  # only the death of the program frees it, never its age
    return lock


def _document(file: Path) -> Document | None:
    with suppress(OSError, Problem):
        return archive.load(file)
    return None


def _lesson(file: Path, origin: Origin) -> Lesson | None:
    """The lesson, if every scene can be shown from the folder that it was opened in."""
    with suppress(OSError, Problem):
        found = lesson.loads(read_bytes(file), Path(origin.folder) if origin.folder else None)
        resolve_all(found)
        return found
    return None


def _origin(name: str) -> Origin:
    with suppress(Problem, msgspec.DecodeError, ValueError):
        return msgspec.json.decode(read_bytes(_origin_file(name)), type=Origin)
    return Origin()
