"""attend() against loops over plain floats, against exact fractions, and against the laws of attention."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic import attention
from core.arithmetic import blockwise as blocks
from core.arithmetic.attention import Attention, attend
from core.base.arrays import Array
from core.base.errors import UserError
from tests.core import oracle

H, G, N, M, K, V = 6, 3, 5, 7, 2, 4  # all different, H a multiple of G
STAGES = ("scores", "scaled", "capped", "masked", "exp", "weights", "output")


def random(seed: int, h: int = H, g: int = G, n: int = N, m: int = M) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(h, n, K)), rng.normal(size=(g, m, K)), rng.normal(size=(g, m, V))


def random_mask(seed: int, h: int = H, n: int = N, m: int = M) -> np.ndarray:
    return np.random.default_rng(seed).random((h, n, m)) < 0.6


def same(a: Attention, b: Attention) -> bool:
    return all((getattr(a, stage) == getattr(b, stage)).all() for stage in STAGES)


OPTIONS: list[dict[str, Any]] = [
    {},
    {"scale": 0.3},
    {"scale": -2.0},
    {"softcap": 0.7},
    {"causal": True},
    {"causal": True, "query_offset": 2},
    {"causal": True, "query_offset": -2},
    {"window": (1, 2)},
    {"window": (None, 0), "query_offset": 1},
    {"window": (2, None), "causal": True},
    {"mask": random_mask(1)},
    {"mask": random_mask(2), "causal": True, "window": (2, 1), "softcap": 1.5, "scale": 2.0},
    {"mask": np.random.default_rng(3).normal(size=(H, N, M))},
    {"mask": np.where(random_mask(4), 0.5, -np.inf), "window": (3, 3), "query_offset": 1},
]


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "plain")
def test_every_stage_equals_the_loops(options: dict[str, Any]) -> None:
    q, k, v = random(0)
    actual = attend(q, k, v, **options)
    plain = {**options, "mask": options["mask"].tolist()} if "mask" in options else options
    expected = oracle.attention(q.tolist(), k.tolist(), v.tolist(), **plain)
    for stage in STAGES:
        array = getattr(actual, stage)
        assert array.shape == ((H, N, V) if stage == "output" else (H, N, M))
        np.testing.assert_allclose(array, expected[stage], rtol=1e-13, atol=1e-14, err_msg=stage)


def test_the_first_example_of_the_program() -> None:
    q = [[[0.2, 0.8], [0.5, 0.5], [0.9, 0.1]]]
    k = [[[0.1, 0.9], [0.6, 0.4], [0.8, 0.2]]]
    v = [[[0.3, 0.7], [0.8, 0.2], [0.4, 0.6]]]
    result = attend(q, k, v)
    np.testing.assert_allclose(
        result.scores[0], [[0.74, 0.44, 0.32], [0.5, 0.5, 0.5], [0.18, 0.58, 0.74]], atol=1e-15
    )
    assert result.weights[0].round(2).tolist() == [
        [0.39, 0.32, 0.29],
        [0.33, 0.33, 0.33],
        [0.26, 0.35, 0.39],
    ]


def test_powers_of_two_are_exact_fractions() -> None:
    """With ln 2 as the scale, e^s is a power of two: the weights are fractions known by hand."""
    q, k = [[[1.0], [2.0]]], [[[0.0], [-1.0], [-2.0]]]
    weights = attend(q, k, [[[1.0]] * 3], scale=math.log(2)).weights[0]
    for row, powers in zip(weights.tolist(), ([0, -1, -2], [0, -2, -4]), strict=True):
        parts = [Fraction(2) ** power for power in powers]
        np.testing.assert_allclose(row, [float(part / sum(parts)) for part in parts], rtol=1e-15)


def test_grouped_queries_read_the_keys_of_their_group() -> None:
    q, k, v = random(5)
    grouped = attend(q, k, v)
    repeated = attend(q, np.repeat(k, H // G, axis=0), np.repeat(v, H // G, axis=0))
    assert same(grouped, repeated)


def test_masks_broadcast() -> None:
    q, k, v = random(6)
    row = random_mask(7)[0, 0]
    assert same(attend(q, k, v, mask=row), attend(q, k, v, mask=np.broadcast_to(row, (H, N, M))))
    column = np.random.default_rng(8).normal(size=(H, 1, 1))
    assert same(
        attend(q, k, v, mask=column), attend(q, k, v, mask=np.broadcast_to(column, (H, N, M)))
    )


def test_unused_steps_are_the_array_before_them() -> None:
    q, k, v = random(9)
    plain = attend(q, k, v)
    assert plain.masked is plain.capped is plain.scaled
    assert attend(q, k, v, softcap=1.0).capped is not plain.scaled
    assert (attend(q, k, v, scale=1.0).scaled == plain.scores).all()


def test_results_are_frozen_and_arguments_untouched() -> None:
    q, k, v = random(10)
    before = q.copy(), k.copy(), v.copy()
    result = attend(q, k, v, causal=True)
    assert not any(getattr(result, stage).flags.writeable for stage in STAGES)
    assert all(
        (now == then).all() and now.flags.writeable
        for now, then in zip((q, k, v), before, strict=True)
    )


@pytest.mark.parametrize(
    ("n", "m", "k", "v"), [(1, 1, 1, 1), (1, 4, 1, 2), (3, 1, 2, 1), (0, 3, 2, 2), (3, 0, 2, 4)]
)
def test_the_smallest_sizes(n: int, m: int, k: int, v: int) -> None:
    result = attend(
        np.ones((2, n, k)), np.ones((2, m, k)), np.full((2, m, v), 3.0), causal=True, query_offset=m
    )
    np.testing.assert_allclose(result.weights, np.full((2, n, m), 1 / max(m, 1)), rtol=1e-15)
    np.testing.assert_allclose(result.output, np.full((2, n, v), 3.0 if m else 0.0), rtol=1e-15)


# Laws


seeds = st.integers(0, 2**32 - 1)


@given(seeds, seeds)
def test_rows_sum_to_one_or_are_wholly_masked(seed: int, mask_seed: int) -> None:
    mask = random_mask(mask_seed)
    mask[0, 1] = False
    result = attend(*random(seed), mask=mask)
    sums = result.weights.sum(axis=-1)
    np.testing.assert_allclose(sums, mask.any(axis=-1).astype(float), rtol=1e-14, atol=0)
    assert (result.weights[~mask] == 0.0).all()
    assert (result.weights[mask] > 0.0).all()
    assert (result.exp.max(axis=-1) == mask.any(axis=-1)).all()
    assert (result.output[~mask.any(axis=-1)] == 0.0).all()
    assert not np.signbit(result.output[~mask.any(axis=-1)]).any()


@given(seeds, st.integers(-50, 50))
def test_a_bias_that_is_the_same_for_a_whole_row_changes_no_weight(seed: int, shift: int) -> None:
    q, k, v = random(seed)
    shifted = attend(q, k, v, mask=np.full((H, N, 1), float(shift)))
    np.testing.assert_allclose(shifted.weights, attend(q, k, v).weights, rtol=1e-12)


@given(seeds, seeds)
def test_swapping_tokens_swaps_rows_and_nothing_else(seed: int, order_seed: int) -> None:
    """Permutation equivariance, to the last bit."""
    q, k, v = random(seed, m=N)
    order = np.random.default_rng(order_seed).permutation(N)
    before, after = attend(q, k, v), attend(q[:, order], k[:, order], v[:, order])
    assert (after.output == before.output[:, order]).all()
    assert (after.weights == before.weights[:, order][:, :, order]).all()


@given(seeds)
def test_outputs_lie_between_the_values(seed: int) -> None:
    q, k, v = random(seed)
    output = attend(q, k, v).output
    each = np.repeat(v, H // G, axis=0)
    assert (output <= each.max(axis=1, keepdims=True) + 1e-12).all()
    assert (output >= each.min(axis=1, keepdims=True) - 1e-12).all()


@given(seeds, st.integers(1, N))
def test_the_last_queries_alone_give_the_last_rows(seed: int, last: int) -> None:
    """What a cache of keys and values relies on."""
    q, k, v = random(seed, m=N)
    whole = attend(q, k, v, causal=True)
    end = attend(q[:, N - last :], k, v, causal=True, query_offset=N - last)
    assert (end.output == whole.output[:, N - last :]).all()


# Extremes: never NaN, never a warning (warnings are errors in this suite)


@pytest.mark.parametrize("size", [1.0, 1e154, 1e155, 1e300, 1.7e308])
@pytest.mark.parametrize(
    "options",
    [{}, {"causal": True}, {"softcap": 1e-300}, {"scale": 1e308}, {"mask": np.array(-1e308)}],
)
def test_huge_numbers_give_finite_stages(size: float, options: dict[str, Any]) -> None:
    q, k, v = (np.clip(array, -1.0, 1.0) * size for array in random(11, m=N))
    with np.errstate(all="raise"):
        result = attend(q, k, v, **options)
    for stage in STAGES:
        array = getattr(result, stage)
        assert np.isfinite(array if stage != "masked" else array[array != -np.inf]).all(), stage
    np.testing.assert_allclose(result.weights.sum(axis=-1), 1.0, rtol=1e-14)
    if "causal" not in options:
        assert (result.masked != -np.inf).all()  # −∞ means masked and nothing else


def test_the_larger_of_two_scores_beyond_the_doubles_is_a_tie() -> None:
    result = attend([[[1e200]]], [[[1e200], [1e300], [-1e200]]], [[[1.0], [3.0], [7.0]]])
    assert result.weights.tolist() == [[[0.5, 0.5, 0.0]]]
    assert result.output.tolist() == [[[2.0]]]


def test_far_apart_scores_underflow_to_exact_zeros() -> None:
    with np.errstate(all="raise"):
        result = attend([[[1.0]]], [[[1000.0], [0.0], [-740.0]]], [[[1.0], [2.0], [3.0]]])
    assert result.weights.tolist() == [[[1.0, 0.0, 0.0]]]


def test_pinned_stages_are_taken_as_they_come() -> None:
    """What-if values may make a row of exponentials anything at all."""
    rows = np.array([[[1.0, -1.0], [1e308, 1e308], [1e-320, 0.0], [5e-324, -1.0], [2.0, 6.0]]])
    with np.errstate(all="raise"):
        weights = attention.normalise(rows)
    assert np.isfinite(weights).all()
    assert weights[0, 0].tolist() == [0.0, 0.0]
    assert weights[0, 4].tolist() == [0.25, 0.75]


# Blocks and threads


@pytest.mark.parametrize(("h", "n", "m"), [(1, 300, 301), (3, 130, 200)])
@pytest.mark.parametrize("block", [1, 700, 5000, 10**9])
def test_blocks_and_threads_change_no_bit(
    monkeypatch: pytest.MonkeyPatch, h: int, n: int, m: int, block: int
) -> None:
    q, k, v = random(12, h=h, g=1, n=n, m=m)
    options: dict[str, Any] = {
        "mask": random_mask(13, h=h, n=n, m=m),
        "causal": True,
        "softcap": 2.0,
        "query_offset": 3,
    }
    before = attend(q, k, v, **options)
    monkeypatch.setattr(blocks, "BLOCK_CELLS", block)
    assert same(attend(q, k, v, **options), before)
    monkeypatch.setattr(blocks, "THREADED_CELLS", 0)
    assert same(attend(q, k, v, **options), before)


def test_stages_one_by_one_are_attend() -> None:
    for n, m in ((N, M), (300, 301)):
        q, k, v = random(14, n=n, m=m)
        bias = np.random.default_rng(15).normal(size=(H, n, m))
        whole = attend(q, k, v, mask=bias, softcap=3.0, scale=0.25)
        raw = attention.scores(q, k)
        masked = attention.apply_mask(
            attention.soft_cap(attention.multiply(raw, 0.25), 3.0), bias=bias
        )
        exp = attention.exponentials(masked)
        weights = attention.normalise(exp)
        steps = (raw, masked, exp, weights, attention.mix(weights, v))
        wholes = (whole.scores, whole.masked, whole.exp, whole.weights, whole.output)
        assert all((step == part).all() for step, part in zip(steps, wholes, strict=True))


def test_stages_leave_their_input_alone_unless_told() -> None:
    masked = np.array([[[1.0, -np.inf], [-np.inf, -np.inf]]])
    before = masked.copy()
    assert attention.row_max(masked).tolist() == [[[1.0], [-np.inf]]]
    exp = attention.exponentials(masked)
    assert exp.tolist() == [[[1.0, 0.0], [0.0, 0.0]]]
    assert attention.normalise(exp, out=exp) is exp
    assert (masked == before).all()


# Refusals


def changed(**parts: Any) -> dict[str, Any]:
    q, k, v = random(16)
    return {"Q": q, "K": k, "V": v, **parts}


@pytest.mark.parametrize(
    ("arguments", "code", "data"),
    [
        (changed(Q=np.zeros((N, K))), "shape", {"name": "Q", "actual": (N, K)}),
        (
            changed(K=np.zeros((G, M, 9))),
            "shape",
            {"name": "K", "expected": (None, None, K), "actual": (G, M, 9)},
        ),
        (
            changed(V=np.zeros((G, 9, V))),
            "shape",
            {"name": "V", "expected": (G, M, None), "actual": (G, 9, V)},
        ),
        (
            changed(mask=np.ones((N, 9), dtype=bool)),
            "shape",
            {"name": "mask", "expected": (H, N, M), "actual": (N, 9)},
        ),
        (changed(Q=np.zeros((4, N, K))), "groups", {"heads": 4, "groups": G}),
        (changed(K=np.full((G, M, K), np.nan)), "not_finite", {"name": "K", "index": (0, 0, 0)}),
        (changed(mask=np.ones((N, M), dtype=int)), "mask.type", {}),
        (changed(mask=np.full((N, M), np.inf)), "mask.not_finite", {}),
        (changed(mask=np.full((N, M), np.nan)), "mask.not_finite", {}),
        (changed(scale=math.inf), "scale", {}),
        (changed(softcap=0.0), "softcap", {"value": 0.0}),
        (changed(softcap=-1.0), "softcap", {}),
        (changed(window=(-1, 0)), "window.negative", {"side": "left"}),
    ],
)
def test_refuses_and_says_why(arguments: dict[str, Any], code: str, data: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught:
        attend(**arguments)
    assert caught.value.code == code
    assert data.items() <= caught.value.data.items()
