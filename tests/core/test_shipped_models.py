"""The models that ship have learned what their notes say, measured by plain NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from core.models import open_model, shipped_models, tokenizer
from core.models.forward import run_model
from tests.core.gpt_kit import Floats, Ints, PlainGpt

MODELS = Path(__file__).resolve().parents[2] / "resources" / "models"
SHIPPED = sorted(path.name for path in MODELS.iterdir())
PLACES = 32  # of the copying model

Known = npt.NDArray[np.bool]
Copying = tuple[PlainGpt, Ints, Ints, Known]  # with rounds, texts, which letters can be known


@pytest.mark.parametrize("name", SHIPPED)
def test_a_model_takes_at_most_a_megabyte(name: str) -> None:
    assert sum(path.stat().st_size for path in (MODELS / name).iterdir()) <= 1_000_000


@pytest.mark.parametrize("name", SHIPPED)
def test_a_model_is_described_with_its_snapshots(name: str) -> None:
    model = next(each for each in shipped_models() if each.id == name)
    assert set(model.title) == set(model.notes) == {"en", "zh_CN"}
    assert 10 <= len(model.snapshots) <= 20
    steps = [step for step, _ in model.snapshots]
    assert steps == sorted(set(steps))
    assert steps[0] == 0
    assert model.snapshots[-1][1] == "model.safetensors"
    assert {file for _, file in model.snapshots} == {
        path.name for path in model.folder.glob("*.safetensors")
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_the_program_runs_each_snapshot_as_plain_numpy_does(name: str) -> None:
    folder = MODELS / name
    for file in (folder / "model.safetensors", min(folder.glob("step-*.safetensors"))):
        model, plain = open_model(file), PlainGpt(folder, file.name)
        ids = np.random.default_rng(3).integers(1, model.vocabulary, (1, model.positions))
        logits, weights = plain.run(ids)
        found = run_model(model, ids[0].tolist())
        for layer in range(model.layers):
            np.testing.assert_allclose(found.weights[layer], weights[layer][0], atol=1e-12)
        np.testing.assert_allclose(model.logits(found.final), logits[0], atol=1e-11)


def repeated(rounds: Ints) -> tuple[Ints, Known]:
    """A hundred texts of 32 letters and one more that repeat after `rounds` letters, all different
    within a round; and where each letter may first be known.  # (100,) -> (100, 33) (100, 32)
    """
    letters = np.random.default_rng(11).random((len(rounds), 48)).argsort(axis=1) + 1
    place = np.arange(PLACES + 1) % rounds[:, None]
    return np.take_along_axis(letters, place, axis=1), np.arange(PLACES) >= rounds[:, None]


@pytest.fixture(scope="module")
def copying() -> Copying:
    rounds = np.random.default_rng(10).integers(8, 17, 100)
    texts, known = repeated(rounds)
    return PlainGpt(MODELS / "copying"), rounds, texts, known


def accuracy(logits: Floats, texts: Ints, known: Known) -> float:
    """The share of letters that are predicted, of those that can be known."""
    return float((logits.argmax(-1) == texts[:, 1:])[known].mean())


def test_a_head_of_layer_1_looks_at_the_previous_token(
    copying: Copying,
) -> None:
    plain, _, texts, _ = copying
    _, weights = plain.run(texts[:, :-1])
    behind = [np.diagonal(weights[0][:, head], -1, 1, 2) for head in range(4)]
    means = [float(each.mean()) for each in behind]
    assert [head for head, mean in enumerate(means) if mean >= 0.9] == [1]
    assert max(mean for head, mean in enumerate(means) if head != 1) < 0.2


def test_the_heads_of_layer_2_look_behind_the_same_letter(
    copying: Copying,
) -> None:
    plain, rounds, texts, _ = copying
    _, weights = plain.run(texts[:, :-1])
    for head in range(4):
        right = [
            weights[1][text, head, place, place - round_ + 1]
            for text, round_ in enumerate(rounds)
            for place in range(round_, min(2 * round_, PLACES))
        ]
        assert np.mean(right) >= 0.9


def test_copying_ends_without_the_previous_token(
    copying: Copying,
) -> None:
    plain, _, texts, known = copying
    assert accuracy(plain.run(texts[:, :-1])[0], texts, known) == 1.0
    assert accuracy(plain.run(texts[:, :-1], off={(0, 1)})[0], texts, known) < 0.2
    others = plain.run(texts[:, :-1], off={(0, 0), (0, 2), (0, 3)})[0]
    assert accuracy(others, texts, known) > 0.2


def test_copying_is_learned_suddenly(copying: Copying) -> None:
    _, _, texts, known = copying
    found = {}
    for step, file in ((300, "step-00300.safetensors"), (450, "step-00450.safetensors")):
        logits, _ = PlainGpt(MODELS / "copying", file).run(texts[:, :-1])
        found[step] = accuracy(logits, texts, known)
    assert found[300] < 0.2
    assert found[450] > 0.98


def test_the_copying_model_reads_letters_of_both_languages() -> None:
    read = tokenizer(MODELS / "copying")
    assert read.encode("q K甲乙 f") == [17, 11, 27, 28, 6]
    assert read.encode("cat") == [0]
