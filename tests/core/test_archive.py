"""Experiment files: exact both ways, old ones open forever, bad ones are refused with the place."""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.base.arrays import frozen
from core.compute.trace import run
from core.document.document import (
    Context,
    Document,
    Head,
    Layer,
    Mask,
    Mlp,
    Norm,
    Output,
    Pin,
    Positional,
    Sampling,
    Scale,
    Softmax,
)
from core.document.parts import Norms
from core.storage.archive import dumps, load, loads, save
from tests.core.documents import documents, make

GOLDEN = Path(__file__).parents[1] / "golden"
FORMAT_1 = [
    f"format-1{part}.attn.json" for part in ("", "-qkv", "-softmax", "-context", "-context-qkv")
]
FINITE = st.floats(allow_nan=False, allow_infinity=False)
PARTS = (Document, Context, Head, Positional, Mask, Scale, Softmax, Pin)
STACK_PARTS = (Layer, Norms, Norm, Mlp, Output, Sampling)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)


def same(a: Any, b: Any) -> bool:
    """Equal in every field, numbers to the last bit."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return (
            isinstance(b, np.ndarray)
            and isinstance(a, np.ndarray)
            and a.dtype == b.dtype
            and (a.shape == b.shape and a.tobytes() == b.tobytes())
        )
    if isinstance(a, tuple):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, (*PARTS, *STACK_PARTS)):
        return type(a) is type(b) and all(
            same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a)
        )
    if isinstance(a, float):
        return isinstance(b, float) and a.hex() == b.hex()
    return bool(a == b)


@given(documents(any_size=True))
def test_every_kind_of_experiment_comes_back_as_it_was(document: Document) -> None:
    assert same(loads(dumps(document)), document)


@given(
    st.lists(FINITE, min_size=6, max_size=6),
    FINITE,
    TEXTS,
    TEXTS,
    st.lists(TEXTS, min_size=3, max_size=3),
)
def test_every_number_and_every_text_comes_back_to_the_last_bit(
    numbers: list[float], value: float, title: str, name: str, tokens: list[str]
) -> None:
    matrix = frozen(np.array(numbers).reshape(3, 2))
    document = Document(
        tokens=tuple(tokens),
        title=title,
        notes=title + name,
        source="qkv",
        heads=(Head(name=name, Q=matrix, K=matrix, V=matrix),),
        scale=Scale("factor", value) if abs(value) < 1e308 else Scale(),
        pins=(Pin("scores", (0, 2, 1), value),),
    )
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
    assert document.sizes == {"n": 5, "m": 5, "d": 6, "h": 3, "k": 2, "v": 4, "c": 12, "o": 6}
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
    assert document.sizes | {"d": 0} == {
        "n": 3,
        "m": 3,
        "d": 0,
        "h": 2,
        "k": 2,
        "v": 4,
        "c": 8,
        "o": 8,
    }
    assert (document.mask.kind, document.mask.left, document.mask.right) == ("window", 1, 0)
    assert document.scale.kind == "none"


def test_format_2_with_given_weights_opens_forever() -> None:
    path = GOLDEN / "format-2-weights.attn.json"
    document = load(path)
    assert dumps(document) == path.read_bytes()
    assert (document.source, document.n, document.m, document.h) == ("weights", 2, 3, 2)
    assert document.uneven_rows == ((0, 1, pytest.approx(0.6)),)
    trace = run(document)
    assert list(trace) == ["V", "weights", "heads", "concat", "Y"]
    heads = [
        [[0.5 - 0.375, 1.3125, 1.25, 2.03125], [0.1 + 0.1 - 1.0, 0.75, 0.1, 0.4625]],
        [[1.0, 2.0, 3.0, 4.0], [-2.0, 1.0, 0.0, 0.125]],
    ]
    np.testing.assert_allclose(trace["heads"], heads, rtol=1e-12)
    joined = np.hstack([heads[0], np.zeros((2, 4))])
    np.testing.assert_allclose(trace["concat"], joined, rtol=1e-12)
    assert document.W_O is not None
    assert document.b_O is not None
    np.testing.assert_allclose(trace["Y"], joined @ document.W_O + document.b_O, rtol=1e-12)


def test_weights_alone_end_with_the_weights() -> None:
    given = make(3, source="weights", values=False)
    assert list(run(given)) == ["weights"]
    assert list(run(loads(dumps(given)))) == ["weights"]


def test_golden_files_use_every_key_of_the_format() -> None:
    used: set[str] = set()
    for path in GOLDEN.glob("format-*.attn.json"):
        json.loads(path.read_text(encoding="utf-8"), object_hook=lambda found: used.update(found))
    known = {f.name for kind in (*PARTS, *STACK_PARTS) for f in fields(kind)}
    assert used >= (known | {"A"}) - {"filled", "of_layer", "weights", "link"}


@pytest.mark.parametrize("name", FORMAT_1)
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
    file = json.loads(
        dumps(make().with_(heads=tuple(replace(head, name="") for head in make().heads)))
    )
    assert set(file) == {"format", "version", "tokens", "source", "X", "heads"}
    assert set(file["heads"][0]) == {"W_Q", "W_K", "W_V"}


def test_non_ascii_stands_as_it_is() -> None:
    assert "小猫🐟" in dumps(make().with_(title="小猫🐟")).decode()


def test_two_thousand_tokens() -> None:
    rng = np.random.default_rng(1)
    sizes = {"n": 2000, "d": 64, "h": 2, "k": 8, "v": 8}
    document = make(1, sizes=sizes).with_(X=frozen(rng.normal(size=(2000, 64))))
    assert same(loads(dumps(document)), document)


def test_the_experiments_in_the_description_of_the_format_open() -> None:
    text = (Path(__file__).parents[2] / "docs" / "format.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in text.split("```json\n")[1:]]
    whole = [block for block in blocks if '"self-attention-experiment"' in block]
    assert [loads(block.encode()).source for block in whole] == [
        "embeddings",
        "qkv",
        "weights",
        "embeddings",
        "embeddings",
    ]
    assert [bool(loads(block.encode()).layers) for block in whole] == [False] * 4 + [True]
    (pin,) = [json.loads(block) for block in blocks if block.startswith('{"stage"')]
    assert loads(
        dumps(make(source="qkv"))[:-3] + b', "pins": [' + json.dumps(pin).encode() + b"]}"
    ).pins == (Pin("weights", (0, 2, 1), 0.5),)
    keys = {f.name for kind in (*PARTS, *STACK_PARTS) for f in fields(kind)} - {
        "filled",
        "of_layer",
        "link",
    }
    assert {key for key in keys if not re.search(rf'[`"]{key}[`".]', text)} == set()
