"""Sizes and order: numbers that exist stay with their token, head and column; new ones are 0 and marked, and only they.

Every number is followed by labels (the token's name, the head's name, the column's number) instead of by index, so
that the tests share no index arithmetic with the code.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.cell import Cell
from core.base.errors import UserError
from core.compute.trace import run
from core.document import edits, resize
from core.document.document import HEAD_TENSORS, SHARED_TENSORS, Document, Pin, Positional
from core.document.parts import STAGE_AXES
from tests.core.documents import documents, make

Label = tuple[Hashable, ...]


def axis_labels(document: Document, axis: str, tensor: str) -> list[Hashable]:
    """What the places of an axis are called."""
    joined: list[Hashable] = [(head.name, j) for head in document.heads for j in range(document.v)]
    if axis == "n":
        return (
            list(range(document.n)) if tensor == "P" else list(document.tokens)
        )  # rows of P belong to places
    if axis == "m":
        return list(range(document.m)) if tensor == "P_context" else list(document.key_tokens)
    if axis == "h":
        return [head.name for head in document.heads]
    if axis == "c" or (axis == "o" and document.W_O is None):
        return joined
    return [(axis, place) for place in range(document.sizes[axis])]


def places(document: Document, tensor: str, axes: tuple[str, ...]) -> dict[Label, tuple[int, ...]]:
    found: dict[Label, tuple[int, ...]] = {(tensor,): ()}
    for axis in axes:
        names = axis_labels(document, axis, tensor)
        found = {
            (*label, name): (*index, i)
            for label, index in found.items()
            for i, name in enumerate(names)
        }
    return found


def numbers(document: Document) -> dict[Label, float]:
    """Every entered number by its label."""
    found: dict[Label, float] = {}
    for name, axes in SHARED_TENSORS.items():
        tensor = document.tensor(name)
        if tensor is not None:
            found |= {
                label: float(tensor[index]) for label, index in places(document, name, axes).items()
            }
    for head, given_head in enumerate(document.heads):
        for name, axes in HEAD_TENSORS.items():
            tensor = document.tensor(name, head)
            if tensor is not None:
                labels = places(document, name, axes)
                found |= {
                    (given_head.name, *label): float(tensor[index])
                    for label, index in labels.items()
                }
    return found


def marks(document: Document) -> set[Label]:
    """The labels of the marked numbers."""
    found: set[Label] = set()
    for tensor in {cell.tensor for cell in document.filled}:
        axes = HEAD_TENSORS.get(tensor) or SHARED_TENSORS[tensor]
        by_index = {index: label for label, index in places(document, tensor, axes).items()}
        for cell in (cell for cell in document.filled if cell.tensor == tensor):
            label = by_index[(cell.row, cell.column) if len(axes) == 2 else (cell.column,)]
            found.add((document.heads[cell.head].name, *label) if tensor in HEAD_TENSORS else label)
    return found


def pins(document: Document) -> dict[Label, float]:
    found = {}
    for stage in {pin.stage for pin in document.pins}:
        by_index = {
            index: label for label, index in places(document, stage, STAGE_AXES[stage]).items()
        }
        found |= {by_index[pin.index]: pin.value for pin in document.pins if pin.stage == stage}
    return found


def pairs(document: Document) -> dict[Label, bool]:
    allow = document.mask.allow
    return (
        {}
        if allow is None
        else {k: bool(allow[i]) for k, i in places(document, "allow", ("n", "m")).items()}
    )


def check(before: Document, after: Document) -> None:
    """What both have is as it was, mark included; what is new is 0 or 1 (a new head's diagonal) and marked."""
    old, new, marked = numbers(before), numbers(after), marks(before)
    for label, value in new.items():
        if label in old:
            assert value == old[label], label
        else:
            assert value in (0.0, 1.0), label
    assert marks(after) == {label for label in new if label not in old or label in marked}
    pinned = {pin.stage for pin in before.pins}
    labels = {label for stage in pinned for label in places(after, stage, STAGE_AXES[stage])}
    assert pins(after) == {label: value for label, value in pins(before).items() if label in labels}
    allowed = pairs(before)
    assert pairs(after) == {label: allowed.get(label, True) for label in pairs(after)}
    trace = run(after)
    for stage in trace:
        assert trace[stage].shape == after.stage_shape(stage)


def rich(**changes: Any) -> Document:
    """Everything on: learned P, custom mask, biases, W_O, pins on several stages."""
    settings: dict[str, Any] = {
        "positional": "learned",
        "mask": "custom",
        "biases": True,
        "output": True,
        "pins": 12,
    }
    return make(5, **settings | changes)


OPERATIONS: dict[str, Callable[[Document], Document]] = {
    "token added in the middle": lambda d: resize.with_token_added(d, 2, "new"),
    "token added in front": lambda d: resize.with_token_added(d, 0, "new"),
    "token added at the end": lambda d: resize.with_token_added(d, d.n, "new"),
    "tokens added in one go": lambda d: resize.with_tokens_added(d, 2, ("new", "newer", "newest")),
    "token removed": lambda d: resize.with_tokens_removed(d, [1]),
    "token moved back": lambda d: resize.with_token_moved(d, 0, 3),
    "token moved ahead": lambda d: resize.with_token_moved(d, 4, 1),
    "tokens reversed": lambda d: resize.with_tokens_ordered(d, range(d.n)[::-1]),
    "d wider": lambda d: resize.with_size(d, "d", d.d + 2),
    "d narrower": lambda d: resize.with_size(d, "d", 1),
    "k wider": lambda d: resize.with_size(d, "k", 5),
    "k narrower": lambda d: resize.with_size(d, "k", 1),
    "v wider": lambda d: resize.with_size(d, "v", d.v + 3),
    "v narrower": lambda d: resize.with_size(d, "v", 1),
    "head added": lambda d: edits.with_head_name(resize.with_head_added(d), d.h, "new"),
    "head removed": lambda d: resize.with_head_removed(d, 1),
    "head moved back": lambda d: resize.with_head_moved(d, 0, 2),
    "head moved ahead": lambda d: resize.with_head_moved(d, 2, 0),
}
DOCUMENTS = {
    "everything on": rich(),
    "without W_O": rich(output=False),
    "sinusoidal": rich(positional="sinusoidal"),
    "entered queries": rich(source="qkv", positional="alibi", biases=False, slopes=True),
    "entered queries without W_O": rich(
        source="qkv", positional="none", biases=False, output=False
    ),
}


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_numbers_that_exist_stay(operation: str, kind: str) -> None:
    before = DOCUMENTS[kind]
    if operation.startswith("d ") and kind == "entered queries without W_O":
        with pytest.raises(UserError, match=r"size\.no_d"):
            OPERATIONS[operation](before)
        return
    after = OPERATIONS[operation](before)
    check(before, after)


def test_each_size_becomes_what_was_asked_for() -> None:
    for axis, size in (("d", 9), ("k", 5), ("v", 1)):
        changed = resize.with_size(rich(), axis, size)
        assert changed.sizes[axis] == size
        assert {a: s for a, s in changed.sizes.items() if a in "ndhkv" and a != axis} == {
            a: s for a, s in rich().sizes.items() if a in "ndhkv" and a != axis
        }


def test_a_learned_encoding_stays_at_its_places() -> None:
    before = rich()
    assert before.positional.P is not None
    for after in (
        resize.with_token_moved(before, 0, 3),
        resize.with_tokens_ordered(before, [4, 3, 2, 1, 0]),
    ):
        assert after.positional.P is not None
        assert (after.positional.P == before.positional.P).all()
    longer = resize.with_token_added(before, 1, "new")
    assert longer.positional.P is not None
    assert (longer.positional.P[:5] == before.positional.P).all()
    assert (longer.positional.P[5] == 0).all()
    assert {cell for cell in longer.filled if cell.tensor == "P"} == {
        Cell("P", 5, column) for column in range(6)
    }
    assert {cell for cell in longer.filled if cell.tensor == "X"} == {
        Cell("X", 1, column) for column in range(6)
    }
    shorter = resize.with_tokens_removed(before, [1])
    assert shorter.positional.P is not None
    assert (shorter.positional.P == before.positional.P[:4]).all()


def test_many_tokens_at_once_are_what_they_are_one_by_one() -> None:
    before = rich()
    at_once = resize.with_tokens_added(before, 2, ("a", "b", "c"))
    one_by_one = before
    for place, token in enumerate("abc", 2):
        one_by_one = resize.with_token_added(one_by_one, place, token)
    assert (
        at_once.tokens
        == one_by_one.tokens
        == (*before.tokens[:2], "a", "b", "c", *before.tokens[2:])
    )
    assert at_once.filled == one_by_one.filled
    assert set(at_once.pins) == set(one_by_one.pins)
    assert at_once.X is not None
    assert one_by_one.X is not None
    assert np.array_equal(at_once.X, one_by_one.X)
    assert at_once.mask.allow is not None
    assert one_by_one.mask.allow is not None
    assert np.array_equal(at_once.mask.allow, one_by_one.mask.allow)
    assert resize.with_tokens_added(before, 2, ()) is before


def test_a_pin_on_the_positions_stays_at_its_place() -> None:
    document = make(positional="sinusoidal").with_(
        pins=(Pin("P", (1, 2), 0.5), Pin("X", (1, 2), 0.25))
    )
    after = resize.with_token_added(document, 0, "new")
    assert set(after.pins) == {Pin("P", (1, 2), 0.5), Pin("X", (2, 2), 0.25)}


def test_a_learned_encoding_that_rests_is_resized_too() -> None:
    resting = edits.with_positional(rich(), Positional("none"))
    after = resize.with_size(resize.with_token_added(resting, 0, "new"), "d", 8)
    assert after.positional.P is not None
    assert after.positional.P.shape == (6, 8)
    again = edits.with_positional(after, Positional("learned"))
    assert {cell for cell in again.filled if cell.tensor == "P"} == {
        Cell("P", row, column) for row in range(6) for column in range(8) if row == 5 or column >= 6
    }


def test_a_duplicated_head_gives_the_same_head_twice() -> None:
    before = rich()
    after = resize.with_head_duplicated(before, 1)
    assert [head.name for head in after.heads] == ["head 0", "head 1", "head 1", "head 2"]
    trace = run(after.with_(pins=()))
    assert (trace["heads"][1] == trace["heads"][2]).all()
    assert after.W_O is not None
    assert before.W_O is not None
    assert (after.W_O == np.concatenate([before.W_O[:8], before.W_O[4:8], before.W_O[8:]])).all()
    copies = [pin for pin in after.pins if len(pin.index) == 3 and pin.index[0] in (1, 2)]
    assert len(copies) == 2 * len(
        [pin for pin in before.pins if len(pin.index) == 3 and pin.index[0] == 1]
    )


def test_a_new_head_passes_its_input_on() -> None:
    after = resize.with_head_added(make(biases=True, output=True))
    new = after.heads[3]
    assert new.enabled
    assert new.W_Q is not None
    assert new.W_V is not None
    assert new.b_V is not None
    assert (new.W_Q == np.eye(6, 2)).all()
    assert (new.W_V == np.eye(6, 4)).all()
    assert (new.b_V == 0).all()
    assert after.W_O is not None
    assert (after.W_O[12:] == 0).all()
    assert len(after.filled) == 6 * 2 * 2 + 6 * 4 + 2 + 2 + 4 + 4 * 6


def test_marks_go_when_the_number_is_typed() -> None:
    document = resize.with_token_added(make(), 1, "new")
    typed = edits.with_cell(document, Cell("X", 1, 2), 0.5)
    assert document.filled - typed.filled == {Cell("X", 1, 2)}
    confirmed = edits.with_cell(document, Cell("X", 1, 3), 0.0)
    assert document.filled - confirmed.filled == {Cell("X", 1, 3)}


def test_nothing_changed_is_the_same_object() -> None:
    document = rich()
    assert resize.with_size(document, "d", 6) is document
    assert resize.with_token_moved(document, 2, 2) is document
    assert resize.with_tokens_ordered(document, range(5)) is document
    assert resize.with_head_moved(document, 1, 1) is document
    assert resize.with_token_named(document, 1, document.tokens[1]) is document
    assert edits.with_cell(document, Cell("X", 1, 2), float(document.X[1, 2])) is document


def test_untouched_tensors_are_the_same_arrays() -> None:
    before = rich()
    after = resize.with_token_added(before, 2, "new")
    assert after.W_O is before.W_O
    assert all(
        a.W_Q is b.W_Q and a.b_V is b.b_V for a, b in zip(after.heads, before.heads, strict=True)
    )
    wider = resize.with_size(before, "v", 5)
    assert wider.X is before.X
    assert wider.heads[0].W_K is before.heads[0].W_K


def test_what_cannot_be_removed() -> None:
    one = make(sizes={"n": 1, "d": 2, "h": 1, "k": 1, "v": 1})
    for operation, code in (
        (lambda: resize.with_tokens_removed(one, [0]), "tokens.last"),
        (lambda: resize.with_head_removed(one, 0), "heads.last"),
        (lambda: resize.with_size(one, "k", 0), "size.too_small"),
    ):
        with pytest.raises(UserError) as caught:
            operation()
        assert caught.value.code == code


@given(documents(any_size=True, max_pins=6), st.data())
@settings(max_examples=60)
def test_any_sequence_of_changes(document: Document, data: st.DataObject) -> None:
    for step in range(data.draw(st.integers(1, 6))):
        before = document
        try:
            document = any_change(document, data, f"new {step}")
        except UserError:
            continue
        check(before, document)


def any_change(document: Document, data: st.DataObject, name: str) -> Document:
    token, head = st.integers(0, document.n - 1), st.integers(0, document.h - 1)
    changes: dict[str, Callable[[], Document]] = {
        "add": lambda: resize.with_token_added(
            document, data.draw(st.integers(0, document.n)), name
        ),
        "remove": lambda: resize.with_tokens_removed(document, [data.draw(token)]),
        "move": lambda: resize.with_token_moved(document, data.draw(token), data.draw(token)),
        "order": lambda: resize.with_tokens_ordered(
            document, data.draw(st.permutations(range(document.n)))
        ),
        "size": lambda: resize.with_size(
            document, data.draw(st.sampled_from("dkv")), data.draw(st.integers(0, 6))
        ),
        "head": lambda: edits.with_head_name(resize.with_head_added(document), document.h, name),
        "no head": lambda: resize.with_head_removed(document, data.draw(head)),
        "move head": lambda: resize.with_head_moved(document, data.draw(head), data.draw(head)),
    }
    return changes[data.draw(st.sampled_from(sorted(changes)))]()
