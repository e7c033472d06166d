"""The workbook computes: recalculated by LibreOffice it equals the trace, and follows a changed input."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from core.base.arrays import Array, frozen
from core.base.cell import Cell
from core.compute.trace import Trace, run
from core.document.document import Document, Softmax
from core.document.edits import with_allowed, with_cell, with_head_enabled
from core.exchange.exporters import write_export
from core.exchange.labels import Labels
from core.storage.examples import load_example
from tests.core.documents import ODD_SIZES, make

DOCUMENTS: dict[str, Document] = {
    "cat-eats-fish": load_example("cat-eats-fish"),
    "eight-heads": load_example("eight-heads"),
    "everything": make(
        2, positional="learned", mask="custom", biases=True, output=True, off=(1,), pins=6
    ),
    "sinusoidal": make(
        4, sizes=ODD_SIZES, positional="sinusoidal", mask="causal", biases=True, output=True
    ),
    "rotary": make(5, sizes=ODD_SIZES, positional="rotary", scale="factor", mask="window", pins=4),
    "alibi": make(7, positional="alibi", source="qkv", slopes=True, scale="none"),
    "one head, off": make(9, sizes={"n": 3, "d": 4, "h": 1, "k": 2, "v": 5}, off=(0,)),
    "context": make(
        13, context=7, positional="sinusoidal", mask="custom", biases=True, output=True, pins=9
    ),
    "context, rotary": make(16, context=7, positional="rotary", source="qkv", mask="causal"),
    "context, alibi": make(17, context=3, positional="alibi", slopes=True, mask="window"),
    "base 3": make(10, mask="causal").with_(softmax=Softmax("3")),
    "base 2, unshifted": make(11, mask="custom").with_(softmax=Softmax("2", shift=False)),
    "texts like formulas": make(12).with_(tokens=("=1+1", "@a", "", "🐟\x07", "-x")),
}


def recalculated(folder: Path, names: list[str]) -> dict[str, openpyxl.Workbook]:
    """Each workbook, as LibreOffice computes it."""
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        pytest.fail(
            "LibreOffice is needed to recalculate workbooks. This command installs it on Debian and Ubuntu:\n"
            "    sudo apt-get install --yes --no-install-recommends libreoffice-calc-nogui"
        )
    out = folder / "recalculated"
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    files = [str(folder / f"{name}.xlsx") for name in names]
    command = [program, profile, "--headless", "--convert-to", "xlsx", "--outdir", str(out), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return {name: openpyxl.load_workbook(out / f"{name}.xlsx", data_only=True) for name in names}


def numbers(sheet: openpyxl.worksheet.worksheet.Worksheet, shape: tuple[int, ...]) -> Array:
    """The blocks of a stage's sheet, head below head."""
    heads, rows, columns = shape if len(shape) == 3 else (1, *shape)
    found = np.full((heads, rows, columns), np.nan)
    for head in range(heads):
        for row in range(rows):
            for column in range(columns):
                value = sheet.cell(4 + head * (rows + 2) + row, 2 + column).value
                found[head, row, column] = -np.inf if value == "−∞" else value
    return found.reshape(shape)


def assert_same(book: openpyxl.Workbook, trace: Trace) -> None:
    for stage in trace:
        found = numbers(book[stage], trace[stage].shape)
        np.testing.assert_allclose(found, trace[stage], rtol=1e-12, atol=1e-12, err_msg=stage)


@pytest.fixture(scope="module")
def books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, openpyxl.Workbook]:
    folder = tmp_path_factory.mktemp("books")
    for name, document in DOCUMENTS.items():
        write_export(document, "xlsx", folder / f"{name}.xlsx")
    return recalculated(folder, list(DOCUMENTS))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_recalculated_it_equals_the_trace(name: str, books: dict[str, openpyxl.Workbook]) -> None:
    assert_same(books[name], run(DOCUMENTS[name]))


