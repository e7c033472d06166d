"""Sparse attention: patterns with fewer than n² links.

Patterns from the literature: windows and dilated windows (Beltagy et al. 2020, Longformer), blocks
(Qiu et al. 2020), global tokens (Longformer), random links beside a window (Zaheer et al. 2020,
BigBird). Links are counted in the pattern and by formula; the tokens reachable through L layers are
those L links away.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from core.base.arrays import Array, BoolArray, frozen
from core.compute.trace import run
from core.document.document import Document, Head, Mask
from core.document.edits import with_mask
from core.labs.controls import ChoiceControl, Control, Seed, Slider
from core.labs.lab import Lab, Setting

KINDS = ("full", "causal", "window", "dilated", "block", "global", "random")
MOST_TOKENS, MOST_LAYERS = 64, 8
WIDTH = 64  # d_k = d_v in the counts: a link costs d_k + d_v multiply-adds
BYTES = 8
COUNTED_AT = (4, 8, 16, 32, 64, 128, 256)
LONGEST = 4096


@dataclass(frozen=True, slots=True)
class Pattern:
    """A kind of sparse pattern and its parameters.

    `reach` to each side, every `gap`-th token, blocks of `block` tokens, `hubs` that see and are
    seen by all, `extra` random links per row, drawn from `seed`.
    """

    kind: str
    reach: int = 2
    gap: int = 2
    block: int = 4
    hubs: int = 1
    extra: int = 2
    seed: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Effect of a pattern on n tokens.

    `allowed` (n, n) says which key (column) a query (row) may attend to; `layers` holds for 0 … L
    layers the tokens reached by the chosen one; `reached` (n, n) how many layers a query needs to
    reach a key, 0 for itself and −1 if L do not suffice. `lengths`, `formula` and `full` (p,) are
    the links by formula for the chart, `counted` pairs of a length and the links counted in the
    pattern. `changed` (n,) is ‖y − y of all links‖ of each row in one layer over drawn tokens.
    """

    pattern: Pattern
    allowed: BoolArray
    token: int
    layers: tuple[BoolArray, ...]
    reached: Array
    links: int
    lengths: Array
    formula: Array
    full: Array
    counted: tuple[tuple[int, int], ...]
    changed: Array

    @property
    def n(self) -> int:
        """Return the number of tokens."""
        return int(self.allowed.shape[0])

    @property
    def seen(self) -> int:
        """Return how many tokens the chosen one reaches."""
        return int(self.layers[-1].sum())

    @property
    def everywhere(self) -> int | None:
        """Return after how many layers every token reaches every other; None if L do not suffice."""
        return None if (self.reached < 0).any() else int(max(1, self.reached.max()))


def allowed(pattern: Pattern, n: int) -> BoolArray:
    """Build the pattern for n tokens, (n, n).

    True if the row's query may attend to the column's key.
    """
    rows, columns = np.arange(n)[:, None], np.arange(n)[None, :]
    apart = np.abs(rows - columns)
    near: BoolArray = apart <= pattern.reach
    grid: BoolArray
    match pattern.kind:
        case "full":
            grid = np.ones((n, n), dtype=np.bool_)
        case "causal":
            grid = columns <= rows
        case "window":
            grid = near
        case "dilated":
            grid = (apart <= pattern.reach * pattern.gap) & (apart % pattern.gap == 0)
        case "block":
            grid = rows // pattern.block == columns // pattern.block
        case "global":
            grid = near | (rows < pattern.hubs) | (columns < pattern.hubs)
        case _:
            grid = near | _random(near, pattern)
    return grid


def _random(taken: BoolArray, pattern: Pattern) -> BoolArray:
    """Add `extra` random links to each row, or all that are left."""
    random = np.random.default_rng(pattern.seed)
    found = np.zeros_like(taken)
    for row, used in enumerate(taken):
        free = np.flatnonzero(~used)
        found[row, random.permutation(free)[: pattern.extra]] = True
    return found


def links_by_formula(pattern: Pattern, n: int) -> int:
    """Count the links among n tokens by formula, without building the pattern."""
    w, g = min(pattern.reach, n - 1), min(pattern.hubs, n)
    window = n * (2 * w + 1) - w * (w + 1)
    match pattern.kind:
        case "full":
            return n * n
        case "causal":
            return n * (n + 1) // 2
        case "window":
            return window
        case "dilated":
            steps = [
                step * pattern.gap for step in range(1, pattern.reach + 1) if step * pattern.gap < n
            ]
            return n + 2 * sum(n - step for step in steps)
        case "block":
            whole, rest = divmod(n, pattern.block)
            return whole * pattern.block**2 + rest**2
        case "global":
            both = g + 2 * sum(
                min(w, n - 1 - hub) for hub in range(g)
            )  # links of hubs inside the window, counted twice above
            return window + 2 * g * n - g * g - both
        case _:
            rows = (min(w, row) + min(w, n - 1 - row) + 1 for row in range(n))
            return sum(row + min(pattern.extra, n - row) for row in rows)


