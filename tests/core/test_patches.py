"""Projections of which only some rows are multiplied anew, against runs from nothing, to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arithmetic import incremental as patches
from core.arithmetic import stable_sum as sums
from core.arithmetic.incremental import BLOCK, patched, worth_patching
from core.arithmetic.stable_sum import products
from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.compute.trace import Trace, run
from core.document import edits
from core.document.document import Document
from tests.core.documents import make

# Neither n nor m is a multiple of the block.
SIZES = {"n": 110, "d": 10, "h": 3, "k": 4, "v": 5}
M = 101
ONE_HEAD = {**SIZES, "h": 1}

EXPERIMENTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "one head": {"sizes": ONE_HEAD, "output": True},
    "all parts": {
        "positional": "alibi",
        "mask": "causal",
        "biases": True,
        "output": True,
        "off": (1,),
    },
    "rotary": {"positional": "rotary", "mask": "window", "output": True},
    "sinusoidal": {"positional": "sinusoidal", "mask": "custom", "biases": True},
    "context": {"context": M, "positional": "learned", "output": True},
    "pins": {"pins": 12, "mask": "causal", "base": "2"},
}
EDITS: dict[str, Callable[[Array], None]] = {
    "first row": lambda X: X[0].fill(0.25),
    "last row": lambda X: X[-1].fill(-1.5),
    "one cell": lambda X: X.__setitem__((40, 7), 3.0),
    "a row that outdoes every other": lambda X: np.multiply(X[60], 50.0, out=X[60]),
    "zeros": lambda X: X[33].fill(0.0),
    "negative zeros": lambda X: X[33].fill(-0.0),
    "rows in one block": lambda X: X[50:60].fill(2.0),
    "rows in two blocks": lambda X: X[BLOCK - 1 : BLOCK + 1].fill(2.0),
    "more than is worth it": lambda X: X[::10].fill(1.0),
    "beyond every number": lambda X: X[70].fill(1e308),
}


@pytest.fixture(autouse=True)
def _every_size(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The library multiplies everything, and no product is too small for a part; what is found out is not kept."""
    monkeypatch.setattr(patches, "LEAST", 1)
    monkeypatch.setattr(patches, "COLUMNS", 1)
    monkeypatch.setattr(sums, "SMALL_PRODUCT", 0)
    patches._alone.cache_clear()
    yield
    patches._alone.cache_clear()


def changed(
    document: Document, edit: Callable[[Array], None], *, context: bool = False
) -> Document:
    X = np.array(document.tensor("X_context" if context else "X"))
    edit(X)
    if not context:
        return document.with_(X=frozen(X))
    assert document.context is not None
    return document.with_(context=replace(document.context, X=frozen(X)))


def require_same(a: Trace, b: Trace) -> None:
    assert list(a) == list(b)
    for stage in a:
        assert a[stage].tobytes() == b[stage].tobytes(), stage


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_a_run_after_an_edit_of_rows_is_the_same_to_the_last_bit(
    experiment: str, edit: str
) -> None:
    document = make(**{"sizes": SIZES, **EXPERIMENTS[experiment]})
    other = changed(document, EDITS[edit])
    first, fresh = run(document), run(other)
    require_same(run(other, first), fresh)
    require_same(run(document, run(other, first)), first)


@pytest.mark.parametrize("edit", EDITS)
def test_rows_of_a_context(edit: str) -> None:
    document = make(sizes=SIZES, context=M, positional="sinusoidal", biases=True)
    other = changed(document, EDITS[edit], context=True)
    first = run(document)
    after = run(other, first)
    require_same(after, run(other))
    assert after["Q"] is first["Q"]


@settings(max_examples=20)  # of a hundred tokens each
@given(
    st.lists(
        st.tuples(
            st.integers(0, 109), st.integers(0, 9), st.sampled_from([0.0, -0.0, 2.5, -1e200])
        ),
        max_size=5,
    )
)
def test_one_edit_after_another_and_all_of_them_undone(cells: list[tuple[int, int, float]]) -> None:
    documents = [make(sizes=SIZES, output=True)]
    traces = [run(documents[0])]
    for row, column, value in cells:
        documents.append(edits.with_cell(documents[-1], Cell("X", row, column), value))
        traces.append(run(documents[-1], traces[-1]))
    require_same(traces[-1], run(documents[-1]))
    back = traces[-1]
    for document, trace in zip(documents[::-1], traces[::-1], strict=True):
        back = run(document, back)
        require_same(back, trace)


def test_a_pin_that_comes_or_goes_with_the_edit() -> None:
    document = make(sizes=SIZES)
    pinned = edits.with_pin(document, Cell("K", 20, 3, 1), 5.0)
    other = changed(pinned, EDITS["one cell"])
    require_same(run(other, run(document)), run(other))
    require_same(run(document, run(other)), run(document))
    require_same(run(other, run(pinned)), run(other))


# What is multiplied.


def asked(now: Array, before: Array, result: Array) -> tuple[Array | None, list[int]]:
    """What is patched by a projection that gives 7 everywhere, and how many rows it was given each time."""
    rows: list[int] = []

    def project(part: Array) -> Array:
        rows.append(len(part))
        return np.full((result.shape[0], len(part), result.shape[2]), 7.0)

    return patched(project, now, before, result), rows