def test_changed_inputs_change_everything_after_them(tmp_path: Path) -> None:
    document = make(
        3, positional="learned", mask="custom", biases=True, output=True, scale="sqrt_dk"
    )
    write_export(document, "xlsx", tmp_path / "a.xlsx")
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    book["X"]["C5"] = 2.5  # row 2, column 2
    book["W_K"].cell(4 + 1 * (6 + 2) + 0, 2 + 1).value = -1.25  # head 2, row 1, column 2
    book["b_V"]["B6"] = 4.0  # head 3, number 1
    book["W_O"]["D4"] = 0.75
    book["mask"]["B8"] = (
        1  # the last query, which may look at nothing, may now look at the first key
    )
    settings = book[Labels().settings]
    (switch,) = (
        row[1] for row in settings.iter_rows() if row[0].value == "head 1" and row[2].value
    )
    switch.value = 0
    book.save(tmp_path / "a.xlsx")

    changed = with_cell(document, Cell("X", 1, 1), 2.5)
    changed = with_cell(changed, Cell("W_K", 0, 1, 1), -1.25)
    changed = with_cell(changed, Cell("b_V", 0, 0, 2), 4.0)
    changed = with_cell(changed, Cell("W_O", 0, 2), 0.75)
    changed = with_head_enabled(with_allowed(changed, 4, 0, True), 1, False)
    before, after = run(document), run(changed)
    for stage in ("Q", "K", "V", "weights", "Y"):
        assert not np.allclose(before[stage], after[stage])
    assert_same(recalculated(tmp_path, ["a"])["a"], after)


def test_inputs_are_marked_and_stages_are_formulas(tmp_path: Path) -> None:
    document = DOCUMENTS["everything"]
    write_export(document, "xlsx", tmp_path / "a.xlsx")
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert book.sheetnames[0] == "settings"
    assert [name for name in book.sheetnames if name in run(document)] == list(run(document))
    yellow = book["X"]["B4"].fill.start_color.rgb
    assert book["W_Q"]["B4"].fill.start_color.rgb == yellow
    assert book["mask"]["B4"].fill.start_color.rgb == yellow
    pins = {
        (pin.cell.tensor, pin.cell.head, pin.cell.row, pin.cell.column): pin.value
        for pin in document.pins
    }
    for stage in run(document).plan:
        if stage.entered:
            continue
        shape = document.stage_shape(stage.id)
        for place in np.ndindex(shape if len(shape) == 3 else (1, *shape)):
            head, row, column = (int(i) for i in place)
            value = book[stage.id].cell(4 + head * (document.n + 2) + row, 2 + column).value
            pin = pins.get((stage.id, head, row, column))
            assert value == pin if pin is not None else str(value).startswith("="), (
                stage.id,
                place,
            )


def test_words_follow_the_language(tmp_path: Path) -> None:
    labels = replace(Labels(), settings="设置", head="第 {number} 个头")
    document = make(1).with_(X=frozen(np.ones((5, 6))))
    heads = tuple(replace(head, name="") for head in document.heads)
    write_export(document.with_(heads=heads), "xlsx", tmp_path / "a.xlsx", labels)
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    assert book.sheetnames[0] == "设置"
    assert book["Q"]["A3"].value == "第 1 个头"
    assert "'设置'!" in book["scaled"]["B4"].value


HEADWISE = {"W_Q", "W_K", "W_V", "Q", "K", "V", "scores", "scaled", "exp", "weights", "heads"}
WITHOUT_NUMBERS = {"experiment"}


def test_sheets_are_set_up_for_print(tmp_path: Path) -> None:
    write_export(load_example("eight-heads"), "xlsx", tmp_path / "a.xlsx")
    for sheet in openpyxl.load_workbook(tmp_path / "a.xlsx").worksheets[1:]:
        assert (sheet.page_setup.orientation, sheet.page_setup.fitToWidth) == ("landscape", 1)
        assert sheet.page_setup.fitToHeight == 0, "as many pages down as it takes"
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
        above = "$1:$1" if sheet.title in HEADWISE | WITHOUT_NUMBERS else "$1:$3"
        assert sheet.print_title_rows == above, "row 3 names the first head's columns"
        assert sheet.print_title_cols is None, "row names are on the one page across"
        assert sheet.page_setup.fitToWidth == 1
