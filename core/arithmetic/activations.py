"""Activations of the MLP: ReLU, GELU (exact, by erf, and by tanh; Hendrycks and Gimpel 2016), SiLU.

Each is a function of one number, with its derivative and its bounds on an interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.arithmetic.enclosure import Enclosure, curved
from core.base.arrays import Array

TANH_SCALE, TANH_CUBE = math.sqrt(2 / math.pi), 0.044715
_NOISE = 16  # roundings in the value of an activation, relative to what goes in


@dataclass(frozen=True, slots=True, eq=False)
class Activation:
    """An activation: `value` and `slope` of each number of an array.

    It falls up to `lowest` and rises from there on; |second derivative| ≤ `bend`.
    """

    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    lowest: float
    bend: float


def erfc(x: Array) -> Array:
    """1 − erf of each number, exact in its tails (Python's math.erfc)."""
    return np.fromiter(map(math.erfc, x.ravel().tolist()), np.float64, x.size).reshape(x.shape)


def _relu(x: Array) -> Array:
    return np.maximum(x, 0.0)


def _relu_slope(x: Array) -> Array:
    """0 at 0, as PyTorch has it."""
    return np.where(x > 0.0, 1.0, 0.0)


def _gelu(x: Array) -> Array:
    return x * (erfc(x * -math.sqrt(0.5)) / 2)


def _gelu_slope(x: Array) -> Array:
    density = np.exp(-np.square(np.clip(x, -40.0, 40.0)) / 2) / math.sqrt(2 * math.pi)
    return erfc(x * -math.sqrt(0.5)) / 2 + x * density


def _sigmoid(x: Array) -> Array:
    """1 ÷ (1 + e^−x), by the exponential that does not overflow."""
    power = np.exp(-np.abs(x))
    return np.where(x < 0.0, power, 1.0) / (1.0 + power)


def _silu(x: Array) -> Array:
    return x * _sigmoid(x)


def _silu_slope(x: Array) -> Array:
    share = _sigmoid(x)
    return share + x * share * (1.0 - share)


def _tanh_argument(x: Array) -> Array:
    """Twice √(2/π) (x + 0.044715 x³); beyond ±40 tanh is ±1."""
    x = np.clip(x, -40.0, 40.0)
    return 2 * TANH_SCALE * (x + TANH_CUBE * x**3)


def _gelu_tanh(x: Array) -> Array:
    """½ (1 + tanh u) is the sigmoid of 2u, which keeps its digits where tanh is near −1."""
    return x * _sigmoid(_tanh_argument(x))


def _gelu_tanh_slope(x: Array) -> Array:
    share, near = _sigmoid(_tanh_argument(x)), np.clip(x, -40.0, 40.0)
    rise = 2 * TANH_SCALE * (1 + 3 * TANH_CUBE * np.square(near))
    return share + near * share * (1.0 - share) * rise


# By `mlp.activation`. Where the smooth ones are lowest solves value′ = 0 to the last digits.
ACTIVATIONS: dict[str, Activation] = {
    "relu": Activation(_relu, _relu_slope, 0.0, 0.0),
    "gelu": Activation(_gelu, _gelu_slope, -0.7517915246935644, 0.8),
    "gelu_tanh": Activation(_gelu_tanh, _gelu_tanh_slope, -0.7524614220710162, 0.8),
    "silu": Activation(_silu, _silu_slope, -1.2784645427610738, 0.5),
}


def enclosed_activation(name: str, x: Enclosure, noise: float) -> Enclosure:
    """An activation of numbers that are known to within errors; `noise` of each operation."""
    activation = ACTIVATIONS[name]
    result = _enclosed_relu(x) if name == "relu" else _enclosed_smooth(activation, x)
    return result.widened(0.0 if name == "relu" else _NOISE * noise * np.abs(x.center))


def _enclosed_relu(x: Enclosure) -> Enclosure:
    """As it is, 0, or where both are possible within the narrowest strip round a line."""
    lower, upper = x.bounds
    both = (lower < 0) & (upper > 0)
    slope = np.where(lower >= 0, 1.0, 0.0)
    np.divide(upper, upper - lower, out=slope, where=both)
    half = np.where(both, -slope * lower / 2, 0.0)
    return Enclosure(slope * x.center + half, slope * x.parts, slope * x.rest + half)


def _enclosed_smooth(activation: Activation, x: Enclosure) -> Enclosure:
    lower, upper = x.bounds
    ends = activation.value(lower), activation.value(upper)
    inside = (lower < activation.lowest) & (activation.lowest < upper)
    least = activation.value(np.array([activation.lowest]))
    return curved(
        x,
        activation.value(x.center),
        activation.slope(x.center),
        activation.bend,
        np.where(inside, least, np.minimum(*ends)),
        np.maximum(*ends),
    )
