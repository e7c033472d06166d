"""The softmax lab against plain loops, fractions and finite differences."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.compute.trace import run
from core.labs.sharpness import entropy, jacobian_norm
from core.labs.softmax import COLDEST, FARTHEST, HOTTEST, LAB, REACH, SoftmaxResult

Row = tuple[float, ...]
scores_of = st.tuples(*[st.floats(-REACH, REACH)] * 4)


def worked(**values: object) -> SoftmaxResult:
    return LAB.compute(LAB.start(values=values))


def by_hand(scores: Row, temperature: float = 1.0, base: float = math.e) -> list[float]:
    powers = [base ** (score / temperature) for score in scores]
    return [power / math.fsum(powers) for power in powers]


def test_the_example_of_the_textbook() -> None:
    result = worked()
    assert [round(float(weight), 3) for weight in result.weights] == [0.202, 0.041, 0.150, 0.607]
    assert result.weights.sum() == pytest.approx(1.0, abs=1e-15)
    assert result.total == pytest.approx(
        sum(math.exp(score - 3.2) for score in (2.1, 0.5, 1.8, 3.2))
    )
    assert result.winner == 3


@given(scores_of, st.floats(0.2, HOTTEST), st.sampled_from(["e", "2", "3", "10"]))
def test_weights_are_those_of_a_plain_loop(scores: Row, temperature: float, base: str) -> None:
    result = worked(scores=scores, temperature=temperature, base=base)
    number = math.e if base == "e" else float(base)
    assert result.weights.tolist() == pytest.approx(by_hand(scores, temperature, number), abs=1e-12)
    # base b is base e at another temperature
    assert result.weights.tolist() == pytest.approx(
        by_hand(scores, result.equal_temperature), abs=1e-12
    )


@given(st.lists(st.integers(-6, 6), min_size=4, max_size=4))
def test_base_two_and_whole_scores_are_fractions(scores: list[int]) -> None:
    powers = [Fraction(2) ** score for score in scores]
    result = worked(scores=tuple(map(float, scores)), base="2")
    assert result.weights.tolist() == pytest.approx(
        [float(power / sum(powers)) for power in powers], abs=1e-15
    )


@given(scores_of, st.floats(-FARTHEST, FARTHEST), st.floats(COLDEST, HOTTEST))
def test_a_constant_moves_no_weight(scores: Row, constant: float, temperature: float) -> None:
    result = worked(scores=scores, constant=constant, temperature=temperature)
    assert 0.0 <= result.difference <= 1e-10
    assert not result.overflows
    assert not result.vanishes


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("base", ["e", "2", "10"])
@pytest.mark.parametrize("constant", [800.0, 707.0, 300.0, -800.0, 0.0])
@pytest.mark.parametrize("temperature", [1.0, 0.5])
def test_without_the_maximum_it_is_what_numpy_gives_and_warns_of(
    base: str, constant: float, temperature: float
) -> None:
    result = worked(base=base, constant=constant, temperature=temperature, subtract=False)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        p = np.exp(result.z) if base == "e" else float(base) ** result.z
        weights = p / p.sum()
    np.testing.assert_array_equal(result.numerators, p)
    np.testing.assert_array_equal(result.weights, weights)
    assert result.warnings == tuple(str(warning.message) for warning in caught)


def test_without_the_maximum_large_powers_overflow_and_small_ones_vanish() -> None:
    high = worked(constant=FARTHEST, subtract=False)
    assert high.overflows
    assert np.isnan(high.weights).all()
    assert math.isnan(high.difference)
    assert math.isnan(high.entropy)
    assert math.isnan(high.gradient)
    low = worked(constant=-FARTHEST, subtract=False)
    assert low.vanishes
    assert np.isnan(low.weights).all()
    fair = worked(constant=10.0, subtract=False)
    assert fair.difference < 1e-15
    assert fair.numerators.tolist() == pytest.approx(
        [math.exp(score + 10.0) for score in (2.1, 0.5, 1.8, 3.2)]
    )


@given(scores_of, st.floats(0.3, HOTTEST), st.sampled_from(["e", "2", "10"]))
def test_the_gradient_is_that_of_finite_differences(
    scores: Row, temperature: float, base: str
) -> None:
    number = math.e if base == "e" else float(base)
    step, columns = 1e-5, []
    for place in range(4):
        above, below = (
            [s + (sign * step if i == place else 0.0) for i, s in enumerate(scores)]
            for sign in (1, -1)
        )
        high, low = (
            by_hand(tuple(above), temperature, number),
            by_hand(tuple(below), temperature, number),
        )
        columns.append([(a - b) / (2 * step) for a, b in zip(high, low, strict=True)])
    norm = math.sqrt(math.fsum(entry**2 for column in columns for entry in column))
    gradient = worked(scores=scores, temperature=temperature, base=base).gradient
    assert gradient == pytest.approx(norm, rel=1e-4, abs=1e-9)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=7))
def test_entropy_and_jacobian_by_plain_loops(raw: list[float]) -> None:
    total = math.fsum(raw)
    weights = [weight / total for weight in raw] if total > 1e-3 else [1.0, *[0.0] * (len(raw) - 1)]
    terms = [
        (weights[i] if i == j else 0.0) - weights[i] * weights[j]
        for i in range(len(raw))
        for j in range(len(raw))
    ]
    assert float(jacobian_norm(np.array(weights))) == pytest.approx(
        math.sqrt(sum(t * t for t in terms)), abs=1e-9
    )
    bits = -math.fsum(weight * math.log(weight) for weight in weights if weight)
    assert float(entropy(np.array(weights))) == pytest.approx(bits, abs=1e-12)


def test_saturation_and_equal_shares() -> None:
    cold, hot = worked(temperature=COLDEST), worked(temperature=HOTTEST)
    assert cold.weights.tolist() == pytest.approx(cold.hardmax.tolist(), abs=1e-9)
    assert cold.gradient < 1e-6
    assert hot.entropy == pytest.approx(math.log(4), abs=3e-3)
    assert worked(scores=(1.0, 1.0, -2.0, 1.0)).hardmax.tolist() == pytest.approx(
        [1 / 3, 1 / 3, 0.0, 1 / 3]
    )


def test_the_sweep_holds_the_row_at_each_temperature() -> None:
    result = worked(base="3")
    for place in (0, 50, 120):
        expected = by_hand((2.1, 0.5, 1.8, 3.2), float(result.temperatures[place]), 3.0)
        assert result.sweep[place].tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"temperature": 0.5, "base": "10"},
        {"constant": -600.0, "subtract": False},
        {"constant": 700.0, "subtract": False, "temperature": 1.5},
        {"scores": (-6.0, 6.0, 6.0, 0.0), "constant": 300.0},
    ],
)
def test_the_main_window_computes_the_same_numbers(values: dict[str, object]) -> None:
    setting = LAB.start(values=values)
    result, trace = LAB.compute(setting), run(LAB.document(setting))
    assert trace["scores"][0, 0].tolist() == result.shifted.tolist()
    assert trace["exp"][0, 0].tolist() == pytest.approx(result.numerators.tolist(), rel=1e-12)
    assert trace["weights"][0, 0].tolist() == pytest.approx(result.weights.tolist(), abs=1e-12)
    assert trace["Y"][0].tolist() == trace["weights"][0, 0].tolist()


@pytest.mark.parametrize("constant", [-FARTHEST, FARTHEST])
def test_where_plain_powers_break_the_main_window_stays_finite(constant: float) -> None:
    setting = LAB.start(values={"constant": constant, "subtract": False})
    assert np.isnan(LAB.compute(setting).weights).all()
    assert all(np.isfinite(run(LAB.document(setting))[stage]).all() for stage in ("exp", "weights"))


def test_nothing_is_infinite_at_the_ends_unless_numpy_warns() -> None:
    for temperature in (COLDEST, HOTTEST):
        for constant in (-FARTHEST, FARTHEST):
            for base in ("e", "10"):
                for subtract in (True, False):
                    result = worked(
                        temperature=temperature,
                        constant=constant,
                        base=base,
                        subtract=subtract,
                        scores=(6.0,) * 4,
                    )
                    assert np.isfinite(result.z).all()
                    assert np.isfinite(result.sweep).all()
                    numbers = (result.gradient, result.entropy, result.difference)
                    assert bool(np.isfinite(result.weights).all()) is not bool(result.warnings)
                    assert all(
                        math.isfinite(number) is not bool(result.warnings) for number in numbers
                    )
                    assert not (subtract and result.warnings)
