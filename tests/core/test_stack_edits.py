"""Edits of stacks: every number, switch and size changes what it should and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import Trace, run
from core.document import edits, resize, stack_edits
from core.document.document import Document, Mask, Norm, Output, Pin, Positional, Sampling
from core.document.parts import is_of_head, tensor_axes
from core.storage.archive import dumps, loads
from tests.core.stacks import make_stack
from tests.core.test_archive import same

STACK = make_stack(8, gate=True, borrowed=True)
RICH = STACK.with_(
    pins=(
        Pin("L1.weights", (2, 1, 0), 0.5),
        Pin("L2.mlp_hidden", (1, 2), 3.0),
        Pin("L2.heads", (1, 3, 0), -1.0),
        Pin("logits", (0, 7), 2.0),
    )
)


def last(trace: Trace) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return trace[trace.plan.stages[-1].id]


def every_tensor(document: Document) -> list[tuple[str, int]]:
    return [
        (name, head)
        for name in document.inputs
        for head in range(document.scope(name).h if is_of_head(name) else 1)
        if document.tensor(name, head) is not None
    ]


@pytest.mark.parametrize(("name", "head"), every_tensor(STACK))
def test_one_number_of_every_tensor_changes_alone(name: str, head: int) -> None:
    tensor = STACK.tensor(name, head)
    assert tensor is not None
    column = tensor.shape[-1] - 1
    row = tensor.shape[0] - 1 if tensor.ndim == 2 else 0
    after = edits.with_cell(STACK, Cell(name, row, column, head), 7.25)
    changed = after.tensor(name, head)
    assert changed is not None
    differing = np.argwhere(changed != tensor).tolist()
    assert differing == [[row, column] if tensor.ndim == 2 else [column]]
    for other, place in every_tensor(STACK):
        if (other, place) != (name, head):
            assert after.tensor(other, place) is STACK.tensor(other, place)
    assert edits.with_cell(after, Cell(name, row, column, head), 7.25) is after


def test_a_borrowed_tensor_cannot_be_edited_at_the_borrower() -> None:
    with pytest.raises(UserError, match=r"tensor\.absent"):
        edits.with_cell(STACK, Cell("L1.W_K", 0, 0, 2), 1.0)


def test_tensors_of_parts_that_are_not_there_are_refused() -> None:
    bare = make_stack(1, norms=False, mlp=False, output=False)
    for name in ("L1.W_1", "L1.attention_norm.gamma", "W_U"):
        with pytest.raises(UserError, match=r"tensor\.absent"):
            edits.with_tensor(bare, name, np.ones(6))


def test_pins_come_and_go() -> None:
    cell = Cell("L2.weights", 1, 0, 2)
    pinned = edits.with_pin(STACK, cell, 0.75)
    assert run(pinned)["L2.weights"][2, 1, 0] == 0.75
    assert run(pinned)["L1.weights"][2, 1, 0] == run(STACK)["L1.weights"][2, 1, 0]
    hidden = edits.with_pin(pinned, Cell("L1.mlp_hidden", 2, 3), 9.0)
    assert run(hidden)["L1.mlp_hidden"][2, 3] == 9.0
    assert edits.without_pins_of(hidden, [cell]).pins == hidden.pins[1:]


# Switches


SWITCHES: dict[str, tuple[Callable[[Document, bool], Document], set[str]]] = {
    "attention norm": (
        lambda document, on: stack_edits.with_norm(document, "L1.attention_norm", on),
        {"L1.attention_norm"},
    ),
    "mlp norm": (
        lambda document, on: stack_edits.with_norm(document, "L2.mlp_norm", on),
        {"L2.mlp_norm"},
    ),
    "final norm": (
        lambda document, on: stack_edits.with_norm(document, "final_norm", on),
        {"final_norm"},
    ),
    "mlp": (
        lambda document, on: stack_edits.with_mlp(document, 1, on),
        {
            f"L1.{name}"
            for name in (
                "mlp_norm",
                "mlp_hidden",
                "mlp_gate",
                "mlp_active",
                "mlp_out",
                "mlp_residual",
            )
        },
    ),
    "residual": (
        lambda document, on: stack_edits.with_layer(document, 2, residual=on),
        {"L2.attention_residual", "L2.mlp_residual"},
    ),
    "layer": (
        lambda document, on: stack_edits.with_layer(document, 1, enabled=on),
        {name for name in run(STACK) if name.startswith("L1.")},
    ),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_a_switch_takes_its_stages_away_and_brings_them_back(name: str) -> None:
    switch, gone = SWITCHES[name]
    off = switch(RICH, False)
    assert set(run(RICH)) - set(run(off)) == gone
    assert same(loads(dumps(off)), off)
    again = switch(off, True)
    assert same(again, RICH)
    assert switch(RICH, True) is RICH
    assert switch(off, False) is off


def test_new_norms_and_mlps_are_marked_and_change_little() -> None:
    bare = make_stack(1, norms=False, mlp=False)
    normed = stack_edits.with_norm(bare, "L1.attention_norm", True)
    gamma = normed.tensor("L1.attention_norm.gamma")
    assert gamma is not None
    assert gamma.tolist() == [1.0] * 6
    assert Cell("L1.attention_norm.beta", 0, 5) in normed.filled
    with_mlp = stack_edits.with_mlp(bare, 2, True)
    trace = run(with_mlp)
    positive = np.maximum(trace["L2.attention_residual"], 0.0)
    np.testing.assert_array_equal(trace["L2.mlp_out"], positive)
    assert len(with_mlp.filled) == 2 * 36 + 2 * 6
    with pytest.raises(UserError, match=r"layer\.norm_without_mlp"):
        stack_edits.with_norm(bare, "L1.mlp_norm", True)


def test_kinds_places_and_activations_are_chosen() -> None:
    rms = stack_edits.with_norms(STACK, 1, kind="rms", eps=0.5)
    norms = rms.layers[0].norm
    assert [(norm.kind, norm.eps, norm.beta) for norm in (norms.attention, norms.mlp) if norm] == [
        ("rms", 0.5, None)
    ] * 2
    assert "L2.mlp_norm.beta" in rms.inputs
    last_norm = stack_edits.with_norm_settings(STACK, "final_norm", kind="rms").final_norm
    assert last_norm is not None
    assert (last_norm.kind, last_norm.beta) == ("rms", None)
    post = stack_edits.with_norm_place(STACK, 1, "post")
    assert run(post).plan["L1.attention_norm"].reads == ("L1.attention_residual",)
    silu = stack_edits.with_mlp_settings(STACK, 2, activation="silu")
    assert silu.mlp("L2.mlp_active").activation == "silu"
    assert stack_edits.with_mlp_settings(silu, 2, activation="silu") is silu


def test_a_gate_starts_open_and_goes_with_its_marks() -> None:
    plain = make_stack(3)
    gated = stack_edits.with_gate(plain, 1, True)
    assert run(gated)["L1.mlp_gate"].tolist() == np.ones((4, 7)).tolist()
    assert len(gated.filled) == 6 * 7 + 7
    assert stack_edits.with_gate(gated, 1, False).filled == frozenset()


def test_a_head_borrows_and_gets_copies() -> None:
    document = make_stack(2)
    lent = stack_edits.with_lender(document, 1, 2, 1)
    trace = run(lent)
    np.testing.assert_array_equal(trace["L1.K"][2], trace["L1.K"][1])
    own = stack_edits.with_lender(lent, 1, 2, None)
    assert own.tensor("L1.W_K", 2) is document.tensor("L1.W_K", 1)
    np.testing.assert_array_equal(last(run(own)), last(run(lent)))
    chained = stack_edits.with_lender(lent, 1, 1, 0)
    assert [head.kv_from for head in chained.layers[0].heads] == [None, 0, 0]


def test_sampling_and_words_are_edits() -> None:
    warm = stack_edits.with_sampling(STACK, Sampling(2.0))
    logits = run(warm)["logits"] / 2.0
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    np.testing.assert_allclose(
        run(warm)["probabilities"], powers / powers.sum(axis=1, keepdims=True), rtol=1e-12
    )
    named = resize.with_tokens_named(STACK, "abcdefgh", "u")
    assert named.labels("u") == tuple("abcdefgh")
    assert stack_edits.with_output(STACK, None).inputs[-1] == "final_norm.beta"


# Sizes and order


@pytest.mark.parametrize("positional", ["none", "learned"])
def test_tokens_are_added_removed_and_ordered(positional: str) -> None:
    document = make_stack(4, mask="none", positional=positional).with_(pins=RICH.pins)
    added = resize.with_token_added(document, 1, "new")
    assert (added.n, added.stage_shape("L2.weights")) == (5, (3, 5, 5))
    assert [pin.index for pin in added.pins] == [(2, 2, 0), (2, 2), (1, 4, 0), (0, 7)]
    assert Cell("X", 1, 5) in added.filled
    back = resize.with_tokens_removed(added, [1])
    assert same(back.with_(positional=document.positional), document)
    order = [2, 0, 3, 1]
    turned = resize.with_tokens_ordered(make_stack(4, mask="none"), order)
    before = run(make_stack(4, mask="none"))
    for name in ("L1.Y", "L2.mlp_residual", "probabilities"):
        np.testing.assert_array_equal(run(turned)[name], before[name][order], err_msg=name)


def test_a_custom_mask_follows_the_tokens() -> None:
    allow = np.tril(np.ones((4, 4), dtype=bool))
    document = STACK.with_(mask=Mask("custom", allow=allow))
    removed = resize.with_tokens_removed(document, [0])
    assert removed.mask.allow is not None
    assert removed.mask.allow.tolist() == allow[1:, 1:].tolist()


def test_d_grows_in_every_tensor_and_shrinks_again() -> None:
    grown = resize.with_size(RICH, "d", 8)
    for name, head in every_tensor(grown):
        tensor = grown.tensor(name, head)
        assert tensor is not None
        for axis, size in zip(tensor_axes(name), tensor.shape, strict=True):
            assert size == {"d": 8, "o": 8}.get(axis, size)
    gamma = grown.tensor("L1.mlp_norm.gamma")
    assert gamma is not None
    assert gamma[6:].tolist() == [1.0, 1.0]
    assert Cell("L2.W_O", 0, 7) in grown.filled
    shrunk = resize.with_size(grown, "d", 6)
    assert shrunk.filled == frozenset()
    assert same(shrunk, RICH)


def test_the_width_of_one_mlp_changes_alone() -> None:
    wide = resize.with_mlp_width(RICH, 2, 10)
    assert wide.stage_shape("L2.mlp_active") == (4, 10)
    assert wide.layers[0] is RICH.layers[0]
    np.testing.assert_array_equal(run(wide)["L1.mlp_out"], run(RICH)["L1.mlp_out"])
    assert same(resize.with_mlp_width(wide, 2, 8), RICH)
    narrow = resize.with_mlp_width(RICH, 2, 2)
    assert [pin.stage for pin in narrow.pins] == ["L1.weights", "L2.heads", "logits"]
    with pytest.raises(UserError, match=r"size\.too_small"):
        resize.with_mlp_width(RICH, 1, 0)


def test_words_come_and_go() -> None:
    more = resize.with_token_added(RICH, 0, "first", "u")
    assert more.labels("u") == ("first", *(f"w{i}" for i in range(8)))
    assert more.pins[-1] == Pin("logits", (0, 8), 2.0)
    np.testing.assert_array_equal(run(more)["logits"][:, 1:], run(RICH)["logits"])
    assert same(resize.with_tokens_removed(more, [0], "u"), RICH)
    with pytest.raises(UserError, match=r"tokens\.last"):
        resize.with_tokens_removed(RICH, range(8), "u")


@pytest.mark.parametrize("axis", ["k", "v"])
def test_sizes_of_one_layer_change_alone(axis: str) -> None:
    size = RICH.scopes[1].sizes[axis]
    grown = stack_edits.in_layer(RICH, 2, lambda scope: resize.with_size(scope, axis, size + 1))
    assert grown.scopes[1].sizes[axis] == size + 1
    assert grown.layers[0] is RICH.layers[0]
    assert {mark.tensor.partition(".")[0] for mark in grown.filled} == {"L2"}
    assert same(
        stack_edits.in_layer(grown, 2, lambda scope: resize.with_size(scope, axis, size)), RICH
    )
    with pytest.raises(UserError, match=r"stack\.which_layer"):
        resize.with_size(RICH, axis, size + 1)


def test_heads_of_one_layer_are_added_moved_and_removed() -> None:
    added = stack_edits.in_layer(RICH, 1, resize.with_head_added)
    assert (added.scopes[0].h, added.scopes[1].h) == (4, 3)
    np.testing.assert_array_equal(run(added)["L1.weights"][:3], run(RICH)["L1.weights"])
    assert added.pins == RICH.pins
    assert same(
        stack_edits.in_layer(added, 1, lambda scope: resize.with_head_removed(scope, 3)), RICH
    )
    moved = stack_edits.in_layer(RICH, 1, lambda scope: resize.with_head_moved(scope, 0, 2))
    assert [head.kv_from for head in moved.layers[0].heads] == [None, 2, None]
    assert moved.pins[-1] == Pin("L1.weights", (1, 1, 0), 0.5)
    np.testing.assert_allclose(run(moved)["L1.Y"], run(RICH)["L1.Y"], rtol=1e-12)


def test_a_borrower_keeps_the_keys_of_a_lender_that_is_removed() -> None:
    removed = stack_edits.in_layer(STACK, 1, lambda scope: resize.with_head_removed(scope, 0))
    assert [head.kv_from for head in removed.layers[0].heads] == [None, None]
    np.testing.assert_array_equal(run(removed)["L1.heads"], run(STACK)["L1.heads"][1:])


def test_edits_of_attention_reach_one_layer() -> None:
    off = stack_edits.in_layer(STACK, 2, lambda scope: edits.with_head_enabled(scope, 1, False))
    assert [head.enabled for head in off.layers[1].heads] == [True, False, True]
    bare = stack_edits.in_layer(STACK, 1, lambda scope: edits.with_biases(scope, False))
    assert all(head.b_Q is None for head in bare.layers[0].heads)
    full = stack_edits.in_layer(bare, 1, lambda scope: edits.with_biases(scope, True))
    assert full.layers[0].heads[2].b_K is None
    assert Cell("L1.b_Q", 0, 0, 2) in full.filled
    with pytest.raises(UserError, match=r"layer\.width"):
        stack_edits.in_layer(STACK, 1, lambda scope: edits.with_output_projection(scope, False))


def test_layers_are_copied_moved_and_removed_with_their_pins() -> None:
    copied = stack_edits.with_layer_duplicated(RICH, 2)
    assert [pin.stage for pin in copied.pins if "mlp" in pin.stage] == [
        "L2.mlp_hidden",
        "L3.mlp_hidden",
    ]
    assert same(stack_edits.with_layer_removed(copied, 3).layers, RICH.layers)
    moved = stack_edits.with_layer_moved(RICH, 2, 1)
    assert moved.layers == (RICH.layers[1], RICH.layers[0])
    assert {pin.stage for pin in moved.pins} == {
        "L2.weights",
        "L1.mlp_hidden",
        "L1.heads",
        "logits",
    }
    with pytest.raises(UserError, match=r"layers\.last"):
        stack_edits.with_layer_removed(stack_edits.with_layer_removed(RICH, 1), 1)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_new_layer_changes_nothing_but_takes_part(at: int) -> None:
    added = stack_edits.with_layer_added(STACK, at)
    assert len(added.layers) == 3
    np.testing.assert_array_equal(last(run(added)), last(run(STACK)))
    assert {mark.tensor.partition(".")[0] for mark in added.filled} == {f"L{at}"}
    edited = edits.with_cell(added, Cell(f"L{at}.b_2", 0, 0), 1.0)
    assert not np.array_equal(last(run(edited)), last(run(STACK)))


def test_a_stack_takes_no_context() -> None:
    with pytest.raises(UserError, match=r"stack\.context"):
        resize.with_context(STACK)


def test_outputs_and_norms_are_replaced_as_wholes() -> None:
    output = Output(frozen(np.ones((6, 2))), ("yes", "no"))
    assert run(stack_edits.with_output(STACK, output))["probabilities"].tolist() == [[0.5, 0.5]] * 4
    plain = replace(STACK, final_norm=Norm("rms", 0.0))
    rows = run(plain)["final_norm"]
    np.testing.assert_allclose(np.square(rows).mean(axis=1), 1.0, rtol=1e-12)


def test_heads_of_one_layer_change_with_given_slopes() -> None:
    """Layers share the slopes: as many as the layer with the most heads needs."""
    slopes = frozen([1.0, 0.5, 0.25])
    document = make_stack(layers=2).with_(positional=Positional("alibi", slopes=slopes))
    edits: list[tuple[Callable[[Document], Document], list[float], int]] = [
        (resize.with_head_added, [1, 0.5, 0.25, 0], 4),
        (lambda scope: resize.with_head_removed(scope, 2), [1, 0.5, 0.25], 2),
        (lambda scope: resize.with_head_moved(scope, 0, 2), [1, 0.5, 0.25], 3),
    ]
    for edit, wanted, heads in edits:
        changed = stack_edits.in_layer(document, 2, edit)
        assert changed.positional.slopes is not None
        assert changed.positional.slopes.tolist() == wanted
        assert [len(layer.heads) for layer in changed.layers] == [3, heads]
        trace = run(changed)
        for layer, count in ((1, 3), (2, heads)):
            bias = trace[f"L{layer}.biased"] - trace[f"L{layer}.scaled"]
            for head in range(count):
                assert bias[head, 3, 1] == pytest.approx(-2 * wanted[head], abs=1e-12)


def test_slopes_go_with_the_layer_that_needed_them() -> None:
    document = make_stack(layers=2).with_(
        positional=Positional("alibi", slopes=frozen([1.0, 0.5, 0.25]))
    )
    document = stack_edits.in_layer(document, 1, resize.with_head_added)
    smaller = stack_edits.with_layer_removed(document, 1)
    assert smaller.positional.slopes is not None
    assert smaller.positional.slopes.tolist() == [1, 0.5, 0.25]
    both = stack_edits.in_layer(
        stack_edits.in_layer(document, 1, lambda scope: resize.with_head_removed(scope, 3)),
        2,
        lambda scope: resize.with_head_removed(scope, 2),
    )
    assert both.positional.slopes is not None
    assert both.positional.slopes.tolist() == [1, 0.5, 0.25]
    assert np.isfinite(run(both)["L2.weights"]).all()


def test_slopes_of_alibi_follow_the_heads_of_an_only_layer() -> None:
    document = make_stack(layers=1).with_(positional=Positional("alibi", slopes=frozen([1, 2, 4])))
    edits: list[tuple[Callable[[Document], Document], list[float]]] = [
        (resize.with_head_added, [1, 2, 4, 0]),
        (lambda scope: resize.with_head_removed(scope, 1), [1, 4]),
        (lambda scope: resize.with_head_moved(scope, 0, 2), [2, 4, 1]),
        (lambda scope: resize.with_head_duplicated(scope, 0), [1, 1, 2, 4]),
    ]
    for edit, slopes in edits:
        changed = stack_edits.in_layer(document, 1, edit)
        assert changed.positional.slopes is not None
        assert changed.positional.slopes.tolist() == slopes
        assert len(changed.layers[0].heads) == len(slopes)
