"""The workbook of a stack computes: recalculated by LibreOffice it equals the trace, also after edits.

One layer each: LibreOffice takes longer for each layer than for the one before.
"""

from __future__ import annotations

import numpy as np
import openpyxl
import pytest

from core.base.cell import Cell
from core.compute.trace import run
from core.document.document import Document
from core.document.edits import with_cell
from core.exchange.exporters import write_export
from tests.core.stacks import make_stack
from tests.core.test_exchange_workbook import assert_same, recalculated

SMALL = {"n": 3, "d": 4, "h": 2, "k": 3, "v": 1, "f": 2, "u": 5}
DOCUMENTS: dict[str, Document] = {
    "gelu": make_stack(
        30, layers=1, sizes=SMALL, borrowed=True, temperature=0.8, activation="gelu", off=(1,)
    ),
    "post, gate": make_stack(
        31,
        layers=1,
        sizes=SMALL,
        place="post",
        norm="rms",
        activation="silu",
        gate=True,
        positional="alibi",
    ),
    "tanh, bare": make_stack(
        32,
        layers=1,
        sizes=SMALL,
        activation="gelu_tanh",
        factors=False,
        positional="rotary",
        base="2",
        eps=0.0,
    ),
}


def with_edits(document: Document) -> Document:
    """Some numbers of the first document changed, one that another head borrows among them."""
    document = with_cell(document, Cell("L1.attention_norm.gamma", 0, 1), 2.5)
    document = with_cell(document, Cell("L1.W_K", 0, 0, 0), -1.25)
    return with_cell(document, Cell("L1.W_1", 1, 1), 0.75)


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, openpyxl.Workbook]:
    folder = tmp_path_factory.mktemp("books")
    for name, document in DOCUMENTS.items():
        write_export(document, "xlsx", folder / f"{name}.xlsx")
    book = openpyxl.load_workbook(folder / "gelu.xlsx")
    book["L1.attention_norm.gamma"]["C4"] = 2.5
    book["L1.W_K"]["B4"] = -1.25
    book["L1.W_1"]["C5"] = 0.75
    book.save(folder / "edited.xlsx")
    return recalculated(folder, [*DOCUMENTS, "edited"])


@pytest.mark.parametrize("name", DOCUMENTS)
def test_recalculated_it_equals_the_trace(name: str, books: dict[str, openpyxl.Workbook]) -> None:
    assert_same(books[name], run(DOCUMENTS[name]))


def test_changed_inputs_change_everything_after_them(books: dict[str, openpyxl.Workbook]) -> None:
    before = DOCUMENTS["gelu"]
    after = with_edits(before)
    assert not np.allclose(run(before)["probabilities"], run(after)["probabilities"])
    assert_same(books["edited"], run(after))
