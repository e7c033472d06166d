"""Products of swapped rows are swapped products, to the last bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic.stable_sum import SMALL_PRODUCT, product, products
from core.base.arrays import frozen
from core.compute.trace import run
from tests.bench.experiments import experiment
from tests.core import oracle


@given(st.integers(0, 2**32 - 1), st.integers(1, 3), *(st.integers(6, 40) for _ in range(3)))
def test_sums_do_not_depend_on_the_place_of_a_row(
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
