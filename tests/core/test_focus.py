"""The focused cell is always one that the experiment has."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import HEAD_TENSORS, Document
from core.document.parts import STAGE_AXES
from core.explain import timeline as focus
from tests.core.documents import documents, make

EVERYTHING = sorted({*STAGE_AXES, *HEAD_TENSORS, "X", "P", "W_O", "b_O", "X_context", "P_context"})


@given(
    documents(),
    st.sampled_from(EVERYTHING),
    st.integers(-1, 7),
    st.integers(-1, 7),
    st.integers(-1, 4),
)
def test_a_cell_exists_where_its_number_can_be_read(
    document: Document, tensor: str, row: int, column: int, head: int
) -> None:
    trace, cell = run(document), Cell(tensor, row, column, head)
    inside = min(row, column, head) >= 0 and head < document.h
    if tensor in trace:
        shape = trace.matrix(tensor, 0).shape
        assert focus.exists(document, cell) == (inside and row < shape[0] and column < shape[1])
    elif tensor in document.inputs:
        array = next(
            array
            for head in range(document.h)
            if (array := document.tensor(tensor, head)) is not None
        )
        height, width = array.shape if array.ndim == 2 else (1, array.shape[0])
        assert focus.exists(document, cell) == (inside and row < height and column < width)
    else:
        assert not focus.exists(document, cell)


@given(documents(), documents(), st.data())
def test_the_focus_stays_or_goes_where_something_is(
    before: Document, after: Document, data: st.DataObject
) -> None:
    trace = run(before)
    tensor = data.draw(st.sampled_from([*trace, *before.inputs]))
    rows, columns = focus.shape_of(before, tensor)
    cell = Cell(
        tensor, *(data.draw(st.integers(0, size - 1)) for size in (rows, columns, before.h))
    )
    otherwise = Cell("scores", 0, 0)
    kept = focus.surviving_focus(after, cell, otherwise)
    assert focus.exists(after, kept)
    if focus.exists(after, cell):
        assert kept == cell


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [("W_Q", True), ("b_V", True), ("scores", True), ("X", False), ("Y", False)],
)
def test_what_has_a_matrix_for_each_head(tensor: str, expected: bool) -> None:
    assert focus.has_heads(tensor) is expected


def test_a_smaller_experiment_keeps_the_focus_inside() -> None:
    large, small = (
        make(sizes={"n": 5, "d": 6, "h": 3, "k": 2, "v": 4}),
        make(sizes={"n": 2, "d": 6, "h": 1, "k": 2, "v": 4}),
    )
    cell = Cell("scores", 4, 3, 2)
    assert focus.exists(large, cell)
    assert focus.surviving_focus(small, cell, replace(cell, row=0)) == Cell("scores", 1, 1, 0)
