"""Resolve scenes: the experiment, the place on its timeline, the focused cell and the panels."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document
from core.document.parts import is_headwise, is_of_head
from core.explain import timeline as cursors
from core.explain.timeline import Cursor, Reach
from core.labs.lab import find_lab
from core.lesson.changes import apply_changes, with_tokens_translated
from core.lesson.lesson_file import require_inside, with_place
from core.lesson.model import (
    PAGE_VIEW,
    USUAL_STAGE,
    Change,
    ExampleSource,
    FileSource,
    InlineSource,
    LabReference,
    Lesson,
    LessonScene,
    Source,
)
from core.stages import plan
from core.storage import archive
from core.storage.examples import EXAMPLES, load_example, token_translations

if TYPE_CHECKING:
    from core.labs.lab import Setting


@dataclass(frozen=True, eq=False)
class Resolved:
    """The content of a scene at its beginning. Scenes without changes share one `document` object."""

    index: int
    scene: LessonScene
    document: Document
    cursor: Cursor
    focus: Cell
    view: tuple[str, ...]

    @cached_property
    def setting(self) -> Setting | None:
        """The setting of the scene's lab; None without one."""
        return None if self.scene.demo is None else lab_setting(self.scene.demo)

    @cached_property
    def trace(self) -> Trace:
        """The computed experiment."""
        return run(self.document)

    @property
    def steps(self) -> int:
        """The number of steps of the scene before the next one."""
        return self.scene.steps.count if self.scene.steps else 0

    def at_step(self, number: int, trace: Trace | None = None) -> tuple[Cursor, Cell]:
        """Cursor and focus after a number of the scene's steps; 0 is its beginning.

        `trace` may be that of an edited experiment: the cursor is then clamped to it.
        """
        trace = trace or self.trace
        start = cursors.clamp(trace, self.cursor)
        if number == 0 or self.scene.steps is None:
            return start, self.focus
        cursor = cursors.step(trace, start, self.scene.steps.grain, number)
        return cursor, cell_of(cursor)


