"""The network of tools/train_model.py: its gradient, and the files that it writes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from core.models import open_model
from tests.core.gpt_kit import PlainGpt
from tools import train_model, training_sentences, training_texts
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
        assert json.loads(
            (folder / "config.json").read_text(encoding="utf-8")
        ) == train_model.config(recipe.sizes)
        assert (
            json.loads((folder / "tokenizer.json").read_text(encoding="utf-8")) == recipe.tokenizer
        )
        about = json.loads((folder / "model.json").read_text(encoding="utf-8"))
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


def plans() -> dict[tuple[str, ...], float]:
    """Every sentence that the grammar can make without time and place, with its probability."""
    found: dict[tuple[str, ...], float] = {}
    for language in training_sentences.LANGUAGES:
        some = {"": 0.5, **dict.fromkeys(language.adjectives, 0.5 / len(language.adjectives))}
        for share, nouns in training_sentences.pairs(language):
            first, second = (some if noun.before else {"": 1.0} for noun in nouns)
            for verb, passive in product(language.verbs, (False, True)):
                for one, other in product(first, second):
                    plan = training_sentences.Plan(
                        language, nouns, (one, other), verb, passive, "", ()
                    )
                    words = training_sentences.spoken(plan).words
                    assert words not in found, "two plans sound alike"
                    found[words] = share * first[one] * second[other] / len(language.verbs) / 4
    return found


def test_the_entropy_of_the_grammar_is_that_of_its_sentences() -> None:
    every = plans()
    assert math.fsum(every.values()) == pytest.approx(1.0)
    counted = -math.fsum(share * math.log(share) for share in every.values())
    optional = -(0.5 * math.log(0.5) + 0.5 * math.log(0.25))  # none, or one of two
    assert training_sentences.entropy() == pytest.approx(counted + 2 * optional)


def test_sentences_are_drawn_as_often_as_the_grammar_says() -> None:
    every = plans()
    drawn = training_sentences.Grammar(5).sentences(30_000)
    plain = [each for each in drawn if not each.plan.time and not each.plan.place]
    assert len(plain) / len(drawn) == pytest.approx(0.25, abs=0.03)
    surprise = [-math.log(every[sentence.words]) for sentence in plain]
    expected = -math.fsum(share * math.log(share) for share in every.values())
    assert np.mean(surprise) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("yesterday , the old cat was woken by the dogs because they barked .", "dogs"),
        ("the cat heard the small dog in the garden because it barked .", "dog"),
        ("the cat scared the dog because it meowed .", "cat"),
        ("anna was noticed by mary because she sang .", "anna"),
        ("昨天，那只老猫在花园里被那些狗吵醒了，因为它们汪汪叫。", "狗"),
        ("小明被小红听见了，因为他打鼾。", "小明"),
    ],
)
def test_the_pronoun_means_whoever_makes_the_noise(text: str, meant: str) -> None:
    spoken = training_sentences.spoken
    written = {
        (" " if each.plan.language.name == "en" else "").join(each.words): each
        for language in training_sentences.LANGUAGES
        for each in (spoken(plan) for plan in likely_plans(language, text))
    }
    sentence = written[text]
    words = ("[S]", *sentence.words)
    assert words[sentence.meant] == meant
    assert words[sentence.pronoun] in ("it", "they", "he", "she", "它", "它们", "他", "她")


def likely_plans(
    language: training_sentences.Language, text: str
) -> Iterator[training_sentences.Plan]:
    """The plans of a language whose nouns, verb and adjectives occur in a text."""
    for _, nouns in training_sentences.pairs(language):
        if not all(noun.word in text for noun in nouns):
            continue
        adjectives = ("", *(word for word in language.adjectives if word in text))
        times = ("", *(word for word in language.times if word in text))
        places = ((), *(place for place in language.places if place[-1] in text))
        for verb, passive, one, other, time, place in product(
            language.verbs, (False, True), adjectives, adjectives, times, places
        ):
            yield training_sentences.Plan(language, nouns, (one, other), verb, passive, time, place)


def test_held_out_combinations_are_in_no_sentence_of_the_corpus() -> None:
    def combination(each: training_sentences.Sentence) -> tuple[object, ...]:
        plan = each.plan
        return plan.nouns[0], plan.nouns[1], plan.verb, plan.passive

    corpus = training_sentences.Grammar(1).sentences(5000, held_out=False)
    aside = training_sentences.Grammar(2).sentences(500, held_out=True)
    assert not set(map(combination, corpus)) & set(map(combination, aside))
