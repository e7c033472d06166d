"""Runs that reuse stages of the run before give the bits of runs from nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.compute.trace import Trace, run
from core.document import edits
from core.document.document import Document
from tests.core.documents import make

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
    "rows side by side": lambda X: X[50:60].fill(2.0),
    "two rows": lambda X: X[47:49].fill(2.0),
    "every tenth row": lambda X: X[::10].fill(1.0),
    "beyond every number": lambda X: X[70].fill(1e308),
}


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
