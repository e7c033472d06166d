"""GGUF files: quantised blocks against plain loops, models against the same ones in safetensors."""

from __future__ import annotations

import random
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.models import open_model
from core.models.forward import run_model
from core.models.gguf import Gguf, read_metadata
from tests.core.gguf_kit import (
    BLOCKS,
    gguf_bytes,
    gguf_tensors,
    random_blocks,
    settings_of,
    text,
    write_gguf,
)
from tests.core.model_kit import PlainModel, random_tensors

IDS = (3, 11, 7, 7, 2)
FAMILIES = ("llama", "qwen2", "gpt2", "bert")


@pytest.mark.parametrize("kind", BLOCKS)
def test_quantised_blocks(kind: int, tmp_path: Path) -> None:
    rows, across = 3, 2
    blocks = random_blocks(kind, rows * across)
    expected = [number for block in blocks for number in BLOCKS[kind][2](block)]
    width = len(expected) // rows
    tensors = {"before": ((5,), 0, bytes(20)), "a": ((rows, width), kind, b"".join(blocks))}
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf_bytes({"general.architecture": "llama"}, tensors))
    file = Gguf(path)
    assert file.shapes["a"] == (rows, width)
    found = np.array(expected).reshape(rows, width)
    np.testing.assert_allclose(file.read("a"), found, rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(file.read("a", [2, 0]), found[[2, 0]], rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(file.read("a", slice(1, 3)), found[1:], rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize(("kind", "name"), [(0, "<f4"), (1, "<f2"), (28, "<f8")])
def test_plain_numbers(kind: int, name: str, tmp_path: Path) -> None:
    numbers = np.random.default_rng(1).normal(size=(3, 5)).astype(name)
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf_bytes({"a": 1}, {"a": ((3, 5), kind, numbers.tobytes())}))
    np.testing.assert_array_equal(Gguf(path).read("a"), numbers)


def test_brain_floats(tmp_path: Path) -> None:
    """BF16 is the upper half of a number of 32 bits."""
    numbers = np.random.default_rng(1).normal(size=(3, 5)).astype("<f4")
    upper = (numbers.view("<u4") >> 16).astype("<u2")
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf_bytes({"a": 1}, {"a": ((3, 5), 30, upper.tobytes())}))
    cut = (upper.astype("<u4") << 16).view("<f4")
    np.testing.assert_array_equal(Gguf(path).read("a"), cut)
    np.testing.assert_allclose(cut, numbers, rtol=2**-7)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_model_is_that_of_its_safetensors(family: str, tmp_path: Path) -> None:
    tensors = random_tensors(family)
    model = open_model(write_gguf(tmp_path / "m.gguf", family, tensors))
    plain = PlainModel(family, tensors, sliding_window=None, max_window_layers=0)
    plain.config.pop("sliding_window")
    plain.run(IDS)
    done = run_model(model, IDS)
    assert (model.architecture, model.heads) == (family, len(plain.weights[0]))
    np.testing.assert_allclose(done.weights, np.array(plain.weights), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(done.final, plain.final, rtol=1e-5, atol=1e-6)
    if plain.logits is not None:
        logits = model.logits(done.final)
        np.testing.assert_allclose(logits, plain.logits, rtol=1e-5, atol=1e-5)


def test_settings_can_be_read_alone(tmp_path: Path) -> None:
    settings = {"tokenizer.ggml.tokens": ["a", "Ġb"], "scores": [0.5, -2.0], "flag": True, "n": 7}
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf_bytes(settings, {}))
    found = read_metadata(path)
    assert list(found) == list(settings)
    assert found["tokenizer.ggml.tokens"] == ["a", "Ġb"]
    assert (found["flag"], found["n"]) == (True, 7)
    assert list(np.asarray(found["scores"])) == [0.5, -2.0]


def refusal(path: Path) -> UserError:
    with pytest.raises(UserError) as caught:
        run_model(open_model(path), IDS)
    return caught.value


def test_settings_that_ask_for_nothing(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"llama.logit_scale": 1.0, "llama.expert_count": 0}
    settings["llama.vocab_size"] = 19
    settings |= {"llama.attention.sliding_window": 12, "llama.rope.scaling.type": "none"}
    path = write_gguf(tmp_path / "m.gguf", "llama", random_tensors("llama"), **settings)
    assert open_model(path).architecture == "llama"


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"general.architecture": "gemma2"}, "model.family"),
        ({"llama.rope.scaling.type": "yarn"}, "model.setting"),
        ({"llama.expert_count": 8}, "model.setting"),
        ({"llama.logit_scale": 0.5}, "model.setting"),
        ({"llama.attention.sliding_window": 3}, "model.setting"),
        ({"llama.something_new": 1}, "model.setting"),
        ({"llama.rope.dimension_count": 2}, "model.setting"),
        ({"llama.attention.head_count": 5}, "model.divides"),
        ({"llama.block_count": 3}, "model.missing"),
        ({"llama.block_count": "2"}, "model.value"),
        ({"general.alignment": 0}, "model.value"),
    ],
)
def test_settings_that_are_not_computed(
    settings: dict[str, Any], code: str, tmp_path: Path
) -> None:
    path = write_gguf(tmp_path / "m.gguf", "llama", random_tensors("llama"), **settings)
    problem = refusal(path)
    assert (problem.code, problem.data["path"]) == (code, str(path))


