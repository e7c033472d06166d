"""The blocks of numbers in workbooks, and stacks of arrays with a choice of layer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import Workbook

from core.base.errors import UserError
from core.exchange.roles import propose_roles
from core.exchange.sheets import entry_of_area
from core.exchange.source_files import read_source


def workbook(path: Path, *blocks: tuple[str, list[list[Any]]]) -> Path:
    """Write blocks into the first sheet, each at its first cell."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    for first, rows in blocks:
        top, left = sheet[first].row, sheet[first].column
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                sheet.cell(top + i, left + j, value)
    book.save(path)
    return path


def test_blocks_labels_and_titles_are_found(tmp_path: Path) -> None:
    path = workbook(
        tmp_path / "a.xlsx",
        ("A1", [["Embeddings X"], [None, "d1", "d2", "d3"], ["the", 1, 0, 2], ["cat", 0.5, 1, 1]]),
        ("G1", [["W_Q"], [1, 0], [0, 1], [1, 1]]),
        ("J2", [["W_K", 1, 2], [None, 0, 1], [None, 1, 0]]),
        ("A8", [["W_V"], [1, 2], [0, 1], [1, 0.25]]),
        ("E8", [[None, 0, 1], ["the", 0.5, 0.5], ["cat", 0.25, 0.75]]),
    )
    entries = read_source(path).entries
    assert [(entry.name, entry.cells, entry.shape) for entry in entries] == [
        ("W_Q", "Sheet!G2:H4", (3, 2)),
        ("W_K", "Sheet!K2:L4", (3, 2)),
        ("Embeddings X", "Sheet!B3:D4", (2, 3)),
        ("", "Sheet!F9:G10", (2, 2)),
        ("W_V", "Sheet!A9:B11", (3, 2)),
    ]
    assert entries[2].row_labels == ("the", "cat")
    assert entries[2].column_labels == ("d1", "d2", "d3")
    assert (entries[2].decimals, entries[4].decimals) == (1, 2)
    assert propose_roles(entries) == ("W_Q", "W_K", "X", "check:weights", "W_V")


def test_headers_that_count_are_no_numbers(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ("B2", [[None, 0, 1, 2], [0, 5, 6, 7], [1, 8, 9, 4]]))
    (entry,) = read_source(path).entries
    assert entry.matrix.tolist() == [[5, 6, 7], [8, 9, 4]]
    assert entry.cells == "Sheet!C3:E4"


def test_a_range_is_named_by_hand(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ("A1", [[1, 2, 3], [4, 5, 6]]))
    sheet = read_source(path).sheets[0]
    entry = entry_of_area(sheet, (0, 1, 1, 2), "W_K")
    assert (entry.name, entry.cells, entry.matrix.tolist()) == (
        "W_K",
        "Sheet!B1:C2",
        [[2, 3], [5, 6]],
    )
    assert sheet.area(entry.cells) == (0, 1, 1, 2)


def test_a_hole_in_a_range_is_refused_with_its_cell(tmp_path: Path) -> None:
    path = workbook(tmp_path / "a.xlsx", ("B2", [[1, 2, 3], [4, None, 6], [7, 8, 9]]))
    (entry,) = read_source(path).entries
    assert entry.refusal is not None
    assert (entry.refusal.data["row"], entry.refusal.data["column"]) == (3, 3)


def stack(seed: int, *shape: int) -> Any:
    weights = np.random.default_rng(seed).random(shape)
    return weights / weights.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("ending", ["npy", "npz", "json"])
def test_layers_of_heads_are_read_one_layer_at_a_time(tmp_path: Path, ending: str) -> None:
    path, layers = tmp_path / f"attn.{ending}", stack(1, 3, 2, 4, 4)
    if ending == "npy":
        np.save(path, layers[:, None])  # a batch of one
    elif ending == "npz":
        np.savez(path, attn=layers)
    else:
        path.write_text(json.dumps({"attn": layers.tolist()}))
    for layer in range(3):
        source = read_source(path, layer)
        assert source.layers == 3
        assert [entry.matrix.tolist() for entry in source.entries] == layers[layer].tolist()
        assert propose_roles(source.entries) == ("A.1", "A.2")
    with pytest.raises(UserError) as caught:
        read_source(path, 3)
    assert caught.value.code == "role.layer"


def test_a_file_without_matrices_and_an_unknown_kind_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("No numbers at all.")
    (tmp_path / "a.doc").write_text("1 2")
    for name, code in (("a.md", "import.nothing"), ("a.doc", "import.ending")):
        with pytest.raises(UserError) as caught:
            read_source(tmp_path / name)
        assert caught.value.code == code
        assert caught.value.data["path"] == str(tmp_path / name)
