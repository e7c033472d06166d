"""Scaled dot-product attention (Vaswani et al. 2017, §3.2.1), with every stage returned.

    weights = softmax(mask(softcap(Q Kᵀ · scale)))        output = weights V

Axes: h heads, g key/value groups (h a multiple of g; head i reads group i // (h/g)), n queries, m
keys, k key width, v value width. Scores beyond the largest double stay at that double, so nothing
here is ever NaN, and −∞ means "masked" and nothing else. A row whose every key is masked has
exponentials, weights and output 0.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from core.arithmetic.blockwise import Block, Step, apply_blockwise
from core.arithmetic.stable_sum import LARGEST, bare_row_sum, product, row_sum, saturate
from core.base.arrays import (
    Array,
    BoolArray,
    frozen,
    frozen_bool,
    require_finite,
    require_shape,
    sealed,
)
from core.base.errors import UserError

Window = tuple[int | None, int | None]
Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """Every stage of one attention, read-only.

    Without a soft cap `capped` is `scaled`, and without any mask `masked` is `capped`: the very
    same array.
    """

    scores: Array  # (h, n, m) Q Kᵀ
    scaled: Array  # (h, n, m) scores · scale
    capped: Array  # (h, n, m) after the soft cap
    masked: Array  # (h, n, m) −∞ where attention is not allowed, a bias added elsewhere
    exp: Array  # (h, n, m) e^(masked − row maximum)
    weights: Array  # (h, n, m) exp ÷ row sum
    output: Array  # (h, n, v) weights V


def attend(
    Q: npt.ArrayLike,
    K: npt.ArrayLike,
    V: npt.ArrayLike,
    *,
    scale: float | None = None,
    softcap: float | None = None,
    mask: npt.ArrayLike | None = None,
    causal: bool = False,
    window: Window | None = None,
    query_offset: int = 0,
) -> Attention:
    """Attention of the queries Q to the keys K with the values V.
    # (h, n, k), (g, m, k), (g, m, v)

    `scale` multiplies the scores (None: 1/√k). `softcap` c bends them to c·tanh(s/c). `window`
    (left, right) and `causal` restrict each query to keys around its own position, which is its row
    + `query_offset`. `mask`, broadcastable to (h, n, m), is bool (True = may attend) or a float
    bias that is added (−∞ = may not attend). All of them act together.

    Raises UserError: "shape", "not_finite", "groups", "scale", "softcap", "mask.type",
    "mask.not_finite", "window.negative".
    """
    Q, K, V = _inputs(frozen(Q), frozen(K), frozen(V))
    factor = _factor(scale, Q.shape[-1])
    if softcap is not None and not 0.0 < softcap < math.inf:
        raise UserError("softcap", value=softcap)
    shape = (Q.shape[0], Q.shape[1], K.shape[1])
    allow = _allowed(shape, causal, window, query_offset)
    allow, bias = _with_mask(shape, allow, mask)

    bends, masks_some = softcap is not None, allow is not None or bias is not None
    steps = [scale_step(factor)]
    steps += [softcap_step(softcap)] if softcap is not None else []
    steps += [mask_step(allow, bias)] if masks_some else []
    raw = scores(Q, K)
    scaled, *between, exp, weights = apply_blockwise([*steps, exp_step(), normalise_step()], raw)
    capped = between[0] if bends else scaled
    masked = between[-1] if masks_some else capped
    return Attention(*map(sealed, (raw, scaled, capped, masked, exp, weights, mix(weights, V))))


# The stages as steps through blocks of scores.


def scale_step(scale: float) -> Step:
    """`multiply` for blocks."""
    return lambda source, out, _block: multiply(source, scale, out)


def softcap_step(cap: float) -> Step:
    """`soft_cap` for blocks."""
    return lambda source, out, _block: soft_cap(source, cap, out)


def bias_step(bias: Callable[[Block], Array]) -> Step:
    """Add a bias to each block.

    It is computed by block, because the whole is as large as the scores.
    """

    @np.errstate(all="ignore")
    def step(source: Array, out: Array, block: Block) -> None:
        saturate(np.add(source, bias(block), out=out))

    return step


def mask_step(allow: BoolArray | None, bias: Array | None = None) -> Step:
    """`apply_mask` for blocks; both are (h, n, m)."""

    def step(source: Array, out: Array, block: Block) -> None:
        apply_mask(
            source,
            None if allow is None else allow[block],
            None if bias is None else bias[block],
            out,
        )

    return step


def exp_step(base: float = math.e, shift: bool = True) -> Step:
    """`exponentials` for blocks."""
    return lambda source, out, _block: exponentials(source, out, base=base, shift=shift)


def normalise_step() -> Step:
    """`normalise` for blocks."""
    return lambda source, out, _block: normalise(source, out)


# The stages, one by one. Each can write into `out`, which may be its own input.


def scores(Q: Array, K: Array) -> Array:
    """Raw dot products of each query with each key.  # (h, n, k), (g, m, k) -> (h, n, m)"""
    return _by_group(Q, K.swapaxes(-1, -2), order_free=False)


