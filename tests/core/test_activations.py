"""Activations against their definitions, central differences and samples of intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.arithmetic.activations import ACTIVATIONS, enclosed_activation
from core.arithmetic.enclosure import Errors, known

DEFINITIONS = {
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: x * 0.5 * (1 + math.erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: (
        0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    ),
    "silu": lambda x: x / (1 + math.exp(-x)),
}
every_activation = pytest.mark.parametrize("name", ACTIVATIONS)
LINE = np.linspace(-9.0, 9.0, 1801)


def test_each_has_a_definition() -> None:
    assert set(ACTIVATIONS) == set(DEFINITIONS)


@every_activation
def test_its_values_are_those_of_its_definition(name: str) -> None:
    found = ACTIVATIONS[name].value(LINE)
    np.testing.assert_allclose(found, [DEFINITIONS[name](x) for x in LINE.tolist()], atol=1e-14)


@every_activation
def test_its_slope_is_the_central_difference(name: str) -> None:
    value, x = ACTIVATIONS[name].value, LINE[np.abs(LINE) > 1e-3]
    wanted = (value(x + 1e-6) - value(x - 1e-6)) / 2e-6
    np.testing.assert_allclose(ACTIVATIONS[name].slope(x), wanted, atol=2e-9)


@every_activation
def test_huge_numbers_stay_finite(name: str) -> None:
    x = np.array([-1.7e308, -1e200, -800.0, 0.0, 800.0, 1e200, 1.7e308])
    with np.errstate(over="raise", invalid="raise"):
        np.testing.assert_allclose(ACTIVATIONS[name].value(x), np.maximum(x, 0.0), atol=1e-300)
        np.testing.assert_allclose(ACTIVATIONS[name].slope(x)[[0, 1, 5, 6]], [0, 0, 1, 1])


@every_activation
def test_it_is_lowest_where_it_says_and_bends_no_more_than_it_says(name: str) -> None:
    activation = ACTIVATIONS[name]
    least = activation.value(np.array([activation.lowest]))[0]
    assert (
        least
        == activation.value(
            np.array([activation.lowest - 1e-4, activation.lowest + 1e-4, activation.lowest])
        ).min()
    )
    assert least <= activation.value(LINE).min()
    if name != "relu":
        bend = np.diff(activation.slope(LINE)) / np.diff(LINE)
        assert activation.bend - 0.01 < np.abs(bend).max() <= activation.bend


@every_activation
@pytest.mark.parametrize("half", [1e-5, 0.1, 1.0, 6.0])
def test_the_enclosure_holds_every_value(name: str, half: float) -> None:
    centers = np.linspace(-5.0, 5.0, 41)
    found = enclosed_activation(name, Errors(41).uncertain(centers, np.full(41, half)), 0.0)
    lower, upper = found.bounds
    for share in np.linspace(-1.0, 1.0, 33):
        value = ACTIVATIONS[name].value(centers + share * half)
        assert (lower - 1e-12 <= value).all()
        assert (value <= upper + 1e-12).all()
    far = centers > half + 8  # here it is nearly the identity
    np.testing.assert_allclose(found.radius[far], half, rtol=0.1)


@every_activation
def test_exact_numbers_have_no_error(name: str) -> None:
    found = enclosed_activation(name, known(LINE), 0.0)
    assert not found.radius.any()
    np.testing.assert_array_equal(found.center, ACTIVATIONS[name].value(LINE))
