"""Every kind of file that the program reads: whole ones to begin with, and what opening one means. Free of windows."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from openpyxl import Workbook

from core.base.errors import UserError
from core.check.answers import stated_arrays
from core.check.marking import check
from core.classroom.answer_file import entries_from, read_answers
from core.classroom.experiment_id import experiment_id
from core.classroom.marking import mark_class
from core.compute.trace import run
from core.exchange.code import experiment_code, read_code
from core.exchange.experiment_import import import_experiment
from core.exchange.tables import list_tables, read_table
from core.labs.lab import LABS
from core.lesson import lesson
from core.lesson.lesson import (
    ExampleSource,
    FileSource,
    InlineSource,
    Lesson,
    LessonScene,
    LocalizedText,
    lesson_path,
)
from core.storage import archive
from core.storage.examples import EXAMPLES, load_example

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: how its name ends, whole files of it, and the program's way of opening one."""

    name: str
    suffix: str
    seeds: Callable[[], list[bytes]]
    open: Callable[[Path], object]
    beside: Callable[[], dict[str, bytes]] = dict  # files that it needs in its folder

    def place(self, folder: Path, name: str, data: bytes) -> Path:
        """The data as a file in a folder, with what it needs."""
        path = folder / f"{name}{self.suffix}"
        path.parent.mkdir(exist_ok=True)
        for other, content in self.beside().items():
            if not (path.parent / other).exists():
                (path.parent / other).write_bytes(content)
        path.write_bytes(data)
        return path


def _experiments() -> list[bytes]:
    golden = [path.read_bytes() for path in sorted(GOLDEN.glob("*.attn.json"))]
    return [*golden, *(archive.dumps(load_example(name)) for name in EXAMPLES)]


def _lessons() -> list[bytes]:
    """Lessons that ship, one that reads a file beside it, one with an experiment inside."""
    inline = InlineSource(archive.dumps(load_example(EXAMPLES[0])).decode())
    own = [
        Lesson((LessonScene(source=source, title=LocalizedText({"en": "a", "zh_CN": "甲"})),))
        for source in (FileSource("near.attn.json"), inline)
    ]
    shipped = [
        lesson_path(name).read_bytes()
        for name in ("first-steps", *(f"lab-{lab}" for lab in LABS[::5]))
    ]
    whole = Lesson(
        (LessonScene(source=ExampleSource(EXAMPLES[1])), LessonScene()),
        LocalizedText({"en": "x", "zh_CN": "x"}),
    )
    return [*shipped, *(lesson.dumps(one) for one in (*own, whole))]


def _open_experiment(path: Path) -> object:
    document = archive.load(path)
    return run(document), archive.loads(archive.dumps(document))


def _open_lesson(path: Path) -> object:
    return [shown.trace for shown in lesson.resolve_all(lesson.load(path))]


def _open_numbers(path: Path) -> object:
    """As the import dialog reads: what there is, the first part, and whether it is an experiment."""
    parts = list_tables(path)
    found = [read_table(path, part.name or None) for part in parts[:2]]
    try:
        return found, import_experiment(path, str)
    except UserError as problem:
        return found, problem


def _npy() -> list[bytes]:
    arrays = (
        np.arange(6.0).reshape(2, 3),
        np.ones((2, 3, 4), np.float32),
        np.array([True, False]),
        np.arange(3),
    )
    return [
        _saved(np.save, array) for array in (*arrays, np.asfortranarray(np.eye(3)), np.float64(3))
    ]


def _npz() -> list[bytes]:
    x, w = np.arange(6.0).reshape(3, 2), np.eye(2)
    named = {"X": x, "W_Q": w, "W_K": w, "W_V": w, "tokens": np.array(["a", "b", "猫"])}
    return [_saved(np.savez, **named), _saved(np.savez_compressed, **named), _saved(np.savez, a=x)]


def _saved(write: Callable[..., None], *arrays: object, **named: object) -> bytes:
    file = io.BytesIO()
    write(file, *arrays, **named)
    return file.getvalue()


def _sheets() -> list[bytes]:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (["", "a", "b"], ["x", 1.5, "1/3"], ["y", -2, 4]):
        sheet.append(row)
    book.create_sheet("W_Q").append([1, 2])
    file = io.BytesIO()
    book.save(file)
    return [file.getvalue()]


def _texts() -> list[bytes]:
    texts = (
        ",a,b\nx,1.5,-2\ny,1/3,4\n",
        "1;2,5\n3;4\n",
        "1\t2\n\n3\t4\n",
        "[[1, 2], [3, 4]]",
        "{{1,2},{3,4}}",
        "\\begin{bmatrix}1&2\\\\3&4\\end{bmatrix}",
        "tensor([[1., 2.],\n        [3., 4.]])",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "[1 2; 3 4]",
        '"1,5","2"\n"3","4"\n',
        "√2 2π 50%\nsin(1) e^2 2^-1\n",
    )
    return [text.encode() for text in texts] + [
        "1\t2\n3\t4".encode("utf-16"),
        "甲,乙\n1,2".encode("gb18030"),
    ]


def _json() -> list[bytes]:
    trees = (
        {"X": [[1, 2], [3, 4]], "heads": [{"W_Q": [[1, 0], [0, 1]]}], "tokens": ["a", "b"]},
        [[1, 2], [3, 4]],
    )
    return [json.dumps(tree).encode() for tree in trees] + _experiments()[:2]


def _answers() -> list[bytes]:
    """Answers to the first example: right ones, a mistake, blanks and expressions."""
    document = load_example(EXAMPLES[0])
    trace = run(document)
    some = {stage: np.round(trace[stage], 2).tolist() for stage in ("scores", "weights", "Y")}
    halved = np.round(trace["scores"] / document.k, 2).tolist()
    typed = [[["1/2", "50%", "-inf"], [None, "√2", "0.50"], ["", " 1 ", 3]]]
    sheets = [some, {"scaled": halved}, {"scores": typed}, {}]
    head = {"format": "self-attention-answers", "version": 1, "experiment": experiment_id(document)}
    return [json.dumps({**head, "name": "甲", "values": values}).encode() for values in sheets]


def _open_answers(path: Path) -> object:
    document = load_example(EXAMPLES[0])
    entries = entries_from(document, read_answers(path))
    return check(document, stated_arrays(document, entries)), mark_class(document, [path])


def _codes() -> list[bytes]:
    found = [experiment_code(load_example(name)).encode() for name in EXAMPLES[:4]]
    return [*found, b"https://example.org/page.html#" + found[0]]


def _open_code(path: Path) -> object:
    try:
        return run(read_code(path.read_bytes().decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise UserError("code.unreadable") from error


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("experiment", ".attn.json", _experiments, _open_experiment),
        Kind("lesson", ".lesson.json", _lessons, _open_lesson),
        Kind("npy", ".npy", _npy, _open_numbers),
        Kind("npz", ".npz", _npz, _open_numbers),
        Kind("xlsx", ".xlsx", _sheets, _open_numbers),
        Kind("csv", ".csv", _texts, _open_numbers),
        Kind("json", ".json", _json, _open_numbers),
        Kind("answers", ".answers.json", _answers, _open_answers),
        Kind("code", ".txt", _codes, _open_code),
    )
}