HEAD = b"GGUF" + struct.pack("<I", 3)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "model.gguf_version"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "model.gguf_version"),
        (HEAD + struct.pack("<QQ", 1 << 60, 0), "model.gguf"),
        (HEAD + struct.pack("<QQ", 0, 1 << 60), "model.gguf"),
        (HEAD + struct.pack("<QQQ", 0, 1, 1 << 60), "model.gguf"),
        (
            HEAD + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<IIQ", 9, 4, 1 << 61),
            "model.gguf",
        ),
        (
            HEAD + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<IIQ", 9, 8, 1 << 61),
            "model.gguf",
        ),
        (HEAD + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<IIQ", 9, 9, 1), "model.gguf"),
        (HEAD + struct.pack("<QQ", 0, 1) + text("a") + struct.pack("<I", 77), "model.gguf"),
        (HEAD, "model.gguf"),
        (b"something else", "model.gguf"),
    ],
)
def test_headers(data: bytes, code: str, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    assert refusal(path).code == code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (((19, 10), 10, b""), "model.numbers"),  # Q2_K
        (((19, 10), 2, b""), "model.tensor"),  # 10 numbers are no block of 32
        (((1 << 40, 1 << 20), 0, b""), "model.tensor"),
        (((0, 10), 0, b""), "model.tensor"),
        (((19, 11), 0, bytes(836)), "model.shape"),
    ],
)
def test_tensors(change: tuple[tuple[int, ...], int, bytes], code: str, tmp_path: Path) -> None:
    tensors = gguf_tensors("llama", random_tensors("llama"))
    tensors["token_embd.weight"] = change
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_bytes(settings_of("llama"), tensors))
    assert refusal(path).code == code


def test_damaged_bytes(tmp_path: Path) -> None:
    """Changed and cut files end in an error for people, or in numbers."""
    path, draw = write_gguf(tmp_path / "m.gguf", "llama", random_tensors("llama")), random.Random(5)
    whole = path.read_bytes()
    for _ in range(200):
        data = bytearray(whole)
        for _ in range(draw.randint(1, 3)):
            place = draw.randrange(min(len(data), 2500))
            if draw.random() < 0.8:
                data[place] = draw.randrange(256)
            else:
                del data[place : place + draw.randint(1, 60)]
        path.write_bytes(data)
        try:
            done = run_model(open_model(path), IDS)
        except UserError:
            continue
        assert np.isfinite(done.final).all()
