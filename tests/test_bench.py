"""The benchmarks run, measure every line that they promise, and write it down. Their times mean nothing here."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.bench.measure import Plan, Row, in_turn

RUN = Path(__file__).resolve().parent / "bench" / "run.py"
NAMES = {
    "start",
    "memory",
    "steps",
    "painted edits",
    "million",
    "numpy",
    "torch",
    "edits",
    "trace memory",
    "frames",
    "class",
    "model",
}


def test_the_quick_form_measures_every_line(tmp_path: Path) -> None:
    written = tmp_path / "figures.json"
    command = [sys.executable, str(RUN), "--quick", "--json", str(written)]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    assert ended.returncode == 0, ended.stderr
    report = json.loads(written.read_text(encoding="utf-8"))
    rows = report["rows"]
    expected = NAMES if sys.platform.startswith("linux") else NAMES - {"memory"}
    assert {row["name"] for row in rows} == expected
    assert {row["name"] for row in rows if row["figure"] is None} <= (
        set() if find_spec("torch") else {"torch"}
    )
    assert report["versions"]["numpy"]
    assert all(row["what"] in ended.stdout for row in rows)


def test_both_sides_are_measured_in_turn() -> None:
    order: list[str] = []

    def measure(side: str, value: float) -> float:
        order.append(side)
        return value

    plan = Plan(rounds=3, most=3, warm_up=1)
    ours, theirs = in_turn(plan, lambda: measure("A", 3.0), lambda: measure("B", 2.0))
    assert "".join(order) == "AB" + "BA" + "AB" + "BA"
    assert (ours, theirs) == ((3.0,) * 3, (2.0,) * 3)


def test_the_median_of_the_pairs_is_held_against_the_target() -> None:
    row = Row("", "", "", "", 1.5, ours=(10.0, 3.0, 4.0), theirs=(1.0, 2.0, 4.0))
    assert row.figure == pytest.approx(1.5)  # not 4/2, which the two medians alone would say
    assert row.met
    assert Row("", "", "", "", 100.0, ours=(20.0, 30.0, 120.0)).met
    assert Row("", "", "", "", 100.0, ours=(20.0, 30.0, 120.0), largest=True).met is False
    assert Row("", "", "", "", 1.0).met is None
