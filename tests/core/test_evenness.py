"""Libraries that round sums in some places differently are found out, and products obey the law without them, too."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic import blas_determinism as evenness
from core.arithmetic import stable_sum as sums
from core.arithmetic.blas_determinism import is_even, multiplies_evenly
from core.arithmetic.stable_sum import PLAIN_PRODUCT, SMALL_PRODUCT, product, products
from core.base.arrays import Array, frozen
from core.compute.trace import run
from tests.bench.experiments import experiment
from tests.core import oracle

N, K, M = 13, 9, 11
Multiply = Callable[[Array, Array], Array]


def in_order(A: Array, B: Array) -> Array:
    """Each sum from its first term to its last."""
    total = np.zeros((A.shape[0], B.shape[1]))
    for term in range(A.shape[1]):
        total = total + A[:, term, None] * B[term]
    return total


def backwards_at(place: tuple[slice | int, slice | int]) -> Multiply:
    """As `in_order`, but from the last term to the first in some places."""

    def multiply(A: Array, B: Array) -> Array:
        result = in_order(A, B)
        result[place] = in_order(A[:, ::-1], B[::-1])[place]
        return result

    return multiply


def begun_with_the_first_term(A: Array, B: Array) -> Array:
    return A[:, :1] * B[:1] + in_order(A[:, 1:], B[1:]) if A.any() else A[:, :1] * B[:1]


def test_each_sum_in_one_order_is_even_whichever_it_is() -> None:
    assert is_even(in_order, N, K, M)
    assert is_even(backwards_at((slice(None), slice(None))), N, K, M)


@pytest.mark.parametrize(
    "place", [(12, slice(None)), (slice(None), 10), (slice(8, None), slice(8, None)), (3, 4)]
)
def test_another_order_anywhere_is_found(place: tuple[slice | int, slice | int]) -> None:
    assert not is_even(backwards_at(place), N, K, M)


def test_another_order_where_memory_lies_askew_is_found() -> None:
    def multiply(A: Array, B: Array) -> Array:
        askew = (A.ctypes.data // 8 + np.arange(N) * K) % 4 == 0
        return np.where(askew[:, None], in_order(A[:, ::-1], B[::-1]), in_order(A, B))

    assert not is_even(multiply, N, K, M)


def test_negative_zeros_are_found() -> None:
    assert not is_even(begun_with_the_first_term, N, K, M)


def test_few_terms_tell_too_little() -> None:
    assert not multiplies_evenly(64, evenness.FEWEST - 1, 64)


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), *(st.integers(6, 40) for _ in range(3)))
def test_the_law_of_places_whatever_the_library_does(
    seed: int, h: int, n: int, k: int, m: int
) -> None:
    """Rows, columns and, where asked for, terms may be swapped, to the last bit, in all sizes up to the largest."""
    assert n * k * m <= SMALL_PRODUCT
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(h, n, k)), rng.normal(size=(h, k, m))
    rows, terms, columns = rng.permutation(n), rng.permutation(k), rng.permutation(m)
    assert (product(a[:, rows], b[:, :, columns]) == product(a, b)[:, rows][:, :, columns]).all()
    turned = np.asfortranarray(a), b.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    assert (product(*turned) == product(a, b)).all()
    free = product(a, b, order_free=True)
    assert (product(a[:, rows][:, :, terms], b[:, terms], order_free=True) == free[:, rows]).all()
    assert (products(a[0][rows], list(b)) == products(a[0], list(b))[:, rows]).all()
    np.testing.assert_allclose(
        product(a, b),
        [oracle.multiply(x.tolist(), y.tolist()) for x, y in zip(a, b, strict=True)],
        rtol=1e-12,
        atol=1e-12,
    )


@pytest.mark.parametrize(("n", "d", "h"), [(17, 24, 3), (16, 64, 8), (33, 30, 2)])
def test_swapped_tokens_swap_rows_and_keys_of_a_run(n: int, d: int, h: int) -> None:
    document, order = experiment(n, d, h), np.random.default_rng(n).permutation(n)
    assert document.X is not None
    plain, swapped = run(document), run(document.with_(X=frozen(document.X[order])))
    for stage in plain.plan:
        expected = plain[stage.id]
        expected = expected[:, order] if stage.headwise else expected[order]
        expected = expected[..., order] if stage.attends else expected
        assert (swapped[stage.id] == expected).all(), stage.id


@pytest.mark.parametrize("even", [True, False])
def test_only_an_even_library_is_asked(monkeypatch: pytest.MonkeyPatch, even: bool) -> None:
    assert N * K * M > PLAIN_PRODUCT
    asked: list[tuple[int, int, int]] = []
    monkeypatch.setattr(sums, "multiplies_evenly", lambda *size: asked.append(size) or even)
    rng = np.random.default_rng(4)
    a, b = rng.normal(size=(N, K)), rng.normal(size=(K, M))
    expected = a @ b if even else oracle.multiply(a.tolist(), b.tolist())
    assert product(a, b).tolist() == np.asarray(expected).tolist()
    assert asked == [(N, K, M)]
    few = product(a[:2], b)
    assert few.tolist() == oracle.multiply(a[:2].tolist(), b.tolist())
    assert asked == [(N, K, M)]
