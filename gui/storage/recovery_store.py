"""What a program keeps of its unsaved changes, as files in the recovery folder.

`NAME.attn.json` is the experiment and `NAME.lesson.json` the lesson, each while it has changes, the lesson also while
there are live edits at its scenes; those that were put aside at scene 2 are `NAME.2.attn.json`. All of them open like
any other. `NAME.origin.json` tells where they belong, and `NAME.lock` is given to somebody else by the operating
system only once the program is dead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct, structs
from PySide6.QtCore import QDateTime, QLockFile

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.check.answers import NO_ENTRIES, Entries
from core.document.document import Document
from core.document.parts import STAGE_AXES
from core.explain.timeline import Cursor, Reach
from core.lesson import lesson
from core.lesson.lesson import Lesson, resolve_all
from core.storage import archive
from gui.session.preferences import home
from gui.storage.answers import Texts, unpacked
from gui.storage.experiment_files import SUFFIX, stamp

ORIGIN = ".origin.json"


class RecoveredState(Struct, frozen=True):
    """The step at which one stood: stage, head, row, column and how much of the stage stands there, as in
    core.explain.timeline.Cursor; how many of the scene's own steps were taken; and what a lecture shows at each stage.
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
        """As a cursor; None where it is none."""
        if self.stage not in STAGE_AXES or min(self.head, self.row, self.column) < 0:
            return None
        return Cursor(self.stage, self.head, self.row, self.column, self.reach)


class Origin(Struct, frozen=True):
    """What `NAME.origin.json` holds: files, the lesson's folder, the scene (from 0) and the step at which one stood,
    whether the lesson itself has changes, and what the learner wrote.
    """

    path: str | None = None
    lesson: str | None = None
    folder: str | None = None
    scene: int | None = None
    lesson_changed: bool = True
    answers: Texts = {}
    stand: RecoveredState = RecoveredState()

    @property
    def place(self) -> Origin:
        """Where it belongs, whatever was written there, and at whatever step."""
        return structs.replace(self, answers={}, stand=RecoveredState())


@dataclass(frozen=True, slots=True)
class Unsaved:
    """What a program keeps: experiments and a lesson by the ending of their file's name, and where they belong.

    Experiments equal only themselves. The one with changes comes last.
    """

    parts: Mapping[str, Document | Lesson]
    origin: Origin


NOTHING = Unsaved({}, Origin())


class Entry(Struct, frozen=True, eq=False):
    """What a program that died left behind: what was not saved, the file it belongs to (None = untitled) and when.

    `scene` is the scene of the lesson at which one stood; a document that comes with it was edited live there. `aside`
    are the live edits of other scenes. The lesson may have come for their sake alone: `lesson_changed`. `answers` is
    what the learner had written, `stand` the step at which one stood.
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
    answers: Entries = NO_ENTRIES
    stand: RecoveredState = RecoveredState()


def recovery_folder() -> Path:
    """Where every program keeps its copies."""
    return home() / "recovery"


def unsaved(
    document: Document | None, own: Lesson | None, aside: Mapping[int, Document], origin: Origin
) -> Unsaved:
    """What has changes, and the live edits of other scenes."""
    parts: dict[str, Document | Lesson] = {
        f".{scene}{SUFFIX}": edits for scene, edits in aside.items()
    }
    if own is not None:
        parts[lesson.SUFFIX] = own
    if document is not None:
        parts[SUFFIX] = document
    return Unsaved(parts, origin)


def file_of(name: str, ending: str) -> Path:
    """A file of a program."""
    return recovery_folder() / f"{name}{ending}"


def names_left() -> list[str]:
    """The programs that have copies here, living and dead ones."""
    with suppress(OSError):
        files = [
            file
            for ending in (SUFFIX, lesson.SUFFIX)
            for file in recovery_folder().glob(f"*{ending}")
        ]
        return sorted({file.name.partition(".")[0] for file in files})
    return []


def write_copy(name: str, kept: Unsaved, there: Unsaved) -> None:
    """Keep what has changes, and nothing else. Of `there`, what was written before, only what is new is written again.
    Raises OSError and UserError where the disk refuses.

    Wherever it is cut short, no experiment stands beside a scene that is not its own, and nothing is lost.
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
    write_bytes(file_of(name, ORIGIN), msgspec.json.encode(kept.origin))
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
    """What a program left; what is damaged, or can no longer be shown, is not part of it. None if nothing is left."""
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
        unpacked(origin.answers),
        origin.stand,
    )


def _latest(files: Iterable[Path]) -> QDateTime:
    """When the last of them was written."""
    when, _size = max(filter(None, map(stamp, files)), default=(0, 0))
    return QDateTime.fromMSecsSinceEpoch(when // 1_000_000)


def remove_entry(entry: Entry) -> None:
    """Throw away what was read of it; what was damaged stays."""
    for ending in unsaved(entry.document, entry.lesson, entry.aside, Origin()).parts:
        remove(file_of(entry.name, ending))
    if entry.name not in names_left():
        remove(file_of(entry.name, ORIGIN))


def remove_all(name: str) -> None:
    """Throw away everything that a program keeps."""
    for file in _all_of(name):
        remove(file)


def _all_of(name: str) -> list[Path]:
    """Its files, whatever became of the program that wrote them."""
    return [*recovery_folder().glob(f"{name}.*json")]


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
    with suppress(OSError, UserError):
        return archive.load(file)
    return None


def _lesson(file: Path, origin: Origin) -> Lesson | None:
    """The lesson, if every scene can be shown from the folder that it was opened in."""
    with suppress(OSError, UserError):
        found = lesson.loads(read_bytes(file), Path(origin.folder) if origin.folder else None)
        resolve_all(found)
        return found
    return None


def _origin(name: str) -> Origin:
    with suppress(UserError, msgspec.DecodeError, ValueError):
        return msgspec.json.decode(read_bytes(file_of(name, ORIGIN)), type=Origin)
    return Origin()
