"""Read and write lesson files (`*.lesson.json`); docs/format.md describes the format.

The structs are the format: a key that they do not have is an error. Version 2 is a file with texts
in other languages than those of version 1, version 3 one with a scene that has a key of VERSION_3.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from core.base.cell import Cell
from core.base.errors import UserError
from core.base.files import read_bytes
from core.base.json_reader import FileLabel, decoded, require_single_keys, require_version, utf8
from core.base.json_text import Entry, compact, list_json, object_json, text_json
from core.explain.timeline import Grain, Reach
from core.labs.lab import find_lab
from core.lesson.changes import change_text, require_place
from core.lesson.model import (
    LAB_VIEW,
    LAYOUTS,
    MOST_PICTURE,
    MOST_STEPS,
    PAGE_VIEW,
    PANELS,
    SHARES,
    SOURCE_LANGUAGE,
    USUAL_STAGE,
    USUAL_VIEW,
    Change,
    ExampleSource,
    FileSource,
    InlineSource,
    LabReference,
    Lesson,
    LessonScene,
    LessonSteps,
    LocalizedText,
    PanelSplit,
    Source,
)
from core.storage import archive

FORMAT = "self-attention-lesson"
MOST_SCENES = 3_000
VERSION = 3  # the newest that is read
VERSION_3 = ("split", "text", "picture")  # keys of a scene that older versions do not have
TEXTS = ("title", "say", "question", "answer", "notes", "text")
# All that version 1 of the format knows; other codes make a file version 2.
VERSION_1_LANGUAGES = ("en", "zh_CN")
_LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9]{2,8})*")
# Names of devices on Windows in any folder; reading some of them waits for a key.
_DEVICES = {
    "CON",
    "PRN",
    "AUX",
    "NUL",
    *(f"{name}{number}" for name in ("COM", "LPT") for number in range(10)),
}
_NOTHING = msgspec.Raw(b"")


FileText = dict[str, str]  # a text by language code


class FileExperimentSource(msgspec.Struct, forbid_unknown_fields=True):
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


class FileSplit(msgspec.Struct, forbid_unknown_fields=True):
    """`split`: how two panels share the screen."""

    layout: str = ""
    share: int = 0


class FileLab(msgspec.Struct, forbid_unknown_fields=True):
    """`lab`: its id and the values of its controls."""

    id: str
    values: dict[str, Any] = {}


class FileScene(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """One entry of `scenes`. Only a scene that shows a lab may leave `at` out."""

    at: FileAt | None = None
    lab: FileLab | None = None
    experiment: FileExperimentSource | None = None
    changes: dict[str, msgspec.Raw] = {}
    focus: FileFocus | None = None
    view: list[str] | None = None
    split: FileSplit | None = None
    text: FileText = {}
    picture: str = ""
    steps: FileSteps | None = None
    title: FileText = {}
    say: FileText = {}
    question: FileText = {}
    answer: FileText = {}
    notes: FileText = {}
    breakpoint: bool = msgspec.field(default=False, name="break")


class FileLesson(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    format: str
    version: int
    title: FileText = {}
    notes: FileText = {}
    scenes: list[FileScene]


_KINDS: dict[str, type[msgspec.Struct]] = {
    "": FileLesson,
    "scenes": FileScene,
    "experiment": FileExperimentSource,
    "at": FileAt,
    "focus": FileFocus,
    "steps": FileSteps,
    "lab": FileLab,
    "split": FileSplit,
}


def loads(data: bytes, folder: Path | None = None) -> Lesson:
    """The lesson in the bytes of a file; experiment files are looked for in `folder`.

    The format is checked here, experiments when they are resolved. Raises UserError with the place
    in the file: "file.not_lesson", "lesson.source", "lesson.path", "lesson.place", "lesson.view",
    "lesson.beyond", "kind.unknown", "lesson.language", and as core.storage.archive.loads for files
    that are not JSON or of another version.
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
    if len(file.scenes) > MOST_SCENES:
        raise UserError("lesson.too_long", count=len(file.scenes), limit=MOST_SCENES)
    scenes = tuple(
        _scene(scene, file.version, f"scenes[{index}]") for index, scene in enumerate(file.scenes)
    )
    title, notes = (localized(getattr(file, key), file.version, key) for key in ("title", "notes"))
    return Lesson(scenes, title, notes, folder)


def localized(texts: Mapping[str, str], version: int, place: str) -> LocalizedText:
    """A text of a file with its version.

    Raises UserError "file.unknown_key" (place, key, known) for a language unknown to version 1, and
    "lesson.language" (place, key) for an invalid language code.
    """
    for language in texts:
        if version == 1 and language not in VERSION_1_LANGUAGES:
            raise UserError(
                "file.unknown_key", place=place, key=language, known=VERSION_1_LANGUAGES
            )
        if not _LANGUAGE.fullmatch(language):
            raise UserError("lesson.language", place=place, key=language)
    return LocalizedText(texts)


