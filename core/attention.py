"""Scaled dot-product attention (Vaswani et al. 2017, §3.2.1), with every stage kept.

    weights = softmax(mask(softcap(Q Kᵀ · scale)))        output = weights V

Axes: h heads, g key/value groups (h a multiple of g; head i reads group i // (h/g)), n queries, m keys, k key width,
v value width. Scores beyond the largest double stay at that double, so nothing here is ever NaN, and −∞ means "masked"
and nothing else. A row whose every key is masked has exponentials, weights and output 0.
"""

import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from core import masks
from core.arrays import Array, BoolArray, frozen, require_finite, require_shape, sealed
from core.problems import Problem
from core.sums import LARGEST, product, row_sum, saturate

BLOCK_CELLS = 1 << 16  # score cells worked on at a time: half a megabyte an array, so that a block stays in the cache
THREADED_CELLS = 1 << 20  # score cells from which threads are worth their start

T = TypeVar("T", bound=np.generic)
Block = tuple[slice | int, slice]  # heads, rows
Window = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """Every stage of one attention, read-only.

    Without a soft cap `capped` is `scaled`, and without any mask `masked` is `capped`: the very same array.
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
    """Attention of the queries Q to the keys K with the values V.  # (h, n, k), (g, m, k), (g, m, v)

    `scale` multiplies the scores (None: 1/√k). `softcap` c bends them to c·tanh(s/c). `window` (left, right) and
    `causal` restrict each query to keys around its own position, which is its row + `query_offset`. `mask`,
    broadcastable to (h, n, m), is bool (True = may attend) or a float bias that is added (−∞ = may not attend).
    All of them act together.

    Raises Problem: "shape", "not_finite", "groups", "scale", "softcap", "mask.type", "mask.not_finite",
    "window.negative".
    """
    Q, K, V = _inputs(frozen(Q), frozen(K), frozen(V))
    factor = _factor(scale, Q.shape[-1])
    if softcap is not None and not 0.0 < softcap < math.inf:
        raise Problem("softcap", value=softcap)
    shape = (Q.shape[0], Q.shape[1], K.shape[1])
    allow = _allowed(shape, causal, window, query_offset)
    allow, bias = _with_mask(shape, allow, mask)

    raw = scores(Q, K)
    scaled = np.empty(shape)
    capped = scaled if softcap is None else np.empty(shape)
    masked = capped if allow is None and bias is None else np.empty(shape)
    exp, weights = np.empty(shape), np.empty(shape)

    def work(block: Block) -> None:
        multiply(raw[block], factor, out=scaled[block])
        if softcap is not None:
            soft_cap(scaled[block], softcap, out=capped[block])
        if masked is not capped:
            apply_mask(capped[block], _part(allow, block), _part(bias, block), out=masked[block])
        exponentials(masked[block], out=exp[block])
        normalise(exp[block], out=weights[block])

    _each(work, shape)
    output = mix(weights, V)
    return Attention(*map(sealed, (raw, scaled, capped, masked, exp, weights, output)))


# The stages, one by one. Each can write into `out`, which may be its own input.


def scores(Q: Array, K: Array) -> Array:
    """Raw dot products of each query with each key.  # (h, n, k), (g, m, k) -> (h, n, m)"""
    return _by_group(Q, K.swapaxes(-1, -2), order_free=False)


def multiply(raw: Array, scale: float, out: Array | None = None) -> Array:
    """Scores times the scale.  # (…, n, m) -> (…, n, m)"""
    with np.errstate(all="ignore"):
        return saturate(np.multiply(raw, scale, out=out))


def soft_cap(scaled: Array, cap: float, out: Array | None = None) -> Array:
    """cap · tanh(s / cap): the identity near 0, never beyond ± cap.  # (…, n, m) -> (…, n, m)"""
    with np.errstate(all="ignore"):
        out = np.divide(scaled, cap, out=out)
        return np.multiply(np.tanh(out, out=out), cap, out=out)


def apply_mask(
    capped: Array, allow: BoolArray | None = None, bias: Array | None = None, out: Array | None = None
) -> Array:
    """The bias added, and −∞ where attention is not allowed.  # (…, n, m) -> (…, n, m)"""
    if out is None:
        out = np.empty(capped.shape)
    np.copyto(out, capped)
    if bias is not None:
        with np.errstate(all="ignore"):
            saturate(np.add(out, bias, out=out))
        np.copyto(out, -np.inf, where=np.isneginf(bias))
    if allow is not None:
        np.copyto(out, -np.inf, where=~allow)
    return out


def row_max(masked: Array) -> Array:
    """The largest score of each row, −∞ for a wholly masked one.  # (…, n, m) -> (…, n, 1)"""
    return np.asarray(masked.max(axis=-1, keepdims=True, initial=-np.inf))


