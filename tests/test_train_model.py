"""The network of tools/train_model.py: its gradient, and the files that it writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.models import open_model
from tests.core.gpt_kit import PlainGpt
from tools import train_model, training_texts
from tools.small_gpt import Adam, Network, Sizes

SIZES = Sizes(vocab_size=7, n_positions=6, n_embd=8, n_layer=2, n_head=2, n_inner=5)


@pytest.fixture
def network() -> Network:
    made = Network(SIZES, 1, np.float64)
    made.vector += np.random.default_rng(2).normal(0, 0.3, made.vector.size)
    return made


def test_the_gradient_is_the_slope_of_the_loss(network: Network) -> None:
    rng = np.random.default_rng(3)
    ids, targets, share = rng.integers(0, 7, (3, 5)), rng.integers(0, 7, (3, 5)), rng.random((3, 5))
    network.loss(ids, targets, share)
    gradient, small = network.gradient.copy(), 1e-5
    for place in range(0, network.vector.size, 5):
        kept = network.vector[place]
        losses = []
        for change in (small, -small):
            network.vector[place] = kept + change
            losses.append(network.loss(ids, targets, share))
        network.vector[place] = kept
        slope = (losses[0] - losses[1]) / (2 * small)
        assert gradient[place] == pytest.approx(slope, abs=1e-7)


def test_adam_begins_with_a_step_of_the_rate_against_the_slope(network: Network) -> None:
    adam, before = Adam(network, decay=0.0), network.vector.copy()
    network.gradient[:] = np.where(np.arange(network.vector.size) % 2, 1e-3, -1e-3)
    against = -np.sign(network.gradient)
    adam.step(0.01)
    np.testing.assert_allclose(network.vector - before, 0.01 * against, rtol=0.01)


def test_what_is_written_is_what_was_trained(tmp_path: Path) -> None:
    recipe = replace(train_model.RECIPES["copying"], steps=2, snapshots=(0,), batch_size=3)
    train_model.write_json(tmp_path / "config.json", train_model.config(recipe.sizes))
    train_model.write_json(tmp_path / "tokenizer.json", recipe.tokenizer)
    assert [each["step"] for each in train_model.train(recipe, tmp_path)] == [0, 2]
    assert open_model(tmp_path / "step-00000.safetensors").parameters == recipe.sizes.parameters
    first, last = (
        PlainGpt(tmp_path, name).tensors for name in ("step-00000.safetensors", "model.safetensors")
    )
    assert first.keys() == last.keys() == recipe.sizes.shapes().keys()
    assert all(last[name].shape == shape for name, shape in recipe.sizes.shapes().items())
    assert 0 < np.abs(first["wte.weight"] - last["wte.weight"]).max() < 0.01


def test_the_shipped_settings_are_those_of_the_recipe() -> None:
    for name, recipe in train_model.RECIPES.items():
        folder = train_model.MODELS / name
        assert json.loads((folder / "config.json").read_text()) == train_model.config(recipe.sizes)
        assert json.loads((folder / "tokenizer.json").read_text()) == recipe.tokenizer
        about = json.loads((folder / "model.json").read_text())
        steps = [each["step"] for each in about["snapshots"]]
        assert steps == [*recipe.snapshots, recipe.steps]


def test_repeated_letters_repeat_where_they_can_be_known() -> None:
    batch = training_texts.repeated(np.random.default_rng(4), 200, 36)
    assert batch.share.sum() == pytest.approx(1.0)
    for row, targets, share in zip(batch.ids, batch.targets, batch.share, strict=True):
        text = [*row.tolist(), int(targets[-1])]
        assert text[1:] == targets.tolist()
        first_known = int(np.flatnonzero(share)[0])
        assert len(set(text[:first_known])) == first_known
        period = text[first_known::-1].index(text[first_known], 1)
        assert all(text[at] == text[at - period] for at in range(first_known, len(text)))
