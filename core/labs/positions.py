"""Positions: positional encodings and their dot products.

Column pair p of the sinusoidal table turns by ω_p = base^(−2p/d) per position (Vaswani et al. 2017,
§3.5), so a shift by k rotates each pair by k·ω_p, independent of the position, and

    P[i] · P[j] = Σ_p cos((i − j)·ω_p)      for even d: a function of the distance alone.

That is the score of two positions if W_Q W_Kᵀ is a multiple of the identity, and not for others.
Rotary positions rotate q and k, after any projection, by the same angles instead of adding anything
(Su et al. 2021); ALiBi subtracts slope·|i − j| from the score (Press et al. 2022).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.arithmetic.positional_encoding import (
    alibi_bias,
    alibi_slopes,
    rotary_angles,
    rotate,
    sinusoidal,
)
from core.base.arrays import Array, frozen
from core.document.document import Document, Head, Positional, Scale
from core.labs.controls import ChoiceControl, Control, Seed, Slider
from core.labs.lab import Lab, Setting

VIEWS = ("table", "shift", "distance")
PROJECTIONS = ("identity", "drawn")
MOST = 64
SAMPLES = 12  # samples of a wave between two positions


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The sinusoidal table and a shift in it. pairs = d // 2; an odd last column is a single sine.

    `table` (n, d); `waves` (s, d) its columns between the positions, at `times` (s,); `frequencies`
    (pairs,) is ω in radians per position, and `rates` (pairs, and one for an odd last column) those
    of all waves; `here` and `there` (d,) are the rows at `position` and at `position + shift`,
    which may lie beyond n; `turns` (pairs,) is shift·ω; `error` is the largest |P[i + shift] −
    R(shift)·P[i]| over all i and all pairs.
    """

    table: Array
    times: Array
    waves: Array
    frequencies: Array
    rates: Array
    position: int
    shift: int
    here: Array
    there: Array
    turns: Array
    error: float

    @property
    def n(self) -> int:
        """Return the number of positions in the table."""
        return int(self.table.shape[0])

    @property
    def target(self) -> int:
        """Return the position after the shift."""
        return self.position + self.shift


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """Scores of a query at `position` against distance.

    `dots` (n,) is (P[i] W_Q)·(P[j] W_K), with W_Q = W_K = I or both drawn, `turned` (n,) is (R_i
    q)·(R_j k)/√d for one q and one k, `biases` (h, n) −slope·|i − j|. The spreads are the largest
    difference of two scores at the same signed distance, over all i and j: 0 if the score depends
    on the distance alone.
    """

    dots: Array
    turned: Array
    biases: Array
    slopes: Array
    drawn: bool
    q: Array
    k: Array
    spread_dots: float
    spread_turned: float
    spread_biases: float


@dataclass(frozen=True, slots=True, eq=False)
class PositionsResult:
    """Result of the lab."""

    encoding: Encoding
    distances: Distances


def encode(n: int, d: int, base: float, position: int, shift: int) -> Encoding:
    """Compute the table of n positions, and how a shift moves the row at a position."""
    longer = sinusoidal(n + shift, d, base)
    pairs = d // 2
    frequencies = rotary_angles(2, d, base)[1]
    turns = shift * frequencies
    expected = turned_pairs(longer[:n, : 2 * pairs], turns)
    error = float(np.abs(longer[shift:, : 2 * pairs] - expected).max())
    times = np.linspace(0.0, n - 1.0, (n - 1) * SAMPLES + 1)
    rates = np.append(frequencies, base ** (-(d - 1) / d)) if d % 2 else frequencies
    return Encoding(
        frozen(longer[:n]),
        frozen(times),
        frozen(_waves(times, rates, d)),
        frozen(frequencies),
        frozen(rates),
        position,
        shift,
        frozen(longer[position]),
        frozen(sinusoidal(position + shift + 1, d, base)[-1]),
        frozen(turns),
        error,
    )


def turned_pairs(rows: Array, turns: Array) -> Array:
    """Rotate each pair (sin a, cos a) to (sin(a + t), cos(a + t)).

    # (n, 2·pairs), (pairs,) -> as rows
    """
    result = np.empty_like(rows)
    sines, cosines = rows[:, 0::2], rows[:, 1::2]
    result[:, 0::2] = sines * np.cos(turns) + cosines * np.sin(turns)
    result[:, 1::2] = cosines * np.cos(turns) - sines * np.sin(turns)
    return result