def _scene(file: FileScene, version: int, place: str) -> LessonScene:
    _require_version(file, version, place)
    if file.at is None and file.lab is None and (file.view or ()) != list(PAGE_VIEW):
        raise UserError("file.missing_key", place=place, key="at")
    at = file.at or FileAt(USUAL_STAGE)
    texts = {key: localized(getattr(file, key), version, f"{place}.{key}") for key in TEXTS}
    view = file.view if file.view is not None else list(LAB_VIEW if file.lab else USUAL_VIEW)
    _require_known(f"{place}.at.reach", at.reach, tuple(map(str, Reach)))
    _require_view(view, f"{place}.view", file.lab is not None, version)
    _require_picture(file.picture, f"{place}.picture")
    _require_positive(at, f"{place}.at")
    focus = file.focus
    if focus is not None:
        _require_positive(focus, f"{place}.focus")
    return LessonScene(
        source=None if file.experiment is None else _source(file.experiment, f"{place}.experiment"),
        changes=tuple(_change(name, raw, f"{place}.changes") for name, raw in file.changes.items()),
        stage=at.stage,
        reach=Reach(at.reach),
        row=at.row,
        column=at.column,
        head=at.head,
        focus=None if focus is None else Cell(focus.tensor, focus.row, focus.column, focus.head),
        view=tuple(view),
        split=_split(file.split, f"{place}.split"),
        steps=None if file.steps is None else _steps(file.steps, f"{place}.steps"),
        demo=None if file.lab is None else _demo(file.lab, f"{place}.lab"),
        picture=file.picture,
        breakpoint=file.breakpoint,
        **texts,
    )


def _require_version(file: FileScene, version: int, place: str) -> None:
    """Raise UserError "file.unknown_key" for a key that the file's version does not have."""
    known = [field.encode_name for field in msgspec.structs.fields(FileScene)]
    for key in VERSION_3 if version < 3 else ():
        if getattr(file, key):
            older = tuple(name for name in known if name not in VERSION_3)
            raise UserError("file.unknown_key", place=place, key=key, known=older)


def _split(file: FileSplit | None, place: str) -> PanelSplit:
    if file is None:
        return PanelSplit()
    if file.layout:
        _require_known(f"{place}.layout", file.layout, LAYOUTS)
    least, most = SHARES
    if file.share and not least <= file.share <= most:
        raise UserError(
            "lesson.beyond", place=f"{place}.share", value=file.share, least=least, most=most
        )
    return PanelSplit(file.layout, file.share)


def _source(file: FileExperimentSource, place: str) -> Source:
    given = [file.example is not None, file.file is not None, bool(bytes(file.inline))]
    if sum(given) != 1:
        raise UserError("lesson.source", place=place)
    if file.example is not None:
        return ExampleSource(file.example)
    if file.file is not None:
        require_inside(file.file, f"{place}.file")
        return FileSource(file.file)
    try:
        return InlineSource(archive.dumps(archive.loads(bytes(file.inline))).decode())
    except UserError as problem:
        raise with_place(problem, f"{place}.inline") from problem


def require_inside(path: str, place: str) -> None:
    """Raise UserError "lesson.path" (place, file) for a path that could lead out of the lesson's
    folder.
    """
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
        raise with_place(problem, place) from problem
    try:
        return Change(name, compact(json.loads(bytes(raw))))
    except ValueError as error:  # a number beyond all doubles, or with too many digits
        raise UserError("file.not_finite", place=f"{place}.{name}", value=float("inf")) from error
    except RecursionError as error:
        raise UserError("file.too_deep", place=f"{place}.{name}") from error


def _require_positive(file: FileAt | FileFocus, place: str) -> None:
    for key in ("row", "column", "head"):
        value = getattr(file, key)
        if value < 0:
            raise UserError("lesson.below", place=f"{place}.{key}", value=value, least=0)


def _steps(file: FileSteps, place: str) -> LessonSteps:
    _require_known(f"{place}.grain", file.grain, tuple(map(str, Grain)))
    if not 1 <= file.count <= MOST_STEPS:
        raise UserError(
            "lesson.beyond", place=f"{place}.count", value=file.count, least=1, most=MOST_STEPS
        )
    return LessonSteps(Grain(file.grain), file.count)


def _demo(file: FileLab, place: str) -> LabReference:
    """The lab of a scene. Raises UserError unless its controls accept their values."""
    try:
        find_lab(file.id).start(None, file.values)
        return LabReference(file.id, compact(file.values))
    except UserError as problem:
        raise problem.at(
            f"{place}.id" if problem.code == "lab.absent" else f"{place}.values"
        ) from problem


def _require_known(place: str, kind: str, known: tuple[str, ...]) -> None:
    if kind not in known:
        raise UserError("kind.unknown", place=place, kind=kind, known=known)


def picture_text(path: str | Path) -> str:
    """A picture file as base64. Raises UserError "lesson.picture", "file.unreadable"."""
    text = base64.b64encode(read_bytes(path)).decode("ascii")
    _require_picture(text, Path(path).name)
    return text


