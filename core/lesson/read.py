"""Reading lesson files. The structs below are the format: a key that they do not know is an error."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.json_text import compact
from core.explain.timeline import Grain, Reach
from core.labs import catalogue
from core.lesson.changes import require_place
from core.lesson.model import (
    LAB_VIEW,
    MOST_STEPS,
    PANELS,
    USUAL_VIEW,
    Change,
    Demo,
    Example,
    Inline,
    Lesson,
    Nearby,
    Scene,
    Source,
    Steps,
    Words,
)
from core.lesson.write import FORMAT, TEXTS, VERSION
from core.storage import archive
from core.storage.archive_errors import require_single_keys
from core.storage.archive_schema import FileLabel, decoded, require_version, utf8

# What Windows takes for a device in any folder; to read some of them is to wait for a key.
_DEVICES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{name}{number}" for name in ("COM", "LPT") for number in range(10)),
}
_NOTHING = msgspec.Raw(b"")


class FileWords(msgspec.Struct, forbid_unknown_fields=True):
    """A text in every language."""

    en: str = ""
    zh_CN: str = ""


class FileSource(msgspec.Struct, forbid_unknown_fields=True):
    """`experiment`: one of the three."""

    example: str | None = None
    file: str | None = None
    inline: msgspec.Raw = _NOTHING


class FileAt(msgspec.Struct, forbid_unknown_fields=True):
    """`at`: a place on the timeline."""

    stage: str
    reach: str = "whole"
    row: int = 0
    column: int = 0
    head: int = 0


class FileFocus(msgspec.Struct, forbid_unknown_fields=True):
    """`focus`: one cell of a stage or of an entered tensor."""

    tensor: str
    row: int = 0
    column: int = 0
    head: int = 0


class FileSteps(msgspec.Struct, forbid_unknown_fields=True):
    """`steps`."""

    grain: str
    count: int


class FileLab(msgspec.Struct, forbid_unknown_fields=True):
    """`lab`: its id and what its controls are set to."""

    id: str
    values: dict[str, Any] = {}


class FileScene(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `scenes`. Only a scene that shows a lab may leave `at` out."""

    at: FileAt | None = None
    lab: FileLab | None = None
    experiment: FileSource | None = None
    changes: dict[str, msgspec.Raw] = {}
    focus: FileFocus | None = None
    view: list[str] | None = None
    steps: FileSteps | None = None
    title: FileWords = msgspec.field(default_factory=FileWords)
    say: FileWords = msgspec.field(default_factory=FileWords)
    question: FileWords = msgspec.field(default_factory=FileWords)
    answer: FileWords = msgspec.field(default_factory=FileWords)
    notes: FileWords = msgspec.field(default_factory=FileWords)
    breakpoint: bool = msgspec.field(default=False, name="break")