def _waves(times: Array, rates: Array, d: int) -> Array:
    """Compute the columns at any time by the formula of the table.  # (s,), (⌈d/2⌉,) -> (s, d)"""
    angles = times[:, None] * rates
    return np.asarray(
        np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(times), -1)[:, :d]
    )


def compare(
    table: Array, base: float, position: int, heads: int, seed: int, *, drawn: bool = False
) -> Distances:
    """Compare three kinds of relative positions over a table (n, d).

    `drawn` projects the table by a W_Q and a W_K drawn from N(0, 1/d).
    """
    n, d = table.shape
    q, k = _pair(d, seed)
    dots = table @ table.T
    if drawn:
        W_Q, W_K = np.random.default_rng([seed, 1]).standard_normal((2, d, d)) / np.sqrt(d)
        dots = (table @ W_Q) @ (table @ W_K).T
    turned = rotate(np.tile(q, (n, 1)), base) @ rotate(np.tile(k, (n, 1)), base).T / np.sqrt(d)
    slopes = alibi_slopes(heads)
    biases = alibi_bias(n, slopes)
    return Distances(
        frozen(dots[position]),
        frozen(turned[position]),
        frozen(biases[:, position]),
        slopes,
        drawn,
        q,
        k,
        spread(dots),
        spread(turned),
        max(spread(bias) for bias in biases),
    )


@lru_cache(maxsize=16)
def _pair(d: int, seed: int) -> tuple[Array, Array]:
    """Draw a query and a key from N(0, 1)."""
    drawn = np.random.default_rng(seed).standard_normal((2, d))
    return frozen(drawn[0]), frozen(drawn[1])


def spread(scores: Array) -> float:
    """Return the largest difference of two scores at the same signed distance (diagonal).  # (n, n)"""
    diagonals = (scores.diagonal(offset) for offset in range(1 - len(scores), len(scores)))
    return max(float(diagonal.max() - diagonal.min()) for diagonal in diagonals)


def published_slopes(heads: int) -> Array:
    """Return the slopes of the ALiBi authors' code (Press et al. 2022), which its formula covers
    for powers of two alone.

    For other counts: those of the next lower power of two, then every second one of twice that
    power. # -> (heads,)
    """
    lower = 1 << (heads.bit_length() - 1)
    more = alibi_slopes(2 * lower)[::2][: heads - lower]
    return frozen(np.concatenate([alibi_slopes(lower), more]))


def experiment_of(n: int, d: int, base: float) -> Document:
    """Build an experiment of positions alone: X = 0 and W = I, so that the scores are P·Pᵀ."""
    eye = frozen(np.eye(d))
    return Document(
        tuple(str(place) for place in range(n)),
        (Head(W_Q=eye, W_K=eye, W_V=eye),),
        X=frozen(np.zeros((n, d))),
        positional=Positional("sinusoidal", base=base),
        scale=Scale("none"),
    )


class PositionsLab(Lab):
    """Controls: the view, the size of the table and its base, a position and a shift."""

    id = "positions"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Limit position and shift to the table; slopes and seed belong to the view of distances."""
        last = int(setting.get("n", 24)) - 1
        shared: tuple[Control, ...] = (
            ChoiceControl("view", VIEWS, "table"),
            Slider("n", 2, MOST, 24, 1, whole=True),
            Slider("d", 2, MOST, 16, 1, whole=True),
            Slider("base", 2.0, 100000.0, 10000.0, log=True),
            Slider("position", 0, last, min(6, last), 1, whole=True),
            Slider("shift", 0, last, min(4, last), 1, whole=True),
        )
        if setting.get("view", "table") == "distance":
            return (
                *shared,
                ChoiceControl("projection", PROJECTIONS, "identity"),
                Slider("heads", 1, 8, 4, 1, whole=True),
                Seed(default=2),
            )
        return shared

    def compute(self, setting: Setting) -> PositionsResult:
        """Compute the table, the shift, and the three kinds of relative positions."""
        n, d, base, position = (setting[name] for name in ("n", "d", "base", "position"))
        encoding = encode(n, d, base, position, setting["shift"])
        heads, seed = int(setting.get("heads", 4)), int(setting.get("seed", 2))
        drawn = setting.get("projection", "identity") == "drawn"
        distances = compare(encoding.table, base, position, heads, seed, drawn=drawn)
        return PositionsResult(encoding, distances)

    def document(self, setting: Setting) -> Document:
        """Return positions alone, whose scores are the dot products of the table."""
        return experiment_of(setting["n"], setting["d"], setting["base"])


LAB = PositionsLab()
