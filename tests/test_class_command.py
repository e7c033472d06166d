"""`main.py class`: the counts for people and for programs, the table, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from core.classroom.answer_file import read_answers
from core.classroom.experiment_id import experiment_id
from core.storage.archive import save
from core.storage.examples import load_example
from gui.cli import run_command_line
from gui.texts.translation import use_language
from tests.command_kit import refused
from tests.core.class_kit import PLANTED, answer_text, planted_class

CAT = ("--example", "cat-eats-fish")


def counted(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    assert run_command_line(["class", *map(str, arguments), "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return json.loads(said.out)


def write(path: Path, name: str, first: str = "0.74", **other: Any) -> Path:
    rows = [[first, "0.44", "0.32"], ["1/2", "0.50", "0.5"], ["0.18", "0.58", None]]
    text = answer_text(load_example("cat-eats-fish"), name, {"scores": [rows]}, **other)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_id_of_a_file_and_of_an_example(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    document = load_example("four-words-causal")
    save(document, tmp_path / "x.attn.json")
    for source in (["--example", "four-words-causal"], [str(tmp_path / "x.attn.json")]):
        assert run_command_line(["class", *source, "--id"]) == 0
        assert capsys.readouterr().out.strip() == experiment_id(document)


def test_the_shape_of_the_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write(tmp_path / "a.answers.json", "Ada")
    write(tmp_path / "b.answers.json", "Bo", first="0.99")
    (tmp_path / "c.answers.json").write_text("{", encoding="utf-8")
    found = counted(capsys, *CAT, tmp_path)
    assert found["files"] == 2
    assert [one["file"] for one in found["refused"]] == ["c.answers.json"]
    assert "line 1" in found["refused"][0]["text"]
    assert len(found["cells"]) == 9
    assert found["cells"][0] == {
        "stage": "scores",
        "index": [0, 0, 0],
        "right": 1,
        "follows": 0,
        "wrong": 1,
        "blank": 0,
    }
    assert found["cells"][8]["blank"] == 2
    assert found["doubles"] == []
    assert [(one["name"], one["wrong"]) for one in found["students"]] == [("Ada", 0), ("Bo", 1)]


def test_planted_mistakes_are_those_that_check_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    planted_class(tmp_path)
    found = counted(capsys, *CAT, tmp_path)
    slips = {one["id"]: one["files"] for one in found["slips"] if one["mistake"]}
    assert slips == {name: count for name, count, _ in PLANTED if name}
    texts = {one["id"]: one["text"] for one in found["slips"]}
    assert texts["scale.by_dk"] == "The scores were divided by d_k = 2 instead of √d_k."
    assert len(texts) == len(found["slips"])


def test_the_text_names_stages_mistakes_and_what_does_not_count(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    planted_class(tmp_path)
    write(tmp_path / "again.answers.json", "STUDENT 01")
    (tmp_path / "z.answers.json").write_text("[]", encoding="utf-8")
    assert run_command_line(["class", *CAT, str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "30 students"
    assert "  • 7 × The scores were divided by d_k = 2 instead of √d_k." in lines
    assert any(line.startswith("Refused: z.answers.json: ") for line in lines)
    assert "student 01: 2 files; the newest counts." in [line.lower() for line in lines]
    assert not any("Consistent with your own" in line for line in lines)


def test_a_table_has_a_line_for_each_student(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    write(tmp_path / "a.answers.json", '=HYPERLINK("x")')
    write(tmp_path / "b.answers.json", "<b>Bo</b>", first="0.99")
    out = tmp_path / "class.csv"
    counted(capsys, *CAT, tmp_path, "-o", out)
    rows = list(csv.reader(out.read_text(encoding="utf-8-sig").splitlines()))
    assert [row[0] for row in rows] == ["Student", '\'=HYPERLINK("x")', "<b>Bo</b>"]
    assert rows[0][6] == "scores[1, 1, 1]"
    assert [row[6] for row in rows[1:]] == ["right", "wrong"]
    assert [row[14] for row in rows[1:]] == ["blank", "blank"]
    assert rows[2][1:5] == ["7", "0", "1", "1"]


def test_hidden_names_are_nowhere(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write(tmp_path / "Ada.answers.json", "Ada")
    write(tmp_path / "Ada again.answers.json", "Ada")
    write(tmp_path / "Bo.answers.json", "Bo", first="0.99")
    (tmp_path / "Cy.answers.json").write_text("{", encoding="utf-8")
    (tmp_path / "Di.answers.json").symlink_to(tmp_path / "Edna")
    out = tmp_path / "class.csv"
    for form in ((), ("--json",)):
        arguments = ["class", *CAT, str(tmp_path), "--hide-names", "-o", str(out), *form]
        assert run_command_line(arguments) == 0
        said = capsys.readouterr().out + out.read_text(encoding="utf-8-sig")
        assert not [
            name for name in ("Ada", "Bo", "Cy", "Di", "Edna", str(tmp_path)) if name in said
        ]


def test_check_writes_answers_that_class_reads(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("0.74,0.44,0.32\n1/2,,0.50\n0.18,58%,0.900\n", encoding="utf-8")
    out = tmp_path / "ada.answers.json"
    arguments = ["--values", f"scores={table}", "-o", str(out), "--name", "Ada"]
    assert run_command_line(["check", *CAT, *arguments]) == 0
    capsys.readouterr()
    typed = [["0.74", "0.44", "0.32"], ["1/2", None, "0.50"], ["0.18", "58%", "0.900"]]
    assert read_answers(out).values == {"scores": [typed]}
    found = counted(capsys, *CAT, out)
    assert (found["files"], found["cells"][4]["blank"], found["cells"][8]["wrong"]) == (1, 1, 1)
    assert found["students"][0]["name"] == "Ada"


def test_given_numbers_count_as_in_check(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    document = load_example("which-apple-pronoun")
    source = tmp_path / "x.attn.json"
    save(document, source)
    stage = "scores"
    values = [
        [[f"{i * 0.31 + j * 0.17:.2f}" for j in range(document.m)] for i in range(document.n)]
    ]
    table = tmp_path / "v.csv"
    table.write_text("\n".join(",".join(row) for row in values[0]), encoding="utf-8")
    answers = tmp_path / "v.answers.json"
    for given in ((), ("--given", "exact"), ("--given", "rounded")):
        arguments = [str(source), "--values", f"{stage}={table}", *given, "--json"]
        assert run_command_line(["check", *arguments, "-o", str(answers)]) == 0
        checked = json.loads(capsys.readouterr().out)["cells"]
        cells = counted(capsys, source, answers, *given)["cells"]
        assert [cell["index"] for cell in cells] == [cell["index"] for cell in checked]
        assert all(cell[one["verdict"]] == 1 for cell, one in zip(cells, checked, strict=True))


def test_what_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "needs an experiment" in refused(capsys, "class")
    assert "needs answers" in refused(capsys, "class", *CAT)
    assert "no answers in these folders" in refused(capsys, "class", *CAT, str(tmp_path))
    foreign = write(tmp_path / "a.answers.json", "Ada", experiment="0" * 64)
    said = refused(capsys, "class", *CAT, str(foreign))
    assert said.startswith("a.answers.json: These answers belong to another experiment")
    (tmp_path / "b.answers.json").write_text("{", encoding="utf-8")
    assert "none of 2 files" in refused(capsys, "class", *CAT, str(tmp_path))
    good = write(tmp_path / "c.answers.json", "Cy")
    assert ".csv" in refused(capsys, "class", *CAT, str(good), "-o", "out.txt")
    before = good.read_bytes()
    assert refused(
        capsys, "check", *CAT, "--values", "scores=x.csv", "-o", str(tmp_path / "x.json")
    )
    assert good.read_bytes() == before


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_places_of_answers_are_said_in_words(
    language: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = write(tmp_path / "a.answers.json", "Ada", first="half")
    said = refused(capsys, "class", *CAT, str(path), "--language", language)
    use_language("en")
    words = {"en": "head 1, row 1, column 1", "zh_CN": "第 1 个头、第 1 行、第 1 列"}
    assert "values.scores[0][0][0]" in said
    assert words[language] in said
