"""mark_class(document, paths): mark the answers of a class, and count verdicts and mistakes."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from core.base.errors import UserError
from core.base.files import is_folder
from core.check.answers import Entries, stated_arrays
from core.check.given import NOT_IMPORTED, Given
from core.check.marking import Checker
from core.check.report import FOLLOWS, RIGHT, WRONG, CheckReport, Mistake
from core.classroom.answer_file import entries_from, is_answer_file, read_answers
from core.document.document import Document
from core.stages import plan

BLANK = "blank"
VERDICTS = (RIGHT, FOLLOWS, WRONG, BLANK)
CARRIED = "carried"  # the kind of numbers that follow from the learner's own earlier ones
MOST_FILES = 2_000  # of a folder with its subfolders

Counts = npt.NDArray[np.int64]  # (4, *shape of a stage), in the order of VERDICTS


def is_fault(mistake: Mistake) -> bool:
    """Whether a finding is a fault: no other valid method, no result of an earlier mistake."""
    return not mistake.harmless and mistake.id != CARRIED


@dataclass(frozen=True, slots=True, eq=False)
class Student:
    """A file that was read: the name typed in it, "" for none, its numbers and their marks."""

    path: Path
    name: str
    entries: Entries
    report: CheckReport
    time: int = 0  # of the last change, in nanoseconds

    def count(self, verdict: str) -> int:
        """The number of marks with a verdict."""
        return self.report.count(verdict)

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The faults among the findings."""
        return tuple(filter(is_fault, self.report.mistakes))


@dataclass(frozen=True, slots=True, eq=False)
class Refused:
    """A file that could not be read, and why."""

    path: Path
    problem: UserError
    time: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Double:
    """Files with the same name typed in them, the newest first; only that one counts."""

    name: str
    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CountedMistake:
    """A kind of mistake with a typical example and the students who made it.

    `varies`: the students' mistakes differ in more than their cells, such as in the number by which
    a sum is off.
    """

    example: Mistake
    students: tuple[Student, ...]
    varies: bool = False

    @property
    def id(self) -> str:
        """The kind."""
        return self.example.id


@dataclass(frozen=True, slots=True, eq=False)
class ClassResult:
    """The answers of a class. `counts` has each stage that anyone answered; `findings` are all that
    Check would say, the most frequent first.
    """

    document: Document
    students: tuple[Student, ...]
    refused: tuple[Refused, ...]
    doubles: tuple[Double, ...]
    counts: dict[str, Counts]
    findings: tuple[CountedMistake, ...]

    @property
    def mistakes(self) -> tuple[CountedMistake, ...]:
        """The findings that are faults."""
        return tuple(one for one in self.findings if is_fault(one.example))

    @property
    def without_mistake(self) -> tuple[Student, ...]:
        """The students who gave numbers, none of them wrong."""
        return tuple(one for one in self.students if one.report.marks and not one.count(WRONG))

    @property
    def unexplained(self) -> tuple[Student, ...]:
        """The students with wrong numbers but without a known mistake."""
        return tuple(one for one in self.students if one.count(WRONG) and not one.mistakes)

    def share(self, stage: str, verdict: str = RIGHT) -> float:
        """The share of a verdict among the numbers that were given for a stage; 0 for none."""
        counts = self.counts[stage]
        given = int(counts[:-1].sum())
        return float(counts[VERDICTS.index(verdict)].sum()) / given if given else 0.0


Known = MutableMapping[Path, Student | Refused]


def mark_class(
    document: Document,
    paths: Iterable[str | os.PathLike[str]],
    given: Given = NOT_IMPORTED,
    known: Known | None = None,
) -> ClassResult:
    """Read and mark answer files, and those in folders.

    `known` keeps what was read for the next call with the same document and `given`: a file that has
    not changed is not read again. Nothing in a file is fatal; what cannot be read is in `refused`.
    Raises UserError "answers.too_many_files" (limit).
    """
    known = {} if known is None else known
    reader = _Reader(document, given)
    found: list[Student | Refused] = []
    for path in answer_paths(paths):
        time = _time(path)
        if path not in known or known[path].time != time:
            known[path] = reader.read(path, time)
        found.append(known[path])
    read = [file for file in found if isinstance(file, Student)]
    students, doubles = _without_doubles(read)
    return ClassResult(
        document,
        tuple(students),
        tuple(file for file in found if isinstance(file, Refused)),
        tuple(doubles),
        _counts(document, students),
        _findings(document, students),
    )


