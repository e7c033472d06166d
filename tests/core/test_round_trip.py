"""What is exported comes back: every format that carries numbers gives the same experiment."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from hypothesis import given, settings

from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document, Mask, Pin, Positional
from core.exchange.experiment_import import import_experiment, read_experiment
from core.exchange.exporters import export, write_export
from core.exchange.labels import Labels
from core.storage.archive import dumps, save
from core.storage.examples import EXAMPLES, load_example
from tests.core.documents import documents, make
from tests.core.stacks import make_stack
from tests.core.test_exchange_export import DOCUMENTS

FORMATS = ("xlsx", "npz", "json", "csv")
_LEARNED = make(
    31, context=7, positional="learned", mask="custom", biases=True, output=True, pins=5
)
_PLACES, _ALLOWED = _LEARNED.positional, _LEARNED.mask
ODD: dict[str, Document] = {
    "pinned entries": _LEARNED.with_(
        pins=(Pin("X", (1, 2), 9.5), Pin("P", (0, 0), -3.0), Pin("X_context", (6, 1), 0.25))
    ),
    "pinned keys": make(32, source="qkv").with_(pins=(Pin("K", (2, 1, 0), 1 / 3),)),
    "kept while off": _LEARNED.with_(
        positional=Positional("sinusoidal", 50.0, _PLACES.P, np.array([0.5, 0.25, 1 / 3])),
        mask=Mask("causal", 1, None, _ALLOWED.allow),
    ),
    "all digits": make(33, output=True).with_(
        X=np.nextafter(np.arange(30.0).reshape(5, 6) / 7, -np.inf), title="标题", notes="a\n  b "
    ),
    "extreme numbers": make(34, source="qkv").with_(
        heads=tuple(
            head
            for head in make(34, source="qkv").heads[:1]
            for head in (
                type(head)(
                    Q=np.array([[-0.0, 5e-324]] * 5),
                    K=np.array([[1e308, -1e-300]] * 5),
                    V=np.array([[1e22, 123456789012345680.0]] * 5),
                ),
            )
        )
    ),
    "biases in one head": make(35, biases=True).with_(
        heads=tuple(
            type(head)(
                W_Q=head.W_Q, W_K=head.W_K, W_V=head.W_V, b_Q=head.b_Q if not number else None
            )
            for number, head in enumerate(make(35, biases=True).heads)
        )
    ),
    "long texts": make(36).with_(tokens=("x" * 40_000, " ", "\t", "\x00\x07", "\ufffe🐟")),
}
GIVEN: dict[str, Document] = {
    "given weights": make(37, source="weights", context=7, output=True, off=(1,), pins=3),
    "given weights, pinned": make(38, source="weights").with_(
        pins=(Pin("weights", (2, 1, 0), 0.75), Pin("V", (0, 0, 3), -1.5))
    ),
    "given weights alone": make(39, source="weights", values=False),
}
STACKS: dict[str, Document] = {
    "stack": make_stack(40, borrowed=True, temperature=0.8, off=(1,)),
    "stack, post": make_stack(
        41, place="post", norm="rms", activation="silu", gate=True, positional="learned"
    ),
    "stack, bare": make_stack(42, norms=False, around=False, mlp=False, output=False, layers=1),
}
ALL = {**DOCUMENTS, **ODD, **GIVEN, **STACKS}


def place(folder: Path, form: str) -> Path:
    return folder / (f"out.{form}" if form != "csv" else "out")


def returned(document: Document, form: str, folder: Path) -> Document:
    write_export(document, form, place(folder, form))
    found = read_experiment(place(folder, form))
    assert found is not None
    return found


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_comes_back(example: str, form: str, tmp_path: Path) -> None:
    document = load_example(example)
    assert dumps(returned(document, form, tmp_path)) == dumps(document)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ALL)
def test_every_part_comes_back(name: str, form: str, tmp_path: Path) -> None:
    assert dumps(returned(ALL[name], form, tmp_path)) == dumps(ALL[name])


@pytest.mark.parametrize("form", FORMATS)
@given(document=documents(any_size=True))
@settings(max_examples=25, deadline=None)
def test_any_experiment_comes_back(
    form: str, tmp_path_factory: pytest.TempPathFactory, document: Document
) -> None:
    folder = tmp_path_factory.mktemp("any")
    assert dumps(returned(document, form, folder)) == dumps(document)


def test_the_window_and_the_command_import_it_as_it_is(tmp_path: Path) -> None:
    document = ODD["pinned entries"]
    for form in ("xlsx", "npz", "json"):
        write_export(document, form, place(tmp_path, form))
        found = import_experiment(place(tmp_path, form), str)
        assert found is not None
        assert dumps(found[0]) == dumps(document)
        assert found[1] == document.inputs
    write_export(document, "csv", tmp_path / "out")
    found = import_experiment(tmp_path / "out" / "experiment.json", str)
    assert found is not None
    assert dumps(found[0]) == dumps(document)


def test_an_experiment_file_is_read_and_others_are_not(tmp_path: Path) -> None:
    document = make(1)
    save(document, tmp_path / "a.attn.json")
    found = read_experiment(tmp_path / "a.attn.json")
    assert found is not None
    assert dumps(found) == dumps(document)
    np.savez(tmp_path / "b.npz", X=np.eye(3))
    (tmp_path / "c.json").write_text('{"experiment": [1, 2], "X": [[1]]}')
    (tmp_path / "d.csv").write_text("1,2\n")
    openpyxl.Workbook().save(tmp_path / "e.xlsx")
    assert [
        read_experiment(tmp_path / name) for name in ("b.npz", "c.json", "d.csv", "e.xlsx")
    ] == ([None] * 4)


def test_a_changed_number_is_read(tmp_path: Path) -> None:
    """The numbers themselves count, not a copy of them."""
    document = make(2, biases=True)
    write_export(document, "xlsx", tmp_path / "a.xlsx")
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    book["W_K"].cell(4 + 1 * (6 + 2) + 0, 2 + 1).value = -1.25  # head 2, row 1, column 2
    book["b_V"]["B6"] = 4.0  # head 3, number 1
    book.save(tmp_path / "a.xlsx")
    found = read_experiment(tmp_path / "a.xlsx")
    assert found is not None
    assert found.heads[1].W_K is not None
    assert found.heads[2].b_V is not None
    assert found.heads[1].W_K[0, 1] == -1.25
    assert found.heads[2].b_V[0] == 4.0


def test_the_settings_sheet_says_that_its_changes_are_not_imported(tmp_path: Path) -> None:
    document = make(2, mask="causal", positional="alibi")
    write_export(document, "xlsx", tmp_path / "a.xlsx")
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    sheet = book[Labels().settings]
    assert sheet["A5"].value == Labels().not_imported
    changed = [
        row[1] for row in sheet.iter_rows(min_row=6) if isinstance(row[1].value, int | float)
    ]
    assert changed
    for cell in changed:
        cell.value = 0.25
    book.save(tmp_path / "a.xlsx")
    found = read_experiment(tmp_path / "a.xlsx")
    assert found is not None
    assert found.mask.kind == document.mask.kind
    before, after = run(document), run(found)
    assert [after[stage].tobytes() for stage in after] == [
        before[stage].tobytes() for stage in before
    ]


def test_what_is_entered_stands_under_its_name() -> None:
    document = make(3, context=7, positional="learned", mask="custom", biases=True, output=True)
    content = export(document, "npz")
    assert isinstance(content, bytes)
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        assert set(run(document)) < set(arrays)
        for name in document.inputs:
            expected = document.tensor(name)
            assert expected is not None
            found = arrays[name] if arrays[name].shape == expected.shape else arrays[name][0]
            assert found.tobytes() == expected.tobytes()
        assert arrays["mask"].tolist() == np.asarray(document.mask.allow).tolist()
    content = export(document, "json")
    assert isinstance(content, bytes)
    assert set(run(document)) | set(document.inputs) | {"mask"} < set(json.loads(content))


@pytest.mark.parametrize(
    ("form", "code"),
    [("xlsx", "import.table"), ("npz", "import.table"), ("csv", "file.unreadable")],
)
def test_missing_numbers_are_told(form: str, code: str, tmp_path: Path) -> None:
    write_export(make(4), form, place(tmp_path, form))
    if form == "csv":
        (tmp_path / "out" / "W_Q_head2.csv").unlink()
    elif form == "xlsx":
        book = openpyxl.load_workbook(tmp_path / "out.xlsx")
        del book["W_Q"]
        book.save(tmp_path / "out.xlsx")
    else:
        with zipfile.ZipFile(tmp_path / "out.npz") as archive:
            kept = {name: archive.read(name) for name in archive.namelist() if name != "W_Q.npy"}
        with zipfile.ZipFile(tmp_path / "out.npz", "w") as archive:
            for name, data in kept.items():
                archive.writestr(name, data)
    with pytest.raises(UserError) as caught:
        read_experiment(place(tmp_path, form))
    assert caught.value.code == code


@pytest.mark.parametrize("reference", ["../a.csv", "W_Q[9]", "nothing", "/etc/passwd", "X[0][0]"])
def test_a_reference_leads_nowhere_else(reference: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("1,2\n")
    content = export(make(5), "json")
    assert isinstance(content, bytes)
    tree = json.loads(content)
    tree["experiment"]["X"] = reference
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.json").write_text(json.dumps(tree))
    with pytest.raises(UserError):
        read_experiment(tmp_path / "inner" / "a.json")


@pytest.mark.parametrize("cell", ["B5", "C4"])
def test_a_text_or_a_gap_in_a_sheet_is_told_with_its_cell(cell: str, tmp_path: Path) -> None:
    write_export(make(6), "xlsx", tmp_path / "a.xlsx")
    book = openpyxl.load_workbook(tmp_path / "a.xlsx")
    book["X"][cell] = "much" if cell == "B5" else None
    book.save(tmp_path / "a.xlsx")
    with pytest.raises(UserError) as caught:
        read_experiment(tmp_path / "a.xlsx")
    assert caught.value.code == ("number.unreadable" if cell == "B5" else "number.empty")
    place_of = caught.value.data["row"], caught.value.data["column"]
    assert place_of == ((5, 2) if cell == "B5" else (4, 3))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_workbook_has_the_values_beside_the_formulas(name: str) -> None:
    document, trace = DOCUMENTS[name], run(DOCUMENTS[name])
    content = export(document, "xlsx", Labels())
    assert isinstance(content, bytes)
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    for stage in trace.plan:
        shape = (1, 1, *trace[stage.id].shape)[-3:]
        expected = trace[stage.id].reshape(shape)
        for head, row, column in np.ndindex(*shape):
            value = book[stage.id].cell(4 + head * (shape[1] + 2) + row, 2 + column).value
            number = expected[head, row, column]
            assert value == ("−∞" if np.isneginf(number) else number), (stage.id, head, row, column)
    settings_sheet = book[Labels().settings]
    numbers = [row[1].value for row in settings_sheet.iter_rows(min_row=6) if row[0].value]
    assert numbers
    assert None not in numbers


def test_a_folder_of_a_stack_is_replaced_by_a_later_export(tmp_path: Path) -> None:
    for name in ("stack, post", "stack"):
        found = returned(STACKS[name], "csv", tmp_path)
        assert dumps(found) == dumps(STACKS[name])
