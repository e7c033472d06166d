"""`export --format worksheet` and `report`: files, options, refusals."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.document.create import Sizes, create
from core.storage.archive import save
from gui.cli import run_command_line
from tests.command_kit import refused
from tests.gui.sheets_kit import by_seed, pages

ROOT = Path(__file__).resolve().parent.parent
CAT = ("export", "--example", "cat-eats-fish", "--format")


def test_worksheets_in_a_process_of_their_own_need_no_screen(tmp_path: Path) -> None:
    out = tmp_path / "sheets.pdf"
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "QT_QPA_PLATFORM")
    }
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "main.py"),
            *CAT,
            "worksheet",
            "--seed",
            "4",
            "--sheets",
            "3",
            "-o",
            str(out),
        ],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list(by_seed(out.read_bytes())) == [4, 5, 6]


def test_the_key_in_a_file_of_its_own(tmp_path: Path, qapp: object) -> None:
    out = tmp_path / "sheets.pdf"
    options = ("--seed", "2", "--key", "separate", "--language", "zh_CN", "--decimals", "3")
    assert run_command_line([*CAT, "worksheet", *options, "-o", str(out)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["sheets-key.pdf", "sheets.pdf"]
    assert "四舍五入到3位小数" in pages(out.read_bytes())[0]
    assert pages((tmp_path / "sheets-key.pdf").read_bytes())[0].startswith("答案")


def test_stages_points_and_sums_on_the_command_line(tmp_path: Path, qapp: object) -> None:
    out = tmp_path / "sheet.pdf"
    options = ("--stages", "scores, weights", "--points", "2", "--points-per", "cell")
    command = [*CAT, "worksheet", *options, "--sums", "none", "--language", "en", "-o", str(out)]
    assert run_command_line(command) == 0
    text = "".join(pages(out.read_bytes()))
    assert "Totalpoints:____/42" in text  # 9 scores, 9 weights, 3 sums
    assert "1Scores" in text
    assert "2Attentionweights" in text
    assert "Scaledscores" not in text
    assert "Onecell" not in text


def test_both_languages_and_latex(tmp_path: Path, qapp: object) -> None:
    out = tmp_path / "sheets.tex"
    assert (
        run_command_line([*CAT, "worksheet", "--language", "both", "--columns", "-o", str(out)])
        == 0
    )
    text = out.read_text(encoding="utf-8")
    assert "Answer key" in text
    assert "答案" in text


@pytest.mark.parametrize("ending", ["pdf", "html"])
def test_a_report(tmp_path: Path, qapp: object, ending: str) -> None:
    out = tmp_path / f"report.{ending}"
    assert run_command_line([*CAT, "report", "--language", "en", "-o", str(out)]) == 0
    assert out.read_bytes().startswith(b"%PDF" if ending == "pdf" else b"<!DOCTYPE html>")


def test_the_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["export", "--list"]) == 0
    listed = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert {"worksheet", "report"} <= set(listed)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("worksheet", "-o", "x.html"), (".pdf", ".tex")),
        (("report", "-o", "x.tex"), (".pdf", ".html")),
        (("worksheet", "--sheets", "31", "-o", "x.pdf"), ("31", "1", "30")),
        (("worksheet", "--sheets", "0", "-o", "x.pdf"), ("0", "30")),
        (("worksheet", "--seed", "-1", "-o", "x.pdf"), ("-1",)),
        (("worksheet", "--seed", "²", "-o", "x.pdf"), ("²",)),
        (("worksheet", "--decimals", "5", "-o", "x.pdf"), ("5", "4")),
        (("worksheet", "--key", "maybe", "-o", "x.pdf"), ("maybe",)),
        (("worksheet", "--stages", "soft", "-o", "x.pdf"), ("soft", "scores")),
        (("worksheet", "--points", "101", "-o", "x.pdf"), ("101", "100")),
        (("report", "--points-per", "cell", "-o", "x.pdf"), ("--points-per", "worksheet")),
        (("report", "--seed", "1", "-o", "x.pdf"), ("--seed", "worksheet")),
        (("report", "--language", "both", "-o", "x.pdf"), ("both", "worksheet")),
        (("npz", "--decimals", "1", "-o", "x.npz"), ("--decimals",)),
        (("worksheet",), ("-o",)),
    ],
)
def test_what_does_not_fit_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    words: tuple[str, ...],
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, *CAT, *arguments)
    assert all(word in said for word in words)
    assert list(tmp_path.iterdir()) == []


def test_too_large_an_experiment_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.attn.json"
    save(create(tuple(f"t{i}" for i in range(70)), "qkv", Sizes()), path)
    out = tmp_path / "sheet.pdf"
    said = refused(capsys, "export", str(path), "--format", "worksheet", "-o", str(out))
    assert "too many for a worksheet" in said
    assert not out.exists()


def test_the_experiment_itself_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "lesson.pdf"
    save(create(("a", "b"), "qkv", Sizes()), path)
    before = path.read_bytes()
    refused(capsys, "export", str(path), "--format", "report", "-o", str(path))
    assert path.read_bytes() == before


def test_very_many_pages_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "gui.export.worksheets.files.worksheet_files", lambda *_arguments, **_named: {}
    )
    out = str(tmp_path / "a.pdf")
    command = ["export", "--example", "eight-heads", "--format", "worksheet", "--sums", "all"]
    assert run_command_line([*command, "-o", out]) == 0
    assert (
        capsys.readouterr().err
        == "note: about 1,500 pages; --key none leaves out the answer keys\n"
    )
    assert run_command_line([*CAT, "worksheet", "-o", out]) == 0
    assert capsys.readouterr().err == ""


def test_a_long_paper_says_on_a_terminal_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gui.export.worksheets.files.MANY", 3)
    out = tmp_path / "a.pdf"
    command = [*CAT, "worksheet", "-o", str(out)]
    assert run_command_line(command) == 0
    assert "page 1" not in capsys.readouterr().err, "no line that moves in a file or a pipe"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert run_command_line(command) == 0
    said = capsys.readouterr().err.split("\r")
    count = len(pages(out.read_bytes()))
    assert [line.split(" of ")[0] for line in said if line.startswith("page")] == [
        f"page {n}" for n in range(count + 1)
    ]
    assert said[-2].strip() == said[-1] == "", "wiped away at the end"


def test_what_is_stopped_leaves_the_file_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "a.pdf"
    out.write_text("before")

    def stopped(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gui.export.worksheets.printing._paint_page", stopped)
    assert run_command_line([*CAT, "worksheet", "-o", str(out)]) == 130
    assert capsys.readouterr().err == "Stopped.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.pdf"]
    assert out.read_text() == "before"
