"""The answers of a class: read from a folder, marked and counted."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.classroom.marking import mark_class
from core.compute.trace import Trace, run
from core.storage.examples import load_example
from tests.bench.measure import Plan, Row, Rows, timed
from tests.core.check_kit import written
from tests.core.class_kit import PLANTED, answer_text, worked

EXAMPLE = "cat-eats-fish"
Values = dict[str, Any]


def classes(plan: Plan) -> Rows:
    """Classes with the usual mistakes, and with numbers that no known mistake explains in each file."""
    count = 8 if plan.quick else 200
    for what, make in (
        ("known mistakes", _planted),
        ("one stray number each", _stray),
        ("four stray numbers each", partial(_stray, strays=4)),
    ):
        with tempfile.TemporaryDirectory() as folder:
            document = _write(Path(folder), count, make)
            measure = timed(lambda: mark_class(document, [folder]))  # noqa: B023
            ours = tuple(measure() for _ in range(plan.rounds))
        yield Row("class", "answers of a class", "-", f"{count} files, {what}", 2000.0, ours)


def _write(folder: Path, count: int, make: Callable[[Trace, int], Values]) -> Any:
    document = load_example(EXAMPLE)
    trace = run(document)
    for number in range(count):
        text = answer_text(document, f"student {number}", make(trace, number))
        (folder / f"{number}.answers.json").write_text(text, encoding="utf-8")
    return document


def _planted(trace: Trace, number: int) -> Values:
    plant = PLANTED[number % len(PLANTED)][2]
    return {stage: written(array, 3) for stage, array in plant(trace).items()}


def _stray(trace: Trace, number: int, strays: int = 1) -> Values:
    """Right numbers but for some, each in any stage."""
    rng = np.random.default_rng(number)
    values = {stage: written(array, 3) for stage, array in worked(trace).items()}
    for _ in range(strays):
        stage = list(values)[rng.integers(len(values))]
        rows = values[stage] if stage == "Y" else values[stage][0]
        rows[rng.integers(len(rows))][rng.integers(len(rows[0]))] = f"{rng.uniform(0, 1):.3f}"
    return values
