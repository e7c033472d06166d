"""What the fuzzer (tests/soak/fuzz.py) has found, each as small as it could be made."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from core.exchange import parse_tensor, parse_tokens_matrix, write
from core.exchange.named import experiment_in
from core.exchange.tables import read_table
from core.problems import Problem


def npy(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]], version: tuple[int, int] = (1, 0)) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    return file.getvalue()


def test_an_array_of_a_version_that_numpy_does_not_know(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    path.write_bytes(npy(np.eye(2), (2, 0)).replace(b"NUMPY\x02\x00", b"NUMPY\x07\x00"))
    with pytest.raises(Problem) as caught:
        read_table(path)
    assert caught.value.code == "import.damaged"


def test_tokens_that_are_no_letters(tmp_path: Path) -> None:
    path, x = tmp_path / "x.npz", np.eye(2)
    beyond = np.frombuffer(np.array([0x110000, 0x61], np.uint32).tobytes(), "<U1")
    np.savez(path, X=x, W_Q=x, W_K=x, W_V=x, tokens=beyond)
    found = experiment_in(path, "token {}".format)
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
    found = parse_tokens_matrix(text)
    np.testing.assert_array_equal(found.values, [[1, 2, 3], [4, 5, 6]])
    assert found.columns == columns


def test_labels_that_lack_columns_are_no_header() -> None:
    with pytest.raises(Problem) as caught:
        parse_tokens_matrix("a,b,c\n1,2\n3,4")
    assert (caught.value.code, caught.value.data) == ("paste.ragged", {"row": 2, "expected": 3, "actual": 2})
