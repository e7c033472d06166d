"""What the fuzzer feeds: every reader of the program, with the laws of what it accepts. Free of windows.

A reader opens the file and raises UserError where it refuses. Anything else that is raised is a fault: an exception that
nobody foresaw, or an AssertionError where what was accepted does not come back from the program's own writer, or is
not what an independent reader makes of the file.
"""

from __future__ import annotations

import io
import json
import ntpath
import posixpath
import re
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from core.base import number_format as numbers
from core.base.errors import UserError
from core.check.answers import parse_answer
from core.check.marking import check
from core.compute.trace import Trace, run
from core.exchange.experiment_import import import_experiment
from core.exchange.exporters import export
from core.exchange.expression import LONGEST, parse_number
from core.exchange.paste import (
    LabelledMatrix,
    parse_cells,
    parse_labelled,
    parse_matrix,
    parse_tensor,
)
from core.exchange.role_names import role_of_name
from core.exchange.tables import list_tables, read_table
from core.exchange.write import FORMS, write
from core.lesson import lesson
from core.lesson.changes import require_place
from core.lesson.lesson_file import TEXTS, require_inside
from core.storage import archive
from core.storage.examples import EXAMPLES, load_example
from tests.soak.file_kinds import KINDS, Kind
from tests.soak.fuzz_oracles import number_lists, plain_value, same, simple_csv, tree_of
from tests.soak.laws import broken_numbers
from tests.soak.opening import audit, unsaid

LARGEST_RUN = 1 << 16  # scores of an experiment that is run, too
SMALL = load_example(EXAMPLES[0])
SELDOM = 32  # one in so many inputs goes a long way, too: exported and read back, marked


def _experiment(path: Path) -> None:
    document = archive.load(path)
    data = archive.dumps(document)
    assert archive.dumps(archive.loads(data)) == data
    assert tree_of(data) == tree_of(path.read_bytes())
    if document.h * document.n * document.m > LARGEST_RUN:
        return
    trace = run(document)
    assert broken_numbers(trace) == []
    if zlib.crc32(data) % SELDOM == 0:
        _read_back(document, trace, path.parent)


def _read_back(document: Any, trace: Trace, folder: Path) -> None:
    """What the program exports it reads again."""
    for name in ("npz", "json"):
        file = folder / f"exported.{name}"
        content = export(document, name)
        assert isinstance(content, bytes)
        _put(file, content)
        for listed in list_tables(file):
            if (
                listed.name in trace and np.isfinite(trace[listed.name]).all()
            ):  # with −∞ the rows stand alone
                table = read_table(file, listed.name)
                assert same(table.values.ravel(), trace[listed.name].ravel()), (name, listed.name)
        import_experiment(file, str)


def _lesson(path: Path) -> None:
    found = lesson.load(path)
    data = lesson.dumps(found)
    again = lesson.loads(data, path.parent)
    assert again == found
    assert lesson.dumps(again) == data
    told, own = (
        json.loads(text.decode("utf-8-sig"))["scenes"] for text in (path.read_bytes(), data)
    )
    assert [*map(_said, own)] == [*map(_said, told)]


def _said(scene: dict[str, Any]) -> dict[str, Any]:
    """What a scene says in its own words, and where it stands."""
    words = {
        key: {name: text for name, text in scene.get(key, {}).items() if text} for key in TEXTS
    }
    return {
        **{key: text for key, text in words.items() if text},
        "stage": (scene.get("at") or {}).get("stage"),
    }


def _tables(path: Path, check: Callable[[Path, list[LabelledMatrix]], None]) -> None:
    """As the import dialog reads: what there is, each part, and whether it is an experiment."""
    refused: list[UserError] = []
    found: list[LabelledMatrix] = []
    for listed in list_tables(path)[:4]:
        _try(refused, lambda name=listed.name: found.append(read_table(path, name or None)))
    check(path, found)
    for table in found[:2]:
        _comes_back(table.values)
    _try(refused, lambda: import_experiment(path, str))
    _raise(refused)


