"""Complexity: the cost of each stage.

Operations are counted by formula from the sizes: a product of (a, b) and (b, c) costs a·b·c
multiply-adds, an elementwise stage one operation per number. Memory is 8 bytes per number. Both can
be computed for other sizes; the time of each stage is measured on this machine.

FlashAttention (Dao et al. 2022) works through the pairs block by block and stores no n × n matrix,
only two numbers per row: memory grows as n instead of n², the multiply-adds are as many.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from statistics import median

import numpy as np

from core.base.arrays import Array, frozen
from core.compute.trace import Trace, run, unpinned
from core.document.document import Document, Head
from core.document.edits import with_positional
from core.labs.controls import Button, ChoiceControl, Control, Slider, Switch
from core.labs.lab import Lab, Progress, Setting
from core.stages import plan

BYTES = 8  # bytes of a number
CACHED = ("K", "K_rot", "V")  # stages of which several query heads can share one head
STATISTICS = 2  # numbers kept of a row of scores block by block: its maximum and its sum
LONGEST, WIDEST, MOST_HEADS = 4096, 1024, 32
ROUNDS = 7  # timings for one median
AXES = ("n", "d", "h")
# Lengths to time, until a run takes PATIENCE seconds.
TIMED = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
PATIENCE = 0.35

Sizes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of one stage.

    The letters of its formula ("" for entered data), whether it multiplies matrices, its number of
    operations, and the bytes of its array. `seconds` is the measured time or None. `fewer`: its
    heads are fewer than those of the queries by this factor.
    """

    stage: str
    letters: str
    product: bool
    count: int
    size: int
    seconds: float | None = None
    fewer: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Bill:
    """Costs of an experiment of given sizes.

    `lengths` (p,) are values of the growing axis; `projections`, `pairs` and `output` (p,) the
    multiply-adds of Q, K, V, of scores and weighted sums, and of W_O at each. `timed` are pairs of
    a length and the seconds of a run.
    """

    document: Document
    sizes: Sizes
    costs: tuple[Cost, ...]
    axis: str
    lengths: Array
    projections: Array
    pairs: Array
    output: Array
    timed: tuple[tuple[int, float], ...]
    own: bool
    blockwise: bool

    @property
    def total(self) -> int:
        """Sum the multiply-adds of all matrix products."""
        return sum(cost.count for cost in self.costs if cost.product)

    @property
    def cache(self) -> int:
        """Sum the bytes of keys and values, which a decoder keeps."""
        last = "K_rot" if any(cost.stage == "K_rot" for cost in self.costs) else "K"
        return sum(cost.size for cost in self.costs if cost.stage in (last, "V"))

    @property
    def bytes(self) -> int:
        """Sum the bytes of all stages."""
        return sum(cost.size for cost in self.costs)

    @property
    def dearest(self) -> tuple[Cost, ...]:
        """Return the stages with the most operations."""
        most = max(cost.count for cost in self.costs)
        return tuple(cost for cost in self.costs if cost.count == most)


def count(letters: str, sizes: Sizes) -> int:
    """Multiply the sizes behind the letters; 0 for none."""
    result = 1 if letters else 0
    for letter in letters:
        result *= sizes[letter]
    return result


def formula(document: Document, stage_id: str) -> tuple[str, bool]:
    """Return the letters of a stage's count and whether it is a matrix product.

    Nothing for entered data.
    """
    stage = plan(document)[stage_id]
    return stage.kind.operations(document, stage)


