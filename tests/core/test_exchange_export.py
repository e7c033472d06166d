"""What leaves the program reproduces the trace: scripts and the notebook are run, folders and LaTeX are read."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document.document import Document, Softmax
from core.exchange.exporters import EXPORTERS, export, write_export
from core.exchange.labels import Labels
from core.exchange.paste import parse_matrix
from core.exchange.tex import escaped, formula
from core.storage.examples import EXAMPLES, load_example
from tests.core.documents import ODD_SIZES, make

TORCH = importlib.util.find_spec("torch") is not None

DOCUMENTS: dict[str, Document] = {
    "plain": make(1),
    "everything": make(
        2, positional="learned", mask="custom", biases=True, output=True, off=(1,), pins=6
    ),
    "sinusoidal, causal": make(
        3, positional="sinusoidal", mask="causal", scale="factor", biases=True, pins=3
    ),
    "odd sinusoidal": make(4, sizes=ODD_SIZES, positional="sinusoidal", mask="window", output=True),
    "rotary, odd": make(
        5, sizes=ODD_SIZES, positional="rotary", scale="none", mask="custom", pins=4
    ),
    "rotary": make(6, positional="rotary", source="qkv", output=True),
    "alibi": make(7, positional="alibi", source="qkv", mask="window", off=(0,)),
    "alibi, own slopes": make(8, positional="alibi", slopes=True, output=True, pins=9),
    "one head, off": make(9, sizes={"n": 3, "d": 4, "h": 1, "k": 2, "v": 5}, off=(0,), pins=2),
    "base 2": make(10, mask="causal").with_(softmax=Softmax("2")),
    "base 10, unshifted": make(11, mask="custom").with_(softmax=Softmax("10", shift=False)),
    "context, everything": make(
        13,
        context=7,
        positional="learned",
        mask="custom",
        biases=True,
        output=True,
        off=(1,),
        pins=9,
    ),
    "context, sinusoidal, causal": make(
        14, context=7, positional="sinusoidal", mask="causal", pins=3
    ),
    "context, learned without its own": make(
        15, context=3, positional="learned", places=False, mask="window"
    ),
    "context, rotary": make(16, context=7, source="qkv", positional="rotary", mask="causal"),
    "context, alibi, odd": make(17, sizes=ODD_SIZES, context=6, positional="alibi", output=True),
    "odd names": make(12, output=True).with_(
        title='"""\nimport os\\\x00\u2028',
        notes="'''%$#\n\ud800",
        tokens=("=1+1", "🐟", "", "a\nb", "'\"\\"),
    ),
}


def assert_same(found: Any, trace: Trace) -> None:
    assert list(found) == list(trace)
    for stage in trace:
        assert found[stage].shape == trace[stage].shape, stage
        np.testing.assert_allclose(
            found[stage], trace[stage], rtol=1e-12, atol=1e-12, err_msg=stage
        )