def exponentials(masked: Array, out: Array | None = None, *, base: float = math.e, shift: bool = True) -> Array:
    """base^(score − row maximum), the numerators of the softmax; masked gives exactly 0.  # (…, n, m) -> (…, n, m)

    Subtracting the maximum changes no weight (it cancels in the quotient) and keeps e^… from overflowing. Without the
    shift it is base^score, and what is beyond the largest double stays at that double.
    """
    if not shift:
        with np.errstate(all="ignore"):
            return saturate(_power(base, masked, out))
    highest = row_max(masked)
    highest[np.isneginf(highest)] = 0.0  # wholly masked: −∞ − 0 stays −∞, where −∞ − (−∞) would be NaN
    with np.errstate(all="ignore"):
        out = np.subtract(masked, highest, out=out)
        return _power(base, out, out)


def _power(base: float, exponent: Array, out: Array | None) -> Array:
    """Exact for whole exponents of base 2, and for base e as good as NumPy knows it."""
    if base == math.e:
        return np.exp(exponent, out=out)
    return np.exp2(exponent, out=out) if base == 2.0 else np.power(base, exponent, out=out)


def normalise(exp: Array, out: Array | None = None) -> Array:
    """Each row divided by its sum: the weights; a row that sums to 0 becomes 0.  # (…, n, m) -> (…, n, m)

    A row whose sum is beyond the largest double is made smaller first, so that its weights still sum to 1.
    """
    total = row_sum(exp)
    beyond = np.abs(total) == LARGEST
    if beyond.any():
        exp = exp * np.where(beyond, 2.0**-600, 1.0)
        total = row_sum(exp)
    empty = total == 0.0
    with np.errstate(all="ignore"):
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
        raise Problem("groups", heads=Q.shape[0], groups=K.shape[0])
    for name, array in (("Q", Q), ("K", K), ("V", V)):
        require_finite(array, name)
    return Q, K, V


def _factor(scale: float | None, k: int) -> float:
    if scale is None:
        return 1.0 / math.sqrt(max(k, 1))
    if not math.isfinite(scale):
        raise Problem("scale", value=scale)
    return float(scale)


def _allowed(shape: tuple[int, int, int], causal: bool, window: Window | None, query_offset: int) -> BoolArray | None:
    _, n, m = shape
    left, right = window if window is not None else (None, None)
    if causal:
        right = 0 if right is None else min(right, 0)
    if window is None and not causal:
        return None
    return np.broadcast_to(masks.window(n, m, left, right, query_offset), shape)


def _with_mask(
    shape: tuple[int, int, int], allow: BoolArray | None, mask: npt.ArrayLike | None
) -> tuple[BoolArray | None, Array | None]:
    """Who is allowed, and the bias, both as wide as the scores."""
    if mask is None:
        return allow, None
    given = np.asarray(mask)
    if given.dtype.kind not in "bf":  # whole numbers could mean either: 0 and 1, or a bias
        raise Problem("mask.type", actual=str(given.dtype))
    try:
        given = np.broadcast_to(given, shape)
    except ValueError as error:
        raise Problem("shape", name="mask", axes="h × n × m", expected=shape, actual=given.shape) from error
    if given.dtype.kind == "b":
        return (given if allow is None else allow & given), None
    bias = given.astype(np.float64, copy=False)
    if np.isnan(bias).any() or np.isposinf(bias).any():
        raise Problem("mask.not_finite")
    return allow, bias


def _part(array: npt.NDArray[T] | None, block: Block) -> npt.NDArray[T] | None:
    return None if array is None else array[block]


class RowWise(Protocol):
    """A stage that works out each row from the same row of the one before, into `out`."""

    def __call__(self, source: Array, /, *, out: Array) -> Array: ...


def in_blocks(stage: RowWise, source: Array) -> Array:
    """A stage of scores, block by block: to the last bit the same as at once, but faster.  # (h, n, m) -> (h, n, m)

    All passes over a block find it in the cache, and the blocks of large arrays are shared among threads.
    """
    out = np.empty(source.shape)
    if source.size <= BLOCK_CELLS:
        return stage(source, out=out)

    def work(block: Block) -> None:
        stage(source[block], out=out[block])

    _each(work, (source.shape[0], source.shape[1], source.shape[2]))
    return out


def _each(work: Callable[[Block], None], shape: tuple[int, int, int]) -> None:
    """Do the work block by block: whole rows of one head, so that each row is added up the same way in any blocking."""
    h, n, m = shape
    blocks = list(_blocks(h, n, m))
    if h * n * m < THREADED_CELLS:
        for block in blocks:
            work(block)
        return
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for _ in pool.map(work, blocks):
            pass


def _blocks(h: int, n: int, m: int) -> Iterator[Block]:
    if h * n * m <= BLOCK_CELLS:
        yield slice(None), slice(None)
        return
    rows = max(1, BLOCK_CELLS // m)
    for head in range(h):
        for start in range(0, n, rows):
            yield head, slice(start, start + rows)