def reach(links: BoolArray, layers: int) -> Array:
    """Compute how many layers carry information from each key to each query, (n, n).

    0 for a token itself, −1 if the given layers do not suffice.
    """
    n = links.shape[0]
    found = np.where(np.eye(n, dtype=np.bool_), 0, -1)
    now = np.eye(n, dtype=np.bool_)
    step = (links | np.eye(n, dtype=np.bool_)).astype(np.int32)  # the residual connection
    for layer in range(1, layers + 1):
        now = (now.astype(np.int32) @ step) > 0
        found = np.where((found < 0) & now, layer, found)
    return frozen(found)


@lru_cache(maxsize=64)
def links_of(pattern: Pattern, n: int, token: int, layers: int) -> Links:
    """Compute the result of the lab."""
    grid = allowed(pattern, n)
    grid.flags.writeable = False
    reached = reach(grid, layers)
    lengths = np.unique(np.round(np.geomspace(4, LONGEST, 60)).astype(int))
    own = np.where(reached[token] < 0, layers + 1, reached[token])
    return Links(
        pattern,
        grid,
        token,
        tuple(own <= layer for layer in range(layers + 1)),
        reached,
        int(grid.sum()),
        frozen(lengths),
        frozen([links_by_formula(pattern, int(length)) for length in lengths]),
        frozen(lengths**2.0),
        tuple((length, int(allowed(pattern, length).sum())) for length in COUNTED_AT),
        changed_rows(pattern, n),
    )


@lru_cache(maxsize=8)
def experiment(pattern: Pattern, n: int) -> Document:
    """Build n tokens of width 4, one head, and the pattern as a custom mask."""
    random = np.random.default_rng(n)
    look = frozen(np.eye(4))
    X = frozen(np.round(random.standard_normal((n, 4)), 1))
    mask = Mask("custom", allow=allowed(pattern, n))
    names = tuple(map(str, range(1, n + 1)))
    return Document(
        names, (Head(W_Q=look, W_K=look, W_V=look),), title="Fewer lines, not n²", X=X, mask=mask
    )


@lru_cache(maxsize=64)
def changed_rows(pattern: Pattern, n: int) -> Array:
    """Compute how far each row of the output is from that of dense attention.  # -> (n,)"""
    sparse = experiment(pattern, n)
    dense = run(with_mask(sparse, Mask()))["Y"]
    return frozen(np.linalg.norm(run(sparse)["Y"] - dense, axis=1))


class SparseLab(Lab):
    """Controls: the pattern and its parameters, the numbers of tokens and layers, the chosen token."""

    id = "sparse"

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer only the parameters of the chosen kind."""
        kind, n = str(setting.get("kind", "window")), int(setting.get("n", 24))
        own: dict[str, tuple[Control, ...]] = {
            "window": (_whole("reach", 1, 8, 2),),
            "dilated": (_whole("reach", 1, 8, 2), _whole("gap", 2, 8, 2)),
            "block": (_whole("block", 1, 16, 4),),
            "global": (_whole("reach", 1, 8, 2), _whole("hubs", 1, 4, 1)),
            "random": (_whole("reach", 1, 8, 2), _whole("extra", 1, 8, 2), Seed()),
        }
        return (
            ChoiceControl("kind", KINDS, "window"),
            *own.get(kind, ()),
            _whole("n", 4, MOST_TOKENS, 24),
            _whole("layers", 1, MOST_LAYERS, 3),
            _whole("token", 1, n, n // 2),
        )

    def compute(self, setting: Setting) -> Links:
        """Compute the links and their reach."""
        return links_of(pattern_of(setting), setting["n"], setting["token"] - 1, setting["layers"])

    def document(self, setting: Setting) -> Document:
        """Return the pattern as a mask."""
        return experiment(pattern_of(setting), setting["n"])


def _whole(control_id: str, low: int, high: int, default: int) -> Slider:
    return Slider(control_id, low, high, default, step=1, whole=True)


def pattern_of(setting: Setting) -> Pattern:
    """Build the pattern from the controls."""
    names = ("reach", "gap", "block", "hubs", "extra", "seed")
    chosen: dict[str, Any] = {
        name: setting.values[name] for name in names if name in setting.values
    }
    return Pattern(setting["kind"], **chosen)


LAB = SparseLab()
