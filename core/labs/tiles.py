"""Tiles: the softmax of a row of scores, computed block by block.

For each block of keys, with its scores s_j and values v_j, and m = −∞, ℓ = 0, o = 0 at first:

    m_new = max(m, max s_j)    ρ = e^(m − m_new)    p_j = e^(s_j − m_new)
    ℓ_new = ρ ℓ + Σ p_j        o_new = ρ o + Σ p_j v_j

After every block, o / ℓ is the attention output over the keys so far. Of a row only m, ℓ and o are
kept. The running sum is from Milakov & Gimelshein 2018; FlashAttention (Dao et al. 2022) computes
the scores in tiles of queries and keys and never stores the n × m table. The division at the end
alone is that of FlashAttention-2 (Dao 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.arithmetic.attention import exponentials
from core.arithmetic.stable_sum import LARGEST, product, row_sum, saturate
from core.base.arrays import Array, BoolArray, frozen
from core.base.errors import UserError
from core.compute.trace import Trace
from core.document.document import Document, Head, Mask
from core.labs.controls import Clock, Control, Slider, Switch
from core.labs.lab import Lab, Setting, head_choice, traced
from core.stages.softmax import softmax_source

MOST_TOKENS, MOST_OWN = 64, 48
MOST_BLOCK = 8
KEY_WIDTH, VALUE_WIDTH = 4, 3  # of the lab's own numbers


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """State of n queries after each of b blocks.

    `maxima`, `sums` (b, n) and `outputs` (b, n, v) are m, ℓ and o; `factors` (b, n) are ρ, 0 for
    the first block. `numerators` (n, m) are p_j, relative to the maximum of their own block.
    """

    maxima: Array
    factors: Array
    sums: Array
    outputs: Array
    numerators: Array

    @property
    def means(self) -> Array:
        """Return o / ℓ after each block, 0 where every key so far is masked.  # (b, n, v)"""
        sums = self.sums[..., None]
        return saturate(np.divide(self.outputs, np.where(sums > 0.0, sums, 1.0)))


@np.errstate(all="ignore")
def run_blocks(
    scores: Array, V: Array, block: int, *, base: float = np.e, rescale: bool = True
) -> Running:
    """Pass over the keys in blocks; −∞ is a masked score.  # (n, m), (m, v)

    Without `rescale`, ρ is 1 from the second block on, which is wrong wherever the maximum rises.
    """
    n, keys = scores.shape
    maximum, total = np.full((n, 1), -np.inf), np.zeros((n, 1))
    output = np.zeros((n, V.shape[1]))
    states: list[tuple[Array, ...]] = []
    numerators = np.zeros((n, keys))
    for start in range(0, keys, block):
        part = scores[:, start : start + block]
        highest = np.maximum(maximum, part.max(axis=1, keepdims=True))
        finite = np.maximum(highest, -LARGEST)  # −∞ − −∞ would be NaN
        p = exponentials(part - finite, base=base, shift=False)
        factor = exponentials(maximum - finite, base=base, shift=False)
        if start and not rescale:
            factor = np.ones_like(factor)
        maximum, total = highest, factor * total + row_sum(p)
        output = saturate(factor * output + product(p, V[start : start + block]))
        numerators[:, start : start + block] = p
        states.append((maximum[:, 0], factor[:, 0], total[:, 0], output))
    maxima, factors, sums, outputs = (frozen(np.stack(rows)) for rows in zip(*states, strict=True))
    return Running(maxima, factors, sums, outputs, frozen(numerators))


@dataclass(frozen=True, slots=True, eq=False)
class TilesResult:
    """The pass of one head over all keys, for the chosen `query`, up to block `step` from 0.

    Tiles are `block` queries by `block` keys. `skipped` says which of them are masked entirely,
    (query blocks, key blocks). `difference` and `own_difference` are the largest distances of o / ℓ
    from the softmax over whole rows, over all queries and over the chosen one.
    """

    document: Document
    trace: Trace
    head: int
    query: int
    block: int
    step: int
    rescale: bool
    running: Running
    skipped: BoolArray
    difference: float
    own_difference: float

    @property
    def scores(self) -> Array:
        """Return the whole table of scores that enter the softmax, −∞ if masked.  # (n, m)"""
        return self.trace.matrix(softmax_source(self.trace.plan), self.head)

    @property
    def V(self) -> Array:
        """Return the values.  # (m, v)"""
        return self.trace.matrix("V", self.head)

    @property
    def steps(self) -> int:
        """Return the number of blocks of keys."""
        return int(self.skipped.shape[1])

    @property
    def queries(self) -> slice:
        """Return the queries of the current tile."""
        first = self.query // self.block * self.block
        return slice(first, min(first + self.block, self.document.n))

    @property
    def keys(self) -> slice:
        """Return the keys of the current tile."""
        first = self.step * self.block
        return slice(first, min(first + self.block, self.document.m))

    @property
    def before(self) -> tuple[float, float, Array]:
        """Return m, ℓ and o of the chosen query before the current block."""
        if self.step == 0:
            return -np.inf, 0.0, np.zeros(self.V.shape[1])
        return self.state(self.step - 1)

    def state(self, step: int) -> tuple[float, float, Array]:
        """Return m, ℓ and o of the chosen query after a block."""
        running, query = self.running, self.query
        return (
            float(running.maxima[step, query]),
            float(running.sums[step, query]),
            running.outputs[step, query],
        )

    @property
    def table_size(self) -> int:
        """Count the scores of the whole table."""
        return int(self.document.n * self.document.m)

    @property
    def tile_size(self) -> int:
        """Count the scores of the largest tile."""
        return min(self.block, self.document.n) * min(self.block, self.document.m)