@np.errstate(all="ignore")
def multiply(raw: Array, scale: float, out: Array | None = None) -> Array:
    """Finite scores times the scale.  # (…, n, m) -> (…, n, m)"""
    out = np.multiply(raw, scale, out=out)
    return out if abs(scale) <= 1.0 else saturate(out)


@np.errstate(all="ignore")
def soft_cap(scaled: Array, cap: float, out: Array | None = None) -> Array:
    """cap · tanh(s / cap): the identity near 0, never beyond ± cap.  # (…, n, m) -> (…, n, m)"""
    out = np.divide(scaled, cap, out=out)
    return np.multiply(np.tanh(out, out=out), cap, out=out)


@np.errstate(all="ignore")
def apply_mask(
    capped: Array,
    allow: BoolArray | None = None,
    bias: Array | None = None,
    out: Array | None = None,
) -> Array:
    """The bias added, and −∞ where attention is not allowed.  # (…, n, m) -> (…, n, m)"""
    if out is None:
        out = np.empty(capped.shape)
    np.copyto(out, capped)
    if bias is not None:
        saturate(np.add(out, bias, out=out))
        np.copyto(out, -np.inf, where=np.isneginf(bias))
    if allow is not None:
        np.copyto(out, -np.inf, where=~allow)
    return out


def row_max(masked: Array) -> Array:
    """The largest score of each row, −∞ for a wholly masked one.  # (…, n, m) -> (…, n, 1)"""
    return np.asarray(masked.max(axis=-1, keepdims=True, initial=-np.inf))


@np.errstate(all="ignore")
def exponentials(
    masked: Array, out: Array | None = None, *, base: float = math.e, shift: bool = True
) -> Array:
    """base^(score − row maximum), the numerators of the softmax; masked gives exactly 0.
    # (…, n, m) -> (…, n, m)

    Subtracting the maximum changes no weight (it cancels in the quotient) and keeps e^… from
    overflowing. Without the shift it is base^score, and what is beyond the largest double stays at
    that double.
    """
    if not shift:
        return saturate(_power(base, masked, out))
    highest = row_max(masked)
    np.maximum(
        highest, -LARGEST, out=highest
    )  # wholly masked: −∞ less a number stays −∞, less −∞ it would be NaN
    out = np.subtract(masked, highest, out=out)
    return _power(base, out, out)


def _power(base: float, exponent: Array, out: Array | None) -> Array:
    """base^exponent; exact for whole exponents of base 2."""
    if base == math.e:
        return np.exp(exponent, out=out)
    return np.exp2(exponent, out=out) if base == 2.0 else np.power(base, exponent, out=out)


@np.errstate(all="ignore")
def normalise(exp: Array, out: Array | None = None) -> Array:
    """Each row divided by its sum: the weights; a row that sums to 0 becomes 0.
    # (…, n, m) -> (…, n, m)

    A row whose sum is beyond the largest double is made smaller first, so that its weights still
    sum to 1.
    """
    total = bare_row_sum(exp)
    if total.min(initial=1.0) >= 1.0 and total.max(initial=1.0) < LARGEST:
        return np.asarray(
            np.divide(exp, total, out=out)
        )  # no quotient is larger than its exponential
    beyond = np.abs(saturate(total)) == LARGEST
    if beyond.any():
        exp = exp * np.where(beyond, 2.0**-600, 1.0)
        total = row_sum(exp)
    empty = total == 0.0
    out = saturate(np.divide(exp, np.where(empty, 1.0, total), out=out))
    np.copyto(out, 0.0, where=empty)
    return out


