"""What the fuzzer (tests/soak/fuzz.py) has found, each as small as it could be made."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from core.base.errors import UserError
from core.base.number_format import LONGEST, read
from core.check.answers import parse_answer
from core.check.marking import check
from core.exchange.experiment_import import import_experiment
from core.exchange.paste import parse_file, parse_labelled, parse_matrix, parse_tensor
from core.exchange.role_names import role_of_name
from core.exchange.tables import read_table
from core.exchange.write import write
from core.lesson.lesson_file import require_inside
from core.storage.examples import EXAMPLES, load_example


def npy(
    array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], version: tuple[int, int] = (1, 0)
) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    return file.getvalue()


def test_an_array_of_a_version_that_numpy_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(npy(np.eye(2), (2, 0)).replace(b"NUMPY\x02\x00", b"NUMPY\x07\x00"))
    with pytest.raises(UserError) as caught:
        read_table(path)
    assert caught.value.code == "import.damaged"


def test_an_archive_behind_something_else(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, X=np.eye(2))
    path.write_bytes(b"PK\x03p" + path.read_bytes())
    with pytest.raises(ValueError, match="pickle"):  # NumPy takes it for something else
        np.load(path)
    with pytest.raises(UserError) as caught:
        read_table(path)
    assert caught.value.code == "import.damaged"


def test_tokens_that_are_no_letters(tmp_path: Path) -> None:
    path, x = tmp_path / "x.npz", np.eye(2)
    beyond = np.frombuffer(np.array([0x110000, 0x61], np.uint32).tobytes(), "<U1")
    np.savez(path, X=x, W_Q=x, W_K=x, W_V=x, tokens=beyond)
    found = import_experiment(path, "token {}".format)
    assert found is not None
    assert found[0].tokens == ("token 1", "token 2")


def test_a_stack_of_single_rows_comes_back_from_matlab() -> None:
    stack = np.array([[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]])
    np.testing.assert_array_equal(parse_tensor(write(stack, "matlab")), stack)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("Scores\n1 2 3\n4 5 6", ()),  # a title
        ("a b c\nx 1 2 3\ny 4 5 6", ("a", "b", "c")),  # as R writes
        ("a b c\n1 2 3\n4 5 6", ("a", "b", "c")),
    ],
)
def test_there_are_as_many_labels_as_columns_or_none(text: str, columns: tuple[str, ...]) -> None:
    found = parse_labelled(text)
    np.testing.assert_array_equal(found.values, [[1, 2, 3], [4, 5, 6]])
    assert found.columns == columns


def test_labels_that_lack_columns_are_no_header() -> None:
    with pytest.raises(UserError) as caught:
        parse_labelled("a,b,c\n1,2\n3,4")
    assert (caught.value.code, caught.value.data) == (
        "paste.ragged",
        {"row": 2, "expected": 3, "actual": 2},
    )


MANY = 1_000_000  # where time grows with the square, nobody would see the end of it


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("9" * MANY + "x", "number.unreadable"),
        ("1,2\n3," + "9" * MANY + "x", "number.unreadable"),
        ("```\n" + " " * MANY + "x", "number.unreadable"),
        ("```\n" + "\n" * MANY + "x```a", "number.unreadable"),
        ("[float1(" + " " * MANY + "x)", "paste.bracket"),
        ("1&2" + "\\\\[" * MANY, "paste.ragged"),
    ],
    ids=[
        "digits",
        "digits in a cell",
        "fence and spaces",
        "fence and lines",
        "spaces in a call",
        "brackets in LaTeX",
    ],
)
def test_long_texts_are_gone_over_once(text: str, code: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_file(text)
    assert caught.value.code == code


def test_a_number_has_an_end() -> None:
    for text in ("1" * (LONGEST + 1), "1" + " " * 100_000 + "1", "1e-" + "9" * 5000):
        for reader in (read, parse_answer):
            with pytest.raises(UserError) as caught:
                reader(text)
            assert caught.value.code == "number.unreadable"
            assert len(caught.value.data["text"]) < 60
    assert read("0" * (LONGEST - 1) + "1") == 1.0


@pytest.mark.parametrize("sign", ["\t", ", ", " "])
def test_a_number_has_an_end_in_a_table_too(sign: str) -> None:
    for digits, refused in ((LONGEST - 2, False), (LONGEST - 1, True), (8000, True)):
        text = "\n".join(
            [f"1.5{sign}-2.0", f"0.{'3' * digits}{sign}4e-300", *[f"1.25{sign}2.5"] * 600]
        )
        if not refused:
            assert parse_matrix(text)[1].tolist() == [1 / 3, 4e-300]
            continue
        with pytest.raises(UserError) as caught:
            parse_matrix(text)
        assert (caught.value.code, caught.value.data["row"]) == ("number.unreadable", 2)
        assert len(caught.value.data["text"]) < 60


@pytest.mark.parametrize("text", ["0e400", "0e99999", "1e-99999", "0." + "0" * 1000 + "1"])
def test_digits_beyond_the_doubles_are_marked_as_others(text: str) -> None:
    document = load_example(EXAMPLES[0])
    number = parse_answer(text)
    assert number is not None
    stated = [[number.number] * document.m for _ in range(document.n)]
    marks = check(document, {"scores": stated, "weights": stated}).marks
    assert {mark.stage for mark in marks} == {"scores", "weights"}


def test_a_head_is_counted_with_few_digits() -> None:
    assert role_of_name("W_Q_" + "9" * 5000).number is None
    assert role_of_name("heads[12].W_Q") == ("W_Q", 12)


@pytest.mark.parametrize(
    "path", ["2:3)", "C:x", "x.attn.json:stream", "NUL", "below/con.attn.json", "a/COM1", "x\0"]
)
def test_what_windows_takes_for_a_drive_a_stream_or_a_device_is_no_file_of_a_lesson(
    path: str,
) -> None:
    with pytest.raises(UserError) as caught:
        require_inside(path, "here")
    assert (caught.value.code, caught.value.data) == (
        "lesson.path",
        {"place": "here", "file": path},
    )
    require_inside("below/console.attn.json", "here")
