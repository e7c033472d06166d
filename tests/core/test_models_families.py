"""Every family against plain loops, on small random checkpoints."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core.base.errors import UserError
from core.compute.trace import run
from core.models import open_model
from core.models.forward import Cancelled, run_layers, run_model
from tests.core.model_kit import CONFIGS, PlainModel, random_tensors, write_checkpoint

IDS = (3, 11, 7, 7, 2)


@pytest.mark.parametrize("family", CONFIGS)
def test_weights_vectors_and_logits(family: str, tmp_path: Path) -> None:
    tensors = random_tensors(family)
    model = open_model(write_checkpoint(tmp_path / "m", family, tensors))
    plain = PlainModel(family, tensors)
    plain.run(IDS)
    done = run_model(model, IDS)
    np.testing.assert_allclose(done.weights, np.array(plain.weights), atol=1e-12)
    np.testing.assert_allclose(done.inputs, np.array(plain.hidden[:-1]), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(done.final, plain.final, rtol=1e-11, atol=1e-11)
    assert model.has_output == (plain.logits is not None)
    if plain.logits is None:
        assert done.next_probabilities() is None
    else:
        logits = np.array(plain.logits)
        np.testing.assert_allclose(model.logits(done.final), logits, rtol=1e-10, atol=1e-10)
        powers = np.exp(logits[-1])
        probabilities = done.next_probabilities()
        assert probabilities is not None
        np.testing.assert_allclose(probabilities, powers / powers.sum(), rtol=1e-9)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("tiny-cats/model", "tiny-cats"),
        ("tiny-cats/final_model/checkpoint-500", "tiny-cats"),
        ("models--some--all-Cats-v2/snapshots/" + "0a" * 20, "all-Cats-v2"),
        ("model-of-cats", "model-of-cats"),
        ("Downloads/model", "gpt2"),
        ("Downloads/model/model.safetensors", "gpt2"),
        ("tiny-cats/model.safetensors", "tiny-cats"),
        ("tiny-cats/step-20.safetensors", "step-20"),
    ],
)
def test_a_model_is_named_by_what_says_something(place: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / place
    folder = write_checkpoint(path.parent if path.suffix else path, "gpt2")
    if path.suffix:
        (folder / "model.safetensors").replace(path)
    assert open_model(path).name == name


@pytest.mark.parametrize("family", CONFIGS)
def test_what_is_said_of_a_model(family: str, tmp_path: Path) -> None:
    tensors = random_tensors(family)
    model = open_model(write_checkpoint(tmp_path / "some-model", family, tensors))
    assert (model.architecture, model.name) == (family, "some-model")
    assert model.parameters == sum(array.size for array in tensors.values())
    assert model.causal == (family in ("gpt2", "llama", "qwen2", "mistral"))
    config = CONFIGS[family]
    assert model.vocabulary == config["vocab_size"]
    usual = config.get("max_position_embeddings", config.get("n_positions", 0))
    assert model.positions == (usual - 2 if family == "roberta" else usual)


def test_old_names_of_norms(tmp_path: Path) -> None:
    """Old files of BERT call the numbers of a norm gamma and beta."""
    tensors = random_tensors("bert")
    ends = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    old = {}
    for name, array in tensors.items():
        end = next((each for each in ends if name.endswith(each)), "")
        old[name.removesuffix(end) + ends.get(end, "")] = array
    assert "embeddings.LayerNorm.gamma" in old
    found = [
        run_model(open_model(write_checkpoint(tmp_path / name, "bert", each)), IDS).final
        for name, each in (("new", tensors), ("old", old))
    ]
    np.testing.assert_array_equal(found[0], found[1])


def test_padding_has_one_position_in_roberta(tmp_path: Path) -> None:
    tensors, ids = random_tensors("roberta"), (3, 1, 1, 9)
    plain = PlainModel("roberta", tensors)
    plain.run(ids)
    done = run_model(open_model(write_checkpoint(tmp_path / "m", "roberta", tensors)), ids)
    np.testing.assert_allclose(done.final, plain.final, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("family", CONFIGS)
def test_attention_of_a_layer_is_an_experiment(family: str, tmp_path: Path) -> None:
    model = open_model(write_checkpoint(tmp_path / "m", family))
    for layer in run_layers(model, IDS):
        stage = layer.trace.plan["L1.Q"].reads[0]
        document = model.attention_document(layer.index, layer.trace[stage], model.pieces(IDS))
        own = run(document)
        for name in ("Q", "K", "V", "weights", "Y"):
            np.testing.assert_allclose(own[name], layer.trace[f"L1.{name}"], atol=1e-13)


def test_a_run_can_be_ended(tmp_path: Path) -> None:
    model, seen = open_model(write_checkpoint(tmp_path / "m", "gpt2")), []

    def progress(done: int, of: int) -> bool:
        seen.append((done, of))
        return done < 2

    with pytest.raises(Cancelled):
        run_model(model, IDS, progress=progress)
    assert seen == [(1, 3), (2, 3)]


@pytest.mark.parametrize("family", CONFIGS)
def test_one_token_and_as_many_as_there_are_positions(family: str, tmp_path: Path) -> None:
    tensors = random_tensors(family)
    model, plain = (
        open_model(write_checkpoint(tmp_path / "m", family, tensors)),
        PlainModel(family, tensors),
    )
    for n in (1, model.positions):
        ids = [(7 * place + 3) % model.vocabulary for place in range(n)]
        plain.run(ids)
        np.testing.assert_allclose(run_model(model, ids).final, plain.final, rtol=1e-11, atol=1e-11)
    with pytest.raises(UserError, match=r"model\.too_long"):
        run_model(model, [3] * (model.positions + 1))
