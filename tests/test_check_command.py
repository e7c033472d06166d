"""`main.py check`: hand-computed numbers in CSV files, marked for people and for programs; sentences for the slips."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.cell import Cell
from core.check.mistakes import mistake_candidates
from core.check.report import Mistake
from core.check.stack_mistakes import stack_candidates
from core.compute.trace import run
from core.document.document import POSITIONAL_KINDS, Document
from core.document.edits import with_tensor
from core.document.orientation import COLUMNS
from core.stages import plan
from core.storage.archive import save
from gui.cli import run_command_line
from gui.texts.mistakes import COLUMN_SENTENCES, SENTENCES, TERMS, mistake_text
from gui.texts.translation import use_language
from tests.command_kit import refused
from tests.core.check_kit import softmax
from tests.core.documents import make
from tests.core.stacks import make_stack

ROOT = Path(__file__).resolve().parent.parent
CAT = ("--example", "cat-eats-fish")
RIGHT = "0.39,0.32,0.29\n0.33,0.33,0.33\n0.26,0.35,0.39\n"

Write = Callable[[str, str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file and gives its path."""

    def to(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return to


def marked(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert run_command_line(["check", *arguments, "--json"]) == 0
    said = capsys.readouterr()
    assert said.err == ""
    return json.loads(said.out)


def test_the_shape_of_the_json(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    scores = write("scores.csv", "0.74,0.44,0.32\n0.50,,0.50\n0.18,0.58,0.90\n")
    weights = write("weights.csv", "0.39,0.32,0.29\n,,\n0.25,0.33,0.42\n")
    result = marked(capsys, *CAT, "--values", f"scores={scores}", "--values", f"weights={weights}")
    assert set(result) == {"cells", "slips"}
    assert len(result["cells"]) == 8 + 6
    for cell in result["cells"]:
        assert set(cell) == {"stage", "index", "entered", "expected", "verdict"}
    by_place = {(cell["stage"], *cell["index"]): cell for cell in result["cells"]}
    assert ("scores", 0, 1, 1) not in by_place
    assert by_place["scores", 0, 2, 2]["entered"] == 0.9
    assert by_place["scores", 0, 2, 2]["expected"] == pytest.approx(0.74)
    verdicts = {
        place: cell["verdict"] for place, cell in by_place.items() if cell["verdict"] != "right"
    }
    later = {("weights", 0, 2, column): "follows" for column in range(3)}
    assert verdicts == {("scores", 0, 2, 2): "wrong", **later}
    for slip in result["slips"]:
        assert set(slip) == {"id", "text", "stage", "cells"}
    (carried,) = [slip for slip in result["slips"] if slip["stage"] == "weights"]
    assert carried["id"] == "carried"
    assert carried["text"] == "Consistent with your own Scores (QKᵀ): right from there on."
    assert carried["cells"] == [[0, 2, 0], [0, 2, 1], [0, 2, 2]]


def test_digits_count_as_written(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    path = write("w.csv", RIGHT.replace("0.39,0.32", "0.4,0.320"))
    cells = marked(capsys, *CAT, "--values", f"weights={path}")["cells"]
    assert [cell["verdict"] for cell in cells] == ["right", "wrong", *["right"] * 7]


@pytest.mark.parametrize(
    "text",
    [
        RIGHT.replace(",", ";").replace(".", ","),
        RIGHT.replace(",", ";"),
        RIGHT.replace(",", "\t"),
        RIGHT.replace(",", "\t").replace(".", ","),
        RIGHT.replace(",", " "),
        RIGHT.replace(",", "  ").replace(".", ","),
    ],
)
def test_cells_are_parted_as_the_window_reads_them(
    capsys: pytest.CaptureFixture[str], write: Write, text: str
) -> None:
    cells = marked(capsys, *CAT, "--values", f"weights={write('w.csv', text)}")["cells"]
    assert [cell["entered"] for cell in cells] == [
        0.39,
        0.32,
        0.29,
        0.33,
        0.33,
        0.33,
        0.26,
        0.35,
        0.39,
    ]
    assert {cell["verdict"] for cell in cells} == {"right"}


def test_blank_cells_between_semicolons(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    path = write("w.csv", "0,39;;0,29\n;;\n;0,35;\n")
    cells = marked(capsys, *CAT, "--values", f"weights={path}")["cells"]
    assert [(cell["index"], cell["entered"]) for cell in cells] == [
        ([0, 0, 0], 0.39),
        ([0, 0, 2], 0.29),
        ([0, 2, 1], 0.35),
    ]


def test_one_row_alone(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    said = refused(capsys, "check", *CAT, "--values", f"weights={write('w.csv', '0.39,0.32,0.29')}")
    assert "only 1 row; the stage weights needs 3" in said


def file_of(tmp_path: Path, document: Document) -> str:
    path = tmp_path / "own.attn.json"
    save(document, path)
    return str(path)


def test_heads_follow_each_other_after_a_blank_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write
) -> None:
    document = make(2)
    weights = softmax(run(document)["scores"])
    heads = [
        "\n".join(",".join(f"{value:.3f}" for value in row) for row in head) for head in weights
    ]
    path = write("w.csv", "\ufeff" + "\n\n".join(heads) + "\n\n\n")
    result = marked(capsys, file_of(tmp_path, document), "--values", f"weights={path}")
    assert [cell["index"] for cell in result["cells"]] == [
        [h, i, j] for h in range(3) for i in range(5) for j in range(5)
    ]
    assert [slip["id"] for slip in result["slips"]] == ["scale.forgotten"]
    assert result["slips"][0]["text"] == "The scores were not divided by √d_k = √2."


def test_a_blank_line_in_a_single_column_is_a_blank_cell(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write
) -> None:
    document = make(2, sizes={"n": 4, "d": 6, "h": 2, "k": 3, "v": 1})
    values = run(document)["V"]
    lines = [
        f"{values[0, 0, 0]:.3f}",
        "",
        f"{values[0, 2, 0]:.3f}",
        "",
        "",
        "",
        "",
        "",
        f"{values[1, 3, 0]:.3f}",
    ]
    path = write("v.csv", "\n".join(lines) + "\n")
    result = marked(capsys, file_of(tmp_path, document), "--values", f"V={path}")
    assert [(cell["index"], cell["verdict"]) for cell in result["cells"]] == [
        ([0, 0, 0], "right"),
        ([0, 2, 0], "right"),
        ([1, 3, 0], "right"),
    ]


def test_masked_scores_are_null(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write
) -> None:
    document = make(2, sizes={"n": 2, "d": 6, "h": 1, "k": 3, "v": 4}, mask="causal")
    path = write("m.csv", ",-inf\n,\n")
    (cell,) = marked(capsys, file_of(tmp_path, document), "--values", f"masked={path}")["cells"]
    assert cell == {
        "stage": "masked",
        "index": [0, 0, 1],
        "entered": None,
        "expected": None,
        "verdict": "right",
    }


def test_for_people(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    path = write("w.csv", RIGHT.replace("0.39,", "−0.39,", 1))
    assert run_command_line(["check", *CAT, "--values", f"weights={path}"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "The given numbers are treated as exact.",
        "Attention weights (weights): 8 right, 1 wrong",
        "  weights[1, 1, 1] −0.39: wrong; the right value is 0.39186286",
        "  • The sign is wrong. weights[1, 1, 1]",
    ]
    assert (
        run_command_line(["check", *CAT, "--values", f"weights={path}", "--language", "zh_CN"]) == 0
    )
    assert "正负号错了" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "0.39,0.32,0.29\n0.33,x,0.33\n0.26,0.35,0.39\n",
            ("row 2, column 2", "“x” is not a number"),
        ),
        ("0.39,0.32,0.29\n0.33,0.33\n0.26,0.35,0.39\n", ("row 2 has 2 columns", "needs 3")),
        ("0.39,0.32,0.29\n0.33,0.33,0.33\n", ("2 rows up to row 2", "needs 3")),
        (RIGHT + "\n" + RIGHT, ("2 blocks", "needs 1")),
        ("", ("0 blocks", "needs 1")),
        ("1e400,,\n,,\n,,\n", ("row 1, column 1", "1e400")),
    ],
)
def test_bad_numbers_are_refused_at_their_place(
    capsys: pytest.CaptureFixture[str], write: Write, text: str, says: tuple[str, ...]
) -> None:
    path = write("w.csv", text)
    said = refused(capsys, "check", *CAT, "--values", f"weights={path}")
    assert path in said
    for part in says:
        assert part in said


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (["weights"], "STAGE=FILE"),
        (["=w.csv"], "STAGE=FILE"),
        (["masked=w.csv"], "no stage “masked”"),
        (["weights=/no/such/file.csv"], "/no/such/file.csv cannot be read"),
    ],
)
def test_bad_arguments_are_refused(
    capsys: pytest.CaptureFixture[str], values: list[str], says: str
) -> None:
    assert says in refused(
        capsys, "check", *CAT, *(part for value in values for part in ("--values", value))
    )


def test_a_stage_is_given_once_and_values_are_needed(
    capsys: pytest.CaptureFixture[str], write: Write
) -> None:
    path = write("w.csv", RIGHT)
    assert "twice" in refused(
        capsys, "check", *CAT, "--values", f"weights={path}", "--values", f"weights={path}"
    )
    assert "--values" in refused(capsys, "check", *CAT)


def test_what_is_not_text_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    path.write_bytes(b"0.1,0.2,0.3\n\xff\xfe\n")
    assert "row 2 is not UTF-8" in refused(capsys, "check", *CAT, "--values", f"weights={path}")


def test_no_window_is_needed(write: Write) -> None:
    path = write("w.csv", RIGHT)
    script = "import sys\nfrom gui.cli import run_command_line\n"
    script += (
        "code = run_command_line(sys.argv[1:])\nassert 'PySide6' not in sys.modules\nsys.exit(code)"
    )
    command = [sys.executable, "-c", script, "check", *CAT, "--values", f"weights={path}", "--json"]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["cells"]) == 9


PARTS: tuple[dict[str, Any], ...] = (
    {},
    {"biases": True, "output": True, "off": (0,), "mask": "causal"},
    {"scale": "none"},
    {"scale": "factor"},
)
SQUARE = {"n": 3, "d": 3, "h": 1, "k": 3, "v": 3}
BARE = (
    *("digits.truncated", "entry.transposed", "weights.filled_up", "exp.unshifted", "exp.shifted"),
    *("cell.sign", "cell.decimal_point", "cell.digits_swapped"),
)


def every_slip() -> list[Mistake]:
    """One of each kind, with the data that it carries."""
    documents = [make(1, positional=kind, **parts) for parts in PARTS for kind in POSITIONAL_KINDS]
    documents += [
        make(1, sizes=SQUARE, output=True),
        make(1, sizes={**SQUARE, "h": 2}, output=True),
        make(1, context=5),
        make_stack(1, temperature=0.5, positional="sinusoidal"),
        make_stack(2, place="post", gate=True, activation="silu", off=(0,)),
    ]
    slips = [
        Mistake(c.id, "Y", (), dict(c.data))
        for d in documents
        for c in (stack_candidates if d.is_stack else mistake_candidates)(d, plan(d))
    ]
    slips += [Mistake(name, "Y", ()) for name in BARE]
    slips += [Mistake("cell.sum", "Y", (), {"off": -0.5, "decimals": 2})]
    slips += [Mistake("carried", "Y", (), {"stages": ("scores", "V")})]
    slips += [Mistake("cell.step", "Y", (), {"stage": "scores"})]
    slips += [
        Mistake("rounding.early", "Y", (), {"stage": stage, "decimals": 2})
        for stage in ("weights", "")
    ]
    slips += [Mistake("entry.heads_swapped", "Y", (), {"heads": (0, 2)})]
    term = {
        "term": 1,
        "factors": (0.2, -0.1),
        "product": -0.02,
        "seems": 0.1,
        "cell": None,
        "readings": 2,
    }
    return slips + [Mistake("cell.term", "Y", (), {**term, "how": how}) for how in TERMS]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_every_slip_has_its_sentence(language: str) -> None:
    use_language(language)
    slips = every_slip()
    for slip in slips:
        text = mistake_text(slip)
        assert text
        assert not set("{}") & set(text), text
    assert set(SENTENCES) <= {slip.id for slip in slips}
    text = mistake_text(
        Mistake("mix.values_alone", "Y", (), {}, (Mistake("softmax.no_exp", "Y", ()),))
    )
    assert text.startswith(mistake_text(Mistake("mix.values_alone", "Y", ())))
    assert text.endswith(mistake_text(Mistake("softmax.no_exp", "Y", ())))


def test_with_tokens_as_columns_rows_and_columns_change_places() -> None:
    """Every sentence that names one of the two names the other one, in Chinese a different sentence as well."""
    for slip in every_slip():
        use_language("en")
        by_rows, by_columns = mistake_text(slip).lower(), mistake_text(slip, COLUMNS).lower()
        for word, other in {"row": "column", "column": "row"}.items():
            assert by_rows.count(word) == by_columns.count(other), slip.id
        use_language("zh_CN")
        chinese = mistake_text(slip, COLUMNS)
        assert not set("{}") & set(by_columns + chinese)
        if slip.id in COLUMN_SENTENCES and COLUMN_SENTENCES[slip.id] != SENTENCES[slip.id]:
            assert chinese != mistake_text(slip)


def test_products_and_stages_in_the_order_in_which_they_are_seen() -> None:
    use_language("en")
    carried = Mistake("carried", "Y", (), {"stages": ("scores", "heads")})
    assert "(KᵀQ)" in mistake_text(carried, COLUMNS)
    assert "(V·A)" in mistake_text(carried, COLUMNS)
    term = {
        "term": 1,
        "factors": (0.2, -0.1),
        "product": -0.02,
        "seems": 0.1,
        "cell": Cell("K", 4, 1),
        "readings": 1,
    }
    misread = Mistake("cell.term", "Y", (), {**term, "how": "misread"})
    assert "K[5, 2]" in mistake_text(misread)
    assert "K[2, 5]" in mistake_text(misread, COLUMNS)


PRINTED = (
    "array([[0.39, 0.32, 0.29],\n       [0.33, 0.33, 0.33],\n       [0.26, 0.35, 0.39]])",
    "tensor([[0.39, 0.32, 0.29], [0.33, 0.33, 0.33], [0.26, 0.35, 0.39]])",
    "[[0.39, 0.32, 0.29], [0.33, 0.33, 0.33], [0.26, 0.35, 0.39]]",
    "| cat | eats | fish |\n|---|---|---|\n| 0.39 | 0.32 | 0.29 |\n| 1/3 | 33.3% | 0.33 |\n| 0.26 | 0.35 | 0.39 |",
    r"\begin{bmatrix} 0.39 & 0.32 & 0.29 \\ 0.33 & 0.33 & 0.33 \\ 0.26 & 0.35 & 0.39 \end{bmatrix}",
    "0.39,32 %,0.29\n1/3,1/3,1/3\n0.26,0.35,0.39\n",
    "39,2 %;31,7 %;29,1 %\n33,3 %;33,3 %;33,3 %\n26,2 %;34,8 %;39,0 %\n",
)


@pytest.mark.parametrize("text", PRINTED)
def test_whatever_a_paste_reads_is_read(
    capsys: pytest.CaptureFixture[str], write: Write, text: str
) -> None:
    cells = marked(capsys, *CAT, "--values", f"weights={write('w.txt', text)}")["cells"]
    assert len(cells) == 9
    assert {cell["verdict"] for cell in cells} == {"right"}


def test_what_a_paste_refuses_is_refused(capsys: pytest.CaptureFixture[str], write: Write) -> None:
    path = write("w.txt", "[[0.39, 0.32, 0.29], ..., [0.26, 0.35, 0.39]]")
    assert path in refused(capsys, "check", *CAT, "--values", f"weights={path}")


def of_rounded_numbers(tmp_path: Path, write: Write) -> tuple[str, str]:
    """A file with X of two decimals, and weights from more."""
    full = make(3)
    assert full.X is not None
    rng = np.random.default_rng(2)
    full = with_tensor(full, "X", full.X.round(1) + rng.uniform(-0.05, 0.05, full.X.shape))
    assert full.X is not None
    weights = run(full)["weights"]
    heads = ["\n".join(",".join(f"{x:.4f}" for x in row) for row in head) for head in weights]
    document = with_tensor(full, "X", full.X.round(2))
    return file_of(tmp_path, document), write("w.csv", "\n\n".join(heads))


def test_given_numbers_of_a_file_are_rounded_by_default(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write
) -> None:
    file, path = of_rounded_numbers(tmp_path, write)
    verdicts = {}
    for given in ((), ("--given", "rounded"), ("--given", "exact")):
        cells = marked(capsys, file, "--values", f"weights={path}", *given)["cells"]
        verdicts[given] = {cell["verdict"] for cell in cells}
    assert verdicts[()] == verdicts["--given", "rounded"] == {"right"}
    assert "wrong" in verdicts["--given", "exact"]


def test_which_of_the_two_holds_is_said(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, write: Write
) -> None:
    file, path = of_rounded_numbers(tmp_path, write)
    said = {}
    for given in ("rounded", "exact"):
        assert (
            run_command_line(["check", file, "--values", f"weights={path}", "--given", given]) == 0
        )
        said[given] = capsys.readouterr().out.splitlines()
    assert said["rounded"][0].startswith("The given numbers are treated as rounded to ")
    assert "right, given the digits entered" in said["rounded"][1]
    assert said["exact"][0] == "The given numbers are treated as exact."
    refused(capsys, "check", file, "--values", f"weights={path}", "--given", "roughly")
