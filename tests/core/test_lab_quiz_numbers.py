"""Exercises of the quiz: every right number and every slip, worked out with loops and fractions from what is given."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from core.compute.trace import run
from core.quiz.exercises import APART, DRAWS, Exercise, exercise
from core.storage import archive

SEEDS = range(60)
Rows = list[list[Fraction]]
Numbers = tuple[Fraction, dict[str, Fraction]]


def rows(found: Exercise, which: int) -> Rows:
    return [[Fraction(value) for value in row] for row in found.given[which].values.tolist()]


def told(found: Exercise, name: str) -> int:
    assert found.values[name] == int(found.values[name])
    return int(found.values[name])


def dot(a: list[Fraction], b: list[Fraction]) -> Fraction:
    total = Fraction(0)
    for x, y in zip(a, b, strict=True):
        total += x * y
    return total


def column(matrix: Rows, place: int) -> list[Fraction]:
    return [row[place] for row in matrix]


def dot_by_hand(found: Exercise) -> Numbers:
    (q,), k = rows(found, 0), rows(found, 1)[told(found, "row") - 1]
    signs = dot([abs(x) for x in q], [abs(x) for x in k])
    return dot(q, k), {
        "signs": signs,
        "added": sum(q, Fraction()) + sum(k, Fraction()),
        "divided": dot(q, k) / 2,
    }


def projection_by_hand(found: Exercise) -> Numbers:
    (x,), W, place = rows(found, 0), rows(found, 1), told(found, "column") - 1
    return dot(x, column(W, place)), {
        "transposed": dot(x, W[place]),
        "unweighted": sum(column(W, place), Fraction(0)),
        "neighbour": dot(x, column(W, (place + 1) % 3)),
    }


def scaled_by_hand(found: Exercise) -> Numbers:
    (q,), k = rows(found, 0), rows(found, 1)[told(found, "row") - 1]
    assert len(q) == told(found, "d_k") == 4
    raw = dot(q, k)
    return raw / 2, {"unscaled": raw, "by_dk": raw / 4, "times": raw * 2}


def product_by_hand(found: Exercise) -> Numbers:
    Q, K, i, j = rows(found, 0), rows(found, 1), told(found, "row") - 1, told(found, "column") - 1
    slips = {"transposed": dot(Q[j], K[i]), "queries": dot(Q[i], Q[j]), "keys": dot(K[i], K[j])}
    return dot(Q[i], K[j]), slips


def spread_by_hand(found: Exercise) -> Numbers:
    d_k = told(found, "d_k")
    root = next(number for number in range(d_k + 1) if number * number == d_k)
    return Fraction(root), {
        "variance": Fraction(d_k),
        "one": Fraction(1),
        "inverse": Fraction(1, root),
    }


def share_by_hand(found: Exercise) -> Numbers:
    E, i, j = rows(found, 0), told(found, "row") - 1, told(found, "column") - 1
    return E[i][j] / sum(E[i]), {
        "columns": E[i][j] / sum(column(E, j)),
        "whole": E[i][j] / sum(map(sum, E)),
        "largest": E[i][j] / max(E[i]),
    }


def masked_share_by_hand(found: Exercise) -> Numbers:
    E, i, j = rows(found, 0), told(found, "row") - 1, told(found, "column") - 1
    assert j < i
    return E[i][j] / sum(E[i][: i + 1]), {
        "unmasked": E[i][j] / sum(E[i]),
        "columns": E[i][j] / sum(E[r][j] for r in range(3) if r >= j),
        "strict": E[i][j] / sum(E[i][:i]),
    }


def bias_by_hand(found: Exercise) -> Numbers:
    S, i, j = rows(found, 0), told(found, "row") - 1, told(found, "column") - 1
    slope, far = Fraction(found.values["slope"]), abs(i - j)
    assert far == told(found, "distance")
    slips = {
        "added": S[i][j] + slope * far,
        "unsloped": S[i][j] - far,
        "place": S[i][j] - slope * (j + 1),
    }
    return S[i][j] - slope * far, slips


def mix_by_hand(found: Exercise) -> Numbers:
    A, V, i, j = rows(found, 0), rows(found, 1), told(found, "row") - 1, told(found, "column") - 1
    assert all(sum(row) == 1 for row in A)
    return dot(A[i], column(V, j)), {
        "transposed": dot(column(A, i), column(V, j)),
        "mean": sum(column(V, j), Fraction(0)) / 3,
        "hard": V[A[i].index(max(A[i]))][j],
    }


def output_by_hand(found: Exercise) -> Numbers:
    (joined,), W, j = rows(found, 0), rows(found, 1), told(found, "column") - 1
    both = [joined[0] + joined[2], joined[1] + joined[3]]
    return dot(joined, column(W, j)), {
        "first": dot(joined[:2], column(W, j)[:2]),
        "second": dot(joined[2:], column(W, j)[2:]),
        "added": dot(both, column(W, j)[:2]),
    }


def parameters_by_hand(found: Exercise) -> Numbers:
    h, d_k, d = (told(found, name) for name in ("h", "d_k", "d"))
    assert d == h * d_k
    counted = 0
    for _ in range(h):
        for _ in "QKV":
            counted += d * d_k
    slips = {"no_output": counted, "one": 3 * d * d_k + d * d, "wide": 3 * h * d * d + d * d}
    return Fraction(counted + d * d), {name: Fraction(value) for name, value in slips.items()}


def links_by_hand(found: Exercise) -> Numbers:
    n, left = told(found, "n"), told(found, "left")
    pairs = sum(1 for i in range(n) for j in range(n) if i - left <= j <= i)
    assert n * told(found, "span") - told(found, "missing") == pairs
    slips = {"edge": n * (left + 1), "causal": sum(range(1, n + 1)), "own": pairs - n}
    return Fraction(pairs), {name: Fraction(value) for name, value in slips.items()}


def work_by_hand(found: Exercise) -> Numbers:
    n, d_k = told(found, "n"), told(found, "d_k")
    counted = sum(1 for _ in range(n) for _ in range(n) for _ in range(d_k))
    slips = {"squared": n * d_k * d_k, "linear": n * d_k, "cells": n * n}
    return Fraction(counted), {name: Fraction(value) for name, value in slips.items()}


def cached_by_hand(found: Exercise) -> Numbers:
    n, h, k, v = (told(found, name) for name in ("n", "h", "d_k", "d_v"))
    whole = sum(k + v for _ in range(h) for _ in range(n))
    slips = {"queries": whole + n * h * k, "one": n * (k + v), "keys": n * h * k}
    return Fraction(whole), {name: Fraction(value) for name, value in slips.items()}


BY_HAND: dict[str, Callable[[Exercise], Numbers]] = {
    name: globals()[f"{name}_by_hand"] for name in DRAWS
}


@pytest.mark.parametrize("kind", DRAWS)
def test_right_and_wrong_numbers_are_those_worked_out_by_hand(kind: str) -> None:
    for seed in SEEDS:
        found = exercise(kind, seed)
        right, slips = BY_HAND[kind](found)
        assert math.isclose(found.right, right, abs_tol=1e-12), seed
        assert set(found.slips) == set(slips)
        for name, value in slips.items():
            assert math.isclose(found.slips[name], value, abs_tol=1e-12), (seed, name)


@pytest.mark.parametrize("kind", DRAWS)
def test_no_two_numbers_could_be_taken_for_each_other_and_none_of_the_answers_is_zero(
    kind: str,
) -> None:
    for seed in (*SEEDS, 9999):
        found = exercise(kind, seed)
        assert abs(found.right) >= APART
        assert all(abs(a - b) >= APART for a, b in combinations(found.numbers, 2))
        assert len({f"{number:.2f}" for number in found.numbers}) == len(found.numbers)


@pytest.mark.parametrize("kind", DRAWS)
def test_a_seed_always_gives_the_same_and_seeds_differ(kind: str) -> None:
    first = exercise(kind, 5)
    exercise.cache_clear()
    again = exercise(kind, 5)
    assert again.numbers == first.numbers
    assert all(
        np.array_equal(a.values, b.values) for a, b in zip(first.given, again.given, strict=True)
    )
    assert len({exercise(kind, seed).numbers for seed in SEEDS}) > 5


@pytest.mark.parametrize("kind", DRAWS)
def test_the_terms_add_up_to_the_answer(kind: str) -> None:
    for seed in SEEDS:
        found = exercise(kind, seed)
        if found.terms:
            assert math.isclose(
                sum(math.prod(term) for term in found.terms) / _divisor(kind), found.right
            )


def _divisor(kind: str) -> int:
    return 2 if kind == "scaled" else 1


@pytest.mark.parametrize("kind", [kind for kind in DRAWS if kind != "spread"])
def test_the_answer_stands_in_the_experiment_and_files_keep_it(kind: str) -> None:
    found = exercise(kind, 3)
    assert found.document is not None
    assert found.cell is not None
    trace = run(archive.loads(archive.dumps(found.document)))
    value = trace.value(found.cell)
    if kind not in ("parameters", "links", "work", "cached"):
        assert math.isclose(value, found.right, abs_tol=1e-12)


def test_the_spread_is_that_of_real_dot_products() -> None:
    rng = np.random.default_rng(4)
    for seed in (1, 2, 3):
        found = exercise("spread", seed)
        d_k = told(found, "d_k")
        products = (rng.standard_normal((20_000, d_k)) * rng.standard_normal((20_000, d_k))).sum(
            axis=1
        )
        assert math.isclose(products.std(), found.right, rel_tol=0.03)
