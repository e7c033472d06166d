"""The trace against published truth, against plain loops, and its laws."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arithmetic import blockwise as blocks
from core.arithmetic.stable_sum import SMALL_PRODUCT, products
from core.base.arrays import frozen, frozen_bool
from core.base.cell import Cell
from core.compute.trace import Trace, run
from core.document import edits
from core.document.document import Document, Head, Mask, Pin, Positional, Scale
from core.document.parts import STAGE_AXES
from core.stages import plan
from core.storage.archive import dumps, loads
from tests.core import oracle
from tests.core.documents import documents, make


def test_worked_examples(case: dict[str, Any]) -> None:
    document = loads(json.dumps(case["experiment"]).encode())
    trace = run(document)
    assert case["true"]
    for stage, value in case["true"].items():
        expected = np.array(value, dtype=float)  # null, where a score is masked, becomes NaN
        expected = np.where(np.isnan(expected), -np.inf, expected)
        np.testing.assert_allclose(
            trace[stage], expected.reshape(trace[stage].shape), rtol=0, atol=1e-9
        )


@given(documents())
def test_plain_loops_agree(document: Document) -> None:
    trace = run(document)
    expected = oracle.run(json.loads(dumps(document)))
    assert set(trace) == set(expected)
    assert list(trace) == [stage for stage in STAGE_AXES if stage in expected]
    for stage, value in expected.items():
        np.testing.assert_allclose(
            trace[stage], np.array(value), rtol=1e-9, atol=1e-12, err_msg=stage
        )


@given(documents(any_size=True))
def test_shapes_and_read_only(document: Document) -> None:
    trace = run(document)
    for stage in trace.plan:
        assert trace[stage.id].shape == document.stage_shape(stage.id)
        assert not trace[stage.id].flags.writeable
        assert not np.isnan(trace[stage.id]).any()


@given(documents(max_pins=0), st.data())
def test_pin_acts_right_after_its_stage_and_not_before(
    document: Document, data: st.DataObject
) -> None:
    before = run(document)
    stages = [stage.id for stage in before.plan]
    stage = data.draw(st.sampled_from(stages))
    index = tuple(data.draw(st.integers(0, size - 1)) for size in before[stage].shape)
    after = run(document.with_(pins=(Pin(stage, index, 7.25),)))
    for earlier in stages[: stages.index(stage)]:
        assert (after[earlier] == before[earlier]).all()
    assert after[stage][index] == 7.25
    changed = after[stage] != before[stage]
    assert changed.sum() <= 1


def test_what_follows_a_pin_obeys_it() -> None:
    document = make(mask="causal", output=True)
    pinned = run(document.with_(pins=(Pin("weights", (1, 3, 0), 0.5),)))
    before = run(document)
    moved = pinned["heads"] - before["heads"]
    assert np.flatnonzero(np.abs(moved).sum(axis=(0, 2))).tolist() == [3]
    by = 0.5 - before["weights"][1, 3, 0]
    np.testing.assert_allclose(moved[1, 3], by * before["V"][1, 0], rtol=0, atol=1e-12)


CHANGES = {
    "one weight": lambda d: edits.with_cell(d, Cell("W_V", 1, 2, 1), 9.0),
    "X": lambda d: edits.with_cell(d, Cell("X", 2, 3), 9.0),
    "mask": lambda d: edits.with_mask(d, Mask("window", left=0, right=1)),
    "scale": lambda d: edits.with_scale(d, Scale("none")),
    "scale by another factor": lambda d: edits.with_scale(d, Scale("factor", -0.0)),
    "positions": lambda d: edits.with_positional(d, Positional("sinusoidal")),
    "rotary": lambda d: edits.with_positional(d, Positional("rotary", base=3.0)),
    "head off": lambda d: edits.with_head_enabled(d, 1, False),
    "pin": lambda d: edits.with_pin(d, Cell("exp", 1, 2, 0), 0.0),
    "negative zero pin": lambda d: edits.with_pin(
        edits.with_pin(d, Cell("exp", 1, 2, 0), 1.0), Cell("exp", 1, 2, 0), -0.0
    ),
    "name": lambda d: edits.with_title(d, "another"),
}


def _same(a: Trace, b: Trace) -> bool:
    return list(a) == list(b) and all(a[stage].tobytes() == b[stage].tobytes() for stage in a)


@pytest.mark.parametrize("change", CHANGES)
def test_a_run_after_another_is_the_same_to_the_last_bit(change: str) -> None:
    document = make(positional="alibi", mask="causal", output=True, biases=True)
    first = run(document)
    changed = CHANGES[change](document)
    assert changed is not document
    assert _same(run(changed, first), run(changed))
    assert _same(run(document, run(changed)), first)


@given(documents(), documents())
def test_any_run_can_follow_any_other(one: Document, other: Document) -> None:
    assert _same(run(other, run(one)), run(other))


def test_unchanged_stages_are_the_same_arrays() -> None:
    document = make(positional="learned", mask="causal", output=True)
    first = run(document)
    again = run(document, first)
    assert all(again[stage] is first[stage] for stage in first)
    value = run(edits.with_cell(document, Cell("W_V", 1, 2, 1), 9.0), first)
    assert {stage for stage in value if value[stage] is not first[stage]} == {
        "V",
        "heads",
        "concat",
        "Y",
    }
    scale = run(edits.with_scale(document, Scale("factor", 2.0)), first)
    kept = {stage for stage in scale if scale[stage] is first[stage]}
    assert kept == {"X", "P", "input", "Q", "K", "V", "scores"}
    off = run(edits.with_head_enabled(document, 0, False), first)
    assert {stage for stage in off if off[stage] is not first[stage]} == {"concat", "Y"}


@pytest.mark.parametrize("output", [False, True])
def test_wholly_masked_row_is_zero(output: bool) -> None:
    allow = np.ones((5, 5), dtype=bool)
    allow[2] = False
    document = make(mask="custom", output=output).with_(
        mask=Mask("custom", allow=frozen_bool(allow))
    )
    trace = run(document)
    assert np.isneginf(trace["masked"][:, 2]).all()
    for stage in ("exp", "weights", "heads"):
        assert (trace[stage][:, 2] == 0).all()
    assert (trace["Y"][2] == 0).all()
    np.testing.assert_allclose(
        np.delete(trace["weights"], 2, axis=1).sum(axis=-1), 1.0, rtol=0, atol=1e-12
    )


def test_a_head_switched_off_gives_zeros_in_its_own_block() -> None:
    document = make(output=True)
    on, off = run(document), run(edits.with_head_enabled(document, 1, False))
    assert (off["concat"][:, 4:8] == 0).all()
    assert (off["concat"][:, :4] == on["concat"][:, :4]).all()
    assert (off["concat"][:, 8:] == on["concat"][:, 8:]).all()
    assert (off["heads"] == on["heads"]).all()
    blocks = on["concat"][:, 4:8] @ document.W_O[4:8]
    np.testing.assert_allclose(on["Y"] - off["Y"], blocks, rtol=0, atol=1e-12)


def test_the_only_head_switched_off_gives_no_output() -> None:
    document = make(sizes={"n": 5, "d": 6, "h": 1, "k": 2, "v": 4}, off=(0,))
    trace = run(document)
    assert "concat" not in trace
    assert (trace["Y"] == 0).all()
    assert (trace["heads"] != 0).any()


def test_one_token_and_one_column() -> None:
    head = Head(Q=frozen([[3.0]]), K=frozen([[-2.0]]), V=frozen([[5.0, 7.0]]))
    trace = run(Document(tokens=("only",), heads=(head,), source="qkv"))
    assert trace["scores"].tolist() == [[[-6.0]]]
    assert trace["weights"].tolist() == [[[1.0]]]
    assert trace["Y"].tolist() == [[5.0, 7.0]]


def test_beyond_the_largest_double_stays_finite() -> None:
    document = make(output=True, biases=True)
    huge = replace(document, X=frozen(np.full((5, 6), 1e308)))
    trace = run(huge)
    for stage in trace:
        assert np.isfinite(trace[stage]).all(), stage


@given(st.permutations(range(5)), st.integers(0, 99))
def test_without_positions_the_order_of_tokens_only_orders_the_output(
    order: list[int], seed: int
) -> None:
    document = make(seed, output=True, biases=True)
    ordered = document.with_(X=frozen(document.X[order]))
    assert (run(ordered)["Y"] == run(document)["Y"][order]).all()


@given(documents(max_pins=0), st.booleans())
def test_blocks_and_threads_change_no_bit(document: Document, threaded: bool) -> None:
    whole = run(document)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "BLOCK_CELLS", 7)
        patch.setattr(blocks, "THREADED_CELLS", 0 if threaded else 1 << 40)
        in_parts = run(document)
    for stage_id in whole:
        assert whole[stage_id].tobytes() == in_parts[stage_id].tobytes(), stage_id


@given(documents())
def test_experiments_of_a_kind_have_the_very_same_plan(document: Document) -> None:
    assert plan(edits.with_title(document, "another")) is plan(document)
    assert run(loads(dumps(document))).plan is plan(document)


@pytest.mark.parametrize("h", [1, 3])
def test_large_projections_are_those_of_each_head(h: int) -> None:
    """Side by side in one product, each head still gets its own columns."""
    n, d, k = 70, 60, 20
    rng = np.random.default_rng(5)
    x, factors = rng.normal(size=(n, d)), [rng.normal(size=(d, k)) for _ in range(h)]
    assert n * d * k > SMALL_PRODUCT
    got = products(x, factors)
    assert got.shape == (h, n, k)
    assert got.flags.c_contiguous
    for head in range(h):
        np.testing.assert_allclose(
            got[head], oracle.multiply(x.tolist(), factors[head].tolist()), atol=1e-12
        )


def test_who_watches_hears_each_stage_and_can_end_the_run() -> None:
    document = make(mask="causal", output=True)
    heard: list[tuple[int, int]] = []
    trace = run(document, watch=lambda done, of: heard.append((done, of)))
    assert heard == [(done, len(trace)) for done in range(len(trace))]

    def enough(done: int, of: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(document, watch=enough)


@pytest.mark.parametrize("threads_from", [0, 1 << 40])
def test_who_watches_can_end_a_run_within_a_long_stage(
    monkeypatch: pytest.MonkeyPatch, threads_from: int
) -> None:
    monkeypatch.setattr(blocks, "BLOCK_CELLS", 5)
    monkeypatch.setattr(blocks, "THREADED_CELLS", threads_from)
    document = make(mask="causal", output=True)
    heard: list[int] = []
    trace = run(document, watch=lambda done, _of: heard.append(done))
    rows = document.h * document.n  # a block each
    first, last = trace.plan.index("scaled"), trace.plan.index("weights")
    within = [first + done * (last - first + 1) // rows for done in range(1, rows)]
    assert heard == [*range(first + 1), *within, *range(first + 1, len(trace))]

    def enough(done: int, _of: int) -> None:
        heard.append(done)
        if len(heard) == first + 4:
            raise KeyboardInterrupt

    heard.clear()
    with pytest.raises(KeyboardInterrupt):
        run(document, watch=enough)
    assert len(heard) == first + 4
