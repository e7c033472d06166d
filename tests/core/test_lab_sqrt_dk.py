"""The √d_k lab against theory, plain loops and finite differences."""

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
    query_gradient_norm,
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


def test_measures_by_plain_loops() -> None:
    result = worked(d_k=9, keys=3, samples="500")
    for place, divisor in enumerate((1.0, 3.0)):
        rows = [softmax([s / divisor for s in row]) for row in result.products.tolist()]
        bits = [-math.fsum(weight * math.log(weight) for weight in row) for row in rows]
        assert result.measures["largest"][place] == pytest.approx(np.mean([max(r) for r in rows]))
        assert result.measures["entropy"][place] == pytest.approx(np.mean(bits))
    assert result.row[1].tolist() == pytest.approx(softmax((result.products[0] / 3.0).tolist()))


@pytest.mark.parametrize("divisor", [1.0, 2.0, 4.0])
def test_the_gradient_by_the_query_is_that_of_finite_differences(divisor: float) -> None:
    q, k = vectors(2, 60, 5)
    q, k = q[:, :4], k[:, :, :4]
    weights = weights_of(np.einsum("rt,rmt->rm", q, k) / divisor)
    found = query_gradient_norm(weights, k, divisor)
    for row, query in enumerate(q.tolist()):
        assert found[row] == pytest.approx(
            by_differences(query, k[row].tolist(), divisor), rel=1e-5, abs=1e-9
        )


def by_differences(query: list[float], keys: list[list[float]], divisor: float) -> float:
    """Return ‖∂α/∂q‖ by central differences."""

    def weights(q: list[float]) -> list[float]:
        return softmax([float(np.dot(q, key)) / divisor for key in keys])

    total, step = 0.0, 1e-5
    for entry in range(len(query)):
        ahead, behind = list(query), list(query)
        ahead[entry] += step
        behind[entry] -= step
        total += sum(
            ((a - b) / (2 * step)) ** 2
            for a, b in zip(weights(ahead), weights(behind), strict=True)
        )
    return math.sqrt(total)


@pytest.mark.parametrize(("d_k", "keys"), [(16, 8), (256, 8), (1024, 64)])
def test_rows_without_a_gradient_are_counted(d_k: int, keys: int) -> None:
    result = worked(d_k=d_k, keys=keys, samples="250")
    _, k = vectors(1, 250, keys)
    for place, divisor in enumerate((1.0, math.sqrt(d_k))):
        flat = 0
        for row, scores in enumerate(result.products.tolist()):
            weights, vectors_k = softmax([s / divisor for s in scores]), k[row, :, :d_k]
            mean = sum(w * v for w, v in zip(weights, vectors_k, strict=True))
            squares = math.fsum(
                (w / divisor) ** 2 * float(((v - mean) ** 2).sum())
                for w, v in zip(weights, vectors_k, strict=True)
            )
            flat += squares < 0.01**2
        assert result.flat_rows[place] == flat
        assert result.measures["gradient"][place] == flat / len(result.products)


def softmax(scores: list[float]) -> list[float]:
    powers = [math.exp(score) for score in scores]
    return [power / math.fsum(powers) for power in powers]


@pytest.mark.parametrize("seed", [0, 1, 7])
@pytest.mark.parametrize("keys", [8, 64])
def test_rows_saturate_without_scaling_and_with_it_do_not(seed: int, keys: int) -> None:
    curves = worked(seed=seed, keys=keys, samples="2000").curves
    assert 0.3 < curves["gradient"][0, -1] < 0.8
    assert curves["gradient"][0, :3].max() == 0.0
    assert curves["gradient"][1].max() == 0.0
    assert curves["largest"][0, -1] > 0.85
    assert curves["entropy"][1].max() < math.log(keys)
    assert curves["entropy"][1].min() > 0.75 * math.log(keys)


def test_rows_that_are_not_saturated_have_the_larger_gradient_without_scaling() -> None:
    """Docstring and lesson say so: the gradient does not die away in every row."""
    _, k = vectors(1, 1000, 8)
    raw, scaled = (
        query_gradient_norm(
            weights_of(dot_products(1, 1000, 8, 256) / divisor), k[:, :, :256], divisor
        )
        for divisor in (1.0, 16.0)
    )
    assert 0.0 < (raw > scaled).mean() < 1.0


def test_divided_by_the_width_itself_wide_rows_become_equal_shares() -> None:
    for d_k in (16, 64, 1024):
        result = worked(d_k=d_k, divisor="d_k", samples="2000")
        assert result.sigmas[1] == pytest.approx(1.0 / math.sqrt(d_k), rel=0.1)
        assert result.sigmas[1] == pytest.approx(result.sigmas[0] / d_k)
    assert result.measures["entropy"][1] == pytest.approx(math.log(8), abs=1e-3)
    assert run(LAB.document(LAB.start(values={"d_k": 64, "divisor": "d_k"})))["weights"][
        0, 0
    ].tolist() == pytest.approx(worked(d_k=64, divisor="d_k").row[1].tolist())


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
