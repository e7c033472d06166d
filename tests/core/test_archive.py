"""Experiment files: exact both ways, old ones open forever, bad ones are refused with the place."""

from __future__ import annotations

import json
import math
import os
import re
import stat
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import archive_disk
from core.archive import dumps, load, loads, save
from core.arrays import frozen
from core.document import HEAD_TENSORS, Document, Head, Mask, Pin, Positional, Scale
from core.problems import Problem
from tests.core.documents import documents, make

GOLDEN = Path(__file__).parents[1] / "golden"
FINITE = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


def same(a: Any, b: Any) -> bool:
    """Equal in every field, numbers to the last bit."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return isinstance(b, np.ndarray) and isinstance(a, np.ndarray) and a.dtype == b.dtype and (
            a.shape == b.shape and a.tobytes() == b.tobytes()
        )  # fmt: skip
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, Document | Head | Positional | Mask | Scale | Pin):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    if isinstance(a, float):
        return isinstance(b, float) and a.hex() == b.hex()
    return bool(a == b)


@given(documents(any_size=True))
def test_every_kind_of_experiment_comes_back_as_it_was(document: Document) -> None:
    assert same(loads(dumps(document)), document)


@given(st.lists(FINITE, min_size=6, max_size=6), FINITE, TEXTS, TEXTS, st.lists(TEXTS, min_size=3, max_size=3))
def test_every_number_and_every_text_comes_back_to_the_last_bit(
    numbers: list[float], value: float, title: str, name: str, tokens: list[str]
) -> None:
    matrix = frozen(np.array(numbers).reshape(3, 2))
    document = Document(
        tokens=tuple(tokens), title=title, notes=title + name, source="qkv",
        heads=(Head(name=name, Q=matrix, K=matrix, V=matrix),),
        scale=Scale("factor", value) if abs(value) < 1e308 else Scale(),
        pins=(Pin("scores", (0, 2, 1), value),),
    )  # fmt: skip
    assert same(loads(dumps(document)), document)


def test_numbers_at_the_edges(tmp_path: Path) -> None:
    row = [0.1 + 0.2, -0.0, 5e-324, 1.7976931348623157e308, -1e-7, 123456789012345680.0]
    document = make().with_(X=frozen([row] * 5))
    save(document, tmp_path / "x.attn.json")
    again = load(tmp_path / "x.attn.json").X
    assert again is not None
    assert [number.hex() for number in again[0].tolist()] == [number.hex() for number in row]


def test_half_a_surrogate_pair_becomes_a_sign_that_a_file_can_hold() -> None:
    document = make().with_(title="a\ud800b")
    assert loads(dumps(document)).title == "a\ufffdb"


# Old files


def test_format_1_opens_forever() -> None:
    document = load(GOLDEN / "format-1.attn.json")
    assert document.title == "Every field 每个字段"
    assert document.notes == "Line one.\nLine “two”, with a tab\tand a backslash \\."
    assert document.tokens == ("小猫", "吃", "鱼", "fish 🐟", "")
    assert document.X is not None
    assert document.X[0].tolist() == [0.1 + 0.2, 0.0, 5e-324, 1e22, -1e-7, 1 / 3]
    assert math.copysign(1, document.X[0, 1]) == -1
    assert [head.name for head in document.heads] == ["grammar", "meaning", ""]
    assert [head.enabled for head in document.heads] == [True, False, True]
    assert document.sizes == {"n": 5, "d": 6, "h": 3, "k": 2, "v": 4, "c": 12, "o": 6}
    assert document.heads[0].W_Q is not None
    assert document.heads[0].W_Q[1].tolist() == [-0.27, -0.89]
    assert document.heads[1].b_K is not None
    assert document.heads[1].b_K.tolist() == [0.21, 0.49]
    assert document.heads[2].b_K is None
    assert document.b_O is not None
    assert (document.positional.kind, document.positional.base) == ("learned", 100.0)
    assert document.positional.P is not None
    assert document.positional.P[4, 5] == -0.25
    assert document.positional.slopes is not None
    assert document.positional.slopes.tolist() == [0.5, 0.25, 0.125]
    assert (document.mask.kind, document.mask.left, document.mask.right) == ("custom", 1, 2)
    assert document.mask.allow is not None
    assert document.mask.allow[3].tolist() == [True, True, True, False, False]
    assert document.scale == Scale("factor", 0.75)
    assert document.pins == (Pin("weights", (0, 2, 1), 0.5), Pin("Y", (4, 5), -1.25))


def test_format_1_with_entered_queries_opens_forever() -> None:
    document = load(GOLDEN / "format-1-qkv.attn.json")
    assert document.source == "qkv"
    assert document.X is None
    assert document.sizes | {"d": 0} == {"n": 3, "d": 0, "h": 2, "k": 2, "v": 4, "c": 8, "o": 8}
    assert (document.mask.kind, document.mask.left, document.mask.right) == ("window", 1, 0)
    assert document.scale.kind == "none"


def test_golden_files_use_every_key_of_the_format() -> None:
    used: set[str] = set()
    for path in GOLDEN.glob("format-1*.attn.json"):
        json.loads(path.read_text(encoding="utf-8"), object_hook=lambda found: used.update(found))
    assert used >= {f.name for kind in (Document, Positional, Mask, Scale, Pin) for f in fields(kind)} - {"filled"}
    assert used >= {"name", "enabled", *HEAD_TENSORS}


@pytest.mark.parametrize("name", ["format-1.attn.json", "format-1-qkv.attn.json"])
def test_layout_stays_as_it_is(name: str) -> None:
    data = (GOLDEN / name).read_bytes()
    assert dumps(loads(data)) == data


# Layout


def test_one_changed_number_is_one_changed_line() -> None:
    document = make(biases=True, output=True)
    assert document.X is not None
    moved = np.array(document.X)
    moved[2, 3] = 77.5
    before = dumps(document).decode().splitlines()
    after = dumps(document.with_(X=frozen(moved))).decode().splitlines()
    different = [pair for pair in zip(before, after, strict=True) if pair[0] != pair[1]]
    assert len(different) == 1
    assert "77.5" in different[0][1]


def test_what_is_as_by_default_is_left_out() -> None:
    file = json.loads(dumps(make().with_(heads=tuple(replace(head, name="") for head in make().heads))))
    assert set(file) == {"format", "version", "tokens", "source", "X", "heads"}
    assert set(file["heads"][0]) == {"W_Q", "W_K", "W_V"}


def test_non_ascii_stands_as_it_is() -> None:
    assert "小猫🐟" in dumps(make().with_(title="小猫🐟")).decode()


# What bad files get


def file(change: Callable[[dict[str, Any]], object] | None = None, /, **keys: Any) -> bytes:
    """A small valid file, changed."""
    content: dict[str, Any] = {
        "format": "self-attention-experiment",
        "version": 1,
        "tokens": ["a", "b", "c"],
        "source": "embeddings",
        "X": [[1, 2], [3, 4], [5, 6]],
        "heads": [{"W_Q": [[1], [2]], "W_K": [[1], [2]], "W_V": [[1, 2, 3], [4, 5, 6]]} for _ in range(2)],
        **keys,
    }
    if change is not None:
        change(content)
    return json.dumps(content).encode()


def in_head(name: str, value: Any, head: int = 1) -> bytes:
    return file(lambda content: content["heads"][head].update({name: value}))


def without(*path: Any) -> bytes:
    def remove(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        del content[path[-1]]

    return file(remove)


def replaced(old: str, new: str) -> bytes:
    data = file()
    assert old.encode() in data
    return data.replace(old.encode(), new.encode())


HUGE_INTEGER = "9" * 400
BAD = {
    "empty": (b"", "file.empty", {}),
    "blank": (b" \n ", "file.empty", {}),
    "not an object": (b"[1, 2]", "file.type", {"place": "", "expected": ("object",), "actual": "array"}),
    "other json": (b'{"a": 1}', "file.not_experiment", {"format": None}),
    "other format": (file(format="notes"), "file.not_experiment", {"format": "notes"}),
    "newer": (file(version=2), "file.newer", {"version": 2, "known": 1}),
    "newer with unknown keys": (file(version=7, layers=[]), "file.newer", {"version": 7}),
    "version true": (file(version=True), "file.version", {"version": True}),
    "version 0": (file(version=0), "file.version", {"version": 0}),
    "version as text": (file(version="1"), "file.version", {"version": "1"}),
    "no version": (without("version"), "file.version", {"version": None}),
    "utf-16": (file().decode().encode("utf-16"), "file.encoding", {"line": 1, "byte": 1}),
    "latin-1": (b'{\n"title": "caf\xe9"}', "file.encoding", {"line": 2, "byte": 16}),
    "cut off": (file()[:-3], "file.syntax", {"line": 1}),
    "not json": (b'{\n  "a": 1,\n  b: 2\n}', "file.syntax", {"line": 3, "column": 3, "reason": "key"}),
    "something after": (file() + b"\n7", "file.syntax", {"line": 2, "column": 1, "reason": "extra"}),
    "missing comma": (b'{"a": 1 "b": 2}', "file.syntax", {"line": 1, "column": 9, "reason": "delimiter"}),
    "unknown key": (file(layers=3), "file.unknown_key", {"place": "", "key": "layers"}),
    "misspelt key": (in_head("W_q", [[1]]), "file.unknown_key", {"place": "heads[1]", "key": "W_q"}),
    "unknown key of the mask": (
        file(mask={"kind": "causal", "on": True}),
        "file.unknown_key",
        {"place": "mask", "key": "on", "known": ("kind", "left", "right", "allow")},
    ),
    "key with quotes": (file(**{"a`b\" - at `c": 1}), "file.unknown_key", {"place": "", "key": "a`b\" - at `c"}),
    "key twice": (replaced('"X":', '"source": "qkv", "X":'), "file.duplicate_key", {"key": "source", "line": 1}),
    "no tokens key": (without("tokens"), "file.missing_key", {"place": "", "key": "tokens"}),
    "no source": (without("source"), "file.missing_key", {"place": "", "key": "source"}),
    "no kind": (file(mask={}), "file.missing_key", {"place": "mask", "key": "kind"}),
    "factor without value": (file(scale={"kind": "factor"}), "file.missing_key", {"place": "scale", "key": "value"}),
    "text as number": (in_head("W_Q", [[1], ["2"]]), "file.type", {"place": "heads[1].W_Q[1][0]", "actual": "str"}),
    "true as number": (in_head("W_Q", [[True], [2]]), "file.type", {"place": "heads[1].W_Q[0][0]", "actual": "bool"}),
    "null as number": (in_head("W_Q", [[1], [None]]), "file.type", {"place": "heads[1].W_Q[1][0]", "actual": "null"}),
    "one as true": (in_head("enabled", 1), "file.type", {"place": "heads[1].enabled", "expected": ("bool",)}),
    "number as token": (file(tokens=["a", 2, "c"]), "file.type", {"place": "tokens[1]", "expected": ("str",)}),
    "flat matrix": (file(X=[1, 2, 3]), "file.type", {"place": "X[0]", "expected": ("array",), "actual": "int"}),
    "cube": (file(X=[[[1]]] * 3), "file.type", {"place": "X[0][0]", "expected": ("float",), "actual": "array"}),
    "null as mask": (file(mask=None), "file.type", {"place": "mask", "actual": "null"}),
    "NaN": (replaced("[3, 4]", "[3, NaN]"), "file.not_finite", {"place": "X[1][1]"}),
    "Infinity": (replaced("[3, 4]", "[-Infinity, 4]"), "file.not_finite", {"place": "X[1][0]", "value": -math.inf}),
    "1e400": (replaced("[3, 4]", "[3, 1e400]"), "file.not_finite", {"place": "X[1][1]", "value": math.inf}),
    "huge integer": (replaced("[3, 4]", f"[3, {HUGE_INTEGER}]"), "file.not_finite", {"place": "X[1][1]"}),
    "huge base": (
        file(positional={"kind": "sinusoidal", "base": 1}).replace(b'"base": 1', b'"base": 1e999'),
        "file.not_finite",
        {"place": "positional.base"},
    ),
    "ragged": (file(X=[[1, 2], [3, 4], [5]]), "rows.ragged", {"place": "X", "row": 2, "expected": 2, "actual": 1}),
    "ragged in a head": (in_head("W_V", [[1, 2, 3], [4, 5]]), "rows.ragged", {"place": "heads[1].W_V", "row": 1}),
    "ragged mask": (
        file(mask={"kind": "custom", "allow": [[True, True, True], [True], [True] * 3]}),
        "rows.ragged",
        {"place": "mask.allow", "row": 1, "expected": 3, "actual": 1},
    ),
    "numbers in the mask": (
        file(mask={"kind": "custom", "allow": [[1, 0, 0]] * 3}),
        "file.type",
        {"place": "mask.allow[0][0]", "expected": ("bool",), "actual": "int"},
    ),
    "empty matrix": (file(X=[]), "shape.empty", {"name": "X"}),
    "empty rows": (file(X=[[], [], []]), "shape.empty", {"name": "X"}),
    "empty bias": (in_head("b_V", []), "shape.empty", {"name": "heads[1].b_V"}),
    "too few rows": (file(X=[[1, 2], [3, 4]]), "shape", {"name": "X", "expected": (3, 2), "actual": (2, 2)}),
    "other width in a head": (
        in_head("W_Q", [[1, 1], [2, 2]]),
        "shape",
        {"name": "heads[1].W_Q", "expected": (2, 1), "actual": (2, 2)},
    ),
    "W_O too low": (
        file(W_O=[[1, 2]] * 5),
        "output.height",
        {"expected": 6, "h": 2, "v": 3, "actual": (5, 2)},
    ),
    "W_O too wide": (file(W_O=[[1, 2, 3]] * 6), "shape", {"name": "W_O", "expected": (6, 2), "actual": (6, 3)}),
    "b_O alone": (file(b_O=[1, 2]), "output.bias_without_weights", {}),
    "no heads": (file(heads=[]), "document.no_heads", {}),
    "no tokens": (file(tokens=[]), "document.no_tokens", {}),
    "no X": (without("X"), "source.X_missing", {}),
    "X beside Q": (file(source="qkv"), "source.qkv_with_X", {}),
    "weights missing": (without("heads", 1, "W_K"), "head.missing", {"head": 1, "name": "W_K"}),
    "Q beside weights": (in_head("Q", [[1]] * 3), "head.unexpected", {"head": 1, "name": "Q"}),
    "unknown source": (file(source="words"), "kind.unknown", {"place": "source", "kind": "words"}),
    "unknown scale": (file(scale={"kind": "half"}), "kind.unknown", {"place": "scale.kind", "kind": "half"}),
    "learned without P": (file(positional={"kind": "learned"}), "positional.P_missing", {}),
    "P of another size": (
        file(positional={"kind": "none", "P": [[1, 2]]}),
        "shape",
        {"name": "positional.P", "expected": (3, 2), "actual": (1, 2)},
    ),
    "base 0": (file(positional={"kind": "rotary", "base": 0}), "positional.base", {"value": 0.0}),
    "slopes for another number of heads": (
        file(positional={"kind": "alibi", "slopes": [1, 2, 3]}),
        "shape",
        {"name": "positional.slopes", "expected": (2,), "actual": (3,)},
    ),
    "negative reach": (
        file(mask={"kind": "window", "left": -1}),
        "mask.negative",
        {"place": "mask.left", "value": -1},
    ),
    "reach with decimals": (
        file(mask={"kind": "window", "left": 1.5}),
        "file.type",
        {"place": "mask.left", "expected": ("int", "null"), "actual": "float"},
    ),
    "custom without allow": (file(mask={"kind": "custom"}), "mask.allow_missing", {}),
    "pin at no stage": (
        file(pins=[{"stage": "logits", "index": [0, 0], "value": 1}]),
        "pin.stage",
        {"place": "pins[0]", "stage": "logits"},
    ),
    "pin beyond the edge": (
        file(pins=[{"stage": "weights", "index": [0, 3, 0], "value": 1}]),
        "pin.index",
        {"place": "pins[0]", "index": (0, 3, 0), "shape": (2, 3, 3)},
    ),
    "pin with too few axes": (
        file(pins=[{"stage": "weights", "index": [0, 0], "value": 1}]),
        "pin.index",
        {"place": "pins[0]", "index": (0, 0)},
    ),
    "pin counted from the end": (
        file(pins=[{"stage": "Y", "index": [-1, 0], "value": 1}]),
        "pin.index",
        {"place": "pins[0]"},
    ),
    "pin twice": (
        file(pins=[{"stage": "Y", "index": [1, 0], "value": value} for value in (1, 2)]),
        "pin.twice",
        {"place": "pins[1]"},
    ),
    "too deep": (replaced("[3, 4]", "[" * 100_000 + "]" * 100_000), "file.type", {"place": "X[1][0]"}),
    "too deep at an unknown key": (
        replaced('"X":', '"Z": ' + "[" * 100_000 + "]" * 100_000 + ', "X":'),
        "file.too_deep",
        {},
    ),
    "open without end": (b"[" * 100_000, "file.type", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_with_the_place(name: str) -> None:
    data, code, details = BAD[name]
    with pytest.raises(Problem) as caught:
        loads(data)
    problem = caught.value
    if name.startswith(("too deep", "open")) and problem.code != code:  # how deep is too deep depends on the machine
        assert problem.code in ("file.too_deep", "file.syntax")
        return
    assert problem.code == code
    for key, value in details.items():
        assert problem.data[key] == value, key
        assert type(problem.data[key]) is type(value), key


def test_the_small_file_itself_is_good() -> None:
    assert loads(file()).sizes == {"n": 3, "d": 2, "h": 2, "k": 1, "v": 3, "c": 6, "o": 6}


def test_byte_order_mark_and_integers_are_understood() -> None:
    document = loads(b"\xef\xbb\xbf" + file())
    assert document.X is not None
    assert document.X.dtype == np.float64
    assert document.X.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_a_key_that_only_looks_repeated_is_fine() -> None:
    document = loads(file(tokens=["X", '{"X": 1, "X": 2}', "\\"], title='"source":"source":'))
    assert document.tokens[1] == '{"X": 1, "X": 2}'


@given(st.data())
def test_damaged_bytes_never_raise_anything_else(data: st.DataObject) -> None:
    content = bytearray((GOLDEN / "format-1.attn.json").read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.integers(0, 30))
        content[at : at + length] = data.draw(
            st.binary(max_size=6) | st.sampled_from([b"NaN", b"]", b"{", b'"', b"e9"])
        )
    try:
        document = loads(bytes(content))
    except Problem:
        return
    assert same(loads(dumps(document)), document)


def test_two_thousand_tokens() -> None:
    rng = np.random.default_rng(1)
    sizes = {"n": 2000, "d": 64, "h": 2, "k": 8, "v": 8}
    document = make(1, sizes=sizes).with_(X=frozen(rng.normal(size=(2000, 64))))
    assert same(loads(dumps(document)), document)


# The disk


def test_save_replaces_wholly_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "实验 1.attn.json"
    save(make(1), path)
    save(make(2), path)
    assert same(load(path), make(2))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.attn.json"
    save(make(1), path)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(archive_disk.os, "fsync", fail)
    with pytest.raises(Problem) as caught:
        save(make(2), path)
    assert caught.value.code == "file.unwritable"
    assert caught.value.data == {"path": str(path), "reason": "full", "detail": "No space left on device"}
    assert same(load(path), make(1))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize(
    ("name", "code", "reason"), [("none/x.json", "file.unreadable", "missing"), ("", "file.unreadable", "folder")]
)
def test_what_cannot_be_read_says_why(tmp_path: Path, name: str, code: str, reason: str) -> None:
    with pytest.raises(Problem) as caught:
        load(tmp_path / name)
    assert (caught.value.code, caught.value.data["reason"]) == (code, reason)
    assert caught.value.data["path"] == str(tmp_path / name)


@pytest.mark.parametrize(("name", "reason"), [("none/x.json", "missing"), ("", "folder"), ("a" * 300, "name")])
def test_what_cannot_be_written_says_why(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(Problem) as caught:
        save(make(), tmp_path / name)
    assert (caught.value.code, caught.value.data["reason"]) == ("file.unwritable", reason)


def test_a_path_with_a_zero_byte_is_a_problem_too(tmp_path: Path) -> None:
    for call in (load, lambda path: save(make(), path)):
        with pytest.raises(Problem):
            call(f"{tmp_path}/a\0b")


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX knows them")
def test_permissions_stay_and_new_files_follow_the_umask(tmp_path: Path) -> None:
    path = tmp_path / "x.attn.json"
    old = os.umask(0o027)
    try:
        save(make(1), path)
    finally:
        os.umask(old)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    path.chmod(0o604)
    save(make(2), path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need rights elsewhere")
def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "x.attn.json", tmp_path / "link.attn.json"
    save(make(1), target)
    link.symlink_to(target)
    save(make(2), link)
    assert link.is_symlink()
    assert same(load(target), make(2))


def test_a_file_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.attn.json"
    save(make(), path)
    monkeypatch.setattr(archive_disk, "LARGEST_FILE", 100)
    with pytest.raises(Problem) as caught:
        load(path)
    assert caught.value.code == "file.too_large"


def test_the_experiments_in_the_description_of_the_format_open() -> None:
    text = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in text.split("```json\n")[1:]]
    whole = [block for block in blocks if '"format"' in block]
    assert [loads(block.encode()).source for block in whole] == ["embeddings", "qkv"]
    (pin,) = [json.loads(block) for block in blocks if '"format"' not in block]
    assert loads(file(pins=[pin])).pins == (Pin("weights", (0, 2, 1), 0.5),)
    keys = {f.name for kind in (Document, Head, Positional, Mask, Scale, Pin) for f in fields(kind)} - {"filled"}
    assert {key for key in keys if not re.search(rf'[`"]{key}[`".]', text)} == set()
