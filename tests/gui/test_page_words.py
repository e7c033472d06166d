"""The page cuts and draws the next word as the program does."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from core.arithmetic.sampling import cut_shares, drawn, random_numbers
from tests.gui.page_kit import in_node, program


def test_draws_are_the_program_s(tmp_path: Path) -> None:
    rng, cases = np.random.default_rng(5), []
    for seed in range(60):
        row = rng.dirichlet(np.full(rng.integers(1, 30), 0.5))
        row = np.round(row, 2) if seed % 3 == 0 and np.round(row, 2).sum() else row  # with ties
        top_k = None if seed % 2 else int(rng.integers(1, 12))
        top_p = None if seed % 5 else float(np.round(rng.uniform(0.05, 1), 2))
        cases.append((row, {"top_k": top_k, "top_p": top_p, "seed": seed * 987654321}))
    calls = json.dumps([[row.tolist(), sampling] for row, sampling in cases])
    script = (
        f"{program('arithmetic.js', 'words.js')}\nconsole.log(JSON.stringify({calls}.map(([row, sampling]) =>"
        " [Words.cutShares(row, sampling.top_k, sampling.top_p), Words.draws(row, sampling, 20)])));"
    )
    printed = in_node(script, tmp_path)
    if printed is None:
        pytest.skip("no node on this system")
    for (row, sampling), (shares, draws) in zip(cases, json.loads(printed), strict=True):
        expected = cut_shares(row, sampling["top_k"], sampling["top_p"])
        np.testing.assert_allclose(shares, expected, rtol=1e-12, atol=0)
        numbers = [*islice(random_numbers(sampling["seed"]), 20)]
        assert [draw["number"] for draw in draws] == numbers
        assert [draw["word"] for draw in draws] == [drawn(expected, number) for number in numbers]
