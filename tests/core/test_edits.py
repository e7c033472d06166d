"""Edits are pure: a new document with one thing changed, or the very same one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from core.base.arrays import frozen
from core.base.cell import Cell
from core.base.errors import UserError
from core.document import edits
from core.document.document import Document, Mask, Pin, Positional, Scale
from tests.core.documents import make

DOCUMENT = make(biases=True, output=True, mask="causal", positional="learned", pins=2)
SAME: dict[str, Callable[[Document], Document]] = {
    "cell": lambda d: edits.with_cell(d, Cell("W_K", 5, 1, 2), float(d.heads[2].W_K[5, 1])),
    "tensor": lambda d: edits.with_tensor(d, "W_O", np.array(d.W_O)),
    "head on": lambda d: edits.with_head_enabled(d, 1, True),
    "head name": lambda d: edits.with_head_name(d, 1, "head 1"),
    "title": lambda d: edits.with_title(d, ""),
    "biases": lambda d: edits.with_biases(d, True),
    "output": lambda d: edits.with_output_projection(d, True),
    "output bias": lambda d: edits.with_output_bias(d, True),
    "positions": lambda d: edits.with_positional(d, Positional("learned")),
    "mask": lambda d: edits.with_mask(d, Mask("causal")),
    "scale": lambda d: edits.with_scale(d, Scale()),
    "pin": lambda d: edits.with_pin(d, d.pins[0].cell, d.pins[0].value),
    "no pin": lambda d: edits.without_pins_of(d, [Cell("Q", 0, 0)]),
}


@pytest.mark.parametrize("edit", SAME)
def test_nothing_changed_is_the_very_same_document(edit: str) -> None:
    assert SAME[edit](DOCUMENT) is DOCUMENT


CELLS = [
    Cell("X", 2, 3),
    Cell("W_Q", 5, 1, 2),
    Cell("b_V", 0, 3, 1),
    Cell("P", 4, 5),
    Cell("W_O", 11, 5),
    Cell("b_O", 0, 5),
]


@pytest.mark.parametrize("cell", CELLS)
def test_one_cell_changes_one_number(cell: Cell) -> None:
    after = edits.with_cell(DOCUMENT, cell, 7.5)
    for name in DOCUMENT.inputs:
        for head in range(3):
            old, new = DOCUMENT.tensor(name, head), after.tensor(name, head)
            if name == cell.tensor and (head == cell.head or name in ("X", "P", "W_O", "b_O")):
                changed = np.argwhere(old != new)
                assert changed.tolist() == [
                    [cell.row, cell.column] if old.ndim == 2 else [cell.column]
                ]
                assert new[tuple(changed[0])] == 7.5
            else:
                assert new is old


def test_negative_zero_is_another_number_than_zero() -> None:
    zero = edits.with_cell(DOCUMENT, Cell("X", 0, 0), 0.0)
    negative = edits.with_cell(zero, Cell("X", 0, 0), -0.0)
    assert negative is not zero
    assert np.signbit(negative.X[0, 0])


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_refused_with_the_place(value: float) -> None:
    with pytest.raises(UserError) as caught:
        edits.with_cell(DOCUMENT, Cell("W_V", 4, 3, 1), value)
    assert caught.value.code == "not_finite"
    assert (caught.value.data["name"], caught.value.data["index"]) == ("heads[1].W_V", (4, 3))


def test_a_tensor_that_is_not_there_is_refused() -> None:
    with pytest.raises(UserError, match=r"tensor\.absent"):
        edits.with_cell(make(), Cell("b_Q", 0, 0), 1.0)


def test_biases_come_as_marked_zeros_and_go_with_their_marks() -> None:
    before = make()
    on = edits.with_biases(before, True)
    assert all((head.b_Q == 0).all() and head.b_V.shape == (4,) for head in on.heads)
    assert len(on.filled) == 3 * (2 + 2 + 4)
    off = edits.with_biases(on, False)
    assert all(head.b_Q is None for head in off.heads)
    assert off.filled == frozenset()
    with pytest.raises(UserError, match=r"bias\.needs_weights"):
        edits.with_biases(make(source="qkv"), True)


def test_output_projection_comes_as_the_identity_and_goes_with_its_bias() -> None:
    on = edits.with_output_bias(edits.with_output_projection(make(), True), True)
    assert (on.W_O == np.eye(12, 6)).all()
    assert (on.b_O == 0).all()
    assert len(on.filled) == 12 * 6 + 6
    off = edits.with_output_projection(on, False)
    assert (off.W_O, off.b_O, off.filled) == (None, None, frozenset())


def test_a_pasted_block_unmarks_what_differs() -> None:
    on = edits.with_output_projection(make(), True)
    pasted = np.array(on.W_O)
    pasted[3, 4] = 2.0
    after = edits.with_tensor(on, "W_O", pasted)
    assert on.filled - after.filled == {Cell("W_O", 3, 4)}


def test_a_learned_encoding_rests_while_another_is_chosen() -> None:
    first = edits.with_positional(make(), Positional("learned"))
    assert (first.positional.P == 0).all()
    assert len(first.filled) == 30
    typed = edits.with_cell(first, Cell("P", 1, 2), 0.5)
    away = edits.with_positional(typed, Positional("sinusoidal", base=100.0))
    back = edits.with_positional(away, Positional("learned"))
    assert back.positional.P is typed.positional.P
    assert back.filled == typed.filled
    with pytest.raises(UserError, match=r"positional\.needs_embeddings"):
        edits.with_positional(make(source="qkv"), Positional("learned"))


@pytest.mark.parametrize(
    ("mask", "count"), [(Mask("none"), 25), (Mask("causal"), 15), (Mask("window", 1, 0), 9)]
)
def test_a_custom_mask_starts_from_what_was_allowed(mask: Mask, count: int) -> None:
    document = edits.with_mask(make(), mask)
    assert edits.allowed(document).sum() == count
    custom = edits.with_mask(document, Mask("custom"))
    assert (edits.allowed(custom) == edits.allowed(document)).all()


def test_switching_one_pair_makes_the_mask_custom() -> None:
    document = edits.with_mask(make(), Mask("causal"))
    after = edits.with_allowed(document, 1, 3, True)
    assert after.mask.kind == "custom"
    assert np.argwhere(edits.allowed(after) != edits.allowed(document)).tolist() == [[1, 3]]
    assert edits.with_allowed(after, 1, 3, True) is after


def test_a_reach_beyond_all_integers_is_as_good_as_none() -> None:
    document = edits.with_mask(make(), Mask("window", 10**30, 0))
    assert (edits.allowed(document) == edits.allowed(edits.with_mask(make(), Mask("causal")))).all()


def test_a_pin_replaces_the_one_at_the_same_cell() -> None:
    first = edits.with_pin(make(), Cell("weights", 2, 1, 1), 0.5)
    second = edits.with_pin(
        edits.with_pin(first, Cell("Y", 2, 1), 3.0), Cell("weights", 2, 1, 1), 0.25
    )
    assert set(second.pins) == {Pin("weights", (1, 2, 1), 0.25), Pin("Y", (2, 1), 3.0)}
    assert edits.without_pins_of(second, [Cell("Y", 2, 1)]).pins == (
        Pin("weights", (1, 2, 1), 0.25),
    )
    assert edits.without_pins(second).pins == ()


def test_documents_are_never_changed_in_place() -> None:
    before = np.array(DOCUMENT.X)
    edits.with_cell(DOCUMENT, Cell("X", 0, 0), 99.0)
    assert (DOCUMENT.X == before).all()
    with pytest.raises(ValueError, match="read-only"):
        DOCUMENT.X[0, 0] = 1.0
    assert frozen(DOCUMENT.X) is DOCUMENT.X


@pytest.mark.parametrize(("h", "slopes"), [(1, [0.5]), (3, None)])
def test_alibi_of_a_single_head_starts_at_a_slope_that_can_be_seen(
    h: int, slopes: list[float] | None
) -> None:
    document = make(2, sizes={"n": 5, "d": 6, "h": h, "k": 2, "v": 4})
    chosen = edits.with_positional_kind(document, "alibi")
    found = chosen.positional.slopes
    assert (None if found is None else found.tolist()) == slopes
    own = edits.with_positional(chosen, Positional("alibi", slopes=np.full(h, 0.1)))
    away = edits.with_positional_kind(own, "none")
    assert edits.with_positional_kind(away, "alibi").positional.slopes.tolist() == [0.1] * h