def _require_picture(text: str, place: str) -> None:
    """Raise UserError "lesson.picture" (place) unless it is a PNG or JPEG picture as base64."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError as error:
        raise UserError("lesson.picture", place=place) from error
    known = data.startswith((b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"))
    if text and not (known and len(data) <= MOST_PICTURE):
        raise UserError("lesson.picture", place=place)


def _require_view(view: list[str], place: str, lab: bool, version: int) -> None:
    panels = (*PANELS, *(LAB_VIEW if lab else ()), *(PAGE_VIEW if version >= 3 else ()))
    for index, panel in enumerate(view):
        _require_known(f"{place}[{index}]", panel, panels)
    if not 1 <= len(view) <= 2 or len(set(view)) != len(view):
        raise UserError("lesson.view", place=place)


def with_place(problem: UserError, place: str) -> UserError:
    """An error of an experiment with its place in the lesson."""
    inner = _inner_place(problem.data)
    return problem.at(f"{place}.{inner}" if inner else place)


def _inner_place(data: dict[str, Any]) -> str:
    if "place" in data:
        return str(data["place"])
    if "head" in data:
        return f"heads[{data['head']}]"
    index = data.get("index", ()) if "name" in data else ()
    return str(data.get("name", "")) + "".join(f"[{i}]" for i in index)


# Writing


def dumps(lesson: Lesson) -> bytes:
    """The lesson as a UTF-8 file, in the oldest version that holds it; defaults are left out."""
    entries = [("format", text_json(FORMAT)), ("version", str(_version(lesson)))]
    entries += [
        (key, _text(getattr(lesson, key))) for key in ("title", "notes") if getattr(lesson, key)
    ]
    scenes = [object_json([*_scene_entries(scene)]) for scene in lesson.scenes]
    entries.append(("scenes", list_json(scenes) if scenes else "[]"))
    return (object_json(entries) + "\n").encode("utf-8")


PLAIN = LessonScene()


def _version(lesson: Lesson) -> int:
    texts = [lesson.title, lesson.notes]
    texts += [getattr(scene, key) for scene in lesson.scenes for key in TEXTS]
    if any(
        getattr(scene, key) != getattr(PLAIN, key) for scene in lesson.scenes for key in VERSION_3
    ):
        return 3
    if any(PAGE_VIEW[0] in scene.view for scene in lesson.scenes):
        return 3
    return 1 if all(set(text.texts) <= set(VERSION_1_LANGUAGES) for text in texts) else 2


def _text(text: LocalizedText) -> str:
    """One line a language: English first, the others in order, as the first is the fallback."""
    languages = sorted(text.texts, key=lambda language: language != SOURCE_LANGUAGE)
    return object_json([(language, text_json(text.get(language))) for language in languages])


def _scene_entries(scene: LessonScene) -> Iterator[Entry]:
    if scene.breakpoint:
        yield "break", "true"
    for key in TEXTS:
        if getattr(scene, key):
            yield key, _text(getattr(scene, key))
    if scene.source is not None:
        yield "experiment", _source_json(scene.source)
    if scene.changes:
        yield (
            "changes",
            object_json([(change.place, change_text(change)) for change in scene.changes]),
        )
    at = [*_at_entries(scene)]
    free = scene.demo is not None or scene.view == PAGE_VIEW
    if not free or at != [*_at_entries(PLAIN)]:
        yield "at", object_json(at, one_line=True)
    if scene.focus is not None:
        yield "focus", object_json([*_focus_entries(scene.focus)], one_line=True)
    if scene.demo is not None:
        yield "lab", _demo_json(scene.demo)
    if scene.view != (LAB_VIEW if scene.demo else USUAL_VIEW):
        yield "view", compact(list(scene.view))
    if scene.picture:
        yield "picture", text_json(scene.picture)
    if scene.split != PLAIN.split:
        names = ("layout", "share")
        yield (
            "split",
            compact({key: getattr(scene.split, key) for key in names if getattr(scene.split, key)}),
        )
    if scene.steps is not None:
        yield "steps", compact({"grain": str(scene.steps.grain), "count": scene.steps.count})


def _demo_json(demo: LabReference) -> str:
    entries = [("id", text_json(demo.lab))]
    if demo.json != "{}":
        entries.append(("values", demo.json))
    return object_json(entries, one_line=True)


def _source_json(source: Source) -> str:
    match source:
        case ExampleSource(id=name):
            return object_json([("example", text_json(name))], one_line=True)
        case FileSource(path=path):
            return object_json([("file", text_json(path))], one_line=True)
        case InlineSource(text=text):
            return object_json([("inline", text.strip())])


def _at_entries(scene: LessonScene) -> Iterator[Entry]:
    yield "stage", text_json(scene.stage)
    if scene.reach is not Reach.WHOLE:
        yield "reach", text_json(str(scene.reach))
    yield from _place_entries(scene)


def _focus_entries(focus: Cell) -> Iterator[Entry]:
    yield "tensor", text_json(focus.tensor)
    yield from _place_entries(focus)


def _place_entries(what: LessonScene | Cell) -> Iterator[Entry]:
    for key in ("row", "column", "head"):
        if getattr(what, key):
            yield key, str(getattr(what, key))