def _try(refused: list[UserError], act: Callable[[], object]) -> Any:
    """What an attempt gives; one that is refused is none, and its sentence is looked at."""
    try:
        return act()
    except UserError as problem:
        wrong = unsaid(problem)
        assert not wrong, wrong
        refused.append(problem)
        return None


def _raise(refused: list[UserError]) -> None:
    if refused:
        raise refused[0]


def _comes_back(values: np.ndarray[Any, Any]) -> None:
    """Numbers written in any notation read as the very same ones."""
    if values.size > 400:
        return
    for form in FORMS:
        text = write(values, form)
        read = parse_tensor(text) if values.ndim == 3 else parse_matrix(text)
        assert same(read, values), (form, text[:200])


def _npy(path: Path, found: list[LabelledMatrix]) -> None:
    expected = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
    for table in found:
        assert same(table.values.ravel(), expected.astype(np.float64).ravel())
        assert table.values.ndim in (2, 3)


def _npz(path: Path, found: list[LabelledMatrix]) -> None:
    if not found or not path.read_bytes().startswith(
        b"PK"
    ):  # numpy looks there, zipfile at the end
        return
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
        for table in found:
            assert same(table.values.ravel(), arrays[table.name].astype(np.float64).ravel()), (
                table.name
            )


def _xlsx(path: Path, found: list[LabelledMatrix]) -> None:
    """The numbers of a sheet are among those that openpyxl finds when it reads the whole book."""
    from openpyxl import load_workbook

    if not found:
        return
    try:
        book = load_workbook(path, data_only=True)
        small = [
            sheet for sheet in book.worksheets if sheet.max_row * sheet.max_column < LARGEST_RUN
        ]
        sheets = {sheet.title: [*sheet.iter_rows(values_only=True)] for sheet in small}
    except Exception:  # it builds styles and drawings, too, which a stream of rows goes without
        return
    for table in found:
        if table.name in sheets:
            cells = [cell for row in sheets[table.name] for cell in row if cell is not None]
            texts = {str(cell).strip() for cell in cells}
            plain = {float(cell) for cell in cells if isinstance(cell, int | float)}
            plain |= {
                value for text in texts if (value := _quietly(parse_number, text)) is not None
            }
            assert plain.issuperset(table.values.ravel().tolist())


def _quietly(act: Callable[[str], Any], text: str) -> Any:
    try:
        return act(text)
    except UserError:
        return None


def _csv(path: Path, found: list[LabelledMatrix]) -> None:
    text = path.read_bytes().decode("utf-8-sig", "replace")
    expected = simple_csv(text)
    if expected is not None:
        assert found, text[:200]
        assert found[0].values.tolist() == expected


def _json(path: Path, found: list[LabelledMatrix]) -> None:
    lists = set(number_lists(json.loads(path.read_bytes())))
    for table in found:
        assert tuple(table.values.ravel().tolist()) in lists, table.name


def _paste(path: Path) -> None:
    """The clipboard's text through every door."""
    text = path.read_bytes().decode("utf-8", "replace")
    refused: list[UserError] = []
    matrix = _try(refused, lambda: parse_matrix(text))
    labelled = _try(refused, lambda: parse_labelled(text))
    stack = _try(refused, lambda: parse_tensor(text))
    cells = _try(refused, lambda: parse_cells(text))
    if matrix is not None:
        assert labelled is not None
        assert cells is not None
        assert same(labelled.values, matrix)
        assert np.isfinite(matrix).all()
        _comes_back(matrix)
        if len(cells) == 1 and "," not in text and cells[0] and len(cells[0]) == len(matrix):
            alone = [[_quietly(parse_number, cell) for cell in row] for row in cells[0]]
            assert matrix.tolist() == alone or matrix.size > 400
    if stack is not None:
        _comes_back(stack)
    if labelled is not None:
        assert len(labelled.rows) in (0, labelled.values.shape[-2])
        assert len(labelled.columns) in (0, labelled.values.shape[-1])
    expected = simple_csv(text)
    assert expected is None or (matrix is not None and matrix.tolist() == expected)
    _raise(refused)


