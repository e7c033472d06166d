"""Products and sums that do not depend on places, and that never overflow."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic.stable_sum import LARGEST, SMALL_PRODUCT, product, row_sum, saturate
from tests.core import oracle

N, K, M = 5, 3, 4


def random(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=shape)


def test_small_products_are_added_from_left_to_right() -> None:
    a, b = random(N, K), random(K, M)
    assert product(a, b).tolist() == oracle.multiply(a.tolist(), b.tolist())


@pytest.mark.parametrize("order_free", [False, True])
def test_product_broadcasts_like_matmul(order_free: bool) -> None:
    a, b = random(2, 1, N, K), random(3, K, M)
    np.testing.assert_allclose(product(a, b, order_free=order_free), a @ b, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("order_free", [False, True])
@pytest.mark.parametrize(("n", "k", "m"), [(50, 40, 45), (100, 60, 50), (130, 20, 97)])
def test_large_products_equal_the_loops_too(order_free: bool, n: int, k: int, m: int) -> None:
    """Also those that are computed in pieces of a few columns."""
    a, b = random(n, k), random(k, m)
    assert a.shape[0] * b.size > SMALL_PRODUCT
    np.testing.assert_allclose(
        product(a, b, order_free=order_free), oracle.multiply(a.tolist(), b.tolist()), atol=1e-12
    )


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((2, 90, 70), (2, 70, 60)),
        ((90, 70), (3, 70, 60)),
        ((2, 70, 130), (2, 130, 40)),
        ((2, 1, 300, 60), (2, 60, 20)),
        ((12, 300), (300, 400)),
        ((1, 1200, 40), (1, 40, 30)),
    ],
)
def test_large_products_of_many_shapes(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """As added up by einsum."""
    first, second = random(*a), random(*b)
    wanted = np.einsum("...nk,...km->...nm", first, second)
    np.testing.assert_allclose(product(first, second), wanted, rtol=0, atol=1e-11)
    turned = np.ascontiguousarray(second.swapaxes(-1, -2)).swapaxes(-1, -2)
    np.testing.assert_allclose(product(first, turned), wanted, rtol=0, atol=1e-11)


@given(st.integers(0, 2**32 - 1), st.integers(1, 17), st.integers(1, 9), st.integers(1, 9))
def test_rows_and_terms_may_be_swapped_to_the_last_bit(seed: int, n: int, k: int, m: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(n, k)), rng.normal(size=(k, m))
    rows, terms = rng.permutation(n), rng.permutation(k)
    assert (product(a[rows], b) == product(a, b)[rows]).all()
    free = product(a, b, order_free=True)
    assert (product(a[rows][:, terms], b[terms], order_free=True) == free[rows]).all()
    assert (row_sum(a[:, terms]) == row_sum(a)).all()


@given(st.integers(0, 2**32 - 1), *(st.integers(1, size) for size in (3, 17, 20, 9)), st.booleans())
def test_terms_that_are_alike_may_be_swapped_too(
    seed: int, h: int, n: int, k: int, m: int, whole: bool
) -> None:
    """With many equal rows of the second factor, and zeros of both signs, each head in an order of its own."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(h, n, k)), rng.normal(size=(h, k, m))
    b[..., 0] = (
        rng.integers(-1, 2, size=(h, k)) if whole else np.where(rng.random((h, k)) < 0.5, 0.0, -0.0)
    )
    free = product(a, b, order_free=True)
    terms = rng.permutation(k)
    assert (product(a[..., terms], b[:, terms], order_free=True) == free).all()
    expected = [
        oracle.multiply(one.tolist(), other.tolist()) for one, other in zip(a, b, strict=True)
    ]
    np.testing.assert_allclose(free, expected, rtol=1e-12, atol=1e-13)
    for head in range(h):  # neither the other heads nor the other rows have a say
        assert (product(a[head, n // 2 :], b[head], order_free=True) == free[head, n // 2 :]).all()
    shared = product(a, b[0], order_free=True)
    assert (shared == product(a, np.stack([b[0]] * h), order_free=True)).all()


@pytest.mark.parametrize(
    ("n", "k", "m"),
    [(1, 60, 1), (60, 60, 60), (90, 3, 80), (2, 90, 3), (300, 2, 200), (3, 300, 90)],
)
@pytest.mark.parametrize("order_free", [False, True])
def test_one_sum_beyond_the_doubles_is_noticed_among_many(
    order_free: bool, n: int, k: int, m: int
) -> None:
    """Whether the factors or the result are looked at, whichever is smaller."""
    rng = np.random.default_rng(6)
    a, b = rng.normal(size=(n, k)), rng.normal(size=(k, m))
    plain = product(a, b, order_free=order_free)
    a[n - 1, k - 1], b[k - 1, m - 1] = 1e200, -1e200
    got = product(a, b, order_free=order_free)
    assert got[n - 1, m - 1] == -LARGEST
    np.testing.assert_allclose(got[: n - 1, : m - 1], plain[: n - 1, : m - 1], rtol=0, atol=1e-12)
    assert np.isfinite(got).all()
    assert product(a, np.asfortranarray(b), order_free=order_free)[n - 1, m - 1] == -LARGEST


def test_products_of_nothing() -> None:
    for order_free in (False, True):
        for n, k, m in ((0, 3, 2), (4, 0, 2), (4, 3, 0)):
            got = product(np.ones((2, n, k)), np.ones((2, k, m)), order_free=order_free)
            assert got.shape == (2, n, m)
            assert not got.any()


@pytest.mark.parametrize("order_free", [False, True])
@pytest.mark.parametrize("size", [1, 60])
def test_sums_beyond_the_doubles_stay_at_the_largest(order_free: bool, size: int) -> None:
    a = np.full((size, 60), 1e308)
    assert (product(a, a.T, order_free=order_free) == LARGEST).all()
    assert (product(a, -a.T, order_free=order_free) == -LARGEST).all()


def test_terms_beyond_the_doubles_may_cancel() -> None:
    a = np.array([[1e200, 1e200, 2.0], [0.1, 0.2, 0.3]])
    b = np.array([[1e200], [-1e200], [3.0]])
    np.testing.assert_allclose(product(a, b), [[6.0], [-1e199]], rtol=1e-15)


def test_a_rescued_sum_is_as_exact_as_any() -> None:
    a, b = [1.5e308, -1.4e308, 1.3e308], [3.0, 2.0, -0.25]
    true = sum((Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)), Fraction(0))
    assert float(product(np.array([a]), np.array([b]).T)[0, 0]) == pytest.approx(
        float(true), rel=1e-15
    )


@pytest.mark.parametrize("width", [1, 7, 64, 65, 300])
def test_row_sum_of_any_width(width: int) -> None:
    rows = random(N, width)
    before = rows.copy()
    np.testing.assert_allclose(
        row_sum(rows)[:, 0], [float(sum(map(Fraction, row))) for row in rows.tolist()], atol=1e-12
    )
    assert (rows == before).all()


def test_nothing_is_summed_to_a_plain_zero() -> None:
    assert row_sum(np.zeros((N, 0))).tolist() == [[0.0]] * N
    for order_free in (False, True):
        zeros = product(np.zeros((N, K)), -np.ones((K, M)), order_free=order_free)
        assert (zeros == 0.0).all()
        assert not np.signbit(zeros).any()


def test_saturate_works_in_place() -> None:
    array = np.array([np.inf, -np.inf, 1.0])
    assert saturate(array) is array
    assert array.tolist() == [LARGEST, -LARGEST, 1.0]


@given(
    st.integers(0, 2**32 - 1), *(st.integers(1, size) for size in (3, 17, 20, 17)), st.booleans()
)
def test_small_products_of_any_layout_are_added_from_left_to_right(
    seed: int, h: int, n: int, k: int, m: int, turned: bool
) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(h, n, k)), rng.normal(size=(h, m, k) if turned else (h, k, m))
    b = b.swapaxes(-1, -2) if turned else b
    a = np.asfortranarray(a) if seed % 2 else a
    expected = [
        oracle.multiply(one.tolist(), other.tolist()) for one, other in zip(a, b, strict=True)
    ]
    assert product(a, b).tolist() == expected
