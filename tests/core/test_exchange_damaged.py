"""Damaged and lying files, each found by chance once: a problem, whatever the reader below has raised."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from openpyxl import Workbook

from core.base.errors import UserError
from core.document.document import MOST_SCORES, Document, Head
from core.exchange import array_files
from core.exchange.tables import list_tables, read_table
from core.storage import archive


def code_of(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        read_table(path)
    return caught.value.code


def test_a_header_with_an_open_bracket(tmp_path: Path) -> None:
    file = io.BytesIO()
    np.save(file, np.eye(2))
    path = tmp_path / "x.npy"
    path.write_bytes(file.getvalue().replace(b"'descr': '<f8',", b"((((((((((((((("))
    assert code_of(path) == "import.damaged"


def test_an_archive_whose_member_lies_before_its_beginning(tmp_path: Path) -> None:
    file = io.BytesIO()
    np.savez(file, a=np.eye(2))
    path = tmp_path / "x.npz"
    path.write_bytes(file.getvalue()[40:])
    with pytest.raises(UserError) as caught:
        list_tables(path)
    assert caught.value.code == "import.damaged"


def test_a_sheet_with_a_tag_that_is_not_closed(tmp_path: Path) -> None:
    path = workbook(tmp_path, lambda text: text.replace(b"</row>", b"</raw>"))
    assert code_of(path) == "import.damaged"


def test_a_sheet_with_two_far_corners(tmp_path: Path) -> None:
    path = tmp_path / "x.xlsx"
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet["XFD1"] = sheet["A60000"] = 1
    book.save(path)
    assert code_of(path) == "import.too_large"


def workbook(folder: Path, change: object) -> Path:
    """A workbook whose sheet is changed as text."""
    file = io.BytesIO()
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append([1, 2])
    book.save(file)
    path = folder / "x.xlsx"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data) if name.endswith("sheet1.xml") else data)  # type: ignore[operator]
    return path


def test_bytes_that_would_grow_eightfold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(array_files, "MOST_NUMBERS", 100)
    np.savez_compressed(tmp_path / "x.npz", a=np.zeros(60, np.int8), b=np.zeros(60, np.int8))
    with pytest.raises(UserError) as caught:
        list_tables(tmp_path / "x.npz")
    assert caught.value.code == "import.too_large"
    np.save(tmp_path / "x.npy", np.zeros(101, np.int8))
    assert code_of(tmp_path / "x.npy") == "import.too_large"
    np.save(tmp_path / "x.npy", np.zeros(100, np.int8))
    assert read_table(tmp_path / "x.npy").values.shape == (1, 100)


def test_more_scores_than_can_be_computed_are_refused_before_anything_is_made_for_them() -> None:
    n = 1 + int(MOST_SCORES**0.5)
    ones = np.ones((n, 1))
    with pytest.raises(UserError) as caught:
        Document(tuple("a" * n), (Head(Q=ones, K=ones, V=ones),), source="qkv")
    assert caught.value.code == "document.too_large"
    assert (caught.value.data["n"], caught.value.data["m"], caught.value.data["h"]) == (n, n, 1)
    Document(tuple("a" * (n - 1)), (Head(Q=ones[1:], K=ones[1:], V=ones[1:]),), source="qkv")


def test_a_file_of_numbers_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError) as caught:
        archive.loads(
            b'{"format":"self-attention-experiment","version":1,"X":[['
            + b"1," * 8_000_001
            + b"1]]}"
        )
    assert caught.value.code == "file.too_many"


def test_text_in_wide_letters_is_checked_piece_by_piece() -> None:
    half = b"\xf0\x9f\x98\x80" * 300_000  # letters of four bytes across the pieces' borders
    with pytest.raises(UserError) as caught:
        archive.loads(b'{"a": "' + half + b"\xff")
    assert caught.value.code == "file.encoding"
    assert caught.value.data["byte"] == 7 + len(half) + 1
