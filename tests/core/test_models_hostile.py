"""Damaged and hostile checkpoints are refused with a sentence that names the file."""

from __future__ import annotations

import json
import pickle
import random
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.base.errors import UserError
from core.models import open_model
from core.models.forward import run_model
from core.models.safetensors import Safetensors
from tests.core.model_kit import (
    CONFIGS,
    Tensors,
    random_tensors,
    safetensors_bytes,
    write_checkpoint,
)

IDS = (1, 2)


def refusal(path: Path) -> UserError:
    """The error of opening and running a model."""
    with pytest.raises(UserError) as caught:
        run_model(open_model(path), IDS)
    return caught.value


def with_header(change: Callable[[dict[str, Any]], None], tensors: Tensors) -> bytes:
    data = safetensors_bytes(tensors)
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    change(header)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + size :]


def moved(name: str, start: int, end: int) -> Callable[[dict[str, Any]], None]:
    """Move the place of a tensor."""

    def change(header: dict[str, Any]) -> None:
        offsets = header[name]["data_offsets"]
        header[name]["data_offsets"] = [offsets[0] + start, offsets[1] + end]

    return change


def changed(name: str, **values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda header: header[name].update(values)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (moved("h.1.ln_1.bias", -4, -4), "model.tensor"),  # overlaps, and leaves a gap
        (moved("h.1.ln_1.bias", 4, 4), "model.tensor"),
        (moved("h.1.ln_1.bias", 1 << 40, 1 << 40), "model.tensor"),
        (moved("h.1.ln_1.bias", 0, 4), "model.tensor"),
        (moved("wte.weight", -(1 << 40), -(1 << 40)), "model.tensor"),
        (changed("wte.weight", shape=[-1, 8]), "model.tensor"),
        (changed("wte.weight", shape=[1 << 62, 1 << 62]), "model.tensor"),
        (changed("wte.weight", shape=[8, 23]), "model.shape"),
        (changed("wte.weight", dtype="F4"), "model.numbers"),
        (changed("wte.weight", dtype="I32"), "model.numbers"),
        (changed("wte.weight", more=1), "model.tensor"),
        (lambda header: header.pop("h.2.ln_1.bias"), "model.tensor"),  # a gap
    ],
)
def test_headers(change: Callable[[dict[str, Any]], None], code: str, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "m", "gpt2")
    (folder / "model.safetensors").write_bytes(with_header(change, random_tensors("gpt2")))
    problem = refusal(folder)
    assert (problem.code, problem.data["path"]) == (code, str(folder / "model.safetensors")) or (
        (problem.code, problem.data["path"]) == (code, str(folder))
    )


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (struct.pack("<Q", 1 << 60) + b"{}", "model.header"),
        (struct.pack("<Q", (1 << 64) - 1) + b"{}", "model.header"),
        (b"", "model.short"),
        (b"1234567", "model.short"),
        (struct.pack("<Q", 2) + b"[]", "model.header_text"),
        (struct.pack("<Q", 2) + b"{]", "model.header_text"),
        (struct.pack("<Q", 2) + b"{}" + b"rest", "model.rest"),
        (struct.pack("<Q", 2) + b"{}", "model.missing"),
        (struct.pack("<Q", 100_000) + b"[" * 100_000, "model.header_text"),
        (pickle.dumps({"weight": [1.0] * 20}), "model.pickle"),
        (pickle.dumps({"weight": [1.0] * 20}, protocol=2), "model.pickle"),
        (b"PK\x03\x04" + b"\0" * 100, "model.pickle"),
    ],
)
def test_files_that_are_no_safetensors(data: bytes, code: str, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "m", "gpt2")
    (folder / "model.safetensors").write_bytes(data)
    assert refusal(folder).code == code


def test_a_pickle_is_told_by_its_content(tmp_path: Path) -> None:
    """A header of 640 bytes begins like a pickle of protocol 2, and is none."""
    tensors = {"a": np.zeros((2, 3), np.float32)}
    data = safetensors_bytes(tensors)
    size = int.from_bytes(data[:8], "little")
    padded = struct.pack("<Q", 640) + data[8 : 8 + size].ljust(640) + data[8 + size :]
    assert padded[:2] == b"\x80\x02"
    path = tmp_path / "a.safetensors"
    path.write_bytes(padded)
    assert Safetensors(path).shapes == {"a": (2, 3)}


def test_a_folder_with_pickled_weights_alone(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "m", "gpt2")
    (folder / "model.safetensors").unlink()
    assert refusal(folder).code == "model.nothing"
    with zipfile.ZipFile(folder / "pytorch_model.bin", "w") as archive:
        archive.writestr("data.pkl", b"")
    assert refusal(folder).code == "model.pickle"