def run_script(script: Path, out: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script), str(out)],
        cwd=out.parent,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_numpy_script_reproduces_every_stage(name: str, tmp_path: Path) -> None:
    document, trace = DOCUMENTS[name], run(DOCUMENTS[name])
    write_export(document, "py", tmp_path / "run.py")
    printed = run_script(tmp_path / "run.py", tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz", allow_pickle=False) as arrays:
        assert_same(arrays, trace)
    for stage in trace:
        assert f"{stage} {trace[stage].shape}\n[" in printed


def test_what_the_script_prints_are_the_numbers(tmp_path: Path) -> None:
    document = load_example("cat-eats-fish")
    write_export(document, "py", tmp_path / "run.py")
    printed = run_script(tmp_path / "run.py", tmp_path / "out.npz")
    block = printed.partition("weights (1, 3, 3)\n")[2].partition("\n\n")[0]
    np.testing.assert_allclose(parse_matrix(block), run(document)["weights"][0], atol=1e-8)


@pytest.mark.skipif(not TORCH, reason="PyTorch is not installed; the script is only compiled")
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_pytorch_script_reproduces_every_stage(name: str, tmp_path: Path) -> None:
    document, trace = DOCUMENTS[name], run(DOCUMENTS[name])
    write_export(document, "torch", tmp_path / "run.py")
    run_script(tmp_path / "run.py", tmp_path / "out.npz")
    with np.load(tmp_path / "out.npz", allow_pickle=False) as arrays:
        assert_same(arrays, trace)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_pytorch_script_is_whole(name: str) -> None:
    """Also where PyTorch is absent: it compiles, and shows every stage in order."""
    content = export(DOCUMENTS[name], "torch")
    assert isinstance(content, bytes)
    compile(content, "run.py", "exec")
    shown = [line for line in content.decode().splitlines() if line.startswith("show(")]
    assert [line.split("'")[1] for line in shown] == list(run(DOCUMENTS[name]))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_notebook_is_valid_and_its_cells_reproduce_every_stage(
    name: str, tmp_path: Path
) -> None:
    import nbformat

    document, trace = DOCUMENTS[name], run(DOCUMENTS[name])
    content = export(document, "ipynb")
    assert isinstance(content, bytes)
    book = nbformat.reads(content.decode(), as_version=nbformat.NO_CONVERT)
    nbformat.validate(book)
    codes = [cell.source for cell in book.cells if cell.cell_type == "code"]
    assert len(codes) == 1 + len(trace)
    runner = tmp_path / "runner.py"  # as a kernel does: one namespace, cell by cell
    runner.write_text(
        "import json, sys\nimport numpy as np\nnamespace = {}\n"
        "for cell in json.load(open(sys.argv[2], encoding='utf-8')):\n    exec(cell, namespace)\n"
        "np.savez(sys.argv[1], **namespace['stages'])\n",
        encoding="utf-8",
    )
    (tmp_path / "cells.json").write_text(json.dumps(codes), encoding="utf-8")
    command = [
        sys.executable,
        "-W",
        "error",
        str(runner),
        str(tmp_path / "out.npz"),
        str(tmp_path / "cells.json"),
    ]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz", allow_pickle=False) as arrays:
        assert_same(arrays, trace)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_folder_holds_every_stage_and_head(name: str, tmp_path: Path) -> None:
    document, trace = DOCUMENTS[name], run(DOCUMENTS[name])
    write_export(document, "csv", tmp_path / "out")
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files[-1] == "tokens.csv"
    stages = [name for name in files if name[:2].isdigit()]
    assert len(stages) == sum(
        document.h if array.ndim == 3 else 1 for array in map(trace.__getitem__, trace)
    )
    texts = {"tokens.csv", *({"context_tokens.csv"} if document.context else ())}
    assert texts | {"experiment.json"} <= set(files) - set(stages)
    entered = {name for name in document.inputs if name not in trace}
    found = {re.sub(r"(_head\d+)?\.csv", "", name) for name in files if name not in stages}
    assert entered <= found
    for stage in trace:
        if stage == "masked":
            continue
        heads = sorted((tmp_path / "out").glob(f"[0-9][0-9]_{stage}.csv"))
        heads += sorted((tmp_path / "out").glob(f"[0-9][0-9]_{stage}_head*.csv"))
        found = np.stack([parse_matrix(path.read_text()) for path in heads])
        assert found.tobytes() == trace[stage].tobytes()


def test_a_folder_is_replaced_only_where_it_is_ours(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_export(DOCUMENTS["everything"], "csv", out)
    before = {path.name for path in out.iterdir()}
    write_export(DOCUMENTS["plain"], "csv", out)
    after = {path.name for path in out.iterdir()}
    assert any("masked" in name for name in before)
    assert not any("masked" in name for name in after)
    (out / "mine.csv").write_text("1")
    with pytest.raises(UserError) as caught:
        write_export(DOCUMENTS["plain"], "csv", out)
    assert caught.value.code == "output.folder"
    assert {path.name for path in out.iterdir()} == after | {"mine.csv"}
    (tmp_path / "file").write_text("x")
    with pytest.raises(UserError) as caught:
        write_export(DOCUMENTS["plain"], "csv", tmp_path / "file")
    assert caught.value.code == "file.unwritable"
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


# LaTeX


@pytest.mark.parametrize("name", DOCUMENTS)
def test_latex_holds_every_matrix_rounded(name: str) -> None:
    document, trace = DOCUMENTS[name], run(DOCUMENTS[name])
    content = export(document, "tex")
    assert isinstance(content, bytes)
    text = content.decode()
    assert text.startswith("\\documentclass")
    assert text.endswith("\\end{document}\n")
    assert text.count("\\begin{bmatrix}") == text.count("\\end{bmatrix}")
    assert text.count("{") - text.count("\\{") == text.count("}") - text.count("\\}")
    for stage in trace.plan:
        assert formula(document, stage) in text
    matrix = text.rpartition("\\begin{bmatrix}")[2].partition("\\end{bmatrix}")[0]
    np.testing.assert_allclose(
        parse_matrix(f"\\begin{{bmatrix}}{matrix}\\end{{bmatrix}}"),
        trace["Y"],
        atol=5.1e-5,
        rtol=1e-4,
    )


def test_worked_sums_stand_in_latex() -> None:
    content = export(load_example("cat-eats-fish"), "tex")
    assert isinstance(content, bytes)
    assert r"{S}_{1,1} = 0.2000 \cdot 0.1000 + 0.8000 \cdot 0.9000 = 0.7400" in content.decode()
    assert r"{A}_{1,1} = 1.0000 / 2.5519 = 0.3919" in content.decode()


def test_texts_are_harmless_in_latex() -> None:
    assert escaped("50% of $x_1$ & {y}\n\\input{z} #~^") == (
        r"50\% of \$x\_1\$ \& \{y\} \textbackslash{}input\{z\} \#\textasciitilde{}\textasciicircum{}"
    )
    assert escaped("√2 · 🐟 吃") == r"$\surd$2 $\cdot$ \other{🐟} 吃"


# The list


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("name", EXPORTERS)
def test_every_example_leaves_in_every_form(name: str, example: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_export(load_example(example), name, out)
    assert out.is_dir() if name == "csv" else out.stat().st_size > 500


def test_an_unknown_format_and_an_experiment_that_is_too_large() -> None:
    with pytest.raises(UserError) as caught:
        export(DOCUMENTS["plain"], "word")
    assert caught.value.code == "export.unknown"
    assert "xlsx" in caught.value.data["known"]
    large = make(1, sizes={"n": 200, "d": 2, "h": 3, "k": 2, "v": 2})
    for name in ("xlsx", "tex"):
        with pytest.raises(UserError) as caught:
            export(large, name, Labels())
        assert caught.value.code == "export.too_large"
