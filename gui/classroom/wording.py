"""Sentences about a class: students by name or number, files, mistakes, counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.base.cell import Cell
from core.check.report import FOLLOWS, RIGHT, WRONG, Mistake
from core.classroom.marking import BLANK, VERDICTS, ClassResult, CountedMistake, Refused, Student
from gui.texts.errors import error_message
from gui.texts.mistakes import mistake_text
from gui.texts.names import cell_name
from gui.texts.translation import mark, tr, tr_marked

if TYPE_CHECKING:
    from gui.session.state import State

WORDS = {
    RIGHT: mark("right"),
    FOLLOWS: mark("follows from an earlier mistake"),
    WRONG: mark("wrong"),
    BLANK: mark("blank"),
}
COUNTED = {
    RIGHT: mark("{place}: {count} of {all} right"),
    FOLLOWS: mark("{place}: {count} of {all} follow from an earlier mistake"),
    WRONG: mark("{place}: {count} of {all} wrong"),
    BLANK: mark("{place}: {count} of {all} blank"),
}


def student_labels(students: Sequence[Student], *, hide: bool) -> list[str]:
    """A label for each student: the name typed, else the file's; with `hide` a number."""
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


def double_text(name: str, count: int, *, hide: bool) -> str:
    """Say that several files have the same name typed in them."""
    if hide:
        return tr("{count} files have the same name typed in them; the newest counts.", count=count)
    return tr("{name}: {count} files; the newest counts.", name=name, count=count)


def counted_text(one: CountedMistake) -> str:
    """A counted mistake in the words of Check; one example where it varies between students."""
    text = mistake_text(one.example)
    return tr("{text} (one of several)", text=text) if one.varies else text


def cell_sentence(result: ClassResult, cell: Cell, verdict: str, state: State) -> str:
    """How many have a verdict in a cell: “QKᵀ(cat, eats): 2 of 30 wrong”."""
    index = (cell.row, cell.column)
    counts = result.counts[cell.tensor][VERDICTS.index(verdict)]
    count = counts[(cell.head, *index) if counts.ndim == 3 else index]
    place = cell_name(cell, state.document, state.orientation)
    return tr_marked(COUNTED[verdict], place=place, count=int(count), all=len(result.students))


def inline(text: str) -> str:
    """A sentence with d_k and d_v as single letters with their index."""
    return text.replace("d_k", "dₖ").replace("d_v", "dᵥ")


def slip_names(mistakes: Sequence[Mistake]) -> list[str]:
    """The mistakes of a student, each sentence once."""
    return list(dict.fromkeys(map(mistake_text, mistakes)))
