"""Position encodings against loops over math.sin, and the laws they were made for."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic import positional_encoding as positions
from core.base.arrays import frozen
from core.base.errors import UserError
from tests.core import oracle

N, H, K = 5, 3, 4


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).normal(size=shape)


@pytest.mark.parametrize("d", [1, 2, 6, 7])
@pytest.mark.parametrize("base", [10000.0, 100.0])
def test_sinusoidal_equals_the_loops(d: int, base: float) -> None:
    np.testing.assert_allclose(
        positions.sinusoidal(N, d, base), oracle.sinusoidal(N, d, base), rtol=0, atol=1e-14
    )


def test_sinusoidal_by_hand() -> None:
    table = positions.sinusoidal(2, 4)
    assert table[0].tolist() == [0.0, 1.0, 0.0, 1.0]
    np.testing.assert_allclose(
        table[1], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)], atol=1e-15
    )


def test_sinusoidal_pairs_lie_on_the_unit_circle() -> None:
    table = positions.sinusoidal(9, 6)
    np.testing.assert_allclose(table[:, 0::2] ** 2 + table[:, 1::2] ** 2, 1.0, atol=1e-14)


@pytest.mark.parametrize("k", [1, 2, 4, 5])
def test_rotate_equals_the_loops(k: int) -> None:
    stack = random(H, N, k)
    np.testing.assert_allclose(
        positions.rotate(stack), [oracle.rotate(m.tolist()) for m in stack], atol=1e-14
    )


def test_rotate_turns_the_first_pair_by_the_position() -> None:
    turned = positions.rotate(frozen([[[1.0, 0.0, 9.0]] * 3]))
    np.testing.assert_allclose(
        turned[0], [[math.cos(p), math.sin(p), 9.0] for p in range(3)], atol=1e-15
    )


def test_rotate_leaves_its_input_and_the_first_position_alone() -> None:
    stack = random(H, N, K)
    before = stack.copy()
    turned = positions.rotate(stack)
    assert (stack == before).all()
    assert (turned[:, 0] == stack[:, 0]).all()
    assert (turned[:, 1:] != stack[:, 1:]).all()


@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_rotate_keeps_lengths(k: int, seed: int) -> None:
    stack = np.random.default_rng(seed).normal(size=(2, N, k))
    turned = positions.rotate(stack)
    np.testing.assert_allclose(
        np.linalg.norm(turned, axis=-1), np.linalg.norm(stack, axis=-1), rtol=1e-12
    )


def test_dot_products_of_turned_rows_depend_on_the_distance_alone() -> None:
    q, k = random(2, K)
    n = 9
    turned_q = positions.rotate(np.tile(q, (n, 1)))
    turned_k = positions.rotate(np.tile(k, (n, 1)))
    products = turned_q @ turned_k.T
    for distance in range(-n + 1, n):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-12)
    assert abs(products[0, 1] - products[1, 0]) > 1e-3  # not even: the direction counts


@pytest.mark.parametrize("k", [1, 5, 6])
def test_rotary_angles(k: int) -> None:
    angles = positions.rotary_angles(N, k, 100.0)
    assert angles.shape == (N, k // 2)
    for position in range(N):
        for pair in range(k // 2):
            assert angles[position, pair] == pytest.approx(
                position * 100.0 ** (-2 * pair / k), rel=1e-14
            )


def test_alibi_slopes_of_eight_heads_are_halves() -> None:
    assert [Fraction(slope) for slope in positions.alibi_slopes(8).tolist()] == [
        Fraction(1, 2**i) for i in range(1, 9)
    ]


def test_alibi_slopes_of_three_heads() -> None:
    np.testing.assert_allclose(
        positions.alibi_slopes(3), [2 ** (-8 / 3), 2 ** (-16 / 3), 2**-8], rtol=1e-15
    )


def test_alibi_bias_equals_the_loops() -> None:
    slopes = positions.alibi_slopes(H)
    bias = positions.alibi_bias(N, slopes)
    assert bias.shape == (H, N, N)
    assert bias.tolist() == [oracle.alibi(N, N, slope) for slope in slopes.tolist()]
    wide = positions.alibi_bias(N, slopes, N + 2)
    assert wide.tolist() == [oracle.alibi(N, N + 2, slope) for slope in slopes.tolist()]
    assert not np.signbit(bias[:, range(N), range(N)]).any()


@pytest.mark.parametrize("base", [0.0, -1.0, math.inf, math.nan])
def test_a_base_is_a_positive_number(base: float) -> None:
    with pytest.raises(UserError) as caught:
        positions.sinusoidal(N, 6, base)
    assert caught.value.code == "base"


@pytest.mark.parametrize("base", [1e-300, 1e300, 5e-324])
def test_extreme_bases_and_values_stay_finite(base: float) -> None:
    assert np.isfinite(positions.sinusoidal(N, 7, base)).all()
    assert np.isfinite(positions.rotate(np.full((1, N, 5), 1.7e308), base)).all()
    assert np.isfinite(positions.alibi_bias(N, frozen([1.7e308]))).all()


def test_everything_is_read_only() -> None:
    made = (
        positions.sinusoidal(2, 3),
        positions.rotate(random(2, 2)),
        positions.alibi_bias(2, positions.alibi_slopes(2)),
    )
    assert not any(array.flags.writeable for array in made)
