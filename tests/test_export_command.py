"""`main.py export` as scripts use it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from core.compute.trace import run
from core.document.orientation import COLUMNS, ROWS
from core.exchange.exporters import EXPORTERS, write_export
from core.storage.archive import load, save
from core.storage.examples import load_example
from gui.cli import run_command_line
from gui.texts.exchange import FORMATS, file_labels, translated_document
from gui.texts.translation import languages, use_language
from tests.command_kit import refused
from tests.core.documents import make

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.attn.json"
    save(make(positional="learned", mask="custom", biases=True, output=True, pins=3), path)
    return path


@pytest.mark.parametrize("language", languages())
def test_the_formats_are_listed(capsys: pytest.CaptureFixture[str], language: str) -> None:
    assert run_command_line(["export", "--list", "--language", language]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    names = [name for name, _ in lines]
    assert names[: len(EXPORTERS)] == list(EXPORTERS) == list(FORMATS)
    assert len(names) == len(set(names))
    assert all(
        text[0].isupper() or (text[0] > "\u4e00" and language == "zh_CN") for _, text in lines
    )


@pytest.mark.parametrize("name", EXPORTERS)
def test_a_file_leaves_in_every_form_without_qt(
    name: str, experiment: Path, tmp_path: Path
) -> None:
    out = tmp_path / "出" / f"out{EXPORTERS[name].ending}"
    out.parent.mkdir()
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from gui.cli import run_command_line as run; "
        "assert run(['export', sys.argv[2], '--format', sys.argv[3], '-o', sys.argv[4]]) == 0; "
        "bad = [m for m in sys.modules if m.split('.')[0] in ('PySide6', 'shiboken6', 'pyqtgraph', 'ziamath')]; "
        "assert not bad, bad; assert sys.argv[3] == 'xlsx' or 'openpyxl' not in sys.modules"
    )
    command = [sys.executable, "-c", code, str(ROOT), str(experiment), name, str(out)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    assert [path.name for path in out.parent.iterdir()] == [out.name]
    assert any(out.iterdir()) if name == "csv" else out.stat().st_size > 0


def test_data_are_those_of_the_trace_and_what_was_entered(experiment: Path, tmp_path: Path) -> None:
    document = load(experiment)
    expected = run(document)
    names = {"tokens", "experiment", "mask", *document.inputs, *expected}
    for form in ("npz", "json"):
        out = str(tmp_path / f"a.{form}")
        assert run_command_line(["export", str(experiment), "--format", form, "-o", out]) == 0
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        assert set(arrays.files) == names
        assert all(arrays[stage].tobytes() == expected[stage].tobytes() for stage in expected)
    assert set(json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))) == names
    assert run_command_line(["trace", str(experiment), "-o", str(tmp_path / "b.npz")]) == 0
    with np.load(tmp_path / "b.npz", allow_pickle=False) as arrays:
        assert arrays.files == ["tokens", *expected]
        assert all(arrays[stage].tobytes() == expected[stage].tobytes() for stage in expected)


def test_the_workbook_speaks_the_language(tmp_path: Path) -> None:
    out = tmp_path / "a.xlsx"
    arguments = [
        "export",
        "--example",
        "cat-eats-fish",
        "--format",
        "xlsx",
        "-o",
        str(out),
        "--language",
        "zh_CN",
    ]
    assert run_command_line(arguments) == 0
    assert openpyxl.load_workbook(out).sheetnames == [
        "设置",
        "Q",
        "K",
        "V",
        "scores",
        "scaled",
        "exp",
        "weights",
        "heads",
        "Y",
        "experiment",
    ]
    use_language("zh_CN")
    assert file_labels().head.format(number=2) == "第 2 个头"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "an experiment is missing: FILE or --example ID (main.py export -h)"),
        (
            ["--example", "cat-eats-fish"],
            "the format is missing: --format NAME (main.py export --list)",
        ),
        (
            ["--example", "cat-eats-fish", "--format", "py"],
            "the file to write is missing: -o OUT (main.py export -h)",
        ),
    ],
)
def test_what_is_missing_is_named(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert refused(capsys, "export", *arguments) == said


def test_an_unknown_format_is_told_the_known_ones(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, "export", "--example", "cat-eats-fish", "--format", "docx", "-o", "OUT")
    assert said.startswith(
        "There is no format “docx”; there are xlsx, py, torch, ipynb, tex, npz, json, csv"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_experiment_itself_is_never_overwritten(
    capsys: pytest.CaptureFixture[str], experiment: Path
) -> None:
    before = experiment.read_bytes()
    assert "is the experiment itself" in refused(
        capsys, "export", str(experiment), "--format", "json", "-o", str(experiment)
    )
    assert experiment.read_bytes() == before


def test_bad_input_touches_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bad, out = tmp_path / "bad.attn.json", tmp_path / "out.py"
    bad.write_text("{")
    out.write_text("mine")
    assert str(bad) in refused(capsys, "export", str(bad), "--format", "py", "-o", str(out))
    assert out.read_text() == "mine"
    folder = tmp_path / "full"
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    said = refused(
        capsys, "export", "--example", "cat-eats-fish", "--format", "csv", "-o", str(folder)
    )
    assert said == f"{folder} contains other files; choose a new folder."
    assert [path.name for path in folder.iterdir()] == ["mine.txt"]
    said = refused(
        capsys,
        "export",
        "--example",
        "cat-eats-fish",
        "--format",
        "csv",
        "-o",
        str(tmp_path / "no" / "where"),
    )
    assert "cannot be written: there is no such file or folder" in said


def texts_of(path: Path) -> str:
    """What can be read in a file: of a workbook every cell and name of a sheet, of a notebook its sources."""
    if path.suffix == ".xlsx":
        book = openpyxl.load_workbook(path)
        cells = [cell.value for sheet in book for row in sheet.iter_rows() for cell in row]
        return "\n".join([*book.sheetnames, *(text for text in cells if isinstance(text, str))])
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text


@pytest.mark.parametrize("name", ["xlsx", "py", "torch", "ipynb", "tex"])
@pytest.mark.parametrize("example", ["translation", "apple-released-iphone"])
def test_titles_notes_heads_and_comments_are_in_the_language(
    name: str, example: str, tmp_path: Path
) -> None:
    path = tmp_path / f"a{EXPORTERS[name].ending}"
    document = load_example(example)
    arguments = [
        "export",
        "--example",
        example,
        "--format",
        name,
        "-o",
        str(path),
        "--language",
        "zh_CN",
    ]
    assert run_command_line(arguments) == 0
    use_language("zh_CN")
    text, said = texts_of(path), translated_document(document)
    assert said.title != document.title
    for english in (
        document.title,
        document.notes[:40],
        *(head.name for head in document.heads if head.name),
    ):
        assert english not in text
    assert (said.title in text) == (name != "xlsx")
    if name == "xlsx":
        assert all(head.name in text for head in said.heads if head.name)
    for comment in re.findall("  # (.*)$", text, re.MULTILINE):
        assert re.search("[\\u4e00-\\u9fff]", comment), comment


@pytest.mark.parametrize("name", ["xlsx", "py", "torch", "ipynb", "tex"])
def test_a_file_says_that_tokens_are_rows_where_the_window_shows_columns(
    name: str, tmp_path: Path
) -> None:
    for orientation, expected in ((ROWS, False), (COLUMNS, True)):
        path = tmp_path / f"a{EXPORTERS[name].ending}"
        write_export(load_example("cat-eats-fish"), name, path, file_labels(orientation))
        assert ("Tokens are rows in this file" in texts_of(path)) == expected


@pytest.mark.parametrize("name", [name for name, exporter in EXPORTERS.items() if exporter.ending])
def test_a_file_ends_as_its_format_does(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    others = {exporter.ending for exporter in EXPORTERS.values()} | {".pdf", ""}
    for ending in others - {EXPORTERS[name].ending}:
        out = tmp_path / f"out{ending}"
        said = refused(
            capsys, "export", "--example", "cat-eats-fish", "--format", name, "-o", str(out)
        )
        assert said == f"{out} must end in {EXPORTERS[name].ending}, which decides what is written."
    assert list(tmp_path.iterdir()) == []


def test_columns_name_the_formats_that_follow_them(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = refused(
        capsys,
        "export",
        "--example",
        "cat-eats-fish",
        "--format",
        "xlsx",
        "--columns",
        "-o",
        str(tmp_path / "a.xlsx"),
    )
    following = {"worksheet", "report", "pptx", "html", "gif", "webp", "mp4", "png", "svg", "pdf"}
    assert set(re.findall(r"[a-z0-9]+", said.partition("--format")[2])) == following


@pytest.mark.parametrize("ending", [".csv", ".XLSX", ".npy"])
def test_numbers_are_imported_not_opened(
    ending: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / f"mine{ending}"
    path.write_bytes(b"0.1,0.2\n0.3,0.4\n")
    said = refused(capsys, "export", str(path), "--format", "py", "-o", str(tmp_path / "a.py"))
    assert said.startswith(f"{path}: This is a file of numbers")
    assert "Ctrl+I" in said
    document = load_example("cat-eats-fish")
    save(document, path)
    assert load(path).tokens == document.tokens, "an experiment opens whatever it is called"