def _typed(path: Path) -> None:
    """A text as whatever may be typed: a number, a learner's number, a place, a tensor's name, a file's name."""
    text = path.read_bytes().decode("utf-8", "replace")
    refused: list[UserError] = []
    value = _try(refused, lambda: parse_number(text))
    learned = _try(refused, lambda: parse_answer(text))
    read = _try(refused, lambda: numbers.read(text))
    expected = plain_value(text)
    if expected is not None and len(text) < 300:
        assert value == expected or _as_written(text, expected), (value, expected)
    if value is not None:
        assert np.isfinite(value)
        assert parse_number(numbers.exact(value)) == value
        assert learned is not None
        assert learned.number.value == value
    assert read is None or read == value or len(text) > 4 * LONGEST
    if learned is not None and zlib.crc32(path.read_bytes()) % SELDOM == 0:
        n, m = SMALL.n, SMALL.m
        _try(
            refused,
            lambda: check(
                SMALL, {stage: [[learned.number] * m] * n for stage in ("scores", "weights")}
            ),
        )
    role_of_name(text)
    _try(refused, lambda: require_place(text))
    try:
        require_inside(text, "")
    except UserError as problem:
        refused.append(problem)
    else:
        _require_below(text)
    _raise(refused)


def _as_written(text: str, expected: float) -> bool:
    """Whether another reading than the calculator's is meant: 1.234.567 and its like are never seen by it, 5000 digits
    are refused."""
    return not np.isfinite(expected) or len(text) > 400


def _require_below(path: str) -> None:
    """A path that a lesson may name stays below the lesson's folder, on any system."""
    assert (
        posixpath.normpath(posixpath.join("/a/b", path)).startswith("/a/b/")
        or posixpath.normpath(path) == "."
    )
    assert not any(part.split(".")[0].upper() in ("CON", "NUL", "COM1") for part in path.split("/"))
    whole = ntpath.normpath(ntpath.join("C:\\a\\b", path))
    assert whole.startswith("C:\\a\\b\\") or ntpath.normpath(path) == ".", whole


def _range(path: Path) -> None:
    """A range of a sheet as it is typed."""
    text = path.read_bytes().decode("utf-8", "replace")
    book = path.with_name("book.xlsx")
    if not book.exists():
        _put(book, KINDS["xlsx"].seeds()[0])
    read_table(book, None, text)


def _home(path: Path) -> None:
    """Preferences, layout and what recovery says of itself: whatever stands in them, nothing is raised."""
    from gui.session.preferences import home, load_layout, load_preferences, save_preferences
    from gui.storage.recovery_store import read_entry, recovery_folder

    data, whole = path.read_bytes(), recovery_folder() / "dead.attn.json"
    for name in ("preferences.json", "layout.json", "recovery/dead.origin.json"):
        _put(home() / name, data)
    if not whole.exists():
        _put(whole, KINDS["experiment"].seeds()[0])
    found = load_preferences()
    assert all(isinstance(part, bytes) for part in load_layout().values())
    entry = read_entry("dead")
    assert entry is not None
    assert entry.document is not None
    with audit().paused():
        assert save_preferences(found)
    assert load_preferences() == found


def _put(path: Path, data: bytes) -> None:
    with audit().paused():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _home_seeds() -> list[bytes]:
    origin = {
        "path": "/tmp/x.attn.json",
        "lesson": "/tmp/y.lesson.json",
        "folder": "/tmp",
        "scene": 0,
    }
    layout = {"geometry": "AAECAw==", "state": "/////w=="}
    preferences = {
        "language": "zh_CN",
        "labels": "both",
        "theme": "dark",
        "text_size": 125,
        "decimals": 3,
        "grain": "cell",
        "speed": 1.5,
        "motion": False,
        "fractions": True,
        "columns": True,
        "code": "torch",
        "code_line": False,
        "heatmap_stage": "weights",
        "heatmap_levels": "stage",
        "heatmap_view": "heads",
        "recent": ["/tmp/a.attn.json"],
        "presented": [["scores", "diagram/stage"]],
    }
    return [json.dumps(tree).encode() for tree in (origin, layout, preferences)]


