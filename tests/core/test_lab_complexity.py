"""Complexity: counts against loops that count, bytes against the arrays of a run, a stopwatch that can be stopped."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from core.compute.trace import run
from core.document.document import Document, Head, Mask, Positional
from core.document.edits import with_positional
from core.labs.complexity import (
    LAB,
    bill,
    count,
    formula,
    lengthened,
    run_seconds,
    sizes_of,
    stage_seconds,
)
from core.stages.plan import plan
from core.storage.examples import load_example
from tests.core.stacks import ATTENTION_EXAMPLES


def experiment() -> Document:
    """n 5, d 6, h 3, k 2, v 4: no two sizes alike."""
    random = np.random.default_rng(1)
    heads = tuple(
        Head(W_Q=random.random((6, 2)), W_K=random.random((6, 2)), W_V=random.random((6, 4)))
        for _ in range(3)
    )
    return Document(
        tuple("abcde"),
        heads,
        X=random.random((5, 6)),
        W_O=random.random((12, 6)),
        mask=Mask("causal"),
        positional=Positional("sinusoidal"),
    )


def multiplied(rows: int, inner: int, columns: int) -> int:
    """The multiply-adds of a product, counted one by one."""
    return sum(1 for _ in product(range(rows), range(inner), range(columns)))


def test_products_are_counted_one_by_one() -> None:
    costs = {cost.stage: cost for cost in bill(LAB.start(experiment())).costs}
    assert costs["Q"].count == 3 * multiplied(5, 6, 2)
    assert costs["V"].count == 3 * multiplied(5, 6, 4)
    assert costs["scores"].count == 3 * multiplied(5, 2, 5)
    assert costs["heads"].count == 3 * multiplied(5, 5, 4)
    assert costs["Y"].count == multiplied(5, 12, 6)
    assert costs["weights"].count == 3 * 5 * 5
    assert costs["X"].count == 0


@pytest.mark.parametrize("kind", ["none", "sinusoidal", "rotary", "alibi"])
def test_bytes_are_those_of_the_arrays_of_a_run(kind: str) -> None:
    for document in (*map(load_example, ATTENTION_EXAMPLES), experiment()):
        if kind != "sinusoidal" or document.X is not None:
            document = with_positional(document, Positional(kind))
        trace = run(document)
        found = bill(LAB.start(document))
        assert {cost.stage: cost.size for cost in found.costs} == {
            name: trace[name].nbytes for name in trace
        }


def test_the_curves_pass_through_the_experiment_and_grow_as_theory_says() -> None:
    setting = LAB.start(experiment(), {"grows": "n"})
    found = bill(setting)
    at = [int(length) for length in found.lengths]
    assert found.projections[at.index(16)] == 16 * found.projections[at.index(1)]
    assert found.pairs[at.index(16)] == 256 * found.pairs[at.index(1)]
    five = sizes_of(experiment(), 5, 6, 3)
    assert found.total == sum(
        count(*_pair(name, five)) for name in ("Q", "K", "V", "scores", "heads", "Y")
    )


def _pair(name: str, sizes: dict[str, int]) -> tuple[str, dict[str, int]]:
    return formula(experiment(), name)[0], sizes


def test_more_heads_of_the_same_width_cost_the_same_products() -> None:
    document = load_example("eight-heads")
    counts = {
        bill(LAB.start(document, {"d": 512, "h": h, "n": 64})).total for h in (1, 2, 4, 16, 32)
    }
    assert len(counts) == 1


@pytest.mark.parametrize("n", [5, 40])
def test_block_by_block_no_matrix_of_pairs_is_stored_and_no_product_is_saved(n: int) -> None:
    whole, blocks = (
        LAB.compute(LAB.start(values={"n": n, "blockwise": blockwise}))
        for blockwise in (False, True)
    )
    assert blocks.total == whole.total
    document, sizes = whole.document, whole.sizes
    pairs = {stage.id for stage in plan(document) if {"n", "m"} <= set(stage.axes)}
    assert {"scores", "scaled", "exp", "weights"} <= pairs
    for before, after in zip(whole.costs, blocks.costs, strict=True):
        assert after.count == before.count
        if before.stage not in pairs:
            assert after.size == before.size
        elif before.stage == "weights":  # a maximum and a sum for each row of each head
            assert after.size == 2 * sizes["h"] * n * 8
        else:
            assert after.size == 0


def test_block_by_block_memory_grows_as_n() -> None:
    small, large = (
        LAB.compute(LAB.start(values={"n": n, "blockwise": True})).bytes for n in (256, 512)
    )
    assert large / small == pytest.approx(2.0, rel=0.3)
    plain = [LAB.compute(LAB.start(values={"n": n})).bytes for n in (2048, 4096)]
    assert plain[1] / plain[0] > 3.8


def test_block_by_block_the_result_is_the_same() -> None:
    """Row maximum and row sum, updated block by block, are all that a row needs."""
    rng = np.random.default_rng(4)
    q, K, V = rng.normal(size=3), rng.normal(size=(23, 3)), rng.normal(size=(23, 2))
    scores = K @ q
    weights = np.exp(scores - scores.max())
    most, total, mixed = -np.inf, 0.0, np.zeros(2)
    for start in range(0, 23, 5):
        block = K[start : start + 5] @ q
        now = max(most, float(block.max()))
        powers = np.exp(block - now)
        total = total * np.exp(most - now) + powers.sum()
        mixed = mixed * np.exp(most - now) + powers @ V[start : start + 5]
        most = now
    np.testing.assert_allclose(mixed / total, weights / weights.sum() @ V, rtol=1e-12)


def test_the_stopwatch_times_every_stage_and_can_be_stopped() -> None:
    document = experiment()
    times = stage_seconds(document, run(document), lambda part: True)
    assert times is not None
    assert set(times) == set(run(document))
    assert all(seconds > 0 for seconds in times.values())
    assert stage_seconds(document, run(document), lambda part: part < 0.1) is None
    assert run_seconds(document, lambda part: part < 0.65)[-1][0] < 64


def test_what_was_measured_stands_only_beside_what_it_was_measured_on() -> None:
    setting = LAB.job(LAB.start(experiment()), "measure", lambda part: True)
    assert all(cost.seconds is not None for cost in bill(setting).costs)
    larger = LAB.with_value(setting, "n", 64)
    assert all(cost.seconds is None for cost in bill(larger).costs)
    assert LAB.document(larger) is None


def test_longer_sentences_keep_heads_and_widths() -> None:
    for document in (experiment(), load_example("cat-eats-fish")):
        longer = lengthened(document, 9)
        assert (longer.n, longer.h, longer.k, longer.v) == (9, document.h, document.k, document.v)
        assert run(longer)["weights"].sum(axis=-1) == pytest.approx(np.ones((document.h, 9)))