def sizes_of(document: Document, n: int, d: int, h: int) -> dict[str, int]:
    """Return the sizes for n tokens, width d and h heads; for other d or h a head is d ÷ h wide."""
    own = d == width(document) and h == document.h
    k, v = (document.k, document.v) if own else (max(1, d // h),) * 2
    c = h * v
    o = document.o if own else c if document.W_O is None else d
    m = n if document.context is None else document.m
    return {"n": n, "m": m, "d": d, "h": h, "k": k, "v": v, "c": c, "o": o}


def width(document: Document) -> int:
    """Return d_model, or for entered Q, K and V the width of all heads."""
    return document.d if document.X is not None else document.h * document.k


def bill(setting: Setting) -> Bill:
    """Compute all costs of a setting."""
    document = setting.experiment
    sizes = sizes_of(document, setting["n"], setting["d"], setting["h"])
    own = (setting["n"], setting["d"], setting["h"]) == (document.n, width(document), document.h)
    times = setting.facts.get("times", {}) if own else {}
    blockwise, shared = bool(setting["blockwise"]), int(setting["shared"])
    costs = tuple(
        _cost(document, stage.id, sizes, times.get(stage.id), blockwise, shared)
        for stage in plan(document)
    )
    at = (setting["n"], setting["d"], setting["h"])
    growth = _growth(document, setting["grows"], at, shared)
    timed = setting.facts.get("timed", ())
    return Bill(document, sizes, costs, setting["grows"], *growth, timed, own, blockwise)


def _cost(
    document: Document,
    stage_id: str,
    sizes: Sizes,
    seconds: float | None,
    blockwise: bool,
    shared: int,
) -> Cost:
    letters, product = formula(document, stage_id)
    numbers = count("".join(plan(document)[stage_id].axes), sizes)
    if blockwise and {"n", "m"} <= set(plan(document)[stage_id].axes):
        numbers = STATISTICS * count("hn", sizes) if stage_id == "weights" else 0
    fewer = shared if stage_id in CACHED else 1
    operations = count(letters, sizes) // fewer
    return Cost(stage_id, letters, product, operations, numbers // fewer * BYTES, seconds, fewer)


@lru_cache(maxsize=32)
def _growth(
    document: Document, axis: str, at: tuple[int, int, int], shared: int
) -> tuple[Array, Array, Array, Array]:
    most = {"n": LONGEST, "d": WIDEST, "h": MOST_HEADS}[axis]
    lengths = np.unique(np.round(np.geomspace(1, most, 49)).astype(int))
    rows = []
    for length in lengths.tolist():
        n, d, h = (length if name == axis else value for name, value in zip(AXES, at, strict=True))
        rows.append(_groups(document, sizes_of(document, n, d, h), shared))
    parts = np.array(rows, dtype=np.float64)
    return frozen(lengths), frozen(parts[:, 0]), frozen(parts[:, 1]), frozen(parts[:, 2])


def _groups(document: Document, sizes: Sizes, shared: int) -> tuple[int, int, int]:
    """Count the multiply-adds of projections, of pairs and of the output."""
    groups = [0, 0, 0]
    for stage in plan(document):
        letters, product = stage.kind.operations(document, stage)
        pairs = "n" in letters and "m" in letters
        group = 1 if pairs else 0 if stage.headwise else 2
        fewer = shared if stage.id in CACHED else 1
        groups[group] += count(letters, sizes) // fewer if product else 0
    return groups[0], groups[1], groups[2]


# Measurements


def stage_seconds(document: Document, trace: Trace, progress: Progress) -> dict[str, float] | None:
    """Time each stage on the inputs of a trace: the median, or None after cancellation."""
    found: dict[str, float] = {}
    for index, stage in enumerate(trace.plan):
        if not progress(0.5 * index / len(trace.plan)):
            return None
        work = partial(unpinned, document, trace, stage.id)
        found[stage.id] = median(_seconds(work) for _ in range(ROUNDS))
    return found


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run_seconds(document: Document, progress: Progress) -> tuple[tuple[int, float], ...]:
    """Time a run on random vectors at each length until one takes too long; medians."""
    found: list[tuple[int, float]] = []
    for index, n in enumerate(TIMED):
        if not progress(0.5 + 0.5 * index / len(TIMED)):
            break
        longer = lengthened(document, n)
        seconds = median(_seconds(partial(run, longer)) for _ in range(ROUNDS))
        found.append((n, seconds))
        if seconds > PATIENCE:
            break
    return tuple(found)


def lengthened(document: Document, n: int) -> Document:
    """Copy an experiment with n tokens of N(0, 1) vectors, without parts that depend on n."""
    random = np.random.default_rng(n)
    heads = tuple(
        Head(
            Q=frozen(random.standard_normal((n, document.k))),
            K=frozen(random.standard_normal((n, document.k))),
            V=frozen(random.standard_normal((n, document.v))),
        )
        if document.X is None
        else head
        for head in document.heads
    )
    X = None if document.X is None else frozen(random.standard_normal((n, document.d)))
    made = Document(
        tuple(map(str, range(n))),
        heads,
        source=document.source,
        X=X,
        W_O=document.W_O,
        b_O=document.b_O,
        scale=document.scale,
        softmax=document.softmax,
    )
    kind = document.positional.kind
    return (
        with_positional(made, document.positional)
        if kind in ("sinusoidal", "rotary", "alibi")
        else made
    )


def _sharing(heads: int) -> tuple[str, ...]:
    """List how many query heads can share one head of keys and values."""
    return tuple(str(count) for count in range(1, heads + 1) if heads % count == 0)


class ComplexityLab(Lab):
    """Controls: the sizes, the axis of the chart, and the stopwatch."""

    id = "complexity"
    example = "eight-heads"  # return eight heads over sixteen tokens

    def require(self, document: Document) -> None:
        """Accept any experiment."""

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Start with the sizes of the experiment."""
        document = setting.experiment
        return (
            Slider("n", 1, max(LONGEST, document.n), document.n, log=True, whole=True),
            Slider("d", 1, max(WIDEST, width(document)), width(document), log=True, whole=True),
            Slider("h", 1, max(MOST_HEADS, document.h), document.h, step=1, whole=True),
            ChoiceControl("grows", AXES, "n"),
            ChoiceControl("shared", _sharing(int(setting.get("h", document.h))), "1"),
            Switch("blockwise"),
            Button("measure", job=True),
        )

    def compute(self, setting: Setting) -> Bill:
        """Compute the costs."""
        return bill(setting)

    def document(self, setting: Setting) -> Document | None:
        """Return the experiment, unless the sizes have been changed."""
        return setting.document if bill(setting).own else None

    def job(self, setting: Setting, button: str, progress: Progress) -> Setting:
        """Time every stage, then whole runs of growing length."""
        document = setting.experiment
        times = stage_seconds(document, run(document), progress)
        if times is None:
            return setting
        timed = run_seconds(document, progress)
        progress(1.0)
        return setting.with_facts(times=times, timed=timed)


LAB = ComplexityLab()
