"""Lessons (`*.lesson.json`): load, save, and the shipped ones. docs/format.md describes the format.

lesson = load("first-steps.lesson.json")
for index, scene in enumerate(lesson.scenes):
    shown = resolve(lesson, index)      # .document .cursor .focus .view .trace
    scene.title.of("zh_CN"), scene.say.of("en")
"""

from __future__ import annotations

import os
from pathlib import Path

from core.base.errors import UserError
from core.base.files import read_bytes, resource, write_bytes
from core.labs.lab import LABS
from core.lesson.lesson_file import FORMAT, VERSION, dumps, loads
from core.lesson.model import (
    LAB_VIEW,
    PANELS,
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
from core.lesson.resolve import Resolved, Resolver, resolve, resolve_all

__all__ = [
    "COURSE",
    "FORMAT",
    "LAB_VIEW",
    "LESSONS",
    "PANELS",
    "SUFFIX",
    "USUAL_VIEW",
    "VERSION",
    "Change",
    "ExampleSource",
    "FileSource",
    "InlineSource",
    "LabReference",
    "Lesson",
    "LessonScene",
    "LessonSteps",
    "LocalizedText",
    "PanelSplit",
    "Resolved",
    "Resolver",
    "Source",
    "dumps",
    "is_lesson",
    "lesson_path",
    "load",
    "loads",
    "resolve",
    "resolve_all",
    "save",
    "shipped_title",
]

SUFFIX = ".lesson.json"
# The shipped lessons: those of a course in order, and one for each lab.
COURSE: tuple[str, ...] = (
    *("first-steps", "who-ate-whom", "gpt-and-bert", "six-wrong-numbers"),
    "trained-copying",
)
LESSONS: tuple[str, ...] = (*COURSE, *(f"lab-{lab_id}" for lab_id in LABS))


def is_lesson(path: str | os.PathLike[str]) -> bool:
    """Whether a file has the name of a lesson."""
    return Path(path).name.lower().endswith(SUFFIX)


def lesson_path(lesson_id: str) -> Path:
    """The file of a shipped lesson. Raises UserError ``lesson.unknown`` with the known ids."""
    if lesson_id not in LESSONS:
        raise UserError("lesson.unknown", id=lesson_id, known=list(LESSONS))
    return resource("lessons", f"{lesson_id}{SUFFIX}")


def shipped_title(lesson_id: str) -> LocalizedText:
    """The title of a shipped lesson. Raises UserError ``lesson.unknown`` with the known ids."""
    return loads(read_bytes(lesson_path(lesson_id))).title


def load(path: str | os.PathLike[str]) -> Lesson:
    """The lesson in a file, with every scene checked.

    Raises UserError with the place in the file, as `loads` and `resolve` do, and "file.unreadable".
    """
    lesson = loads(read_bytes(path), Path(path).absolute().parent)
    resolve_all(lesson)
    return lesson


def save(lesson: Lesson, path: str | os.PathLike[str]) -> None:
    """Write the lesson, completely or not at all. Raises UserError "file.unwritable"."""
    write_bytes(path, dumps(lesson))