def mix(weights: Array, V: Array) -> Array:
    """The values, weighted and added up.  # (h, n, m), (g, m, v) -> (h, n, v)"""
    return _by_group(weights, V, order_free=True)


def _by_group(A: Array, B: Array, *, order_free: bool) -> Array:
    """The product of each head of A with its group's B.  # (h, n, k), (g, k, m) -> (h, n, m)"""
    h, g = A.shape[0], B.shape[0]
    if h == g:
        return product(A, B, order_free=order_free)
    result = np.empty((h, A.shape[1], B.shape[2]))
    for group in range(g):
        heads = slice(group * h // g, (group + 1) * h // g)
        result[heads] = product(A[heads], B[group], order_free=order_free)
    return result


# What attend() makes of its arguments.


def _inputs(Q: Array, K: Array, V: Array) -> tuple[Array, Array, Array]:
    require_shape(Q, "Q", ("h", "n", "k"), (None, None, None))
    require_shape(K, "K", ("g", "m", "k"), (None, None, Q.shape[2]))
    require_shape(V, "V", ("g", "m", "v"), (K.shape[0], K.shape[1], None))
    if K.shape[0] == 0 or Q.shape[0] % K.shape[0]:
        raise UserError("groups", heads=Q.shape[0], groups=K.shape[0])
    for name, array in (("Q", Q), ("K", K), ("V", V)):
        require_finite(array, name)
    return Q, K, V


def _factor(scale: float | None, k: int) -> float:
    if scale is None:
        return 1.0 / math.sqrt(max(k, 1))
    if not math.isfinite(scale):
        raise UserError("scale", value=scale)
    return float(scale)


def _allowed(
    shape: tuple[int, int, int], causal: bool, window: Window | None, query_offset: int
) -> BoolArray | None:
    _, n, m = shape
    left, right = window if window is not None else (None, None)
    if causal:
        right = 0 if right is None else min(right, 0)
    if window is None and not causal:
        return None
    return np.broadcast_to(window_mask(n, m, left, right, query_offset), shape)


def _with_mask(
    shape: tuple[int, int, int], allow: BoolArray | None, mask: npt.ArrayLike | None
) -> tuple[BoolArray | None, Array | None]:
    """The allowed pairs and the bias, both of the shape of the scores."""
    if mask is None:
        return allow, None
    given = np.asarray(mask)
    if given.dtype.kind not in "bf":  # whole numbers could mean either: 0 and 1, or a bias
        raise UserError("mask.type", actual=str(given.dtype))
    try:
        given = np.broadcast_to(given, shape)
    except ValueError as error:
        raise UserError(
            "shape", name="mask", axes="h × n × m", expected=shape, actual=given.shape
        ) from error
    if given.dtype.kind == "b":
        return (given if allow is None else allow & given), None
    bias = given.astype(np.float64, copy=False)
    if np.isnan(bias).any() or np.isposinf(bias).any():
        raise UserError("mask.not_finite")
    return allow, bias


# Masks: True where the query (row), at position row + query_offset, may attend to the key (column).


def causal_mask(n_q: int, n_k: int, query_offset: int = 0) -> BoolArray:
    """Each query may attend to itself and the keys before it.  # -> (n_q, n_k)"""
    return window_mask(n_q, n_k, None, 0, query_offset)


def window_mask(
    n_q: int, n_k: int, left: int | None, right: int | None, query_offset: int = 0
) -> BoolArray:
    """Each query may attend to `left` keys before it and `right` after it; None is without limit.
    # -> (n_q, n_k)

    Raises UserError("window.negative", side, value).
    """
    for side, reach in (("left", left), ("right", right)):
        if reach is not None and reach < 0:
            raise UserError("window.negative", side=side, value=reach)
    distance = np.arange(1 - n_q, n_k) - query_offset
    allow = np.ones(distance.shape, dtype=np.bool_)
    if left is not None:
        allow &= distance >= -left
    if right is not None:
        allow &= distance <= right
    return frozen_bool(by_distance(allow, n_k) if n_q else np.ones((0, n_k), dtype=np.bool_))


def by_distance(values: npt.NDArray[Number], n_k: int) -> npt.NDArray[Number]:
    """A matrix whose numbers depend on key − query alone, as a read-only view of `values`.

    `values` begins with the last query and the first key.  # (n_q + n_k − 1,) -> (n_q, n_k)
    """
    return sliding_window_view(values, n_k)[::-1]
