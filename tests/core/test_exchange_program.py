"""The program beside the picture is true: it is run, and every shape that it names is compared with the arrays."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.base.arrays import frozen
from core.compute.trace import run
from core.document.document import Document, Head, Softmax
from core.exchange.scripts import CUT, CodeStatement, program, stage_statements
from core.stages.dialect import variable
from core.storage.examples import EXAMPLES, load_example
from tests.core.documents import ODD_SIZES, make

LIBRARIES = ["numpy", *(["torch"] if importlib.util.find_spec("torch") else [])]
DOCUMENTS: dict[str, Document] = {
    "learned, custom mask, biases, W_O, a head off, pins": make(
        2, positional="learned", mask="custom", biases=True, output=True, off=(1,), pins=6
    ),
    "sinusoidal, causal, factor": make(
        3, positional="sinusoidal", mask="causal", scale="factor", biases=True, pins=3
    ),
    "rotary, odd": make(
        5, sizes=ODD_SIZES, positional="rotary", scale="none", mask="custom", pins=4
    ),
    "rotary, entered": make(6, positional="rotary", source="qkv", output=True),
    "alibi, window": make(7, positional="alibi", source="qkv", mask="window", off=(0,)),
    "one head, off": make(9, sizes={"n": 3, "d": 4, "h": 1, "k": 2, "v": 5}, off=(0,), pins=2),
    "context, learned, custom": make(
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
    "context, rotary, entered": make(
        16, context=7, source="qkv", positional="rotary", mask="window"
    ),
    "context, alibi": make(17, context=3, positional="alibi", slopes=True, output=True),
    "base 2": make(10, mask="causal").with_(softmax=Softmax("2")),
    "base 10, unshifted": make(11, mask="custom").with_(softmax=Softmax("10", shift=False)),
    **{example: load_example(example) for example in EXAMPLES},
}
# After each statement: the shape of what it made, and those of the factors and terms of a product or a sum.
PROBE = """
import json, sys
shapes = []
def seen(*arrays):
    shapes.append([list(array.shape) for array in arrays])
"""


def parts(statement: CodeStatement) -> list[str]:
    """The arrays whose shapes a statement should name, as code."""
    name, _, right = statement.code.partition(" = ")
    if not statement.shapes:
        return []
    terms = re.split(r" @ | \+ ", right) if "→" in statement.shapes and "concat" not in name else []
    prefix, is_joined, _ = name.partition("concat")
    return [*terms, *([f"{prefix}heads"] if is_joined else []), name]


def run_program(
    statements: tuple[CodeStatement, ...], out: Path
) -> tuple[list[list[list[int]]], dict[str, np.ndarray]]:
    """What the shown statements make in a Python of its own: shapes, and the stages."""
    lines = [PROBE]
    for statement in statements:
        lines += [statement.code, f"seen({', '.join(parts(statement))})"]
    names = dict.fromkeys(statement.stage for statement in statements if statement.stage)
    kept = ", ".join(f"{name!r}: np.array({variable(name)}.tolist())" for name in names)
    save = f"np.savez({str(out)!r}, **{{{kept}}})"
    lines += ["import numpy as np", save, "print(json.dumps(shapes))"]
    script = out.with_suffix(".py")
    script.write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-W", "error", str(script)],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with np.load(out, allow_pickle=False) as arrays:
        return json.loads(done.stdout), {name: arrays[name] for name in arrays}


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_program_computes_the_trace_and_names_true_shapes(
    name: str, library: str, tmp_path: Path
) -> None:
    document, trace = DOCUMENTS[name], run(DOCUMENTS[name])
    statements = program(document, library, whole=True)
    shapes, arrays = run_program(statements, tmp_path / "out.npz")
    assert list(arrays) == list(trace)
    for stage in trace:
        np.testing.assert_allclose(
            arrays[stage], trace[stage], rtol=1e-12, atol=1e-12, err_msg=stage
        )
    for statement, found in zip(statements, shapes, strict=True):
        named = [
            list(map(int, re.findall(r"\d+", shape)))
            for shape in re.findall(r"\([\d, ]*\)", statement.shapes)
        ]
        assert named == found, statement


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_is_shown_is_what_is_run_but_for_long_arrays(name: str) -> None:
    shown, whole = (program(DOCUMENTS[name], "numpy", whole=whole) for whole in (False, True))
    for short, full in zip(shown, whole, strict=True):
        code = re.sub(r"\n\s*", " ", full.code)
        if CUT in short.code:
            start, end = short.code.split(f", {CUT}")
            assert code.startswith(start)
            assert code.endswith(end)
        else:
            assert short.code == code
        assert "\n" not in short.code
        assert (short.shapes, short.note, short.result, short.lead) == (
            full.shapes,
            full.note,
            full.result,
            full.lead,
        )


def test_small_arrays_are_shown_whole() -> None:
    shown = program(load_example("cat-eats-fish"), "numpy")
    assert not any(CUT in statement.code for statement in shown)
    assert shown[2].code == "Q = np.array([[[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]])"


def test_a_product_names_its_factors() -> None:
    document = load_example("cat-eats-fish")
    scores = next(stage for stage in run(document).plan if stage.id == "scores")
    (found,) = stage_statements(document, scores, "torch")
    assert found.code == "scores = Q @ K.transpose(1, 2)"
    assert found.shapes == "(1, 3, 2) @ (1, 2, 3) → (1, 3, 3)"


@pytest.mark.parametrize("name", ["rotary, odd", "rotary, entered"])
def test_the_result_of_a_rotation_turns_and_says_what_stays(name: str) -> None:
    document = DOCUMENTS[name]
    turned = next(stage for stage in run(document).plan if stage.id == "K_rot")
    mine = stage_statements(document, turned, "numpy")
    (result,) = (statement.code for statement in mine if statement.result)
    assert result == "K_rot[..., 0 : 2 * pairs : 2] = even * np.cos(angle) - odd * np.sin(angle)"
    (copied,) = (statement for statement in mine if statement.code == "K_rot = K.copy()")
    assert bool(copied.note) == (document.k % 2 == 1)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_each_stage_has_one_result_and_its_sub_step(name: str) -> None:
    document = DOCUMENTS[name]
    statements = program(document, "numpy")
    for stage in run(document).plan:
        mine = [statement for statement in statements if statement.stage == stage.id]
        assert sum(statement.result for statement in mine) == 1
        assert sum(statement.lead for statement in mine) == bool(stage.lead)


def test_large_arrays_are_not_written_out() -> None:
    tokens = tuple(f"t{index}" for index in range(700))
    values = frozen(np.arange(1400.0).reshape(700, 2))
    document = Document(tokens=tokens, heads=(Head(Q=values, K=values, V=values),), source="qkv")
    assert max(len(statement.code) for statement in program(document, "numpy")) < 140