class Resolver:
    """Resolves scenes and caches their experiments, so that going back gives the same document
    objects. `folder` is that of a language: examples then have its tokens.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._starts: dict[tuple[Path | None, Source | LabReference | None], Document] = {}
        self._changed: dict[tuple[Document, tuple[Change, ...]], Document] = {}
        self._lesson: Lesson | None = None
        self._documents: dict[int, Document] = {}  # of that lesson, by scene

    def use_folder(self, folder: Path | None) -> None:
        """Use the tokens of another language from now on; other experiments keep their objects."""
        if folder != self._folder:
            self._folder, self._lesson = folder, None
            for key in [*self._starts]:
                if isinstance(key[1], ExampleSource | LabReference):
                    del self._starts[key]

    def resolve(self, lesson: Lesson, index: int) -> Resolved:
        """The content of a scene. Raises UserError with the place in the lesson, IndexError for no
        such scene.
        """
        scene = lesson.scenes[index]
        document = self.document(lesson, index)
        place = f"scenes[{index}]"
        cursor = _cursor(document, scene, f"{place}.at")
        focus = (
            cell_of(cursor)
            if scene.focus is None
            else _focus(document, scene.focus, f"{place}.focus")
        )
        return Resolved(index, scene, document, cursor, focus, scene.view)

    def document(self, lesson: Lesson, index: int) -> Document:
        """The experiment of a scene."""
        if lesson is not self._lesson:
            self._lesson, self._documents = lesson, {}
        first = index
        while first not in self._documents and not _is_start(lesson, first):
            first -= 1
        for position in range(first, index + 1):
            if position not in self._documents:
                self._documents[position] = self._next(lesson, position)
        return self._documents[index]

    def document_of_lab(self, demo: LabReference) -> Document:
        """The experiment of a first scene that shows a lab and names no experiment."""
        return _document_of_lab(demo, self._folder)

    def remember(self, lesson: Lesson, index: int, document: Document) -> None:
        """Cache the document of a recorded scene."""
        base, changes = self._base(lesson, index), lesson.scenes[index].changes
        if changes:
            self._changed[base, changes] = document
        elif _is_start(lesson, index):
            self._starts[_start_key(lesson, index)] = document
        self._documents[index] = document

    def _next(self, lesson: Lesson, index: int) -> Document:
        base, changes = self._base(lesson, index), lesson.scenes[index].changes
        if not changes:
            return base
        if (base, changes) not in self._changed:
            try:
                self._changed[base, changes] = apply_changes(
                    base, self._translated(lesson, index, changes)
                )
            except UserError as problem:
                raise with_place(problem, f"scenes[{index}].changes") from problem
        return self._changed[base, changes]

    def _translated(
        self, lesson: Lesson, index: int, changes: tuple[Change, ...]
    ) -> tuple[Change, ...]:
        """Changes with the tokens of their example in the language of the folder."""
        while not _is_start(lesson, index):
            index -= 1
        source = lesson.scenes[index].source
        if not isinstance(source, ExampleSource):
            return changes
        return with_tokens_translated(changes, token_translations(source.id, self._folder))

    def _base(self, lesson: Lesson, index: int) -> Document:
        """The experiment that a scene changes."""
        if not _is_start(lesson, index):
            return self.document(lesson, index - 1)
        key = _start_key(lesson, index)
        if key not in self._starts:
            self._starts[key] = _first(lesson, index, self._folder)
        return self._starts[key]


def resolve(lesson: Lesson, index: int, folder: Path | None = None) -> Resolved:
    """The content of one scene. For several scenes use resolve_all or a Resolver."""
    return Resolver(folder).resolve(lesson, index)


def resolve_all(lesson: Lesson, folder: Path | None = None) -> tuple[Resolved, ...]:
    """The content of every scene. Raises UserError with the place in the lesson for the first wrong
    one.
    """
    resolver = Resolver(folder)
    return tuple(resolver.resolve(lesson, index) for index in range(len(lesson.scenes)))


def cell_of(cursor: Cursor) -> Cell:
    """The cell of a cursor."""
    headwise = is_headwise(cursor.stage)
    return Cell(cursor.stage, cursor.row, cursor.column, cursor.head if headwise else 0)


def _is_start(lesson: Lesson, index: int) -> bool:
    """Whether a scene starts with an experiment of its own."""
    return index == 0 or lesson.scenes[index].source is not None


def _start_key(lesson: Lesson, index: int) -> tuple[Path | None, Source | LabReference | None]:
    scene = lesson.scenes[index]
    return lesson.folder, scene.source or scene.demo


def _first(lesson: Lesson, start: int, folder: Path | None) -> Document:
    source, demo = lesson.scenes[start].source, lesson.scenes[start].demo
    if source is not None:
        return _opened(lesson, source, f"scenes[{start}].experiment", folder)
    if demo is None and lesson.scenes[start].view == PAGE_VIEW:
        return load_example(EXAMPLES[0])
    if demo is None:
        raise UserError("lesson.first", place=f"scenes[{start}]")
    return _document_of_lab(demo, folder)


def _document_of_lab(demo: LabReference, folder: Path | None) -> Document:
    """The experiment of a first scene without a source: that of its lab, or the first example."""
    lab = find_lab(demo.lab)
    found = lab.document(lab.in_language(lab_setting(demo), folder))
    return found or load_example(EXAMPLES[0], folder)


def lab_setting(demo: LabReference) -> Setting:
    """The setting of a lab. Raises UserError for unknown values."""
    return find_lab(demo.lab).start(None, json.loads(demo.json))


def _opened(lesson: Lesson, source: Source, place: str, folder: Path | None) -> Document:
    match source:
        case InlineSource(text=text):
            return archive.loads(text.encode())
        case ExampleSource(id=name):
            try:
                return load_example(name, folder)
            except UserError as problem:
                raise problem.at(f"{place}.example") from problem
        case FileSource(path=path):
            return _read(lesson.folder, path, f"{place}.file")


def _read(folder: Path | None, path: str, place: str) -> Document:
    require_inside(path, place)
    if folder is None:
        raise UserError("lesson.no_folder", place=place, file=path)
    file = folder / path
    # A link may lead out. Path.resolve raises for a loop of links.
    if not Path(os.path.realpath(file)).is_relative_to(os.path.realpath(folder)):
        raise UserError("lesson.path", place=place, file=path)
    try:
        return archive.load(file)
    except UserError as problem:
        if "path" in problem.data:
            raise problem.at(place) from problem
        raise UserError(problem.code, **problem.data, path=str(file)) from problem


def _cursor(document: Document, scene: LessonScene, place: str) -> Cursor:
    """The cursor of a scene. Entered stages are shown whole; not every stage has a sub-step."""
    stages = plan(document)
    name = scene.stage
    if scene.demo is not None and document.is_stack and name == USUAL_STAGE:
        name = stages.stages[-1].id  # a scene with a lab need not name a stage of its stack
    if name not in stages:
        raise UserError("stage.absent", place=f"{place}.stage", stage=name, known=stages.ids)
    stage, shape = stages[name], document.stage_shape(name)[-2:]
    _require_inside(scene.row, scene.column, scene.head, (*shape, document.scope(name).h), place)
    reach = Reach.WHOLE if stage.entered else scene.reach
    if reach is Reach.LEAD and not stage.lead:
        reach = Reach.ROW
    return Cursor(name, scene.head, scene.row, scene.column, reach)


def _focus(document: Document, cell: Cell, place: str) -> Cell:
    name = cell.tensor
    if name in plan(document):
        shape, heads = (
            document.stage_shape(name)[-2:],
            document.scope(name).h if is_headwise(name) else 1,
        )
    elif name in document.inputs:
        array = document.tensor(name, min(cell.head, document.scope(name).h - 1))
        if array is None:
            raise UserError("tensor.absent", place=f"{place}.tensor", name=name)
        shape, heads = (array.shape if array.ndim == 2 else (1, *array.shape)), 1
        heads = document.scope(name).h if is_of_head(name) else 1
    else:
        raise UserError("tensor.absent", place=f"{place}.tensor", name=name)
    _require_inside(cell.row, cell.column, cell.head, (*shape, heads), place)
    return cell


def _require_inside(row: int, column: int, head: int, sizes: tuple[int, ...], place: str) -> None:
    for key, value, size in zip(("row", "column", "head"), (row, column, head), sizes, strict=True):
        if not 0 <= value < size:
            raise UserError(
                "lesson.beyond", place=f"{place}.{key}", value=value, least=0, most=size - 1
            )
