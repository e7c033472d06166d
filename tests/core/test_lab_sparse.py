"""Sparse patterns: links counted against formulas, reach against a search that walks the links one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compute.trace import run
from core.labs.sparse import KINDS, LAB, Pattern, allowed, links_by_formula, reach

PATTERNS = st.builds(
    Pattern,
    st.sampled_from(KINDS),
    reach=st.integers(1, 8),
    gap=st.integers(2, 8),
    block=st.integers(1, 16),
    hubs=st.integers(1, 4),
    extra=st.integers(1, 8),
    seed=st.integers(0, 9999),
)


def may_look(pattern: Pattern, i: int, j: int) -> bool:
    """The definition of each pattern without chance, for one pair."""
    near = abs(i - j) <= pattern.reach
    return {
        "full": True,
        "causal": j <= i,
        "window": near,
        "dilated": any(abs(i - j) == step * pattern.gap for step in range(pattern.reach + 1)),
        "block": i // pattern.block == j // pattern.block,
        "global": near or i < pattern.hubs or j < pattern.hubs,
    }[pattern.kind]


@given(PATTERNS, st.integers(1, 40))
def test_the_formula_counts_the_links(pattern: Pattern, n: int) -> None:
    assert links_by_formula(pattern, n) == int(allowed(pattern, n).sum())


@given(PATTERNS.filter(lambda pattern: pattern.kind != "random"), st.integers(1, 20))
def test_patterns_are_what_they_are_called(pattern: Pattern, n: int) -> None:
    expected = [[may_look(pattern, i, j) for j in range(n)] for i in range(n)]
    assert allowed(pattern, n).tolist() == expected


@given(st.integers(1, 8), st.integers(0, 9999), st.integers(2, 30))
def test_random_links_come_on_top_of_the_window_and_from_the_seed(
    extra: int, seed: int, n: int
) -> None:
    pattern = Pattern("random", reach=1, extra=extra, seed=seed)
    grid, window = allowed(pattern, n), allowed(Pattern("window", reach=1), n)
    assert not (window & ~grid).any()
    assert (grid.sum(axis=1) - window.sum(axis=1)).tolist() == [
        min(extra, n - int(row.sum())) for row in window
    ]
    assert (allowed(pattern, n) == grid).all()


def walked(grid: np.ndarray, start: int, most: int) -> list[int]:
    """How many layers each token is away, by walking the links of one layer after the other."""
    away, edge = {start: 0}, [start]
    for layer in range(1, most + 1):
        edge = [
            key
            for query in edge
            for key in range(len(grid))
            if grid[query, key] and key not in away
        ]
        for key in edge:
            away.setdefault(key, layer)
    return [away.get(key, -1) for key in range(len(grid))]


@given(PATTERNS, st.integers(1, 14), st.integers(1, 6))
def test_reach_is_what_walking_the_links_finds(pattern: Pattern, n: int, layers: int) -> None:
    grid = allowed(pattern, n)
    found = reach(grid, layers)
    for token in range(n):
        assert found[token].tolist() == walked(grid, token, layers)


def test_a_window_reaches_as_far_as_its_width_times_the_layers() -> None:
    result = LAB.compute(
        LAB.start(None, {"kind": "window", "reach": 2, "layers": 4, "n": 64, "token": 32})
    )
    assert [int(layer.sum()) for layer in result.layers] == [1, 5, 9, 13, 17]
    assert result.everywhere is None


def test_one_hub_joins_everybody_in_two_layers() -> None:
    result = LAB.compute(LAB.start(None, {"kind": "global", "n": 64, "layers": 3}))
    assert result.everywhere == 2


@pytest.mark.parametrize("kind", KINDS)
def test_the_experiment_handed_over_attends_along_the_links_alone(kind: str) -> None:
    setting = LAB.start(None, {"kind": kind, "n": 12})
    weights = run(LAB.document(setting))["weights"][0]
    assert ((weights > 0) == LAB.compute(setting).allowed).all()


@pytest.mark.parametrize(
    "kind", ["window", "dilated", "block", "global", "random", "causal", "full"]
)
def test_what_the_output_loses_is_measured_against_dense_attention(kind: str) -> None:
    result = LAB.compute(LAB.start(values={"kind": kind, "n": 9}))
    X = LAB.document(LAB.start(values={"kind": kind, "n": 9})).X.tolist()
    for row, query in enumerate(X):
        outputs = []
        for seen in (range(9), np.flatnonzero(result.allowed[row]).tolist()):
            powers = [
                math.exp(sum(a * b for a, b in zip(query, X[key], strict=True)) / 2) for key in seen
            ]
            outputs.append(
                [
                    sum(p * X[key][column] for p, key in zip(powers, seen, strict=True))
                    / sum(powers)
                    for column in range(4)
                ]
            )
        assert result.changed[row] == pytest.approx(math.dist(*outputs), abs=1e-12)
    assert result.changed.any() == (kind != "full")
