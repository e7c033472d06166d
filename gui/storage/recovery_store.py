"""The files of unsaved changes in the recovery folder.

`NAME.attn.json` is the experiment, `NAME.lesson.json` the lesson, `NAME.2.attn.json` the live edits
of scene 2, each while it has changes; all of them open like any other file. `NAME.origin.json` says
where they belong. The operating system frees `NAME.lock` only when the program has ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct, structs
from PySide6.QtCore import QDateTime, QLockFile

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.check.answers import NO_WORK, LearnerWork
from core.document.document import Document
from core.document.parts import is_stage
from core.explain.timeline import Cursor, Reach
from core.lesson import lesson
from core.lesson.lesson import Lesson, resolve_all
from core.storage import archive
from gui.session.preferences import home, json_bytes
from gui.storage.answers import Texts, from_texts
from gui.storage.experiment_files import SUFFIX, Stamp, stamp

ORIGIN = ".origin.json"


class RecoveredState(Struct, frozen=True):
    """The current step: a timeline Cursor, the steps taken in a scene, the choices of the
    presentation.
    """

    stage: str = ""
    head: int = 0
    row: int = 0
    column: int = 0
    reach: Reach = Reach.WHOLE
    walked: int = 0
    presented: tuple[tuple[str, str], ...] = ()

    @property
    def cursor(self) -> Cursor | None:
        """The cursor; None if the fields are invalid."""
        if not is_stage(self.stage) or min(self.head, self.row, self.column) < 0:
            return None
        return Cursor(self.stage, self.head, self.row, self.column, self.reach)


class Origin(Struct, frozen=True):
    """The contents of `NAME.origin.json`: files, folder of the lesson, scene (from 0), step,
    answers.

    `lesson_changed`: whether the lesson itself has changes. The stamps are those of the two files
    when they were read or saved last.
    """

    path: str | None = None
    lesson: str | None = None
    folder: str | None = None
    scene: int | None = None
    lesson_changed: bool = True
    stamp: Stamp | None = None
    lesson_stamp: Stamp | None = None
    answers: Texts = {}
    stand: RecoveredState = RecoveredState()

    @property
    def place(self) -> Origin:
        """The origin without answers and step."""
        return structs.replace(self, answers={}, stand=RecoveredState())


@dataclass(frozen=True, slots=True)
class Unsaved:
    """Experiments and a lesson by file suffix, and their origin.

    Experiments compare by identity. The one with changes comes last.
    """

    parts: Mapping[str, Document | Lesson]
    origin: Origin


NOTHING = Unsaved({}, Origin())


class Entry(Struct, frozen=True, eq=False):
    """The copy of a program that crashed: what was unsaved, its file (None = untitled), and when.

    A document with a `scene` was edited live there; `aside` are the live edits of other scenes.
    `lesson_changed` is False if the lesson was saved only for its live edits.
    """

    name: str
    document: Document | None
    path: Path | None
    time: QDateTime
    lesson: Lesson | None = None
    lesson_path: Path | None = None
    scene: int | None = None
    aside: Mapping[int, Document] = {}
    lesson_changed: bool = True
    stamp: Stamp | None = None
    lesson_stamp: Stamp | None = None
    answers: LearnerWork = NO_WORK
    stand: RecoveredState = RecoveredState()


def recovery_folder() -> Path:
    """The folder of all copies."""
    return home() / "recovery"


def unsaved(
    document: Document | None, own: Lesson | None, aside: Mapping[int, Document], origin: Origin
) -> Unsaved:
    """Collect the parts of a copy."""
    parts: dict[str, Document | Lesson] = {
        f".{scene}{SUFFIX}": edits for scene, edits in aside.items()
    }
    if own is not None:
        parts[lesson.SUFFIX] = own
    if document is not None:
        parts[SUFFIX] = document
    return Unsaved(parts, origin)


def file_of(name: str, ending: str) -> Path:
    """The path of a part."""
    return recovery_folder() / f"{name}{ending}"


def copy_names() -> list[str]:
    """The names of programs with copies, running or not."""
    with suppress(OSError):
        files = [
            file
            for ending in (SUFFIX, lesson.SUFFIX)
            for file in recovery_folder().glob(f"*{ending}")
        ]
        return sorted({file.name.partition(".")[0] for file in files})
    return []


def write_copy(name: str, kept: Unsaved, there: Unsaved) -> None:
    """Write the parts that differ from `there` (written before) and delete the others.

    Interrupted at any point, no experiment lies beside a scene that is not its own, and nothing is
    lost. Raises OSError and UserError where the disk refuses.
    """
    document = kept.parts.get(SUFFIX)
    for ending, part in kept.parts.items():
        if ending != SUFFIX:
            _write(file_of(name, ending), part, part is there.parts.get(ending))
    for file in _all_of(name):
        if file.name.removeprefix(name) not in (ORIGIN, *kept.parts):
            remove(file)
    same = document is there.parts.get(SUFFIX)
    if not same and kept.origin.place != there.origin.place:
        remove(file_of(name, SUFFIX))
    write_bytes(file_of(name, ORIGIN), json_bytes(kept.origin))
    if document is not None:
        _write(file_of(name, SUFFIX), document, same)


def _write(file: Path, part: Document | Lesson, known: bool) -> None:
    if known and file.exists():
        return
    if isinstance(part, Lesson):
        lesson.save(part, file)
    else:
        archive.save(part, file)


def read_entry(name: str) -> Entry | None:
    """Read the copy of a program without damaged parts; None if nothing is left."""
    origin = _origin(name)
    document, own = _document(file_of(name, SUFFIX)), _lesson(file_of(name, lesson.SUFFIX), origin)
    if document is None and own is None:
        return None
    scenes = range(len(own.scenes)) if own is not None else range(0)
    found = {scene: _document(file_of(name, f".{scene}{SUFFIX}")) for scene in scenes}
    aside = {scene: edits for scene, edits in found.items() if edits is not None}
    latest = _latest(
        file_of(name, ending) for ending in unsaved(document, own, aside, origin).parts
    )
    return Entry(
        name,
        document,
        Path(origin.path) if origin.path else None,
        latest,
        own,
        Path(origin.lesson) if origin.lesson else None,
        origin.scene if origin.scene in scenes else None,
        aside,
        origin.lesson_changed,
        origin.stamp,
        origin.lesson_stamp,
        from_texts(origin.answers),
        origin.stand,
    )


def _latest(files: Iterable[Path]) -> QDateTime:
    """The latest modification time."""
    when, _size = max(filter(None, map(stamp, files)), default=(0, 0))
    return QDateTime.fromMSecsSinceEpoch(when // 1_000_000)


def remove_entry(entry: Entry) -> None:
    """Delete what was read of a copy; damaged files stay."""
    for ending in unsaved(entry.document, entry.lesson, entry.aside, Origin()).parts:
        remove(file_of(entry.name, ending))
    if entry.name not in copy_names():
        remove(file_of(entry.name, ORIGIN))


def remove_all(name: str) -> None:
    """Delete all files of a program."""
    for file in _all_of(name):
        remove(file)


def _all_of(name: str) -> list[Path]:
    """All files of a program."""
    return [*recovery_folder().glob(f"{name}.*json")]


def remove(file: Path) -> None:
    """Delete a file if it exists."""
    with suppress(OSError):
        file.unlink()


def lock_of(name: str) -> QLockFile:
    """The lock file of a program."""
    lock = QLockFile(str(recovery_folder() / f"{name}.lock"))
    lock.setStaleLockTime(0)  # never by age: only the end of the program frees it
    return lock


def _document(file: Path) -> Document | None:
    with suppress(OSError, UserError):
        return archive.load(file)
    return None


def _lesson(file: Path, origin: Origin) -> Lesson | None:
    """Read a lesson if every scene can be resolved."""
    with suppress(OSError, UserError):
        found = lesson.loads(read_bytes(file), Path(origin.folder) if origin.folder else None)
        resolve_all(found)
        return found
    return None


def _origin(name: str) -> Origin:
    with suppress(UserError, ValueError, RecursionError):
        return msgspec.convert(json.loads(read_bytes(file_of(name, ORIGIN))), Origin)
    return Origin()
