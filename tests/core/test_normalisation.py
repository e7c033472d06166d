"""LayerNorm and RMSNorm against fractions, plain loops and central differences."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from core.arithmetic.enclosure import Errors, known
from core.arithmetic.normalisation import (
    NORM_KINDS,
    enclosed_normalisation,
    normalisation_gradient,
    normalise_rows,
)
from core.base.arrays import Array

EPS = 1e-5
every_kind = pytest.mark.parametrize("kind", NORM_KINDS)


def plain(row: list[float], kind: str, eps: float) -> tuple[float, float, list[float]]:
    """Mean, variance and normalised numbers of one row, with exact sums."""
    numbers = [Fraction(x) for x in row]
    mean = sum(numbers, Fraction(0)) / len(numbers) if kind == "layer" else Fraction(0)
    variance = sum(((x - mean) ** 2 for x in numbers), Fraction(0)) / len(numbers)
    root = math.sqrt(variance + Fraction(eps))
    return float(mean), float(variance), [float(x - mean) / root for x in numbers]


@every_kind
def test_each_part_is_that_of_exact_sums(kind: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        n, d = rng.integers(1, 7, size=2)
        x, gamma, beta = rng.normal(size=(n, d)), rng.normal(size=d), rng.normal(size=d)
        parts = normalise_rows(x, gamma, beta, kind=kind, eps=EPS)
        for i, row in enumerate(x.tolist()):
            mean, variance, normalised = plain(row, kind, EPS)
            assert parts.mean[i, 0] == pytest.approx(mean, abs=1e-14)
            assert parts.variance[i, 0] == pytest.approx(variance, rel=1e-13, abs=1e-30)
            assert parts.root[i, 0] == pytest.approx(math.sqrt(variance + EPS), rel=1e-13)
            np.testing.assert_allclose(parts.centred[i], [v - mean for v in row], atol=1e-14)
            np.testing.assert_allclose(parts.normalised[i], normalised, rtol=1e-11, atol=1e-12)
            wanted = [g * v + b for g, v, b in zip(gamma, normalised, beta, strict=True)]
            np.testing.assert_allclose(parts.scaled[i], wanted, rtol=1e-11, atol=1e-12)


@every_kind
def test_without_gamma_and_beta_the_normalised_numbers_stay(kind: str) -> None:
    parts = normalise_rows(np.array([[3.0, -1.0, 2.5]]), kind=kind, eps=EPS)
    np.testing.assert_array_equal(parts.scaled, parts.normalised)


def test_two_numbers_far_apart_become_minus_one_and_one() -> None:
    parts = normalise_rows(np.array([[-1e200, 1e200], [4e307, 8e307]]), kind="layer", eps=EPS)
    np.testing.assert_allclose(parts.scaled, [[-1.0, 1.0], [-1.0, 1.0]], rtol=1e-12)
    assert np.isfinite(parts.variance).all()
    assert parts.mean[1, 0] == pytest.approx(6e307)


@every_kind
def test_a_row_without_spread_is_zero_and_hands_nothing_back(kind: str) -> None:
    x = np.zeros((2, 3))
    parts = normalise_rows(x, None, np.array([1.0, 2.0, 3.0]), kind=kind, eps=0.0)
    np.testing.assert_array_equal(parts.scaled, [[1.0, 2.0, 3.0]] * 2)
    assert not normalisation_gradient(parts, np.ones((2, 3)), None, kind=kind).any()


@every_kind
def test_equal_rows_give_equal_numbers_at_every_place(kind: str) -> None:
    x = np.random.default_rng(3).normal(size=(9, 7))
    turned = normalise_rows(x[::-1].copy(), kind=kind, eps=EPS).scaled
    np.testing.assert_array_equal(turned[::-1], normalise_rows(x, kind=kind, eps=EPS).scaled)


@every_kind
def test_the_gradient_is_the_central_difference(kind: str) -> None:
    rng = np.random.default_rng(4)
    x, gamma, weight = rng.normal(size=(3, 5)), rng.normal(size=5), rng.normal(size=(3, 5))

    def loss(x: Array) -> float:
        return float((weight * normalise_rows(x, gamma, kind=kind, eps=EPS).scaled).sum())

    rows = normalise_rows(x, gamma, kind=kind, eps=EPS)
    found = normalisation_gradient(rows, weight, gamma, kind=kind)
    for place in np.ndindex(x.shape):
        by = np.zeros(x.shape)
        by[place] = 1e-6
        assert found[place] == pytest.approx((loss(x + by) - loss(x - by)) / 2e-6, abs=1e-7)


@every_kind
@pytest.mark.parametrize("half", [1e-6, 0.01, 0.3, 5.0])
def test_the_enclosure_holds_every_result(kind: str, half: float) -> None:
    rng = np.random.default_rng(5)
    for eps in (EPS, 0.0):
        x, gamma, beta = rng.normal(size=(2, 4)), rng.normal(size=(1, 4)), rng.normal(size=(1, 4))
        errors = Errors(8)
        around = errors.uncertain(x, np.full(x.shape, half))
        scale = errors.uncertain(gamma, np.full(gamma.shape, half))
        found = enclosed_normalisation(around, scale, known(beta), kind=kind, eps=eps, noise=0.0)
        lower, upper = found.bounds
        for _ in range(200):
            shift = rng.choice([-1, 0, 1], size=x.shape) if rng.random() < 0.5 else 0.0
            moved = x + half * (shift if np.any(shift) else rng.uniform(-1, 1, size=x.shape))
            factor = gamma[0] + half * rng.uniform(-1, 1, size=4)
            value = normalise_rows(moved, factor, beta[0], kind=kind, eps=eps).scaled
            assert (value >= lower - 1e-9).all()
            assert (value <= upper + 1e-9).all()


@every_kind
def test_the_enclosure_of_small_errors_is_close(kind: str) -> None:
    """To first order the radius is that of the worst case: Σ |∂y ÷ ∂x| times the error."""
    rng, half = np.random.default_rng(6), 1e-7
    x = rng.normal(size=(1, 5))
    around = Errors(5).uncertain(x, np.full(x.shape, half))
    found = enclosed_normalisation(around, None, None, kind=kind, eps=EPS, noise=0.0)
    rows = normalise_rows(x, kind=kind, eps=EPS)
    worst = [
        half * np.abs(normalisation_gradient(rows, one[None], None, kind=kind)).sum()
        for one in np.eye(5)
    ]
    np.testing.assert_allclose(found.radius[0], worst, rtol=1e-4)


@every_kind
def test_exact_numbers_have_no_error(kind: str) -> None:
    x = np.random.default_rng(7).normal(size=(3, 4))
    found = enclosed_normalisation(known(x), None, None, kind=kind, eps=EPS, noise=0.0)
    assert not found.radius.any()
    np.testing.assert_allclose(
        found.center, normalise_rows(x, kind=kind, eps=EPS).scaled, rtol=1e-12
    )


@every_kind
def test_single_precision_lies_within_its_noise(kind: str) -> None:
    rng = np.random.default_rng(8)
    for _ in range(30):
        x = (rng.normal(size=(4, 6)) * 3 + 5).astype(np.float32)
        mean = x.mean(axis=-1, keepdims=True) if kind == "layer" else np.float32(0)
        square = np.square(x - mean).mean(axis=-1, keepdims=True)
        single = (x - mean) / np.sqrt(square + np.float32(EPS))
        found = enclosed_normalisation(
            known(x.astype(np.float64)), None, None, kind=kind, eps=EPS, noise=2.0**-24
        )
        lower, upper = found.bounds
        assert ((lower <= single) & (single <= upper)).all()
        assert found.radius.max() < 1e-4
