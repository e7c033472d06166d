"""`main.py model`, on small random checkpoints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from core.archive import load
from core.trace import run
from gui.cli import run_command_line
from tests.command_kit import refused
from tests.core.model_kit import PlainModel, random_tensors, write_checkpoint

IDS = (3, 11, 7, 7, 2)
TEXT = "3,11,7,7,2"


@pytest.fixture
def gpt2(tmp_path: Path) -> str:
    return str(write_checkpoint(tmp_path / "tiny", "gpt2"))


@pytest.fixture
def bert(tmp_path: Path) -> str:
    return str(write_checkpoint(tmp_path / "small", "bert"))


def plain(family: str) -> PlainModel:
    model = PlainModel(family, random_tensors(family))
    model.run(IDS)
    return model


def test_sizes(gpt2: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["model", gpt2, "--list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "architecture": "gpt2",
        "layers": 3,
        "heads": 2,
        "kv_heads": 2,
        "d": 8,
        "vocabulary": 23,
        "positions": 10,
        "causal": True,
        "parameters": sum(array.size for array in random_tensors("gpt2").values()),
    }
    assert run_command_line(["model", gpt2, "--list"]) == 0
    assert "causal\ttrue\n" in capsys.readouterr().out


def test_every_stage_of_every_layer(gpt2: str, tmp_path: Path) -> None:
    out = tmp_path / "out.npz"
    assert run_command_line(["model", gpt2, "--ids", TEXT, "-o", str(out)]) == 0
    found, expected = np.load(out), plain("gpt2")
    names = list(found)
    assert names[:6] == ["tokens", "token_ids", "X", "P", "input", "L1.attention_norm"]
    assert names[-3:] == ["final_norm", "logits", "probabilities"]
    assert found["token_ids"].tolist() == list(IDS)
    for layer in range(3):
        own, after = f"L{layer + 1}.", expected.hidden[layer + 1]
        np.testing.assert_allclose(found[f"{own}weights"], expected.weights[layer], atol=1e-12)
        np.testing.assert_allclose(found[f"{own}mlp_residual"], after, rtol=1e-10, atol=1e-10)
    assert expected.logits is not None
    np.testing.assert_allclose(found["logits"], expected.logits, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(found["probabilities"].sum(axis=1), 1.0)


def test_words_positions_and_norm_of_an_encoder(bert: str, tmp_path: Path) -> None:
    out, tensors = tmp_path / "out.npz", random_tensors("bert")
    assert run_command_line(["model", bert, "--ids", TEXT, "-o", str(out)]) == 0
    found = np.load(out)
    word, kind = (
        tensors[f"embeddings.{name}_embeddings.weight"] for name in ("word", "token_type")
    )
    X = word[list(IDS)].astype(float) + kind[0]
    np.testing.assert_allclose(found["X"], X, atol=1e-15)
    positions = tensors["embeddings.position_embeddings.weight"][: len(IDS)]
    np.testing.assert_allclose(found["P"], positions.astype(float), atol=1e-15)
    np.testing.assert_allclose(found["embedding_norm"], plain("bert").hidden[0], atol=1e-12)
    assert "logits" not in found


@pytest.mark.parametrize("family", ["gpt2", "bert", "llama"])
def test_the_attention_of_a_layer(family: str, tmp_path: Path) -> None:
    folder = write_checkpoint(tmp_path / "m", family)
    out = tmp_path / "layer.attn.json"
    command = ["model", str(folder), "--ids", TEXT, "--layer", "2", "-o", str(out)]
    assert run_command_line(command) == 0
    document = load(out)
    assert document.title == "m, layer 2"
    weights = plain(family).weights[1]
    np.testing.assert_allclose(run(document)["weights"], weights, atol=1e-12)


def test_the_next_tokens(gpt2: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command_line(["model", gpt2, "--ids", TEXT, "--next", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["next"]
    logits = plain("gpt2").logits
    assert logits is not None
    powers = np.exp(logits[-1])
    order = np.argsort(-powers)[:4]
    assert [each["id"] for each in found] == order.tolist()
    probabilities = [each["probability"] for each in found]
    np.testing.assert_allclose(probabilities, powers[order] / powers.sum(), rtol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--ids", "3,4", "-o", "x.csv"], "x.csv must end in .npz"),
        (["--ids", "3,4", "--layer", "4", "-o", "x.attn.json"], "no layer 4"),
        (["--ids", "3,23", "-o", "x.npz"], "no token with the id 23; ids go from 0 to 22"),
        (["--ids", ",".join("1" * 11), "-o", "x.npz"], "has 11 tokens; this model has 10"),
        (["--ids", "3,a", "-o", "x.npz"], "are not ids"),
        (["-o", "x.npz"], "--text or --ids"),
        (["--ids", "3"], "one of the arguments"),
    ],
)
def test_what_is_refused(
    arguments: list[str],
    said: str,
    gpt2: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in refused(capsys, "model", gpt2, *arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]


def test_an_encoder_has_no_next_token(bert: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "has no output" in refused(capsys, "model", bert, "--ids", "3", "--next", "2")


def test_an_unknown_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "nowhere" in refused(capsys, "model", str(tmp_path / "nowhere"), "--list")
