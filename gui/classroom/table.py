"""Students as people read them: by name or by number, and the table with a line for each."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

import numpy as np

from core.base.text import guarded
from core.check.report import FOLLOWS, RIGHT, WRONG, Mistake
from core.classroom.marking import BLANK, VERDICTS, ClassResult, CountedMistake, Refused, Student
from gui.texts.errors import error_message
from gui.texts.mistakes import mistake_text
from gui.texts.translation import mark, tr, tr_marked

WORDS = {
    RIGHT: mark("right"),
    FOLLOWS: mark("follows from an earlier mistake"),
    WRONG: mark("wrong"),
    BLANK: mark("blank"),
}


def student_labels(students: Sequence[Student], *, hide: bool) -> list[str]:
    """What each student is called: the name typed, else the name of the file; with `hide` a number."""
    if not hide:
        return [student.name or student.path.name for student in students]
    width = len(str(len(students)))
    return [f"{number:0{width}}" for number in range(1, len(students) + 1)]


def refused_lines(refused: Sequence[Refused], *, hide: bool) -> list[tuple[str, str]]:
    """Each file that could not be read, and why."""
    return [
        (
            tr("file {number}", number=number) if hide else file.path.name,
            refusal_text(file, hide=hide),
        )
        for number, file in enumerate(refused, 1)
    ]


def refusal_text(file: Refused, *, hide: bool) -> str:
    """Why a file could not be read, in one sentence without the folder."""
    problem = file.problem
    if "path" in problem.data:
        shown = tr("The file") if hide else file.path.name
        problem = type(problem)(problem.code, **{**problem.data, "path": shown})
    return " ".join(error_message(problem).split())


def counted_text(one: CountedMistake) -> str:
    """A counted mistake as in Check; where it differs from student to student, one of them."""
    text = mistake_text(one.example)
    return tr("{text} (one of several)", text=text) if one.varies else text


def slip_names(mistakes: Sequence[Mistake]) -> list[str]:
    """The mistakes of a student, each sentence once."""
    return list(dict.fromkeys(map(mistake_text, mistakes)))


def class_table(result: ClassResult, *, hide: bool) -> str:
    """A CSV table: a line for each student with counts, mistakes, and the verdict of each cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([guarded(text) for text in row] for row in _rows(result, hide))
    return out.getvalue()


def _rows(result: ClassResult, hide: bool) -> Iterator[list[str]]:
    cells = [
        (stage, index)
        for stage, counts in result.counts.items()
        for index in np.ndindex(*counts.shape[1:])
    ]
    counted = [tr_marked(WORDS[verdict]) for verdict in VERDICTS]
    places = [f"{stage}[{', '.join(str(i + 1) for i in index)}]" for stage, index in cells]
    yield [tr("Name"), *counted, tr("Mistakes"), *places]
    labels = student_labels(result.students, hide=hide)
    for label, student in zip(labels, result.students, strict=True):
        verdicts = {(one.stage, one.index): one.verdict for one in student.report.marks}
        found = [verdicts.get(cell, BLANK) for cell in cells]
        yield [
            label,
            *(str(found.count(verdict)) for verdict in VERDICTS),
            " ".join(slip_names(student.mistakes)),
            *(tr_marked(WORDS[verdict]) for verdict in found),
        ]
