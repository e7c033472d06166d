"""Files that cannot be read are refused, with the place and what would be right."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.errors import UserError
from core.storage.archive import dumps, loads

GOLDEN = Path(__file__).parents[1] / "golden"


def file(change: Callable[[dict[str, Any]], object] | None = None, /, **keys: Any) -> bytes:
    """A small valid file, changed."""
    content: dict[str, Any] = {
        "format": "self-attention-experiment",
        "version": 1,
        "tokens": ["a", "b", "c"],
        "source": "embeddings",
        "X": [[1, 2], [3, 4], [5, 6]],
        "heads": [
            {"W_Q": [[1], [2]], "W_K": [[1], [2]], "W_V": [[1, 2, 3], [4, 5, 6]]} for _ in range(2)
        ],
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


def given_weights(change: dict[str, Any]) -> bytes:
    """A small valid file with given weights, changed."""
    content: dict[str, Any] = {
        "format": "self-attention-experiment",
        "version": 2,
        "tokens": ["a", "b"],
        "context": {"tokens": ["x", "y", "z"]},
        "source": "weights",
        "heads": [{"A": [[0.5, 0.5, 0], [0, 0, 1]]}],
        **change,
    }
    return json.dumps(content).encode()


HUGE_INTEGER = "9" * 400
BAD = {
    "empty": (b"", "file.empty", {}),
    "blank": (b" \n ", "file.empty", {}),
    "not an object": (
        b"[1, 2]",
        "file.type",
        {"place": "", "expected": ("object",), "actual": "array"},
    ),
    "other json": (b'{"a": 1}', "file.not_experiment", {"format": None}),
    "other format": (file(format="notes"), "file.not_experiment", {"format": "notes"}),
    "newer": (file(version=3), "file.newer", {"version": 3, "known": 2}),
    "version 2 for what is version 1": (
        file(version=2),
        "file.other_version",
        {"version": 2, "source": "embeddings", "own": 1},
    ),
    **{
        f"given weights: {name}": (given_weights(change), code, details)
        for name, (change, code, details) in {
            "version 1": ({"version": 1}, "file.other_version", {"version": 1, "own": 2}),
            "X": ({"X": [[1], [2]]}, "source.unused", {"name": "X"}),
            "mask": ({"mask": {"kind": "none"}}, "source.unused", {"name": "mask"}),
            "positions": (
                {"positional": {"kind": "rotary"}},
                "source.unused",
                {"name": "positional"},
            ),
            "scale": ({"scale": {"kind": "sqrt_dk"}}, "source.unused", {"name": "scale"}),
            "softmax": ({"softmax": {"base": 2}}, "source.unused", {"name": "softmax"}),
            "context.X": (
                {"context": {"tokens": ["x", "y", "z"], "X": [[1], [2], [3]]}},
                "source.unused",
                {"name": "context.X"},
            ),
            "projection": (
                {"heads": [{"A": [[1, 0, 0]] * 2, "W_Q": [[1]]}]},
                "head.unexpected",
                {"name": "W_Q", "head": 0},
            ),
            "queries": (
                {"heads": [{"A": [[1, 0, 0]] * 2, "Q": [[1]] * 2}]},
                "head.unexpected",
                {"name": "Q", "head": 0},
            ),
            "no A": ({"heads": [{"V": [[1]] * 3}]}, "head.missing", {"name": "A", "head": 0}),
            "V in one head": (
                {"heads": [{"A": [[1, 0, 0]] * 2, "V": [[1]] * 3}, {"A": [[1, 0, 0]] * 2}]},
                "head.missing",
                {"name": "V", "head": 1},
            ),
            "V in the other head": (
                {"heads": [{"A": [[1, 0, 0]] * 2}, {"A": [[1, 0, 0]] * 2, "V": [[1]] * 3}]},
                "head.missing",
                {"name": "V", "head": 0},
            ),
            "A of another shape": (
                {"heads": [{"A": [[1, 0, 0]] * 3}]},
                "shape",
                {"name": "heads[0].A", "expected": (2, 3), "actual": (3, 3)},
            ),
            "keys without a context": ({"context": None}, "shape", {"expected": (2, 2)}),
            "output without values": ({"W_O": [[1]]}, "output.without_values", {}),
            "a pin before the weights": (
                {"pins": [{"stage": "scores", "index": [0, 0, 0], "value": 1}]},
                "pin.stage",
                {"stage": "scores", "known": ("weights",)},
            ),
        }.items()
    },
    "A beside projections": (in_head("A", [[1] * 3] * 3), "head.unexpected", {"name": "A"}),
    "newer with unknown keys": (file(version=7, layers=[]), "file.newer", {"version": 7}),
    "version true": (file(version=True), "file.version", {"version": True}),
    "version 0": (file(version=0), "file.version", {"version": 0}),
    "version as text": (file(version="1"), "file.version", {"version": "1"}),
    "no version": (without("version"), "file.version", {"version": None}),
    "utf-16": (file().decode().encode("utf-16"), "file.encoding", {"line": 1, "byte": 1}),
    "latin-1": (b'{\n"title": "caf\xe9"}', "file.encoding", {"line": 2, "byte": 16}),
    "cut off": (file()[:-3], "file.syntax", {"line": 1}),
    "not json": (
        b'{\n  "a": 1,\n  b: 2\n}',
        "file.syntax",
        {"line": 3, "column": 3, "reason": "key"},
    ),
    "something after": (
        file() + b"\n7",
        "file.syntax",
        {"line": 2, "column": 1, "reason": "extra"},
    ),
    "missing comma": (
        b'{"a": 1 "b": 2}',
        "file.syntax",
        {"line": 1, "column": 9, "reason": "delimiter"},
    ),
    "unknown key": (file(blocks=3), "file.unknown_key", {"place": "", "key": "blocks"}),
    "layers with version 1": (file(layers=3), "stack.version", {"place": "version", "version": 1}),
    "misspelt key": (
        in_head("W_q", [[1]]),
        "file.unknown_key",
        {"place": "heads[1]", "key": "W_q"},
    ),
    "unknown key of the mask": (
        file(mask={"kind": "causal", "on": True}),
        "file.unknown_key",
        {"place": "mask", "key": "on", "known": ("kind", "left", "right", "allow")},
    ),
    "key with quotes": (
        file(**{'a`b" - at `c': 1}),
        "file.unknown_key",
        {"place": "", "key": 'a`b" - at `c'},
    ),
    "key twice": (
        replaced('"X":', '"source": "qkv", "X":'),
        "file.duplicate_key",
        {"key": "source", "line": 1},
    ),
    "key twice, once with an escape": (
        replaced('"X":', '"sour\\u0063e": "qkv", "X":'),
        "file.duplicate_key",
        {"key": "source", "line": 1},
    ),
    "no tokens key": (without("tokens"), "file.missing_key", {"place": "", "key": "tokens"}),
    "no source": (without("source"), "file.missing_key", {"place": "", "key": "source"}),
    "no kind": (file(mask={}), "file.missing_key", {"place": "mask", "key": "kind"}),
    "factor without value": (
        file(scale={"kind": "factor"}),
        "file.missing_key",
        {"place": "scale", "key": "value"},
    ),
    "text as number": (
        in_head("W_Q", [[1], ["2"]]),
        "file.type",
        {"place": "heads[1].W_Q[1][0]", "actual": "str"},
    ),
    "true as number": (
        in_head("W_Q", [[True], [2]]),
        "file.type",
        {"place": "heads[1].W_Q[0][0]", "actual": "bool"},
    ),
    "null as number": (
        in_head("W_Q", [[1], [None]]),
        "file.type",
        {"place": "heads[1].W_Q[1][0]", "actual": "null"},
    ),
    "one as true": (
        in_head("enabled", 1),
        "file.type",
        {"place": "heads[1].enabled", "expected": ("bool",)},
    ),
    "number as token": (
        file(tokens=["a", 2, "c"]),
        "file.type",
        {"place": "tokens[1]", "expected": ("str",)},
    ),
    "flat matrix": (
        file(X=[1, 2, 3]),
        "file.type",
        {"place": "X[0]", "expected": ("array",), "actual": "int"},
    ),
    "cube": (
        file(X=[[[1]]] * 3),
        "file.type",
        {"place": "X[0][0]", "expected": ("float",), "actual": "array"},
    ),
    "null as mask": (file(mask=None), "file.type", {"place": "mask", "actual": "null"}),
    "NaN": (replaced("[3, 4]", "[3, NaN]"), "file.not_finite", {"place": "X[1][1]"}),
    "Infinity": (
        replaced("[3, 4]", "[-Infinity, 4]"),
        "file.not_finite",
        {"place": "X[1][0]", "value": -math.inf},
    ),
    "1e400": (
        replaced("[3, 4]", "[3, 1e400]"),
        "file.not_finite",
        {"place": "X[1][1]", "value": math.inf},
    ),
    "huge integer": (
        replaced("[3, 4]", f"[3, {HUGE_INTEGER}]"),
        "file.not_finite",
        {"place": "X[1][1]"},
    ),
    "huge base": (
        file(positional={"kind": "sinusoidal", "base": 1}).replace(b'"base": 1', b'"base": 1e999'),
        "file.not_finite",
        {"place": "positional.base"},
    ),
    "ragged": (
        file(X=[[1, 2], [3, 4], [5]]),
        "rows.ragged",
        {"place": "X", "row": 2, "expected": 2, "actual": 1},
    ),
    "ragged in a head": (
        in_head("W_V", [[1, 2, 3], [4, 5]]),
        "rows.ragged",
        {"place": "heads[1].W_V", "row": 1},
    ),
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
    "too few rows": (
        file(X=[[1, 2], [3, 4]]),
        "shape",
        {"name": "X", "expected": (3, 2), "actual": (2, 2)},
    ),
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
    "W_O too wide": (
        file(W_O=[[1, 2, 3]] * 6),
        "shape",
        {"name": "W_O", "expected": (6, 2), "actual": (6, 3)},
    ),
    "b_O alone": (file(b_O=[1, 2]), "output.bias_without_weights", {}),
    "no heads": (file(heads=[]), "document.no_heads", {}),
    "no tokens": (file(tokens=[]), "document.no_tokens", {}),
    "no X": (without("X"), "source.X_missing", {}),
    "X beside Q": (file(source="qkv"), "source.qkv_with_X", {}),
    "weights missing": (without("heads", 1, "W_K"), "head.missing", {"head": 1, "name": "W_K"}),
    "Q beside weights": (in_head("Q", [[1]] * 3), "head.unexpected", {"head": 1, "name": "Q"}),
    "unknown source": (file(source="words"), "kind.unknown", {"place": "source", "kind": "words"}),
    "unknown scale": (
        file(scale={"kind": "half"}),
        "kind.unknown",
        {"place": "scale.kind", "kind": "half"},
    ),
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
    "too deep": (
        replaced("[3, 4]", "[" * 100_000 + "]" * 100_000),
        "file.type",
        {"place": "X[1][0]"},
    ),
    "too deep at an unknown key": (
        replaced('"X":', '"Z": ' + "[" * 100_000 + "]" * 100_000 + ', "X":'),
        "file.too_deep",
        {},
    ),
    "open without end": (b"[" * 100_000, "file.type", {}),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_refused_with_the_place(name: str) -> None:
    data, code, details = BAD[name]
    with pytest.raises(UserError) as caught:
        loads(data)
    problem = caught.value
    if (
        name.startswith(("too deep", "open")) and problem.code != code
    ):  # how deep is too deep depends on the machine
        assert problem.code in ("file.too_deep", "file.syntax")
        return
    assert problem.code == code
    for key, value in details.items():
        assert problem.data[key] == value, key
        assert type(problem.data[key]) is type(value), key


def test_the_small_file_itself_is_good() -> None:
    assert loads(file()).sizes == {"n": 3, "m": 3, "d": 2, "h": 2, "k": 1, "v": 3, "c": 6, "o": 6}


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
    except UserError:
        return
    assert dumps(loads(dumps(document))) == dumps(document)
