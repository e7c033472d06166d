"""Hand work for tests of the marking: rounded and cut-off numbers as texts, and small attention formulas of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.base.arrays import Array
from core.check.report import CheckReport
from core.document.document import Document
from tests.core.documents import make


def written(array: Array, decimals: int) -> Any:
    """Each number as a text with so many decimals, nested as the array is."""
    if array.ndim == 0:
        return f"{float(array):.{decimals}f}" if np.isfinite(array) else "-inf"
    return [written(part, decimals) for part in array]


def softmax(scores: Array, axis: int | tuple[int, ...] = -1, base: float = np.e) -> Array:
    """base^s over its sum along an axis."""
    power = np.power(base, scores)
    return np.asarray(power / power.sum(axis=axis, keepdims=True))


def experiment(seed: int, h: int, k: int, **parts: Any) -> Document:
    """All sizes different, one to three heads, numbers between −2 and 2."""
    return make(seed, sizes={"n": 5, "d": 6, "h": h, "k": k, "v": 4}, **parts)


def tensor(document: Document, name: str, head: int = 0) -> Array:
    """An entered tensor that the experiment has."""
    array = document.tensor(name, head)
    assert array is not None
    return array


def found(report: CheckReport, stage: str) -> dict[str, set[tuple[int, ...]]]:
    """The slips of a stage by id, those that would give the same numbers included, with their cells."""
    cells: dict[str, set[tuple[int, ...]]] = {}
    for slip in report.mistakes:
        if slip.stage == stage:
            for one in (slip, *slip.also):
                cells.setdefault(one.id, set()).update(slip.cells)
    return cells


def with_verdict(report: CheckReport, stage: str, *verdicts: str) -> set[tuple[int, ...]]:
    """The cells of a stage that were given one of these verdicts."""
    return {mark.index for mark in report.marks if mark.stage == stage and mark.verdict in verdicts}


def not_right(report: CheckReport, stage: str) -> set[tuple[int, ...]]:
    """The cells of a stage that are not right."""
    return with_verdict(report, stage, "follows", "wrong")