class FileLesson(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    format: str
    version: int
    title: FileWords = msgspec.field(default_factory=FileWords)
    notes: FileWords = msgspec.field(default_factory=FileWords)
    scenes: list[FileScene]


_KINDS: dict[str, type[msgspec.Struct]] = {
    "": FileLesson,
    "scenes": FileScene,
    "experiment": FileSource,
    "at": FileAt,
    "focus": FileFocus,
    "steps": FileSteps,
    "lab": FileLab,
    **dict.fromkeys(TEXTS, FileWords),
}


def loads(data: bytes, folder: Path | None = None) -> Lesson:
    """The lesson in the bytes of a file; `folder` is where it looks for experiment files.

    Its shape is checked here, its experiments when they are resolved. Raises UserError with the place in the file:
    "file.not_lesson", "lesson.source", "lesson.path", "lesson.place", "lesson.view", "lesson.beyond", "kind.unknown",
    and what core.storage.archive.loads raises for files that are not JSON or not of this version.
    """
    data = utf8(data)
    label = decoded(data, FileLabel, _KINDS)
    if label.format != FORMAT:
        raise UserError("file.not_lesson", format=label.format, expected=FORMAT)
    require_version(label.version, VERSION)
    try:
        file = decoded(data, FileLesson, _KINDS)
    except UserError as problem:
        raise (problem if problem.data.get("place") else problem.at("lesson")) from problem
    require_single_keys(data)
    scenes = tuple(_scene(scene, f"scenes[{index}]") for index, scene in enumerate(file.scenes))
    return Lesson(scenes, _words(file.title), _words(file.notes), folder)


def _words(words: FileWords) -> Words:
    return Words(words.en, words.zh_CN)


def _scene(file: FileScene, place: str) -> Scene:
    if file.at is None and file.lab is None:
        raise UserError("file.missing_key", place=place, key="at")
    at, texts = file.at or FileAt("scores"), {key: _words(getattr(file, key)) for key in TEXTS}
    view = file.view if file.view is not None else list(LAB_VIEW if file.lab else USUAL_VIEW)
    _require_known(f"{place}.at.reach", at.reach, tuple(map(str, Reach)))
    _require_view(view, f"{place}.view", file.lab is not None)
    for key in ("row", "column", "head"):
        _require_between(f"{place}.at.{key}", getattr(at, key), 0, None)
    return Scene(
        source=None if file.experiment is None else _source(file.experiment, f"{place}.experiment"),
        changes=tuple(_change(name, raw, f"{place}.changes") for name, raw in file.changes.items()),
        stage=at.stage,
        reach=Reach(at.reach),
        row=at.row,
        column=at.column,
        head=at.head,
        focus=None if file.focus is None else _focus(file.focus, f"{place}.focus"),
        view=tuple(view),
        steps=None if file.steps is None else _steps(file.steps, f"{place}.steps"),
        demo=None if file.lab is None else _demo(file.lab, f"{place}.lab"),
        breakpoint=file.breakpoint,
        **texts,
    )


def _source(file: FileSource, place: str) -> Source:
    given = [file.example is not None, file.file is not None, bool(bytes(file.inline))]
    if sum(given) != 1:
        raise UserError("lesson.source", place=place)
    if file.example is not None:
        return Example(file.example)
    if file.file is not None:
        require_inside(file.file, f"{place}.file")
        return Nearby(file.file)
    try:
        return Inline(archive.dumps(archive.loads(bytes(file.inline))).decode())
    except UserError as problem:
        raise placed(problem, f"{place}.inline") from problem


def require_inside(path: str, place: str) -> None:
    """Raise UserError "lesson.path" (place, file) for a path that could lead out of the lesson's folder."""
    parts = PurePosixPath(path).parts
    if (
        not parts or ".." in parts or path.startswith("/") or any(sign in path for sign in "\\:\0")
    ):  # 2: is a drive
        raise UserError("lesson.path", place=place, file=path)
    if any(part.partition(".")[0].rstrip().upper() in _DEVICES for part in parts):
        raise UserError("lesson.path", place=place, file=path)


def _change(name: str, raw: msgspec.Raw, place: str) -> Change:
    try:
        require_place(name)
    except UserError as problem:
        raise placed(problem, place) from problem
    try:
        return Change(name, compact(json.loads(bytes(raw))))
    except ValueError as error:  # a number beyond all doubles, or with too many digits
        raise UserError("file.not_finite", place=f"{place}.{name}", value=float("inf")) from error
    except RecursionError as error:
        raise UserError("file.too_deep", place=f"{place}.{name}") from error


def _focus(file: FileFocus, place: str) -> Cell:
    for key in ("row", "column", "head"):
        _require_between(f"{place}.{key}", getattr(file, key), 0, None)
    return Cell(file.tensor, file.row, file.column, file.head)


def _steps(file: FileSteps, place: str) -> Steps:
    _require_known(f"{place}.grain", file.grain, tuple(map(str, Grain)))
    _require_between(f"{place}.count", file.count, 1, MOST_STEPS)
    return Steps(Grain(file.grain), file.count)


def _demo(file: FileLab, place: str) -> Demo:
    """The setting of a lab, checked: every control knows its value."""
    try:
        catalogue.lab(file.id).start(None, file.values)
        return Demo(file.id, compact(file.values))
    except UserError as problem:
        raise problem.at(
            f"{place}.id" if problem.code == "lab.absent" else f"{place}.values"
        ) from problem


def _require_known(place: str, kind: str, known: tuple[str, ...]) -> None:
    if kind not in known:
        raise UserError("kind.unknown", place=place, kind=kind, known=known)


def _require_view(view: list[str], place: str, lab: bool) -> None:
    panels = (*PANELS, *LAB_VIEW) if lab else PANELS
    for index, panel in enumerate(view):
        _require_known(f"{place}[{index}]", panel, panels)
    if not 1 <= len(view) <= 2 or len(set(view)) != len(view):
        raise UserError("lesson.view", place=place)


def _require_between(place: str, value: int, least: int, most: int | None) -> None:
    if most is None and value < least:
        raise UserError("lesson.below", place=place, value=value, least=least)
    if most is not None and not least <= value <= most:
        raise UserError("lesson.beyond", place=place, value=value, least=least, most=most)


def placed(problem: UserError, place: str) -> UserError:
    """A problem of an experiment with its place in the lesson."""
    inner = _inner_place(problem.data)
    return problem.at(f"{place}.{inner}" if inner else place)


def _inner_place(data: dict[str, Any]) -> str:
    if "place" in data:
        return str(data["place"])
    if "head" in data:
        return f"heads[{data['head']}]"
    index = data.get("index", ()) if "name" in data else ()
    return str(data.get("name", "")) + "".join(f"[{i}]" for i in index)
