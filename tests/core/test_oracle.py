"""The oracle itself, against worked examples whose true values were computed elsewhere."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.core import oracle

WORKED = sorted((Path(__file__).parents[1] / "golden" / "worked").glob("*.json"))


def load(path: Path) -> dict[str, Any]:
    return dict(json.loads(path.read_text(encoding="utf-8")))


def test_there_are_worked_examples() -> None:
    assert len(WORKED) >= 15


@pytest.mark.parametrize("path", WORKED, ids=lambda path: path.stem)
def test_equals_the_true_values(path: Path) -> None:
    case = load(path)
    stages = oracle.run(case["experiment"])
    for stage, true in case["true"].items():
        expected = np.array(true, dtype=np.float64)  # null = masked
        expected[np.isnan(expected)] = -np.inf
        actual = np.array(stages[stage])
        if expected.ndim < actual.ndim:  # a single head is given as a plain matrix
            (actual,) = actual
        assert actual.shape == expected.shape
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-9, err_msg=stage)