def skipped_tiles(scores: Array, block: int) -> BoolArray:
    """Find the tiles in which every score is masked.  # (n, m) -> (query blocks, key blocks)"""
    n, m = scores.shape
    masked: BoolArray = np.isneginf(scores)
    rows = np.logical_and.reduceat(masked, np.arange(0, n, block), axis=0)
    return np.asarray(np.logical_and.reduceat(rows, np.arange(0, m, block), axis=1))


@lru_cache(maxsize=8)
def drawn(n: int, causal: bool) -> Document:
    """Draw queries, keys and values of n tokens, rounded to one decimal.

    The first tokens are the same for every n.
    """
    random = np.random.default_rng(4)
    numbers = np.round(random.standard_normal((MOST_OWN, 2 * KEY_WIDTH + VALUE_WIDTH)), 1)[:n]
    Q, K, V = np.split(numbers, (KEY_WIDTH, 2 * KEY_WIDTH), axis=1)
    return Document(
        tuple(str(place + 1) for place in range(n)),
        (Head(Q=frozen(Q), K=frozen(K), V=frozen(V)),),
        title="Tile by tile",
        source="qkv",
        mask=Mask("causal" if causal else "none"),
    )


class TilesLab(Lab):
    """Controls: block, tile size, query, and for the lab's own numbers tokens and causal mask.

    `column` is the result whose sum is written: 0 for ℓ, then the entries of o.
    """

    id = "tiles"

    def require(self, document: Document) -> None:
        """Accept 2 to MOST_TOKENS tokens and keys."""
        if not (2 <= document.m <= MOST_TOKENS and document.n <= MOST_TOKENS):
            raise UserError("lab.unfit", reason="tokens_2_64")

    def controls(self, setting: Setting) -> tuple[Control, ...]:
        """Offer the number of tokens and the mask only without an experiment of the user."""
        document = setting.document
        own = int(setting.get("n", 12))
        n, m = (own, own) if document is None else (document.n, document.m)
        width = VALUE_WIDTH if document is None else document.v
        last = -(-m // int(setting.get("block", 3))) - 1
        made = (Slider("n", 2, MOST_OWN, 12, step=1, whole=True), Switch("causal"))
        return (
            Clock("step", last, min(1, last), pause=1600),
            Slider("block", 1, MOST_BLOCK, 3, step=1, whole=True),
            Slider("query", 1, n, min(10, n), step=1, whole=True),
            *(made if document is None else head_choice(document)),
            Switch("rescale", True),
            Slider("column", 0, width, 1, step=1, whole=True),
        )

    def compute(self, setting: Setting) -> TilesResult:
        """Pass over the blocks and compare with the whole rows."""
        document = self.document(setting)
        head, block, query = setting.head, int(setting["block"]), int(setting["query"]) - 1
        trace = traced(document)
        scores = trace.matrix(softmax_source(trace.plan), head)
        V, whole = trace.matrix("V", head), trace.matrix("heads", head)
        base, rescale = document.softmax.number, bool(setting["rescale"])
        running = run_blocks(scores, V, block, base=base, rescale=rescale)
        gaps = np.abs(running.means[-1] - whole).max(axis=1)
        return TilesResult(
            document,
            trace,
            head,
            query,
            block,
            int(setting["step"]),
            rescale,
            running,
            skipped_tiles(scores, block),
            float(gaps.max()),
            float(gaps[query]),
        )

    def document(self, setting: Setting) -> Document:
        """Return the drawn experiment, or the user's without its what-if values."""
        if setting.document is None:
            return drawn(int(setting["n"]), bool(setting["causal"]))
        return setting.unpinned


LAB = TilesLab()
