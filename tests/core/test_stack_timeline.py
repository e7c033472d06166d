"""Stepping through a stack: every stage of every layer at every grain, and from layer to layer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.base.cell import Cell
from core.compute.trace import Trace, run
from core.document.document import Document, Mask
from core.explain import timeline
from core.explain.derivation import pair_steps, row_is_masked
from core.explain.timeline import Cursor, Grain, Reach
from tests.core.stacks import make_stack

STACK = make_stack(5, layers=3)


def walked(trace: Trace, grain: Grain, by: int, cursor: Cursor) -> list[Cursor]:
    """Every stop until the line ends."""
    cursors = [cursor]
    while (after := timeline.step(trace, cursors[-1], grain, by)) is not cursors[-1]:
        cursors.append(after)
    return cursors


@pytest.mark.parametrize("grain", Grain)
def test_steps_reach_every_stage_in_order_and_back(grain: Grain) -> None:
    trace = run(STACK)
    forward = walked(trace, grain, 1, timeline.first(trace, Cursor("X"), grain))
    assert list(dict.fromkeys(cursor.stage for cursor in forward)) == list(trace.plan.ids)
    back = walked(trace, grain, -1, forward[-1])
    assert [cursor.stage for cursor in back] == [cursor.stage for cursor in reversed(forward)]


def test_cells_are_as_many_as_numbers() -> None:
    trace = run(STACK)
    stops = walked(trace, Grain.CELL, 1, timeline.first(trace, Cursor("X"), Grain.CELL))
    for stage in trace.plan:
        here = [cursor for cursor in stops if cursor.stage == stage.id]
        rows, columns = trace[stage.id].shape[-2:]
        leads = rows if stage.lead else 0
        assert len(here) == (1 if stage.entered else rows * columns + leads), stage.id


def test_the_head_stays_within_the_layer() -> None:
    three, one = make_stack(0, layers=1), make_stack(1, layers=1, sizes=ONE_HEAD)
    both = three.with_(layers=(*three.layers, *one.layers))
    trace = run(both)
    cursor = timeline.at_stage(trace, Cursor("L1.weights", head=2), "L2.weights")
    assert (cursor.stage, cursor.head) == ("L2.weights", 0)
    focus = timeline.surviving_focus(both, Cell("L2.weights", 1, 1, 2), Cell("X"))
    assert focus == Cell("L2.weights", 1, 1, 0)
    assert not timeline.exists(both, Cell("L2.Q", 0, 0, 1))
    assert timeline.exists(both, Cell("L1.Q", 0, 0, 2))


ONE_HEAD = {"n": 4, "d": 6, "h": 1, "k": 2, "v": 5, "f": 7, "u": 8}


def test_the_next_layer_shows_the_same_stage() -> None:
    trace = run(STACK)
    cursor = Cursor("L1.mlp_hidden", 0, 2, 1, Reach.CELL)
    after = timeline.at_layer(trace, cursor, 1)
    assert after == replace(cursor, stage="L2.mlp_hidden")
    assert timeline.at_layer(trace, after, -1) == cursor
    last = timeline.at_layer(trace, after, 1)
    assert timeline.at_layer(trace, last, 1) is last


def test_outside_the_layers_the_nearest_layer_begins() -> None:
    trace = run(STACK)
    assert timeline.at_layer(trace, Cursor("X"), 1).stage == "L1.attention_norm"
    assert timeline.at_layer(trace, Cursor("X"), -1).stage == "X"
    assert timeline.at_layer(trace, Cursor("logits"), -1).stage == "L3.attention_norm"
    assert timeline.at_layer(trace, Cursor("logits"), 1).stage == "logits"


def test_a_stage_that_the_next_layer_lacks_is_the_nearest_before() -> None:
    first, second = STACK.layers[:2]
    bare = replace(second, mlp=None, norm=replace(second.norm, mlp=None))
    trace = run(STACK.with_(layers=(first, bare)))
    assert timeline.at_layer(trace, Cursor("L1.mlp_out"), 1).stage == "L2.attention_residual"
    plain = replace(bare, norm=replace(bare.norm, attention=None))
    trace = run(STACK.with_(layers=(first, plain)))
    assert timeline.at_layer(trace, Cursor("L1.attention_norm"), 1).stage == "L2.Q"


def test_a_layer_that_is_off_is_left_out() -> None:
    first, second, third = STACK.layers
    trace = run(STACK.with_(layers=(first, replace(second, enabled=False), third)))
    assert trace.plan.layers == (1, 3)
    assert timeline.at_layer(trace, Cursor("L1.Q"), 1).stage == "L3.Q"
    assert timeline.clamp(trace, Cursor("L2.weights")).stage == "L1.mlp_residual"


@pytest.mark.parametrize("seen", ["weights", "Y"])
def test_a_stage_of_attention_alone_is_that_of_the_first_layer(seen: str) -> None:
    trace = run(STACK)
    assert trace.plan.nearest(seen) == f"L1.{seen}"
    assert trace.plan.nearest("logits") == "logits"


def test_attention_alone_takes_an_id_with_a_layer_as_its_own() -> None:
    alone: Document = STACK.scopes[0]
    plan = run(alone).plan
    assert plan.nearest("L2.weights") == "weights"
    assert plan.nearest("L2.mlp_out") == plan.ids[-1]
    assert plan.nearest("probabilities") == plan.ids[-1]


def test_the_largest_probability_of_a_long_row_gets_the_focus() -> None:
    document = make_stack(2, sizes={**ONE_HEAD, "u": 20})
    trace = run(document)
    cursor = Cursor("probabilities", row=1)
    focus = timeline.first_focus(trace, cursor, Cell("probabilities", 1, 0))
    assert focus.column == int(np.argmax(trace["probabilities"][1]))


def test_a_pair_is_derived_in_its_own_layer() -> None:
    trace = run(STACK)
    steps = pair_steps(STACK, trace, Cell("L2.weights", 2, 1, 1))
    assert {step.cell.tensor.partition(".")[0] for step in steps} == {"L2"}
    assert steps[-1].value == trace["L2.weights"][1, 2, 1]


def test_a_row_is_masked_in_its_own_layer() -> None:
    allow = np.tril(np.ones((4, 4), dtype=bool))
    allow[0] = False
    trace = run(STACK.with_(mask=Mask("custom", allow=allow)))
    assert [row_is_masked(trace, row, 0, "L2.heads") for row in range(4)] == [True] + [False] * 3
