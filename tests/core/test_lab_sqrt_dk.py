"""The lab of √d_k against theory, plain loops and finite differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compute.trace import run
from core.labs.sqrt_dk import (
    CURVES,
    LAB,
    SIZES,
    DotProducts,
    dot_products,
    normal,
    vectors,
    weights_of,
)


def worked(**values: object) -> DotProducts:
    return LAB.compute(LAB.start(values=values))


@pytest.mark.parametrize("d_k", [1, 3, 100, 1024])
def test_products_are_sums_of_the_first_entries(d_k: int) -> None:
    q, k = vectors(5, 500, 7)
    products = dot_products(5, 500, 7, d_k)
    assert products.shape == (71, 7)
    for row, key in ((0, 0), (3, 6), (70, 2)):
        expected = math.fsum(float(q[row, t]) * float(k[row, key, t]) for t in range(d_k))
        assert products[row, key] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 9999])
@pytest.mark.parametrize("d_k", [4, 64, 1024])
def test_sigma_grows_as_the_root(seed: int, d_k: int) -> None:
    result = worked(seed=seed, d_k=d_k, samples="2000", keys=2)
    # Var(mean of squares) = d²·((2 + 6/d)/N, and 2·2/(d·N) more for the query two keys share); five deviations
    slack = 5.0 * math.sqrt((2.0 + 12.0 / d_k) / 2000) / 2.0
    assert result.sigmas[0] == pytest.approx(math.sqrt(d_k), rel=slack)
    assert result.sigmas[1] == pytest.approx(1.0, rel=slack)
    assert result.spread == math.sqrt(d_k)
    assert abs(result.products.mean()) < 5.0 * math.sqrt(d_k / 2000)


def test_the_histogram_counts_every_product_once() -> None:
    result = worked(d_k=30, samples="500", keys=5)
    for values, bins in zip(
        (result.products, result.products / math.sqrt(30)), result.histograms, strict=True
    ):
        inside = sum(1 for value in values.ravel() if bins.edges[0] <= value <= bins.edges[-1])
        area = math.fsum(
            float(h * (b - a))
            for h, a, b in zip(bins.heights, bins.edges[:-1], bins.edges[1:], strict=True)
        )
        assert area == pytest.approx(inside / values.size)
        assert inside / values.size > 0.99


def test_the_histogram_follows_the_normal_curve() -> None:
    bins = worked(d_k=256, samples="2000").histograms[0]
    middles, width = (bins.edges[:-1] + bins.edges[1:]) / 2, bins.edges[1] - bins.edges[0]
    expected = normal(middles, 16.0) * width * 2000  # counts; each a Poisson number, nearly
    assert (np.abs(bins.heights * width * 2000 - expected) < 5.0 * np.sqrt(expected + 4.0)).all()
    assert float((normal(np.linspace(-80, 80, 4001), 16.0) * 0.04).sum()) == pytest.approx(
        1.0, abs=1e-5
    )


@given(st.lists(st.floats(-30.0, 30.0), min_size=2, max_size=6))
def test_the_softmax_of_a_plain_loop(scores: list[float]) -> None:
    powers = [math.exp(score - max(scores)) for score in scores]
    assert weights_of(np.array([scores]))[0].tolist() == pytest.approx(
        [p / math.fsum(powers) for p in powers], abs=1e-14
    )


def test_measures_by_plain_loops_and_finite_differences() -> None:
    result = worked(d_k=9, keys=3, samples="500")
    largest, bits, norms = [], [], []
    for scores in (result.products / 3.0).tolist():
        weights = softmax(scores)
        largest.append(max(weights))
        bits.append(-math.fsum(weight * math.log(weight) for weight in weights))
        norms.append(jacobian(scores))
    assert result.measures["largest"][1] == pytest.approx(np.mean(largest))
    assert result.measures["entropy"][1] == pytest.approx(np.mean(bits))
    assert result.measures["gradient"][1] == pytest.approx(np.mean(norms), rel=1e-6)
    assert result.row[1].tolist() == pytest.approx(softmax((result.products[0] / 3.0).tolist()))


def softmax(scores: list[float]) -> list[float]:
    powers = [math.exp(score) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def jacobian(scores: list[float], step: float = 1e-5) -> float:
    total = 0.0
    for place in range(len(scores)):
        ahead, behind = list(scores), list(scores)
        ahead[place] += step
        behind[place] -= step
        total += sum(
            ((a - b) / (2 * step)) ** 2
            for a, b in zip(softmax(ahead), softmax(behind), strict=True)
        )
    return math.sqrt(total)


def test_without_scaling_the_gradient_dies_and_with_it_does_not() -> None:
    curves = worked().curves
    assert curves["gradient"][0, -1] < 0.2 * curves["gradient"][0, 2]
    assert curves["gradient"][1].min() > 0.8 * curves["gradient"][1].max()
    assert (np.diff(curves["largest"][0]) > 0).all()
    assert curves["largest"][0, -1] > 0.9
    assert curves["entropy"][1].max() < math.log(8)


def test_curves_hold_the_measures_at_each_size() -> None:
    for d_k in (1, 16, 1024):
        result = worked(d_k=d_k, keys=5, seed=3)
        for name in CURVES:
            assert (
                result.curves[name][:, SIZES.index(d_k)].tolist() == result.measures[name].tolist()
            )
    alone = worked(d_k=1)
    assert alone.row[0].tolist() == alone.row[1].tolist()


@pytest.mark.parametrize(("d_k", "keys"), [(1, 2), (64, 8), (1024, 64)])
def test_the_main_window_computes_the_first_row(d_k: int, keys: int) -> None:
    setting = LAB.start(values={"d_k": d_k, "keys": keys})
    result, trace = LAB.compute(setting), run(LAB.document(setting))
    assert trace["scores"][0, 0].tolist() == pytest.approx(result.products[0].tolist(), abs=1e-9)
    assert trace["weights"][0, 0].tolist() == pytest.approx(result.row[1].tolist(), abs=1e-12)
    assert trace["Y"][0].tolist() == pytest.approx(result.row[1].tolist(), abs=1e-12)
