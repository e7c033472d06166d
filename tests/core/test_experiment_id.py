"""The id of an experiment, against the bytes that docs/format.md writes down."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.cell import Cell
from core.classroom.experiment_id import experiment_id
from core.document.document import Document, Pin, Positional, Softmax
from core.document.edits import with_cell, with_head_enabled
from core.storage.archive import dumps, loads
from core.storage.examples import EXAMPLES, example_path, load_example
from tests.core.documents import make
from tests.core.stacks import make_stack

FORMAT = Path(__file__).resolve().parents[2] / "docs/format.md"
NUMBERS = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "Q", "K", "A", "V")


def record(name: str, value: Any) -> bytes:
    """A record from plain JSON values, without NumPy."""
    if isinstance(value, str):
        return f"{name} {value}\n".encode("ascii")
    rows = value if isinstance(value, list) else [value]
    shape, flat = str(len(rows)), rows
    if isinstance(rows[0], list):
        shape, flat = f"{len(rows)}x{len(rows[0])}", [number for row in rows for number in row]
    return f"{name} {shape}\n".encode("ascii") + struct.pack(
        f"<{len(flat)}d", *(x or 0.0 for x in flat)
    )


def from_file(file: dict[str, Any]) -> str:
    """The id from the JSON of an experiment file, straight down the page of the format."""
    parts: list[bytes] = []

    def add(name: str, value: Any) -> None:
        if value is not None:
            parts.append(record(name, value))

    def add_heads(heads: list[dict[str, Any]], prefix: str) -> None:
        for number, head in enumerate(heads):
            for key in NUMBERS:
                add(f"{prefix}{key}[{number}]", head.get(key))

    def add_off(heads: list[dict[str, Any]], prefix: str) -> None:
        for number, head in enumerate(heads):
            if head.get("kv_from") is not None:
                add(f"{prefix}heads[{number}].kv_from", str(head["kv_from"]))
            if head.get("enabled") is False:
                add(f"{prefix}heads[{number}].enabled", "false")

    def on(part: dict[str, Any] | None) -> bool:
        return part is not None and part.get("enabled", True)

    def norms(layer: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        norm = layer.get("norm", {})
        found = [("attention_norm", norm["attention"])] if on(norm.get("attention")) else []
        if on(norm.get("mlp")) and on(layer.get("mlp")):
            found.append(("mlp_norm", norm["mlp"]))
        return found

    positional = file.get("positional", {"kind": "none"})
    mask, scale = file.get("mask", {"kind": "none"}), file.get("scale", {"kind": "sqrt_dk"})
    layers = file.get("layers", [])
    add("X", file.get("X"))
    if "context" in file:
        add("X_context", file["context"].get("X"))
        if positional["kind"] == "learned":
            add("P_context", file["context"].get("P"))
    for name in ("embedding_norm",) if layers else ():
        if on(file.get(name)):
            for key in ("gamma", "beta"):
                add(f"{name}.{key}", file[name].get(key))
    add_heads(file.get("heads", []), "")
    for name in ("W_O", "b_O"):
        add(name, file.get(name))
    for number, layer in enumerate(layers, 1):
        if not on(layer):
            continue
        add_heads(layer["heads"], f"L{number}.")
        for name in ("W_O", "b_O"):
            add(f"L{number}.{name}", layer.get(name))
        for name, norm in norms(layer):
            for key in ("gamma", "beta"):
                add(f"L{number}.{name}.{key}", norm.get(key))
        if on(layer.get("mlp")):
            for name in ("W_1", "b_1", "W_gate", "b_gate", "W_2", "b_2"):
                add(f"L{number}.{name}", layer["mlp"].get(name))
    if on(file.get("final_norm")):
        for key in ("gamma", "beta"):
            add(f"final_norm.{key}", file["final_norm"].get(key))
    for name in ("W_U", "b_U"):
        add(name, file.get("output", {}).get(name))
    if positional["kind"] == "learned":
        add("P", positional["P"])
    if positional["kind"] == "alibi":
        add("slopes", positional.get("slopes"))
    if mask["kind"] == "custom":
        add("allow", mask["allow"])

    add("positional", positional["kind"])
    if positional["kind"] in ("sinusoidal", "rotary"):
        add("positional.base", positional.get("base", 10000))
    add("mask", mask["kind"])
    for name in ("left", "right") if mask["kind"] == "window" else ():
        add(f"mask.{name}", mask.get(name))
    add("scale", scale["kind"])
    if scale["kind"] == "factor":
        add("scale.value", scale["value"])
    softmax = file.get("softmax", {})
    add("softmax.base", str(softmax.get("base", "e")))
    add("softmax.shift", "true" if softmax.get("shift", True) else "false")
    add_off(file.get("heads", []), "")

    def add_norm(name: str, norm: dict[str, Any] | None, kind: str, eps: float) -> None:
        if on(norm):
            add(name, kind)
            add(f"{name}.eps", eps)

    def add_outer(name: str) -> None:
        norm = file.get(name)
        if norm is not None:
            add_norm(name, norm, norm.get("kind", "layer"), norm.get("eps", 1e-5))

    add_outer("embedding_norm")
    for number, layer in enumerate(layers, 1):
        if not on(layer):
            add(f"L{number}.enabled", "false")
            continue
        add(f"L{number}.residual", "true" if layer.get("residual", True) else "false")
        add_off(layer["heads"], f"L{number}.")
        whole = layer.get("norm", {})
        if norms(layer):
            add(f"L{number}.norm.place", whole.get("place", "pre"))
        for name, norm in norms(layer):
            kind, eps = whole.get("kind", "layer"), whole.get("eps", 1e-5)
            add_norm(f"L{number}.{name}", norm, kind, eps)
        if on(layer.get("mlp")):
            add(f"L{number}.mlp", layer["mlp"].get("activation", "relu"))
    add_outer("final_norm")
    return hashlib.sha256(b"".join(parts)).hexdigest()


def of_document(document: Document) -> str:
    return from_file(json.loads(dumps(document)))


def test_the_worked_value_of_the_page() -> None:
    page = FORMAT.read_text(encoding="utf-8")
    found = re.search(r"gives (\d+) bytes: `Q\[0\] 3x2`, a line feed, `([0-9a-f\s]+)`", page)
    assert found is not None
    numbers = [0.2, 0.8, 0.5, 0.5, 0.9, 0.1]
    assert bytes.fromhex("".join(found[2].split())) == struct.pack("<6d", *numbers)
    lines = re.search(r"then the lines\n\n```\n(.+?)```", page, re.DOTALL)
    assert lines is not None
    head = json.loads(example_path("cat-eats-fish").read_bytes())["heads"][0]
    data = b"".join(record(f"{key}[0]", head[key]) for key in "QKV") + lines[1].encode()
    assert len(data) == int(found[1])
    digest = hashlib.sha256(data).hexdigest()
    assert f"Its id is `{digest}`" in page
    assert experiment_id(load_example("cat-eats-fish")) == digest


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_match_the_page(example: str) -> None:
    assert experiment_id(load_example(example)) == of_document(load_example(example))


@pytest.mark.parametrize(
    "document",
    [
        make(1, positional="learned", mask="window", scale="factor", biases=True, output=True),
        make(2, positional="alibi", slopes=True, mask="custom", base="2", shift=False, off=(1,)),
        make(3, positional="learned", context=3, mask="causal", pins=2),
        make(4, positional="rotary", source="qkv", context=4),
        make(5, source="weights", output=True),
        make_stack(6, gate=True, borrowed=True, off=(0,)),
        make_stack(7, positional="alibi", norm="rms", place="post", residual=False),
    ],
)
def test_every_part_matches_the_page(document: Document) -> None:
    assert experiment_id(document) == of_document(document)


def test_switched_off_parts_of_stacks_match_the_page() -> None:
    file = json.loads(dumps(make_stack(8)))
    file["layers"][0]["mlp"]["enabled"] = False
    one = loads(json.dumps(file).encode())
    assert experiment_id(one) == of_document(one)
    file["layers"][-1]["enabled"] = False
    two = loads(json.dumps(file).encode())
    assert experiment_id(two) == of_document(two)
    assert len({experiment_id(one), experiment_id(two), experiment_id(make_stack(8))}) == 3


CHANGES: dict[str, Callable[[Document], Document]] = {
    "a number": lambda d: with_cell(d, Cell("W_Q", 0, 0, 1), 0.125),
    "mask": lambda d: d.with_(mask=replace(d.mask, kind="causal")),
    "positions": lambda d: d.with_(positional=Positional("rotary")),
    "base of positions": lambda d: d.with_(positional=Positional("rotary", 500.0)),
    "scale": lambda d: d.with_(scale=replace(d.scale, kind="none")),
    "softmax": lambda d: d.with_(softmax=Softmax("2")),
    "a head off": lambda d: with_head_enabled(d, 0, False),
}
WITHOUT_EFFECT: dict[str, Callable[[Document], Document]] = {
    "tokens": lambda d: d.with_(tokens=tuple("vwxyz")),
    "title": lambda d: d.with_(title="other", notes="other"),
    "names": lambda d: d.with_(heads=tuple(replace(head, name="name") for head in d.heads)),
    "pins": lambda d: d.with_(pins=(Pin("scores", (0, 0, 0), 3.0),)),
    "unused positions": lambda d: d.with_(positional=Positional(P=np.ones((5, 6)))),
    "minus zero": lambda d: with_cell(d, Cell("X", 0, 0), -0.0),
}


def test_what_changes_numbers_changes_the_id() -> None:
    document = make(9)
    ids = {name: experiment_id(change(document)) for name, change in CHANGES.items()}
    assert len({experiment_id(document), *ids.values()}) == len(CHANGES) + 1


@pytest.mark.parametrize("change", WITHOUT_EFFECT)
def test_what_names_things_does_not(change: str) -> None:
    document = with_cell(make(9), Cell("X", 0, 0), 0.0)
    assert experiment_id(WITHOUT_EFFECT[change](document)) == experiment_id(document)
