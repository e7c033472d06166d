"""Experiments from files that hold several matrices by name; all sizes differ, so that no axis can be exchanged."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from openpyxl import Workbook

from core.base.errors import UserError
from core.compute.trace import run
from core.document.document import Document
from core.exchange.experiment_import import import_experiment, is_experiment
from core.exchange.exporters import write_export
from core.storage.archive import dumps, save
from core.storage.examples import load_example

RANDOM = np.random.default_rng(5)
N, D, H, K, V = 5, 6, 3, 2, 4
X = RANDOM.normal(size=(N, D))
W_Q, W_K, W_V = (RANDOM.normal(size=(H, D, size)) for size in (K, K, V))
W_O = RANDOM.normal(size=(H * V, D))


def named(number: int) -> str:
    return f"t{number}"


def document_in(path: Path) -> Document:
    found = import_experiment(path, named)
    assert found is not None
    return found[0]


def require_weights(document: Document) -> None:
    """Every weight of every head, number by number."""
    for head in range(H):
        for name, stack in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V)):
            tensor = document.tensor(name, head)
            assert tensor is not None
            assert tensor.tolist() == stack[head].tolist()


def test_stacks_of_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    np.savez(path, X=X, W_Q=W_Q, W_K=W_K, W_V=W_V, W_O=W_O, tokens=np.array(list("我爱吃小鱼")))
    document = document_in(path)
    assert document.sizes == {"n": N, "m": N, "d": D, "h": H, "k": K, "v": V, "c": H * V, "o": D}
    assert document.tokens == tuple("我爱吃小鱼")
    require_weights(document)
    assert document.W_O is not None
    assert document.W_O.tolist() == W_O.tolist()


def test_a_matrix_for_each_head_and_tokens_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    parts = {
        f"{name}_{head + 1}": stack[head]
        for name, stack in (("Wq", W_Q), ("Wk", W_K), ("Wv", W_V))
        for head in (2, 0, 1)
    }
    np.savez(path, X=X, **parts)
    document = document_in(path)
    assert document.tokens == ("t1", "t2", "t3", "t4", "t5")
    require_weights(document)


def test_weights_as_pytorch_keeps_them(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    np.savez(
        path,
        X=X,
        **{
            name: stack.swapaxes(1, 2) for name, stack in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V))
        },
    )  # type: ignore[arg-type]
    require_weights(document_in(path))


def test_json_with_biases_and_positions(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    P = RANDOM.normal(size=(N, D))
    biases = RANDOM.normal(size=(H, K))
    tree = {
        "tokens": list("abcde"),
        "X": X.tolist(),
        "positional": {"P": P.tolist()},
        "b_Q": biases.tolist(),
        "heads": [
            {
                name: stack[head].tolist()
                for name, stack in (("W_Q", W_Q), ("W_K", W_K), ("W_V", W_V))
            }
            for head in range(H)
        ],
    }
    path.write_text(json.dumps(tree), encoding="utf-8")
    document = document_in(path)
    require_weights(document)
    assert document.tokens == tuple("abcde")
    assert document.positional.kind == "learned"
    assert document.positional.P is not None
    assert document.positional.P.tolist() == P.tolist()
    given = [head.b_Q for head in document.heads]
    assert [bias.tolist() for bias in given if bias is not None] == biases.tolist()


def test_sheets_of_a_workbook(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "notes"
    sheet.append(["hello"])
    for name, matrix in (("Q", W_Q[0]), ("K", W_K[0]), ("V", W_V[0])):
        sheet = book.create_sheet(name)
        for row in matrix.tolist():
            sheet.append(row)
    path = tmp_path / "book.xlsx"
    book.save(path)
    document = document_in(path)
    assert document.source == "qkv"
    assert document.sizes["n"] == D
    tensor = document.tensor("V", 0)
    assert tensor is not None
    assert tensor == pytest.approx(W_V[0], rel=1e-15)  # a workbook keeps 16 digits


def test_our_own_files(tmp_path: Path) -> None:
    original = load_example("four-words-causal")
    path = tmp_path / "a.json"
    save(original, path)
    assert dumps(document_in(path)) == dumps(original)
    assert is_experiment(path.read_bytes())
    for kind in ("npz", "json"):
        trace = tmp_path / f"trace.{kind}"
        write_export(original, kind, trace)
        document = document_in(trace)  # Q, K and V of the run
        assert document.tokens == original.tokens
        assert run(document)["scores"].tolist() == run(original)["scores"].tolist()


def test_too_little_for_an_experiment(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", X=X, W_Q=W_Q, W_K=W_K)
    assert import_experiment(tmp_path / "a.npz", named) is None
    (tmp_path / "a.csv").write_text("1,2\n3,4\n")
    assert import_experiment(tmp_path / "a.csv", named) is None
    assert not is_experiment(b"[[1, 2]]")
    assert not is_experiment(b"{")


def test_matrices_that_do_not_fit_together(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", Q=W_Q, K=W_K[:2], V=W_V)
    with pytest.raises(UserError) as caught:
        import_experiment(tmp_path / "a.npz", named)
    assert caught.value.code == "role.missing"
    assert caught.value.data["known"] == ("K.3",)
    np.savez(tmp_path / "b.npz", Q=W_Q[0], K=W_K[0][:4], V=W_V[0])
    with pytest.raises(UserError) as caught:
        import_experiment(tmp_path / "b.npz", named)
    assert caught.value.code == "shape"


def test_tokens_that_are_no_texts_are_left(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    np.savez(path, Q=W_Q, K=W_K, V=W_V, tokens=np.array([object()] * 6, dtype=object))
    assert document_in(path).tokens == (
        "t1",
        "t2",
        "t3",
        "t4",
        "t5",
        "t6",
    )  # and nothing was unpickled
