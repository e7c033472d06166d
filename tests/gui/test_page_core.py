"""The page computes every number as the program does, in node and in a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.compute.trace import run
from tests.gui.browser_kit import running
from tests.gui.page_kit import (
    ALL_STAGES,
    CLOSE,
    CORE,
    all_experiments,
    array_of,
    experiment_of,
    in_node,
    program,
)


@pytest.fixture(scope="module")
def script() -> str:
    """The computation, and every stage of all experiments as a text."""
    experiments = json.dumps([experiment_of(document) for _, document in all_experiments()])
    return f"{program(*CORE)}\n{ALL_STAGES}\nconst experiments = {experiments};"


def compared(results: list[dict[str, Any]]) -> int:
    """Compare what the page gives with the traces; returns how many numbers that were."""
    count = 0
    for (name, document), stages in zip(all_experiments(), results, strict=True):
        trace = run(document)
        assert list(stages) == list(trace.plan.ids), name
        for stage, values in stages.items():
            actual, expected = array_of(values), trace[stage]
            assert actual.shape == expected.shape, (name, stage)
            off = np.isneginf(expected)
            assert (np.isneginf(actual) == off).all(), (name, stage)
            gap = np.abs(actual[~off] - expected[~off]) / np.maximum(1.0, np.abs(expected[~off]))
            assert not gap.size or gap.max() <= CLOSE, (name, stage, gap.max())
            count += expected.size
    return count


def test_every_number_equals_the_trace_in_node(script: str, tmp_path: Path) -> None:
    printed = in_node(script + "\nconsole.log(asText(allStages(experiments)));", tmp_path)
    if printed is None:
        pytest.skip("no node on this system")
    assert compared(json.loads(printed)) > 50_000


def test_every_number_equals_the_trace_in_a_browser(script: str, tmp_path: Path) -> None:
    page = tmp_path / "core.html"
    page.write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><body><script>{script}\n'
        "document.body.dataset.stage = '';</script>",
        encoding="utf-8",
    )
    with running(tmp_path / "profile") as browser:
        browser.open(page)
        assert compared(json.loads(browser.ask("asText(allStages(experiments))"))) > 50_000
        assert browser.complaints() == []