def _pasted() -> list[bytes]:
    array = np.array([[1.5, -2.0], [1 / 3, 4e-300]])
    return KINDS["csv"].seeds() + [
        write(value, form).encode() for value in (array, array[None]) for form in FORMS
    ]


def _spoken() -> list[bytes]:
    texts = (
        "1/3",
        "√3",
        "sqrt(2)/2",
        "2^-1",
        "2π",
        "50 %",
        "-2^2",
        "1,5",
        "1.234,5",
        "1.5×10³",
        "½",
        "2½",
        "Sqrt[2]",
        "1`5",
        "1.5*^3",
        "\\frac{1}{2}",
        "\\sqrt[3]{8}",
        "−∞",
        "nan",
        "１．５",
        "e^2",
        "log10(100)",
        "heads[0].W_Q[1][0]",
        "W_Q_1",
        "near.attn.json",
        "below/near.attn.json",
        "(1+2)*3/4-5",
        "1e999",
        "2(3)",
        "1..2",
    )
    return [text.encode() for text in texts]


def _ranges() -> list[bytes]:
    return [b"A1:C3", b"B2", b"$B$2:$C$3", b"b2:c3", b"A:C", b"2:3", b"XFD1048576"]


def _npy_seeds() -> list[bytes]:
    return [*KINDS["npy"].seeds(), *(_npy_of_version(version) for version in ((2, 0), (3, 0)))]


def _npy_of_version(version: tuple[int, int]) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.arange(6.0).reshape(2, 3), version=version)
    return file.getvalue()


def _as_kind(name: str, check: Callable[[Path, list[LabelledMatrix]], None]) -> Kind:
    kind = KINDS[name]
    return Kind(name, kind.suffix, kind.seeds, lambda path: _tables(path, check))


READERS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind("experiment", ".attn.json", KINDS["experiment"].seeds, _experiment),
        Kind("lesson", ".lesson.json", KINDS["lesson"].seeds, _lesson),
        Kind("home", ".json", _home_seeds, _home),
        Kind("npy", ".npy", _npy_seeds, _as_kind("npy", _npy).open),
        _as_kind("npz", _npz),
        _as_kind("xlsx", _xlsx),
        _as_kind("csv", _csv),
        _as_kind("json", _json),
        Kind("paste", ".txt", _pasted, _paste),
        Kind("typed", ".txt", _spoken, _typed),
        Kind("range", ".txt", _ranges, _range),
    )
}

# The modules whose lines tell how far the fuzzer has come.
ROOMS: dict[str, tuple[str, ...]] = {
    "experiment": (
        "core.storage.archive",
        "core.base.json_reader",
        "core.storage.archive",
        "core.document.document",
    ),
    "lesson": (
        "core.lesson.lesson_file",
        "core.lesson.resolve",
        "core.lesson.changes",
    ),
    "home": ("gui.session.preferences", "gui.storage.recovery_store"),
    "npy": ("core.exchange.array_files",),
    "npz": ("core.exchange.array_files", "core.exchange.experiment_import"),
    "xlsx": ("core.exchange.xlsx_tables", "core.exchange.experiment_import"),
    "csv": (
        "core.exchange.tables",
        "core.exchange.paste",
        "core.exchange.readers.tables",
        "core.exchange.grid",
    ),
    "json": ("core.exchange.array_files", "core.exchange.experiment_import"),
    "paste": (
        "core.exchange.paste",
        "core.exchange.readers.brackets",
        "core.exchange.readers.tables",
        "core.exchange.grid",
        "core.exchange.write",
    ),
    "typed": (
        "core.exchange.expression",
        "core.base.number_format",
        "core.check.answers",
    ),
    "range": ("core.exchange.xlsx_tables",),
}


def small_seeds(kind: Kind, largest: int) -> list[bytes]:
    """The whole files to begin with; those that take long to change usefully are left out."""
    return [data for data in kind.seeds() if len(data) <= largest]


def words(seeds: Iterable[bytes]) -> list[bytes]:
    """The keys and names of whole files: what a fuzzer could not guess."""
    found = {match[1] for data in seeds for match in re.finditer(rb'"([A-Za-z_]{1,24})"', data)}
    return sorted(found)
