"""Sequence: a recurrent network goes from token to token, attention looks at all of them at once.

Compared after Vaswani et al. 2017, Table 1: the steps that must follow each other (n against 1), the longest way of a
signal (n against 1), and the multiply-adds of a layer, n·d² against n²·d, which are equal at n = d.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.base.arrays import Array, frozen
from core.document.document import Document
from core.labs.controls import Choice, Clock, Control, Seed, Slider
from core.labs.lab import Lab, Setting
from core.labs.sequence_nets import (
    Felt,
    Recurrent,
    attended,
    attending,
    felt_by_attention,
    felt_by_rnn,
    recurrent,
)

VIEWS = ("run", "nudge", "paths", "cost")
MOST_N, MOST_D = 48, 32  # of the networks that really run
FAR_N, FAR_D = 65536, 8192  # of the counts


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """Multiply-adds of one layer for n tokens of width d.

    `recurrence` h W alone, n·d²; `rnn` with x U, 2·n·d². `pairs` Q Kᵀ alone, n²·d; `attention` with the projections and
    A V, 3·n·d² + 2·n²·d.
    """

    n: int
    d: int

    @property
    def recurrence(self) -> int:
        """n·d²"""
        return self.n * self.d**2

    @property
    def pairs(self) -> int:
        """n²·d"""
        return self.n**2 * self.d

    @property
    def rnn(self) -> int:
        """2·n·d²"""
        return 2 * self.recurrence

    @property
    def attention(self) -> int:
        """3·n·d² + 2·n²·d"""
        return 3 * self.recurrence + 2 * self.pairs


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Everything that the lab shows of both networks; `nets` is None where only counts are asked for.

    `paths` (n, n): how many times a signal passes through the RNN on its way from input i (column) to output t (row);
    0 where there is no way, from later to earlier tokens. Through attention every way has length 1.
    """

    n: int
    d: int
    step: int
    cost: Cost
    nets: Nets | None


@dataclass(frozen=True, slots=True, eq=False)
class Nets:
    """The RNN, the attention's output Y (n, d) and weights A (n, n), what is felt of a nudge, and the paths."""

    rnn: Recurrent
    Y: Array
    A: Array
    by_rnn: Felt
    by_attention: Felt
    paths: Array

    @property
    def worst(self) -> float:
        """The largest difference of the two ways to compute what is felt, of both networks."""
        felt = (self.by_rnn, self.by_attention)
        return max(float(np.abs(one.exact - one.finite).max()) for one in felt)


def rnn_paths(n: int) -> Array:
    """t − i + 1 for inputs up to t, 0 for later ones.  # -> (n, n)"""
    t, i = np.indices((n, n))
    return frozen(np.where(t >= i, t - i + 1, 0))


class SequenceLab(Lab):
    """The controls: what is seen, sizes, gain and seed; the clock runs the RNN token by token."""

    id = "sequence"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Counts go as far as one likes; networks that really run are small."""
        view = setting.get("view", "run")
        choice = Choice("view", VIEWS, "run")
        if view == "cost":
            sizes = (
                Slider("n", 2, FAR_N, 12, 1, log=True, whole=True),
                Slider("d", 2, FAR_D, 8, 1, log=True, whole=True),
            )
            return (choice, *sizes)
        n = int(setting.get("n", 12))
        shared: tuple[Control, ...] = (
            choice,
            Slider("n", 2, MOST_N, 12, 1, whole=True),
            Slider("d", 2, MOST_D, 8, 1, whole=True),
            Slider("gain", 0.1, 2.0, 0.9, 0.05),
            Seed(),
        )
        return (*shared, Clock("step", n, min(4, n))) if view == "run" else shared

    def work_out(self, setting: Setting) -> Compared:
        """Both networks over the same tokens, or the counts alone."""
        n, d = int(setting["n"]), int(setting["d"])
        step = int(setting.get("step", n))
        nets = None if setting["view"] == "cost" else _nets(n, d, setting["seed"], setting["gain"])
        return Compared(n, d, step, Cost(n, d), nets)

    def document(self, setting: Setting) -> Document | None:
        """The attention head over the tokens; none while only counts are seen."""
        if setting["view"] == "cost":
            return None
        return attending(int(setting["n"]), int(setting["d"]), setting["seed"])


def _nets(n: int, d: int, seed: int, gain: float) -> Nets:
    Y, A = attended(n, d, seed)
    return Nets(
        recurrent(n, d, seed, gain),
        Y,
        A,
        felt_by_rnn(n, d, seed, gain),
        felt_by_attention(n, d, seed),
        rnn_paths(n),
    )


LAB = SequenceLab()