def test_only_blocks_that_differ_are_multiplied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        patches, "products", lambda A, factors: np.zeros((len(factors), len(A), 4))
    )  # never rounds
    before, result = np.ones((110, 10)), np.arange(3 * 110 * 4, dtype=float).reshape(3, 110, 4)
    kept = result.copy()
    for row, block in ((0, slice(0, 48)), (95, slice(48, 96)), (109, slice(96, 110))):
        now = before.copy()
        now[row, 4] = 2.0
        got, rows = asked(now, before, result)
        assert got is not None
        assert rows == [block.stop - block.start]
        assert (got[:, block] == 7.0).all()
        assert (np.delete(got, block, axis=1) == np.delete(kept, block, axis=1)).all()
        assert (result == kept).all()


def test_zero_with_another_sign_differs() -> None:
    before, result = np.zeros((110, 10)), np.zeros((3, 110, 4))
    now = before.copy()
    now[60, 5] = -0.0
    assert asked(now, before, result)[1] == [BLOCK]
    assert asked(before.copy(), before, result)[1] == []


@pytest.mark.parametrize("rows", [slice(0, 60), slice(40, 50), slice(None)])
def test_where_most_differs_the_whole_is_left_to_others(rows: slice) -> None:
    before, result = np.ones((110, 10)), np.zeros((3, 110, 4))
    now = before.copy()
    now[rows] = 2.0
    assert asked(now, before, result) == (None, [])


def test_another_number_of_rows_is_left_to_others() -> None:
    before, result = np.ones((110, 10)), np.zeros((3, 110, 4))
    assert asked(np.ones((111, 10)), before, result) == (None, [])


def test_what_is_small_is_not_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patches, "LEAST", 3 * 110 * 10 * 4)
    assert worth_patching(np.ones((110, 10)), np.ones((3, 110, 4)))
    assert not worth_patching(np.ones((110, 10)), np.ones((3, 110, 3)))
    monkeypatch.setattr(patches, "COLUMNS", 13)
    assert not worth_patching(np.ones((110, 10)), np.ones((3, 110, 4)))


def test_a_run_multiplies_no_more_than_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    document = make(sizes=SIZES, biases=True)
    first = run(document)
    other = changed(document, EDITS["one cell"])
    run(other, first)  # what is found out about the library is known from here on
    sizes: list[int] = []

    def counted(A: Array, factors: Any) -> Array:
        sizes.append(len(A))
        return products(A, factors)

    monkeypatch.setattr("core.stages.project.products", counted)
    run(other, first)
    assert sizes == [BLOCK, BLOCK, BLOCK]


def test_a_library_that_rounds_a_block_alone_in_another_way_multiplies_the_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def rounding_last_rows(A: Array, factors: Any) -> Array:
        made = np.stack([A @ factor for factor in factors])
        made[:, -1] = np.nextafter(made[:, -1], np.inf)
        return made

    before, result = np.ones((110, 10)), np.zeros((3, 110, 4))
    monkeypatch.setattr(patches, "products", rounding_last_rows)
    now = before.copy()
    now[4, 4] = 2.0
    assert asked(now, before, result) == (None, [])
    now[4, 4], now[105, 4] = 1.0, 2.0  # the last block's last row is the last of the whole
    assert asked(now, before, result)[1] == [110 - 2 * BLOCK]


@pytest.mark.parametrize("row", [49, 55, 56, 94])
def test_a_library_that_rounds_a_single_row_in_another_way_is_found_out(
    monkeypatch: pytest.MonkeyPatch, row: int
) -> None:
    def rounding_a_row(A: Array, factors: Any) -> Array:
        made = np.stack([A @ factor for factor in factors])
        if len(A) > BLOCK:
            made[:, row] = np.nextafter(made[:, row], np.inf)
        return made

    before, result = np.ones((110, 10)), np.zeros((3, 110, 4))
    monkeypatch.setattr(patches, "products", rounding_a_row)
    now = before.copy()
    now[60, 4] = 2.0
    assert asked(now, before, result) == (None, [])


def test_a_library_that_gives_zero_another_sign_is_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def starting_from_zero(A: Array, factors: Any) -> Array:
        made = np.stack([A @ factor for factor in factors])
        return made + 0.0 if len(A) > BLOCK else np.where(made == 0.0, -0.0, made)

    monkeypatch.setattr(patches, "products", starting_from_zero)
    before, result = np.ones((110, 10)), np.zeros((3, 110, 4))
    now = before.copy()
    now[4, 4] = 2.0
    assert asked(now, before, result) == (None, [])


def test_a_size_that_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As large as it must be, and as multiplications go at that size."""
    monkeypatch.undo()
    document = make(sizes={"n": 310, "d": 161, "h": 6, "k": 117, "v": 115})
    assert 310 * 161 * 6 * 115 > patches.LEAST
    first = run(document)
    for edit in ("first row", "last row", "negative zeros"):
        other = changed(document, EDITS[edit])
        require_same(run(other, first), run(other))