def answer_paths(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files, and the answer files in folders and their subfolders by name; each once."""
    found: dict[Path, Path] = {}
    for path in map(Path, paths):
        inside = sorted(_inside(path)) if is_folder(path) else [path]
        for file in inside:
            found.setdefault(Path(os.path.realpath(file)), file)
            if len(found) > MOST_FILES:
                raise UserError("answers.too_many_files", limit=MOST_FILES)
    return [*found.values()]


def _inside(folder: Path) -> Iterator[Path]:
    seen = 0
    for place, folders, files in os.walk(folder):  # follows no links to folders
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in files:
            if is_answer_file(name):
                yield Path(place, name)
                seen += 1
        if seen > MOST_FILES:
            return


def _time(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


class _Reader:
    """Reads files; equal answers are marked once."""

    def __init__(self, document: Document, given: Given) -> None:
        self._document = document
        self._checker = Checker(document, given)
        self._reports: dict[tuple[object, ...], CheckReport] = {}

    def read(self, path: Path, time: int) -> Student | Refused:
        try:
            file = read_answers(path)
            entries = entries_from(self._document, file)
            return Student(path, file.name, entries, self._report(entries), time)
        except UserError as problem:
            return Refused(path, problem, time)

    def _report(self, entries: Entries) -> CheckReport:
        key = tuple((stage, *cells.items()) for stage, cells in entries.items())
        if key not in self._reports:
            stated = stated_arrays(self._document, entries)
            self._reports[key] = self._checker.check(stated)
        return self._reports[key]


def _without_doubles(read: list[Student]) -> tuple[list[Student], list[Double]]:
    """The newest file of each name, in the order of the files; files without a name all count."""
    named: dict[str, list[Student]] = {}
    for student in read:
        if student.name:
            named.setdefault(student.name.casefold(), []).append(student)
    doubles, dropped = [], set()
    for several in named.values():
        if len(several) > 1:
            several.sort(key=lambda student: (student.time, student.path), reverse=True)
            doubles.append(Double(several[0].name, tuple(student.path for student in several)))
            dropped |= {id(student) for student in several[1:]}
    return [student for student in read if id(student) not in dropped], doubles


def _counts(document: Document, students: list[Student]) -> dict[str, Counts]:
    answered = {stage for student in students for stage in student.entries}
    counts: dict[str, Counts] = {}
    for stage in plan(document).ids:
        if stage in answered:
            shape = document.stage_shape(stage)
            counts[stage] = np.zeros((len(VERDICTS), *shape), dtype=np.int64)
            counts[stage][-1] = len(students)
    for student in students:
        for mark in student.report.marks:
            counts[mark.stage][(VERDICTS.index(mark.verdict), *mark.index)] += 1
            counts[mark.stage][(-1, *mark.index)] -= 1
    return counts


def _findings(document: Document, students: list[Student]) -> tuple[CountedMistake, ...]:
    """Each kind of finding with its students: by frequency, then by the order of the plan."""
    found: dict[str, list[tuple[Mistake, Student]]] = {}
    for student in students:
        for mistake in student.report.mistakes:
            found.setdefault(mistake.id, []).append((mistake, student))
    order = {stage: place for place, stage in enumerate(plan(document).ids)}
    counted = []
    for cases in found.values():
        example, varies = _typical([mistake for mistake, _ in cases])
        who = {id(student): student for _, student in cases}
        counted.append(CountedMistake(example, tuple(who.values()), varies))
    counted.sort(key=lambda one: (-len(one.students), order[one.example.stage], one.id))
    return tuple(counted)


def _typical(mistakes: list[Mistake]) -> tuple[Mistake, bool]:
    """The most frequent form of a mistake, one that is certain if there is any; whether there are
    other forms.
    """
    certain = [mistake for mistake in mistakes if not mistake.maybe] or mistakes
    forms = [(mistake.stage, repr(sorted(mistake.data.items()))) for mistake in certain]
    most = Counter(forms).most_common(1)[0][0]
    chosen = [one for one, form in zip(certain, forms, strict=True) if form == most]
    return min(chosen, key=lambda mistake: len(mistake.also)), len(set(forms)) > 1