@pytest.mark.parametrize(
    ("key", "value", "code"),
    [
        ("model_type", "t5", "model.family"),
        ("model_type", None, "model.key"),
        ("model_type", ["gpt2"], "model.family"),
        ("n_layer", 10**9, "model.value"),
        ("n_layer", 4, "model.missing"),
        ("n_layer", 2, "model.extra"),
        ("n_head", 3, "model.divides"),
        ("n_head", 0, "model.value"),
        ("n_head", True, "model.value"),
        ("n_head", "2", "model.value"),
        ("n_embd", None, "model.key"),
        ("n_embd", 10**30, "model.value"),
        ("vocab_size", 24, "model.shape"),
        ("layer_norm_epsilon", -1.0, "model.value"),
        ("activation_function", "quick_gelu", "model.setting"),
        ("scale_attn_weights", False, "model.setting"),
        ("scale_attn_by_inverse_layer_idx", True, "model.setting"),
        ("add_cross_attention", True, "model.setting"),
        ("quantization_config", {"bits": 4}, "model.setting"),
        ("pruned_heads", {"0": [1]}, "model.setting"),
    ],
)
def test_configurations(key: str, value: Any, code: str, tmp_path: Path) -> None:
    assert refusal(write_checkpoint(tmp_path / "m", "gpt2", **{key: value})).code == code


@pytest.mark.parametrize(
    ("family", "settings"),
    [
        ("bert", {"is_decoder": True}),
        ("bert", {"position_embedding_type": "relative_key"}),
        ("llama", {"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}),
        ("llama", {"rope_scaling": {"type": "linear", "factor": 2.0}}),
        ("llama", {"rope_parameters": {"rope_type": "yarn", "rope_theta": 500.0}}),
        ("llama", {"partial_rotary_factor": 0.5}),
        ("qwen2", {"layer_types": ["chunked_attention"] * 3}),
        ("qwen2", {"layer_types": ["full_attention"] * 2}),
    ],
)
def test_settings_that_are_not_computed(
    family: str, settings: dict[str, Any], tmp_path: Path
) -> None:
    problem = refusal(write_checkpoint(tmp_path / "m", family, **settings))
    assert problem.code == "model.setting"
    assert problem.data["path"] == str(tmp_path / "m" / "config.json")


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize(
    "name", ["wte.weight", "h.1.attn.c_attn.weight", "h.2.ln_2.bias", "ln_f.weight"]
)
def test_weights_that_are_no_numbers(name: str, value: float, tmp_path: Path) -> None:
    tensors = random_tensors("gpt2")
    tensors[name].flat[7 if name != "wte.weight" else 8] = value  # of the token 1
    problem = refusal(write_checkpoint(tmp_path / "m", "gpt2", tensors))
    assert (problem.code, problem.data["name"]) == ("model.not_finite", name)


def sharded(folder: Path, files: dict[str, str]) -> None:
    """Two files and an index; `files` replaces the file of some tensors in the index."""
    tensors = random_tensors("gpt2")
    names = list(tensors)
    weight_map: dict[str, str] = {}
    for number, part in enumerate((names[::2], names[1::2]), 1):
        file = f"model-{number:05}-of-00002.safetensors"
        data = safetensors_bytes({name: tensors[name] for name in part})
        (folder / file).write_bytes(data)
        weight_map |= dict.fromkeys(part, file)
    (folder / "model.safetensors").unlink()
    index = {"metadata": {"total_size": 1}, "weight_map": weight_map | files}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))


def test_several_files_with_an_index(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "m", "gpt2")
    whole = run_model(open_model(folder), IDS)
    sharded(folder, {})
    parts = run_model(open_model(folder), IDS)
    np.testing.assert_array_equal(whole.final, parts.final)
    assert len(parts.model.sha256) == 64
    (folder / "model.safetensors.index.json").unlink()
    assert refusal(folder).code == "model.several"


@pytest.mark.parametrize(
    "name", ["../m.safetensors", "/etc/passwd", "..", "a/b.safetensors", "C:x", "..\\x", ""]
)
def test_an_index_that_leaves_its_folder(name: str, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "m", "gpt2")
    (tmp_path / "m.safetensors").write_bytes((folder / "model.safetensors").read_bytes())
    sharded(folder, {"wte.weight": name})
    problem = refusal(folder)
    assert (problem.code, problem.data["name"]) == ("model.index", name)


def test_an_index_with_a_tensor_in_the_wrong_file(tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "m", "gpt2")
    sharded(folder, {"wte.weight": "model-00002-of-00002.safetensors"})
    assert refusal(folder).code == "model.missing"


@pytest.mark.parametrize("family", CONFIGS)
def test_damaged_bytes(family: str, tmp_path: Path) -> None:
    """Changed, cut and joined files end in an error for people, or in numbers."""
    folder, draw = write_checkpoint(tmp_path / "m", family), random.Random(7)
    files = [folder / "model.safetensors", folder / "config.json"]
    whole = {file: file.read_bytes() for file in files}
    for _ in range(60):
        file = draw.choice(files)
        data = bytearray(whole[file])
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(min(len(data), 3000))
            match draw.randrange(4):
                case 0:
                    data[place] = draw.randrange(256)
                case 1:
                    del data[place : place + draw.randint(1, 40)]
                case 2:
                    data[place:place] = draw.randbytes(draw.randint(1, 9))
                case _:
                    del data[place:]
            if not data:
                break
        file.write_bytes(data)
        try:
            done = run_model(open_model(folder), IDS)
        except UserError as problem:
            assert problem.code != "unforeseen"
        else:
            assert np.isfinite(done.final).all()
        file.write_bytes(whole[file])
