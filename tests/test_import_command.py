"""`main.py import`: the list, the experiment, the questions, and every export back again."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.archive import load
from core.storage.archive import dumps
from core.storage.examples import load_example
from gui.cli import run_command_line
from gui.texts.translation import language_folder
from tests.command_kit import refused

PAGES = Path(__file__).parent / "core" / "pages"
LAYERS = """X = [[1, 0, 2], [0, 2, 1]]
q_proj.weight = [[0.5, -0.5, 0.0], [0.0, 1.0, 0.5], [0.5, 0.0, -1.0]]
k_proj.weight = [[1.0, 0.0, 0.5], [0.5, 0.5, 0.0], [0.0, -1.0, 0.5]]
v_proj.weight = [[1.0, 0.0, 1.0], [0.0, 2.0, -1.0]]
"""


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "layers.md"
    path.write_text(LAYERS, encoding="utf-8")
    return path


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert run_command_line(["import", *arguments, "--list", "--json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


def test_the_list_as_json(capsys: pytest.CaptureFixture[str], page: Path) -> None:
    found = listed(capsys, str(page))
    assert [set(entry) for entry in found] == [{"name", "shape", "role", "place", "question"}] * 4
    assert [entry["role"] for entry in found] == ["X", "W_Q", "W_K", "W_V"]
    assert found[1]["name"] == "q_proj.weight"
    assert found[1]["shape"] == [3, 3]
    assert found[1]["place"] == "line 2"
    assert [bool(entry["question"]) for entry in found] == [False, True, True, False]
    assert "?" in found[1]["question"]


def test_the_list_as_lines(capsys: pytest.CaptureFixture[str], page: Path) -> None:
    assert run_command_line(["import", str(page)]) == 0
    lines = [line.split("\t") for line in capsys.readouterr().out.splitlines()]
    assert [line[:5] for line in lines][3] == ["4", "v_proj.weight", "2×3", "W_V", "line 4"]


def test_a_question_is_one_line_and_nothing_is_written(
    capsys: pytest.CaptureFixture[str], page: Path, tmp_path: Path
) -> None:
    said = refused(capsys, "import", str(page), "-o", str(tmp_path / "out.attn.json"))
    assert "?" in said
    assert "q_proj.weight" in said
    assert not (tmp_path / "out.attn.json").exists()


@pytest.mark.parametrize(("suffix", "corner"), [("", -0.5), (".T", 0.0)])
def test_a_role_answers_the_question(
    page: Path, tmp_path: Path, suffix: str, corner: float
) -> None:
    out = tmp_path / "out.attn.json"
    roles = [f"--role={name}_proj.weight=W_{name.upper()}{suffix}" for name in "qk"]
    assert run_command_line(["import", str(page), *roles, "-o", str(out)]) == 0
    document = load(out)
    assert document.heads[0].W_Q is not None
    assert document.heads[0].W_Q[0, 1] == corner
    assert document.title == "layers"


def test_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    text = (PAGES / "qkv.md").read_bytes()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text)))
    out = tmp_path / "out.attn.json"
    assert run_command_line(["import", "-", "-o", str(out)]) == 0
    assert load(out).source == "qkv"
    assert "9" in capsys.readouterr().err  # of the printed results


def test_roles_by_name_by_number_and_left_out(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, out = tmp_path / "a.txt", tmp_path / "out.attn.json"
    path.write_text(
        "one = [[1, 2], [3, 4]]\ntwo = [[5, 6], [7, 9]]\n[[1], [2]]\nQ = [[0, 0], [1, 1]]\n"
    )
    roles = ["--role=one=Q", "--role=two=K", "--role=3=V", "--role=Q=-"]
    assert run_command_line(["import", str(path), *roles, "-o", str(out)]) == 0
    head = load(out).heads[0]
    assert head.Q is not None
    assert head.V is not None
    assert (head.Q.tolist(), head.V.tolist()) == ([[1, 2], [3, 4]], [[1], [2]])
    assert "other" in refused(capsys, "import", str(path), "--role=other=Q")
    assert "nonsense" in refused(capsys, "import", str(path), "--role=one=nonsense")
    assert "--role" in refused(capsys, "import", str(path), "--role=one")


@pytest.mark.parametrize("form", ["npz", "json", "xlsx"])
@pytest.mark.parametrize("example", ["cat-eats-fish", "translation"])
def test_an_export_gives_back_the_same_experiment(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str, example: str
) -> None:
    path, out = tmp_path / f"export.{form}", tmp_path / "out.attn.json"
    export = ["export", "--example", example, "--format", form, "-o", str(path)]
    assert run_command_line(export) == 0
    assert run_command_line(["import", str(path), "-o", str(out)]) == 0
    document, back = load_example(example, language_folder("en")), load(out)
    assert [tensor.tolist() for tensor in _tensors(document)] == [
        tensor.tolist() for tensor in _tensors(back)
    ]
    assert (back.tokens, back.scale, back.positional.kind) == (
        document.tokens,
        document.scale,
        document.positional.kind,
    )
    if form != "xlsx":
        assert dumps(back) == dumps(document)
    capsys.readouterr()
    assert {entry["role"] for entry in listed(capsys, str(path))} >= set(document.inputs)


def _tensors(document: Any) -> list[Any]:
    found = [document.tensor(name, head) for name in document.inputs for head in range(document.h)]
    return [tensor for tensor in found if tensor is not None]


def test_a_matrix_that_cannot_be_read_is_named_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Q = [[1, 2], [3, 4]]\nK = [[1, ..., 0], [0, 1]]\nV = [[1], [2]]\n")
    said = refused(capsys, "import", str(path), "-o", str(tmp_path / "out.attn.json"))
    assert "line 2" in said
    assert "…" in said
    assert "problem" in listed(capsys, str(path))[1]


def test_bad_input(capsys: pytest.CaptureFixture[str], page: Path, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text("Nothing here.")
    assert "missing.npz" in refused(capsys, "import", str(tmp_path / "missing.npz"))
    assert "empty.md" in refused(capsys, "import", str(tmp_path / "empty.md"))
    roles = ["--role=q_proj.weight=W_Q", "--role=k_proj.weight=W_K"]
    assert "out.png" in refused(
        capsys, "import", str(page), *roles, "-o", str(tmp_path / "out.png")
    )
    assert "W_K" in refused(capsys, "import", str(page), "--role=k_proj.weight=-", "-o", str(page))
    assert page.read_text(encoding="utf-8") == LAYERS
