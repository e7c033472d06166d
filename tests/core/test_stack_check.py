"""Marks in stacks: every stage, numbers that follow from wrong ones through layers, and in the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.check.given import EXACT, ROUNDED, Given, entered_tensors
from core.check.marking import check
from core.check.report import FOLLOWS, RIGHT, WRONG
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_tensor
from core.document.parts import Pin
from core.storage import archive
from gui.cli import run_command_line
from tests.core.stacks import make_stack, plain_stack

STACKS = [
    make_stack(3),
    make_stack(4, place="post", norm="rms", activation="silu", gate=True),
    make_stack(5, residual=False, borrowed=True, mask="none"),
]


def digits(array: Any, decimals: int = 6) -> Any:
    """Numbers as a learner writes them."""
    if np.ndim(array):
        return [digits(each, decimals) for each in array]
    return "−∞" if np.isinf(array) else f"{array:.{decimals}f}"


@pytest.mark.parametrize("document", STACKS)
def test_what_plain_loops_compute_is_right(document: Document) -> None:
    stages = plain_stack(document)
    report = check(document, digits_of(stages))
    assert {mark.stage for mark in report.marks} == set(stages)
    assert [mark for mark in report.marks if mark.verdict != RIGHT] == []
    assert report.mistakes == ()


def digits_of(stages: dict[str, Any]) -> dict[str, Any]:
    return {name: digits(array) for name, array in stages.items()}


@pytest.mark.parametrize("stage", ["L1.Q", "L1.mlp_hidden", "L1.mlp_residual", "L2.attention_norm"])
def test_later_numbers_follow_a_wrong_one_through_the_layers(stage: str) -> None:
    document = STACKS[0]
    index = (0, 1, 0)[-run(document)[stage].ndim :]  # the second token, which attends to two
    wrong = float(run(document)[stage][index]) + 2.5
    own = run(document.with_(pins=(Pin(stage, index, wrong),)))  # the learner goes on with it
    sheets = {name: digits(own[name], 5) for name in (stage, "L2.mlp_out", "logits")}
    report = check(document, sheets, Given(EXACT))
    verdicts: dict[str, set[str]] = {}
    for mark in report.marks:
        moved = abs(mark.entered.value - mark.expected)
        if moved > 1e-3:
            verdicts.setdefault(mark.stage, set()).add(mark.verdict)
        elif moved < 1e-6:
            assert mark.verdict == RIGHT
    assert verdicts == {stage: {WRONG}, "L2.mlp_out": {FOLLOWS}, "logits": {FOLLOWS}}


DEEP = ("L2.Q", "L2.scores", "L2.heads", "L2.Y", "L2.mlp_norm", "L2.mlp_out", "logits")


def unrounded(seed: int, **parts: Any) -> Document:
    """A stack with numbers of all digits."""
    return make_stack(seed, decimals=15, **parts)


def as_printed(document: Document, decimals: int) -> Document:
    """The stack with its numbers rounded."""
    for (name, head), array in list(entered_tensors(document)):
        document = with_tensor(document, name, np.round(array, decimals), head)
    return document


@pytest.mark.parametrize("decimals", [2, 3, 4])
@pytest.mark.parametrize("stage", DEEP)
def test_a_wrong_number_deep_in_a_stack_is_found_though_given_ones_are_rounded(
    stage: str, decimals: int
) -> None:
    document = as_printed(unrounded(6, layers=3), decimals)
    array = run(document)[stage]
    index = tuple(size - 1 for size in array.shape)
    wrong = np.array(array)
    wrong[index] += 0.05 * np.abs(np.where(np.isinf(array), 0.0, array)).max()
    marks = check(document, {stage: digits(wrong, 4)}, Given(ROUNDED)).marks
    assert [mark.index for mark in marks if mark.verdict != RIGHT] == [index]


@pytest.mark.parametrize("decimals", [2, 3])
@pytest.mark.parametrize("place", ["pre", "post"])
def test_numbers_printed_from_more_digits_stay_right_in_every_layer(
    place: str, decimals: int
) -> None:
    full = unrounded(7, layers=3, place=place, activation="gelu")
    trace, document = run(full), as_printed(full, decimals)
    off = 0
    for stage in (*DEEP, "L3.mlp_out", "probabilities"):
        report = check(document, {stage: digits(trace[stage], 5)}, Given(ROUNDED))
        assert {mark.verdict for mark in report.marks} == {RIGHT}
        assert report.mistakes == ()
        off += sum(mark.rounded for mark in report.marks)
    assert off > 50


def test_a_lone_number_is_wrong_where_rounding_does_not_lead_to_it() -> None:
    document = as_printed(unrounded(8), 3)
    array = run(document)["L2.mlp_out"]
    lone = np.full(array.shape, np.nan)
    lone[2, 3] = array[2, 3] + 0.1 * np.abs(array).max()
    (mark,) = check(document, {"L2.mlp_out": lone}, Given(ROUNDED)).marks
    assert mark.verdict == WRONG


def test_one_rounded_number_moves_a_column_and_that_is_right() -> None:
    """The other columns are as the numbers are written, to the last digit."""
    document = as_printed(unrounded(9), 2)
    W_2 = np.array(document.tensor("L2.W_2"))
    W_2[:, 4] += 0.004
    trace = run(with_tensor(document, "L2.W_2", W_2))
    report = check(document, {"L2.mlp_out": digits(trace["L2.mlp_out"], 5)}, Given(ROUNDED))
    assert {mark.verdict for mark in report.marks} == {RIGHT}
    assert {mark.index[1] for mark in report.marks if mark.rounded} == {4}


def test_numbers_of_two_layers_do_not_mix() -> None:
    document = STACKS[0]
    trace = run(document)
    values = digits(trace["L1.Y"])
    assert trace["L1.Y"].shape == trace["L2.Y"].shape
    marks = check(document, {"L2.Y": values}).marks
    assert {mark.stage for mark in marks} == {"L2.Y"}
    assert {mark.verdict for mark in marks} == {WRONG}
    assert {mark.verdict for mark in check(document, {"L1.Y": values}).marks} == {RIGHT}


def test_the_command_marks_a_stage_of_a_layer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = STACKS[0]
    file, table = tmp_path / "stack.attn.json", tmp_path / "mine.csv"
    archive.save(document, file)
    heads = [np.array(head) for head in plain_stack(document)["L2.heads"]]
    heads[1][2, 0] += 1
    table.write_text(
        "\n\n".join("\n".join(",".join(map(str, row)) for row in head) for head in heads),
        encoding="utf-8",
    )
    line = ["check", str(file), "--values", f"L2.heads={table}", "--json", "--given", "exact"]
    assert run_command_line(line) == 0
    cells = json.loads(capsys.readouterr().out)["cells"]
    wrong = [cell["index"] for cell in cells if cell["verdict"] == "wrong"]
    assert (len(cells), wrong) == (heads[0].size * 3, [[1, 2, 0]])
    assert {cell["stage"] for cell in cells} == {"L2.heads"}


@pytest.mark.parametrize("stage", ["L3.Y", "Y", "L1.logits", "mlp_norm"])
def test_the_command_refuses_stages_that_are_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], stage: str
) -> None:
    file, table = tmp_path / "stack.attn.json", tmp_path / "mine.csv"
    archive.save(STACKS[0], file)
    table.write_text("1,2", encoding="utf-8")
    assert run_command_line(["check", str(file), "--values", f"{stage}={table}"]) == 2
    said = capsys.readouterr().err
    assert stage in said
    assert "Traceback" not in said
