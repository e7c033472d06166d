"""Files of other programs: what is read, what is refused, and that nothing in them is trusted."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest

from core.base.errors import UserError
from core.compute.trace import run
from core.exchange.exporters import write_export
from core.exchange.tables import list_tables, orientation_of, read_table
from core.storage.archive import save
from tests.core.documents import make

AB = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def refused(path: Path, **options: Any) -> UserError:
    with pytest.raises(UserError) as caught:
        read_table(path, **options)
    assert caught.value.data["path"] == str(path)
    return caught.value


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"1,2,3\n4,5,6\n"),
        ("a.CSV", b"\xef\xbb\xbf1;2;3\r\n4;5;6\r\n"),
        ("a.tsv", b"1\t2\t3\n4\t5\t6"),
        ("a.txt", b"1 2 3\n4 5 6"),
        ("utf16.csv", "1\t2\t3\n4\t5\t6\n".encode("utf-16")),
    ],
)
def test_text(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    np.testing.assert_array_equal(read_table(path).values, AB)
    assert [(listing.name, listing.shape) for listing in list_tables(path)] == [("", (2, 3))]


def test_labels_of_a_csv_also_as_chinese_windows_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(",吃,鱼,猫\n小猫,1,2,3\n狗,4,5,6\n".encode("gb18030"))
    table = read_table(path)
    np.testing.assert_array_equal(table.values, AB)
    assert (table.rows, table.columns) == (("小猫", "狗"), ("吃", "鱼", "猫"))


def test_heads_follow_each_other_after_an_empty_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,2,3\n4,5,6\n\n7,8,9\n1,2,3\n")
    assert read_table(path).values.shape == (2, 2, 3)


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", "<i8", "|b1", "<u2"])
def test_npy(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "a.npy"
    array = np.arange(6).reshape(2, 3).astype(dtype)
    np.save(path, np.asfortranarray(array), allow_pickle=False)
    table = read_table(path)
    assert table.values.dtype == np.float64
    np.testing.assert_array_equal(table.values, array.astype(float))


def test_a_vector_is_a_row(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3.0))
    np.testing.assert_array_equal(read_table(tmp_path / "a.npy").values, [[0.0, 1.0, 2.0]])


def test_our_own_trace_comes_in_again(tmp_path: Path) -> None:
    document = make(positional="learned", mask="causal", output=True)
    trace = run(document)
    for name in ("npz", "json"):
        path = tmp_path / f"trace.{name}"
        write_export(document, name, path)
        names = [listing.name for listing in list_tables(path)]
        assert set(names) >= {"X", "Q", "weights", "Y"}
        assert "tokens" not in names
        for stage in ("X", "weights"):
            assert read_table(path, stage).values.tobytes() == trace[stage].tobytes()
    assert refused(tmp_path / "trace.npz", name="masked").code == "not_finite"
    problem = refused(tmp_path / "trace.npz", name="tokens")
    assert problem.code == "import.table"
    assert "X" in problem.data["known"]


def test_json_of_any_shape(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(AB))
    np.testing.assert_array_equal(read_table(path).values, AB)
    path.write_text(
        json.dumps({"title": "x", "ragged": [[1], [1, 2]], "deep": {"m": AB}, "row": [1, 2]})
    )
    listed = {listing.name: listing.shape for listing in list_tables(path)}
    assert listed == {"ragged[0]": (1, 1), "ragged[1]": (1, 2), "deep.m": (2, 3), "row": (1, 2)}


def test_matrices_of_an_experiment_file(tmp_path: Path) -> None:
    path, document = tmp_path / "a.json", make()
    save(document, path)
    table = read_table(path, "heads[1].W_Q")
    assert document.heads[1].W_Q is not None
    assert table.values.tobytes() == document.heads[1].W_Q.tobytes()


# Workbooks


@pytest.fixture
def book(tmp_path: Path) -> Path:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.title = "first"
    for cell, value in {"C3": "吃", "D3": "鱼", "E3": "猫", "B4": "小猫", "B5": "狗"}.items():
        sheet[cell] = value
    for row, numbers in enumerate(AB, 4):
        for column, number in enumerate(numbers, 3):
            sheet.cell(row, column, number)
    second = workbook.create_sheet("第二")
    second["A1"], second["B1"], second["A2"], second["B2"] = 0.1, "1/4", 7, "−3"
    third = workbook.create_sheet("formulas")
    third["A1"], third["B1"], third["C1"] = 1, "=A1+1", True
    workbook.save(tmp_path / "a.xlsx")
    return tmp_path / "a.xlsx"


def test_sheets_and_ranges(book: Path) -> None:
    assert [listing.name for listing in list_tables(book)] == ["first", "第二", "formulas"]
    table = read_table(book)
    np.testing.assert_array_equal(table.values, AB)
    assert (table.name, table.rows, table.columns) == ("first", ("小猫", "狗"), ("吃", "鱼", "猫"))
    np.testing.assert_array_equal(read_table(book, "第二").values, [[0.1, 0.25], [7.0, -3.0]])
    np.testing.assert_array_equal(
        read_table(book, "first", "D4:E5").values, [[2.0, 3.0], [5.0, 6.0]]
    )
    np.testing.assert_array_equal(read_table(book, "first", "$c$4").values, [[1.0]])
    np.testing.assert_array_equal(
        read_table(book, "first", "A1:H20").values, AB
    )  # empty cells around are no numbers


@pytest.mark.parametrize("cells", ["", "nonsense", "A1:", "B5:A1", "A:", "1:2:3", "A0:B2"])
def test_what_is_no_range(book: Path, cells: str) -> None:
    assert refused(book, cells=cells).code == "import.range"


def test_what_is_wrong_in_a_sheet_is_told_with_its_place(book: Path) -> None:
    assert refused(book, name="nowhere").data["known"] == ("first", "第二", "formulas")
    problem = refused(book, name="formulas")
    assert (problem.code, problem.data["text"]) == ("import.formula", "B1")
    problem = refused(book, name="formulas", cells="C1:C1")
    assert (problem.code, problem.data["row"], problem.data["column"]) == (
        "number.unreadable",
        1,
        3,
    )


def test_an_empty_cell_among_numbers(tmp_path: Path) -> None:
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet["B2"], sheet["C2"], sheet["B3"], sheet["C4"], sheet["B4"] = 1, 2, 3, 4, 5
    workbook.save(tmp_path / "a.xlsx")
    problem = refused(tmp_path / "a.xlsx")
    assert (problem.code, problem.data["row"], problem.data["column"]) == ("number.empty", 3, 3)


# What is not to be trusted


def header(shape: str, descr: str = "'<f8'") -> bytes:
    text = (
        f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117)
        + b"\n"
    )
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text


class Boom:
    def __reduce__(self) -> tuple[Any, ...]:
        return (Path.touch, (Path("boom"),))


def object_array() -> bytes:
    content = io.BytesIO()
    np.lib.format.write_array(content, np.array([Boom()], dtype=object), allow_pickle=True)
    return content.getvalue()


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "import.empty"),
        (b"not an array", "import.damaged"),
        (pickle.dumps([1, 2]), "import.damaged"),
        (header("(2, 3)") + bytes(40), "import.damaged"),
        (header("(1000000000000,)"), "import.too_large"),
        (header("(-1, 3)"), "import.damaged"),
        (header("__import__('os')"), "import.damaged"),
        (header("(" * 300 + ")" * 300), "import.damaged"),
        (header("(0, 3)"), "import.empty"),
        (header("(1, 1, 1, 2)") + bytes(16), None),
        (header("(2, 1, 1, 1)") + bytes(16), "import.axes"),
        (header("(1,)", "'<c16'") + bytes(16), "import.numbers"),
        (header("(1,)", "'<U2'") + bytes(8), "import.numbers"),
        (header("(1,)", "[('a', '<f8')]") + bytes(8), "import.numbers"),
        (object_array(), "import.numbers"),
    ],
)
def test_arrays_that_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, code: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a.npy"
    path.write_bytes(data)
    if code is None:
        assert read_table(path).values.shape == (1, 1, 2)
    else:
        assert refused(path).code == code
    assert not (tmp_path / "boom").exists()


def test_an_archive_that_unpacks_without_end(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", header("(40000000,)") + bytes(320_000_000))
    assert path.stat().st_size < 1_000_000
    assert refused(path).code == "import.too_large"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.npz", b"PK\x03\x04 broken", "import.damaged"),
        ("a.npz", b"", "import.empty"),
        ("a.xlsx", b"", "import.damaged"),
        ("a.xlsx", b"not a workbook", "import.damaged"),
        ("a.json", b"{", "import.damaged"),
        ("a.json", b"[[NaN]]", "import.damaged"),
        ("a.json", b"[" * 100_000, "import.damaged"),
        ("a.json", b'{"a": "b"}', "import.nothing"),
        ("a.csv", b"", "import.empty"),
        ("a.csv", b"1,2\n3,x\n", "number.unreadable"),
        ("a.csv", b"\xff\xfe\x00", "import.encoding"),
        ("a.csv", b"1,\x00", "import.encoding"),
        ("a.doc", b"1", "import.ending"),
        ("a", b"1", "import.ending"),
    ],
)
def test_broken_files(tmp_path: Path, name: str, data: bytes, code: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert refused(path).code == code
    with pytest.raises(UserError):
        list_tables(path)


def test_a_missing_file(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.csv").code == "file.unreadable"


def test_transposed_input_is_noticed() -> None:
    assert orientation_of((5, 6), (5, 6)) == "as is"
    assert orientation_of((6, 5), (5, 6)) == "transposed"
    assert orientation_of((5, 5), (5, 5)) == "either"
    assert orientation_of((3, 5, 6), (5, 6)) == "as is"
    assert orientation_of((4, 6), (5, 6)) == ""


def test_the_letter_e_is_a_label_among_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("d,e,f\n1,2,3\n4,5,6\n")
    table = read_table(path)
    assert table.columns == ("d", "e", "f")
    np.testing.assert_array_equal(table.values, AB)
    path.write_text("1,e,2\n3,4,pi\n")
    np.testing.assert_array_equal(read_table(path).values, [[1, np.e, 2], [3, 4, np.pi]])
    path.write_text("e,pi\n1,2\n")
    np.testing.assert_array_equal(read_table(path).values, [[np.e, np.pi], [1, 2]])


def test_json_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"\xef\xbb\xbf[[1, 2], [3, 4]]")
    assert read_table(path).values.tolist() == [[1, 2], [3, 4]]
