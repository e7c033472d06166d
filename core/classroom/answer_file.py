"""Answer files (`*.answers.json`): a student's numbers for one experiment, as they were typed.

docs/format.md describes the format. Whatever a file holds, reading it costs little: at most 1 MB is
read, and every number must parse as one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from core.base.errors import UserError
from core.base.files import read_bytes, write_bytes
from core.base.json_reader import (
    FileLabel,
    decoded,
    require_single_keys,
    require_version,
    utf8,
)
from core.base.json_text import pretty
from core.base.text import clean_text
from core.check.answers import Answer, Entries, Index, fitting_entries, parse_answer
from core.classroom.experiment_id import experiment_id
from core.document.document import Document
from core.document.parts import stage_axes
from core.stages import plan

FORMAT, VERSION = "self-attention-answers", 1
ENDING = ".answers.json"
LARGEST = 1_000_000  # bytes of a file
LONGEST_NAME = 100  # characters
LONGEST_NUMBER = 100  # characters of one number
MOST_NUMBERS = 20_000  # of one stage; more are never worked out by hand


class _File(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    format: str
    version: int
    experiment: str
    name: str = ""
    values: dict[str, Any]


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The contents of an answer file; `values` are nested lists by stage, not yet looked at."""

    experiment: str
    name: str
    values: Mapping[str, Any]


def is_answer_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file has the name of an answer file, also as browsers number copies:
    `x.answers (1).json`.
    """
    name = Path(path).name.lower()
    return name.endswith(".json") and ".answers" in name and not name.startswith(".")


def read_answers(path: str | os.PathLike[str]) -> AnswerFile:
    """The contents of an answer file.

    Raises UserError "file.unreadable", "file.too_large" (limit), and as `loads` does.
    """
    return loads(read_bytes(path, LARGEST))


def loads(data: bytes) -> AnswerFile:
    """The contents of the bytes of an answer file.

    Raises UserError: "answers.format" (expected), "answers.name" (actual, limit), and as
    core.storage.archive.loads for files that are not JSON, of another version, or with other keys.
    """
    data = utf8(data)
    kinds = {"": _File}
    label = decoded(data, FileLabel, kinds)
    if label.format != FORMAT:
        raise UserError("answers.format", expected=FORMAT)
    require_version(label.version, VERSION)
    file = decoded(data, _File, kinds)
    require_single_keys(data)
    name = " ".join(clean_text(file.name).split())
    if len(name) > LONGEST_NAME:
        raise UserError("answers.name", actual=len(name), limit=LONGEST_NAME)
    return AnswerFile(file.experiment, name, file.values)


def entries_from(document: Document, file: AnswerFile) -> Entries:
    """The numbers in a file as answers to an experiment, stages in the order of the plan.

    Raises UserError: "answers.foreign" where they belong to another experiment; "stage.absent"
    (stage, known); "shape" (name, axes, expected, actual) and "answers.too_many" (stage, limit) for
    a stage; for a number, with its place, "array.not_numeric", "number.unreadable" and the others of
    `parse_answer`.
    """
    if file.experiment != experiment_id(document):
        raise UserError("answers.foreign")
    known = plan(document)
    for stage in file.values:
        if stage not in known:
            raise UserError("stage.absent", stage=stage, known=known.ids)
    found = {
        stage: dict(_answers(document, stage, file.values[stage]))
        for stage in known.ids
        if stage in file.values
    }
    return MappingProxyType(
        {stage: MappingProxyType(cells) for stage, cells in found.items() if cells}
    )


def _answers(document: Document, stage: str, values: Any) -> Iterator[tuple[Index, Answer]]:
    """The answers of one stage; a single head may stand as a plain matrix."""
    shape = document.stage_shape(stage)
    if math.prod(shape) > MOST_NUMBERS:
        raise UserError("answers.too_many", stage=stage, limit=MOST_NUMBERS)
    if len(shape) == 3 and shape[0] == 1 and _shape(values) == shape[1:]:
        values = [values]
    if _shape(values) != shape:
        axes = " × ".join(document.letters(stage_axes(stage)))
        actual = _shape(values)
        raise UserError("shape", name=f"values.{stage}", axes=axes, expected=shape, actual=actual)
    for index in np.ndindex(*shape):
        value = values
        for place in index:
            value = value[place]
        if value is not None:
            answer = _answer(value, f"values.{stage}" + "".join(f"[{i}]" for i in index))
            if answer is not None:
                yield index, answer


def _shape(values: Any) -> tuple[int, ...]:
    """The shape of nested lists as far as all lists of a depth have one length."""
    shape: list[int] = []
    level = [values]
    while level and all(isinstance(value, list) for value in level):
        lengths = {len(value) for value in level}
        if len(lengths) > 1:
            break
        shape.append(lengths.pop())
        level = [item for value in level for item in value]
    if any(isinstance(value, list | dict) for value in level):
        shape.append(0)  # a list in the place of a number, or rows of different lengths
    return tuple(shape)


def _answer(value: Any, place: str) -> Answer | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UserError("array.not_numeric").at(place)
    try:
        text = value if isinstance(value, str) else repr(value)
        if len(text) > LONGEST_NUMBER:
            raise UserError("number.unreadable", text=text[:LONGEST_NUMBER] + "…")
        return parse_answer(text)
    except UserError as problem:
        raise problem.at(place) from problem
    except ValueError as error:  # Python writes whole numbers of up to 4,300 digits
        raise UserError("number.too_large", text="…").at(place) from error


def dumps(document: Document, entries: Entries, name: str = "") -> bytes:
    """The answers to an experiment as a file: texts as typed, null for a blank."""
    fitting = fitting_entries(document, entries)
    values = {
        stage: _nested(document.stage_shape(stage), fitting[stage])
        for stage in plan(document).ids
        if stage in fitting
    }
    file = {
        "format": FORMAT,
        "version": VERSION,
        "experiment": experiment_id(document),
        "name": " ".join(clean_text(name).split())[:LONGEST_NAME],
        "values": values,
    }
    return (pretty(file) + "\n").encode("utf-8")


def _nested(shape: tuple[int, ...], cells: Mapping[Index, Answer]) -> Any:
    texts = np.full(shape, None, dtype=object)
    for index, answer in cells.items():
        texts[index] = answer.text
    return texts.tolist()


def write_answers(
    path: str | os.PathLike[str], document: Document, entries: Entries, name: str = ""
) -> None:
    """Write an answer file. Raises UserError "file.unwritable"."""
    write_bytes(path, dumps(document, entries, name))
